"""What is seen of a mesh: surfaces, boundaries, primitive forms."""
