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

from supple.bodies.flexible import FlexibleBody
from supple.bodies.rigid import Ground, PointMass, RigidBody
from supple.constraints import Constraint
from supple.core import forces as force_codes
from supple.core import layout as at
from supple.core import membrane as membrane_codes
from supple.core import opcodes
from supple.engine import pack_constraints as link_rows
from supple.engine import pack_forces as force_rows
from supple.engine.attached import attached_masses
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
    frame_key,
    place_of,
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
from supple.poses import EYE, IDENTITY, Array, Pose, aligned, skew
from supple.reduction.modal import Attachment
from supple.signals import Constant, Signal

_MEMBRANES = {
    "axial": membrane_codes.AXIAL,
    "axial_quadratic": membrane_codes.AXIAL_QUADRATIC,
    "von_karman": membrane_codes.VON_KARMAN,
}

__all__ = ["Compiled", "JointRecord", "build", "with_initial"]


class _Builder:
    """Collects nodes, columns, flexible bodies, elements and signals while walking the tree."""

    def __init__(
        self, model: Model, graph: Graph, frames: Iterable[Frame], frozen: float | None = None
    ) -> None:
        self.model = model
        self.frozen = frozen
        self.bodies_by_name, self.joints_by_name = model.bodies, model.joints
        self.masses: dict[str, list[PointMass]] = {}
        for point in model.point_masses.values():
            self.masses.setdefault(point.frame.body.name, []).append(point)
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
        self._append(-1, at.FIXED, IDENTITY, 0)  # the ground
        for edge in graph.tree:
            joint = self.joints_by_name.get(edge.joint)
            if joint is None:
                self.add_free(edge.child, edge.joint)
            else:
                self.add_joint(joint, edge.child, edge.reversed)
        for name in graph.chords:
            self.add_chord(self.joints_by_name[name])
        self.fill_inertias()
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
            self.add_damping(record)
            self.add_membranes(record)
        for frame in frames:
            self.place(frame)

    def use(self, table: KindTable, code: int) -> None:
        """Note that the owner has something of a kind; refuse a code that no table has."""
        refuse_unknown(table, code, self.owner)
        self.kinds.setdefault((table, code), self.owner)

    def add_node(self, parent: int, motion: str, pose: Pose) -> int:
        """Add a node whose columns are new velocities."""
        kind = MOTIONS[motion]
        n = self._append(parent, kind.code, pose, len(kind.directions))
        self.node_ints[n][at.Q0], self.node_ints[n][at.U0] = self.nq, self.nu
        for k, unit in enumerate(kind.velocity_units):
            self._add_column(n, k, self.nu + k)
            self.scale.append(self.length if unit == "m" else 1.0)
        self.rate_scale.extend(self.scale[self.nu :])
        self.nq += len(kind.units)
        self.nu += len(kind.directions)
        return n

    def add_elastic(
        self, parent: int, motion: str, pose: Pose, name: str, where: Attachment
    ) -> int:
        """Add a node behind an elastic edge, whose columns are the body's elastic velocities."""
        record = self.flexible[name]
        n = self._append(parent, MOTIONS[motion].code, pose, record.modal.n)
        index = list(self.flexible).index(name)
        self.node_ints[n][at.FLEX], self.node_ints[n][at.ATTACH] = index, len(self.attach_ints)
        row = [0] * at.ATTACH_INTS
        row[at.ATTACH_BODY], row[at.ATTACH_AT], row[at.ATTACH_WORK] = index, self.flex_size, -1
        self.attach_ints.append(row)
        self._add_flex(where.p0, where.R0, where.Phi, where.Psi)
        if where.slaved is not None:
            self._add_flex(where.slaved)
            row[at.ATTACH_WORK] = self.flex_work
            self.flex_work += at.ATTACH_ROWS * record.modal.n
        for k in range(record.modal.n):
            self._add_column(n, k, record.u.start + k)
        return n

    def _append(self, parent: int, motion: int, pose: Pose, columns: int) -> int:
        if parent >= 0:  # else it is the ground
            self.use("motion", motion)
        n = len(self.node_ints)
        row, reals = [-1] * at.NODE_INTS, np.zeros(at.NODE_REALS)
        row[at.PARENT], row[at.MOTION], row[at.HEAVY] = parent, motion, 0
        row[at.COL0], row[at.COLUMNS] = len(self.columns), columns
        row[at.ROOT] = n if parent <= 0 else self.node_ints[parent][at.ROOT]
        row[at.LAST] = self.last_column(parent) if parent >= 0 else -1
        reals[at.BODY_R : at.BODY_P], reals[at.BODY_P : at.BODY_M] = pose.R.ravel(), pose.p
        self.node_ints.append(row)
        self.node_reals.append(reals)
        return n

    def _add_column(self, node: int, k: int, velocity: int) -> None:
        before = self.node_ints[node][at.LAST] if k == 0 else len(self.columns) - 1
        columns = {at.BEFORE: before, at.OWNER: node, at.VELOCITY: velocity}
        self.columns.append(row_of(at.COLUMN_INTS, columns))

    def _add_flex(self, *arrays: Array) -> None:
        for array in arrays:
            self.flex_data.append(np.ravel(array))
            self.flex_size += np.size(array)

    def last_column(self, node: int) -> int:
        row = self.node_ints[node]
        return row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST]

    def add_joint(self, joint: Joint, child: str, backwards: bool) -> None:
        node, current = self.add_chain(joint, child, backwards)
        self.add_body(child, node, current, joint.A if backwards else joint.B)

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

    def add_free(self, body: str, name: str) -> None:
        """Hang a body by its own frame on a free joint from the ground."""
        self.owner = f"{label(self.bodies_by_name[body])} (free)"
        q, u = self.nq, self.nu
        node = self.add_node(0, "free", IDENTITY)
        own = slice(q, self.nq), slice(u, self.nu)
        names = MOTIONS["free"].coordinates
        record = JointRecord(
            name, "free", self.owner, body, names, False, *own, node, node, np.zeros(3)
        )
        self.extra[name] = record
        self.q0.extend([1.0, *np.zeros(6)])
        self.u0.extend(np.zeros(6))
        self.add_body(body, node, IDENTITY, None)

    def add_body(self, name: str, node: int, current: Pose, outer: Frame | None) -> None:
        """Hang a body by its frame ``outer``, which is at ``current`` in the node's axes.

        None is the body's own frame.
        """
        body = self.bodies_by_name[name]
        if isinstance(body, RigidBody):
            pose = current
            if outer is not None:
                pose = current.before(Pose(outer.rotation, outer.position))
            self.bodies[name] = BodyRecord(name, node, pose)
            self.add_inertia(body, self.masses.get(name, []), node, pose)
        elif isinstance(body, FlexibleBody):
            self.add_flexible(body, attached_masses(self.model, body), node, current, outer)
        else:
            raise TypeError(f"no compiler for {type(body).__name__}")

    def add_flexible(
        self,
        body: FlexibleBody,
        masses: tuple[tuple[float, float], ...],
        node: int,
        current: Pose,
        outer: Frame | None,
    ) -> None:
        modal = body.modal(masses)
        n = modal.n
        here = slice(self.nq, self.nq + n), slice(self.nu, self.nu + n)
        index = len(self.flexible)
        record = FlexRecord(body.name, label(body), *here, modal, masses)
        self.flexible[body.name] = record
        r, of = modal.r, modal.slaves or modal
        row = {at.FLEX_N: n, at.FLEX_R: r, at.FLEX_Q0: self.nq, at.FLEX_U0: self.nu}
        row |= {at.FLEX_AT: self.flex_size, at.FLEX_WORK: self.flex_work}
        self.flex_ints.append(row_of(at.FLEX_INTS, row))
        self.flex_work += at.FLEX_RECORD.lengths({"n": n, "r": r})[1]
        self._add_flex(np.array([modal.mass]), modal.s0, modal.E0, of.S1, of.D0, of.D1)
        self._add_flex(of.M, modal.K, modal.C)
        if modal.slaves is not None:
            self._add_flex(modal.slaves.Gamma, modal.slaves.parts)
        self.nq += n
        self.nu += n
        self.q0.extend(np.zeros(n))
        self.u0.extend(np.zeros(n))
        # A tolerance is an energy: coordinates by the root of stiffness, rates by that of mass.
        if n:
            slow = 2.0 * np.pi * modal.frequencies[0] * body.typical_length * np.sqrt(modal.mass)
            self.scale.extend(slow / np.sqrt(np.diag(modal.K)))
            self.rate_scale.extend(slow / np.sqrt(np.diag(modal.M)))
        where = None if outer is None else body.attachment(outer, masses)
        self.owner = label(body)
        if where is None:
            node = self.add_node(node, "fixed", current)
        elif not where.fixed:
            node = self.add_elastic(node, "elastic_in", current, body.name, where)
        else:
            pose = current.before(Pose(where.R0, where.p0))
            node = self.add_node(node, "fixed", pose)
        self.flex_ints[index][at.FLEX_NODE] = node
        self.node_ints[node][at.HEAVY], self.node_ints[node][at.FLEX] = at.FLEXIBLE, index
        self.bodies[body.name] = BodyRecord(body.name, node, IDENTITY)

    def place(self, frame: Frame) -> tuple[int, Pose]:
        """Node and pose of a frame; a frame on a flexible body gets an elastic edge of its own."""
        name = frame.body.name
        if name not in self.flexible:
            return place_of(self.bodies, frame)
        key = frame_key(frame)
        if key not in self.places:
            body, record = self.bodies_by_name[name], self.flexible[name]
            where = body.attachment(frame, record.point_masses)  # type: ignore[attr-defined]
            node = self.bodies[name].node
            if not where.fixed:
                node = self.add_elastic(node, "elastic_out", IDENTITY, name, where)
                self.places[key] = node, IDENTITY
            else:
                self.places[key] = node, Pose(where.R0, where.p0)
        return self.places[key]

    def add_damping(self, record: FlexRecord) -> None:
        if np.any(record.modal.C):
            body = list(self.flexible).index(record.name)
            ints = {at.KIND: force_codes.BODY_DAMPING, force_codes.BODY: body}
            self.owner = record.label
            self.add_element(ints, {}, f"{record.name}.damping")

    def add_membranes(self, record: FlexRecord) -> None:
        """Add the geometric stiffening of a body: its membranes, and a channel for its work."""
        found = record.modal.membranes
        if found is None:
            return
        body, (m, p, _) = list(self.flexible).index(record.name), found.slopes.shape
        law = _MEMBRANES[found.law]
        ints = {
            at.KIND: force_codes.MEMBRANE,
            membrane_codes.BODY: body,
            membrane_codes.AT: self.flex_size,
            membrane_codes.COUNT: m,
            membrane_codes.SLOPES: p,
            membrane_codes.LAW: law,
            membrane_codes.FIRST: len(self.membranes),
        }
        for k, a, s in zip(found.stiffness, found.axial, found.slopes, strict=True):
            moving = np.flatnonzero(np.any(s, axis=0) | (a != 0.0))
            ends = (moving[0], moving[-1] + 1) if len(moving) else (0, 0)
            ranges = {at.MEMBRANE_FROM: ends[0], at.MEMBRANE_END: ends[1]}
            self.membranes.append(row_of(at.MEMBRANE_INTS, ranges))
            self._add_flex(np.array([k]), a, s)
        name = f"{record.name}.stiffening"
        self.owner = record.label
        self.add_element(ints, {}, name)
        if law != membrane_codes.VON_KARMAN:
            self.energy_creating.append(name)

    def add_element(self, ints: Columns, reals: Columns, name: str) -> None:
        """Add a force element with one work channel; its rows are given by their columns."""
        self.use("element", ints[at.KIND])
        self.element_ints.append(row_of(at.ELEMENT_INTS, ints))
        self.element_reals.append(row_of(at.ELEMENT_REALS, reals))
        self.force_names.append(name)
        self.dissipates.append(ELEMENTS[ints[at.KIND]].dissipates)

    def add_inertia(self, body: RigidBody, masses: list[PointMass], node: int, pose: Pose) -> None:
        mass, first, second = body.mass, body.mass * body.com, body.inertia_origin
        for point in masses:
            x = point.frame.position
            mass += point.mass
            first = first + point.mass * x
            second = second - point.mass * skew(x) @ skew(x)
        self.inertias.append((node, pose, mass, first, second))
        self.node_ints[node][at.HEAVY] = at.RIGID

    def fill_inertias(self) -> None:
        """Mass, first and second moments of rigid bodies about their nodes, in the nodes' axes."""
        if not self.inertias:
            return
        nodes, poses, masses, firsts, seconds = zip(*self.inertias, strict=True)
        R = np.concatenate([pose.R for pose in poses]).reshape(-1, 3, 3)
        r = np.concatenate([pose.p for pose in poses]).reshape(-1, 3)
        mass = np.array(masses)[:, None]
        # Second moments shift as in core/tree.py.
        c = (R @ np.concatenate(firsts).reshape(-1, 3, 1))[..., 0]
        across = 2 * r[:, None, :] @ c[:, :, None] + (mass * r)[:, None, :] @ r[:, :, None]
        about_frame = np.concatenate(seconds).reshape(-1, 3, 3)
        inertia = R @ about_frame @ R.transpose(0, 2, 1) + across * EYE
        rc = r[:, :, None] * c[:, None, :]
        rr = r[:, :, None] * r[:, None, :]
        inertia -= rc + rc.transpose(0, 2, 1) + mass[:, :, None] * rr
        six = inertia[:, [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
        for node, row in zip(nodes, np.hstack([mass, c + mass * r, six]), strict=True):
            self.node_reals[node][at.BODY_M :] = row

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
    ends = [frame for joint in model.joints.values() for frame in (joint.A, joint.B)]
    places = [frame.position for frame in ends if not isinstance(frame.body, Ground)]
    lengths, squares = [0.0], [0.0]
    rigid = [body for body in model.bodies.values() if isinstance(body, RigidBody)]
    for body in model.bodies.values():
        if isinstance(body, FlexibleBody):
            lengths.append(body.typical_length)
    places += [body.com for body in rigid]
    if places:
        x = np.concatenate(places).reshape(-1, 3)
        squares.append(float((x[:, None, :] @ x[:, :, None]).max()))
    if rigid:
        moments = np.concatenate([body.inertia_com for body in rigid]).reshape(-1, 3, 3)
        twice = moments.trace(axis1=1, axis2=2)
        squares.append(float((twice / (2.0 * np.array([b.mass for b in rigid]))).max()))  # gyration
    lengths.append(math.sqrt(max(squares)))
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
