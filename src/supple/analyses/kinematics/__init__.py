"""Motions that are given: kinematics, inverse dynamics, transfer functions of mechanisms.

Positions, rates and accelerations follow from drivers alone; efforts that make a mechanism follow a
motion; derivatives of a mechanism's motion with respect to its drive. It uses runs for their
options and results.
"""
