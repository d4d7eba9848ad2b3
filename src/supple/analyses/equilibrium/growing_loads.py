"""Equilibrium of nodal vectors by a load that grows from the start of a search.

What is out of balance at the start, F(q0), is held there and let go bit by bit:

    F(q) - (1 - s) F(q0) = 0        s from 0 to 1

From a body at rest without strain this is load stepping. The size of a step follows from how far
it moves: nothing by more than `TURN`. The path is kept as long as it is stable; where it is not, it
has a limit point or a kink, and other searches go on from the start.

Gradients that turn along a straight line stretch by the square of their step. Of a slender beam
this strain has far more stress than all loads together, and its geometric stiffness misleads the
next step of Newton's method, so that steps wander. The strain is quadratic, so what a step d has
added by its square is known: 1/2 d Q d. The next step is made with the stress that the linear step
predicted, D (eps + B d), instead of that at its end: the same equilibrium, because the steps vanish
there, and the same load out of balance (after Magisano, Leonetti and Garcea, 2017).
"""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.balance import AtRest, Balance, one_way
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array

TURN = 0.5  # most that a coordinate moves in a step of the load, rad or lengths of the model
CORRECTIONS, CONVERGED = 10, 1e-9  # of Newton's method at each load
SHORTER, LONGER, QUICK = 0.4, 2.0, 6  # factors of steps; corrections after which the next is longer
SHORTEST = 1e-3  # part of a step below which a path has come to its end
MOST = 120  # corrections of a path


def square_of_step(compiled: Compiled, before: Array, q: Array) -> Array:
    """Stiffness (nu, nu) of the stress that a straight step between two configurations adds."""
    K = np.zeros((compiled.nu, compiled.nu))
    for record in compiled.gradient.values():
        step = (q - before)[record.q].reshape(record.mesh.rest.shape)
        K[record.u, record.u] = record.mesh.square_stiffness(step).toarray()
    return compiled.scale[:, None] * K * compiled.scale


class GrowingLoads:
    """Follows the equilibria of a load that grows; ``part`` of it was reached, in `steps`."""

    def __init__(self, rest: AtRest) -> None:
        self.rest, self.compiled = rest, rest.compiled
        self.part, self.steps = 0.0, 0

    def run(self, q: Array, z: Array) -> tuple[Array, Array] | None:
        """Where the whole load is in balance, and controller states; None if it cannot grow."""
        here, cut = self.rest.balance(q, z), 1.0
        held = here.load.copy()
        if not _stable(here):
            return None
        self.part, self.steps = 0.0, 0
        while self.part < 1.0:
            way = here.N @ -_solved(here.K, here.N.T @ held)
            far = float(np.max(np.abs(way), initial=0.0))
            if not np.isfinite(far):
                return None
            left = 1.0 - self.part
            last = cut == 1.0 and left * far <= TURN
            grown = 1.0 if last else self.part + cut * min(left, TURN / max(far, TURN))
            found = self._corrected(q, here, (grown - self.part) * way, (1.0 - grown) * held)
            if found is not None and _stable(found[1]):
                q, here, count = found
                self.part = grown
                cut = min(1.0, LONGER * cut) if count <= QUICK else cut
            else:
                cut *= SHORTER
            if cut < SHORTEST or self.steps > MOST:
                return None
        return q, here.z

    def _corrected(
        self, q: Array, here: Balance, step: Array, held: Array
    ) -> tuple[Array, Balance, int] | None:
        """The equilibrium that a step leads near to, under a load that is held."""
        first = float(np.max(np.abs(step), initial=0.0))
        for count in range(CORRECTIONS):
            self.steps += 1
            moved = self._moved(q, step)
            there = self.rest.balance(moved, here.z)
            straight = there.N.T @ square_of_step(self.compiled, q, moved) @ there.N
            step = -there.N @ _solved(there.K - straight, there.N.T @ (there.load - held))
            q, here = moved, there
            longest = float(np.max(np.abs(step), initial=0.0))
            if longest <= CONVERGED:
                q = self._moved(q, step)  # its square is rounding
                return q, self.rest.balance(q, here.z), count
            if not longest <= 2.0 * max(first, TURN if count == 0 else 0.0):
                return None
        return None

    def _moved(self, q: Array, step: Array) -> Array:
        return self.rest.closed(self.rest.equations.retract(q, step * self.compiled.scale))


def _solved(K: Array, load: Array) -> Array:
    return np.asarray(np.linalg.lstsq(K, load, rcond=1e-15)[0], dtype=float)


def _stable(here: Balance) -> bool:
    """Whether no motion is pushed away; of loads that follow the motion this is not asked."""
    values = np.linalg.eigvalsh(0.5 * (here.K + here.K.T))
    return one_way(here.K) or bool(values.min(initial=np.inf) > 0.0)
