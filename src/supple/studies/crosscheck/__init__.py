"""The cross-check: one model by every formulation that can express it, and by two integrators.

Runs are repeated until their own errors are known, so that two ways differ or not for certain. It
imports `comparison` and the other studies.
"""
