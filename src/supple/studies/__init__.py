"""Studies of several runs: convergence, chaos, comparison, the cross-check.

It imports analyses and everything below.
"""
