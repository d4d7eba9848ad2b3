"""Element matrices of solids, and their sum.

Strains of a solid element beyond those of its nodes, so that bricks of eight nodes bend. A
trilinear brick that bends must shear, because its edges stay straight, and one that hardly changes
its volume can do neither: it locks. So it gets strains of its own, which no other element shares.
In the axes of the reference cell, -1 to 1 along xi_1, xi_2, xi_3, they are

    E_ii:  xi_i, xi_i xi_j, xi_i xi_k          (it becomes thinner where it is pulled)
    E_ij:  xi_i, xi_j, xi_i xi_k, xi_j xi_k    (shear that straight edges bring is taken away)

21 functions, and in space ``(j_0 / j) J_0^-T E J_0^-1`` with the Jacobian J and its determinant j,
those of the centre with the index 0. The mean of each over the element vanishes, so that constant
stress does no work on them and meshes of any shape pass the patch test (J. C. Simo, M. S. Rifai,
Int. J. Numer. Meth. Eng. 29 (1990) 1595-1638; E. L. Wilson's incompatible modes, with the centre's
Jacobian by R. L. Taylor, P. J. Beresford, E. L. Wilson, ibid. 10 (1976) 1211-1219, are the first
nine). Their amounts follow from the nodes: no stress does work on them.

Geometric stiffness of a solid by a state of stress. Green's strain of a further displacement u has
the quadratic part u_k,i u_k,j / 2. The energy on it of a stress s that is already there is

    1/2 int s_ij u_k,i u_k,j dV = 1/2 u^T K_G u,     K_G = (int grad N^T s grad N dV) x 1_3

the same in all three directions of u. The points of integration are those of the stiffness: then
K_G times a small rigid rotation is, at each node, that rotation of the internal forces, exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from supple.fem.base.material import Material
from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.solids.geometry import SHEAR, is_straight, slopes_in_space, strain_rows
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError

AXES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
# Elements for which matrices are made at once: some tens of megabytes of numbers.
AT_ONCE = 512


def _functions() -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """Axes i, j of each strain, and the axes whose coordinates are multiplied."""
    found: list[tuple[int, int, tuple[int, ...]]] = []
    for i, j in AXES:
        others = [k for k in range(3) if k not in (i, j)]
        for own in (i,) if i == j else (i, j):
            found += [(i, j, (own,)), *((i, j, (own, k)) for k in others)]
    return tuple(found)


FUNCTIONS = _functions()


def strains_at(kind: str, corners: Array, law: Array, places: Array) -> tuple[Array, Array]:
    """Volume factors (e, q) and rows (e, q, 6, 3 k) of the strains of elements (e, k, 3).

    ``places`` (q, 3) are in the reference cell, ``law`` (6, 6) is that from strain to stress.
    """
    volume, found = slopes_in_space(shapes(kind, places)[1], corners)
    rows = strain_rows(found)
    if KINDS[kind].incompatible:
        own = _own_rows(places, volume, *_centre(kind, corners))
        rows = rows + own @ _amounts(kind, corners, law)[:, None]
    return volume, rows


def _centre(kind: str, corners: Array) -> tuple[Array, Array]:
    """Determinant (e,) and inverse (e, 3, 3) of the Jacobian of xi in the middle of elements."""
    middle = shapes(kind, np.full((1, 3), 0.5))[1][0]
    jacobian = 0.5 * np.einsum("ni,enj->eij", middle, corners)  # xi is 2 x - 1
    return 8.0 * np.linalg.det(jacobian), np.linalg.inv(jacobian)


def _own_rows(places: Array, volume: Array, middle: Array, inverse: Array) -> Array:
    """Strains (e, q, 6, 21) of the functions at places of the reference cell."""
    xi = 2.0 * places - 1.0
    values = np.stack([np.prod(xi[:, list(axes)], axis=1) for _, _, axes in FUNCTIONS], axis=1)
    tensors = np.empty((len(inverse), 6, len(FUNCTIONS)))
    for m, (i, j, _) in enumerate(FUNCTIONS):
        a, b = inverse[:, :, i], inverse[:, :, j]
        for row, (k, n) in enumerate(AXES):
            both = a[:, k] * b[:, n] + a[:, n] * b[:, k]
            tensors[:, row, m] = both if k != n else 0.5 * both  # shear strains are angles
    share = middle[:, None] / volume
    return np.asarray(np.einsum("eq,qm,erm->eqrm", share, values, tensors, optimize=True))


def _amounts(kind: str, corners: Array, law: Array) -> Array:
    """Amounts (e, 21, 3 k) of the functions for unit displacements of the nodes."""
    described = KINDS[kind]
    places, weights = rule(described.simplex, described.stiffness_degree)
    volume, found = slopes_in_space(shapes(kind, places)[1], corners)
    own = _own_rows(places, volume, *_centre(kind, corners))
    part = (weights * volume)[:, :, None, None]
    count, size = len(corners), len(FUNCTIONS)
    forces = np.swapaxes((part * (law @ own)).reshape(count, -1, size), 1, 2)
    stiffness = forces @ own.reshape(count, -1, size)
    coupling = forces @ strain_rows(found).reshape(count, -1, 3 * described.size)
    unit = 1.0 / np.sqrt(np.einsum("eii->ei", stiffness))  # elements may be flat
    scaled = unit[:, :, None] * stiffness * unit[:, None]
    found = np.linalg.solve(scaled, unit[:, :, None] * coupling)
    return np.asarray(-unit[:, :, None] * found)


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


def stress_matrices(kind: str, corners: Array, law: Array, displacement: Array) -> Array:
    """Integrals (e, k, k) of s_ij N_a,i N_b,j over elements (e, k, 3), N/m.

    ``displacement`` (e, k, 3) is that of their nodes, ``law`` (6, 6) gives the stress.
    """
    described = KINDS[kind]
    k = described.size
    places, weights = rule(described.simplex, described.stiffness_degree)
    slopes = shapes(kind, places)[1]
    matrices = np.empty((len(corners), k, k))
    for part in parts(len(corners)):
        volume, found = slopes_in_space(slopes, corners[part])
        moved = displacement[part].reshape(-1, 1, 3 * k, 1)
        strains = strains_at(kind, corners[part], law, places)[1]
        stress = stress_tensors((law @ strains @ moved)[..., 0])
        pulled = (volume * weights)[..., None, None] * (found @ stress)  # (e, q, k, 3)
        columns = np.swapaxes(found, 1, 2).reshape(len(found), k, -1)
        matrices[part] = np.swapaxes(pulled, 1, 2).reshape(len(found), k, -1) @ np.swapaxes(
            columns, 1, 2
        )
    return matrices


def stress_tensors(stress: Array) -> Array:
    """Tensors (..., 3, 3) of stresses (..., 6) in the order xx, yy, zz, xy, xz, yz."""
    tensors = np.empty((*stress.shape[:-1], 3, 3))
    for i in range(3):
        tensors[..., i, i] = stress[..., i]
    for row, (i, j) in enumerate(SHEAR, start=3):
        tensors[..., i, j] = tensors[..., j, i] = stress[..., row]
    return tensors
