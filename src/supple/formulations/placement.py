"""Positions in a tree, in plain NumPy: bodies, joint points and axes, in world axes.

A joint is a series of steps from its inboard to its outboard definition point; axes are composed
in order, each rides on those before it. A joint that the tree crosses backwards is the same
series in reverse with every axis negated: its coordinates and rates keep the meaning "pose of B in
A".

A definition point on a flexible body moves with the elastic coordinates q of the body: its place
by Phi q, its axes by the finite rotation exp(theta~) with theta = Psi q, and by what slaved
shapes add to these. The angular velocity of the axes against the body is T(theta) Psi q', in axes
turned by theta (docs/theory.md).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import FlexibleBody
from supple.engine.pack.attachments import attached_masses
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.graph.topology import Graph, TreeEdge
from supple.joints import Joint
from supple.reduction.modal import Attachment

if TYPE_CHECKING:
    from supple.model import Model

Coordinates = Mapping[str, ArrayLike]

# A term of the series of T that is smaller no longer changes it.
SMALLEST_TERM = 1e-18


@dataclass(frozen=True, eq=False)
class Layout:
    """Graph of the model and the places of its bodies, joints and elastic rates in B."""

    graph: Graph
    # [angular; linear; elastic rates] of each body, in the order of `graph.order`
    rows: dict[str, slice]
    # rates of each joint, then of the flexible body beyond it, Huang1998 (2.127), (2.128)
    columns: dict[str, slice]
    # flexible bodies with the point masses ((station m, mass kg), ...) on them
    beams: dict[str, tuple[FlexibleBody, tuple[tuple[float, float], ...]]]
    nu: int  # number of columns

    @classmethod
    def of(cls, model: Model) -> Layout:
        """Lay out a model; refuse one that is not a tree of known bodies on the ground."""
        graph = model.spanning_tree()
        if graph.unreached:
            raise ModelError.plain(
                f"velocity_transformation: body '{graph.unreached[0]}' has no path to the ground, "
                "expected joints that connect every body"
            )
        rows: dict[str, slice] = {}
        columns: dict[str, slice] = {}
        beams = {}
        nu = height = 0
        bodies, joints = model.bodies, model.joints
        for edge in graph.tree:
            body = bodies[edge.child]
            columns[edge.joint] = slice(nu, nu := nu + joints[edge.joint].nu)
            n = 0
            if body.discretisation == "floating_frame":
                beam = cast("FlexibleBody", body)
                masses = attached_masses(model, beam)
                beams[body.name] = beam, masses
                n = beam.modal(masses).n
                columns[body.name] = slice(nu, nu := nu + n)
            elif body.discretisation != "rigid":
                raise ModelError.plain(
                    f"{label(body)}: the velocity transformation does not know how it deforms, "
                    "expected rigid bodies and beams"
                )
            rows[body.name] = slice(height, height := height + 6 + n)
        return cls(graph, rows, columns, beams, nu)

    def size(self, name: str) -> int:
        """Number of coordinates of a flexible body."""
        return int(self.columns[name].stop - self.columns[name].start)


@dataclass(frozen=True, eq=False)
class AttachPoint:
    """A joint definition point on a body with n elastic coordinates, none if it is rigid.

    Vectors are in world axes, after `seen_from`; in body axes before.
    """

    R: Array  # (3, 3) axes of the joint there
    arm: Array  # (3,) U of Huang1998 (2.137) as a vector: from the body's origin to the point, m
    E: Array  # (3, n) velocity of the point against the body for each elastic rate, (2.137)
    D: Array  # (3, n) angular velocity of its axes against the body, (2.137) with a finite rotation
    turned: Array  # (3, 3) the body's axes, turned by theta
    # theta, Psi: (3,), (3, n) rotation vector of the axes and its slope, body axes
    theta: Array
    Psi: Array
    axes: Array  # (3, 3) the body's axes
    # how the frame moves with the elastic coordinates, None on a rigid body
    where: Attachment | None
    columns: slice  # columns of B that belong to the elastic rates

    @classmethod
    def on(cls, layout: Layout, frame: Frame, q: Coordinates | None) -> AttachPoint:
        """The point of a frame, in the axes of its body at the coordinates `q`."""
        name = frame.body.name
        if name not in layout.beams:
            none, nothing, same = np.zeros((3, 0)), slice(0, 0), np.eye(3)
            return cls(
                frame.rotation, frame.position, none, none,
                same, np.zeros(3), none, same, None, nothing,
            )  # fmt: skip
        beam, masses = layout.beams[name]
        where = beam.attachment(frame, masses)
        own = elastic_values(beam, layout.size(name), "coordinates", q)
        moved, jacobian = where.motion(own, own, own)[0], where.jacobian(own)
        theta, Psi = moved[3:], jacobian[3:]
        T, _ = tangent_operator(theta, np.zeros(3))
        turn = np.eye(3) + tilde(theta) @ T.T  # exp(theta~)
        return cls(
            R=turn @ where.R0,
            arm=where.p0 + moved[:3],
            E=jacobian[:3],
            D=turn @ T @ Psi,
            turned=turn,
            theta=theta,
            Psi=Psi,
            axes=np.eye(3),
            where=where,
            columns=layout.columns[name],
        )

    def seen_from(self, A: Array) -> AttachPoint:
        """Return it in world axes, for a body with the orientation `A`."""
        return AttachPoint(
            A @ self.R, A @ self.arm, A @ self.E, A @ self.D,
            A @ self.turned, self.theta, self.Psi, A @ self.axes, self.where, self.columns,
        )  # fmt: skip

    def spin(self, u: Array) -> Array:
        """Angular velocity of the axes against the body (rad/s), (2.91)."""
        w: Array = self.D @ u[self.columns]
        return w

    def rates(self, omega: Array, u: Array) -> tuple[Array, Array, Array]:
        """Time derivatives of arm (2.108), E and D (2.137), for a body that turns with `omega`."""
        spin = tilde(omega)
        own = u[self.columns]
        if self.where is None or not own.size:
            return spin @ self.arm, self.E, self.D
        T, T_dot = tangent_operator(self.theta, self.Psi @ own)
        change = self.where.jacobian_rate(own)
        D_dot = (spin + tilde(self.D @ own)) @ self.D
        D_dot += self.turned @ (T_dot @ self.Psi + T @ change[3:])
        return spin @ self.arm + self.E @ own, spin @ self.E + self.axes @ change[:3], D_dot


@dataclass(frozen=True, eq=False)
class Step:
    """One motion of a joint on the way from the root outwards, in world axes.

    V : (3, m) columns of relative angular (`rotates`) or linear velocity for each rate
    d : (3,) displacement made by the step (m), zero for a rotation; it rides on the frame before it
    carrier : the frame in which V is fixed: frame s is the one after s steps, 0 the inboard one
    columns : columns of B that belong to the rates
    """

    rotates: bool
    V: Array
    d: Array
    carrier: int
    columns: Indices


@dataclass(frozen=True, eq=False)
class Placement:
    """Positions in a tree: poses of bodies, joint definition points, steps of joints."""

    poses: dict[str, tuple[Array, Array]]
    inboard: dict[str, AttachPoint]  # of each joint: its point on the parent
    outboard: dict[str, AttachPoint]  # of each joint: its point on the child
    steps: dict[str, list[Step]]


def place(model: Model, layout: Layout, q: Coordinates | None) -> Placement:
    """Go through the tree and place every body, joint definition point and axis in the world."""
    refuse_unknown(model, layout, q)
    poses = {model.ground.name: (np.eye(3), np.zeros(3))}
    placement = Placement(poses, {}, {}, {})
    joints = model.joints
    for edge in layout.graph.tree:
        joint = joints[edge.joint]
        near, far = (joint.B, joint.A) if edge.reversed else (joint.A, joint.B)
        R_parent, p_parent = poses[edge.parent]
        inboard = AttachPoint.on(layout, near, q).seen_from(R_parent)
        coordinates = joint_values(joint, "coordinates", q)
        first = layout.columns[edge.joint].start
        R, steps = _steps(joint, edge, coordinates, inboard.R, first)
        own = AttachPoint.on(layout, far, q)
        R_child = R @ own.R.T
        outboard = own.seen_from(R_child)
        shift = sum((step.d for step in steps), np.zeros(3))
        poses[edge.child] = (R_child, p_parent + inboard.arm + shift - outboard.arm)
        placement.inboard[edge.joint] = inboard
        placement.outboard[edge.joint] = outboard
        placement.steps[edge.joint] = steps
    return placement


def _steps(
    joint: Joint, edge: TreeEdge, q: Array, R: Array, first: int
) -> tuple[Array, list[Step]]:
    """Return the orientation of the outboard frame and the steps from the inboard frame `R`."""
    sign = -1.0 if edge.reversed else 1.0
    parts, i, k = [], 0, first
    for motion in joint.motions:
        parts.append((motion, q[i : i + motion.nq], np.arange(k, k + motion.nu)))
        i, k = i + motion.nq, k + motion.nu
    steps: list[Step] = []
    zero = np.zeros(3)
    for motion, x, columns in reversed(parts) if edge.reversed else parts:
        here = len(steps)
        if motion.kind not in ("rotate", "translate", "ball", "free"):
            raise ModelError.plain(
                f"velocity_transformation: {label(joint)} has a motion of the kind "
                f"{motion.kind!r}, expected rotate, translate, ball or free"
            )
        if motion.axis is not None:
            V = sign * (R @ motion.axis)[:, None]  # Huang1998 (2.97), axes composed
            rotates = motion.kind == "rotate"
            steps.append(Step(rotates, V, zero if rotates else V[:, 0] * x[0], here, columns))
            if rotates:
                R = R @ _rotation_about(motion.axis, sign * x[0])
            continue
        turn = _rotation_of(x[:4])
        outboard = R @ (turn.T if edge.reversed else turn)
        V = sign * (R if edge.reversed else outboard)  # rates are given in B's axes
        if motion.kind == "ball":
            carrier = here if edge.reversed else here + 1
            steps.append(Step(True, V, zero, carrier, columns))
        elif edge.reversed:  # A seen from B: turn first, then shift along A's axes
            steps.append(Step(True, V, zero, here, columns[:3]))
            steps.append(Step(False, V, -outboard @ x[4:], here, columns[3:]))
        else:  # B seen from A: shift along A's axes, then turn
            steps.append(Step(False, V, R @ x[4:], here + 2, columns[3:]))
            steps.append(Step(True, V, zero, here + 2, columns[:3]))
        R = outboard
    return R, steps


# ------------------------------------------------------------------------------------- rotations


def tilde(x: Array) -> Array:
    """Cross product matrix: tilde(x) @ y = x cross y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def tangent_operator(theta: Array, rate: Array) -> tuple[Array, Array]:
    """T (3, 3) and its time derivative for the rotation vector theta (rad) and its rate.

    exp(theta~) turns with the angular velocity T theta', seen from the turned axes. The series
    T = sum of (-theta~)^k / (k + 1)! converges everywhere and needs no case for small angles.
    """
    X, X_dot = -tilde(theta), -tilde(rate)
    term, term_dot = np.eye(3), np.zeros((3, 3))
    T, T_dot = term.copy(), term_dot.copy()
    k = 1
    while np.abs(term).max() > SMALLEST_TERM:
        k += 1
        term, term_dot = term @ X / k, (term_dot @ X + term @ X_dot) / k
        T += term
        T_dot += term_dot
    return T, T_dot


def _rotation_about(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis (rad)."""
    K = tilde(axis)
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return R


def _rotation_of(quaternion: Array) -> Array:
    """Rotation matrix of a quaternion (w, x, y, z), which is normalised first."""
    unit = quaternion / np.linalg.norm(quaternion)
    K = tilde(unit[1:])
    R: Array = np.eye(3) + 2.0 * unit[0] * K + 2.0 * (K @ K)
    return R


# ---------------------------------------------------------------------------------- given values


def refuse_unknown(model: Model, layout: Layout, given: Any) -> None:
    """Refuse values for what has no coordinates in the model: a typo must not pass silently."""
    joints = model.joints
    if given is not None and not isinstance(given, Mapping):
        expected = "names of joints and flexible bodies with their values"
        raise ModelError("velocity_transformation", "q or u", given, expected)
    for name in given or ():
        if name not in joints and name not in layout.beams:
            raise ModelError.plain(
                f"velocity_transformation: values are given for '{name}', expected the name of "
                f"a joint or of a flexible body of {model.name!r}"
            )


def joint_values(joint: Joint, what: str, given: Coordinates | None) -> Array:
    """Coordinates or rates of a joint as a flat array: the given ones or else its initial ones."""
    default, size = (
        (joint.initial, joint.nq) if what == "coordinates" else (joint.initial_rate, joint.nu)
    )
    return _flat(label(joint), what, (given or {}).get(joint.name, default), size)


def elastic_values(beam: FlexibleBody, size: int, what: str, given: Coordinates | None) -> Array:
    """Elastic coordinates or rates of a beam (size,): the given ones or else zeros."""
    return _flat(label(beam), what, (given or {}).get(beam.name, np.zeros(size)), size)


def _flat(owner: str, what: str, given: ArrayLike, size: int) -> Array:
    values = validate.array(owner, what, given, f"{size} finite numbers").reshape(-1)
    if values.size != size:
        raise ModelError(owner, what, values.tolist(), f"{size} numbers")
    return values
