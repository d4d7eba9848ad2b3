"""Solids of tetrahedra and hexahedra: geometry, matrices, stress, blocks.

It imports `base`.
"""
