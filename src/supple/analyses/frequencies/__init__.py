"""Errors of frequencies: by modes, meshes and elements that are too few, against finer bodies."""
