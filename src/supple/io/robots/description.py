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
ShapeKind = Literal["plane", "sphere", "capsule", "cylinder", "box"]


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


class Rubbing(NamedTuple):
    """Friction of a shape as MJCF has it: that of the higher priority counts, or the larger one."""

    sliding: float = 1.0  # coefficient
    spinning: float = 0.005  # torque about the normal over push, m
    rolling: float = 1e-4  # m
    directions: int = 3  # 1: none, 3: sliding, 4: and spinning, 6: and rolling
    priority: int = 0


@dataclass(frozen=True, eq=False)
class TouchingForm:
    """A form by which a link touches others; ``pose`` is in the link's axes, z along its axis.

    ``sizes`` (m) are whole ones: radius and length of a capsule or cylinder, edges of a box.
    """

    name: str
    link: str
    kind: ShapeKind
    sizes: tuple[float, ...]
    pose: Pose
    place: Place
    groups: tuple[int, int] = (1, 1)  # bits: what it is, and what it touches
    friction: Rubbing | None = None


@dataclass(eq=False)
class Description:
    """All that is read from a robot file; ``root`` is the link that stands on the ground.

    ``forms`` are those of contact by name, ``strange`` sentences about those that are no shapes
    here, ``apart`` pairs of links that the file keeps from touching.
    """

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
    forms: dict[str, TouchingForm] = field(default_factory=dict)
    strange: dict[str, str] = field(default_factory=dict)
    apart: set[frozenset[str]] = field(default_factory=set)


def form_names(named: list[str], links: list[str]) -> list[str]:
    """Names of forms: their own, or that of their link, with a number if several have none."""
    of_links = [link or "ground" for name, link in zip(named, links, strict=True) if not name]
    taken, count, found = {n for n in named if n}, dict.fromkeys(of_links, 0), []
    for name, link in zip(named, links, strict=True):
        if not name:
            link = link or "ground"
            count[link] += 1
            name = link if of_links.count(link) == 1 else f"{link} {count[link]}"
            while name in taken:
                name += " shape"
            taken.add(name)
        found.append(name)
    return found


def tell_strange(found: Description, kinds: list[tuple[str, Place]]) -> None:
    """Add a sentence about forms whose kinds are no shapes here."""
    if kinds:
        words = sorted({kind for kind, _ in kinds})
        counts = [f"{sum(k == word for k, _ in kinds)} {word}" for word in words]
        line = kinds[0][1].line
        found.left_out.append(
            f"{', '.join(counts)} of contact from line {line} on left out: no shapes of these kinds"
        )


def shifted(p: Vector) -> Pose:
    """A pose that is moved and not turned."""
    return Pose(EYE, np.asarray(p, dtype=float))


def inverse(pose: Pose) -> Pose:
    """The pose of the frame in which a pose is given, in that of the pose."""
    return Pose(EYE, np.zeros(3)).before(pose)
