"""Element matrices of solids, and their sum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from supple.fem.base.material import Material
from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.solids.geometry import is_straight
from supple.fem.solids.incompatible import strains_at
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

# Elements for which matrices are made at once: some tens of megabytes of numbers.
AT_ONCE = 512
# The two axes of the shear strains xy, xz, yz.


@dataclass(frozen=True)
class MassRule:
    """Integration points of all elements with their masses.

    ``values`` (q, k) are the shape functions at the points of an element, ``mass`` (e, q) is in kg.
    """

    values: Array
    mass: Array


def mass_rule(kind: str, corners: Array, density: float) -> MassRule:
    """Points that integrate two shape functions exactly over elements (e, k, 3)."""
    described = KINDS[kind]
    straight = is_straight(described, corners)
    places, weights = rule(described.simplex, described.mass_degrees[0 if straight else 1])
    values, slopes = shapes(kind, places)
    mass = np.empty((len(corners), len(weights)))
    for part in parts(len(corners)):
        jacobian = np.einsum("qni,enj->eqij", slopes, corners[part], optimize=True)
        mass[part] = density * weights * np.linalg.det(jacobian)
    return MassRule(values, mass)


def mass_matrices(points: MassRule) -> Array:
    """Integrals (e, k, k) of density times two shape functions."""
    k = points.values.shape[1]
    matrices = np.empty((len(points.mass), k, k))
    for part in parts(len(matrices)):
        rows = np.sqrt(points.mass[part])[:, :, None] * points.values
        matrices[part] = np.swapaxes(rows, 1, 2) @ rows
    return matrices


def stiffness_matrices(kind: str, corners: Array, law: Array) -> Array:
    """Stiffness (e, 3 k, 3 k) of elements (e, k, 3) with the law (6, 6) from strain to stress."""
    described = KINDS[kind]
    k = 3 * described.size
    places, weights = rule(described.simplex, described.stiffness_degree)
    root = np.linalg.cholesky(law).T
    matrices = np.empty((len(corners), k, k))
    for part in parts(len(corners)):
        volume, found = strains_at(kind, corners[part], law, places)
        rows = np.sqrt(volume * weights)[:, :, None, None] * (root @ found)
        rows = rows.reshape(len(found), -1, k)
        matrices[part] = np.swapaxes(rows, 1, 2) @ rows
    return matrices


def displacement_rows(values: Array) -> Array:
    """Rows (3, 3 k) of the displacement from shape functions (k,)."""
    rows = np.zeros((3, len(values), 3))
    for axis in range(3):
        rows[axis, :, axis] = values
    return rows.reshape(3, -1)


def rotation_rows(slopes: Array) -> Array:
    """Rows (3, 3 k) of half the curl from slopes (k, 3)."""
    rows = np.zeros((3, len(slopes), 3))
    for axis in range(3):
        i, j = (axis + 1) % 3, (axis + 2) % 3
        rows[axis, :, j] = 0.5 * slopes[:, i]
        rows[axis, :, i] = -0.5 * slopes[:, j]
    return rows.reshape(3, -1)


def isotropic_law(owner: str, material: Material) -> Array:
    """Matrix (6, 6) from the strains xx, yy, zz, xy, xz, yz to the stresses, Pa."""
    nu = material.E / (2.0 * material.G) - 1.0
    if not nu < 0.5:
        raise ModelError.plain(
            f"{owner}: material has E / (2 G) - 1 = {nu:.6g} as Poisson's ratio, "
            "expected less than 0.5"
        )
    law = np.zeros((6, 6))
    law[:3, :3] = material.G * 2.0 * nu / (1.0 - 2.0 * nu)
    law[np.arange(3), np.arange(3)] += 2.0 * material.G
    law[np.arange(3, 6), np.arange(3, 6)] = material.G
    return law


def assemble(matrices: Array, places: Indices, size: int) -> sparse.csc_array:
    """Sum (size, size) of element matrices (e, k, k) at the places (e, k) of their coordinates."""
    k = places.shape[1]
    rows = np.repeat(places.astype(np.int32), k, axis=1).ravel()
    columns = np.tile(places.astype(np.int32), (1, k)).ravel()
    found = sparse.coo_array((matrices.ravel(), (rows, columns)), (size, size)).tocsc()
    # Entries were summed in another order than their mirror images.
    return sparse.csc_array(0.5 * (found + found.T))


def parts(number: int) -> Iterator[slice]:
    """Ranges of elements that are treated together."""
    for start in range(0, number, AT_ONCE):
        yield slice(start, start + AT_ONCE)
