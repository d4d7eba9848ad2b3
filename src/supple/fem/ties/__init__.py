"""Interfaces of a mesh, and components in the coordinates of their interfaces.

A frame stands for many nodes, rigidly or in the mean. It imports `base` and `beams`.
"""
