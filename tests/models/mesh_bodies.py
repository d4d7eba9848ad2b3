"""Mesh bodies for tests: strips of triangles, blocks, and the same as matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from supple.fem.shells.shell import ShellMesh, plate

# No Poisson's ratio: a strip is a beam.
PLAIN = sp.Material(E=70e9, G=35e9, density=2700)
ALUMINIUM = sp.Material(E=70e9, G=70e9 / 2.6, density=2700)
# As light, and soft: it deforms more and vibrates slowly, so that runs are short.
SOFT = sp.Material(E=7e8, G=3.5e8, density=2700)
L, B, H = 1.0, 0.1, 0.01  # m


def strip(n: int = 8, material: sp.Material = PLAIN, across: int = 2, **options: Any) -> ShellMesh:
    """A strip along x, its middle line on the x axis."""
    flat = plate(L, B, n, across, thickness=H, material=material)
    return ShellMesh(flat.nodes - [0, B / 2, 0], flat.triangles, H, material, **options)


def bar(n: int = 4, kind: str = "hex20", material: sp.Material = PLAIN) -> sp.fem.SolidMesh:
    """A bar along x with a section of 0.05 x 0.04 m, its axis on the x axis."""
    return sp.fem.block((L, 0.05, 0.04), (n, 1, 1), kind, material, origin=(0, -0.025, -0.02))


def edges(mesh: Any, kind: str = "rigid") -> list[sp.fem.Interface]:
    """The ends at x = 0 and x = L as interfaces "a" and "b", on the axis."""
    x = mesh.nodes[:, 0]
    first, last = (np.flatnonzero(np.isclose(x, end)) for end in (0.0, L))
    return [
        sp.fem.Interface("a", (0, 0, 0), first, kind),
        sp.fem.Interface("b", (L, 0, 0), last, kind),
    ]


def matrices(mesh: Any) -> sp.fem.ImportedComponent:
    """The same component as another program would give it."""
    return sp.fem.ImportedComponent(
        mesh.nodes, mesh.node_size, mesh.mass_matrix, mesh.stiffness_matrix
    )


def body(mesh: Any, modes: Any = 6, kind: str = "rigid", **options: Any) -> sp.MeshBody:
    """A body with both ends as interfaces."""
    return sp.MeshBody("body", mesh, edges(mesh, kind), modes=modes, **options)


def swinging(link: Any, end: Any = 0.0, **joint: Any) -> sp.Model:
    """A pendulum about y that hangs by an end of a body."""
    m = sp.Model(gravity=(0, 0, -9.81), name="pendulum")
    added = m.add(link)
    m.add(sp.Revolute("pin", m.ground.at(0), added.at(end), axis="y", **joint))
    return m


def thrown(link: Any, end: Any, rates: Any = (3.0, 20.0, 8.0, 1.0, -2.0, 0.5)) -> sp.Model:
    """A free body in space that turns fast enough to deform."""
    m = sp.Model(gravity=(0, 0, 0), name="thrown")
    added = m.add(link)
    m.add(sp.Free("free", m.ground.at(0), added.at(end), initial_rate=rates))
    return m
