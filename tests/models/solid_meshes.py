"""Small solid meshes for tests: blocks, skewed and curved ones."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.foundation.arrays import Array

KINDS = ("tet4", "tet10", "hex8", "hex20", "hex27")
STEEL = sp.Material(E=2.1e11, G=2.1e11 / 2.6, density=7850.0)
# No Poisson's ratio: bars have one-dimensional exact solutions.
CORK = sp.Material(E=2.0e9, G=1.0e9, density=500.0)


def curved(kind: str, divisions=(2, 2, 1), material=STEEL) -> sp.fem.SolidMesh:
    """A block bent by a quadratic map, so that faces of elements with middle nodes are curved."""
    mesh = sp.fem.block((0.6, 0.4, 0.2), divisions, kind, material)
    x, y, z = mesh.nodes.T
    nodes = np.stack([x + 0.3 * y * z, y + 0.4 * x * x, z + 0.5 * x * y], axis=1)
    return sp.fem.SolidMesh(nodes, mesh.cells, kind, material, mesh.groups)


def shaken(kind: str, divisions=(3, 3, 3)) -> sp.fem.SolidMesh:
    """A block whose inner nodes are moved at random, also those in the middle of edges."""
    mesh = sp.fem.block((1.0, 0.8, 0.6), divisions, kind, STEEL)
    step = 0.05 if kind in ("tet4", "hex8") else 0.02
    inner = inside(mesh)
    nodes = mesh.nodes.copy()
    nodes[inner] += np.random.default_rng(1).uniform(-step, step, (len(inner), 3))
    return sp.fem.SolidMesh(nodes, mesh.cells, kind, STEEL, mesh.groups)


def inside(mesh: sp.fem.SolidMesh) -> Array:
    """Nodes that are on none of the six faces."""
    faces = np.unique(np.concatenate(list(mesh.groups.values())))
    return np.setdiff1d(np.arange(len(mesh.nodes)), faces)


def coordinates(nodes: Array, size: int = 3) -> Array:
    """All coordinates of some nodes."""
    return (size * np.asarray(nodes)[:, None] + np.arange(size)).ravel()
