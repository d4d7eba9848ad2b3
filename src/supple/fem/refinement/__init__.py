"""Finer meshes of the same body, and the error of a mesh by comparison with them."""
