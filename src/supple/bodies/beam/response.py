"""Static deflections of a beam on a fine mesh, beside its own shapes, whatever these are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np

from supple.fem.beams.beam import BeamMesh, StaticBeamMesh
from supple.fem.beams.line import BeamLine
from supple.fem.beams.part import PartMesh
from supple.reduction.assumed.beam import AssumedBeam
from supple.reduction.field import MeshField
from supple.reduction.problem import Problem
from supple.reduction.response import StaticResponse, static_response

# Elements of the fine mesh, at least, and in each element of the beam: a load between two nodes,
# spread or at a place, bends an element by less than 1/2000 of what it does to a cantilever of 16.
FEWEST, PARTS = 16, 2


def beam_response(
    field: MeshField | AssumedBeam, problem: Problem, mesh: BeamMesh, places: Sequence[float]
) -> StaticResponse:
    """Response with shapes ``field`` to loads at stations (m); ``problem`` has the beam's frame.

    ``mesh`` is the `fine_mesh` of that of the problem.
    """
    parts = mesh.elements // problem.mesh.elements
    fine = Problem(
        mesh,
        problem.reference,
        parts * problem.clamp_node,
        problem.twist,
        problem.node,
        mesh.motion,
    )
    nodes = mesh.nodes[:, 0]
    stations = [*nodes, *(float(x) for x in places)]
    rows = np.stack([np.vstack([field.displacement(x), field.rotation(x)]) for x in stations])
    points = np.outer(stations, [1.0, 0.0, 0.0])
    unit = np.eye(mesh.size).reshape(len(nodes), 6, mesh.size)
    seen = [*unit, *(fine.rows(x) for x in stations[len(nodes) :])]
    basis = rows[: len(nodes)].reshape(mesh.size, -1)
    return static_response(fine, basis, points, seen, rows, range(len(nodes), len(stations)))


def fine_mesh(mesh: BeamMesh) -> BeamMesh:
    """The mesh that responds, for the mesh of a beam."""
    parts = max(PARTS, -(-FEWEST // mesh.elements))
    fine = replace(mesh, elements=parts * mesh.elements)
    if type(fine) is BeamMesh:
        fine = StaticBeamMesh(**{f.name: getattr(fine, f.name) for f in fields(fine)})
    return fine


def mesh_of(field: MeshField | AssumedBeam, elements: int) -> BeamMesh:
    """The mesh of a beam, or one of the same line if its shapes are others."""
    mesh = field.mesh if isinstance(field, MeshField) else field
    if isinstance(mesh, BeamMesh) and not isinstance(mesh, PartMesh):
        return mesh
    line = {f.name: getattr(mesh, f.name) for f in fields(BeamLine)}
    return BeamMesh(**line, elements=elements)
