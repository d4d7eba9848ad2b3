"""Integrals of inertia from a mass matrix alone.

Where nodes have translations only, the displacement field is ``sum N_k u_k`` with shape functions
N_k that nobody needs to know: they reproduce 1 and x, so that nodal values of the fields ``e_j``
and ``x_i e_j`` are those of the nodes, and the mass matrix has the integrals of N_k N_l in its
blocks. All integrals of products of 1, x and displacements follow exactly.

With rotations see `lumped_inertia`.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from supple.fem.base.component import Component, coordinate_name
from supple.fem.base.inertia import InertiaIntegrals
from supple.fem.base.lumped_inertia import lumped_integrals
from supple.fem.base.solid_kinds import Array
from supple.foundation.errors import ModelError

# Blocks of a mass matrix may differ by this fraction of its largest entry: digits of files.
ISOTROPY = 1e-6


def matrix_integrals(component: Component, basis: Array) -> InertiaIntegrals:
    """Integrals of inertia for displacements ``basis @ q`` with basis (size, n)."""
    if component.node_size == 3:
        return _by_translations(component, basis)
    return lumped_integrals(component, basis)


def _by_translations(component: Component, basis: Array) -> InertiaIntegrals:
    """All integrals, exactly, from the mass matrix of one direction."""
    n, nodes = basis.shape[1], len(component.nodes)
    # Nodal values of 1, x, y, z and of the x-, y- and z-displacements of the shapes.
    shapes = basis.reshape(nodes, 3, n).transpose(1, 0, 2)
    fields = np.column_stack([np.ones(nodes), component.nodes, *shapes])
    G = fields.T @ (scalar_mass(component) @ fields)
    return InertiaIntegrals.of_moments(0.5 * (G + G.T), n)


def scalar_mass(component: Component) -> sparse.csc_array:
    """Mass matrix (N, N) of one direction; refused if the directions differ or are coupled."""
    M = component.mass_matrix
    found = [sparse.csc_array(M[i::3, i::3]) for i in range(3)]
    mean = sparse.csc_array((found[0] + found[1] + found[2]) / 3.0)
    even = sparse.coo_array(M - sparse.kron(mean, sparse.eye_array(3)))
    size = np.abs(mean.data).max()
    if even.nnz and np.abs(even.data).max() > ISOTROPY * size:
        worst = int(np.argmax(np.abs(even.data)))
        pair = " and ".join(coordinate_name(component, int(i[worst])) for i in (even.row, even.col))
        raise ModelError.plain(
            f"component: the mass matrix between {pair} differs from an equal mass in all "
            f"directions by {abs(even.data[worst]) / size:.2g} of its largest entry, "
            "expected the same in x, y and z"
        )
    return mean
