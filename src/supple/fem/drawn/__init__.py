"""Drawing of meshes: surfaces, boundaries, primitive forms."""
