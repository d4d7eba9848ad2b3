"""Models with known answers: some are right, some are wrong as engineers make them wrong."""
