"""Sparse matrices of small motion at a state of rest: stiffness, damping, mass and rows.

    M a + C v + K x + F z + G' lam = 0       G x = 0       z' = Y x + V v + Z z

Increments are in units (``Compiled.scale``), rows in theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.equations import dynamics
from supple.formulations.equations import Equations
from supple.foundation.poses import Array
from supple.loops.assembly import row_sizes
from supple.loops.steps import TINY, bordered, sparse_solution


@dataclass(frozen=True, eq=False)
class Matrices:
    """Matrices at a state of rest.

    Attributes
    ----------
    K, C, M : (nu, nu) sparse
    G : (nr, nu) sparse
    F, Y, V, Z : (nu, nz), (nz, nu), (nz, nu), (nz, nz)
    load : (nu,) what is not balanced
    size : largest load before multipliers balance it
    gap : (nr,) violations of rows
    """

    K: Any
    C: Any
    M: Any
    G: Any
    F: Array
    Y: Array
    V: Array
    Z: Array
    load: Array
    gap: Array
    size: float

    def factors(self, shift: float) -> Any:
        """Solution of (K + shift M) x + G' mu = load, G x = gap, as a function of both."""
        from scipy.sparse import block_array, diags_array
        from scipy.sparse.linalg import splu

        nu, nr = len(self.load), len(self.gap)
        stiff = self.K + shift * self.M
        size = float(np.abs(stiff.diagonal()).mean()) or 1.0
        corner = diags_array(np.full(nr, -TINY))
        whole = block_array([[stiff / size, self.G.T], [self.G, corner]]) if nr else stiff / size
        try:
            found = splu(whole.tocsc())
        except RuntimeError:
            return None

        def solve(loads: Array, gap: Array | None = None) -> Array:
            behind = np.zeros((nr, *loads.shape[1:])) if gap is None else gap
            return np.asarray(found.solve(np.concatenate([loads / size, behind]))[:nu])

        return solve

    def newton(self, shift: float) -> Array | None:
        """A step (nu,) to the equilibrium."""
        solve = self.factors(shift)
        return None if solve is None else solve(-self.load, -self.gap)


def matrices_at(equations: Equations, t: float, q: Array, z: Array, balanced: bool) -> Matrices:
    """Matrices at a state of rest.

    With ``balanced``, multipliers are those that balance most of the loads while nothing
    accelerates; otherwise none act.
    """
    from scipy.sparse import csr_array, diags_array, eye_array

    c = equations.compiled
    unit, still, nz = c.scale, np.zeros(c.nu), c.nz
    units, sizes = diags_array(unit), row_sizes(c)
    rows = equations.constraints(t, q, still)
    G = (diags_array(1.0 / sizes) @ rows.sparse @ units).tocsr() if c.nr else csr_array((0, c.nu))
    lam, load, size = np.zeros(c.nr), still, 0.0
    if balanced:
        load = unit * equations.residual(t, q, still, still, z)
        size = float(np.max(np.abs(load), initial=0.0))
        if c.nr:
            sides = np.concatenate([-load, np.zeros(c.nr)])
            found = sparse_solution(bordered(eye_array(c.nu), G), sides, c.nr)
            scaled = np.zeros(c.nr) if found is None else found[c.nu :]
            lam, load = scaled / sizes, load + G.T @ scaled
    equations._set_multipliers(lam)
    pattern = c.mass_pattern
    shape = (c.nu, c.nu) if pattern is None else (c.sizes["tall"], 1)
    stored = [np.zeros(shape) for _ in range(3)]
    F, Y, V, Z = (np.zeros(s) for s in ((c.nu, nz), (nz, c.nu), (nz, c.nu), (nz, nz)))
    state = np.ascontiguousarray(q), still, still, np.ascontiguousarray(z)
    buffers = c.ints, c.reals, equations.work
    dynamics.tangent(*buffers, float(t), *state, np.zeros(c.nu), *stored, F, Y, V, Z)
    K, C, M = (
        units @ (csr_array(x) if pattern is None else pattern.matrix(x)) @ units for x in stored
    )
    gap = rows.violation / sizes if c.nr else np.zeros(0)
    scaled_states = unit[:, None] * F, Y * unit, V * unit, Z
    return Matrices(K.tocsr(), C.tocsr(), M.tocsr(), G, *scaled_states, load, gap, size)
