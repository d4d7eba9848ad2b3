"""Lower bound of error weights near dependent constraints."""

from __future__ import annotations

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.foundation.poses import Array


def least_motion(compiled: Compiled, q: Array, tolerance: float) -> float:
    """Motion below which weights of errors do not follow it (``step_size.py``), at most 0.1.

    The rounding of places is multiplied by how nearly rows depend on each other, with the square of
    the length of a chain: what is smaller than that is not found by Newton's iterations, which ask
    for a hundredth of the tolerance.
    """
    if not compiled.nr or not compiled.regular_value > 0.0:
        return 0.0
    far = float(np.max(np.abs(q), initial=0.0)) / compiled.length
    noise = float(np.finfo(float).eps) * far / compiled.regular_value
    return min(0.1, 10.0 * noise / tolerance)
