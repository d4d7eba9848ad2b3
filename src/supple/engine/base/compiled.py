"""Compiled: a model as flat buffers for the kernels, and the names to read them by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.linalg import multifrontal as blocks
from supple.engine.base.body_records import ANCFRecord, FlexRecord
from supple.engine.base.callbacks import Callback
from supple.engine.sparsity.plan import Pattern, with_plan
from supple.engine.sparsity.structure import rate_rows
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import Pose
from supple.graph.topology import Graph
from supple.joints.motions import CHARTS, Chart
from supple.signals import Signal

if TYPE_CHECKING:
    from supple.engine.reading.phases import Phase

FrameKey = tuple[str, bytes, bytes]
SLIDER, SPIN = ".line", ".angle"  # end names of coordinates of sliding joints, on rigid lines too
HELD = " held"  # ends the parts of rows that hold coordinates of joints
KindTable = Literal["motion", "element", "link", "driven link", "signal"]


class BodyRecord(NamedTuple):
    """A body of the model, and the bodies of the engine that it consists of: often itself alone."""

    body: Body
    parts: tuple[Body, ...]

    @property
    def name(self) -> str:
        """Name of the body."""
        return self.body.name


class SampledRecord(NamedTuple):
    """A sampled controller: signals of its efforts; places in q and u, and factors, it measures."""

    signals: tuple[int, ...]
    measured: tuple[tuple[int, int, float], ...]


class JointRecord(NamedTuple):
    """Record of a joint: its places in the engine.

    ``kind`` is the name of its chart; ``q``, ``u`` are its slices of the state; ``node`` carries
    its wrench (sign -1 when the joint is crossed from B to A); ``place`` is B's origin in the axes
    of ``place_node``.
    """

    name: str
    kind: str
    label: str
    child: str
    coordinate_names: tuple[str, ...]
    reversed: bool
    q: slice
    u: slice
    node: int
    place_node: int
    place: Array

    def to_user(self, q: Array, u: Array) -> tuple[Array, Array]:
        """Coordinates and rates of this joint from the whole state q (..., nq), u (..., nu)."""
        return self._convert(q[..., self.q], u[..., self.u])

    def from_user(self, coordinates: Array, rates: Array) -> tuple[Array, Array]:
        """The inverse of ``to_user`` for this joint's own coordinates (nq_j) and rates (nu_j)."""
        c, r = np.asarray(coordinates, float), np.asarray(rates, float)
        return self._convert(c, r) if self.reversed else (c.copy(), r.copy())

    @property
    def chart(self) -> Chart:
        """Chart of its motion."""
        return CHARTS[self.kind]

    def _convert(self, c: Array, r: Array) -> tuple[Array, Array]:
        return self.chart.backwards(c, r) if self.reversed else (c.copy(), r.copy())

    def effort_to_user(self, effort: Array) -> Array:
        """Efforts on this joint's own velocities from all generalized forces (..., nu)."""
        own = effort[..., self.u]
        return self.chart.effort_backwards(own) if self.reversed else own.copy()

    def velocity_name(self, k: int) -> str:
        """Name of its velocity in place k: "angle", "rotation_x"."""
        names = self.chart.velocities
        if not names:
            names = self.coordinate_names[::-1] if self.reversed else self.coordinate_names
        return names[k]


@dataclass(frozen=True)
class MotorRecord:
    """Record of a motor's shaft: places in q and u, and shaft angle per coordinate there.

    ``own``: the coordinate is the shaft's own, behind an elastic gear.
    """

    name: str
    label: str
    q: int
    u: int
    ratio: float
    own: bool = False


@dataclass(frozen=True)
class RowRecord:
    """A constraint row: the joint or constraint it belongs to, which part of it, and its unit."""

    owner: str
    label: str
    part: str
    unit: str

    @property
    def name(self) -> str:
        """For messages, e.g. "Revolute 'C' (place along x)"."""
        return f"{self.label} ({self.part})"


@dataclass(frozen=True)
class Compiled:
    """A model as flat buffers; read-only, and it pickles, for other processes.

    ``bodies`` are those of the model; ``own_frames`` has the node, and the pose in its axes, of the
    own frame of each body of the engine, and of each body of the model that has one; ``flexible``
    has the bodies of the engine with elastic coordinates, ``gradient`` those without a frame, and
    ``stiff`` is the model with these rigid, from which they start. ``extra`` has the coordinates
    that belong to no joint of the model: of bodies on free joints of their own (``free:<body>``)
    and of frame drivers. ``rows`` are the constraint rows in use, ``all_rows`` also those that
    follow from them; ``all_ints`` are the integers with all rows, None while none is left out.
    ``loop_joints`` has, for each closing joint and each constraint between frames, the joints of
    the tree that make a loop with it. ``regular_value`` is the smallest singular value of the
    scaled rows, but for redundant ones, at ``regular_positions`` (nq,) of the assembled mechanism:
    singular positions are compared with it; zero where there are none. ``energy_creating`` are the
    names in ``force_names`` of internal forces without a potential: their work counts as energy
    that the model creates. ``kinds`` has the codes of all kinds that the buffers hold, each with
    the first that is of it. ``holds`` has, by joint, the links that can hold its coordinates. In a
    run whose rows change at events ``whole`` is the model with the rows of all its phases, and
    ``phase`` says which of them these are.
    """

    ints: np.ndarray
    reals: Array
    bodies: dict[str, BodyRecord]
    own_frames: dict[str, tuple[int, Pose]]
    joints: dict[str, JointRecord]
    extra: dict[str, JointRecord]
    flexible: dict[str, FlexRecord]
    gradient: dict[str, ANCFRecord]
    motors: dict[str, MotorRecord]
    callbacks: tuple[Callback, ...]
    signals: tuple[tuple[str, Signal], ...]
    places: dict[FrameKey, tuple[int, Pose]]
    force_names: tuple[str, ...]
    force_dissipates: tuple[bool, ...]
    energy_creating: tuple[str, ...]
    rows: tuple[RowRecord, ...]
    all_rows: tuple[RowRecord, ...]
    graph: Graph
    q0: Array
    u0: Array
    z0: Array
    scale: Array
    rate_scale: Array
    breakpoints: tuple[float, ...]
    gravity: Array
    length: float
    loop_joints: dict[str, tuple[str, ...]] = field(default_factory=dict)
    all_ints: np.ndarray | None = None
    regular_value: float = 0.0
    regular_positions: tuple[Array, ...] = ()
    kinds: dict[tuple[KindTable, int], str] = field(default_factory=dict)
    holds: dict[str, tuple[int, ...]] = field(default_factory=dict)
    whole: Compiled | None = None
    phase: Phase | None = None
    stiff: Compiled | None = None
    sampled: dict[str, SampledRecord] = field(default_factory=dict)

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Sizes of the buffers by name, see ``core/base/layout.py``."""
        head = self.ints[: at.HEADER].tolist()
        return {name: head[k] for name, k in at.SIZES.items()}

    @cached_property
    def smallest_scale(self) -> float:
        """The smallest of ``scale``; infinite without velocities."""
        return float(self.scale.min(initial=np.inf))

    @cached_property
    def deforming(self) -> dict[str, FlexRecord | ANCFRecord]:
        """Bodies of the engine with coordinates of deformation, in a frame or without one."""
        return {**self.flexible, **self.gradient}

    @cached_property
    def body_names(self) -> tuple[str, ...]:
        """Bodies with an own frame in the order of `History`: those of the engine, the model's."""
        return tuple(self.own_frames)

    @cached_property
    def owners(self) -> dict[str, str]:
        """The body of the model that each body of the engine is, or is a part of."""
        return {part.name: name for name, body in self.bodies.items() for part in body.parts}

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Joints in engine order."""
        return tuple(self.joints)

    @cached_property
    def mass(self) -> float:
        """Mass of all bodies and point masses, kg."""
        rows = at.TREE_RECORD.view("body", self.sizes, self.reals)
        own = sum(record.mesh.mass for record in self.gradient.values())
        return float(rows[:, at.BODY_M].sum()) + own

    @property
    def weight(self) -> float:
        """Weight times length of the model, J: a size of its energies."""
        return self.mass * float(np.linalg.norm(self.gravity)) * self.length

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return len(self.q0)

    @property
    def nu(self) -> int:
        """Number of velocities."""
        return len(self.u0)

    @property
    def nz(self) -> int:
        """Number of controller states."""
        return len(self.z0)

    @property
    def nr(self) -> int:
        """Number of constraint rows in use."""
        return len(self.rows)

    def with_rows(self, kept: Sequence[int]) -> Compiled:
        """Return the model with some of its constraint rows, given by their places in ``rows``."""
        if len(set(kept)) == len(self.rows):
            return self
        ints = self.ints.copy()
        number = {old: new for new, old in enumerate(sorted(kept))}
        places = at.integers(ints, "link")[:, at.LINK_ROW :]
        places[:] = [[number.get(int(row), -1) for row in link] for link in places]
        ints[at.H_ROWS] = len(number)
        ints[at.H_RATES] = int(np.count_nonzero(rate_rows(ints)))
        ints = with_plan(ints, self.reals)
        rows = tuple(self.rows[k] for k in sorted(kept))
        return replace(self, ints=ints, rows=rows, all_ints=self.complete.ints)

    @cached_property
    def row_sizes(self) -> Array:
        """Unit of each row in use (nr,): the model's length for places, one radian else."""
        sizes = np.array([self.length if row.unit == "m" else 1.0 for row in self.rows])
        sizes.flags.writeable = False
        return sizes

    @cached_property
    def rate_rows(self) -> np.ndarray:
        """True for each row in use (nr,) that holds a rate alone, and no position."""
        return rate_rows(self.ints)

    @cached_property
    def of_positions(self) -> Compiled:
        """The model with its rows of positions alone."""
        return self.with_rows(np.flatnonzero(~self.rate_rows).tolist())

    @cached_property
    def row_pattern(self) -> Pattern | None:
        """Entries of constraint rows, where only these are stored."""
        return Pattern.of(self.ints, blocks.ROWS) if self.ints[at.H_PLANNED] else None

    @property
    def mass_pattern(self) -> Pattern | None:
        """Pattern of matrices over velocities; made anew, since it is long."""
        return Pattern.of(self.ints, blocks.TANGENT) if self.ints[at.H_PLANNED] else None

    @property
    def every_row(self) -> tuple[RowRecord, ...]:
        """All rows of all phases of a run."""
        return self.all_rows if self.whole is None else self.whole.all_rows

    @cached_property
    def left_out(self) -> np.ndarray:
        """True for each of all rows that is not in use."""
        used = set(self.rows)
        return np.array([row not in used for row in self.all_rows], dtype=bool)

    @cached_property
    def complete(self) -> Compiled:
        """The model with all its constraint rows in use."""
        if self.all_ints is None:
            return self
        return replace(self, ints=self.all_ints, rows=self.all_rows, all_ints=None)

    def raise_interrupt(self) -> None:
        """Raise an interrupt (Ctrl-C) that came inside a Python function of the model."""
        for callback in self.callbacks:
            if callback.interrupt is not None:
                raise callback.interrupt

    def trouble(self, t: float) -> str | None:
        """The failure of a Python function or signal near the time t as a sentence, or None."""
        for owner, signal in self.signals:
            for time in (t, t + 1e-9 * (1.0 + abs(t))):
                value = signal(time)
                if not np.isfinite(value):
                    return f"{owner}: its signal is {value:g} at t = {time:.9g} s"
        # trouble before t was overcome by smaller steps
        return next((c.trouble for c in self.callbacks if c.trouble and c.when >= t), None)

    def channels(self, name: str) -> list[int]:
        """Work channels of a force element: its own, or those of its parts."""
        if name in self.force_names:
            return [self.force_names.index(name)]
        return [k for k, n in enumerate(self.force_names) if n.startswith((f"{name}[", f"{name}."))]

    def place(self, frame: Frame) -> tuple[int, Pose]:
        """Node of a frame, if the model or a watched event uses it, and its pose in the node."""
        part = self.on_part(frame)
        if part.body.name in self.flexible or part.body.name in self.gradient:
            return self.places[frame_key(part)]
        return place_of(self.own_frames, part)

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a body of the engine, or of the ground, that a frame of the model is."""
        record = self.bodies.get(frame.body.name)
        return frame if record is None else record.body.on_part(frame)

    def shaft(self, name: str, index: int) -> tuple[int, int, float]:
        """Places in q and u, and gear ratio, of a joint coordinate or of a motor's shaft."""
        if name in self.motors:
            motor = self.motors[name]
            return motor.q, motor.u, motor.ratio
        slider = self.extra.get(f"{name}{SLIDER}")
        if slider is not None:
            return slider.q.start, slider.u.start, 1.0
        return *self.coordinate(name, index), 1.0

    def coordinate(self, joint: str, index: int) -> tuple[int, int]:
        """Places in q and u of a scalar joint coordinate given by its place in the user's order."""
        record = self.joints[joint]
        count = record.u.stop - record.u.start
        k = count - 1 - index if record.reversed else index
        return record.q.start + k, record.u.start + k

    def joint_of(self, dof: int) -> JointRecord | None:
        """The joint that a velocity belongs to; None for one of a deformation."""
        known = (*self.joints.values(), *self.extra.values())
        return next((j for j in known if j.u.start <= dof < j.u.stop), None)

    def dof_label(self, dof: int) -> str:
        """The joint, its coordinate and the body it moves behind a velocity, for messages."""
        record = self.joint_of(dof)
        if record is None:
            motor = next((m for m in self.motors.values() if m.own and m.u == dof), None)
            if motor is not None:
                return f"{motor.label} (shaft)"
            bodies = self.deforming.values()
            body = next(b for b in bodies if b.u.start <= dof < b.u.stop)
            return f"{body.label} ({body.coordinate_names[dof - body.u.start]})"
        part = record.velocity_name(dof - record.u.start)
        if not record.chart.axes:
            word, axis = part.split("_")
            part = f"{word} {'about' if word == 'rotation' else 'along'} {axis}"
        return f"{record.label} ({part} of body {record.child!r})"

    def to_user(self, joint: str, q: Array, u: Array) -> tuple[Array, Array]:
        """Coordinates and rates of a joint in the user's convention, from the whole state."""
        return self.joints[joint].to_user(q, u)

    def from_user(self, joint: str, coordinates: Array, rates: Array) -> tuple[Array, Array]:
        """Engine coordinates and velocities of a joint from the user's."""
        return self.joints[joint].from_user(coordinates, rates)

    def effort_to_user(self, joint: str, effort: Array) -> Array:
        """Efforts on a joint's own velocities from the whole generalized force."""
        return self.joints[joint].effort_to_user(effort)


def frame_key(frame: Frame) -> FrameKey:
    """Key of a frame: the body and the place and axes on it."""
    return frame.body.name, frame.position.tobytes(), frame.rotation.tobytes()


def place_of(own_frames: dict[str, tuple[int, Pose]], frame: Frame) -> tuple[int, Pose]:
    """Node of a frame on a rigid part or the ground, and the frame's pose in the node's axes."""
    own = Pose(frame.rotation, frame.position)
    found = own_frames.get(frame.body.name)
    if found is None:
        return 0, own
    node, pose = found
    return node, pose.then(own)


@dataclass(frozen=True)
class RowSets:
    """The compiled model with each set of constraint rows, from the time of its use on."""

    begins: tuple[float, ...]  # times (s), increasing
    models: tuple[Compiled, ...]  # the model with the rows in use from each of these times on

    @classmethod
    def of(cls, compiled: Compiled, begin: float = -np.inf) -> RowSets:
        """One set of rows all the time."""
        return cls((begin,), (compiled,))

    def then(self, t: float, compiled: Compiled) -> RowSets:
        """These sets, and another one from the time t on."""
        return RowSets((*self.begins, t), (*self.models, compiled))

    @property
    def first(self) -> Compiled:
        """The model as the run began."""
        return self.models[0]

    def parts(self, t: Array) -> Iterator[tuple[Compiled, np.ndarray | slice]]:
        """Each model in use at some of the times t (nt,), and the places of these times."""
        if len(self.models) == 1:
            yield self.models[0], slice(None)
            return
        which = np.maximum(np.searchsorted(self.begins, t, side="right") - 1, 0)
        for k, model in enumerate(self.models):
            places = np.flatnonzero(which == k)
            if len(places):
                yield model, places
