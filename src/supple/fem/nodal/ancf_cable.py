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

With the element ``mean`` it is the parabola of `supple.fem.nodal.stretch`, of the mean strain and
of the stretches at both ends: slender elements converge with the fourth order. With ``two_points``
it is taken at two Gauss points, of second order; slopes at the ends that are longer than the strain
there have the energy that they have in the parabola.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from supple.fem.beams.line import BeamLine, gauss
from supple.fem.nodal.ancf_mesh import ANCFMesh, chain
from supple.fem.nodal.ancf_table import ElementTable, StrainPoint
from supple.fem.nodal.stretch import CURVED, Beside, stretch_rows, stretch_stiffness, stretch_terms
from supple.foundation.arrays import Array

# Ascending powers of xi of the four shapes, which belong to place and slope at 0 and at 1.
CUBICS = np.array(
    [[1.0, 0.0, -3.0, 2.0], [0.0, 1.0, -2.0, 1.0], [0.0, 0.0, 3.0, -2.0], [0.0, 0.0, -1.0, 1.0]]
)
MASS_POINTS = 4  # products of two cubics


def hermite_rows(xi: float, lengths: Array, derivative: int = 0) -> Array:
    """Rows (n, 4) of `hermite` for curves of these lengths (n,)."""
    rows: Array = np.tile(hermite(xi, 1.0, derivative), (len(lengths), 1))
    rows[:, 1::2] *= lengths[:, None]
    return rows / lengths[:, None] ** derivative


def hermite(xi: float, length: float, derivative: int = 0) -> Array:
    """Row (4,) over place and slope at both ends, of a derivative by x = xi length in 0..length."""
    powers = np.zeros(4)
    for n in range(derivative, 4):
        powers[n] = np.prod(np.arange(n, n - derivative, -1.0)) * xi ** (n - derivative)
    return CUBICS @ powers * [1.0, length, 1.0, length] / length**derivative


CableElementKind = Literal["mean", "two_points"]
CABLE_ELEMENTS: tuple[CableElementKind, ...] = get_args(CableElementKind)


def cable_table(
    kind: CableElementKind,
    line: BeamLine,
    ends: tuple[float, float],
    rest: Array,
    time: float = 0.0,
    closed: bool = False,
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
    closed : bool
        True if the line has no ends.
    """
    length = (ends[1] - ends[0]) * line.length
    mass, bending, square = np.zeros((4, 4)), np.zeros((4, 4)), 0.0
    for s, weight in line.quadrature(*ends, MASS_POINTS):
        law, xi = line.at(s), (s - ends[0]) / (ends[1] - ends[0])
        row, curved = hermite(xi, length), hermite(xi, length, 2)
        step, EI = weight * line.length, float(law.bending[0, 0])
        mass += step * law.line_mass * np.outer(row, row)
        bending += step * EI * np.outer(curved, curved)
        square += step * EI / law.axial
    rows, D = stretch_rows(length), stretch_stiffness(line, ends)
    if kind == "mean":
        beside = Beside(False, False, False) if closed else Beside.of(line, ends)
        strains = stretch_terms(beside, 4.0 * square / length**3)
        points = [StrainPoint.of(rows, strains, D, time * D)]
    else:
        points = [StrainPoint.of(rows, [CURVED], D[2, 2], time * D[2, 2])]
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
    laid: Array | None = None,
) -> ANCFMesh:
    """Mesh of elements between stations (n + 1,) m of a straight line, in 2 or 3 dimensions.

    With nodal vectors ``laid`` (n, 2, d) its end is its begin, and these are where they are before
    it moves. The other parameters are those of `cable_table`.
    """

    def table(ends: tuple[float, float], vectors: Array) -> ElementTable:
        return cable_table(kind, line, ends, vectors, time, laid is not None)

    rest = np.zeros((len(stations), 2, dimension))
    rest[:, 0, 0], rest[:, 1, 0] = stations, 1.0
    made = chain(line, stations, rest, table)
    if laid is None:
        return made
    cells = [cell % len(laid) for cell in made.cells]
    return ANCFMesh.of(laid, cells, [made.tables[kind] for kind in made.kinds])
