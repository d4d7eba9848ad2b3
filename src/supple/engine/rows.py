"""Values of constraint rows at a state, and the units in which rows are compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.core import dynamics
from supple.core import layout as at
from supple.engine.compiled import Compiled
from supple.poses import Array


@dataclass(frozen=True)
class Rows:
    """Constraint rows at a state.

    Attributes
    ----------
    violation, rate, acceleration : (nr,)
        Values of the rows and their time derivatives (m, rad; per s; per s2).
    G : (nr, nu)
        Derivative of the violation along increments, and of the rate along velocities.
    H : (nr, nu)
        Derivative of the rate along increments.
    """

    violation: Array
    rate: Array
    acceleration: Array
    G: Array
    H: Array


def rows_at(
    compiled: Compiled, work: Array, t: float, q: Array, u: Array, a: Array | None = None
) -> Rows:
    """The rows in use at a state."""
    nr, nu = compiled.nr, compiled.nu
    if len(q) != compiled.nq or len(u) != nu:  # kernels read what they are given
        raise ValueError(f"a state of {len(q)} and {len(u)}, expected {compiled.nq} and {nu}")
    g, gu, ga = (np.zeros(nr) for _ in range(3))
    G, H = np.zeros((nr, nu)), np.zeros((nr, nu))
    state = [np.require(x, float, ["C", "W"]) for x in (q, u, np.zeros(nu) if a is None else a)]
    dynamics.constrain(compiled.ints, compiled.reals, work, float(t), *state, g, gu, ga, G, H)
    return Rows(g, gu, ga, G, H)


def row_sizes(compiled: Compiled) -> Array:
    """Unit of each row in use (nr,): the model's length for places, one radian for rotations."""
    return compiled.row_sizes


def scaled_rows(compiled: Compiled, G: Array) -> Array:
    """The Jacobian in units of the rows and of the increments."""
    scaled: Array = G * compiled.scale / row_sizes(compiled)[:, None]
    return scaled


def moving(compiled: Compiled) -> np.ndarray:
    """Whether each row in use (nr,) follows a signal: those of drivers and changing lengths."""
    found = np.zeros(compiled.nr, dtype=bool)
    for link in at.integers(compiled.ints, "link"):
        if link[at.LINK_SIGNAL] >= 0:
            found[[row for row in link[at.LINK_ROW :] if row >= 0]] = True
    return found
