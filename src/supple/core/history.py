"""Everything about a run on its output grid, computed from the stored states in one compiled sweep."""

from __future__ import annotations

import numpy as np

from supple.core import dynamics, forces, links, tree
from supple.core.energies import kinetic, momentum, potential, strain
from supple.core.layout import Tree, views
from supple.native.declare import INT, INTS, IVEC, MAT, REALS, VEC, entry, hold

# Columns of one node: R 0:9, p 9:12, V 12:18 (at the node's origin), A 18:24 (classical), W 24:30 (about
# the node's origin): everything in world axes
NODE_COLUMNS = 30


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def history(ints, reals, work, time, q, u, z, a, nodes, efforts, energies):
    """Fill a (nt, nu), nodes (nt, nn * 30), efforts (nt, nu), energies (nt, 10): kinetic, gravity,
    elastic, momentum [angular about the world's origin; linear], strain. Where the mass matrix is singular,
    accelerations and wrenches are NaN.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    nu = a.shape[1]
    nn = m.node.shape[0]
    o = w.origin
    for i in range(time.shape[0]):
        if dynamics.forward(m, w, time[i], q[i], u[i], z[i], a[i]) >= 0:
            for k in range(nu):  # a locked state, the last of a run that failed: no accelerations
                a[i, k] = np.nan
        tree.motion(m, w, u[i], a[i])
        tree.inertias(m, w, q[i], u[i], a[i])
        energies[i, 0] = kinetic(m, w, q[i], u[i])
        energies[i, 1] = potential(m, w)
        energies[i, 2] = forces.energy(m, w, q[i]) + strain(m, q[i], u[i])
        energies[i, 9] = strain(m, q[i], u[i])
        momentum(m, w, energies[i, 3:9])
        forces.apply(m, w, time[i], q[i], u[i], z[i])
        forces.turn_rotors(m, w, a[i])
        links.refresh(m, w, time[i], q[i])
        links.apply(m, w)
        for k in range(nu):
            efforts[i, k] = w.effort[k]
        tree.gather(m, w, w.force)
        for n in range(nn):
            x = w.node[n]
            y = nodes[i, n * NODE_COLUMNS : (n + 1) * NODE_COLUMNS]
            for k in range(12):
                y[k] = x[k]
            dx, dy, dz = x[9] - o[0], x[10] - o[1], x[11] - o[2]
            w0, w1, w2 = x[12], x[13], x[14]
            v0, v1, v2 = x[15] + w1 * dz - w2 * dy, x[16] + w2 * dx - w0 * dz, x[17] + w0 * dy - w1 * dx
            y[12], y[13], y[14], y[15], y[16], y[17] = w0, w1, w2, v0, v1, v2
            b0, b1, b2 = x[18], x[19], x[20]
            y[18], y[19], y[20] = b0, b1, b2
            # spatial to classical: a = A_v + alpha x r + w x v; the root's A carries -g
            y[21] = x[21] + m.gravity[0] + b1 * dz - b2 * dy + w1 * v2 - w2 * v1
            y[22] = x[22] + m.gravity[1] + b2 * dx - b0 * dz + w2 * v0 - w0 * v2
            y[23] = x[23] + m.gravity[2] + b0 * dy - b1 * dx + w0 * v1 - w1 * v0
            f0, f1, f2 = x[37], x[38], x[39]
            y[24] = x[34] - (dy * f2 - dz * f1)
            y[25] = x[35] - (dz * f0 - dx * f2)
            y[26] = x[36] - (dx * f1 - dy * f0)
            y[27], y[28], y[29] = f0, f1, f2


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, INT, IVEC, MAT, MAT, MAT, MAT)
def element_history(ints, reals, work, time, q, u, z, e, places, points, power, efforts, wrenches):
    """What force element e alone does: power (nt, 1), efforts (nt, nu), wrenches (nt, 6 * np).

    ``places`` (np) are nodes; the wrench of the element on each is about the point ``points`` (np, 3) of the
    node, world axes. The element is evaluated by ``forces.apply`` as the only one of the model, so every kind is served.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    alone = hold(Tree(
        m.node, m.body, m.dof, m.element[e : e + 1], m.coef[e : e + 1], m.signal, m.curve, m.gravity,
        m.head, m.flex, m.attach, m.shape, m.rotor, m.unit, m.link, m.length, m.plan,
    ))
    nn = m.node.shape[0]
    for i in range(time.shape[0]):
        tree.poses(m, w, q[i])
        tree.motion(m, w, u[i], u[i])  # accelerations do not enter
        for n in range(nn):
            for k in range(34, 40):
                w.node[n, k] = 0.0
        forces.apply(alone, w, time[i], q[i], u[i], z[i])
        power[i, 0] = w.power[0]
        for k in range(efforts.shape[1]):
            efforts[i, k] = w.effort[k]
        for j in range(places.shape[0]):
            x = w.node[places[j]]
            y = wrenches[i, 6 * j : 6 * j + 6]
            f0, f1, f2 = -x[37], -x[38], -x[39]  # loads are subtracted from W
            dx, dy, dz, _, _, _ = forces.point(w, places[j], points[j, 0], points[j, 1], points[j, 2])
            y[0] = -x[34] - (dy * f2 - dz * f1)
            y[1] = -x[35] - (dz * f0 - dx * f2)
            y[2] = -x[36] - (dx * f1 - dy * f0)
            y[3], y[4], y[5] = f0, f1, f2
