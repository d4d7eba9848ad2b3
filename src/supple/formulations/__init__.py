"""Formulations: choices of coordinates over the same bodies, joints and forces."""
