"""Motions that are given: kinematics, inverse dynamics, transfer functions of mechanisms."""
