"""Singular positions of a run: where constraint rows come to depend on each other.

The smallest singular value of the scaled rows, but for redundant ones, is compared with its value
at regular positions. It falls in proportion to the distance to the singular position, so a run that
steps over one is noticed by looking for minima between its output times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled, RowRecord
from supple.engine.reading.rows import moving, row_sizes, rows_at, scaled_rows
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.loops.closing import Assembler
from supple.loops.ranks import (
    MANY,
    SINGULAR,
    independent_rows,
    scaled_table,
    smallest_value,
    smallest_values,
    weakest,
    weakest_row,
)

# A run has come close where the smallest singular value is this part of the regular one.
CLOSE = 1e-3
# A step that fails there has failed because of it.
NEAR = 1e-2
# ... or because it comes next: so far ahead, rad or lengths of the model
AHEAD = 0.1
# Rows in use are changed where their smallest singular value is this part of that of all rows.
WEAK = 0.05
SAMPLES = 400
BUDGET = 2e8  # operations: samples times rows times rank times velocities
# A row that was left out must stay this small, in lengths of the model and radians: what it
# follows from is kept to rounding, which a position near a singular one multiplies by 1 / CLOSE^2.
LEFT_OUT = 1e-7
CONTRADICTION = 1e-8  # the same where each state is solved for by itself


def refuse_singular(compiled: Compiled, t: float, q: Array) -> None:
    """Raise if a run would start in a singular position."""
    if can_be_singular(compiled):
        watch = Watch(compiled)
        if watch.size(t, q) < SINGULAR * compiled.regular_value:
            raise ModelError.plain(
                f"{about(compiled, watch.row(t, q))} at the start, from which more than one motion "
                "is possible, expected initial coordinates a little away from it"
            )


def can_be_singular(compiled: Compiled) -> bool:
    """True if rows may come to depend on each other in some positions."""
    return compiled.nr > 0 and compiled.regular_value > 0.0 and not hold_free_bodies(compiled)


def hold_free_bodies(compiled: Compiled) -> bool:
    """True if all rows are of bodies that roll, and each holds another free joint's translation.

    What rolls has three rows, of which those columns are a rotation times a length in any position:
    rows of which no other one has entries there never depend on each other.
    """
    owners = dict.fromkeys(row.label for row in compiled.rows)
    if (
        compiled.all_ints is not None
        or compiled.nr > MANY
        or not all(x.startswith("Rolling ") for x in owners)
    ):
        return False
    free = [joint for joint in compiled.joints.values() if joint.kind == "free"]
    if len(free) < len(owners):
        return False
    table = scaled_table(compiled, new_work(compiled.ints), 0.0, compiled.q0)
    labels = np.array([row.label for row in compiled.rows])
    held = set()
    for joint in free:
        part = table[:, joint.u.start + 3 : joint.u.stop]
        touched = np.any(part != 0.0, axis=1)
        names = set(labels[touched])
        if len(names) == 1 and np.sum(touched) == np.sum(labels == labels[touched][0]):
            own = part[touched]
            square = own @ own.T
            if np.allclose(square, square[0, 0] * np.eye(len(own)), atol=1e-9 * square[0, 0]):
                held |= names
    return held == set(owners)


def failed_near(compiled: Compiled, t: float, q: Array) -> str:
    """One sentence about the singular position in which a run failed; empty if it is none."""
    if not can_be_singular(compiled) or not np.all(np.isfinite(q)):
        return ""
    watch = Watch(compiled)
    if watch.size(t, q) < NEAR * compiled.regular_value:
        return about(compiled, watch.row(t, q))
    return ""


def heads_for(compiled: Compiled, t: float, q: Array, u: Array) -> str:
    """One sentence about a singular position that lies just ahead of a failed step; or nothing.

    Ahead is where the motion goes on within a tenth of a radian or a length, straight on.
    """
    rate = float(np.max(np.abs(u) / compiled.scale, initial=0.0))
    if not can_be_singular(compiled) or not (0.0 < rate < np.inf) or not np.all(np.isfinite(q)):
        return ""
    watch, move = Watch(compiled), Assembler(compiled)

    def size(ahead: float) -> float:
        return watch.size(t + ahead, move.moved(q, ahead * u))

    times = np.linspace(0.0, AHEAD / rate, 21)
    k = int(np.argmin([size(ahead) for ahead in times]))
    ahead = lowest(size, float(times[max(k - 1, 0)]), float(times[min(k + 1, len(times) - 1)]))
    if not size(ahead) < NEAR * compiled.regular_value:
        return ""
    where = about(compiled, watch.row(t + ahead, move.moved(q, ahead * u)))
    return f"some {ahead:.1g} s before {where}"


def about(compiled: Compiled, row: RowRecord) -> str:
    """Words for a singular position: its loop, and the row that depends on others there."""
    joints = compiled.loop_joints.get(row.owner, ())
    loop = f" in the loop of {', '.join(map(repr, (row.owner, *joints)))}" if joints else ""
    return f"a singular position{loop}: {row.name} follows from the other constraints"


def passed(compiled: Compiled, t: Array, q: Array, u: Array) -> str:
    """One sentence about the worst singular position close to the states of a run, or nothing.

    t (nt,), q (nt, nq), u (nt, nu) are output times and states.
    """
    if not can_be_singular(compiled) or len(t) < 2:
        return ""
    watch, move = Watch(compiled), Assembler(compiled)
    work = len(compiled.all_rows) * compiled.nr * compiled.nu
    count = int(np.clip(BUDGET / work, 20, SAMPLES))
    chosen = np.unique(np.linspace(0, len(t) - 1, min(count, len(t))).astype(int))
    chosen = chosen[np.all(np.isfinite(q[chosen]), axis=1)]
    sizes = smallest_values([watch.table(t[k], q[k]) for k in chosen], compiled.nr)
    reference = max(float(np.median(sizes)), compiled.regular_value) if len(sizes) else 0.0

    def near(time: float) -> Array:
        k = int(np.argmin(np.abs(t - time)))
        return move.moved(q[k], (time - t[k]) * u[k])

    worst, when = np.inf, 0.0
    for i in np.flatnonzero(sizes < 0.1 * reference):
        low, high = max(int(i) - 1, 0), min(int(i) + 1, len(sizes) - 1)
        if sizes[i] > min(sizes[low], sizes[high]):
            continue
        ends = float(t[chosen[low]]), float(t[chosen[high]])
        time = lowest(lambda s: watch.size(s, near(s)), *ends)
        if (size := watch.size(time, near(time))) < worst:
            worst, when = size, time
    if not worst < CLOSE * reference:
        return ""
    return (
        f"near t = {when:.4g} s the run passes {about(compiled, watch.row(when, near(when)))}; "
        "more than one motion continues from it, and this run shows one of them"
    )


def violated_row(compiled: Compiled, t: float, q: Array) -> str:
    """Say which of all rows is broken at q, where some were left out; empty if none is."""
    whole = compiled.complete
    if whole.nr == compiled.nr:
        return ""
    gap = rows_at(whole, new_work(whole.ints), t, q, np.zeros(whole.nu)).violation
    sizes = row_sizes(whole)
    k = int(np.argmax(np.abs(gap) / sizes))
    if abs(gap[k]) <= CONTRADICTION * sizes[k]:
        return ""
    row = whole.rows[k]
    unit = "" if row.unit == "1" else f" {row.unit}"
    return f"{row.name} is off by {abs(gap[k]):.3g}{unit}"


def violated(compiled: Compiled, t: Array, q: Array) -> str:
    """One sentence about a row that was left out but does not hold in a run, or nothing."""
    if compiled.all_ints is None:
        return ""
    complete, out = compiled.complete, compiled.left_out
    work, u = new_work(complete.ints), np.zeros(complete.nu)
    sizes = row_sizes(complete)
    chosen = np.unique(np.linspace(0, len(t) - 1, min(50, len(t))).astype(int))
    for k in chosen[np.all(np.isfinite(q[chosen]), axis=1)]:
        rows = rows_at(complete, work, t[k], q[k], u)
        gap = rows.violation
        relative = np.where(out, np.abs(gap) / sizes, 0.0)
        worst = int(np.argmax(relative))
        if relative[worst] > LEFT_OUT:
            row = complete.rows[worst]
            unit = "" if row.unit == "1" else f" {row.unit}"
            who = _contradicting(complete, scaled_rows(complete, rows.G), out, worst)
            return (
                f"{row.name} seemed to follow from the other constraints and was left out, but is "
                f"violated by {abs(gap[worst]):.3g}{unit} at t = {t[k]:.4g} s: {who} "
                "contradict each other there, do not trust this run"
            )
    return ""


def _contradicting(complete: Compiled, table: Array, out: np.ndarray, row: int) -> str:
    """The drivers among the rows that one which was left out is made of, if there are two."""
    used = np.flatnonzero(~out)
    shares = np.zeros(len(table))
    shares[used] = np.linalg.lstsq(table[used].T, table[row], rcond=None)[0]
    shares[row] = 1.0
    seen = moving(complete) & (np.abs(shares) > 1e-6)
    names = dict.fromkeys(complete.rows[k].label for k in np.flatnonzero(seen))
    return " and ".join(names) if len(names) > 1 else "the constraints"


class Watch:
    """Singular values of the constraint rows of a compiled model at given positions."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled, self.complete = compiled, compiled.complete
        self.work = new_work(self.complete.ints)
        self.used = np.flatnonzero(~compiled.left_out)

    def table(self, t: float, q: Array) -> Any:
        """All rows (nr, nu), scaled; many of them sparse."""
        return scaled_table(self.complete, self.work, float(t), q)

    def size(self, t: float, q: Array) -> float:
        """The singular value that vanishes in singular positions."""
        return smallest_value(self.table(t, q), self.compiled.nr)

    def row(self, t: float, q: Array) -> RowRecord:
        """The row in use that depends most on the others."""
        return self.compiled.rows[weakest_row(self.table(t, q)[self.used])]

    def choice(self, t: float, q: Array) -> tuple[float, Compiled | None]:
        """Smallest singular value of the rows in use over that of all, and a model with other rows.

        The model is None where the rows in use are good enough. There are mechanisms (Bennett's) in
        which no choice of rows stays independent in all positions, though all rows together have
        full rank. Rows that do work, those that change in time, stay in use.
        """
        if self.compiled.all_ints is None or not np.all(np.isfinite(q)):
            return 1.0, None
        table, rank = self.table(t, q), self.compiled.nr
        now, whole = smallest_value(table[self.used], rank), smallest_value(table, rank)
        if now > WEAK * whole:
            return now / whole, None
        moves = moving(self.complete)
        first = [k for k in self.used if moves[k]]
        others = [k for k in range(table.shape[0]) if not moves[k]]
        groups = [np.array(first, dtype=int), np.array(others, dtype=int)]
        kept = independent_rows(table, groups, rank)
        if len(kept) != rank or smallest_value(table[kept], rank) < 4.0 * now:
            return 0.0, None
        return 1.0, self.complete.with_rows(kept)


def lowest(f: Callable[[float], float], low: float, high: float) -> float:
    """Place of the lowest value of f between low and high, by golden sections."""
    ratio = 0.5 * (float(np.sqrt(5.0)) - 1.0)
    a, b = high - ratio * (high - low), low + ratio * (high - low)
    fa, fb = f(a), f(b)
    for _ in range(25):
        if fa < fb:
            high, b, fb = b, a, fa
            a = high - ratio * (high - low)
            fa = f(a)
        else:
            low, a, fa = a, b, fb
            b = low + ratio * (high - low)
            fb = f(b)
    return a if fa < fb else b


class Smallest:
    """The smallest singular value of scaled rows, but for redundant ones, and its vectors."""

    def __init__(self, table: Any, rank: int) -> None:
        if isinstance(table, np.ndarray):
            left, sizes, right = np.linalg.svd(table, full_matrices=False)
            self.size = float(sizes[rank - 1])
            self.left, self.right = left[:, rank - 1], right[rank - 1]
            return
        few = table.shape[0] - rank
        values, vectors = weakest(table, 0.0, few)
        self.size, self.left = float(values[few]), vectors[:, few]
        self.right = table.T @ self.left / (self.size or 1.0)

    def signed(self, table: Any) -> float:
        """The value in another position, by the same vectors: its sign changes at zero."""
        return float(self.left @ (table @ self.right))


def first_root(f: Callable[[float], float], first: float, step: float, most: float) -> float | None:
    """Root of f, which is ``first`` at 0, between 0 and ``most``, or None."""
    a, fa, b = 0.0, first, step
    for _ in range(20):
        fb = f(b)
        if fb == fa:
            return None
        c = b - fb * (b - a) / (fb - fa)
        if not 0.0 < c < 2.0 * most:
            return None
        a, fa, b = b, fb, c
        if abs(b - a) < 1e-4 * b:
            return b if b < most else None
    return None
