"""Results: arrays by name, verdicts, stress, files and plots."""
