"""Examination of a model before it is run: `model.doctor()`.

Degrees of freedom, loops, redundant constraints, singular positions, the start, drivers and units,
as fields of a diagnosis and as a report. It reads assembled models and linear models, and runs
nothing.
"""
