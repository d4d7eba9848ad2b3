"""Shared by all meshes.

Materials, damping, components, inertia, vibration, buckling, checks, kinds of cells.
"""
