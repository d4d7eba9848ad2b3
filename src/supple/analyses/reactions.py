"""Reactions that are not unique: which they are, and the smallest of all that are possible.

With redundant constraints the equations of motion leave some reactions open: sets of them are in
equilibrium on every body by themselves. They are the null vectors of the transposed Jacobian with
all rows of all joints, each body moving freely, so they do not depend on the coordinates of a run.
Whatever reactions a run has, taking away their part along these sets leaves the smallest possible
ones (the sum of squares of forces and of torques divided by the model's length): the same in every
formulation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.core.layout import new_work
from supple.engine.builder import build
from supple.engine.compiled import HELD, Compiled
from supple.engine.histories import RunHistory
from supple.engine.phases import Phase, held_here, in_phase
from supple.engine.rows import row_sizes, rows_at, scaled_rows
from supple.formulations.trees import Absolute
from supple.graph.topology import FREE
from supple.model import Model
from supple.poses import Array, quaternions
from supple.results.views import JointLoad

# Singular values of the scaled rows below this part of the largest are zero: bodies of a run meet
# to rounding; and parts of unit vectors below it, which are known to rounding over the gap.
ZERO = 1e-7
# Against the freedom of the mechanism, for which the equations of the smallest loads are singular;
# singular values of the rows are far above its root.
REGULAR = 1e-12
DENSE = 20_000  # numbers in the Jacobian of a small model
SAMPLES = 5  # output times at which it is decided what is unique


@dataclass(eq=False)
class Reactions:
    """Loads of the joints of a run.

    Attributes
    ----------
    model : the model as it was simulated, a copy
    history : the run
    phase : in a run whose joints lock or let go, which are locked and gone at all its times
    """

    model: Model
    history: RunHistory
    phase: Phase | None = None

    def of(self, history: RunHistory) -> Reactions:
        """The same for other states."""
        return Reactions(self.model, history, self.phase)

    def __call__(self, axes: Mapping[str, Array]) -> dict[str, JointLoad]:
        """The smallest loads, by joint; empty where all reactions are unique.

        ``axes`` (nt, 3, 3) of each joint's frame B, in the world.
        """
        c, samples = self.absolute, self._samples
        if self._rank == c.nr:
            return {}
        whole = [(k, r.owner) for k, r in enumerate(c.rows) if not r.part.endswith(HELD)]
        own = {name: [k for k, owner in whole if owner == name] for name in c.joints}
        tables = {name: _Table(self, name, axes[name], rows) for name, rows in own.items() if rows}
        held = {k for table in tables.values() for k in table.rows}
        others = [k for k in range(c.nr) if k not in held]
        size = row_sizes(c)
        known = self._multipliers(others)
        for k in range(len(self.t)):
            if not np.all(np.isfinite(self.history.reaction[k])):
                continue
            x = np.zeros(c.nr)  # multipliers of all rows: loads on A, in the axes of B
            for table in tables.values():
                x[table.rows] = table.multipliers(k)
            x[others] = known[k]
            G = self._scaled(k)
            change = -in_equilibrium(G, x * size)
            for table in tables.values():
                table.add(k, G, change, bool(others))
            if k in samples:
                basis = self._null_vectors(G)
                for table in tables.values():
                    table.look(k, G, basis)
        return {name: table.load for name, table in tables.items()}

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
        """The same model with all bodies free and all rows of all joints, and of locks."""
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
    def _samples(self) -> list[int]:
        """Some output times."""
        finite = np.flatnonzero(np.all(np.isfinite(self.history.reaction), axis=(1, 2)))
        if not len(finite):
            return []
        return [
            int(k) for k in np.unique(finite[np.linspace(0, len(finite) - 1, SAMPLES).astype(int)])
        ]

    @cached_property
    def _rank(self) -> int:
        """Rank of all rows, away from singular positions."""
        values = [np.linalg.svd(self._scaled(k), compute_uv=False) for k in self._samples]
        ranks = [int(np.sum(s > ZERO * s[0])) for s in values if len(s)]
        return max(ranks, default=self.absolute.nr)

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

    def _scaled(self, k: int) -> Array:
        """All rows (nr, nu) at an output time, in units of rows and increments."""
        c = self.absolute
        rows = rows_at(c, self._work, self.t[k], self._positions[k], np.zeros(c.nu))
        return scaled_rows(c, rows.G)

    def _null_vectors(self, G: Array) -> Array:
        """Orthonormal basis (nr, n) of scaled multipliers in equilibrium on every body."""
        import scipy.linalg

        Q, _, _ = scipy.linalg.qr(G, pivoting=True)
        basis: Array = Q[:, self._rank :]
        return basis

    def _multipliers(self, rows: list[int]) -> Array:
        """Multipliers (nt, rows) of some of all rows; zero of those that are not in use."""
        own = {(r.owner, r.part): k for k, r in enumerate(self.compiled.every_row)}
        found = np.zeros((len(self.t), len(rows)))
        for i, row in enumerate(self.absolute.rows[k] for k in rows):
            if (row.owner, row.part) in own:
                found[:, i] = self.history.multipliers[:, own[row.owner, row.part]]
        return np.nan_to_num(found)


@dataclass(eq=False)
class PhasedReactions:
    """Loads of the joints of a run whose joints lock or let go, phase by phase.

    Attributes
    ----------
    model, history : as in `Reactions`
    phases : of the run, in order
    begins : (n - 1,) s, when the second and the others begin
    """

    model: Model
    history: RunHistory
    phases: Sequence[Phase]
    begins: Sequence[float]

    def of(self, history: RunHistory) -> PhasedReactions:
        """The same for other states."""
        return PhasedReactions(self.model, history, self.phases, self.begins)

    def __call__(self, axes: Mapping[str, Array]) -> dict[str, JointLoad]:
        """The smallest loads, by joint; empty where all reactions are unique."""
        h, c = self.history, self.history.compiled
        which = np.searchsorted(self.begins, h.t, side="right")
        found: dict[str, JointLoad] = {}
        for k, phase in enumerate(self.phases):
            mine = np.flatnonzero(which == k)
            if not len(mine):
                continue
            part = Reactions(self.model, h.at(mine), phase)
            for name, load in part({n: x[mine] for n, x in axes.items()}).items():
                if name not in found:
                    place = c.joint_names.index(name)
                    held, sure = h.holding(name, axes[name]), np.ones(6, dtype=bool)
                    wrench, reaction = h.wrench[:, place] + held, h.reaction[:, place] + held
                    effort = c.effort_to_user(name, h.effort)
                    found[name] = JointLoad(wrench, reaction, effort, sure, sure.copy())
                whole = found[name]
                whole.wrench[mine], whole.reaction[mine] = load.wrench, load.reaction
                whole.effort[mine] = load.effort
                np.logical_and(whole.unique, load.unique, out=whole.unique)
                np.logical_and(whole.unique_local, load.unique_local, out=whole.unique_local)
        return found


def in_equilibrium(G: Array, x: Array) -> Array:
    """The part of x (nr,) along null vectors of the transposed rows G (nr, nu): x - G y, smallest.

    Large models have few numbers in a row: there a sparse solution with a little regularization,
    whose error the second pass squares away.
    """
    if G.size < DENSE:
        smallest: Array = x - G @ np.linalg.lstsq(G, x, rcond=ZERO)[0]
        return smallest
    from scipy.sparse import block_array, csc_array, eye_array
    from scipy.sparse.linalg import splu

    rows, (nr, nu) = csc_array(G), G.shape
    lower = eye_array(nu, format="csc") * -REGULAR
    lu = splu(block_array([[eye_array(nr), rows], [rows.T, lower]], format="csc"))
    rest = np.concatenate([x, np.zeros(nu)])
    for _ in range(2):
        rest = lu.solve(rest)
        rest[nr:] = 0.0
    part: Array = rest[:nr]
    return part


class _Table:
    """Loads of one joint over a run; set one output time after the other.

    The rows of a joint are its three places and three rotations; their multipliers are the force
    and the torque on A at B's origin, along the axes of B.
    """

    def __init__(self, run: Reactions, name: str, axes: Array, rows: list[int]) -> None:
        c, k = run.absolute, run.compiled.joint_names.index(name)
        self.rows, self.axes = rows, axes
        self.columns = range(c.nu)[c.joints[name].u]
        self.size, self.scale = row_sizes(c)[rows], c.scale[c.joints[name].u]
        effort = run.compiled.effort_to_user(name, run.history.effort)
        h = run.history
        held = h.holding(name, axes)
        self.wrench, self.reaction = h.wrench[:, k] + held, h.reaction[:, k] + held
        self.effort = effort.copy()
        self.along = np.zeros(6), np.zeros(6)  # largest parts of null vectors: world, axes of B

    def multipliers(self, k: int) -> Array:
        """Multipliers (6,) of the load at an output time."""
        R, load = self.axes[k], self.wrench[k]
        return -np.concatenate([R.T @ load[3:], R.T @ load[:3]])

    def add(self, k: int, G: Array, change: Array, efforts: bool) -> None:
        """Change the load by scaled multipliers of all rows (nr,), efforts of drivers included."""
        R, own = self.axes[k], change[self.rows]
        rest = own
        if efforts:
            S = G[np.ix_(self.rows, self.columns)]
            self.effort[k] += S.T @ own / self.scale
            rest = own - S @ (np.linalg.pinv(S) @ own)  # without what actuators carry
        for table, part in ((self.wrench, own), (self.reaction, rest)):
            push = -part / self.size
            table[k, :3] += R @ push[3:]
            table[k, 3:] += R @ push[:3]

    def look(self, k: int, G: Array, basis: Array) -> None:
        """Note which components of the load the null vectors (nr, n) leave undetermined."""
        S = G[np.ix_(self.rows, self.columns)]
        null = basis[self.rows] - S @ (np.linalg.pinv(S) @ basis[self.rows])
        for most, axes in zip(self.along, (self.axes[k], np.eye(3)), strict=True):
            turned = np.vstack([axes @ null[3:], axes @ null[:3]])
            np.maximum(most, np.linalg.norm(turned, axis=1), out=most)

    @property
    def load(self) -> JointLoad:
        """The load, and which of its components are unique."""
        unique = (most < ZERO for most in self.along)
        return JointLoad(self.wrench, self.reaction, self.effort, *unique)
