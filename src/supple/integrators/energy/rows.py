"""Joints and constraints as quadratic forms of two bodies, for the energy scheme.

A joint's rows are products of vectors that are fixed to its two bodies and of the way between two
points, so that they are quadratic in places and columns of rotations (``core/energy/forms.py``).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from supple.core.energy import forms
from supple.core.energy import state as at
from supple.foundation.arrays import Array

ALIKE = 1e-9  # sine of the angle between axes that are parallel

Axis = tuple[str, Array, int, int]  # "rotate" or "translate", axis, place in q and in u
Coordinate = tuple[int, int, int, int, int]  # kind, place in q and in u, forms


class Row(NamedTuple):
    """A row of a table: its integers and its reals."""

    integers: tuple[int, ...]
    reals: tuple[float, ...]


class Pair:
    """Two bodies, a point of each, and the axes of B at zero joint coordinates.

    ``bodies`` are numbers, 0 for the ground; ``arms`` (3,) from the mass centres to the points in
    the axes of the bodies; ``turn`` (3, 3) takes vectors from A's axes to B's at zero coordinates.
    """

    def __init__(
        self, bodies: tuple[int, int], arms: tuple[Array, Array], turn: Array, length: float
    ) -> None:
        self.bodies, self.arms, self.turn, self.length = bodies, arms, turn, length

    def form(self, kind: int, a: Array | None, b: Array | None, value: float = 0.0) -> Row:
        """One form with the vectors a in A's and b in B's axes."""
        sizes = {forms.DOT: 1.0, forms.VECTOR: 1.0, forms.LENGTH: self.length**2}
        vectors = (np.zeros(3) if a is None else a, np.zeros(3) if b is None else b, *self.arms)
        flat = (float(x) for vector in vectors for x in vector)
        return Row((kind, *self.bodies), (*flat, value, sizes.get(kind, self.length)))

    def dot(self, a: Array, b: Array, value: float = 0.0) -> Row:
        """The product of a vector of A with one of B, both in A's axes at zero coordinates."""
        return self.form(forms.DOT, a, self.turn @ b, value)

    def along(self, a: Array, on_b: bool) -> Row:
        """The way from A's to B's point along a vector of A or, ``on_b``, of B."""
        if on_b:
            return self.form(forms.LINE_B, None, self.turn @ a)
        return self.form(forms.LINE_A, a, None)

    def together(self) -> list[Row]:
        """The two points coincide."""
        return [self.form(forms.POINT, e, None) for e in np.eye(3)]

    def apart(self, length: float) -> Row:
        """The distance of the two points."""
        return self.form(forms.LENGTH, None, None, 0.5 * length**2)


class UnfitError(Exception):
    """A joint that is no set of quadratic forms; its text says what it has."""


def joint_rows(pair: Pair, axes: Sequence[Axis]) -> list[Row]:
    """Rows that leave exactly the motions along the axes; raises `UnfitError` if there are none."""
    turns = [n for kind, n, _, _ in axes if kind == "rotate"]
    rows = place_rows(pair, axes)
    e = np.eye(3)
    if not turns:
        rows += [pair.dot(e[i], e[(i + 1) % 3]) for i in range(3)]
    elif len(turns) == 1:
        rows += [pair.dot(a, turns[0]) for a in across(turns[0])]
    elif len(turns) == 2:
        rows.append(pair.dot(turns[0], turns[1], float(turns[0] @ turns[1])))
    else:
        raise UnfitError(f"{len(turns)} rotations in a row")
    return rows


def place_rows(
    pair: Pair, axes: Sequence[Axis], sides: Collection[str] = ("A", "B")
) -> list[Row]:
    """Rows that hold B's point on what the translations of a joint reach.

    ``sides``: the bodies whose axes may be used; raises `UnfitError` if that is not enough.
    """
    ways, on_b = _translations(axes)
    if not ways:
        return pair.together()
    if ("B" if on_b else "A") not in sides:
        raise UnfitError("translations along axes of a section")
    outside = np.linalg.svd(np.array(ways))[2][len(ways) :]
    return [pair.along(a, on_b) for a in outside]


def joint_coordinates(
    pair: Pair, axes: Sequence[Axis], first: int
) -> tuple[list[Coordinate], list[Row]]:
    """Coordinates of a joint's axes, and the forms they are made of, numbered from ``first``."""
    turns = [axis for axis in axes if axis[0] == "rotate"]
    ways, on_b = _translations(axes)
    coordinates: list[Coordinate] = []
    used: list[Row] = []
    dual = np.linalg.pinv(np.array(ways)).T if ways else np.zeros((0, 3))
    moved = [axis for axis in axes if axis[0] == "translate"]
    for (_, _, q, u), a in zip(moved, dual, strict=True):
        coordinates.append((at.LINE, q, u, first + len(used), 0))
        used.append(pair.along(a, on_b))
    for k, (_, n, q, u) in enumerate(turns):
        coordinates.append((at.TURN, q, u, first + len(used), first + len(used) + 1))
        if len(turns) == 1:
            e1, e2 = across(n)
            used += [pair.dot(e2, e1), pair.dot(e1, e1)]
            continue
        other = turns[1 - k][1]
        size = float(np.linalg.norm(np.cross(n, other)))
        e1 = (other - (n @ other) * n) / size
        e2 = np.cross(n, e1)
        if k == 0:  # the second axis is fixed to B
            used += [pair.dot(e2, other / size), pair.dot(e1, other / size)]
        else:  # the first axis is fixed to A and turns backwards for B
            used += [pair.dot(-other / size, e2), pair.dot(other / size, e1)]
    return coordinates, used


def across(n: Array) -> tuple[Array, Array]:
    """Two unit vectors across n, right-handed with it."""
    e1 = np.cross(n, np.eye(3)[int(np.argmin(np.abs(n)))])
    e1 = e1 / np.linalg.norm(e1)
    return e1, np.cross(n, e1)


def _translations(axes: Sequence[Axis]) -> tuple[list[Array], bool]:
    """Directions of all translations, and whether they are fixed to B instead of A.

    A translation along the axis of a rotation may be exchanged with it.
    """
    ways, sides = [], {"A", "B"}
    for i, (kind, n, _, _) in enumerate(axes):
        if kind == "rotate":
            continue
        before = [a for k, a, _, _ in axes[:i] if k == "rotate"]
        after = [a for k, a, _, _ in axes[i:] if k == "rotate"]
        own = {side for side, past in (("A", before), ("B", after)) if _all_along(n, past)}
        ways.append(n)
        sides &= own
        if not sides:
            raise UnfitError(
                "translations along axes that are fixed to neither or to both of its bodies"
            )
    return ways, "A" not in sides


def _all_along(n: Array, axes: Sequence[Array]) -> bool:
    return all(float(np.linalg.norm(np.cross(n, a))) < ALIKE for a in axes)
