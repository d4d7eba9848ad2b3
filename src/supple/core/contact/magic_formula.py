"""The Magic Formula of tyres: steady forces by slip, and the pneumatic trail.

H. B. Pacejka, Tyre and Vehicle Dynamics, 3rd edition 2012, section 4.3.2, without camber, turn slip and scaling factors; names of coefficients are those
of its tables. With the push N, n = (N - N_0)/N_0, and the slips k = v_x/V along the heading and l = v_y/V across it, V = |V_x|:

    D sin(C atan(B x - E (B x - atan(B x))))        B = K/(C D)
    x:  D = N (PDX1 + PDX2 n), E = PEX1 + PEX2 n + PEX3 n^2, K = N (PKX1 + PKX2 n) exp(PKX3 n), shifts PHX1 + PHX2 n, N (PVX1 + PVX2 n)
    y:  D = N (PDY1 + PDY2 n), E = PEY1 + PEY2 n, K = PKY1 N_0 sin(2 atan(N/(PKY2 N_0))), shifts PHY1 + PHY2 n, N (PVY1 + PVY2 n)
    combined: times cos(RCX1 atan(l RBX1/sqrt(1 + (RBX2 k)^2))) and cos(RCY1 atan(k RBY1/sqrt(1 + (RBY2 (l - RBY3))^2)))
    trail: N R_0/N_0 (QDZ1 + QDZ2 n) cos(QCZ1 atan(B z - E (B z - atan(B z)))) cos(alpha)    z^2 = (l + QHZ1 + QHZ2 n)^2 + (K_x k/K_y)^2

n is at most 3 and E at most 1. So the force is G S(x) x with the secant S, which is a smooth function at x = 0: G S e/V with e = V x, that is v_x less V times the shift, or v_y plus V times
the shift. The patch slides with w under the force G S w/V, and the carcass (tyres.py) with t* = K s + D e has s' = e - w, w = V t*/(G S + D V), whose steady state is w = e. As V goes to
zero while the tyre slides, G S/V goes to F/|v| with the force F of complete sliding; at rest w is zero, and where the push is s fades: nothing is divided by either.
Each function returns a value and its change along one direction.
"""

from __future__ import annotations

import numpy as np

from supple.core.base.buffers import starts
from supple.native.declare import kernel

# Numbers of a tyre by the Magic Formula, in this order
NAMES = (
    "FNOMIN", "PCX1", "PDX1", "PDX2", "PEX1", "PEX2", "PEX3", "PKX1", "PKX2", "PKX3", "PHX1", "PHX2", "PVX1", "PVX2",
    "PCY1", "PDY1", "PDY2", "PEY1", "PEY2", "PKY1", "PKY2", "PHY1", "PHY2", "PVY1", "PVY2",
    "RBX1", "RBX2", "RCX1", "RBY1", "RBY2", "RBY3", "RCY1",
    "QBZ1", "QBZ2", "QBZ3", "QCZ1", "QDZ1", "QDZ2", "QEZ1", "QEZ2", "QEZ3", "QHZ1", "QHZ2", "UNLOADED_RADIUS",
)  # fmt: skip
(
    LOAD, PCX1, PDX1, PDX2, PEX1, PEX2, PEX3, PKX1, PKX2, PKX3, PHX1, PHX2, PVX1, PVX2,
    PCY1, PDY1, PDY2, PEY1, PEY2, PKY1, PKY2, PHY1, PHY2, PVY1, PVY2,
    RBX1, RBX2, RCX1, RBY1, RBY2, RBY3, RCY1,
    QBZ1, QBZ2, QBZ3, QCZ1, QDZ1, QDZ2, QEZ1, QEZ2, QEZ3, QHZ1, QHZ2, RADIUS, SIZE,
) = starts(*[1] * 44)  # fmt: skip
SMALL = 1e-3  # below which sin x/x and atan x/x are their series
LEAST = 1e-3  # of what slip along the other direction leaves of a force
STILL = 1e-9  # of |v|, added to V; squared to what a root is of
MOST = 3.0  # of n: under more than four nominal loads coefficients are those of four


@kernel
def of_atan(y):
    """atan(y)/y and its slope."""
    square = y * y
    if abs(y.real) < SMALL:
        return 1.0 - square * (1.0 / 3.0 - square / 5.0), -y * (2.0 / 3.0 - 0.8 * square)
    value = np.arctan(y) / y
    return value, (1.0 / (1.0 + square) - value) / y


@kernel
def of_sine(y):
    """sin(y)/y and its slope."""
    square = y * y
    if abs(y.real) < SMALL:
        return 1.0 - square * (1.0 / 6.0 - square / 120.0), -y * (1.0 / 3.0 - square / 30.0)
    value = np.sin(y) / y
    return value, (np.cos(y) - value) / y


@kernel
def bent(b, db, e, de, x, dx):
    """B x - E (B x - atan(B x)), and that over x."""
    y, dy = b * x, db * x + b * dx
    ratio, slope = of_atan(y)
    part, dpart = 1.0 - e + e * ratio, -de + de * ratio + e * slope * dy
    return y * part, dy * part + y * dpart, b * part, db * part + b * dpart


@kernel
def secant(b, db, c, d, dd, e, de, x, dx):
    """D sin(C atan(..))/x."""
    y, dy, over, dover = bent(b, db, e, de, x, dx)
    ratio, slope = of_atan(y)
    angle = c * y * ratio
    sine, tilt = of_sine(angle)
    dsine = tilt * c * dy / (1.0 + y * y)
    value = c * d * sine * ratio * over
    change = c * (dd * sine * ratio * over + d * dsine * ratio * over + d * sine * (slope * dy * over + ratio * dover))
    return value, change


@kernel
def cosine(b, db, c, e, de, x, dx):
    """cos(C atan(..))."""
    y, dy, _, _ = bent(b, db, e, de, x, dx)
    angle = c * np.arctan(y)
    return np.cos(angle), -np.sin(angle) * c * dy / (1.0 + y * y)


@kernel
def weight(c, first, second, x, dx, y, dy):
    """cos(C atan(x first/sqrt(1 + (second y)^2))), at least LEAST."""
    if first == 0.0:
        return 1.0 + 0.0 * x, 0.0 * x
    root = np.sqrt(1.0 + second * second * y * y)
    b, db = first / root, -first * second * second * y * dy / (root * root * root)
    value, change = cosine(b, db, c, 0.0, 0.0 * x, x, dx)
    if value.real < LEAST:
        return LEAST + 0.0 * value, 0.0 * value
    return value, change


@kernel
def level(load, force, df):
    """n, at most MOST."""
    n = (force - load) / load
    if n.real > MOST:
        return MOST + 0.0 * n, 0.0 * n
    return n, df / load + 0.0 * n


@kernel
def curvature(e, de):
    """E, at most one."""
    if e.real > 1.0:
        return 1.0 + 0.0 * e, 0.0 * e
    return e, de + 0.0 * e


@kernel
def slips(u, du):
    """V, k and l."""
    sign = 1.0 if u[3].real >= 0.0 else -1.0
    slides = np.sqrt(u[0] * u[0] + u[1] * u[1])
    V, dV, zero = sign * u[3] + STILL * slides, sign * du[3], 0.0 * slides
    if slides.real > 0.0:
        dV = dV + STILL * (u[0] * du[0] + u[1] * du[1]) / slides
    if V.real == 0.0:
        return V, dV + zero, zero, zero, zero, zero
    k, l = u[0] / V, u[1] / V
    return V, dV + zero, k, (du[0] - k * dV) / V, l, (du[1] - l * dV) / V


@kernel
def slip_stiffnesses(x, force, df):
    """K_x and K_y."""
    load = x[LOAD]
    n, dn = level(load, force, df)
    grown = np.exp(x[PKX3] * n)
    first = x[PKX1] + x[PKX2] * n
    kx = force * first * grown
    dkx = grown * (df * first + force * (x[PKX2] + x[PKX3] * first) * dn)
    place = force / (x[PKY2] * load)
    angle = 2.0 * np.arctan(place)
    ky = x[PKY1] * load * np.sin(angle)
    dky = x[PKY1] * load * np.cos(angle) * 2.0 * df / (x[PKY2] * load) / (1.0 + place * place)
    return kx, dkx, ky, dky


@kernel
def rates(x, force, u, df, du):
    """V; e, G S and the constant part of the force of both directions; each with its change: along, then across."""
    load = x[LOAD]
    n, dn = level(load, force, df)
    V, dV, k, dk, l, dl = slips(u, du)
    kx, dkx, ky, dky = slip_stiffnesses(x, force, df)
    d, slope = x[PDX1] + x[PDX2] * n, x[PDX2] * dn
    dd, d = df * d + force * slope, force * d
    b = kx / (x[PCX1] * d)
    e, de = curvature(x[PEX1] + x[PEX2] * n + x[PEX3] * n * n, (x[PEX2] + 2.0 * x[PEX3] * n) * dn)
    shift, dshift = x[PHX1] + x[PHX2] * n, x[PHX2] * dn
    s, ds = secant(b, (dkx / x[PCX1] - b * dd) / d, x[PCX1], d, dd, e, de, k - shift, dk - dshift)
    g, dg = weight(x[RCX1], x[RBX1], x[RBX2], l, dl, k, dk)
    ex, dex = u[0] - shift * V, du[0] - dshift * V - shift * dV
    hx, dhx = g * s, dg * s + g * ds
    fixed, dfixed = x[PVX1] + x[PVX2] * n, x[PVX2] * dn
    bx, dbx = g * force * fixed, dg * force * fixed + g * (df * fixed + force * dfixed)
    d, slope = x[PDY1] + x[PDY2] * n, x[PDY2] * dn
    dd, d = df * d + force * slope, force * d
    b = ky / (x[PCY1] * d)
    e, de = curvature(x[PEY1] + x[PEY2] * n, x[PEY2] * dn)
    shift, dshift = x[PHY1] + x[PHY2] * n, x[PHY2] * dn
    s, ds = secant(b, (dky / x[PCY1] - b * dd) / d, x[PCY1], d, dd, e, de, l + shift, dl + dshift)
    g, dg = weight(x[RCY1], x[RBY1], x[RBY2], k, dk, l - x[RBY3], dl)
    ey, dey = u[1] + shift * V, du[1] + dshift * V + shift * dV
    hy, dhy = g * s, dg * s + g * ds
    fixed, dfixed = x[PVY1] + x[PVY2] * n, x[PVY2] * dn
    by, dby = g * force * fixed, dg * force * fixed + g * (df * fixed + force * dfixed)
    return V, dV, ex, dex, hx, dhx, bx, dbx, ey, dey, hy, dhy, by, dby


@kernel
def trail(x, force, u, df, du):
    """Pneumatic trail."""
    load = x[LOAD]
    n, dn = level(load, force, df)
    _, _, k, dk, l, dl = slips(u, du)
    kx, dkx, ky, dky = slip_stiffnesses(x, force, df)
    along, ratio = l + x[QHZ1] + x[QHZ2] * n, kx / ky
    dalong, dratio = dl + x[QHZ2] * dn, (dkx - ratio * dky) / ky
    z = np.sqrt(along * along + ratio * ratio * k * k + STILL * STILL)
    dz = (along * dalong + ratio * k * (dratio * k + ratio * dk)) / z
    b, db = x[QBZ1] + x[QBZ2] * n + x[QBZ3] * n * n, (x[QBZ2] + 2.0 * x[QBZ3] * n) * dn
    e, de = curvature(x[QEZ1] + x[QEZ2] * n + x[QEZ3] * n * n, (x[QEZ2] + 2.0 * x[QEZ3] * n) * dn)
    value, change = cosine(b, db, x[QCZ1], e, de, z, dz)
    arm, darm = x[QDZ1] + x[QDZ2] * n, x[QDZ2] * dn
    size = x[RADIUS] / load
    root = np.sqrt(1.0 + l * l)
    total = size * force * arm * value / root
    dtotal = size * (df * arm * value + force * darm * value + force * arm * change) / root - total * l * dl / (root * root)
    return total, dtotal
