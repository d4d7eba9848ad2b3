"""Shapes of a beam element whose section changes: the statics of its ends, by integrals.

With xi in 0..1 along the element, lengths in units of it, and the compliances a = 1 / E A, c = 1 /
G J, b = 1 / E I, g = 1 / (G k A length^2) of the section as functions of xi, an element that is
loaded at its ends only has

    u' ~ a,    tx' ~ c,    tz' = b (m + f xi),    v' - tz = -f g

with two constants m and f for each plane (`supple.fem.beams.element` has the same for constant
compliances). The integrals are sums over Gauss points in cells that end at kinks of the section and
within which it changes by little. So statics are exact at the nodes, whatever the taper is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.fem.beams.line import TAPER_POINTS, BeamLine, SectionLaw, gauss
from supple.foundation.arrays import Array

# Places of compliances: along the axis, in twist, of bending and of shear in both planes.
AXIAL, TWIST, BENDING, SHEAR = 0, 1, 2, 4
# Ends of an element as columns: deflection and rotation of the first, then of the second.
FIRST = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
GIVEN = np.array([[0.0, -1.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 0.0]])  # what bending adds to it


# Integrals from 0 of the polynomials that are 1 at one Gauss point of 0..1 and 0 at the others, by
# ascending powers of the end, (TAPER_POINTS, TAPER_POINTS).
_POWERS = np.arange(1, TAPER_POINTS + 1)
_PLACES = [x for x, _ in gauss(TAPER_POINTS)]
_PARTIAL = np.linalg.inv(np.vander(_PLACES, increasing=True)).T / _POWERS


@dataclass(frozen=True, eq=False)
class Compliance:
    """Compliances of the sections of an element, and their integrals from its first end.

    Attributes
    ----------
    line : BeamLine
    start, part : place of the element in 0..1 of the line, and its length there
    stations : ((xi, weight, law), ...) Gauss points of its cells
    """

    line: BeamLine
    start: float
    part: float
    stations: Sequence[tuple[float, float, SectionLaw]]

    def at(self, xi: float) -> Array:
        """Compliances (6,) of the section at xi, in lengths of the element."""
        known = self._known.get(xi)
        return self._of(self.line.at(self.start + self.part * xi)) if known is None else known

    def _of(self, law: SectionLaw) -> Array:
        shear = (self.part * self.line.length) ** 2 * np.array(law.shear)
        return np.asarray(1.0 / np.array([law.axial, law.torsional, *np.diag(law.bending), *shear]))

    @cached_property
    def _known(self) -> dict[float, Array]:
        return {xi: self._of(law) for xi, _, law in self.stations}

    @cached_property
    def _ends(self) -> Array:
        cells = np.array(self.line.cells(self.start, self.start + self.part))
        return np.asarray((cells - self.start) / self.part)

    @cached_property
    def _points(self) -> tuple[Array, Array, Array]:
        """Places (k,), weights (k,) and compliances (k, 6) of all cells, one after the other."""
        xi, weights, _ = zip(*self.stations, strict=True)
        return np.array(xi), np.array(weights), np.array([*self._known.values()])

    def points(self, xi: float) -> tuple[Array, Array, Array]:
        """The same from the first end to xi: the last cell by the polynomial through its points."""
        places, weights, values = self._points
        cell = int(np.searchsorted(self._ends[1:-1], xi, side="right"))
        first, last = TAPER_POINTS * cell, TAPER_POINTS * (cell + 1)
        begin, size = self._ends[cell], self._ends[cell + 1] - self._ends[cell]
        if xi >= self._ends[cell + 1]:
            return places[:last], weights[:last], values[:last]
        partial = size * (_PARTIAL @ ((xi - begin) / size) ** _POWERS)
        return places[:last], np.concatenate([weights[:first], partial]), values[:last]

    def share(self, xi: float, kind: int) -> tuple[float, float]:
        """Part of the whole motion that is before xi, along the axis or in twist; its slope."""
        _, weights, values = self.points(xi)
        _, total, all_values = self.points(1.0)
        whole = float(total @ all_values[:, kind])
        return float(weights @ values[:, kind]) / whole, float(self.at(xi)[kind]) / whole


@dataclass(frozen=True, eq=False)
class TaperedShapes:
    """Shapes of bending in one plane; see `supple.fem.beams.plane_shapes.PlaneShapes`."""

    compliance: Compliance
    plane: int

    @property
    def sheared(self) -> bool:
        """False where the shear strain is zero by theory."""
        return bool(self.compliance.at(0.5)[SHEAR + self.plane])

    def _integrals(self, xi: float) -> Array:
        """Rotations and deflections (2, 2) at xi for each of m and f."""
        s, weights, values = self.compliance.points(xi)
        b, g = weights * values[:, BENDING + self.plane], weights * values[:, SHEAR + self.plane]
        arm = xi - s
        return np.array([[b.sum(), b @ s], [b @ arm, b @ (arm * s) - g.sum()]])

    @cached_property
    def _factors(self) -> Array:
        """Constants m and f (2, 4) for each end coordinate."""
        return np.linalg.solve(self._integrals(1.0), GIVEN)

    def motion(self, xi: float) -> tuple[Array, Array]:
        """Deflection and rotation (4,) at xi for each end coordinate."""
        turned, moved = self._integrals(xi) @ self._factors
        return FIRST[0] + xi * FIRST[1] + moved, FIRST[1] + turned

    def strains(self, xi: float) -> tuple[Array, Array]:
        """Curvature and shear strain (4,) at xi for each end coordinate."""
        (m, f), values = self._factors, self.compliance.at(xi)
        return values[BENDING + self.plane] * (m + xi * f), -values[SHEAR + self.plane] * f
