"""Static deflections of a whole mesh under the loads that act on a body, beside its own shapes.

What a body with few shapes cannot describe is the difference: its residual flexibility. Unit loads
are, in this order, the body forces rho e_d and rho x_i e_d (12), a force and a torque along each
axis at every place where something is attached (6 each), and the inertia of each elastic
coordinate (n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.arrays import Indices, Vector
from supple.foundation.validate import read_only
from supple.reduction.eigen import dense
from supple.reduction.problem import Problem
from supple.reduction.second_order.slaved import inertia_loads


@dataclass(frozen=True, eq=False)
class StaticResponse:
    """A body under unit loads, in its frame."""

    points: Vector  # (p, 3) m, some places of the undeformed body
    # (p, 6, m) Displacement and rotation there of the whole mesh, for each of m unit loads.
    moved: Vector
    rows: Vector  # (p, 6, n) The same for each elastic coordinate.
    # (m, m) Work of each load on the deflection by each: flexibility of the whole mesh.
    work: Vector
    attached: Indices  # (places,) numbers of the points where something is attached


def static_response(
    problem: Problem,
    basis: Vector,
    points: Vector,
    seen: Sequence[Any],
    rows: Vector,
    attached: Sequence[int],
) -> StaticResponse:
    """Deflect a mesh.

    ``basis`` (size, n) are its coordinates for each elastic one, ``seen`` its rows (6, size), dense
    or sparse, at points (p, 3), where the body's own shapes have ``rows`` (p, 6, n); something is
    attached at some of the points.
    """
    loads = unit_loads(problem, basis, [seen[k] for k in attached])
    moved = problem.static(loads)
    if problem.reference == "mean_axis":
        moved = problem.in_frame(moved)
    work = loads.T @ moved
    return StaticResponse(
        points=read_only(points),
        moved=read_only(np.stack([s @ moved for s in seen])),
        rows=read_only(rows),
        work=read_only(0.5 * (work + work.T)),
        attached=np.array(attached, dtype=int),
    )


@dataclass(frozen=True, eq=False)
class StressedLoads:
    """Loads on a body whose stress changes its stiffness."""

    places: tuple[float, ...]  # where something is attached
    factors: Vector  # (k, m) of the unit loads
    coordinates: Vector  # (k, n) elastic ones under these loads
    # (m,) factors of the loads under which the body has its stress; None if ``state`` tells
    stress: Vector | None
    state: Vector  # (n,) elastic coordinates with that stress, from rest
    held: tuple[float, ...]  # places of joints and constraints


def residual_energy(
    problem: Problem,
    basis: Vector,
    attached: Sequence[Any],
    loads: StressedLoads,
    axial: bool = False,
    rows: Vector | None = None,
) -> Vector:
    """Twice the energy (k,) of what elastic coordinates leave out of a mesh with stress, J.

    ``basis`` (size, n) are coordinates of the mesh for each elastic one, ``attached`` its rows
    (6, size) at places. ``axial``: only displacements along x have stress. Loads that the deflected
    mesh does not balance deflect it further, while some ``rows`` (c, size) of its coordinates are
    held, or its frame is.
    """
    unit = unit_loads(problem, basis, attached)
    if loads.stress is None:
        stressed = basis @ loads.state
    else:
        stressed = problem.static(unit @ loads.stress[:, None])[:, 0]
    if axial:
        stressed = np.where(problem.kinds(np.arange(problem.size)) == 0, stressed, 0.0)
    K_G = problem.mesh.geometric_stiffness(stressed)
    shapes = basis @ loads.coordinates.T
    left = unit @ loads.factors.T - problem.mesh.stiffness_matrix @ shapes - K_G @ shapes
    moved = problem.stressed(left, K_G, problem.frame_rows if rows is None else rows)
    return np.asarray(np.einsum("ij,ij->j", left, moved))


def unit_loads(problem: Problem, basis: Vector, attached: Sequence[Any]) -> Vector:
    """Loads (size, m) on the coordinates of a mesh; ``attached`` are its rows at places."""
    inertia = problem.mesh.mass_matrix @ basis
    return np.hstack([inertia_loads(problem.mesh), *(dense(row).T for row in attached), inertia])
