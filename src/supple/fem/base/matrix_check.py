"""Checks of mass and stiffness matrices: shape, symmetry, definiteness, connections."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.component import Component, coordinate_name
from supple.fem.base.mesh_check import refuse_graph_parts
from supple.foundation import validate
from supple.foundation.errors import ModelError

# Entries may differ from their mirror images by this fraction of the diagonal: files with
# seven digits pass, wrong ones do not.
SYMMETRY = 1e-6
# Eigenvalues count as negative below this fraction of the largest diagonal entry.
NEGATIVE = 1e-9


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
