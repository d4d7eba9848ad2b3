"""Stretch of a shell by its own deflection: membrane energy of strains of second order.

A deflection with slopes w,i stretches the middle surface by w,i w,j/2. Displacements in the surface
relieve that stretch where the surface can be developed, as that of a board with one clamped edge; a
plate with clamped edges keeps most of it, and is stiffer for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.fem.shells import membrane
from supple.fem.shells.stress import stress_matrices
from supple.foundation.arrays import Array

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh



def quadratic_stretch(mesh: ShellMesh, displacement: Array) -> tuple[float, Array]:
    """Energy (J) of the strains of second order of nodal displacements, and its nodal forces.

    The forces (size,) are those by which the stress of these strains, means over triangles, acts on
    further displacements.
    """
    local, areas = displacement[mesh.coordinates], mesh.shape.areas
    law = mesh.thicknesses[:, None, None] * mesh.law
    corners = [membrane.strains(mesh.shape, w, mesh.poisson) for w in np.eye(3)]
    rows = np.asarray(sum(mesh.shape.to_body(c) for c in corners)) / len(corners)
    strains = np.empty((len(areas), 3))
    for k in range(3):
        unit = np.zeros((len(areas), 3, 3))
        unit[:, :, k] = 1.0
        work = np.einsum("ti,tij,tj->t", local, stress_matrices(mesh.shape, unit), local)
        strains[:, k] = 0.5 * work / areas
    forces = np.einsum("tkm,tm->tk", law, strains)
    energy = 0.5 * float(np.sum(areas * np.einsum("tk,tk->t", forces, strains)))
    nodal = np.zeros(mesh.size)
    np.add.at(nodal, mesh.coordinates, areas[:, None] * np.einsum("tk,tkn->tn", forces, rows))
    return energy, nodal
