"""Beam elements, straight meshes of them, and frame structures.

Exact elements of Timoshenko and of Euler and Bernoulli, also tapered ones; geometric stiffness,
section forces as rows of nodal coordinates. It imports `base` and `sections`.
"""
