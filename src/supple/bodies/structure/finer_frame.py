"""The finer mesh of a frame structure, by which the error of its own elements is found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from supple.fem.beams.frame import FrameMesh
from supple.foundation.validate import Vector
from supple.reduction.mesh_flexibility import MeshFlexibility, mesh_flexibility
from supple.reduction.problem import Problem
from supple.reduction.second_order.slaved import inertia_loads

PARTS = 2  # of each element
REST = 1.0 / 15.0  # error of cubic elements of half the length, in parts of what both differ by


def frame_flexibility(own: Problem, basis: Vector, places: Sequence[int]) -> MeshFlexibility:
    """A structure and a finer one under unit loads, those at numbered nodes included.

    ``basis`` (size, n) are its coordinates for each elastic one. Loads at nodes bend cubic elements
    as they should; inertia and weight along them do not.
    """
    mesh: FrameMesh = own.mesh
    members = tuple(replace(m, elements=PARTS * m.elements) for m in mesh.members)
    there = replace(own, mesh=replace(mesh, members=members))
    loads = []
    for problem, moved in ((own, basis), (there, _moved(mesh) @ basis)):
        unit = np.zeros((problem.size, 6 * len(places)))
        for k, place in enumerate(places):
            unit[6 * place : 6 * place + 6, 6 * k : 6 * k + 6] = np.eye(6)
        inertia = problem.mesh.mass_matrix @ moved
        loads.append(np.hstack([inertia_loads(problem.mesh), unit, inertia]))
    return mesh_flexibility(own, loads[0], there, loads[1], None, REST)


def _moved(mesh: FrameMesh) -> Any:
    """Coordinates (size there, size), sparse, of nodes on members as they move in the structure."""
    from scipy import sparse

    named = 6 * len(mesh.names)
    rows: list[Any] = [sparse.eye_array(named, mesh.size, format="csr")]
    for k, member in enumerate(mesh.members):
        stations = np.linspace(0.0, 1.0, PARTS * member.elements + 1)[1:-1]
        rows += [sparse.csr_array(mesh.motion(k, float(s))) for s in stations]
    return sparse.csr_array(sparse.vstack(rows))
