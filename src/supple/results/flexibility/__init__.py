"""Flexible bodies under the loads of a run.

Deformation, what modes leave out, geometric stiffness, stretch, shear.
"""
