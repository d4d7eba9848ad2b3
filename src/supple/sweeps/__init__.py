"""Sweeps: many runs of a model with other values of its parameters, kept as rows of one table."""
