"""Kinetic energy of a mode by bodies, potential energy by bodies and springs.

Each body or spring stores energy with its own stiffness: that of a body's deformation, or that of a
spring along the relative motion of its ends. What prestress, weight or rotation add belongs to none
of them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.base.snapshot_result import velocities
from supple.core.base import layout as at
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.forces import (
    Bushing,
    CartesianSpring,
    Contact,
    Contacts,
    CoordinateSpring,
    ForceElement,
    JointSpring,
    JointStop,
    Motor,
    Rope,
    SpringDamper,
    Tyre,
)
from supple.forces.kinds import Stores, force_kind
from supple.forces.laws import Law
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.joints.interactions import Target
from supple.reduction.modal import ModalBody
from supple.results.data.run_data import ContactHistory
from supple.results.result import Result

if TYPE_CHECKING:
    from supple.analyses.linear.mode import Mode

KINDS = ("bending", "torsion", "extension", "shear", "deformation")  # of strain, after a body
LEAST = 1e-6  # part of the energy that is named
STEP = 1e-6  # m or rad, of differences of laws


def kinetic_by_body(equations: Equations, q: Array, u: Array) -> dict[str, float]:
    """Kinetic energy (J) of each body of the model, and of rotors by the name of their motor.

    At the position q (nq,) with the velocities u (nu,), engine order. Point masses count with the
    body that carries them; all of it is the kinetic energy of the model.
    """
    c = equations.compiled
    equations.residual(0.0, q, u, np.zeros(c.nu))  # leaves motion and inertia of every node
    model, work = at.read_model(c.ints, c.reals), equations.fields
    energies = dict.fromkeys(c.bodies, 0.0)
    for part, owner in c.owners.items():
        if part in c.gradient:
            energies[owner] += _of_vectors(c.gradient[part], u)
            nodes = {node for key, (node, _) in c.places.items() if key[0] == part}
            energies[owner] += sum(_of_node(work.node[node]) for node in nodes)
            continue
        energies[owner] += _of_node(work.node[c.own_frames[part][0]])
        if part in c.flexible:
            place = model.flex[c.flexible[part].index]
            energies[owner] += _of_deformation(c.flexible[part].modal, place, work.flex)
    shafts: dict[int, list[str]] = {}
    for motor in c.motors.values():
        shafts.setdefault(motor.u, []).append(motor.name)
    for k, names in shafts.items():  # rotors on one coordinate turn together
        energies[", ".join(names)] = 0.5 * float(model.rotor[k]) * float(u[k]) ** 2
    return energies


def _of_vectors(record: ANCFRecord, u: Array) -> float:
    """Energy of the rates of nodal vectors, J."""
    rates = u[record.u].reshape(-1, 3)
    return float(0.5 * np.sum(rates * (record.mesh.mass_matrix @ rates)))


def _of_node(row: Array) -> float:
    """Energy of a node's inertia, and what its twist has in common with the deformation, J."""
    w, v = row[at.V : at.V + 3], row[at.V + 3 : at.V + 6]
    xx, yy, zz, xy, xz, yz = row[at.J : at.J + 6]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    mass, moment = row[at.M], row[at.C : at.C + 3]
    own = 0.5 * mass * (v @ v) + 0.5 * (w @ inertia @ w) + v @ np.cross(w, moment)
    return float(own + w @ row[at.E : at.E + 3] + v @ row[at.E + 3 : at.E + 6])


def _of_deformation(modal: ModalBody, place: Array, flex: Array) -> float:
    """Energy of deformation rates alone, those of slaved shapes included, J."""
    mass = modal.M if modal.slaves is None else modal.slaves.M
    first, n = int(place[at.FLEX_WORK]) + at.FX_UE * len(mass), len(mass)
    rates = flex[first : first + n]
    return float(0.5 * rates @ mass @ rates)


def kinetic_shares(mode: Mode) -> dict[str, float]:
    """Part of the kinetic energy of a mode in each body, the largest first; they add up to 1."""
    equations, total = Equations(mode.compiled), dict[str, float]()
    for part in (mode.shape.real, mode.shape.imag):
        for name, energy in kinetic_by_body(equations, mode.q, part).items():
            total[name] = total.get(name, 0.0) + energy
    whole = sum(total.values())
    if whole <= 0.0:  # a controller on its own
        return {}
    shares = {name: energy / whole for name, energy in total.items() if energy > 0.0}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def moves_most(mode: Mode) -> str:
    """The joint coordinate or elastic coordinate that moves most: rad, or lengths of the model."""
    moved = np.abs(mode.shape) / mode.compiled.scale
    return mode.compiled.dof_label(int(np.argmax(moved))) if moved.any() else ""


def strain_kinds(compiled: Compiled) -> dict[str, dict[str, Array]]:
    """Stiffness matrices of the kinds of strain of each flexible body of the engine."""
    return {
        name: record.body.strain_kinds(record.point_masses)
        for name, record in compiled.flexible.items()
    }


def potential_shares(mode: Mode, kinds: dict[str, dict[str, Array]]) -> dict[str, float]:
    """Parts of the energy of strain and springs, the largest first: "blade bending", "coil".

    They add up to 1; nothing if no strain and no spring takes part.
    """
    found: dict[str, float] = {}
    c, model = mode.compiled, mode.model
    for record in c.flexible.values():
        own = mode.shape[record.u]
        whole = float(np.real(own.conj() @ record.modal.K @ own))
        left = whole
        for kind, K in kinds[record.name].items():
            energy = float(np.real(own.conj() @ K @ own))
            _add(found, f"{c.owners[record.name]} {kind}", energy)
            left -= energy
        if left > 1e-3 * whole:  # shear of thick beams, or a body that knows no kinds
            word = "deformation" if left == whole else "shear"
            _add(found, f"{c.owners[record.name]} {word}", left)
    parts = np.stack([mode.shape.real, mode.shape.imag])
    ends = Result(velocities(model, c, mode.q, parts))
    for name, force in model.forces.items():
        _add(found, name, STORED[force_kind(force).stores](mode, ends, force))
    total = sum(found.values())
    if total <= 0.0:
        return {}
    shares = {name: energy / total for name, energy in found.items() if energy > LEAST * total}
    return dict(sorted(shares.items(), key=lambda item: -item[1]))


def _add(found: dict[str, float], name: str, energy: float) -> None:
    found[name] = found.get(name, 0.0) + energy


def _line(mode: Mode, ends: Result, force: SpringDamper) -> float:
    view = ends[force.name]
    stiffness = force.stiffness + _slope(force.spring, float(view.length[0]) - force.length)
    return stiffness * float(view.length_rate @ view.length_rate)


def _rope(mode: Mode, ends: Result, force: Rope) -> float:
    view = ends[force.name]
    taut = float(view.length[0]) > force.length
    return (
        force.stiffness / force.length * float(view.length_rate @ view.length_rate) if taut else 0.0
    )


def _coordinate(mode: Mode, ends: Result, force: JointSpring | JointStop) -> float:
    value, rate = _shaft(mode, (force.joint, force.coordinate), force.name)
    if isinstance(force, JointStop):
        depth = max(value - force.upper, force.lower - value)
        slope = force.stiffness * force.exponent * max(depth, 0.0) ** (force.exponent - 1.0)
        return float(slope * abs(rate) ** 2) if depth > 0.0 else 0.0
    x = value - force.rest
    stiffness = force.stiffness + 3.0 * force.cubic * x**2 + _slope(force.spring, x)
    return float(stiffness * abs(rate) ** 2)


def _coupling(mode: Mode, ends: Result, force: CoordinateSpring) -> float:
    first, second = (_shaft(mode, target, force.name)[1] for target in (force.first, force.second))
    return float(force.stiffness * abs(first - force.ratio * second) ** 2)


def _gear(mode: Mode, ends: Result, force: Motor) -> float:
    if force.stiffness is None:
        return 0.0
    shaft = _shaft(mode, (force.name, 0), force.name)[1]
    joint = _shaft(mode, (force.joint, force.coordinate), force.name)[1]
    return float(force.stiffness * abs(shaft / force.ratio - joint) ** 2)


def _frames(mode: Mode, ends: Result, force: CartesianSpring | Bushing) -> float:
    A, B = (ends.point(frame) for frame in (force.A, force.B))
    way = B.position[0] - A.position[0]
    move, turn = B.velocity - A.velocity, B.angular_velocity - A.angular_velocity
    if isinstance(force, CartesianSpring):
        return float(np.sum(force.stiffness * move**2))
    R = A.matrix[0]  # its axes turn with A
    both = np.hstack([(move - np.cross(A.angular_velocity, way)) @ R, turn @ R])
    return float(np.sum(both @ force.matrices[0] * both))


def _contact(mode: Mode, ends: Result, force: Contact) -> float:
    loads = ends.data.loads
    assert loads is not None
    shown = loads(force.name).contact
    assert shown is not None
    return _of_contact(mode, force, shown)


def _contacts(mode: Mode, ends: Result, force: Contacts) -> float:
    loads = ends.data.loads
    assert loads is not None
    found = loads(force.name).contacts
    assert found is not None
    return sum((_of_contact(mode, *one) for one in found.each()), 0.0)


def _of_contact(mode: Mode, force: Contact, h: ContactHistory) -> float:
    stiffness, exponent = force.push()
    if force.lines is not None:  # each piece with one depth p: k p^m is (m + 1)/p of the energy
        deep = np.maximum(-h.gap[0], 0.0)
        slopes = exponent * (exponent + 1.0) * h.stored[0] / np.where(deep > 0.0, deep, 1.0) ** 2
        return float(np.sum(slopes * h.rate**2))
    depth, weight = np.maximum(-h.gap[0], 0.0), np.array([p.weight for p in force.pairs()])
    slope = np.where(depth > 0.0, stiffness * exponent * depth ** (exponent - 1.0), 0.0)
    hold, touches = force.bristle(mode.model.bodies), depth > 0.0
    held = np.sum(h.slip**2, axis=2) * touches * weight
    along = 0.0 if hold is None else hold[0] * float(np.sum(held))
    return float(np.sum(weight * slope * h.rate**2)) + along


def _tyre(mode: Mode, ends: Result, force: Tyre) -> float:
    loads = ends.data.loads
    assert loads is not None
    found = loads(force.name)
    assert found.contact is not None and found.tyre is not None
    stiffness, exponent, _ = force.normal_law()
    depth = np.maximum(-found.contact.gap[0], 0.0)
    slope = np.where(depth > 0.0, stiffness * exponent * depth ** (exponent - 1.0), 0.0)
    hold = np.array(force.law.carcass) * (depth > 0.0)  # as a spring, which it is at rest
    pushed = float(np.sum(slope * found.contact.rate**2))
    return pushed + float(np.sum(hold * found.tyre.velocity**2))


def _nothing(mode: Mode, ends: Result, force: ForceElement) -> float:
    return 0.0


# Twice the energy of a spring in a mode, by the word of its kind
STORED: dict[Stores, Callable[[Mode, Result, Any], float]] = {
    "": _nothing,
    "line": _line,
    "rope": _rope,
    "coordinate": _coordinate,
    "coupling": _coupling,
    "gear": _gear,
    "frames": _frames,
    "contact": _contact,
    "contacts": _contacts,
    "tyre": _tyre,
}


def _shaft(mode: Mode, target: Target, owner: str) -> tuple[float, complex]:
    """Value and rate in the mode of a coordinate of a joint or of a motor's shaft."""
    joint = mode.model.joints.get(target[0])
    index = 0 if joint is None else joint.coordinate_index(target[1], owner)
    q, u, ratio = mode.compiled.shaft(target[0], index)
    return float(ratio * mode.q[q]), complex(ratio * mode.shape[u])


def _slope(law: Law | None, x: float) -> float:
    """Stiffness of a law at a deflection."""
    if law is None:
        return 0.0
    below, above = np.asarray(law(x + STEP * (1.0 + abs(x)) * np.array([-1.0, 1.0])))
    return float(above - below) / (2.0 * STEP * (1.0 + abs(x)))
