"""Sparsity.

Which entries of the matrices are not zero, how they are stored, the order of elimination.
"""
