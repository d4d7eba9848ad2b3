"""Tangents of a model by complex steps of its residual, kernels as plain Python."""

from __future__ import annotations

import numpy as np

from supple.core.base.layout import new_work, read_work
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.formulations.equations import Equations

STEP = 1e-40


def evaluated(equations: Equations, q, d, u, a, z) -> tuple[np.ndarray, np.ndarray]:
    """Residual and rates of states for complex numbers."""
    compiled = equations.compiled
    moved, out = np.zeros(equations.nq, complex), np.zeros(equations.nu, complex)
    ints, reals, work = compiled.ints, compiled.reals, new_work(compiled.ints, complex)
    chart.move(ints, reals, work, q.astype(complex), d, moved)
    dynamics.residual(ints, reals, work, 0.4, moved, u, a, z, out)
    return out, read_work(ints, work).zdot.copy()


def compare(equations: Equations, q, u, a, z) -> None:
    """Derivatives of residual and states against complex steps."""
    nu, nz = equations.nu, equations.nz
    _, Rq, Ru, _, Rz, Gq, Gu, Gz = equations.tangents(0.4, q, u, a, z)
    still = np.zeros(nu, complex)
    given = [x.astype(complex) for x in (u, a, z)]
    wanted = [np.zeros((nu + nz, n)) for n in (nu, nu, nz)]
    for which, (place, count) in enumerate(((0, nu), (1, nu), (3, nz))):
        for k in range(count):
            x = [still.copy(), *(y.copy() for y in given)]
            x[place][k] += 1j * STEP
            r, zdot = evaluated(equations, q, *x)
            wanted[which][:, k] = np.concatenate([r, zdot]).imag / STEP
    found = np.vstack([Rq, Gq]), np.vstack([Ru, Gu]), np.vstack([Rz, Gz])
    for one, other in zip(found, wanted, strict=True):
        scale = max(1.0, np.abs(other).max(initial=0.0))
        np.testing.assert_allclose(one / scale, other / scale, atol=1e-12)
