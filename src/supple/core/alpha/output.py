"""Dense output of a step of the generalized-alpha method; see ``alpha_stage`` for the symbols."""

from __future__ import annotations

from supple.core.alpha.stage import P1, PM, S1, UM, XI, ZM
from supple.core.bodies import chart
from supple.core.run import step as st
from supple.core.run.free_velocity import free_velocities
from supple.native.declare import kernel


@kernel
def fill_polynomials(m, r, o, h):
    """Dense output: cubic Hermite for xi, parabolas through both ends and the middle for u and z (places of free
    joints move by their cubics), and for w the integral of the parabola through the powers. Needs end_state and
    middle_state.
    """
    chart.rate(m, o.u[XI], r.ut, o.u[S1])
    for k in range(r.u.shape[0]):
        p, x, a, b = r.px[k], o.u[XI, k], h * r.u[k], h * o.u[S1, k]
        p[0], p[1], p[2], p[3] = 0.0, a, 3.0 * x - 2.0 * a - b, a + b - 2.0 * x
        parabola(r.u[k], o.u[UM, k], r.ut[k], r.pu[k])
        for j in range(4, st.DEGREE):
            p[j] = 0.0
    free_velocities(m, r, h)
    for k in range(r.z.shape[0]):
        parabola(r.z[k], o.z[ZM, k], r.zt[k], r.pz[k])
    for k in range(r.w.shape[0]):
        p = r.pw[k]
        parabola(r.power[k], o.e[PM, k], o.e[P1, k], p)
        p[3], p[2], p[1], p[0] = h * p[2] / 3.0, h * p[1] / 2.0, h * p[0], r.w[k]


@kernel
def parabola(a, b, c, p):
    """Coefficients of the parabola through a, b, c at s = 0, 1/2, 1."""
    p[0], p[1], p[2] = a, 4.0 * b - 3.0 * a - c, 2.0 * (a + c) - 4.0 * b
    for j in range(3, st.DEGREE):
        p[j] = 0.0
