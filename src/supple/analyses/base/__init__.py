"""Shared by analyses: arguments of a run, the result of one instant and its outputs."""
