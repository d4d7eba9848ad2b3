"""Force elements as records of integers and reals for the kernels."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core import forces as codes
from supple.core import layout as at
from supple.core.joint_forces import RATIO
from supple.engine.callbacks import Callback
from supple.errors import label
from supple.forces import (
    PID,
    Bushing,
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
    SpringDamper,
)
from supple.forces.kinds import force_kind
from supple.signals import Constant, Signal

if TYPE_CHECKING:
    from supple.engine.builder import _Builder


def pack(b: _Builder, force: ForceElement) -> None:
    """Add the records of one force element to the builder."""
    kind = force_kind(force)
    b.switches += kind.switches(force)
    PACKERS[kind.cls](b, force)


def add(b: _Builder, force: ForceElement, ints: list[int], reals: Any, name: str = "") -> None:
    """Add one row of each, padded; ``name`` for elements that are a part of another."""
    numbers = np.asarray(reals, dtype=float)
    b.add_element(
        ints + [0] * (at.ELEMENT_INTS - len(ints)),
        np.concatenate([numbers, np.zeros(at.ELEMENT_REALS - len(numbers))]),
        name or force.name,
    )


def _force(b: _Builder, force: Force) -> None:
    node, pose = b.place(force.frame)
    signals = [b.add_signal(s) for s in (*force.force, *force.torque)]
    row = [codes.FORCE, node, int(force.axes == "body"), *signals]
    add(b, force, row, [*pose.R.ravel(), *pose.p])
    b.wrenches += 1


def _spring_damper(b: _Builder, force: SpringDamper) -> None:
    (node_a, a), (node_b, c) = b.place(force.A), b.place(force.B)
    reals = [*a.p, *c.p, force.stiffness, force.damping, force.length]
    add(b, force, [codes.SPRING_DAMPER, node_a, node_b], reals)
    b.wrenches += 1


def _bushing(b: _Builder, force: Bushing) -> None:
    (node_a, a), (node_b, c) = b.place(force.A), b.place(force.B)
    data = [*a.R.ravel(), *a.p, *c.R.ravel(), *c.p, *force.stiffness, *force.damping]
    add(b, force, [codes.BUSHING, node_a, node_b, b.add_numbers(data)], [])
    b.wrenches += 1


def _load(b: _Builder, force: DistributedLoad) -> None:
    record = b.flexible[force.frame.body.name]
    beam: Any = b.bodies_by_name[force.frame.body.name]
    turn = force.frame.rotation
    if force.axes == "section":  # each point of a quadrature follows its own section
        signals = [b.add_signal(s) for s in force.force]
        for k, (x, weight) in enumerate(force.points(beam, 3)):
            node, pose = b.place(beam.at(x, rotation=turn))
            row = [codes.FORCE, node, 1, *signals, -1, -1, -1]
            name = f"{force.name}[{k}]"
            add(b, force, row, [*(weight * pose.R).ravel(), *pose.p], name)
        b.wrenches += 1
        return
    l0, l1, S = 0.0, np.zeros(3), np.zeros((3, record.modal.n + record.modal.r))
    for x, weight in force.points(beam, 4):
        where = beam.attachment(beam.at(x), record.point_masses)
        moves = where.Phi if where.slaved is None else np.hstack([where.Phi, where.slaved[:3]])
        l0, l1, S = l0 + weight, l1 + weight * where.p0, S + weight * moves
    components = list(force.force)
    if force.axes == "body" and not np.array_equal(turn, np.eye(3)):
        components = [_along(turn[i], force.force) for i in range(3)]
    signals = [b.add_signal(s) for s in components]
    offset = b.add_numbers([l0, *l1, *S.ravel()])
    index = list(b.flexible).index(record.name)
    add(b, force, [codes.LOAD, index, int(force.axes == "body"), offset, *signals], [])
    b.wrenches += 1


def _along(direction: Any, components: tuple[Signal, ...]) -> Signal:
    total: Signal = Constant(0.0)
    for factor, component in zip(direction, components, strict=True):
        if factor != 0.0:
            total = total + float(factor) * component
    return total


def _frame_function(b: _Builder, force: ForceFunction) -> None:
    node, pose = b.place(force.frame)
    callback = Callback.of_frame(force)
    b.callbacks.append(callback)
    row = [codes.FRAME_FUNCTION, node, callback.address]
    add(b, force, row, [*pose.R.ravel(), *pose.p])
    b.wrenches += 1


def _joint_function(b: _Builder, force: EffortFunction) -> None:
    callback = Callback.of_joints(force)
    b.callbacks.append(callback)
    data = [x for target in force.joints for x in b.shaft(*target, label(force))]
    row = [codes.JOINT_FUNCTION, len(force.joints), callback.address, b.add_numbers(data)]
    add(b, force, row, [])


def _on_coordinate(numbers: Callable[[Any], list[float]]) -> Callable[..., None]:
    def pack_row(b: _Builder, force: Any) -> None:
        q, u, ratio = b.shaft(force.joint, force.coordinate, label(force))
        signal = b.add_signal(force.signals[0]) if force.signals else -1
        kind = force_kind(force)
        state = b.add_state() if kind.states else 0
        reals = np.zeros(at.ELEMENT_REALS)
        values = numbers(force)
        reals[: len(values)] = values
        reals[RATIO] = ratio
        add(b, force, [kind.laws[0], q, u, signal, state], reals)

    return pack_row


def _motor(b: _Builder, motor: Motor) -> None:
    """Damping and elastic gear; the rotor itself is a part of the tree."""
    q, u, ratio = b.shaft(motor.name, 0, label(motor))
    if motor.damping > 0.0:
        reals = np.zeros(at.ELEMENT_REALS)
        reals[1], reals[RATIO] = motor.damping, ratio
        add(b, motor, [codes.JOINT_SPRING, q, u, -1, 0], reals, f"{motor.name}.damping")
    if motor.stiffness is not None:
        jq, ju, _ = b.shaft(motor.joint, motor.coordinate, label(motor))
        reals = np.array([1.0 / motor.ratio, -1.0, motor.stiffness, motor.gear_damping, 0.0])
        add(b, motor, [codes.GEAR, q, u, jq, ju], reals, f"{motor.name}.gear")


def _friction(f: JointFriction) -> list[float]:
    return [f.coulomb, f.viscous, f.static, f.transition, f.stribeck]


def _stop(f: JointStop) -> list[float]:
    return [f.lower, f.upper, f.stiffness, f.damping, f.exponent]


def _pid(f: PID) -> list[float]:
    return [f.kp, f.ki, f.kd, f.limit, f.back_calculation]


PACKERS: dict[type[ForceElement], Callable[..., None]] = {
    Force: _force,
    SpringDamper: _spring_damper,
    Bushing: _bushing,
    DistributedLoad: _load,
    ForceFunction: _frame_function,
    EffortFunction: _joint_function,
    Motor: _motor,
    JointSpring: _on_coordinate(lambda f: [f.stiffness, f.damping, f.rest, f.cubic]),
    JointEffort: _on_coordinate(lambda f: []),
    PID: _on_coordinate(_pid),
    JointFriction: _on_coordinate(_friction),
    JointStop: _on_coordinate(_stop),
}
