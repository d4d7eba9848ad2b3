"""Surfaces of meshes and simple forms as points and triangles, for pictures.

It imports `base`, `sections`, `solids` and `recovery`.
"""
