"""Bounds that hold of how far polynomials of a step, and points that move by them, go within a part of it.

A part of a step is c - half <= s <= c + half. A polynomial is written about c, with coefficients d; there it is within the sum of
|d_k| half^k, k > 0, of d_0. A point is moved by the columns of its path to the ground. A column with the angular part a and the velocity
v = l + a x p of the point p changes no faster than |v| W + |a| S, where W is the sum of the rates of all turns of the path, and S the speed of
the point by what lies outside of the column. So speed and acceleration of a point are bounded from its body inwards, column by
column, and the second derivative of its velocity likewise.
"""

from __future__ import annotations

import math

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.bodies import chart, tree
from supple.core.run import step as st
from supple.native.declare import INT, REAL, kernel, shared

COARSE = 2.0**-6  # part of a step in which a state stays at a kink
ROUNDING = 8 * 2.2e-16
VARIES = 2.0  # reserve for columns that depend on their own coordinates: of deformation, and of what slides


@kernel
def apart(x, reached, kink, size, half):
    """True if what is within ``reached`` of x in a part of the step does not pass a kink, but for rounding of numbers of the given size.

    What is no farther from a kink than rounding rests there, unless the part is so short that all is within rounding. A limit that is not there is
    infinite.
    """
    if math.isinf(kink):
        return True
    noise = ROUNDING * (abs(x) + abs(kink) + size)
    return abs(x - kink) > reached + noise or (2.0 * half >= COARSE and abs(x - kink) + reached <= noise)


@kernel
def write_about(p, c, d):
    """Coefficients d of the polynomial with the coefficients p, about c."""
    for k in range(st.DEGREE):
        d[k] = p[k]
    for i in range(st.DEGREE - 1):
        for k in range(st.DEGREE - 2, i - 1, -1):
            d[k] += c * d[k + 1]


@kernel
def spread(d, half):
    """Largest distance of a polynomial from its value in the middle."""
    x = 0.0
    for k in range(st.DEGREE - 1, 0, -1):
        x = (x + abs(d[k])) * half
    return x


@kernel
def steepest(d, half):
    """Largest slope."""
    x = 0.0
    for k in range(st.DEGREE - 1, 0, -1):
        x = x * half + k * abs(d[k])
    return x


@kernel
def bent(d, half):
    """Largest second derivative."""
    x = 0.0
    for k in range(st.DEGREE - 1, 1, -1):
        x = x * half + k * (k - 1) * abs(d[k])
    return x


@kernel
def note_rates(m, r, c, half):
    """Write the largest rate and acceleration of each coordinate, per fraction of the step, to xt and vt; of turns about three axes, and of places, of all three together."""
    for k in range(r.xt.shape[0]):
        write_about(r.px[k], c, r.about)
        r.xt[k], r.vt[k] = steepest(r.about, half), bent(r.about, half)
    for n in range(1, m.node.shape[0]):
        kind, j = m.node[n, at.MOTION], m.node[n, at.U0]
        if kind == at.BALL or kind == at.FREE:
            for first in range(j, j + (6 if kind == at.FREE else 3), 3):
                rate, bend = 0.0, 0.0
                for k in range(first, first + 3):
                    rate += r.xt[k] * r.xt[k]
                    bend += r.vt[k] * r.vt[k]
                rate, bend = math.sqrt(rate), math.sqrt(bend)
                if first == j:
                    bend += rate * rate  # of the tangent operator
                for k in range(first, first + 3):
                    r.xt[k], r.vt[k] = rate, bend


@kernel
def rates(m, r, i):
    """Largest rate and acceleration, per fraction of the step, of the coordinate of column i, as they were noted."""
    k = m.column[i, at.VELOCITY]
    if m.node[m.column[i, at.OWNER], at.MOTION] >= at.ELASTIC_OUT:
        return VARIES * r.xt[k], VARIES * r.vt[k]
    return r.xt[k], r.vt[k]


@kernel
def last_column(m, n):
    """The last column of the path from the ground to node n, or -1."""
    count = m.node[n, at.COLUMNS]
    return m.node[n, at.COL0] + count - 1 if count > 0 else m.node[n, at.LAST]


@kernel
def common_column(m, first, second):
    """The last column that moves both nodes, or -1."""
    i, j = last_column(m, first), last_column(m, second)
    while i != j:
        if i > j:
            i = m.column[i, at.BEFORE]
        else:
            j = m.column[j, at.BEFORE]
    return i


@kernel
def arms(w, i, x, y, z):
    """Sizes of the angular part of column i, and of the velocity that it gives the point at x, y, z from the reference point."""
    j = w.column[i, at.COL_J]
    a, b, c = j[3] + j[1] * z - j[2] * y, j[4] + j[2] * x - j[0] * z, j[5] + j[0] * y - j[1] * x
    return math.sqrt(j[0] * j[0] + j[1] * j[1] + j[2] * j[2]), math.sqrt(a * a + b * b + c * c)


@kernel
def velocity_behind(m, w, r, n, stop, x, y, z):
    """Velocity, by the columns behind number ``stop`` and the velocities ut, of the point of node n at x, y, z from the reference point."""
    i, vx, vy, vz = last_column(m, n), 0.0, 0.0, 0.0
    while i > stop:
        j, u = w.column[i, at.COL_J], r.ut[m.column[i, at.VELOCITY]]
        vx += u * (j[3] + j[1] * z - j[2] * y)
        vy += u * (j[4] + j[2] * x - j[0] * z)
        vz += u * (j[5] + j[0] * y - j[1] * x)
        i = m.column[i, at.BEFORE]
    return vx, vy, vz


@kernel
def moved_by(m, w, scale, n, spins, x, y, z):
    """Way of a point of node n, or with ``spins`` 1 its turn, if every coordinate of its path moves by its part of ``scale`` (nu)."""
    total, i = 0.0, last_column(m, n)
    while i >= 0:
        angle, arm = arms(w, i, x, y, z)
        total += (angle if spins == 1 else arm) * scale[m.column[i, at.VELOCITY]]
        i = m.column[i, at.BEFORE]
    return total


@shared(TREE, WORK, st.RUN, INT, INT, REAL, REAL, REAL, REAL, gives=REAL)
def bend_of_point(m, w, r, n, stop, x, y, z, half):
    """Largest acceleration of a point of node n, per fraction of the step squared, by the columns behind number ``stop``.

    The point is at x, y, z from the reference point; the workspace has the columns in the middle of the part.
    """
    turns, i = 0.0, last_column(m, n)
    while i > stop:
        turns += rates(m, r, i)[0] * arms(w, i, x, y, z)[0]
        i = m.column[i, at.BEFORE]
    speed, bend, i = 0.0, 0.0, last_column(m, n)
    while i > stop:
        angle, arm = arms(w, i, x, y, z)
        rate, more = rates(m, r, i)
        arm += angle * half * speed
        bend += more * arm + rate * (turns * arm + angle * speed)
        speed += rate * arm
        i = m.column[i, at.BEFORE]
    return bend


@kernel
def turned_by(m, w, r, n, stop):
    """Largest rate of turn of node n and its largest change, per fraction of the step, by the columns behind number ``stop``."""
    turns, faster, i = 0.0, 0.0, last_column(m, n)
    while i > stop:
        angle, (rate, more) = arms(w, i, 0.0, 0.0, 0.0)[0], rates(m, r, i)
        turns += rate * angle
        faster += more * angle
        i = m.column[i, at.BEFORE]
    return turns, faster


@shared(TREE, WORK, st.RUN, INT, INT, REAL, REAL, REAL, REAL, REAL, gives=REAL)
def bend_of_velocity(m, w, r, n, spins, x, y, z, c, half):
    """Largest second derivative, per fraction of the step, of the velocity of a point of node n, or with ``spins`` 1 of its angular velocity."""
    turns, faster, i = 0.0, 0.0, last_column(m, n)
    while i >= 0:
        angle, (rate, more) = arms(w, i, x, y, z)[0], rates(m, r, i)
        turns += rate * angle
        faster += more * angle
        i = m.column[i, at.BEFORE]
    twice = faster + 2.0 * turns * turns  # of directions that turn
    speed, bend, total, i = 0.0, 0.0, 0.0, last_column(m, n)
    while i >= 0:
        angle, arm = arms(w, i, x, y, z)
        rate, more = rates(m, r, i)
        arm += angle * half * speed
        write_about(r.pu[m.column[i, at.VELOCITY]], c, r.about)
        u, a, b = abs(r.about[0]) + spread(r.about, half), steepest(r.about, half), bent(r.about, half)
        change = turns * arm + angle * speed
        if spins == 1:
            added = angle * (b + 2.0 * a * turns + u * twice)
        else:
            added = b * arm + 2.0 * a * change + u * (twice * arm + 2.0 * turns * angle * speed + angle * bend)
        total += VARIES * added if m.node[m.column[i, at.OWNER], at.MOTION] >= at.ELASTIC_OUT else added
        bend += more * arm + rate * change
        speed += rate * arm
        i = m.column[i, at.BEFORE]
    return total


@shared(TREE, WORK, st.RUN, REAL, REAL)
def go_along(m, w, r, s, half):
    """Poses, columns and velocities at the fraction s of the step, per fraction of the step, as the increments move; rates within ``half`` of it.

    Where the increments and their rates were, xt and vt, largest rates and accelerations of coordinates are then.
    """
    for k in range(r.u.shape[0]):
        r.xt[k], r.vt[k] = st.polynomial(r.px[k], s), st.slope(r.px[k], s)
    chart.retract(m, r.q, r.xt, r.qt)
    chart.velocity(m, r.xt, r.vt, r.ut)
    tree.poses(m, w, r.qt)
    tree.motion(m, w, r.ut, r.ut)  # accelerations do not enter
    note_rates(m, r, s, half)


@kernel
def within(p, about, c, half):
    """Value of a polynomial in the middle of a part, and its spread there; ``about`` is scratch."""
    write_about(p, c, about)
    return about[0], spread(about, half)
