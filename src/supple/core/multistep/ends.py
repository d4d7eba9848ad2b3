"""Ends of steps that the multistep methods remember: what their dense output is made of; see ``multistep``."""

from __future__ import annotations

from supple.core.multistep.dense import add_work, fill_polynomials, fit
from supple.core.multistep.state import ENDS, LEFT, REMEMBERED, SIZE, TRIED
from supple.core.run import step as st
from supple.native.declare import kernel


@kernel
def begin(w, r, o, t, left):
    """Forget the ends of earlier steps; the state at the start of the run, or behind a stop, into qt, ut, zt."""
    o.ints[ENDS] = 1
    o.scalar[LEFT] = left
    o.scalar[TRIED] = t
    o.scalar[SIZE] = 0.0
    st.copy(r.q, r.qt)
    st.copy(r.u, r.ut)
    st.copy(r.z, r.zt)
    st.copy(w.power, r.power)


@kernel
def make_room(o):
    """Move the ends of earlier steps by one row, the oldest out."""
    last = min(o.ints[ENDS], REMEMBERED - 1)
    for k in range(last, 0, -1):
        st.copy(o.ends[k - 1], o.ends[k])
    o.ints[ENDS] = last + 1


@kernel
def write_end(w, r, o, y, yp, t1):
    """The new end from qt, ut, zt, with the rates of the method: where the equations are stiff, theirs are noisy.

    Work and power are those of the step's start.
    """
    nq, nu, nz, ne, nr = r.q.shape[0], r.u.shape[0], r.z.shape[0], r.w.shape[0], w.lam.shape[0]
    end = o.ends[0]
    end[0] = t1
    for k in range(nq):
        end[1 + k] = r.qt[k]
    for k in range(nu):
        end[1 + nq + k] = r.ut[k]
        end[1 + nq + nu + k] = yp[nq + k]
    k0 = 1 + nq + 2 * nu
    for k in range(nz):
        end[k0 + k] = r.zt[k]
        end[k0 + nz + k] = yp[nq + nu + k]
    k0 += 2 * nz
    for k in range(ne):
        end[k0 + k] = r.w[k]
        end[k0 + ne + k] = r.power[k]
    k0 += 2 * ne
    for k in range(nr):
        end[k0 + k] = y[nq + nu + nz + k]
        end[k0 + nr + k] = yp[nq + nu + nz + k]


@kernel
def fill_dense(m, w, r, o, t, h):
    """Polynomials of the last step, and the work of the force elements in it."""
    ne, k0 = r.w.shape[0], 1 + r.q.shape[0] + 2 * r.u.shape[0] + 2 * r.z.shape[0]
    n = fill_polynomials(m, r, o, t, h)
    if ne > 0:
        add_work(m, w, r, o, t, h)
    for k in range(ne):
        fit(o, n, h, k0 + k, k0 + ne + k, r.pw[k])


@kernel
def move(r, o):
    """State, rates, work and power of the new end."""
    k = 1
    for x in (r.q, r.u, r.a, r.z, r.zdot, r.w, r.power):
        for l in range(x.shape[0]):
            x[l] = o.ends[0, k]
            k += 1
