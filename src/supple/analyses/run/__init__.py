"""Runs in time: from a model and options to a result.

`options` says once what a run may be asked for, `problem` refuses what cannot be run and makes the
problem for the integrator, `simulate` does it once or as often as one likes, `phases` joins
stretches between changes of the model, `checkpointing` keeps long runs, `stepper` moves a model
from outside, `outcome` makes the result and its warnings, `probe` answers what a verdict asks.
"""
