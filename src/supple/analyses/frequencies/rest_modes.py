"""Small motion of a large model at a state of rest: sparse matrices, and its lowest modes.

    M a + C v + K x + F z + G' lam = 0       G x = 0       z' = Y x + V v + Z z

Increments are in units (``Compiled.scale``), rows in theirs.

Modes are found from shapes X that are near them: the space of X, some random shapes among them, and
of what inertia loads of them deflect, x = (K + s M)^-1 M X, three times after each other, holds the
lowest modes to high accuracy; in it matrices are small (Ritz).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Complex
from supple.loops.assembly import row_sizes
from supple.loops.steps import TINY, bordered, sparse_solution


@dataclass(frozen=True, eq=False)
class Matrices:
    """Matrices at a state of rest.

    Attributes
    ----------
    K, C, M : (nu, nu) sparse
    G : (nr, nu) sparse
    F, Y, V, Z : (nu, nz), (nz, nu), (nz, nu), (nz, nz)
    load : (nu,) what is not balanced
    size : largest load before multipliers balance it
    gap : (nr,) violations of rows
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
    gap: Array
    size: float

    def factors(self, shift: float) -> Any:
        """Solution of (K + shift M) x + G' mu = load, G x = gap, as a function of both."""
        from scipy.sparse import block_array, diags_array
        from scipy.sparse.linalg import splu

        nu, nr = len(self.load), len(self.gap)
        stiff = self.K + shift * self.M
        size = float(np.abs(stiff.diagonal()).mean()) or 1.0
        corner = diags_array(np.full(nr, -TINY))
        whole = block_array([[stiff / size, self.G.T], [self.G, corner]]) if nr else stiff / size
        try:
            found = splu(whole.tocsc())
        except RuntimeError:
            return None

        def solve(loads: Array, gap: Array | None = None) -> Array:
            behind = np.zeros((nr, *loads.shape[1:])) if gap is None else gap
            return np.asarray(found.solve(np.concatenate([loads / size, behind]))[:nu])

        return solve

    def newton(self, shift: float) -> Array | None:
        """A step (nu,) to the equilibrium."""
        solve = self.factors(shift)
        return None if solve is None else solve(-self.load, -self.gap)


def matrices_at(equations: Equations, t: float, q: Array, z: Array, balanced: bool) -> Matrices:
    """Matrices at a state of rest.

    With ``balanced``, multipliers are those that balance most of the loads while nothing
    accelerates; otherwise none act.
    """
    from scipy.sparse import csr_array, diags_array, eye_array

    c = equations.compiled
    unit, still, nz = c.scale, np.zeros(c.nu), c.nz
    units, sizes = diags_array(unit), row_sizes(c)
    rows = equations.constraints(t, q, still)
    G = (diags_array(1.0 / sizes) @ rows.sparse @ units).tocsr() if c.nr else csr_array((0, c.nu))
    lam, load, size = np.zeros(c.nr), still, 0.0
    if balanced:
        load = unit * equations.residual(t, q, still, still, z)
        size = float(np.max(np.abs(load), initial=0.0))
        if c.nr:
            sides = np.concatenate([-load, np.zeros(c.nr)])
            found = sparse_solution(bordered(eye_array(c.nu), G), sides, c.nr)
            scaled = np.zeros(c.nr) if found is None else found[c.nu :]
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
        units @ (csr_array(x) if pattern is None else pattern.matrix(x)) @ units for x in stored
    )
    gap = rows.violation / sizes if c.nr else np.zeros(0)
    scaled_states = unit[:, None] * F, Y * unit, V * unit, Z
    return Matrices(K.tocsr(), C.tocsr(), M.tocsr(), G, *scaled_states, load, gap, size)


TIMES = 3  # deflections by inertia loads of the last shapes
ANY = 6  # random shapes, which lead to modes that are near none of the given ones
SAME = 1e-9  # part of the largest singular value: a shape that is a sum of others
ALIKE = 0.3  # part of the inertia that a shape has in common with that of the same mode, at least


@dataclass(frozen=True, eq=False)
class RitzModes:
    """Modes that oscillate, in units of increments.

    Attributes
    ----------
    rates : (k,) 1/s, magnitudes of the eigenvalues
    shapes : (nu, k)
    growing : rates (m,) of modes that grow without oscillating
    """

    rates: Array
    shapes: Complex
    growing: Array


def ritz_modes(here: Matrices, near: Complex, shift: float, still: bool) -> RitzModes | None:
    """Modes near some shapes (nu, n); ``still``: there is neither damping nor a controller."""
    solve = here.factors(shift)
    if solve is None:
        return None
    parts = np.hstack([near.real, near.imag]) if np.any(near.imag) else near.real
    any_shapes = np.random.default_rng(1).normal(size=(len(near), ANY))
    X, found = np.hstack([_independent(parts), solve(here.M @ any_shapes)]), []
    for _ in range(TIMES):
        X = solve(here.M @ X)
        if not np.all(np.isfinite(X)):
            return None
        X = _independent(_allowed(here, _independent(X)))
        found.append(X)
    Q = _independent(_allowed(here, np.hstack(found)))
    K, C, M = (Q.T @ (x @ Q) for x in (here.K, here.C, here.M))
    values, small = _symmetric(K, M) if still else _general(K, C, M, here, Q)
    keep = values.imag > 0.0
    growing = values.real[(values.imag == 0.0) & (values.real > 0.0)]
    return RitzModes(np.abs(values[keep]), Q @ small[:, keep], growing)


def _independent(X: Array) -> Array:
    """Orthonormal basis of the span of columns, but for rounding."""
    sized = X / np.maximum(np.linalg.norm(X, axis=0), 1e-300)
    left, values, _ = np.linalg.svd(sized, full_matrices=False)
    return np.asarray(left[:, values > SAME * values[0]])


def _allowed(here: Matrices, X: Array) -> Array:
    """The nearest motions that rows allow: what is small in X is rounding of other motions."""
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    if not len(here.gap):
        return X
    rows = splu((here.G @ here.G.T + TINY * eye_array(len(here.gap))).tocsc())
    for _ in range(2):
        X = X - here.G.T @ rows.solve(here.G @ X)
    return X


def _symmetric(K: Array, M: Array) -> tuple[Complex, Complex]:
    import scipy.linalg

    squares, shapes = scipy.linalg.eigh(0.5 * (K + K.T), 0.5 * (M + M.T))
    return np.sqrt(-squares + 0j), shapes.astype(complex)


def _general(K: Array, C: Array, M: Array, here: Matrices, Q: Array) -> tuple[Complex, Complex]:
    n, nz = len(K), len(here.Z)
    solved = np.linalg.solve(M, np.hstack([K, C, Q.T @ here.F]))
    A = np.zeros((2 * n + nz, 2 * n + nz))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = -solved
    A[2 * n :] = np.hstack([here.Y @ Q, here.V @ Q, here.Z])
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors[:n].astype(complex)


def held(here: Matrices, free: Complex, found: RitzModes) -> RitzModes:
    """Modes that are not, for the most part, motions (nu, r) that nothing holds."""
    if not free.shape[1]:
        return found
    size = np.real(np.einsum("ia,ia->a", found.shapes.conj(), here.M @ found.shapes))
    upper = np.linalg.cholesky(np.real(free.T @ (here.M @ free))).T
    along = np.linalg.solve(upper.T, free.T @ (here.M @ found.shapes))
    keep = (np.abs(along) ** 2).sum(axis=0) < 0.5 * size
    return RitzModes(found.rates[keep], found.shapes[:, keep], found.growing)


def matched(here: Matrices, near: Complex, found: RitzModes) -> np.ndarray:
    """Number (n,) of the mode that each of some shapes (nu, n) is, -1 if it is none of them."""
    from scipy.optimize import linear_sum_assignment

    inertia = here.M @ near
    own = np.real(np.einsum("ia,ia->a", near.conj(), inertia))
    theirs = np.real(np.einsum("ia,ia->a", found.shapes.conj(), here.M @ found.shapes))
    common = np.abs(inertia.conj().T @ found.shapes) ** 2
    alike = common / np.maximum(np.outer(own, theirs), 1e-300)
    rows, columns = linear_sum_assignment(-alike)
    numbers = np.full(near.shape[1], -1)
    numbers[rows] = np.where(alike[rows, columns] >= ALIKE, columns, -1)
    return numbers
