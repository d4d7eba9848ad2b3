"""Equilibrium of a long tree: Newton's steps along the tree, no matrix of all velocities.

The elimination makes K = L D L' of the stiffness, with pivot blocks D. Their signs are those of
K's eigenvalues; where some are negative the step is that of L |D| L', which goes downhill. What is
found is told with the lowest stiffnesses (Lanczos).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.analyses.equilibrium.balance import (
    ONE_WAY,
    UNBALANCED,
    WHOLE,
    Equilibrium,
    Step,
    Steps,
    unclear,
)
from supple.analyses.equilibrium.sparse_balance import TOLD, lowest_stiffnesses
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as parts
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array

FEWEST = 20  # velocities; below a whole matrix is simpler


class TreeStiffness:
    """The stiffness K of a tree at rest, factored along the tree."""

    def __init__(self, equations: Equations, t: float) -> None:
        c = equations.compiled
        self.nu, self.t, self.z = c.nu, t, c.z0.copy()
        sizes = c.sizes | {"factors": 1}
        reals, integers = parts.PARTS_RECORD.lengths(sizes)
        run, count = np.zeros(reals), np.zeros(integers, np.int64)
        self.buffers = c.ints, c.reals, equations.work, run, count
        self.fields = parts.PARTS_RECORD.read(sizes, run, count)
        self.still, self.load = np.zeros(c.nu), np.zeros(c.nu)

    def factor(self, q: Array) -> bool:
        """Factor at a configuration, whose load (nu,) is then in ``load``; False if singular."""
        state = self.t, np.ascontiguousarray(q), self.still, self.still, self.z, self.load
        c = np.zeros((1, parts.COEFFICIENTS))
        c[0, parts.CQ] = 1.0
        made = border.newton_along_tree(*self.buffers, *state, c, np.zeros((1, self.nu)))
        self.turn, self.negative = self._signs() if made else (np.zeros((0, 0)), 0)
        return bool(made)

    def _signs(self) -> tuple[Array, int]:
        """|D|^-1 D of the pivot blocks (nu, largest block); number of negative eigenvalues."""
        of, D, pivot = self.fields.of, self.fields.D[0, 0], self.fields.pivot[0]
        turn = np.zeros_like(D)
        alone = of[:, parts.COUNT] == 1
        turn[alone, 0] = np.sign(D[alone, 0])
        negative = int(np.sum(turn[alone, 0] < 0.0))
        for first in np.flatnonzero(~alone & (of[:, parts.FIRST] == np.arange(len(of)))):
            n = int(of[first, parts.COUNT])
            block = D[first : first + n, :n]
            upper = np.triu(block, 1) + np.diag(1.0 / np.diag(block))
            whole = (np.tril(block, -1) + np.eye(n)) @ upper
            for k in range(n - 1, -1, -1):
                whole[[k, pivot[first + k]]] = whole[[pivot[first + k], k]]
            values, vectors = np.linalg.eigh(0.5 * (whole + whole.T))
            turn[first : first + n, :n] = vectors * np.sign(values) @ vectors.T
            negative += int(np.sum(values < 0.0))
        return turn, negative

    def solve(self, sides: Array, downhill: bool = False) -> Array:
        """K^-1 of given sides (nu,), or with |D| in place of D."""
        y, turn = np.array(sides), self.turn
        if not downhill:
            turn = np.zeros_like(turn)
            of = self.fields.of
            turn[np.arange(self.nu), np.arange(self.nu) - of[:, parts.FIRST]] = 1.0
        border.downhill_along_tree(*self.buffers, turn, y)
        return y

    def product(self, x: Array) -> Array:
        """K x (nu,)."""
        out, none = np.zeros((1, self.nu)), np.zeros((0, self.nu))
        border.change_along_tree(*self.buffers, np.array([x]), none, none, out)
        return out.ravel()


class TreeBalance(NamedTuple):
    """Load (nu,) of a tree at a configuration, J in units of increments; no rows, no states."""

    q: Array
    load: Array
    z: Array
    gap: Array

    @property
    def own(self) -> float:
        """Largest load."""
        return float(np.max(np.abs(self.load)))

    @property
    def left(self) -> float:
        """Size of the load."""
        return float(np.linalg.norm(self.load))


class TreeAtRest:
    """A tree at rest; where a whole matrix is needed to tell what it is, that is left to others."""

    name = "tree"
    most_tries, whole_steps = np.inf, WHOLE

    def __init__(self, equations: Equations, t: float) -> None:
        self.equations, self.compiled, self.t = equations, equations.compiled, t
        self.stiffness = TreeStiffness(equations, t)

    @staticmethod
    def fits(equations: Equations) -> bool:
        """True if a model is such a tree: no rows, border, states or one-way forces."""
        c = equations.compiled
        plain = not c.nr and not c.nz and not c.energy_creating and not c.sizes["border"]
        return bool(plain and c.sizes["widest"] > 0 and c.nu >= FEWEST)

    def begin(self) -> None:
        """Begin a search: nothing is remembered of others."""

    def closed(self, q: Array) -> Array:
        """Return the configuration as it is: nothing has to be closed."""
        return q

    def balance(self, q: Array, z: Array) -> TreeBalance:
        """Load at a configuration."""
        still, none = self.stiffness.still, np.zeros(0)
        load = self.compiled.scale * self.equations.residual(self.t, q, still, still)
        return TreeBalance(q, load, z, none)

    def step(self, here: TreeBalance, steps: Steps) -> Step | None:
        """Return the next step of a search; None if that needs a whole matrix."""
        unit, at_rest = self.compiled.scale, self.stiffness
        if not at_rest.factor(here.q):
            return None
        uphill = at_rest.negative > 0 and steps == "downhill"
        step = at_rest.solve(-here.load / unit, downhill=uphill) / unit
        if not np.all(np.isfinite(step)) or (uphill and here.load @ step >= 0.0):
            return None  # off an equilibrium the stiffness of ball joints is not symmetric
        return Step(step, step)

    def shortened(self, part: float) -> None:
        """Go on after a step of which a part was made."""

    def told(
        self, q: Array, here: TreeBalance, count: int, converged: bool, largest: float
    ) -> Equilibrium:
        """Where a search ended after ``count`` steps, with its lowest stiffnesses."""
        lowest = self._lowest() if converged and not self.stiffness.negative else None
        n, none = self.stiffness.nu, np.zeros(0)
        if lowest is None:
            return unclear(q, here.z, none, count, here.load, largest)
        size = max(largest, self._largest_stiffness())
        found = float(np.max(np.abs(here.load))) <= UNBALANCED * size
        return Equilibrium(
            q, here.z, none, count, found, *lowest, here.load, size, none,
            np.zeros(n), np.zeros(n),
        )  # fmt: skip

    def _lowest(self) -> tuple[Array, Array] | None:
        """Lowest stiffnesses and their motions; None of loads that follow the motion."""
        unit, at_rest, n = self.compiled.scale, self.stiffness, self.stiffness.nu
        x, y = np.random.default_rng(1).normal(size=(2, n)) * unit
        Kx, Ky = at_rest.product(x), at_rest.product(y)
        if abs(y @ Kx - x @ Ky) > ONE_WAY * max(np.abs(y) @ np.abs(Kx), np.abs(x) @ np.abs(Ky)):
            return None
        return lowest_stiffnesses(lambda v: at_rest.solve(v / unit) / unit, n, TOLD)

    def _largest_stiffness(self) -> float:
        """Largest entry of the stiffness in units of increments, J."""
        unit, n = self.compiled.scale, self.stiffness.nu
        start = np.random.default_rng(2).normal(size=n)
        for _ in range(8):  # towards the stiffest motion, where an entry is largest
            start = unit * self.stiffness.product(unit * (start / np.max(np.abs(start))))
        k = int(np.argmax(np.abs(start)))
        return abs(float((unit * self.stiffness.product(unit * np.eye(1, n, k)[0]))[k]))
