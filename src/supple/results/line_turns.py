"""How far elements of cables and gradient beams turn from one node to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from supple.poses import Array

SECTION = 2  # first of the gradients r_y, r_z


def node_axes(gradients: Array, which: int) -> Array:
    """Axes (..., 3, 3) in columns that Gram and Schmidt make of two gradients (..., 2, 3).

    The gradients are r_x and r_y if ``which`` is 1, and r_y and r_z if it is 2.
    """
    x = gradients[..., 0, :] / np.linalg.norm(gradients[..., 0, :], axis=-1, keepdims=True)
    y = gradients[..., 1, :]
    y = y - (y * x).sum(axis=-1, keepdims=True) * x
    y = y / np.linalg.norm(y, axis=-1, keepdims=True)
    axes: Array = np.roll(np.stack([x, y, np.cross(x, y)], axis=-1), which - 1, axis=-1)
    return axes


def element_turns(e: Array, which: int) -> Array:
    """Rotations (nt, elements, 3, 3) from node to node, of nodal vectors (nt, nodes, V, 3).

    ``which`` is the first of the two gradients of which nodes have their axes.
    """
    axes = node_axes(e[:, :, which : which + 2], which)
    turned: Array = np.swapaxes(axes[:, :-1], -1, -2) @ axes[:, 1:]
    return turned


def turn_vectors(before: Array, now: Array) -> Array:
    """Rotations of elements (nt, elements, 3, 3) beside those at rest, as vectors, rad.

    They are not known of what is folded, turned by pi.
    """
    more = np.swapaxes(before, -1, -2) @ now
    sine = _sines(more)
    size = np.linalg.norm(sine, axis=-1, keepdims=True)
    found: Array = sine * _angles(more)[..., None] / np.where(size > 0.0, size, 1.0)
    return found


def line_turns(e: Array, which: int) -> Array:
    """Angles (nt, elements) by which sections, of cables slopes, turn from node to node, rad.

    ``e`` (nt, nodes, V, 3) are nodal vectors, ``which`` is the first gradient of their axes.
    """
    if e.shape[2] > 2:
        return _angles(element_turns(e, which))
    a, b = e[:, :-1, 1], e[:, 1:, 1]
    across = np.linalg.norm(np.cross(a, b), axis=2)
    found: Array = np.arctan2(across, (a * b).sum(axis=2))
    return found


def _angles(turned: Array) -> Array:
    """Angles (...) of rotations (..., 3, 3), rad."""
    cosine = np.trace(turned, axis1=-2, axis2=-1) - 1.0
    found: Array = np.arctan2(np.linalg.norm(_sines(turned), axis=-1), cosine)
    return found


def _sines(turned: Array) -> Array:
    """Axes (..., 3) of rotations (..., 3, 3) times twice the sines of their angles."""
    parts = [(2, 1), (0, 2), (1, 0)]
    return np.stack([turned[..., i, j] - turned[..., j, i] for i, j in parts], axis=-1)
