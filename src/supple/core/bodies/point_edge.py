"""A point in an element of a gradient body: a node without mass behind an edge from the ground.

It is at r = sum S_k e_k, with the weights S and the nodal vectors e of the element. Its axes do not turn, and its columns, 3 for each
vector, are constant: J = [0; S_k] along each axis.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.native.declare import INT, VEC, kernel, shared

# Integers of an edge in the programs: number of vectors, place of the weights in the data, and the vectors, numbered in their body
COUNT, WEIGHTS, VECTORS = range(3)


@kernel
def edge_pose(tree, q, n, r):
    """Pose of node n behind a point edge; fills its row r."""
    p, first = tree.program[tree.node[n, at.ATTACH] :], tree.node[n, at.Q0]
    for k in range(9):
        r[k] = 0.0
    r[0], r[4], r[8] = 1.0, 1.0, 1.0
    for i in range(3):
        s = 0.0 * q[first]
        for k in range(p[COUNT]):
            s = s + tree.data[p[WEIGHTS] + k] * q[first + 3 * p[VECTORS + k] + i]
        r[at.P + i] = s


@shared(TREE, WORK, INT, VEC, VEC)
def edge_motion(tree, work, n, u, a):
    """Columns J, JD of a point edge; scratch rows 0 and 1 get z = J u and J a."""
    s, d = work.scratch, tree.node[n, at.U0]
    p, first = tree.program[tree.node[n, at.ATTACH] :], tree.node[n, at.COL0]
    for c in range(first, first + tree.node[n, at.COLUMNS]):
        for l in range(6):
            work.column[c, at.COL_J, l], work.column[c, at.COL_JD, l] = 0.0, 0.0
    for l in range(6):
        s[0, l], s[1, l] = 0.0, 0.0
    for k in range(p[COUNT]):
        x, j = tree.data[p[WEIGHTS] + k], d + 3 * p[VECTORS + k]
        for i in range(3):
            work.column[first + 3 * k + i, at.COL_J, 3 + i] = x
            s[0, 3 + i] += x * u[j + i]
            s[1, 3 + i] += x * a[j + i]


@kernel
def edge_columns(tree, work, n):
    """Tangent columns of a point edge, which are zero: its columns are constant, and nothing behind the node has mass."""
    for k in range(tree.node[n, at.COL0], tree.node[n, at.COL0] + tree.node[n, at.COLUMNS]):
        c = work.column[k]
        for l in range(6):
            c[at.COL_DV, l], c[at.COL_PSI_Q, l], c[at.COL_PSI_U, l] = 0.0, 0.0, 0.0
