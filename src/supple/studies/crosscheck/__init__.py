"""The cross-check.

The same model by several formulations, at states and in runs, and who differs.
"""
