"""Equilibrium of a large model with constraint rows or nodal vectors: sparse matrices throughout.

Steps are those of ``analyses/equilibrium/equilibrium.py``, found together with their multipliers:

    [K + s D   G'] [d ]     [load]
    [G         0 ] [mu] = - [gap ]

with the stiffness K of the model's plan, in units of increments. Where a step would go uphill, or
its end is no better, a part s of the stiffnesses' sizes D is added until it goes downhill. Nodal
vectors are searched first by whole steps. What is found is told with its lowest stiffnesses
(Lanczos) along the motions that rows allow; under loads that follow the motion with its lowest
eigenvalues of M^-1 K (Arnoldi), complex pairs of which flutter.

The stiffness k = v K v of a motion v spread over many short elements is a small part of the largest
entry of K, 1e-13 of a cable with 1000 elements; it is one as long as rounding cannot make it. An
entry is rounded by the unit u of its size, independently of others: what they make of k together is
u (sum (v_i K_ij v_j)^2)^(1/2), which falls with the number of elements, too.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.analyses.equilibrium.balance import ONE_WAY
from supple.analyses.equilibrium.equilibrium import (
    CONVERGED,
    FLUTTER,
    ITERATIONS,
    LARGEST_STEP,
    LARGEST_TURN,
    STALLED,
    UNBALANCED,
    Equilibrium,
)
from supple.analyses.equilibrium.tree_equilibrium import TOLD
from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.loops.assembly import Assembler, row_sizes
from supple.loops.steps import TINY, bordered, sparse_solution

FEWEST = 300  # velocities and rows; below whole matrices are simpler
FIRST, MOST = 1e-12, 1e4  # parts of D that are added: the least and the most
MORE, LESS = 100.0, 0.1  # factors to the next part
WHOLE = 200  # steps of the first search of nodal vectors
UNITS = 30.0  # of rounding in a sum of some hundred terms, each of some operations
ROUNDED = 1e-14  # part of the largest stiffness by which entries are not equal for rounding
TOO_LARGE = 1500  # velocities whose whole matrices, some seconds for each step, are not made


class Rest:
    """Loads, rows and stiffness at a configuration at rest, in units of increments.

    Attributes
    ----------
    own, load : (nu,) J, before and after multipliers balance them
    K, mass, G : (nu, nu), (nu, nu), (nr, nu) sparse
    gap, lam : (nr,)
    """

    def __init__(self, equations: Equations, t: float, q: Array, pattern: Any) -> None:
        from scipy.sparse import diags_array, eye_array

        c, unit, still = equations.compiled, equations.compiled.scale, np.zeros(equations.nu)
        rows, sizes, units = equations.constraints(t, q, still), row_sizes(c), diags_array(unit)
        self.G = (diags_array(1.0 / sizes) @ rows.sparse @ units).tocsr()
        self.gap = rows.violation / sizes
        self.own = unit * equations.residual(t, q, still, still)
        scaled = np.zeros(c.nr)
        if c.nr:
            sides = np.concatenate([-self.own, np.zeros(c.nr)])
            found = sparse_solution(bordered(eye_array(c.nu), self.G), sides, c.nr)
            self.sound = found is not None
            scaled = scaled if found is None else found[c.nu :]
        else:
            self.sound = True
        self.lam = scaled / sizes
        self.load = self.own + self.G.T @ scaled
        stored = [np.zeros((c.sizes["tall"], 1)) for _ in range(3)]
        none = np.zeros((c.nu, 0)), np.zeros((0, c.nu)), np.zeros((0, c.nu)), np.zeros((0, 0))
        equations._set_multipliers(self.lam)
        state = np.ascontiguousarray(q), still, still, np.zeros(0)
        buffers = c.ints, c.reals, equations.work
        dynamics.tangent(*buffers, float(t), *state, np.zeros(c.nu), *stored, *none)
        self.K = (units @ pattern.matrix(stored[0]) @ units).tocsr()
        self.mass = (units @ pattern.matrix(stored[2]) @ units).tocsr()

    def factor(self, shift: float) -> Any:
        """Factors of the matrix with a part of the stiffnesses' sizes added; None if singular."""
        from scipy.sparse import block_array, diags_array
        from scipy.sparse.linalg import splu

        nr = len(self.gap)
        diagonal = np.abs(self.K.diagonal())
        K = self.K + diags_array(shift * np.maximum(diagonal, diagonal.mean() or 1.0))
        size = float(diagonal.mean()) or 1.0
        corner = diags_array(np.full(nr, -TINY))
        matrix = block_array([[K / size, self.G.T], [self.G, corner]]) if nr else K / size
        try:
            return splu(matrix.tocsc()), size
        except RuntimeError:
            return None

    def solve(self, factors: Any, load: Array, gap: Array) -> Array:
        """The step (nu,) that a load (nu,) and a gap (nr,) ask for."""
        matrix, size = factors
        found: Array = matrix.solve(np.concatenate([load / size, gap]))
        return found[: len(load)]


def _one_way(here: Rest, compliance: Any, start: Array, most: int) -> tuple[Array, Array]:
    """Lowest stiffnesses (n,) and motions (nu, n) under loads that follow the motion.

    As in ``Search.character``: motions keep their shape as they grow, by eigenvalues of M^-1 K, and
    a complex pair of them, which flutters, counts as a negative stiffness.
    """
    from scipy.sparse.linalg import LinearOperator, eigs

    n = len(start)
    slow = LinearOperator((n, n), matvec=lambda v: compliance(here.mass @ v.ravel()), dtype=float)
    times, vectors = eigs(slow, most, which="LM", v0=start)
    rates = 1.0 / times
    motions = vectors.real / np.linalg.norm(vectors.real, axis=0)
    mass = np.einsum("ia,ia->a", motions, here.mass @ motions)
    unclear = np.maximum(FLUTTER * np.abs(rates) * mass, rounding(here.K, motions))
    turning = np.abs(rates.imag) * mass > unclear
    return np.where(turning, -np.abs(rates.imag), rates.real) * mass, motions


def rounding(K: Any, motions: Array) -> Array:
    """What rounding of a sparse stiffness may make of it along motions (nu, n), J."""
    squares = K.copy()
    squares.data = squares.data**2
    terms = np.einsum("ia,ia->a", motions**2, squares @ motions**2)
    found: Array = UNITS * np.finfo(float).eps * np.sqrt(terms)
    return found


class SparseSearch:
    """Looks for an equilibrium of a large model; gives up where whole matrices are needed."""

    def __init__(self, equations: Equations, t: float) -> None:
        self.equations, self.compiled, self.t = equations, equations.compiled, t
        self.assembler, self.pattern = Assembler(self.compiled), self.compiled.mass_pattern
        self.largest = 0.0
        self.last: tuple[Array, Rest, int] | None = None
        self.unstable: Equilibrium | None = None

    @staticmethod
    def fits(equations: Equations) -> bool:
        """Whether a model is large and stored by its plan, without states or one-way forces."""
        c = equations.compiled
        plain = not c.nz and not c.energy_creating
        return bool(plain and c.ints[at.H_PLANNED] and c.nu + c.nr >= FEWEST)

    def run(self, q: Array) -> Equilibrium | None:
        """Search from a configuration; None where this way cannot tell."""
        ways = (True, False) if self.compiled.gradient else (False,)
        for whole in ways:
            found = self._search(q, whole)
            if found is not None:
                return found
        return None

    def ended(self) -> Equilibrium | None:
        """Where a search ended, at best an unstable equilibrium, of models too large for others."""
        if self.compiled.nu < TOO_LARGE or self.last is None:
            return None
        if self.unstable is not None:
            return self.unstable
        q, here, count = self.last
        n, none = self.compiled.nu, np.zeros(0)
        return Equilibrium(
            q, none, here.lam, count, False,
            none, np.zeros((n, 0)), here.load, self.largest, none, np.zeros(n), np.zeros(n),
        )  # fmt: skip

    def _search(self, q: Array, whole: bool) -> Equilibrium | None:
        q = self._closed(q)
        here, shift, before = self._at(q), 0.0, np.inf
        for count in range(WHOLE if whole else ITERATIONS):
            self.largest = max(self.largest, float(np.max(np.abs(here.own))))
            self.last = q, here, count
            found = self._step(here, shift, whole)
            if found is None or not here.sound:
                return None
            step, shift = found
            longest = float(np.max(np.abs(step)))
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                return self._told(q, here, count) if shift == 0.0 else None
            before = longest
            part = min(1.0, (LARGEST_TURN if whole else LARGEST_STEP) / longest)
            if whole:
                q = self._moved(q, part * step)
                here = self._at(q)
                continue
            q, here, part = self._advanced(q, here, step, part)
            if part < 1e-3:
                shift = max(MORE * shift, FIRST)
            elif shift:
                shift = LESS * shift if shift > FIRST else 0.0
            if shift > MOST:
                return None
        return None

    def _at(self, q: Array) -> Rest:
        return Rest(self.equations, self.t, q, self.pattern)

    def _closed(self, q: Array) -> Array:
        c = self.compiled
        return self.assembler.positions(self.t, q, search=False)[0] if c.nr else q

    def _moved(self, q: Array, step: Array) -> Array:
        return self._closed(self.equations.retract(q, step * self.compiled.scale))

    def _step(self, here: Rest, shift: float, whole: bool) -> tuple[Array, float] | None:
        """A step (nu,) that goes downhill, if it has to, and what was added for it."""
        while shift <= MOST:
            factors = here.factor(shift)
            if factors is not None:
                step = here.solve(factors, -here.load, -here.gap)
                along = step + here.solve(factors, 0.0 * here.load, here.gap)
                if np.all(np.isfinite(step)) and (whole or here.load @ along <= 0.0):
                    return step, shift
            shift = max(MORE * shift, FIRST)
        return None

    def _advanced(
        self, q: Array, here: Rest, step: Array, part: float
    ) -> tuple[Array, Rest, float]:
        """Where a step leads, shortened until its work is negative, and the part of it."""
        slope = float(here.load @ step)
        settled = float(np.max(np.abs(here.gap), initial=0.0)) < 1e-8
        while True:
            moved = self._moved(q, part * step)
            there = self._at(moved)
            better = float(there.load @ step) <= 0.9 * abs(slope)
            if better or not settled or slope >= 0.0 or part < 1e-6:
                return moved, there, part
            part *= 0.5

    def _told(self, q: Array, here: Rest, count: int) -> Equilibrium | None:
        """What was found, with its lowest stiffnesses; None where these cannot tell."""
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        n, factors, still = self.compiled.nu, here.factor(0.0), np.zeros(self.compiled.nr)
        if factors is None:
            return None
        x, y = (here.solve(factors, v, still) for v in np.random.default_rng(1).normal(size=(2, n)))
        Kx, Ky, skew = here.K @ x, here.K @ y, here.K - here.K.T
        # of short elements rounding of K is larger than what is left of Kx: it is taken out before
        skew.data[np.abs(skew.data) <= ROUNDED * np.max(np.abs(here.K.data), initial=0.0)] = 0.0
        follows = abs(y @ (skew @ x)) > ONE_WAY * max(
            np.abs(y) @ np.abs(Kx), np.abs(x) @ np.abs(Ky)
        )

        def compliance(v: Array) -> Array:
            return here.solve(factors, v.ravel(), still)

        soft = LinearOperator((n, n), matvec=compliance, dtype=float)
        start = np.random.default_rng(2).normal(size=n)
        most = max(1, min(TOLD, n - self.compiled.nr, n - 2))
        try:
            if follows:
                values, motions = _one_way(here, compliance, start, most)
            else:
                values, motions = eigsh(soft, most, which="LM", v0=start)
                values = 1.0 / values
        except ArpackError:
            return None
        order = np.argsort(values)
        size = max(self.largest, float(np.max(np.abs(here.K.data), initial=0.0)))
        median = float(np.median(np.abs(here.K.diagonal())))
        left = float(np.max(np.abs(here.load), initial=0.0))
        closed = float(np.max(np.abs(here.gap), initial=0.0)) <= STALLED
        none = np.zeros(0)
        told = Equilibrium(
            q, none, here.lam, count, closed and left <= UNBALANCED * max(self.largest, median),
            values[order], motions[:, order], here.load, size, none, np.zeros(n), np.zeros(n),
            rounding(here.K, motions[:, order]),
        )  # fmt: skip
        if len(told.unstable):  # from there the other search goes downhill
            self.unstable = told if told.found else self.unstable
            return None
        return told
