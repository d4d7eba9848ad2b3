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

    e_0 = (d . d + c . c / 3 + B b . b - 1) / 2         B = `BENT`
    e_1 = (s_1 - s_0) / 2
    e_2 = (s_0 + s_1) / 2 - e_0

whose ends have the stretches s_0, s_1 of the slopes there. Of a straight element it is the exact
strain. It asks a line that bends for two things in each element, its length and that of one slope:
as many as there are coordinates for them, so that it cannot lock.

**Limp lines.** A tension N (1 - x) of an element at the free end of a line that hangs has on slopes
across the line the energy N l (e_0 - e_1 / 3), where s_1 counts negative: the weight of an element
acts on its slopes, too, and pushes that of the free end upwards. With B = 1/5 of the mean this
energy is negative for some slopes, and where E I < w l^3 / 240 of the weight w per length the line
would not hang straight. It is positive if B > 1/2. That is enough for tensions N + N' x of any
element which are nowhere negative; e_0 differs from the mean by b . b / 5, the fourth power of the
length of an element. At the ends of the line one may do more: no other element asks for the length
of the slope there. With

    s_1 = (r_x . r_x - 1) / 2 - `END` c . b              s_0 = (r_x . r_x - 1) / 2 + `END` c . b

at these the energy has the product c . b that the integral of N (1 - x) r_x . r_x / 2 has.
"""

from __future__ import annotations

import numpy as np

from supple.fem.gradient_table import Array, Term
from supple.fem.line import BeamLine

D, C, B = range(3)  # rows of the mean of the slope, of half its difference, and of what is left
POINTS = 4  # products of two parabolas, with a section that changes
BENT = 0.6  # factor of b . b in twice e_0; beyond 1/2 lines under tension are stable
END = 1.2  # factor of c . b in the stretch at the end of a line
# (s_0 + s_1) / 2 beside the mean strain, of slopes within the line
CURVED: tuple[Term, ...] = ((1.0, D, B), (1.0 / 3.0, C, C), (2.0 / 5.0, B, B))


def stretch_rows(length: float) -> Array:
    """Rows (3, 4) of d, c, b from r, r_x of both ends.

    Places occur in d and b as a difference: rounding of theirs is not magnified by short elements.
    """
    one = 1.0 / length
    return np.array([[-one, 0.0, one, 0.0], [0.0, -0.5, 0.0, 0.5], [one, 0.5, -one, 0.5]])


def stretch_terms(ends: tuple[float, float], bent: float = 0.0) -> list[tuple[Term, ...]]:
    """Terms of e_0, e_1, e_2 of the element between two places in 0..1 of a line.

    From e_0 is taken ``bent`` times the mean of (length/2)^2 r_xx . r_xx = c . c + 3 b . b.
    """
    first, last = ends[0] == 0.0, ends[1] == 1.0
    end = 0.5 * END / (first + last) if first or last else 0.0  # one element has it once
    mean = ((0.5, D, D), (1.0 / 6.0 - bent, C, C), (0.5 * BENT - 3.0 * bent, B, B))
    sloped = ((1.0, D, C), (1.0 - end * (first + last), C, B))
    curved = ((1.0, D, B), (1.0 / 3.0, C, C), (0.5 * (1.0 - BENT), B, B))
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
