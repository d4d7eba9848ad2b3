"""A point that slides along the axis of a gradient body: a node without mass behind an edge from the ground.

It is at r(s) = sum_k N_k(s) e_k with its coordinate s, the station at rest, the cubics N of the element that s is in, and the places and
slopes e of that element's ends; its axes do not turn. Columns are the velocity of s and those of the places and slopes
of all nodes of the line, of which only those of the element count: the pattern of matrices stays when s passes a border. There places and
tangents go on smoothly, curvatures do not. With velocities s' and e'

    J_s = r_s                                J_k = N_k
    J_s' = r_ss s' + sum N_k,s e_k'          J_k' = N_k,s s'

Beyond its ends the line goes on as its last cubic does; runs end there
(integrators/run/line_ends.py), and the monitor tells.

Axes may turn with the line as the point passes. They are those of gradient nodes (core/bodies/ancf_edge.py), made of g1 = r_s(s) and a vector g2 across the line: of a beam the gradient r_y,
linear between the nodes of an element; of a cable a direction that is fixed in the world, along which r_s must not be. A column c
has the place r_c and the gradients G_c = (g1, g2)_c. With O of the nodes, the place d from the reference point, w the angular velocity,

    J = [m; d x m + r_c]                                m = R O G_c
    JD = [m'; d x m' + r_c' - w x r_c]                  m' = R (O' G_c + O G_c')

Of the station itself r_c = r_s, G_c = (r_ss, g2_s); of a nodal vector they are its weights N, N_s and L along one axis.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross
from supple.core.bodies.ancf_edge import (
    O_ROW,
    OD_ROW,
    axes,
    combined,
    dot,
    spin,
    turned,
    turning,
    vector,
)
from supple.core.bodies.flex import spatial_cross
from supple.native.declare import INT, MAT, VEC, kernel, shared

# Integers of an edge in the programs: places of s in q and u, number of nodes, of vectors of a node, stations in the data, scratch
# in the flexible workspace, which axes it has, a direction across the line in the data
S_Q, S_U, NODES, VECTORS, STATIONS, SCRATCH, AXES, DIRECTION, EDGE_INTS = range(9)
# No axes that turn; those of r_s and the nodal vectors r_y; those of r_s and a direction that is fixed in the world
NO_AXES, SECTION, TANGENT = range(3)
OWN = (6, 9, 6)  # columns of a node of the line with these: place, slope, and r_y
# What the pose leaves there: the element, s in it from 0 to 1, r_s, r_ss, r_sss, and the vector across the line with its slope
ELEMENT, INSIDE, SLOPE, BEND, THIRD, ACROSS, ACROSS_S, SCRATCH_SIZE = starts(1, 1, 3, 3, 3, 3, 3)
SHAPES = 4  # cubics of an element, and the most derivatives


@kernel
def element(tree, p, s):
    """The element that s is in: number, length, and s in it from 0 to 1."""
    x, last = tree.data[p[STATIONS] : p[STATIONS] + p[NODES]], p[NODES] - 2
    k = 0
    while k < last and s.real >= x[k + 1]:
        k += 1
    h = x[k + 1] - x[k]
    return k, h, (s - x[k]) / h


@kernel
def shapes(x, h, order):
    """Cubics of an element of length h at x in 0..1, or derivatives along the line."""
    if order == 0:
        y = x * x * (3.0 - 2.0 * x)
        return 1.0 - y, h * x * (1.0 - x) * (1.0 - x), y, -h * x * x * (1.0 - x)
    if order == 1:
        y = 6.0 * x * (1.0 - x) / h
        return -y, (1.0 - x) * (1.0 - 3.0 * x), y, x * (3.0 * x - 2.0)
    if order == 2:
        y = (6.0 - 12.0 * x) / (h * h)
        return -y, (6.0 * x - 4.0) / h, y, (6.0 * x - 2.0) / h
    y, z = 12.0 / (h * h * h) + 0.0 * x, 6.0 / (h * h) + 0.0 * x
    return y, z, -y, z


@kernel
def place(p, k, l, i):
    """Place of component i of vector l of element k behind the first of the line, and its column.

    Vectors are place, slope, place, slope, then r_y of both ends.
    """
    node, vector = k + l // 2, l % 2
    if l >= SHAPES:
        node, vector = k + l - SHAPES, 2
    return 3 * (node * p[VECTORS] + vector) + i, 1 + OWN[p[AXES]] * node + 3 * vector + i


@kernel
def total(p, k, w, x, first, i):
    """Sum of weights w times component i of the vectors of element k; x are coordinates, or rates."""
    s = 0.0 * x[first]
    for l in range(SHAPES):
        s = s + w[l] * x[first + place(p, k, l, i)[0]]
    return s


@kernel
def here(tree, work, n):
    """Integers of the edge, its scratch, the element and its length."""
    p = tree.program[tree.node[n, at.ATTACH] :]
    y = work.flex[p[SCRATCH] : p[SCRATCH] + SCRATCH_SIZE]
    k = int(y[ELEMENT].real)
    return p, y, k, tree.data[p[STATIONS] + k + 1] - tree.data[p[STATIONS] + k]


@kernel
def across(p, k, v, w, x, first):
    """v and w times the vectors r_y of the ends of element k, of coordinates x or rates; zero if it has no such vectors."""
    zero = 0.0 * x[first]
    if p[AXES] != SECTION:
        return zero, zero, zero
    i, j = first + place(p, k, SHAPES, 0)[0], first + place(p, k, SHAPES + 1, 0)[0]
    return v * x[i] + w * x[j], v * x[i + 1] + w * x[j + 1], v * x[i + 2] + w * x[j + 2]


@kernel
def along(p, k, weights, x, first):
    """Sum of weights times places and slopes of the ends of element k."""
    return total(p, k, weights, x, first, 0), total(p, k, weights, x, first, 1), total(p, k, weights, x, first, 2)


@kernel
def along_axis(i, x):
    """x along axis i."""
    return (i == 0) * x, (i == 1) * x, (i == 2) * x


@kernel
def pose(tree, p, y, k, h, q, first, r):
    """Axes of a sliding node into its row r, and the vector across the line into its scratch y."""
    x = y[INSIDE]
    g2, slope = across(p, k, 1.0 - x, x, q, first), across(p, k, -1.0 / h, 1.0 / h, q, first)
    if p[AXES] != SECTION:
        g2 = vector(tree.data, p[DIRECTION])
    g1 = vector(y, SLOPE)
    a = np.sqrt(dot(g1, g1))
    e1 = (g1[0] / a, g1[1] / a, g1[2] / a)
    part = combined(1.0, g2, -dot(g2, e1), e1)
    b = np.sqrt(dot(part, part))
    e2 = (part[0] / b, part[1] / b, part[2] / b)
    e3 = cross(e1, e2)
    for i in range(3):
        y[ACROSS + i], y[ACROSS_S + i] = g2[i], slope[i]
        r[3 * i], r[3 * i + 1], r[3 * i + 2] = e1[i], e2[i], e3[i]


@kernel
def rates(p, y, k, h, u, first):
    """Rates of g1, g2, of r_ss and of the slope of g2."""
    v, x = u[p[S_U]], y[INSIDE]
    v1 = combined(v, vector(y, BEND), 1.0, along(p, k, shapes(x, h, 1), u, first))
    v2 = combined(v, vector(y, ACROSS_S), 1.0, across(p, k, 1.0 - x, x, u, first))
    b1 = combined(v, vector(y, THIRD), 1.0, along(p, k, shapes(x, h, 2), u, first))
    return v1, v2, b1, across(p, k, -1.0 / h, 1.0 / h, u, first)


@kernel
def distance(work, r):
    """The node's place from the reference point."""
    o = work.origin
    return r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]


@kernel
def put(column, which, e, d, m, move):
    """A column [R m; d x R m + move], m along the axes e."""
    turn = turned(e, m)
    arm = cross(d, turn)
    for i in range(3):
        column[which, i], column[which, 3 + i] = turn[i], arm[i] + move[i]


@kernel
def put_two(column, e, d, w, O, OD, r, r1, G1, G2, H1, H2):
    """J and JD of a column with the place r, gradients G and their rates r1, H."""
    put(column, at.COL_J, e, d, spin(O, G1, G2), r)
    m = combined(1.0, spin(OD, G1, G2), 1.0, spin(O, H1, H2))
    put(column, at.COL_JD, e, d, m, combined(1.0, r1, -1.0, cross(w, r)))


@kernel
def vectors(p):
    """Nodal vectors of an element that move the node."""
    return SHAPES + 2 if p[AXES] == SECTION else SHAPES


@kernel
def weights(y, h, l, order):
    """Weight of vector l in r, g1 and g2, or that of a derivative along the line."""
    x, zero = y[INSIDE], 0.0 * y[INSIDE]
    if l < SHAPES:
        second = zero if order + 1 >= SHAPES else shapes(x, h, order + 1)[l]
        return shapes(x, h, order)[l], second, zero
    sign = 2.0 * (l - SHAPES) - 1.0
    if order == 0:
        return zero, zero, 0.5 * (1.0 - sign) + sign * x
    return zero, zero, (zero + sign / h if order == 1 else zero)


@kernel
def motion(tree, work, n, u, a):
    """Columns J, JD; scratch rows 0 and 1 get z = J u and J a + JD u."""
    r, s, first, k0 = work.node[n], work.scratch, tree.node[n, at.COL0], tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    d, e, O, OD = distance(work, r), axes(r), s[O_ROW : O_ROW + 3], s[OD_ROW : OD_ROW + 3]
    g1, v = vector(y, SLOPE), u[p[S_U]]
    v1, v2, b1, c1 = rates(p, y, k, h, u, k0)
    w, _, _, _, _ = turning(e, g1, vector(y, ACROSS), v1, v2, O, OD)
    for c in range(first, first + tree.node[n, at.COLUMNS]):
        for l in range(6):
            work.column[c, at.COL_J, l] = 0.0
            work.column[c, at.COL_JD, l] = 0.0
    c = work.column[first]
    put_two(c, e, d, w, O, OD, g1, v1, vector(y, BEND), vector(y, ACROSS_S), b1, c1)
    for l in range(6):
        s[0, l], s[1, l] = c[at.COL_J, l] * v, c[at.COL_J, l] * a[p[S_U]] + c[at.COL_JD, l] * v
    for l in range(vectors(p)):
        f, g = weights(y, h, l, 0), weights(y, h, l, 1)
        for i in range(3):
            j, at_column = place(p, k, l, i)
            c = work.column[first + at_column]
            r0, G1, G2 = along_axis(i, f[0]), along_axis(i, f[1]), along_axis(i, f[2])
            r1, H1, H2 = along_axis(i, g[0] * v), along_axis(i, g[1] * v), along_axis(i, g[2] * v)
            put_two(c, e, d, w, O, OD, r0, r1, G1, G2, H1, H2)
            for b in range(6):
                s[0, b] += c[at.COL_J, b] * u[k0 + j]
                s[1, b] += c[at.COL_J, b] * a[k0 + j] + c[at.COL_JD, b] * u[k0 + j]


@kernel
def direction(p, y, k, h, first, c):
    """Velocity of direction c of those that move the node: the station, then vectors of its element; place and gradients along it."""
    if c == 0:
        return p[S_U], vector(y, SLOPE), vector(y, BEND), vector(y, ACROSS_S)
    l, i = (c - 1) // 3, (c - 1) % 3
    f = weights(y, h, l, 0)
    return first + place(p, k, l, i)[0], along_axis(i, f[0]), along_axis(i, f[1]), along_axis(i, f[2])


@kernel
def stiffness(tree, work, n, Rq):
    """Add d(J^T W)/dq at a fixed wrench W in the node's axes; W of node n is the subtree's wrench."""
    r, s, first = work.node[n], work.scratch, tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    e, O, OD = axes(r), s[O_ROW : O_ROW + 3], s[OD_ROW : OD_ROW + 3]
    f = vector(r, at.W + 3)
    arm = cross(distance(work, r), f)
    t = (r[at.W] - arm[0], r[at.W + 1] - arm[1], r[at.W + 2] - arm[2])  # torque about the node
    t = (dot(e[0], t), dot(e[1], t), dot(e[2], t))
    g1, g2, count = vector(y, SLOPE), vector(y, ACROSS), 1 + 3 * vectors(p)
    for j in range(count):
        to, _, G1, G2 = direction(p, y, k, h, first, j)
        w, _, _, _, _ = turning(e, g1, g2, G1, G2, O, OD)
        push = cross(w, f)
        for c in range(count):
            own, r_c, C1, C2 = direction(p, y, k, h, first, c)
            Rq[tree.row_of[own], to] += dot(push, r_c) + dot(t, spin(OD, C1, C2))
    # gradients of the place and of the gradients themselves
    own = p[S_U]
    zero = 0.0 * f[0]
    nothing = (zero, zero, zero)
    Rq[tree.row_of[own], own] += dot(f, vector(y, BEND)) + dot(t, spin(O, vector(y, THIRD), nothing))
    for l in range(vectors(p)):
        g = weights(y, h, l, 1)
        for i in range(3):
            j = first + place(p, k, l, i)[0]
            x = f[i] * g[0] + dot(t, spin(O, along_axis(i, g[1]), along_axis(i, g[2])))
            Rq[tree.row_of[own], j] += x
            Rq[tree.row_of[j], own] += x


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
        pose(tree, p, y, k, h, q, first, r)


@shared(TREE, WORK, INT, VEC, VEC)
def edge_motion(tree, work, n, u, a):
    """Columns J, JD of a line edge; scratch rows 0 and 1 get z = J u and J a + JD u."""
    s, first, d = work.scratch, tree.node[n, at.COL0], tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    if p[AXES] != NO_AXES:
        motion(tree, work, n, u, a)
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


@shared(TREE, WORK, INT, MAT)
def edge_stiffness(tree, work, n, Rq):
    """Add d(J^T W)/dq at a fixed force; W of node n is the subtree's wrench."""
    r, d = work.node[n], tree.node[n, at.U0]
    p, y, k, h = here(tree, work, n)
    if p[AXES] != NO_AXES:
        stiffness(tree, work, n, Rq)
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
