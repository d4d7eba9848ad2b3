"""Rectangular plates, divided into triangles in rows."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from supple.fem.base.material import Material
from supple.fem.base.mesh_check import MOST_ELEMENTS, owner_label
from supple.fem.shells.shell import ShellMesh
from supple.foundation import validate
from supple.foundation.arrays import Booleans, Integers
from supple.foundation.errors import ModelError

Pattern = Literal["right", "left", "alternate", "centre", "mirror", "cross"]
PATTERNS: tuple[Pattern, ...] = ("right", "left", "alternate", "centre", "mirror", "cross")


def plate(
    size_x: float,
    size_y: float,
    nx: int,
    ny: int,
    *,
    thickness: Any,
    material: Material,
    pattern: Pattern = "alternate",
    rotary_inertia: bool = True,
    name: str = "",
) -> ShellMesh:
    """Plate in the plane z = 0, from the origin to (size_x, size_y), top towards +z.

    Parameters
    ----------
    size_x, size_y : m
    nx, ny : int
        Cells along x and y; each is cut into two triangles, by "cross" into four.
    thickness : m, or one for each triangle
    material : Material
    pattern : str
        Diagonals of the cells: "right" all rise along x (/), "left" all fall, "alternate" change
        from cell to cell, "centre" all point to the centre of the plate, "mirror" rise below the
        middle line y = size_y / 2 and fall above it; "cross" cuts by both diagonals.
    rotary_inertia, name
        As in `ShellMesh`.

    Node ``i + (nx + 1) j`` is at (size_x i / nx, size_y j / ny); the centres of "cross" follow.
    """
    owner = owner_label("plate", name)
    lengths = validate.positive(owner, "size_x", size_x), validate.positive(owner, "size_y", size_y)
    expected = "a whole number of cells, 1 or more"
    counts = [validate.integer(owner, n, v, 1, expected) for n, v in (("nx", nx), ("ny", ny))]
    if math.prod(counts) > MOST_ELEMENTS:
        raise ModelError(owner, "nx * ny", math.prod(counts), f"at most {MOST_ELEMENTS} cells")
    validate.choice(owner, "pattern", pattern, PATTERNS)
    x, y = (np.linspace(0.0, size, n + 1) for size, n in zip(lengths, counts, strict=True))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    i, j = (c.ravel() for c in np.meshgrid(*(np.arange(n) for n in counts)))
    first = i + (counts[0] + 1) * j
    # Corners of the cells, counterclockwise from below left.
    cells = np.stack([first, first + 1, first + counts[0] + 2, first + counts[0] + 1], axis=1)
    if pattern == "cross":
        middles = len(grid) + np.arange(len(cells))
        grid = np.concatenate([grid, grid[cells].mean(axis=1)])
        triangles = np.concatenate(
            [np.stack([cells[:, k], cells[:, (k + 1) % 4], middles], axis=1) for k in range(4)]
        )
        order = np.arange(4 * len(cells)).reshape(4, -1).T.ravel()  # the four of a cell together
        triangles = triangles[order]
    else:
        triangles = _halves(cells, _rises(pattern, i, j, *counts))
    nodes = np.column_stack([grid, np.zeros(len(grid))])
    return ShellMesh(
        nodes, triangles, thickness, material, rotary_inertia=rotary_inertia, name=name
    )


def _rises(pattern: Pattern, i: Integers, j: Integers, nx: int, ny: int) -> Booleans:
    """Whether the diagonal of the cell i, j rises along x."""
    left, below = 2 * i + 1 <= nx, 2 * j + 1 <= ny
    rises: dict[str, Booleans] = {
        "right": i >= 0,
        "left": i < 0,
        "alternate": (i + j) % 2 == 0,
        "centre": left == below,
        "mirror": below,
    }
    return rises[pattern]


def _halves(cells: Integers, rises: Booleans) -> Integers:
    """Two triangles (2 n, 3) of each cell (n, 4), cut along its rising or falling diagonal."""
    rising, falling = cells[:, [0, 1, 2, 0, 2, 3]], cells[:, [0, 1, 3, 1, 2, 3]]
    return np.where(rises[:, None], rising, falling).reshape(-1, 3)
