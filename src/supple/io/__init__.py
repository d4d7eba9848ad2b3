"""Models and other programs: model files, robot files, functional mock-up units."""
