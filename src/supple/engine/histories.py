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
    flat, energies = np.zeros((nt, nn * kernel.NODE_COLUMNS)), np.zeros((nt, 10))
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
        energy=energies[:, :3],
        momentum=energies[:, 3:9],
        strain=energies[:, 9],
    )


def _body(node: Array, turn: Array, shift: Array) -> tuple[Array, Array, Array, Array]:
    """Pose, twist and classical acceleration of a body's own frame from those of its node."""
    rotation = node[:, :9].reshape(-1, 3, 3)
    arm = rotation @ shift
    w, alpha = node[:, 12:15], node[:, 18:21]
    v = node[:, 15:18] + np.cross(w, arm)
    acceleration = node[:, 21:24] + np.cross(alpha, arm) + np.cross(w, np.cross(w, arm))
    return (
        rotation @ turn,
        node[:, 9:12] + arm,
        np.concatenate([w, v], axis=1),
        np.concatenate([alpha, acceleration], axis=1),
    )


def _wrenches(
    compiled: Compiled, nodes: Array, effort: Array, joint: JointRecord
) -> tuple[Array, Array]:
    """Whole wrench and constraint reaction by A on B at B's origin, world axes, (nt, 6) each."""
    node, base = nodes[:, joint.node], nodes[:, joint.place_node]
    at_b = base[:, 9:12] + base[:, :9].reshape(-1, 3, 3) @ joint.place
    force = node[:, 27:30]
    torque = node[:, 24:27] + np.cross(node[:, 9:12] - at_b, force)
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
    count = int(compiled.ints[at.H_NODES])
    table = compiled.ints[at.HEADER : at.HEADER + count * at.NODE_INTS].reshape(count, -1)
    columns = []
    for n in range(1, count):
        row = table[n]
        if not joint.u.start <= row[at.U0] < joint.u.stop or row[at.NDOF] == 0:
            continue
        rotation = nodes[:, n, :9].reshape(-1, 3, 3)
        arm = place - nodes[:, n, 9:12]
        for direction in motion_of(int(row[at.MOTION])).directions:
            w, v = rotation @ direction[:3], rotation @ direction[3:]
            columns.append(np.concatenate([w, v + np.cross(w, arm)], axis=1))
    return np.stack(columns, axis=2)
