"""Beams, cables and plates.

Large deflections, rotation, nodal vectors, an oscillator in a double well.
"""
