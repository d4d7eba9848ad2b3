"""Equations of motion along stored states: tangents, residuals and slopes of these at many instants in one call.

How weighted sums of residuals along stored states change with numbers of the model.

With weights y (nu) for the residual R = J^T W + Q - efforts of one instant, the sum y R is that of Y W over all nodes and of y Q,
where Y is the twist that the velocities y would give. So all its slopes along numbers of nodes follow from one sweep, however
many parameters there are. A node whose inboard frame moves by a twist J, and everything behind it with it, changes the sum by

    psi_q P + dV D + J E - Y_p adT(W) J,   P = sum I Y,  D = sum B^T Y,  E = sum K^T Y over what is behind it,

with dV = ad(V_p) J and psi_q = ad(A_p) J + ad(V_p) dV as of a joint that is there and stands still (core/equations/tangents.py). Flexible
bodies add the coupling of their own coordinates to P, D and E. The sum is linear in the inertia of a rigid body.
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE_WORDS, WORK_WORDS, tree_at, work_at
from supple.core.bodies import chart, flex_body, tree
from supple.core.equations import dynamics, tangents
from supple.core.forces import constraint_rows as links
from supple.core.forces import joint_forces
from supple.native.declare import INT, INTS, MAT, REALS, VEC, entry, hold, kernel, reserve

# Slopes of a node: along a twist of its inboard frame in the axes of its parent about the parent's origin (6), along its mass,
# first moment (3) and second moments (xx yy zz xy xz yz)
TWIST, MASS, FIRST, SECOND, NODE_SLOPES = starts(6, 1, 3, 6)
# Rows of a node in the workspace of articulated bodies, which is free here
P, D, E, Y, _ROWS = starts(6, 6, 6, 6)
EVERY = 8  # of so many instants one tells whether a difference is smooth


@kernel
def twists(m, w, weights, posed):
    """Y of every node, and its own part of P, D and E; needs ``tangent_parts`` if frames are ``posed``, else motion."""
    node, rows = m.node, w.articulated
    for k in range(Y + 6):
        rows[0, k] = 0.0
    for n in range(1, node.shape[0]):
        y, i = rows[n], w.node[n]
        for k in range(6):
            y[Y + k] = rows[node[n, at.PARENT], Y + k]
        for d in range(node[n, at.COL0], node[n, at.COL0] + node[n, at.COLUMNS]):
            c, x = w.column[d, at.COL_J], weights[m.column[d, at.VELOCITY]]
            for k in range(6):
                y[Y + k] += c[k] * x
        if posed == 0:
            continue
        w0, w1, w2, v0, v1, v2 = y[Y], y[Y + 1], y[Y + 2], y[Y + 3], y[Y + 4], y[Y + 5]
        y[P] = i[at.J] * w0 + i[at.J + 3] * w1 + i[at.J + 4] * w2 + i[at.C + 1] * v2 - i[at.C + 2] * v1
        y[P + 1] = i[at.J + 3] * w0 + i[at.J + 1] * w1 + i[at.J + 5] * w2 + i[at.C + 2] * v0 - i[at.C] * v2
        y[P + 2] = i[at.J + 4] * w0 + i[at.J + 5] * w1 + i[at.J + 2] * w2 + i[at.C] * v1 - i[at.C + 1] * v0
        y[P + 3] = i[at.M] * v0 + w1 * i[at.C + 2] - w2 * i[at.C + 1]
        y[P + 4] = i[at.M] * v1 + w2 * i[at.C] - w0 * i[at.C + 2]
        y[P + 5] = i[at.M] * v2 + w0 * i[at.C + 1] - w1 * i[at.C]
        tangents.row_times(y[Y : Y + 6], w.matrices[n, at.NODE_B], y[D : D + 6])
        tangents.row_times(y[Y : Y + 6], w.matrices[n, at.NODE_K], y[E : E + 6])
        if node[n, at.HEAVY] == at.FLEXIBLE:
            f = node[n, at.FLEX]
            r, first = flex_body.rows(m, w, f)[0], m.flex[f, at.FLEX_U0]
            for l in range(m.flex[f, at.FLEX_N]):
                x = weights[first + l]
                for k in range(6):
                    y[P + k] += r[at.FX_LW + k, l] * x
                for k in range(3):
                    y[D + k] += r[at.FX_QW + k, l] * x
                    y[E + k] += r[at.FX_QT + k, l] * x


@kernel
def add_crossed(V, X, out):
    """out += ad(V)^T X = [Xw x w + Xv x v; Xv x w]."""
    w0, w1, w2, v0, v1, v2 = V[0], V[1], V[2], V[3], V[4], V[5]
    out[0] += X[1] * w2 - X[2] * w1 + X[4] * v2 - X[5] * v1
    out[1] += X[2] * w0 - X[0] * w2 + X[5] * v0 - X[3] * v2
    out[2] += X[0] * w1 - X[1] * w0 + X[3] * v1 - X[4] * v0
    out[3] += X[4] * w2 - X[5] * w1
    out[4] += X[5] * w0 - X[3] * w2
    out[5] += X[3] * w1 - X[4] * w0


@kernel
def add_frames(m, w, out):
    """Add the slopes along twists of inboard frames."""
    node, x, rows, o, s = m.node, w.node, w.articulated, w.origin, w.scratch
    g, h = s[0], s[1]
    for n in range(node.shape[0] - 1, 0, -1):
        p = node[n, at.PARENT]
        y, parent, r = rows[n], rows[p], x[p]
        for k in range(6):
            g[k] = y[E + k]
            h[k] = y[D + k]
        V = r[at.V : at.V + 6]
        add_crossed(V, y[P : P + 6], h)
        add_crossed(V, h, g)
        add_crossed(r[at.A : at.A + 6], y[P : P + 6], g)
        # - adT(W)^T Y = -[Yw x t + Yv x f; Yw x f]
        t0, t1, t2, f0, f1, f2 = x[n, at.W], x[n, at.W + 1], x[n, at.W + 2], x[n, at.W + 3], x[n, at.W + 4], x[n, at.W + 5]
        w0, w1, w2, v0, v1, v2 = parent[Y], parent[Y + 1], parent[Y + 2], parent[Y + 3], parent[Y + 4], parent[Y + 5]
        g[0] -= w1 * t2 - w2 * t1 + v1 * f2 - v2 * f1
        g[1] -= w2 * t0 - w0 * t2 + v2 * f0 - v0 * f2
        g[2] -= w0 * t1 - w1 * t0 + v0 * f1 - v1 * f0
        g[3] -= w1 * f2 - w2 * f1
        g[4] -= w2 * f0 - w0 * f2
        g[5] -= w0 * f1 - w1 * f0
        # about the parent's origin, then in its axes
        d0, d1, d2 = o[0] - r[at.P], o[1] - r[at.P + 1], o[2] - r[at.P + 2]
        a0, a1, a2 = g[0] + d1 * g[5] - d2 * g[4], g[1] + d2 * g[3] - d0 * g[5], g[2] + d0 * g[4] - d1 * g[3]
        for k in range(3):
            out[n, TWIST + k] += r[k] * a0 + r[3 + k] * a1 + r[6 + k] * a2
            out[n, TWIST + 3 + k] += r[k] * g[3] + r[3 + k] * g[4] + r[6 + k] * g[5]
        for k in range(Y):
            parent[k] += y[k]


@kernel
def local(r, o, x):
    """A spatial vector about the reference point, about the origin of a node and in its axes."""
    d0, d1, d2 = r[at.P] - o[0], r[at.P + 1] - o[1], r[at.P + 2] - o[2]
    w0, w1, w2 = x[0], x[1], x[2]
    v0, v1, v2 = x[3] + w1 * d2 - w2 * d1, x[4] + w2 * d0 - w0 * d2, x[5] + w0 * d1 - w1 * d0
    return (
        r[0] * w0 + r[3] * w1 + r[6] * w2, r[1] * w0 + r[4] * w1 + r[7] * w2, r[2] * w0 + r[5] * w1 + r[8] * w2,
        r[0] * v0 + r[3] * v1 + r[6] * v2, r[1] * v0 + r[4] * v1 + r[7] * v2, r[2] * v0 + r[5] * v1 + r[8] * v2,
    )  # fmt: skip


@kernel
def add_inertias(m, w, out):
    """Add the slopes along masses, first and second moments of rigid bodies.

    Y F = y (J alpha + c x a + w x (J w + c x v) + v x (w x c)) + x (m a + alpha x c + w x (m v + w x c)).
    """
    node, o = m.node, w.origin
    for n in range(1, node.shape[0]):
        if node[n, at.HEAVY] != at.RIGID:
            continue
        r, g = w.node[n], out[n]
        w0, w1, w2, v0, v1, v2 = local(r, o, r[at.V : at.V + 6])
        b0, b1, b2, a0, a1, a2 = local(r, o, r[at.A : at.A + 6])
        y0, y1, y2, x0, x1, x2 = local(r, o, w.articulated[n, Y : Y + 6])
        g[MASS] += x0 * (a0 + w1 * v2 - w2 * v1) + x1 * (a1 + w2 * v0 - w0 * v2) + x2 * (a2 + w0 * v1 - w1 * v0)
        z0, z1, z2 = y1 * w2 - y2 * w1, y2 * w0 - y0 * w2, y0 * w1 - y1 * w0  # y x w
        s0, s1, s2 = y1 * v2 - y2 * v1 + x1 * w2 - x2 * w1, y2 * v0 - y0 * v2 + x2 * w0 - x0 * w2, y0 * v1 - y1 * v0 + x0 * w1 - x1 * w0
        # a x y + x x alpha + v x (y x w) + (y x v + x x w) x w
        g[FIRST] += a1 * y2 - a2 * y1 + x1 * b2 - x2 * b1 + v1 * z2 - v2 * z1 + s1 * w2 - s2 * w1
        g[FIRST + 1] += a2 * y0 - a0 * y2 + x2 * b0 - x0 * b2 + v2 * z0 - v0 * z2 + s2 * w0 - s0 * w2
        g[FIRST + 2] += a0 * y1 - a1 * y0 + x0 * b1 - x1 * b0 + v0 * z1 - v1 * z0 + s0 * w1 - s1 * w0
        g[SECOND] += y0 * b0 + z0 * w0
        g[SECOND + 1] += y1 * b1 + z1 * w1
        g[SECOND + 2] += y2 * b2 + z2 * w2
        g[SECOND + 3] += y0 * b1 + y1 * b0 + z0 * w1 + z1 * w0
        g[SECOND + 4] += y0 * b2 + y2 * b0 + z0 * w2 + z2 * w0
        g[SECOND + 5] += y1 * b2 + y2 * b1 + z1 * w2 + z2 * w1


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def linearized(ints, reals, work, time, q, u, z, a, zdot, lam, Rq, Ru, M, Rz, Gq, Gu, Gz, G, H, L):
    """Accelerations a (nt, nu), rates zdot (nt, nz) of controllers and multipliers lam (nt, rows) at states,

    and the matrices of small motion about them.

    Matrices of one instant follow those of the one before: Rq, Ru, M, L (nt nu, nu), Rz (nt nu, nz), Gq, Gu
    (nt nz, nu), Gz (nt nz, nz), G, H (nt rows, nu). Returns -1, or the first instant at which there are no accelerations.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    whole = hold(at.placed_as(m, M))  # m of matrices that are not stored as those of the model
    n, nz, rows, r = u.shape[1], z.shape[1], lam.shape[1], w.rest_force
    for k in range(time.shape[0]):
        t = time[k]
        if dynamics.forward(m, w, t, q[k], u[k], z[k], a[k]) >= 0:
            return k
        for i in range(rows):
            lam[k, i] = w.lam[i]
        for i in range(nz):
            zdot[k, i] = w.zdot[i]
        i0, i1, j0, j1 = k * n, k * n + n, k * nz, k * nz + nz
        q1, u1, a1 = at.as_stored(Rq[i0:i1])[0], at.as_stored(Ru[i0:i1])[0], at.as_stored(M[i0:i1])[0]
        dynamics.tangent_at(
            whole, w, t, q[k], u[k], a[k], z[k], r, q1, u1, a1, Rz[i0:i1], Gq[j0:j1], Gu[j0:j1], Gz[j0:j1]
        )
        chart.write_drift(m, u[k], L[i0:i1])
        if rows > 0:
            c0, c1 = k * rows, k * rows + rows
            tangents.columns(m, w, u[k], a[k])
            links.jacobian(whole, w, at.as_stored(G[c0:c1])[0], whole.line_of)
            links.rate_tangent(whole, w, at.as_stored(H[c0:c1])[0], whole.line_of)
    return -1


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, MAT)
def residuals(ints, reals, work, time, q, u, a, z, lam, out):
    """out (nt, nu + rows + nz): residuals, rates of the constraint rows, rates of controllers, at states."""
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    n, nz, rows = u.shape[1], z.shape[1], lam.shape[1]
    for k in range(time.shape[0]):
        for i in range(rows):
            w.lam[i] = lam[k, i]
        dynamics.residual_at(m, w, time[k], q[k], u[k], a[k], z[k], out[k, :n])
        if rows > 0:
            links.rates(m, w, time[k], u[k], out[k, n : n + rows])
        for i in range(nz):
            out[k, n + rows + i] = w.zdot[i]
    return 0


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, INT, MAT, MAT, MAT, MAT)
def node_slopes(ints, reals, work, time, q, u, a, z, weights, posed, Rq, Ru, M, out):
    """out (sums nodes, NODE_SLOPES): slopes of sums of weights (nt sums, nu) times residuals along numbers of nodes.

    Weights of one instant follow those of the one before. Along frames only if they are ``posed``, of models without constraint
    rows and without elements between two nodes; Rq, Ru, M (nu, nu) are scratch.
    """
    m, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    whole = hold(at.placed_as(m, M))
    q1, u1, a1 = at.as_stored(Rq)[0], at.as_stored(Ru)[0], at.as_stored(M)[0]
    nodes = m.node.shape[0]
    sums = out.shape[0] // nodes
    for k in range(time.shape[0]):
        if posed == 1:
            tangents.tangent_parts(whole, w, time[k], q[k], u[k], a[k], z[k], q1, u1, a1)
        else:
            tree.poses(m, w, q[k])
            tree.motion(m, w, u[k], a[k])
        for j in range(sums):
            mine = out[j * nodes : j * nodes + nodes]
            twists(m, w, weights[k * sums + j], posed)
            add_inertias(m, w, mine)
            if posed == 1:
                add_frames(m, w, mine)
    return 0


@entry(INTS, REALS, REALS, REALS, VEC, INTS, REALS, MAT, MAT, MAT, MAT, MAT, VEC)
def joint_slopes(ints, reals, first, second, work, elements, time, q, u, z, weights, rates, out):
    """out (sums + 2): change from the model ``second`` to ``first`` of sums of weights times residuals and rates of controllers.

    Weights (nt sums, nu) and (nt sums, nz), of models that differ from ``reals`` in ``elements`` on joint coordinates alone. Behind the
    sums the largest second and first difference of an effort or rate, at some of the instants.
    """
    here, w = tree_at(ints, reals, reserve(TREE_WORDS)), work_at(ints, work, reserve(WORK_WORDS))
    one, two = tree_at(ints, first, reserve(TREE_WORDS)), tree_at(ints, second, reserve(TREE_WORDS))
    sums = out.shape[0] - 2
    for i in range(elements.shape[0]):
        e = elements[i]
        el = here.element[e]
        j, k, s = el[joint_forces.Q], el[joint_forces.U], el[joint_forces.STATE]
        for n in range(time.shape[0]):
            g1, g2 = one.coef[e, joint_forces.RATIO], two.coef[e, joint_forces.RATIO]
            f1, _, rate1 = joint_forces.effort(one, w, e, time[n], g1 * q[n, j], g1 * u[n, k], z[n])
            f2, _, rate2 = joint_forces.effort(two, w, e, time[n], g2 * q[n, j], g2 * u[n, k], z[n])
            f1, f2 = g1 * f1, g2 * f2
            for l in range(sums):
                out[l] -= weights[n * sums + l, k] * (f1 - f2)
                if el[at.KIND] == joint_forces.PID:
                    out[l] += rates[n * sums + l, s] * (rate1 - rate2)
            if n % EVERY == 0:
                g = here.coef[e, joint_forces.RATIO]
                f, _, rate = joint_forces.effort(here, w, e, time[n], g * q[n, j], g * u[n, k], z[n])
                out[sums] = max(out[sums], abs(f1 + f2 - 2.0 * g * f), abs(rate1 + rate2 - 2.0 * rate))
                out[sums + 1] = max(out[sums + 1], abs(f1 - f2), abs(rate1 - rate2))
    return 0
