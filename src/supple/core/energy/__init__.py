"""Bauchau's energy-preserving and energy-decaying scheme: the compiled step loop.

Rigid bodies in absolute coordinates and nodal vectors; forces, constraint forms and their exact
increments over a step. It imports `run`, `equations` and what they import.
"""
