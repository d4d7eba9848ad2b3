"""Normals of triangulated surfaces: smooth where they are smooth, with edges where they are not."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]
# Cosine of the angle between two triangles above which the edge between them is smooth.
SMOOTH = 0.76  # 40 degrees
# Corners that meet at one vertex: of more, all count as smooth, since their pairs are too many.
MOST_PAIRS = 4_000_000


class Shaded(NamedTuple):
    """A surface whose vertices have one normal each.

    Attributes
    ----------
    source : (v,) the vertex of the given surface that each is
    normals : (v, 3) unit vectors
    triangles : (t, 3)
    edges : (e, 2) lines where the surface has an edge or ends
    """

    source: Indices
    normals: Array
    triangles: Indices
    edges: Indices


def shaded(points: Array, triangles: Indices) -> Shaded:
    """Split the vertices of a surface where it has edges."""
    flat = _normals(points, triangles)
    area = np.linalg.norm(flat, axis=1, keepdims=True)
    unit = flat / np.where(area > 0.0, area, 1.0)
    corners, owner = triangles.ravel(), np.repeat(np.arange(len(triangles)), 3)
    mean = _corner_normals(corners, owner, flat, unit, len(points))
    size = np.linalg.norm(mean, axis=1, keepdims=True)
    mean = np.where(size > 0.0, mean / np.where(size > 0.0, size, 1.0), unit[owner])
    keys = np.column_stack([corners, np.rint(mean * 512.0).astype(np.int64)])
    kept, first, where = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    faces = where.reshape(-1, 3).astype(np.intp)
    lone = np.setdiff1d(np.arange(len(points)), corners)  # of lines only
    source = np.concatenate([kept[:, 0], lone]).astype(np.intp)
    normals = np.concatenate([mean[first], np.zeros((len(lone), 3))])
    return Shaded(source, normals, faces, _edges(triangles, faces, unit))


def _normals(points: Array, triangles: Indices) -> Array:
    """Normals (t, 3) of triangles, as long as twice their area."""
    a, b, c = (points[triangles[:, k]] for k in range(3))
    return np.cross(b - a, c - a)


def _corner_normals(
    corners: Indices, owner: Indices, flat: Array, unit: Array, size: int
) -> Array:
    """For each corner the sum of normals of the triangles around it that join it smoothly."""
    count = np.bincount(corners, minlength=size)
    if not len(corners) or int((count.astype(np.int64) ** 2).sum()) > MOST_PAIRS:
        total = np.zeros((size, 3))
        np.add.at(total, corners, flat[owner])
        return np.asarray(total[corners])
    order = np.argsort(corners, kind="stable")
    start = np.concatenate([[0], np.cumsum(count)])[:-1]
    # all pairs of corners at one vertex
    mine = np.repeat(np.arange(len(corners)), count[corners])
    offset = np.arange(len(mine)) - np.repeat(
        np.cumsum(count[corners]) - count[corners], count[corners]
    )
    other = order[start[corners[mine]] + offset]
    near = np.einsum("pi,pi->p", unit[owner[mine]], unit[owner[other]]) > SMOOTH
    total = np.zeros((len(corners), 3))
    for k in range(3):
        total[:, k] = np.bincount(
            mine[near], weights=flat[owner[other[near]], k], minlength=len(corners)
        )
    return total


def _edges(triangles: Indices, faces: Indices, unit: Array) -> Indices:
    """Pairs of vertices where two triangles meet at an angle, or one ends."""
    if not len(triangles):
        return np.zeros((0, 2), dtype=np.intp)
    sides = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    shown = np.concatenate([faces[:, [k, (k + 1) % 3]] for k in range(3)])
    owner = np.tile(np.arange(len(triangles)), 3)
    key = np.sort(sides, axis=1)
    order = np.lexsort((key[:, 1], key[:, 0]))
    key, shown, owner = key[order], shown[order], owner[order]
    same = np.all(key[1:] == key[:-1], axis=1)
    begins = np.concatenate([[True], ~same])
    first = np.flatnonzero(begins)
    last = np.concatenate([first[1:], [len(key)]]) - 1
    angle = np.einsum("ei,ei->e", unit[owner[first]], unit[owner[last]])
    drawn = (last == first) | (angle < SMOOTH)
    return np.asarray(shown[first[drawn]], dtype=np.intp)
