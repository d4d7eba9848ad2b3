"""Velocity transformation of a tree of rigid bodies, built in two independent ways, for inspection.

The velocities of all bodies are linear in the rates of the tree joints: Y' = B u, and
Y'' = B a + B' u (Huang1998 (2.129), (2.130)). `velocity_transformation` builds B and B' in plain
NumPy, either from the path matrices pi and chi (Huang1998, section 2.4) or by recursion from the
root (section 2.6). The two share nothing but the placement of frames and axes.

Differences from the thesis, on purpose: rows are [angular; linear] with the angular velocity in
place of Euler rates, so G^ is the identity; bodies are rigid, so D = E = 0; the axes of a joint
are composed in order, because axes that all stay in the inboard frame (2.97) are not integrable.
A joint is therefore a series of steps, from its inboard to its outboard definition point, and a
rotation also swings the translations of the same joint that come after it. A joint that the tree
crosses backwards is the same series in reverse with every axis negated: its coordinates and rates
keep the meaning "pose of B in A".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.bodies.rigid import RigidBody
from supple.errors import ModelError, label
from supple.joints import Joint
from supple.model import Model
from supple.topology import Graph, TreeEdge

Array = NDArray[np.float64]
Coordinates = Mapping[str, ArrayLike]


@dataclass(frozen=True, eq=False)
class VelocityTransformation:
    """B and its time derivative, with the places of bodies and joints in them.

    Attributes
    ----------
    B : (6 n, nu); six rows [angular; linear] for each body: velocity of its own frame's origin in
        world axes (rad/s, m/s); one column for each rate of each tree joint, as the user means it
    B_dot : (6 n, nu), time derivative of B for the given rates
    bodies : rows of each body, in the order of `graph.order`
    columns : columns of each tree joint, in the order of `graph.tree`
    """

    B: Array
    B_dot: Array
    bodies: dict[str, slice]
    columns: dict[str, slice]


def velocity_transformation(
    model: Model,
    q: Coordinates | None = None,
    u: Coordinates | None = None,
    method: Literal["path", "recursive"] = "path",
) -> VelocityTransformation:
    """Build B and B' at coordinates `q` and rates `u`.

    `q` and `u` map names of joints to their coordinates and rates in the user's convention (u = q'
    for axes; ball: angular velocity of B in A in B's axes; free: twist of B in A in B's axes).
    A joint that is missing there has its initial values. Joints that close loops have no columns.
    """
    if method not in ("path", "recursive"):
        raise ModelError.plain(
            f"velocity_transformation: method is {method!r}, expected 'path' or 'recursive'"
        )
    layout = _Layout.of(model)
    placement = _place(model, layout, q)
    _refuse_unknown(model, u)
    rates = np.zeros(layout.nu)
    for name, columns in layout.columns.items():
        rates[columns] = _values(model.joints[name], "rates", u)
    construct = _by_paths if method == "path" else _by_recursion
    B, B_dot = construct(layout, placement, rates)
    return VelocityTransformation(B, B_dot, layout.rows, layout.columns)


def body_poses(model: Model, q: Coordinates | None = None) -> dict[str, tuple[Array, Array]]:
    """Pose (R (3, 3), p (3,) in m) of each body's own frame in the world, at coordinates `q`."""
    placement = _place(model, _Layout.of(model), q)
    return {name: placement.poses[name] for name in placement.poses if name != model.ground.name}


# ------------------------------------------------------------------ placement of frames and axes


@dataclass(frozen=True, eq=False)
class _Layout:
    """Graph of the model and the places of its bodies and joints in B."""

    graph: Graph
    rows: dict[str, slice]
    columns: dict[str, slice]
    nu: int

    @classmethod
    def of(cls, model: Model) -> _Layout:
        for body in model.bodies.values():
            if not isinstance(body, RigidBody):
                raise ModelError.plain(
                    f"{label(body)}: the velocity transformation has no columns for its elastic "
                    "coordinates yet, expected rigid bodies only"
                )
        graph = model.graph()
        if graph.unreached:
            raise ModelError.plain(
                f"velocity_transformation: body '{graph.unreached[0]}' has no path to the ground, "
                "expected joints that connect every body"
            )
        columns, nu = {}, 0
        for edge in graph.tree:
            columns[edge.joint] = slice(nu, nu := nu + model.joints[edge.joint].nu)
        rows = {body: slice(6 * i, 6 * i + 6) for i, body in enumerate(graph.order)}
        return cls(graph, rows, columns, nu)


@dataclass(frozen=True, eq=False)
class _Step:
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
    columns: NDArray[np.int_]


@dataclass(frozen=True, eq=False)
class _Placement:
    """Where everything is: poses of bodies, arms to joint definition points, steps of joints."""

    poses: dict[str, tuple[Array, Array]]
    inboard: dict[str, Array]  # u_0+ of each joint: from the parent's origin to its point
    outboard: dict[str, Array]  # u_0- of each joint: from the child's origin to its point
    steps: dict[str, list[_Step]]


def _place(model: Model, layout: _Layout, q: Coordinates | None) -> _Placement:
    """Go through the tree and place every body, joint definition point and axis in the world."""
    _refuse_unknown(model, q)
    poses = {model.ground.name: (np.eye(3), np.zeros(3))}
    placement = _Placement(poses, {}, {}, {})
    for edge in layout.graph.tree:
        joint = model.joints[edge.joint]
        near, far = (joint.B, joint.A) if edge.reversed else (joint.A, joint.B)
        R_parent, p_parent = poses[edge.parent]
        coordinates = _values(joint, "coordinates", q)
        first = layout.columns[edge.joint].start
        R, steps = _steps(joint, edge, coordinates, R_parent @ near.rotation, first)
        R_child = R @ far.rotation.T
        inboard, outboard = R_parent @ near.position, R_child @ far.position
        shift = sum((step.d for step in steps), np.zeros(3))
        poses[edge.child] = (R_child, p_parent + inboard + shift - outboard)
        placement.inboard[edge.joint] = inboard
        placement.outboard[edge.joint] = outboard
        placement.steps[edge.joint] = steps
    return placement


def _steps(
    joint: Joint, edge: TreeEdge, q: Array, R: Array, first: int
) -> tuple[Array, list[_Step]]:
    """Return the orientation of the outboard frame and the steps from the inboard frame `R`."""
    sign = -1.0 if edge.reversed else 1.0
    parts, i, k = [], 0, first
    for motion in joint.motions:
        parts.append((motion, q[i : i + motion.nq], np.arange(k, k + motion.nu)))
        i, k = i + motion.nq, k + motion.nu
    steps: list[_Step] = []
    zero = np.zeros(3)
    for motion, x, columns in reversed(parts) if edge.reversed else parts:
        here = len(steps)
        if motion.kind in ("rotate", "translate"):
            assert motion.axis is not None
            V = sign * (R @ motion.axis)[:, None]  # Huang1998 (2.97), axes composed
            rotates = motion.kind == "rotate"
            steps.append(_Step(rotates, V, zero if rotates else V[:, 0] * x[0], here, columns))
            if rotates:
                R = R @ _rotation_about(motion.axis, sign * x[0])
            continue
        turn = _rotation_of(x[:4])
        outboard = R @ (turn.T if edge.reversed else turn)
        V = sign * (R if edge.reversed else outboard)  # rates are given in B's axes
        if motion.kind == "ball":
            carrier = here if edge.reversed else here + 1
            steps.append(_Step(True, V, zero, carrier, columns))
        elif edge.reversed:  # A seen from B: turn first, then shift along A's axes
            steps.append(_Step(True, V, zero, here, columns[:3]))
            steps.append(_Step(False, V, -outboard @ x[4:], here, columns[3:]))
        else:  # B seen from A: shift along A's axes, then turn
            steps.append(_Step(False, V, R @ x[4:], here + 2, columns[3:]))
            steps.append(_Step(True, V, zero, here + 2, columns[:3]))
        R = outboard
    return R, steps


# ------------------------------------------------------------------ Huang1998, section 2.4: paths


def _by_paths(layout: _Layout, placement: _Placement, u: Array) -> tuple[Array, Array]:
    """Assemble the blocks H_ij from sums over the path matrices.

    No path is walked here: within the limits of the sums, pi and chi pick the terms.
    """
    graph = layout.graph
    pi, chi = graph.pi, graph.chi
    n = len(graph.order)
    steps = [placement.steps[edge.joint] for edge in graph.tree]
    number = {body: i for i, body in enumerate(graph.order)}
    child = {edge.joint: edge.child for edge in graph.tree}

    Omega = [_spin(s, u) for s in steps]  # (2.100)
    omega = [sum((pi[i, j] * Omega[j] for j in range(n)), np.zeros(3)) for i in range(n)]  # (2.102)
    V_dot = [
        [_tilde(omega[j] - _spin(s[step.carrier :], u)) @ step.V for step in s]
        for j, s in enumerate(steps)
    ]  # (2.120): the carrier turns like body j less the rotations between them

    # (2.137) U_k of each point with the number of its body, C of each joint, as vectors
    points = []
    for point in graph.points:
        arms = placement.outboard if child[point.joint] == point.body else placement.inboard
        points.append((number[point.body], arms[point.joint]))
    shifts = [[step.d for step in s] for s in steps]
    shift_rates = [
        [np.cross(omega[j] - _spin(s[h:], u), step.d) + _slide(step, u) for h, step in enumerate(s)]
        for j, s in enumerate(steps)
    ]
    C = [sum(d, np.zeros(3)) for d in shifts]
    C_dot = [sum(d, np.zeros(3)) for d in shift_rates]

    B, B_dot = np.zeros((6 * n, layout.nu)), np.zeros((6 * n, layout.nu))
    for i in range(n):
        ang, lin = slice(6 * i, 6 * i + 3), slice(6 * i + 3, 6 * i + 6)
        for j in range(n):
            if not pi[i, j]:
                continue
            xi, xi_dot = np.zeros(3), np.zeros(3)  # axial vectors of xi_ij and of its derivative
            for k, (body, arm) in enumerate(points):
                if body >= j:
                    xi -= pi[i, body] * chi[i, k] * arm  # (2.133), first sum
                    xi_dot -= pi[i, body] * chi[i, k] * np.cross(omega[body], arm)  # (2.135)
            for body in range(j + 1, n):
                xi -= pi[i, body] * C[body]  # (2.133), second sum
                xi_dot -= pi[i, body] * C_dot[body]  # (2.135)
            for h, step in enumerate(steps[j]):
                V, W, c = step.V, V_dot[j][h], step.columns
                if not step.rotates:
                    B[lin, c], B_dot[lin, c] = V, W  # (2.131), (2.132), first column
                    continue
                # composed axes: the translations of joint j beyond axis h swing with it too
                x = xi - sum(shifts[j][h:], np.zeros(3))
                y = xi_dot - sum(shift_rates[j][h:], np.zeros(3))
                B[ang, c], B_dot[ang, c] = V, W  # (2.131), (2.132), second column
                B[lin, c] = _tilde(x) @ V
                B_dot[lin, c] = _tilde(y) @ V + _tilde(x) @ W  # (2.132) corrected
    return B, B_dot


# -------------------------------------------------------------- Huang1998, section 2.6: recursion


def _by_recursion(layout: _Layout, placement: _Placement, u: Array) -> tuple[Array, Array]:
    """Carry J_n0 and its derivative from each parent to its children."""
    ground = (np.zeros((6, layout.nu)), np.zeros((6, layout.nu)))
    J = {layout.graph.root: ground}  # body -> J_n0 and its derivative, all columns
    for edge in layout.graph.tree:
        J_parent, J_parent_dot = J[edge.parent]
        plus, minus = placement.inboard[edge.joint], placement.outboard[edge.joint]
        omega = (J_parent @ u)[:3]
        plus_dot = np.cross(omega, plus)
        J_joint, J_joint_dot = np.zeros((6, layout.nu)), np.zeros((6, layout.nu))

        # outwards through the joint: turning frames, axes and displacements
        frames = [omega]
        for step in placement.steps[edge.joint]:
            turning = step.V @ u[step.columns] if step.rotates else np.zeros(3)
            frames.append(frames[-1] + turning)  # (2.157), one axis at a time
        minus_dot = np.cross(frames[-1], minus)
        # back inwards: `arm` is the arm from the child's origin to the pivot of the current axis
        arm, arm_dot = minus, minus_dot
        for h, step in reversed(list(enumerate(placement.steps[edge.joint]))):
            V, c = step.V, step.columns
            V_dot = _tilde(frames[step.carrier]) @ V  # (2.160), axes composed
            if step.rotates:
                J_joint[:3, c], J_joint_dot[:3, c] = V, V_dot  # (2.165), block (2, 2)
                J_joint[3:, c] = _tilde(arm) @ V  # (2.165), block (1, 2)
                J_joint_dot[3:, c] = _tilde(arm_dot) @ V + _tilde(arm) @ V_dot
            else:
                J_joint[3:, c], J_joint_dot[3:, c] = V, V_dot  # (2.165), block (1, 1)
                arm = arm - step.d
                arm_dot = arm_dot - np.cross(frames[h], step.d) - V @ u[c]

        J_across, J_across_dot = np.eye(6), np.zeros((6, 6))
        J_across[3:, :3] = _tilde(arm - plus)  # (2.164): u_0- less the displacements, less u_0+
        J_across_dot[3:, :3] = _tilde(arm_dot - plus_dot)
        J[edge.child] = (
            J_across @ J_parent + J_joint,  # (2.152)
            J_across_dot @ J_parent + J_across @ J_parent_dot + J_joint_dot,  # (2.154)
        )
    n = len(layout.graph.order)
    blocks = [J[body] for body in layout.graph.order]  # (2.153)
    shape = (6 * n, layout.nu)
    return (
        np.array([block for block, _ in blocks]).reshape(shape),
        np.array([block for _, block in blocks]).reshape(shape),
    )


# ----------------------------------------------------------------------------------- small pieces


def _spin(steps: list[_Step], u: Array) -> Array:
    """Sum of the relative angular velocities of rotation steps (rad/s)."""
    return sum((s.V @ u[s.columns] for s in steps if s.rotates), np.zeros(3))


def _slide(step: _Step, u: Array) -> Array:
    """Relative linear velocity of a translation step (m/s), zero for a rotation."""
    return np.zeros(3) if step.rotates else step.V @ u[step.columns]


def _tilde(x: Array) -> Array:
    """Cross product matrix: _tilde(x) @ y = x cross y."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def _rotation_about(axis: Array, angle: float) -> Array:
    """Rotation matrix about a unit axis (rad)."""
    K = _tilde(axis)
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)
    return R


def _rotation_of(quaternion: Array) -> Array:
    """Rotation matrix of a quaternion (w, x, y, z), which is normalised first."""
    unit = quaternion / np.linalg.norm(quaternion)
    K = _tilde(unit[1:])
    R: Array = np.eye(3) + 2.0 * unit[0] * K + 2.0 * (K @ K)
    return R


def _refuse_unknown(model: Model, given: Coordinates | None) -> None:
    """Refuse values for joints that are not in the model: a typo must not pass silently."""
    for name in given or ():
        if name not in model.joints:
            raise ModelError.plain(
                f"velocity_transformation: values are given for '{name}', expected the name of "
                f"a joint of {model.name!r}"
            )


def _values(joint: Joint, what: str, given: Coordinates | None) -> Array:
    """Coordinates or rates of a joint as a flat array: the given ones or else its initial ones."""
    default, size = (
        (joint.initial, joint.nq) if what == "coordinates" else (joint.initial_rate, joint.nu)
    )
    values = np.asarray((given or {}).get(joint.name, default), dtype=float).reshape(-1)
    if values.size != size:
        name = f"{type(joint).__name__} '{joint.name}'"
        raise ModelError(name, what, values.tolist(), f"{size} numbers")
    return values
