"""Errors of frequencies of a linear model, and the findings about them.

Bodies of few modes and meshes are judged by the flexibility that is missing under the loads of each
mode, bodies over nodal vectors by models with smaller elements. It imports `equilibrium`, `modes`
and the flexibility of results.
"""
