"""Analyses: one run of a model, or one question about it.

`run` moves a model in time; `equilibrium`, `linear` and `stability` ask
about rest, small motion and what changes with a parameter; `kinematics` and `reactions` follow
given motions; `doctor` examines a model before anything is computed; `control` and `damping` design
with linear models; `base` is shared. Analyses import formulations, integrators, loops, the engine
and results, and no studies of several runs.
"""
