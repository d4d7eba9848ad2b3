"""Matrices of small motion of a model whose solids over nodal vectors have finer meshes.

A displacement of a mesh is one of the finer mesh with the same strains, so that a state of one is a
state of the other. What is not of the solid itself acts on nodes that both have: with R, which
reads the vectors of the mesh from those of the finer one, a matrix A of the model, and the parts a
and b of it that belong to the solid and to the finer one,

    R' (A - a) R + b
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from supple.analyses.frequencies.rest_matrices import Matrices
from supple.bodies.nodal.ancf_solid import ANCFSolid
from supple.bodies.nodal.finer_vectors import finer_solid, solid_map, solid_reading
from supple.engine.base.body_records import ANCFRecord
from supple.engine.pack.builder import Compiled
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.foundation.poses import Array

LARGEST = 15_000  # coordinates of a finer mesh
# Error of the finer mesh, in parts of what both differ by: tet4 becomes tet10; hex8 is divided into
# three along its edges, others into two.
REST = {"tet4": 0.05}
OTHERS = 0.15


@dataclass(frozen=True, eq=False)
class FinerSolids:
    """Finer meshes of all solids of a model.

    Attributes
    ----------
    P : sparse (n there, nu here), motions there that are given here
    R : sparse (nu here, n there), motions here that are given there
    own, new : (K, C, M) sparse, of solids here (nu, nu) and there (n, n)
    rest : error that is left, in parts of what both differ by
    slices : places there of each solid by name
    """

    P: Any
    R: Any
    own: tuple[Any, Any, Any]
    new: tuple[Any, Any, Any]
    rest: float
    slices: dict[str, slice]

    def matrices(self, here: Matrices) -> Matrices:
        """Matrices with the finer meshes."""
        R = self.R
        K, C, M = (
            (R.T @ (a - own) @ R + new).tocsr()
            for a, own, new in zip((here.K, here.C, here.M), self.own, self.new, strict=True)
        )
        states = {"F": R.T @ here.F, "Y": here.Y @ R, "V": here.V @ R}
        return replace(here, K=K, C=C, M=M, G=(here.G @ R).tocsr(), load=R.T @ here.load, **states)


def finer_solids(c: Compiled, q: Array) -> FinerSolids | None:
    """Finer meshes of the solids of a model at a state of rest; None if one is too large.

    Without solids, all motions are the same.
    """
    from scipy import sparse

    solids = {n: r for n, r in c.gradient.items() if isinstance(r.body, ANCFSolid)}
    kept = np.ones(c.nu, dtype=bool)
    for record in solids.values():
        kept[record.u] = False
    others, unit = np.flatnonzero(kept), c.scale
    size, units = len(others), [unit[others]]
    P: list[tuple[Any, Any, Any]] = [(np.arange(size), others, np.ones(size))]
    R, slices, own, new, rest = list(P), dict[str, slice](), [], [], 0.0
    for name, record in solids.items():
        made = _made(record)
        if made is None:
            return None
        there, W, back, left = made
        slices[name], rest = slice(size, size + there.size), max(rest, left)
        units.append(np.full(there.size, float(unit[record.u].mean())))
        P.append(_entries(W, size, record.u.start))
        rows, columns, values = _entries(back, record.u.start, size)
        R.append((columns, rows, values))
        e = q[record.q].reshape(-1, 3)
        own.append((record.u.start, _tangents(record.mesh, e)))
        new.append((size, _tangents(there, W @ e)))
        size += there.size
    there_unit = sparse.diags_array(np.concatenate(units))
    here_unit, ones = sparse.diags_array(unit), sparse.diags_array(1.0 / unit)
    forth = _joined(P, (size, c.nu))
    back_again = sparse.csr_array(_joined(R, (size, c.nu)).T)
    inverse = sparse.diags_array(1.0 / there_unit.diagonal())
    return FinerSolids(
        sparse.csr_array(inverse @ forth @ here_unit),
        sparse.csr_array(ones @ back_again @ there_unit),
        _placed(own, here_unit),
        _placed(new, there_unit),
        rest,
        slices,
    )


def _made(record: ANCFRecord) -> tuple[ANCFMesh, Any, Any, float] | None:
    """The finer mesh of a solid, its vectors from those here, these from those, and its error."""
    body = record.body
    assert isinstance(body, ANCFSolid)
    found = finer_solid(body)
    if found is None or 3 * len(found[1].component.nodes) > LARGEST:
        return None
    there = ANCFSolid(body.name, **found[0], damping=body.damping)
    back = solid_reading(body, found[1], there)
    rest = REST.get(body.component.kind, OTHERS)
    return there.mesh, solid_map(body, found[1], there), back, rest


def _tangents(mesh: ANCFMesh, e: Array) -> tuple[Any, Any, Any]:
    from scipy import sparse

    return (*mesh.tangents(e), sparse.kron(mesh.mass_matrix, np.eye(3)))


def _entries(W: Any, row: int, column: int) -> tuple[Any, Any, Any]:
    """Rows, columns and values of a map of vectors, component by component, at a place."""
    from scipy import sparse

    whole = sparse.coo_array(sparse.kron(W, np.eye(3)))
    return whole.coords[0] + row, whole.coords[1] + column, whole.data


def _joined(parts: list[Any], shape: tuple[int, int]) -> Any:
    from scipy import sparse

    rows, columns, values = (np.concatenate(part) for part in zip(*parts, strict=True))
    return sparse.csr_array((values, (rows, columns)), shape)


def _placed(parts: list[tuple[int, tuple[Any, Any, Any]]], unit: Any) -> tuple[Any, Any, Any]:
    """Matrices of solids at their places among all coordinates, in units."""
    from scipy import sparse

    size, found = unit.shape[0], []
    for k in range(3):
        total = sparse.csr_array((size, size))
        for first, matrices in parts:
            own = sparse.coo_array(matrices[k])
            at = own.coords[0] + first, own.coords[1] + first
            total = total + sparse.csr_array((own.data, at), (size, size))
        found.append(unit @ total @ unit)
    return found[0], found[1], found[2]
