"""Displacements of second order: slaved shapes, shortening, tilting."""
