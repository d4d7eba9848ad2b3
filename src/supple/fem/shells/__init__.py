"""Shells: membranes, bending, triangles, plates, stress at points of a shell."""
