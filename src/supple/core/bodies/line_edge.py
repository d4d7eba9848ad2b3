"""A point that slides along the axis of a gradient body: a node without mass behind an edge from the ground.

It is at r(s) = sum_k N_k(s) e_k with its coordinate s, the station at rest, the cubics N of the element that s is in, and the places and
slopes e of that element's ends; its axes do not turn. Columns are the velocity of s and those of the places and slopes
of all nodes of the line, of which only those of the element count: the pattern of matrices stays when s passes a border. There places and
tangents go on smoothly, curvatures do not. With velocities s' and e'

    J_s = r_s                                J_k = N_k
    J_s' = r_ss s' + sum N_k,s e_k'          J_k' = N_k,s s'

Axes that turn with the line are in core/bodies/line_axes.py. Beyond its ends the line goes on as its last cubic does; runs end there
(integrators/run/line_ends.py), and the monitor tells.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.bodies import line_axes
from supple.core.bodies.flex import spatial_cross
from supple.core.bodies.line_shapes import (
    AXES,
    BEND,
    ELEMENT,
    INSIDE,
    NO_AXES,
    S_Q,
    S_U,
    SCRATCH,
    SCRATCH_SIZE,
    SHAPES,
    SLOPE,
    THIRD,
    element,
    here,
    place,
    shapes,
    total,
)
from supple.native.declare import kernel


@kernel
def edge_pose(tree, work, q, n, r):
    """Pose of node n behind a line edge; fills its row r, and the scratch for those who do not get q."""
    p, first = tree.program[tree.node[n, at.ATTACH] :], tree.node[n, at.Q0]
    k, h, x = element(tree, p, q[p[S_Q]])
    y = work.flex[p[SCRATCH] : p[SCRATCH] + SCRATCH_SIZE]
    w, slopes, bends, thirds = shapes(x, h, 0), shapes(x, h, 1), shapes(x, h, 2), shapes(x, h, 3)
    for i in range(9):
        r[i] = 0.0
    r[0], r[4], r[8] = 1.0, 1.0, 1.0
    y[ELEMENT], y[INSIDE] = k, x
    for i in range(3):
        r[at.P + i] = total(p, k, w, q, first, i)
        y[SLOPE + i] = total(p, k, slopes, q, first, i)
        y[BEND + i] = total(p, k, bends, q, first, i)
        y[THIRD + i] = total(p, k, thirds, q, first, i)
    if p[AXES] != NO_AXES:
        line_axes.pose(tree, p, y, k, h, q, first, r)


@kernel
def edge_motion(tree, work, n, u, a):
    """Columns J, JD of a line edge; scratch rows 0 and 1 get z = J u and J a + JD u."""
    s, first, d = work.scratch, tree.node[n, at.COL0], tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    if p[AXES] != NO_AXES:
        line_axes.motion(tree, work, n, u, a)
        return
    for c in range(first, first + tree.node[n, at.COLUMNS]):
        for l in range(6):
            work.column[c, at.COL_J, l] = 0.0
            work.column[c, at.COL_JD, l] = 0.0
    w, slopes, v = shapes(y[INSIDE], h, 0), shapes(y[INSIDE], h, 1), u[p[S_U]]
    for l in range(6):
        s[0, l] = 0.0
        s[1, l] = 0.0
    for i in range(3):
        c = work.column[first]
        c[at.COL_J, 3 + i] = y[SLOPE + i]
        c[at.COL_JD, 3 + i] = y[BEND + i] * v + total(p, k, slopes, u, d, i)
        s[0, 3 + i] += c[at.COL_J, 3 + i] * v
        s[1, 3 + i] += c[at.COL_J, 3 + i] * a[p[S_U]] + c[at.COL_JD, 3 + i] * v
        for l in range(SHAPES):
            j, at_column = place(p, k, l, i)
            c = work.column[first + at_column]
            c[at.COL_J, 3 + i], c[at.COL_JD, 3 + i] = w[l], slopes[l] * v
            s[0, 3 + i] += w[l] * u[d + j]
            s[1, 3 + i] += w[l] * a[d + j] + slopes[l] * v * u[d + j]


@kernel
def edge_columns(tree, work, n):
    """Tangent columns dV of a line edge, J' and what its axes turn; needs motion.

    Those of accelerations are not needed: nothing behind the node has mass.
    """
    first, V = tree.node[n, at.COL0], work.node[n, at.V : at.V + 6]
    for k in range(first, first + tree.node[n, at.COLUMNS]):
        c = work.column[k]
        spatial_cross(V, c[at.COL_J], c[at.COL_DV])
        for l in range(6):
            c[at.COL_DV, l] += c[at.COL_JD, l]
            c[at.COL_PSI_Q, l], c[at.COL_PSI_U, l] = 0.0, 0.0


@kernel
def edge_stiffness(tree, work, n, Rq):
    """Add d(J^T W)/dq at a fixed force; W of node n is the subtree's wrench."""
    r, d = work.node[n], tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    if p[AXES] != NO_AXES:
        line_axes.stiffness(tree, work, n, Rq)
        return
    slopes, own = shapes(y[INSIDE], h, 1), p[S_U]
    row = tree.row_of[own]
    for i in range(3):
        f = r[at.W + 3 + i]
        Rq[row, own] += f * y[BEND + i]
        for l in range(SHAPES):
            j = d + place(p, k, l, i)[0]
            Rq[row, j] += f * slopes[l]
            Rq[tree.row_of[j], own] += f * slopes[l]
