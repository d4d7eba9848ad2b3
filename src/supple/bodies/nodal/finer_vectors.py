"""Bodies over nodal vectors with smaller elements, and how their nodal vectors follow from others.

A map W (vectors there, vectors here) gives the nodal vectors of the finer body that describe the
same shape: cubics along lines, the place of the element of a plate, shape functions of a solid.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.nodal.ancf_body import MOST_ELEMENTS
from supple.bodies.nodal.ancf_drawing import line_vectors
from supple.bodies.nodal.ancf_line import ANCFLine
from supple.bodies.nodal.ancf_plate import ANCFPlate
from supple.bodies.nodal.ancf_solid import ANCFSolid
from supple.bodies.structure.finer_mesh import finer_interface
from supple.fem.nodal.ancf_plate import PlateRows, grid_cells
from supple.fem.nodal.ancf_solid import SolidVectors
from supple.fem.refinement.meshes import Finer, finer
from supple.foundation.frames import Body
from supple.foundation.validate import Vector

if TYPE_CHECKING:
    from scipy import sparse

SAME = 1e-9  # stations in lengths of a line
AT_NODES = ((0, 0), (1, 0), (0, 1))  # derivatives that are nodal vectors of a plate


def finer_line(body: ANCFLine) -> dict[str, Any]:
    """Fields of a line with so many elements that each, but for short ones, becomes two or more."""
    lengths = np.diff(np.asarray(body.stations))
    long = np.flatnonzero(lengths > 0.5 * lengths.max())
    elements = 2 * body.elements
    while True:
        there = np.asarray(body.stations_with(elements))
        inside = np.searchsorted(there, np.asarray(body.stations) + SAME * body.length)
        if elements >= MOST_ELEMENTS or np.diff(inside)[long].min() >= 2:
            return {"elements": elements}
        elements += 1


def line_map(body: ANCFLine, stations: Vector) -> sparse.csr_array:
    """Nodal vectors at other stations (m) of a line from its own."""
    from scipy import sparse

    rows, columns, values = [], [], []
    for k, x in enumerate(stations):
        own, given = line_vectors(body, float(x))
        rows.append(np.repeat(k * len(given) + np.arange(len(given)), len(own)))
        columns.append(np.tile(own, len(given)))
        values.append(given.ravel())
    count = len(stations) * body.mesh.node_vectors
    joined = [np.concatenate(part) for part in (values, rows, columns)]
    shape = count, len(body.stations) * body.mesh.node_vectors
    return sparse.csr_array((joined[0], (joined[1], joined[2])), shape)


def plate_map(body: ANCFPlate, factor: int) -> sparse.csr_array:
    """Nodal vectors of a plate with so many times the elements along both sides."""
    from scipy import sparse

    (n, m), vectors = body.elements, body.mesh.node_vectors
    shapes = PlateRows((float(body.size[0]) / n, float(body.size[1]) / m))
    cells = grid_cells(body.elements).reshape(n, m, 4)
    fine = factor * n + 1, factor * m + 1
    rows, columns, values = [], [], []
    for p in range(fine[0] * fine[1]):
        at = np.divmod(p, fine[1])
        i, j = (min(int(k) // factor, count - 1) for k, count in zip(at, (n, m), strict=True))
        x, y = float(at[0]) / factor - i, float(at[1]) / factor - j
        four = cells[i, j]
        own = (four[:, None] * vectors + np.arange(3)).ravel()
        for v, order in enumerate(AT_NODES):
            rows.append(np.full(12, p * vectors + v))
            columns.append(own)
            values.append(shapes.row(x, y, *order))
        if vectors > len(AT_NODES):  # the normal, linear between nodes
            rows.append(np.full(4, p * vectors + 3))
            columns.append(four * vectors + 3)
            values.append(np.array([(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y]))
    joined = [np.concatenate(part) for part in (values, rows, columns)]
    shape = fine[0] * fine[1] * vectors, (n + 1) * (m + 1) * vectors
    return sparse.csr_array((joined[0], (joined[1], joined[2])), shape)


def finer_solid(body: ANCFSolid) -> tuple[dict[str, Any], Finer] | None:
    """Fields of a solid with a finer mesh, and that mesh; None if it would be too large."""
    found = finer(body.component)
    if found is None:
        return None
    interfaces = [finer_interface(found, each) for each in body.interfaces]
    return {"component": found.component, "interfaces": interfaces}, found


def solid_map(body: ANCFSolid, found: Finer, there: ANCFSolid) -> sparse.csr_array:
    """Vectors of a solid with a finer mesh from its own."""
    here, new = body.__dict__["_vectors"], there.__dict__["_vectors"]
    return _read(new) @ (found.weights @ here.nodes)


def solid_reading(body: ANCFSolid, found: Finer, there: ANCFSolid) -> sparse.csr_array:
    """Vectors of a solid from those of it with a finer mesh."""
    here, new = body.__dict__["_vectors"], there.__dict__["_vectors"]
    return _read(here) @ new.nodes[found.same]


def _read(vectors: SolidVectors) -> sparse.csr_array:
    """Vectors (n, N) of a solid from the places of its nodes."""
    from scipy import sparse

    free = np.flatnonzero(vectors.first >= 0)
    unit = np.ones(len(free)), (vectors.first[free], free)
    found = sparse.csr_array(unit, shape=(len(vectors.rest), len(vectors.first)))
    for first, end in zip(vectors.pieces, (*vectors.pieces[1:], len(vectors.rest)), strict=True):
        columns = np.arange(first, end)
        own = sparse.csr_array(vectors.nodes[:, columns])
        held = np.flatnonzero(np.diff(own.indptr))
        rows = np.linalg.pinv(own[held].toarray())
        at = np.repeat(columns, len(held)), np.tile(held, len(columns))
        found = found + sparse.csr_array((rows.ravel(), at), shape=found.shape)
    return sparse.csr_array(found)


def has_smaller(body: Body) -> bool:
    """True if smaller elements of a body are known here."""
    return isinstance(body, ANCFLine | ANCFPlate | ANCFSolid)
