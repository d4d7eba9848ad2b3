"""What wrench elements share: points of nodes, the turn of a wrench, columns on the path to a node."""

from __future__ import annotations

from supple.core import layout as at
from supple.core.jit import kernel


@kernel
def point(work, node, x, y, z):
    """World place of a point of a node relative to the reference point, and its velocity."""
    r, o = work.node[node], work.origin
    px = r[9] - o[0] + r[0] * x + r[1] * y + r[2] * z
    py = r[10] - o[1] + r[3] * x + r[4] * y + r[5] * z
    pz = r[11] - o[2] + r[6] * x + r[7] * y + r[8] * z
    return (
        px, py, pz,
        r[15] + r[13] * pz - r[14] * py,
        r[16] + r[14] * px - r[12] * pz,
        r[17] + r[12] * py - r[13] * px,
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
    n = tree.node[node, at.NDOF]
    return tree.node[node, at.COL0] + n - 1 if n > 0 else tree.node[node, at.LAST]
