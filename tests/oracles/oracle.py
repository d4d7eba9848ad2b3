"""Dynamics of trees of rigid bodies in readable NumPy: the oracle for the compiled kernels.

Everything is built on the velocity transformation: bodies are free, with six velocities each
(angular and linear velocity of the body's own origin, world axes), and B projects them on the
rates of the joints. Coordinates, rates and accelerations are dicts `joint name -> values` in the
user's convention ("pose of B in A"); rates and accelerations may also be flat vectors. Vectors and
matrices that are returned have the order of `velocity_transformation(model).columns`.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.formulations.transformation import (
    VelocityTransformation,
    body_poses,
    velocity_transformation,
)
from supple.model import Model

Array = NDArray[np.float64]
Rates = Mapping[str, ArrayLike] | Array | None


def cross_matrix(x: Array) -> Array:
    """Matrix of y -> x cross y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def stack(t: VelocityTransformation, values: Mapping[str, ArrayLike] | Array) -> Array:
    """Put rates, accelerations or efforts into one vector; no joint or beam may miss."""
    if not isinstance(values, Mapping):
        return np.asarray(values, dtype=float)
    flat = np.zeros(t.B.shape[1])
    for name, columns in t.columns.items():
        flat[columns] = values[name]
    return flat


def split(t: VelocityTransformation, vector: Array) -> dict[str, Array]:
    """Inverse of `stack`."""
    return {name: vector[columns] for name, columns in t.columns.items()}


def transformation(model: Model, q: Mapping[str, ArrayLike] | None, u: Rates, method: str = "path"):
    """B and B' with the rates as dict or vector, and the rates as vector."""
    t = velocity_transformation(model, q, method=method)
    if u is None:
        u = {name: model.joints[name].initial_rate for name in t.columns}
    flat = stack(t, u)
    return velocity_transformation(model, q, split(t, flat), method=method), flat


def body_inertia(model: Model, name: str) -> tuple[float, Array, Array]:
    """Mass, centre of mass and inertia about the origin, body axes, with the point masses on it."""
    body = model.bodies[name]
    mass, moment = body.mass, body.mass * body.com
    inertia = np.array(body.inertia_origin)
    for point in model.point_masses.values():
        if point.frame.body.name == name:
            r = point.frame.position
            mass = mass + point.mass
            moment = moment + point.mass * r
            inertia += point.mass * (r @ r * np.eye(3) - np.outer(r, r))
    return mass, moment / mass, inertia


def body_blocks(model: Model, q: Mapping[str, ArrayLike] | None) -> dict[str, tuple]:
    """For each body: mass, mass centre from its origin, inertia about it, origin (world axes)."""
    blocks = {}
    for name, (R, p) in body_poses(model, q).items():
        mass, com, inertia = body_inertia(model, name)
        blocks[name] = (mass, R @ com, R @ inertia @ R.T, p)
    return blocks


def body_mass_matrix(mass: float, c: Array, inertia: Array) -> Array:
    """Mass matrix (6, 6) of a rigid body about its origin, rows [angular; linear]."""
    offset = mass * cross_matrix(c)
    return np.block([[inertia, offset], [offset.T, mass * np.eye(3)]])


def mass_matrix(model: Model, q: Mapping[str, ArrayLike] | None = None) -> Array:
    """B^T M B, (nu, nu)."""
    t = velocity_transformation(model, q)
    total = np.zeros((t.B.shape[1],) * 2)
    for name, (mass, c, inertia, _) in body_blocks(model, q).items():
        J = t.B[t.bodies[name]]
        total += J.T @ body_mass_matrix(mass, c, inertia) @ J
    return total


def inverse_dynamics(
    model: Model, q: Mapping[str, ArrayLike] | None = None, u: Rates = None, a: Rates = None
) -> Array:
    """Efforts (nu,) that make the accelerations `a` (zero by default) under gravity alone."""
    t, rates = transformation(model, q, u)
    accelerations = np.zeros_like(rates) if a is None else stack(t, a)
    gravity = np.asarray(model.gravity)
    efforts = np.zeros_like(rates)
    for name, (mass, c, inertia, _) in body_blocks(model, q).items():
        rows = t.bodies[name]
        omega = t.B[rows][:3] @ rates
        acceleration = t.B[rows] @ accelerations + t.B_dot[rows] @ rates
        wrench = body_mass_matrix(mass, c, inertia) @ acceleration
        wrench[:3] += np.cross(omega, inertia @ omega) - np.cross(c, mass * gravity)
        wrench[3:] += mass * np.cross(omega, np.cross(omega, c)) - mass * gravity
        efforts += t.B[rows].T @ wrench
    return efforts


def kinetic_energy(
    model: Model, q: Mapping[str, ArrayLike] | None = None, u: Rates = None
) -> float:
    """Kinetic energy (J) as the sum over bodies of translation and rotation at the mass centre."""
    t, rates = transformation(model, q, u)
    energy = 0.0
    for name, (mass, c, inertia, _) in body_blocks(model, q).items():
        omega, v = np.split(t.B[t.bodies[name]] @ rates, 2)
        v_com = v + np.cross(omega, c)
        about_com = inertia - mass * (c @ c * np.eye(3) - np.outer(c, c))
        energy += 0.5 * mass * v_com @ v_com + 0.5 * omega @ about_com @ omega
    return float(energy)


def potential_energy(model: Model, q: Mapping[str, ArrayLike] | None = None) -> float:
    """Energy of gravity (J), zero for a mass at the world origin."""
    gravity = np.asarray(model.gravity)
    return float(-sum(m * gravity @ (p + c) for m, c, _, p in body_blocks(model, q).values()))


def momentum(model: Model, q: Mapping[str, ArrayLike] | None = None, u: Rates = None) -> Array:
    """Momentum (6,): angular about the world origin (kg m2/s), linear (kg m/s), world axes."""
    t, rates = transformation(model, q, u)
    total = np.zeros(6)
    for name, (mass, c, inertia, p) in body_blocks(model, q).items():
        at_origin = body_mass_matrix(mass, c, inertia) @ (t.B[t.bodies[name]] @ rates)
        total[3:] += at_origin[3:]
        total[:3] += at_origin[:3] + np.cross(p, at_origin[3:])
    return total


def quaternion_product(a: Array, b: Array) -> Array:
    """Hamilton product of two quaternions (w, x, y, z)."""
    return np.array(
        [a[0] * b[0] - a[1:] @ b[1:], *(a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:]))]
    )


def move(
    model: Model, q: Mapping[str, ArrayLike], step: Mapping[str, ArrayLike]
) -> dict[str, Array]:
    """Coordinates after small displacements `step` = u dt (first order is exact).

    Elastic coordinates, under the names of their bodies, are plain.
    """
    moved = {n: np.asarray(x) + np.asarray(step[n]) for n, x in q.items() if n in model.bodies}
    for name, joint in model.joints.items():
        x, d = (np.array(v, dtype=float).reshape(-1) for v in (q[name], step[name]))
        out, i, k = [], 0, 0
        for motion in joint.motions:
            if motion.kind in ("rotate", "translate"):
                out.append(x[i : i + 1] + d[k : k + 1])
                i, k = i + 1, k + 1
                continue
            quaternion, w = x[i : i + 4], d[k : k + 3]
            angle = np.linalg.norm(w)
            half = np.array([np.cos(angle / 2), *(0.5 * np.sinc(angle / 2 / np.pi) * w)])
            out.append(quaternion_product(quaternion, half))  # w is given in B's axes
            i, k = i + 4, k + 3
            if motion.kind == "free":
                v = quaternion_product(
                    quaternion_product(quaternion, np.array([0.0, *d[k : k + 3]])),
                    quaternion * [1, -1, -1, -1],
                )[1:]
                out.append(x[i : i + 3] + v)
                i, k = i + 3, k + 3
        moved[name] = np.concatenate([np.zeros(0), *out])
    return moved
