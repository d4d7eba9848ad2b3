"""Everything about a run on its output grid, computed from the stored states in one compiled sweep."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE_WORDS, WORK_WORDS, tree_at, with_elements, work_at
from supple.core.bodies import tree
from supple.core.contact import contact, lines, pairs, rolling, sets, tyres
from supple.core.equations import dynamics
from supple.core.equations.energies import kinetic, momentum, potential, strain, sum_vectors
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces
from supple.native.declare import INT, INTS, IVEC, MAT, REALS, VEC, entry, hold, kernel, reserve

# Columns of one node: R (9), p, V (at the node's origin), A (classical), W (about the node's origin): everything in
# world axes
OUT_R, OUT_P, OUT_V, OUT_A, OUT_W, NODE_COLUMNS = starts(9, 3, 6, 6, 6)
MOTION_COLUMNS = OUT_A  # those that need no accelerations
# Columns of energies: kinetic, gravity, elastic; momentum [angular about the world's origin; linear]; strain
KINETIC, GRAVITY, ELASTIC, MOMENTUM, STRAIN, ENERGIES = starts(1, 1, 1, 6, 1)

# Columns of a set of contacts: number of touching pairs, largest depth, sum of pushes, stored energy
TOUCHING, DEPTH, PUSHES, STORED, SET_COLUMNS = range(5)


@kernel
def show_velocity(o, x, y):
    """Pose and twist of a node x, the latter at its own origin, into y; kernels have twists about the point o."""
    for k in range(OUT_V):
        y[k] = x[k]
    dx, dy, dz = x[at.P] - o[0], x[at.P + 1] - o[1], x[at.P + 2] - o[2]
    w0, w1, w2 = x[at.V], x[at.V + 1], x[at.V + 2]
    y[OUT_V], y[OUT_V + 1], y[OUT_V + 2] = w0, w1, w2
    y[OUT_V + 3] = x[at.V + 3] + w1 * dz - w2 * dy
    y[OUT_V + 4] = x[at.V + 4] + w2 * dx - w0 * dz
    y[OUT_V + 5] = x[at.V + 5] + w0 * dy - w1 * dx


@kernel
def show_acceleration(o, gravity, x, y):
    """Classical acceleration of a node x at its own origin into y, where its twist is."""
    dx, dy, dz = x[at.P] - o[0], x[at.P + 1] - o[1], x[at.P + 2] - o[2]
    w0, w1, w2, v0, v1, v2 = y[OUT_V], y[OUT_V + 1], y[OUT_V + 2], y[OUT_V + 3], y[OUT_V + 4], y[OUT_V + 5]
    b0, b1, b2 = x[at.A], x[at.A + 1], x[at.A + 2]
    y[OUT_A], y[OUT_A + 1], y[OUT_A + 2] = b0, b1, b2
    # spatial to classical: a = A_v + alpha x r + w x v; the root's A carries -g
    y[OUT_A + 3] = x[at.A + 3] + gravity[0] + b1 * dz - b2 * dy + w1 * v2 - w2 * v1
    y[OUT_A + 4] = x[at.A + 4] + gravity[1] + b2 * dx - b0 * dz + w2 * v0 - w0 * v2
    y[OUT_A + 5] = x[at.A + 5] + gravity[2] + b0 * dy - b1 * dx + w0 * v1 - w1 * v0


@entry(INTS, REALS, VEC, MAT, MAT, MAT)
def motion_history(ints, reals, work, q, u, nodes):
    """Fill nodes (nt, nn * MOTION_COLUMNS) with the poses and velocities of all nodes, as ``history`` does."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    nn = m.node.shape[0]
    o = w.origin
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        for n in range(nn):
            x = w.node[n]
            y = nodes[i, n * MOTION_COLUMNS : (n + 1) * MOTION_COLUMNS]
            show_velocity(o, x, y)


@entry(INTS, REALS, VEC, MAT, MAT, MAT, MAT)
def given_motion(ints, reals, work, q, u, a, nodes):
    """Fill nodes (nt, nn * OUT_W) with poses, velocities and classical accelerations at given velocities u and rates a."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    o = w.origin
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], a[i])
        for n in range(m.node.shape[0]):
            y = nodes[i, n * OUT_W : (n + 1) * OUT_W]
            show_velocity(o, w.node[n], y)
            show_acceleration(o, m.gravity, w.node[n], y)


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def history(ints, reals, work, time, q, u, z, a, nodes, efforts, energies, multipliers, powers):
    """Fill a (nt, nu), nodes (nt, nn * NODE_COLUMNS), efforts (nt, nu), energies (nt, ENERGIES), multipliers (nt, nr) of
    the rows in use and powers (nt, ne) of the force elements.

    Where the mass matrix is singular, accelerations, wrenches, multipliers and powers are NaN.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    nu = a.shape[1]
    nn = m.node.shape[0]
    o = w.origin
    for i in range(time.shape[0]):
        locked = dynamics.forward(m, w, time[i], q[i], u[i], z[i], a[i]) >= 0
        for k in range(multipliers.shape[1]):
            multipliers[i, k] = np.nan if locked else w.lam[k]
        for k in range(powers.shape[1]):
            powers[i, k] = np.nan if locked else w.power[k]
        if locked:
            for k in range(nu):  # the last state of a run that failed: no accelerations
                a[i, k] = np.nan
        tree.motion(m, w, u[i], a[i])
        tree.inertias(m, w, q[i], u[i], a[i])
        sum_vectors(m, w, q[i], u[i])
        energies[i, KINETIC] = kinetic(m, w, u[i])
        energies[i, GRAVITY] = potential(m, w)
        energies[i, STRAIN] = strain(m, w, q[i])
        energies[i, ELASTIC] = forces.energy(m, w, q[i], z[i]) + energies[i, STRAIN]
        momentum(m, w, energies[i, MOMENTUM:STRAIN])
        forces.apply(m, w, time[i], q[i], u[i], z[i])
        forces.turn_rotors(m, w, a[i])
        if m.link.shape[0] > 0:
            links.refresh(m, w, time[i], q[i])
            links.apply(m, w)
        for k in range(nu):
            efforts[i, k] = w.effort[k]
        tree.gather(m, w, w.force)
        for n in range(nn):
            x = w.node[n]
            y = nodes[i, n * NODE_COLUMNS : (n + 1) * NODE_COLUMNS]
            show_velocity(o, x, y)
            show_acceleration(o, m.gravity, x, y)
            dx, dy, dz = x[at.P] - o[0], x[at.P + 1] - o[1], x[at.P + 2] - o[2]
            f0, f1, f2 = x[at.W + 3], x[at.W + 4], x[at.W + 5]
            y[OUT_W] = x[at.W] - (dy * f2 - dz * f1)
            y[OUT_W + 1] = x[at.W + 1] - (dz * f0 - dx * f2)
            y[OUT_W + 2] = x[at.W + 2] - (dx * f1 - dy * f0)
            y[OUT_W + 3], y[OUT_W + 4], y[OUT_W + 5] = f0, f1, f2


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, INT, INT, IVEC, MAT, MAT, MAT, MAT)
def element_history(ints, reals, work, time, q, u, z, e, end, places, points, power, efforts, wrenches):
    """Action of the force elements from e up to ``end`` alone: power (nt, 1), efforts (nt, nu), wrenches (nt, 6 * np).

    ``places`` (np) are nodes; the wrench of the elements on each is about the point ``points`` (np, 3) of the
    node, world axes. They are evaluated by ``forces.apply`` as the only ones of the model, so every kind is served.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    alone = hold(with_elements(m, m.element[e:end], m.coef[e:end]))
    nn = m.node.shape[0]
    for i in range(time.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        for n in range(nn):
            for k in range(at.W, at.CM):
                w.node[n, k] = 0.0
        forces.apply(alone, w, time[i], q[i], u[i], z[i])
        power[i, 0] = 0.0
        for k in range(end - e):
            power[i, 0] += w.power[k]
        for k in range(efforts.shape[1]):
            efforts[i, k] = w.effort[k]
        for j in range(places.shape[0]):
            x = w.node[places[j]]
            y = wrenches[i, 6 * j : 6 * j + 6]
            f0, f1, f2 = -x[at.W + 3], -x[at.W + 4], -x[at.W + 5]  # loads are subtracted from W
            dx, dy, dz, _, _, _ = forces.point(w, places[j], points[j, 0], points[j, 1], points[j, 2])
            y[0] = -x[at.W] - (dy * f2 - dz * f1)
            y[1] = -x[at.W + 1] - (dz * f0 - dx * f2)
            y[2] = -x[at.W + 2] - (dx * f1 - dy * f0)
            y[3], y[4], y[5] = f0, f1, f2


@entry(INTS, REALS, VEC, MAT, MAT, MAT, INT, MAT)
def contact_history(ints, reals, work, q, u, z, e, out):
    """Fill out (nt, contact.SHOWN) with what contact e does: the columns are named in core/contact/contact.py."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        contact.contact_shown(m, w, e, z[i], out[i])


@entry(INTS, REALS, VEC, MAT, MAT, MAT, INT, MAT, MAT)
def tyre_history(ints, reals, work, q, u, z, e, out, told):
    """Fill out (nt, contact.SHOWN) with what tyre e does as a contact, and told (nt, tyres.TOLD) with what is told of it alone."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        tyres.tyre_shown(m, w, e, z[i], out[i])
        tyres.tyre_told(m, w, e, z[i], told[i])


@entry(INTS, REALS, VEC, MAT, MAT, INT, MAT)
def rolling_history(ints, reals, work, q, u, e, out):
    """Fill out (nt, rolling.SHOWN) with gap, normal, point and axes of what rolls, element e."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        rolling.rolling_shown(m, w, e, out[i])


@entry(INTS, REALS, VEC, MAT, MAT, INT, INT, MAT)
def line_history(ints, reals, work, q, u, e, count, out):
    """Fill out (nt count, contact.SHOWN) with what two lines, element e, do at each of ``count`` pieces."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        lines.line_shown(m, w, e, out[i * count : (i + 1) * count])


@entry(INTS, REALS, VEC, MAT, MAT, MAT, IVEC, VEC, MAT)
def set_history(ints, reals, work, q, u, z, elements, shown, out):
    """Fill out (nt, SET_COLUMNS) with what elements, contacts and sets, do together; ``shown`` (contact.SHOWN) is scratch."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    for i in range(q.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        row = out[i]
        for k in range(SET_COLUMNS):
            row[k] = 0.0
        for k in range(elements.shape[0]):
            if m.element[elements[k], at.KIND] == pairs.CONTACT:
                contact.contact_shown(m, w, elements[k], z[i], shown)
                gap = shown[contact.SHOWN_GAP]
                row[TOUCHING] += 1.0 if gap < 0.0 else 0.0
                row[DEPTH] = max(row[DEPTH], -gap)
                row[PUSHES] += shown[contact.SHOWN_PUSH]
                row[STORED] += shown[contact.SHOWN_STORED]
            elif m.element[elements[k], at.KIND] == lines.LINE_CONTACT:
                lines.line_forces(m, w, elements[k])
                row[STORED] += lines.line_stored(m, w, elements[k])
                head = lines.own(m, w, elements[k])[0]
                row[TOUCHING] += head[lines.TOUCHING]
                row[PUSHES] += head[lines.PUSHED]
                row[DEPTH] = max(row[DEPTH], head[lines.DEEPEST])
            elif m.element[elements[k], at.KIND] == sets.CONTACT_SET:
                row[STORED] += sets.set_sums(m, w, elements[k])
                j = m.element[elements[k], sets.SCRATCH]
                row[TOUCHING] += w.flex[j + sets.TOUCHING]
                row[DEPTH] = max(row[DEPTH], w.flex[j + sets.DEEPEST])
                row[PUSHES] += w.flex[j + sets.PUSHED]


@entry(INTS, REALS, VEC, VEC, VEC, INT, MAT)
def touching_pairs(ints, reals, work, q, u, e, out):
    """Fill rows of out (m, sets.ROW) with pairs of set e that touch at one state; returns their number, which may be above m."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    tree.poses(m, w, q)
    tree.motion(m, w, u, u)  # accelerations do not enter
    return sets.set_pairs(m, w, e, out)
