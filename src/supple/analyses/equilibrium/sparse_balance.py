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
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.analyses.equilibrium.balance import (
    FLUTTER,
    ONE_WAY,
    STALLED,
    UNBALANCED,
    Equilibrium,
    Step,
    Steps,
    unclear,
)
from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.loops.assembly import Assembler, row_sizes
from supple.loops.steps import TINY, bordered, sparse_solution

FEWEST = 300  # velocities and rows; below whole matrices are simpler
FIRST, MOST = 1e-12, 1e4  # parts of D that are added: the least and the most
MORE, LESS = 100.0, 0.1  # factors to the next part
UNITS = 30.0  # of rounding in a sum of some hundred terms, each of some operations
ROUNDED = 1e-14  # part of the largest stiffness by which entries are not equal for rounding
TOLD = 6  # lowest stiffnesses that are told
TOO_LARGE = 1500  # velocities whose whole matrices, some seconds for each step, are not made


@dataclass(frozen=True, eq=False)
class SparseBalance:
    """Loads, rows and matrices of small motion at a state of rest, in units of increments.

        M a + C v + K x + F z + G' lam = 0       G x = 0       z' = Y x + V v + Z z

    Attributes
    ----------
    K, C, M : (nu, nu) sparse
    G : (nr, nu) sparse
    F, Y, V, Z : (nu, nz), (nz, nu), (nz, nu), (nz, nz)
    load : (nu,) J, after multipliers balance it
    own : largest load before that, J
    gap, lam : (nr,) violations of rows, and multipliers
    z : (nz,)
    sound : False if the rows depend on each other
    """

    K: Any
    C: Any
    M: Any
    G: Any
    F: Array
    Y: Array
    V: Array
    Z: Array
    load: Array
    own: float
    gap: Array
    lam: Array
    z: Array
    sound: bool = True

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
        """Where a search ended after ``count`` steps, with its lowest stiffnesses.

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
