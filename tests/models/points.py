"""A point with a closed solution."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout
from supple.core.equations import dynamics
from supple.core.multistep import ends
from supple.core.multistep import multistep as ms
from supple.core.run import step as st
from supple.formulations.equations import Equations


class Point:
    """The kernels of BDF at one state of a model, without a run around them."""

    def __init__(self, equations: Equations) -> None:
        self.c = c = equations.compiled
        nu, nz, ne = c.nu, c.nz, len(c.force_names)
        sizes = layout.sizes(c.ints) | {"events": 0, "screws": 0}
        shared, counts = st.RUN_RECORD.lengths(sizes)
        reals, ints = ends.own_size(nu, nz, ne, c.nr)
        run, state = np.zeros(shared + reals), np.zeros(st.REAL_STATE)
        count = np.zeros(counts + ints, dtype=np.int64)
        run[shared + ends.LEFT] = np.inf
        state[st.T] = -1.0
        self.buffers = c.ints, c.reals, equations.work, run, state, count

    def residual(self, t: float, y: np.ndarray, yp: np.ndarray) -> np.ndarray:
        out = np.zeros(len(y))
        ms.multistep_rates(*self.buffers, t, y, yp, out)
        return out

    def jacobian(self, t: float, y: np.ndarray, yp: np.ndarray, c: float) -> np.ndarray:
        nq, nu, nz = self.c.nq, self.c.nu, self.c.nz
        q, u, a, z, r = (np.zeros(n) for n in (nq, nu, nu, nz, nu))
        shapes = (nu, nu), (nu, nu), (nu, nu), (nu, nz), (nz, nu), (nz, nu), (nz, nz)
        tangents = [np.zeros(shape) for shape in shapes]
        assert ms.bdf_point(*self.buffers, t, y, yp, q, u, a, z) == t
        dynamics.tangent(*self.buffers[:3], t, q, u, a, z, r, *tangents)
        J = np.full((len(y), len(y)), np.nan)
        rows = np.zeros((self.c.nr, nu)), np.zeros((self.c.nr, nu))
        ms.bdf_jacobian(*self.buffers[:3], y, q, u, c, *tangents, *rows, J)
        return J
