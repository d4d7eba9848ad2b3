"""Regulators and estimators from linear models: `lqr` and `observer`.

Gains come from Riccati equations of the state space that `supple.analyses.linear` makes; the
controllers that have them are force elements of `supple.forces`.
"""
