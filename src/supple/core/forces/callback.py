"""Forces computed by functions: calls through addresses, tangents by differences.

The address of a C function ``int f(double t, const double *in, double *out)`` is a number in the model's integers, so
kernels are compiled and cached without knowing it. Behind it is Python (engine/base/callbacks.py) or machine code. Any other
result than zero says that it failed.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.base.buffers import starts
from supple.core.base.layout import TREE, WORK
from supple.core.base.wrench import enter, point, subtract_wrench_turn
from supple.native.declare import INT, MAT, REAL, VEC, generated, kernel, shared

# Element integers of frame functions: node, address; reals: pose of the frame in the node, R (9) and p (3)
NODE, ADDRESS = 1, 2
# ... of joint functions: number of terms, address, the first of them
COUNT, TERM = 1, 3
# Buffer of frame functions: time, place, axes (9), velocity, angular velocity; what comes back: force and torque
TIME, PLACE, AXES, VELOCITY, SPIN, FORCE, TORQUE, FRAME_BUFFER = starts(1, 3, 9, 3, 3, 3, 3)
FRAME_INPUTS = FORCE - PLACE
COPY = 30  # where the tangents keep the state itself, behind the buffer
# Buffer of joint functions: time, then x, v (n each); what comes back: efforts (n)
X = 1
MOST_COORDINATES = 24  # of one joint function: time, x, v, efforts and a copy of them fit the scratch rows
SMALL = 1.4901161193847656e-08  # root of the rounding unit

_REALS = ctypes.POINTER(ctypes.c_double)
CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_double, _REALS, _REALS)


def _call_plainly(address: int, buffer: Any, inputs: int) -> int:
    """Call the function at an address with time, inputs and outputs in a buffer of reals."""
    parts = [ctypes.cast(buffer[k:].ctypes.data, _REALS) for k in (X, X + inputs)]
    return int(CALLBACK(int(address))(float(buffer[TIME]), *parts))


call = generated("call_function", _call_plainly)


@kernel
def evaluate(address, b, inputs, end):
    """Call the function with a buffer of time, inputs and, up to ``end``, outputs: NaN if it fails."""
    for k in range(X + inputs, end):
        b[k] = 0.0
    if call(address, b, inputs) != 0:
        for k in range(X + inputs, end):
            b[k] = np.nan


@kernel
def flat(work):
    """The scratch rows as one buffer; in a tuple, as kernels return views."""
    return (work.scratch.reshape(work.scratch.shape[0] * 6),)


@kernel
def frame_call(tree, work, e, b, t):
    """Evaluate the function of element e; its arguments are filled from the node's state."""
    el, c = tree.element[e], tree.coef[e]
    r, o = work.node[el[NODE]], work.origin
    px, py, pz, vx, vy, vz = point(work, el[NODE], c[at.POSE_P], c[at.POSE_P + 1], c[at.POSE_P + 2])
    b[TIME] = t
    b[PLACE], b[PLACE + 1], b[PLACE + 2] = px + o[0], py + o[1], pz + o[2]
    for i in range(3):
        for j in range(3):
            s = 0.0
            for k in range(3):
                s += r[3 * i + k] * c[3 * k + j]
            b[AXES + 3 * i + j] = s
    b[VELOCITY], b[VELOCITY + 1], b[VELOCITY + 2] = vx, vy, vz
    b[SPIN], b[SPIN + 1], b[SPIN + 2] = r[at.V], r[at.V + 1], r[at.V + 2]
    evaluate(el[ADDRESS], b, FRAME_INPUTS, FRAME_BUFFER)
    return px, py, pz


@kernel
def frame_apply(tree, work, e, t):
    """Subtract the wrench of a frame function and return its power."""
    b = flat(work)[0]
    px, py, pz = frame_call(tree, work, e, b, t)
    fx, fy, fz, mx, my, mz = b[FORCE], b[FORCE + 1], b[FORCE + 2], b[TORQUE], b[TORQUE + 1], b[TORQUE + 2]
    w = work.node[tree.element[e, NODE]]
    w[at.W] -= mx + py * fz - pz * fy
    w[at.W + 1] -= my + pz * fx - px * fz
    w[at.W + 2] -= mz + px * fy - py * fx
    w[at.W + 3] -= fx
    w[at.W + 4] -= fy
    w[at.W + 5] -= fz
    return fx * b[VELOCITY] + fy * b[VELOCITY + 1] + fz * b[VELOCITY + 2] + mx * b[SPIN] + my * b[SPIN + 1] + mz * b[SPIN + 2]


@shared(TREE, WORK, INT, REAL)
def frame_differentiate(tree, work, e, t):
    """Tangents of a frame function by forward differences along displacement and twist of its node."""
    b = flat(work)[0]
    node = tree.element[e, NODE]
    px, py, pz = frame_call(tree, work, e, b, t)
    f0, f1, f2, m0, m1, m2 = b[FORCE], b[FORCE + 1], b[FORCE + 2], b[TORQUE], b[TORQUE + 1], b[TORQUE + 2]
    stiff, damp = work.matrices[node, at.NODE_K], work.matrices[node, at.NODE_B]
    for i in range(FRAME_BUFFER):
        b[COPY + i] = b[i]  # the state itself
    for c in range(6):
        th0, th1, th2 = (c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0
        d0 = (c == 3) + th1 * pz - th2 * py  # displacement of the point, turn of its velocities
        d1 = (c == 4) + th2 * px - th0 * pz
        d2 = (c == 5) + th0 * py - th1 * px
        for which in range(2):
            for i in range(FRAME_BUFFER):
                b[i] = b[COPY + i]
            if which == 0:
                # at fixed body-axes twist the point's velocity turns with the node
                size = 1.0 + abs(b[PLACE]) + abs(b[PLACE + 1]) + abs(b[PLACE + 2])
                h = SMALL * size
                b[PLACE] += h * d0
                b[PLACE + 1] += h * d1
                b[PLACE + 2] += h * d2
                b[VELOCITY] += h * (th1 * b[COPY + VELOCITY + 2] - th2 * b[COPY + VELOCITY + 1])
                b[VELOCITY + 1] += h * (th2 * b[COPY + VELOCITY] - th0 * b[COPY + VELOCITY + 2])
                b[VELOCITY + 2] += h * (th0 * b[COPY + VELOCITY + 1] - th1 * b[COPY + VELOCITY])
                b[SPIN] += h * (th1 * b[COPY + SPIN + 2] - th2 * b[COPY + SPIN + 1])
                b[SPIN + 1] += h * (th2 * b[COPY + SPIN] - th0 * b[COPY + SPIN + 2])
                b[SPIN + 2] += h * (th0 * b[COPY + SPIN + 1] - th1 * b[COPY + SPIN])
                for j in range(3):
                    x, y, z = b[COPY + AXES + j], b[COPY + AXES + 3 + j], b[COPY + AXES + 6 + j]
                    b[AXES + j] += h * (th1 * z - th2 * y)
                    b[AXES + 3 + j] += h * (th2 * x - th0 * z)
                    b[AXES + 6 + j] += h * (th0 * y - th1 * x)
            else:
                size = 1.0
                for i in range(VELOCITY, FORCE):
                    size += abs(b[i])
                h = SMALL * size
                b[VELOCITY] += h * d0
                b[VELOCITY + 1] += h * d1
                b[VELOCITY + 2] += h * d2
                b[SPIN] += h * th0
                b[SPIN + 1] += h * th1
                b[SPIN + 2] += h * th2
            evaluate(tree.element[e, ADDRESS], b, FRAME_INPUTS, FRAME_BUFFER)
            g0, g1, g2 = (b[FORCE] - f0) / h, (b[FORCE + 1] - f1) / h, (b[FORCE + 2] - f2) / h
            k0, k1, k2 = (b[TORQUE] - m0) / h, (b[TORQUE + 1] - m1) / h, (b[TORQUE + 2] - m2) / h
            k0 += py * g2 - pz * g1
            k1 += pz * g0 - px * g2
            k2 += px * g1 - py * g0
            if which == 0:  # the arm moves too
                k0 += d1 * f2 - d2 * f1
                k1 += d2 * f0 - d0 * f2
                k2 += d0 * f1 - d1 * f0
                stiff[0, c] -= k0
                stiff[1, c] -= k1
                stiff[2, c] -= k2
                stiff[3, c] -= g0
                stiff[4, c] -= g1
                stiff[5, c] -= g2
            else:
                damp[0, c] -= k0
                damp[1, c] -= k1
                damp[2, c] -= k2
                damp[3, c] -= g0
                damp[4, c] -= g1
                damp[5, c] -= g2
    subtract_wrench_turn(stiff, m0 + py * f2 - pz * f1, m1 + pz * f0 - px * f2, m2 + px * f1 - py * f0, f0, f1, f2)


@kernel
def joint_call(tree, work, e, b, t, q, u):
    """Evaluate a joint function: buffer of time, x (n), v (n), efforts (n)."""
    el, term, factor = tree.element[e], tree.term, tree.factor
    n, o = el[COUNT], el[TERM]
    b[TIME] = t
    for k in range(n):
        b[X + k] = factor[o + k] * q[term[o + k, at.TERM_Q]]
        b[X + n + k] = factor[o + k] * u[term[o + k, at.TERM_U]]
    evaluate(el[ADDRESS], b, 2 * n, X + 3 * n)


@kernel
def joint_apply(tree, work, e, t, q, u):
    """Add the efforts of a joint function and return its power."""
    el, term, factor = tree.element[e], tree.term, tree.factor
    n, o = el[COUNT], el[TERM]
    b = flat(work)[0]
    joint_call(tree, work, e, b, t, q, u)
    power = 0.0 * b[TIME]
    for k in range(n):
        f = b[X + 2 * n + k]
        work.effort[term[o + k, at.TERM_U]] += factor[o + k] * f
        power += f * b[X + n + k]
    return power


@shared(TREE, WORK, INT, REAL, VEC, VEC, MAT, MAT)
def joint_differentiate(tree, work, e, t, q, u, Rq, Ru):
    """Tangents of a joint function by forward differences."""
    el, term, factor = tree.element[e], tree.term, tree.factor
    n, o = el[COUNT], el[TERM]
    b = flat(work)[0]
    joint_call(tree, work, e, b, t, q, u)
    for k in range(n):
        b[X + 3 * n + k] = b[X + 2 * n + k]
    for c in range(2 * n):
        old = b[X + c]
        h = SMALL * (1.0 + abs(old))
        b[X + c] = old + h
        evaluate(el[ADDRESS], b, 2 * n, X + 3 * n)
        b[X + c] = old
        own = c if c < n else c - n
        j = term[o + own, at.TERM_U]
        for k in range(n):
            i = term[o + k, at.TERM_U]
            slope = factor[o + k] * factor[o + own] * (b[X + 2 * n + k] - b[X + 3 * n + k]) / h
            enter(tree, work, el[at.LINES], k, own, i, j, -slope if c < n else 0.0, 0.0 if c < n else -slope, Rq, Ru)
