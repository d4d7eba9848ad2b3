"""Equilibria of models with smaller elements, near the state of another model."""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium import Search
from supple.analyses.nodal_models import FinerModel
from supple.analyses.rest_matrices import matrices_at
from supple.analyses.sparse_equilibrium import TOO_LARGE, SparseSearch
from supple.formulations.equations import Equations
from supple.poses import Array

ITERATIONS = 20
CONVERGED = 1e-9  # correction, in units of increments
MOST = 0.3  # the same: the largest that is taken at once


def settled(finer: FinerModel, t: float, z: Array, shift: float) -> Array | None:
    """Coordinates (nq,) of the equilibrium near those of a finer model; None if there is none.

    ``shift`` (1/s2) times the mass is added to the stiffness, so that free motions stay.
    """
    equations, q = finer.equations, finer.q
    c = equations.compiled
    for _ in range(ITERATIONS):
        step = matrices_at(equations, t, q, z, True).newton(shift)
        if step is None or not np.all(np.isfinite(step)):
            break
        size = float(np.max(np.abs(step), initial=0.0))
        q = equations.retract(q, c.scale * step * min(1.0, MOST / max(size, 1e-300)))
        if size < CONVERGED:
            return q
    return _searched(equations, t, finer.q, z)


def _searched(equations: Equations, t: float, q: Array, z: Array) -> Array | None:
    """The same by the searches of `statics`, which take longer."""
    if SparseSearch.fits(equations):
        found = SparseSearch(equations, t).run(q)
    else:
        small = equations.compiled.nu < TOO_LARGE
        found = Search(equations, t).run(q, z) if small else None
    return found.q if found is not None and found.found else None
