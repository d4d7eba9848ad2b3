"""Gaps of closed mechanisms."""

from __future__ import annotations

import numpy as np

from oracles.natural_coordinates import motion, world


def gap(model, found, coordinates):
    """Largest distance and rotation between the two sides of all joints of a model."""
    worst = 0.0
    for joint in model.joints.values():
        (Ra, pa), (Rb, pb) = world(found, joint.A), world(found, joint.B)
        R, p = motion(joint, coordinates[joint.name])
        worst = max(worst, np.abs(Ra @ R - Rb).max(), np.abs(pa + Ra @ p - pb).max())
    return worst
