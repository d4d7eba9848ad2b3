"""Force elements: wrenches on nodes and efforts on joint velocities, with their tangents.

How to add one is in CONTRIBUTING.md, "A force element".

A wrench on a node is subtracted from the node's inertia wrench W. Its derivative with respect to the
node's world twist, at fixed body-axes twist, is called D; composites need K = D + adT(W) because W
itself is already carried along by the sweep (docs/theory.md).
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import enter, force_stiffness, point
from supple.core.bodies import ancf as gradient
from supple.core.bodies import membrane
from supple.core.contact import contact, line_slopes, lines, sets, tyres
from supple.core.contact.contact import RUBBING
from supple.core.contact.lines import LINE_CONTACT, LINE_RUBBING
from supple.core.contact.record import CONTACT, TYRE, TYRE_SLIP, is_contact
from supple.core.contact.sets import CONTACT_SET, SET_RUBBING
from supple.core.forces import beam_load as load
from supple.core.forces import (
    bushing,
    callback,
    cartesian,
    control,
    joint_forces,
    pair_callback,
    pressure,
    rope,
    section_load,
)
from supple.core.forces import constraint_rows as links
from supple.core.forces import point_spring as line
from supple.core.forces.control import LINEAR_CONTROL
from supple.core.forces.joint_forces import (
    JOINT_EFFORT,
    JOINT_FRICTION,
    JOINT_LAW,
    JOINT_SPRING,
    JOINT_STOP,
    PID,
)
from supple.core.forces.point_spring import LINE_LAW, SPRING_DAMPER
from supple.core.forces.rope import ROPE
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, MAT, REAL, VEC, kernel, shared

__all__ = [
    "BODY_DAMPING", "BUSHING", "CARTESIAN", "CONTACT", "CONTACT_SET", "DRIVE", "FORCE", "FRAME_FUNCTION", "GEAR", "GRADIENT", "JOINT_EFFORT", "JOINT_FRICTION",
    "JOINT_FUNCTION", "JOINT_LAW", "JOINT_SPRING", "JOINT_STOP", "LINEAR_CONTROL", "LINE_CONTACT", "LINE_LAW", "LINE_RUBBING", "LOAD", "MEMBRANE", "PAIR_FUNCTION",
    "PID", "PRESSURE", "ROPE", "RUBBING", "SECTION_LOAD", "SET_RUBBING", "SHAPES", "SPRING_DAMPER", "TYRE", "TYRE_SLIP", "VECTOR_LOAD", "apply", "differentiate", "drive",
    "energy",
]

FORCE, BODY_DAMPING, BUSHING, LOAD, FRAME_FUNCTION, JOINT_FUNCTION, GEAR = 1, 3, 4, 5, 6, 7, 8
DRIVE = 9  # the work channel of a link whose row moves in time
MEMBRANE = 10  # geometric stiffening of a flexible body
CARTESIAN, PAIR_FUNCTION = 12, 13
GRADIENT = 14  # elastic forces, damping and weight of a gradient body
VECTOR_LOAD = 15  # a load along a gradient body
PRESSURE = 18  # on a surface of a gradient body
SECTION_LOAD = 19  # a load along a gradient body that turns with its sections
SHAPES = 26  # the geometry of what rolls, which does nothing; integers and data are those of a contact
# 2 and 11 are springs along a line, 16 ropes, 17 linear controllers, 20 to 25 contacts, 27 and 28 tyres; kinds from JOINT_SPRING on act on one joint coordinate

# Element integers of FORCE: node, 1 if it turns with the body, signals of force and torque (6); reals: pose of the frame
NODE, FOLLOWS, SIGNALS = 1, 2, 3
# ... of BODY_DAMPING: flexible body; of GRADIENT: gradient body, 1 if it has damping; of DRIVE: link
BODY, LINK, VISCOUS = 1, 1, 2
# ... of GEAR: places in q and u of the first coordinate, and of the second; reals: factors of both, stiffness, damping, rest
GEAR_Q1, GEAR_U1, GEAR_Q2, GEAR_U2 = 1, 2, 3, 4
GEAR_1, GEAR_2, GEAR_STIFFNESS, GEAR_DAMPING, GEAR_REST = range(5)
MANY = 1000003  # for numbers of branches; odd, so that the branch of no element is lost where they overflow


@kernel
def applied(tree, work, e, t):
    """Force element e of kind FORCE: world force and torque, and the point where it acts."""
    el, c = tree.element[e], tree.coef[e]
    s = el[SIGNALS:]
    f0, f1, f2 = evaluate(tree, work, s[0], t)[0], evaluate(tree, work, s[1], t)[0], evaluate(tree, work, s[2], t)[0]
    m0, m1, m2 = evaluate(tree, work, s[3], t)[0], evaluate(tree, work, s[4], t)[0], evaluate(tree, work, s[5], t)[0]
    r = work.node[el[NODE]]
    one = 1.0 + 0.0 * r[0]  # gives both branches the workspace's type
    fx, fy, fz, mx, my, mz = f0 * one, f1 * one, f2 * one, m0 * one, m1 * one, m2 * one
    if el[FOLLOWS] == 1:  # frame axes to node axes to world
        x, y, z = c[0] * f0 + c[1] * f1 + c[2] * f2, c[3] * f0 + c[4] * f1 + c[5] * f2, c[6] * f0 + c[7] * f1 + c[8] * f2
        fx, fy, fz = r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
        x, y, z = c[0] * m0 + c[1] * m1 + c[2] * m2, c[3] * m0 + c[4] * m1 + c[5] * m2, c[6] * m0 + c[7] * m1 + c[8] * m2
        mx, my, mz = r[0] * x + r[1] * y + r[2] * z, r[3] * x + r[4] * y + r[5] * z, r[6] * x + r[7] * y + r[8] * z
    px, py, pz, vx, vy, vz = point(work, el[NODE], c[at.POSE_P], c[at.POSE_P + 1], c[at.POSE_P + 2])
    return fx, fy, fz, mx, my, mz, px, py, pz, vx, vy, vz


@kernel
def body_damping(tree, f, u, effort):
    """Subtract C u from the efforts of flexible body f and return the power u C u."""
    n, o, j = tree.flex[f, at.FLEX_N], at.modal(tree, f).C, tree.flex[f, at.FLEX_U0]
    power = 0.0
    for i in range(n):
        s = 0.0
        for k in range(n):
            s = s + tree.flex_data[o + i * n + k] * u[j + k]
        effort[j + i] -= s
        power = power + s * u[j + i]
    return power


@kernel
def gear(tree, e, q, u):
    """Stretch of a spring between two coordinates, g1 q1 + g2 q2 - rest, and its rate."""
    el, c = tree.element[e], tree.coef[e]
    stretch = c[GEAR_1] * q[el[GEAR_Q1]] + c[GEAR_2] * q[el[GEAR_Q2]] - c[GEAR_REST]
    return stretch, c[GEAR_1] * u[el[GEAR_U1]] + c[GEAR_2] * u[el[GEAR_U2]]


@shared(TREE, WORK, INT, REAL, gives=REAL)
def force_apply(tree, work, e, t):
    """Subtract the wrench of an element of kind FORCE; returns its power."""
    fx, fy, fz, mx, my, mz, px, py, pz, vx, vy, vz = applied(tree, work, e, t)
    w = work.node[tree.element[e, NODE]]
    w[at.W] -= mx + py * fz - pz * fy
    w[at.W + 1] -= my + pz * fx - px * fz
    w[at.W + 2] -= mz + px * fy - py * fx
    w[at.W + 3] -= fx
    w[at.W + 4] -= fy
    w[at.W + 5] -= fz
    return fx * vx + fy * vy + fz * vz + mx * w[at.V] + my * w[at.V + 1] + mz * w[at.V + 2]


@shared(TREE, WORK, INT, REAL, VEC, VEC, VEC, gives=REAL)
def joint_apply(tree, work, e, t, q, u, z):
    """Effort of an element on one joint coordinate; returns its power."""
    el, g = tree.element[e], tree.coef[e, joint_forces.RATIO]
    k = el[joint_forces.U]
    f, power, rate = joint_forces.effort(tree, work, e, t, g * q[el[joint_forces.Q]], g * u[k], z)
    work.effort[k] += g * f
    if el[at.KIND] == PID:
        work.zdot[el[joint_forces.STATE]] = rate
    return power


@shared(TREE, WORK, REAL, VEC, VEC, VEC)
def apply(tree, work, t, q, u, z):
    """Subtract wrenches from W, collect efforts, powers (nf) and controller rates (nz)."""
    effort, power = work.effort, work.power
    for k in range(effort.shape[0]):
        effort[k] = 0.0
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        kind = el[at.KIND]
        if kind == FORCE:
            power[e] = force_apply(tree, work, e, t)
        elif kind == SPRING_DAMPER or kind == LINE_LAW:
            power[e] = line.apply(tree, work, e)
        elif kind >= JOINT_SPRING:
            power[e] = joint_apply(tree, work, e, t, q, u, z)
        elif kind == BODY_DAMPING:
            power[e] = body_damping(tree, el[BODY], u, effort)
        elif kind == BUSHING:
            power[e] = bushing.apply(tree, work, e)
        elif kind == LOAD:
            power[e] = load.apply(tree, work, e, t, u)
        elif kind == FRAME_FUNCTION:
            power[e] = callback.frame_apply(tree, work, e, t)
        elif kind == JOINT_FUNCTION:
            power[e] = callback.joint_apply(tree, work, e, t, q, u)
        elif kind == LINEAR_CONTROL:
            power[e] = control.control_apply(tree, work, e, t, q, u, z)
        elif kind == PAIR_FUNCTION:
            power[e] = pair_callback.apply(tree, work, e, t)
        elif kind == CARTESIAN:
            power[e] = cartesian.apply(tree, work, e)
        elif kind == DRIVE:
            power[e] = links.drive_power(tree, work, t, el[LINK])
        elif kind == MEMBRANE:
            power[e] = membrane.apply(tree, work, e, q, u)
        elif kind == GRADIENT:
            power[e] = 0.0
            if el[VISCOUS] == 1 or work.quiet[0].real == 0.0:
                power[e] = gradient.gradient_apply(tree, work, el[BODY], q, u)
        elif kind == VECTOR_LOAD:
            power[e] = load.apply_to_vectors(tree, work, e, t, u)
        elif kind == PRESSURE:
            power[e] = pressure.apply(tree, work, e, t, q, u)
        elif kind == SECTION_LOAD:
            power[e] = section_load.apply(tree, work, e, t, q, u)
        elif kind == ROPE:
            power[e] = rope.rope_apply(tree, work, e, q, u)
        elif kind == CONTACT:
            power[e] = contact.contact_apply(tree, work, e, z)
        elif kind == RUBBING:
            power[e] = contact.contact_rubs(tree, work, e, z)
        elif kind == TYRE:
            power[e] = tyres.tyre_apply(tree, work, e, z)
        elif kind == TYRE_SLIP:
            power[e] = tyres.tyre_rubs(tree, work, e, z)
        elif kind == CONTACT_SET:
            power[e] = sets.set_apply(tree, work, e)
        elif kind == SET_RUBBING:
            power[e] = sets.set_rubs(tree, work, e)
        elif kind == LINE_CONTACT:
            power[e] = lines.line_apply(tree, work, e)
        elif kind == LINE_RUBBING:
            power[e] = lines.line_rubs(tree, work, e)
        elif kind == SHAPES:
            power[e] = 0.0
        else:  # GEAR
            stretch, rate = gear(tree, e, q, u)
            f = c[GEAR_STIFFNESS] * stretch + c[GEAR_DAMPING] * rate
            effort[el[GEAR_U1]] -= c[GEAR_1] * f
            effort[el[GEAR_U2]] -= c[GEAR_2] * f
            power[e] = c[GEAR_DAMPING] * rate * rate


@kernel
def work_is_done(tree):
    """True if a force element may do work: all but gradient bodies without damping."""
    for e in range(tree.element.shape[0]):
        if tree.element[e, at.KIND] != GRADIENT or tree.element[e, VISCOUS] == 1:
            return True
    return False


@kernel
def drive(tree, work, t):
    """Powers of drivers again, with multipliers that were found after ``apply``."""
    for e in range(tree.element.shape[0]):
        if tree.element[e, at.KIND] == DRIVE:
            work.power[e] = links.drive_power(tree, work, t, tree.element[e, LINK])


@kernel
def branches_move(tree):
    """True if a branch depends on poses and velocities of the tree."""
    for e in range(tree.element.shape[0]):
        kind = tree.element[e, at.KIND]
        if kind == LINE_LAW or kind == ROPE or is_contact(kind) or kind == LINE_CONTACT:
            return True
    return False


@shared(TREE, WORK, INT, REAL, VEC, VEC, VEC, gives=INT)
def branch_of(tree, work, e, t, q, u, z):
    """Branch of the law of element e; needs poses and velocities of the tree if ``branches_move``."""
    el, kind = tree.element[e], tree.element[e, at.KIND]
    if kind == JOINT_STOP or kind == PID or kind == JOINT_LAW:
        g = tree.coef[e, joint_forces.RATIO]
        return joint_forces.branch(tree, work, e, t, g * q[el[joint_forces.Q]], g * u[el[joint_forces.U]], z)
    if kind == LINE_LAW:
        return line.branch(tree, work, e)
    if kind == LINEAR_CONTROL:
        return control.control_branch(tree, work, e, t, q, u, z)
    if kind == ROPE:
        return rope.rope_branch(tree, work, e, q, u)
    if kind == LINE_CONTACT:
        return lines.line_branch(tree, work, e)
    if kind == TYRE:
        return tyres.tyre_branch(tree, work, e, z)
    return contact.contact_branch(tree, work, e, z) if kind == CONTACT else 0


@shared(TREE, WORK, REAL, VEC, VEC, VEC, gives=INT)
def branches(tree, work, t, q, u, z):
    """A number that changes when a force law changes its branch; needs poses and velocities of the tree if ``branches_move``.

    Contacts that a search leaves out (-1 in ``touched``) do not change it.
    """
    code = 0
    for e in range(tree.element.shape[0]):
        if not work.touched[e] < 0.0:
            code = MANY * code + branch_of(tree, work, e, t, q, u, z)
    return code


@shared(TREE, WORK, VEC, VEC, gives=REAL)
def energy(tree, work, q, z):
    """Energy stored in springs, stops, bushings, contacts and tyres (J)."""
    total = 0.0
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        if el[at.KIND] == SPRING_DAMPER or el[at.KIND] == LINE_LAW:
            total += line.stored(tree, work, e)
        elif el[at.KIND] >= JOINT_SPRING:
            total += joint_forces.stored(tree, work, e, c[joint_forces.RATIO] * q[el[joint_forces.Q]])
        elif el[at.KIND] == BUSHING:
            total += bushing.stored(tree, work, e)
        elif el[at.KIND] == CARTESIAN:
            total += cartesian.stored(tree, work, e)
        elif el[at.KIND] == ROPE:
            total += rope.rope_stored(tree, work, e, q)
        elif el[at.KIND] == CONTACT:
            total += contact.contact_stored(tree, work, e, z)
        elif el[at.KIND] == TYRE:
            total += tyres.tyre_stored(tree, work, e, z)
        elif el[at.KIND] == CONTACT_SET:
            total += sets.set_sums(tree, work, e)
        elif el[at.KIND] == LINE_CONTACT:
            total += lines.line_stored(tree, work, e)
        elif el[at.KIND] == GEAR:
            stretch = c[GEAR_1] * q[el[GEAR_Q1]] + c[GEAR_2] * q[el[GEAR_Q2]] - c[GEAR_REST]
            total += 0.5 * c[GEAR_STIFFNESS] * stretch * stretch
    return total


@shared(TREE, WORK, INT, REAL)
def force_tangent(tree, work, e, t):
    """Stiffness of an element of kind FORCE."""
    el = tree.element[e]
    if el[FOLLOWS] == 0:  # constant in the world: dW = [(dv + dw x p) x f; 0]
        fx, fy, fz, mx, my, mz, px, py, pz, _, _, _ = applied(tree, work, e, t)
        k = work.matrices[el[NODE], at.NODE_K]
        force_stiffness(k, fx, fy, fz, mx, my, mz, px, py, pz)


@shared(TREE, WORK, INT, REAL, VEC, VEC, VEC, MAT, MAT)
def joint_tangent(tree, work, e, t, q, u, z, Rq, Ru):
    """Tangents of an element on one joint coordinate."""
    el, g = tree.element[e], tree.coef[e, joint_forces.RATIO]
    k = el[joint_forces.U]
    fx, fv, fz, zx, zv, zz = joint_forces.slopes(tree, work, e, t, g * q[el[joint_forces.Q]], g * u[k], z)
    row = tree.row_of[k]
    Rq[row, k] -= g * g * fx
    Ru[row, k] -= g * g * fv
    if el[at.KIND] == PID:
        slopes = work.slopes[el[joint_forces.STATE]]
        slopes[0], slopes[1], slopes[2], slopes[3] = -g * fz, g * zx, g * zv, zz


@shared(TREE, WORK, REAL, VEC, VEC, VEC, MAT, MAT)
def differentiate(tree, work, t, q, u, z, Rq, Ru):
    """Add the force elements' tangents, and leave those of controllers in work.slopes (nz, 4).

    Wrenches enter the node matrices B and K, efforts and couplings between two moving nodes Rq, Ru (nu, nu).
    """
    for e in range(tree.element.shape[0]):
        el, c = tree.element[e], tree.coef[e]
        kind = el[at.KIND]
        if kind == FORCE:
            force_tangent(tree, work, e, t)
        elif kind == SPRING_DAMPER or kind == LINE_LAW:
            line.spring_tangent(tree, work, e, Rq, Ru)
        elif kind >= JOINT_SPRING:
            joint_tangent(tree, work, e, t, q, u, z, Rq, Ru)
        elif kind == BODY_DAMPING:
            b = tree.flex[el[BODY]]
            n, o, j = b[at.FLEX_N], at.modal(tree, el[BODY]).C, b[at.FLEX_U0]
            for i in range(n):
                for k in range(n):
                    Ru[tree.row_of[j + i], j + k] += tree.flex_data[o + i * n + k]
        elif kind == BUSHING:
            bushing.differentiate(tree, work, e, Rq, Ru)
        elif kind == LOAD:
            load.differentiate(tree, work, e, t, Rq)
        elif kind == FRAME_FUNCTION:
            callback.frame_differentiate(tree, work, e, t)
        elif kind == JOINT_FUNCTION:
            callback.joint_differentiate(tree, work, e, t, q, u, Rq, Ru)
        elif kind == LINEAR_CONTROL:
            control.control_tangent(tree, work, e, t, q, u, z, Rq, Ru)
        elif kind == PAIR_FUNCTION:
            pair_callback.differentiate(tree, work, e, t, Rq, Ru)
        elif kind == CARTESIAN:
            cartesian.differentiate(tree, work, e, Rq, Ru)
        elif kind == MEMBRANE:
            membrane.differentiate(tree, work, e, q, Rq)
        elif kind == GRADIENT:
            gradient.gradient_differentiate(tree, work, el[BODY], q, u, Rq, Ru)
        elif kind == PRESSURE:
            pressure.differentiate(tree, work, e, t, q, Rq)
        elif kind == SECTION_LOAD:
            section_load.differentiate(tree, work, e, t, q, Rq)
        elif kind == ROPE:
            rope.rope_differentiate(tree, work, e, q, u, Rq, Ru)
        elif kind == CONTACT:
            contact.contact_differentiate(tree, work, e, z, Rq, Ru)
        elif kind == TYRE:
            tyres.tyre_differentiate(tree, work, e, z, Rq, Ru)
        elif kind == LINE_CONTACT:
            line_slopes.line_differentiate(tree, work, e, Rq, Ru)
        elif kind == GEAR:
            for i in range(2):
                for j in range(2):
                    g, k, s = c[GEAR_1 + i] * c[GEAR_1 + j], el[GEAR_U1 + 2 * i], el[GEAR_U1 + 2 * j]
                    enter(tree, work, el[at.LINES], i, j, k, s, g * c[GEAR_STIFFNESS], g * c[GEAR_DAMPING], Rq, Ru)


@kernel
def turn_rotors(m, w, a):
    """Subtract from the efforts what accelerates the rotors of motors, and gradient bodies."""
    for k in range(a.shape[0]):
        w.effort[k] -= m.rotor[k] * a[k]
    if m.gradient.shape[0] > 0:
        gradient.gradient_inertia(m, w, a)
