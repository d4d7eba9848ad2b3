"""Equations of motion along stored states: tangents and residuals at many instants in one call."""

from __future__ import annotations

from supple.core import chart, dynamics, links, tangents
from supple.core import layout as at
from supple.core.layout import views
from supple.native.declare import INTS, MAT, REALS, VEC, entry, hold


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
