"""Bases that all bodies share, and the rigid body.

Axes and stations, elastic coordinates with damping, the base of flexible bodies with a floating
frame and of those whose coordinates are chosen by reduction, finer descriptions by which errors are
estimated. It imports `shapes`.
"""
