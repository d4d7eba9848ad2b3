"""Poses of the sections of a curved or twisted beam before it deforms, by arc length.

Sections turn with the tangent of the line and not about it (a frame of minimal rotation), and by
the pre-twist beside that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Self, cast

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, describe
from supple.foundation.poses import EYE, Pose
from supple.foundation.validate import read_only

CentreLineChoice = Callable[[float], Any] | Vector | None
Twist = float | Callable[[float], float] | Vector | None

LINE = "a function of the arc length (m) that returns a point (3,) m, or points (k, 3) m, k > 1"
TWIST = (
    "an angle (rad) from end to end, a function of the station (m), or pairs (station, angle) with "
    "stations that ascend from 0 to the length"
)
# Places along a line between which its axes are carried on: so many, or more until its direction
# changes by less than this from one to the next, rad; not with most of them is a kink.
CELLS, MOST_CELLS, TURN = 256, 16384, 0.1
# Step of differences of fourth order for tangents, in lengths of the line.
STEP = 1e-4
# How far a function of the arc length may be from one metre per metre, and a length from its line.
UNIT, SAME = 1e-6, 1e-6
# Sine of the angle between the first direction and the line, at least.
ACROSS = 1e-6
CENTRED = (np.array([-2.0, -1.0, 1.0, 2.0]), np.array([1.0, -8.0, 8.0, -1.0]) / 12.0)
FORWARD = (np.arange(5.0), np.array([-25.0, 48.0, -36.0, 16.0, -3.0]) / 12.0)
# Pieces between two given points in which the arc length is integrated.
SPLINE_CELLS = 16
GAUSS = np.polynomial.legendre.leggauss(8)


@dataclass(frozen=True, eq=False)
class CentreLine:
    """Poses of the sections of a beam without load, by the station s (m)."""

    owner: str  # the beam, for errors
    length: float  # m
    point: Callable[[float], Vector]  # function of s that returns a point (3,) m
    # function of s that returns the angle (rad) of the section about the line, beside the frame of
    # minimal rotation; zero at the origin
    turned: Callable[[float], float]
    first: Vector  # (3,) unit vector along y of the first section, across the line

    def tangent(self, s: float) -> Vector:
        """Unit vector (3,) along the line."""
        h = STEP * self.length
        places, factors = CENTRED
        if s < 2.0 * h:
            places, factors = FORWARD
        elif s > self.length - 2.0 * h:
            places, factors = -FORWARD[0], -FORWARD[1]
        points = [np.asarray(self.point(float(s + h * k)), dtype=float) for k in places]
        slope = factors @ np.array(points) / h
        return np.asarray(slope / np.linalg.norm(slope))

    def pose(self, s: float) -> Pose:
        """Place and axes of the section, along the axes of the line."""
        nodes, tangents, normals = self._carried
        cells = len(nodes) - 1
        k = min(int(s / self.length * cells), cells - 1)
        place, along = np.array(self.point(float(s)), dtype=float), self.tangent(s)
        across = _reflected(nodes[k], tangents[k], normals[k], place, along)
        y = across - (across @ along) * along
        y /= np.linalg.norm(y)
        z, angle = np.cross(along, y), self.turned(float(s))
        c, d = np.cos(angle), np.sin(angle)
        return Pose(np.column_stack([along, c * y + d * z, c * z - d * y]), place)

    def own_pose(self, s: float) -> Pose:
        """Place and axes of the section, in the frame of the first one."""
        return self.in_own_frame(self.pose(s))

    def in_own_frame(self, pose: Pose) -> Pose:
        """A pose on the axes of the line, in the frame of the first section."""
        first = self.pose(0.0)
        return Pose(first.R.T @ pose.R, first.R.T @ (pose.p - first.p))

    def nearest(self, point: Vector) -> float:
        """Station (m) of the place that is nearest to a point (3,) of the first section's frame."""
        from scipy.optimize import minimize_scalar

        def away(s: float) -> float:
            return float(np.sum((self.own_pose(s).p - point) ** 2))

        first, nodes = self.pose(0.0), self._carried[0]
        places = np.linspace(0.0, self.length, len(nodes))
        k = int(np.argmin(np.linalg.norm((nodes - first.p) @ first.R - point, axis=1)))
        ends = places[max(k - 1, 0)], places[min(k + 1, len(nodes) - 1)]
        found = minimize_scalar(away, bounds=ends, method="bounded", options={"xatol": 1e-12})
        return float(min([found.x, *ends, places[k]], key=away))

    @cached_property
    def _carried(self) -> tuple[Vector, Vector, Vector]:
        """Points, tangents and directions y of minimal rotation (cells + 1, 3) along the line."""
        places, tangents = self._sampled()
        points = np.array([self.point(float(s)) for s in places], dtype=float)
        normals = [self.first]
        for k in range(len(places) - 1):
            ends = points[k], tangents[k], normals[-1], points[k + 1], tangents[k + 1]
            normals.append(_reflected(*ends))
        return points, tangents, np.array(normals)

    def _sampled(self) -> tuple[Vector, Vector]:
        """Stations (cells + 1,) near enough to each other, and tangents (cells + 1, 3) there."""
        cells = CELLS
        while True:
            places = np.linspace(0.0, self.length, cells + 1)
            tangents = np.array([self.tangent(s) for s in places])
            steps = np.linalg.norm(np.diff(tangents, axis=0), axis=1)
            if steps.max() < TURN:
                return places, tangents
            if cells >= MOST_CELLS:
                kink = f"a line with a kink at {places[int(np.argmax(steps))]:.4g} m"
                expected = "a smooth line; two beams and a Fixed joint make a kink"
                raise _refused(self.owner, kink, expected)
            cells *= 4


def _reflected(p: Vector, t: Vector, y: Vector, next_p: Vector, next_t: Vector) -> Vector:
    """A direction across a line carried on from one point to the next, by two reflections."""
    chord = next_p - p
    if not chord @ chord:
        return y
    y, t = (x - 2.0 * (chord @ x) / (chord @ chord) * chord for x in (y, t))
    turn = next_t - t
    size = turn @ turn
    return np.asarray(y - 2.0 * (turn @ y) / size * turn if size else y)


def given_line(owner: str, line: Any, length: Any) -> tuple[Any, float]:
    """Check a centre line and the length of its beam; None is that of a line through points."""
    if callable(line):
        found = validate.positive(owner, "length", length)
        for s in np.linspace(0.0, found, 17):
            _check_point(owner, line, float(s))
        whole = CentreLine(owner, found, line, float, np.zeros(3))
        for s in np.linspace(0.0, found, 33):
            speed = _speed(whole, float(s))
            if abs(speed - 1.0) > UNIT:
                place = f"a function that moves by {speed:.6g} m per m at {s:.4g} m"
                raise _refused(owner, place, "one of the arc length, 1 m per m")
        return line, found
    points = validate.array(owner, "centre_line", line, LINE)
    steps = np.linalg.norm(np.diff(points, axis=0), axis=-1) if points.ndim == 2 else np.zeros(1)
    if points.ndim != 2 or points.shape[1] != 3 or len(points) < 2 or not np.all(steps > 0.0):
        raise ModelError(owner, "centre_line", line, LINE + ", different ones in a row")
    own = _Spline.through(points).length
    if length is not None:
        found = validate.positive(owner, "length", length)
        if abs(found - own) > SAME * own:
            raise ModelError(
                owner, "length", found, f"None or {own:.9g}, that of the curve through its points"
            )
    return read_only(points), own


def _refused(owner: str, found: str, expected: str) -> ModelError:
    return ModelError.plain(f"{owner}: centre_line is {found}, expected {expected}")


def _check_point(owner: str, line: Any, s: float) -> None:
    try:
        point = np.asarray(line(s), dtype=float)
    except Exception as error:
        raise _refused(owner, f"a function that fails: {error}", LINE) from error
    if point.shape != (3,) or not np.all(np.isfinite(point)):
        raise _refused(owner, f"a function with the value {describe(point)}", LINE)


def _speed(line: CentreLine, s: float) -> float:
    """Metres per metre at a station."""
    h = STEP * line.length
    s = min(max(s, 2.0 * h), line.length - 2.0 * h)
    points = np.array([line.point(s + h * k) for k in CENTRED[0]], dtype=float)
    return float(np.linalg.norm(CENTRED[1] @ points) / h)


def given_twist(owner: str, twist: Any, length: float) -> Any:
    """Check the pre-twist of a beam: a number, a function or a table (k, 2)."""
    if callable(twist):
        for s in np.linspace(0.0, length, 17):
            try:
                angle = twist(float(s))
            except Exception as problem:  # whatever a function of the user does
                raise ModelError(owner, "twist", twist, f"{TWIST} ({problem})") from problem
            validate.number(owner, f"twist at {s:g} m", angle, "an angle in rad")
        return twist
    if isinstance(twist, (list, tuple, np.ndarray)):
        table = validate.array(owner, "twist", twist, TWIST)
        if table.ndim != 2 or table.shape[1] != 2 or len(table) < 2:
            raise ModelError(owner, "twist", twist, TWIST)
        ends = abs(table[0, 0]) + abs(table[-1, 0] - length)
        if ends > SAME * length or np.any(np.diff(table[:, 0]) <= 0.0):
            raise ModelError(owner, "twist", twist, TWIST)
        return read_only(table)
    return validate.number(owner, "twist", twist, TWIST)


def first_angle(twist: Any) -> float:
    """Pre-twist (rad) of the section at the origin, which is part of its roll."""
    if callable(twist):
        return float(twist(0.0))
    return float(twist[0, 1]) if isinstance(twist, np.ndarray) else 0.0


class StraightLine(CentreLine):
    """A straight line without twist, of a beam whose section changes."""

    @classmethod
    def of(cls, owner: str, length: float) -> Self:
        """The line along x."""
        turned = partial(_angle, None, length, 0.0)
        return cls(owner, length, _straight, turned, np.array([0.0, 1.0, 0.0]))

    def pose(self, s: float) -> Pose:
        """Place and axes of the section: those of the beam."""
        return Pose(EYE, _straight(s))


def centre_line(owner: str, length: float, line: Any, first_y: Any, twist: Any) -> CentreLine:
    """The line of checked fields; None is a straight one, or no twist."""
    point: Callable[[float], Vector] = _straight
    if callable(line):
        point = line
    elif line is not None:
        point = _Spline.through(line).at
    turned = partial(_angle, twist, length, first_angle(twist))
    plain = CentreLine(owner, length, point, turned, np.zeros(3))
    along = plain.tangent(0.0)
    wanted = validate.axis(owner, "first_y", first_y)
    across = wanted - (wanted @ along) * along
    size = float(np.linalg.norm(across))
    if size < ACROSS:
        raise ModelError(owner, "first_y", wanted, "a direction across the line at its origin")
    return CentreLine(owner, length, point, turned, across / size)


def _straight(s: float) -> Vector:
    return np.array([s, 0.0, 0.0])


def _angle(twist: Any, length: float, first: float, s: float) -> float:
    """Pre-twist (rad) at a station against that of the first section."""
    if callable(twist):
        return float(twist(s)) - first
    if isinstance(twist, np.ndarray):
        return float(np.interp(s, twist[:, 0], twist[:, 1])) - first
    return 0.0 if twist is None else float(twist) * s / length


@dataclass(frozen=True, eq=False)
class _Spline:
    """A cubic spline through points, by its arc length."""

    length: float  # m
    # curve, parameter: splines of points by their parameter, and of this by the arc length
    curve: Any
    parameter: Any

    @classmethod
    def through(cls, points: Vector) -> _Spline:
        from scipy.interpolate import CubicHermiteSpline, CubicSpline

        knots = np.append(0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1)))
        curve = CubicSpline(knots, points)
        cells = [np.linspace(a, b, SPLINE_CELLS, endpoint=False) for a, b in pairwise(knots)]
        places = np.append(np.concatenate(cells), knots[-1])
        half, middle = 0.5 * np.diff(places), 0.5 * (places[:-1] + places[1:])
        slopes = curve(middle[:, None] + half[:, None] * GAUSS[0], 1)
        steps = half * (np.linalg.norm(slopes, axis=2) @ GAUSS[1])
        lengths = np.append(0.0, np.cumsum(steps))
        rates = 1.0 / np.linalg.norm(curve(places, 1), axis=1)
        return cls(float(lengths[-1]), curve, CubicHermiteSpline(lengths, places, rates))

    def at(self, s: float) -> Vector:
        """Point at an arc length."""
        return cast("Vector", self.curve(self.parameter(s)))
