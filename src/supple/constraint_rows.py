"""Constraint rows at a state, and which of them to use.

Of rows that depend on each other some are left out, so that the rest is independent: found by QR
with column pivoting. There are three kinds of dependence:

- everywhere: a plane mechanism in joint coordinates cannot leave its plane. Such rows are zero, or
  combinations of others, also where the mechanism is not closed, and are never needed;
- wherever the mechanism is closed: the same mechanism in absolute coordinates, or an
  over-constrained one in space (Bennett, Bricard). Any choice holds the mechanism near by, but
  elsewhere the chosen rows may depend on each other while all of them together do not. Then rows
  must be exchanged on the way: `better_rows`;
- at a place where the mechanism can branch, as a parallelogram that is flat. It needs these rows
  as soon as it leaves that place, so they are counted near by, never there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.core import dynamics
from supple.core.layout import new_work
from supple.poses import Array
from supple.records import Compiled, RowRecord

# A row whose independent part, measured in lengths of the model and radians, is below this follows
# from others: rounding leaves 1e-15, an assembled mechanism's rows differ by its closure, 1e-12.
DEPENDENT = 1e-9
# Rows are exchanged if others are so many times farther from depending on each other.
BETTER = 3.0
AWAY = 0.5  # rad, or lengths of the model: off the constraints, to see what holds everywhere


@dataclass(frozen=True)
class Rows:
    """Constraint rows at a state.

    Attributes
    ----------
    violation, rate, acceleration : (nr,)
        Values of the rows and their time derivatives (m, rad; per s; per s2).
    G : (nr, nu)
        Derivative of the violation along increments, and of the rate along velocities.
    H : (nr, nu)
        Derivative of the rate along increments.
    """

    violation: Array
    rate: Array
    acceleration: Array
    G: Array
    H: Array


def rows_at(
    compiled: Compiled, work: Array, t: float, q: Array, u: Array, a: Array | None = None
) -> Rows:
    """The rows in use at a state."""
    nr, nu = compiled.nr, compiled.nu
    g, gu, ga = (np.zeros(nr) for _ in range(3))
    G, H = np.zeros((nr, nu)), np.zeros((nr, nu))
    state = [np.require(x, float, ["C", "W"]) for x in (q, u, np.zeros(nu) if a is None else a)]
    dynamics.constrain(compiled.ints, compiled.reals, work, float(t), *state, g, gu, ga, G, H)
    return Rows(g, gu, ga, G, H)


def row_sizes(compiled: Compiled) -> Array:
    """Unit of each row in use (nr,): the model's length for places, one radian for rotations."""
    return np.array([compiled.length if row.unit == "m" else 1.0 for row in compiled.rows])


def scaled_rows(compiled: Compiled, G: Array) -> Array:
    """The Jacobian in units of the rows and of the increments."""
    return G * compiled.scale / row_sizes(compiled)[:, None]


def independent(compiled: Compiled, G: Array) -> list[int]:
    """Places of rows that do not follow from others, the best conditioned ones."""
    scaled = scaled_rows(compiled, G)
    if not scaled.size:
        return []
    order, parts = _pivoted(scaled)
    count = int(np.sum(parts > DEPENDENT * max(float(_norms(scaled).max()), 1e-300)))
    return sorted(order[:count])


def redundant(compiled: Compiled) -> tuple[RowRecord, ...]:
    """Rows of a model that were left out because they follow from others."""
    used = list(compiled.rows)
    return tuple(row for row in compiled.all_rows if row not in used)


def with_independent(compiled: Compiled, work: Array, q: Array, G: Array) -> Compiled:
    """The model with independent rows of G (nr, nu); those that may replace them in ``every``."""
    kept = independent(compiled, G)
    rng, spare = np.random.default_rng(2), set()
    for _ in range(2 if 0 < len(kept) < compiled.nr else 0):
        far, still = np.empty(compiled.nq), np.zeros(compiled.nu)
        away = AWAY * rng.normal(size=compiled.nu) * compiled.scale
        dynamics.move(compiled.ints, compiled.reals, work, np.array(q), away, far)
        scaled = scaled_rows(compiled, rows_at(compiled, work, 0.0, far, still).G)
        basis = np.linalg.qr(scaled[kept].T)[0]
        rest = _norms(scaled - (scaled @ basis) @ basis.T)
        spare |= {int(k) for k in np.flatnonzero(rest > DEPENDENT * _norms(scaled).max())}
    spare -= set(kept)
    if not spare:
        return replace(compiled.with_rows(kept), every=None)
    both = sorted({*kept, *spare})
    every = compiled.with_rows(both)
    return replace(every.with_rows([both.index(k) for k in kept]), every=every)


def better_rows(compiled: Compiled, work: Array, t: float, q: Array, u: Array) -> Compiled | None:
    """The model with other rows, if those in use are near to depending on each other; or None.

    ``work`` is a workspace of ``compiled.every``.
    """
    every = compiled.every
    if every is None:
        return None
    scaled = scaled_rows(every, rows_at(every, work, t, q, u).G)
    if not np.all(np.isfinite(scaled)):
        return None
    used = places(compiled)
    chosen = sorted(_pivoted(scaled)[0][: compiled.nr])
    if chosen == used or not _least(scaled[chosen]) > BETTER * _least(scaled[used]):
        return None
    return replace(every.with_rows(chosen), every=every, q0=compiled.q0, u0=compiled.u0)


def rows_for(compiled: Compiled, t: float, q: Array, u: Array) -> Compiled:
    """The model with rows that are independent at a state."""
    if compiled.every is None:
        return compiled
    return better_rows(compiled, new_work(compiled.every.ints), t, q, u) or compiled


def row_sets(compiled: Compiled, t: Array, q: Array, u: Array) -> Iterator[tuple[slice, Compiled]]:
    """Parts of a history (rows of t, q, u), each with rows that are independent there."""
    if compiled.every is None:
        yield slice(0, len(t)), compiled
        return
    work, first = new_work(compiled.every.ints), 0
    for k in range(len(t)):
        other = better_rows(compiled, work, float(t[k]), q[k], u[k])
        if other is not None:
            if k > first:
                yield slice(first, k), compiled
            compiled, first = other, k
    yield slice(first, len(t)), compiled


def places(compiled: Compiled) -> list[int]:
    """Places of the rows in use among those of ``every``."""
    assert compiled.every is not None
    number = {row: k for k, row in enumerate(compiled.every.rows)}
    return [number[row] for row in compiled.rows]


def _pivoted(scaled: Array) -> tuple[list[int], Array]:
    """Rows in the order of their independent parts, and the sizes of these."""
    import scipy.linalg

    R, order = scipy.linalg.qr(scaled.T, mode="r", pivoting=True)
    return [int(k) for k in order], np.abs(np.diag(R))


def _norms(rows: Array) -> Array:
    return np.asarray(np.linalg.norm(rows, axis=1))


def _least(rows: Sequence[Array] | Array) -> float:
    return float(np.linalg.svd(np.asarray(rows), compute_uv=False)[-1])
