"""Assembly: from a compiled model to one that starts on its constraints, with independent rows.

Positions are found by a damped Gauss-Newton iteration whose steps are the smallest in the norm of
the mass matrix; velocities by one such step. Rows that follow from the others (a planar loop of
spatial revolutes has three) are found by QR with column pivoting and left out: they hold as long
as the rest does, wherever the mechanism goes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.compiled import Compiled, build
from supple.core import dynamics
from supple.core.layout import new_work
from supple.errors import ModelError
from supple.frames import Frame
from supple.histories import histories
from supple.model import Model
from supple.poses import Array, matrix_quaternion
from supple.records import RowRecord
from supple.state import State
from supple.topology import FREE
from supple.tree_choice import Tree

# A row whose independent part, measured in lengths of the model and radians, is below this follows
# from others: rounding leaves 1e-15, an assembled mechanism's rows differ by its closure, 1e-12.
DEPENDENT = 1e-9
# How exactly an assembled mechanism closes, in lengths of the model and radians.
CLOSED = 1e-11
# Part of the mean mass with which coordinates without mass resist their first guess.
SOFT = 1e-6
ITERATIONS = 200
LARGEST_STEP = 0.5  # rad, or lengths of the model


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


class Assembler:
    """Moves states of a compiled model onto its constraints."""

    def __init__(self, compiled: Compiled, fixed: Sequence[int] = ()) -> None:
        self.compiled = compiled
        self.work = new_work(compiled.ints)
        self.free = np.setdiff1d(np.arange(compiled.nu), np.array(fixed, dtype=int))

    def positions(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Coordinates near q that satisfy the rows, and the violations that are left (nr,)."""
        q, sizes = np.array(q, dtype=float), row_sizes(self.compiled)
        rows = rows_at(self.compiled, self.work, t, q, u)
        gap = rows.violation / sizes
        for _ in range(ITERATIONS):
            if np.max(np.abs(gap), initial=0.0) < 1e-14:
                break
            step = self._smallest(q, rows.G / sizes[:, None], -gap)
            longest = float(np.max(np.abs(step / self.compiled.scale), initial=0.0))
            if longest == 0.0:
                break
            part = min(1.0, LARGEST_STEP / longest)
            before = float(np.linalg.norm(gap))
            for _ in range(30):
                trial = self.moved(q, part * step)
                rows = rows_at(self.compiled, self.work, t, trial, u)
                gap = rows.violation / sizes
                if np.linalg.norm(gap) < (1.0 - 1e-4 * part) * before or before < 1e-13:
                    break
                part *= 0.5
            if not np.linalg.norm(gap) < before:
                rows = rows_at(self.compiled, self.work, t, q, u)
                gap = rows.violation / sizes
                break
            q = trial
        return q, gap * sizes

    def velocities(self, t: float, q: Array, u: Array) -> Array:
        """Velocities near u that satisfy the rows."""
        rows, sizes = rows_at(self.compiled, self.work, t, q, u), row_sizes(self.compiled)
        step: Array = u + self._smallest(q, rows.G / sizes[:, None], -rows.rate / sizes)
        return step

    def moved(self, q: Array, d: Array) -> Array:
        """The configuration q moved by the increment d (nu,)."""
        out = np.empty(self.compiled.nq)
        c = self.compiled
        dynamics.move(c.ints, c.reals, self.work, np.ascontiguousarray(q), np.array(d), out)
        return out

    def mass(self, q: Array) -> Array:
        """Mass matrix (nu, nu), with a little mass on coordinates that have none."""
        c = self.compiled
        M = np.empty((c.nu, c.nu))
        dynamics.mass_matrix(c.ints, c.reals, self.work, np.ascontiguousarray(q), M)
        mean = float(np.mean(np.diag(M) * c.scale**2)) or 1.0
        M += np.diag(SOFT * mean / c.scale**2)
        return M

    def _smallest(self, q: Array, G: Array, right: Array) -> Array:
        """The step d with G d = right, in the least-squares sense, of the smallest d M d."""
        free, d = self.free, np.zeros(self.compiled.nu)
        if len(free) and len(right):
            L = np.linalg.cholesky(self.mass(q)[np.ix_(free, free)])
            whitened = np.linalg.solve(L, G[:, free].T).T
            y = np.linalg.lstsq(whitened, right, rcond=1e-10)[0]
            d[free] = np.linalg.solve(L.T, y)
        return d


def compile_model(
    model: Model,
    frames: Iterable[Frame] = (),
    tree: Tree | None = None,
    frozen: float | None = None,
) -> Compiled:
    """Check a model, compile it on a spanning tree and assemble it.

    ``frames`` on flexible bodies that are watched, but not used by the model itself, get nodes too.
    ``tree`` names the joints of a spanning tree and the bodies, as ``free:<body>``, that hang on
    free joints of their own; by default the tree with the fewest velocities is taken. Where there
    are constraints, the initial state is moved onto them, as little as possible, and rows that
    follow from others are left out. ``frozen`` is a time (s) at which all signals stand still.
    """
    model.check()
    frames = tuple(frames)
    compiled = build(model, frames, frozen=frozen)
    if compiled.nr:
        compiled = assembled(compiled)
    if tree is None:
        return compiled
    other = build(model, frames, tree, frozen)
    q, u = transferred(compiled, compiled.q0, compiled.u0, other)
    other = replace(other, q0=q, u0=u)
    return assembled(other) if other.nr else other


def assembled(compiled: Compiled, fixed: Sequence[int] = ()) -> Compiled:
    """The model with its initial state on the constraints and its dependent rows left out."""
    move = Assembler(compiled, fixed)
    q, gap = move.positions(0.0, compiled.q0, compiled.u0)
    refuse_gap(compiled, gap)
    u = move.velocities(0.0, q, compiled.u0)
    rows = rows_at(compiled, move.work, 0.0, q, u)
    refuse_rate(compiled, rows.rate, float(np.max(np.abs(u), initial=1.0)))
    kept = independent(compiled, rows.G)
    return replace(compiled.with_rows(kept), q0=q, u0=u)


def refuse_gap(compiled: Compiled, gap: Array) -> None:
    """Raise if a mechanism cannot be closed; the sentence names the row that is farthest off."""
    relative = np.abs(gap) / row_sizes(compiled)
    if len(gap) and not np.max(relative) < CLOSED:
        k = int(np.argmax(np.where(np.isfinite(relative), relative, np.inf)))
        row = compiled.rows[k]
        unit = "" if row.unit == "1" else f" {row.unit}"
        raise ModelError.plain(
            f"{row.label}: its {row.part} stays {gap[k]:.3g}{unit} away from closing, expected "
            "dimensions and initial coordinates with which the mechanism can be assembled"
        )


def refuse_rate(compiled: Compiled, rate: Array, size: float) -> None:
    """Raise if drivers ask for velocities that the other constraints do not allow."""
    relative = np.abs(rate) / row_sizes(compiled)
    if len(rate) and not np.max(relative) < 1e3 * CLOSED * size:
        k = int(np.argmax(np.where(np.isfinite(relative), relative, np.inf)))
        row = compiled.rows[k]
        unit = "1/s" if row.unit == "1" else f"{row.unit}/s"
        raise ModelError.plain(
            f"{row.label}: its {row.part} moves with {rate[k]:.3g} {unit} at the start whatever "
            "the velocities are, expected drivers that the constraints can follow"
        )


def independent(compiled: Compiled, G: Array) -> list[int]:
    """Places of rows that do not follow from others, the best conditioned ones."""
    import scipy.linalg

    scaled = scaled_rows(compiled, G)
    if not scaled.size:
        return []
    size = np.linalg.norm(scaled, axis=1)
    R, order = scipy.linalg.qr(scaled.T, mode="r", pivoting=True)
    count = int(np.sum(np.abs(np.diag(R)) > DEPENDENT * max(float(size.max()), 1e-300)))
    return sorted(int(k) for k in order[:count])


def redundant(compiled: Compiled) -> tuple[RowRecord, ...]:
    """Rows of a model that were left out because they follow from others."""
    used = list(compiled.rows)
    return tuple(row for row in compiled.all_rows if row not in used)


def transferred(source: Compiled, q: Array, u: Array, target: Compiled) -> tuple[Array, Array]:
    """The state of one compilation of a model as coordinates of another one."""
    out_q, out_u = target.q0.copy(), target.u0.copy()
    for name, record in target.joints.items():
        out_q[record.q], out_u[record.u] = record.from_user(*source.joints[name].to_user(q, u))
    for name, flexible in target.flexible.items():
        own = source.flexible[name]
        out_q[flexible.q], out_u[flexible.u] = q[own.q], u[own.u]
    for name, motor in target.motors.items():
        if motor.own:
            out_q[motor.q], out_u[motor.u] = q[source.motors[name].q], u[source.motors[name].u]
    bodies = {name.removeprefix(FREE): r for name, r in target.extra.items() if r.kind == "free"}
    if bodies:
        rows = (np.array([0.0]), q[None], u[None], source.z0[None])
        _, history = histories(source, new_work(source.ints), *rows)
        for name, record in bodies.items():
            k = source.body_names.index(name)
            R, p, V = history.R[0, k], history.p[0, k], history.V[0, k]
            out_q[record.q] = [*matrix_quaternion(R), *p]
            out_u[record.u] = [*(R.T @ V[:3]), *(R.T @ V[3:])]
    return out_q, out_u


def on_constraints(compiled: Compiled, state: State) -> State:
    """A state moved onto the constraints at its time, as little as possible."""
    if not compiled.nr:
        return state
    move = Assembler(compiled)
    q, gap = move.positions(state.t, state.q, state.u)
    refuse_gap(compiled, gap)
    return replace(state, q=q, u=move.velocities(state.t, q, state.u))
