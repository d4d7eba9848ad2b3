"""Equations of motion: accelerations, residuals, tangents, energies, histories.

Order N along the tree, whole matrices, constraint rows by Cholesky factors, by fronts or by
partitioned coordinates, analytic tangents and Newton's matrix along the tree. It imports `forces`,
`bodies`, `linalg` and `base`.
"""
