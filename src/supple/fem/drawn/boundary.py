"""Surface of meshes: outside faces, areas of their nodes, hulls of components of nodes only."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from supple.fem.base.solid_kinds import KINDS, shapes
from supple.fem.drawn.surface import MOST_STRESS, Surface, nodal, wires
from supple.fem.recovery.stress_points import mesh_blocks
from supple.fem.solids.solid import SolidMesh
from supple.foundation.arrays import Array, Booleans, Indices

# Nodes of a face in the order around it -> triangles; with corners at even places.
SPLITS: dict[int, tuple[tuple[int, int, int], ...]] = {
    3: ((0, 1, 2),),
    4: ((0, 1, 2), (0, 2, 3)),
    6: ((0, 1, 5), (1, 2, 3), (3, 4, 5), (1, 3, 5)),
    8: ((7, 0, 1), (1, 2, 3), (3, 4, 5), (5, 6, 7), (7, 1, 3), (7, 3, 5)),
    9: tuple((8, k, (k + 1) % 8) for k in range(8)),
}
POINTS = 3  # of Gauss in each direction: areas of curved faces of quadratic elements


def component_surface(component: Any, basis: Array, slaved: Array) -> Surface:
    """Surface of a component with displacements ``basis`` (size, n) of its coordinates.

    ``slaved`` (size, r) are the shapes that follow. Shells are drawn by their middle surface,
    solids by their outer faces, and nodes without elements as points that are joined by lines.
    """
    nodes, size = np.asarray(component.nodes), int(component.node_size)
    rows, follow = (x.reshape(len(nodes), size, -1)[:, :3] for x in (basis, slaved))
    lines: Indices = np.zeros((0, 2), dtype=np.intp)
    faces = face_triangles(component)
    if not len(faces):
        lines = wires(nodes)
    used = np.unique(faces) if len(faces) else np.arange(len(nodes))
    found = nodal(nodes, used, faces, lines, rows, follow)
    shell, solid = hasattr(component, "triangles"), hasattr(component, "cells")
    if not (shell or solid) or (12 if shell else 6) * len(used) * basis.shape[1] > MOST_STRESS:
        return found
    stress = (_shell_stress if shell else _solid_stress)(component, basis)
    modulus = np.full(len(used), float(component.material.E))
    return replace(found, stress=stress[used], modulus=modulus)


def face_triangles(component: Any) -> Indices:
    """Triangles (t, 3) of the elements of a shell or of the outer faces of a solid, or none."""
    if hasattr(component, "triangles"):
        return np.asarray(component.triangles, dtype=np.intp)
    if hasattr(component, "cells") and getattr(component, "kind", None) in KINDS:
        cells = np.asarray(component.cells, dtype=np.intp)
        return outer_faces(component.kind, cells, np.asarray(component.nodes))
    return np.zeros((0, 3), dtype=np.intp)


def _solid_stress(component: Any, basis: Array) -> Array:
    """Rows (N, 6, n) at all nodes of a solid whose norm is the stress of von Mises, Pa."""
    return _apart(np.concatenate([block.stress for block in mesh_blocks(component, basis)]))


def _shell_stress(component: Any, basis: Array) -> Array:
    """Rows (N, 12, n) at all nodes of a shell: six of its top, then six of its bottom, Pa.

    The norm of each six is the stress of von Mises of the mean over the triangles around a node.
    """
    blocks = list(mesh_blocks(component, basis))  # top and bottom in turns
    e1, e2 = component.shape.axes[:, 0], component.shape.axes[:, 1]
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    turn = np.array(
        [
            [e1[:, i] * e1[:, j], e2[:, i] * e2[:, j], e1[:, i] * e2[:, j] + e2[:, i] * e1[:, j]]
            for i, j in pairs
        ]
    )  # (6, 3, t)
    count = np.bincount(component.triangles.ravel(), minlength=len(component.nodes))
    sides = []
    for side in (blocks[::2], blocks[1::2]):
        each = np.einsum("ckt,tkn->tcn", turn, np.concatenate([block.stress for block in side]))
        total = np.zeros((len(component.nodes), *each.shape[1:]))
        for corner in component.triangles.T:
            np.add.at(total, corner, each)
        sides.append(_apart(total / np.maximum(count, 1)[:, None, None]))
    return np.concatenate(sides, axis=1)


def _apart(stress: Array) -> Array:
    """Rows (N, 6, n) whose norm is the stress of von Mises of rows xx, yy, zz, xy, xz, yz."""
    normal, shear = stress[:, :3], stress[:, 3:]
    apart = np.sqrt(0.5) * (normal - np.roll(normal, -1, axis=1))
    return np.concatenate([apart, np.sqrt(3.0) * shear], axis=1)


def face_points(kind: str, cells: Indices, nodes: Array) -> tuple[Indices, Indices, Array]:
    """Cells (p,), local nodes (p,) and normals (p, 3) of the nodes of all outer faces.

    Normals are those of the corners of a face; their sign is not told.
    """
    local, outside, step = np.array(_faces(kind)), *_outside(kind, cells)
    face, cell = np.divmod(np.flatnonzero(outside), len(cells))
    a, b, c = (nodes[cells[cell, local[face, k * step]]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    size = local.shape[1]
    return np.repeat(cell, size), local[face].ravel(), np.repeat(normals, size, axis=0)


def _outside(kind: str, cells: Indices) -> tuple[Booleans, int]:
    """Outside faces, of all cells one local face after the other; steps of corners."""
    corners = 3 if KINDS[kind].simplex else 4
    every = np.concatenate([cells[:, list(face)] for face in _faces(kind)])
    step = every.shape[1] // corners if every.shape[1] != 9 else 2
    keys = np.sort(every[:, : corners * step : step], axis=1)
    _, where, count = np.unique(keys, axis=0, return_inverse=True, return_counts=True)
    return count[where.ravel()] == 1, step


def outside_faces(kind: str, cells: Indices) -> list[tuple[int, tuple[int, ...]]]:
    """Cell and local nodes of each outer face, in the order around it; a middle node comes last."""
    local, outside = _faces(kind), _outside(kind, cells)[0]
    face, cell = np.divmod(np.flatnonzero(outside), len(cells))
    return [(c, local[f]) for f, c in zip(face.tolist(), cell.tolist(), strict=True)]


def outer_faces(kind: str, cells: Indices, nodes: Array) -> Indices:
    """Triangles (t, 3) of the faces that belong to one cell only, seen from outside."""
    local, outside, step = _faces(kind), *_outside(kind, cells)
    every = np.concatenate([cells[:, list(face)] for face in local])
    inner_cell = np.tile(nodes[cells[:, : KINDS[kind].corners]].mean(axis=1), (len(local), 1))
    alone = every[outside]
    triangles = alone[:, list(SPLITS[every.shape[1]])].reshape(-1, 3)
    # a cell may be numbered the other way round: its faces would look inwards
    a, b, c = (nodes[alone[:, k * step]] for k in range(3))
    inwards = np.einsum("fi,fi->f", np.cross(b - a, c - a), a - inner_cell[outside]) < 0.0
    flip = np.repeat(inwards, len(SPLITS[every.shape[1]]))
    triangles[flip] = triangles[flip][:, ::-1]
    return np.asarray(triangles, dtype=np.intp)


@cache
def _faces(kind: str) -> tuple[tuple[int, ...], ...]:
    """Local nodes of each face in the order around it, corners first; a middle node comes last."""
    places = KINDS[kind].places
    planes = [(np.eye(3)[k], 0.0) for k in range(3)]
    planes += [(np.ones(3), 1.0)] if KINDS[kind].simplex else [(n, 1.0) for n, _ in planes]
    found = []
    for normal, distance in planes:
        own = np.flatnonzero(np.abs(places @ normal - distance) < 1e-9)
        corners = own[own < KINDS[kind].corners]
        centre = places[corners].mean(axis=0)
        e1 = places[corners[0]] - centre
        e2 = np.cross(normal, e1)
        away = places[own] - centre
        middle = np.linalg.norm(away, axis=1) < 1e-9
        order = np.argsort(np.arctan2(away @ e2, away @ e1) % (2.0 * np.pi - 1e-9))
        around = [int(k) for k in own[order] if not middle[np.flatnonzero(own == k)[0]]]
        while around[0] >= KINDS[kind].corners:  # a corner first
            around = around[1:] + around[:1]
        found.append((*around, *(int(k) for k in own[middle])))
    return tuple(found)


def mesh_triangles(mesh: Any) -> Indices:
    """Triangles (t, 3) of node numbers of a mesh of any elements (`MeshData`)."""
    found = [np.zeros((0, 3), dtype=np.intp)]
    for kind, cells in mesh.cells.items():
        if kind in KINDS:
            found.append(outer_faces(kind, cells, mesh.nodes))
        elif kind.startswith(("tri", "quad")):
            corners = 3 if kind.startswith("tri") else 4
            around = list(range(corners))
            if cells.shape[1] > corners:  # nodes in the middle of edges follow the corners
                around = [k for c in range(corners) for k in (c, corners + c)]
                around += [8] if cells.shape[1] == 9 else []
            split = np.array(SPLITS[len(around)])
            found.append(cells[:, around][:, split].reshape(-1, 3))
    return np.concatenate(found)


def area_weights(mesh: SolidMesh, nodes: Indices) -> Array | None:
    """Integrals (k,) of the shape functions of nodes over the faces between them, m2.

    Those of corners of quadratic elements are negative. None if there is a node on no such face.
    """
    inside = np.zeros(len(mesh.nodes), dtype=bool)
    inside[nodes] = True
    total, touched = np.zeros(len(mesh.nodes)), np.zeros(len(mesh.nodes), dtype=bool)
    for cell, local in outside_faces(mesh.kind, mesh.cells):
        numbers = mesh.cells[cell]
        if np.all(inside[numbers[list(local)]]):
            total[numbers] += _of_face(mesh.kind, local, mesh.nodes[numbers])
            touched[numbers[list(local)]] = True
    return total[nodes] if np.all(touched[nodes]) else None


def _of_face(kind: str, local: tuple[int, ...], corners: Array) -> Array:
    """Integrals (size,) of the shape functions of an element (size, 3) over one of its faces."""
    step = 1 if KINDS[kind].degree == 1 else 2
    number = 3 if KINDS[kind].simplex else 4
    first, second, *_, last = KINDS[kind].places[list(local[: number * step : step])]
    x, w = np.polynomial.legendre.leggauss(POINTS)
    a, b = (0.5 * (1.0 + g).ravel() for g in np.meshgrid(x, x, indexing="ij"))
    weights = 0.25 * np.outer(w, w).ravel()
    if KINDS[kind].simplex:  # a square that is collapsed onto the triangle
        weights, b = weights * (1.0 - a), b * (1.0 - a)
    along, across = second - first, last - first
    values, slopes = shapes(kind, first + np.outer(a, along) + np.outer(b, across))
    tangents = [np.einsum("qni,i,nj->qj", slopes, way, corners) for way in (along, across)]
    return np.asarray((weights * np.linalg.norm(np.cross(*tangents), axis=1)) @ values)
