"""Values of constraint rows at a state, and the units in which rows are compared."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.plan import Pattern, sparse_table
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property


@dataclass(frozen=True)
class Rows:
    """Constraint rows at a state."""

    # violation, rate, acceleration: (nr,) Values of the rows and their time derivatives (m, rad;
    # per s; per s2).
    violation: Array
    rate: Array
    acceleration: Array
    stored: tuple[Array, Array]
    pattern: Pattern | None  # of what is stored, None of whole matrices

    @cached_property
    def G(self) -> Array:  # noqa: N802 - the symbol of the theory
        """Derivative of the violation along increments, of the rate along velocities (nr, nu)."""
        return self._whole(self.stored[0])

    @cached_property
    def H(self) -> Array:  # noqa: N802 - the symbol of the theory
        """Derivative of the rate along increments (nr, nu)."""
        return self._whole(self.stored[1])

    @cached_property
    def sparse(self) -> Any:
        """G in compressed rows."""
        from scipy.sparse import csr_array

        G = self.stored[0]
        return csr_array(G) if self.pattern is None else self.pattern.matrix(G)

    def _whole(self, numbers: Array) -> Array:
        return numbers if self.pattern is None else self.pattern.whole(numbers)


def rows_at(
    compiled: Compiled, work: Array, t: float, q: Array, u: Array, a: Array | None = None
) -> Rows:
    """The rows in use at a state."""
    nr, nu = compiled.nr, compiled.nu
    if len(q) != compiled.nq or len(u) != nu:  # kernels read what they are given
        raise ValueError(f"a state of {len(q)} and {len(u)}, expected {compiled.nq} and {nu}")
    g, gu, ga = (np.zeros(nr) for _ in range(3))
    pattern = compiled.row_pattern
    shape = (nr, nu) if pattern is None else (compiled.sizes["lines"], 1)
    G, H = np.zeros(shape), np.zeros(shape)
    state = [np.require(x, float, ["C", "W"]) for x in (q, u, np.zeros(nu) if a is None else a)]
    dynamics.constrain(compiled.ints, compiled.reals, work, float(t), *state, g, gu, ga, G, H)
    return Rows(g, gu, ga, (G, H), pattern)


def mass_at(compiled: Compiled, work: Array, q: Array) -> Any:
    """Mass matrix (nu, nu) at a configuration, in compressed rows."""
    from scipy.sparse import csr_array

    c, pattern = compiled, compiled.mass_pattern
    M = np.zeros((c.nu, c.nu) if pattern is None else (c.sizes["tall"], 1))
    dynamics.mass_matrix(c.ints, c.reals, work, np.ascontiguousarray(q), M)
    return csr_array(M) if pattern is None else pattern.matrix(M)


def own_mass(compiled: Compiled, work: Array, q: Array) -> Callable[[slice], Array]:
    """The part of the mass matrix at a configuration that belongs to some velocities of a joint."""
    c = compiled
    stored = bool(c.ints[at.H_PLANNED])
    M = np.zeros((c.sizes["tall"], 1) if stored else (c.nu, c.nu))
    dynamics.mass_matrix(c.ints, c.reals, work, np.ascontiguousarray(q), M)
    first, numbers = at.integers(c.ints, "row_of") * M.shape[1], M.reshape(-1)
    return lambda own: numbers[first[own][:, None] + np.arange(own.start, own.stop)]


def row_sizes(compiled: Compiled) -> Array:
    """Unit of each row in use (nr,): the model's length for places, one radian for rotations."""
    return compiled.row_sizes


def scaled_rows(compiled: Compiled, G: Array) -> Array:
    """The Jacobian in units of the rows and of the increments."""
    scaled: Array = G * compiled.scale / row_sizes(compiled)[:, None]
    return scaled


def scaled_sparse(compiled: Compiled, rows: Rows) -> Any:
    """Scaled rows at a state, in compressed rows."""
    scaled = rows.sparse.copy()
    units = np.repeat(1.0 / row_sizes(compiled), np.diff(scaled.indptr))
    scaled.data *= units * compiled.scale[scaled.indices]
    return sparse_table(scaled)


def moving(compiled: Compiled) -> np.ndarray:
    """True for each row in use (nr,) that follows a signal: of drivers and changing lengths."""
    driven = np.zeros(compiled.nr, dtype=bool)
    for link in at.integers(compiled.ints, "link"):
        if link[at.LINK_SIGNAL] >= 0:
            driven[[row for row in link[at.LINK_ROW :] if row >= 0]] = True
    return driven
