"""Finer meshes of the same body, by which the error of a mesh is found.

Every kind of mesh is divided into smaller elements with the map from old to new coordinates. It
imports elements and `base`.
"""
