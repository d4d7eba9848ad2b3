"""Sections between the nodes of beams and cables over nodal vectors: their place and axes."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.foundation.arrays import Indices, Vector

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine
    from supple.foundation.frames import Frame

# Gauss points in each element of what turns with sections: exact for straight elements, along which
# shapes are cubic, and a profile is linear.
SECTION_POINTS = 3


class LineSection(NamedTuple):
    """The section at a frame of a line."""

    vectors: Indices  # (K,) numbers of the nodal vectors of its element
    rows: Vector  # (n, K) that give r and r_x or, where sections have axes, the gradients of these
    turn: Vector  # (3, 3) axes of the frame in those of the section (`section_axes`)
    weight: float  # of an integral along the line


def line_section(body: ANCFLine, frame: Frame, weight: float = 1.0) -> LineSection:
    """The section of a line at a frame, whose axes turn with it."""
    vectors, rows = body.shown_vectors(frame)
    own = np.eye(3)
    if body.turns:
        first = body.mesh.axes_from
        rows = rows[[0, first, first + 1]]
        own = section_axes(rows[1:] @ body.mesh.rest.reshape(-1, 3)[vectors])
    turn = own.T @ body.rest_pose(frame.position).R @ frame.rotation
    return LineSection(vectors, rows, turn, weight)


def weighted_sections(
    body: ANCFLine, points: Iterable[tuple[float, float]], rotation: Vector
) -> list[list[LineSection]]:
    """Sections at stations (m) in ascending order with weights, those of an element together."""
    every = (line_section(body, body.at(x, rotation=rotation), weight) for x, weight in points)
    return [list(some) for _, some in groupby(every, lambda section: int(section.vectors[0]))]


def section_axes(gradients: Vector) -> Vector:
    """Axes (..., 3, 3) in columns that Gram and Schmidt make of gradients (n, ..., 3).

    Of r_x alone there is the first, along it; the others are zero.
    """
    x = gradients[0] / np.linalg.norm(gradients[0], axis=-1, keepdims=True)
    if len(gradients) == 1:
        return np.stack([x, 0.0 * x, 0.0 * x], axis=-1)
    y = gradients[1] - np.sum(gradients[1] * x, axis=-1, keepdims=True) * x
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    return np.stack([x, y, np.cross(x, y)], axis=-1)
