"""Reactions: the smallest of those that are not unique, states of self-stress.

Redundant constraints leave reactions open; sets of them that are in equilibrium by themselves are
found here. It is the lowest folder of analyses and imports none of the others.
"""
