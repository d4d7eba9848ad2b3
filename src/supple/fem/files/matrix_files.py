"""Components from files of CalculiX, and components that Supple saved (NPZ).

A model in millimetres, tonnes, seconds and MPa is read with ``units="mm"``.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.component import expect_component
from supple.fem.base.imported import ImportedComponent
from supple.fem.base.number_table import number_table
from supple.fem.files.input_deck import read_deck
from supple.fem.files.matrix_rows import Units, component_of_rows, from_triangle
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import ModelError, describe
from supple.foundation.input_files import contained, existing, path_of, read_text

ENTRIES = "a matrix as row, column, entry"
MATRICES, PARTS = ("mass_matrix", "stiffness_matrix"), ("data", "indices", "indptr")
NPZ_FIELDS = ("nodes", "node_size", "labels", *(f"{m}/{p}" for m in MATRICES for p in PARTS))


def read_calculix(job: str | Path, units: Units = "m") -> ImportedComponent:
    """Read a job of CalculiX with ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` and no supports.

    ``job`` is the path without ending: ``job.sti`` (stiffness), ``job.mas`` (mass), ``job.dof``
    (coordinates) and ``job.inp`` (nodes, node sets) are read. CalculiX turns shells and beams into
    solids: its nodes have translations only.
    """
    base = path_of("read_calculix", "job", job)
    dof, sti, mas, inp = (_of_job(base, ending) for ending in (".dof", ".sti", ".mas", ".inp"))
    pairs = _coordinates(dof)
    K, M = (
        from_triangle(path.name, number_table(path, (3,), ENTRIES), len(pairs))
        for path in (sti, mas)
    )
    deck = read_deck(inp)
    # Nodes of the deck that carry no element have no coordinates in the matrices.
    component = component_of_rows(base.name, deck, pairs, M, K, units)
    for path, matrix in ((sti, K), (mas, M)):
        if not np.all(matrix.diagonal() > 0.0):
            node, direction = pairs[int(np.argmin(matrix.diagonal()))]
            raise ModelError.plain(
                f"{path.name}: direction {direction} of node {node} has no positive entry on the "
                "diagonal, expected one for each row of the whole matrix"
            )
    return component


def save_component(path: str | Path, component: Any) -> None:
    """Write nodes, matrices and groups of any component to an NPZ file."""
    expect_component("save_component", component)
    arrays: dict[str, Any] = {
        "nodes": component.nodes,
        "node_size": np.array(component.node_size),
        "labels": getattr(component, "labels", np.arange(len(component.nodes))),
    }
    for name in MATRICES:
        matrix = sparse.csc_array(getattr(component, name))
        for part in PARTS:
            arrays[f"{name}/{part}"] = getattr(matrix, part)
    for name, members in getattr(component, "groups", {}).items():
        arrays[f"group/{name}"] = members
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    write_whole(path, buffer.getbuffer())


def load_component(path: str | Path) -> ImportedComponent:
    """Read an NPZ file written by `save_component`; it holds numbers only and runs no code."""
    source = path_of("load_component", "path", path)
    expected = "a file of save_component"
    existing(source, expected)
    with contained(source.name, expected), np.load(source, allow_pickle=False) as file:
        names = set(getattr(file, "files", ()))
        missing = [name for name in NPZ_FIELDS if name not in names]
        if missing:
            raise ModelError.plain(
                f"{source.name}: there is no {missing[0]!r}, expected a file of save_component"
            )
        data = {name: file[name] for name in names}
        M, K = (
            _of_parts(source.name, matrix, *(data[f"{matrix}/{part}"] for part in PARTS))
            for matrix in MATRICES
        )
        groups = {n.removeprefix("group/"): v for n, v in data.items() if n.startswith("group/")}
        size = int(data["node_size"])
        return ImportedComponent(data["nodes"], size, M, K, groups, data["labels"], source.stem)


def _of_parts(name: str, field: str, data: Any, indices: Any, starts: Any) -> sparse.csc_array:
    """A square matrix from its stored columns, after a look at the numbers of its rows."""
    size = len(starts) - 1
    whole = all(part.ndim == 1 and part.dtype.kind in "iu" for part in (indices, starts))
    inside = whole and (not indices.size or 0 <= indices.min() <= indices.max() < size)
    ordered = whole and size >= 0 and starts[0] == 0 and np.all(np.diff(starts) >= 0)
    if not (inside and ordered and data.shape == indices.shape and starts[-1] == len(indices)):
        raise ModelError.plain(
            f"{name}: {field} is no sparse matrix, expected a file of save_component"
        )
    return sparse.csc_array((data, indices, starts), shape=(size, size))


def _coordinates(path: Path) -> Any:
    """Node and direction (k, 2) of each row of the matrices, written as ``node.direction``."""
    rows = read_text(path, "lines such as 12.3, node and direction of each row").split()
    wrong = next((row for row in rows if not re.fullmatch(r"\d+\.\d+", row)), "nothing")
    pairs = [row.split(".") for row in rows]
    if wrong != "nothing" or not rows:
        raise ModelError.plain(
            f"{path.name}: a line is {wrong!r}, expected node and direction such as 12.3"
        )
    return np.array([[int(node), int(direction)] for node, direction in pairs])


def _of_job(base: Path, ending: str) -> Path:
    """A file of a job of CalculiX."""
    path = base.with_name(base.name + ending)
    if not os.path.exists(path):  # a name that is too long is no file either
        name, wanted = describe(base.name)[1:-1], describe(path.name)[1:-1]
        raise ModelError.plain(f"{name}: there is no file {wanted}, expected it to exist")
    return existing(path, "a file of CalculiX")
