"""Bound of what rounding leaves of the equations of motion."""

from __future__ import annotations

LEFT = 1e-14  # of the residual, in units of its largest terms
