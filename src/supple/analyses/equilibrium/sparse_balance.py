"""Equilibrium of a large model with constraint rows or nodal vectors: sparse matrices throughout.

Steps are found together with their multipliers:

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

A long tree has Newton's steps along the tree (`TreeAtRest`). The elimination makes K = L D L' of
the stiffness, with pivot blocks D. Their signs are those of K's eigenvalues; where some are
negative the step is that of L |D| L', which goes downhill. What is found is told with the lowest
stiffnesses (Lanczos).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from supple.analyses.equilibrium.balance import (
    FLUTTER,
    ONE_WAY,
    STALLED,
    UNBALANCED,
    WHOLE,
    Equilibrium,
    Step,
    Steps,
    unclear,
)
from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as parts
from supple.engine.pack.kinds import refuse_cells
from supple.formulations.equations import TANGENTS, Equations
from supple.foundation.arrays import Array
from supple.loops.assembly import Assembler, row_sizes
from supple.loops.closing import TINY, bordered, sparse_solution

FEWEST = 300  # velocities and rows; below whole matrices are simpler
FIRST, MOST = 1e-12, 1e4  # parts of D that are added: the least and the most
MORE, LESS = 100.0, 0.1  # factors to the next part
UNITS = 30.0  # of rounding in a sum of some hundred terms, each of some operations
ROUNDED = 1e-14  # part of the largest stiffness by which entries are not equal for rounding
TOLD = 6  # lowest stiffnesses that are told
TOO_LARGE = 1500  # velocities whose whole matrices, some seconds for each step, are not made
SHORTEST_TREE = 20  # velocities; below a whole matrix is simpler


@dataclass(frozen=True, eq=False)
class SparseBalance:
    """Loads, rows and matrices of small motion at a state of rest, in units of increments.

    They are M a + C v + K x + F z + G' lam = 0, G x = 0 and z' = Y x + V v + Z z.
    """

    # K, C, M: (nu, nu) sparse
    K: Any
    C: Any
    M: Any
    G: Any  # (nr, nu) sparse
    # F, Y, V, Z: (nu, nz), (nz, nu), (nz, nu), (nz, nz)
    F: Array
    Y: Array
    V: Array
    Z: Array
    load: Array  # (nu,) J, after multipliers balance it
    own: float  # largest load before that, J
    # gap, lam: (nr,) violations of rows, and multipliers
    gap: Array
    lam: Array
    z: Array  # (nz,)
    sound: bool = True  # False if the rows depend on each other

    @property
    def left(self) -> float:
        """Size of the load that is left."""
        return float(np.linalg.norm(self.load))

    def factors(self, added: Any) -> Callable[..., Array] | None:
        """Solution of (K + added) x + G' mu = load, G x = gap, as a function of both, or None."""
        from scipy.sparse import block_array, diags_array
        from scipy.sparse.linalg import splu

        nu, nr = len(self.load), len(self.gap)
        stiff = self.K + added
        size = float(np.abs(stiff.diagonal()).mean()) or 1.0
        corner = diags_array(np.full(nr, -TINY))
        whole = block_array([[stiff / size, self.G.T], [self.G, corner]]) if nr else stiff / size
        try:
            factors = splu(whole.tocsc())
        except RuntimeError:
            return None

        def solve(loads: Array, gap: Array | None = None) -> Array:
            behind = np.zeros((nr, *loads.shape[1:])) if gap is None else gap
            return np.asarray(factors.solve(np.concatenate([loads / size, behind]))[:nu])

        return solve

    def newton(self, shift: float) -> Array | None:
        """A step (nu,) to the equilibrium, with so many times the mass added to the stiffness."""
        solve = self.factors(shift * self.M)
        return None if solve is None else solve(-self.load, -self.gap)


def sparse_balance(
    equations: Equations, t: float, q: Array, z: Array, balanced: bool = True
) -> SparseBalance:
    """Loads and matrices at a state of rest.

    With ``balanced``, multipliers are those that balance most of the loads while nothing
    accelerates; otherwise none act.
    """
    from scipy.sparse import csr_array, diags_array, eye_array

    c = equations.compiled
    refuse_cells(c, TANGENTS)
    unit, still, nz = c.scale, np.zeros(c.nu), c.nz
    units, sizes = diags_array(unit), row_sizes(c)
    rows = equations.constraints(t, q, still)
    G = (diags_array(1.0 / sizes) @ rows.sparse @ units).tocsr() if c.nr else csr_array((0, c.nu))
    lam, load, own, sound = np.zeros(c.nr), still, 0.0, True
    if balanced:
        load = unit * equations.residual(t, q, still, still, z)
        own = float(np.max(np.abs(load), initial=0.0))
        if c.nr:
            sides = np.concatenate([-load, np.zeros(c.nr)])
            solution = sparse_solution(bordered(eye_array(c.nu), G), sides, c.nr)
            sound = solution is not None
            scaled = np.zeros(c.nr) if solution is None else solution[c.nu :]
            lam, load = scaled / sizes, load + G.T @ scaled
    equations._set_multipliers(lam)
    pattern = c.mass_pattern
    shape = (c.nu, c.nu) if pattern is None else (c.sizes["tall"], 1)
    stored = [np.zeros(shape) for _ in range(3)]
    F, Y, V, Z = (np.zeros(s) for s in ((c.nu, nz), (nz, c.nu), (nz, c.nu), (nz, nz)))
    state = np.ascontiguousarray(q), still, still, np.ascontiguousarray(z)
    buffers = c.ints, c.reals, equations.work
    dynamics.tangent(*buffers, float(t), *state, np.zeros(c.nu), *stored, F, Y, V, Z)
    K, C, M = (
        (units @ (csr_array(x) if pattern is None else pattern.matrix(x)) @ units).tocsr()
        for x in stored
    )
    gap = rows.violation / sizes if c.nr else np.zeros(0)
    scaled_states = unit[:, None] * F, Y * unit, V * unit, Z
    return SparseBalance(K, C, M, G, *scaled_states, load, own, gap, lam, z, sound)


def _one_way(
    here: SparseBalance, compliance: Callable[[Array], Array], most: int
) -> tuple[Array, Array] | None:
    """Lowest stiffnesses (n,) and motions (nu, n) under loads that follow the motion.

    As in ``AtRest.character``: motions keep their shape as they grow, by eigenvalues of M^-1 K, and
    a complex pair of them, which flutters, counts as a negative stiffness.
    """
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigs

    n = len(here.load)
    start = np.random.default_rng(2).normal(size=n)
    slow = LinearOperator((n, n), matvec=lambda v: compliance(here.M @ v.ravel()), dtype=float)
    try:
        times, vectors = eigs(slow, most, which="LM", v0=start)
    except ArpackError:
        return None
    rates = 1.0 / times
    motions = vectors.real / np.linalg.norm(vectors.real, axis=0)
    mass = np.einsum("ia,ia->a", motions, here.M @ motions)
    unclear = np.maximum(FLUTTER * np.abs(rates) * mass, rounding(here.K, motions))
    turning = np.abs(rates.imag) * mass > unclear
    values = np.where(turning, -np.abs(rates.imag), rates.real) * mass
    order = np.argsort(values)
    return values[order], motions[:, order]


def rounding(K: Any, motions: Array) -> Array:
    """Largest error by rounding of a sparse stiffness along motions (nu, n), J."""
    squares = K.copy()
    squares.data = squares.data**2
    terms = np.einsum("ia,ia->a", motions**2, squares @ motions**2)
    error: Array = UNITS * np.finfo(float).eps * np.sqrt(terms)
    return error


def lowest_stiffnesses(
    compliance: Callable[[Array], Array], n: int, most: int
) -> tuple[Array, Array] | None:
    """Lowest stiffnesses (most,), ascending, and motions (n, most), by Lanczos, or None."""
    from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

    soft = LinearOperator((n, n), matvec=lambda v: compliance(v.ravel()), dtype=float)
    start = np.random.default_rng(2).normal(size=n)
    try:
        values, motions = eigsh(soft, most, which="LM", v0=start)
    except ArpackError:
        return None
    order = np.argsort(1.0 / values)
    return 1.0 / values[order], motions[:, order]


def _shifted(here: SparseBalance, shift: float) -> Callable[..., Array] | None:
    """Solution with a part of the stiffnesses' sizes added; None if singular."""
    from scipy.sparse import diags_array

    diagonal = np.abs(here.K.diagonal())
    return here.factors(diags_array(shift * np.maximum(diagonal, diagonal.mean() or 1.0)))


class SparseAtRest:
    """A large model at rest; where whole matrices are needed to tell it, that is left to others."""

    name = "sparse"
    most_tries, whole_steps = np.inf, 200

    def __init__(self, equations: Equations, t: float) -> None:
        self.equations, self.compiled, self.t = equations, equations.compiled, t
        self.assembler, self.shift = Assembler(self.compiled), 0.0

    @staticmethod
    def fits(equations: Equations) -> bool:
        """True if a model is large and stored by its plan, without states or one-way forces."""
        c = equations.compiled
        plain = not c.nz and not c.energy_creating
        return bool(plain and c.ints[at.H_PLANNED] and c.nu + c.nr >= FEWEST)

    def begin(self) -> None:
        """Begin a search: nothing is added to the stiffness."""
        self.shift = 0.0

    def closed(self, q: Array) -> Array:
        """Return the nearest configuration on the constraints."""
        c = self.compiled
        return self.assembler.positions(self.t, q, search=False)[0] if c.nr else q

    def balance(self, q: Array, z: Array) -> SparseBalance:
        """Loads and stiffness at a configuration."""
        return sparse_balance(self.equations, self.t, q, z)

    def step(self, here: SparseBalance, steps: Steps) -> Step | None:
        """Return the next step of a search; None if that needs whole matrices."""
        while here.sound and self.shift <= MOST:
            solve = _shifted(here, self.shift)
            if solve is not None:
                step = solve(-here.load, -here.gap)
                along = step + solve(0.0 * here.load, here.gap)
                down = steps != "downhill" or here.load @ along <= 0.0
                if np.all(np.isfinite(step)) and down:
                    return Step(step, step)
            self.shift = max(MORE * self.shift, FIRST)
        return None

    def shortened(self, part: float) -> None:
        """Go on after a step of which a part was made: more is added after a short one."""
        if part < 1e-3:
            self.shift = max(MORE * self.shift, FIRST)
        elif self.shift:
            self.shift = LESS * self.shift if self.shift > FIRST else 0.0

    def told(
        self, q: Array, here: SparseBalance, count: int, converged: bool, largest: float
    ) -> Equilibrium:
        """End of a search after ``count`` steps, with its lowest stiffnesses.

        From an unstable one whole matrices lead downhill.
        """
        lowest = self._lowest(here) if converged and not self.shift else None
        if lowest is None:
            return unclear(q, here.z, here.lam, count, here.load, largest)
        values, motions = lowest
        size = max(largest, float(np.max(np.abs(here.K.data), initial=0.0)))
        median = float(np.median(np.abs(here.K.diagonal())))
        left = float(np.max(np.abs(here.load), initial=0.0))
        closed = float(np.max(np.abs(here.gap), initial=0.0)) <= STALLED
        none, still = np.zeros(0), np.zeros(self.compiled.nu)
        told = Equilibrium(
            q, here.z, here.lam, count, closed and left <= UNBALANCED * max(largest, median),
            values, motions, here.load, size, none, still, still, rounding(here.K, motions),
        )  # fmt: skip
        return replace(told, unclear=len(told.unstable) > 0)

    def _lowest(self, here: SparseBalance) -> tuple[Array, Array] | None:
        """Lowest stiffnesses and their motions; None if they cannot be computed."""
        n, compliance = self.compiled.nu, _shifted(here, 0.0)
        if compliance is None:
            return None
        x, y = (compliance(v) for v in np.random.default_rng(1).normal(size=(2, n)))
        Kx, Ky, skew = here.K @ x, here.K @ y, here.K - here.K.T
        # of short elements rounding of K is larger than what is left of Kx: it is taken out before
        skew.data[np.abs(skew.data) <= ROUNDED * np.max(np.abs(here.K.data), initial=0.0)] = 0.0
        follows = abs(y @ (skew @ x)) > ONE_WAY * max(
            np.abs(y) @ np.abs(Kx), np.abs(x) @ np.abs(Ky)
        )
        most = max(1, min(TOLD, n - self.compiled.nr, n - 2))
        return (
            _one_way(here, compliance, most) if follows else lowest_stiffnesses(compliance, n, most)
        )


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
        return bool(plain and c.sizes["widest"] > 0 and c.nu >= SHORTEST_TREE)

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
        """End of a search after ``count`` steps, with its lowest stiffnesses."""
        lowest = self._lowest() if converged and not self.stiffness.negative else None
        n, none = self.stiffness.nu, np.zeros(0)
        if lowest is None:
            return unclear(q, here.z, none, count, here.load, largest)
        size = max(largest, self._largest_stiffness())
        balanced = float(np.max(np.abs(here.load))) <= UNBALANCED * size
        return Equilibrium(
            q, here.z, none, count, balanced, *lowest, here.load, size, none,
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
