"""Damping of bodies fitted to the modes of a model.

`fit_damping` finds damping of flexible bodies with which the modes of a whole model have given
ratios. It imports `linear` and `kinematics`.
"""
