"""Cross sections of beams: area, second moments, torsion constant, shear, distance of the surface.

A section lies in the axes y, z of the beam, with its centroid on the beam's axis and y, z as its
principal axes; ``roll`` of the beam turns it about x. The shear centre is the centroid unless a
`Section` says otherwise.

Torsion constants of sections made of rectangles, by Prandtl's stress function. The stress function
f solves ``f_yy + f_zz = -2`` in the section, is zero on its outer boundary and constant on the
boundary of a hole; then J is twice its integral, the hole included. A quarter of a section with two
axes of symmetry is divided into rectangles with biquadratic shapes, ever finer towards the inner
corner, where the stress is infinite. J is then found from below.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np

from supple.fem.sections import shear
from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans, Indices
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, choice, declared, positive
from supple.foundation.validate import set_fields

# Lines between two marked ones, and how much finer each step towards a mark is: with these J of
# boxes and I sections is found to better than 1e-5.
STEPS, FINER = 18, 0.6
# Quadratic shapes on 0..1 with nodes 0, 1/2, 1: integrals of products, of products of derivatives,
# and of the shapes.
PRODUCTS = np.array([[4.0, 2, -1], [2, 16, 2], [-1, 2, 4]]) / 30.0
SLOPES = np.array([[7.0, -8, 1], [-8, 16, -8], [1, -8, 7]]) / 3.0
INTEGRALS = np.array([1.0, 4.0, 1.0]) / 6.0
# The same for a rectangle: slopes along y, slopes along z, and the load 2.
ALONG_Y, ALONG_Z = np.kron(SLOPES, PRODUCTS).ravel(), np.kron(PRODUCTS, SLOPES).ravel()
LOAD = 2.0 * np.kron(INTEGRALS, INTEGRALS)
# Sizes of a section, m, and the least ratio of two of them.
SMALLEST, LARGEST, SLENDER = 1e-30, 1e30, 1e-9
# The terms of the torsion series fall with n**-5: beyond this odd n their sum is below rounding.
LAST_TORSION_TERM = 4001
FAR_TORSION_TERM = 13  # tanh(13 pi/2) is 1 in double precision
SHEAR = "2 positive numbers for a Timoshenko beam"
PLACES = "ascending places from 0 to 1, one for each section"


@lru_cache(maxsize=256)
def torsion_of_corner(
    y: float, z: float, beyond_y: float, beyond_z: float, hole: bool, steps: int = STEPS
) -> float:
    """Torsion constant (m4) of a section with an inner corner at (y, z) of its first quarter.

    The quarter reaches ``beyond_y`` and ``beyond_z`` further (m). With a ``hole`` it is a box: the
    rectangle up to the corner is empty. Otherwise it is an I with flanges across y: the rectangle
    below the flange and beside the web is empty.
    """
    size = y + beyond_y
    along_y, along_z = (
        _lines(a / size, b / size, steps) for a, b in ((y, beyond_y), (z, beyond_z))
    )
    below_y, below_z = (np.arange(len(x) - 1) < steps for x in (along_y, along_z))
    if hole:
        empty = np.logical_and.outer(below_y, below_z)
    else:
        empty = np.logical_and.outer(below_y, ~below_z)
    return 4.0 * size**4 * _twice_integral(along_y, along_z, empty, hole)


def _twice_integral(y: Array, z: Array, empty: Booleans, hole: bool) -> float:
    from scipy.sparse import coo_matrix
    from scipy.sparse.linalg import spsolve

    shape = 2 * len(y) - 1, 2 * len(z) - 1
    number = np.arange(shape[0] * shape[1]).reshape(shape)
    corners = (2 * np.arange(n - 1) for n in (len(y), len(z)))
    first = number[np.ix_(*corners)]
    nodes = first[..., None] + number[:3, :3].ravel()  # (cells along y, along z, 9)
    free = np.ones(number.size, dtype=bool)
    free[number[-1]] = free[number[:, -1]] = False
    if hole:  # one unknown for all of it
        names = number.ravel().copy()
        names[nodes[empty]] = 0
        nodes = names[nodes]
    else:
        free[nodes[empty]] = False
    a, b = np.diff(y)[:, None, None], np.diff(z)[None, :, None]
    loaded = np.ones_like(empty) if hole else ~empty
    load = np.bincount(nodes[loaded].ravel(), (a * b * LOAD)[loaded].ravel(), number.size)
    entries = (b / a * ALONG_Y + a / b * ALONG_Z)[~empty].ravel()
    rows, columns = (f(nodes[~empty], 9, axis=1).ravel() for f in (np.repeat, _tile))
    matrix = coo_matrix((entries, (rows, columns)), shape=(number.size,) * 2).tocsc()
    used = np.flatnonzero((matrix.diagonal() > 0.0) & free)
    answer = spsolve(matrix[used][:, used], load[used])
    return float(load[used] @ answer)


def _tile(x: Indices, times: int, axis: int) -> Indices:
    return np.concatenate([x] * times, axis=axis)


def _lines(first: float, second: float, steps: int) -> Array:
    """Grid lines on 0 .. first .. first + second: finer towards first from both sides and the end.

    There are ``steps`` intervals on the first part and twice as many on the second.
    """
    fine = FINER ** np.arange(1, steps)
    to_mark = np.concatenate([[1.0], fine, [0.0]])  # distances from the mark, descending
    half = 0.5 * second
    from_mark = first + half * to_mark[::-1]
    to_end = first + second - half * to_mark[1:]
    return np.concatenate([first - first * to_mark, from_mark[1:], to_end])


def _size(owner: str, field: str, value: Any) -> float:
    """A length in m whose fourth power is a number."""
    size = validate.positive(owner, field, value)
    if not SMALLEST <= size <= LARGEST:
        raise ModelError(owner, field, size, f"a length in m from {SMALLEST:g} to {LARGEST:g}")
    return size


def _two(owner: str, field: str, value: Any, expected: str | None = None) -> tuple[float, float]:
    y, z = validate.vector(owner, field, value, 2, expected)
    return float(y), float(z)


def _two_positive(owner: str, field: str, value: Any) -> tuple[float, float]:
    expected = "2 positive numbers"
    y, z = _two(owner, field, value, expected)
    if y <= 0.0 or z <= 0.0:
        raise ModelError(owner, field, value, expected)
    return y, z


@dataclass(frozen=True, eq=False, init=False)
class CrossSection:
    """Base of all sections: the numbers that a beam reads.

    Attributes
    ----------
    area : m2
    I_y : m4
        Second moment about the axis y: the integral of z squared.
    I_z : m4
        Second moment about the axis z: the integral of y squared.
    J : m4
        Torsion constant of Saint-Venant: torque = G J times the rate of twist.
    half_sizes : (2,) m or None
        Distance of the surface from the axis along y and along z; None if it is not known.
    shear_centre : (2,) m
        Place y, z of the shear centre: forces through it do not twist the beam.
    warping_constant : m6
        Of Vlasov's theory: how much sections that cannot warp resist a change of the rate of
        twist. Zero of solid and closed sections, which hardly warp, and where ends are free to.

    How to add one is in CONTRIBUTING.md, "A section".
    """

    area: float = field(init=False, repr=False)
    I_y: float = field(init=False, repr=False)
    I_z: float = field(init=False, repr=False)
    J: float = field(init=False, repr=False)
    half_sizes: tuple[float, float] | None = field(init=False, repr=False)
    shear_centre = (0.0, 0.0)
    warping_constant = 0.0

    @property
    def I_p(self) -> float:  # noqa: N802 (a symbol like its neighbours)
        """Polar second moment I_y + I_z, m4."""
        return self.I_y + self.I_z

    @property
    def mass_moments(self) -> tuple[float, float]:
        """Second moments of the mass about y and z, m4; times the density: rotary inertia."""
        return self.I_y, self.I_z

    @property
    def mean_area(self) -> float:
        """Mean of the area along a beam, m2."""
        return self.area

    def at(self, s: float) -> CrossSection:
        """The section at the place s in 0..1 along a beam: the same everywhere."""
        return self

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Factors of the area for shear forces along y and along z, by Poisson's ratio."""
        raise ModelError(type(self).__name__, "shear_coefficients", None, SHEAR)

    def between(self, other: CrossSection, t: float) -> Self:
        """The section with sizes a fraction t in 0..1 of the way to another of the same kind."""
        own: dict[str, Any] = {}
        for name in (f.name for f in fields(self) if f.init):
            a, b = getattr(self, name), getattr(other, name)
            if isinstance(a, float):
                own[name] = (1.0 - t) * a + t * b
            elif isinstance(a, tuple) and isinstance(b, tuple):
                own[name] = tuple((1.0 - t) * i + t * j for i, j in zip(a, b, strict=True))
            else:
                own[name] = a
        return type(self)(**own)

    def _expect_sizes_alike(self, owner: str) -> None:
        """Refuse a size that is nothing beside another."""
        every = {f.name: getattr(self, f.name) for f in fields(self) if f.init}
        sizes = {name: size for name, size in every.items() if isinstance(size, float)}
        widest = max(sizes, key=sizes.__getitem__)
        for name, size in sizes.items():
            if size < SLENDER * sizes[widest]:
                expected = f"no less than {SLENDER:g} of {widest} = {sizes[widest]:g}"
                raise ModelError(owner, name, size, expected)


@declared
class Rectangle(CrossSection):
    """A solid rectangle, ``size_y`` by ``size_z`` (m); its torsion constant is exact."""

    size_y: float = checked(_size, "m")
    size_z: float = checked(_size, "m")

    def _check(self, owner: str) -> None:
        self._expect_sizes_alike(owner)
        y, z = self.size_y, self.size_z
        set_fields(
            self,
            area=y * z,
            I_y=y * z**3 / 12.0,
            I_z=z * y**3 / 12.0,
            J=_torsion_of_rectangle(max(y, z), min(y, z)),
            half_sizes=(0.5 * y, 0.5 * z),
        )

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Cowper's, the same along y and z."""
        return (shear.rectangle(poisson),) * 2


@declared
class Box(CrossSection):
    """A rectangular tube, ``size_y`` by ``size_z`` outside (m), walls of one thickness (m).

    Its torsion constant is Bredt's for "thin" walls: 4 (area inside the middle line)^2 wall /
    (length of the middle line). For "thick" ones it is a solution of Prandtl's equation, to about
    1e-5. Shear coefficients are Cowper's for thin walls in both cases.
    """

    size_y: float = checked(_size, "m")
    size_z: float = checked(_size, "m")
    wall: float = checked(_size, "m")
    walls: Literal["thin", "thick"] = choice(default="thin", repr=False)

    def _check(self, owner: str) -> None:
        self._expect_sizes_alike(owner)
        y, z, t = self.size_y, self.size_z, self.wall
        if not t < 0.5 * min(y, z):
            raise ModelError(owner, "wall", t, "less than half the smaller size")
        inside_y, inside_z = y - 2.0 * t, z - 2.0 * t
        middle_y, middle_z = y - t, z - t
        set_fields(
            self,
            area=2.0 * t * (middle_y + middle_z),
            I_y=(y * z**3 - inside_y * inside_z**3) / 12.0,
            I_z=(z * y**3 - inside_z * inside_y**3) / 12.0,
            J=2.0 * t * (middle_y * middle_z) ** 2 / (middle_y + middle_z)
            if self.walls == "thin"
            else torsion_of_corner(0.5 * inside_y, 0.5 * inside_z, t, t, hole=True),
            half_sizes=(0.5 * y, 0.5 * z),
        )

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Cowper's for thin walls."""
        y, z, t = self.size_y - self.wall, self.size_z - self.wall, self.wall
        return shear.box(y, z, t, t, poisson), shear.box(z, y, t, t, poisson)


@declared
class ISection(CrossSection):
    """An I: web along y, flanges along z at both ends of it (m), without fillets.

    ``size_y`` is the height outside, ``size_z`` the width of the flanges. The torsion constant is a
    solution of Prandtl's equation, to about 1e-5: warping is free. Shear coefficients are
    for thin walls: Cowper's along the web, those of the shear flow in the flanges across it.

    Beams twist as if their ends were free to warp. A clamped I is much stiffer: the monitor tells
    by how much where twist matters, unless ``warping="free"`` says that the ends do warp.
    """

    size_y: float = checked(_size, "m")
    size_z: float = checked(_size, "m")
    web: float = checked(_size, "m")
    flange: float = checked(_size, "m")
    warping: Literal["free"] | None = checked(validate.choice, default=None, options=("free", None))

    def _check(self, owner: str) -> None:
        self._expect_sizes_alike(owner)
        y, z, w, f = self.size_y, self.size_z, self.web, self.flange
        if not f < 0.5 * y:
            raise ModelError(owner, "flange", f, "less than half of size_y")
        if not w < z:
            raise ModelError(owner, "web", w, "less than size_z")
        inside = y - 2.0 * f
        set_fields(
            self,
            area=2.0 * z * f + inside * w,
            I_y=(2.0 * f * z**3 + inside * w**3) / 12.0,
            I_z=(z * y**3 - (z - w) * inside**3) / 12.0,
            J=torsion_of_corner(0.5 * inside, 0.5 * w, f, 0.5 * (z - w), hole=False),
            half_sizes=(0.5 * y, 0.5 * z),
        )

    @property
    def warping_constant(self) -> float:  # type: ignore[override]
        """Both flanges bend in their planes, in opposite directions, m6."""
        if self.warping == "free":
            return 0.0
        return self.flange * self.size_z**3 / 24.0 * (self.size_y - self.flange) ** 2

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Cowper's along the web, that of the shear flow in the flanges across it."""
        height = self.size_y - self.flange
        along = shear.i_section(height, self.size_z, self.web, self.flange, poisson)
        flanges = 2.0 * self.size_z * self.flange
        # The flanges are rectangles; the web's part of I_y is below what thin walls neglect.
        return along, shear.rectangle(poisson) * flanges / self.area


@declared
class Circle(CrossSection):
    """A solid disc of the given diameter (m)."""

    diameter: float = checked(_size, "m")

    def _check(self, owner: str) -> None:
        set_fields(self, **_ring(self.diameter, 0.0))

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Cowper's."""
        return (shear.ring(0.0, poisson),) * 2


@declared
class Tube(CrossSection):
    """A round tube: outer diameter and thickness of the wall (m)."""

    diameter: float = checked(_size, "m")
    wall: float = checked(_size, "m")

    def _check(self, owner: str) -> None:
        self._expect_sizes_alike(owner)
        if not self.wall < 0.5 * self.diameter:
            raise ModelError(owner, "wall", self.wall, "less than half the diameter")
        set_fields(self, **_ring(self.diameter, self.diameter - 2.0 * self.wall))

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """Cowper's for walls of any thickness."""
        return (shear.ring(1.0 - 2.0 * self.wall / self.diameter, poisson),) * 2


@declared
class Section(CrossSection):
    """A section given by its numbers; y and z are its principal axes.

    Parameters
    ----------
    area : m2
    I_y, I_z : m4
        Second moments about y (integral of z squared) and about z (integral of y squared).
    J : m4
        Torsion constant.
    half_sizes : (2,) m, optional
        Distance of the surface from the axis along y and along z, for strain gauges only.
    shear : (2,), optional
        Shear coefficients along y and z: factors of the area, for Timoshenko beams only.
    shear_centre : (2,) m
        Its place y, z, from the centroid. The axis of the beam, where frames are and forces act, is
        that of the centroids.
    inertia_y, inertia_z : m4, optional
        Second moments of the mass, where they are not those of the stiffness, I_y and I_z: density
        times them is the rotary inertia per length about y and z, times their sum that of twist.
        A shaft that carries discs has larger ones, a section with a light core smaller ones.
    """

    area: float = positive("m2")
    I_y: float = positive("m4")
    I_z: float = positive("m4")
    J: float = positive("m4")
    half_sizes: tuple[float, float] | None = checked(_two_positive, "m", default=None)
    shear: tuple[float, float] | None = checked(_two_positive, default=None)
    shear_centre: tuple[float, float] = checked(_two, "m", default=(0.0, 0.0))
    inertia_y: Given[float | None, float] = positive("m4", default=None, repr=False)
    inertia_z: Given[float | None, float] = positive("m4", default=None, repr=False)

    def _check(self, owner: str) -> None:
        of_mass = {"inertia_y": self.I_y, "inertia_z": self.I_z}
        set_fields(self, **{n: x for n, x in of_mass.items() if getattr(self, n) is None})

    @property
    def mass_moments(self) -> tuple[float, float]:
        """The given ones."""
        return self.inertia_y, self.inertia_z

    def shear_coefficients(self, poisson: float) -> tuple[float, float]:
        """The given ones."""
        if self.shear is None:
            raise ModelError("Section", "shear", None, SHEAR)
        return self.shear


def _torsion_of_rectangle(a: float, b: float) -> float:
    """Torsion constant of a solid rectangle, by the series of the stress function; best a >= b."""
    # the small terms first: no digit of them is lost
    series, first = 0.0, LAST_TORSION_TERM
    if a >= b:
        series, first = _far_torsion_terms(), FAR_TORSION_TERM - 2
    for n in range(first, 0, -2):
        series += math.tanh(0.5 * n * math.pi * a / b) / n**5
    return a * b**3 * (1.0 / 3.0 - 64.0 / math.pi**5 * b / a * series)


@lru_cache(maxsize=1)
def _far_torsion_terms() -> float:
    """The sum of all terms whose hyperbolic tangent is 1 to all digits."""
    return sum(1.0 / n**5 for n in range(LAST_TORSION_TERM, FAR_TORSION_TERM - 1, -2))


def _ring(outer: float, inner: float) -> dict[str, object]:
    """Numbers of a round section; it does not warp, so that J is the polar moment."""
    second = math.pi * (outer**4 - inner**4) / 64.0
    return {
        "area": 0.25 * math.pi * (outer**2 - inner**2),
        "I_y": second,
        "I_z": second,
        "J": 2.0 * second,
        "half_sizes": (0.5 * outer, 0.5 * outer),
    }


@dataclass(frozen=True, eq=False, init=False)
class TaperedSection:
    """A section whose sizes change linearly between given ones.

    Parameters
    ----------
    sections : two or more sections of one kind
        At the beam's origin, at its end, and at stations between. Between two of them every size
        (of a `Section` every number) is linear along the beam: a height changes linearly, and the
        second moment with its cube.
    stations : numbers from 0 to 1, optional
        Places of the sections in lengths of the beam, equal steps by default.
    """

    sections: tuple[CrossSection, ...]
    stations: tuple[float, ...]

    def __init__(self, *sections: CrossSection, stations: Sequence[float] | None = None) -> None:
        owner, kinds = "TaperedSection", "two or more sections of one kind"
        if len(sections) < 2 or not all(isinstance(s, CrossSection) for s in sections):
            raise ModelError(owner, "sections", sections, kinds)
        if len({(type(s), getattr(s, "walls", None)) for s in sections}) > 1:
            raise ModelError(owner, "sections", sections, kinds)
        if len({s.shear_centre for s in sections}) > 1:
            centres = tuple(s.shear_centre for s in sections)
            raise ModelError(owner, "shear centres of its sections", centres, "the same for all")
        given = np.linspace(0.0, 1.0, len(sections)) if stations is None else stations
        places = validate.vector(owner, "stations", given, len(sections), PLACES)
        if places[0] != 0.0 or places[-1] != 1.0 or np.any(np.diff(places) <= 0.0):
            raise ModelError(owner, "stations", stations, PLACES)
        set_fields(self, sections=tuple(sections), stations=tuple(float(s) for s in places))

    def __replace__(self, **changes: Any) -> TaperedSection:
        """The section with other fields; sections are arguments of their own."""
        sections = changes.get("sections", self.sections)
        return TaperedSection(*sections, stations=changes.get("stations", self.stations))

    @property
    def kinks(self) -> tuple[float, ...]:
        """Inner places in 0..1 along the beam where the slopes of sizes change."""
        return self.stations[1:-1]

    @property
    def mean_area(self) -> float:
        """Mean of the area along the beam, m2: areas are at most quadratic between stations."""
        return sum(
            (b - a) * (self.at(a).area + 4.0 * self.at(0.5 * (a + b)).area + self.at(b).area) / 6.0
            for a, b in pairwise(self.stations)
        )

    def at(self, s: float) -> CrossSection:
        """The section at the place s in 0..1 along the beam."""
        validate.number("TaperedSection", "s", s, "a place from 0 to 1 along the beam")
        k = int(np.searchsorted(self.stations, s, side="right")) - 1
        k = min(max(k, 0), len(self.stations) - 2)
        a, b = self.stations[k], self.stations[k + 1]
        return self.sections[k].between(self.sections[k + 1], (s - a) / (b - a))


Profile = CrossSection | TaperedSection
