"""Integrals over a body that moves by ``x + S(x) q``: all that is needed of its inertia."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.validate import read_only

# Columns of nodal coordinates that are integrated at once.
CHUNK = 256


@dataclass(frozen=True, eq=False)
class InertiaMoments:
    """Mass and its first and second moments in place x and shapes S; arrays are read-only."""

    mass: float  # kg
    s0: Array  # (3,) Integral of rho x.
    S1: Array  # (3, n) Integral of rho S.
    E0: Array  # (3, 3) Integral of rho x x^T.
    D0: Array  # (3, 3, n) ``D0[i, j, a]``: integral of rho x_i S_ja.
    D1: Array  # (3, 3, n, n) ``D1[i, j, b, a]``: integral of rho S_ib S_ja.


@dataclass(frozen=True, eq=False)
class InertiaIntegrals(InertiaMoments):
    """Moments of a body's inertia as they were found."""

    # float Difference between the kinetic energy of the shapes and that of lumped masses, relative,
    # where these had to be used (it is made up for); zero if all integrals are exact.
    defect: float = 0.0

    @classmethod
    def of_moments(cls, G: Array, n: int, defect: float = 0.0) -> InertiaIntegrals:
        """Integrals from the moments G (4 + 3 n, 4 + 3 n) of 1, x, y, z, S_x, S_y, S_z."""
        return cls(
            mass=float(G[0, 0]),
            s0=read_only(G[0, 1:4]),
            S1=read_only(G[0, 4:].reshape(3, n)),
            E0=read_only(G[1:4, 1:4]),
            D0=read_only(G[1:4, 4:].reshape(3, 3, n)),
            D1=read_only(G[4:, 4:].reshape(3, n, 3, n).transpose(0, 2, 1, 3)),
            defect=defect,
        )

    @property
    def fields(self) -> dict[str, Any]:
        """The moments by name, without the defect."""
        return {field.name: getattr(self, field.name) for field in fields(InertiaMoments)}

    @property
    def moments(self) -> Array:
        """Moments (4 + 3 n, 4 + 3 n) of 1, x, y, z, S_x, S_y, S_z: all integrals in one matrix."""
        n = self.S1.shape[1]
        G = np.empty((4 + 3 * n, 4 + 3 * n))
        G[0, 0], G[0, 1:4], G[0, 4:] = self.mass, self.s0, self.S1.ravel()
        G[1:4, 0], G[1:4, 1:4], G[1:4, 4:] = self.s0, self.E0, self.D0.reshape(3, 3 * n)
        G[4:, 0], G[4:, 1:4] = G[0, 4:], G[1:4, 4:].T
        G[4:, 4:] = self.D1.transpose(0, 2, 1, 3).reshape(3 * n, 3 * n)
        return G


def point_integrals(points: tuple[Array, Array, Array]) -> InertiaIntegrals:
    """Integrals as sums over material points: mass (k,), place (k, 3), shape (k, 3, n)."""
    mass, place, shape = points
    n = shape.shape[2]
    root = np.sqrt(mass)
    x = root[:, None] * place
    S = (root[:, None, None] * shape).reshape(len(mass), 3 * n)
    # One product of the form S^T S, so that the symmetry in (i, b), (j, a) is exact.
    D1 = (S.T @ S).reshape(3, n, 3, n).transpose(0, 2, 1, 3)
    return InertiaIntegrals(
        mass=float(mass.sum()),
        s0=read_only(mass @ place),
        S1=read_only((root @ S).reshape(3, n)),
        E0=read_only(x.T @ x),
        D0=read_only((x.T @ S).reshape(3, 3, n)),
        D1=read_only(D1),
    )


def moment_points(G: Array) -> tuple[Array, Array, Array]:
    """Fewest material points with the moments G (4 + 3 n, 4 + 3 n) of 1, x, y, z and the shapes.

    Any factor G = F^T F has one point in each row: the square root of its mass, and this times
    place and shape. Turning the rows makes all masses equal, so that none is zero. Negative
    eigenvalues of G, which no set of points has, are taken for zero: the caller has looked.
    """
    # Lengths and shapes have their own units: rounding must not mix them.
    unit = np.sqrt(np.diag(G))
    unit[unit == 0.0] = 1.0
    values, vectors = np.linalg.eigh(G / np.outer(unit, unit))
    F = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T * unit
    k = len(F)
    first, equal = F[:, 0], np.full(len(F), np.linalg.norm(F[:, 0]) / np.sqrt(k))
    # A reflection takes the first column to equal entries; it changes no product of columns.
    normal = first - equal
    square = normal @ normal
    if square > 0.0:
        F = F - np.outer(normal, (2.0 / square) * (normal @ F))
    root = equal[0]
    mass = np.full(k, root * root)
    return mass, F[:, 1:4] / root, (F[:, 4:] / root).reshape(k, 3, -1)


def point_loads(mesh: Any) -> Array:
    """Nodal forces (size, 12) of the body forces rho e_d and rho x_i e_d, by material points."""
    loads = np.zeros((mesh.size, 12))
    for start in range(0, mesh.size, CHUNK):
        here = np.arange(start, min(start + CHUNK, mesh.size))
        unit = np.zeros((mesh.size, len(here)))
        unit[here, here - start] = 1.0
        mass, place, shape = mesh.material_points(unit)
        loads[here, :3] = np.einsum("k,kda->ad", mass, shape)
        moments = np.einsum("k,ki,kda->aid", mass, place, shape)
        loads[here, 3:] = moments.reshape(moments.shape[0], 9)
    return loads
