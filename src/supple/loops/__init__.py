"""Constraint rows: closing them, their rank, singular positions."""
