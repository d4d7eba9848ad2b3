"""Contact between bodies: distances of surfaces, laws, tangents, and the search for touches within a step.

It imports ``base``.
"""
