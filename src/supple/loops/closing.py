"""Closing: moves a state onto the constraints, as little as possible.

A start near the constraints is closed by damped Gauss-Newton steps, the smallest in the norm of the
mass matrix. Where these get stuck, closures are sought from places around the start
(Levenberg-Marquardt, whose damping falls with the square of the gap: it also converges where rows
depend on each other at the solution), and the nearest one found is taken. In the end the distance
to the start is reduced by steps along the motions that the constraints allow.

Smallest steps are increments that rows ask for, or allow, measured by the mass that they move. A
mass matrix with few entries stays sparse, and rows are solved for together with their multipliers.
One that is nearly full (a long tree in joint coordinates) has a Cholesky factor.

Velocities jump where constraint rows come into use (`impact`):

    M (u+ - u-) = G^T p,    G u+ + g_t = 0

with all rows that hold from now on, old and new: a plastic impact. The impulses p do the work
p . G (u+ + u-)/2. Of rows that stand still it is the energy lost, of rows that a signal moves it is
work of the driver.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import Rows, mass_at, moving, row_sizes, rows_at
from supple.foundation.arrays import Array
from supple.joints.motions import MOTIONS

TINY = 1e-13  # of their entries: beyond what a step of Newton shows, and above rounding
FULL = 0.2  # part of its entries from which on a mass matrix is treated as a whole one
# How exactly an assembled mechanism closes, in lengths of the model and radians.
CLOSED = 1e-11
# Part of the mean mass with which coordinates without mass resist their first guess.
SOFT = 1e-6
ITERATIONS = 100
LARGEST_STEP = 0.5  # rad, or lengths of the model
# Where a start is stuck: sizes of random moves (rad, lengths) to other starts, and how many of each
FAR = (0.3, 0.8, 1.6, 3.0)
TRIES = 6
SIZE = 30  # velocities up to which all tries are made: a try costs the third power of them
SLIDES = 30  # steps along the mechanism's own motions towards the start
MOVED = 1e-6  # rad or lengths: below that a closed position is as near as it can be
LARGE = 200  # unknowns, from which on systems are solved as sparse ones
ROUNDED = 1e-12  # of large systems: steps to smaller gaps follow the rounding of places far away
# Rates of rows that are left, in units of the largest rates before: more is a contradiction.
FOLLOWED = 1e-8


class Metric:
    """The norm of a mass matrix M (n, n), sparse, over the increments that are free to move."""

    def __init__(self, M: Any) -> None:
        self.M, self.factor = M, None
        if M.nnz > FULL * M.shape[0] ** 2:
            try:
                self.factor = np.linalg.cholesky(M.toarray())
            except np.linalg.LinAlgError:  # masses drown in rounding: the sparse way tells
                pass

    def smallest(self, G: Any, right: Array) -> Array | None:
        """The step d (n,) with G d = right and the least d^T M d; None if it is not found."""
        if self.factor is not None:
            from scipy.linalg import solve_triangular

            whitened = solve_triangular(self.factor, G.T.toarray(), lower=True)
            y = np.linalg.lstsq(whitened.T, right, rcond=1e-10)[0]
            step: Array = solve_triangular(self.factor, y, lower=True, trans="T")
            return step
        sides = np.concatenate([np.zeros(G.shape[1]), right])
        solution = sparse_solution(bordered(self.M, G), sides, len(right))
        return None if solution is None else solution[: G.shape[1]]

    def allowed(self, G: Any, load: Array) -> Array | None:
        """Step (n,) that rows allow, nearest to M^-1 load; None if it is not found."""
        if self.factor is not None:
            from scipy.linalg import cho_solve

            whole: Array = cho_solve((self.factor, True), load)
            back = self.smallest(G, G @ whole)
            return None if back is None else whole - back
        sides = np.concatenate([load / self.M.diagonal().mean(), np.zeros(G.shape[0])])
        solution = sparse_solution(bordered(self.M, G), sides, G.shape[0])
        return None if solution is None else solution[: G.shape[1]]


def allowed(G: Any, x: Array) -> Array:
    """Part of a direction x (nu,) in the null space of sparse rows G."""
    from scipy.sparse import eye_array

    right = np.concatenate([x, np.zeros(G.shape[0])])
    solution = sparse_solution(bordered(eye_array(len(x)), G), right, G.shape[0])
    return x if solution is None else solution[: len(x)]


def bordered(M: Any, G: Any, unit: Array | None = None) -> Any:
    """[[M, G^T], [G, 0]] of sparse matrices, increments in units, M as parts of its mean."""
    from scipy.sparse import block_array, csr_array, diags_array

    if unit is not None:
        units = diags_array(unit)
        M, G = units @ M @ units, G @ units
    nothing = csr_array((G.shape[0], G.shape[0]))
    return block_array([[M / (M.diagonal().mean() or 1.0), G.T], [G, nothing]], format="csc")


def sparse_solution(matrix: Any, right: Array, rows: int) -> Array | None:
    """Solution of a large system that is mostly zeros; None if it is not solved well.

    The matrix is [[M, G^T], [G, 0]] with so many rows G, of numbers about one. Where rows depend on
    each other, or something has no mass, it is singular: a little on the diagonal, positive in M
    and negative behind it, makes it quasidefinite, and the solution the one of least size.
    """
    from scipy.sparse import csc_array, diags_array
    from scipy.sparse.linalg import splu

    little = np.full(len(right), TINY)
    little[len(right) - rows :] = -TINY
    try:
        solution: Array = splu((csc_array(matrix) + diags_array(little)).tocsc()).solve(right)
    except RuntimeError:  # numbers that are not finite
        return None
    missing = np.abs(matrix @ solution - right).max()
    return solution if missing <= 1e-10 * (np.abs(right).max() + np.abs(solution).max()) else None


class Assembler:
    """Moves states of a compiled model onto its constraints.

    ``fixed`` are places in u that do not move. ``iterations`` counts Newton's steps.
    """

    def __init__(self, compiled: Compiled, fixed: Sequence[int] = ()) -> None:
        self.compiled = compiled
        self.work = new_work(compiled.ints)
        self.sizes = row_sizes(compiled)
        # rows of positions: those of rates alone say nothing of where bodies are
        self.held = np.flatnonzero(~compiled.rate_rows)
        self.free = np.setdiff1d(np.arange(compiled.nu), np.array(fixed, dtype=int))
        self.iterations = 0
        self.large = compiled.nu + compiled.nr > LARGE

    def positions(self, t: float, q: Array, search: bool = True) -> tuple[Array, Array]:
        """Coordinates near q that satisfy the rows, and the violations that are left (nr,).

        Flexible bodies keep their shape if the mechanism closes so. Without ``search`` the closure
        that Newton's steps lead to is good enough.
        """
        free, rigid = self.free, np.setdiff1d(self.free, self._elastic())
        if 0 < len(rigid) < len(free):
            self.free = rigid
            closed, gap = self._positions(t, q, search)
            self.free = free
            if _closed(gap / self.sizes):
                return closed, gap
        return self._positions(t, q, search)

    def _elastic(self) -> np.ndarray:
        """Places in u of coordinates of deformation."""
        bodies = self.compiled.deforming.values()
        own = [np.arange(b.u.start, b.u.stop) for b in bodies]
        return np.concatenate([*own, np.zeros(0, dtype=int)]).astype(int)

    def _positions(self, t: float, q: Array, search: bool) -> tuple[Array, Array]:
        start, gaps = np.array(q, dtype=float), np.zeros(self.compiled.nr)
        if not len(self.held):
            return start, gaps
        closed, gap = self._newton(t, start)
        if not _closed(gap) and search and len(self.free):
            closed, gap = self._search(t, start, closed, gap)
        if _closed(gap) and search:
            closed, gap = self._nearest(t, start, closed, gap)
        gaps[self.held] = gap * self.sizes[self.held]
        return closed, gaps

    def velocities(self, t: float, q: Array, u: Array) -> Array:
        """Velocities that satisfy the rows, nearest to u in the norm of the mass matrix.

        Velocities that move no mass follow: they do not pull on the others. Elastic velocities stay
        if the others suffice.
        """
        free, rigid = self.free, np.setdiff1d(self.free, self._elastic())
        if 0 < len(rigid) < len(free):
            self.free = rigid
            out = self._velocities(t, q, u)
            self.free = free
            rate = rows_at(self.compiled, self.work, t, q, out).rate / self.sizes
            if np.max(np.abs(rate), initial=0.0) < CLOSED * (1.0 + np.max(np.abs(out))):
                return out
        return self._velocities(t, q, u)

    def _velocities(self, t: float, q: Array, u: Array) -> Array:
        rows, free = rows_at(self.compiled, self.work, t, q, u), self.free
        nr, n, unit = len(rows.rate), len(free), self.compiled.scale[free]
        if not np.any(rows.rate):
            return np.array(u, dtype=float)
        right = np.concatenate([np.zeros(n), -rows.rate / self.sizes])
        step = None
        if self.large:
            M, G = self._sparse_mass(q, 0.0)[free][:, free], self._sparse_rows(rows)[:, free]
            step = sparse_solution(bordered(M, G, unit), right, nr)
        if step is None:
            M = self.mass(q, 0.0)[np.ix_(free, free)] * np.outer(unit, unit)
            G = rows.G[:, free] * unit / self.sizes[:, None]
            whole = np.zeros((n + nr, n + nr))
            whole[:n, :n] = M / (float(np.mean(np.diag(M))) if np.any(M) else 1.0)
            whole[n:, :n], whole[:n, n:] = G, G.T
            step = np.linalg.lstsq(whole, right, rcond=1e-12)[0]
        out = np.array(u, dtype=float)
        out[free] += unit * step[:n]
        return out

    def moved(self, q: Array, d: Array) -> Array:
        """The configuration q moved by the increment d (nu,)."""
        c, out = self.compiled, np.empty(self.compiled.nq)
        chart.move(c.ints, c.reals, self.work, np.ascontiguousarray(q), np.array(d), out)
        return out

    def increment(self, q: Array, target: Array) -> Array:
        """The increment d (nu,) that moves q to the target; of rotations the shorter way."""
        c, out = self.compiled, np.empty(self.compiled.nu)
        chart.difference(c.ints, c.reals, self.work, np.array(q), np.array(target), out)
        return out

    def mass(self, q: Array, soft: float = SOFT) -> Array:
        """Mass matrix (nu, nu), with a little mass on coordinates that have none."""
        c = self.compiled
        M = np.zeros((c.nu, c.nu))
        dynamics.mass_matrix(c.ints, c.reals, self.work, np.ascontiguousarray(q), M)
        mean = float(np.sum(np.diag(M) * c.scale**2)) / max(c.nu, 1) or 1.0
        M += np.diag(soft * mean / c.scale**2)
        return M

    def _sparse_mass(self, q: Array, soft: float = SOFT) -> Any:
        """``mass``, sparse."""
        from scipy.sparse import diags_array

        c = self.compiled
        M = mass_at(c, self.work, q)
        mean = float(np.sum(M.diagonal() * c.scale**2)) / max(c.nu, 1) or 1.0
        return (M + diags_array(soft * mean / c.scale**2)).tocsr()

    def _sparse_rows(self, rows: Rows) -> Any:
        from scipy.sparse import diags_array

        return (diags_array(1.0 / self.sizes) @ rows.sparse).tocsr()

    def rows(self, t: float, q: Array) -> tuple[Array, Any]:
        """Violations and Jacobian of the rows of positions, in their units; if large, sparse."""
        rows: Rows = rows_at(self.compiled, self.work, t, q, np.zeros(self.compiled.nu))
        G = self._sparse_rows(rows) if self.large else rows.G / self.sizes[:, None]
        gap = rows.violation / self.sizes
        return (gap, G) if len(self.held) == len(gap) else (gap[self.held], G[self.held])

    def _metric(self, q: Array) -> Metric | None:
        """Norm of steps near a configuration, of large systems."""
        free = self.free
        return Metric(self._sparse_mass(q)[free][:, free]) if self.large and len(free) else None

    def _smallest(self, q: Array, G: Any, right: Array, metric: Metric | None) -> Array:
        """The step d (nu,) with G d = right, in the least-squares sense, and the least d^T M d."""
        free, d = self.free, np.zeros(self.compiled.nu)
        if len(free) and len(right):
            if metric is not None:
                solution = metric.smallest(G[:, free], right)
                if solution is not None:
                    d[free] = solution
                    return d
                G = G.toarray()
            M = self.mass(q)[np.ix_(free, free)]
            try:
                L = np.linalg.cholesky(M)
            except np.linalg.LinAlgError:  # lengths so far apart that masses drown in rounding
                return d
            whitened = np.linalg.solve(L, G[:, free].T).T
            y = np.linalg.lstsq(whitened, right, rcond=1e-10)[0]
            d[free] = np.linalg.solve(L.T, y)
        return d

    def _newton(self, t: float, q: Array) -> tuple[Array, Array]:
        """Damped Gauss-Newton steps, the smallest in the norm of the mass matrix.

        Of large systems that is the matrix where the steps begin.
        """
        gap, G = self.rows(t, q)
        slow, metric = 0, None
        for _ in range(ITERATIONS):
            before = float(np.linalg.norm(gap))
            if not before > 1e-14 or slow > 5 or (self.large and _closed(gap, ROUNDED)):
                break
            self.iterations += 1
            metric = self._metric(q) if metric is None else metric
            step = self._smallest(q, G, -gap, metric)
            longest = float(np.max(np.abs(step / self.compiled.scale), initial=0.0))
            if not longest > 0.0:
                break
            part = min(1.0, LARGEST_STEP / longest)
            for _ in range(12):
                trial = self.moved(q, part * step)
                new, G_new = self.rows(t, trial)
                if np.linalg.norm(new) < (1.0 - 1e-4 * part) * before:
                    break
                part *= 0.5
            if not np.linalg.norm(new) < before:
                break
            slow = slow + 1 if np.linalg.norm(new) > 0.98 * before else 0
            q, gap, G = trial, new, G_new
        return q, gap

    def _levenberg(self, t: float, q: Array) -> tuple[Array, Array]:
        """Levenberg-Marquardt steps in scaled increments, damped by the square of the gap."""
        scale, damping, slow = self.compiled.scale, 0.1, 0
        gap, G = self.rows(t, q)
        for _ in range(ITERATIONS):
            before = float(np.linalg.norm(gap))
            if not before > 1e-12 or slow > 5 or damping > 1e6:
                break
            y = self._damped(G, gap, damping * before**2)
            longest = float(np.max(np.abs(y), initial=0.0))
            step = np.zeros(self.compiled.nu)
            step[self.free] = -y * min(1.0, LARGEST_STEP / max(longest, 1e-300))
            trial = self.moved(q, step * scale)
            new, G_new = self.rows(t, trial)
            if not np.linalg.norm(new) < before:
                damping *= 8.0
                continue
            slow = slow + 1 if np.linalg.norm(new) > 0.98 * before else 0
            damping = max(0.2 * damping, 1e-8)
            q, gap, G = trial, new, G_new
        return self._newton(t, q) if np.linalg.norm(gap) < 0.1 else (q, gap)

    def _damped(self, G: Any, gap: Array, damping: float) -> Array:
        """The scaled increment of least A y - gap and damping times its own square, A = G s."""
        scale = self.compiled.scale
        if self.large:
            from scipy.sparse import diags_array, eye_array
            from scipy.sparse.linalg import splu

            A = (G @ diags_array(scale)).tocsr()[:, self.free]
            factors = splu((A @ A.T + damping * eye_array(len(gap))).tocsc())
            large: Array = A.T @ factors.solve(gap)
            return large
        U, s, Vt = np.linalg.svd((G * scale)[:, self.free], full_matrices=False)
        y: Array = Vt.T @ (s / (s * s + damping) * (U.T @ gap))
        return y

    def _search(self, t: float, start: Array, q: Array, gap: Array) -> tuple[Array, Array]:
        """The nearest closure found from the start and from random places around it."""
        rng = np.random.default_rng(1)
        c = self.compiled
        tries = int(np.clip(TRIES * (SIZE / c.nu) ** 3, 1, TRIES))
        for far in (0.0, *FAR):
            closed: list[tuple[float, Array, Array]] = []
            for _ in range(tries if far else 1):
                d = np.zeros(c.nu)
                d[self.free] = far * rng.uniform(-1.0, 1.0, len(self.free)) * c.scale[self.free]
                trial, left = self._levenberg(t, self.moved(start, d))
                if _closed(left):
                    trial = self._unwound(t, start, trial)
                    M = self._sparse_mass(start) if self.large else self.mass(start)
                    closed.append((self._distance(M, start, trial), trial, left))
                elif np.linalg.norm(left) < np.linalg.norm(gap):
                    q, gap = trial, left
            if closed:
                return min(closed, key=lambda found: found[0])[1:]
        return q, gap

    def _unwound(self, t: float, start: Array, q: Array) -> Array:
        """Position with angles within half a turn of the start, where rows allow it."""
        c = self.compiled
        winding = [kind.code for kind in MOTIONS.values() if kind.units == ("rad",)]
        nodes = at.integers(c.ints, "node")
        angles = [int(row[at.Q0]) for row in nodes if row[at.MOTION] in winding]
        for k in angles:
            turns = np.round((q[k] - start[k]) / (2.0 * np.pi))
            if turns:
                other = q.copy()
                other[k] -= 2.0 * np.pi * turns
                if _closed(self.rows(t, other)[0]):
                    q = other
        return q

    def _distance(self, M: Any, start: Array, q: Array) -> float:
        """Squared distance to the start in the norm of the mass matrix M there."""
        d = self.increment(q, start)
        return float(d @ (M @ d))

    def _nearest(self, t: float, start: Array, q: Array, gap: Array) -> tuple[Array, Array]:
        """Reduce the distance to the start by steps in the null space of the rows."""
        c, part, M, metric = self.compiled, 1.0, None, None
        for _ in range(SLIDES):
            d = self.increment(q, start)
            if part < 0.01 or not np.max(np.abs(d / c.scale), initial=0.0) > MOVED:
                break
            if M is None:
                M = self._sparse_mass(start) if self.large else self.mass(start)
                metric = self._metric(start)
            step = self._along(M, self.rows(t, q)[1], d, metric)
            longest = float(np.max(np.abs(step / c.scale), initial=0.0))
            if not longest > MOVED:
                break
            step *= part * min(1.0, LARGEST_STEP / longest)
            trial, left = self._newton(t, self.moved(q, step))
            if _closed(left) and self._distance(M, start, trial) < self._distance(M, start, q):
                q, gap = trial, left
            else:
                part *= 0.5
        return q, gap

    def _along(self, M: Any, G: Any, d: Array, metric: Metric | None) -> Array:
        """Part of an increment d (nu,) that rows G allow, nearest to it in the norm of M."""
        c, free = self.compiled, self.free
        if metric is not None:
            allowed_part = metric.allowed(G[:, free], (M @ d)[free])
            if allowed_part is not None:
                step = np.zeros(c.nu)
                step[free] = allowed_part
                return step
            M, G = M.toarray(), G.toarray()
        _, s, Vt = np.linalg.svd((G * c.scale)[:, free])
        kept = int(np.sum(s > 1e-7 * max(float(s.max(initial=0.0)), 1e-300)))
        N = np.zeros((c.nu, len(free) - kept))
        N[free] = c.scale[free, None] * Vt[kept:].T
        return N @ np.linalg.solve(N.T @ M @ N, N.T @ M @ d)


def _closed(gap: Array, size: float = CLOSED) -> bool:
    """True if violations in their own units are rounding."""
    return bool(np.max(np.abs(gap), initial=0.0) < size)


@dataclass(frozen=True)
class Impact:
    """Velocities behind a change of rows, and its impulses."""

    u: Array  # (nu,) velocities behind it
    impulses: Array  # (nr,) of the rows in use, positive where they make the row's quantity larger
    lost: float  # kinetic energy lost, J
    work: dict[str, float]  # by channel, work of drivers during the impact, J
    contradiction: str  # label of a row that cannot be followed; empty if all can


def impact(compiled: Compiled, t: float, q: Array, u: Array) -> Impact:
    """Velocities (nu,) behind an instant from which the rows in use of ``compiled`` hold."""
    work = new_work(compiled.ints)
    M = np.zeros((compiled.nu, compiled.nu))
    dynamics.mass_matrix(compiled.ints, compiled.reals, work, np.ascontiguousarray(q), M)
    rows = rows_at(compiled, work, t, q, u)
    du, impulses = _jump(compiled, M, rows.G, rows.rate)
    after = u + du
    # once more, against rounding: what is left of the rates is a right side of the same equations
    left = rows_at(compiled, work, t, q, after)
    more, further = _jump(compiled, M, rows.G, left.rate)
    after, impulses = after + more, impulses + further
    mean = 0.5 * (rows.G @ u + rows.G @ after)
    shares = impulses * mean
    moves = moving(compiled)
    work_by_channel: dict[str, float] = {}
    for k in np.flatnonzero(moves):
        row = compiled.rows[k]
        name = row.part if row.part in compiled.force_names else row.owner
        work_by_channel[name] = work_by_channel.get(name, 0.0) + float(shares[k])
    lost = -float(np.sum(shares[~moves]))
    return Impact(after, impulses, lost, work_by_channel, _contradiction(compiled, t, q, u, after))


def _jump(compiled: Compiled, M: Array, G: Array, rate: Array) -> tuple[Array, Array]:
    """Velocities du and impulses p with M du = G^T p, G du = -rate, in units of energy."""
    n, nr = len(M), len(G)
    own = np.sqrt(np.diag(M))
    unit = np.where(own > 0.0, 1.0 / np.where(own > 0.0, own, 1.0), compiled.scale)
    rows = G * unit
    size = np.linalg.norm(rows, axis=1)
    size = np.where(size > 0.0, size, 1.0)
    whole = np.zeros((n + nr, n + nr))
    whole[:n, :n] = M * np.outer(unit, unit)
    whole[:n, n:] = -(rows / size[:, None]).T
    whole[n:, :n] = rows / size[:, None]
    right = np.concatenate([np.zeros(n), -rate / size])
    try:
        solution = np.linalg.solve(whole, right)
        exact = np.abs(whole @ solution - right).max(initial=0.0)
        if not exact <= 1e-9 * (1.0 + np.abs(solution).max(initial=0.0)):
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:  # massless coordinates that nothing holds
        solution = np.linalg.lstsq(whole, right, rcond=1e-13)[0]
    return unit * solution[:n], solution[n:] / size


def _contradiction(compiled: Compiled, t: float, q: Array, before: Array, after: Array) -> str:
    """Label of the row of all, also of those left out, that does not hold behind the impact."""
    whole = compiled.complete
    work, sizes = new_work(whole.ints), row_sizes(whole)
    rate = np.abs(rows_at(whole, work, t, q, after).rate) / sizes
    if not len(rate):
        return ""
    speed = max(float(np.max(np.abs(x) / compiled.scale, initial=0.0)) for x in (before, after))
    reach = np.abs(rows_at(whole, work, t, q, before).rate) / sizes
    bound = FOLLOWED * max(speed, float(np.max(reach)), 1e-12)
    worst = int(np.argmax(np.where(np.isfinite(rate), rate, np.inf)))
    return "" if rate[worst] <= bound else whole.rows[worst].name
