"""Meshes and matrices from files of other programs, and components as files.

Meshes by meshio and gmsh (extras), matrices of Abaqus, CalculiX and Nastran. It imports `base` and
`solids`.
"""
