"""State: one instant of a run, from which another run can start."""

from __future__ import annotations

from dataclasses import dataclass

from supple.poses import Array


@dataclass(frozen=True)
class State:
    """Time and state in engine order.

    Attributes
    ----------
    t : time, s
    q : (nq,) coordinates
    u : (nu,) velocities
    z : (nz,) controller states
    """

    t: float
    q: Array
    u: Array
    z: Array
