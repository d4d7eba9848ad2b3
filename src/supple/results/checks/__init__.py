"""Checks of flexible bodies in a run, with sentences.

Loads, modes, shear, spin, warping, meshes, elements that lock.
"""
