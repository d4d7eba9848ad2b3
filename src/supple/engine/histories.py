"""Poses, motions, wrenches and energies of bodies and joints, from the states at output times."""

from __future__ import annotations

import numpy as np

from supple.core import history as kernel
from supple.core import layout as at
from supple.engine.builder import Compiled, JointRecord
from supple.errors import SuppleError
from supple.joints.motions import motion_of
from supple.poses import Array
from supple.results.result import History


def histories(
    compiled: Compiled, work: Array, t: Array, q: Array, u: Array, z: Array
) -> tuple[Array, History]:
    """Accelerations (nt, nu) and ``History`` at the states q (nt, nq), u (nt, nu), z (nt, nz)."""
    nt, nn = len(t), int(compiled.ints[at.H_NODES])
    a, effort = np.zeros((nt, compiled.nu)), np.zeros((nt, compiled.nu))
    flat, energies = np.zeros((nt, nn * kernel.NODE_COLUMNS)), np.zeros((nt, kernel.ENERGIES))
    arrays = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (q, u, z)]
    shapes = [(nt, compiled.nq), (nt, compiled.nu), (nt, compiled.nz)]
    if [x.shape for x in arrays] != shapes:
        found = ", ".join(str(x.shape) for x in arrays)
        raise SuppleError(f"states q, u, z have the shapes {found}, expected {shapes}")
    kernel.history(
        compiled.ints,
        compiled.reals,
        work,
        np.ascontiguousarray(t, dtype=float),
        *arrays,
        a,
        flat,
        effort,
        energies,
    )
    nodes = flat.reshape(nt, nn, kernel.NODE_COLUMNS)
    bodies = [_body(nodes[:, b.node], b.pose.R, b.pose.p) for b in compiled.bodies.values()]
    rotation, place, twist, acceleration = (np.stack(x, axis=1) for x in zip(*bodies, strict=True))
    wrenches = [_wrenches(compiled, nodes, effort, j) for j in compiled.joints.values()]
    wrench, reaction = (np.stack(x, axis=1) for x in zip(*wrenches, strict=True))
    return a, History(
        R=rotation,
        p=place,
        V=twist,
        A=acceleration,
        wrench=wrench,
        reaction=reaction,
        effort=effort,
        energy=energies[:, : kernel.MOMENTUM],
        momentum=energies[:, kernel.MOMENTUM : kernel.STRAIN],
        strain=energies[:, kernel.STRAIN],
    )


def _pose(node: Array) -> tuple[Array, Array]:
    """Rotation (nt, 3, 3) and place (nt, 3) of a node."""
    rotation = node[:, kernel.OUT_R : kernel.OUT_P].reshape(-1, 3, 3)
    return rotation, node[:, kernel.OUT_P : kernel.OUT_V]


def _spatial(node: Array, start: int) -> tuple[Array, Array]:
    """Angular and linear part (nt, 3) of the spatial vectors in the columns from ``start`` on."""
    return node[:, start : start + 3], node[:, start + 3 : start + 6]


def _body(node: Array, turn: Array, shift: Array) -> tuple[Array, Array, Array, Array]:
    """Pose, twist and classical acceleration of a body's own frame from those of its node."""
    rotation, place = _pose(node)
    arm = rotation @ shift
    (w, v), (alpha, a) = _spatial(node, kernel.OUT_V), _spatial(node, kernel.OUT_A)
    velocity = v + np.cross(w, arm)
    acceleration = a + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    return (
        rotation @ turn,
        place + arm,
        np.concatenate([w, velocity], axis=1),
        np.concatenate([alpha, acceleration], axis=1),
    )


def _wrenches(
    compiled: Compiled, nodes: Array, effort: Array, joint: JointRecord
) -> tuple[Array, Array]:
    """Whole wrench and constraint reaction by A on B at B's origin, world axes, (nt, 6) each."""
    node, base = nodes[:, joint.node], nodes[:, joint.place_node]
    rotation, place = _pose(base)
    at_b = place + rotation @ joint.place
    torque, force = _spatial(node, kernel.OUT_W)
    torque = torque + np.cross(_pose(node)[1] - at_b, force)
    whole = np.concatenate([torque, force], axis=1)
    own = effort[:, joint.u]
    reaction = whole
    if np.any(own):
        # The efforts act as the smallest wrench that does their work: the rest does none.
        motion = _motion_at(compiled, nodes, joint, at_b)
        motion[:, 3:] /= compiled.length
        active = np.einsum("tnk,tn->tk", np.linalg.pinv(motion), own)
        active[:, 3:] /= compiled.length
        reaction = whole - active
    return (-whole, -reaction) if joint.reversed else (whole, reaction)


def _motion_at(compiled: Compiled, nodes: Array, joint: JointRecord, place: Array) -> Array:
    """Motion subspace (nt, 6, nu_j) of the outboard side at a place, world axes."""
    columns = []
    for n, row in enumerate(at.integers(compiled.ints, "node")):
        if not joint.u.start <= row[at.U0] < joint.u.stop or row[at.COLUMNS] == 0:
            continue
        rotation = nodes[:, n, :9].reshape(-1, 3, 3)
        arm = place - nodes[:, n, 9:12]
        for direction in motion_of(int(row[at.MOTION])).directions:
            w, v = rotation @ direction[:3], rotation @ direction[3:]
            columns.append(np.concatenate([w, v + np.cross(w, arm)], axis=1))
    return np.stack(columns, axis=2)
