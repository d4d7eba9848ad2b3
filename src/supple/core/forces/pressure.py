"""Pressure on a surface of a gradient body: it follows the surface as it moves, stretches and turns.

On a face with the places r = sum S_k e_k over two coordinates, whose derivatives by them are r_a and r_b, the force per unit of the
coordinates is -p r_a x r_b, against the normal and as large as the area is now. It pulls at the nodal vectors with

    f_k = -p int S_k r_a x r_b        d f_k = -p int S_k c_l x d e_l,    c_l = S_l,b r_a - S_l,a r_b
"""

from __future__ import annotations

from supple.core.base import layout as at
from supple.core.base.wrench import cross
from supple.core.forces.signals import evaluate
from supple.native.declare import kernel

# Element integers: gradient body, faces in the programs, the signal of p. Faces: their number, then of each the number of its nodal
# vectors, of points, where its data begin, and the vectors. Data of a point: S times its weight, S_a, S_b
BODY, FACES, SIGNAL = 1, 2, 3
VECTORS, POINTS, DATA, LIST = range(4)


@kernel
def tangent(x, at_point, K, list_, q, first):
    """Derivative of the place with the weights x from a place on, over the nodal vectors of a face."""
    r0, r1, r2 = 0.0 * q[first], 0.0 * q[first], 0.0 * q[first]
    for k in range(K):
        s, j = x[at_point + k], first + 3 * list_[k]
        r0 += s * q[j]
        r1 += s * q[j + 1]
        r2 += s * q[j + 2]
    return r0, r1, r2


@kernel
def apply(tree, work, e, t, q, u):
    """Add the efforts of a pressure, return its power."""
    el, x, power = tree.element[e], tree.data, 0.0 * u[0]
    b, p = tree.gradient[el[BODY]], evaluate(tree, work, el[SIGNAL], t)[0]
    place, faces = el[FACES] + 1, tree.program[el[FACES]]
    for _ in range(faces):
        face = tree.program[place:]
        K, list_ = face[VECTORS], face[LIST:]
        for i in range(face[POINTS]):
            d = face[DATA] + 3 * K * i
            r_a, r_b = tangent(x, d + K, K, list_, q, b[at.GRADIENT_Q0]), tangent(x, d + 2 * K, K, list_, q, b[at.GRADIENT_Q0])
            n = cross(r_a, r_b)
            for k in range(K):
                j, s = b[at.GRADIENT_U0] + 3 * list_[k], -p * x[d + k]
                for l in range(3):
                    work.effort[j + l] += s * n[l]
                    power += s * n[l] * u[j + l]
        place += LIST + K
    return power


@kernel
def differentiate(tree, work, e, t, q, Rq):
    """Subtract the derivatives of the efforts."""
    el, x = tree.element[e], tree.data
    b, p = tree.gradient[el[BODY]], evaluate(tree, work, el[SIGNAL], t)[0]
    first, place, faces = b[at.GRADIENT_U0], el[FACES] + 1, tree.program[el[FACES]]
    for _ in range(faces):
        face = tree.program[place:]
        K, list_ = face[VECTORS], face[LIST:]
        for i in range(face[POINTS]):
            d = face[DATA] + 3 * K * i
            r_a, r_b = tangent(x, d + K, K, list_, q, b[at.GRADIENT_Q0]), tangent(x, d + 2 * K, K, list_, q, b[at.GRADIENT_Q0])
            for l in range(K):
                j, a, c = first + 3 * list_[l], x[d + K + l], x[d + 2 * K + l]
                c0, c1, c2 = c * r_a[0] - a * r_b[0], c * r_a[1] - a * r_b[1], c * r_a[2] - a * r_b[2]
                for k in range(K):
                    s, m = p * x[d + k], first + 3 * list_[k]
                    row0, row1, row2 = Rq[tree.row_of[m]], Rq[tree.row_of[m + 1]], Rq[tree.row_of[m + 2]]
                    row0[j + 1] -= s * c2
                    row0[j + 2] += s * c1
                    row1[j] += s * c2
                    row1[j + 2] -= s * c0
                    row2[j] -= s * c1
                    row2[j + 1] += s * c0
        place += LIST + K
