"""Torsion constants of sections made of rectangles, by Prandtl's stress function.

The stress function f solves ``f_yy + f_zz = -2`` in the section, is zero on its outer boundary and
constant on the boundary of a hole; then J is twice its integral, the hole included. A quarter of a
section with two axes of symmetry is divided into rectangles with biquadratic shapes, ever finer
towards the inner corner, where the stress is infinite. J is then found from below.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from supple.foundation.arrays import Array, Booleans, Indices

# Lines between two marked ones, and how much finer each step towards a mark is: with these J of
# boxes and I sections is found to better than 1e-5.
STEPS, FINER = 18, 0.6
# Quadratic shapes on 0..1 with nodes 0, 1/2, 1: integrals of products, of products of derivatives,
# and of the shapes.
PRODUCTS = np.array([[4.0, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30.0
SLOPES = np.array([[7.0, -8, 1], [-8, 16, -8], [1, -8, 7]]) / 3.0
INTEGRALS = np.array([1.0, 4.0, 1.0]) / 6.0
# The same for a rectangle: slopes along y, slopes along z, and the load 2.
ALONG_Y, ALONG_Z = np.kron(SLOPES, PRODUCTS).ravel(), np.kron(PRODUCTS, SLOPES).ravel()
LOAD = 2.0 * np.kron(INTEGRALS, INTEGRALS)


@lru_cache(maxsize=256)
def torsion_of_corner(
    y: float, z: float, beyond_y: float, beyond_z: float, hole: bool, steps: int = STEPS
) -> float:
    """Torsion constant (m4) of a section with an inner corner at (y, z) of its first quarter.

    The quarter reaches ``beyond_y`` and ``beyond_z`` further (m). With a ``hole`` it is a box: the
    rectangle up to the corner is empty. Otherwise it is an I with flanges across y: the rectangle
    below the flange and beside the web is empty.
    """
    size = y + beyond_y
    along_y, along_z = (
        _lines(a / size, b / size, steps) for a, b in ((y, beyond_y), (z, beyond_z))
    )
    below_y, below_z = (np.arange(len(x) - 1) < steps for x in (along_y, along_z))
    if hole:
        empty = np.logical_and.outer(below_y, below_z)
    else:
        empty = np.logical_and.outer(below_y, ~below_z)
    return 4.0 * size**4 * _twice_integral(along_y, along_z, empty, hole)


def _twice_integral(y: Array, z: Array, empty: Booleans, hole: bool) -> float:
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import spsolve

    shape = 2 * len(y) - 1, 2 * len(z) - 1
    number = np.arange(shape[0] * shape[1]).reshape(shape)
    corners = (2 * np.arange(n - 1) for n in (len(y), len(z)))
    first = number[np.ix_(*corners)]
    nodes = first[..., None] + number[:3, :3].ravel()  # (cells along y, along z, 9)
    free = np.ones(number.size, dtype=bool)
    free[number[-1]] = free[number[:, -1]] = False
    if hole:  # one unknown for all of it
        names = number.ravel().copy()
        names[nodes[empty]] = 0
        nodes = names[nodes]
    else:
        free[nodes[empty]] = False
    a, b = np.diff(y)[:, None, None], np.diff(z)[None, :, None]
    loaded = np.ones_like(empty) if hole else ~empty
    load = np.bincount(nodes[loaded].ravel(), (a * b * LOAD)[loaded].ravel(), number.size)
    entries = (b / a * ALONG_Y + a / b * ALONG_Z)[~empty].ravel()
    rows, columns = (f(nodes[~empty], 9, axis=1).ravel() for f in (np.repeat, _tile))
    matrix = coo_matrix((entries, (rows, columns)), shape=(number.size,) * 2).tocsc()
    used = np.flatnonzero((matrix.diagonal() > 0.0) & free)
    answer = spsolve(matrix[used][:, used], load[used])
    return float(load[used] @ answer)


def _tile(x: Indices, times: int, axis: int) -> Indices:
    return np.concatenate([x] * times, axis=axis)


def _lines(first: float, second: float, steps: int) -> Array:
    """Grid lines on 0 .. first .. first + second: finer towards first from both sides and the end.

    There are ``steps`` intervals on the first part and twice as many on the second.
    """
    fine = FINER ** np.arange(1, steps)
    to_mark = np.concatenate([[1.0], fine, [0.0]])  # distances from the mark, descending
    half = 0.5 * second
    from_mark = first + half * to_mark[::-1]
    to_end = first + second - half * to_mark[1:]
    return np.concatenate([first - first * to_mark, from_mark[1:], to_end])
