"""Equilibria: configurations in which nothing accelerates, and paths of them.

`balance` has loads, stiffness and rows at rest, `equilibrium` the search (one for all solvers of
linear systems), `spin` steady rotation, `continuation` paths while loads grow, through limit
points; `statics` is what users call. It imports `base` and rooms below analyses.
"""
