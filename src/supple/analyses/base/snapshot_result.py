"""One state of a model as data of a result, and numbers of it by their texts.

The texts are those of `supple.results.files.dataset`. Coordinates and rates of joints, and places
and velocities of points, are read without a result; everything else is taken from one.

Also a model where its runs begin, assembled if possible: pictures, and lengths of its ropes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from supple.analyses.reactions.reactions import Reactions, SelfStress
from supple.core.base import layout as at
from supple.core.equations import history as kernel
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.base.histories import PLACE, SPIN, VELOCITY, RunHistory, rotations
from supple.engine.pack.builder import build
from supple.engine.pack.ropes import rope_history
from supple.engine.reading.loads import NO_TANGENT, Loads
from supple.forces.ropes import Rope, Station
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, label
from supple.foundation.frames import Frame
from supple.loops.assembly import assembled, compile_model
from supple.reduction.modal import Attachment
from supple.results.data.audit import AuditRecord
from supple.results.data.run_data import RunData
from supple.results.files.dataset import quantity
from supple.results.result import Result
from supple.state import State
from supple.visualization.drawing import draw
from supple.visualization.page import Take, page

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.model import Model

ON_AXIS = 1e-12  # m, by which a place may be away from what nodal vectors tell
_POINT = re.compile(r"([^.@]+)(?:\.at\(([^()]*)\))?\.(position|velocity)(?:\.([xyz]))?")


class Point(NamedTuple):
    """A point of a body: its node, how it moves with elastic coordinates, what is read of it."""

    target: slice
    node: int
    place: Array  # (3,) in the undeformed body, m, in axes of the node
    axes: Array  # (3, 3) of the body in those of the node
    moves: Attachment | None
    q: slice
    u: slice
    velocity: bool
    component: int | slice


# The same without what is read
Place = tuple[int, Array, Array, Attachment | None, slice, slice]


class InstantOutputs:
    """Values of some quantities at the state of a model that was read last.

    Attributes
    ----------
    values : (m,) all of them
    named : views of the values by text; arrays of a number each, or of a vector
    read_q, read_u : places among the values, and those in q and u that they are read from
    points : those whose place or velocity is computed
    others : texts and views of what is taken from a result
    """

    def __init__(self, model: Model, equations: Equations, state: State, texts: Sequence[str]):
        self.model, self.compiled = model, equations.compiled
        first = Result(instant(model, equations, state, True, "an instant", {}))
        views: dict[str, Any] = {}
        shapes = [np.shape(quantity(first, text, views)[0]) for text in texts]
        sizes = [int(np.prod(shape, dtype=int)) for shape in shapes]
        ends = np.cumsum([0, *sizes])
        self.values = np.zeros(int(ends[-1]))
        self.named: dict[str, Array] = {}
        self.read_q, self.read_u = ([], []), ([], [])  # type: tuple[list[int], list[int]], Any
        self.points: list[Point] = []
        nodes = int(self.compiled.ints[at.H_NODES])
        self._work = at.new_work(self.compiled.ints)
        self._flat = np.zeros((1, nodes * kernel.MOTION_COLUMNS))
        self.others: list[tuple[str, Array]] = []
        for text, shape, begin, end in zip(texts, shapes, ends[:-1], ends[1:], strict=True):
            view = self.values[begin:end].reshape(shape)
            self.named[text] = view
            if not self._coordinate(text, int(begin)) and not self._point(text, slice(begin, end)):
                self.others.append((text, view))
        self.read(equations, state)

    def _coordinate(self, text: str, target: int) -> bool:
        """True if a text names a coordinate of a joint or its rate; then it is read from q or u."""
        name, _, word = text.partition(".")
        joint = self.model.joints.get(name)
        if joint is None or joint.nq != joint.nu:
            return False
        for what, lists in (("", self.read_q), ("_rate", self.read_u)):
            words = [f"{coordinate}{what}" for coordinate in joint.coordinate_names]
            if word in words:
                place = self.compiled.coordinate(name, words.index(word))
                lists[0].append(target)
                lists[1].append(place[1 if what else 0])
                return True
        return False

    def _point(self, text: str, target: slice) -> bool:
        """True if a text names a point of a body with a frame; then its motion is computed."""
        match = _POINT.fullmatch(text)
        if match is None:
            return False
        name, inside, what, axis = match.groups()
        place = self._own_frame(name) if inside is None else None
        place = place or self._frame(name, inside)
        if place is None:
            return False
        how = what == "velocity", slice(None) if axis is None else "xyz".index(axis)
        self.points.append(Point(target, *place, *how))
        return True

    def _own_frame(self, name: str) -> Place | None:
        """Frame of a body, which elastic coordinates do not move."""
        if name in self.model.point_masses or name not in self.compiled.own_frames:
            return None
        node, pose = self.compiled.own_frames[name]
        return node, pose.p, pose.R, None, slice(0, 0), slice(0, 0)

    def _frame(self, name: str, inside: str | None) -> Place | None:
        """Frame of a point mass, or of a place on a body with a frame."""
        mass, body = self.model.point_masses.get(name), self.model.bodies.get(name)
        try:
            if mass is not None and inside is None:
                frame = mass.frame
            elif body is not None and inside is not None:
                frame = body.at(*map(float, inside.split(",")))
            else:
                return None
        except (ValueError, SuppleError):
            return None
        c, frame = self.compiled, self.compiled.on_part(frame)
        if frame.body.name in c.gradient:
            return self._nodal(c.gradient[frame.body.name], frame)
        record = c.flexible.get(frame.body.name)
        if frame.body.name not in c.own_frames:
            return None
        node, pose = c.own_frames[frame.body.name]
        if record is None and frame.body.discretisation == "rigid":
            return node, pose.p + pose.R @ frame.position, pose.R, None, slice(0, 0), slice(0, 0)
        if record is None:
            return None
        moves = record.body.shown(frame, record.point_masses)
        return node, pose.p + pose.R @ moves.p0, pose.R, moves, record.q, record.u

    def _nodal(self, record: ANCFRecord, frame: Frame) -> Place | None:
        """A place on a body of nodal vectors, where these tell it without axes of their own."""
        body = cast("ANCFBody", record.body)
        numbers, rows = body.shown_vectors(frame)
        resting = rows[0] @ record.mesh.rest.reshape(-1, 3)[numbers]
        away = np.abs(body.rest_pose(frame.position).p - resting).max()
        if away > ON_AXIS * max(1.0, float(np.abs(resting).max())):
            return None
        Phi = np.zeros((3, record.q.stop - record.q.start))
        for i in range(3):
            Phi[i, 3 * numbers + i] = rows[0]
        moves = Attachment(np.zeros(3), np.eye(3), Phi, np.zeros_like(Phi))
        return 0, np.zeros(3), np.eye(3), moves, record.q, record.u  # in axes of the world

    def read(self, equations: Equations, state: State) -> None:
        """Fill the values from a state."""
        q, u = state.q, state.u
        if self.read_q[0]:
            self.values[self.read_q[0]] = q[self.read_q[1]]
        if self.read_u[0]:
            self.values[self.read_u[0]] = u[self.read_u[1]]
        if self.points:
            self._read_points(equations.compiled, state)
        if self.others:
            result = Result(instant(self.model, equations, state, True, "an instant", {}))
            views: dict[str, Any] = {}
            for text, view in self.others:
                view[...] = quantity(result, text, views)[0]

    def _read_points(self, compiled: Compiled, state: State) -> None:
        kernel.motion_history(
            compiled.ints, compiled.reals, self._work, state.q[None], state.u[None], self._flat
        )
        nodes = self._flat.reshape(-1, kernel.MOTION_COLUMNS)
        for point in self.points:
            node, place, rate = nodes[point.node], point.place, None
            turn = rotations(node)
            if point.moves is not None:
                elastic = state.q[point.q], state.u[point.u]
                moved, rates, _ = point.moves.motion(*elastic, np.zeros(len(elastic[1])))
                place, rate = place + point.axes @ moved[:3], point.axes @ rates[:3]
            arm = turn @ place
            if not point.velocity:
                value = node[PLACE] + arm
            else:
                (a, b, c), (x, y, z) = node[SPIN].tolist(), arm.tolist()
                value = node[VELOCITY] + (b * z - c * y, c * x - a * z, a * y - b * x)
                value = value if rate is None else value + turn @ rate
            self.values[point.target] = value[point.component]


def instant(
    model: Model,
    equations: Equations,
    state: State,
    success: bool,
    message: str,
    statistics: Mapping[str, int | float | str],
) -> RunData:
    """A result with one time, which has no errors of energy."""
    arrays = np.array([state.t]), state.q[None], state.u[None], state.z[None]
    _, history = equations.history(*arrays)
    kinetic = float(history.energy[0, 0])
    elastic, strain = float(history.energy[0, 2]), float(history.strain[0])
    largest, total = float(np.max(np.abs(history.energy))), float(history.energy.sum())
    audit = AuditRecord(0.0, elastic, kinetic, kinetic, largest, total, max_strain=strain)
    stress = SelfStress(model) if equations.compiled.all_rows else None
    data = data_of_states(model, history, message, audit, success, statistics)
    return replace(data, self_stress=stress)


def velocities(model: Model, compiled: Compiled, q: Array, u: Array) -> RunData:
    """A result with n times: velocities u (n, nu) at one position q (nq,), or at n of them."""
    n = len(u)
    positions = np.array(np.broadcast_to(q, (n, compiled.nq)))
    states = np.zeros(n), positions, u, np.zeros((n, compiled.nz))
    return _states(model, compiled, states, "velocities at given positions")


def standing(model: Model, compiled: Compiled, q: Array, u: Array, t: float = 0.0) -> RunData:
    """A result with n times that are all t: at positions q (n, nq) with the velocities u (nu,).

    It has loads of force elements.
    """
    n = len(q)
    states = np.full(n, t), q, np.tile(u, (n, 1)), np.tile(compiled.z0, (n, 1))
    return _states(model, compiled, states, "positions at one time")


def at_states(model: Model, compiled: Compiled, t: Array, q: Array, u: Array, z: Array) -> RunData:
    """A result with n times t (n,): states q, u, z (n, ...) that no run connects.

    It has loads of force elements, and of reactions that are not unique the smallest.
    """
    data = _states(model, compiled, (t, q, u, z), "states that were given")
    if not compiled.all_rows:
        return data
    return replace(data, reactions=Reactions(model, cast("RunHistory", data.history)))


def _states(
    model: Model, compiled: Compiled, states: tuple[Array, Array, Array, Array], message: str
) -> RunData:
    """A result of times, positions, velocities and controller states, which no run connects."""
    contiguous = (np.ascontiguousarray(x) for x in states)
    return data_of_states(model, RunHistory(RowSets.of(compiled), *contiguous), message)


def data_of_states(
    model: Model,
    history: RunHistory,
    message: str,
    audit: AuditRecord | None = None,
    success: bool = True,
    statistics: Mapping[str, int | float | str] | None = None,
    channels: Array | None = None,
) -> RunData:
    """A result of states that were not integrated, with loads of force elements."""
    c, nothing = history.compiled, np.zeros((len(history.t), len(history.compiled.force_names)))
    return RunData(
        model=model,
        compiled=c,
        t=history.t,
        q=history.q,
        u=history.u,
        z=history.z,
        channels=nothing if channels is None else channels,
        history=history,
        audit=AuditRecord(0.0, 0.0, 0.0, 0.0, 0.0, 0.0) if audit is None else audit,
        momentum=(),
        events=(),
        success=success,
        message=message,
        statistics=statistics or {},
        loads=Loads(history, dict(model.forces)),
    )


def at_start(model: Model) -> tuple[Result, str]:
    """A model where its runs begin, and a sentence if its loops cannot be closed there."""
    model.check()
    compiled, problem = build(model), ""
    if compiled.nr:
        try:
            compiled = assembled(compiled)
        except ModelError as error:
            problem = f"as it is written, not assembled: {error}"
    return Result(standing(model, compiled, compiled.q0[None], compiled.u0)), problem


def page_of(model: Model) -> str:
    """The text of a page that shows a model where its runs begin."""
    result, problem = at_start(model)
    scene = draw(result)
    if problem:
        return page(Take(scene, problem, "bad"))
    return page(Take(scene, model.counts))


def rope_length(model: Model, path: Sequence[Station]) -> float:
    """Length (m) of a path of frames, pulleys and drums in the assembled start of a model."""
    other, name = model.copy(), "rope"
    while name in other:
        name += "_"
    other.add(Rope(name, path, 1.0, 1.0))
    c = compile_model(other)
    (number,) = c.channels(name)
    rows = rope_history(c.ints, c.reals, number, np.zeros(1), c.q0[None], c.u0[None])
    length = float(rows.length[0])
    if not np.isfinite(length):
        raise ModelError.plain(f"{label(model)}: the path of a rope {NO_TANGENT}")
    return length
