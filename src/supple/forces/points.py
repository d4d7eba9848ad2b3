"""Forces between points and frames of bodies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from supple.forces.base import FrameForce, PairForce, SignalTriple, three_signals
from supple.forces.laws import Law, LawLike, damper_law, spring_law
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import (
    Given,
    checked,
    choice,
    declared,
    not_negative,
    number,
    vector,
)
from supple.foundation.frames import Body, Frame, Line, expect_body_frame
from supple.foundation.validate import read_only, set_fields
from supple.joints.interactions import same_station
from supple.signals import Constant, Signal, SignalLike

ALONG = 1e-12  # sine of an angle that is rounding


@declared
class Force(FrameForce):
    """A force (N) and a torque (N m) on a body, applied at a frame.

    Each of the three components is a number or a signal; stored as signals. ``axes`` says whether
    they are along the world's axes or turn with the body ("body": the axes of the frame).
    """

    frame: Frame = checked(expect_body_frame)
    force: Given[Sequence[SignalLike], SignalTriple] = checked(
        three_signals, "N", default=(0.0, 0.0, 0.0)
    )
    torque: Given[Sequence[SignalLike], SignalTriple] = checked(
        three_signals, "N m", default=(0.0, 0.0, 0.0)
    )
    axes: Literal["world", "body"] = choice(default="world")

    def needs_axes(self, field: str) -> str:
        """Expected instead, if it turns with the axes of the body or has a torque."""
        del field
        turning = [s for s in self.torque if not (isinstance(s, Constant) and s.value == 0.0)]
        if turning or self.axes == "body":
            return "a force along the axes of the world without a torque"
        return ""

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Force components, then torque components."""
        return self.force + self.torque


@declared
class SpringDamper(PairForce):
    """A spring and damper along the line between two frame origins.

    ``stiffness`` N/m, ``damping`` N s/m and the free ``length`` m are zero or positive. It pulls
    the two together with ``stiffness (distance - length) + damping distance'``.

    Parameters
    ----------
    spring : pairs, TableLaw or formula, optional
        A further pull ``spring(x)`` over ``x = distance - length``: pairs of x (m) and force (N),
        or a formula such as ``"2e3*x + 5e5*x**3"``. Its energy is zero at x = 0.
    damper : pairs, TableLaw or formula, optional
        A further pull ``damper(x, v)`` with ``v = distance'``: pairs of v (m/s) and force (N), or a
        formula in x and v such as ``"40*v*abs(v)"``. What it takes is counted as dissipated.
    """

    expected_without_axes = ""  # it acts along the line between two places
    stiffness: float = not_negative("N/m", default=0.0)
    damping: float = not_negative("N s/m", default=0.0)
    length: float = not_negative("m", default=0.0)
    spring: Given[LawLike | None, Law | None] = checked(spring_law, default=None)
    damper: Given[LawLike | None, Law | None] = checked(damper_law, default=None)


def _three(owner: str, field: str, value: ArrayLike) -> Vector:
    expected = "3 numbers, zero or positive, or one for all of them"
    given = validate.array(owner, field, value, expected)
    three = np.full(3, given) if given.ndim == 0 else given
    if three.shape != (3,) or np.any(three < 0.0):
        raise ModelError(owner, field, value, expected)
    return read_only(three)


def _six(owner: str, field: str, value: ArrayLike) -> Vector:
    expected = "6 numbers, zero or positive, one for the translations, or a matrix (6, 6)"
    given = validate.array(owner, field, value, expected)
    if given.shape == (6, 6):
        return _matrix(owner, field, given)
    six = np.concatenate([np.full(3, given), np.zeros(3)]) if given.ndim == 0 else given
    if six.shape != (6,) or np.any(six < 0.0):
        raise ModelError(owner, field, value, expected)
    return read_only(six)


def _matrix(owner: str, field: str, given: Vector) -> Vector:
    """A symmetric matrix without negative eigenvalues, judged with a diagonal of ones."""
    size = np.sqrt(np.abs(np.diag(given)))
    unit = 1.0 / np.where(size > 0.0, size, 1.0)
    scaled = unit[:, None] * given * unit
    gap = np.abs(scaled - scaled.T)
    if gap.max() > 1e-9:
        i, j = (int(k) for k in np.unravel_index(np.argmax(gap), (6, 6)))
        expected = f"{float(given[j, i])!r}, as [{j}, {i}] is: a symmetric matrix"
        raise ModelError(owner, f"{field}[{i}, {j}]", float(given[i, j]), expected)
    least = float(np.linalg.eigvalsh(0.5 * (scaled + scaled.T)).min())
    if least < -1e-9:
        expected = "zero or more, with a diagonal of ones: a positive semi-definite matrix"
        raise ModelError(owner, f"least eigenvalue of {field}", least, expected)
    return read_only(0.5 * (given + given.T))


@declared
class CartesianSpring(PairForce):
    """Springs and dampers along the world's axes between two frame origins.

    With d the way from A's origin to B's in world axes, the force on B is
    ``-(stiffness (d - rest) + damping d')``, axis by axis, at B's origin; the opposite acts on A at
    A's origin. Its axes do not turn with the bodies (those of a ``Bushing`` turn with A), so that
    it can turn two bodies that are free otherwise.

    Parameters
    ----------
    stiffness : (3,) N/m
        Along the world's x, y, z; zero or positive. One number: the same along all.
    damping : (3,) N s/m
    rest : (3,) m
        The way from A to B without force.
    """

    expected_without_axes = ""  # it acts along the axes of the world
    stiffness: Given[ArrayLike, Vector] = checked(_three, "N/m", default=0.0)
    damping: Given[ArrayLike, Vector] = checked(_three, "N s/m", default=0.0)
    rest: Given[ArrayLike, Vector] = vector(
        "m", expected="3 finite numbers in m", default=(0.0, 0.0, 0.0)
    )


@declared
class Bushing(PairForce):
    """Springs and dampers in all six directions between two frames.

    With d the place of B's origin in A's axes, f the rotation vector from A's axes to B's and
    ``x = [d; f]``, it stores ``x.K x/2 - preload.x`` and dissipates ``x'.C x'``. In A's axes
    the force on B, at B's origin, is the first half of ``preload - K x - C x'``; the torque belongs
    to the second half and is the same for small rotations.

    Parameters
    ----------
    stiffness : (6,) or (6, 6), N/m, N and N m/rad
        Along and about A's x, y, z; zero or positive. One number: the three translations. A matrix
        is symmetric and positive semi-definite.
    damping : (6,) or (6, 6), N s/m, N s and N m s/rad
    preload : (6,) N and N m
        Force and torque on B where the frames coincide, in A's axes.

    Rotations stay below half a turn.
    """

    expected_without_axes = "a SpringDamper or a CartesianSpring"
    stiffness: Given[ArrayLike, Vector] = checked(_six, "N/m or N or N m/rad", default=0.0)
    damping: Given[ArrayLike, Vector] = checked(_six, "N s/m or N s or N m s/rad", default=0.0)
    preload: Given[ArrayLike, Vector] = vector(
        "N or N m", 6, "6 finite numbers in N and N m", default=(0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    )

    @property
    def matrices(self) -> tuple[Vector, Vector]:
        """Stiffness and damping (6, 6)."""
        both = self.stiffness, self.damping
        stiffness, damping = (x if x.ndim == 2 else np.diag(x) for x in both)
        return stiffness, damping


def _factors(owner: str, field: str, value: Any) -> tuple[float, float]:
    first, last = validate.vector(owner, field, value, 2, "2 finite numbers")
    return float(first), float(last)


@declared
class DistributedLoad(FrameForce):
    """A force per length along a beam or cable, between two stations.

    Parameters
    ----------
    frame : Frame on a Beam, ANCFBeam or Cable
        Where it begins, e.g. ``link2.at(0)``; a rotation of the frame turns "body" and "section"
        axes.
    force : (3,) N/m
        Numbers, expressions or signals.
    end : m
        Station where it ends; the beam's end by default.
    profile : (2,)
        Factors at the beginning and the end, linear between them: (0, 1) is a triangle.
    axes : "world", "body" or "section"
        Fixed in the world, turning with the beam's frame, or following the deformed section, along
        the axes of ``beam.at(x)``. An `ANCFBeam` or `Cable` has no frame, so not "body". On the
        sections of a `Cable` the force is along its tangent: nothing tells directions across it.

    It is per length without load, also where the body is stretched.
    """

    expected_without_axes = ""  # but see ``_check_axes``
    frame: Frame = checked(expect_body_frame)
    force: Given[Sequence[SignalLike], SignalTriple] = checked(three_signals, "N/m")
    end: Given[float | None, float] = number("m", default=None)
    profile: Given[Sequence[float], tuple[float, float]] = checked(_factors, default=(1.0, 1.0))
    axes: Literal["world", "body", "section"] = choice(default="world")

    def _check(self, owner: str) -> None:
        beam = self.frame.body.line
        if beam is None:
            expected = "a station of a beam or cable, where the load begins"
            raise ModelError(owner, "frame", self.frame, expected)
        begin, end = beam.station(self.frame), cast("float | None", self.end)
        last = beam.length if end is None else end
        if not begin < last <= beam.length * (1.0 + 1e-9):
            expected = f"a station after {begin:g} m and not beyond {beam.length:g} m"
            raise ModelError(owner, "end", last, expected)
        set_fields(self, end=min(last, beam.length))
        self._check_axes(self.frame.body)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Components of the force per length."""
        return self.force

    def following(self, old: Body, body: Body) -> DistributedLoad:
        """Return the load on the new body; one that reaches to the end reaches to the new end."""
        end = same_station(old, body, self.end)
        if self.frame.body.name != body.name or end == self.end:
            return self
        frame = Frame(body, self.frame.position, self.frame.rotation)
        return replace(self, frame=frame, end=end)

    def on_parts(self, body: Body) -> tuple[DistributedLoad, ...]:
        """The load on each part of a beam that it reaches; itself on a body that is not cut."""
        self._check_axes(body)
        if not body.divides or body.discretisation == "nodal_vectors":
            return (self,)
        if self.axes == "body":
            expected = f"'world' or 'section' on {label(body)}, whose parts turn one by one"
            raise ModelError(label(self), "axes", self.axes, expected)
        found: list[DistributedLoad] = []
        begin, start = float(self.frame.position[0]), 0.0
        for part in body.part_bodies:
            length = cast("Line", part.line).length
            a, b = max(begin, start), min(self.end, start + length)
            if b - a > 1e-9 * length:
                place = np.array([a - begin, b - begin]) / (self.end - begin)
                profile = self.profile[0] + (self.profile[1] - self.profile[0]) * place
                frame = part.at(a - start, rotation=self.frame.rotation)
                name, stop = f"{self.name}[{len(found)}]", min(b - start, length)
                one = DistributedLoad(name, frame, self.force, stop, profile.tolist(), self.axes)
                found.append(one)
            start += length
        return tuple(found)

    def _check_axes(self, body: Body) -> None:
        """Refuse axes that a body without a frame, or without axes of its sections, has not."""
        owner = label(self)
        if self.axes == "body" and body.discretisation == "nodal_vectors":
            expected = f"'world' or 'section' on {label(body)}, which has no frame of its own"
            raise ModelError(owner, "axes", self.axes, expected)
        if self.axes != "section" or body.line is None or body.line.has_sections:
            return
        for k, component in enumerate(self.force):
            along = np.abs(self.frame.rotation[1:, k]).max() < ALONG
            if not along and not (isinstance(component, Constant) and component.value == 0.0):
                expected = f"0 on {label(body)}, which has a tangent and no axes across it"
                found = component.value if isinstance(component, Constant) else component
                raise ModelError(owner, f"force[{k}]", found, expected)

    def points(self, beam: Line, order: int) -> list[tuple[float, float]]:
        """Stations (m) and weights (m) for integrals of the profile, ``order`` in each element."""
        begin = beam.station(self.frame)
        nodes, count = beam.load_cells(order)
        cuts = [begin, *nodes[(nodes > begin) & (nodes < self.end)], self.end]
        xi, w = np.polynomial.legendre.leggauss(count)
        out = []
        for a, b in itertools.pairwise(cuts):
            for x, weight in zip(
                0.5 * (a + b) + 0.5 * (b - a) * xi, 0.5 * (b - a) * w, strict=True
            ):
                s = (x - begin) / (self.end - begin)
                factor = self.profile[0] * (1.0 - s) + self.profile[1] * s
                out.append((float(x), float(weight * factor)))
        return out
