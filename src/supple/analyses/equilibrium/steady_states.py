"""States of linear controllers at rest: z' = 0 gives them, as far as their matrix has a rank.

With z' = Gq x + Gz z and Gz = U S V^T the part of z along V with singular values follows x. The
part along null vectors of Gz is free: an integral, which acts like a multiplier, and rows of Gq
along the left null vectors must vanish instead.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.forces.control import LINEAR_CONTROL, STATE, STATES
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Tangents
from supple.foundation.poses import Array

RANK = 1e-10  # part of the largest singular value that is none


class Steady(NamedTuple):
    """How states at rest follow coordinates.

    Attributes
    ----------
    places : (n,) of the states in z
    inverse : (n, n) minus it times their rates is what they lack
    free, held : (n, k) states that are integrals, and combinations of rates that must vanish
    """

    places: np.ndarray
    inverse: Array
    free: Array
    held: Array

    @classmethod
    def of(cls, places: np.ndarray, tangents: Tangents) -> Steady:
        """Of the tangents at a state."""
        U, S, Vt = np.linalg.svd(tangents.Gz[np.ix_(places, places)])
        rank = int(np.sum(RANK * max(float(S[0]), 1e-300) < S)) if len(S) else 0
        inverse = Vt[:rank].T @ (U[:, :rank].T / S[:rank, None])
        return cls(places, inverse, Vt[rank:].T, U[:, rank:])

    def settled(self, z: Array, rates: Array) -> Array:
        """States whose rates vanish, as far as they can."""
        found = z.copy()
        found[self.places] -= self.inverse @ rates[self.places]
        return found

    def stiffness(self, tangents: Tangents) -> Array:
        """What states that follow add to the stiffness (nu, nu)."""
        found: Array = -tangents.Rz[:, self.places] @ self.inverse @ tangents.Gq[self.places]
        return found

    def pushes(self, tangents: Tangents) -> Array:
        """Efforts (nu, k) of the integrals."""
        found: Array = tangents.Rz[:, self.places] @ self.free
        return found

    def rows(self, tangents: Tangents) -> Array:
        """Rows (k, nu) of coordinates that integrals hold."""
        found: Array = self.held.T @ tangents.Gq[self.places]
        return found


def linear_states(compiled: Compiled) -> np.ndarray:
    """Places in z of the states of linear controllers."""
    rows = at.integers(compiled.ints, "element")
    rows = rows[rows[:, at.KIND] == LINEAR_CONTROL]
    found = [k for first, n in rows[:, [STATE, STATES]].tolist() for k in range(first, first + n)]
    return np.array(found, dtype=int)
