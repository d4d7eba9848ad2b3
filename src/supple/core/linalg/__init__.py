"""Linear algebra without allocation.

Dense solvers, the multifrontal factorization by blocks, products of inertias.
"""
