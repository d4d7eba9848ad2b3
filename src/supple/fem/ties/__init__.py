"""Interfaces of a mesh, and meshes tied to each other."""
