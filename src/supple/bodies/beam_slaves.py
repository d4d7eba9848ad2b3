"""Slaved shapes of a beam: what displacements of second order add to its elastic coordinates.

Bending shortens the axis; bending with twist moves it across, if that is asked for. Each slaved
shape is multiplied by a quadratic form ``Gamma`` of the elastic coordinates (docs/theory.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from supple.fem.beam import BeamMesh
from supple.fem.sections import CrossSection
from supple.reduction.assumed import AssumedBeam
from supple.reduction.field import MeshField
from supple.reduction.modal import ModalBody, Reduction
from supple.reduction.problem import Problem
from supple.reduction.shortening import Shortening, axial_stiffness, shortening
from supple.reduction.slaved import MeshSlaves, with_slaves
from supple.validate import Vector

# Gauss points in an element for two slopes (parabolas, of degree 4 if the section changes) and a
# normal force (a parabola, or smooth).
SLOPE_POINTS, TAPERED_SLOPE_POINTS = 4, 12


@dataclass(frozen=True, eq=False)
class BeamSlaves:
    """Slaved shapes of a beam.

    Attributes
    ----------
    axial : shapes of shortening
    mesh, across : the mesh and its shapes of bending with twist; None where they are not asked for
    """

    axial: Shortening
    mesh: BeamMesh | None = None
    across: MeshSlaves | None = None

    def rows(self, x: float) -> Vector:
        """Rows (6, r) of displacement and rotation at a station x (m)."""
        along = self.axial.rows(x)
        if self.mesh is None or self.across is None:
            return along
        return np.hstack([_mesh_rows(self.mesh, x) @ self.across.shapes, along])


def axial_load_stiffness(field: MeshField | AssumedBeam, places: Sequence[float]) -> Vector:
    """Geometric stiffness (2 + places, n, n) of axial loads rho, rho x and of unit forces."""
    if isinstance(field, AssumedBeam):
        return axial_stiffness(field, field.slopes, (), field.points + 2, places)
    mesh = cast("BeamMesh", field.mesh)
    points = SLOPE_POINTS if isinstance(mesh.section, CrossSection) else TAPERED_SLOPE_POINTS
    return axial_stiffness(mesh, field.slopes, list(mesh.nodes[:, 0]), points, places)


def slaved_assumed(
    beam: AssumedBeam, places: tuple[float, ...], held: float | None
) -> tuple[ModalBody, BeamSlaves]:
    """Body with shapes of shortening, of a beam with assumed shapes.

    ``places`` (m) are those where something is attached; the axis is held at the station ``held``,
    or moves without momentum (None).
    """
    axial = shortening(beam, beam.slopes, (), beam.points + 2, places, held)
    moving = axial.extended(beam.material_points())
    return with_slaves(beam.body, moving, axial.Gamma), BeamSlaves(axial)


def slaved_beam(
    problem: Problem,
    reduction: Reduction,
    places: tuple[float, ...],
    held: float | None,
    twist: bool,
) -> tuple[ModalBody, BeamSlaves]:
    """The same for finite elements; with ``twist`` also the shapes of bending with twist."""
    mesh, basis = cast("BeamMesh", problem.mesh), reduction.basis
    slopes = MeshField(mesh, reduction).slopes
    points = SLOPE_POINTS if isinstance(mesh.section, CrossSection) else TAPERED_SLOPE_POINTS
    axial = shortening(mesh, slopes, list(mesh.nodes[:, 0]), points, places, held)
    if not twist:
        moving = axial.extended(mesh.material_points(basis))
        return with_slaves(reduction.body, moving, axial.Gamma), BeamSlaves(axial)
    rows = [_mesh_rows(mesh, x) for x in places]
    across = MeshSlaves.of(problem, basis, rows, axial=False)
    moving = axial.extended(mesh.material_points(np.hstack([basis, across.shapes])))
    Gamma = np.concatenate([across.Gamma, axial.Gamma])
    return with_slaves(reduction.body, moving, Gamma), BeamSlaves(axial, mesh, across)


def _mesh_rows(mesh: BeamMesh, x: float) -> Vector:
    """Rows (6, size) of displacement and rotation at a station."""
    return np.vstack([mesh.displacement(x), mesh.rotation(x)])
