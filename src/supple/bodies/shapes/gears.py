"""Involute gears: teeth that touch those of another gear, also from within a ring."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import Shape, TouchingSurface
from supple.fem.drawn.surface import Surface, moved
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    Given,
    checked,
    declared,
    not_negative,
    number,
    positive,
    unit_vector,
    vector,
)
from supple.foundation.frames import Frame
from supple.foundation.poses import Pose, aligned
from supple.foundation.validate import Axis

SAME_PITCH = 1e-9  # of a base pitch: numbers of a file
FEWEST, MOST = 4, 100_000
RIM = 2.5  # modules of a ring behind its roots, as it is drawn
FARTHEST = 0.2  # modules, at least: a half is twice the allowed depth
ON_FLANK = 6  # points of a flank as it is drawn


def involute(angle: float) -> float:
    """The function inv = tan - angle of a pressure angle, rad."""
    return math.tan(angle) - angle


def _teeth(owner: str, field: str, value: Any) -> int:
    expected = f"a whole number from {FEWEST} to {MOST}"
    found = validate.integer(owner, field, value, FEWEST, expected)
    if found > MOST:
        raise ModelError(owner, field, value, expected)
    return found


def _pressure(owner: str, field: str, value: Any) -> float:
    expected = "an angle from 0.1 to 0.8 rad, e.g. np.radians(20)"
    found = validate.number(owner, field, value, expected)
    if not 0.1 <= found <= 0.8:
        raise ModelError(owner, field, value, expected)
    return found


@declared
class InvoluteGear(Shape):
    """The teeth of a spur gear, or of a ring gear, which touch those of another one.

    A tooth, of a ring gear a space, is in the direction that x has after the smallest turn from z
    to ``axis``, turned on by ``phase``.

    Parameters
    ----------
    frame : Frame
        On the body that carries it; its origin is the middle of the gear.
    teeth : 1
        Number of teeth.
    module : m
        Diameter of the reference circle over the number of teeth.
    width : m
        Of the teeth along the axis.
    pressure_angle : rad
        Of the reference profile.
    profile_shift : 1
        Shift of the profile outwards, in modules.
    thinning : m
        By how much teeth are thinner on the reference circle than half a pitch and their shift
        have them: the backlash of a pair of gears is the sum of both along this circle.
    addendum, dedendum : 1
        Heights of teeth above and below the reference circle, in modules.
    phase : rad
        Turn of the teeth about the axis.
    axis : (3,) or "x", "y", "z"
        In the axes of the frame.
    position : (3,) m
        The middle, in the axes of the frame.
    inside : bool
        True for a ring gear.
    """

    teeth: int = checked(_teeth, default=None)
    module: float = positive("m", default=None)
    width: float = positive("m", default=None)
    pressure_angle: float = checked(_pressure, "rad", default=math.radians(20.0))
    profile_shift: float = number(default=0.0)
    thinning: float = not_negative("m", default=0.0)
    addendum: float = positive(default=1.0)
    dedendum: float = positive(default=1.25)
    phase: float = number("rad", default=0.0)
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    inside: bool = checked(validate.flag, default=False)

    def _check(self, owner: str) -> None:
        for field, expected in (
            ("teeth", f"a whole number from {FEWEST}"),
            ("module", "a positive number in m"),
            ("width", "a positive number in m"),
        ):
            if self.__dict__[field] is None:
                raise ModelError.plain(f"{owner}: {field} is missing, expected {expected}")
        if not self.tip_radius > self.base_radius:
            what = f"tips at {self.tip_radius:.6g} m, base circle at {self.base_radius:.6g} m"
            expected = "tips outside of the base circle: more teeth, or another profile_shift"
            raise ModelError.plain(f"{owner}: {what}, expected {expected}")
        angle = math.atan2(self.tip_tangent, self.base_radius)
        if not 0.0 < self.half_angle - involute(angle) < math.pi / self.teeth:
            raise ModelError.plain(
                f"{owner}: its teeth have no width at their tips, expected another profile_shift, "
                "addendum or thinning"
            )

    @property
    def radius(self) -> float:
        """Radius of the reference circle, m."""
        return 0.5 * self.module * self.teeth

    @property
    def base_radius(self) -> float:
        """Radius of the base circle, m."""
        return self.radius * math.cos(self.pressure_angle)

    @property
    def base_pitch(self) -> float:
        """Distance of flanks along the line of action, m."""
        return math.pi * self.module * math.cos(self.pressure_angle)

    @property
    def tip_radius(self) -> float:
        """Radius of the tips, m: of a ring the least one."""
        out = -1.0 if self.inside else 1.0
        return self.radius + self.module * (self.profile_shift + out * self.addendum)

    @property
    def root_radius(self) -> float:
        """Radius of the roots, m."""
        out = -1.0 if self.inside else 1.0
        return self.radius + self.module * (self.profile_shift - out * self.dedendum)

    @property
    def half_angle(self) -> float:
        """Half of the angle of a tooth on the base circle, rad; of a ring that of a space."""
        wider = 2.0 * self.profile_shift * math.tan(self.pressure_angle)
        size = self.module * (0.5 * math.pi + wider)
        size += self.thinning if self.inside else -self.thinning
        return 0.5 * size / self.radius + involute(self.pressure_angle)

    @property
    def tip_tangent(self) -> float:
        """Length of the tangent from a tip to the base circle, m."""
        tip, base = self.tip_radius, self.base_radius
        return math.sqrt(max((tip - base) * (tip + base), 0.0))

    @property
    def pose(self) -> Pose:
        """Axes with z along its axis and a tooth on x, in those of its frame."""
        c, s = math.cos(self.phase), math.sin(self.phase)
        turn = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
        return Pose(aligned(self.axis)[0] @ turn, self.position)

    @property
    def allowed_depth(self) -> float:
        """A twentieth of its module."""
        return 0.05 * self.module

    def surface(self) -> Surface:
        """Teeth with straight roots, as wide as it is; a ring has a rim."""
        outline = _outline(self)
        if self.inside:
            rim = self.root_radius + RIM * self.module
            other = outline / np.linalg.norm(outline, axis=1, keepdims=True) * rim
        else:
            other = np.zeros_like(outline)
        pose = self.pose
        return moved(_plate(outline, other, self.width, self.inside), pose.R, pose.p)


def _outline(gear: InvoluteGear) -> Array:
    """Points (k, 2) of the teeth, m, against the clock."""
    base = gear.base_radius
    radii = np.linspace(max(base, min(gear.root_radius, gear.tip_radius)),
                        max(gear.root_radius, gear.tip_radius), ON_FLANK)  # fmt: skip
    slope = np.arctan2(np.sqrt(np.maximum(radii**2 - base**2, 0.0)), base)
    half = gear.half_angle - (np.tan(slope) - slope)
    if not gear.inside and gear.root_radius < base:
        radii, half = np.append(gear.root_radius, radii), np.append(half[0], half)
    angles, lengths = np.concatenate([-half, half[::-1]]), np.concatenate([radii, radii[::-1]])
    turns = 2.0 * np.pi * np.arange(gear.teeth)[:, None] / gear.teeth + angles
    return np.stack([lengths * np.cos(turns), lengths * np.sin(turns)], axis=-1).reshape(-1, 2)


def _plate(outline: Array, other: Array, width: float, ring: bool) -> Surface:
    """A plate between two closed lines (k, 2), along z; the other one may be a point."""
    count, half = len(outline), 0.5 * width
    lines = [(outline, half), (outline, -half), (other, half), (other, -half)]
    points = np.concatenate([np.column_stack([p, np.full(count, z)]) for p, z in lines])
    one = np.arange(count)
    two = np.roll(one, -1)

    def strip(first: int, second: int) -> Array:
        a, b, c, d = (
            one + first * count,
            two + first * count,
            two + second * count,
            one + second * count,
        )
        return np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])

    faces = [strip(1, 0), strip(0, 2), strip(3, 1)]
    if ring:
        faces.append(strip(2, 3))
    triangles = np.concatenate(faces)
    if ring:
        triangles = triangles[:, ::-1]
    a, b, c = (points[triangles[:, k]] for k in range(3))
    flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) > 0.0
    return Surface(points, triangles[flat].astype(np.intp))


class ToothSlot(NamedTuple):
    """Every n-th pair of teeth of two gears on one side: numbers of core/contact/gears.py."""

    pose: Pose  # of B, in the axes of its frame
    numbers: tuple[float, ...]
    reach: float  # radius of B within which teeth touch, m
    frame: Frame | None = None  # None is that of the shape


class Mesh:
    """Two gears as they mesh: ``A`` is no ring; a ring gear B has a negative base radius."""

    def __init__(self, owner: str, A: InvoluteGear, B: InvoluteGear) -> None:
        self.A, self.B = A, B
        self.sense = -1.0 if B.inside else 1.0
        self.pitch = A.base_pitch
        self._expect(
            owner,
            abs(A.base_pitch - B.base_pitch) <= SAME_PITCH * A.base_pitch,
            f"base pitches are {A.base_pitch:.9g} and {B.base_pitch:.9g} m",
            "the same: module times cosine of the pressure angle",
        )
        self.radii = A.base_radius, self.sense * B.base_radius
        self.tips = A.tip_tangent, self.sense * B.tip_tangent
        found = f"the ring has {B.teeth} teeth, the gear in it {A.teeth}"
        self._expect(owner, sum(self.radii) * self.sense > 0.0, found, "more of the ring")
        self.angle = self._working_angle(owner)
        self.length = sum(self.radii) * math.tan(self.angle)
        begins, ends = self.length - self.tips[1], self.tips[0]
        limit = self.length if self.sense > 0.0 else math.inf
        self._expect(
            owner,
            begins >= 0.0 and ends <= limit,
            "tips of one gear reach below the base circle of the other",
            "no such interference: more teeth, a profile_shift or a smaller addendum",
        )
        self.ratio = (ends - begins) / self.pitch
        found = "their teeth do not reach each other"
        self._expect(owner, self.ratio > 0.0, found, "a larger addendum")

    @staticmethod
    def _expect(owner: str, good: bool, found: str, expected: str) -> None:
        if not good:
            raise ModelError.plain(f"{owner}: {found}, expected {expected}")

    def _working_angle(self, owner: str) -> float:
        """Pressure angle where gears with these shifts have no backlash but for thinned teeth."""
        A, B, both = self.A, self.B, sum(self.radii)
        thick = 0.5 * (
            A.thinning / A.radius * self.radii[0] + B.thinning / B.radius * abs(self.radii[1])
        )
        arcs = self.radii[0] * A.half_angle + self.radii[1] * B.half_angle + thick
        wanted = (arcs - (0.5 * self.pitch if self.sense > 0.0 else 0.0)) / both
        self._expect(owner, wanted > 0.0, "their profile shifts leave no room for each other",
                     "a larger sum of profile shifts")  # fmt: skip
        low, high = 0.0, 0.5 * math.pi - 1e-9
        while True:
            middle = 0.5 * (low + high)
            if not low < middle < high:
                return middle
            low, high = (middle, high) if involute(middle) < wanted else (low, middle)

    @property
    def surface(self) -> TouchingSurface:
        """The place of A, which has no surface for balls."""
        return TouchingSurface("teeth", (), self.A.pose, inside=False)

    @property
    def distance(self) -> float:
        """Distance of the axes without backlash but for thinned teeth, m."""
        return abs(sum(self.radii)) / math.cos(self.angle)

    def slots(self) -> tuple[ToothSlot, ...]:
        """As many slots on each side as pairs of teeth may touch at once, and one more.

        Of a ring some more: teeth that overlap by half of ``far`` are taken for the next ones.
        """
        A, B = self.A, self.B
        count = math.ceil(self.ratio) + 1
        while (far := self._far(count)) < FARTHEST * A.module and count < A.teeth:
            count += 1
        edges = [math.atan2(g.tip_tangent, g.base_radius) for g in (A, B)]
        found = []
        for side in (1.0, -1.0):
            for slot in range(count):
                numbers = (
                    *self.radii, *self.tips, A.tip_radius, B.tip_radius, *edges,
                    A.half_angle, B.half_angle, self.pitch, float(count), float(slot),
                    side, far, self.sense,
                )  # fmt: skip
                found.append(ToothSlot(B.pose, numbers, max(B.tip_radius, B.base_radius)))
        return tuple(found)

    def _far(self, count: int) -> float:
        """Distance from which on a pair of teeth is too far to touch, with so many slots, m."""
        over = 0.5 * (count - self.ratio) * self.pitch
        return 0.5 * min(self._beyond(end, over) for end in (0, 1))

    def _beyond(self, end: int, over: float) -> float:
        """How far the edge of a tip is from the other flank when its own would be ``over`` beyond.

        At the distance without backlash; see core/contact/gears.py.
        """
        own, other = self.radii[end], self.radii[1 - end]
        gear, sense = (self.A, self.B)[end], self.sense
        angle = over / own + math.atan2(gear.tip_tangent, gear.base_radius)
        u, n = gear.tip_radius * math.cos(angle), gear.tip_radius * math.sin(angle)
        both, length = sum(self.radii), self.length
        if end == 0:
            x, y = -sense * (u - both), -sense * (n - length)
        else:
            x, y = both - sense * u, length - sense * n
        square = x * x + y * y - other * other
        if square <= 0.0:
            return math.inf
        t = math.sqrt(square)
        turned = math.atan2(y, x) - math.atan2(t, abs(other))
        ahead = length - self.tips[end] - over  # where the other flank crosses the line
        return (sense if end == 0 else 1.0) * t - ahead + other * turned


def mesh_of(owner: str, first: InvoluteGear, second: InvoluteGear) -> tuple[Mesh, bool]:
    """Two gears that mesh, and whether the second one is that inside."""
    if first.inside and second.inside:
        raise ModelError.plain(f"{owner}: both gears are rings, expected one in the other")
    swapped = first.inside
    pair = (second, first) if swapped else (first, second)
    return Mesh(owner, *pair), swapped
