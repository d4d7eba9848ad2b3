"""By how much elements of gradient beams from the literature are too stiff, from what they do.

Elements ``elastic_line`` and ``continuum`` have gradients across the axis that are linear between
nodes, and see all that this does (docs/theory.md, "Elements over nodal vectors"):

- an element that turns by the angle a has a section that is shorter between its nodes than there.
  What is left when the nodes share it has the energy E' A l a^4 / 720 beside E I a^2 / l of
  bending, E' the modulus without contraction: it locks, the more the thinner it is;
- its curvature is constant. A curvature that changes by d over the element has d^2 / 12 less of
  its square: the tip of a cantilever of n elements deflects by 1 - 1/(4 n^2);
- of a continuum, bending is stiffer by E'/E, since sections cannot contract on one side only.

All three are parts of the strain energy, as of a beam that has to take the same shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.errors import label
from supple.results.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.gradient import GradientBeam, GradientLine
    from supple.poses import Array
    from supple.results.monitor import Finding

LIMIT, SERIOUS = 0.02, 0.1  # parts of the stiffness
SECTION = 2  # first of the gradients r_y, r_z
STRAIGHT = 1e-9  # rad; elements that turn less are not bent


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
    found: Array = sine * angles(more)[..., None] / np.where(size > 0.0, size, 1.0)
    return found


def angles(turned: Array) -> Array:
    """Angles (...) of rotations (..., 3, 3), rad."""
    cosine = np.trace(turned, axis1=-2, axis2=-1) - 1.0
    found: Array = np.arctan2(np.linalg.norm(_sines(turned), axis=-1), cosine)
    return found


def _sines(turned: Array) -> Array:
    """Axes (..., 3) of rotations (..., 3, 3) times twice the sines of their angles."""
    parts = [(2, 1), (0, 2), (1, 0)]
    return np.stack([turned[..., i, j] - turned[..., j, i] for i, j in parts], axis=-1)


def excess(body: GradientLine, e: Array, rest: Array, touched: Sequence[int] = ()) -> Array:
    """Parts (nt,) of the stiffness that are too much, at nodal vectors (nt, nodes, V, 3).

    At ``touched`` nodes something acts on the beam, so that its curvature may jump.
    """
    beam = cast("GradientBeam", body)
    if beam.element not in ("elastic_line", "continuum"):
        return np.zeros(len(e))
    which = SECTION if beam.element == "continuum" else beam.mesh.axes_from
    turn = turn_vectors(element_turns(rest[None], which), element_turns(e, which))
    stations = np.asarray(beam.stations)
    lengths, middles = np.diff(stations), 0.5 * (stations[1:] + stations[:-1]) / beam.length
    sections = [beam.section.at(float(s)) for s in middles]
    area = np.array([s.area for s in sections])
    E, G = beam.material.E, beam.material.G
    stiffness = np.array([[G * s.J, E * s.I_y, E * s.I_z] for s in sections])
    poisson = E / (2.0 * G) - 1.0
    whole = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    square = (turn**2).sum(axis=2)
    bending = (stiffness * turn**2).sum(axis=2) / lengths
    locked = whole * E * area * lengths * square**2 / 720.0
    curvature = turn / lengths[:, None]
    change = _changes(curvature, touched)
    constant = (stiffness * change**2).sum(axis=2) * lengths / 12.0
    total = bending.sum(axis=1)
    found = (locked + constant).sum(axis=1) / np.where(total > 0.0, total, 1.0)
    if beam.element == "continuum":
        found = found + whole - 1.0
    bent: Array = np.sqrt(square.max(axis=1)) > STRAIGHT
    return np.where(bent, found, 0.0)


def _changes(curvature: Array, touched: Sequence[int]) -> Array:
    """By how much curvatures (nt, elements, 3) change over an element, from its neighbours.

    One element does not tell: as if it were a cantilever.
    """
    count = curvature.shape[1]
    if count == 1:
        return np.asarray(np.sqrt(3.0) * curvature)
    found = np.gradient(curvature, axis=1)
    for a, b in pairwise(sorted({0, *touched, count})):
        if b - a > 1:
            found[:, a:b] = np.gradient(curvature[:, a:b], axis=1)
    return np.asarray(found)


def of_stiffness(body: GradientLine, found: Extreme) -> Iterator[Finding]:
    """What is told of elements that are too stiff."""
    from supple.results.monitor import Finding

    passed = found.passes(LIMIT)
    if passed is None:
        return
    value, kind = found.largest, cast("GradientBeam", body).element
    yield Finding(
        body.name,
        "locking",
        value,
        LIMIT,
        passed,
        not value <= SERIOUS,
        f"{label(body)}: its elements {kind!r} are about {100.0 * value:.3g} % too stiff, more "
        f"than {100.0 * LIMIT:g} % from t = {passed:.4g} s on, since they lock where they turn: "
        "use element='collocated', or more of them",
    )
