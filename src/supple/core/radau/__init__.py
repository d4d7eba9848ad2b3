"""Radau IIA of order 5: the compiled step loop.

`stages` has residuals and starting values, `newton` the simplified iteration with one real and one
complex matrix, `blocks` the same for many bodies, `rows` constraint rows, `buffers` where all of it
is. It imports `run`, `equations` and what they import.
"""
