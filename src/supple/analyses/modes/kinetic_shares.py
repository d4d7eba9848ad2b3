"""Kinetic energy of a motion by bodies, and the coordinate that moves most in it."""

from __future__ import annotations

import numpy as np

from supple.analyses.modes.mode import Mode
from supple.core.base import layout as at
from supple.engine.base.body_records import ANCFRecord
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.reduction.modal import ModalBody


def kinetic_by_body(equations: Equations, q: Array, u: Array) -> dict[str, float]:
    """Kinetic energy (J) of each body of the model, and of rotors by the name of their motor.

    At the position q (nq,) with the velocities u (nu,), engine order. Point masses count with the
    body that carries them; all of it is the kinetic energy of the model.
    """
    c = equations.compiled
    equations.residual(0.0, q, u, np.zeros(c.nu))  # leaves motion and inertia of every node
    model, work = at.read_model(c.ints, c.reals), equations.fields
    found = dict.fromkeys(c.bodies, 0.0)
    for part, owner in c.owners.items():
        if part in c.gradient:
            found[owner] += _of_vectors(c.gradient[part], u)
            nodes = {node for key, (node, _) in c.places.items() if key[0] == part}
            found[owner] += sum(_of_node(work.node[node]) for node in nodes)
            continue
        found[owner] += _of_node(work.node[c.own_frames[part][0]])
        if part in c.flexible:
            place = model.flex[c.flexible[part].index]
            found[owner] += _of_deformation(c.flexible[part].modal, place, work.flex)
    shafts: dict[int, list[str]] = {}
    for motor in c.motors.values():
        shafts.setdefault(motor.u, []).append(motor.name)
    for k, names in shafts.items():  # rotors on one coordinate turn together
        found[", ".join(names)] = 0.5 * float(model.rotor[k]) * float(u[k]) ** 2
    return found


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
