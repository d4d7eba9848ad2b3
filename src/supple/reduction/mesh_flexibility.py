"""Flexibility of a mesh and of a finer one under the same loads: what the mesh itself gets wrong.

Loads are those of `supple.reduction.response`, in the same order. A force at a single node of a
solid, which would sink in without bound in ever finer meshes, acts on both meshes as if it were
spread over the elements around the node.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.validate import Vector, read_only
from supple.reduction.eigen import part
from supple.reduction.problem import Problem
from supple.reduction.two_level import refined_deflections

DIRECT = 3000  # coordinates of a finer mesh, up to which its own factors are found


@dataclass(frozen=True, eq=False)
class MeshFlexibility:
    """A mesh and what is nearer to the truth, under unit loads.

    Attributes
    ----------
    own : (m, m) work of each load on the deflection by each
    better : (m, m) the same of a finer mesh
    rest : error of the finer mesh, in parts of what both differ by
    recovered : whether ``better`` is instead the strain energy of the same deflections with strains
        that are continuous: that part of the energy in which a locking element is right
    """

    own: Vector
    better: Vector
    rest: float
    recovered: bool = False

    def works(self, factors: Vector) -> tuple[Vector, Vector]:
        """Works (k,) of loads with factors (k, m), of the mesh and an estimate of the exact one."""
        own, better = (
            np.einsum("km,mn,kn->k", factors, W, factors) for W in (self.own, self.better)
        )
        if not self.recovered:
            return own, better + self.rest * (better - own)
        # The deflections are c times the right ones, their right energy c^2 and their work c times.
        part = np.clip(better / np.where(own > 0.0, own, 1.0), 1e-6, 1.0)
        return own, own / part


def mesh_flexibility(
    own: Problem, own_loads: Vector, finer: Problem, finer_loads: Vector, P: Any, rest: float
) -> MeshFlexibility:
    """Deflect a mesh and a finer one by their loads (size, m) and (size there, m).

    ``P`` (size there, size) takes coordinates of the mesh to the finer one, if that has them.
    """
    if P is None or finer.size <= DIRECT:
        moved = deflections(finer, finer_loads)
    else:
        moved = _by_the_coarser_one(own, finer, finer_loads, P)
    own_work = _gram(own_loads, deflections(own, own_loads))
    return MeshFlexibility(own_work, _gram(finer_loads, moved), rest)


def _by_the_coarser_one(own: Problem, finer: Problem, loads: Vector, P: Any) -> Vector:
    """Deflections (size there, m) of the finer mesh."""
    free = finer.reference == "mean_axis"
    at, there = own.kept(), np.arange(finer.size) if free else finer.kept()
    columns = np.arange(own.size) if free else at
    places = np.searchsorted(columns, at)

    def solve(right: Vector) -> Vector:
        found = np.zeros_like(right)
        found[places] = own.solve(at, right[places])
        return found

    if free:  # its inertia balances the loads
        momentum = finer.mesh.mass_matrix @ finer.rigid
        loads = loads - momentum @ np.linalg.solve(finer.rigid.T @ momentum, finer.rigid.T @ loads)
    K = part(finer.mesh.stiffness_matrix, there, there).tocsr()
    moved = np.zeros(loads.shape)
    moved[there] = refined_deflections(K, part(P, there, columns).tocsr(), solve, loads[there])
    return finer.in_frame(moved) if free else moved


def recovered_flexibility(
    own: Problem, loads: Vector, energy: Callable[[Vector], Vector]
) -> MeshFlexibility:
    """Deflect a mesh by loads (size, m); ``energy`` gives twice the energy of better strains."""
    moved = deflections(own, loads)
    return MeshFlexibility(_gram(loads, moved), energy(moved), 0.0, recovered=True)


def deflections(problem: Problem, loads: Vector) -> Vector:
    """Coordinates (size, m) under loads in the frame of a body."""
    moved = problem.static(loads)
    return problem.in_frame(moved) if problem.reference == "mean_axis" else moved


def _gram(loads: Vector, moved: Vector) -> Vector:
    work = loads.T @ moved
    return read_only(0.5 * (work + work.T))
