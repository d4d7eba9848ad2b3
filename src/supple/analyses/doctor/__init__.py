"""The doctor.

What is wrong or strange with a model, in sentences; a model at its start in pictures.
"""
