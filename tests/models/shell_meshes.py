"""Shells for tests, and what is solved on them."""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import eigsh, spsolve

from supple.fem.base.material import Material
from supple.fem.shells.shell import ShellMesh, plate

ALUMINIUM = Material(E=70e9, G=70e9 / 2.6, density=2700.0, name="aluminium")  # nu = 0.3
Array = np.ndarray


def isotropic(E: float, nu: float, density: float = 1.0) -> Material:
    return Material(E=E, G=E / (2.0 * (1.0 + nu)), density=density)


def turned(seed: int) -> Array:
    """A rotation matrix (3, 3) like no other."""
    Q, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def irregular(seed: int = 0, n: int = 4, material: Material = ALUMINIUM, **options) -> ShellMesh:
    """Flat mesh of about 2 m x 1 m with inner nodes moved at random, in the plane z = 0."""
    mesh = plate(2.0, 1.0, n, n, thickness=0.01, material=material, pattern="alternate")
    nodes = mesh.nodes.copy()
    inner = (nodes[:, 0] > 0) & (nodes[:, 0] < 2) & (nodes[:, 1] > 0) & (nodes[:, 1] < 1)
    move = np.random.default_rng(seed).uniform(-0.3, 0.3, (len(nodes), 2)) / n
    nodes[inner, :2] += (move * [2.0, 1.0])[inner]
    return ShellMesh(nodes, mesh.triangles, 0.01, material, **options)


def folded(seed: int = 1, material: Material = ALUMINIUM, **options) -> ShellMesh:
    """A crooked roof of 18 triangles in space, no two of them in one plane."""
    flat = plate(1.0, 1.0, 3, 3, thickness=0.01, material=material, pattern="right")
    rng = np.random.default_rng(seed)
    nodes = flat.nodes + rng.uniform(-0.08, 0.08, flat.nodes.shape)
    nodes[:, 2] += 0.4 * np.abs(nodes[:, 0] - 0.5)
    thickness = rng.uniform(0.005, 0.02, len(flat.triangles))
    return ShellMesh(
        nodes @ turned(seed).T + [0.3, -0.2, 0.5], flat.triangles, thickness, material, **options
    )


def rigid(nodes: Array) -> Array:
    """Small rigid motions (6 N, 6) about the origin: three translations, three rotations."""
    modes = np.zeros((len(nodes), 6, 6))
    for k, axis in enumerate(np.eye(3)):
        modes[:, :3, k] = axis
        modes[:, :3, 3 + k] = np.cross(axis, nodes)
        modes[:, 3:, 3 + k] = axis
    return modes.reshape(-1, 6)


def at(nodes: Array | list[int], *coordinates: int) -> Array:
    """Places of some of the six coordinates of some nodes."""
    return (6 * np.asarray(nodes)[:, None] + np.array(coordinates)).ravel()


def where(condition: Array) -> Array:
    return np.flatnonzero(condition)


def solve(mesh: ShellMesh, load: Array, fixed: Array) -> Array:
    """Nodal coordinates (size,) under a load (size,), with some coordinates held at zero."""
    free = np.setdiff1d(np.arange(mesh.size), fixed)
    q = np.zeros(load.shape)
    q[free] = spsolve(mesh.stiffness_matrix[free][:, free].tocsc(), load[free])
    return q


def frequencies(mesh: ShellMesh, fixed: Array, count: int) -> Array:
    """Lowest angular frequencies (count,) with some coordinates held at zero, rad/s."""
    free = np.setdiff1d(np.arange(mesh.size), fixed)
    K, M = (A[free][:, free].tocsc() for A in (mesh.stiffness_matrix, mesh.mass_matrix))
    # A start of our own: the same digits every time.
    start = np.random.default_rng(0).normal(size=len(free))
    values = eigsh(K, count, M, sigma=0.0, v0=start, return_eigenvectors=False)
    return np.sqrt(np.sort(values))


def lumped(mesh: ShellMesh, coordinate: int, pressure: float = 1.0) -> Array:
    """Load (size,) of a force per area along one axis, a third to each corner of a triangle."""
    load = np.zeros(mesh.size)
    np.add.at(load, 6 * mesh.triangles + coordinate, pressure * mesh.shape.areas[:, None] / 3.0)
    return load
