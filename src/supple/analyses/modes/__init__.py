"""Linear models and their modes: eigenvalues, shapes, shares of energy, figures.

`LinearModel` is the result of `linearize`. It imports `base` and rooms below analyses; state spaces
and missing flexibility of `supple.analyses.linear`, which is above, are loaded when they are asked
for.
"""
