"""Equilibrium: coordinates, multipliers and controller states at which nothing accelerates.

    R(q, 0, 0, z) + G^T lam = 0        g(q) = 0        z' = 0

One search with a solver as argument, which has the loads, solves for steps and tells the character
of what was found: `AtRest` with whole matrices (``analyses/equilibrium/balance.py``),
`SparseAtRest` or `TreeAtRest`, which leave to it what they cannot tell. A step is shortened until
the load along its end does not exceed that at its beginning: its work is then negative.

Nodal vectors of gradient bodies turn along straight lines, on which they stretch: steps that never
go uphill are short there. So models with such bodies are searched first by loads that grow
(`GrowingLoads`, with whole matrices), then by whole steps of Newton's method, at most 0.3 of a
gradient long; what is found counts if it is stable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Generic, TypeVar

import numpy as np

from supple.analyses.equilibrium.balance import (
    STALLED,
    AtRest,
    Balance,
    Equilibrium,
    Step,
    Steps,
    one_way,
    solved,
)
from supple.analyses.equilibrium.sparse_balance import SparseAtRest, TreeAtRest
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array

CONVERGED = 1e-11  # size of the last correction, rad or lengths of the model
ITERATIONS = 400
NEWTON = 100  # steps of the second search
CLOSE = 12  # steps to an equilibrium near by
PUSHED = 40  # steps along a motion without stiffness after which nothing will hold it
LARGEST_STEP = 0.5  # rad, or lengths of the model
LARGEST_TURN = 0.3  # of gradients and lengths, in steps that may go uphill
TURN = 0.5  # most that a coordinate moves in a step of the load, rad or lengths of the model
CORRECTIONS, CORRECTED = 10, 1e-9  # of Newton's method at each load
SHORTER, LONGER, QUICK = 0.4, 2.0, 6  # factors of steps; corrections after which the next is longer
SHORTEST = 1e-3  # part of a step below which a path has come to its end
MOST = 120  # corrections of a path

Solver = TypeVar("Solver", AtRest, SparseAtRest, TreeAtRest)


class Search(Generic[Solver]):
    """Looks for an equilibrium of equations whose signals stand still."""

    def __init__(self, rest: Solver) -> None:
        self.rest: Solver = rest
        self.equations, self.compiled = rest.equations, rest.compiled
        self.tries = 0

    def run(self, q: Array, z: Array) -> Equilibrium:
        """Search from a configuration and controller states.

        Loads that follow the motion have no energy to go down: then the unbalanced load itself is
        made smaller, from where the first search began.
        """
        tried: list[Equilibrium] = []
        for q0, z0, most, before in self._starts_of_whole_steps(q, z):
            tried.append(self._search(q0, z0, most, "whole"))
            if tried[-1].found and not len(tried[-1].unstable):
                return replace(tried[-1], iterations=tried[-1].iterations + before)
        first = self._search(q, z, ITERATIONS, "downhill")
        if first.unclear:
            return next((each for each in (first, *tried) if each.found), first)
        if first.found or not first.held:
            return first
        second = self._search(q, z, NEWTON, "newton")
        return second if second.found else first

    def near(self, q: Array, z: Array) -> Equilibrium:
        """Search by Newton's method alone, for the nearest equilibrium, stable or not."""
        return self._search(q, z, CLOSE, "newton")

    def _starts_of_whole_steps(self, q: Array, z: Array) -> list[tuple[Array, Array, int, int]]:
        """Starts for models with nodal vectors, most steps from each, and those made before."""
        if not self.compiled.gradient:
            return []
        most = self.rest.whole_steps
        if not isinstance(self.rest, AtRest):
            return [(q, z, most, 0)]
        growing = GrowingLoads(self.rest)
        grown = growing.run(q, z)
        start = (q, z, most, growing.steps)
        if grown is None:
            return [start]
        return [(grown[0], grown[1], CLOSE, growing.steps), start]

    def _search(self, q: Array, z: Array, most: int, steps: Steps) -> Equilibrium:
        self.tries = 0
        self.rest.begin()
        q = self.rest.closed(q)
        here: Any = self.rest.balance(q, z)
        before, largest, pushed, converged, count = np.inf, 0.0, 0, False, 0
        for count in range(most + 1):
            step = self.rest.step(here, steps)
            if step is None:
                break
            longest = float(np.max(np.abs(step.whole), initial=0.0))
            largest = max(largest, here.own)
            pushed = pushed + 1 if step.free else 0
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                before, last = np.inf, here
                here = self.rest.balance(q, last.z) if len(last.z) else last
                converged = self._settled(last, here, steps)
                if converged:
                    break
                continue
            if pushed > PUSHED or count == most or self.tries > self.rest.most_tries:
                break
            before = longest
            q, here = self._advanced(q, here, step, steps)
        return self.rest.told(q, here, count, converged, largest)

    def _settled(self, last: Any, here: Any, steps: Steps) -> bool:
        """True if controller states stay: an integral that was moved on its limit may leave it."""
        if last is here:
            return True
        if not np.allclose(here.z, last.z, rtol=STALLED, atol=STALLED):
            return False
        step = self.rest.step(here, steps)
        return step is not None and float(np.max(np.abs(step.whole), initial=0.0)) <= STALLED

    def _advanced(self, q: Array, here: Any, step: Step, steps: Steps) -> tuple[Array, Any]:
        """Configuration and balance after a step, shortened until its work is negative."""
        whole, longest = steps == "whole", float(np.max(np.abs(step.whole)))
        part = min(1.0, (LARGEST_TURN if whole else LARGEST_STEP) / longest)
        slope = float(here.load @ step.along)
        settled = float(np.max(np.abs(here.gap), initial=0.0)) < 1e-8
        anyway = whole or not settled or (slope >= 0.0 and steps == "downhill")
        while True:
            change = part * step.whole * self.compiled.scale
            moved = self.rest.closed(self.equations.retract(q, change))
            there: Any = self.rest.balance(moved, here.z)
            self.tries += 1
            if anyway or part < 1e-6:
                break
            if steps == "newton" and there.left < here.left:
                break
            if steps == "downhill" and float(there.load @ step.along) <= 0.9 * abs(slope):
                break
            part *= 0.5
        if not whole:
            self.rest.shortened(part)
        return moved, there


def square_of_step(compiled: Compiled, before: Array, q: Array) -> Array:
    """Stiffness (nu, nu) of the stress that a straight step between two configurations adds."""
    K = np.zeros((compiled.nu, compiled.nu))
    for record in compiled.gradient.values():
        step = (q - before)[record.q].reshape(record.mesh.rest.shape)
        K[record.u, record.u] = record.mesh.square_stiffness(step).toarray()
    return compiled.scale[:, None] * K * compiled.scale


class GrowingLoads:
    """Follows the equilibria of a load that grows; ``part`` of it was reached, in `steps`.

    What is out of balance at the start, F(q0), is held there and let go bit by bit:

        F(q) - (1 - s) F(q0) = 0        s from 0 to 1

    From a body at rest without strain this is load stepping. The size of a step follows from how
    far it moves: nothing by more than `TURN`. The path is kept as long as it is stable; where it is
    not, it has a limit point or a kink, and other searches go on from the start.

    Gradients that turn along a straight line stretch by the square of their step. Of a slender beam
    this strain has far more stress than all loads together, and its geometric stiffness misleads
    the next step of Newton's method, so that steps wander. The strain is quadratic, so what a step
    d has added by its square is known: 1/2 d Q d. The next step is made with the stress that the
    linear step predicted, D (eps + B d), instead of that at its end: the same equilibrium, because
    the steps vanish there, and the same load out of balance (after Magisano, Leonetti and Garcea,
    2017).
    """

    def __init__(self, rest: AtRest) -> None:
        self.rest, self.compiled = rest, rest.compiled
        self.part, self.steps = 0.0, 0

    def run(self, q: Array, z: Array) -> tuple[Array, Array] | None:
        """Configuration and controller states under the whole load; None if it cannot grow."""
        here, cut = self.rest.balance(q, z), 1.0
        held = here.load.copy()
        if not _stable(here):
            return None
        self.part, self.steps = 0.0, 0
        while self.part < 1.0:
            way = here.N @ -solved(here.K, here.N.T @ held)
            far = float(np.max(np.abs(way), initial=0.0))
            if not np.isfinite(far):
                return None
            left = 1.0 - self.part
            last = cut == 1.0 and left * far <= TURN
            grown = 1.0 if last else self.part + cut * min(left, TURN / max(far, TURN))
            there = self._corrected(q, here, (grown - self.part) * way, (1.0 - grown) * held)
            if there is not None and _stable(there[1]):
                q, here, count = there
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
            step = -there.N @ solved(there.K - straight, there.N.T @ (there.load - held))
            q, here = moved, there
            longest = float(np.max(np.abs(step), initial=0.0))
            if longest <= CORRECTED:
                q = self._moved(q, step)  # its square is rounding
                return q, self.rest.balance(q, here.z), count
            if not longest <= 2.0 * max(first, TURN if count == 0 else 0.0):
                return None
        return None

    def _moved(self, q: Array, step: Array) -> Array:
        return self.rest.closed(self.rest.equations.retract(q, step * self.compiled.scale))


def _stable(here: Balance) -> bool:
    """True if no motion is pushed away; of loads that follow the motion this is not asked."""
    values = np.linalg.eigvalsh(0.5 * (here.K + here.K.T))
    return one_way(here.K) or bool(values.min(initial=np.inf) > 0.0)
