"""Velocity transformation of a tree of bodies, built in two independent ways, for inspection.

The velocities of all bodies are linear in the rates of the tree joints and of the elastic
coordinates: Y' = B u, and Y'' = B a + B' u (Huang1998 (2.129), (2.130)). `velocity_transformation`
builds B and B' in plain NumPy, either from the path matrices pi and chi (Huang1998, section 2.4)
or by recursion from the root (section 2.6). The two share nothing but the placement of frames and
axes (placement.py).

Differences from the thesis, on purpose: rows are [angular; linear] with the angular velocity in
place of Euler rates, so G^ is the identity; the axes of a joint are composed in order, because axes
that all stay in the inboard frame (2.97) are not integrable, and a rotation also swings the
translations of the same joint that come after it; joint points on flexible bodies turn by a finite
rotation in place of (2.98), so D contains the tangent operator and has a derivative of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from supple.formulations.placement import (
    Coordinates,
    Layout,
    Placement,
    Step,
    elastic_values,
    joint_values,
    place,
    refuse_unknown,
    tilde,
)
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.calls import public
from supple.foundation.errors import ModelError
from supple.foundation.frames import System

if TYPE_CHECKING:
    from supple.model import Model


@public
@dataclass(frozen=True, eq=False)
class VelocityTransformation:
    """B and its time derivative, with the places of bodies, joints and elastic rates in them."""

    # (rows, nu); for each body six rows [angular; linear], the velocity of its own frame's origin
    # in world axes (rad/s, m/s), and for a flexible body one row more for each elastic rate; one
    # column for each rate of each tree joint, as the user means it, and for each elastic rate
    B: Array
    B_dot: Array  # (rows, nu), time derivative of B for the given rates
    bodies: dict[str, slice]  # rows of each body by its name, in the order of `graph.order`
    # columns of each tree joint by its name, in the order of `graph.tree`; those of a flexible
    # body, by the name of the body, follow the joint at which it hangs
    columns: dict[str, slice]
    # pose (R (3, 3), p (3,) in m) of each body's own frame in the world
    poses: dict[str, tuple[Array, Array]]


def velocity_transformation(
    model: Model,
    q: Coordinates | None = None,
    u: Coordinates | None = None,
    method: Literal["path", "recursive"] = "path",
) -> VelocityTransformation:
    """Build B and B' at coordinates `q` and rates `u`.

    `q` and `u` map names of joints to their coordinates and rates in the user's convention (u = q'
    for axes; ball: angular velocity of B in A in B's axes; free: twist of B in A in B's axes), and
    names of flexible bodies to their elastic coordinates and rates (u = q'; the names of the
    coordinates are in ``Beam.modal``). A joint that is missing there has its initial values, a
    flexible body is undeformed and at rest. Joints that close loops have no columns.
    """
    validate.choice("velocity_transformation", "method", method, ("path", "recursive"))
    if not isinstance(model, System):
        raise ModelError("velocity_transformation", "model", model, "a Model")
    layout = Layout.of(model)
    placement = place(model, layout, q)
    refuse_unknown(model, layout, u)
    rates, joints = np.zeros(layout.nu), model.joints
    for name, columns in layout.columns.items():
        if name in layout.beams:
            rates[columns] = elastic_values(layout.beams[name][0], layout.size(name), "rates", u)
        else:
            rates[columns] = joint_values(joints[name], "rates", u)
    construct = _by_paths if method == "path" else _by_recursion
    B, B_dot = construct(layout, placement, rates)
    poses = {name: placement.poses[name] for name in layout.rows}
    return VelocityTransformation(B, B_dot, layout.rows, layout.columns, poses)


def body_poses(model: Model, q: Coordinates | None = None) -> dict[str, tuple[Array, Array]]:
    """Pose (R (3, 3), p (3,) in m) of each body's own frame in the world, at coordinates `q`."""
    layout = Layout.of(model)
    placement = place(model, layout, q)
    return {name: placement.poses[name] for name in layout.rows}


# ------------------------------------------------------------------ Huang1998, section 2.4: paths


def _by_paths(layout: Layout, placement: Placement, u: Array) -> tuple[Array, Array]:
    """Assemble the blocks H_ij from sums over the path matrices.

    No path is walked here: within the limits of the sums, pi and chi pick the terms.
    """
    graph = layout.graph
    pi, chi = graph.pi, graph.chi
    n = len(graph.order)
    number = {body: i for i, body in enumerate(graph.order)}
    child = {edge.joint: edge.child for edge in graph.tree}
    steps = [placement.steps[edge.joint] for edge in graph.tree]
    hung = [placement.outboard[edge.joint] for edge in graph.tree]  # point K of each body

    # joint definition points k, each with the number of its body
    points = []
    for end in graph.points:
        ends = placement.outboard if child[end.joint] == end.body else placement.inboard
        points.append((number[end.body], ends[end.joint]))
    Omega = [_spin(s, u) for s in steps]  # (2.100)
    omega = []  # (2.102)
    for i in range(n):
        parts = [pi[i, j] * Omega[j] for j in range(n)]
        parts += [pi[i, body] * chi[i, k] * point.spin(u) for k, (body, point) in enumerate(points)]
        omega.append(sum(parts, np.zeros(3)))
    # the outboard end of joint j turns like body j and point K on it, (2.120)
    outer = [omega[j] + hung[j].spin(u) for j in range(n)]
    V_dot = [
        [tilde(outer[j] - _spin(s[step.carrier :], u)) @ step.V for step in s]
        for j, s in enumerate(steps)
    ]  # (2.120): the carrier turns like that end less the rotations between them

    # (2.137) U, E, D of each point with their rates; C of each joint; U and C as vectors
    rates = [point.rates(omega[body], u) for body, point in points]
    shifts = [[step.d for step in s] for s in steps]
    shift_rates = [
        [tilde(outer[j] - _spin(s[h:], u)) @ step.d + _slide(step, u) for h, step in enumerate(s)]
        for j, s in enumerate(steps)
    ]
    C = [sum(d, np.zeros(3)) for d in shifts]
    C_dot = [sum(d, np.zeros(3)) for d in shift_rates]

    height = layout.rows[graph.order[-1]].stop if n else 0
    B, B_dot = np.zeros((height, layout.nu)), np.zeros((height, layout.nu))
    for i, body_i in enumerate(graph.order):
        top = layout.rows[body_i].start
        ang, lin = slice(top, top + 3), slice(top + 3, top + 6)
        # axial vectors of xi_ij and of its derivative, for all j, on the path or not
        xi, xi_dot = np.zeros((n, 3)), np.zeros((n, 3))
        for j in range(n):
            for k, (body, point) in enumerate(points):
                if body >= j:
                    xi[j] -= pi[i, body] * chi[i, k] * point.arm  # (2.133), first sum
                    xi_dot[j] -= pi[i, body] * chi[i, k] * rates[k][0]  # (2.135)
            for body in range(j + 1, n):
                xi[j] -= pi[i, body] * C[body]  # (2.133), second sum
                xi_dot[j] -= pi[i, body] * C_dot[body]  # (2.135)
        for j in range(n):
            if not pi[i, j]:
                continue
            for h, step in enumerate(steps[j]):
                V, W, c = step.V, V_dot[j][h], step.columns
                if not step.rotates:
                    B[lin, c], B_dot[lin, c] = V, W  # (2.131), (2.132), first column
                    continue
                # composed axes: the translations of joint j beyond axis h swing with it too
                x = xi[j] - sum(shifts[j][h:], np.zeros(3))
                y = xi_dot[j] - sum(shift_rates[j][h:], np.zeros(3))
                B[ang, c], B_dot[ang, c] = V, W  # (2.131), (2.132), second column
                B[lin, c] = tilde(x) @ V
                B_dot[lin, c] = tilde(y) @ V + tilde(x) @ W  # (2.132) corrected
            own = hung[j].columns
            for k, (body, point) in enumerate(points):
                if body != j or not chi[i, k]:
                    continue
                D, (_, E_dot, D_dot) = point.D, rates[k]
                l1 = j + 1 if chi[i, k] > 0 else j  # (2.110)
                x = xi[l1] - pi[i, l1] * C[l1]
                y = xi_dot[l1] - pi[i, l1] * C_dot[l1]
                B[ang, own] += chi[i, k] * D  # (2.131), (2.132), third column
                B_dot[ang, own] += chi[i, k] * D_dot
                B[lin, own] += chi[i, k] * (point.E + tilde(x) @ D)  # (2.134) corrected
                B_dot[lin, own] += chi[i, k] * (E_dot + tilde(y) @ D + tilde(x) @ D_dot)  # (2.136)
                if chi[i, k] < 0:  # the last term of (2.134), (2.136): point K
                    B[lin, own] -= tilde(C[j]) @ D
                    B_dot[lin, own] -= tilde(C_dot[j]) @ D + tilde(C[j]) @ D_dot
        own = hung[i].columns
        B[top + 6 : layout.rows[body_i].stop, own] = np.eye(own.stop - own.start)  # R of (2.131)
    return B, B_dot


# -------------------------------------------------------------- Huang1998, section 2.6: recursion


def _by_recursion(layout: Layout, placement: Placement, u: Array) -> tuple[Array, Array]:
    """Carry J_n0 and its derivative from each parent to its children."""
    nu = layout.nu
    # body -> J_n0 and its derivative, all columns; rows [angular; linear; elastic]
    J = {layout.graph.root: (np.zeros((6, nu)), np.zeros((6, nu)))}
    for edge in layout.graph.tree:
        J_parent, J_parent_dot = J[edge.parent]
        plus, minus = placement.inboard[edge.joint], placement.outboard[edge.joint]
        omega = (J_parent @ u)[:3]
        plus_dot, E_plus_dot, D_plus_dot = plus.rates(omega, u)

        # outwards through the joint: turning frames, axes and displacements
        frames = [omega + plus.spin(u)]
        for step in placement.steps[edge.joint]:
            turning = step.V @ u[step.columns] if step.rotates else np.zeros(3)
            frames.append(frames[-1] + turning)  # (2.157), one axis at a time
        minus_dot, E_minus_dot, D_minus_dot = minus.rates(frames[-1] - minus.spin(u), u)

        n = minus.D.shape[1]
        J_joint, J_joint_dot = np.zeros((6 + n, nu)), np.zeros((6 + n, nu))
        # back inwards: `arm` is the arm from the child's origin to the pivot of the current axis
        arm, arm_dot = minus.arm, minus_dot
        c = minus.columns
        J_joint[:3, c], J_joint_dot[:3, c] = -minus.D, -D_minus_dot  # (2.165), block (2, 3)
        J_joint[3:6, c] = -tilde(arm) @ minus.D - minus.E  # (2.165), block (1, 3)
        J_joint_dot[3:6, c] = -tilde(arm_dot) @ minus.D - tilde(arm) @ D_minus_dot - E_minus_dot
        J_joint[6:, c] = np.eye(n)  # (2.165), block (3, 3)
        for h, step in reversed(list(enumerate(placement.steps[edge.joint]))):
            V, k = step.V, step.columns
            V_dot = tilde(frames[step.carrier]) @ V  # (2.160), axes composed
            if step.rotates:
                J_joint[:3, k], J_joint_dot[:3, k] = V, V_dot  # (2.165), block (2, 2)
                J_joint[3:6, k] = tilde(arm) @ V  # (2.165), block (1, 2)
                J_joint_dot[3:6, k] = tilde(arm_dot) @ V + tilde(arm) @ V_dot
            else:
                J_joint[3:6, k], J_joint_dot[3:6, k] = V, V_dot  # (2.165), block (1, 1)
                arm = arm - step.d
                arm_dot = arm_dot - tilde(frames[h]) @ step.d - V @ u[k]

        # (2.164) with block (2, 3) as seen by the angular velocity itself; `arm` is now u_0- less
        # the displacements of the joint
        J_across, J_across_dot = np.zeros((2, 6 + n, len(J_parent)))
        J_across[:6, :6] = np.eye(6)
        J_across[3:6, :3] = tilde(arm - plus.arm)
        J_across_dot[3:6, :3] = tilde(arm_dot - plus_dot)
        J_across[:3, 6:], J_across_dot[:3, 6:] = plus.D, D_plus_dot
        J_across[3:6, 6:] = tilde(arm) @ plus.D + plus.E
        J_across_dot[3:6, 6:] = tilde(arm_dot) @ plus.D + tilde(arm) @ D_plus_dot + E_plus_dot
        J[edge.child] = (
            J_across @ J_parent + J_joint,  # (2.152)
            J_across_dot @ J_parent + J_across @ J_parent_dot + J_joint_dot,  # (2.154)
        )
    blocks = [J[body] for body in layout.graph.order]  # (2.153)
    return (
        np.concatenate([np.zeros((0, nu)), *(block for block, _ in blocks)]),
        np.concatenate([np.zeros((0, nu)), *(block for _, block in blocks)]),
    )


# ----------------------------------------------------------------------------------- small pieces


def _spin(steps: list[Step], u: Array) -> Array:
    """Sum of the relative angular velocities of rotation steps (rad/s)."""
    return sum((s.V @ u[s.columns] for s in steps if s.rotates), np.zeros(3))


def _slide(step: Step, u: Array) -> Array:
    """Relative linear velocity of a translation step (m/s), zero for a rotation."""
    return np.zeros(3) if step.rotates else step.V @ u[step.columns]
