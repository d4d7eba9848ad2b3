"""Beams, cables and plates: tables of elements, exact solutions, rotating beams.

Exact solutions are computed in the file that compares with them, by quadrature or series,
independently of the package.
"""
