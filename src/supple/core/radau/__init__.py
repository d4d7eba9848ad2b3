"""Radau IIA.

Stages, Newton's matrix (dense, blocks, tree), error estimate, dense output, the compiled loop.
"""
