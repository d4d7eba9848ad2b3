"""What wrench elements share: points of nodes, the turn of a wrench, columns on the path to a node."""

from __future__ import annotations

from supple.core import layout as at
from supple.native.declare import kernel


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
def last_column(tree, node):
    """Last column on the path from the ground to a node (-1: none)."""
    n = tree.node[node, at.COLUMNS]
    return tree.node[node, at.COL0] + n - 1 if n > 0 else tree.node[node, at.LAST]


@kernel
def cross(a, b):
    """Vector product of tuples."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def scatter(tree, work, node_a, node_b, E, C, W, Rq, Ru):
    """Tangents of a wrench W on node B, and the opposite on A, that depends on B's pose and twist relative to A.

    E is its derivative along a displacement of B, with -C ad(V_B) included, C along B's twist, so that
    dW = -adT(W) dA + E (dB - dA): into the node matrices, and between the two nodes into Rq and Ru.
    """
    for side in range(2):
        node = node_b if side == 1 else node_a
        stiff, damp = work.matrices[node, at.NODE_K], work.matrices[node, at.NODE_B]
        for r in range(6):
            for c in range(6):
                stiff[r, c] -= E[r, c]
                damp[r, c] -= C[r, c]
        if side == 1:
            subtract_wrench_turn(stiff, W[0], W[1], W[2], W[3], W[4], W[5])
    for side in range(2):  # rows of this end, columns of the other
        row = last_column(tree, node_b if side == 1 else node_a)
        while row >= 0:
            y = work.column[row, at.COL_J]
            col = last_column(tree, node_a if side == 1 else node_b)
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
                if side == 1:  # the wrench on B turns with A: + adT(W) s
                    t = cross((W[0], W[1], W[2]), (s[0], s[1], s[2]))
                    g = cross((W[3], W[4], W[5]), (s[3], s[4], s[5]))
                    h = cross((W[3], W[4], W[5]), (s[0], s[1], s[2]))
                    along += y[0] * (t[0] + g[0]) + y[1] * (t[1] + g[1]) + y[2] * (t[2] + g[2])
                    along += y[3] * h[0] + y[4] * h[1] + y[5] * h[2]
                i1, j1 = tree.column[row, at.VELOCITY], tree.column[col, at.VELOCITY]
                Rq[i1, j1] += along
                Ru[i1, j1] += rate
                col = tree.column[col, at.BEFORE]
            row = tree.column[row, at.BEFORE]
