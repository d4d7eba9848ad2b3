"""Checks of nodes, elements and matrices before anything is computed from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from supple.fem.base.component import Component, coordinate_name
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

MOST_ELEMENTS = 10_000_000
# Entries may differ from their mirror images by this fraction of the diagonal: files with
# seven digits pass, wrong ones do not.
SYMMETRY = 1e-6
# Eigenvalues count as negative below this fraction of the largest diagonal entry.
NEGATIVE = 1e-9


def owner_label(kind: str, name: Any) -> str:
    """Kind and name of a component for messages; the name may be empty."""
    if not isinstance(name, str):
        raise ModelError(kind, "name", name, "a text")
    validate.written(kind, "name", name)
    return f"{kind} {name!r}" if name else kind


def node_places(owner: str, field: str, nodes: Any) -> Array:
    """Return places (N, 3), read-only."""
    expected = "finite numbers of shape (N, 3), m"
    places = validate.array(owner, field, nodes, expected)
    if places.ndim != 2 or places.shape[1] != 3 or len(places) == 0:
        shape = f"{owner}: {field} have the shape {places.shape}"
        raise ModelError.plain(f"{shape}, expected {expected}")
    return places


def cell_numbers(owner: str, cells: Any, size: int, nodes: int) -> Indices:
    """Return node numbers (e, size) of elements, read-only."""
    try:
        found = np.array(cells)
    except ValueError:  # rows of different length
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != size or found.dtype.kind not in "iu" or not len(found):
        raise ModelError.plain(
            f"{owner}: cells are {found.dtype} of the shape {found.shape}, "
            f"expected integers of the shape (elements, {size})"
        )
    wrong = np.argwhere((found < 0) | (found >= nodes))
    if len(wrong):
        e, k = wrong[0]
        raise ModelError.plain(
            f"{owner}: element {e} refers to node {found[e, k]}, "
            f"expected a number from 0 to {nodes - 1}"
        )
    result = found.astype(np.intp)
    result.setflags(write=False)
    return result


def refuse_loose_nodes(owner: str, cells: Indices, nodes: int) -> None:
    """Refuse nodes that belong to no element: nothing holds them."""
    used = np.zeros(nodes, dtype=bool)
    used[cells] = True
    if not used.all():
        loose = np.flatnonzero(~used)
        raise ModelError.plain(
            f"{owner}: {len(loose)} of {nodes} nodes belong to no element, the first is node "
            f"{loose[0]}, expected none"
        )


def refuse_parts(owner: str, cells: Indices, nodes: int) -> None:
    """Refuse a mesh whose elements do not hang together."""
    first = np.repeat(cells[:, 0], cells.shape[1])
    graph = sparse.coo_array((np.ones(cells.size), (first, cells.ravel())), (nodes, nodes))
    refuse_graph_parts(owner, graph)


def refuse_graph_parts(owner: str, graph: Any) -> None:
    """Refuse a graph of nodes (N, N) that is not connected."""
    count, part = connected_components(graph, directed=False)
    if count > 1:
        second = int(np.flatnonzero(part != part[0])[0])
        raise ModelError.plain(
            f"{owner}: the mesh has {count} parts that share no nodes, node {second} is not in the "
            "part of node 0, expected one part (merge nodes that are in the same place)"
        )


def symmetric(owner: str, field: str, component: Component, matrix: Any) -> sparse.csc_array:
    """Return a matrix (size, size) as a symmetric sparse one.

    Differences that come from the digits of a file are evened out, larger ones are refused.
    """
    if not sparse.issparse(matrix):
        matrix = validate.array(owner, field, matrix, "finite numbers")
    size = component.size
    if matrix.shape != (size, size):
        raise ModelError.plain(
            f"{owner}: {field} has the shape {matrix.shape}, expected {(size, size)} for "
            f"{len(component.nodes)} nodes with {component.node_size} coordinates"
        )
    found = sparse.csc_array(matrix, dtype=np.float64)
    if not np.all(np.isfinite(found.data)):
        raise ModelError(owner, field, "not finite", "finite numbers")
    scale = np.sqrt(np.abs(found.diagonal()))
    scale[scale == 0.0] = scale.max(initial=0.0) or 1.0
    difference = sparse.coo_array(found - found.T)
    relative = np.abs(difference.data) / (scale[difference.row] * scale[difference.col])
    if relative.size and relative.max() > SYMMETRY:
        worst = int(np.argmax(relative))
        i, j = int(difference.row[worst]), int(difference.col[worst])
        raise ModelError.plain(
            f"{owner}: {field} is {found[i, j]:.9g} for ({coordinate_name(component, i)}, "
            f"{coordinate_name(component, j)}) and {found[j, i]:.9g} the other way round, "
            "expected a symmetric matrix"
        )
    return sparse.csc_array(0.5 * (found + found.T)) if difference.nnz else found


def refuse_negative_diagonal(owner: str, field: str, component: Component, matrix: Any) -> None:
    """Refuse negative entries on the diagonal: no definite matrix has them."""
    diagonal = matrix.diagonal()
    worst = int(np.argmin(diagonal))
    if diagonal[worst] < 0.0:
        raise ModelError.plain(
            f"{owner}: {field} of {coordinate_name(component, worst)} is {diagonal[worst]:.6g}, "
            "expected zero or a positive number"
        )


def refuse_separate_parts(owner: str, component: Component, stiffness: Any) -> None:
    """Refuse a stiffness that leaves some nodes unconnected with the others."""
    found = sparse.coo_array(stiffness)
    pairs = (found.row // component.node_size, found.col // component.node_size)
    nodes = len(component.nodes)
    refuse_graph_parts(owner, sparse.coo_array((np.abs(found.data), pairs), (nodes, nodes)))


def negative_eigenvalues(component: Component, matrix: Any) -> tuple[int, float]:
    """Number of clearly negative eigenvalues of a symmetric matrix, and the lowest one.

    The matrix is scaled to a diagonal of ones, so that the eigenvalues have no unit.
    """
    from scipy.sparse.linalg import eigsh

    from supple.fem.base.vibration import Factor

    scale = np.sqrt(np.abs(matrix.diagonal()))
    scale[scale == 0.0] = 1.0
    unit = sparse.diags_array(1.0 / scale)
    scaled = sparse.csc_array(unit @ matrix @ unit)
    # Rows without entries would be zero pivots.
    shifted = sparse.csc_array(scaled + NEGATIVE * sparse.eye_array(component.size))
    number = Factor(component, shifted, np.arange(component.size)).negative
    if number == 0:
        return 0, 0.0
    if component.size <= 100:
        return number, float(np.linalg.eigvalsh(scaled.toarray())[0])
    lowest = eigsh(scaled, 1, which="SA", return_eigenvectors=False, tol=1e-3)
    return number, float(lowest[0])
