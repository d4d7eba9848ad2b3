"""Components from files of CalculiX, and components that Supple saved (NPZ).

A model in millimetres, tonnes, seconds and MPa is read with ``units="mm"``.

Components from files of Matrix Market. A file begins with ``%%MatrixMarket matrix``, then
"coordinate" (sparse) or "array" (dense, by columns), the kind of numbers and the symmetry. After
comments there is a line with rows, columns and, if sparse, the number of entries; then one entry in
each line.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.component import expect_component
from supple.fem.base.imported import ImportedComponent
from supple.fem.base.mesh_check import node_places
from supple.fem.files.input_deck import read_deck
from supple.fem.files.matrix_rows import (
    Units,
    component_of_rows,
    convert,
    file_integers,
    from_triangle,
    number_table,
)
from supple.foundation import validate
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import ModelError, describe
from supple.foundation.input_files import contained, existing, path_of, read_text

ENTRIES = "a matrix as row, column, entry"
MATRICES, PARTS = ("mass_matrix", "stiffness_matrix"), ("data", "indices", "indptr")
NPZ_FIELDS = ("nodes", "node_size", "labels", *(f"{m}/{p}" for m in MATRICES for p in PARTS))
WORDS = ("matrix", "coordinate or array", "real or integer", "general or symmetric")


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


def read_matrix_market(
    stiffness: str | Path,
    mass: str | Path,
    nodes: ArrayLike,
    node_size: Literal[3, 6] = 3,
    units: Units = "m",
) -> ImportedComponent:
    """Read two Matrix Market files with the coordinates of the first node (N, 3) first."""
    owner = "read_matrix_market"
    paths = [path_of(owner, f, p) for f, p in (("stiffness", stiffness), ("mass", mass))]
    validate.choice(owner, "node_size", node_size, (3, 6))
    places = node_places(paths[0].name, "nodes", nodes)
    K, M = (_matrix_market(path, node_size * len(places)) for path in paths)
    found, M, K = convert(places, node_size, M, K, units)
    return ImportedComponent(found, node_size, M, K, name=paths[0].stem)


def _matrix_market(path: Path, size: int) -> sparse.csc_array:
    """Matrix (size, size); what the header declares is compared with the nodes and the file."""
    expected = "a matrix in the format of Matrix Market"
    lines = read_text(path, expected, replaced=True).splitlines()
    head = lines[0].lower().split()
    if head[:1] != ["%%matrixmarket"] or len(head) != 5:
        raise ModelError.plain(
            f"{path.name}: its first line is not %%MatrixMarket and four words, expected {expected}"
        )
    for word, allowed in zip(head[1:], WORDS, strict=True):
        if word not in allowed.split(" or "):
            raise ModelError.plain(f"{path.name}: its header says {word!r}, expected {allowed}")
    sparsely, symmetric = head[2] == "coordinate", head[4] == "symmetric"
    body = [line for line in lines[1:] if line.strip() and not line.startswith("%")]
    found = _numbers(path.name, " ".join(body))
    declared = file_integers(path.name, "a size", found[: 3 if sparsely else 2]).tolist()
    if declared[:2] != [size, size]:
        raise ModelError.plain(
            f"{path.name}: the matrix has the shape {tuple(declared[:2])}, expected "
            f"{(size, size)}, the coordinates of the nodes"
        )
    width, entries = (3, declared[-1]) if sparsely else (1, size * size)
    if symmetric and not sparsely:
        entries = size * (size + 1) // 2
    values = found[len(declared) :]
    if len(declared) != (3 if sparsely else 2) or values.size != width * entries:
        raise ModelError.plain(
            f"{path.name}: it declares {entries} entries and has {values.size / width:g}, expected "
            "as many as it declares"
        )
    if sparsely:
        ends = file_integers(path.name, "a row or column", values.reshape(-1, 3)[:, :2])
        if ends.size and (ends.min() < 1 or ends.max() > size):
            wrong = int(ends[(ends < 1) | (ends > size)][0])
            raise ModelError.plain(f"{path.name}: a row or column is {wrong}, expected 1 to {size}")
        rows, columns, values = *(ends - 1).T, values[2::3]
    elif symmetric:
        columns, rows = np.triu_indices(size)
    else:
        columns, rows = np.divmod(np.arange(entries), size)
    matrix = sparse.csc_array(sparse.coo_array((values, (rows, columns)), (size, size)))
    if not symmetric:
        return matrix
    return sparse.csc_array(matrix + matrix.T - sparse.diags_array(matrix.diagonal()))


def _numbers(name: str, text: str) -> Any:
    try:
        found = np.array(text.split(), dtype=float)
    except ValueError:
        found = np.array([np.nan])
    if not found.size or not np.all(np.isfinite(found)):
        raise ModelError.plain(f"{name}: a line is not made of finite numbers, expected entries")
    return found
