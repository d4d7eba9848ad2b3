"""Model + spanning tree -> Compiled: flat buffers for the kernels and the names to read them by.

Each body's working frame (its node) sits at the outboard side of its inboard joint, turned so that
a revolute or prismatic axis is z; the body's own frame is a constant pose away. A joint with
several axes becomes a chain of massless nodes. A joint crossed from B to A is compiled with its
motions in reverse order about the opposite axes, so that its coordinates stay "pose of B in A"; for
ball and free motions the engine keeps the inverse pose and ``JointRecord`` converts at the
boundary.

A joint outside the tree is a chain of massless nodes, too, with its own coordinates; its end is
joined to B's frame by constraint rows (``engine/pack/constraints.py``). So a joint's coordinates,
forces and reaction are the same wherever it is. A body that the tree hangs on a free joint of its
own (``free:<body>``) moves by its own frame.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from supple.constraints import Constraint
from supple.core.base import layout as at
from supple.engine.base.body_records import ANCFRecord, FlexRecord
from supple.engine.base.callbacks import Callback
from supple.engine.base.compiled import (
    SLIDER,
    BodyRecord,
    Compiled,
    FrameKey,
    JointRecord,
    MotorRecord,
    SampledRecord,
)
from supple.engine.pack import ancf as gradient_rows
from supple.engine.pack import bodies as body_rows
from supple.engine.pack import constraints as link_rows
from supple.engine.pack import forces as force_rows
from supple.engine.pack.buffers import flat_buffers
from supple.engine.pack.features import features
from supple.engine.pack.nodal_bodies import (
    RigidMotion,
    frameless,
    rigid_motions,
    stiffened,
    without_frames,
)
from supple.engine.pack.tables import Tables
from supple.engine.sparsity.plan import with_plan
from supple.engine.sparsity.solver_choice import WAYS, Linear
from supple.forces import ForceElement, Motor
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.foundation.frames import Frame
from supple.foundation.poses import IDENTITY, Pose, aligned
from supple.graph.topology import Graph
from supple.graph.tree_choice import Tree
from supple.joints import Joint
from supple.joints.base import Motion
from supple.native import library

if TYPE_CHECKING:
    from supple.model import Model


class Builder(Tables):
    """Fills the tables while it walks through a model, and notes where everything is."""

    def __init__(
        self,
        model: Model,
        graph: Graph,
        frames: Iterable[Frame],
        frozen: float | None = None,
        held: Iterable[str] = (),
        starts: Mapping[str, RigidMotion] = MappingProxyType({}),
    ) -> None:
        super().__init__(model_length(model), frozen)
        self.starts = starts  # of gradient bodies
        self.model, self.watched_frames = model, tuple(frames)
        self.bodies_by_name, self.joints_by_name = model.bodies, model.joints
        self.point_masses = body_rows.point_masses(model)
        self.bodies: dict[str, BodyRecord] = {}
        self.own_frames: dict[str, tuple[int, Pose]] = {}
        self.joints: dict[str, JointRecord] = {}
        self.extra: dict[str, JointRecord] = {}
        self.flexible: dict[str, FlexRecord] = {}
        self.gradient: dict[str, ANCFRecord] = {}
        self.gradient_nodes: dict[tuple[str, int], int] = {}
        self.places: dict[FrameKey, tuple[int, Pose]] = {}
        self.points: dict[FrameKey, int] = {}  # in elements of gradient bodies
        self.motors: dict[str, MotorRecord] = {}
        self.callbacks: list[Callback] = []
        self.sampled: dict[str, SampledRecord] = {}
        self.energy_creating: list[str] = []
        self.chain_ends: dict[str, tuple[int, Pose]] = {}
        self.holds: dict[str, tuple[int, ...]] = {}
        self.append_node(-1, "fixed", IDENTITY, 0)  # the ground
        for edge in graph.tree:
            joint = self.joints_by_name.get(edge.joint)
            if joint is None:
                body_rows.hang_free(self, self.bodies_by_name[edge.child], edge.joint)
            else:
                self.add_joint(joint, edge.child, edge.reversed)
        for record in self.bodies.values():
            link_rows.close(self, record.body)
        for name in graph.chords:
            self.add_chord(self.joints_by_name[name])
        for force in model.forces.values():
            if isinstance(force, Motor):
                self.add_motor(force)
        for constraint in model.constraints.values():
            self.owner = label(constraint)
            link_rows.add_slider(self, constraint)
        for force in model.forces.values():
            self.add_force(force)
        for constraint in model.constraints.values():
            self.owner = label(constraint)
            link_rows.pack(self, constraint)
        for name in held:
            self.owner = label(self.joints_by_name[name])
            self.holds[name] = link_rows.hold(self, self.joints_by_name[name])
        for part in self.flexible.values():
            body_rows.add_damping(self, part)
            body_rows.add_membranes(self, part)
        for frame in self.watched_frames:
            self.place(frame)

    def add_force(self, force: ForceElement) -> None:
        """Add the rows of a force element."""
        self.owner = label(force)
        force_rows.pack(self, force)

    def add_joint(self, joint: Joint, child: str, backwards: bool) -> None:
        """Add a joint of the tree and hang its child on it."""
        node, current = self.add_chain(joint, child, backwards)
        held = joint.A if backwards else joint.B
        body_rows.hang(self, self.bodies_by_name[child], node, current, held)

    def add_chord(self, joint: Joint) -> None:
        """Add a joint that is not in the tree: its chain from A, joined to B's frame at its end."""
        end = self.chain_ends[joint.name] = self.add_chain(joint, joint.B.body.name, False)
        link_rows.join(self, joint, *end)

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
            self.owner,
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
        q, u = joint.initial, joint.initial_rate
        if backwards:
            q, u = record.from_user(q, u)
        self.q0.extend(q.tolist())
        self.u0.extend(u.tolist())
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
                turn, back = aligned(-motion.axis if backwards else motion.axis)
                placed = Pose(current.R.dot(turn), current.p)
                node = self.add_node(node, motion.row.name, placed)
                current = back
        if not motions:
            node = self.add_node(node, "fixed", current)
            current = IDENTITY
        return node, current

    def place(self, frame: Frame) -> tuple[int, Pose]:
        """Node and pose of a frame of a body of the model, or of the ground."""
        name = frame.body.name
        record = self.bodies.get(name)
        return body_rows.place(self, frame if record is None else record.body.on_part(frame))

    def place_inside(self, frame: Frame) -> tuple[int, Pose]:
        """Node and pose of a place that makes no end of a segment and no node of a mesh.

        On the axis of a gradient body it is a point in an element, which has no axes.
        """
        if frame.body.along_line and frame.body.name in self.gradient:
            return gradient_rows.point(self, frame), IDENTITY
        return self.place(frame)

    def node_turns(self, node: int) -> bool:
        """True if a node has axes that turn with its body, or are those of the ground."""
        row = self.node_ints[node]
        motion = row[at.MOTION]
        flat = motion == at.GRADIENT_EDGE and row[at.COLUMNS] == gradient_rows.PLACE
        return not flat and motion != at.POINT_EDGE

    def shaft(self, name: str, coordinate: int | str, owner: str) -> tuple[int, int, float]:
        """Places in q and u, and gear ratio, of a joint coordinate or of a motor's shaft."""
        if name in self.motors:
            record = self.motors[name]
            return record.q, record.u, record.ratio
        slider = self.extra.get(f"{name}{SLIDER}")
        if slider is not None:
            return slider.q.start, slider.u.start, 1.0
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


def model_length(model: Model) -> float:
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
    held: Iterable[str] = (),
    linear: Linear | None = None,
) -> Compiled:
    """Compile a model as it is written down: all constraint rows, initial state not assembled.

    With ``frozen``, a time in s, all signals keep the values that they have then. ``held`` names
    joints that get rows which hold their coordinates (``engine/reading/phases.py``); ``linear`` is
    the way of accelerations (``engine/sparsity/solver_choice.py``). See
    ``assembly.compile_model``.
    """
    graph = model.spanning_tree(tree)
    stiff = None
    if frameless(model):
        graph = without_frames(model, graph)
        stiff = build(stiffened(model), frozen=frozen)
    b = Builder(model, graph, frames, frozen, held, {} if stiff is None else rigid_motions(stiff))
    ints, reals = flat_buffers(b, model.gravity)
    ints[at.H_ASKED] = WAYS[linear]
    return with_records(b, graph, with_plan(ints, reals), reals, stiff)


def with_records(
    b: Builder, graph: Graph, ints: np.ndarray, reals: Array, stiff: Compiled | None = None
) -> Compiled:
    """Buffers of a model with the names to read them by."""
    model = b.model
    timed = (*model.forces.values(), *model.constraints.values())
    compiled = Compiled(
        ints=ints,
        reals=reals,
        bodies=b.bodies,
        own_frames=b.own_frames,
        joints=b.joints,
        extra=b.extra,
        flexible=b.flexible,
        gradient=b.gradient,
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
        z0=np.array(b.z0 + [0.0] * b.inner, dtype=float),
        scale=np.array(b.scale, dtype=float),
        rate_scale=np.array(b.rate_scale, dtype=float),
        breakpoints=tuple(sorted({t for item in timed for t in item.breakpoints})),
        gravity=np.array(model.gravity),
        length=b.length,
        loop_joints=_loops(model, graph),
        kinds=b.kinds,
        holds=b.holds,
        stiff=stiff,
        sampled=b.sampled,
    )
    library.expect(features(compiled))
    return compiled


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
    loops = {}
    for item in closing:
        ends = [frame.body.name for frame in item.frames.values()]
        if len(ends) == 2:
            loops[item.name] = graph.path(*ends)
    return loops
