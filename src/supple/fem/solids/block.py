"""Structured meshes of boxes."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.material import Material
from supple.fem.base.mesh_check import MOST_ELEMENTS, owner_label
from supple.fem.base.solid_kinds import HEXAHEDRON, KINDS
from supple.fem.solids.solid import SolidMesh
from supple.foundation import validate
from supple.foundation.arrays import Indices
from supple.foundation.errors import ModelError

# Six tetrahedra of equal volume around the diagonal from corner 0 to corner 6 of a box; boxes
# divided like this fit to each other.
DIVIDED = ((0, 1, 2, 6), (0, 2, 3, 6), (0, 3, 7, 6), (0, 7, 4, 6), (0, 4, 5, 6), (0, 5, 1, 6))


def block(
    size: ArrayLike,
    divisions: Sequence[int],
    kind: str,
    material: Material,
    origin: ArrayLike = (0.0, 0.0, 0.0),
    name: str = "",
) -> SolidMesh:
    """Box along x, y, z with a regular mesh.

    Parameters
    ----------
    size : (3,) m
    divisions : three integers
        Hexahedra along x, y, z; each becomes six tetrahedra if these are asked for.
    kind : "tet4", "tet10", "hex8", "hex20" or "hex27"
    material : Material
    origin : (3,) m
        Place of the corner with the smallest x, y, z.

    The faces are groups of nodes: "x_min", "x_max", "y_min", "y_max", "z_min", "z_max".
    """
    owner = owner_label("block", name)
    lengths = validate.vector(owner, "size", size, expected="3 positive numbers")
    if lengths.min() <= 0.0:
        raise ModelError(owner, "size", size, "3 positive numbers")
    wanted = "3 positive integers"
    given = validate.listed(owner, "divisions", divisions, wanted)
    if len(given) != 3:
        raise ModelError(owner, "divisions", divisions, wanted)
    counts = [validate.integer(owner, "divisions", n, 1, wanted) for n in given]
    if math.prod(counts) > MOST_ELEMENTS:
        expected = f"{wanted} and no more than {MOST_ELEMENTS} elements"
        raise ModelError(owner, "divisions", divisions, expected)
    validate.choice(owner, "kind", kind, tuple(KINDS))
    degree = KINDS[kind].degree
    lattice, cells = _lattice_cells(kind, counts, [degree * n + 1 for n in counts])
    used, cells = np.unique(cells, return_inverse=True)
    steps = lattice[used]
    places = steps / (degree * np.array(counts)) * lengths + validate.vector(
        owner, "origin", origin
    )
    groups = {}
    for axis, letter in enumerate("xyz"):
        groups[f"{letter}_min"] = np.flatnonzero(steps[:, axis] == 0)
        groups[f"{letter}_max"] = np.flatnonzero(steps[:, axis] == degree * counts[axis])
    return SolidMesh(places, cells.reshape(-1, KINDS[kind].size), kind, material, groups, name)


def _lattice_cells(kind: str, counts: list[int], points: list[int]) -> tuple[Indices, Indices]:
    """Lattice steps (points, 3) and the lattice points of each element.

    x runs slowest, so that the numbers of a slender block along x have a narrow band.
    """
    described = KINDS[kind]
    grid = [np.arange(n) for n in points]
    lattice = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 3)
    boxes = np.stack(np.meshgrid(*(np.arange(n) for n in counts), indexing="ij"), axis=-1)
    corners = described.degree * boxes.reshape(-1, 1, 3)
    if described.simplex:
        tetrahedra = np.array(HEXAHEDRON)[np.array(DIVIDED)]  # (6, 4, 3)
        middles = [tetrahedra[:, list(c)].mean(axis=1) for c in described.averaged]
        local = np.concatenate([tetrahedra, np.array(middles).reshape(-1, 6, 3).swapaxes(0, 1)], 1)
        steps = np.rint(described.degree * local).astype(np.intp).reshape(-1, 3)
    else:
        steps = np.rint(described.degree * described.places).astype(np.intp)
    nodes = corners + steps
    cells = (nodes[..., 0] * points[1] + nodes[..., 1]) * points[2] + nodes[..., 2]
    return lattice, cells.reshape(-1, described.size)
