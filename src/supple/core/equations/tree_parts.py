"""Tangents of a tree as parts, from which Newton's matrix is never formed: columns, node matrices, rows of flexible bodies.

A column d of an edge contributes to everything outboard, beyond what it carries along (docs/theory.md, *Tangents*), the same
accelerations, twists and displacements. Along changes (yq, yu, ya) of places, velocities and accelerations these sums are

    X_n = X_parent + [psi_q yq + psi_u yu + J ya;  dV yq + J yu;  J yq]                      root to tips, X_0 = 0
    dW_n = [I B K]_n X_n + (Fq yq + Fu yu + L ya)_n + sum over children of (dW - adT(W) J yq)
    change of the residual: J^T dW_n of columns, [L^T Qw Qt] X_n of elastic coordinates, and own entries of blocks

A block are the velocities of one joint or of one flexible body, or one that moves no node (of a rotor).
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import Part, Record, starts
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import flex_body
from supple.core.equations import tangents
from supple.core.equations.tangents import dot6, inertia_times
from supple.core.forces import joint_forces
from supple.native.declare import REAL, VEC, kernel, shared, skewed

WIDE = 18  # acceleration, twist and displacement
PAIR = 2 * WIDE  # with the imaginary parts behind
TWELVE = 12  # twist and displacement
HALF = 6 * WIDE  # numbers of a real matrix over X; imaginary parts are behind
VECTORS = 3  # that changes are found for at once
# Columns: vectors that multiply changes: accelerations, twists and displacements (J) along q, the first two along u
AQ, VQ, J, AU, VU, COLUMN = starts(6, 6, 6, 6, 6)
# Elastic coordinates: wrench on the body along q, u, a
FQ, FU, FA, WRENCHES = range(4)
# Own entries of blocks: of Rq, Ru, M, and M with everything outboard
RQ, RU, MASS, WHOLE, OWN = range(5)
# Integers of a velocity: first one of its block, number of these, whether no node moves with it
FIRST, COUNT, ALONE, BLOCK_INTS = range(4)
# Coefficients of a factor, real and imaginary parts: see ``tree_newton.factor_tree``
CQ, CU, CA, CZ, DQ, DU, D0, DZ, COEFFICIENTS = range(9)
# What it keeps of a controller's state: column, row and pivot
UP, DOWN, PIVOT, STATE_PARTS = range(4)

N, U = "(widest > 0) * nodes", "(widest > 0) * nu"
PARTS_RECORD = Record(
    "Parts", __name__,
    Part("run", "float64", {
        "column": ("(widest > 0) * columns", COLUMN),
        "wrench": (N, 6),
        "matrix": (N, HALF),  # I, B, K
        "pull": (U, WRENCHES, 6),
        "felt": (U, WIDE),  # rows of elastic coordinates over X
        "own": (OWN, f"{U} * (widest + 1)"),
        "slopes": ("(widest > 0) * outer", 4),
        # of each factor: coefficients, columns, wrenches and rows over X by velocity, pivot blocks, controllers' states
        "c": ("factors", 2, COEFFICIENTS),
        "Z": ("factors", "(widest > 0) * columns", PAIR),
        "E": ("factors", U, 12),
        "R": ("factors", U, PAIR),
        "D": ("factors", 2, U, "widest"),
        "state": ("factors", "(widest > 0) * outer", STATE_PARTS, 2),
        # while one is made or used: matrices, wrenches, X, the solution, scratch
        "A": (N, 2 * HALF),
        "w": (N, 6 * VECTORS),
        "X": (N, WIDE * VECTORS),
        "y": (2, "(widest > 0) * (nu + outer)"),
        "t": 24,
        # lines of the border (core/equations/tree_border.py): readings; of each factor N0^-1 P and factors of 1 + V N0^-1 P; a right side
        "reading": ("border", "reading"),
        "Y": ("factors", "border", 2, "nu + outer"),
        "S": ("factors", 2, "border", "border"),
        "s": (2, "border"),
        "given": (2, "(border > 0) * (nu + outer)"),  # right side, what a solution leaves of it, and changes along q, u, a
        "left": (2, "(border > 0) * (nu + outer)"),
        "moved": (3, 2, "(border + inner > 0) * nu"),
        # inner states (core/equations/inner_states.py), however the matrix is eliminated: their tangents, and the columns' dV and J
        # at that state; inverses of each factor; rates at a solution of zero, and then states; motions or loads of nodes; what
        # elements do in node matrices; scratch
        "law": ("inner", at.LAW),
        "way": ("(inner > 0) * columns", TWELVE),
        "inverse": ("factors", "inner", 2 * at.INNER_STATES),
        "side": (VECTORS, "inner"),
        "rate": (VECTORS, "inner"),
        "travel": ("(inner > 0) * nodes", VECTORS * TWELVE),
        "bend": ("(inner > 0) * (widest > 0) * nodes", 12 * TWELVE),
        "whole": (2, "(inner > 0) * (widest > 0) * (nu + outer)"),
        "small": ("12 * (inner > 0)", 24),
        "mix": ("3 * (inner > 0)", 2 * at.INNER_STATES),
    }),
    Part("count", "int64", {
        "of": (U, BLOCK_INTS),
        "owner": "(widest > 0) * outer",  # velocities of controllers' states
        "pivot": ("factors", U),
        "order": ("factors", "border"),
        "place": "(inner > 0) * nu",  # of velocities among those that Newton solves for, from 1 on; 0 if it does not
    }),
    head=at.SIZES,
    given=("factors",),
    follows=True,
)
Parts, PARTS, cut_parts = PARTS_RECORD.views, PARTS_RECORD.kind, PARTS_RECORD.cut


@kernel
def along_tree(m):
    """True if Newton's matrix is eliminated along the tree."""
    return m.head[at.H_BLOCK] > 0


@kernel
def own(p, which):
    """Own entries of blocks as a square matrix, in a tuple: an array alone cannot be returned."""
    return (skewed(p.own[which], 0, p.of.shape[0], p.D.shape[3]),)


@kernel
def turned(W, j):
    """adT(W) J = [t x Jw + f x Jv; f x Jw]."""
    t0, t1, t2, f0, f1, f2 = W[0], W[1], W[2], W[3], W[4], W[5]
    return (
        t1 * j[2] - t2 * j[1] + f1 * j[5] - f2 * j[4],
        t2 * j[0] - t0 * j[2] + f2 * j[3] - f0 * j[5],
        t0 * j[1] - t1 * j[0] + f0 * j[4] - f1 * j[3],
        f1 * j[2] - f2 * j[1],
        f2 * j[0] - f0 * j[2],
        f0 * j[1] - f1 * j[0],
    )


@kernel
def find_blocks(m, p):
    """Blocks of velocities, and velocities of controllers' states."""
    for k in range(p.of.shape[0]):
        p.of[k, FIRST], p.of[k, COUNT], p.of[k, ALONE] = k, 1, 1
    for n in range(1, m.node.shape[0]):
        motion = m.node[n, at.MOTION]
        if motion != at.ELASTIC_OUT and motion != at.ELASTIC_IN:
            mark(p, m.node[n, at.U0], m.node[n, at.COLUMNS])
    for f in range(m.flex.shape[0]):
        mark(p, m.flex[f, at.FLEX_U0], m.flex[f, at.FLEX_N])
    for e in range(m.element.shape[0]):
        if m.element[e, at.KIND] == joint_forces.PID:
            p.owner[m.element[e, joint_forces.STATE]] = m.element[e, joint_forces.U]


@kernel
def mark(p, first, count):
    """One block."""
    for k in range(first, first + count):
        p.of[k, FIRST], p.of[k, COUNT], p.of[k, ALONE] = first, count, 0


@shared(TREE, WORK, PARTS, REAL, VEC, VEC, VEC, VEC, VEC)
def differentiate_tree(m, w, p, t, q, u, a, z, r):
    """Residual r, and the parts of its tangents."""
    find_blocks(m, p)
    for i in range(OWN):
        for k in range(p.own.shape[1]):
            p.own[i, k] = 0.0
    w.lined[0] = 1.0
    tangents.tangent_parts(m, w, t, q, u, a, z, own(p, RQ)[0], own(p, RU)[0], own(p, MASS)[0])
    tangents.residual_of_sums(m, w, r)
    for s in range(p.slopes.shape[0]):
        for k in range(4):
            p.slopes[s, k] = w.slopes[s, k]
    for c in range(m.column.shape[0]):
        x, y = w.column[c], p.column[c]
        for l in range(6):
            y[AQ + l], y[VQ + l], y[J + l] = x[at.COL_PSI_Q, l], x[at.COL_DV, l], x[at.COL_J, l]
            y[AU + l], y[VU + l] = x[at.COL_PSI_U, l], x[at.COL_J, l]
    for n in range(m.node.shape[0]):
        keep_node(w, p, n)
    for f in range(m.flex.shape[0]):
        y, k = flex_body.rows(m, w, f)[0], m.flex[f, at.FLEX_U0]
        for i in range(m.flex[f, at.FLEX_N]):
            pull, felt = p.pull[k + i], p.felt[k + i]
            for l in range(6):
                pull[FQ, l], pull[FU, l], pull[FA, l] = y[at.FX_FQ + l, i], y[at.FX_FU + l, i], y[at.FX_LW + l, i]
                felt[l], felt[6 + l], felt[12 + l] = y[at.FX_LW + l, i], 0.0, 0.0
            for l in range(3):
                pull[FQ, l] += y[at.FX_TQ + l, i]
                felt[6 + l], felt[12 + l] = y[at.FX_QW + l, i], y[at.FX_QT + l, i]
    for i in range(p.reading.shape[0]):
        for l in range(p.reading.shape[1]):
            p.reading[i, l] = w.reading[i, l]
    whole_masses(m, w, p)
    keep_inner(m, w, p)


@kernel
def keep_inner(m, w, p):
    """Tangents of inner states and columns at the state of the tangents; Newton solves for all velocities."""
    for i in range(p.law.shape[0]):
        for j in range(at.LAW):
            p.law[i, j] = w.law[i, j]
    for c in range(p.way.shape[0]):
        x, y = w.column[c], p.way[c]
        for l in range(6):
            y[l], y[6 + l] = x[at.COL_DV, l], x[at.COL_J, l]
    for k in range(p.place.shape[0]):
        p.place[k] = k + 1


@kernel
def keep_node(w, p, n):
    """[I B K] and the wrench of the subtree of a node that its joint turns; its inertia becomes the first of its composite.

    Numbers are read before others are written: so the compiler knows that they do not depend on these, and moves several at once.
    """
    x, mat, inner, wrench = w.node[n], p.matrix[n], w.inner[n], p.wrench[n]
    for l in range(6):
        wrench[l] = x[at.W + l] + inner[l]
    mass, c0, c1, c2 = x[at.M], x[at.C], x[at.C + 1], x[at.C + 2]
    xx, yy, zz, xy, xz, yz = x[at.J], x[at.J + 1], x[at.J + 2], x[at.J + 3], x[at.J + 4], x[at.J + 5]
    x[at.CM], x[at.CC], x[at.CC + 1], x[at.CC + 2] = mass, c0, c1, c2
    x[at.CJ], x[at.CJ + 1], x[at.CJ + 2], x[at.CJ + 3], x[at.CJ + 4], x[at.CJ + 5] = xx, yy, zz, xy, xz, yz
    mat[0], mat[1], mat[2], mat[3], mat[4], mat[5] = xx, xy, xz, 0.0, -c2, c1
    mat[18], mat[19], mat[20], mat[21], mat[22], mat[23] = xy, yy, yz, c2, 0.0, -c0
    mat[36], mat[37], mat[38], mat[39], mat[40], mat[41] = xz, yz, zz, -c1, c0, 0.0
    mat[54], mat[55], mat[56], mat[57], mat[58], mat[59] = 0.0, c2, -c1, mass, 0.0, 0.0
    mat[72], mat[73], mat[74], mat[75], mat[76], mat[77] = -c2, 0.0, c0, 0.0, mass, 0.0
    mat[90], mat[91], mat[92], mat[93], mat[94], mat[95] = c1, -c0, 0.0, 0.0, 0.0, mass
    damp, stiff = w.matrices[n, at.NODE_B], w.matrices[n, at.NODE_K]
    for l in range(6):
        row, b, k = mat[WIDE * l :], damp[l], stiff[l]
        row[6], row[7], row[8], row[9], row[10], row[11] = b[0], b[1], b[2], b[3], b[4], b[5]
        row[12], row[13], row[14], row[15], row[16], row[17] = k[0], k[1], k[2], k[3], k[4], k[5]


@kernel
def whole_masses(m, w, p):
    """Entries of the mass matrix in blocks: of joints all, of flexible bodies those on the diagonal.

    p.E holds the momenta of the bodies' coordinates meanwhile: the factor is made afterwards.
    """
    node, x, M, momentum = m.node, w.node, own(p, WHOLE)[0], p.E[0]
    for k in range(p.of.shape[0]):
        M[k, k] = own(p, MASS)[0][k, k]
        for l in range(6):
            momentum[k, l] = p.pull[k, FA, l]
    for n in range(node.shape[0] - 1, 0, -1):
        c0, y = node[n, at.COL0], p.t
        inward, outward = node[n, at.MOTION] == at.ELASTIC_IN, node[n, at.MOTION] == at.ELASTIC_OUT
        for i in range(node[n, at.COLUMNS]):
            k, j = m.column[c0 + i, at.VELOCITY], p.column[c0 + i, J:]
            if not (inward or outward) and node[n, at.COLUMNS] == 1:
                M[k, k] += about(x[n], j)
                continue
            inertia_times(x[n], j, y)
            if inward or outward:
                M[k, k] += dot6(j, y) + (2.0 * dot6(j, momentum[k]) if inward else 0.0)
                for l in range(6):
                    momentum[k, l] += y[l]
                continue
            for d in range(node[n, at.COLUMNS]):
                M[m.column[c0 + d, at.VELOCITY], k] += dot6(p.column[c0 + d, J:], y)
        mine, parent = x[n, at.CM : at.E], x[node[n, at.PARENT], at.CM : at.E]
        for k in range(at.E - at.CM):
            parent[k] += mine[k]


@kernel
def about(i, y):
    """y^T I y with the composite inertia of node row i."""
    w0, w1, w2, v0, v1, v2 = y[0], y[1], y[2], y[3], y[4], y[5]
    turning = i[at.CJ] * w0 * w0 + i[at.CJ + 1] * w1 * w1 + i[at.CJ + 2] * w2 * w2
    turning += 2.0 * (i[at.CJ + 3] * w0 * w1 + i[at.CJ + 4] * w0 * w2 + i[at.CJ + 5] * w1 * w2)
    across = i[at.CC] * (w2 * v1 - w1 * v2) + i[at.CC + 1] * (w0 * v2 - w2 * v0) + i[at.CC + 2] * (w1 * v0 - w0 * v1)
    return turning + 2.0 * across + i[at.CM] * (v0 * v0 + v1 * v1 + v2 * v2)


@kernel
def begin_change(m, p, yq, yu, ya, out):
    """The sums X along changes from the root to the tips, wrenches of zero, and what blocks have of their own in out."""
    node, count, speeds, rates = m.node, yq.shape[0], yu.shape[0] > 0, ya.shape[0] > 0
    own_change(p, yq, yu, ya, out)
    for l in range(WIDE * VECTORS):
        p.X[0, l] = 0.0
    for n in range(1, node.shape[0]):
        x, before, w = p.X[n], p.X[node[n, at.PARENT]], p.w[n]
        for l in range(WIDE * count):
            x[l] = before[l]
        for l in range(6 * count):
            w[l] = 0.0
        for c in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.COLUMNS]):
            k, q = m.column[c, at.VELOCITY], p.column[c]
            for v in range(count):
                x, s = p.X[n, WIDE * v :], yq[v, k]
                for l in range(WIDE):
                    x[l] += q[l] * s
                if speeds:
                    s, rate = yu[v, k], q[AU:]
                    for l in range(12):
                        x[l] += rate[l] * s
                if rates:
                    s = ya[v, k]
                    for l in range(6):
                        x[l] += q[J + l] * s


@kernel
def end_change(m, p, yq, yu, ya, out):
    """out += Rq yq + Ru yu + M ya but for own entries, from the sums and wrenches of ``begin_change``."""
    node, count, speeds, rates = m.node, yq.shape[0], yu.shape[0] > 0, ya.shape[0] > 0
    for n in range(node.shape[0] - 1, 0, -1):
        for v in range(count):
            w, x, s = p.w[n, 6 * v :], p.X[n, WIDE * v :], product(p.matrix[n], p.X[n, WIDE * v :])
            for l in range(6):
                w[l] += s[l]
            if node[n, at.HEAVY] == at.FLEXIBLE:
                f = m.flex[node[n, at.FLEX]]
                for k in range(f[at.FLEX_U0], f[at.FLEX_U0] + f[at.FLEX_N]):
                    pull, y = p.pull[k], yq[v, k]
                    out[v, k] += dot(p.felt[k], x)
                    for l in range(6):
                        w[l] += pull[FQ, l] * y
                    for l in range(6 if speeds else 0):
                        w[l] += pull[FU, l] * yu[v, k]
                    for l in range(6 if rates else 0):
                        w[l] += pull[FA, l] * ya[v, k]
        gather_change(m, p, n, yq, out)


@kernel
def gather_change(m, p, n, yq, out):
    """Rows of the columns of node n in ``end_change``, and its wrench on to its parent."""
    before = m.node[n, at.PARENT]
    for c in range(m.node[n, at.COL0], m.node[n, at.COL0] + m.node[n, at.COLUMNS]):
        k, j = m.column[c, at.VELOCITY], p.column[c, J:]
        t = turned(p.wrench[n], j)
        for v in range(yq.shape[0]):
            w, s = p.w[n, 6 * v :], yq[v, k]
            out[v, k] += dot6(j, w)
            if before > 0:
                below = p.w[before, 6 * v :]
                for l in range(6):
                    below[l] -= t[l] * s
    if before > 0:
        w, below = p.w[n], p.w[before]
        for l in range(6 * yq.shape[0]):
            below[l] += w[l]


@kernel
def own_change(p, yq, yu, ya, out):
    """The part of ``begin_change`` that blocks have of their own."""
    Rq, Ru, M = own(p, RQ)[0], own(p, RU)[0], own(p, MASS)[0]
    for k in range(out.shape[1]):
        first = p.of[k, FIRST]
        for v in range(yq.shape[0]):
            s = 0.0
            for j in range(first, first + p.of[k, COUNT]):
                s += Rq[k, j] * yq[v, j]
            for j in range(first, first + (p.of[k, COUNT] if yu.shape[0] > 0 else 0)):
                s += Ru[k, j] * yu[v, j]
            for j in range(first, first + (p.of[k, COUNT] if ya.shape[0] > 0 else 0)):
                s += M[k, j] * ya[v, j]
            out[v, k] = s


@kernel
def product(a, z):
    """The six products of rows of a matrix over X with z."""
    s0, s1, s2, s3, s4, s5 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for j in range(WIDE):
        s0 += a[j] * z[j]
        s1 += a[WIDE + j] * z[j]
        s2 += a[2 * WIDE + j] * z[j]
        s3 += a[3 * WIDE + j] * z[j]
        s4 += a[4 * WIDE + j] * z[j]
        s5 += a[5 * WIDE + j] * z[j]
    return s0, s1, s2, s3, s4, s5


@kernel
def dot(x, y):
    """Scalar product of rows over X."""
    s = 0.0
    for l in range(WIDE):
        s += x[l] * y[l]
    return s
