"""Kinematics and inertia of bodies: sweeps over the tree, floating frames, nodal vectors.

Poses, velocities, bias accelerations and inertias of rigid bodies, flexible bodies with
displacements of second order, and elements over nodal vectors; charts of the configuration. It
imports `base`.
"""
