"""Beam elements and meshes of beams.

Shapes, prestress, members of frame structures, section forces.
"""
