"""Involute gears: gap of a pair of teeth, its normal and point, and how they change with the place of B relative to A.

In the plane of A, with the centre c of B there, base radii r_A and r_B (negative for a ring gear B) and the side s of the teeth, 1 for those with which
A pushes when it turns about its axis, -1 for the others:

    u.c = r_A + r_B      n = s z x u      l = n.c

u leads to the point T_A = r_A u where the line of action touches the base circle of A, n along it, T_B = T_A + l n touches that of B.
A flank crosses the line x_A behind T_A, which is the arc that its involute has unwound there: x_A = s r_A (angle where it begins - angle of u); so
does that of B, x_B before T_B. Flanks are normal to the line, and their distance is exactly

    g = l - x_A - x_B

however the centre of B moves. All pairs of teeth have the same g, one base pitch behind the other. It holds up to the tips, x_A <= L_A and x_B <= L_B.
Beyond them the edge of the tip meets the other flank outside of the line: with the edge at w from the centre of the other gear and the length
t of the tangent from there to its base circle, that distance is t - x + r delta, delta being the angle by which the tangent has turned. Distance, normal and
first derivatives go over into those of the flanks at the tip, and the distance grows with the square of the way beyond: so the push of a pair of teeth
begins and ends at zero, somewhat outside of the path of contact, as that of real teeth does.

Each contact is one of n slots, with every n-th pair of teeth; a slot goes over to the next pair where it is farthest from the path of contact. There,
and wherever the edge is farther from the flank than ``FAR``, the gap is g + FAR.
"""

from __future__ import annotations

import numpy as np

from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross, frame, turned, turned_back
from supple.core.contact.record import (
    ARM,
    AT,
    AXES,
    AXIS,
    GAP,
    LEVER,
    PART,
    POSE_A,
    POSE_B,
    TEETH,
    A,
    B,
    C,
    H,
    N,
    P,
    numbers,
)
from supple.native.declare import INT, kernel, shared

# Numbers of a pair of gears in the data, from TEETH on: base radii, tangents from the tips, tip radii, angles of the tips along their flanks, half angles of teeth on the base
# circles, base pitch, number of slots and of this one, side, farthest distance, 1 or -1 for a ring gear B
(RADIUS_A, RADIUS_B, LENGTH_A, LENGTH_B, TIP_A, TIP_B, EDGE_A, EDGE_B, HALF_A, HALF_B, PITCH, SLOTS, SLOT, SIDE, FAR, SENSE, NUMBERS) = range(17)
# Parts of a slot: flanks, edge of A on the flank of B, edge of B on that of A
FLANKS, EDGE_OF_A, EDGE_OF_B = 0, 1, 2
# In the scratch, where surfaces have second derivatives: one over the length of the tangent, distance of the flanks and l; AXIS has u of the part,
# ARM that of the flanks and ALONG their n, LEVER the place of the point along n from where it is carried, BEYOND how far beyond the tip the flank with the edge crosses the line
BEND, FLANK, LENGTH, ALONG, BEYOND = H, H + 1, H + 2, H + 3, AXIS + 3
LEAST = 1e-6  # of a radius: shortest tangent


@kernel
def angle(x, y):
    """Angle of (x, y), with the derivative along imaginary parts."""
    first = np.arctan2(y.real, x.real)
    c, s = np.cos(first), np.sin(first)
    return first + (c * y - s * x) / (c * x + s * y)


@kernel
def on_flank(wx, wy, r):
    """Length of the tangent from (wx, wy) to a circle and the angle of its point there; -1 if there is none."""
    square = wx * wx + wy * wy - r * r
    if square.real <= (LEAST * r) ** 2:
        return -1.0 + 0.0 * square, 0.0 * square
    t = np.sqrt(square)
    return t, angle(wx, wy) - angle(r + 0.0 * t, t)


@kernel
def edge_of_a(d, xa, xb, cu, cn):
    """Gap, tangent and angle of the edge of A's tip on the flank of B, its place along u and n; 1 for the tangent means there is none."""
    k, sense = (xa - d[LENGTH_A]) / d[RADIUS_A] + d[EDGE_A], d[SENSE]
    qu, qn = d[TIP_A] * np.cos(k), d[TIP_A] * np.sin(k)
    t, delta = on_flank(-sense * (qu - cu), -sense * (qn - cn), abs(d[RADIUS_B]))
    return sense * t - xb + d[RADIUS_B] * delta, t, delta, qu, qn


@kernel
def edge_of_b(d, xa, xb, cu, cn):
    """Gap, tangent and angle of the edge of B's tip on the flank of A, and its place along u and n."""
    k, sense = (xb - d[LENGTH_B]) / d[RADIUS_B] + d[EDGE_B], d[SENSE]
    qu, qn = cu - sense * d[TIP_B] * np.cos(k), cn - sense * d[TIP_B] * np.sin(k)
    t, delta = on_flank(qu, qn, d[RADIUS_A])
    return t - xa + d[RADIUS_A] * delta, t, delta, qu, qn


@kernel
def crossings(d, l, psi, theta):
    """Distance of the flanks, and the places where those of the slot cross the line of action."""
    ra, rb, pitch, side = d[RADIUS_A], d[RADIUS_B], d[PITCH], d[SIDE]
    opposite = psi if d[SENSE] < 0.0 else psi + np.pi
    xa = ra * (d[HALF_A] - side * psi)
    g = l - xa - rb * (d[HALF_B] + side * (theta - opposite))
    g = g - pitch * np.floor((g.real + 0.5 * d[FAR]) / pitch)
    middle = 0.5 * (l - d[LENGTH_B] + d[LENGTH_A])
    turns = np.floor((middle.real - xa.real - 0.5 * g.real - d[SLOT] * pitch) / (d[SLOTS] * pitch) + 0.5)
    xa = xa + pitch * (d[SLOT] + d[SLOTS] * turns)
    return g, xa, l - xa - g


@shared(TREE, WORK, INT)
def gear_teeth(tree, work, e):
    """Fill gap, normal, point and what their change needs of a slot of teeth."""
    el, g = tree.element[e], numbers(work)[0]
    a, b = frame(work, el[A], tree.data, el[AT] + POSE_A), frame(work, el[B], tree.data, el[AT] + POSE_B)
    d = tree.data[el[AT] + TEETH : el[AT] + TEETH + NUMBERS]
    c = turned_back(a, (b[9] - a[9], b[10] - a[10], b[11] - a[11]))
    x = turned_back(a, (b[0], b[3], b[6]))
    ra, side, both = d[RADIUS_A], d[SIDE], d[RADIUS_A] + d[RADIUS_B]
    square = c[0] * c[0] + c[1] * c[1]
    rest = square - both * both
    if rest.real < (LEAST * ra) ** 2:
        rest = 0.0 * rest + (LEAST * ra) ** 2
    l = d[SENSE] * np.sqrt(rest)
    ux, uy = (both * c[0] + side * l * c[1]) / square, (both * c[1] - side * l * c[0]) / square
    nx, ny = -side * uy, side * ux
    gap, xa, xb = crossings(d, l, angle(ux, uy), angle(x[0], x[1]))
    g[FLANK], g[LENGTH] = gap, l
    part, far, t, turn = FLANKS, gap + d[FAR], l, 0.0 * l
    pu, pn, lever = ra + 0.0 * l, xa + 0.5 * gap, xa + 0.5 * gap
    cu, cn = both + 0.0 * l, l
    if xa.real > d[LENGTH_A]:
        found, tangent, delta, qu, qn = edge_of_a(d, xa, xb, cu, cn)
        if tangent.real < 0.0:
            gap = far
        elif found.real > gap.real:
            gap, part, t, turn, pu, pn = found, EDGE_OF_A, d[SENSE] * tangent, delta, qu, qn
    if xb.real > d[LENGTH_B]:
        found, tangent, delta, qu, qn = edge_of_b(d, xa, xb, cu, cn)
        if tangent.real < 0.0:
            gap = far
        elif found.real > gap.real:
            gap, part, t, turn, pu, pn = found, EDGE_OF_B, tangent, delta, qu, qn
    if gap.real >= far.real:
        gap, part, t, turn, pu, pn = far, FLANKS, l, 0.0 * l, ra + 0.0 * l, xa + 0.5 * g[FLANK]
    # axes of the part: u and n, turned by the angle of the tangent
    cs, sn = np.cos(turn), np.sin(turn)
    vx, vy, mx, my = cs * ux + sn * nx, cs * uy + sn * ny, cs * nx - sn * ux, cs * ny - sn * uy
    beyond = 0.0 * gap
    if part == EDGE_OF_A:
        vx, vy, lever, beyond = -d[SENSE] * vx, -d[SENSE] * vy, 0.5 * gap, xa - d[LENGTH_A]
    elif part == EDGE_OF_B:
        lever, beyond = -0.5 * gap, xb - d[LENGTH_B]
    px, py = pu * ux + pn * nx, pu * uy + pn * ny
    if part != FLANKS:
        px, py = px + lever * mx, py + lever * my
    g[GAP], g[PART], g[LEVER], g[BEND], g[BEYOND] = gap, part, lever, 1.0 / t, beyond
    n, u, p = turned(a, (mx, my, 0.0 * mx)), turned(a, (vx, vy, 0.0 * vx)), turned(a, (px, py, c[2]))
    flank_u, flank_n = turned(a, (ux, uy, 0.0 * ux)), turned(a, (nx, ny, 0.0 * nx))
    for k in range(3):
        g[N + k], g[AXIS + k], g[P + k], g[ARM + k], g[ALONG + k] = n[k], u[k], a[9 + k] + p[k], flank_u[k], flank_n[k]


@kernel
def gear_change(g, th, d):
    """Changes of normal and point of teeth along a turn th and a translation d of B relative to A."""
    n, u, z = (g[N], g[N + 1], g[N + 2]), (g[AXIS], g[AXIS + 1], g[AXIS + 2]), (g[AXES + 2], g[AXES + 5], g[AXES + 8])
    turn, lever = cross(th, (g[P], g[P + 1], g[P + 2])), g[LEVER]
    along = n[0] * (d[0] + turn[0]) + n[1] * (d[1] + turn[1]) + n[2] * (d[2] + turn[2])
    # B's centre, and the edge of its tip, which is P less what the point is ahead of it
    swing = cross(th, (g[C], g[C + 1], g[C + 2]))
    dc = (d[0] + swing[0], d[1] + swing[1], d[2] + swing[2])
    up = z[0] * dc[0] + z[1] * dc[1] + z[2] * dc[2]
    ahead, half = 0.0 * along, 0.5 * along
    if g[PART].real == EDGE_OF_B:
        swing = cross(th, (g[P] - lever * n[0], g[P + 1] - lever * n[1], g[P + 2] - lever * n[2]))
        dc = (d[0] + swing[0], d[1] + swing[1], d[2] + swing[2])
        ahead, half, up = ahead + 1.0, -half, up - (z[0] * dc[0] + z[1] * dc[1] + z[2] * dc[2])
    s = g[BEND] * (u[0] * dc[0] + u[1] * dc[1] + u[2] * dc[2])
    dn = (s * u[0], s * u[1], s * u[2])
    return dn, (
        ahead * dc[0] + half * n[0] + lever * dn[0] + up * z[0],
        ahead * dc[1] + half * n[1] + lever * dn[1] + up * z[1],
        ahead * dc[2] + half * n[2] + lever * dn[2] + up * z[2],
    )
