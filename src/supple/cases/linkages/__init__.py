"""Mechanisms with closed loops, ropes and panels.

Reference numbers are those of the sources, or of independent integrations; `linkage` compares
joints, points and energies at given times for all of them.
"""
