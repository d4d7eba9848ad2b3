"""Checks of the input of a shell, each with one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.fem.base.material import Material
from supple.fem.shells.triangles import FROM, TO, Triangles
from supple.foundation import validate
from supple.foundation.arrays import Array, Integers
from supple.foundation.errors import ModelError, warn_caller

# Height of a triangle over its longest side, in lengths of that side, below which it has no area.
LEAST_HEIGHT = 1e-8
# Nodes nearer than this, in sizes of the mesh, are at the same place: files have about 7 digits.
SAME_PLACE = 1e-7
# Speed of sound sqrt(E / density), m/s: soft rubber has 30, beryllium 13000.
SOUND = (20.0, 3e4)
# A shell that is thicker than this part of its size is none.
THICK = 0.5


def checked_nodes(owner: str, value: Any) -> Array:
    """Return the places (N, 3) of at least three nodes."""
    expected = "a table of at least 3 nodes with 3 finite coordinates each (m)"
    nodes = validate.array(owner, "nodes", value, expected)
    if nodes.ndim != 2 or nodes.shape[1] != 3 or len(nodes) < 3:
        raise ModelError(owner, "nodes", value, expected)
    return nodes


def checked_triangles(owner: str, value: Any, nodes: Array) -> Integers:
    """Return the corners (t, 3), with every node used and all triangles connected."""
    expected = "a table of triangles with 3 node numbers each"
    try:
        found = np.asarray(value)
    except ValueError:  # rows of different length
        raise ModelError(owner, "triangles", value, expected) from None
    if found.dtype.kind not in "iu" or found.ndim != 2 or found.shape[1] != 3 or not len(found):
        raise ModelError(owner, "triangles", value, expected)
    corners: Integers = found.astype(np.int64)
    corners.setflags(write=False)
    last = len(nodes) - 1
    bad = np.any((corners < 0) | (corners > last), axis=1)
    bad |= np.any(corners[:, FROM] == corners[:, TO], axis=1)
    for t in np.flatnonzero(bad)[:1]:
        wanted = f"3 different node numbers from 0 to {last}"
        raise ModelError(owner, f"triangles[{t}]", corners[t], wanted)
    _no_line(owner, corners, nodes)
    _no_repeats(owner, corners)
    unused = np.setdiff1d(np.arange(len(nodes)), corners)
    for n in unused[:1]:
        raise ModelError(owner, f"nodes[{n}]", nodes[n], "a corner of some triangle")
    _no_double_nodes(owner, nodes)
    _one_part(owner, corners, len(nodes))
    return corners


def checked_thickness(owner: str, value: Any, count: int) -> float | Array:
    """Return one thickness for all triangles, or one (t,) for each, m."""
    if not isinstance(value, (list, tuple)) and np.ndim(value) == 0:
        return validate.positive(owner, "thickness", value)
    expected = f"a positive number, or {count} of them, one for each triangle (m)"
    thickness = validate.vector(owner, "thickness", value, count, expected)
    for t in np.flatnonzero(thickness <= 0.0)[:1]:
        raise ModelError(owner, f"thickness[{t}]", thickness[t], "a positive number")
    return thickness


def checked_poisson(owner: str, material: Any) -> float:
    """Return Poisson's ratio of an isotropic material."""
    if not isinstance(material, Material):
        raise ModelError(owner, "material", material, "a Material")
    poisson = material.E / (2.0 * material.G) - 1.0
    if poisson > 0.5:
        expected = "at most 0.5: G = E / (2 (1 + nu)) of an isotropic material"
        raise ModelError(owner, "Poisson's ratio E / (2 G) - 1", poisson, expected)
    return poisson


def warn_of_units(owner: str, size: float, thickness: Array, material: Material) -> None:
    """Warn of numbers that look like millimetres, megapascals or grams per cubic centimetre."""
    speed = float(np.sqrt(material.E / material.density))
    if not SOUND[0] <= speed <= SOUND[1]:
        _warn(
            f"{owner}: the speed of sound sqrt(E / density) is {speed:.3g} m/s, expected"
            f" {SOUND[0]:g} to {SOUND[1]:g} of a solid (E in Pa, density in kg/m3)"
        )
    t = int(np.argmax(thickness))
    if thickness[t] > THICK * size:
        _warn(
            f"{owner}: thickness of triangle {t} is {thickness[t]:g} m, expected far less than the"
            f" size of the mesh, which is {size:.3g} m"
        )


def warn_of_flips(owner: str, corners: Integers) -> None:
    """Warn if the normals of two neighbours point to different sides."""
    begin, end = corners[:, FROM].ravel(), corners[:, TO].ravel()
    keys = np.sort(np.stack([begin, end], axis=1), axis=1)
    _, edge, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    forward = np.bincount(edge.ravel(), weights=begin < end)
    # Where three triangles meet there is no common side.
    for e in np.flatnonzero((count == 2) & (forward != 1.0))[:1]:
        a, b = np.flatnonzero(edge.ravel() == e) // 3
        _warn(
            f"{owner}: the normals of triangles {a} and {b} point to opposite sides, expected the"
            " same order of corners, so that top and bottom go on from one to the other"
        )


def _warn(sentence: str) -> None:
    warn_caller(sentence)


def _no_line(owner: str, corners: Integers, nodes: Array) -> None:
    shape = Triangles.of(nodes, corners)
    p = shape.places
    longest = np.max(np.sum((p[:, TO] - p[:, FROM]) ** 2, axis=2), axis=1)
    # Twice the area by the square of the longest side is the height in lengths of that side.
    for t in np.flatnonzero(2.0 * shape.areas <= LEAST_HEIGHT * longest)[:1]:
        expected = "corners that are not in line: its area is zero"
        raise ModelError(owner, f"triangles[{t}]", corners[t], expected)


def _no_repeats(owner: str, corners: Integers) -> None:
    _, first, which = np.unique(
        np.sort(corners, axis=1), axis=0, return_index=True, return_inverse=True
    )
    before = first[which.ravel()]
    for t in np.flatnonzero(before != np.arange(len(corners)))[:1]:
        expected = f"corners of its own, not those of triangles[{before[t]}]"
        raise ModelError(owner, f"triangles[{t}]", corners[t], expected)


def _no_double_nodes(owner: str, nodes: Array) -> None:
    from scipy.spatial import cKDTree

    size = float(np.linalg.norm(np.ptp(nodes, axis=0)))
    pairs = cKDTree(nodes).query_pairs(SAME_PLACE * size, output_type="ndarray")
    if len(pairs):
        a, b = min((int(min(p)), int(max(p))) for p in pairs)
        expected = f"a place of its own, not that of nodes[{a}]"
        raise ModelError(owner, f"nodes[{b}]", nodes[b], expected)


def _one_part(owner: str, corners: Integers, count: int) -> None:
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    begin, end = corners[:, FROM].ravel(), corners[:, TO].ravel()
    links = coo_array((np.ones(len(begin)), (begin, end)), shape=(count, count))
    parts, part = connected_components(links, directed=False)
    if parts > 1:
        other = int(np.argmax(part[corners[:, 0]] != part[corners[0, 0]]))
        raise ModelError.plain(
            f"{owner}: triangles are {parts} separate parts (triangles[0] and triangles[{other}]"
            " are in different ones), expected one mesh connected by common nodes"
        )
