"""Forces between points and frames of bodies."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from supple import validate
from supple.errors import ModelError
from supple.forces.base import ForceElement, SignalTriple, three_signals
from supple.frames import Frame, Line, expect_body_frame, expect_two_bodies
from supple.signals import Signal, SignalLike
from supple.validate import Vector, read_only, set_fields


@dataclass(frozen=True, eq=False, init=False)
class Force(ForceElement):
    """A force (N) and a torque (N m) on a body, applied at a frame.

    Each of the three components is a number or a signal; stored as signals. ``axes`` says whether
    they are along the world's axes or turn with the body ("body": the axes of the frame).
    """

    frame: Frame
    force: SignalTriple
    torque: SignalTriple
    axes: Literal["world", "body"]

    def __init__(
        self,
        name: str,
        frame: Frame,
        force: Sequence[SignalLike] = (0.0, 0.0, 0.0),
        torque: Sequence[SignalLike] = (0.0, 0.0, 0.0),
        axes: Literal["world", "body"] = "world",
    ) -> None:
        owner = self._named(name)
        set_fields(
            self,
            frame=expect_body_frame(owner, "frame", frame),
            force=three_signals(owner, "force", force),
            torque=three_signals(owner, "torque", torque),
            axes=validate.choice(owner, "axes", axes, ("world", "body")),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame of attack."""
        return {"frame": self.frame}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Force components, then torque components."""
        return self.force + self.torque


@dataclass(frozen=True, eq=False, init=False)
class SpringDamper(ForceElement):
    """A spring and damper along the line between two frame origins.

    ``stiffness`` N/m, ``damping`` N s/m and the free ``length`` m are zero or positive. It pulls
    the two together with ``stiffness (distance - length) + damping distance'``.
    """

    A: Frame
    B: Frame
    stiffness: float
    damping: float
    length: float

    def __init__(
        self,
        name: str,
        A: Frame,
        B: Frame,
        stiffness: float = 0.0,
        damping: float = 0.0,
        length: float = 0.0,
    ) -> None:
        owner = self._named(name)
        frame_a, frame_b = expect_two_bodies(owner, A, B)
        set_fields(
            self,
            A=frame_a,
            B=frame_b,
            stiffness=validate.not_negative(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            length=validate.not_negative(owner, "length", length),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """Both ends."""
        return {"A": self.A, "B": self.B}


@dataclass(frozen=True, eq=False, init=False)
class Bushing(ForceElement):
    """Springs and dampers in all six directions between two frames.

    With d the place of B's origin in A's axes and f the rotation vector from A's axes to B's, the
    force on B is ``-(stiffness[:3] d + damping[:3] d')`` in A's axes, and the torque belongs to the
    energy ``rotational stiffness f**2/2`` and the dissipation ``rotational damping f'**2``.

    Parameters
    ----------
    stiffness : (6,) N/m and N m/rad
        Along and about A's x, y, z; zero or positive. One number: the three translations.
    damping : (6,) N s/m and N m s/rad

    Rotations stay below half a turn.
    """

    A: Frame
    B: Frame
    stiffness: Vector
    damping: Vector

    def __init__(
        self, name: str, A: Frame, B: Frame, stiffness: ArrayLike = 0.0, damping: ArrayLike = 0.0
    ) -> None:
        owner = self._named(name)
        frame_a, frame_b = expect_two_bodies(owner, A, B)
        set_fields(
            self,
            A=frame_a,
            B=frame_b,
            stiffness=_six(owner, "stiffness", stiffness),
            damping=_six(owner, "damping", damping),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """Both ends."""
        return {"A": self.A, "B": self.B}


@dataclass(frozen=True, eq=False, init=False)
class DistributedLoad(ForceElement):
    """A force per length along a beam, between two stations.

    Parameters
    ----------
    frame : Frame on a Beam
        Where it begins, e.g. ``link2.at(0)``; a rotation of the frame turns "body" and "section"
        axes.
    force : (3,) N/m
        Numbers, expressions or signals.
    end : m
        Station where it ends; the beam's end by default.
    profile : (2,)
        Factors at the beginning and the end, linear between them: (0, 1) is a triangle.
    axes : "world", "body" or "section"
        Fixed in the world, turning with the beam's frame, or following the deformed section.
    """

    frame: Frame
    force: SignalTriple
    end: float
    profile: tuple[float, float]
    axes: Literal["world", "body", "section"]

    def __init__(
        self,
        name: str,
        frame: Frame,
        force: Sequence[SignalLike],
        end: float | None = None,
        profile: Sequence[float] = (1.0, 1.0),
        axes: Literal["world", "body", "section"] = "world",
    ) -> None:
        owner = self._named(name)
        frame = expect_body_frame(owner, "frame", frame)
        beam = frame.body.line
        if beam is None:
            raise ModelError(owner, "frame", frame, "a station of a Beam, where the load begins")
        begin = beam.station(frame)
        last = beam.length if end is None else validate.number(owner, "end", end)
        if not begin < last <= beam.length * (1.0 + 1e-9):
            expected = f"a station after {begin:g} m and not beyond {beam.length:g} m"
            raise ModelError(owner, "end", last, expected)
        factors = validate.vector(owner, "profile", profile, 2, "2 finite numbers")
        set_fields(
            self,
            frame=frame,
            force=three_signals(owner, "force", force),
            end=min(last, beam.length),
            profile=(float(factors[0]), float(factors[1])),
            axes=validate.choice(owner, "axes", axes, ("world", "body", "section")),
        )

    @property
    def frames(self) -> dict[str, Frame]:
        """The frame at which it begins."""
        return {"frame": self.frame}

    @property
    def signals(self) -> tuple[Signal, ...]:
        """Components of the force per length."""
        return self.force

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


def _six(owner: str, field: str, value: ArrayLike) -> Vector:
    expected = "6 numbers, zero or positive, or one for the translations"
    given = validate.array(owner, field, value, expected)
    six = np.concatenate([np.full(3, given), np.zeros(3)]) if given.ndim == 0 else given
    if six.shape != (6,) or np.any(six < 0.0):
        raise ModelError(owner, field, value, expected)
    return read_only(six)
