"""Runs in time: prepared models, phases, checkpoints, quasi-static runs, the stepper."""
