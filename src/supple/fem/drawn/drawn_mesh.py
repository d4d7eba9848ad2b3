"""Drawing of a mesh: nodes, how they move with a body's coordinates, and cells."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array, Indices


class DrawnMesh(NamedTuple):
    """A mesh to be drawn.

    Attributes
    ----------
    nodes : (p, 3) m, undeformed, in the axes of the body
    rows : (p, 3, n) displacements of the nodes for each elastic coordinate
    cells : (e, k) node numbers of all cells
    kind : "line", "triangle", or a kind of `SolidMesh`; "vertex" if only nodes are known
    radius : (p,) m, of the members at the nodes of lines; empty of other cells
    """

    nodes: Array
    rows: Array
    cells: Indices
    kind: str
    radius: Array


def mean_radius(half_sizes: tuple[float, float] | None, area: float) -> float:
    """Radius (m) with which a section is drawn: the mean of its half sizes, or that of its area."""
    return float(np.sqrt(area / np.pi)) if half_sizes is None else 0.5 * sum(half_sizes)
