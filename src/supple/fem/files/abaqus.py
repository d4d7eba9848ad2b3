"""Components from Abaqus: matrices of ``*MATRIX OUTPUT`` in its text formats."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import rigid_modes
from supple.fem.base.imported import ImportedComponent
from supple.fem.files.input_deck import InputDeck, read_deck
from supple.fem.files.matrix_rows import (
    Units,
    component_of_rows,
    file_integers,
    from_triangle,
    number_table,
)
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of

# Abaqus marks a held coordinate by this entry on the diagonal of the stiffness.
SUPPORT = 1e36
# A rigid motion may need this fraction of the sums of entries as a force: digits of the file.
RIGID = 1e-6
ENTRIES = (
    "entries as row, column, value (COORDINATE) or as row node, its direction, column node, its "
    "direction, value (MATRIX INPUT)"
)


def read_abaqus(
    stiffness: str | Path,
    mass: str | Path,
    model: str | Path,
    units: Units = "m",
    rows: str | Path | ArrayLike | None = None,
) -> ImportedComponent:
    """Read matrices that Abaqus wrote by ``*MATRIX OUTPUT`` of a free body.

    Parameters
    ----------
    stiffness, mass : files such as ``job_STIF1.mtx`` and ``job_MASS1.mtx``
        With ``FORMAT=MATRIX INPUT``: lines of row node, its direction, column node, its direction
        and entry. With ``FORMAT=COORDINATE``: lines of row, column and entry. Both triangles, or
        one of them.
    model : file
        The input file with the nodes.
    units : "m" or "mm"
    rows : (k, 2) integers or a file with such lines, optional
        Node and direction (1 to 6) of each row of a COORDINATE matrix. Without it the rows are
        those of all nodes of the model, by their numbers, with three or six directions each.

    Whether rows belong to the right nodes is seen from the rigid motions, which need no force.
    Internal nodes of Abaqus (their numbers are negative) are eliminated exactly; they must have
    no mass.
    """
    owner = "read_abaqus"
    paths = [
        path_of(owner, field, path)
        for field, path in (("stiffness", stiffness), ("mass", mass), ("model", model))
    ]
    deck = read_deck(paths[2])
    tables = [number_table(path, (3, 5), ENTRIES) for path in paths[:2]]
    widths = {table.shape[1] for table in tables}
    if len(widths) > 1:
        raise ModelError.plain(
            f"{paths[0].name} has {tables[0].shape[1]} numbers in each line and {paths[1].name} "
            f"has {tables[1].shape[1]}, expected the same format of both"
        )
    names = (paths[0].name, paths[1].name)
    if widths == {5}:
        if rows is not None:
            raise ModelError(owner, "rows", rows, "nothing: the files name nodes and directions")
        pairs, K, M = _by_labels(names, tables)
    else:
        pairs, K, M = _by_numbers(names, tables, deck, rows)
    _refuse_supports(paths[0].name, pairs, K)
    pairs, K, M = _without_internal(paths[0].name, pairs, K, M)
    component = component_of_rows(paths[0].stem, deck, pairs, M, K, units)
    _refuse_wrong_rows(paths[0].name, component)
    return component


def _by_labels(names: tuple[str, ...], tables: list[Array]) -> tuple[Indices, Any, Any]:
    """Rows (k, 2), stiffness and mass of lines with nodes and directions."""
    labels = [
        file_integers(name, "a node or direction", table[:, :4])
        for name, table in zip(names, tables, strict=True)
    ]
    ends = np.vstack([found[:, k : k + 2] for found in labels for k in (0, 2)])
    pairs, places = np.unique(ends, axis=0, return_inverse=True)
    matrices, start = [], 0
    for name, table in zip(names, tables, strict=True):
        n = len(table)
        row, column = places.ravel()[start : start + n], places.ravel()[start + n : start + 2 * n]
        entries = np.column_stack([row + 1, column + 1, table[:, 4]])
        matrices.append(from_triangle(name, entries, len(pairs)))
        start += 2 * n
    return pairs, matrices[0], matrices[1]


def _by_numbers(
    names: tuple[str, ...], tables: list[Array], deck: InputDeck, rows: Any
) -> tuple[Indices, Any, Any]:
    """Rows (k, 2), stiffness and mass of lines with numbers of rows and columns."""
    pairs = _all_rows(names[0], tables, deck) if rows is None else _given_rows(rows)
    K, M = (
        from_triangle(name, table, len(pairs)) for name, table in zip(names, tables, strict=True)
    )
    return pairs, K, M


def _all_rows(name: str, tables: list[Array], deck: InputDeck) -> Indices:
    size, nodes = int(max(table[:, :2].max() for table in tables)), len(deck.labels)
    if size not in (3 * nodes, 6 * nodes):
        raise ModelError.plain(
            f"{name}: it has {size} rows, expected 3 or 6 for each of {nodes} nodes of the model, "
            "or rows=... with node and direction of each row"
        )
    directions = size // nodes
    return np.column_stack(
        [np.repeat(deck.labels, directions), np.tile(np.arange(1, directions + 1), nodes)]
    )


def _given_rows(rows: Any) -> Indices:
    owner, expected = "read_abaqus", "node and direction (1 to 6) of each row"
    if isinstance(rows, (str, Path)):
        path = path_of(owner, "rows", rows)
        return file_integers(path.name, "a row", number_table(path, (2,), expected))
    try:
        found = np.array(rows)
    except ValueError:
        found = np.empty(0)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ModelError(owner, "rows", rows, expected)
    return found.astype(np.int64)


def _refuse_supports(name: str, pairs: Indices, K: Any) -> None:
    held = np.flatnonzero(np.abs(K.diagonal()) >= SUPPORT)
    if len(held):
        node, direction = pairs[held[0]]
        raise ModelError.plain(
            f"{name}: direction {direction} of node {node} has {K.diagonal()[held[0]]:g} on the "
            "diagonal, which Abaqus writes for a support, expected matrices of the free body"
        )


def _without_internal(name: str, pairs: Indices, K: Any, M: Any) -> tuple[Indices, Any, Any]:
    """Rows, stiffness and mass without internal nodes, by static condensation.

    They have no mass, so that nothing is neglected.
    """
    inner, outer = np.flatnonzero(pairs[:, 0] < 0), np.flatnonzero(pairs[:, 0] >= 0)
    if not len(inner):
        return pairs, K, M
    if abs(M[inner]).sum() > 0.0:
        raise ModelError.plain(
            f"{name}: node {pairs[inner[0], 0]} is internal and has mass, expected the mass at the "
            "nodes of the model only"
        )
    from scipy.sparse.linalg import splu

    K = sparse.csc_array(K)
    coupling = sparse.csc_array(K[inner][:, outer])
    try:
        found = splu(sparse.csc_array(K[inner][:, inner])).solve(coupling.toarray())
    except RuntimeError:
        raise ModelError.plain(
            f"{name}: the stiffness of its internal nodes is singular, expected one that can be "
            "eliminated"
        ) from None
    condensed = sparse.csc_array(K[outer][:, outer] - sparse.csc_array(coupling.T @ found))
    return pairs[outer], condensed, sparse.csc_array(M[outer][:, outer])


def _refuse_wrong_rows(name: str, component: ImportedComponent) -> None:
    """Refuse rows that belong to other nodes: then rigid motions would need forces."""
    motions, K = rigid_modes(component), component.stiffness_matrix
    force, sums = np.abs(K @ motions), np.abs(K) @ np.abs(motions)
    if np.any(force > RIGID * np.maximum(sums, RIGID * sums.max(axis=0))):
        raise ModelError.plain(
            f"{name}: moving the whole body needs a force, expected a free body, all of its "
            "entries, and rows in the order of the numbers of nodes (name others by rows=...)"
        )
