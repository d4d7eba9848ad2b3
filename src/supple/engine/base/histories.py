"""Poses, motions, wrenches and energies of bodies and joints, from the states at output times."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import history as kernel
from supple.engine.base.compiled import HELD, Compiled, JointRecord, RowSets
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError
from supple.foundation.poses import cross
from supple.foundation.validate import set_fields
from supple.joints.motions import motion_of
from supple.results.data.run_data import History

# What one call of the kernel finds, with the places of its columns in the order of its arguments
SWEEP = ("a", "nodes", "effort", "energies", "multipliers", "powers")
PARTS: dict[str, slice | int] = {
    "energy": slice(0, kernel.MOMENTUM),
    "momentum": slice(kernel.MOMENTUM, kernel.STRAIN),
    "strain": kernel.STRAIN,
}
# Output times from which on energies are found in blocks, and their size
LONG, BLOCK = 100_000, 10_000
# Columns of a node
PLACE = slice(kernel.OUT_P, kernel.OUT_V)
(SPIN, VELOCITY), (TURNING, ACCELERATION), (TORQUE, FORCE) = (
    (slice(k, k + 3), slice(k + 3, k + 6)) for k in (kernel.OUT_V, kernel.OUT_A, kernel.OUT_W)
)
# Motions of bodies need no accelerations
MOTIONS, JOINTS = ("R", "p", "V"), ("wrench", "reaction")


class RunHistory(History):
    """Histories of the states of a run, computed when they are first read.

    Attributes
    ----------
    row_sets : constraint rows in use
    t, q, u, z : (nt,), (nt, n) output times and states
    multipliers : (nt, all rows) of constraint rows, NaN where a row is not in use
    powers : (nt, nforce) W, work on the system, or energy dissipated
    nodes : (nt, nn, NODE_COLUMNS) of the engine's nodes, see ``core/equations/history.py``

    Where the mass matrix is singular, accelerations, wrenches, multipliers and powers are NaN.
    """

    row_sets: RowSets
    t: Array
    q: Array
    u: Array
    z: Array
    multipliers: Array
    powers: Array
    nodes: Array

    def __init__(self, row_sets: RowSets, t: Array, q: Array, u: Array, z: Array) -> None:
        set_fields(self, row_sets=row_sets, t=t, q=q, u=u, z=z)

    def __getattr__(self, name: str) -> Any:
        """Compute a quantity, and those that are found with it."""
        if name in PARTS and len(self.t) > LONG:
            set_fields(self, **self._sums())
        elif name in SWEEP or name in PARTS:
            set_fields(self, **self._swept())
        elif name in MOTIONS:
            set_fields(self, **dict(zip(MOTIONS, self._motions(), strict=True)))
        elif name == "A":
            set_fields(self, A=self._accelerations())
        elif name in JOINTS:
            set_fields(self, **dict(zip(JOINTS, self._joints(), strict=True)))
        else:
            raise AttributeError(name)
        return self.__dict__[name]

    @property
    def compiled(self) -> Compiled:
        """The model as the run began."""
        return self.row_sets.first

    def at(self, which: Indices) -> RunHistory:
        """The history at some of the output times."""
        return RunHistory(self.row_sets, *(x[which] for x in (self.t, self.q, self.u, self.z)))

    def without_loads(self) -> RunHistory:
        """The history with joints and constraints that carry nothing."""
        other = RunHistory(self.row_sets, self.t, self.q, self.u, self.z)
        wrench = np.zeros((len(self.t), len(self.compiled.joints), 6))
        parts = self._swept()
        parts["multipliers"] = np.zeros_like(parts["multipliers"])
        set_fields(other, **parts, wrench=wrench, reaction=wrench)
        return other

    def holding(self, joint: str, axes: Array) -> Array:
        """Wrench (nt, 6) by A on B at B that holds a locked spherical or free joint; else zero."""
        c, out = self.compiled, np.zeros((len(self.t), 6))
        if joint not in c.holds or c.joints[joint].chart.axes:
            return out
        for k, row in enumerate(c.every_row):
            if row.owner == joint and row.part.endswith(HELD):
                place = "xyz".index(row.part.split()[-2]) + (3 if row.unit == "m" else 0)
                out[:, place] = -np.nan_to_num(self.multipliers[:, k])
        torque, force = (np.einsum("tij,tj->ti", axes, part) for part in np.split(out, 2, axis=1))
        return np.concatenate([torque, force], axis=1)

    def _sums(self) -> dict[str, Array]:
        """Energies and momentum of many states, without all that is found with them."""
        parts: dict[str, list[Array]] = {name: [] for name in PARTS}
        for k in range(0, len(self.t), BLOCK):
            part = self.at(np.arange(k, min(k + BLOCK, len(self.t))))._swept()
            for name, values in parts.items():
                values.append(part[name].copy())  # not a view of all that was found
        return {name: np.concatenate(values) for name, values in parts.items()}

    def _swept(self) -> dict[str, Array]:
        """Output of the kernel, each state with the rows that were in use."""
        c, nt, state = self.compiled, len(self.t), self._states()
        times = np.ascontiguousarray(self.t, dtype=float)
        parts = list(self.row_sets.parts(times))
        if len(parts) == 1 and parts[0][0].nr == len(c.every_row):
            whole = _sweep(parts[0][0], times, *state)
        else:
            whole = [np.full((nt, n), np.nan) for n in _columns(c, len(c.every_row))]
            place = {row: k for k, row in enumerate(c.every_row)}
            for model, mine in parts:
                part = _sweep(model, times[mine], *(np.ascontiguousarray(x[mine]) for x in state))
                used = [place[row] for row in model.rows]
                for name, every, some in zip(SWEEP, whole, part, strict=True):
                    if name == "multipliers":
                        every[np.arange(nt)[mine][:, None], used] = some
                    else:
                        every[mine] = some
        named = dict(zip(SWEEP, whole, strict=True))
        energies = named.pop("energies")
        named["nodes"] = named["nodes"].reshape(nt, -1, kernel.NODE_COLUMNS)
        return named | {name: energies[:, columns] for name, columns in PARTS.items()}

    def _states(self) -> list[Array]:
        """The states q, u, z as kernels take them."""
        c, nt = self.compiled, len(self.t)
        state = [np.require(x, float, ["C", "W"]) for x in (self.q, self.u, self.z)]
        shapes = [(nt, c.nq), (nt, c.nu), (nt, c.nz)]
        if [x.shape for x in state] != shapes:
            sizes = ", ".join(str(x.shape) for x in state)
            raise SuppleError(f"states q, u, z have the shapes {sizes}, expected {shapes}")
        return state

    def _motions(self) -> tuple[Array, Array, Array]:
        """Poses and twists of the bodies' own frames."""
        c, frames = self.compiled, self.compiled.own_frames.values()
        flat = np.zeros((len(self.t), int(c.ints[at.H_NODES]) * kernel.MOTION_COLUMNS))
        kernel.motion_history(c.ints, c.reals, new_work(c.ints), *self._states()[:2], flat)
        nodes = flat.reshape(len(self.t), -1, kernel.MOTION_COLUMNS)
        node = nodes[:, [node for node, _ in frames]]
        rotation = rotations(node)
        arm = (rotation @ np.array([pose.p for _, pose in frames]).reshape(-1, 3, 1))[..., 0]
        w = node[..., SPIN]
        V = np.empty((*node.shape[:2], 6))
        V[..., :3], V[..., 3:] = w, node[..., VELOCITY] + cross(w, arm)
        R = rotation @ np.array([pose.R for _, pose in frames]).reshape(-1, 3, 3)
        return R, node[..., PLACE] + arm, V

    def _accelerations(self) -> Array:
        """Classical accelerations of the bodies' own frames."""
        frames = self.compiled.own_frames.values()
        node = self.nodes[:, [node for node, _ in frames]]
        arm = (rotations(node) @ np.array([pose.p for _, pose in frames]).reshape(-1, 3, 1))[..., 0]
        w, alpha = node[..., SPIN], node[..., TURNING]
        A = np.empty((*node.shape[:2], 6))
        A[..., :3] = alpha
        A[..., 3:] = node[..., ACCELERATION] + cross(alpha, arm) + cross(w, cross(w, arm))
        return A

    def _joints(self) -> tuple[Array, Array]:
        """Whole wrenches and constraint reactions by A on B at B's origin (nt, nj, 6)."""
        joints = list(self.compiled.joints.values())
        node = self.nodes[:, [j.node for j in joints]]
        base = self.nodes[:, [j.place_node for j in joints]]
        places = np.array([j.place for j in joints])
        at_b = base[..., PLACE] + (rotations(base) @ places[:, :, None])[..., 0]
        whole = np.empty((*node.shape[:2], 6))
        force = node[..., FORCE]
        whole[..., :3] = node[..., TORQUE] + cross(node[..., PLACE] - at_b, force)
        whole[..., 3:] = force
        reaction = whole.copy()
        acts = np.any(self.effort, axis=0)
        for k, joint in enumerate(joints):
            if np.any(acts[joint.u]):
                reaction[:, k] -= _active(self, joint, at_b[:, k])
        turned = [k for k, j in enumerate(joints) if j.reversed]
        for wrench in (whole, reaction):
            wrench[:, turned] = -wrench[:, turned]
        return whole, reaction


def _columns(c: Compiled, rows: int) -> tuple[int, ...]:
    """Widths of the arrays of a sweep."""
    nn = int(c.ints[at.H_NODES])
    return c.nu, nn * kernel.NODE_COLUMNS, c.nu, kernel.ENERGIES, rows, len(c.force_names)


def _sweep(c: Compiled, t: Array, q: Array, u: Array, z: Array) -> list[Array]:
    """The kernel's sweep over states with one set of rows."""
    out = [np.zeros((len(t), n)) for n in _columns(c, c.nr)]
    kernel.history(c.ints, c.reals, new_work(c.ints), t, q, u, z, *out)
    return out


def rotations(nodes: Array) -> Array:
    """Rotation matrices (..., 3, 3) of nodes from their columns (..., k)."""
    return nodes[..., kernel.OUT_R : kernel.OUT_P].reshape(*nodes.shape[:-1], 3, 3)


def _active(history: RunHistory, joint: JointRecord, place: Array) -> Array:
    """The part of a joint's wrench (nt, 6) that its efforts make up.

    They act as the smallest wrench that does their work: the rest does none.
    """
    length, own = history.compiled.length, history.effort[:, joint.u]
    motion = _motion_at(history, joint, place)
    motion[:, 3:] /= length
    active: Array = np.einsum("tnk,tn->tk", np.linalg.pinv(motion), own)
    active[:, 3:] /= length
    return active


def _motion_at(history: RunHistory, joint: JointRecord, place: Array) -> Array:
    """Motion subspace (nt, 6, nu_j) of the outboard side at a place, world axes."""
    compiled, nodes = history.compiled, history.nodes
    table = at.integers(compiled.ints, "node")
    first = table[:, at.U0]
    own = (first >= joint.u.start) & (first < joint.u.stop) & (table[:, at.COLUMNS] > 0)
    columns = []
    for n in np.flatnonzero(own):
        row = table[n]
        rotation = rotations(nodes[:, n])
        arm = place - nodes[:, n, PLACE]
        for direction in motion_of(int(row[at.MOTION])).directions:
            w, v = rotation @ direction[:3], rotation @ direction[3:]
            columns.append(np.concatenate([w, v + cross(w, arm)], axis=1))
    return np.stack(columns, axis=2)
