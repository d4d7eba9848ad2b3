"""Bodies have places: ``Frame`` is a place on a body, ``Body`` is what has places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.poses import EYE, IDENTITY, Pose
from supple.foundation.validate import set_fields

if TYPE_CHECKING:
    from supple.fem.drawn.surface import Surface

COORDINATES = tuple(f"{axis} of at(x, y, z)" for axis in "xyz")
WORLD_COORDINATES = tuple(f"{axis} of at_world(x, y, z)" for axis in "xyz")
# How far a place in the world may be beside a place of a body that has only some of them, in
# lengths of the body: wide enough for numbers typed with seven digits.
BESIDE = 1e-6
Discretisation = Literal["unknown", "rigid", "floating_frame", "segments", "nodal_vectors"]
ViewName = Literal[
    "frame",
    "stations",
    "segments",
    "members",
    "segmented_members",
    "nodes",
    "parts",
    "places",
    "vectors",
    "field",
]


class TouchingPlace(NamedTuple):
    """A place of a body by which it touches others."""

    place: Vector  # (3,) m, of a frame
    share: float  # length (m) or area (m2) that it stands for


class Line(Protocol):
    """A body with a straight axis, along which loads can be spread: a beam."""

    @property
    def length(self) -> float:
        """Length of the axis, m."""

    def station(self, frame: Frame) -> float:
        """Place of a frame along the axis, m."""

    @property
    def has_sections(self) -> bool:
        """True if its sections have axes across it, as those of a cable have not."""

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them."""


@dataclass(frozen=True)
class SegmentOptions:
    """Deformations of beam segments beside bending: elongation and twist, and their mass.

    ``mass`` is "consistent", along a segment as it is deformed; "undeformed", along a segment as if
    it had no deflection, which moves only with it; or "lumped", at both ends of a segment, rotary
    inertia included. ``refinement`` segments take the place of each one.
    """

    elongation: bool = True
    twist: bool = True
    mass: Literal["consistent", "undeformed", "lumped"] = "consistent"
    refinement: int = 1


class System:
    """Base of `supple.Model`: rooms below the model recognise one by it."""


@dataclass(frozen=True, eq=False, init=False)
class Body:
    """Base of everything that has mass, or is the ground, and carries frames.

    Compiler, results and studies ask a body for what they need by the names below and never look at
    its class. `supple.bodies.base.flexible.FlexibleBody` has the questions about deformation.

    ``discretisation`` : what the engine makes of it
        "rigid" (mass, centre, inertia), "floating_frame" (and elastic coordinates), "segments"
        (several of these, welded to each other) or "nodal_vectors" (a ``mesh`` without a frame).
    ``view`` : the view of `supple.results.views.body_views` that shows it in results
    ``is_beam`` : it has a ``length``, and one ``section`` and ``material`` along its axis
    ``position``, ``rotation`` : origin (3,) m and axes (3, 3) of its own frame, as written

    How to add one is in CONTRIBUTING.md, "A body".
    """

    name: str
    position: Vector = field(repr=False)
    rotation: Vector = field(repr=False)

    discretisation: ClassVar[Discretisation] = "unknown"
    view: ClassVar[ViewName] = "frame"
    is_beam: ClassVar[bool] = False

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the point (x, y, z) in m of this body's own frame.

        ``rotation`` turns the frame's axes relative to the body's: a 3x3 matrix that maps frame
        axes to body axes, a quaternion (w, x, y, z), or a rotation vector of 3 numbers in rad.
        """
        owner = label(self)
        given = zip(COORDINATES, (x, y, z), strict=True)
        point = [validate.number(owner, field, value) for field, value in given]
        return Frame(self, point, rotation)

    def at_world(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame of this body that is at the point (x, y, z) in m of the world.

        The body is where its ``position`` and ``rotation`` say, undeformed. The frame's axes are
        those of the world, turned by ``rotation`` (3x3 matrix, quaternion or rotation vector).
        """
        owner = label(self)
        given = zip(WORLD_COORDINATES, (x, y, z), strict=True)
        world = np.array([validate.number(owner, name, value) for name, value in given])
        turn = validate.rotation(owner, "rotation of at_world", rotation)
        point = self.rotation.T @ (world - self.position)
        # what is left of zero by rounding
        point[np.abs(point) < 1e-15 * (np.abs(world).max() + np.abs(self.position).max())] = 0.0
        place = self.nearest(point)
        rest = self.rest_pose(place)
        away = float(np.linalg.norm(rest.p - point))
        if away > BESIDE * self.typical_length:
            shown = ", ".join(f"{c + 0.0:.6g}" for c in self.position + self.rotation @ rest.p)
            raise ModelError(
                owner,
                "place in the world",
                world,
                f"a place on it; the nearest is ({shown}), {away:.3g} m away",
            )
        px, py, pz = place.tolist()
        frame = self.at(px, py, pz, rotation=rest.R.T @ self.rotation.T @ turn)
        set_fields(frame, _world=Pose(turn, world))
        return frame

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m that has frames and is nearest to a point, both in its axes."""
        return point

    def rest_pose(self, place: Vector) -> Pose:
        """Position of a place (3,) m of `at` in the undeformed body, and the axes of its frames."""
        return Pose(EYE, np.asarray(place))

    def _placed(self, position: ArrayLike, rotation: ArrayLike | None) -> None:
        """Keep where the body's own frame is in the position that the model is written in."""
        owner = label(self)
        place = validate.vector(owner, "position", position)
        set_fields(self, position=place, rotation=validate.rotation(owner, "rotation", rotation))

    @property
    def deforms(self) -> bool:
        """True if its frames can move against each other."""
        return True

    @property
    def carries_own_frame(self) -> bool:
        """True if the body's own frame is fixed to its material at the origin."""
        return not self.deforms

    @property
    def typical_length(self) -> float:
        """A typical length of the body, m: the unit of its displacements in error control."""
        return 0.0

    @property
    def part_bodies(self) -> tuple[Body, ...]:
        """The rigid and flexible bodies that it is in the engine; as a rule itself alone.

        Parts are called ``name[...]``: their names differ from each other and from the model's.
        """
        return (self,)

    @property
    def welds(self) -> tuple[Weld, ...]:
        """Pairs of frames of its parts that are one frame; they make a tree of the parts."""
        return ()

    @property
    def loop_welds(self) -> tuple[LoopWeld, ...]:
        """Further pairs, which close loops of its parts: each is six constraint rows."""
        return ()

    @property
    def divides(self) -> bool:
        """True if its segments or nodes depend on the places that a model uses of it.

        `supple.bodies.discretisation` makes what the engine computes with from it.
        """
        return False

    @property
    def along_line(self) -> bool:
        """True if its coordinates are nodal vectors along an axis with ``stations``."""
        return False

    @property
    def faces(self) -> tuple[Any, ...]:
        """Faces on which loads can be spread (`supple.fem.nodal.ancf_faces`); as a rule none."""
        return ()

    def touching_line(self, points: int | None) -> tuple[TouchingPlace, ...]:
        """Places along its axis by which it touches others; none of a body without an axis.

        With a number of ``points`` they are so many, if they can be.
        """
        return ()

    def touching_area(self, nodes: Indices | None) -> tuple[TouchingPlace, ...]:
        """Places on its faces by which it touches others; none of a body without faces.

        With ``nodes`` they are on the faces whose nodes are all among these.
        """
        return ()

    def divided(self, frames: Iterable[Frame]) -> Body:
        """Return the body with nodes at the frames of it that a model uses."""
        return self

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a part that a frame of this body is."""
        return frame

    @property
    def own_frame(self) -> Frame | None:
        """The frame of a part that is the body's own; None without a frame of reference.

        It is asked of bodies of several parts; others are their own only part.
        """
        return None

    @property
    def line(self) -> Line | None:
        """The body as one with a straight axis; None if it has none."""
        return None

    def surface(self, point_masses: Sequence[tuple[float, float]] = ()) -> Surface | None:
        """Surface of a body of the engine with its coordinates; None if it is not known."""
        return None

    def rigid_fields(self) -> dict[str, Any]:
        """Fields of this body when it is rigid, for ``Model.replace``; none if it is."""
        return {}

    def usual_values(self, field: str) -> Sequence[Any]:
        """Values of a field from coarse to fine for a study of convergence; none if not known."""
        return ()

    @property
    def telling_place(self) -> tuple[float, ...] | None:
        """Arguments of ``at`` for the place whose deflection tells most; None if there is none."""
        return None

    @property
    def spread_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for a few places all over the body; none if they are not known."""
        return ()

    def suspicion(self) -> str | None:
        """Sentence about numbers of the body that look wrong though it can be computed; or None."""
        return None

    def hint(self) -> str | None:
        """Sentence, for `Model.doctor`, about a choice that suits some bodies only; or None."""
        return None


# A body that says nothing about its place is at the world's origin, as the ground is. A default
# that is an array cannot stand in the class itself.
Body.position, Body.rotation = IDENTITY.p, EYE


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Frame:
    """A place on a body: a point and three axes, usually made by ``body.at(x, y, z)``.

    Parameters
    ----------
    body : Body
        The body that carries the frame. A model finds it again by its name.
    position : (3,) m
        The frame's origin, in the axes of the body, from the body's origin.
    rotation : (3, 3), (4,) or (3,), optional
        Orientation; stored as the matrix that maps frame axes to body axes.
    """

    body: Body
    position: Vector
    rotation: Vector

    def __init__(
        self,
        body: Body,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        if not isinstance(body, Body):
            raise ModelError("Frame", "body", body, "a body or the ground")
        owner = f"Frame on {body.name!r}"
        set_fields(
            self,
            body=body,
            position=validate.vector(owner, "position", position),
            rotation=validate.rotation(owner, "rotation", rotation),
        )

    @property
    def world(self) -> Pose | None:
        """Axes (3, 3) and point (3,) by which ``body.at_world`` asked for it; else None."""
        found: Pose | None = self.__dict__.get("_world")
        return found

    @property
    def name(self) -> str:
        """Body and point, for example ``link2@(1.02, 0, 0)``."""
        # Adding zero turns -0.0 into 0.0.
        return f"{self.body.name}@({', '.join(f'{c + 0.0:g}' for c in self.position)})"

    def __repr__(self) -> str:
        """Show the frame by its name; the whole body would hide the place."""
        return f"Frame({self.name})"


Weld = tuple[Frame, Frame]


class LoopWeld(NamedTuple):
    """Two frames of parts of a body that are one and close a loop; ``place`` is for sentences."""

    place: str
    first: Frame
    second: Frame


class LoadPath(NamedTuple):
    """Parts of a body through which a load goes from one place to another, or around a loop."""

    # whether any load may come at the last place; otherwise what both places, or the ends of the
    # loop, do to each other while they are held
    loaded: bool
    # names of parts, each with 1, or -1 if the load goes from its end to its origin
    parts: tuple[tuple[str, int], ...]
    # the ends of parts, a name and 0 or 1 each, that meet at the first and the last place; nothing
    # of a loop, and of a place where a moment cannot be told from the parts
    ends: tuple[tuple[tuple[str, int], ...], ...] = ((), ())


class Touched(NamedTuple):
    """Frames of a body: of joints and constraints to the ground, to other bodies, of loads."""

    grounded: Sequence[Frame]
    joined: Sequence[Frame]
    loaded: Sequence[Frame]


def expect_frame(owner: str, field: str, value: Any, otherwise: str = "") -> Frame:
    """Return the value if it is a frame; if not, say how to make one; ``otherwise`` adds a way."""
    if isinstance(value, Frame):
        return value
    example = "link1.at(0, 0, 0)"
    if isinstance(value, Body):
        body = "model.ground" if value.name == "ground" else value.name
        example = f"{body if body.replace('.', '_').isidentifier() else 'body'}.at(0, 0, 0)"
        example += otherwise
    raise ModelError(owner, field, value, f"a Frame, e.g. {example}")


def expect_body_frame(owner: str, field: str, value: Any) -> Frame:
    """Return a frame that is not on the ground."""
    frame = expect_frame(owner, field, value)
    if frame.body.name == "ground":
        expected = "a frame on a body, because nothing can move or load the ground"
        raise ModelError(owner, field, frame, expected)
    return frame


def expect_two_bodies(
    owner: str, first: Any, second: Any, at: ArrayLike | None = None, otherwise: str = ""
) -> tuple[Frame, Frame]:
    """Return the frames A and B of an item that connects two different bodies.

    ``at`` is the place (3,) m in the world of both, if bodies are given instead of frames;
    ``otherwise`` says to those who forgot it that there is such a thing.
    """
    if at is not None:
        point = validate.vector(owner, "at", at, expected="a point of the world, e.g. (1, 0, 0)")
        for name, body in (("A", first), ("B", second)):
            if not isinstance(body, Body):
                expected = "a body or the ground, because at=(x, y, z) gives the place"
                raise ModelError(owner, name, body, expected)
        first, second = (body.at_world(*point.tolist()) for body in (first, second))
    frame_a = expect_frame(owner, "A", first, otherwise)
    frame_b = expect_frame(owner, "B", second, otherwise)
    if frame_a.body.name == frame_b.body.name:
        expected = f"a frame on another body than A, which is {describe(frame_a)}"
        raise ModelError(owner, "B", frame_b, expected)
    return frame_a, frame_b
