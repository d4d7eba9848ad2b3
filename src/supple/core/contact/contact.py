"""Contact of two bodies: push and friction.

With the depth p = -gap and its rate, B is pushed along the normal by N = k p^m (1 + a p'), never pulled. Stored is k p^(m+1)/(m+1),
lost (N - k p^m) p', also where it has let go (N = 0). B's velocity relative to A at the point of contact has the part v along the
tangent plane. Friction on B is -t:

    rounded:    t = mu N v/sqrt(v.v + v0^2), all of t.v is lost
    bristle:    t* = k s + c v with the part of the state s along the plane; w = <1 - mu N/|t*|> t*/c; t = t* - c w
                s' = v - w - n (n.s) k/c, stored k s.s/2, lost c |v - w|^2 + t.w + k^2 (n.s)^2/c

The state s (3) is in A's axes. While it sticks (w = 0) the bristle is a damped spring, while it slides |t| = mu N; the last term
brings s back to a plane that turns. Open, s decays by the same rate. With different coefficients along an axis and across it, |t*|/mu is the
norm of (t*_1/mu_1, t*_2/mu_2). Coefficients have the factor 1 + (static - 1) exp(-(|v|/stribeck)^2). Rolling and spinning are resisted
by the torques rolling N w_t/sqrt(w_t.w_t + w0^2) and spinning N w_n/sqrt(w_n^2 + w0^2) of the relative angular velocity w.
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import (
    add_wrench,
    cross,
    scatter_relative,
    turned,
    turned_back,
)
from supple.core.contact.pairs import (
    AXES,
    FRICTION,
    GAP,
    ONE_OF_MANY,
    PART,
    STATE,
    WHEEL,
    A,
    B,
    N,
    P,
    V,
    W,
    change,
    locate,
    numbers,
    shallow,
    sticks,
)
from supple.core.contact.pairs import AXIS as RING_AXIS
from supple.native.declare import INT, MAT, REAL, VEC, kernel, shared

RUBBING = 21  # the channel of what friction takes
# Laws of friction without a state
SMOOTH, ROUNDED = 0, 1
# Element reals: stiffness, exponent, damping a; coefficients along the axis and across it, static over sliding coefficient, speed of its
# decay; v0; stiffness and damping of the bristle; rolling and spinning resistance (m), w0; the axis in A's axes, or of a wheel cosine and
# sine of its angle
STIFFNESS, EXPONENT, DAMPING, MU, ACROSS, STATIC, STRIBECK, SPEED, HOLD, HOLD_DAMPING, ROLLING, SPINNING, TURNING, AXIS, _ = starts(
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 3
)
ALLOWED = 25  # depth for which the law holds, 0 if that is not known; kernels do not need it
# Scratch rows of tangents: of the wrench on B along displacements and twists, the wrench; of the rates of the state, and of the wrench along the
# state; of the rates along the state
E_ROW, C_ROW, W_ROW, EZ_ROW, CZ_ROW, WZ_ROW, ZZ_ROW = 5, 11, 17, 25, 28, 31, 34
# What is shown of a contact, world axes: gap and its rate, normal, point, push, friction and torque on B, velocity of B along the tangent plane, stored energy
SHOWN_GAP, SHOWN_RATE, SHOWN_N, SHOWN_P, SHOWN_PUSH, SHOWN_FRICTION, SHOWN_TORQUE, SHOWN_SLIP, SHOWN_STORED, SHOWN = starts(1, 1, 3, 3, 1, 3, 3, 3, 1)
COLUMNS = 15  # directions of a tangent: displacement, twist, state


@kernel
def dot(a, b):
    """Scalar product of tuples."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def plus(a, x, b):
    """a + x b of tuples."""
    return a[0] + x * b[0], a[1] + x * b[1], a[2] + x * b[2]


@kernel
def scaled(x, a):
    """x a of a tuple."""
    return x * a[0], x * a[1], x * a[2]


@kernel
def vector(g, i):
    """Three numbers as a tuple."""
    return g[i], g[i + 1], g[i + 2]


@kernel
def push(c, p, rate):
    """Push N at the depth p above zero, and its elastic part k p^m."""
    elastic = c[STIFFNESS] * p
    if c[EXPONENT] == 1.5:
        elastic = elastic * np.sqrt(p)
    elif c[EXPONENT] != 1.0:
        elastic = c[STIFFNESS] * p ** c[EXPONENT]
    n = elastic * (1.0 + c[DAMPING] * rate)
    if n.real < 0.0:
        n = 0.0 * n
    return n, elastic


@kernel
def level(c, speed):
    """Factor of the coefficients of friction at the square of a speed, and its slope along that square."""
    if c[STATIC] == 1.0:
        return 1.0 + 0.0 * speed, 0.0 * speed
    square = c[STRIBECK] * c[STRIBECK]
    bump = (c[STATIC] - 1.0) * np.exp(-speed / square)
    return 1.0 + bump, -bump / square


@kernel
def axes_of(g):
    """Axes of A."""
    return g[AXES], g[AXES + 1], g[AXES + 2], g[AXES + 3], g[AXES + 4], g[AXES + 5], g[AXES + 6], g[AXES + 7], g[AXES + 8]


@kernel
def axis_of(c, el, g, n):
    """Axis of friction: fixed to A, or at an angle, about the normal, from the axis of the ring of B, which does not turn as a wheel spins."""
    if el[WHEEL] == 1:
        w = vector(g, RING_AXIS)
        return plus(scaled(c[AXIS], w), c[AXIS + 1], cross(n, w))
    return turned(axes_of(g), vector(c, AXIS))


@kernel
def axis_turned(c, el, g, n, dn, th):
    """Change of the axis of friction as the normal changes by dn and B turns by th."""
    if el[WHEEL] == 1:
        w = vector(g, RING_AXIS)
        dw = cross(th, w)
        return plus(scaled(c[AXIS], dw), c[AXIS + 1], plus(cross(dn, w), 1.0, cross(n, dw)))
    return scaled(0.0 * dn[0], dn)


@kernel
def axis_in_plane(a, n):
    """Unit vector along the axis a in the tangent plane, and the length of the axis there."""
    along = plus(a, -dot(a, n), n)
    size = np.sqrt(dot(along, along))
    if size.real == 0.0:
        return along, size
    return scaled(1.0 / size, along), size


@kernel
def measured(c, a, n, x):
    """Square of the norm of (x_1/mu_1, x_2/mu_2) for x in the tangent plane."""
    across = 1.0 / (c[ACROSS] * c[ACROSS])
    total = across * dot(x, x)
    if c[MU] != c[ACROSS]:
        one = dot(axis_in_plane(a, n)[0], x)
        total = total + (1.0 / (c[MU] * c[MU]) - across) * one * one
    return total


@kernel
def rounded(c, a, n, force, v):
    """Friction t of the law without a state at the push ``force`` and the velocity v in the plane; only along the axis if that across it has none."""
    if c[ACROSS] == 0.0:
        e = axis_in_plane(a, n)[0]
        v = scaled(dot(e, v), e)
    speed = dot(v, v)
    t = scaled(c[ACROSS], v)
    if c[MU] != c[ACROSS]:
        e = axis_in_plane(a, n)[0]
        t = plus(t, (c[MU] - c[ACROSS]) * dot(e, v), e)
    return scaled(force * level(c, speed)[0] / np.sqrt(speed + c[SPEED] * c[SPEED]), t)


@kernel
def bristle(c, a, n, force, v, s):
    """t*, the part of it that remains, 1 while it sticks, and n.s of the law with a state s (world axes)."""
    out = dot(n, s)
    t = plus(scaled(c[HOLD], plus(s, -out, n)), c[HOLD_DAMPING], v)
    size = np.sqrt(measured(c, a, n, t)) / level(c, dot(v, v))[0]
    ratio = 1.0 + 0.0 * size
    if size.real > force.real:
        ratio = force / size
    return t, ratio, out


@kernel
def resistance(c, n, force, w):
    """Torque against rolling and spinning at the relative angular velocity w."""
    spin = dot(n, w)
    roll = plus(w, -spin, n)
    square = c[TURNING] * c[TURNING]
    t = scaled(c[ROLLING] * force / np.sqrt(dot(roll, roll) + square), roll)
    return plus(t, c[SPINNING] * force * spin / np.sqrt(spin * spin + square), n)


@kernel
def held(z, el, axes):
    """State of the bristle in world axes."""
    k = el[STATE] - 2
    return turned(axes, (z[k], z[k + 1], z[k + 2]))


@kernel
def rub(c, el, g, n, force, v, w, z):
    """Friction t, torque of resistance, rate of the state (A's axes), and what is lost."""
    zero = 0.0 * force
    t, rate, lost = (zero, zero, zero), (zero, zero, zero), zero
    torque, axes, a = (zero, zero, zero), axes_of(g), axis_of(c, el, g, n)
    if c[ROLLING] > 0.0 or c[SPINNING] > 0.0:
        torque = resistance(c, n, force, w)
        lost = lost + dot(torque, w)
    if el[FRICTION] == ROUNDED:
        t = rounded(c, a, n, force, v)
        lost = lost + dot(t, v)
    elif sticks(el):
        star, ratio, out = bristle(c, a, n, force, v, held(z, el, axes))
        t = scaled(ratio, star)
        slip = scaled((1.0 - ratio) / c[HOLD_DAMPING], star)
        follows = plus(v, -1.0, slip)
        back = out * c[HOLD] / c[HOLD_DAMPING]
        rate = turned_back(axes, plus(follows, -back, n))
        lost = lost + c[HOLD_DAMPING] * dot(follows, follows) + dot(t, slip) + c[HOLD] * out * back
    return t, torque, rate, lost


@kernel
def relax(c, el, z, zdot):
    """Rate of the state of a bristle that touches nothing; returns what is lost."""
    k, fade = el[STATE] - 2, c[HOLD] / c[HOLD_DAMPING]
    s = (z[k], z[k + 1], z[k + 2])
    for i in range(3):
        zdot[k + i] = -fade * s[i]
    return c[HOLD] * fade * dot(s, s)


@shared(TREE, WORK, INT, VEC, gives=REAL)
def contact_apply(tree, work, e, z):
    """Apply the wrenches of contact e to both nodes, set the rates of its state, and return what the push loses."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    if g[GAP].real >= 0.0:
        if sticks(el):
            relax(c, el, z, work.zdot)
        return 0.0 * g[GAP]
    n, v, w = vector(g, N), vector(g, V), vector(g, W)
    rate = -dot(n, v)
    force, elastic = push(c, -g[GAP], rate)
    t, torque, zdot, _ = rub(c, el, g, n, force, plus(v, rate, n), w, z)
    f = plus(scaled(force, n), -1.0, t)
    add_wrench(work, el[B], vector(g, P), f, scaled(-1.0, torque), 1.0)
    add_wrench(work, el[A], vector(g, P), f, scaled(-1.0, torque), -1.0)
    if sticks(el):
        for k in range(3):
            work.zdot[el[STATE] - 2 + k] = zdot[k]
    return (force - elastic) * rate


@shared(TREE, WORK, INT, VEC, gives=REAL)
def contact_rubs(tree, work, e, z):
    """Power that the friction of a contact takes; e is its channel, which has the same integers and numbers."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    if g[GAP].real >= 0.0:
        if sticks(el):
            return relax(c, el, z, work.zdot)
        return 0.0 * g[GAP]
    n, v = vector(g, N), vector(g, V)
    rate = -dot(n, v)
    force, _ = push(c, -g[GAP], rate)
    return rub(c, el, g, n, force, plus(v, rate, n), vector(g, W), z)[3]


@shared(TREE, WORK, INT, VEC, gives=REAL)
def contact_stored(tree, work, e, z):
    """Stored energy (J)."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    total = 0.0 * g[GAP]
    if g[GAP].real < 0.0:
        _, elastic = push(c, -g[GAP], 0.0 * g[GAP])
        total = total - elastic * g[GAP] / (c[EXPONENT] + 1.0)
    if sticks(el):
        k = el[STATE] - 2
        total = total + 0.5 * c[HOLD] * (z[k] * z[k] + z[k + 1] * z[k + 1] + z[k + 2] * z[k + 2])
    return total


@shared(TREE, WORK, INT, VEC, gives=INT)
def contact_branch(tree, work, e, z):
    """Branch: 0 open, 1 let go, 2 touching or sticking, 3 sliding; the nearest part of A's surface counts where it touches.

    A ball of a line or surface is open until it is deeper than shallow, or else touching.
    """
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    locate(tree, work, e)
    if g[GAP].real + shallow(tree, e) >= 0.0:
        return 0
    if el[ONE_OF_MANY] == 1:
        return 2
    n, v, branch = vector(g, N), vector(g, V), 2
    rate = -dot(n, v)
    force, _ = push(c, -g[GAP], rate)
    if force.real <= 0.0:
        branch = 1
    elif sticks(el):
        if bristle(c, axis_of(c, el, g, n), n, force, plus(v, rate, n), held(z, el, axes_of(g)))[1].real < 1.0:
            branch = 3
    return branch + 4 * int(g[PART].real)


@kernel
def axis_change(e, size, a, da, n, dn):
    """Change of the unit vector e along the axis a in the tangent plane, where its length is ``size``, as the normal and the axis change."""
    d = plus(plus(scaled(-dot(n, a), dn), -dot(dn, a) - dot(n, da), n), 1.0, da)
    d = plus(d, -dot(d, e), e)
    if size.real == 0.0:
        return scaled(0.0 * size, d)
    return scaled(1.0 / size, d)


@kernel
def rounded_change(c, a, da, n, force, v, dn, df, dv):
    """Change of the friction of the law without a state."""
    if c[ACROSS] == 0.0:
        e, size = axis_in_plane(a, n)
        de, along = axis_change(e, size, a, da, n, dn), dot(e, v)
        dv = plus(scaled(dot(de, v) + dot(e, dv), e), along, de)
        v = scaled(along, e)
    speed = dot(v, v)
    root = np.sqrt(speed + c[SPEED] * c[SPEED])
    scale, slope = level(c, speed)
    t, dt = scaled(c[ACROSS], v), scaled(c[ACROSS], dv)
    if c[MU] != c[ACROSS]:
        e, size = axis_in_plane(a, n)
        de = axis_change(e, size, a, da, n, dn)
        more = c[MU] - c[ACROSS]
        t = plus(t, more * dot(e, v), e)
        dt = plus(plus(dt, more * (dot(de, v) + dot(e, dv)), e), more * dot(e, v), de)
    along = dot(v, dv)
    factor = force * scale / root
    change_ = (df * scale + 2.0 * force * slope * along) / root - factor * along / (root * root)
    return plus(scaled(factor, dt), change_, t)


@kernel
def bristle_change(c, a, da, n, force, v, s, dn, df, dv, ds):
    """Changes of t and of the rate of the state (world axes) of the law with a state."""
    star, ratio, out = bristle(c, a, n, force, v, s)
    dout = dot(dn, s) + dot(n, ds)
    dstar = plus(plus(plus(ds, -out, dn), -dout, n), c[HOLD_DAMPING] / c[HOLD], dv)
    dstar = scaled(c[HOLD], dstar)
    dt, slip = dstar, scaled(0.0 * ratio, dstar)
    if ratio.real < 1.0:
        scale, slope = level(c, dot(v, v))
        square = measured(c, a, n, star)
        across = 1.0 / (c[ACROSS] * c[ACROSS])
        half = across * dot(star, dstar)
        if c[MU] != c[ACROSS]:
            e, size = axis_in_plane(a, n)
            de = axis_change(e, size, a, da, n, dn)
            half = half + (1.0 / (c[MU] * c[MU]) - across) * dot(e, star) * (dot(de, star) + dot(e, dstar))
        # ratio = N scale/sqrt(square)
        root = np.sqrt(square)
        dratio = (df * scale + 2.0 * force * slope * dot(v, dv)) / root - ratio * half / square
        dt = plus(scaled(ratio, dstar), dratio, star)
        slip = scaled(1.0 / c[HOLD_DAMPING], plus(dstar, -1.0, dt))
    fade = c[HOLD] / c[HOLD_DAMPING]
    rate = plus(plus(dv, -1.0, slip), -fade * out, dn)
    return dt, plus(rate, -fade * dout, n)


@kernel
def resistance_change(c, n, force, w, dn, df, dw):
    """Change of the torque against rolling and spinning."""
    spin, dspin = dot(n, w), dot(dn, w) + dot(n, dw)
    roll = plus(w, -spin, n)
    droll = plus(plus(dw, -dspin, n), -spin, dn)
    square = c[TURNING] * c[TURNING]
    one, two = dot(roll, roll) + square, spin * spin + square
    a, b = c[ROLLING] / np.sqrt(one), c[SPINNING] / np.sqrt(two)
    dt = plus(scaled(a * force, droll), a * (df - force * dot(roll, droll) / one), roll)
    dt = plus(dt, b * (df * spin + force * dspin * square / two), n)
    return plus(dt, b * force * spin, dn)


@kernel
def direction(tree, e, g, k, axes, n, v, w):
    """Changes of normal, point, depth, velocity there, angular velocity, state and axis of friction in direction k: displacement, twist or state."""
    zero = 0.0 * g[GAP]
    nothing = (zero, zero, zero)
    i = k % 6
    th = (zero + (i == 0), zero + (i == 1), zero + (i == 2))
    d = (zero + (i == 3), zero + (i == 4), zero + (i == 5))
    if k < 6:
        dn, dp = change(tree, e, g, th, d)
        turn = cross(th, vector(g, P))
        depth = -dot(n, plus(d, 1.0, turn))
        return dn, dp, depth, cross(w, dp), nothing, nothing, axis_turned(tree.coef[e], tree.element[e], g, n, dn, th)
    if k < 12:
        return nothing, nothing, zero, plus(d, 1.0, cross(th, vector(g, P))), th, nothing, nothing
    return nothing, nothing, zero, nothing, nothing, turned(axes, th), nothing


@shared(TREE, WORK, INT, VEC)
def contact_slopes(tree, work, e, z):
    """Fill the scratch rows of the tangents of a contact that touches."""
    el, c, g, x = tree.element[e], tree.coef[e], numbers(work)[0], work.scratch
    zz = x[ZZ_ROW : ZZ_ROW + 2].reshape(12)
    n, v, w, p, axes = vector(g, N), vector(g, V), vector(g, W), vector(g, P), axes_of(g)
    rate, depth = -dot(n, v), -g[GAP]
    vt = plus(v, rate, n)
    force, elastic = push(c, depth, rate)
    s = vt
    if sticks(el):
        s = held(z, el, axes)
    t, torque, _, _ = rub(c, el, g, n, force, vt, w, z)
    f = plus(scaled(force, n), -1.0, t)
    arm, a = cross(p, f), axis_of(c, el, g, n)
    for i in range(3):
        x[W_ROW, i], x[W_ROW, 3 + i] = arm[i] - torque[i], f[i]
    for k in range(COLUMNS if sticks(el) else 12):
        dn, dp, sunk, dv, dw, ds, da = direction(tree, e, g, k, axes, n, v, w)
        drate = -dot(dn, v) - dot(n, dv)
        df = 0.0 * force
        if force.real > 0.0:
            df = c[EXPONENT] * force / depth * sunk + elastic * c[DAMPING] * drate
        dvt = plus(plus(dv, rate, dn), drate, n)
        dt, drubbed = scaled(0.0 * df, dn), scaled(0.0 * df, dn)
        if el[FRICTION] == ROUNDED:
            dt = rounded_change(c, a, da, n, force, vt, dn, df, dvt)
        elif sticks(el):
            dt, drubbed = bristle_change(c, a, da, n, force, vt, s, dn, df, dvt, ds)
            drubbed = turned_back(axes, drubbed)
        dforce = plus(plus(scaled(df, n), force, dn), -1.0, dt)
        dtorque = plus(cross(dp, f), 1.0, cross(p, dforce))
        if c[ROLLING] > 0.0 or c[SPINNING] > 0.0:
            dtorque = plus(dtorque, -1.0, resistance_change(c, n, force, w, dn, df, dw))
        i = k % 6
        for j in range(3):
            if k < 6:
                x[E_ROW + j, i], x[E_ROW + 3 + j, i] = dtorque[j], dforce[j]
                x[EZ_ROW + j, i] = drubbed[j]
            elif k < 12:
                x[C_ROW + j, i], x[C_ROW + 3 + j, i] = dtorque[j], dforce[j]
                x[CZ_ROW + j, i] = drubbed[j]
            else:
                x[WZ_ROW + i, j], x[WZ_ROW + i, 3 + j] = dtorque[j], dforce[j]
                zz[3 * j + i] = drubbed[j]


@kernel
def relaxed(tree, work, e):
    """Tangents of the state of a bristle that touches nothing."""
    el, c = tree.element[e], tree.coef[e]
    first = el[STATE] - 2 - tree.head[at.H_OUTER]
    for i in range(3):
        law = work.law[first + i]
        for j in range(at.LAW):
            law[j] = 0.0
        law[at.LAW_OWN + i] = -c[HOLD] / c[HOLD_DAMPING]


@kernel
def state_slopes(tree, work, e):
    """Tangents of the state of a contact that touches, from its scratch rows."""
    el, x = tree.element[e], work.scratch
    zz = x[ZZ_ROW : ZZ_ROW + 2].reshape(12)
    first, v = el[STATE] - 2 - tree.head[at.H_OUTER], work.node[el[B], at.V : at.V + 6]
    for i in range(3):
        law, a, b = work.law[first + i], x[EZ_ROW + i], x[CZ_ROW + i]
        for j in range(6):
            law[at.LAW_LOAD + j], law[at.LAW_RATE + j] = x[WZ_ROW + i, j], b[j]
        for j in range(3):
            law[at.LAW_OWN + j] = zz[3 * i + j]
        # at fixed twists of the bodies instead of the relative one: - C ad(V_B), as in scatter_relative
        one, two = cross((b[0], b[1], b[2]), (v[0], v[1], v[2])), cross((b[3], b[4], b[5]), (v[3], v[4], v[5]))
        three = cross((b[3], b[4], b[5]), (v[0], v[1], v[2]))
        for j in range(3):
            law[at.LAW_PLACE + j] = a[j] - (one[j] + two[j])
            law[at.LAW_PLACE + 3 + j] = a[3 + j] - three[j]


@shared(TREE, WORK, INT, VEC, MAT, MAT)
def contact_differentiate(tree, work, e, z, Rq, Ru):
    """Tangents: into the node matrices, and between the two nodes into Rq and Ru."""
    el, x = tree.element[e], work.scratch
    locate(tree, work, e)
    if sticks(el):
        relaxed(tree, work, e)
    if numbers(work)[0][GAP] >= 0.0:
        return
    contact_slopes(tree, work, e, z)
    if sticks(el):
        state_slopes(tree, work, e)
    E, C, W_ = x[E_ROW : E_ROW + 6], x[C_ROW : C_ROW + 6], x[W_ROW]
    scatter_relative(tree, work, el[at.LINES], el[A], el[B], E, C, W_, Rq, Ru)


@shared(TREE, WORK, INT, VEC, VEC)
def contact_shown(tree, work, e, z, out):
    """Fill out (SHOWN) with what contact e does; without touch forces and the velocity along the plane are zero."""
    el, c, g = tree.element[e], tree.coef[e], numbers(work)[0]
    stored = contact_stored(tree, work, e, z)
    for k in range(SHOWN):
        out[k] = 0.0
    out[SHOWN_GAP], out[SHOWN_RATE], out[SHOWN_STORED] = g[GAP], dot(vector(g, N), vector(g, V)), stored
    for k in range(3):
        out[SHOWN_N + k], out[SHOWN_P + k] = g[N + k], g[P + k] + work.origin[k]
    if g[GAP] >= 0.0:
        return
    n, v = vector(g, N), vector(g, V)
    rate = -dot(n, v)
    force, _ = push(c, -g[GAP], rate)
    vt = plus(v, rate, n)
    t, torque, _, _ = rub(c, el, g, n, force, vt, vector(g, W), z)
    out[SHOWN_PUSH] = force
    for k in range(3):
        out[SHOWN_FRICTION + k], out[SHOWN_TORQUE + k], out[SHOWN_SLIP + k] = -t[k], -torque[k], vt[k]
