"""Equilibria of models with smaller elements, near the state of another model."""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.equilibrium.sparse_equilibrium import TOO_LARGE, SparseSearch
from supple.analyses.frequencies.nodal_models import FinerModel
from supple.analyses.frequencies.rest_matrices import matrices_at
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation.poses import Array
from supple.results.flexibility.line_turns import line_turns

ITERATIONS = 20
CONVERGED = 1e-9  # correction, in units of increments
SHORT = 0.5  # part of a gradient that is left of it
FARTHER, TURN = 1.5, 0.1  # times the angle in an element, and rad, which are a fold
MOST = 0.3  # the same: the largest that is taken at once


def settled(finer: FinerModel, t: float, z: Array, shift: float, downhill: bool) -> Array | None:
    """Coordinates (nq,) of the equilibrium near those of a finer model; None if there is none.

    ``shift`` (1/s2) times the mass is added to the stiffness, so that free motions stay. With
    ``downhill`` it is one that `statics` finds, which is stable.
    """
    equations, q = finer.equations, finer.q
    c = equations.compiled
    if downhill:
        return _searched(equations, t, q, z)
    for _ in range(ITERATIONS):
        step = matrices_at(equations, t, q, z, True).newton(shift)
        if step is None or not np.all(np.isfinite(step)):
            break
        size = float(np.max(np.abs(step), initial=0.0))
        q = equations.retract(q, c.scale * step * min(1.0, MOST / max(size, 1e-300)))
        if size < CONVERGED and not _kinked(c, finer.q, q):
            return q
        if size < CONVERGED:
            break
    return _searched(equations, t, finer.q, z)


def _searched(equations: Equations, t: float, q: Array, z: Array) -> Array | None:
    """The same by the searches of `statics`, which take longer."""
    if SparseSearch.fits(equations):
        found = SparseSearch(equations, t).run(q)
    else:
        small = equations.compiled.nu < TOO_LARGE
        found = Search(equations, t).run(q, z) if small else None
    if found is None or not found.found or _kinked(equations.compiled, q, found.q):
        return None
    return found.q


def _kinked(c: Compiled, before: Array, after: Array) -> bool:
    """True if an element turns much farther than any did, or a gradient is much too short.

    Such equilibria of nodal vectors are none of a beam.
    """
    for record in c.gradient.values():
        mesh = record.mesh
        e, at_rest = after[record.q].reshape(-1, 3), mesh.rest.reshape(-1, 3)
        sizes = [np.linalg.norm(x[~mesh.places.ravel()], axis=1) for x in (e, at_rest)]
        if np.any(sizes[0] < SHORT * sizes[1]):
            return True
        if record.body.along_line:
            both = np.array([before[record.q], after[record.q]]).reshape(2, *mesh.rest.shape)
            most = line_turns(both, mesh.axes_from).max(axis=1, initial=0.0)
            if most[1] > FARTHER * most[0] + TURN:
                return True
    return False
