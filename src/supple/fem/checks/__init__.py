"""Checks of components that users bring.

Matrices, rigid motions, the mesh against its own lowest frequency.
"""
