"""Damping of bodies fitted to the modes of a model."""
