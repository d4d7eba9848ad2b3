"""Constraint rows that follow from others: everywhere, or in a singular position only.

The rank of the scaled Jacobian of all rows is found at the start and at two other positions that
the mechanism can reach: random displacements along its degrees of freedom, moved back onto the
constraints. Rows of drivers need not hold there, since they change in time. A row that depends
linearly on others at all three positions is redundant: it holds as long as the others do. A loss of
rank at the start alone means a singular position, and no row is left out for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled
from supple.engine.reading.rows import moving, rows_at, scaled_rows, scaled_sparse
from supple.foundation.arrays import Array
from supple.loops.closing import CLOSED, Assembler, allowed

# A row whose independent part, as a part of the whole row, is below this follows from others. An
# assembled mechanism's rows differ by its closure, 1e-12, and where it closes as a double root by
# the root of that. Where only one place is known the smaller bound decides.
DEPENDENT = 1e-6
ROUNDING = 1e-9
# A position is singular where the smallest singular value is this part of that at regular
# positions: positions that are found as double roots are exact to 1e-7 only.
SINGULAR = 1e-5
ORDINARY = 0.1  # taken for the regular value where no other position can be reached
# Random displacements to other positions (rad or lengths), of which the largest that closes is
# taken; no round numbers, since many models start 0.3 away from a singular position.
SIZES = (0.2718, 0.0919, 0.0311)
PLACES = 2
GAP, LEAST = 0.2, 0.005  # of large models: gaps (rad or lengths) that are left, smallest sizes
LARGE, INVERSIONS = 150, 12  # rows, from which on they are treated as sparse; inverse iterations
WIDE = 1000  # velocities, from which on all motions that rows allow are not listed
MANY = 300  # rows, from which on whole matrices of them are not made
APART = 30.0  # ratio of singular values between which the rank of many rows is found
FEW, TINY = 8, 1e-14  # dependent rows that are looked for first; what makes squares of rows regular
SETTLED, FAR_BELOW = 2, 1e-4  # iterations after which vectors of values so far below are exact


@dataclass(frozen=True)
class Ranks:
    """Rank of the constraint rows of a model at its start and at other positions."""

    kept: tuple[int, ...]  # places of rows that do not follow from others, in ``rows``
    freedom: int  # degrees of freedom, velocities less independent rows
    place_freedom: int  # the same without rows that hold rates alone: of places
    # smallest singular value of the scaled rows, but for redundant ones, at the start and at the
    # other positions
    smallest: tuple[float, ...]
    places: tuple[Array, ...]  # the start and the other positions (nq,)
    # whether degrees of freedom were counted at the start, but no other position was found
    stuck: bool

    @property
    def singular(self) -> bool:
        """True if the start is a singular position."""
        return bool(self.smallest) and self.smallest[0] < SINGULAR * self.regular_value

    @property
    def regular_value(self) -> float:
        """Smallest singular value at regular positions."""
        return max(self.smallest[1:], default=ORDINARY)


def analyse(compiled: Compiled, q: Array, t: float = 0.0) -> Ranks:
    """Rank of all rows in use at a closed position q (nq,) at a time t and at others nearby."""
    if not compiled.nr:
        return Ranks((), compiled.nu, compiled.nu, (), (q,), False)
    places, stuck = _places(compiled, q, t)
    work = new_work(compiled.ints)
    tables = [scaled_table(compiled, work, t, p) for p in places]
    if compiled.nr > MANY:
        return _analyse_many(compiled, tables, places, stuck)
    size = np.max([np.linalg.norm(table, axis=1) for table in tables], axis=0)
    # rows of whole joints have the size one in these units; rounding is no row
    size = np.where(size > ROUNDING * max(float(np.max(size)), 1.0), size, np.inf)
    bound = DEPENDENT if len(places) > 1 else ROUNDING
    unit_rows = [table / size[:, None] for table in tables]
    counts = [int(np.sum(np.linalg.svd(x, compute_uv=False) > bound)) for x in unit_rows]
    most = max(counts)
    full_rank = [x for x, count in zip(unit_rows, counts, strict=True) if count == most]
    kept = list(range(compiled.nr))
    if min(counts) < compiled.nr:
        kept = independent(full_rank, _groups(compiled), bound)
    smallest = tuple(smallest_value(table, len(kept)) for table in tables)
    return _ranks(compiled, kept, smallest, places, stuck)


def _groups(compiled: Compiled) -> list[np.ndarray]:
    """Rows in the order in which they are kept: of positions before those of rates alone."""
    moves, rated = moving(compiled), compiled.rate_rows
    chosen = (~moves & ~rated, moves & ~rated, ~moves & rated, moves & rated)
    return [np.flatnonzero(group) for group in chosen]


def _ranks(
    compiled: Compiled,
    kept: Sequence[int],
    smallest: tuple[float, ...],
    places: Sequence[Array],
    stuck: bool,
) -> Ranks:
    """The answer for these rows kept."""
    freedom = compiled.nu - len(kept)
    rates = int(np.count_nonzero(compiled.rate_rows[list(kept)]))
    return Ranks(tuple(kept), freedom, freedom + rates, smallest, tuple(places), stuck)


def regular_value(compiled: Compiled, places: Sequence[Array]) -> float:
    """Smallest singular value of the scaled rows, which are independent, at regular positions."""
    work = new_work(compiled.ints)
    tables = (scaled_table(compiled, work, 0.0, p) for p in places)
    return max((smallest_value(table, compiled.nr) for table in tables), default=ORDINARY)


def scaled_table(compiled: Compiled, work: Array, t: float, q: Array) -> Any:
    """The scaled rows in use (nr, nu) at a position; many of them in compressed rows."""
    rows = rows_at(compiled, work, t, q, np.zeros(compiled.nu))
    if compiled.nr > MANY:
        return scaled_sparse(compiled, rows)
    return scaled_rows(compiled, rows.G)


def _analyse_many(
    compiled: Compiled, tables: Sequence[Any], places: Sequence[Array], stuck: bool
) -> Ranks:
    """``analyse`` of many rows, of which few follow from others: by the vectors that show it.

    Rows can be left out if what these vectors have there is independent.
    """
    from scipy.sparse import diags_array

    size = np.max([np.sqrt((table * table).sum(axis=1)) for table in tables], axis=0)
    size = np.where(size > ROUNDING * max(float(np.max(size)), 1.0), size, np.inf)
    bound = DEPENDENT if len(places) > 1 else ROUNDING
    weak = [weakest((diags_array(1.0 / size) @ table).tocsr(), bound) for table in tables]
    counts = [_vanishing(values, bound) for values, _ in weak]
    few = min(counts)
    kept = np.arange(compiled.nr)
    if few:
        shown = [z[:, :few] for (_, z), count in zip(weak, counts, strict=True) if count == few]
        kept = np.setdiff1d(kept, independent(shown, _groups(compiled)[::-1], 0.0, few))
    smallest = tuple(smallest_value(table, len(kept)) for table in tables)
    return _ranks(compiled, [int(k) for k in kept], smallest, places, stuck)


def _vanishing(values: Array, bound: float) -> int:
    """Number of the smallest singular values, ascending, of rows that follow from others.

    Those of long chains fall with the square of their length, below any bound, but have neighbours;
    those of dependent rows are apart from the others.
    """
    count = int(np.sum(values <= bound))
    while 0 < count < len(values) and values[count - 1] > ROUNDING:
        if values[count] > APART * values[count - 1]:
            break
        count -= 1
    return count


def weakest(table: Any, bound: float, least: int = 0) -> tuple[Array, Array]:
    """Smallest singular values of sparse rows, in order, and their left vectors (nr, count).

    All up to ``bound`` are among them, and ``least`` at least; those above are upper bounds, to
    some per cent.
    """
    from scipy.sparse import eye_array
    from scipy.sparse.linalg import splu

    n = table.shape[0]
    factors = splu((table @ table.T + TINY * eye_array(n)).tocsc())
    count, rng = min(max(FEW, least + 4), n), np.random.default_rng(1)
    while True:
        values, z = _iterated(table, factors, rng.standard_normal((n, count)), INVERSIONS)
        if values[-1] > bound or count == n:
            return values, z
        count = min(2 * count, n)


def _iterated(table: Any, factors: Any, z: Array, times: int) -> tuple[Array, Array]:
    """Singular values, ascending, and left vectors after inverse iterations of z (n, count).

    Vectors of values far below the others, of dependent rows most of all, are exact after two
    iterations, in which errors fall by the fourth power of the ratio of values. So the others go on
    without them.
    """
    first = min(SETTLED, times)
    values, z = _turned(table, _inverted(factors, z, first))
    done = int(np.sum(values <= FAR_BELOW * values[-1]))
    if first == times or done == len(values):
        return values, z
    known, z = z[:, :done], _inverted(factors, z[:, done:], times - first, z[:, :done])
    others, z = _turned(table, z)
    return np.concatenate([values[:done], others]), np.hstack([known, z])


def _inverted(factors: Any, z: Array, times: int, known: Array | None = None) -> Array:
    """Inverse iterations of orthonormal columns z (n, count), across those that are known."""
    for _ in range(times):
        z = factors.solve(z)
        if known is not None:
            z = z - known @ (known.T @ z)
        z = np.linalg.qr(z)[0]
        if known is not None:  # once more against rounding
            z = np.linalg.qr(z - known @ (known.T @ z))[0]
    return z


def _turned(table: Any, z: Array) -> tuple[Array, Array]:
    """Singular values of the rows that orthonormal columns z (n, count) choose, and their vectors.

    Values ascend.
    """
    count, product = z.shape[1], np.linalg.qr(table.T @ z, mode="r")
    _, values, right = np.linalg.svd(product, full_matrices=count > table.shape[1])
    values = np.pad(values, (0, count - len(values)))  # more rows than velocities
    return values[::-1], (z @ right.T)[:, ::-1]


def smallest_value(table: Any, rank: int) -> float:
    """Singular value number ``rank`` of scaled rows: zero only in a singular position."""
    if not 0 < rank <= table.shape[0]:
        return 1.0
    if not isinstance(table, np.ndarray):
        few = table.shape[0] - rank
        return float(weakest(table, 0.0, few)[0][few])
    if rank == len(table) > LARGE:
        return _smallest_of_many(table)
    table = table[:, table.any(axis=0)]  # rows reach few of many velocities
    s = np.linalg.svd(table, compute_uv=False)
    return float(s[rank - 1]) if 0 < rank <= len(s) else 1.0


def smallest_values(tables: Sequence[Any], rank: int) -> Array:
    """``smallest_value`` of each of several tables of one shape."""
    if not len(tables) or rank > LARGE or not 0 < rank <= min(tables[0].shape):
        return np.array([smallest_value(table, rank) for table in tables])
    return np.linalg.svd(np.array(tables), compute_uv=False)[:, rank - 1]


def _smallest_of_many(table: Array) -> float:
    """Smallest singular value of many independent rows, to some per cent, by inverse iteration."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import splu

    rows = csr_array(table)
    try:
        factors = splu((rows @ rows.T).tocsc())
    except RuntimeError:
        return 0.0
    x, size = np.random.default_rng(1).standard_normal(len(table)), 1.0
    for _ in range(INVERSIONS):
        x = factors.solve(x / np.linalg.norm(x))
        size = float(np.linalg.norm(x))
    return 1.0 / float(np.sqrt(size))


def weakest_row(table: Any) -> int:
    """The row with the largest part in the left singular vector of the smallest value."""
    if not isinstance(table, np.ndarray):
        return int(np.argmax(np.abs(weakest(table, 0.0)[1][:, 0])))
    return int(np.argmax(np.abs(np.linalg.svd(table)[0][:, -1])))


def independent(
    tables: Sequence[Array],
    groups: Sequence[np.ndarray],
    bound: float = DEPENDENT,
    most: int | None = None,
) -> list[int]:
    """Rows that are independent in all tables (nr, nu): QR with one order of pivots for all.

    The next pivot is the row whose smallest rest, of all tables, is the largest. Rows of an earlier
    group are taken first. ``most`` is the rank, where it is known: off the constraints all rows
    are a little independent.
    """
    rests = [table.copy() for table in tables]
    kept: list[int] = []
    for group in groups:
        left = list(group)
        while left and len(kept) != most:
            rest = np.min([np.linalg.norm(r[left], axis=1) for r in rests], axis=0)
            best = int(np.argmax(rest))
            if not rest[best] > bound:
                break
            k = left.pop(best)
            kept.append(int(k))
            for r in rests:
                pivot = r[k] / np.linalg.norm(r[k])
                for _ in range(2):  # once more against rounding
                    r -= np.outer(r @ pivot, pivot)
    return sorted(kept)


def independent_rows(table: Any, groups: Sequence[np.ndarray], rank: int) -> list[int]:
    """As many rows of a table as its rank, independent of each other; see ``independent``."""
    if isinstance(table, np.ndarray):
        return independent([table], groups, most=rank)
    every = np.arange(table.shape[0])
    few = len(every) - rank
    vectors = weakest(table, 0.0, few)[1][:, :few]
    never = np.setdiff1d(every, np.concatenate(groups))
    left_out = independent([vectors], [never, *groups[::-1]], 0.0, few)
    return [int(k) for k in np.setdiff1d(every, left_out)]


def _places(compiled: Compiled, q: Array, t: float) -> tuple[list[Array], bool]:
    """The position q and others that it can reach without its drivers; whether none was found."""
    fixed = ~moving(compiled) & ~compiled.rate_rows
    still = compiled.with_rows([int(k) for k in np.flatnonzero(fixed)])
    move = Assembler(still)
    way_of = _motions(still, scaled_table(still, move.work, t, q))
    if way_of is None:
        return [q], False
    rng = np.random.default_rng(2)
    places = [q]
    for _ in range(PLACES):
        way = way_of(rng)
        way /= np.max(np.abs(way))
        for size in _sizes(move, t, q, way):
            trial = move.moved(q, size * way * still.scale)
            closed, gap = move.positions(t, trial, search=False)
            far = np.max(np.abs(move.increment(closed, q) / still.scale))
            if np.max(np.abs(gap / move.sizes), initial=0.0) < CLOSED and far > 0.1 * size:
                places.append(closed)
                break
    return places, len(places) == 1


def _sizes(move: Assembler, t: float, q: Array, way: Array) -> Sequence[float]:
    """Sizes of displacements along a way (nu,) that are tried, in their order.

    Along a chain of many bodies displacements add up: there those are taken that leave gaps which
    Newton's method closes in few steps.
    """
    if not move.large:
        return SIZES
    size = SIZES[0]
    while size > LEAST:
        gap = move.rows(t, move.moved(q, size * way * move.compiled.scale))[0]
        if np.max(np.abs(gap), initial=0.0) < GAP:
            break
        size *= 0.5
    return [size, *(0.3 * x for x in (size, 0.3 * size))]


def _motions(still: Compiled, G: Any) -> Callable[[np.random.Generator], Array] | None:
    """Random directions (nu,) that rows allow; None if they allow none."""
    if isinstance(G, np.ndarray):
        wide = still.nu > WIDE
        _, s, Vt = np.linalg.svd(G, full_matrices=not wide)
        rank = int(np.sum(s > 1e-7 * float(s.max(initial=1.0))))
        if wide and rank < still.nu:
            return lambda rng: _across(Vt[:rank], rng.normal(size=still.nu))
        free = Vt[rank:].T
        return None if rank == still.nu else lambda rng: free @ rng.normal(size=still.nu - rank)
    rank = still.nr - int(np.sum(weakest(G, 1e-7)[0] <= 1e-7))
    return None if rank == still.nu else lambda rng: allowed(G, rng.normal(size=still.nu))


def _across(rows: Array, x: Array) -> Array:
    """The part of x (nu,) across orthonormal rows."""
    return x - rows.T @ (rows @ x)
