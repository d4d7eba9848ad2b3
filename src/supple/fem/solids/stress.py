"""Geometric stiffness of a solid by a state of stress.

Green's strain of a further displacement u has the quadratic part u_k,i u_k,j / 2. The energy on it
of a stress s that is already there is

    1/2 int s_ij u_k,i u_k,j dV = 1/2 u^T K_G u,     K_G = (int grad N^T s grad N dV) x 1_3

the same in all three directions of u. The points of integration are those of the stiffness: then
K_G times a small rigid rotation is, at each node, that rotation of the internal forces, exactly.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.solids.geometry import SHEAR, slopes_in_space
from supple.fem.solids.incompatible import strains_at
from supple.fem.solids.matrices import parts
from supple.foundation.arrays import Array


def stress_matrices(kind: str, corners: Array, law: Array, displacement: Array) -> Array:
    """Integrals (e, k, k) of s_ij N_a,i N_b,j over elements (e, k, 3), N/m.

    ``displacement`` (e, k, 3) is that of their nodes, ``law`` (6, 6) gives the stress.
    """
    described = KINDS[kind]
    k = described.size
    places, weights = rule(described.simplex, described.stiffness_degree)
    slopes = shapes(kind, places)[1]
    matrices = np.empty((len(corners), k, k))
    for part in parts(len(corners)):
        volume, found = slopes_in_space(slopes, corners[part])
        moved = displacement[part].reshape(-1, 1, 3 * k, 1)
        strains = strains_at(kind, corners[part], law, places)[1]
        stress = stress_tensors((law @ strains @ moved)[..., 0])
        pulled = (volume * weights)[..., None, None] * (found @ stress)  # (e, q, k, 3)
        columns = np.swapaxes(found, 1, 2).reshape(len(found), k, -1)
        matrices[part] = np.swapaxes(pulled, 1, 2).reshape(len(found), k, -1) @ np.swapaxes(
            columns, 1, 2
        )
    return matrices


def stress_tensors(stress: Array) -> Array:
    """Tensors (..., 3, 3) of stresses (..., 6) in the order xx, yy, zz, xy, xz, yz."""
    tensors = np.empty((*stress.shape[:-1], 3, 3))
    for i in range(3):
        tensors[..., i, i] = stress[..., i]
    for row, (i, j) in enumerate(SHEAR, start=3):
        tensors[..., i, j] = tensors[..., j, i] = stress[..., row]
    return tensors
