"""Bauchau's energy-preserving and energy-decaying scheme.

State, increments, exact forms of forces, the compiled loop.
"""
