"""Force elements as records of integers and reals for the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core.base import layout as at
from supple.core.forces import (
    bushing,
    callback,
    cartesian,
    control,
    pair_callback,
)
from supple.core.forces import forces as codes
from supple.core.forces import joint_forces as joint
from supple.core.forces import point_spring as line
from supple.engine.base.callbacks import Callback
from supple.engine.base.compiled import SampledRecord
from supple.engine.pack import loads as pack_loads
from supple.engine.pack import ropes as pack_ropes
from supple.engine.pack.attachment_checks import has_axes
from supple.engine.pack.buffers import Columns
from supple.engine.pack.loads import add
from supple.forces import (
    PID,
    Bushing,
    CartesianSpring,
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
)
from supple.forces.kinds import force_kind
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.poses import Pose
from supple.signals import Polynomial

if TYPE_CHECKING:
    from supple.engine.pack.builder import Builder


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
    DistributedLoad: pack_loads.along_beam,
    SurfaceLoad: pack_loads.on_surface,
    Pressure: pack_loads.pressed,
    ForceFunction: _frame_function,
    PairFunction: _pair_function,
    Rope: pack_ropes.pack,
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
