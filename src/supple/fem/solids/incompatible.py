"""Strains of a solid element beyond those of its nodes, so that bricks of eight nodes bend.

A trilinear brick that bends must shear, because its edges stay straight, and one that hardly
changes its volume can do neither: it locks. So it gets strains of its own, which no other element
shares. In the axes of the reference cell, -1 to 1 along xi_1, xi_2, xi_3, they are

    E_ii:  xi_i, xi_i xi_j, xi_i xi_k          (it becomes thinner where it is pulled)
    E_ij:  xi_i, xi_j, xi_i xi_k, xi_j xi_k    (shear that straight edges bring is taken away)

21 functions, and in space ``(j_0 / j) J_0^-T E J_0^-1`` with the Jacobian J and its determinant j,
those of the centre with the index 0. The mean of each over the element vanishes, so that constant
stress does no work on them and meshes of any shape pass the patch test (J. C. Simo, M. S. Rifai,
Int. J. Numer. Meth. Eng. 29 (1990) 1595-1638; E. L. Wilson's incompatible modes, with the centre's
Jacobian by R. L. Taylor, P. J. Beresford, E. L. Wilson, ibid. 10 (1976) 1211-1219, are the first
nine). Their amounts follow from the nodes: no stress does work on them.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.solid_kinds import KINDS, rule, shapes
from supple.fem.solids.geometry import slopes_in_space, strain_rows
from supple.foundation.arrays import Array

AXES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


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
