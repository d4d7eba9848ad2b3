"""Stress and strain at points of a mesh: points, rosettes, histories."""
