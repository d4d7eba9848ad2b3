"""Buckling, stability over a parameter, stiffness of frames, modes over a speed.

All follow equilibria and linear models over a value: a load, a speed, a stroke. It imports
`linear` and `equilibrium`.
"""
