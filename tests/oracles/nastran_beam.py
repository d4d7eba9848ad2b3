"""A free beam with six coordinates for each node, as an imported component."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import supple as sp
from supple.fem.base.material import Material
from supple.fem.beams.beam import BeamMesh
from supple.fem.sections.sections import Rectangle


def beam_mesh(elements: int = 3) -> BeamMesh:
    section = Rectangle(0.04, 0.02)
    steel = Material(E=2.1e11, G=2.1e11 / 2.6, density=7850.0)
    return BeamMesh(section=section, material=steel, length=0.9, elements=elements)


def imported_beam(elements: int = 3, turn: np.ndarray | None = None) -> sp.fem.ImportedComponent:
    """The beam's matrices; ``turn`` (3, 3) gives it another direction in space."""
    mesh = beam_mesh(elements)
    R = np.eye(3) if turn is None else turn
    T = np.kron(np.eye(2 * len(mesh.nodes)), R)
    M, K = T @ mesh.mass_matrix @ T.T, T @ mesh.stiffness_matrix @ T.T
    return sp.fem.ImportedComponent(mesh.nodes @ R.T, 6, M, K, name="beam")


def save(path: str | Path) -> None:
    sp.fem.save_component(path, imported_beam())
