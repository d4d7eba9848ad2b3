"""Rotation of elements of cables and gradient beams from one node to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from supple.foundation.poses import Array

SECTION = 2  # first of the gradients r_y, r_z


def node_axes(e: Array, which: int) -> Array:
    """Axes (nt, nodes, 3, 3) in columns that Gram and Schmidt make of nodal vectors.

    The two gradients of ``e`` (nt, nodes, V, 3) are r_x and r_y if ``which`` is 1, and r_y and r_z
    if it is 2.
    """
    x, y = e[:, :, which], e[:, :, which + 1]
    x = x / np.sqrt(_dot(x, x))
    y = y - _dot(y, x) * x
    y = y / np.sqrt(_dot(y, y))
    axes = np.empty((*x.shape, 3))
    for k, part in enumerate((x, y, np.cross(x, y))):
        axes[..., (k + which - 1) % 3] = part
    return axes


def element_turns(axes: Array) -> Array:
    """Rotations (nt, elements, 3, 3) from node to node, of axes (nt, nodes, 3, 3)."""
    turned: Array = np.swapaxes(axes[:, :-1], -1, -2) @ axes[:, 1:]
    return turned


def turn_vectors(before: Array, now: Array) -> Array:
    """Rotations of elements (nt, elements, 3, 3) beside those at rest, as vectors, rad.

    They are not known of what is folded, turned by pi.
    """
    more = np.swapaxes(before, -1, -2) @ now
    sine = _sines(more)
    size = np.linalg.norm(sine, axis=-1, keepdims=True)
    found: Array = sine * angles(more)[..., None] / np.where(size > 0.0, size, 1.0)
    return found


def line_turns(e: Array, which: int) -> Array:
    """Angles (nt, elements) by which sections, of cables slopes, turn from node to node, rad.

    ``e`` (nt, nodes, V, 3) are nodal vectors, ``which`` is the first gradient of their axes.
    """
    if e.shape[2] > 2:
        return angles(element_turns(node_axes(e, which)))
    a, b = e[:, :-1, 1], e[:, 1:, 1]
    across = np.linalg.norm(np.cross(a, b), axis=2)
    found: Array = np.arctan2(across, (a * b).sum(axis=2))
    return found


def angles(turned: Array) -> Array:
    """Angles (...) of rotations (..., 3, 3), rad."""
    cosine = np.trace(turned, axis1=-2, axis2=-1) - 1.0
    found: Array = np.arctan2(np.linalg.norm(_sines(turned), axis=-1), cosine)
    return found


def _dot(x: Array, y: Array) -> Array:
    """Scalar products (..., 1) of vectors (..., 3)."""
    return np.asarray(np.einsum("...i,...i->...", x, y)[..., None])


def _sines(turned: Array) -> Array:
    """Axes (..., 3) of rotations (..., 3, 3) times twice the sines of their angles."""
    parts = [(2, 1), (0, 2), (1, 0)]
    return np.stack([turned[..., i, j] - turned[..., j, i] for i, j in parts], axis=-1)
