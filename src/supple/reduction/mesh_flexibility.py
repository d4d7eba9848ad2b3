"""Flexibility of a mesh and of a finer one under the same loads: what the mesh itself gets wrong.

Loads are those of `supple.reduction.response`, in the same order. A force at a single node of a
solid, which would sink in without bound in ever finer meshes, acts on both meshes as if it were
spread over the elements around the node.

Deflections of a finer mesh, found with the help of a coarser one instead of by its own factors.

Conjugate gradients, all loads at once. What is left of a load is smoothed on the finer mesh, by
Jacobi's steps before and after, and the rest is left to the coarser one: a few steps give what both
differ by.
Factors of a finer mesh of a solid would take some ten times as long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only
from supple.reduction.eigen import part
from supple.reduction.problem import Problem

MOST = 80  # steps; thin tetrahedra need many
SETTLED, NOTHING, LAST = 0.02, 2e-4, 6  # change of the work that is found over some steps
POWER = 12  # steps for the largest eigenvalue
SAFE = 1.2  # above the one that is found
DIRECT = 3000  # coordinates of a finer mesh, up to which its own factors are found


def refined_deflections(K: Any, P: Any, solve: Callable[[Vector], Vector], loads: Vector) -> Vector:
    """Coordinates (n, m) under loads (n, m) with the stiffness K (n, n), sparse.

    ``P`` (n, k) takes coordinates of the coarser mesh to the finer one, ``solve`` gives those of
    the coarser one under loads (k, m).
    """
    own = np.einsum("ij,ij->j", loads, loads) > 0.0
    found = np.zeros(loads.shape)
    unit = np.linalg.norm(loads[:, own], axis=0)
    found[:, own] = unit * _solved(K, P, solve, loads[:, own] / unit)
    return found


def _solved(K: Any, P: Any, solve: Callable[[Vector], Vector], loads: Vector) -> Vector:
    smooth = _smoothing(K)

    def correct(r: Vector) -> Vector:
        z = smooth * r
        z = z + P @ solve(P.T @ (r - K @ z))
        return np.asarray(z + smooth * (r - K @ z))

    x = P @ solve(P.T @ loads)
    r = loads - K @ x
    begun = np.einsum("ij,ij->j", loads, x)
    z = correct(r)
    p, rz = z, np.einsum("ij,ij->j", r, z)
    changes: list[Vector] = []
    for _ in range(MOST):
        moved = K @ p
        curvature = np.einsum("ij,ij->j", p, moved)
        step = np.where(curvature > 0.0, rz / np.where(curvature > 0.0, curvature, 1.0), 0.0)
        changes.append(step * rz)
        x, r = x + step * p, r - step * moved
        last, total = np.sum(changes[-LAST:], axis=0), np.sum(changes, axis=0)
        if len(changes) >= LAST and np.all(last <= SETTLED * total + NOTHING * np.abs(begun)):
            break
        z = correct(r)
        old, rz = rz, np.einsum("ij,ij->j", r, z)
        p = z + np.where(old > 0.0, rz / np.where(old > 0.0, old, 1.0), 0.0) * p
    return np.asarray(x)


def _smoothing(K: Any) -> Vector:
    """Factors (n, 1) of a step of Jacobi that makes nothing larger."""
    inverse = 1.0 / np.asarray(K.diagonal())
    x = np.random.default_rng(0).standard_normal(len(inverse))
    largest = 1.0
    for _ in range(POWER):
        x = inverse * (K @ x)
        largest = float(np.linalg.norm(x))
        x /= largest
    return np.asarray(inverse[:, None] / (SAFE * largest))


@dataclass(frozen=True, eq=False)
class MeshFlexibility:
    """A mesh and what is nearer to the truth, under unit loads."""

    own: Vector  # (m, m) work of each load on the deflection by each
    better: Vector  # (m, m) the same of a finer mesh
    rest: float  # error of the finer mesh, in parts of what both differ by
    # whether ``better`` is instead the strain energy of the same deflections with strains that are
    # continuous: that part of the energy in which a locking element is right
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
