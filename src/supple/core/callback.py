"""Forces computed by Python functions: calls through addresses, tangents by differences.

The address of a C function ``void f(double *)`` is a number in the model's integers, so kernels are compiled and
cached without knowing it. The function reads its arguments from the buffer and writes its results behind them.
"""

from __future__ import annotations

import ctypes
from typing import Any

from supple.core import layout as at
from supple.core.wrench import point, subtract_wrench_turn
from supple.native.declare import generated, kernel

# Frame functions: time, place, axes (9), velocity, angular velocity; force and torque
F_PLACE, F_AXES, F_VELOCITY, F_SPIN, F_OUT, F_SIZE = 1, 4, 13, 16, 19, 25
MOST_COORDINATES = 24  # of one joint function: time, x, v, efforts and a copy of them fit the scratch rows
SMALL = 1.4901161193847656e-08  # root of the rounding unit

CALLBACK = ctypes.CFUNCTYPE(None, ctypes.POINTER(ctypes.c_double))


def _call_plainly(address: int, buffer: Any) -> None:
    """Call the function at an address with a buffer of reals."""
    pointer = ctypes.cast(buffer.ctypes.data, ctypes.POINTER(ctypes.c_double))
    CALLBACK(int(address))(pointer)


def _call_by_address() -> Any:
    """Call the function at an address with a buffer of reals (complex buffers are left as they are)."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]
    def call(typing_context: Any, address: Any, buffer: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            if isinstance(signature.args[1].dtype, types.Float):
                array = context.make_array(signature.args[1])(context, builder, args[1])
                shape = ir.FunctionType(ir.VoidType(), [ir.DoubleType().as_pointer()])
                builder.call(builder.inttoptr(args[0], shape.as_pointer()), [array.data])
            return context.get_dummy_value()

        return types.void(types.int64, buffer), code

    return call


call = generated(_call_by_address, _call_plainly)


@kernel
def flat(work):
    """The scratch rows as one buffer; in a tuple, as kernels return views."""
    return (work.scratch.reshape(work.scratch.shape[0] * 6),)


@kernel
def frame_call(tree, work, e, b, t):
    """Evaluate the function of element e; its arguments are filled from the node's state."""
    el, c = tree.element[e], tree.coef[e]
    r, o = work.node[el[1]], work.origin
    px, py, pz, vx, vy, vz = point(work, el[1], c[9], c[10], c[11])
    b[0] = t
    b[1], b[2], b[3] = px + o[0], py + o[1], pz + o[2]
    for i in range(3):
        for j in range(3):
            s = 0.0
            for k in range(3):
                s += r[3 * i + k] * c[3 * k + j]
            b[F_AXES + 3 * i + j] = s
    b[13], b[14], b[15] = vx, vy, vz
    b[16], b[17], b[18] = r[12], r[13], r[14]
    for k in range(F_OUT, F_SIZE):
        b[k] = 0.0
    call(el[2], b)
    return px, py, pz


@kernel
def frame_apply(tree, work, e, t):
    """Subtract the wrench of a frame function and return its power."""
    b = flat(work)[0]
    px, py, pz = frame_call(tree, work, e, b, t)
    fx, fy, fz, mx, my, mz = b[19], b[20], b[21], b[22], b[23], b[24]
    w = work.node[tree.element[e, 1]]
    w[34] -= mx + py * fz - pz * fy
    w[35] -= my + pz * fx - px * fz
    w[36] -= mz + px * fy - py * fx
    w[37] -= fx
    w[38] -= fy
    w[39] -= fz
    return fx * b[13] + fy * b[14] + fz * b[15] + mx * b[16] + my * b[17] + mz * b[18]


@kernel
def frame_differentiate(tree, work, e, t):
    """Tangents of a frame function by forward differences along displacement and twist of its node."""
    b = flat(work)[0]
    node = tree.element[e, 1]
    px, py, pz = frame_call(tree, work, e, b, t)
    f0, f1, f2, m0, m1, m2 = b[19], b[20], b[21], b[22], b[23], b[24]
    stiff, damp = work.matrices[node, at.NODE_K], work.matrices[node, at.NODE_B]
    for i in range(F_SIZE):
        b[30 + i] = b[i]  # the state itself
    for c in range(6):
        th0, th1, th2 = (c == 0) * 1.0, (c == 1) * 1.0, (c == 2) * 1.0
        d0 = (c == 3) + th1 * pz - th2 * py  # displacement of the point, turn of its velocities
        d1 = (c == 4) + th2 * px - th0 * pz
        d2 = (c == 5) + th0 * py - th1 * px
        for which in range(2):
            for i in range(F_SIZE):
                b[i] = b[30 + i]
            if which == 0:
                # at fixed body-axes twist the point's velocity turns with the node
                size = 1.0 + abs(b[1]) + abs(b[2]) + abs(b[3])
                h = SMALL * size
                b[1] += h * d0
                b[2] += h * d1
                b[3] += h * d2
                b[13] += h * (th1 * b[45] - th2 * b[44])
                b[14] += h * (th2 * b[43] - th0 * b[45])
                b[15] += h * (th0 * b[44] - th1 * b[43])
                b[16] += h * (th1 * b[48] - th2 * b[47])
                b[17] += h * (th2 * b[46] - th0 * b[48])
                b[18] += h * (th0 * b[47] - th1 * b[46])
                for j in range(3):
                    x, y, z = b[34 + j], b[37 + j], b[40 + j]
                    b[4 + j] += h * (th1 * z - th2 * y)
                    b[7 + j] += h * (th2 * x - th0 * z)
                    b[10 + j] += h * (th0 * y - th1 * x)
            else:
                size = 1.0
                for i in range(13, 19):
                    size += abs(b[i])
                h = SMALL * size
                b[13] += h * d0
                b[14] += h * d1
                b[15] += h * d2
                b[16] += h * th0
                b[17] += h * th1
                b[18] += h * th2
            for k in range(F_OUT, F_SIZE):
                b[k] = 0.0
            call(tree.element[e, 2], b)
            g0, g1, g2 = (b[19] - f0) / h, (b[20] - f1) / h, (b[21] - f2) / h
            k0, k1, k2 = (b[22] - m0) / h, (b[23] - m1) / h, (b[24] - m2) / h
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
    el, x = tree.element[e], tree.curve
    n, o = el[1], el[3]
    b[0] = t
    for k in range(n):
        b[1 + k] = x[o + 3 * k + 2] * q[int(x[o + 3 * k])]
        b[1 + n + k] = x[o + 3 * k + 2] * u[int(x[o + 3 * k + 1])]
        b[1 + 2 * n + k] = 0.0
    call(el[2], b)


@kernel
def joint_apply(tree, work, e, t, q, u):
    """Add the efforts of a joint function and return its power."""
    el, x = tree.element[e], tree.curve
    n, o = el[1], el[3]
    b = flat(work)[0]
    joint_call(tree, work, e, b, t, q, u)
    power = 0.0 * b[0]
    for k in range(n):
        f = b[1 + 2 * n + k]
        work.effort[int(x[o + 3 * k + 1])] += x[o + 3 * k + 2] * f
        power += f * b[1 + n + k]
    return power


@kernel
def joint_differentiate(tree, work, e, t, q, u, Rq, Ru):
    """Tangents of a joint function by forward differences."""
    el, x = tree.element[e], tree.curve
    n, o = el[1], el[3]
    b = flat(work)[0]
    joint_call(tree, work, e, b, t, q, u)
    for k in range(n):
        b[1 + 3 * n + k] = b[1 + 2 * n + k]
    for c in range(2 * n):
        old = b[1 + c]
        h = SMALL * (1.0 + abs(old))
        b[1 + c] = old + h
        for k in range(n):
            b[1 + 2 * n + k] = 0.0
        call(el[2], b)
        b[1 + c] = old
        own = c if c < n else c - n
        j = int(x[o + 3 * own + 1])
        for k in range(n):
            i = int(x[o + 3 * k + 1])
            slope = x[o + 3 * k + 2] * x[o + 3 * own + 2] * (b[1 + 2 * n + k] - b[1 + 3 * n + k]) / h
            if c < n:
                Rq[i, j] -= slope
            else:
                Ru[i, j] -= slope
