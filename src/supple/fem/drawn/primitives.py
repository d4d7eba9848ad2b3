"""Points and triangles of simple forms about the origin, for pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.drawn.surface import Surface
from supple.foundation.arrays import Array

AROUND = 28  # points of a circle
UP = 14  # rings of a sphere


def cuboid(size: ArrayLike) -> Surface:
    """A box with edges (3,) along x, y, z."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    quads = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    faces = [face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]
    return Surface(0.5 * np.asarray(size, dtype=float) * corners, np.array(faces))


def cylinder(radius: float, length: float) -> Surface:
    """A round bar along z."""
    return turned([[0.0, -0.5 * length], [radius, -0.5 * length],
                   [radius, 0.5 * length], [0.0, 0.5 * length]])  # fmt: skip


def sphere(radius: float) -> Surface:
    """A ball."""
    angle = np.linspace(-0.5 * np.pi, 0.5 * np.pi, UP + 1)
    return turned(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1))


def arrow(head: float = 0.25, radius: float = 0.025) -> Surface:
    """An arrow along z from 0 to 1."""
    wide = 2.6 * radius
    return turned([[0.0, 0.0], [radius, 0.0], [radius, 1.0 - head], [wide, 1.0 - head], [0.0, 1.0]])


def turned(profile: ArrayLike) -> Surface:
    """A surface of revolution about z of points (k, 2) with radius and height, from below."""
    line = np.asarray(profile, dtype=float)
    angle = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(AROUND)], axis=1)
    on_axis = line[:, 0] <= 1e-12 * np.abs(line).max()
    points: list[Any] = []
    rings = []
    for (radius, height), alone in zip(line, on_axis, strict=True):
        first = len(points)
        points += [[0.0, 0.0, height]] if alone else list(radius * ring + [0.0, 0.0, height])
        rings.append(first + (np.zeros(AROUND, dtype=int) if alone else np.arange(AROUND)))
    faces = []
    for k in range(len(line) - 1):
        a, c = rings[k], rings[k + 1]
        b, d = np.roll(a, -1), np.roll(c, -1)
        if not on_axis[k]:
            faces.append(np.stack([a, b, d], axis=1))
        if not on_axis[k + 1]:
            faces.append(np.stack([a, d, c], axis=1))
    return Surface(np.array(points), np.concatenate(faces).astype(np.intp))


def torus(radius: float, wire: float) -> Surface:
    """A ring about z."""
    angle = 2.0 * np.pi * np.arange(AROUND + 1) / AROUND
    centre = np.stack([np.cos(angle), np.sin(angle), 0.0 * angle], axis=1) * radius
    return pipe(centre, wire)


def coil(turns: int, radius: float, wire: float) -> Surface:
    """A spring along z from 0 to 1, with short straight ends."""
    angle = np.linspace(0.0, 2.0 * np.pi * turns, 14 * turns + 1)
    height = 0.1 + 0.8 * angle / angle[-1]
    wound = np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
    line = np.concatenate([[[0, 0, 0], [0, 0, 0.08]], wound, [[0, 0, 0.92], [0, 0, 1.0]]])
    return pipe(line, wire, 8)


def pipe(line: Array, radius: float, around: int = 12) -> Surface:
    """A round wire along points (k, 3)."""
    along = np.gradient(line, axis=0)
    along /= np.linalg.norm(along, axis=1)[:, None]
    normal = np.cross(along[0], np.eye(3)[int(np.argmin(np.abs(along[0])))])
    normals = []
    for tangent in along:  # carried along the line without turning about it
        normal = normal - tangent * (tangent @ normal)
        normal = normal / np.linalg.norm(normal)
        normals.append(normal)
    first = np.array(normals)
    second = np.cross(along, first)
    angle = 2.0 * np.pi * np.arange(around) / around
    ring = np.cos(angle)[:, None] * first[:, None] + np.sin(angle)[:, None] * second[:, None]
    points = (line[:, None] + radius * ring).reshape(-1, 3)
    one, two = np.arange(around), (np.arange(around) + 1) % around
    start = around * np.arange(len(line) - 1)[:, None]
    a, b = (start + one).ravel(), (start + two).ravel()
    faces = [np.stack([a, b, a + around], axis=1), np.stack([b, b + around, a + around], axis=1)]
    return Surface(points, np.concatenate(faces).astype(np.intp))
