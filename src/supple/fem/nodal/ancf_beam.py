"""Beam elements with 24 coordinates: place and three gradients at each of two nodes.

A material point (x, y, z) is at ``r(x) + y r_y(x) + z r_z(x)``: the axis is a cubic of places and
slopes r_x, the gradients r_y and r_z, along the principal axes of the section at rest, are linear
(A. A. Shabana and R. Y. Yakoub, Three dimensional absolute nodal coordinate formulation for beam
elements, Journal of Mechanical Design 123 (2001) 606-621). So sections shear, twist and stretch.
Three elements differ in their strains and where these are taken:

``continuum``
    Green's strains at 5 x 3 x 3 points of the volume, of Saint-Venant and Kirchhoff. In bending it
    is too stiff by the factor (1 - nu) / ((1 + nu) (1 - 2 nu)), since its sections cannot contract
    on one side only, and it locks.
``elastic_line``
    Strains of the axis, curvatures and twist at 5 points (A. A. Nada, B. A. Hussein,
    S. M. Megahed and A. A. Shabana, Use of the floating frame of reference formulation in large
    deformation analysis, Proc. IMechE K 224 (2010) 45-58, eq. 19). It locks in large deflections:
    between two nodes that turn, linear gradients are shorter than at the nodes.
``collocated``
    The same strains where they are right for slender elements: the axial strain as the parabola of
    `supple.fem.nodal.stretch`, which cannot lock, strains of the section and shears at the nodes,
    curvatures and twist at three points. At the nodes the angle between section and slope does not
    depend on how gradients are interpolated: a cubic deflection has no shear there, so that small
    deflections are those of Euler and Bernoulli. (In the middle of an element a section that shears
    one way at one node and the other way at the next would have no energy; what little holds it
    then gives way under moments in the stiff plane of a strip.)

**Axes of a section.** A moment turns what its work is done on. Curvatures of ``elastic_line`` and
``collocated`` are those of the axis: there r_x turns with the section, and frames have its
direction. Strains of the continuum are those of r_y and r_z: it bends where these turn, and r_x is
held by shear alone. A moment M on r_x would shear an element of the length l by M / (G A l), the
more the shorter it is, so frames on it have the axes that r_y and r_z make.

A torque T about the axis acts on one of r_y and r_z, while twist is of both. What passes from one
to the other at a node shears the section in its plane by T / (G A l), the more the shorter the
elements are. Beams have no such shear. So each element adds `PLANE` times its torsional stiffness
to that of the angle between r_y and r_z at its nodes: a torque at a node then turns it by less than
2 / PLANE of the twist of an element too far, and nothing between nodes depends on it.

A shape at rest may be curved and twisted: strains are differences to those of the nodal vectors at
rest.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

import numpy as np

from supple.fem.beams.line import BeamLine, SectionLaw, gauss
from supple.fem.nodal.ancf_cable import hermite
from supple.fem.nodal.ancf_mesh import ANCFMesh, chain
from supple.fem.nodal.ancf_table import GREEN, ElementTable, StrainPoint, Term, Times, elastic_laws
from supple.fem.nodal.stretch import Beside, stretch_rows, stretch_stiffness, stretch_terms
from supple.fem.sections.sections import Circle, CrossSection, Rectangle, Tube
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError

BeamElementKind = Literal["collocated", "elastic_line", "continuum"]
BEAM_ELEMENTS: tuple[BeamElementKind, ...] = get_args(BeamElementKind)
# What frames turn with, and the first gradient that their axes are then made of.
SectionAxes = Literal["tangent", "section"]
AXES_FROM: dict[SectionAxes, int] = {"tangent": 1, "section": 2}

# Places among the vectors r, r_x, r_y, r_z of two nodes.
AXIS, Y, Z = [0, 1, 4, 5], [2, 6], [3, 7]
X_, Y_, Z_, XX, XY, XZ = range(6)  # rows r_x, r_y, r_z, r_xx, r_xy, r_xz
# Twist, and the curvatures in the planes of z and y.
BENT: tuple[tuple[Term, ...], ...] = (
    ((0.5, Z_, XY), (-0.5, Y_, XZ)),
    ((1.0, Z_, XX),),
    ((-1.0, Y_, XX),),
)
MASS_POINTS = 4  # products of two cubics
LINE_POINTS = 5  # of the paper
CURVATURE_POINTS = 3
NODES = ((0.0, 0.5), (1.0, 0.5))
PLANE = 100.0  # stiffness of r_y . r_z at the nodes of an element over that of its twist


def beam_table(
    kind: BeamElementKind,
    line: BeamLine,
    ends: tuple[float, float],
    rest: Array,
    times: Times = (0.0, 0.0),
    owner: str = "ANCFBeam",
) -> ElementTable:
    """Table of the element between two places in 0..1 of a line.

    Parameters
    ----------
    kind : "collocated", "elastic_line" or "continuum"
    line : BeamLine with shear
    ends : places in 0..1
    rest : (8, 3)
        Nodal vectors r, r_x, r_y, r_z of both nodes without load.
    times : (2,) s
        Viscosities beside E and beside G, in units of these.
    """
    build = {"collocated": _collocated, "elastic_line": _elastic_line, "continuum": _continuum}
    points = [*build[kind](line, ends, rest, times, owner), *_in_plane(line, ends, times, kind)]
    return ElementTable.of(2, points, rest, beam_mass(line, ends))


def beam_mesh(
    kind: BeamElementKind,
    line: BeamLine,
    stations: Array,
    rest: Array,
    times: Times = (0.0, 0.0),
    owner: str = "ANCFBeam",
    axes: SectionAxes = "tangent",
) -> ANCFMesh:
    """Mesh of elements between stations (n + 1,) m, with nodal vectors (n + 1, 4, 3) at rest.

    ``axes`` are what frames at nodes turn with. The other parameters are those of `beam_table`.
    """

    def table(ends: tuple[float, float], vectors: Array) -> ElementTable:
        return beam_table(kind, line, ends, vectors, times, owner)

    return chain(line, stations, rest, table, AXES_FROM[axes])


def beam_rows(xi: float, length: float, y: float = 0.0, z: float = 0.0) -> Array:
    """Rows (6, 8) of r_x, r_y, r_z, r_xx, r_xy, r_xz at the place xi in 0..1."""
    rows = np.zeros((6, 8))
    linear, slopes = np.array([1.0 - xi, xi]), np.array([-1.0, 1.0]) / length
    rows[X_, AXIS], rows[XX, AXIS] = hermite(xi, length, 1), hermite(xi, length, 2)
    rows[X_, Y], rows[X_, Z] = y * slopes, z * slopes
    rows[Y_, Y] = rows[Z_, Z] = linear
    rows[XY, Y] = rows[XZ, Z] = slopes
    return rows


def place_row(xi: float, length: float, y: float = 0.0, z: float = 0.0) -> Array:
    """Row (8,) of the place of a material point."""
    row, linear = np.zeros(8), np.array([1.0 - xi, xi])
    row[AXIS], row[Y], row[Z] = hermite(xi, length), y * linear, z * linear
    return row


def beam_mass(line: BeamLine, ends: tuple[float, float]) -> Array:
    """Consistent mass matrix (8, 8) of the nodal vectors."""
    length = (ends[1] - ends[0]) * line.length
    mass = np.zeros((8, 8))
    for s, weight in line.quadrature(*ends, MASS_POINTS):
        law, xi = line.at(s), (s - ends[0]) / (ends[1] - ends[0])
        axis, y, z = (place_row(xi, length, *offset) for offset in ((0, 0), (1, 0), (0, 1)))
        y, z = y - axis, z - axis
        both = law.mass_moments
        mass += weight * line.length * law.line_mass * np.outer(axis, axis)
        mass += weight * line.length * (both[0, 0] * np.outer(y, y) + both[1, 1] * np.outer(z, z))
    return mass


def _collocated(
    line: BeamLine, ends: tuple[float, float], rest: Array, times: Times, owner: str
) -> Iterable[StrainPoint]:
    """Each strain at its own points."""
    length, (E, G) = (ends[1] - ends[0]) * line.length, times

    def point(
        xi: float,
        weight: float,
        strains: list[tuple[Term, ...]],
        stiffness: list[float],
        viscous: list[float],
    ) -> StrainPoint:
        used = sorted({row for terms in strains for _, *pair in terms for row in pair})
        local = {row: k for k, row in enumerate(used)}
        terms = [[(c, local[a], local[b]) for c, a, b in strain] for strain in strains]
        D = length * weight * np.diag(stiffness)
        return StrainPoint.of(beam_rows(xi, length)[used], terms, D, D * np.diag(viscous))

    def law(xi: float) -> SectionLaw:
        return line.at(ends[0] + (ends[1] - ends[0]) * xi)

    rows, D = np.zeros((3, 8)), stretch_stiffness(line, ends)
    rows[:, AXIS] = stretch_rows(length)
    yield StrainPoint.of(rows, stretch_terms(Beside.of(line, ends)), D, E * D)
    for xi, weight in NODES:
        EA, GA = law(xi).axial, law(xi).axial * line.material.G / line.material.E
        stiffness = [EA, EA, *law(xi).shear, GA]
        yield point(xi, weight, list(GREEN[1:]), stiffness, [E, E, G, G, G])
    for xi, weight in gauss(CURVATURE_POINTS):
        here = law(xi)
        moments = [here.torsional, here.bending[1, 1], here.bending[0, 0]]
        yield point(xi, weight, list(BENT), moments, [G, E, E])


def _in_plane(
    line: BeamLine, ends: tuple[float, float], times: Times, kind: BeamElementKind
) -> Iterable[StrainPoint]:
    """The angle between r_y and r_z at both nodes."""
    length = (ends[1] - ends[0]) * line.length
    for xi, weight in NODES:
        s = ends[0] + (ends[1] - ends[0]) * xi
        twist = line.at(s).torsional
        if kind == "continuum":  # whose sections do not warp
            section = line.section.at(s)
            twist = line.material.G * (section.I_y + section.I_z)
        D = PLANE * weight * twist / length
        yield StrainPoint.of(beam_rows(xi, length)[[Y_, Z_]], [[(1.0, 0, 1)]], D, times[1] * D)


def _elastic_line(
    line: BeamLine, ends: tuple[float, float], rest: Array, times: Times, owner: str
) -> Iterable[StrainPoint]:
    """All nine strains at each of five points of the axis."""
    length, (E, G) = (ends[1] - ends[0]) * line.length, times
    laws = elastic_laws(owner, line.material, times)
    for xi, weight in gauss(LINE_POINTS):
        s = ends[0] + (ends[1] - ends[0]) * xi
        here, area = line.at(s), line.section.at(s).area
        moments = np.array([here.torsional, here.bending[1, 1], here.bending[0, 0]])
        found = []
        for law, (e, g) in zip(laws, ((1.0, 1.0), (E, G)), strict=True):
            D = np.zeros((9, 9))
            D[:6, :6] = area * law
            D[3, 3], D[4, 4] = g * here.shear[0], g * here.shear[1]
            D[6:, 6:] = np.diag(moments * [g, e, e])
            found.append(length * weight * D)
        yield StrainPoint.of(beam_rows(xi, length), [*GREEN, *BENT], *found)


def _continuum(
    line: BeamLine, ends: tuple[float, float], rest: Array, times: Times, owner: str
) -> Iterable[StrainPoint]:
    """Green's strains on the axes of the shape at rest."""
    length = (ends[1] - ends[0]) * line.length
    laws = elastic_laws(owner, line.material, times)
    for xi, weight in gauss(LINE_POINTS):
        s = ends[0] + (ends[1] - ends[0]) * xi
        for y, z, area in section_rule(owner, line.section.at(s)):
            rows = beam_rows(xi, length, y, z)[:3]
            shape = (rows @ rest).T  # columns r_x, r_y, r_z at rest
            volume = length * weight * area * float(np.linalg.det(shape))
            if not volume > 0.0:
                expected = f"radii of its rest shape larger than its section; at {s:.4g} of it"
                raise ModelError(owner, "volume of an element", volume, expected)
            yield StrainPoint.of(
                np.linalg.inv(shape).T @ rows, GREEN, volume * laws[0], volume * laws[1]
            )


def section_rule(owner: str, section: CrossSection) -> list[tuple[float, float, float]]:
    """Points y, z of a section with their areas: exact for polynomials of degree 5, (k, 3) m, m2.

    Strains are quadratic in y and z, energies of degree 4.
    """
    if isinstance(section, Rectangle):
        a, b = section.size_y, section.size_z
        return [
            (a * (y - 0.5), b * (z - 0.5), a * b * v * w) for y, v in gauss(3) for z, w in gauss(3)
        ]
    if isinstance(section, Circle | Tube):
        outer = 0.5 * section.diameter
        inner = outer - section.wall if isinstance(section, Tube) else 0.0
        found = []
        for u, w in gauss(2):  # the square of the radius: its powers 0, 1, 2 are exact
            radius = np.sqrt(inner**2 + (outer**2 - inner**2) * u)
            for angle in np.arange(6) * np.pi / 3.0:
                at = radius * np.cos(angle), radius * np.sin(angle)
                found.append((float(at[0]), float(at[1]), section.area * w / 6.0))
        return found
    expected = "a Rectangle, Circle or Tube with element 'continuum'"
    raise ModelError(owner, "section", section, expected)
