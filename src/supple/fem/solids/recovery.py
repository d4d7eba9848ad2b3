"""Strain energy of the deflections of a solid with strains that are continuous.

Strains of linear tetrahedra jump between elements, and most of their energy is in these jumps where
they lock. The mean of all elements around a node, by their volumes, is near to the strain that
belongs to the same deflections.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.solids.incompatible import strains_at
from supple.fem.solids.matrices import parts
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array

DEGREE = 2  # of products of two strains that are linear in an element


def continuous_energy(mesh: SolidMesh, moved: Array) -> Array:
    """Twice the energy (m, m) of displacements (size, m) with strains that are continuous."""
    kind, m = KINDS[mesh.kind], moved.shape[1]
    nodal = moved.reshape(len(mesh.nodes), 3, m)
    places, weights = rule(kind.simplex, DEGREE)
    total, around = np.zeros((len(mesh.nodes), 6, m)), np.zeros(len(mesh.nodes))
    volumes = np.empty((len(mesh.cells), len(weights)))
    for part in parts(len(mesh.cells)):
        cells = mesh.cells[part]
        volumes[part] = weights * strains_at(mesh.kind, mesh.nodes[cells], mesh.law, places)[0]
        rows = strains_at(mesh.kind, mesh.nodes[cells], mesh.law, kind.places)[1]
        local = nodal[cells].reshape(len(cells), 1, -1, m)
        size = volumes[part].sum(axis=1)[:, None]
        np.add.at(total, cells, size[..., None, None] * (rows @ local))
        np.add.at(around, cells, np.broadcast_to(size, cells.shape))
    total /= around[:, None, None]
    values, root = shapes(mesh.kind, places)[0], np.linalg.cholesky(mesh.law).T
    found = np.zeros((m, m))
    for part in parts(len(mesh.cells)):
        strains = np.einsum("qk,ekin->eqin", values, total[mesh.cells[part]], optimize=True)
        rows = (np.sqrt(volumes[part])[..., None, None] * (root @ strains)).reshape(-1, m)
        found += rows.T @ rows
    return found
