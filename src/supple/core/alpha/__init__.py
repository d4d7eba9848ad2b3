"""Generalized alpha, HHT and Newmark.

Stage, Newton's matrix (dense, blocks, tree), error estimate, the compiled loop.
"""
