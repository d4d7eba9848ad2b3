"""Dormand-Prince 8(5,3): coefficients and the compiled loop."""
