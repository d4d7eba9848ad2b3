"""Load along a gradient body that turns with its sections: force per length at rest, along axes at each point of a rule.

At a point r = sum S_k e_k has the gradients g1 = r_x and, where sections have axes, g2 = r_y. Its axes are these made orthonormal, as at a
node (``gradient_edge``): e1 = g1/a, e2 = (g2 - (g2.e1) e1)/b, e3 = e1 x e2, c = e1.g2/b. A force f along them pulls at the nodal vectors
with S_k f, and turns by d f = w x f with

    w = e1 ((e3.d g2)/b - (c/a) e3.d g1) - e2 (e3.d g1)/a + e3 (e2.d g1)/a

Without g2 the force is along e1 alone, so that d f = (f.e1/a) (d g1 - (e1.d g1) e1).
"""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import cross
from supple.core.bodies.ancf_edge import combined, dot, turned
from supple.core.forces.pressure import tangent
from supple.core.forces.signals import evaluate
from supple.native.declare import INT, MAT, REAL, VEC, kernel, shared

# Element integers: gradient body, 1 if its sections have axes, pieces in the programs, signals of the density (3). Pieces, each within one
# element of the body: their number, then of each the number of its nodal vectors, of points, where its data begin, and the vectors.
# Data of a point: its weight times the axes of the load in those of the section (3, 3), S, S_x, and S_y if there are axes
BODY, TURNS, PIECES, SIGNALS = 1, 2, 3, 4
VECTORS, POINTS, DATA, LIST = range(4)
TURN = 9


@kernel
def density(tree, work, e, t):
    """The force per length along the axes of the load."""
    s = tree.element[e, SIGNALS:]
    return (
        evaluate(tree, work, s[0], t)[0],
        evaluate(tree, work, s[1], t)[0],
        evaluate(tree, work, s[2], t)[0],
    )


@kernel
def point_axes(x, d, K, list_, q, first, turns):
    """Axes at a point whose shapes begin at d, and the numbers a, b, c."""
    g1 = tangent(x, d + K, K, list_, q, first)
    a = np.sqrt(dot(g1, g1))
    e1 = (g1[0] / a, g1[1] / a, g1[2] / a)
    e2, b, c = (0.0 * a, 0.0 * a, 0.0 * a), 1.0 + 0.0 * a, 0.0 * a
    if turns == 1:
        g2 = tangent(x, d + 2 * K, K, list_, q, first)
        along = dot(g2, e1)
        h = combined(1.0, g2, -along, e1)
        b = np.sqrt(dot(h, h))
        e2, c = (h[0] / b, h[1] / b, h[2] / b), along / b
    return (e1, e2, cross(e1, e2)), a, b, c


@kernel
def point_force(x, d, p, e):
    """Force (world axes) of the density p at a point whose data begin at d; e are the axes there."""
    own = (
        x[d] * p[0] + x[d + 1] * p[1] + x[d + 2] * p[2],
        x[d + 3] * p[0] + x[d + 4] * p[1] + x[d + 5] * p[2],
        x[d + 6] * p[0] + x[d + 7] * p[1] + x[d + 8] * p[2],
    )
    return turned(e, own)


@shared(TREE, WORK, INT, REAL, VEC, VEC, gives=REAL)
def apply(tree, work, e, t, q, u):
    """Add the efforts of a load, return its power."""
    el, x, power = tree.element[e], tree.data, 0.0 * u[0]
    b, p = tree.gradient[el[BODY]], density(tree, work, e, t)
    place, pieces = el[PIECES] + 1, tree.program[el[PIECES]]
    for _ in range(pieces):
        piece = tree.program[place:]
        K, list_ = piece[VECTORS], piece[LIST:]
        size = TURN + (2 + el[TURNS]) * K
        for i in range(piece[POINTS]):
            d = piece[DATA] + size * i
            f = point_force(
                x, d, p, point_axes(x, d + TURN, K, list_, q, b[at.GRADIENT_Q0], el[TURNS])[0]
            )
            for k in range(K):
                j, s = b[at.GRADIENT_U0] + 3 * list_[k], x[d + TURN + k]
                for l in range(3):
                    work.effort[j + l] += s * f[l]
                    power += s * f[l] * u[j + l]
        place += LIST + K
    return power


@kernel
def add_product(tree, Rq, i, j, s, y, z):
    """Subtract s y z^T from the entries of two nodal vectors."""
    for l in range(3):
        row, own = Rq[tree.row_of[i + l]], s * y[l]
        row[j] -= own * z[0]
        row[j + 1] -= own * z[1]
        row[j + 2] -= own * z[2]


@shared(TREE, WORK, INT, REAL, VEC, MAT)
def differentiate(tree, work, e, t, q, Rq):
    """Subtract the derivatives of the efforts."""
    el, x = tree.element[e], tree.data
    b, p = tree.gradient[el[BODY]], density(tree, work, e, t)
    first, place, pieces = b[at.GRADIENT_U0], el[PIECES] + 1, tree.program[el[PIECES]]
    for _ in range(pieces):
        piece = tree.program[place:]
        K, list_ = piece[VECTORS], piece[LIST:]
        size = TURN + (2 + el[TURNS]) * K
        for i in range(piece[POINTS]):
            d = piece[DATA] + size * i
            shapes = d + TURN
            axes, a, n, c = point_axes(x, shapes, K, list_, q, b[at.GRADIENT_Q0], el[TURNS])
            f, (e1, e2, e3) = point_force(x, d, p, axes), axes
            about1, about2, about3 = cross(e1, f), cross(e2, f), cross(e3, f)
            ia, along = 1.0 / a, dot(f, e1) / a
            # d f = (y1 e3^T + y2 e2^T) d g1 + y3 e3^T d g2
            y1 = combined(-c * ia, about1, -ia, about2)
            y2 = (ia * about3[0], ia * about3[1], ia * about3[2])
            y3 = (about1[0] / n, about1[1] / n, about1[2] / n)
            for l in range(K):
                j, s1 = first + 3 * list_[l], x[shapes + K + l]
                for k in range(K):
                    m, s = first + 3 * list_[k], x[shapes + k]
                    if s == 0.0:
                        continue
                    if el[TURNS] == 0:
                        for r in range(3):
                            Rq[tree.row_of[m + r], j + r] -= s * s1 * along
                        add_product(tree, Rq, m, j, -s * s1 * along, e1, e1)
                        continue
                    if s1 != 0.0:
                        add_product(tree, Rq, m, j, s * s1, y1, e3)
                        add_product(tree, Rq, m, j, s * s1, y2, e2)
                    s2 = x[shapes + 2 * K + l]
                    if s2 != 0.0:
                        add_product(tree, Rq, m, j, s * s2, y3, e3)
        place += LIST + K
