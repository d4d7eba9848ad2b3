"""The surroundings of a step, which all methods share.

Weights of errors, sizes of steps, acceptance, events and kinks located on the polynomials of a
step, the audit of energy, the long step over a singular position. It imports `equations` and what
is below.
"""
