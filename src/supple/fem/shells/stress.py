"""Geometric stiffness of a shell by membrane forces.

A further displacement (u, v, w) of the middle surface of a flat triangle has the quadratic strains
(u,a u,b + v,a v,b + w,a w,b) / 2, and the energy of the membrane forces n on them is

    1/2 int n_ab (u,a u,b + v,a v,b + w,a w,b) dA = 1/2 q^T K_G q

The slopes of w are those of the bending (`bending.slopes`): continuous, exact for every rigid
rotation and every constant curvature. The gradients of u and v are those of the displacements that
the inertia has (`membrane.displacements`): exact for every constant gradient, so that a
rotation in the plane turns the membrane forces as one out of it. n is linear in a triangle.

Moments act on products of curvature and stretch, which are smaller than those of slopes by the
thickness over the length of a wave; they are left out, as in von Karman's theory.

Stretch of a shell by its own deflection: membrane energy of strains of second order. A deflection
with slopes w,i stretches the middle surface by w,i w,j/2. Displacements in the surface relieve that
stretch where the surface can be developed, as that of a board with one clamped edge; a plate with
clamped edges keeps most of it, and is stiffer for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.fem.shells import bending, membrane
from supple.fem.shells.triangles import Triangles, mass_points
from supple.foundation.arrays import Array

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh


# Triangles that are treated at once: some tens of megabytes of numbers.
AT_ONCE = 1024


def stress_matrices(shape: Triangles, forces: Array) -> Array:
    """Geometric stiffness (t, 18, 18) in body axes for membrane forces (t, 3, 3) at the corners.

    ``forces`` are n_xx, n_yy, n_xy in N/m (last axis) in the axes of the triangles, linear between
    the corners. Twelve points integrate the products of degree 5 exactly.
    """
    matrices = np.empty((len(shape.places), 18, 18))
    for start in range(0, len(matrices), AT_ONCE):
        part = slice(start, start + AT_ONCE)
        matrices[part] = _some(shape.subset(part), forces[part])
    return matrices


def _some(shape: Triangles, forces: Array) -> Array:
    slopes, pulled = [], []
    for share, weights in zip(*mass_points(), strict=True):
        xx, yy, xy = np.moveaxis(np.einsum("i,tik->tk", weights, forces), 1, 0)
        tensor = np.stack([np.stack([xx, xy], axis=1), np.stack([xy, yy], axis=1)], axis=1)
        tensor *= (share * shape.areas)[:, None, None]
        u, v = np.moveaxis(membrane.gradients(shape, weights), 1, 0)
        for rows in (bending.slopes(shape, weights), u, v):
            slopes.append(rows)
            pulled.append(tensor @ rows)
    left, right = (shape.to_body(np.concatenate(rows, axis=1)) for rows in (slopes, pulled))
    return np.asarray(left.transpose(0, 2, 1) @ right)


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
