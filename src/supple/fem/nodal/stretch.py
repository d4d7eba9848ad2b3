"""The axial strain of an element whose axis is a cubic: a parabola of its mean and its ends.

With Legendre's polynomials of x in -1..1 the slope is r_x = d + c x + b (3 x^2 - 1) / 2, where d is
its mean, c half the difference of both ends and b what is left. A cubic that bends much cannot have
a constant stretch everywhere, so that elements which ask for it are stiff. The mean stretch

    mean of (r_x . r_x - 1) / 2 = (d . d + c . c / 3 + b . b / 5 - 1) / 2

asks for it on the whole only. But of a straight element it does not see how long the slopes are at
its ends: these would have no energy, and a line that hangs would not stretch by what it weighs.
Strain at two Gauss points sees all but slopes that are longer alike at all nodes, which loads that
change along the line make. A slope at a node may have any length, however the line bends. So the
strain here is the parabola of Legendre's polynomials of degree 0, 1 and 2 with the factors

    e_0 = (d . d + c . c / 3 + B b . b - 1) / 2         B = 1/5, that of the mean
    e_1 = (s_1 - s_0) / 2
    e_2 = (s_0 + s_1) / 2 - e_0

whose ends have the stretches s_0, s_1 of the slopes there. Of a straight element it is the exact
strain. It asks a line that bends for two things in each element, its length and that of one slope:
as many as there are coordinates for them, so that it cannot lock.

**Limp lines.** The tension N (1 - x) of the element at the free end of a line that hangs has on
slopes across the line the energy N l (e_0 - e_1 / 3), where s_1 counts negative: the weight of an
element acts on its slopes, too, and pushes that of the free end upwards. With s_1 of the slope
alone this energy is negative for some shapes, and where E I < w l^3 / 240, w the weight per length,
the line would not hang straight. But at the ends of a line no other element asks for the length of
the slope. With

    s_1 = (r_x . r_x - 1) / 2 - `END` c . b              s_0 = (r_x . r_x - 1) / 2 + `END` c . b

at these the energy is the integral of N (1 - x) r_x . r_x / 2. In other elements the tension is
N + N' x with N' < N: their energies are positive if N' < 0.707 N, so that of more than 0.21 of
their own weight hangs below. With B > 1/2 they are positive for all tensions that are nowhere
negative: elements with a rest of the line beside them that has a `SHORT` part of their own mass
have B = `HELD`. Their e_0 differs from the mean by b . b / 5, of the fourth power of their length.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.fem.beams.line import BeamLine
from supple.fem.nodal.ancf_table import Term
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array

D, C, B = range(3)  # rows of the mean of the slope, of half its difference, and of what is left
POINTS = 4  # products of two parabolas, with a section that changes
MEAN, HELD = 0.2, 0.6  # factors of b . b in twice e_0
# Mass of the rest of a line beside an element, in parts of its own; half of it, but for rounding,
# is not short.
SHORT = 0.5 * (1.0 - 1e-9)
END = 1.2  # factor of c . b in the stretch at the end of a line
# (s_0 + s_1) / 2 beside the mean strain, of slopes within the line
CURVED: tuple[Term, ...] = ((1.0, D, B), (1.0 / 3.0, C, C), (2.0 / 5.0, B, B))


def stretch_rows(length: float) -> Array:
    """Rows (3, 4) of d, c, b from r, r_x of both ends.

    Places occur in d and b as a difference: rounding of theirs is not magnified by short elements.
    """
    one = 1.0 / length
    return np.array([[-one, 0.0, one, 0.0], [0.0, -0.5, 0.0, 0.5], [one, 0.5, -one, 0.5]])


class Beside(NamedTuple):
    """Neighbours of an element in its line."""

    # first, last: it is at an end of the line
    first: bool
    last: bool
    # what is left of the line at a side of it has a small part of its own mass, or it tapers much
    # to an end of the line
    short: bool

    @classmethod
    def of(cls, line: BeamLine, ends: tuple[float, float]) -> Beside:
        """Return the neighbours of the element between two places in 0..1 of a line."""
        at = ends[0] == 0.0, ends[1] == 1.0
        if isinstance(line.section, CrossSection):  # masses are as lengths
            own, rest, tips = ends[1] - ends[0], [ends[0], 1.0 - ends[1]], []
        else:
            own, *rest = (_mass(line, *part) for part in (ends, (0.0, ends[0]), (ends[1], 1.0)))
            size = ends[1] - ends[0]
            tips = [size * line.at(s).line_mass for s, one in zip(ends, at, strict=True) if one]
        return cls(*at, any(0.0 < mass < SHORT * own for mass in (*rest, *tips)))


def _mass(line: BeamLine, start: float, end: float) -> float:
    """Mass of a line between two places in 0..1 over its length, kg/m."""
    places = line.quadrature(start, end, POINTS) if end > start else []
    return float(sum(weight * line.at(s).line_mass for s, weight in places))


def stretch_terms(beside: Beside, bent: float = 0.0) -> list[tuple[Term, ...]]:
    """Terms of e_0, e_1, e_2 of an element.

    From e_0 is taken ``bent`` times the mean of (length/2)^2 r_xx . r_xx = c . c + 3 b . b.
    """
    first, last, short = beside
    own = HELD if short else MEAN
    end = 0.5 * END / (first + last) if first or last else 0.0  # one element has it once
    mean = ((0.5, D, D), (1.0 / 6.0 - bent, C, C), (0.5 * own - 3.0 * bent, B, B))
    sloped = ((1.0, D, C), (1.0 - end * (first + last), C, B))
    curved = ((1.0, D, B), (1.0 / 3.0, C, C), (0.5 * (1.0 - own), B, B))
    return [mean, sloped, curved if first == last else (*curved, (end * (first - last), C, B))]


def stretch_stiffness(line: BeamLine, ends: tuple[float, float]) -> Array:
    """Stiffness (3, 3) J of e_0, e_1, e_2 of the element between two places in 0..1 of a line.

    The axial force is a parabola, so that flexibilities add up: it is exact under weight.
    """
    flexibility = np.zeros((3, 3))
    length = (ends[1] - ends[0]) * line.length
    for s, weight in line.quadrature(*ends, POINTS):
        x = 2.0 * (s - ends[0]) / (ends[1] - ends[0]) - 1.0
        # Legendre's polynomials over the means of their squares: means with these are factors
        own = np.array([1.0, 3.0 * x, 2.5 * (3.0 * x * x - 1.0)])
        flexibility += weight * line.length / line.at(s).axial * np.outer(own, own)
    return np.asarray(length**2 * np.linalg.inv(flexibility))
