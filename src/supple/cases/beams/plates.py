"""Plates and a roof of triangles: deflections, frequencies, a shell benchmark.

Square plates of DKT triangles (J. L. Batoz, K. J. Bathe and L. W. Ho, A study of three-node
triangular plate bending elements, 1980) under a uniform load and a central force, on simple
supports and clamped; frequencies of simply supported and cantilevered plates; and the roof of
A. C. Scordelis and K. S. Lo, Computer analysis of cylindrical shells, 1964, with its membrane of
optimal triangles (C. A. Felippa, 2003).

The reference is an independent program with the same elements on the same meshes: "right" has all
diagonals from below left, "centre" all towards the middle. Loads are lumped, a third of each
triangle's on each corner. Deflections are w D / (q a^4) and w D / (P a^2), frequencies
omega a^2 sqrt(rho h / D), Poisson's ratio is 0.3.

Cantilevers are bodies of the model: a rigid interface is their clamped edge. Other supports cannot
be interfaces; they are put on the same bodies' matrices.

Tolerance: 1e-8 of each number, what two programs lose in ten thousand sums.
"""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from supple.bodies.structure.mesh import MeshBody
from supple.cases.case import ModelCase, Quantity, references
from supple.fem.base.material import Material
from supple.fem.shells.shell import Pattern, ShellMesh, plate
from supple.fem.ties.interface import Interface
from supple.foundation.arrays import Array, Booleans, Integers
from supple.model import Model

THICKNESS = 0.001  # m, of plates with side 1 m
ALUMINIUM = Material(E=70e9, G=70e9 / 2.6, density=2700.0)
RIGIDITY = 70e9 * THICKNESS**3 / 12 / (1 - 0.3**2)  # N m
PATTERNS: tuple[Pattern, ...] = ("right", "centre")
CELLS = (4, 8)
ROOF = Material(E=4.32e8, G=2.16e8, density=360.0)
RADIUS, HALF_LENGTH, OPENING = 25.0, 25.0, math.radians(40)
SAME = 1e-8


def plates() -> Model:
    """Return square plates by pattern and number of cells, each clamped at x = 0."""
    m = Model(gravity=(0, 0, 0), name="plates")
    for pattern in PATTERNS:
        for n in CELLS:
            mesh = plate(
                1.0,
                1.0,
                n,
                n,
                thickness=THICKNESS,
                material=ALUMINIUM,
                pattern=pattern,
                rotary_inertia=False,
            )
            edge = Interface("edge", (0, 0.5, 0), np.flatnonzero(mesh.nodes[:, 0] == 0.0))
            m.add(MeshBody(f"{pattern} {n}", mesh, [edge], modes=6))
    return m


def roof(n: int) -> ShellMesh:
    """A quarter of the roof, from its crown to its free edge and from its middle to its end."""
    flat = plate(1.0, 1.0, n, n, thickness=0.01, material=ROOF, pattern="left")
    s, t = flat.nodes[:, 0], flat.nodes[:, 1]
    bent = (RADIUS * np.sin(OPENING * s), HALF_LENGTH * t, RADIUS * np.cos(OPENING * s))
    return ShellMesh(np.column_stack(bent), flat.triangles, 0.25, ROOF)


def inspect(model: Model) -> list[Quantity]:
    """Compare deflections, frequencies and the free edge of the roof."""
    reference = references("plates")
    found: list[Quantity] = []

    def add(name: str, value: float, expected: float) -> None:
        found.append(Quantity(name, float(value), expected, SAME * expected))

    unit = math.sqrt(ALUMINIUM.density * THICKNESS / RIGIDITY)
    for pattern in PATTERNS:
        for n in CELLS:
            body = cast("MeshBody", model.bodies[f"{pattern} {n}"])
            known = reference[f"{pattern} {n}"]
            mesh = cast("ShellMesh", body.component)
            for support in ("simple", "clamped"):
                words = ("uniform", "central")
                values = _centre(mesh, _held(mesh, support))
                for word, value, expected in zip(words, values, known[support], strict=True):
                    add(f"{pattern} {n}, {support}, {word} load", value, expected)
            squares = _squares(mesh, _held(mesh, "simple"), 3)
            for k, expected in enumerate(known["simple_frequencies"]):
                add(f"{pattern} {n}, simple, frequency {k + 1}", squares[k] ** 0.5 * unit, expected)
            for k, expected in enumerate(known.get("cantilever_frequencies", ())):
                value = 2 * math.pi * body.modal().frequencies[k] * unit
                add(f"{pattern} {n}, cantilever, frequency {k + 1}", value, expected)
    for n, expected in ((4, "4"), (8, "8"), (16, "16")):
        add(f"roof of {n} by {n} cells, free edge", _free_edge(n), reference["roof"][expected])
    return found


def _coordinates(chosen: Booleans, *kinds: int) -> Integers:
    """Some of the six coordinates of the nodes that are chosen."""
    return np.asarray((6 * np.flatnonzero(chosen)[:, None] + np.array(kinds)).ravel())


def _held(mesh: ShellMesh, support: str) -> Integers:
    """Coordinates held by a support; motion in the plane always is."""
    x, y = mesh.nodes[:, 0], mesh.nodes[:, 1]
    across, along = (x == 0) | (x == 1), (y == 0) | (y == 1)
    held = [_coordinates(x > -1, 0, 1, 5)]
    if support == "clamped":
        held.append(_coordinates(across | along, 2, 3, 4))
    else:  # the slope along a supported side is zero, too
        held += [_coordinates(across | along, 2), _coordinates(across, 3), _coordinates(along, 4)]
    return np.unique(np.concatenate(held))


def _lumped(mesh: ShellMesh, pressure: float) -> Array:
    load = np.zeros(mesh.size)
    np.add.at(load, 6 * mesh.triangles + 2, pressure * mesh.shape.areas[:, None] / 3.0)
    return load


def _deflected(mesh: ShellMesh, loads: Array, held: Integers) -> Array:
    from scipy.sparse.linalg import splu

    free = np.setdiff1d(np.arange(mesh.size), held)
    q = np.zeros(loads.shape)
    q[free] = splu(mesh.stiffness_matrix[free][:, free].tocsc()).solve(loads[free])
    return q


def _centre(mesh: ShellMesh, held: Integers) -> Array:
    """Deflections (2,) of the centre under a uniform load and a central force."""
    centre = 6 * int(np.argmin(np.linalg.norm(mesh.nodes - [0.5, 0.5, 0.0], axis=1))) + 2
    loads = np.stack([_lumped(mesh, 1.0), np.eye(mesh.size)[centre]], axis=1)
    return np.asarray(_deflected(mesh, loads, held)[centre] * RIGIDITY)


def _squares(mesh: ShellMesh, held: Integers, count: int) -> Array:
    """Lowest squares of angular frequencies with coordinates held."""
    from scipy.linalg import eigh

    free = np.setdiff1d(np.arange(mesh.size), held)
    K, M = (X[free][:, free].toarray() for X in (mesh.stiffness_matrix, mesh.mass_matrix))
    return np.asarray(eigh(K, M, eigvals_only=True, subset_by_index=[0, count - 1]))


def _free_edge(n: int) -> float:
    """Deflection of the middle of the roof's free edge under its weight."""
    mesh = roof(n)
    grid = np.linspace(0.0, 1.0, n + 1)
    s, t = np.tile(grid, n + 1), np.repeat(grid, n + 1)
    held = [
        _coordinates(t == 1, 0, 2),
        _coordinates(s == 0, 0, 4, 5),
        _coordinates(t == 0, 1, 3, 5),
    ]
    q = _deflected(mesh, _lumped(mesh, -90.0), np.unique(np.concatenate(held)))
    return float(-q[6 * np.flatnonzero((s == 1) & (t == 0))[0] + 2])


CASES = (
    ModelCase(
        name="dkt-plates",
        title="plates and a roof of triangles: deflections and frequencies",
        source="Batoz, Bathe and Ho 1980; Scordelis and Lo 1964; independent finite elements",
        build=plates,
        inspect=inspect,
    ),
)
