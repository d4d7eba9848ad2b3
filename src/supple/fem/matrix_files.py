"""Components from files of other programs: CalculiX, Abaqus, Matrix Market, NPZ.

A model in millimetres, tonnes, seconds and MPa is read with ``units="mm"``.
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.errors import ModelError
from supple.fem.imported import ImportedComponent
from supple.fem.input_deck import read_deck
from supple.fem.matrix_rows import Units, component_of_rows, convert, from_triangle
from supple.fem.mesh_check import node_places
from supple.writing import write_whole

MATRICES, PARTS = ("mass_matrix", "stiffness_matrix"), ("data", "indices", "indptr")
NPZ_FIELDS = ("nodes", "node_size", "labels", *(f"{m}/{p}" for m in MATRICES for p in PARTS))


def read_calculix(job: str | Path, units: Units = "m") -> ImportedComponent:
    """Read a job of CalculiX with ``*FREQUENCY, SOLVER=MATRIXSTORAGE`` and no supports.

    ``job`` is the path without ending: ``job.sti`` (stiffness), ``job.mas`` (mass), ``job.dof``
    (coordinates) and ``job.inp`` (nodes, node sets) are read. CalculiX turns shells and beams into
    solids: its nodes have translations only.
    """
    base = Path(job)
    rows = [line.split(".") for line in _file(base, ".dof").read_text().split()]
    pairs = np.array([[int(node), int(direction)] for node, direction in rows])
    K, M = (
        from_triangle(_table(_file(base, ending), 3), len(pairs)) for ending in (".sti", ".mas")
    )
    deck = read_deck(_file(base, ".inp"))
    # Nodes of the deck that carry no element have no coordinates in the matrices.
    return component_of_rows(base.name, deck, pairs, M, K, units)


def read_abaqus(
    stiffness: str | Path, mass: str | Path, model: str | Path, units: Units = "m"
) -> ImportedComponent:
    """Read matrices of Abaqus (``*MATRIX OUTPUT, FORMAT=MATRIX INPUT``) of a free body.

    ``stiffness`` and ``mass`` are ``job_STIF1.mtx`` and ``job_MASS1.mtx``: lines with row node, its
    direction, column node, its direction and the entry. ``model`` is the input file with the nodes.
    """
    tables = [_table(Path(path), 5) for path in (stiffness, mass)]
    ends = np.vstack([table[:, k : k + 2].astype(np.int64) for table in tables for k in (0, 2)])
    pairs, places = np.unique(ends, axis=0, return_inverse=True)
    matrices, start = [], 0
    for table in tables:
        n = len(table)
        row, column = places.ravel()[start : start + n], places.ravel()[start + n : start + 2 * n]
        entries = np.column_stack([row + 1, column + 1, table[:, 4]])
        matrices.append(from_triangle(entries, len(pairs)))
        start += 2 * n
    K, M = matrices
    return component_of_rows(Path(stiffness).stem, read_deck(model), pairs, M, K, units)


def read_matrix_market(
    stiffness: str | Path,
    mass: str | Path,
    nodes: ArrayLike,
    node_size: Literal[3, 6] = 3,
    units: Units = "m",
) -> ImportedComponent:
    """Read two Matrix Market files with the coordinates of the first node (N, 3) first."""
    from scipy.io import mmread

    name = Path(stiffness).name
    K, M = (sparse.csc_array(mmread(_file(Path(path), ""))) for path in (stiffness, mass))
    found, M, K = convert(node_places(name, nodes), node_size, M, K, units)
    return ImportedComponent(found, node_size, M, K, name=Path(stiffness).stem)


def save_component(path: str | Path, component: Any) -> None:
    """Write nodes, matrices and groups of any component to an NPZ file."""
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
    with np.load(_file(Path(path), ""), allow_pickle=False) as file:
        names = set(file.files)
        missing = [name for name in NPZ_FIELDS if name not in names]
        if missing:
            raise ModelError.plain(
                f"{Path(path).name}: there is no {missing[0]!r}, expected a file of save_component"
            )
        data = {name: file[name] for name in names}
    M, K = (
        sparse.csc_array(tuple(data[f"{matrix}/{part}"] for part in PARTS)) for matrix in MATRICES
    )
    groups = {n.removeprefix("group/"): v for n, v in data.items() if n.startswith("group/")}
    size = int(data["node_size"])
    labels, name = data["labels"], Path(path).stem
    return ImportedComponent(data["nodes"], size, M, K, groups, labels, name)


def _file(base: Path, ending: str) -> Path:
    path = base.with_name(base.name + ending)
    if not path.is_file():
        raise ModelError.plain(f"{base.name}: there is no file {path.name}, expected it to exist")
    return path


def _table(path: Path, columns: int) -> Any:
    """Numbers (k, columns) of a file with blanks or commas between them, without comments."""
    text = [line.strip() for line in _file(path, "").read_text().splitlines()]
    lines = [line for line in text if line and not line.startswith("*")]
    try:
        found = np.array(" ".join(lines).replace(",", " ").split(), dtype=float)
    except ValueError:
        found = np.empty(1)
    if found.size == 0 or found.size % columns or found.size != columns * len(lines):
        raise ModelError.plain(
            f"{path.name}: its lines are not all made of {columns} numbers, expected a matrix as "
            "row, column, entry"
        )
    return found.reshape(-1, columns)
