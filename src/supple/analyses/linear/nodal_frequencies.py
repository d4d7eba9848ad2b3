"""Errors of frequencies of a linear model by elements over nodal vectors.

The lowest modes are compared with those of the same model with smaller elements
(`supple.analyses.linear.finer_nodal`), near the same equilibrium. Its matrices are sparse,
and its modes are near the ones that are known, so that they take a small part of the time of the
linear model. With w0 and w1 of both, the logarithm of the frequency changes by 1/5 of their
difference more: that is between what errors of the second and of the fourth order leave. Where they
differ by more than 1 %, even smaller elements tell how fast the difference falls. Elements
"continuum" have a part that does not fall, since their sections cannot contract on one side only:
the bending stiffness is that of the modulus without contraction.

Modes are found from shapes X that are near them: the space of X, some random shapes among them, and
of what inertia loads of them deflect, x = (K + s M)^-1 M X, three times after each other, holds the
lowest modes to high accuracy; in it matrices are small (Ritz).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.sparse_balance import (
    TOO_LARGE,
    SparseAtRest,
    SparseBalance,
    sparse_balance,
)
from supple.analyses.linear.finer_nodal import (
    FinerModel,
    FinerSolids,
    finer_nodal,
    finer_solids,
)
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.mode import Mode
from supple.bodies.nodal.ancf_line import ANCFBeam
from supple.bodies.nodal.ancf_solid import ANCFSolid
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Complex
from supple.foundation.cached import cached_property
from supple.foundation.errors import SuppleError
from supple.loops.closing import TINY
from supple.results.flexibility.line_bending import Bending, line_turns

if TYPE_CHECKING:
    from supple.model import Model

ITERATIONS = 20
CONVERGED = 1e-9  # correction, in units of increments
SHORT = 0.5  # part of a gradient that is left of it
FARTHER, TURN = 1.5, 0.1  # times the angle in an element, and rad, which are a fold
MOST = 0.3  # the same: the largest that is taken at once
MORE = 6  # modes above those that are judged, which help to find them
REST = 0.2  # of the difference of squares, that is left with smaller elements
DIFFERENT = 0.01  # part of a frequency from which on even smaller elements are looked at
SLOWEST, FASTEST = 3.0, 16.0  # factors by which differences fall from one size to the next
GROWS = 0.05  # of the lowest frequency: a rate at which something grows
SHIFT = 0.1  # of the square of the lowest frequency
FREE = 1e-3  # the same, where an equilibrium is looked for
STRAIN = 1e-12  # energy beside that of a motion by a length at the lowest frequency
BALANCED = 1e-6  # correction of an equilibrium, in units of increments
UNBALANCED = 1e-5  # part of the loads that may be left of an equilibrium
ROUNDED = 1e-13  # the same, beside the largest stiffness, which rounding leaves
STEP = 1e-5  # rad, of bent shapes
TIMES = 3  # deflections by inertia loads of the last shapes
ANY = 6  # random shapes, which lead to modes that are near none of the given ones
SAME = 1e-9  # part of the largest singular value: a shape that is a sum of others
ALIKE = 0.3  # part of the inertia that a shape has in common with that of the same mode, at least


@dataclass(frozen=True, eq=False)
class RitzModes:
    """Modes that oscillate, in units of increments."""

    rates: Array  # (k,) 1/s, magnitudes of the eigenvalues
    shapes: Complex  # (nu, k)
    growing: Array  # rates (m,) of modes that grow without oscillating


def ritz_modes(here: SparseBalance, near: Complex, shift: float, still: bool) -> RitzModes | None:
    """Modes near some shapes (nu, n); ``still``: there is neither damping nor a controller."""
    solve = here.factors(shift * here.M)
    if solve is None:
        return None
    parts = np.hstack([near.real, near.imag]) if np.any(near.imag) else near.real
    any_shapes = np.random.default_rng(1).normal(size=(len(near), ANY))
    X, spaces = np.hstack([_independent(parts), solve(here.M @ any_shapes)]), []
    for _ in range(TIMES):
        X = solve(here.M @ X)
        if not np.all(np.isfinite(X)):
            return None
        X = _independent(_allowed(here, _independent(X)))
        spaces.append(X)
    Q = _independent(_allowed(here, np.hstack(spaces)))
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


def _allowed(here: SparseBalance, X: Array) -> Array:
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


def _general(
    K: Array, C: Array, M: Array, here: SparseBalance, Q: Array
) -> tuple[Complex, Complex]:
    n, nz = len(K), len(here.Z)
    solved = np.linalg.solve(M, np.hstack([K, C, Q.T @ here.F]))
    A = np.zeros((2 * n + nz, 2 * n + nz))
    A[:n, n : 2 * n] = np.eye(n)
    A[n : 2 * n] = -solved
    A[2 * n :] = np.hstack([here.Y @ Q, here.V @ Q, here.Z])
    values, vectors = np.linalg.eig(A)
    return values.astype(complex), vectors[:n].astype(complex)


def held(here: SparseBalance, free: Complex, modes: RitzModes) -> RitzModes:
    """Modes that are not, for the most part, motions (nu, r) that nothing holds."""
    if not free.shape[1]:
        return modes
    size = np.real(np.einsum("ia,ia->a", modes.shapes.conj(), here.M @ modes.shapes))
    upper = np.linalg.cholesky(np.real(free.T @ (here.M @ free))).T
    along = np.linalg.solve(upper.T, free.T @ (here.M @ modes.shapes))
    keep = (np.abs(along) ** 2).sum(axis=0) < 0.5 * size
    return RitzModes(modes.rates[keep], modes.shapes[:, keep], modes.growing)


def matched(here: SparseBalance, near: Complex, modes: RitzModes) -> np.ndarray:
    """Number (n,) of the mode that each of some shapes (nu, n) is, -1 if it is none of them."""
    from scipy.optimize import linear_sum_assignment

    inertia = here.M @ near
    own = np.real(np.einsum("ia,ia->a", near.conj(), inertia))
    theirs = np.real(np.einsum("ia,ia->a", modes.shapes.conj(), here.M @ modes.shapes))
    common = np.abs(inertia.conj().T @ modes.shapes) ** 2
    alike = common / np.maximum(np.outer(own, theirs), 1e-300)
    rows, columns = linear_sum_assignment(-alike)
    numbers = np.full(near.shape[1], -1)
    numbers[rows] = np.where(alike[rows, columns] >= ALIKE, columns, -1)
    return numbers


def settled(finer: FinerModel, t: float, z: Array, shift: float, downhill: bool) -> Array | None:
    """Coordinates (nq,) of the equilibrium near those of a finer model; None if there is none.

    ``shift`` (1/s2) times the mass is added to the stiffness, so that free motions stay. With
    ``downhill`` it is one that `statics` finds, which is stable.
    """
    equations, q = finer.equations, finer.q
    c = equations.compiled
    if downhill:
        return _searched(equations, t, q, z)
    for _ in range(ITERATIONS):
        step = sparse_balance(equations, t, q, z).newton(shift)
        if step is None or not np.all(np.isfinite(step)):
            break
        size = float(np.max(np.abs(step), initial=0.0))
        q = equations.retract(q, c.scale * step * min(1.0, MOST / max(size, 1e-300)))
        if size < CONVERGED and not _kinked(c, finer.q, q):
            return q
        if size < CONVERGED:
            break
    return _searched(equations, t, finer.q, z)


def _searched(equations: Equations, t: float, q: Array, z: Array) -> Array | None:
    """Equilibrium by the searches of `statics`, which take longer."""
    if SparseAtRest.fits(equations):
        rest = Search(SparseAtRest(equations, t)).run(q, z)
    elif equations.compiled.nu < TOO_LARGE:
        rest = Search(AtRest(equations, t)).run(q, z)
    else:
        return None
    if rest.unclear or not rest.found or _kinked(equations.compiled, q, rest.q):
        return None
    return rest.q


def _kinked(c: Compiled, before: Array, after: Array) -> bool:
    """True if an element turns much farther than any did, or a gradient is much too short.

    Such equilibria of nodal vectors are none of a beam.
    """
    for record in c.gradient.values():
        mesh = record.mesh
        e, at_rest = after[record.q].reshape(-1, 3), mesh.rest.reshape(-1, 3)
        sizes = [np.linalg.norm(x[~mesh.places.ravel()], axis=1) for x in (e, at_rest)]
        if np.any(sizes[0] < SHORT * sizes[1]):
            return True
        if record.body.along_line:
            both = np.array([before[record.q], after[record.q]]).reshape(2, *mesh.rest.shape)
            most = line_turns(both, mesh).max(axis=1, initial=0.0)
            if most[1] > FARTHER * most[0] + TURN:
                return True
    return False


@dataclass(frozen=True, eq=False)
class NodalErrors:
    """Errors by the elements of bodies over nodal vectors."""

    # (k,) of each frequency by which it is too high, negative if too low; NaN if not known
    parts: Array
    worst: tuple[str, ...]  # (k,) names of the bodies to which most of it belongs
    lasting: Array  # (k,) parts that smaller elements do not change
    why: str = ""  # why they are not known; empty if they are


def nodal_errors(
    equations: Equations, linear: LinearModel, model: Model, modes: Sequence[Mode], judged: int
) -> NodalErrors:
    """Errors of the lowest modes by elements over nodal vectors; so many of them are judged."""
    compared = _Comparison(equations, linear, model, modes, judged)
    why = "no state of a model with smaller elements was found near it"
    if np.any(linear.state.u):
        why = "they are judged only where nothing moves"
    elif not compared.balanced and not compared.unstrained:
        why = "the state is neither an equilibrium nor without strain"
    else:
        try:
            errors = compared.errors()
        except np.linalg.LinAlgError:  # motions without mass
            errors = None
        if errors is not None:
            return errors
    nothing = np.zeros(len(modes))
    return NodalErrors(nothing + np.nan, ("",) * len(modes), nothing, why)


class _Level(NamedTuple):
    """A model with smaller elements, its state, matrices and modes."""

    finer: FinerModel
    q: Array
    here: SparseBalance
    solids: FinerSolids
    shapes: Complex
    found: RitzModes


@dataclass(frozen=True, eq=False)
class _Comparison:
    """A linear model at rest beside those with smaller elements."""

    # equations, linear, model: it
    equations: Equations
    linear: LinearModel
    model: Model
    modes: Sequence[Mode]  # lowest ones that are compared
    judged: int  # how many of them are judged

    @cached_property
    def lowest(self) -> float:
        """Square of the lowest rate, 1/s2."""
        return float(min(abs(mode.eigenvalue) for mode in self.modes) ** 2)

    @cached_property
    def balanced(self) -> bool:
        """True if loads that are not balanced, and what would correct the state, are rounding."""
        state = self.linear.state
        here = sparse_balance(self.equations, state.t, state.q, state.z)
        rounding = ROUNDED * float(np.max(np.abs(here.K.data), initial=0.0))
        if np.max(np.abs(here.load), initial=0.0) > max(UNBALANCED * here.own, rounding):
            return False
        step = here.newton(FREE * self.lowest)
        return step is not None and bool(np.max(np.abs(step), initial=0.0) <= BALANCED)

    @property
    def unstrained(self) -> bool:
        """True if bodies over nodal vectors have no strain but for rounding."""
        c, q = self.equations.compiled, self.linear.state.q
        energy = sum(float(r.mesh.energy(q[r.q])) for r in c.gradient.values())
        mass = sum(r.mesh.mass for r in c.gradient.values())
        return energy <= STRAIN * self.lowest * mass * c.length**2

    def errors(self) -> NodalErrors | None:
        """Errors by elements; None where nothing is known."""
        linear, count = self.linear, len(self.modes)
        near, at = _starting(linear, self.modes), (self.model, self.equations, linear.state.q)
        squares = [np.array([abs(mode.eigenvalue) ** 2 for mode in self.modes])]
        if not self.balanced:
            squares = [self._without_loads(near)]
        free, rest, worst = len(linear.rigid_modes), REST, ("",) * count
        records = self.equations.compiled.gradient.values()
        lines = any(not isinstance(r.body, ANCFSolid) for r in records)
        for level in range(2 if lines else 1):
            made = self._level(at, near)
            if made is None:
                break
            finer, q, here, solids, shapes, modes = made
            unit = finer.equations.compiled.scale
            modes = held(here, shapes[:, shapes.shape[1] - free :], modes)
            numbers = matched(here, shapes[:, :count], modes)
            squares.append(_squares(modes.rates, numbers, self.judged))
            if level == 0:
                gradient = finer.equations.compiled.gradient
                places = {n: r.u for n, r in gradient.items()} | solids.slices
                worst = _worst(places, here, shapes[:, :count], modes.shapes[:, numbers])
                rest = REST if lines else solids.rest
            change = np.abs(1.0 - np.sqrt(squares[-1] / squares[-2]))[: self.judged]
            if not np.nanmax(change, initial=0.0) > DIFFERENT:
                break
            known, near = numbers >= 0, (finer.P @ near).astype(complex)
            moved = solids.R @ modes.shapes[:, numbers[known]]
            near[:, np.flatnonzero(known)] = unit[:, None] * moved
            at = finer.model, finer.equations, q
        if len(squares) == 1:
            return None
        lasting = _lasting(linear, self.modes)
        ratio = np.maximum(_limit(squares, rest), 0.0) / squares[0]
        return NodalErrors(1.0 - np.sqrt(ratio) * (1.0 - lasting), worst, lasting)

    def _without_loads(self, near: Complex) -> Array:
        """Squares of the rates (k,) of the modes without the loads that no equilibrium balances."""
        state, count = self.linear.state, len(self.modes)
        here = sparse_balance(self.equations, state.t, state.q, state.z, False)
        shapes = near / self.equations.compiled.scale[:, None]
        modes = ritz_modes(here, shapes, SHIFT * self.lowest, self.linear.conservative)
        if modes is None or not len(modes.rates):
            return np.full(count, np.nan)
        numbers = matched(here, shapes[:, :count], modes)
        return np.asarray(np.where(numbers >= 0, modes.rates[numbers] ** 2, np.nan))

    def _level(self, at: tuple[Model, Equations, Array], near: Complex) -> _Level | None:
        """A model with smaller elements in a state that is no less stable; None without one."""
        least, values = GROWS * np.sqrt(self.lowest), self.linear.eigenvalues
        grown = int(np.sum((values.real > least) & (np.abs(values.imag) < least)))
        for downhill in (False, True) if self.balanced else (False,):
            made = self._finer(at, downhill)
            if made is None:
                continue
            finer, q, here, solids = made
            unit = finer.equations.compiled.scale
            shapes = solids.P @ ((finer.P @ near) / unit[:, None])
            modes = ritz_modes(here, shapes, SHIFT * self.lowest, self.linear.conservative)
            if modes is not None and int(np.sum(modes.growing > least)) <= grown:
                return _Level(finer, q, here, solids, shapes, modes)
        return None

    def _finer(
        self, at: tuple[Model, Equations, Array], downhill: bool
    ) -> tuple[FinerModel, Array, SparseBalance, FinerSolids] | None:
        """A model with smaller elements, its state and matrices, with finer solids."""
        (model, equations, before), (t, z) = at, (self.linear.state.t, self.linear.state.z)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                finer = finer_nodal(model, equations, t, before, model is not self.linear.model)
            except SuppleError:  # as it is written, it has no such model
                return None
        if finer is None:
            return None
        q: Array | None = finer.q
        if self.balanced and finer.model is not model:
            q = settled(finer, t, z, FREE * self.lowest, downhill)
        solids = None if q is None else finer_solids(finer.equations.compiled, q)
        if q is None or solids is None:
            return None
        here = sparse_balance(finer.equations, t, q, z, self.balanced)
        return finer, q, solids.matrices(here), solids


def _squares(rates: Array, numbers: np.ndarray, judged: int) -> Array:
    """Squares of the rates (k,) of the modes with some numbers, NaN where they are negative.

    Of those that are judged, if a lower mode is none of them, the k-th of all is taken instead:
    elements too few to have that mode.
    """
    own = np.where(numbers >= 0, rates[numbers], np.nan)
    others, every = np.delete(rates, numbers[numbers >= 0]), np.sort(rates)
    for k in range(min(judged, len(own), len(every))):
        if not own[k] <= np.min(others, initial=np.inf):
            own[k] = every[k] if not every[k] >= own[k] else own[k]
    return np.asarray(own**2)


def _limit(squares: Sequence[Array], rest: float) -> Array:
    """Squares of frequencies (k,) with very small elements, from those of two or three sizes."""
    with np.errstate(divide="ignore", invalid="ignore"):
        if len(squares) == 2:
            return np.asarray(squares[1] * (squares[1] / squares[0]) ** rest)
        first, last = squares[0] - squares[1], squares[1] - squares[2]
        ratio = np.where(first * last > 0.0, first / last, FASTEST)
        left = 1.0 / (np.clip(ratio, SLOWEST, FASTEST) - 1.0)
        return np.asarray(squares[2] * (squares[2] / squares[1]) ** left)


def _starting(linear: LinearModel, modes: Sequence[Mode]) -> Complex:
    """Shapes (nu, n) of modes, of some above them, and of slow and, at last, of free motions."""
    own = {id(mode) for mode in modes}
    top = max(abs(mode.eigenvalue) for mode in modes)
    slow = [m for m in linear.modes if abs(m.eigenvalue) <= top and id(m) not in own]
    above = [m for m in linear.modes if abs(m.eigenvalue) > top and id(m) not in own][:MORE]
    return np.array([m.shape for m in (*modes, *slow, *above, *linear.rigid_modes)]).T


def _worst(
    places: dict[str, slice], here: SparseBalance, coarse: Complex, fine: Complex
) -> tuple[str, ...]:
    """Bodies to which most of the difference of shapes belongs, by its energy."""
    if len(places) == 1:
        return tuple(places) * int(coarse.shape[1])
    inertia = here.M @ coarse
    along = np.einsum("ia,ia->a", inertia.conj(), fine)
    factors = np.einsum("ia,ia->a", inertia.conj(), coarse) / np.where(along == 0.0, 1.0, along)
    apart, energies = fine * factors - coarse, {}
    for name, own in places.items():
        part = apart[own]
        energies[name] = np.einsum("ia,ia->a", part.conj(), here.K[own, own] @ part).real
    worst = []
    for k in range(len(along)):
        sizes = {name: float(energy[k]) for name, energy in energies.items()}
        worst.append(max(sizes, key=lambda name: sizes[name]))
    return tuple(worst)


def nodal_strain(linear: LinearModel, modes: Sequence[Mode]) -> Array:
    """Twice the strain energy (k,) of bodies over nodal vectors in modes."""
    c, total = linear.compiled, np.zeros(len(modes))
    for record in c.gradient.values():
        K = record.mesh.tangents(linear.state.q[record.q])[0]
        for k, mode in enumerate(modes):
            own = mode.shape[record.u]
            total[k] += float(np.real(own.conj() @ (K @ own)))
    return total


def _lasting(linear: LinearModel, modes: Sequence[Mode]) -> Array:
    """Parts (k,) of frequencies by sections that cannot contract, of elements "continuum"."""
    c, excess = linear.compiled, np.zeros(len(modes))
    bent = {
        name: record
        for name, record in c.gradient.items()
        if isinstance(record.body, ANCFBeam) and record.body.element == "continuum"
    }
    if not bent:
        return excess
    for k, mode in enumerate(modes):
        y = mode.shape[list(linear.places)]
        twice = abs(mode.eigenvalue) ** 2 * float(np.real(y.conj() @ linear.M @ y))
        for record in bent.values():
            material = cast("ANCFBeam", record.body).material
            poisson = material.E / (2.0 * material.G) - 1.0
            whole = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
            excess[k] += (1.0 - 1.0 / whole) * _bending(linear, record, mode) * whole / twice
    return 1.0 - np.sqrt(1.0 - np.clip(excess, 0.0, 0.99))


def _bending(linear: LinearModel, record: ANCFRecord, mode: Mode) -> float:
    """Twice the energy of bending of a beam in a mode, with its engineering stiffness, J."""
    q, total = linear.state.q[record.q], 0.0
    for part in (mode.shape.real, mode.shape.imag):
        own = part[record.u].reshape(record.mesh.rest.shape)
        size = float(np.max(np.abs(own[:, 1:]), initial=0.0))
        if size == 0.0:
            continue
        factor = STEP / size
        e = q.reshape(record.mesh.rest.shape) + factor * np.array([own, -own])
        both = Bending(record, e, ())
        change = 0.5 * (both.curvature[0] - both.curvature[1]) / factor
        total += float((both.stiffness[:, 1:] * change[:, 1:] ** 2).sum(axis=1) @ both.lengths)
    return total
