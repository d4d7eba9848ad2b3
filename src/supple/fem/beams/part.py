"""The element of a part of a beam that bends and twists: its rate of twist is linear along it.

Moments of a beam that is bent about both axes twist it by ``(E I_z - E I_y) k_y k_z`` per length.
An element whose rate of twist is constant cannot follow, and in a chain of them the flexibility
that is missing falls with the square of their length only. A thirteenth coordinate, the angle by
which the middle section turns beyond the mean of the end sections, makes the twist a parabola.
"""

from __future__ import annotations

from functools import cached_property
from typing import ClassVar

import numpy as np

from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.element import BeamElement
from supple.foundation.arrays import Array

INNER = 12  # place of the coordinate behind those of both ends


class PartElement(BeamElement):
    """An element with the twist ``4 xi (1 - xi)`` as a further shape."""

    @property
    def size(self) -> int:
        """Number of its coordinates: those of both ends, and the angle of the middle section."""
        return 13

    def _new_values(self, xi: float) -> Array:
        rows = super()._new_values(xi)
        rows[3, INNER] = 4.0 * xi * (1.0 - xi)
        return rows

    def strain(self, xi: float) -> Array:
        """Rows (6, 13) as those of any element."""
        rows = super().strain(xi)
        rows[3, INNER] = 4.0 * (1.0 - 2.0 * xi) / self.length
        return rows


class PartMesh(BeamMesh):
    """A beam of one such element."""

    element_type: ClassVar[type[BeamElement]] = PartElement

    @property
    def size(self) -> int:
        """Number of its coordinates."""
        return 13

    def inner_twist(self, x: float) -> Array:
        """Row (size,) of the rate of twist, at the station x, that the nodes do not tell."""
        row = np.zeros(self.size)
        row[INNER] = self._pieces[0].strain(x / self.length)[3, INNER]
        return row

    @cached_property
    def _turn(self) -> Array:
        turn = np.eye(self.size)
        if self._turns:
            turn[:INNER, :INNER] = np.kron(np.eye(4), self._axes.T)
        return turn

    def _columns(self, element: int) -> slice:
        return slice(0, self.size)
