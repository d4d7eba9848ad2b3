"""Integrals of inertia from a mass matrix alone.

Where nodes have translations only, the displacement field is ``sum N_k u_k`` with shape functions
N_k that nobody needs to know: they reproduce 1 and x, so that nodal values of the fields ``e_j``
and ``x_i e_j`` are those of the nodes, and the mass matrix has the integrals of N_k N_l in its
blocks. All integrals of products of 1, x and displacements follow exactly.

With rotations the shape functions of translations do not reproduce all of this. Rigid motions are
exact in every sound model, so mass, first and second moments of place, and linear and angular
momentum of the shapes follow exactly. The symmetric part of ``x_i S_j`` and the products
``S_i S_j`` come from lumped masses, corrected so that the kinetic energy of the shapes is that of
the matrix.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse

from supple.errors import ModelError
from supple.fem.component import Component, coordinate_name, rigid_modes
from supple.fem.inertia import InertiaIntegrals
from supple.fem.solid_kinds import Array
from supple.validate import read_only

# Blocks of a mass matrix may differ by this fraction of its largest entry: digits of files.
ISOTROPY = 1e-6


def matrix_integrals(component: Component, basis: Array) -> InertiaIntegrals:
    """Integrals of inertia for displacements ``basis @ q`` with basis (size, n)."""
    if component.node_size == 3:
        return _by_translations(component, basis)
    return _by_rigid_motions(component, basis)


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


def _by_rigid_motions(component: Component, basis: Array) -> InertiaIntegrals:
    """Exact where rigid motions see it, lumped masses elsewhere."""
    n, nodes = basis.shape[1], len(component.nodes)
    R = rigid_modes(component)
    MR = component.mass_matrix @ R
    rigid = R.T @ MR
    mass = float(np.trace(rigid[:3, :3])) / 3.0
    # Translation e_i with rotation e_j: integral of rho e_i . (e_j x x) = (e_j x s0)_i.
    cross = rigid[:3, 3:]
    s0 = 0.5 * np.array(
        [cross[1, 2] - cross[2, 1], cross[2, 0] - cross[0, 2], cross[0, 1] - cross[1, 0]]
    )
    J = 0.5 * (rigid[3:, 3:] + rigid[3:, 3:].T)
    momentum = MR.T @ basis
    lumped = lumped_masses(component)
    S = basis.reshape(nodes, 6, n)[:, :3]
    D0 = np.einsum("k,ki,kja->ija", lumped, component.nodes, S, optimize=True)
    D0 = 0.5 * (D0 + D0.transpose(1, 0, 2))
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        # (x x S)_axis = x_i S_j - x_j S_i
        D0[i, j] += 0.5 * momentum[3 + axis]
        D0[j, i] -= 0.5 * momentum[3 + axis]
    rows = (np.sqrt(lumped)[:, None, None] * S).reshape(nodes, 3 * n)
    D1 = (rows.T @ rows).reshape(3, n, 3, n).transpose(0, 2, 1, 3).copy()
    energy = basis.T @ (component.mass_matrix @ basis)
    missing = 0.5 * (energy + energy.T) - (D1[0, 0] + D1[1, 1] + D1[2, 2])
    for i in range(3):
        D1[i, i] += missing / 3.0
    defect = float(np.abs(missing).max() / np.abs(energy).max()) if n else 0.0
    return InertiaIntegrals(
        mass=mass,
        s0=read_only(s0),
        S1=read_only(momentum[:3]),
        E0=read_only(0.5 * np.trace(J) * np.eye(3) - J),
        D0=read_only(D0),
        D1=read_only(D1),
        defect=defect,
    )


def lumped_masses(component: Component) -> Array:
    """One mass (N,) for each node, kg, with the right sum.

    Row sums, which are right to first order; where one is negative, shares of the diagonal.
    """
    M = component.mass_matrix
    size = component.node_size
    along = np.zeros((component.size, 3))
    for i in range(3):
        along[i::size, i] = 1.0
    sums = (M @ along).reshape(-1, size, 3)
    lumped = np.einsum("kii->k", sums[:, :3]) / 3.0
    if lumped.min() >= 0.0:
        return np.asarray(lumped)
    diagonal = M.diagonal().reshape(-1, size)[:, :3].sum(axis=1)
    return np.asarray(diagonal * (lumped.sum() / diagonal.sum()))
