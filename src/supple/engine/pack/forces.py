"""Force elements as records of integers and reals for the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.nodal.line_sections import SECTION_POINTS, weighted_sections
from supple.core.base import layout as at
from supple.core.forces import beam_load as load
from supple.core.forces import (
    bushing,
    callback,
    cartesian,
    control,
    pair_callback,
    pressure,
    section_load,
)
from supple.core.forces import forces as codes
from supple.core.forces import joint_forces as joint
from supple.core.forces import point_spring as line
from supple.engine.base.callbacks import Callback
from supple.engine.base.compiled import SampledRecord
from supple.engine.pack import contact_sets as pack_sets
from supple.engine.pack import contacts as pack_contacts
from supple.engine.pack import ropes as pack_ropes
from supple.engine.pack import tyres as pack_tyres
from supple.engine.pack.attachments import has_axes
from supple.engine.pack.buffers import Columns
from supple.forces import (
    PID,
    Bushing,
    CartesianSpring,
    Contact,
    Contacts,
    CoordinateSpring,
    DistributedLoad,
    EffortFunction,
    Force,
    ForceElement,
    ForceFunction,
    JointEffort,
    JointFriction,
    JointSpring,
    JointStop,
    Motor,
    PairFunction,
    Pressure,
    Rope,
    SampledController,
    SpringDamper,
    StateSpaceController,
    SurfaceLoad,
    Tyre,
)
from supple.forces.kinds import force_kind
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.poses import Pose
from supple.signals import Constant, Polynomial, Signal

if TYPE_CHECKING:
    from supple.engine.base.body_records import ANCFRecord
    from supple.engine.pack.builder import Builder


def add(
    b: Builder, force: ForceElement, kind: int, ints: Columns, reals: Columns, name: str = ""
) -> None:
    """Add an element; ``name`` for those that are a part of another."""
    b.add_element({at.KIND: kind, **ints}, reals, name or force.name)


def along_beam(b: Builder, force: DistributedLoad) -> None:
    """Add a force per length."""
    for part in force.on_parts(b.bodies_by_name[force.frame.body.name]):
        _load_on(b, part)


def _load_on(b: Builder, force: DistributedLoad) -> None:
    """Add a load along a beam that is one body of the engine."""
    if force.frame.body.name in b.gradient:
        _load_on_vectors(b, force)
        return
    record = b.flexible[force.frame.body.name]
    beam: Any = record.body
    turn = force.frame.rotation
    if force.axes == "section":  # each point of a quadrature follows its own section
        signals = [b.add_signal(s) for s in force.force]
        for k, (x, weight) in enumerate(force.points(beam, 3)):
            node, pose = b.place(beam.at(x, rotation=turn))
            ints = {codes.NODE: node, codes.FOLLOWS: 1, codes.SIGNALS: [*signals, -1, -1, -1]}
            reals = {at.POSE_R: weight * pose.R, at.POSE_P: pose.p}
            add(b, force, codes.FORCE, ints, reals, f"{force.name}[{k}]")
        b.wrenches += 1
        return
    l0, l1, S = 0.0, np.zeros(3), np.zeros((3, record.modal.n + record.modal.r))
    for x, weight in force.points(beam, 4):
        where = beam.attachment(beam.at(x), record.point_masses)
        moves = where.Phi if where.slaved is None else np.hstack([where.Phi, where.slaved[:3]])
        l0, l1 = l0 + weight, l1 + weight * where.p0
        S[:, : moves.shape[1]] += weight * moves  # amplitudes of watched places follow
    components = list(force.force)
    if force.axes == "body" and not np.array_equal(turn, np.eye(3)):
        components = [_along(turn[i], force.force) for i in range(3)]
    signals = [b.add_signal(s) for s in components]
    offset = b.add_numbers([l0, *l1, *S.ravel()])
    ints = {
        load.BODY: record.index,
        load.FOLLOWS: int(force.axes == "body"),
        load.AT: offset,
        load.SIGNALS: signals,
    }
    add(b, force, codes.LOAD, ints, {})
    b.wrenches += 1


def _load_on_vectors(b: Builder, force: DistributedLoad) -> None:
    """Add a load along a body without a frame: constant weights of its nodal vectors."""
    record = b.gradient[force.frame.body.name]
    body: Any = record.body
    if force.axes == "section":
        _load_on_sections(b, force, record)
        return
    weights = np.zeros(record.mesh.size // 3)
    for x, weight in force.points(body, 4):
        vectors, rows = body.shown_vectors(body.at(x))
        weights[vectors] += weight * rows[0]
    ints = {load.BODY: record.index, load.AT: b.add_numbers(weights.tolist())}
    signals = [b.add_signal(s) for s in force.force]
    add(b, force, codes.VECTOR_LOAD, {**ints, load.SIGNALS: signals}, {})


def _load_on_sections(b: Builder, force: DistributedLoad, record: ANCFRecord) -> None:
    """Add a load that turns with sections: weighted axes and rows at points of each element."""
    body: Any = record.body
    points, integers = force.points(body, SECTION_POINTS), [0]
    for piece in weighted_sections(body, points, force.frame.rotation):
        used = np.any([section.rows.any(axis=0) for section in piece], axis=0)
        vectors, place = piece[0].vectors[used], len(b.data)
        for section in piece:
            b.add_numbers((section.weight * section.turn).ravel().tolist())
            b.add_numbers(section.rows[:, used].ravel().tolist())
        integers += [len(vectors), len(piece), place, *vectors.tolist()]
        integers[0] += 1
    ints = {
        section_load.BODY: record.index,
        section_load.TURNS: int(body.turns),
        section_load.PIECES: b.add_integers(integers),
        section_load.SIGNALS: [b.add_signal(s) for s in force.force],
    }
    add(b, force, codes.SECTION_LOAD, ints, {})


def on_surface(b: Builder, force: SurfaceLoad) -> None:
    """Add a load per area at rest: constant weights of nodal vectors."""
    record = b.gradient[force.frame.body.name]
    rest = record.mesh.rest.reshape(-1, 3)
    weights = np.zeros(len(rest))
    for face in force.faces:
        weights[face.vectors] += face.areas(rest) @ face.shapes[0]
    ints = {load.BODY: record.index, load.AT: b.add_numbers(weights.tolist())}
    signals = [b.add_signal(s) for s in force.force]
    add(b, force, codes.VECTOR_LOAD, {**ints, load.SIGNALS: signals}, {})


def pressed(b: Builder, force: Pressure) -> None:
    """Add a load that follows its surface: rows of each face at the points of its rule."""
    faces, data = force.faces, {}
    integers = [len(faces)]
    for face in faces:
        if id(face.shapes) not in data:
            rows = face.shapes.transpose(1, 0, 2).copy()
            rows[:, 0] *= face.weights[:, None]
            data[id(face.shapes)] = b.add_numbers(rows.ravel().tolist())
        count, place = len(face.vectors), data[id(face.shapes)]
        integers += [count, len(face.weights), place, *face.vectors.tolist()]
    ints = {
        pressure.BODY: b.gradient[force.frame.body.name].index,
        pressure.FACES: b.add_integers(integers),
        pressure.SIGNAL: b.add_signal(force.pressure),
    }
    add(b, force, codes.PRESSURE, ints, {})


def _along(direction: Any, components: tuple[Signal, ...]) -> Signal:
    total: Signal = Constant(0.0)
    for factor, component in zip(direction, components, strict=True):
        if factor != 0.0:
            total = total + float(factor) * component
    return total


def pack(b: Builder, force: ForceElement) -> None:
    """Add the records of one force element to the builder."""
    kind = force_kind(force)
    b.switches += kind.switches(force)
    PACKERS[kind.cls](b, force)


def _pose(pose: Pose) -> dict[int, Any]:
    return {at.POSE_R: pose.R, at.POSE_P: pose.p}


def _force(b: Builder, force: Force) -> None:
    node, pose = b.place(force.frame)
    signals = [b.add_signal(s) for s in (*force.force, *force.torque)]
    follows = int(force.axes == "body")
    ints = {codes.NODE: node, codes.FOLLOWS: follows, codes.SIGNALS: signals}
    add(b, force, codes.FORCE, ints, _pose(pose))
    b.wrenches += 1


def _spring_damper(b: Builder, force: SpringDamper) -> None:
    (node_a, a), (node_b, c) = b.place(force.A), b.place(force.B)
    reals = {line.POINT_A: a.p, line.POINT_B: c.p, line.LENGTH: force.length}
    reals |= {line.STIFFNESS: force.stiffness, line.DAMPING: force.damping}
    kind, laws = _laws(b, force, codes.SPRING_DAMPER, codes.LINE_LAW, (line.SPRING, line.DAMPER))
    add(b, force, kind, {line.A: node_a, line.B: node_b, **laws}, reals)
    b.wrenches += 1


def _laws(
    b: Builder,
    force: SpringDamper | JointSpring,
    linear: int,
    general: int,
    columns: tuple[int, int],
) -> tuple[int, dict[int, Any]]:
    """Code of a spring without or with laws, and the columns of these."""
    spring = None if force.spring is None else force.spring.spring()
    damper = None if force.damper is None else force.damper.damper()
    numbers = [b.add_law(law) for law in (spring, damper)]
    return general if any(numbers) else linear, dict(zip(columns, numbers, strict=True))


def _cartesian(b: Builder, force: CartesianSpring) -> None:
    (node_a, a), (node_b, c) = b.place(force.A), b.place(force.B)
    reals = {cartesian.POINT_A: a.p, cartesian.POINT_B: c.p, cartesian.REST: force.rest}
    reals |= {cartesian.STIFFNESS: force.stiffness, cartesian.DAMPING: force.damping}
    add(b, force, codes.CARTESIAN, {cartesian.A: node_a, cartesian.B: node_b}, reals)
    b.wrenches += 1


def _ends(b: Builder, force: Bushing | PairFunction, more: Any = ()) -> dict[int, Any]:
    """Integers of an element between two frames, whose poses and further numbers are data."""
    (node_a, a), (node_b, c) = b.place(force.A), b.place(force.B)
    data = [*a.R.ravel(), *a.p, *c.R.ravel(), *c.p, *more]
    return {bushing.A: node_a, bushing.B: node_b, bushing.AT: b.add_numbers(data)}


def _bushing(b: Builder, force: Bushing) -> None:
    stiffness, damping = force.matrices
    numbers = [*stiffness.ravel(), *damping.ravel(), *force.preload]
    full = any(np.any(x != np.diag(np.diag(x))) for x in (stiffness, damping))
    ints = {**_ends(b, force, numbers), bushing.FULL: int(full)}
    add(b, force, codes.BUSHING, ints, {})
    b.wrenches += 1


def _frame_function(b: Builder, force: ForceFunction) -> None:
    node, pose = b.place(force.frame)
    function = Callback.of_frame(force, has_axes(b, force.frame))
    b.callbacks.append(function)
    ints = {callback.NODE: node, callback.ADDRESS: function.address}
    add(b, force, codes.FRAME_FUNCTION, ints, _pose(pose))
    b.wrenches += 1


def _pair_function(b: Builder, force: PairFunction) -> None:
    function = Callback.of_frame(force, has_axes(b, force.B))
    b.callbacks.append(function)
    ints = {**_ends(b, force), pair_callback.ADDRESS: function.address}
    add(b, force, codes.PAIR_FUNCTION, ints, {})
    b.wrenches += 1


def _joint_function(b: Builder, force: EffortFunction) -> None:
    function = Callback.of_joints(force)
    b.callbacks.append(function)
    ints = {
        callback.COUNT: len(force.joints),
        callback.ADDRESS: function.address,
        callback.TERM: b.add_terms(b.shaft(*target, label(force)) for target in force.joints),
    }
    add(b, force, codes.JOINT_FUNCTION, ints, {})


def _on_coordinate(numbers: Callable[[Any], Columns]) -> Callable[..., None]:
    def pack_row(b: Builder, force: Any) -> None:
        q, u, ratio = b.shaft(force.joint, force.coordinate, label(force))
        signal = b.add_signal(force.signals[0]) if force.signals else -1
        kind = force_kind(force)
        code: int = kind.laws[0]
        laws: dict[int, Any] = {}
        if isinstance(force, JointSpring):
            linear, general = kind.laws
            code, laws = _laws(b, force, linear, general, (joint.SPRING, joint.DAMPER))
        state = b.add_state() if kind.states else 0
        ints = {joint.Q: q, joint.U: u, joint.SIGNAL: signal, joint.STATE: state, **laws}
        add(b, force, code, ints, {**numbers(force), joint.RATIO: ratio})

    return pack_row


def _coupling(b: Builder, force: CoordinateSpring) -> None:
    (q1, u1, g1), (q2, u2, g2) = (b.shaft(*target, label(force)) for target in force.targets)
    ints = {codes.GEAR_Q1: q1, codes.GEAR_U1: u1, codes.GEAR_Q2: q2, codes.GEAR_U2: u2}
    reals = {
        codes.GEAR_1: g1,
        codes.GEAR_2: -force.ratio * g2,
        codes.GEAR_STIFFNESS: force.stiffness,
        codes.GEAR_DAMPING: force.damping,
        codes.GEAR_REST: force.rest,
    }
    add(b, force, codes.GEAR, ints, reals)


def _sampled(b: Builder, force: SampledController) -> None:
    """Efforts that are held: signals whose values a run writes (``sampling.py``)."""
    shafts = [b.shaft(*target, label(force)) for target in force.joints]
    if len({u for _, u, _ in shafts}) < len(shafts):
        raise ModelError(label(force), "joints", list(force.joints), "each coordinate once")
    numbers = []
    for k, (q, u, ratio) in enumerate(shafts):
        numbers.append(b.add_signal(Polynomial([0.0])))
        ints = {joint.Q: q, joint.U: u, joint.SIGNAL: numbers[-1]}
        name = f"{force.name}[{k}]" if len(shafts) > 1 else ""
        add(b, force, codes.JOINT_EFFORT, ints, {joint.RATIO: ratio}, name)
    measured = [b.shaft(*target, label(force)) for target in force.measures]
    measured += [elastic_place(b, force, *target) for target in force.elastic]
    b.sampled[force.name] = SampledRecord(tuple(numbers), tuple(measured))


def _linear_control(b: Builder, force: StateSpaceController) -> None:
    terms = [b.shaft(*target, label(force)) for target in force.measures]
    terms += [elastic_place(b, force, *target) for target in force.elastic]
    measured, acted = len(terms), []
    for target in force.joints:
        shaft = b.shaft(*target, label(force))
        if shaft not in terms:
            terms.append(shaft)
        acted.append(terms.index(shaft))
    if len({terms[k][1] for k in acted}) < len(acted):
        raise ModelError(label(force), "joints", list(force.joints), "each coordinate once")
    signals = [b.add_signal(s) for s in (*force.target, *force.feedforward)]
    states = [b.add_state(float(x)) for x in force.initial]
    numbers = [x for matrix in force.matrices for x in matrix.ravel()]
    ints = {
        control.COUNT: len(terms),
        control.EFFORTS: len(acted),
        control.TERM: b.add_terms(terms),
        control.STATE: states[0] if states else 0,
        control.STATES: len(states),
        control.MEASURED: measured,
        control.DATA: b.add_numbers([*numbers, *force.limit]),
        control.PROGRAM: b.add_integers([*acted, *signals]),
    }
    add(b, force, codes.LINEAR_CONTROL, ints, {})


def elastic_place(
    b: Builder, force: ForceElement, name: str, coordinate: int | str
) -> tuple[int, int, float]:
    """Places in q and u of an elastic coordinate, and the factor one."""
    record = b.flexible.get(name)
    if record is None:
        hint = suggestion(name, list(b.flexible))
        raise ModelError(label(force), "elastic", name, f"the name of a flexible body, {hint}")
    names = list(record.coordinate_names)
    k = names.index(coordinate) if coordinate in names else coordinate
    if not isinstance(k, int) or not 0 <= k < len(names):
        expected = f"a number from 0 to {len(names) - 1} or one of {', '.join(names[:6])}"
        raise ModelError(label(force), "elastic", (name, coordinate), expected)
    return record.q.start + k, record.u.start + k, 1.0


def _motor(b: Builder, motor: Motor) -> None:
    """Damping and elastic gear; the rotor itself is a part of the tree."""
    q, u, ratio = b.shaft(motor.name, 0, label(motor))
    if motor.damping > 0.0:
        ints = {joint.Q: q, joint.U: u, joint.SIGNAL: -1}
        reals = {joint.DAMPING: motor.damping, joint.RATIO: ratio}
        add(b, motor, codes.JOINT_SPRING, ints, reals, f"{motor.name}.damping")
    if motor.stiffness is not None:
        jq, ju, _ = b.shaft(motor.joint, motor.coordinate, label(motor))
        ints = {codes.GEAR_Q1: q, codes.GEAR_U1: u, codes.GEAR_Q2: jq, codes.GEAR_U2: ju}
        reals = {
            codes.GEAR_1: 1.0 / motor.ratio,
            codes.GEAR_2: -1.0,
            codes.GEAR_STIFFNESS: motor.stiffness,
            codes.GEAR_DAMPING: motor.gear_damping,
        }
        add(b, motor, codes.GEAR, ints, reals, f"{motor.name}.gear")


def _spring(f: JointSpring) -> Columns:
    linear = {joint.STIFFNESS: f.stiffness, joint.DAMPING: f.damping, joint.REST: f.rest}
    return {**linear, joint.CUBIC: f.cubic}


def _friction(f: JointFriction) -> Columns:
    sliding = {joint.COULOMB: f.coulomb, joint.VISCOUS: f.viscous, joint.STATIC: f.static}
    return {**sliding, joint.TRANSITION: f.transition, joint.STRIBECK: f.stribeck}


def _stop(f: JointStop) -> Columns:
    law = {joint.STOP_STIFFNESS: f.stiffness, joint.STOP_DAMPING: f.damping}
    return {joint.LOWER: f.lower, joint.UPPER: f.upper, **law, joint.EXPONENT: f.exponent}


def _pid(f: PID) -> Columns:
    gains = {joint.KP: f.kp, joint.KI: f.ki, joint.KD: f.kd}
    return {**gains, joint.LIMIT: f.limit, joint.BACK: f.back_calculation}


PACKERS: dict[type[ForceElement], Callable[..., None]] = {
    Force: _force,
    SpringDamper: _spring_damper,
    CartesianSpring: _cartesian,
    Bushing: _bushing,
    DistributedLoad: along_beam,
    SurfaceLoad: on_surface,
    Pressure: pressed,
    ForceFunction: _frame_function,
    PairFunction: _pair_function,
    Rope: pack_ropes.pack,
    Contact: pack_contacts.pack,
    Contacts: pack_sets.pack,
    Tyre: pack_tyres.pack,
    EffortFunction: _joint_function,
    CoordinateSpring: _coupling,
    SampledController: _sampled,
    StateSpaceController: _linear_control,
    Motor: _motor,
    JointSpring: _on_coordinate(_spring),
    JointEffort: _on_coordinate(lambda f: {}),
    PID: _on_coordinate(_pid),
    JointFriction: _on_coordinate(_friction),
    JointStop: _on_coordinate(_stop),
}
