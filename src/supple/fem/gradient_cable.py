"""Cable elements: place and slope r_x at each of two nodes, in a plane or in space.

The axis is a cubic; there is no twist and no shear. The energy is that of the axial strain and

    1/2 E I r_xx . r_xx

per length, which is a constant matrix. But ``|r_xx|`` is the curvature of a line that does not
stretch: with the angle theta of the tangent and the stretch 1 + e, ``|r_xx| = (1 + e) theta_x``
where e is constant, and E I would act as ``E I (1 + e)^2``. So the axial strain here is

    1/2 (r_x . r_x - 1) - (I / A) r_xx . r_xx

and the mixed term ``- E I e r_xx . r_xx`` of its square takes the stretch out again, to first order
in e; the term of fourth order is of the size of the square of the bending strain, which beams
neglect. The energy stays positive.

The strain is taken at two Gauss points, or as its *mean* over the element. A cubic that bends
much cannot have a constant stretch everywhere: the mean asks it only on the whole, so that slender
elements converge with the fourth order. But the mean of a straight element does not see how long
the slopes r_x are at its ends: nothing but E I would hold these, and a cable that hangs would not
stretch by what it weighs. A slope at a node can have any length, however the line bends. So the
strain of ``mean`` is the parabola that has this mean and at both ends the stretch of the slopes
there: of a straight element it is exact, and it asks a line that bends for two things in each
element, as many as it has coordinates for its length. It cannot lock.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from supple.fem.gradient_mesh import GradientMesh, chain
from supple.fem.gradient_table import ElementTable, StrainPoint, Term
from supple.fem.hermite import hermite
from supple.fem.line import BeamLine, gauss

Array = NDArray[np.float64]
CableElementKind = Literal["mean", "two_points"]
CABLE_ELEMENTS: tuple[CableElementKind, ...] = get_args(CableElementKind)

MASS_POINTS = 4  # products of two cubics


def cable_table(
    kind: CableElementKind,
    line: BeamLine,
    ends: tuple[float, float],
    rest: Array,
    time: float = 0.0,
) -> ElementTable:
    """Table of the element between two places in 0..1 of a line.

    Parameters
    ----------
    kind : "mean" or "two_points"
        Where the axial strain is taken: its mean and the ends, or two points.
    line : BeamLine
        The bending stiffness is that about z.
    ends : places in 0..1
    rest : (4, d)
        Nodal vectors r, r_x of both nodes without load: a straight line.
    time : s
        Viscosity beside E in units of E. It acts on the axial strain alone: a rate of r_xx that
        does not see rotations would need the direction of the section.
    """
    length = (ends[1] - ends[0]) * line.length
    mass, bending, flexibility = np.zeros((4, 4)), np.zeros((4, 4)), np.zeros((3, 3))
    square = 0.0
    for s, weight in line.quadrature(*ends, MASS_POINTS):
        law, xi = line.at(s), (s - ends[0]) / (ends[1] - ends[0])
        row, curved = hermite(xi, length), hermite(xi, length, 2)
        step, EI = weight * line.length, float(law.bending[0, 0])
        mass += step * law.line_mass * np.outer(row, row)
        bending += step * EI * np.outer(curved, curved)
        square += step * EI / law.axial
        flexibility += step / law.axial * np.outer(_legendre(xi), _legendre(xi))
    points = []
    if kind == "mean":
        rows, strains = _mean(length, square / length)
        # A force that is a parabola, as by weight: flexibilities add up.
        D = length**2 * np.linalg.inv(flexibility)
        points.append(StrainPoint.of(rows, strains, D, time * D))
    else:
        for xi, weight in gauss(2):
            law = line.at(ends[0] + (ends[1] - ends[0]) * xi)
            radius = float(law.bending[0, 0]) / law.axial
            rows = np.array([hermite(xi, length, 1), hermite(xi, length, 2)])
            EA = length * weight * law.axial
            points.append(StrainPoint.of(rows, [[(0.5, 0, 0), (-radius, 1, 1)]], EA, time * EA))
    return ElementTable.of(2, points, rest, mass, bending)


def cable_mesh(
    kind: CableElementKind,
    line: BeamLine,
    stations: Array,
    dimension: int,
    time: float = 0.0,
) -> GradientMesh:
    """Mesh of elements between stations (n + 1,) m of a straight line, in 2 or 3 dimensions.

    The other parameters are those of `cable_table`.
    """

    def table(ends: tuple[float, float], vectors: Array) -> ElementTable:
        return cable_table(kind, line, ends, vectors, time)

    rest = np.zeros((len(stations), 2, dimension))
    rest[:, 0, 0], rest[:, 1, 0] = stations, 1.0
    return chain(line, stations, rest, table)


def _legendre(xi: float) -> Array:
    """Legendre's polynomials (3,) of degree 0, 1, 2 at the place xi in 0..1, each over its square.

    The square is its mean over the element, so that the factors of a parabola are the means of it
    with these.
    """
    x = 2.0 * xi - 1.0
    return np.array([1.0, 3.0 * x, 2.5 * (3.0 * x * x - 1.0)])


def _mean(length: float, radius: float) -> tuple[Array, list[list[Term]]]:
    """Rows and the three strains of an element; ``radius`` is the mean of I / A, m2.

    With Legendre's polynomials of x in -1..1 the slope is r_x = d + c x + b (3 x^2 - 1) / 2, where
    d is the mean, c half the difference of both ends and b what is left. So r_xx is 2 / length
    times c + 3 b x, and the means of r_x . r_x and r_xx . r_xx are sums of the same three squares.
    The strain is a parabola with three factors of Legendre's polynomials: its mean e_0, and of the
    stretches s_0 and s_1 of both ends half the difference and what their mean has beside e_0,

        e_1 = (s_1 - s_0) / 2 = c . d + c . b
        e_2 = (s_0 + s_1) / 2 - mean of r_x . r_x / 2 = d . b + c . c / 3 + 2/5 b . b

    Places occur in d alone, as a difference: rounding of theirs is not magnified by short elements.
    """
    one, bent = 1.0 / length, 4.0 * radius / length**2
    rows = np.array([[-one, 0.0, one, 0.0], [0.0, -0.5, 0.0, 0.5], [one, 0.5, -one, 0.5]])
    factors = 0.5, 0.5 / 3.0 - bent, 0.5 / 5.0 - 3.0 * bent
    d, c, b = range(3)
    mean = [(factor, k, k) for k, factor in enumerate(factors)]
    sloped = [(1.0, d, c), (1.0, c, b)]
    curved = [(1.0, d, b), (1.0 / 3.0, c, c), (2.0 / 5.0, b, b)]
    return rows, [mean, sloped, curved]
