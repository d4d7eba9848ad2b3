"""Shared parts of wrench elements: points and frames of nodes, the turn of a wrench, columns on the path to a node."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.native.declare import INT, MAT, VEC, kernel, shared

SIDE = 6  # lines of a border for what one node feels of another
SHARE = 2.0**-13  # of what an element does along the motion of one node alone, in the matrix without border


@kernel
def point(work, node, x, y, z):
    """World place of a point of a node relative to the reference point, and its velocity."""
    r, o = work.node[node], work.origin
    px = r[at.P] - o[0] + r[0] * x + r[1] * y + r[2] * z
    py = r[at.P + 1] - o[1] + r[3] * x + r[4] * y + r[5] * z
    pz = r[at.P + 2] - o[2] + r[6] * x + r[7] * y + r[8] * z
    return (
        px, py, pz,
        r[at.V + 3] + r[at.V + 1] * pz - r[at.V + 2] * py,
        r[at.V + 4] + r[at.V + 2] * px - r[at.V] * pz,
        r[at.V + 5] + r[at.V] * py - r[at.V + 1] * px,
    )


@kernel
def frame(work, node, x, i):
    """World axes (9) and place of a frame: pose R (9), p (3) at stiff[0] in the node's axes."""
    r, o = work.node[node], work.origin
    a, p = x[i + at.POSE_R : i + at.POSE_P], x[i + at.POSE_P : i + at.POSE]
    return (
        r[0] * a[0] + r[1] * a[3] + r[2] * a[6], r[0] * a[1] + r[1] * a[4] + r[2] * a[7], r[0] * a[2] + r[1] * a[5] + r[2] * a[8],
        r[3] * a[0] + r[4] * a[3] + r[5] * a[6], r[3] * a[1] + r[4] * a[4] + r[5] * a[7], r[3] * a[2] + r[4] * a[5] + r[5] * a[8],
        r[6] * a[0] + r[7] * a[3] + r[8] * a[6], r[6] * a[1] + r[7] * a[4] + r[8] * a[7], r[6] * a[2] + r[7] * a[5] + r[8] * a[8],
        r[at.P] - o[0] + r[0] * p[0] + r[1] * p[1] + r[2] * p[2],
        r[at.P + 1] - o[1] + r[3] * p[0] + r[4] * p[1] + r[5] * p[2],
        r[at.P + 2] - o[2] + r[6] * p[0] + r[7] * p[1] + r[8] * p[2],
    )


@kernel
def turned(a, v):
    """A v for a rotation matrix given as a tuple."""
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[3] * v[0] + a[4] * v[1] + a[5] * v[2],
        a[6] * v[0] + a[7] * v[1] + a[8] * v[2],
    )


@kernel
def turned_back(a, v):
    """A^T v."""
    return (
        a[0] * v[0] + a[3] * v[1] + a[6] * v[2],
        a[1] * v[0] + a[4] * v[1] + a[7] * v[2],
        a[2] * v[0] + a[5] * v[1] + a[8] * v[2],
    )


@kernel
def subtract_wrench_turn(k, t0, t1, t2, f0, f1, f2):
    """K -= adT(W) = [[t~, f~], [f~, 0]] for the wrench W = (t, f)."""
    k[0, 1] += t2
    k[0, 2] -= t1
    k[1, 0] -= t2
    k[1, 2] += t0
    k[2, 0] += t1
    k[2, 1] -= t0
    k[0, 4] += f2
    k[0, 5] -= f1
    k[1, 3] -= f2
    k[1, 5] += f0
    k[2, 3] += f1
    k[2, 4] -= f0
    k[3, 1] += f2
    k[3, 2] -= f1
    k[4, 0] -= f2
    k[4, 2] += f0
    k[5, 0] += f1
    k[5, 1] -= f0


@kernel
def force_stiffness(k, fx, fy, fz, mx, my, mz, px, py, pz):
    """Subtract K = D + adT(W) of a wrench that is constant in the world.

    D = [[f~ p~, -f~], [0, 0]] with f~ p~ = p f^T - (f.p) I, and W = (m + p x f, f).
    """
    dot = fx * px + fy * py + fz * pz
    k[0, 0] -= px * fx - dot
    k[0, 1] -= px * fy
    k[0, 2] -= px * fz
    k[1, 0] -= py * fx
    k[1, 1] -= py * fy - dot
    k[1, 2] -= py * fz
    k[2, 0] -= pz * fx
    k[2, 1] -= pz * fy
    k[2, 2] -= pz * fz - dot
    k[0, 4] -= fz
    k[0, 5] += fy
    k[1, 3] += fz
    k[1, 5] -= fx
    k[2, 3] -= fy
    k[2, 4] += fx
    tx, ty, tz = mx + py * fz - pz * fy, my + pz * fx - px * fz, mz + px * fy - py * fx
    subtract_wrench_turn(k, tx, ty, tz, fx, fy, fz)


@kernel
def last_column(tree, node):
    """Last column on the path from the ground to a node (-1: none)."""
    n = tree.node[node, at.COLUMNS]
    return tree.node[node, at.COL0] + n - 1 if n > 0 else tree.node[node, at.LAST]


@kernel
def joint_between(tree, inner, outer):
    """Node of the joint that leads from one node to another, if no other velocity lies between them; else -1."""
    last = last_column(tree, outer)
    if last < 0:
        return -1
    n = tree.column[last, at.OWNER]
    if tree.node[n, at.MOTION] >= at.ELASTIC_OUT or tree.column[tree.node[n, at.COL0], at.BEFORE] != last_column(tree, inner):
        return -1
    return n


@kernel
def add_between(tree, work, n, K, B, W, sign, Rq, Ru):
    """Tangents of a wrench sign W on the outer side of the joint of node n and of its opposite on the inner side.

    Both move together with all that is inboard, so K and B, as they would enter the matrices of the outer node, act on
    the joint's own motion alone. ``inner`` takes the wrench out of what the joint's motion turns for inboard rows.
    """
    first, end = tree.node[n, at.COL0], tree.node[n, at.COL0] + tree.node[n, at.COLUMNS]
    for l in range(6):
        work.inner[n, l] += sign * W[l]
    for d in range(first, end):
        s, dv, k = work.column[d, at.COL_J], work.column[d, at.COL_DV], tree.column[d, at.VELOCITY]
        for r in range(6):
            along, rate = 0.0, 0.0
            for c in range(6):
                along += K[r, c] * s[c] + B[r, c] * dv[c]
                rate += B[r, c] * s[c]
            for c in range(first, end):
                y = work.column[c, at.COL_J, r]
                row = tree.row_of[tree.column[c, at.VELOCITY]]
                Rq[row, k] += y * along
                Ru[row, k] += y * rate


@kernel
def cross(a, b):
    """Vector product of tuples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@shared(TREE, WORK, INT, INT, INT, MAT, MAT, VEC, MAT, MAT)
def scatter(tree, work, line, node_a, node_b, E, C, W, Rq, Ru):
    """Tangents of a wrench W on node B, and the opposite on A, that depends on B's pose and twist relative to A.

    E is its derivative along a displacement of B, with -C ad(V_B) included, C along B's twist, so that
    dW = -adT(W) dA + E (dB - dA): into the node matrices, and between the two nodes into Rq and Ru. Between neighbours
    only the motion of their joint counts. ``line``: see ``couple``.
    """
    for side in range(2):
        n = joint_between(tree, node_b, node_a) if side == 0 else joint_between(tree, node_a, node_b)
        if n > 0:
            for r in range(6):
                for c in range(6):
                    E[r, c], C[r, c] = -E[r, c], -C[r, c]
            if side == 1:
                subtract_wrench_turn(E, W[0], W[1], W[2], W[3], W[4], W[5])
            add_between(tree, work, n, E, C, W, 2.0 * side - 1.0, Rq, Ru)
            return
    for side in range(2):
        node = node_b if side == 1 else node_a
        stiff, damp = work.matrices[node, at.NODE_K], work.matrices[node, at.NODE_B]
        for r in range(6):
            for c in range(6):
                stiff[r, c] -= E[r, c]
                damp[r, c] -= C[r, c]
        if side == 1:
            subtract_wrench_turn(stiff, W[0], W[1], W[2], W[3], W[4], W[5])
    couple(tree, work, line, node_a, node_b, E, C, Rq, Ru)
    subtract_wrench_turn(E, -W[0], -W[1], -W[2], -W[3], -W[4], -W[5])  # the wrench on B turns with A: + adT(W)
    couple(tree, work, line + SIDE if line >= 0 else line, node_b, node_a, E, C, Rq, Ru)


@kernel
def scatter_relative(tree, work, line, node_a, node_b, E, C, W, Rq, Ru):
    """Like ``scatter`` if E is the derivative at fixed relative twist: E' = E - C ad(V_B), ad(V) = [[w~, 0], [v~, w~]]."""
    v = work.node[node_b]
    w0, w1, w2, v0, v1, v2 = v[at.V], v[at.V + 1], v[at.V + 2], v[at.V + 3], v[at.V + 4], v[at.V + 5]
    for r in range(6):
        c0, c1, c2, c3, c4, c5 = C[r, 0], C[r, 1], C[r, 2], C[r, 3], C[r, 4], C[r, 5]
        E[r, 0] -= c1 * w2 - c2 * w1 + c4 * v2 - c5 * v1
        E[r, 1] -= c2 * w0 - c0 * w2 + c5 * v0 - c3 * v2
        E[r, 2] -= c0 * w1 - c1 * w0 + c3 * v1 - c4 * v0
        E[r, 3] -= c4 * w2 - c5 * w1
        E[r, 4] -= c5 * w0 - c3 * w2
        E[r, 5] -= c3 * w1 - c4 * w0
    scatter(tree, work, line, node_a, node_b, E, C, W, Rq, Ru)


@kernel
def couple(tree, work, line, node, other, E, C, Rq, Ru):
    """Add to the rows of a node's path E along the displacement and C along the twist of another node.

    Of parts of tangents (``tree_parts``) they become lines of the border, from ``line`` on, along the other node's motion less
    1 - SHARE of this node's own, of which this node's matrices take account instead. Below zero there are no lines, since one
    of the nodes does not move.
    """
    if work.lined[0].real > 0.0:
        stiff, damp = work.matrices[node, at.NODE_K], work.matrices[node, at.NODE_B]
        for r in range(SIDE if line >= 0 else 0):
            reading = work.reading[line + r]
            for c in range(6):
                stiff[r, c] += (1.0 - SHARE) * E[r, c]
                damp[r, c] += (1.0 - SHARE) * C[r, c]
                reading[c], reading[6 + c] = C[r, c], E[r, c]
        return
    row = last_column(tree, node)
    while row >= 0:
        y = work.column[row, at.COL_J]
        col = last_column(tree, other)
        while col >= 0:
            s, dv = work.column[col, at.COL_J], work.column[col, at.COL_DV]
            along, rate = 0.0, 0.0
            for r in range(6):
                ei, ci = 0.0, 0.0
                for c in range(6):
                    ei += E[r, c] * s[c] + C[r, c] * dv[c]
                    ci += C[r, c] * s[c]
                along += y[r] * ei
                rate += y[r] * ci
            i, j = tree.row_of[tree.column[row, at.VELOCITY]], tree.column[col, at.VELOCITY]
            Rq[i, j] += along
            Ru[i, j] += rate
            col = tree.column[col, at.BEFORE]
        row = tree.column[row, at.BEFORE]


@kernel
def enter(tree, work, line, i, j, row, column, along, rate, Rq, Ru):
    """Add derivatives of an effort on a velocity, ``row``, along a coordinate and its rate, ``column``.

    These are numbers i and j of an element's velocities. Between two of them parts of tangents (``tree_parts``) keep them as a
    line of the border; the element's first one is ``line``.
    """
    if i != j and work.lined[0].real > 0.0:
        reading = work.reading[line + i]
        reading[2 * j] += along
        reading[2 * j + 1] += rate
    else:
        own = tree.row_of[row]
        Rq[own, column] += along
        Ru[own, column] += rate


@kernel
def add_wrench(work, node, p, force, torque, sign):
    """Apply sign times a force at the point p and a torque to a node: a wrench is subtracted from W."""
    w, arm = work.node[node], cross(p, force)
    for j in range(3):
        w[at.W + j] -= sign * (torque[j] + arm[j])
        w[at.W + 3 + j] -= sign * force[j]
