"""Assumed shapes along a beam: functions, their integrals, section forces.

Polynomials, sines, eigenfunctions and functions of the user in the place of a mesh. It imports
`modal` and what is below.
"""
