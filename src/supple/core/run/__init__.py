"""What surrounds a step of every method.

State, step size, acceptance, events, audit, the step over a singular position.
"""
