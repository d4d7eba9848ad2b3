"""Derivatives of outputs of a run along numbers of its model; optima and fits.

Small motion about a run is followed step by step (discrete tangent model), with saltation matrices
at events. It imports analyses, sweeps and everything below.
"""
