"""Tyres: a ring of B, whose axis is the axle, on a plane or ground of A; a push along the normal, and forces by slip in the tangent plane.

With the axle a and the normal n, e_x = a x n/|a x n| is the heading and e_y = n x e_x the left (ISO 8855 if a points to the left). The material of B has
at the point of contact the velocity v relative to A; of it the turn about the axle is -V_r e_x, and V_x = v_x + V_r is the speed of travel. The push is

    N = k p^m (1 + a p') + c p'     not below zero, stored k p^(m+1)/(m+1), lost (N - k p^m) p'

In the plane the carcass is a spring K with a damper D = tau K between the rim and the patch, which slides over the road with w. Its deflections s (along e_x, e_y) are
the first states of the tyre; the force on B is -t:

    s' = v - w        t = K s + D s'        stored K s.s/2, lost D s'.s' + t.w

Without a damper that is sigma F' = |V| (C slip - F), sigma = C/K, and at rest a spring: nothing is divided by the speed. The law says how the patch slides:

    linear:  t = C w/|V_x| for each direction: with t* = K s + D v, t = C t*/(C + D |V|), w = |V| t*/(C + D |V|)
    brush:   |t| = mu N (1 - y^3), w = 3 mu N |V_r|/C (1 - y) along t, slides as dry friction at y = 0. With T = |t*|/(mu N) and b = 3 D |V_r|/C
             y^3 + b y = 1 + b - T, which has one root; for T above 1 + b t = mu N t*/|t*|, w = (t* - t)/D

    magic:   magic_formula.py

About the normal the carcass is a spring, too, with the twist s_n, s'_n = w_n - (turn of the patch): the linear law with C = K sigma, by which the patch is renewed as it rolls.

C may grow with the push, C N/N_0. The moment about the normal is t_y times the trail, which changes its side with the direction of travel. Open, or where it has let go, s fades.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import add_wrench, cross, frame, scatter_relative
from supple.core.contact import contact, magic_formula
from supple.core.contact.contact import (
    C_ROW,
    CZ_ROW,
    DAMPING,
    E_ROW,
    EXPONENT,
    EZ_ROW,
    W_ROW,
    WZ_ROW,
    ZZ_ROW,
    dot,
    plus,
    scaled,
    vector,
)
from supple.core.contact.pairs import (
    AT,
    DATA,
    FRICTION,
    GAP,
    PART,
    POSE_B,
    STATE,
    A,
    B,
    C,
    N,
    P,
    V,
    W,
    change,
    locate,
    numbers,
)
from supple.native.declare import INT, MAT, REAL, VEC, kernel, shared

LINEAR, BRUSH, MAGIC = 0, 1, 2  # laws
NUMBERS = magic_formula.SIZE  # of a law by the Magic Formula, behind the data of a pair
# Element reals behind stiffness, exponent and damping a of a contact: damping c; push N_0 at which C is meant (0: at any); slip stiffnesses C and
# stiffnesses K of the carcass along, across and about the normal; tau; coefficient of friction; trail, of a brush half the length of its patch; rate at which s fades
_, PUSH_DAMPING, LOAD, SLIP, HOLD, SETTLING, MU, TRAIL, FADE, _ = starts(3, 1, 1, 3, 3, 1, 1, 1, 1)
TURN = 0.1  # m/s of travel below which the trail changes its side
COLUMNS = 15  # directions of a tangent: displacement, twist, states
# What is told of a tyre: its heading, velocity of its material there along it and to the left, speeds of travel and rolling, sine of its camber, deflections and twist
TOLD_HEADING, TOLD_V, TOLD_TRAVEL, TOLD_ROLLING, TOLD_CAMBER, TOLD_S, TOLD_F, TOLD_MOMENT, TOLD = starts(3, 2, 1, 1, 1, 3, 2, 1)


@kernel
def push(c, p, rate):
    """Push N at the depth p above zero, its elastic part k p^m, and its slopes along p and p'."""
    elastic = contact.push(c, p, 0.0 * rate)[1]
    damping = elastic * c[DAMPING] + c[PUSH_DAMPING]
    n = elastic + damping * rate
    if n.real <= 0.0:
        return 0.0 * n, elastic, 0.0 * n, 0.0 * n
    return n, elastic, c[EXPONENT] * elastic / p * (1.0 + c[DAMPING] * rate), damping


@kernel
def heading(a, n):
    """Unit vector along a x n, and the length of that."""
    x = cross(a, n)
    size = np.sqrt(dot(x, x))
    if size.real == 0.0:
        return x, size
    return scaled(1.0 / size, x), size


@kernel
def axle(tree, work, e):
    """Axis of the wheel."""
    el = tree.element[e]
    b = frame(work, el[B], tree.data, el[AT] + POSE_B)
    return b[2], b[5], b[8]


@kernel
def motion(g, a):
    """v_x, v_y, w_n, V_x, V_r of a wheel with the axle a."""
    n, v = vector(g, N), vector(g, V)
    x, _ = heading(a, n)
    way = cross(a, plus(vector(g, P), -1.0, vector(g, C)))
    along, rolling = dot(v, x), -dot(vector(g, W), a) * dot(way, x)
    return along, dot(v, cross(n, x)), dot(n, vector(g, W)), along + rolling, rolling


@kernel
def motion_change(g, a, da, dn, dp, dc, dv, dw):
    """Changes of e_x, e_y, and of v_x, v_y, w_n, V_x, V_r."""
    n, v, w = vector(g, N), vector(g, V), vector(g, W)
    x, size = heading(a, n)
    dx = plus(cross(da, n), 1.0, cross(a, dn))
    dx = plus(dx, -dot(dx, x), x)
    dx = scaled(1.0 / size if size.real > 0.0 else 0.0 * size, dx)
    dy = plus(cross(dn, x), 1.0, cross(n, dx))
    arm = plus(vector(g, P), -1.0, vector(g, C))
    way = cross(a, arm)
    dway = plus(cross(da, arm), 1.0, cross(a, plus(dp, -1.0, dc)))
    along = dot(dv, x) + dot(v, dx)
    rolling = -(dot(dw, a) + dot(w, da)) * dot(way, x) - dot(w, a) * (dot(dway, x) + dot(way, dx))
    return dx, dy, (along, dot(dv, cross(n, x)) + dot(v, dy), dot(dn, w) + dot(n, dw), along + rolling, rolling)


@kernel
def stiffnesses(c, force):
    """Factor of the slip stiffnesses at a push, and its slope along that."""
    if c[LOAD] > 0.0:
        return force / c[LOAD], 1.0 / c[LOAD] + 0.0 * force
    return 1.0 + 0.0 * force, 0.0 * force


@kernel
def size_of(x):
    """Absolute value, and its sign."""
    return (x, 1.0) if x.real >= 0.0 else (-x, -1.0)


@kernel
def side(speed):
    """Side of the trail at a speed of travel, -1 to 1, and its slope."""
    x = speed / TURN
    if x.real > 1.0:
        return 1.0 + 0.0 * x, 0.0 * x
    if x.real < -1.0:
        return -1.0 + 0.0 * x, 0.0 * x
    return 0.5 * x * (3.0 - x * x), 1.5 * (1.0 - x * x) / TURN


@kernel
def linear(c, i, force, u, s):
    """t and s' of the linear law along direction i, at the motion u and the deflection s."""
    stiff = c[SLIP + i] * stiffnesses(c, force)[0]
    speed, damping = size_of(u[3])[0], c[HOLD + i] * c[SETTLING]
    star = c[HOLD + i] * s + damping * u[i]
    star = star / (stiff + damping * speed)
    return stiff * star, u[i] - speed * star


@kernel
def linear_change(c, i, force, u, s, df, du, ds):
    """Changes of t and s' of the linear law."""
    scale, slope = stiffnesses(c, force)
    stiff, dstiff = c[SLIP + i] * scale, c[SLIP + i] * slope * df
    speed, sign = size_of(u[3])
    damping = c[HOLD + i] * c[SETTLING]
    whole, dspeed = stiff + damping * speed, sign * du[3]
    star = (c[HOLD + i] * s + damping * u[i]) / whole
    dstar = (c[HOLD + i] * ds + damping * du[i] - star * (dstiff + damping * dspeed)) / whole
    return dstiff * star + stiff * dstar, du[i] - dspeed * star - speed * dstar


@kernel
def unslid(b, level):
    """The root y of y^3 + b y = 1 + b - T for T below 1 + b."""
    rest = 1.0 + b - level
    if b.real == 0.0:
        return rest ** (1.0 / 3.0)
    root = np.sqrt(b / 3.0)
    y = 2.0 * root * np.sinh(np.arcsinh(0.5 * rest / (root * root * root)) / 3.0)
    return y - (y * y * y + b * y - rest) / (3.0 * y * y + b)


@kernel
def brush(c, force, u, s):
    """t* (2), the part of it that remains, |t*|, T, b and y of the brush; y is -1 where all of it slides."""
    hold, damping = c[HOLD], c[HOLD] * c[SETTLING]
    x, y = hold * s[0] + damping * u[0], hold * s[1] + damping * u[1]
    size = np.sqrt(x * x + y * y)
    b = 3.0 * damping * size_of(u[4])[0] / (c[SLIP] * stiffnesses(c, force)[0])
    level = size / (c[MU] * force)
    if level.real >= 1.0 + b.real:
        return x, y, 1.0 / level, size, level, b, -1.0 + 0.0 * b
    z = unslid(b, level)
    m = 1.0 + z + z * z
    return x, y, m / (m + b), size, level, b, z


@kernel
def brush_law(c, force, u, s):
    """t_x, t_y, s'_x, s'_y of the brush, and the trail in parts of its own."""
    x, y, ratio, _, _, _, z = brush(c, force, u, s)
    part = (1.0 - ratio) / (c[HOLD] * c[SETTLING])
    trail = 0.0 * z
    if z.real >= 0.0:
        trail = z * z * z / (1.0 + z + z * z)
    return ratio * x, ratio * y, u[0] - part * x, u[1] - part * y, trail


@kernel
def brush_change(c, force, u, s, df, du, ds):
    """Changes of all that."""
    x, y, ratio, size, level, b, z = brush(c, force, u, s)
    damping = c[HOLD] * c[SETTLING]
    dx, dy = c[HOLD] * ds[0] + damping * du[0], c[HOLD] * ds[1] + damping * du[1]
    sign = size_of(u[4])[1]
    scale, slope = stiffnesses(c, force)
    dlevel = -level * df / force
    if size.real > 0.0:
        dlevel = dlevel + (x * dx + y * dy) / (size * c[MU] * force)
    if z.real < 0.0:
        dratio, dtrail = -dlevel / (level * level), 0.0 * level
    else:
        db = 3.0 * damping * sign * du[4] / (c[SLIP] * scale) - b * slope / scale * df
        # (3 y^2 + b) dy = (1 - y) db - dT; b dy and y^2 dy stay finite where both vanish
        m, whole, moved = 1.0 + z + z * z, 3.0 * z * z + b, (1.0 - z) * db - dlevel
        by, square = 0.0 * b, moved / 3.0
        if whole.real > 0.0:
            by, square = b / whole * moved, z * z / whole * moved
        dratio = ((1.0 + 2.0 * z) * by - m * db) / ((m + b) * (m + b))
        dtrail = (3.0 * m - z - 2.0 * z * z) * square / (m * m)
    part = (1.0 - ratio) / damping
    return (
        ratio * dx + dratio * x,
        ratio * dy + dratio * y,
        du[0] - part * dx + dratio / damping * x,
        du[1] - part * dy + dratio / damping * y,
        dtrail,
    )


@kernel
def twisted(c, force, u, s):
    """Moment of the carcass about the normal, against its twist, and the rate of that."""
    if c[HOLD + 2] == 0.0:
        return 0.0 * force, -c[FADE] * s[2] + 0.0 * force
    return linear(c, 2, force, u, s[2])


@kernel
def twisted_change(c, force, u, s, df, du, ds):
    """Changes of both."""
    if c[HOLD + 2] == 0.0:
        return 0.0 * force, -c[FADE] * ds[2] + 0.0 * force
    return linear_change(c, 2, force, u, s[2], df, du, ds[2])


@kernel
def yielded(c, i, V, dV, e, de, h, dh, s, ds):
    """Force and s' along direction i where the patch slides with w under the force h w/V, and their changes."""
    hold, damping = c[HOLD + i], c[HOLD + i] * c[SETTLING]
    whole = h + damping * V
    star = (hold * s + damping * e) / whole
    dstar = (hold * ds + damping * de - star * (dh + damping * dV)) / whole
    return h * star, e - V * star, dh * star + h * dstar, de - dV * star - V * dstar


@kernel
def magic_law(c, data, force, u, s, df, du, ds):
    """t_x, t_y, s'_x, s'_y and the trail by the Magic Formula, then their changes."""
    V, dV, ex, dex, hx, dhx, bx, dbx, ey, dey, hy, dhy, by, dby = magic_formula.rates(data, force, u, df, du)
    x, p, dx, dp = yielded(c, 0, V, dV, ex, dex, hx, dhx, s[0], ds[0])
    y, q, dy, dq = yielded(c, 1, V, dV, ey, dey, hy, dhy, s[1], ds[1])
    trail, dtrail = magic_formula.trail(data, force, u, df, du)
    return x - bx, y - by, p, q, trail, dx - dbx, dy - dby, dp, dq, dtrail


@kernel
def numbers_of(tree, e):
    """Numbers of the Magic Formula, the only entry of a tuple."""
    first = tree.element[e, AT] + DATA
    return (tree.data[first : first + NUMBERS],)


@kernel
def slip(c, data, el, force, u, s):
    """t_x, t_y, s'_x, s'_y, s'_n and the moment about the normal at a push above zero."""
    if el[FRICTION] == BRUSH:
        x, y, p, q, trail = brush_law(c, force, u, s)
    elif el[FRICTION] == MAGIC:
        zero = 0.0 * force
        nothing = (zero, zero, zero, zero, zero)
        x, y, p, q, trail = magic_law(c, data, force, u, s, zero, nothing, (zero, zero, zero))[:5]
    else:
        x, p = linear(c, 0, force, u, s[0])
        y, q = linear(c, 1, force, u, s[1])
        trail = 1.0 + 0.0 * y
    twist, r = twisted(c, force, u, s)
    return x, y, p, q, r, c[TRAIL] * trail * side(u[3])[0] * y - twist


@kernel
def slip_change(c, data, el, force, u, s, df, du, ds):
    """Changes of all that."""
    if el[FRICTION] == MAGIC:
        _, y, _, _, trail, dx, dy, dp, dq, dtrail = magic_law(c, data, force, u, s, df, du, ds)
    elif el[FRICTION] == BRUSH:
        _, y, _, _, trail = brush_law(c, force, u, s)
        dx, dy, dp, dq, dtrail = brush_change(c, force, u, s, df, du, ds)
    else:
        y = linear(c, 1, force, u, s[1])[0]
        dx, dp = linear_change(c, 0, force, u, s[0], df, du, ds[0])
        dy, dq = linear_change(c, 1, force, u, s[1], df, du, ds[1])
        trail, dtrail = 1.0 + 0.0 * y, 0.0 * y
    way, slope = side(u[3])
    dtwist, dr = twisted_change(c, force, u, s, df, du, ds)
    return dx, dy, dp, dq, dr, c[TRAIL] * (dtrail * way * y + trail * slope * du[3] * y + trail * way * dy) - dtwist


@kernel
def deflection(el, z):
    """States of a tyre."""
    k = el[STATE] - 2
    return z[k], z[k + 1], z[k + 2]


@kernel
def pressed(tree, work, e):
    """Push of the pair in the scratch and its elastic part, its slopes, and the rate of the depth; zero where it is open."""
    g, zero = numbers(work)[0], 0.0 * numbers(work)[0][GAP]
    rate = -dot(vector(g, N), vector(g, V))
    if g[GAP].real >= 0.0:
        return zero, zero, zero, zero, rate
    force, elastic, along, slope = push(tree.coef[e], -g[GAP], rate)
    return force, elastic, along, slope, rate


@kernel
def acts(tree, work, e, z):
    """Push, t_x, t_y, s'_x, s'_y, s'_n, moment about the normal, what the push and what slip loses; the scratch has the pair."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    force, elastic, _, _, rate = pressed(tree, work, e)
    s, zero = deflection(el, z), 0.0 * force
    x, y, p, q, r, moment = zero, zero, -c[FADE] * s[0], -c[FADE] * s[1], -c[FADE] * s[2], zero
    taken = zero
    if force.real > 0.0:
        u = motion(g, axle(tree, work, e))
        x, y, p, q, r, moment = slip(c, numbers_of(tree, e)[0], el, force, u, s)
        taken = x * u[0] + y * u[1] - moment * u[2]
    taken = taken - c[HOLD] * s[0] * p - c[HOLD + 1] * s[1] * q - c[HOLD + 2] * s[2] * r
    return force, x, y, p, q, r, moment, (force - elastic) * rate, taken


@kernel
def forces_of(g, a, force, x, y, moment):
    """Force and torque on B."""
    n = vector(g, N)
    ahead, _ = heading(a, n)
    f = plus(plus(scaled(force, n), -x, ahead), -y, cross(n, ahead))
    return f, scaled(moment, n)


@shared(TREE, WORK, INT, VEC, gives=REAL)
def tyre_apply(tree, work, e, z):
    """Apply the wrenches of tyre e to both nodes, set the rates of its states, and return what the push loses."""
    el = tree.element[e]
    locate(tree, work, e)
    g = numbers(work)[0]
    force, x, y, p, q, r, moment, lost, _ = acts(tree, work, e, z)
    work.zdot[el[STATE] - 2], work.zdot[el[STATE] - 1], work.zdot[el[STATE]] = p, q, r
    if force.real > 0.0:
        f, torque = forces_of(g, axle(tree, work, e), force, x, y, moment)
        add_wrench(work, el[B], vector(g, P), f, torque, 1.0)
        add_wrench(work, el[A], vector(g, P), f, torque, -1.0)
    return lost


@shared(TREE, WORK, INT, VEC, gives=REAL)
def tyre_rubs(tree, work, e, z):
    """Power that slip takes; e is the channel of a tyre, which has the same integers and numbers."""
    locate(tree, work, e)
    return acts(tree, work, e, z)[8]


@shared(TREE, WORK, INT, VEC, gives=REAL)
def tyre_stored(tree, work, e, z):
    """Stored energy (J)."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    s = deflection(el, z)
    total = 0.5 * (c[HOLD] * s[0] * s[0] + c[HOLD + 1] * s[1] * s[1] + c[HOLD + 2] * s[2] * s[2]) + 0.0 * g[GAP]
    if g[GAP].real < 0.0:
        elastic = push(c, -g[GAP], 0.0 * g[GAP])[1]
        total = total - elastic * g[GAP] / (c[EXPONENT] + 1.0)
    return total


@shared(TREE, WORK, INT, VEC, gives=INT)
def tyre_branch(tree, work, e, z):
    """Branch: 0 open, 1 let go, 2 touching, 3 sliding with all of its patch; the nearest part of the ground counts where it touches."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    if g[GAP].real >= 0.0:
        return 0
    branch, force = 2, pressed(tree, work, e)[0]
    if force.real <= 0.0:
        branch = 1
    elif el[FRICTION] == BRUSH:
        if brush(c, force, motion(g, axle(tree, work, e)), deflection(el, z))[6].real < 0.0:
            branch = 3
    return branch + 4 * int(g[PART].real)


@kernel
def direction(tree, e, g, k, a):
    """Changes of normal, point, middle of the wheel, axle, depth, velocity there, and angular velocity in direction k: displacement or twist, else none."""
    zero = 0.0 * g[GAP]
    nothing = (zero, zero, zero)
    i = k % 6
    th = (zero + (i == 0), zero + (i == 1), zero + (i == 2))
    d = (zero + (i == 3), zero + (i == 4), zero + (i == 5))
    moved = plus(d, 1.0, cross(th, vector(g, P)))
    if k < 6:
        dn, dp = change(tree, e, g, th, d)
        dc = plus(d, 1.0, cross(th, vector(g, C)))
        return dn, dp, dc, cross(th, a), -dot(vector(g, N), moved), cross(vector(g, W), dp), nothing
    if k < 12:
        return nothing, nothing, nothing, nothing, zero, moved, th
    return nothing, nothing, nothing, nothing, zero, nothing, nothing


@shared(TREE, WORK, INT, VEC)
def tyre_slopes(tree, work, e, z):
    """Fill the scratch rows of the tangents of a tyre that pushes."""
    el, c, g, x = tree.element[e], tree.coef[e], numbers(work)[0], work.scratch
    zz = x[ZZ_ROW : ZZ_ROW + 2].reshape(12)
    n, v, p, a = vector(g, N), vector(g, V), vector(g, P), axle(tree, work, e)
    force, _, along, slope, _ = pressed(tree, work, e)
    u, s = motion(g, a), deflection(el, z)
    data = numbers_of(tree, e)[0]
    tx, ty, _, _, _, moment = slip(c, data, el, force, u, s)
    ahead, _ = heading(a, n)
    left = cross(n, ahead)
    f, torque = forces_of(g, a, force, tx, ty, moment)
    arm = cross(p, f)
    for i in range(3):
        x[W_ROW, i], x[W_ROW, 3 + i] = arm[i] + torque[i], f[i]
    for k in range(COLUMNS):
        dn, dp, dc, da, sunk, dv, dw = direction(tree, e, g, k, a)
        df = along * sunk - slope * (dot(dn, v) + dot(n, dv))
        dx, dy, du = motion_change(g, a, da, dn, dp, dc, dv, dw)
        ds = (1.0 if k == 12 else 0.0, 1.0 if k == 13 else 0.0, 1.0 if k == 14 else 0.0)
        dtx, dty, dsx, dsy, dsn, dmoment = slip_change(c, data, el, force, u, s, df, du, ds)
        dforce = plus(plus(plus(scaled(df, n), force, dn), -dtx, ahead), -tx, dx)
        dforce = plus(plus(dforce, -dty, left), -ty, dy)
        dtorque = plus(plus(cross(dp, f), 1.0, cross(p, dforce)), dmoment, n)
        dtorque = plus(dtorque, moment, dn)
        i = k % 6
        if k < 12:
            first, rates = (E_ROW, EZ_ROW) if k < 6 else (C_ROW, CZ_ROW)
            for j in range(3):
                x[first + j, i], x[first + 3 + j, i] = dtorque[j], dforce[j]
            x[rates, i], x[rates + 1, i], x[rates + 2, i] = dsx, dsy, dsn
        else:
            for j in range(3):
                x[WZ_ROW + i, j], x[WZ_ROW + i, 3 + j] = dtorque[j], dforce[j]
            zz[i], zz[3 + i], zz[6 + i] = dsx, dsy, dsn


@shared(TREE, WORK, INT, VEC, MAT, MAT)
def tyre_differentiate(tree, work, e, z, Rq, Ru):
    """Tangents: into the node matrices, between the two nodes into Rq and Ru, and of the states."""
    el, x = tree.element[e], work.scratch
    locate(tree, work, e)
    first = el[STATE] - 2 - tree.head[at.H_OUTER]
    for i in range(3):
        law = work.law[first + i]
        for j in range(at.LAW):
            law[j] = 0.0
        law[at.LAW_OWN + i] = -tree.coef[e, FADE]
    if pressed(tree, work, e)[0] <= 0.0:
        return
    tyre_slopes(tree, work, e, z)
    contact.state_slopes(tree, work, e)
    E, D, W_ = x[E_ROW : E_ROW + 6], x[C_ROW : C_ROW + 6], x[W_ROW]
    scatter_relative(tree, work, el[at.LINES], el[A], el[B], E, D, W_, Rq, Ru)


@shared(TREE, WORK, INT, VEC, VEC)
def tyre_shown(tree, work, e, z, out):
    """Fill out (contact.SHOWN) with what tyre e does, as of contacts."""
    stored = tyre_stored(tree, work, e, z)
    g = numbers(work)[0]
    for k in range(contact.SHOWN):
        out[k] = 0.0
    n, v = vector(g, N), vector(g, V)
    rate = dot(n, v)
    out[contact.SHOWN_GAP], out[contact.SHOWN_RATE], out[contact.SHOWN_STORED] = g[GAP], rate, stored
    for k in range(3):
        out[contact.SHOWN_N + k], out[contact.SHOWN_P + k] = g[N + k], g[P + k] + work.origin[k]
    if g[GAP] >= 0.0:
        return
    force, x, y, _, _, _, moment, _, _ = acts(tree, work, e, z)
    f, torque = forces_of(g, axle(tree, work, e), force, x, y, moment)
    rub, along = plus(f, -force, n), plus(v, -rate, n)
    out[contact.SHOWN_PUSH] = force
    for k in range(3):
        out[contact.SHOWN_FRICTION + k], out[contact.SHOWN_TORQUE + k], out[contact.SHOWN_SLIP + k] = rub[k], torque[k], along[k]


@shared(TREE, WORK, INT, VEC, VEC)
def tyre_told(tree, work, e, z, out):
    """Fill out (TOLD) with what is told of a tyre alone."""
    locate(tree, work, e)
    g, a = numbers(work)[0], axle(tree, work, e)
    n = vector(g, N)
    ahead, _ = heading(a, n)
    u, s = motion(g, a), deflection(tree.element[e], z)
    _, x, y, _, _, _, moment, _, _ = acts(tree, work, e, z)
    for k in range(3):
        out[TOLD_HEADING + k] = ahead[k]
    out[TOLD_V], out[TOLD_V + 1], _, out[TOLD_TRAVEL], out[TOLD_ROLLING] = u
    out[TOLD_CAMBER], out[TOLD_S], out[TOLD_S + 1], out[TOLD_S + 2] = dot(a, n), s[0], s[1], s[2]
    out[TOLD_F], out[TOLD_F + 1], out[TOLD_MOMENT] = -x, -y, moment
