"""Settings for all tests.

Property tests draw the same examples in every run, so that a red test is red for everyone.
`pytest --hypothesis-profile=thorough` searches further, with new examples each time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from random_models import Array, State
    from supple.formulations.equations import Equations

# Deadlines are off: the first example may load or compile kernels.
settings.register_profile(
    "ci", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "thorough", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("ci")


@pytest.fixture(scope="session")
def columns() -> Callable:
    """Residual and controller rates of the engine's own kernels for complex numbers.

    Compiled once for all tests of a process: it takes long.
    """
    import numba

    from supple.core import chart, dynamics, layout
    from supple.native import compiler, declare

    compiler.prepare(None, "native")

    # Without reference counting like all kernels: arrays that views returns are borrowed.
    @numba.njit(fastmath=declare.FASTMATH, error_model="numpy", _nrt=False)
    def step(ints, reals, work, t, q, d, u, a, z, moved, r, zdot):
        m, w = layout.views(ints, reals, work)
        chart.retract(m, q, d, moved)
        dynamics.evaluate(m, w, t, moved, u, a, z, r)
        for k in range(zdot.shape[0]):
            zdot[k] = w.zdot[k]

    tiny = 1e-40

    def differentiate(
        eq: Equations, s: State, which: str, lam: Array | None = None
    ) -> tuple[Array, Array]:
        """Columns of the residual (nu, n) and of controller rates (nz, n) along one argument."""
        c = eq.compiled
        start = {"d": np.zeros(eq.nu), "u": s.u, "a": s.a, "z": s.z}
        work = layout.new_work(c.ints, complex)
        if lam is not None:
            layout.read_work(c.ints, work).lam[:] = lam
        moved, r, zdot = (np.zeros(n, complex) for n in (eq.nq, eq.nu, eq.nz))
        residuals, rates = [], []
        for k in range(len(start[which])):
            x = {name: value.astype(complex) for name, value in start.items()}
            x[which][k] += 1j * tiny
            step(c.ints, c.reals, work, s.t, s.q.astype(complex), *x.values(), moved, r, zdot)
            residuals.append(r.imag / tiny)
            rates.append(zdot.imag / tiny)
        n = len(residuals)
        return np.array(residuals).reshape(n, eq.nu).T, np.array(rates).reshape(n, eq.nz).T

    return differentiate
