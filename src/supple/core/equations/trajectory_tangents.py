"""Equations of motion along stored states: tangents, residuals and slopes of these at many instants in one call."""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.layout import views
from supple.core.bodies import chart, tree
from supple.core.equations import dynamics, model_slopes, tangents
from supple.core.forces import constraint_rows as links
from supple.core.forces import joint_forces
from supple.native.declare import INT, INTS, MAT, REALS, VEC, entry, hold

EVERY = 8  # of so many instants one tells whether a difference is smooth


@entry(INTS, REALS, VEC, REALS, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT, MAT)
def linearized(ints, reals, work, time, q, u, z, a, zdot, lam, Rq, Ru, M, Rz, Gq, Gu, Gz, G, H, L):
    """Accelerations a (nt, nu), rates zdot (nt, nz) of controllers and multipliers lam (nt, rows) at states,

    and the matrices of small motion about them.

    Matrices of one instant follow those of the one before: Rq, Ru, M, L (nt nu, nu), Rz (nt nu, nz), Gq, Gu
    (nt nz, nu), Gz (nt nz, nz), G, H (nt rows, nu). Returns -1, or the first instant at which there are no accelerations.
    """
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    whole = hold(at.placed_as(tree_views, M))  # m of matrices that are not stored as those of the model
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
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
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
    tree_views, work_views = views(ints, reals, work)
    m, w = hold(tree_views), hold(work_views)
    whole = hold(at.placed_as(tree_views, M))
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
            model_slopes.twists(m, w, weights[k * sums + j], posed)
            model_slopes.add_inertias(m, w, mine)
            if posed == 1:
                model_slopes.add_frames(m, w, mine)
    return 0


@entry(INTS, REALS, REALS, REALS, VEC, INTS, REALS, MAT, MAT, MAT, MAT, MAT, VEC)
def joint_slopes(ints, reals, first, second, work, elements, time, q, u, z, weights, rates, out):
    """out (sums + 2): change from the model ``second`` to ``first`` of sums of weights times residuals and rates of controllers.

    Weights (nt sums, nu) and (nt sums, nz), of models that differ from ``reals`` in ``elements`` on joint coordinates alone. Behind the
    sums the largest second and first difference of an effort or rate, at some of the instants.
    """
    here_views, work_views = views(ints, reals, work)
    first_views, _ = views(ints, first, work)
    second_views, _ = views(ints, second, work)
    here, one, two, w = hold(here_views), hold(first_views), hold(second_views), hold(work_views)
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
