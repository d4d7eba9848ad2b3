"""Model + spanning tree -> Compiled: flat buffers for the kernels and the names to read them by.

Each body's working frame (its node) sits at the outboard side of its inboard joint, turned so that
a revolute or prismatic axis is z; the body's own frame is a constant pose away. A joint with
several axes becomes a chain of massless nodes. A joint crossed from B to A is compiled with its
motions in reverse order about the opposite axes, so that its coordinates stay "pose of B in A"; for
ball and free motions the engine keeps the inverse pose and ``JointRecord`` converts at the
boundary.

A joint outside the tree is a chain of massless nodes, too, with its own coordinates; its end is
joined to B's frame by constraint rows (``engine/pack_constraints.py``). So a joint's coordinates,
forces and reaction are the same wherever it is. A body that the tree hangs on a free joint of its
own (``free:<body>``) moves by its own frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from supple.constraints import Constraint
from supple.core import layout as at
from supple.core import opcodes
from supple.engine import pack_bodies as body_rows
from supple.engine import pack_constraints as link_rows
from supple.engine import pack_forces as force_rows
from supple.engine.buffers import Columns, flat_buffers, row_of
from supple.engine.callbacks import Callback
from supple.engine.compiled import (
    BodyRecord,
    Compiled,
    FlexRecord,
    FrameKey,
    JointRecord,
    KindTable,
    MotorRecord,
    RowRecord,
)
from supple.engine.kinds import refuse_unknown
from supple.engine.plan import with_plan
from supple.errors import label
from supple.forces import Motor
from supple.forces.kinds import ELEMENTS
from supple.frames import Frame
from supple.graph.topology import Graph
from supple.graph.tree_choice import Tree
from supple.joints import Joint
from supple.joints.base import Motion
from supple.joints.motions import MOTIONS
from supple.model import Model
from supple.poses import IDENTITY, Array, Pose, aligned
from supple.signals import Constant, Signal

__all__ = ["Compiled", "JointRecord", "build", "with_initial"]


class _Builder:
    """Collects nodes, columns, flexible bodies, elements and signals while walking the tree."""

    def __init__(
        self, model: Model, graph: Graph, frames: Iterable[Frame], frozen: float | None = None
    ) -> None:
        self.model = model
        self.frozen = frozen
        self.bodies_by_name, self.joints_by_name = model.bodies, model.joints
        self.point_masses = body_rows.point_masses(model)
        self.inertias: list[tuple[int, Pose, float, Array, Array]] = []
        self.node_ints: list[list[int]] = []
        self.node_reals: list[Array] = []
        self.columns: list[list[int]] = []
        self.scale: list[float] = []
        self.rate_scale: list[float] = []
        self.nq = 0
        self.nu = 0
        self.length = _model_length(model)
        self.bodies: dict[str, BodyRecord] = {}
        self.own_frames: dict[str, tuple[int, Pose]] = {}
        self.joints: dict[str, JointRecord] = {}
        self.flexible: dict[str, FlexRecord] = {}
        self.places: dict[FrameKey, tuple[int, Pose]] = {}
        self.flex_ints: list[list[int]] = []
        self.attach_ints: list[list[int]] = []
        self.flex_data: list[Array] = []
        self.flex_size = 0
        self.flex_work = 0
        self.q0: list[float] = []
        self.u0: list[float] = []
        self.element_ints: list[list[int]] = []
        self.element_reals: list[list[float]] = []
        self.force_names: list[str] = []
        self.dissipates: list[bool] = []
        self.energy_creating: list[str] = []
        self.signals: list[list[int]] = []
        self.data: list[float] = []
        self.programs: list[int] = []
        self.terms: list[list[int]] = []
        self.factors: list[float] = []
        self.membranes: list[list[int]] = []
        self.nz = 0
        self.wrenches = 0
        self.switches = 0
        self.rotors: dict[int, float] = {}
        self.motors: dict[str, MotorRecord] = {}
        self.callbacks: list[Callback] = []
        self.link_ints: list[list[int]] = []
        self.rows: list[RowRecord] = []
        self.extra: dict[str, JointRecord] = {}
        self.kinds: dict[tuple[KindTable, int], str] = {}
        self.owner = ""  # label of what is being added
        self.append_node(-1, "fixed", IDENTITY, 0)  # the ground
        for edge in graph.tree:
            joint = self.joints_by_name.get(edge.joint)
            if joint is None:
                body_rows.hang_free(self, self.bodies_by_name[edge.child], edge.joint)
            else:
                self.add_joint(joint, edge.child, edge.reversed)
        for name in graph.chords:
            self.add_chord(self.joints_by_name[name])
        body_rows.fill_inertias(self)
        for force in model.forces.values():
            if isinstance(force, Motor):
                self.add_motor(force)
        for force in model.forces.values():
            self.owner = label(force)
            force_rows.pack(self, force)
        for constraint in model.constraints.values():
            self.owner = label(constraint)
            link_rows.pack(self, constraint)
        for record in self.flexible.values():
            body_rows.add_damping(self, record)
            body_rows.add_membranes(self, record)
        for frame in frames:
            self.place(frame)

    def use(self, table: KindTable, code: int) -> None:
        """Note that the owner has something of a kind; refuse a code that no table has."""
        refuse_unknown(table, code, self.owner)
        self.kinds.setdefault((table, code), self.owner)

    def add_node(self, parent: int, motion: str, pose: Pose) -> int:
        """Add a node whose columns are new velocities."""
        kind = MOTIONS[motion]
        n = self.append_node(parent, motion, pose, len(kind.directions))
        self.node_ints[n][at.Q0], self.node_ints[n][at.U0] = self.nq, self.nu
        for k, unit in enumerate(kind.velocity_units):
            self.add_column(n, k, self.nu + k)
            self.scale.append(self.length if unit == "m" else 1.0)
        self.rate_scale.extend(self.scale[self.nu :])
        self.nq += len(kind.units)
        self.nu += len(kind.directions)
        return n

    def append_node(self, parent: int, motion: str, pose: Pose, columns: int) -> int:
        """Add a node whose columns follow by `add_column`; the ground has the parent -1."""
        code = MOTIONS[motion].code
        if parent >= 0:
            self.use("motion", code)
        n = len(self.node_ints)
        row, reals = [-1] * at.NODE_INTS, np.zeros(at.NODE_REALS)
        row[at.PARENT], row[at.MOTION], row[at.HEAVY] = parent, code, 0
        row[at.COL0], row[at.COLUMNS] = len(self.columns), columns
        row[at.ROOT] = n if parent <= 0 else self.node_ints[parent][at.ROOT]
        row[at.LAST] = self.last_column(parent) if parent >= 0 else -1
        reals[at.BODY_R : at.BODY_P], reals[at.BODY_P : at.BODY_M] = pose.R.ravel(), pose.p
        self.node_ints.append(row)
        self.node_reals.append(reals)
        return n

    def add_column(self, node: int, k: int, velocity: int) -> None:
        """Add column k of a node, which belongs to a velocity."""
        before = self.node_ints[node][at.LAST] if k == 0 else len(self.columns) - 1
        columns = {at.BEFORE: before, at.OWNER: node, at.VELOCITY: velocity}
        self.columns.append(row_of(at.COLUMN_INTS, columns))

    def add_flex(self, *arrays: Array) -> None:
        """Put arrays of a flexible body behind those that are there."""
        for array in arrays:
            self.flex_data.append(np.ravel(array))
            self.flex_size += np.size(array)

    def last_column(self, node: int) -> int:
        row = self.node_ints[node]
        return row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST]

    def add_joint(self, joint: Joint, child: str, backwards: bool) -> None:
        node, current = self.add_chain(joint, child, backwards)
        held = joint.A if backwards else joint.B
        body_rows.hang(self, self.bodies_by_name[child], node, current, held)

    def add_chord(self, joint: Joint) -> None:
        """Add a joint that is not in the tree: its chain from A, joined to B's frame at its end."""
        link_rows.join(self, joint, *self.add_chain(joint, joint.B.body.name, False))

    def add_chain(self, joint: Joint, child: str, backwards: bool) -> tuple[int, Pose]:
        """Add a joint's nodes; returns the last one and the pose of the joint's far frame in it."""
        self.owner = label(joint)
        inner = joint.B if backwards else joint.A
        start = self.place(inner)
        q_start, u_start = self.nq, self.nu
        node, current = self.add_motions(*start, joint.motions, backwards)
        record = JointRecord(
            joint.name,
            joint.chart.name,
            label(joint),
            child,
            joint.coordinate_names,
            backwards,
            slice(q_start, self.nq),
            slice(u_start, self.nu),
            node,
            start[0] if backwards else node,
            start[1].p if backwards else current.p,
        )
        self.joints[joint.name] = record
        q, u = record.from_user(joint.initial, joint.initial_rate)
        self.q0.extend(q)
        self.u0.extend(u)
        return node, current

    def add_motions(
        self, node: int, current: Pose, motions: Sequence[Motion], backwards: bool = False
    ) -> tuple[int, Pose]:
        """Add a chain of nodes behind a frame; returns its end and the pose of its frame there."""
        for motion in motions[::-1] if backwards else motions:
            if motion.axis is None:
                node = self.add_node(node, motion.row.name, current)
                current = IDENTITY
            else:
                turn = aligned(-motion.axis if backwards else motion.axis)
                placed = Pose(current.R @ turn, current.p)
                node = self.add_node(node, motion.row.name, placed)
                current = Pose(turn.T, np.zeros(3))
        if not motions:
            node = self.add_node(node, "fixed", current)
            current = IDENTITY
        return node, current

    def place(self, frame: Frame) -> tuple[int, Pose]:
        """Node and pose of a frame of a body of the model, or of the ground."""
        name = frame.body.name
        record = self.bodies.get(name)
        return body_rows.place(self, frame if record is None else record.body.on_part(frame))

    def add_element(self, ints: Columns, reals: Columns, name: str) -> None:
        """Add a force element with one work channel; its rows are given by their columns."""
        self.use("element", ints[at.KIND])
        self.element_ints.append(row_of(at.ELEMENT_INTS, ints))
        self.element_reals.append(row_of(at.ELEMENT_REALS, reals))
        self.force_names.append(name)
        self.dissipates.append(ELEMENTS[ints[at.KIND]].dissipates)

    def add_link(
        self, kind: int, ends: tuple[int, int], place: int, signal: int, rows: Sequence[int]
    ) -> None:
        """Add constraint rows: ``rows`` are numbers from `add_row`, -1 where there is none."""
        self.use("link" if signal < 0 else "driven link", kind)
        directions = [*rows, *[-1] * (6 - len(rows))]
        columns = {at.LINK_KIND: kind, at.LINK_A: ends[0], at.LINK_B: ends[1], at.LINK_AT: place}
        more = {at.LINK_SIGNAL: signal, at.LINK_ROW: directions}
        self.link_ints.append(row_of(at.LINK_INTS, {**columns, **more}))

    def add_row(self, owner: Joint | Constraint, part: str, unit: str) -> int:
        """Add a constraint row; returns its number."""
        self.rows.append(RowRecord(owner.name, label(owner), part, unit))
        return len(self.rows) - 1

    def add_signal(self, signal: Signal) -> int:
        if self.frozen is not None:
            signal = Constant(float(signal(self.frozen)))
        if isinstance(signal, Constant) and signal.value == 0.0:
            return -1
        parts = [self.add_signal(part) for part in signal.parts]
        code, given, numbers = signal.program()
        self.use("signal", code)
        integers = np.array(given, dtype=np.int64)
        if parts:  # the program refers to its parts by place
            integers[2::2][integers[1::2] == opcodes.SIGNAL] = parts
        columns = {at.SIGNAL_CODE: code, at.SIGNAL_AT: len(self.data)}
        columns[at.SIGNAL_PROGRAM] = len(self.programs)
        self.signals.append(row_of(at.SIGNAL_INTS, columns))
        self.programs.extend(integers.tolist())
        self.data.extend(numbers)
        return len(self.signals) - 1

    def add_numbers(self, numbers: Iterable[float]) -> int:
        """Put numbers of an element beside those of the signals; returns their place."""
        place = len(self.data)
        self.data.extend(float(x) for x in numbers)
        return place

    def add_terms(self, terms: Iterable[tuple[int, int, float]]) -> int:
        """Add terms of a sum: places in q and u and the factor of each; returns the first."""
        first = len(self.terms)
        for q, u, factor in terms:
            self.terms.append(row_of(at.TERM_INTS, {at.TERM_Q: q, at.TERM_U: u}))
            self.factors.append(factor)
        return first

    def add_state(self) -> int:
        """Add a controller state; returns its place."""
        self.nz += 1
        return self.nz - 1

    def shaft(self, name: str, coordinate: int | str, owner: str) -> tuple[int, int, float]:
        """Places in q and u, and gear ratio, of a joint coordinate or of a motor's shaft."""
        if name in self.motors:
            record = self.motors[name]
            return record.q, record.u, record.ratio
        joint, where = self.joints_by_name[name], self.joints[name]
        k = joint.coordinate_index(coordinate, owner)
        k = joint.nu - 1 - k if where.reversed else k
        return where.q.start + k, where.u.start + k, 1.0

    def add_motor(self, motor: Motor) -> None:
        """Put a rotor on the joint's velocity, or behind an elastic gear on one of its own."""
        q, u, _ = self.shaft(motor.joint, motor.coordinate, label(motor))
        if motor.stiffness is None:
            self.rotors[u] = self.rotors.get(u, 0.0) + motor.ratio**2 * motor.inertia
            self.motors[motor.name] = MotorRecord(motor.name, label(motor), q, u, motor.ratio)
            return
        self.owner = label(motor)
        node = self.add_node(0, "rotate", IDENTITY)
        record = MotorRecord(motor.name, label(motor), self.nq - 1, self.nu - 1, 1.0, True)
        self.rotors[record.u] = motor.inertia
        self.motors[motor.name] = record
        self.q0.append(motor.ratio * self.q0[q])
        self.u0.append(motor.ratio * self.u0[u])
        assert self.node_ints[node][at.HEAVY] == 0  # its inertia is the rotor's alone


def _model_length(model: Model) -> float:
    """A typical length of the model (m), the unit of its translations in error control."""
    ground = model.ground.name
    ends = [frame for joint in model.joints.values() for frame in (joint.A, joint.B)]
    places = [frame.position for frame in ends if frame.body.name != ground]
    lengths = [0.0, *(body.typical_length for body in model.bodies.values())]
    if places:
        x = np.concatenate(places).reshape(-1, 3)
        lengths.append(math.sqrt(float((x[:, None, :] @ x[:, :, None]).max())))
    return max(lengths) or 1.0


def build(
    model: Model,
    frames: Iterable[Frame] = (),
    tree: Tree | None = None,
    frozen: float | None = None,
) -> Compiled:
    """Compile a model as it is written down: all constraint rows, initial state not assembled.

    With ``frozen``, a time in s, all signals keep the values that they have then. See
    ``assembly.compile_model``.
    """
    graph = model.spanning_tree(tree)
    b = _Builder(model, graph, frames, frozen)
    ints, reals = flat_buffers(b, model.gravity)
    timed = (*model.forces.values(), *model.constraints.values())
    return Compiled(
        ints=with_plan(ints, reals),
        reals=reals,
        bodies=b.bodies,
        own_frames=b.own_frames,
        joints=b.joints,
        extra=b.extra,
        flexible=b.flexible,
        motors=b.motors,
        callbacks=tuple(b.callbacks),
        signals=tuple((label(f), s) for f in timed for s in f.signals),
        places=b.places,
        force_names=tuple(b.force_names),
        force_dissipates=tuple(b.dissipates),
        energy_creating=tuple(b.energy_creating),
        rows=tuple(b.rows),
        all_rows=tuple(b.rows),
        graph=graph,
        q0=np.array(b.q0, dtype=float),
        u0=np.array(b.u0, dtype=float),
        z0=np.zeros(b.nz),
        scale=np.array(b.scale, dtype=float),
        rate_scale=np.array(b.rate_scale, dtype=float),
        breakpoints=tuple(sorted({t for item in timed for t in item.breakpoints})),
        gravity=np.array(model.gravity),
        length=b.length,
        loop_joints=_loops(model, graph),
        kinds=b.kinds,
    )


def with_initial(compiled: Compiled, model: Model) -> Compiled:
    """A model as it was built, with the initial coordinates and rates of the model's joints.

    Of a model whose motors have no coordinates of their own: these begin where their joints do.
    """
    q0, u0 = compiled.q0.copy(), compiled.u0.copy()
    for name, record in compiled.joints.items():
        joint = model.joints[name]
        q0[record.q], u0[record.u] = record.from_user(joint.initial, joint.initial_rate)
    return replace(compiled, q0=q0, u0=u0)


def _loops(model: Model, graph: Graph) -> dict[str, tuple[str, ...]]:
    """Joints of the tree around the loop that each chord and each constraint of frames closes."""
    closing: list[Joint | Constraint] = [model.joints[name] for name in graph.chords]
    closing.extend(model.constraints.values())
    found = {}
    for item in closing:
        ends = [frame.body.name for frame in item.frames.values()]
        if len(ends) == 2:
            found[item.name] = graph.path(*ends)
    return found
