"""Reactions that are not unique: which they are, and the smallest of all that are possible.

With redundant constraints the equations of motion leave some reactions open: sets of them are in
equilibrium on every body by themselves. They are the null vectors of the transposed Jacobian with
all rows of all joints, each body moving freely, so they do not depend on the coordinates of a run.
Whatever reactions a run has, taking away their part along these sets leaves the smallest possible
ones (the sum of squares of forces and of torques divided by the model's length): the same in every
formulation.

Models of many bodies have few numbers in a row: there one sparse factorization takes any
multipliers to their part along the null vectors, and the parts of some random multipliers are
combinations of all null vectors: no list of them is needed.

The elasticity of the bodies decides about what equilibrium leaves open (`SelfStress`). With every
body free and all rows of all joints and constraints, multipliers x that do no work on any motion of
the bodies' frames and of the joints are such reactions; elastic coordinates are left out of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.constraints import Constraint
from supple.core.base.layout import new_work
from supple.engine.base.compiled import HELD, Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.pack.builder import build
from supple.engine.reading.phases import Phase, held_here, in_phase
from supple.engine.reading.rows import row_sizes, rows_at, scaled_rows, scaled_sparse
from supple.formulations.trees import Absolute
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.frames import Frame
from supple.foundation.poses import quaternions
from supple.graph.topology import FREE
from supple.joints import Joint
from supple.results.data.run_data import HeldLoads, History
from supple.results.views.views import JointLoad

if TYPE_CHECKING:
    from supple.model import Model

# Singular values of the scaled rows below this part of the largest are zero: bodies of a run meet
# to rounding; and parts of unit vectors below it, which are known to rounding over the gap.
ZERO = 1e-7
REGULAR = (2.0 * ZERO) ** 2  # makes the equations regular; the rows' largest value is about two
DENSE = 8_000  # numbers in the Jacobian of a small model
PASSES, SETTLED = 6, 1e-13  # each takes away more of what is no null vector, until that is rounding
WHOLE = 300_000  # numbers in a Jacobian that is treated as an array if sparse rows do not settle
SHARPER = 4  # times that singular values near the limit are pushed to one of its sides
SOME = 16  # random multipliers: more than enough that no part of all null vectors is left out
NOTHING = 1e-4  # parts of random multipliers that are no null vectors
# Singular values of the scaled rows below this part of the largest are zero: axes that would be
# parallel but for the deflections of the bodies, which are small angles.
NEARLY_ZERO = 1e-2
SAMPLES = 5  # output times at which it is decided what is unique
HALVES = slice(3, 6), slice(0, 3)  # of wrenches: force and torque, as rows are ordered


def in_equilibrium(G: Any, x: Array) -> Array:
    """The part of x (nr,) or (nr, n) along null vectors of transposed rows G: x - G y, smallest.

    G (nr, nu) is an array, or in compressed rows.
    """
    return _projection(G)(x)


def open_sets(G: Any) -> Array:
    """Multipliers (nr, n) in equilibrium; none of rows that are independent.

    Of a small model they are an orthonormal basis, of others random combinations of it, with parts
    of about the same size at each row.
    """
    if isinstance(G, np.ndarray):
        left, values, _ = np.linalg.svd(G)
        rank = int(np.sum(values > ZERO * values.max(initial=0.0)))
        return left[:, rank:]
    any_ones = np.random.default_rng(1).standard_normal((G.shape[0], SOME))
    combinations: Array = _projection(G)(any_ones) / np.sqrt(SOME)
    return combinations if np.linalg.norm(combinations) > NOTHING else combinations[:, :0]


def _projection(G: Any) -> Callable[[Array], Array]:
    """The function from multipliers to their part along null vectors."""
    if isinstance(G, np.ndarray):
        return lambda x: x - G @ np.linalg.lstsq(G, x, rcond=ZERO)[0]
    from scipy.sparse.linalg import splu

    nr, nu = G.shape
    try:
        lu = splu(_bordered(G))
    except RuntimeError:  # a pivot that is exactly zero
        return _projection(G.toarray())

    def once(x: Array) -> Array:
        """Rest of x: of a singular value s the part REGULAR / (s^2 + REGULAR)."""
        found: Array = lu.solve(np.concatenate([x, np.zeros((nu, *x.shape[1:]))]))
        return found[:nr]

    def sharper(x: Array, times: int) -> Array:
        """Rest of x with parts p replaced by 3 p^2 - 2 p^3: they tend to zero or one."""
        if not times:
            return once(x)
        two = sharper(sharper(x, times - 1), times - 1)
        return 3.0 * two - 2.0 * sharper(two, times - 1)

    def part(x: Array) -> Array:
        rest, rounding = x, SETTLED * np.abs(x).max(initial=0.0)
        for _ in range(PASSES):
            before, rest = rest, once(rest)
            if np.abs(rest - before).max(initial=0.0) <= rounding:
                return rest
        if nr * nu < WHOLE:  # near a singular position, where rounding shows
            return _projection(G.toarray())(x)
        return sharper(x, SHARPER)

    return part


def _bordered(G: Any) -> Any:
    """[[1, G], [G^T, -REGULAR]] of rows (nr, nu), without the many checks of SciPy's functions."""
    from scipy.sparse import csc_array

    (nr, nu), own = G.shape, G.tocsc()
    first, last, end = G.indptr[:-1], own.indptr[1:], G.nnz + nr
    indices = [
        np.insert(G.indices + nr, first, np.arange(nr)),
        np.insert(own.indices, last, np.arange(nr, nr + nu)),
    ]
    numbers = np.insert(G.data, first, 1.0), np.insert(own.data, last, -REGULAR)
    pointers = G.indptr + np.arange(nr + 1), last + np.arange(1, nu + 1) + end
    return csc_array(
        (np.concatenate(numbers), np.concatenate(indices), np.concatenate(pointers)),
        shape=(nr + nu, nr + nu),
    )


@dataclass(eq=False)
class Reactions:
    """Loads of the joints of a run."""

    model: Model  # the model as it was simulated, a copy
    history: RunHistory  # the run
    # in a run whose joints lock or let go, which are locked and gone at all its times
    phase: Phase | None = None

    def of(self, history: RunHistory) -> Reactions:
        """Reactions in other states."""
        return Reactions(self.model, history, self.phase)

    def __call__(self, axes: Mapping[str, Array]) -> dict[str, JointLoad]:
        """The smallest loads, by joint; empty where all reactions are unique.

        ``axes`` (nt, 3, 3) of each joint's frame B, in the world.
        """
        found = self._smallest(axes)
        return {} if found is None else found[0].loads

    def constraints(self, axes: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
        """The smallest loads (nt,) of constraints, by part; empty where all are unique.

        ``axes`` as for the joints; NaN where the run has no loads.
        """
        loads: dict[str, dict[str, Array]] = {}
        redundant = np.any(np.isnan(self.history.multipliers))  # some rows are not in use
        found = self._smallest(axes) if redundant else None
        if found is not None:
            for row, multipliers in zip(self.absolute.rows, found[1].T, strict=True):
                if row.owner in self.model.constraints:
                    loads.setdefault(row.owner, {})[row.part] = -multipliers
        return loads

    def _smallest(self, axes: Mapping[str, Array]) -> tuple[_Tables, Array] | None:
        """Loads of joints, and multipliers (nt, nr) of all rows; None if all are unique."""
        c = self.absolute
        sets = {k: open_sets(self._table(k)) for k in self._samples}
        if not all(vectors.size for vectors in sets.values()) or not sets:
            return None  # but perhaps in singular positions
        tables = _Tables(self, axes)
        held = set(tables.rows.ravel().tolist())
        others = [k for k in range(c.nr) if k not in held]
        x = np.zeros((len(self.t), c.nr))  # multipliers of all rows: loads on A, in the axes of B
        x[:, tables.rows] = tables.multipliers
        x[:, others] = self._multipliers(others)
        change, size = np.zeros_like(x), row_sizes(c)
        for k in self._finite:
            G = self._table(k)
            change[k] = -in_equilibrium(G, x[k] * size)
            if others:
                tables.share(k, G, change[k])
        tables.add(change)
        for k, vectors in sets.items():
            tables.look(k, self._table(k), vectors)
        whole = np.full_like(x, np.nan)
        whole[self._finite] = (x + change / size)[self._finite]
        return tables, whole

    @property
    def compiled(self) -> Compiled:
        """The model as the run began."""
        return self.history.compiled

    @property
    def t(self) -> Array:
        """Output times (nt,), s."""
        return self.history.t

    @cached_property
    def absolute(self) -> Compiled:
        """Model with all bodies free and all rows of all joints, and of locks."""
        built, phase = self._built, self.phase
        if phase is None:
            return built
        every = [(name, k) for name in built.holds for k in range(len(built.holds[name]))]
        held = [place for place in every if phase.holds(*place)]
        return in_phase(held_here(built, held, self._positions[0]), phase)

    @cached_property
    def _built(self) -> Compiled:
        held = () if self.phase is None else tuple(self.compiled.holds)
        return build(self.model, (), Absolute().tree(self.model), held=held)

    @cached_property
    def _finite(self) -> list[int]:
        """Output times at which the run has loads."""
        whole = np.all(np.isfinite(self.history.reaction), axis=(1, 2))
        return [int(k) for k in np.flatnonzero(whole)]

    @cached_property
    def _samples(self) -> list[int]:
        """Some of them."""
        places = np.linspace(0, len(self._finite) - 1, SAMPLES).astype(int)
        return [self._finite[k] for k in np.unique(places)] if self._finite else []

    @cached_property
    def _positions(self) -> Array:
        """Coordinates (nt, nq) of the absolute model at the output times."""
        target, source, h = self._built, self.compiled, self.history
        q = np.tile(target.q0, (len(self.t), 1))
        for name, record in target.joints.items():
            user = source.joints[name].to_user(h.q, h.u)
            q[:, record.q] = record.from_user(*user)[0]
        for name, flexible in target.flexible.items():
            q[:, flexible.q] = h.q[:, source.flexible[name].q]
        for name, vectors in target.gradient.items():
            q[:, vectors.q] = h.q[:, source.gradient[name].q]
        for name, motor in target.motors.items():
            if motor.own:
                q[:, motor.q] = h.q[:, source.motors[name].q]
        for name, record in target.extra.items():
            if name.startswith(FREE):
                k = source.body_names.index(record.child)
                q[:, record.q] = np.hstack([quaternions(h.R[:, k]), h.p[:, k]])
            else:  # of a frame driver
                q[:, record.q] = h.q[:, source.extra[name].q]
        return q

    @cached_property
    def _work(self) -> Array:
        return new_work(self.absolute.ints)

    def _table(self, k: int) -> Any:
        """All rows (nr, nu) at an output time, in units of rows and increments.

        An array of a small model, otherwise in compressed rows.
        """
        c = self.absolute
        rows = rows_at(c, self._work, self.t[k], self._positions[k], np.zeros(c.nu))
        return scaled_rows(c, rows.G) if c.nr * c.nu < DENSE else scaled_sparse(c, rows)

    def _multipliers(self, rows: list[int]) -> Array:
        """Multipliers (nt, rows) of some of all rows; zero of those that are not in use."""
        own = {(r.owner, r.part): k for k, r in enumerate(self.compiled.every_row)}
        multipliers = np.zeros((len(self.t), len(rows)))
        for i, row in enumerate(self.absolute.rows[k] for k in rows):
            if (row.owner, row.part) in own:
                multipliers[:, i] = self.history.multipliers[:, own[row.owner, row.part]]
        return np.nan_to_num(multipliers)


@dataclass(eq=False)
class PhasedReactions:
    """Loads of the joints of a run whose joints lock or let go, phase by phase."""

    # model, history: as in `Reactions`
    model: Model
    history: RunHistory
    phases: Sequence[Phase]  # of the run, in order
    begins: Sequence[float]  # (n - 1,) s, when the second and the others begin

    def of(self, history: RunHistory) -> PhasedReactions:
        """Reactions in other states."""
        return PhasedReactions(self.model, history, self.phases, self.begins)

    def __call__(self, axes: Mapping[str, Array]) -> dict[str, JointLoad]:
        """The smallest loads, by joint; empty where all reactions are unique."""
        h, c = self.history, self.history.compiled
        which = np.searchsorted(self.begins, h.t, side="right")
        loads: dict[str, JointLoad] = {}
        for k, phase in enumerate(self.phases):
            mine = np.flatnonzero(which == k)
            if not len(mine):
                continue
            part = Reactions(self.model, h.at(mine), phase)
            for name, load in part({n: x[mine] for n, x in axes.items()}).items():
                if name not in loads:
                    place = c.joint_names.index(name)
                    held, sure = h.holding(name, axes[name]), np.ones(6, dtype=bool)
                    wrench, reaction = h.wrench[:, place] + held, h.reaction[:, place] + held
                    effort = c.effort_to_user(name, h.effort)
                    loads[name] = JointLoad(wrench, reaction, effort, sure, sure.copy())
                whole = loads[name]
                whole.wrench[mine], whole.reaction[mine] = load.wrench, load.reaction
                whole.effort[mine] = load.effort
                np.logical_and(whole.unique, load.unique, out=whole.unique)
                np.logical_and(whole.unique_local, load.unique_local, out=whole.unique_local)
        return loads

    def constraints(self, axes: Mapping[str, Array]) -> dict[str, dict[str, Array]]:
        """The smallest loads of constraints, by part; NaN in phases in which all are unique."""
        h = self.history
        which = np.searchsorted(self.begins, h.t, side="right")
        loads: dict[str, dict[str, Array]] = {}
        for k, phase in enumerate(self.phases):
            mine = np.flatnonzero(which == k)
            if not len(mine):
                continue
            part = Reactions(self.model, h.at(mine), phase)
            for name, rows in part.constraints({n: x[mine] for n, x in axes.items()}).items():
                for row, values in rows.items():
                    whole = loads.setdefault(name, {}).setdefault(row, np.full(len(h.t), np.nan))
                    whole[mine] = values
        return loads


class _Tables:
    """Loads of joints over a run.

    The rows of a joint are its three places and three rotations; their multipliers are the force
    and the torque on A at B's origin, along the axes of B.
    """

    def __init__(self, run: Reactions, axes: Mapping[str, Array]) -> None:
        c, h = run.absolute, run.history
        own: dict[str, list[int]] = {}
        for k, row in enumerate(c.rows):
            if row.owner in c.joints and not row.part.endswith(HELD):
                own.setdefault(row.owner, []).append(k)
        self.names = list(own)
        self.rows = np.array(list(own.values()), dtype=int).reshape(-1, 6)
        self.axes = np.array([axes[name] for name in own]).reshape(-1, len(h.t), 3, 3)
        self.size, self.scale = row_sizes(c)[self.rows], c.scale
        place = {name: k for k, name in enumerate(run.compiled.joint_names)}
        held = [h.holding(name, axes[name]) for name in own]
        shape = len(own), len(h.t), 6
        self.wrench, self.reaction = (
            np.array([w[:, place[n]] + x for n, x in zip(own, held, strict=True)]).reshape(shape)
            for w in (h.wrench, h.reaction)
        )
        self.effort = [run.compiled.effort_to_user(name, h.effort).copy() for name in own]
        self.carried = np.zeros(shape)  # changes of multipliers that actuators carry
        self.along = np.zeros((len(own), 6)), np.zeros((len(own), 6))  # see `look`
        self.columns = [c.joints[name].u for name in own]
        widths = np.array([u.stop - u.start for u in self.columns], dtype=int)
        self.groups = [np.flatnonzero(widths == n) for n in np.unique(widths)]

    @property
    def multipliers(self) -> Array:
        """Multipliers (nt, joints, 6) of the loads."""
        parts = [np.einsum("jtki,jtk->tji", self.axes, self.wrench[..., x]) for x in HALVES]
        return -np.concatenate(parts, axis=2)

    def share(self, k: int, G: Any, change: Array) -> None:
        """Note what efforts carry of a change (nr,) of the scaled multipliers at one time."""
        for joints, S in self._motions(G):
            own = change[self.rows[joints]][..., None]
            self.carried[joints, k] = (S @ (np.linalg.pinv(S) @ own))[..., 0]
            for j, effort in zip(joints, (np.swapaxes(S, 1, 2) @ own)[..., 0], strict=True):
                self.effort[j][k] += effort / self.scale[self.columns[j]]

    def add(self, change: Array) -> None:
        """Change the loads by scaled multipliers (nt, nr) of all rows."""
        own = np.swapaxes(change[:, self.rows], 0, 1)
        for table, part in ((self.wrench, own), (self.reaction, own - self.carried)):
            push = -part / self.size[:, None]
            for x, y in (HALVES, HALVES[::-1]):
                table[..., x] += np.einsum("jtik,jtk->jti", self.axes, push[..., y])

    def look(self, k: int, G: Any, vectors: Array) -> None:
        """Note which components of the loads the null vectors (nr, n) leave undetermined.

        That is the largest parts of them: along the axes of the world, and of B.
        """
        for joints, S in self._motions(G):
            null = vectors[self.rows[joints]]
            null = null - S @ (np.linalg.pinv(S) @ null)
            for most, axes in zip(self.along, (self.axes[joints, k], np.eye(3)), strict=True):
                turned = np.concatenate([axes @ null[:, 3:], axes @ null[:, :3]], axis=1)
                most[joints] = np.maximum(most[joints], np.linalg.norm(turned, axis=2))

    def _motions(self, G: Any) -> Iterator[tuple[np.ndarray, Array]]:
        """Joints with as many velocities, and what their rows have there (joints, 6, nu)."""
        for joints in self.groups:
            own = np.array([range(*self.columns[j].indices(G.shape[1])) for j in joints], dtype=int)
            S = np.zeros((len(joints), 6, own.shape[1]))
            if S.size:
                rows = np.broadcast_to(self.rows[joints][:, :, None], S.shape)
                columns = np.broadcast_to(own[:, None, :], S.shape)
                wide = 6 * len(joints), own.shape[1]
                entries = G[rows.reshape(wide), columns.reshape(wide)]
                S[:] = (entries if isinstance(G, np.ndarray) else entries.toarray()).reshape(
                    S.shape
                )
            yield joints, S

    @property
    def loads(self) -> dict[str, JointLoad]:
        """The loads by joint, and which of their components are unique."""
        unique = [most < ZERO for most in self.along]
        every = zip(self.wrench, self.reaction, self.effort, *unique, strict=True)
        return {name: JointLoad(*x) for name, x in zip(self.names, every, strict=True)}


@dataclass(frozen=True, eq=False)
class SelfStress:
    """Finds them for states of a run of the model."""

    model: Model

    def __call__(self, history: History) -> list[HeldLoads]:
        """For each state: by body, the frames at which they act, and wrenches (6, s) there.

        A wrench [torque; force] is about the body's own frame, in its axes.
        """
        run = _Rows(self.model, cast("RunHistory", history))
        return [run.held(k) for k in range(len(run.t))]

    def constraints(self, history: History) -> list[HeldLoads]:
        """For each state what constraints exert, in the same way; wrenches are (6, 1)."""
        run = _Rows(self.model, cast("RunHistory", history))
        return [run.exerted(k) for k in range(len(run.t))]


class _Rows(Reactions):
    """All rows of a model whose bodies all move freely."""

    @cached_property
    def _built(self) -> Compiled:
        """Every body on a free joint of its own, at its own frame."""
        return build(self.model, (), [FREE + name for name in self.model.bodies])

    def _scaled(self, k: int) -> Array:
        """All rows (nr, nu) at a state, in units of rows and increments."""
        c = self.absolute
        rows = rows_at(c, self._work, self.t[k], self._positions[k], np.zeros(c.nu))
        return scaled_rows(c, rows.G)

    def held(self, k: int) -> HeldLoads:
        """Self-stress at one state."""
        c = self.absolute
        scaled = self._scaled(k)
        if not np.all(np.isfinite(scaled)):  # of a run that diverged
            return {name: [] for name in self.model.bodies}
        rigid = np.ones(c.nu, dtype=bool)
        for record in c.flexible.values():
            rigid[record.u] = False
        left, values, _ = np.linalg.svd(scaled[:, rigid])
        rank = int(np.sum(values > NEARLY_ZERO * values.max(initial=0.0)))
        return self._on_bodies(scaled, left[:, rank:])

    def exerted(self, k: int) -> HeldLoads:
        """Loads of constraints at one state."""
        c = self.absolute
        known = np.array(self._known[k]) * row_sizes(c)
        own = np.array([row.owner in self.model.constraints for row in c.rows])
        return self._on_bodies(self._scaled(k), -np.where(own, known, 0.0)[:, None])

    @cached_property
    def _known(self) -> Array:
        """Multipliers (nt, nr) of all rows."""
        return self._multipliers(list(range(self.absolute.nr)))

    def _on_bodies(self, scaled: Array, multipliers: Array) -> HeldLoads:
        """Wrenches of scaled multipliers (nr, s) on the frames of all bodies."""
        c = self.absolute
        loads: HeldLoads = {}
        G = scaled / c.scale
        for name in self.model.bodies:
            if name in c.gradient:  # nodal vectors have no frame that wrenches could refer to
                loads[name] = []
                continue
            columns = c.extra[FREE + name].u
            loads[name] = [
                (frame, G[rows][:, columns].T @ multipliers[rows])
                for frame, rows in self._acting[name]
            ]
        return loads

    @cached_property
    def _acting(self) -> dict[str, list[tuple[Frame, list[int]]]]:
        """By body, frames of joints and constraints with the places of their rows."""
        c, model = self.absolute, self.model
        acting: dict[str, list[tuple[Frame, list[int]]]] = {name: [] for name in model.bodies}
        items: list[Joint | Constraint] = [*model.joints.values(), *model.constraints.values()]
        for item in items:
            rows = [k for k, r in enumerate(c.rows) if r.owner == item.name]
            for frame in item.frames.values() if rows else ():
                if frame.body.name in acting:
                    acting[frame.body.name].append((frame, rows))
        return acting
