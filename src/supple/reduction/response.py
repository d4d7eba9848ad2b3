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
    """A body under unit loads, in its frame.

    Attributes
    ----------
    points : (p, 3) m, some places of the undeformed body
    moved : (p, 6, m)
        Displacement and rotation there of the whole mesh, for each of m unit loads.
    rows : (p, 6, n)
        The same for each elastic coordinate.
    work : (m, m)
        Work of each load on the deflection by each: flexibility of the whole mesh.
    attached : (places,) numbers of the points where something is attached
    """

    points: Vector
    moved: Vector
    rows: Vector
    work: Vector
    attached: Indices


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
    inertia = problem.mesh.mass_matrix @ basis
    loads = np.hstack([inertia_loads(problem.mesh), *(dense(seen[k]).T for k in attached), inertia])
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
