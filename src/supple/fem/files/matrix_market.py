"""Components from files of Matrix Market.

A file begins with ``%%MatrixMarket matrix``, then "coordinate" (sparse) or "array" (dense, by
columns), the kind of numbers and the symmetry. After comments there is a line with rows, columns
and, if sparse, the number of entries; then one entry in each line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from supple.fem.base.imported import ImportedComponent
from supple.fem.base.mesh_check import node_places
from supple.fem.base.number_table import file_integers
from supple.fem.files.matrix_rows import Units, convert
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of, read_text

WORDS = ("matrix", "coordinate or array", "real or integer", "general or symmetric")


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
    places = node_places(paths[0].name, nodes)
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
