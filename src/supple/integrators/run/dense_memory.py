"""Memory of methods whose matrices are whole: refused before a model of many bodies asks for it."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout
from supple.foundation.errors import SimulationError

MOST = 4e9  # bytes


def whole_sizes(method: str, head: np.ndarray) -> tuple[int, int, int, int]:
    """Numbers of coordinates, velocities, states and rows, from the integers of a model.

    Raises if matrices over all of them, rows twice, are too large.
    """
    nq, nu, nz, nr = (int(head[k]) for k in (layout.H_Q, layout.H_U, layout.H_Z, layout.H_ROWS))
    unknowns = nq + nu + nz + 2 * nr
    size = 8.0 * (2.0 * unknowns**2 + 3.0 * nu**2 + 2.0 * nr * nu)
    if size > MOST:
        raise SimulationError(
            f"{method}: its whole matrices of {unknowns} unknowns take {size / 1e9:.2g} GB, "
            f"expected {MOST / 1e9:g} GB at most; Radau() keeps only what is not zero"
        )
    return nq, nu, nz, nr
