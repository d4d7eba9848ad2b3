"""Solids: geometry, matrices and stress of cells, blocks."""
