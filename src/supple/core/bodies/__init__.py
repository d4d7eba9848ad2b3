"""Kinematics and inertia of bodies.

The tree, floating frames with shapes, displacements of second order, nodal vectors.
"""
