"""Description of a robot, whatever its file: links, motions between them, loops."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.poses import EYE, Pose
from supple.io.modelfiles.problems import Place

Z_DOWN = (0.0, 0.0, -9.81)  # m/s2, where a file says nothing about gravity
GROUND = ""  # the link that is the world
AxisKind = Literal["rotate", "translate", "ball", "free", "planar"]
ClosureKind = Literal["spherical", "revolute", "fixed"]


class Inertia(NamedTuple):
    """Mass (kg), centre of mass (3,) m and inertia about it (3, 3) kg m2, in the link's axes."""

    mass: float
    com: Vector
    matrix: Vector


class JointLimits(NamedTuple):
    """Limits of a joint of a file: coordinate (rad or m), effort (N m or N), rate (rad/s or m/s).

    Those that the file does not give are infinite.
    """

    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    rate: float = math.inf


@dataclass(frozen=True, eq=False)
class Link:
    """A link, body or frame of a file; without inertia it is a frame on another one."""

    name: str
    place: Place
    inertia: Inertia | None = None


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion of a file's joint: about, along or across ``axis`` (3,), or in all directions.

    ``start`` is the pose where a free motion begins; ``initial`` where another one does.
    """

    name: str
    kind: AxisKind
    place: Place
    axis: Vector = field(default_factory=lambda: np.array([0.0, 0.0, 1.0]))
    limits: JointLimits = field(default_factory=JointLimits)
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    stiffness: float = 0.0
    rest: float = 0.0
    initial: float = 0.0
    start: Pose | None = None


Step = Pose | Motion


@dataclass(frozen=True, eq=False)
class Edge:
    """Link of a child to its parent: poses and motions in order; ``name`` if nothing moves."""

    name: str
    parent: str
    child: str
    steps: tuple[Step, ...]
    place: Place

    @property
    def motions(self) -> list[Motion]:
        """The motions of its steps."""
        return [step for step in self.steps if isinstance(step, Motion)]


class Tie(NamedTuple):
    """A coordinate that follows another: ``first = ratio second + offset``; second may be None."""

    name: str
    first: str
    second: str | None
    ratio: float
    offset: float
    place: Place


class Closure(NamedTuple):
    """A joint that closes a loop, between frames (link, pose) of two links."""

    name: str
    kind: ClosureKind
    first: tuple[str, Pose]
    second: tuple[str, Pose]
    place: Place
    axis: Vector | str = "z"


@dataclass(eq=False)
class Description:
    """All that is read from a robot file; ``root`` is the link that stands on the ground."""

    name: str
    file: str
    root: str = GROUND
    gravity: Vector = field(default_factory=lambda: np.array(Z_DOWN))
    links: dict[str, Link] = field(default_factory=dict)
    edges: list[Edge] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    closures: list[Closure] = field(default_factory=list)
    frames: dict[str, tuple[str, Pose]] = field(default_factory=dict)
    keyframes: dict[str, dict[str, Any]] = field(default_factory=dict)
    left_out: list[str] = field(default_factory=list)


def shifted(p: Vector) -> Pose:
    """A pose that is moved and not turned."""
    return Pose(EYE, np.asarray(p, dtype=float))


def inverse(pose: Pose) -> Pose:
    """The pose of the frame in which a pose is given, in that of the pose."""
    return Pose(EYE, np.zeros(3)).before(pose)
