"""Dormand-Prince 8(5,3): coefficients and the compiled step loop.

It imports `run`, `equations` and what they import.
"""
