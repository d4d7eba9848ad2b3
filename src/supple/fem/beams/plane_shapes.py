"""Shapes of a beam element in one plane: the statics of an element that is loaded at its ends only.

With xi in 0..1 along the element, lengths in units of it, and g = E I / (G k A length^2), the
equilibrium ``M' = -V`` leaves

    curvature  tz' = m + f xi,    shear strain  v' - tz = -f g

with two constants m and f beside the deflection and rotation of the first end. Sections that change
have `supple.fem.beams.tapered_shapes`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from supple.fem.beams.line import SectionLaw

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PlaneShapes:
    """Polynomials (4, n) of xi, ascending powers: one row for each end coordinate.

    The rows belong to deflection and rotation of the first end, then of the second; deflections are
    in lengths of the element. ``sheared`` is False where the shear strain is zero by theory.
    """

    deflection: Array
    rotation: Array
    curvature: Array
    shear: Array
    sheared: bool

    @classmethod
    def of(cls, laws: Sequence[SectionLaw], plane: int, length: float) -> Self:
        """Those of an element with one section, or with the mean of several."""
        EI = np.mean([law.bending[plane, plane] for law in laws])
        b, g = np.ones(1), np.atleast_1d(EI / (np.mean([x.shear[plane] for x in laws]) * length**2))
        xb = np.concatenate([[0.0], b])
        B0, B1 = _integral(b), _integral(xb)
        C0, C1 = _integral(B0), _integral(B1)
        C1[: len(g) + 1] -= _integral(g)
        ends = np.array([[p.sum() for p in row] for row in ((B0, B1), (C0, C1))])
        # Columns: deflection and rotation of the first end, then of the second.
        given = np.array([[0.0, -1.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 0.0]])
        m, f = np.linalg.solve(ends, given)
        first = np.array([[1.0, 0, 0, 0], [0.0, 1, 0, 0]])
        rotation = _rows((first[1], [1.0]), (m, B0), (f, B1))
        deflection = _rows((first[0], [1.0]), (first[1], [0.0, 1.0]), (m, C0), (f, C1))
        return cls(
            deflection=deflection,
            rotation=rotation,
            curvature=_rows((m, b), (f, xb)),
            shear=_rows((-f, g)),
            sheared=bool(np.any(g)),
        )

    def motion(self, xi: float) -> tuple[Array, Array]:
        """Deflection and rotation (4,) at xi for each end coordinate."""
        return _value(self.deflection, xi), _value(self.rotation, xi)

    def strains(self, xi: float) -> tuple[Array, Array]:
        """Curvature and shear strain (4,) at xi for each end coordinate."""
        return _value(self.curvature, xi), _value(self.shear, xi)


def _value(polynomials: Array, xi: float) -> Array:
    """Values (4,) of polynomials (4, n) with ascending powers."""
    return np.asarray(polynomials @ xi ** np.arange(polynomials.shape[1]))


def _integral(p: Array) -> Array:
    """Integral from 0 of a polynomial with ascending powers."""
    return np.concatenate([[0.0], p / np.arange(1, len(p) + 1)])


def _rows(*parts: tuple[Array, Any]) -> Array:
    """Sum of outer products of coordinates (4,) and polynomials."""
    outer = [np.outer(factor, p) for factor, p in parts]
    total = np.zeros((4, max(x.shape[1] for x in outer)))
    for x in outer:
        total[:, : x.shape[1]] += x
    return total
