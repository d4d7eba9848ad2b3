"""Settings for all tests.

Property tests draw the same examples in every run, so that a red test is red for everyone.
`make test` draws few of them, `make test-slow` twelve times as many (the profile `full`), and
`pytest --hypothesis-profile=thorough` searches further, with new examples each time.
"""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from random_models import Array, State
    from supple.formulations.equations import Equations

# Deadlines are off: the first example may load or compile kernels.
for name, count in (("quick", 8), ("full", 100), ("thorough", 1000)):
    settings.register_profile(
        name,
        max_examples=count,
        derandomize=name != "thorough",
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("quick")


# Tests that share a long preparation run in one process: beginnings of their names. (The marks of
# pytest-xdist for that have no effect with pytest 9.)
TOGETHER = {
    "complex numbers": (  # slow ones; tests/nojit has a few of them in plain Python
        "tests/test_properties.py::test_tangents",
        "tests/test_flexible_properties.py::test_tangents",
        "tests/test_loops.py::test_tangents",
    ),
    "tolerance study": (
        "tests/test_agreement.py::test_error_falls_as_theory_says[",
        "tests/test_agreement.py::test_steps_shrink",
        "tests/test_agreement.py::test_agreement_at_one_decade",
    ),
    "deflections of an oracle": ("tests/test_loop_cases.py::",),
    "multistep methods on loops": ("tests/test_sundials_loops.py::",),
    "one run of a beam": ("tests/test_section_forces.py::",),
}


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Hand out tests one by one, and those of a group together, the largest groups first."""
    from xdist.scheduler import LoadScopeScheduling

    class Together(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            groups = (group for group, names in TOGETHER.items() if nodeid.startswith(names))
            return next(groups, nodeid)

    return Together(config, log)


@pytest.fixture(scope="session")
def columns() -> Callable:
    """Residual and controller rates of the engine's own kernels for complex numbers.

    Compiled once for all tests of a process: it takes long.
    """
    import numba

    from supple.core import chart, dynamics, layout
    from supple.native import compiler, declare

    if not declare.PLAIN:
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
        gc.disable()  # the compiler keeps what it makes: looking for garbage takes long
        for k in range(len(start[which])):
            x = {name: value.astype(complex) for name, value in start.items()}
            x[which][k] += 1j * tiny
            step(c.ints, c.reals, work, s.t, s.q.astype(complex), *x.values(), moved, r, zdot)
            residuals.append(r.imag / tiny)
            rates.append(zdot.imag / tiny)
        gc.enable()
        n = len(residuals)
        return np.array(residuals).reshape(n, eq.nu).T, np.array(rates).reshape(n, eq.nz).T

    return differentiate
