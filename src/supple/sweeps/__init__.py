"""Sweeps: many runs of a model with other values of its parameters, kept as rows of one table.

Designs, workers in processes or threads, a table that survives kills, hashes that make no run
twice, figures. It imports studies and everything below.
"""
