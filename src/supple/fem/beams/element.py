"""One straight beam element of Timoshenko, in the principal axes of its section.

Each end has six coordinates: displacements u, v, w along x, y, z and rotations tx, ty, tz about
them. A material point (x, y, z) moves by

    (u - y tz + z ty,  v - z tx,  w + y tx)

which carries every rigid motion of small angle exactly. u and the twist are linear; v and tz are
the statics of a beam that is loaded at its ends only: a bending moment that is linear along the
element and a constant shear force. A uniform element then has a cubic v and a parabola tz, linked
by a constant shear strain ``v' - tz``: Z. Friedman and J. B. Kosmatka, An improved two-node
Timoshenko beam finite element, Computers and Structures 47 (1993) 473-481. So statics of a uniform
beam are exact at the nodes and a slender one does not lock. Without shear it is the element of
Euler and Bernoulli. If the section changes, all of them are the statics of the changing section
(`TaperedShapes`), u and the twist as well. But where the stiffness changes much within an element,
near the edge of a wedge, inertia bends it more than its ends do, and bending has the shapes of a
uniform element; `StaticElement` has not.

If the shear centre (e_y, e_z) is not the centroid, v and w in the statics are its deflections,
v - e_z tx and w + e_y tx, and twist turns the section about it (V. Z. Vlasov, Thin-walled elastic
beams, 1961, with warping free). The ends' coordinates stay those of the centroid.

Shapes of a beam element in one plane: the statics of an element that is loaded at its ends only.

With xi in 0..1 along the element, lengths in units of it, and g = E I / (G k A length^2), the
equilibrium ``M' = -V`` leaves

    curvature  tz' = m + f xi,    shear strain  v' - tz = -f g

with two constants m and f beside the deflection and rotation of the first end. Sections that change
have `TaperedShapes`.

Shapes of a beam element whose section changes: the statics of its ends, by integrals. With xi in
0..1 along the element, lengths in units of it, and the compliances a = 1 / E A, c = 1 / G J, b = 1
/ E I, g = 1 / (G k A length^2) of the section as functions of xi, an element that is loaded at its
ends only has

    u' ~ a,    tx' ~ c,    tz' = b (m + f xi),    v' - tz = -f g

with two constants m and f for each plane (`PlaneShapes` has the same for constant compliances). The
integrals are sums over Gauss points in cells that end at kinks of the section and within which it
changes by little. So statics are exact at the nodes, whatever the taper is.

Geometric stiffness of a beam element: its stress on strains of second order. With the displacement
u and the rotation vector t of the sections, strains of second order are, along and across the axis,
and for twist and bending,

    (t_z v' - t_y w' - (t_y^2 + t_z^2)/2,  t_x w' + t_x t_y/2,  t_x t_z/2 - t_x v')
    -(t x t')/2

those of a geometrically exact beam without products of the axial strain. Without shear the first
is (v'^2 + w'^2)/2. Written with rotation vectors on both sides of a node, moments in a corner of
a frame need no correction of their own. The stress of warping and the polar moment of an axial
force are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np

from supple.fem.beams.line import TAPER_POINTS, BeamLine, SectionLaw, gauss
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property

# Places of compliances: along the axis, in twist, of bending and of shear in both planes.
AXIAL, TWISTING, BENDING, SHEAR = 0, 1, 2, 4
# Ends of an element as columns: deflection and rotation of the first, then of the second.
FIRST = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]])
GIVEN = np.array([[0.0, -1.0, 0.0, 1.0], [-1.0, -1.0, 1.0, 0.0]])  # what bending adds to it


# Integrals from 0 of the polynomials that are 1 at one Gauss point of 0..1 and 0 at the others, by
# ascending powers of the end, (TAPER_POINTS, TAPER_POINTS).
_POWERS = np.arange(1, TAPER_POINTS + 1)
_EXPONENTS = np.arange(8)  # of polynomials
_PLACES = [x for x, _ in gauss(TAPER_POINTS)]
_PARTIAL = np.linalg.inv(np.vander(_PLACES, increasing=True)).T / _POWERS
# Places of the coordinates that carry v and w (u: 0 and 6, twist: 3 and 9), rows of deflection and
# rotation; the slope in the plane of z is -ty.
PLANES = ((np.array([1, 5, 7, 11]), 1, 5, 1.0), (np.array([2, 4, 8, 10]), 2, 4, -1.0))
# Gauss points for products of two cubics (degree 6).
MASS_POINTS = 4
# Places where the stiffness of a changing section is compared: near the ends, and the middle.
STEEP_PLACES = (0.067, 0.5, 0.933)
# Places of an element whose rows are kept.
KEPT = 256


@dataclass(frozen=True, eq=False)
class Compliance:
    """Compliances of the sections of an element, and their integrals from its first end."""

    line: BeamLine
    # start, part: place of the element in 0..1 of the line, and its length there
    start: float
    part: float
    # ((xi, weight, law), ...) Gauss points of its cells
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
        """Integrals from the first end to xi; the last cell by a polynomial through its points."""
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
    def of(cls, laws: Sequence[SectionLaw], plane: int, length: float) -> PlaneShapes:
        """Return the shapes of an element with one section, or with the mean of several."""
        EI = np.mean([law.bending[plane, plane] for law in laws])
        return _uniform(float(EI / (np.mean([x.shear[plane] for x in laws]) * length**2)))

    def motion(self, xi: float) -> tuple[Array, Array]:
        """Deflection and rotation (4,) at xi for each end coordinate."""
        return _value(self.deflection, xi), _value(self.rotation, xi)

    def strains(self, xi: float) -> tuple[Array, Array]:
        """Curvature and shear strain (4,) at xi for each end coordinate."""
        return _value(self.curvature, xi), _value(self.shear, xi)


@lru_cache(maxsize=256)  # the same for all beams without shear
def _uniform(softness: float) -> PlaneShapes:
    """Shapes of an element with g = ``softness`` everywhere."""
    b, g = np.ones(1), np.array([softness])
    xb = np.concatenate([[0.0], b])
    B0, B1 = _integral(b), _integral(xb)
    C0, C1 = _integral(B0), _integral(B1)
    C1[: len(g) + 1] -= _integral(g)
    ends = np.array([[p.sum() for p in row] for row in ((B0, B1), (C0, C1))])
    m, f = np.linalg.solve(ends, GIVEN)
    rotation = _rows((FIRST[1], [1.0]), (m, B0), (f, B1))
    deflection = _rows((FIRST[0], [1.0]), (FIRST[1], [0.0, 1.0]), (m, C0), (f, C1))
    parts = deflection, rotation, _rows((m, b), (f, xb)), _rows((-f, g))
    for polynomials in parts:
        polynomials.flags.writeable = False
    return PlaneShapes(*parts, sheared=bool(np.any(g)))


def _value(polynomials: Array, xi: float) -> Array:
    """Values (4,) of polynomials (4, n) with ascending powers."""
    return np.asarray(polynomials @ xi ** _EXPONENTS[: polynomials.shape[1]])


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


@dataclass(frozen=True, eq=False)
class BeamElement:
    """An element along +x."""

    length: float  # m
    # (2,) Shapes of bending in the planes of y and z.
    planes: tuple[PlaneShapes | TaperedShapes, PlaneShapes | TaperedShapes]
    # ((xi, weight, law), ...) Gauss points on 0..1 and what the section is there.
    stations: tuple[tuple[float, float, SectionLaw], ...]
    centre: tuple[float, float] = (0.0, 0.0)  # (2,) m Place y, z of the shear centre.
    compliance: Compliance | None = None  # that of its sections, if they change
    steepest: ClassVar[float] = 2.0  # ratio of bending stiffness within an element

    @classmethod
    def of(cls, line: BeamLine, start: float, end: float) -> Self:
        """The part of a beam between two places in 0..1."""
        length = (end - start) * line.length
        points = line.quadrature(start, end, MASS_POINTS)
        laws = [(s, weight, line.at(s)) for s, weight in points]
        part = end - start
        stations = tuple(((s - start) / part, w / part, law) for s, w, law in laws)
        centre = line.section.at(start).shear_centre
        if isinstance(line.section, CrossSection):
            y, z = (PlaneShapes.of([laws[0][2]], k, length) for k in range(2))
            return cls(length, (y, z), stations, centre)
        compliance = Compliance(line, start, part, stations)
        samples = [line.at(start + part * xi) for xi in STEEP_PLACES]
        planes = []
        for k in range(2):
            EI = [law.bending[k, k] for law in samples]
            steep = max(EI) > cls.steepest * min(EI)
            uniform = PlaneShapes.of(samples, k, length)
            planes.append(uniform if steep else TaperedShapes(compliance, k))
        return cls(length, (planes[0], planes[1]), stations, centre, compliance)

    @property
    def size(self) -> int:
        """Number of its coordinates: those of both ends."""
        return 12

    @property
    def round(self) -> bool:
        """True if every pair of axes y, z is as good as any other."""
        return not any(self.centre) and all(law.round for _, _, law in self.stations)

    @cached_property
    def stiffness(self) -> Array:
        """Stiffness matrix (12, 12)."""
        with_E, with_G = self.stiffness_parts
        return with_E + with_G

    @cached_property
    def stiffness_parts(self) -> tuple[Array, Array]:
        """Stiffness (12, 12) of extension and bending, which E resists, and of twist and shear."""
        parts = np.zeros((2, self.size, self.size))
        for xi, weight, law in self.stations:
            rows = self.strain(xi)
            along, twist = rows[:3], rows[3:4]
            scale = self.length * weight
            parts[0] += scale * along.T @ law.law[:3, :3] @ along
            parts[1] += scale * law.torsional * twist.T @ twist
            for k in range(2):
                if self.planes[k].sheared:
                    parts[1] += scale * law.shear[k] * np.outer(rows[4 + k], rows[4 + k])
        with_E, with_G = 0.5 * (parts + parts.transpose(0, 2, 1))
        return with_E, with_G

    @cached_property
    def points(self) -> tuple[Array, Array, Array]:
        """Mass points of the element: mass (k,), place (k, 3), shape (k, 3, 12)."""
        return self._at(self.stations)

    @cached_property
    def lumped_points(self) -> tuple[Array, Array, Array]:
        """Material points with the mass of every section at both ends, by the lever rule."""
        ends = [(1.0, xi * w, law) for xi, w, law in self.stations]
        return self._at([*((0.0, (1.0 - xi) * w, law) for xi, w, law in self.stations), *ends])

    def _at(
        self, sections: Iterable[tuple[float, float, SectionLaw]]
    ) -> tuple[Array, Array, Array]:
        """Mass points of sections at places xi with weights."""
        mass, place, shape = [], [], []
        for xi, weight, law in sections:
            u, v, w, tx, ty, tz = self.values(xi)
            offsets = law.section_points
            y, z = np.array(offsets).T[:, :, None]
            mass += [law.line_mass * self.length * weight / len(offsets)] * len(offsets)
            place += [(xi * self.length, *offset) for offset in offsets]
            shape.append(np.stack([u - y * tz + z * ty, v - z * tx, w + y * tx], axis=1))
        return np.array(mass), np.array(place), np.concatenate(shape)

    def values(self, xi: float) -> Array:
        """Rows (6, 12) of u, v, w, tx, ty, tz at the place xi in 0..1; ends are met exactly."""
        kept = self._values
        if xi not in kept:
            if len(kept) == KEPT:
                kept.clear()
            kept[xi] = self._new_values(xi)
            kept[xi].flags.writeable = False
        return kept[xi]

    @cached_property
    def _values(self) -> dict[float, Array]:
        """Rows at places that were asked for: every element of a uniform beam asks for the same."""
        return {}

    def _new_values(self, xi: float) -> Array:
        if xi in (0.0, 1.0):
            return np.eye(self.size)[6 * int(xi) : 6 * int(xi) + 6]
        rows = np.zeros((6, self.size))
        (along, _), (twist, _) = self._shares(xi)
        rows[0, 0], rows[0, 6], rows[3, 3], rows[3, 9] = 1.0 - along, along, 1.0 - twist, twist
        for k, (places, move, turn, sign) in enumerate(PLANES):
            lengths = self._lengths[k]
            moved, turned = self.planes[k].motion(xi)
            rows[move].put(places, moved * lengths)
            rows[turn].put(places, turned * lengths * sign / self.length)
        if any(self.centre):
            rows = rows @ self._to_centre
            rows[1] += self.centre[1] * rows[3]  # back to the centroid
            rows[2] -= self.centre[0] * rows[3]
        return rows

    def strain(self, xi: float) -> Array:
        """Rows (6, 12) of u', curvatures tz' and -ty', rate of twist, shear v' - tz and w' + ty.

        v and w are those of the shear centre.
        """
        h = self.length
        rows = np.zeros((6, self.size))
        (_, along), (_, twist) = self._shares(xi)
        rows[0, 0], rows[0, 6] = -along / h, along / h
        rows[3, 3], rows[3, 9] = -twist / h, twist / h
        for k, (places, *_) in enumerate(PLANES):
            slopes = self._slopes[k]
            bent, sheared = self.planes[k].strains(xi)
            rows[1 + k].put(places, bent * slopes / h)
            rows[4 + k].put(places, sheared * slopes)
        return rows @ self._to_centre if any(self.centre) else rows

    @cached_property
    def _lengths(self) -> tuple[Array, Array]:
        """Deflections and rotations (4,) of the ends in lengths of the element, by plane."""
        y, z = (np.array([1.0, sign * self.length] * 2) for *_, sign in PLANES)
        return y, z

    @cached_property
    def _slopes(self) -> tuple[Array, Array]:
        """The same, (4,), for slopes."""
        y, z = (np.array([1.0 / self.length, sign] * 2) for *_, sign in PLANES)
        return y, z

    def _shares(self, xi: float) -> tuple[tuple[float, float], tuple[float, float]]:
        """Parts of stretch and of twist before xi, each with its slope."""
        if self.compliance is None:
            return (xi, 1.0), (xi, 1.0)
        return self.compliance.share(xi, AXIAL), self.compliance.share(xi, TWISTING)

    @cached_property
    def _to_centre(self) -> Array:
        """End coordinates (12, 12) with v, w of the shear centre, from those of the centroid."""
        y, z = self.centre
        turn = np.eye(12)
        for end in (0, 6):
            turn[end + 1, end + 3], turn[end + 2, end + 3] = -z, y
        return turn


class StaticElement(BeamElement):
    """Beam element whose statics are exact at its ends, however steep its section changes."""

    steepest: ClassVar[float] = np.inf


def element_geometric_stiffness(element: BeamElement, displacement: Array) -> Array:
    """Matrix (size, size) of the stress of displacements (size,), in element axes."""
    return np.asarray(np.tensordot(displacement, _forms(element), 1))


@lru_cache(maxsize=64)  # elements of a uniform beam are one, and loads are many
def _forms(element: BeamElement) -> Array:
    """Geometric stiffness per unit of each nodal displacement, (size, size, size)."""
    found = np.zeros((element.size,) * 3)
    moment_slopes = _moment_slopes(element)
    for xi, weight, law in element.stations:
        values, strains = element.values(xi), element.strain(xi)
        tx, ty, tz = values[3:]
        about_z, about_y, twist = strains[1:4]  # t_z', -t_y', t_x'
        v, w = strains[4] + tz, strains[5] - ty  # slopes of the axis
        N, along_y, along_z, T = law.law @ strains[:4]
        shear = []
        for k in range(2):
            if element.planes[k].sheared:
                shear.append(law.shear[k] * strains[4 + k])
            else:  # equilibrium of the element
                shear.append(-moment_slopes[k])
        parts = [
            (N, tz, v), (-N, ty, w), (-0.5 * N, ty, ty), (-0.5 * N, tz, tz),
            (shear[0], tx, w), (0.5 * shear[0], tx, ty),
            (-shear[1], tx, v), (0.5 * shear[1], tx, tz),
            # -(t x t')/2: about x with T, about y with -along_z, about z with along_y
            (-0.5 * T, ty, about_z), (-0.5 * T, tz, about_y),
            (0.5 * along_z, tz, twist), (-0.5 * along_z, tx, about_z),
            (0.5 * along_y, tx, about_y), (0.5 * along_y, ty, twist),
        ]  # fmt: skip
        for stress, a, b in parts:
            product = np.outer(a, b)
            found += np.multiply.outer(element.length * weight * stress, product + product.T)
    found = 0.5 * (found + found.transpose(0, 2, 1))
    found.flags.writeable = False
    return found


def arm_stiffness(force: Array, arm: Array) -> Array:
    """Matrix (3, 3) of a force at the end of a rigid arm, for the rotation of its beginning.

    The end moves by rotation x arm and, of second order, by rotation x (rotation x arm) / 2.
    """
    both = np.outer(force, arm)
    return np.asarray(0.5 * (both + both.T) - (force @ arm) * np.eye(3))


def _moment_slopes(element: BeamElement) -> Array:
    """Rows (2, size) of the rates along the axis of the moments for v'' and w''.

    They are those of a line through all stations.
    """
    places = np.array([xi for xi, _, _ in element.stations]) * element.length
    moments = [law.bending @ element.strain(xi)[1:3] for xi, _, law in element.stations]
    fitted = np.polyfit(places, np.array(moments).reshape(len(places), -1), 1)[0]
    return np.asarray(fitted.reshape(2, element.size))
