"""Numba kernels: plain numbers in flat arrays, one compiled kernel for every model.

This package imports numpy, numba and math only. Symbols are defined in docs/notation.md.
"""
