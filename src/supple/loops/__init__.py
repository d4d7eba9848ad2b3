"""Constraint rows: closing them, their rank, singular positions, impacts.

A compiled model is assembled so that it starts on its constraints with independent rows; smallest
steps are measured by the mass that they move. It imports the engine.
"""
