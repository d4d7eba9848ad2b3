"""Equilibrium of a long tree: Newton's steps along the tree, no matrix of all velocities.

The elimination makes K = L D L' of the stiffness, with pivot blocks D. Their signs are those of
K's eigenvalues; where some are negative the step is that of L |D| L', which goes downhill. What is
found is told with the lowest stiffnesses (Lanczos).
"""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.balance import ONE_WAY
from supple.analyses.equilibrium.equilibrium import (
    CONVERGED,
    ITERATIONS,
    LARGEST_STEP,
    STALLED,
    UNBALANCED,
    Equilibrium,
)
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as parts
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array

FEWEST = 20  # velocities; below a whole matrix is simpler
TOLD = 6  # stiffnesses


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


class TreeSearch:
    """Looks for an equilibrium of a tree; gives up where a whole matrix is needed to tell it."""

    def __init__(self, equations: Equations, t: float) -> None:
        self.equations, self.compiled = equations, equations.compiled
        self.stiffness, self.largest = TreeStiffness(equations, t), 0.0

    @staticmethod
    def fits(equations: Equations) -> bool:
        """Whether a model is such a tree: no rows, border, states or one-way forces."""
        c = equations.compiled
        plain = not c.nr and not c.nz and not c.energy_creating and not c.sizes["border"]
        return bool(plain and c.sizes["widest"] > 0 and c.nu >= FEWEST)

    def run(self, q: Array) -> Equilibrium | None:
        """Search from a configuration; None where this way cannot tell."""
        unit, at_rest = self.compiled.scale, self.stiffness
        before = np.inf
        for count in range(ITERATIONS):
            if not at_rest.factor(q):
                return None
            load, uphill = at_rest.load.copy(), at_rest.negative > 0
            step = at_rest.solve(-load, downhill=uphill)
            longest = float(np.max(np.abs(step / unit)))
            if not np.isfinite(longest) or (uphill and load @ step >= 0.0):
                return None  # off an equilibrium the stiffness of ball joints is not symmetric
            self.largest = max(self.largest, float(np.max(np.abs(unit * load))))
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                return None if uphill else self._told(q, count)
            before = longest
            q = self._advanced(q, load, step, min(1.0, LARGEST_STEP / longest))
        return None

    def _advanced(self, q: Array, load: Array, step: Array, part: float) -> Array:
        """The configuration after a step, shortened until its work is negative."""
        eq, slope = self.equations, float(load @ step)
        while True:
            moved = eq.retract(q, part * step)
            there = eq.residual(self.stiffness.t, moved, self.stiffness.still, self.stiffness.still)
            if part < 1e-6 or float(there @ step) <= 0.9 * abs(slope):
                return moved
            part *= 0.5

    def _told(self, q: Array, count: int) -> Equilibrium | None:
        """What was found, with its lowest stiffnesses."""
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        unit, at_rest, n = self.compiled.scale, self.stiffness, self.stiffness.nu
        load = unit * at_rest.load
        x, y = np.random.default_rng(1).normal(size=(2, n)) * unit
        Kx, Ky = at_rest.product(x), at_rest.product(y)
        if abs(y @ Kx - x @ Ky) > ONE_WAY * max(np.abs(y) @ np.abs(Kx), np.abs(x) @ np.abs(Ky)):
            return None  # loads follow the motion

        def compliance(v: Array) -> Array:
            return at_rest.solve(v.ravel() / unit) / unit

        def stiffness(v: Array) -> Array:
            return unit * at_rest.product(unit * v.ravel())

        K = LinearOperator((n, n), matvec=stiffness, dtype=float)
        soft = LinearOperator((n, n), matvec=compliance, dtype=float)
        start = np.random.default_rng(2).normal(size=n)
        try:
            values, motions = eigsh(K, TOLD, sigma=0.0, which="LM", OPinv=soft, v0=start)
        except ArpackError:
            return None
        order = np.argsort(values)
        for _ in range(8):  # towards the stiffest motion, where an entry is largest
            start = stiffness(start / np.max(np.abs(start)))
        k = int(np.argmax(np.abs(start)))
        largest = abs(float(stiffness(np.eye(1, n, k)[0])[k]))
        size = max(self.largest, largest)
        found, none = float(np.max(np.abs(load))) <= UNBALANCED * size, np.zeros(0)
        return Equilibrium(
            q, self.compiled.z0.copy(), none, count, found,
            values[order], motions[:, order], load, size, none,
            np.zeros(n), np.zeros(n),
        )  # fmt: skip
