"""Energy of shear that thin shells leave out.

A shell of Kirchhoff's theory does not shear across its thickness. Shear forces follow from the
balance of moments, Q_x = M_xx,x + M_xy,y and Q_y = M_xy,x + M_yy,y, and would store the energy
Q^2 / (5/6 G h) / 2 per area (Reissner). Relative to the strain energy that is, for small values,
how much further the loads would move their places.

Moments at nodes are means over the triangles around them, by area, as tensors in space: gradients
of the moments of a single triangle are too rough. Where Poisson's ratio is not zero, layers along
free edges make the energy up to three times too large.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.fem.shells import bending
from supple.foundation.arrays import Array

if TYPE_CHECKING:
    from supple.fem.shells.shell import ShellMesh


REISSNER = 5.0 / 6.0  # of the thickness that resists shear


def shear_energies(mesh: ShellMesh, displacements: Array) -> Array:
    """Energies (k,) of the shear left out, J, for nodal displacements (k, size)."""
    shape, h = mesh.shape, mesh.thicknesses
    local = displacements[:, mesh.coordinates]  # (k, t, 18)
    law = mesh.law * (h**3 / 12.0)[:, None, None]
    corners = np.stack(
        [
            np.einsum("tij,tjn,ktn->kti", law, shape.to_body(bending.curvatures(shape, w)), local)
            for w in np.eye(3)
        ],
        axis=2,
    )  # (k, t, corner, 3)
    tensors = _in_space(corners, shape.axes)
    weights = np.zeros(len(mesh.nodes))
    nodal = np.zeros((len(mesh.nodes), len(displacements), 3, 3))
    for corner in range(3):
        at = mesh.triangles[:, corner]
        np.add.at(weights, at, shape.areas)
        part = shape.areas[:, None, None] * tensors[:, :, corner]
        np.add.at(nodal, at, np.moveaxis(part, 1, 0))
    nodal /= weights[:, None, None, None]
    across = shape.axes[:, :2]  # rows e1, e2 in the plane of each triangle
    smooth = np.einsum("tai,tckij,tbj->ktcab", across, nodal[mesh.triangles], across)
    force = np.einsum("tcb,ktcab->kta", shape.gradients, smooth)  # (k, t, 2)
    area = shape.areas / (REISSNER * mesh.material.G * h)
    return np.asarray(0.5 * np.einsum("t,kta->k", area, force**2))


def _in_space(moments: Array, axes: Array) -> Array:
    """Tensors (k, t, c, 3, 3) of moments xx, yy, xy (k, t, c, 3) in the axes of triangles."""
    xx, yy, xy = np.moveaxis(moments, -1, 0)
    plane = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2)
    e = axes[:, :2]
    return np.asarray(np.einsum("tai,ktcab,tbj->ktcij", e, plane, e))
