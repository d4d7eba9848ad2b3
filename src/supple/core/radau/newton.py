"""Simplified Newton iteration for the stages of a Radau step: tangents, matrices, updates; see ``radau_stages``."""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.core.equations import inner_states as inner
from supple.core.equations import tree_border as border
from supple.core.equations import tree_parts as tp
from supple.core.equations.tree_parts import PARTS, along_tree, differentiate_tree
from supple.core.forces import constraint_rows as links
from supple.core.linalg import dense as linalg
from supple.core.linalg.multifrontal import by_blocks
from supple.core.radau import blocks as radau_blocks
from supple.core.radau import buffers as rb
from supple.core.radau import rows
from supple.core.radau.stages import AI, ALPHA, BETA, GAMMA, TI, TT, prescribe, stage, stage_time
from supple.core.run import step as st
from supple.core.run.step import flushed
from supple.native.declare import REAL, TRUTH, kernel, shared

NOISE = 0.05  # largest correction that may be rounding
MOMENTS = 6.0  # units of rounding in a moment: the sum of those of gravity, inertia and spin about three axes
MAX_NEWTON = 10
FARTHEST = 3.0  # rad that a ball or free joint may turn in a step


@kernel
def resolution(r, o):
    """Smallest weighted correction that means something: ten units of rounding of an increment or a velocity."""
    largest = 0.0
    for k in range(r.u.shape[0]):
        largest = max(largest, r.scale[k] / o.u[rb.WX, k], abs(r.u[k]) / o.u[rb.WU, k])
    return 10.0 * 2.2e-16 * largest


@kernel
def rounding(r, o):
    """Weighted norm of what rounding leaves in velocities: rows and joints tie slow ones to the fastest one."""
    fastest, total, n = 0.0, 0.0, r.u.shape[0]
    for k in range(n):
        fastest = max(fastest, abs(r.u[k] + o.u[rb.U + 2, k]) / r.rate_scale[k])
    for k in range(n):
        x = r.rate_scale[k] / o.u[rb.WU, k]
        total += x * x
    return 10.0 * 2.2e-16 * fastest * math.sqrt(total / max(n, 1))


@kernel
def largest_effort(m, r, o, M):
    """Largest product of inertia and acceleration along a velocity, in units of work for its unit of motion."""
    push = 0.0
    for k in range(o.f.shape[1]):
        l = o.free[k]
        push = max(push, abs(M[m.row_of[k], k]) * max(abs(r.a[l]), abs(o.u[rb.RATE + 2, l])) * r.scale[l])
    return push


@kernel
def mobility(m, M, j, i):
    """Angular acceleration about axis i for a unit moment about it, of the ball whose velocities begin at j."""
    a, b, k = j + (i + 1) % 3, j + (i + 2) % 3, j + i
    p, q, s = m.row_of[a], m.row_of[b], m.row_of[k]
    minor = M[p, a] * M[q, b] - M[p, b] * M[p, b]
    first, second = M[p, k] * M[q, b] - M[q, k] * M[p, b], M[p, k] * M[p, b] - M[q, k] * M[p, a]
    whole = M[s, k] * minor - M[s, a] * first + M[s, b] * second
    return minor / whole if whole > 0.0 and minor > 0.0 else 0.0


@kernel
def above_noise(m, r, o, p, h):
    """No weight of an angular velocity is less than rounding of the moments allows: thin rods about their axis.

    Their axis need not be one of the body's axes, so that no entry of the mass matrix is small.
    """
    if o.f.shape[1] < r.u.shape[0]:  # drivers give some of them
        return
    M = masses(m, p, o)[0]
    least = MOMENTS * 2.2e-16 / NOISE * h * largest_effort(m, r, o, M)
    for n in range(1, m.node.shape[0]):
        if m.node[n, at.MOTION] == at.BALL or m.node[n, at.MOTION] == at.FREE:
            j = m.node[n, at.U0]
            for i in range(3):
                o.u[rb.WU, j + i] = max(o.u[rb.WU, j + i], least * mobility(m, M, j, i))


@kernel
def noise(m, r, o, p, h):
    """Weighted norm of what rounding of the efforts leaves in velocities, many where they move little mass."""
    M = masses(m, p, o)[0]
    push, total, n = largest_effort(m, r, o, M), 0.0, o.f.shape[1]
    for k in range(n):
        l = o.free[k]
        mass = M[m.row_of[k], k] * r.scale[l] * o.u[rb.WU, l]
        x = push / mass if mass > 0.0 else 0.0
        total += x * x
    if n == r.u.shape[0]:
        for b in range(1, m.node.shape[0]):
            if m.node[b, at.MOTION] == at.BALL or m.node[b, at.MOTION] == at.FREE:
                j = m.node[b, at.U0]
                for i in range(3):
                    x = MOMENTS * push * mobility(m, M, j, i) / o.u[rb.WU, j + i]
                    total += x * x
    return max(rounding(r, o), 2.2e-16 * h * math.sqrt(total / max(n, 1)))


@kernel
def coefficients(p, h):
    """Coefficients of both factors, see ``tree_newton.factor_tree``."""
    s = ALPHA * ALPHA + BETA * BETA
    for f in range(2):
        c = p.c[f]
        for i in range(2):
            g = (BETA if i == 1 else ALPHA) if f == 1 else (GAMMA if i == 0 else 0.0)
            inverse = (-BETA / s if i == 1 else ALPHA / s) if f == 1 else (1.0 / GAMMA if i == 0 else 0.0)
            one = 1.0 if i == 0 else 0.0
            c[i, tp.CQ], c[i, tp.CU], c[i, tp.CA], c[i, tp.CZ] = h * h * inverse, h * one, g, h * h * one
            c[i, tp.DQ], c[i, tp.DU], c[i, tp.D0], c[i, tp.DZ] = h * inverse, one, g, h * one


@kernel
def factorize_tree(m, p, h):
    """Both factors; False if one is singular."""
    coefficients(p, h)
    for f in range(2):
        if not border.factor_bordered(m, p, f, f + 1):
            return False
    return True


@kernel
def solve(m, p, o):
    """Solve for the right sides of all stages in place."""
    border.solve_bordered(m, p, 0, o.y[rb.Y1 : rb.Y1 + 1])
    border.solve_bordered(m, p, 1, o.y[rb.Y2 : rb.Y2 + 2])


@kernel
def products(m, p, o):
    """Rq times the residuals of the chart of each stage, into the rows FD of o.f."""
    border.change(m, p, o.f[rb.FX : rb.FX + 3], o.f[rb.FX:rb.FX], o.f[rb.FX:rb.FX], o.f[rb.FD : rb.FD + 3])


@kernel
def error_sides(m, p, o, h):
    """M FA - h/gamma Rq FU into the row FD of o.f."""
    for k in range(o.f.shape[1]):
        o.f[rb.FB, k] = -h / GAMMA * o.f[rb.FU, k]
    border.change(m, p, o.f[rb.FB : rb.FB + 1], o.f[rb.FB:rb.FB], o.f[rb.FA : rb.FA + 1], o.f[rb.FD : rb.FD + 1])


@kernel
def state_slope(p, s, f):
    """Row s of Gq times f."""
    return p.slopes[s, 1] * f[p.owner[s]]


@kernel
def masses(m, p, o):
    """The mass matrix, of a tree its blocks, in a tuple: an array alone cannot be returned."""
    if tp.along_tree(m):
        return tp.own(p, tp.WHOLE)
    return (o.tangent[rb.MASS],)


@kernel
def spin(m, r):
    """Largest angular velocity of ball and free joints: the chart's part of Newton's contraction.

    It is small next to the first corrections, so two norms of these do not show it.
    """
    node, largest = m.node, 0.0
    for n in range(1, node.shape[0]):
        if node[n, at.MOTION] == at.BALL or node[n, at.MOTION] == at.FREE:
            j = node[n, at.U0]
            largest = max(largest, r.u[j] * r.u[j] + r.u[j + 1] * r.u[j + 1] + r.u[j + 2] * r.u[j + 2])
    return math.sqrt(largest)


@kernel
def longest_step(m, r, h):
    """The step h, or less where a joint would turn so far that its chart comes near its singularity at 2 pi."""
    rate = spin(m, r)
    return h if h * rate <= FARTHEST else FARTHEST / rate


@shared(TREE, WORK, st.RUN, rb.OWN, PARTS, REAL, REAL, gives=TRUTH)
def middle_tangent(m, w, r, o, p, t, h):
    """Tangents at the middle of the step, predicted by Taylor; False where constraint rows depend on others.

    Predicted is the increment: velocities of a place turn with its body, and hard contact or friction would be elsewhere by what that does.
    """
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.0
    chart.acceleration(m, r.xt, r.u, r.u, r.a, o.u[rb.S1])
    for k in range(r.u.shape[0]):
        r.xt[k] = 0.5 * h * (r.u[k] + 0.25 * h * o.u[rb.S1, k])
        o.u[rb.S1, k] = r.u[k] + 0.5 * h * o.u[rb.S1, k]
    chart.velocity(m, r.xt, o.u[rb.S1], r.ut)
    chart.retract(m, r.q, r.xt, r.qt)
    st.copy(r.lam, w.lam)
    if along_tree(m):
        differentiate_tree(m, w, p, t + 0.5 * h, r.qt, r.ut, r.a, r.z, o.u[rb.S1])
        return True
    tangent, Rz, Gq, Gu, G = o.tangent, o.Rz, o.Gq, o.Gu, o.G
    apart = o.f.shape[1] < r.u.shape[0]
    if apart:  # drivers give some velocities
        tangent, Rz, Gq, Gu, G = o.full_tangent, o.full_Rz, o.full_Gq, o.full_Gu, o.full_G
    dynamics.tangent_at(
        m, w, t + 0.5 * h, r.qt, r.ut, r.a, r.z, o.u[rb.S1], tangent[rb.RQ], tangent[rb.RU], tangent[rb.MASS], Rz, Gq, Gu, o.Gz
    )
    if by_blocks(m):
        links.rate_tangent(m, w, o.H, m.line_of)
        links.jacobian(m, w, G, m.line_of)
        radau_blocks.weigh_rows(m, w, o, h)
    elif o.c.shape[1] > 0:
        links.rate_tangent(m, w, G, m.line_of)
        st.copy_rows(G, w.solved)  # H: factors of accelerations are not needed now
        links.jacobian(m, w, G, m.line_of)
    if m.head[at.H_INNER] > 0:
        tp.keep_inner(m, w, p)
        for k in range(r.u.shape[0] if apart else 0):
            p.place[k] = 0
        for l in range(o.f.shape[1] if apart else 0):
            p.place[o.free[l]] = l + 1
    if apart:
        select_free(o)
    return rows.prepare(m, w, r, o) if o.G.shape[0] > 0 else True


@kernel
def select_free(o):
    """The parts of the tangents and of G that Newton solves for."""
    free, n = o.free, o.f.shape[1]
    for i in range(n):
        for j in range(n):
            for l in range(3):
                o.tangent[l, i, j] = o.full_tangent[l, free[i], free[j]]
        for j in range(o.Gz.shape[0]):
            o.Rz[i, j], o.Gq[j, i], o.Gu[j, i] = o.full_Rz[free[i], j], o.full_Gq[j, free[i]], o.full_Gu[j, free[i]]
        for j in range(o.d.shape[1]):
            o.G[j, i] = o.full_G[o.kept[j], free[i]]


@shared(TREE, st.RUN, rb.OWN, PARTS, REAL, gives=TRUTH)
def factorize(m, r, o, p, h):
    """Newton matrices for the real and the complex eigenvalue; False if one is singular."""
    if along_tree(m):
        return factorize_tree(m, p, h)
    if m.head[at.H_INNER] > 0:
        coefficients(p, h)
        if not (inner.invert(m, p, 0, 1) and inner.invert(m, p, 1, 2)):
            return False
    if by_blocks(m):
        return radau_blocks.factorize(m, o, p, h)
    nu, nz = o.f.shape[1], m.head[at.H_OUTER]
    # 1/(alpha + i beta)
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    for c in range(nu):
        for d in range(nu):
            stiff = h * h * o.tangent[rb.RQ, c, d]
            o.newton[rb.E1, c, d] = GAMMA * o.tangent[rb.MASS, c, d] + h * o.tangent[rb.RU, c, d] + stiff / GAMMA
            o.newton[rb.ER, c, d] = ALPHA * o.tangent[rb.MASS, c, d] + h * o.tangent[rb.RU, c, d] + stiff * gr
            o.newton[rb.EI, c, d] = BETA * o.tangent[rb.MASS, c, d] + stiff * gi
        for d in range(nz):
            o.newton[rb.E1, c, nu + d] = h * h * o.Rz[c, d]
            o.newton[rb.ER, c, nu + d] = h * h * o.Rz[c, d]
            o.newton[rb.EI, c, nu + d] = 0.0
            o.newton[rb.E1, nu + d, c] = -h / GAMMA * o.Gq[d, c] - o.Gu[d, c]
            o.newton[rb.ER, nu + d, c] = -h * gr * o.Gq[d, c] - o.Gu[d, c]
            o.newton[rb.EI, nu + d, c] = -h * gi * o.Gq[d, c]
    for c in range(nz):
        for d in range(nz):
            o.newton[rb.E1, nu + c, nu + d] = (GAMMA if c == d else 0.0) - h * o.Gz[c, d]
            o.newton[rb.ER, nu + c, nu + d] = (ALPHA if c == d else 0.0) - h * o.Gz[c, d]
            o.newton[rb.EI, nu + c, nu + d] = BETA if c == d else 0.0
    if m.head[at.H_INNER] > 0:
        add_inner(m, o, p)
    if o.G.shape[0] > 0:
        rows.border(r, o, h)
    return linalg.lu(o.newton[rb.E1], o.pivots[0]) and linalg.lu_complex(o.newton[rb.ER], o.newton[rb.EI], o.pivots[1])


@kernel
def add_inner(m, o, p):
    """Add to whole matrices what inner states do; with constraint rows through P as well."""
    P = o.f[:0]
    if o.G.shape[0] > 0:
        P = o.tangent[rb.PX]
    inner.add_whole(m, p, 0, 1, P, o.newton[rb.E1], o.newton[rb.E1])
    inner.add_whole(m, p, 1, 2, P, o.newton[rb.ER], o.newton[rb.EI])


@kernel
def without_change(m, o, first, count):
    """Into the rows DU of o.f: h u where w = 0, from h xi in the rows DX; ``first`` is the first of so many rows of the right sides."""
    through = o.G.shape[0] > 0 and not by_blocks(m)
    for i in range(first, first + count):
        for k in range(o.f.shape[1]):
            s = 0.0
            if through:
                s = o.f[rb.FD + i, k] + rows.dot(o.tangent[rb.PX, k], o.f[rb.DX + i])
            o.f[rb.DU + i, k] = -s


@shared(TREE, st.RUN, rb.OWN, PARTS, REAL)
def inner_sides(m, r, o, p, h):
    """Right sides of inner states, and what they leave in those of the motion; F1 is in the eigenbasis already."""
    first, s = m.head[at.H_OUTER], ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    for k in range(p.side.shape[1]):
        a, b, c = o.z[rb.F3, first + k], o.z[rb.F3 + 1, first + k], o.z[rb.F3 + 2, first + k]
        p.side[0, k] = -h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        p.side[1, k] = -h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        p.side[2, k] = h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    for k in range(o.f.shape[1]):  # h xi where w = 0
        a, b = o.f[rb.FX + 1, k], o.f[rb.FX + 2, k]
        o.f[rb.DX, k] = -h * h / GAMMA * o.f[rb.FX, k]
        o.f[rb.DX + 1, k], o.f[rb.DX + 2, k] = -h * h * (gr * a - gi * b), -h * h * (gr * b + gi * a)
    without_change(m, o, 0, 3)
    inner.follow(m, p, 1.0, o.f[rb.DX : rb.DX + 3], 1.0, o.f[rb.DU : rb.DU + 3], 1.0)
    inner.settle(m, p, 0, 0, 1)
    inner.settle(m, p, 1, 1, 2)
    inner.push(m, p, h * h, o.y[rb.Y1 : rb.Y1 + 3])


@shared(TREE, st.RUN, rb.OWN, PARTS, REAL, gives=REAL)
def inner_update(m, r, o, p, h):
    """Newton's update of inner states, from xi in the rows FX and h u in the solutions; returns the sum of squares in units of weights."""
    first, total = m.head[at.H_OUTER], 0.0
    inner.follow(m, p, 1.0, o.f[rb.FX : rb.FX + 3], h, o.y[rb.Y1 : rb.Y1 + 3], 1.0)
    inner.settle(m, p, 0, 0, 1)
    inner.settle(m, p, 1, 1, 2)
    for k in range(p.rate.shape[1]):
        a, b, c = p.rate[0, k], p.rate[1, k], -p.rate[2, k]
        for i in range(3):
            dz = TT[i, 0] * a + TT[i, 1] * b + TT[i, 2] * c
            o.z[rb.Z + i, first + k] += dz
            dz /= o.z[rb.WZ, first + k]
            total += dz * dz
    return total


@kernel
def stiffness_sides(m, r, o, p, h, gr, gi):
    """Add what the residuals of the chart do through Rq and Gq to the right sides; 1/(alpha + i beta) = gr + i gi."""
    nu, nz, tree = o.f.shape[1], m.head[at.H_OUTER], along_tree(m)
    y1, y2, y3 = o.y[rb.Y1], o.y[rb.Y2], o.y[rb.Y3]
    h3 = h * h * h
    if tree:
        products(m, p, o)
    if by_blocks(m):
        radau_blocks.add_stiffness(m, o, h)
    else:
        for k in range(nu):
            s1, s2, s3 = 0.0, 0.0, 0.0
            if tree:
                s1, s2, s3 = o.f[rb.FD, k], o.f[rb.FD + 1, k], o.f[rb.FD + 2, k]
            for j in range(0 if tree else nu):
                x = o.tangent[rb.RQ, k, j]
                s1 += x * o.f[rb.FX, j]
                s2 += x * o.f[rb.FX + 1, j]
                s3 += x * o.f[rb.FX + 2, j]
            y1[k] += h3 / GAMMA * s1
            y2[k] += h3 * (gr * s2 - gi * s3)
            y3[k] += h3 * (gr * s3 + gi * s2)
    for k in range(nz):
        s1, s2, s3 = 0.0, 0.0, 0.0
        if tree:
            f = o.f[rb.FX : rb.FX + 3]
            s1, s2, s3 = state_slope(p, k, f[0]), state_slope(p, k, f[1]), state_slope(p, k, f[2])
        for j in range(o.Gq.shape[1]):
            x = o.Gq[k, j]
            s1 += x * o.f[rb.FX, j]
            s2 += x * o.f[rb.FX + 1, j]
            s3 += x * o.f[rb.FX + 2, j]
        y1[nu + k] -= h * h / GAMMA * s1
        y2[nu + k] -= h * h * (gr * s2 - gi * s3)
        y3[nu + k] -= h * h * (gr * s3 + gi * s2)


@shared(TREE, st.RUN, rb.OWN, PARTS, REAL, gives=REAL)
def newton_update(m, r, o, p, h):
    """One simplified Newton update of all stages; returns its weighted norm."""
    nu, nz, blocked, tree, free = o.f.shape[1], m.head[at.H_OUTER], by_blocks(m), along_tree(m), o.free
    s = ALPHA * ALPHA + BETA * BETA
    gr, gi = ALPHA / s, -BETA / s
    y1, y2, y3 = o.y[rb.Y1], o.y[rb.Y2], o.y[rb.Y3]
    for k in range(nu):  # to the eigenbasis; the pair is the complex number w2 - i w3
        l = free[k]
        a, b, c = o.u[rb.F1, l], o.u[rb.F1 + 1, l], o.u[rb.F1 + 2, l]
        o.f[rb.FX, k] = TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c
        o.f[rb.FX + 1, k] = TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c
        o.f[rb.FX + 2, k] = -(TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
        a, b, c = o.u[rb.F2, l], o.u[rb.F2 + 1, l], o.u[rb.F2 + 2, l]
        y1[k] = -h * h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        y2[k] = -h * h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        y3[k] = h * h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    for k in range(nz):
        a, b, c = o.z[rb.F3, k], o.z[rb.F3 + 1, k], o.z[rb.F3 + 2, k]
        y1[nu + k] = -h * (TI[0, 0] * a + TI[0, 1] * b + TI[0, 2] * c)
        y2[nu + k] = -h * (TI[1, 0] * a + TI[1, 1] * b + TI[1, 2] * c)
        y3[nu + k] = h * (TI[2, 0] * a + TI[2, 1] * b + TI[2, 2] * c)
    stiffness_sides(m, r, o, p, h, gr, gi)
    if o.G.shape[0] > 0:
        rows.constraint_sides(m, r, o, h)
    if m.head[at.H_INNER] > 0:
        inner_sides(m, r, o, p, h)
    if blocked:
        radau_blocks.solve(m, o)
    elif tree:
        solve(m, p, o)
    else:
        linalg.lu_solve(o.newton[rb.E1], o.pivots[0], y1)
        linalg.lu_complex_solve(o.newton[rb.ER], o.newton[rb.EI], o.pivots[1], y2, y3)
    if o.G.shape[0] > 0:
        rows.constraint_update(r, o, h)
    for k in range(nu):  # xi = (w - h r1)/g in the eigenbasis, in place of f1
        a = (y1[k] - h * o.f[rb.FX, k]) / GAMMA
        b, c = y2[k] - h * o.f[rb.FX + 1, k], y3[k] - h * o.f[rb.FX + 2, k]
        o.f[rb.FX, k], o.f[rb.FX + 1, k], o.f[rb.FX + 2, k] = a, gr * b - gi * c, gr * c + gi * b
    if o.G.shape[0] > 0:
        rows.velocity_update(m, r, o, h)
    total = 0.0
    for k in range(nu):
        a, b, c = o.f[rb.FX, k], o.f[rb.FX + 1, k], -o.f[rb.FX + 2, k]
        a2, b2, c2 = y1[k] / h, y2[k] / h, -y3[k] / h
        l = free[k]
        for i in range(3):
            dx = TT[i, 0] * a + TT[i, 1] * b + TT[i, 2] * c
            du = TT[i, 0] * a2 + TT[i, 1] * b2 + TT[i, 2] * c2
            o.f[rb.DX + i, k], o.f[rb.DU + i, k] = dx, du
            o.u[rb.X + i, l] = flushed(o.u[rb.X + i, l] + dx)
            o.u[rb.U + i, l] = flushed(o.u[rb.U + i, l] + du)
            dx /= o.u[rb.WX, l]
            du /= o.u[rb.WU, l]
            total += dx * dx + du * du
    balance_update(m, o, h)
    for k in range(nz):
        a, b, c = y1[nu + k], y2[nu + k], -y3[nu + k]
        for i in range(3):
            dz = TT[i, 0] * a + TT[i, 1] * b + TT[i, 2] * c
            o.z[rb.Z + i, k] += dz
            dz /= o.z[rb.WZ, k]
            total += dz * dz
    if m.head[at.H_INNER] > 0:
        total += inner_update(m, r, o, p, h)
    return math.sqrt(total / max(3 * (2 * nu + r.z.shape[0]), 1))


@kernel
def balance_update(m, o, h):
    """Change the multipliers of drivers along with Newton's changes of the stages."""
    free = o.free
    for j in range(o.pin.shape[0]):
        if o.pin[j] >= 0:
            k = m.link[o.pin[j], at.LINK_TERM]
            c = m.term[k, at.TERM_U]
            Rq, Ru, M = o.full_tangent[rb.RQ, c], o.full_tangent[rb.RU, c], o.full_tangent[rb.MASS, c]
            for i in range(3):
                s = 0.0
                for l in range(o.f.shape[1]):
                    rate = (AI[i, 0] * o.f[rb.DU, l] + AI[i, 1] * o.f[rb.DU + 1, l] + AI[i, 2] * o.f[rb.DU + 2, l]) / h
                    s += Rq[free[l]] * o.f[rb.DX + i, l] + Ru[free[l]] * o.f[rb.DU + i, l] + M[free[l]] * rate
                for l in range(o.d.shape[1]):
                    s += o.full_G[o.kept[l], c] * o.d[i, l]
                o.c[rb.LAM + i, j] -= s / m.factor[k]


@kernel
def worst_velocity(o):
    """The velocity that changed most in the step, in units of its weight; one that is not finite first."""
    worst, found = 0.0, 0
    for k in range(o.u.shape[1]):
        size = abs(o.u[rb.U + 2, k]) / o.u[rb.WU, k]
        if not math.isfinite(size):
            return k
        if size > worst:
            worst, found = size, k
    return found


@kernel
def solve_stages(m, w, r, o, p, ints, reals, t, h, left):
    """Simplified Newton; returns (converged, contraction rate)."""
    tolerance = max(resolution(r, o), min(0.003, math.sqrt(reals[st.RTOL])))
    ruled = o.G.shape[0] > 0
    if ruled:
        tolerance = max(tolerance, min(rounding(r, o), 0.1))
    turn = h * spin(m, r)
    floor = max(0.01, 0.25 * turn)
    rate, old = reals[st.RATE], 0.0
    for i in range(3 if o.pin.shape[0] > 0 else 0):
        prescribe(m, w, r, o, i, stage_time(t, h, i, left))
    for it in range(MAX_NEWTON):
        for i in range(3):
            stage(m, w, r, o, i, stage_time(t, h, i, left), h)
        ints[st.EVALUATIONS] += 3
        norm = newton_update(m, r, o, p, h)
        ints[st.NEWTON] += 1
        if not math.isfinite(norm):
            return False, 2.0
        # multipliers are not in the norm: the first correction of the motion may be smaller than the second, which
        # they cause
        if it == 1 and ruled and norm > 0.5 * old:
            if norm <= 1e-2 * tolerance:
                return True, rate
        elif it > 0:
            before, rate = rate, norm / old if old > 0.0 else 0.0
            if ruled and max(norm, old) <= tolerance:
                return True, min(rate, 0.5)
            # in turning axes two corrections in turn, of places and of velocities, contract by different rates
            safe = min(max(rate, floor, before if it > 1 and turn > 0.0 else 0.0), 0.9)
            eta = safe / (1.0 - safe)
            if rate < 1.0 and eta * norm <= tolerance:
                return True, rate
            # a place that the first correction moved has velocities in turned axes, which the second one corrects
            patient = it == 1 and turn > 0.0
            slow = it < MAX_NEWTON - 1 and eta * norm * rate ** (MAX_NEWTON - 2 - it) > tolerance
            if rate >= (2.0 if patient else 1.0) or (slow and not patient):
                limit = min(noise(m, r, o, p, h), NOISE)
                if norm <= limit and (it > 1 or old <= limit):
                    return True, min(before, 0.5)
                return False, rate
        elif norm <= 1e-2 * tolerance:
            return True, rate
        old = norm
    return False, rate
