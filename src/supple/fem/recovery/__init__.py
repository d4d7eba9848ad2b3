"""Stress and strain at points of a mesh: points, rosettes, histories.

Everything is rows of elastic coordinates, so that a history is one product. It imports `base`,
`sections` and elements.
"""
