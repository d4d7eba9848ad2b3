"""Bodies have places: ``Frame`` is a place on a body, ``Body`` is what has places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

from numpy.typing import ArrayLike

from supple import validate
from supple.errors import ModelError, describe, label
from supple.validate import Vector, set_fields

COORDINATES = tuple(f"{axis} of at(x, y, z)" for axis in "xyz")
WrittenAs = Literal["unknown", "rigid", "flexible", "parts"]
ViewName = Literal["frame", "stations", "members", "nodes", "parts", "places"]


class Line(Protocol):
    """A body with a straight axis, along which loads can be spread: a beam."""

    @property
    def length(self) -> float:
        """Length of the axis, m."""

    def station(self, frame: Frame) -> float:
        """Place of a frame along the axis, m."""

    def load_cells(self, order: int) -> tuple[Vector, int]:
        """Inner stations (m) where shapes have kinks, and Gauss points for a load between them."""


@dataclass(frozen=True, eq=False, init=False)
class Body:
    """Base of everything that has mass, or is the ground, and carries frames.

    Compiler, results and studies ask a body for what they need by the names below and never look at
    its class. `supple.bodies.flexible.FlexibleBody` has the questions about deformation.

    ``written_as`` : what the engine makes of it
        "rigid" (mass, centre of mass, inertia), "flexible" (a floating frame and elastic
        coordinates) or "parts" (several of these, welded to each other).
    ``view`` : the view of `supple.results.body_views` that shows it in results

    How to add one is in CONTRIBUTING.md, "A body".
    """

    name: str

    written_as: ClassVar[WrittenAs] = "unknown"
    view: ClassVar[ViewName] = "frame"

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the point (x, y, z) in m of this body's own frame.

        ``rotation`` turns the frame's axes relative to the body's: a 3x3 matrix that maps frame
        axes to body axes, a quaternion (w, x, y, z), or a rotation vector of 3 numbers in rad.
        """
        owner = label(self)
        point = [
            validate.number(owner, field, value)
            for field, value in zip(COORDINATES, (x, y, z), strict=True)
        ]
        return Frame(self, point, rotation)

    @property
    def deforms(self) -> bool:
        """Whether its frames can move against each other."""
        return True

    @property
    def carries_own_frame(self) -> bool:
        """Whether the body's own frame is fixed to its material at the origin."""
        return not self.deforms

    @property
    def typical_length(self) -> float:
        """A typical length of the body, m: the unit of its displacements in error control."""
        return 0.0

    @property
    def parts(self) -> tuple[Body, ...]:
        """The rigid and flexible bodies that it is in the engine; as a rule itself alone.

        Parts are called ``name[...]``: their names differ from each other and from the model's.
        """
        return (self,)

    @property
    def welds(self) -> tuple[tuple[Frame, Frame], ...]:
        """Pairs of frames of its parts that are one frame; they make a tree of the parts."""
        return ()

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

    def suspicion(self) -> str | None:
        """What is strange about the body though it can be computed; one sentence, or None."""
        return None


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
    def name(self) -> str:
        """Body and point, for example ``link2@(1.02, 0, 0)``."""
        # Adding zero turns -0.0 into 0.0.
        return f"{self.body.name}@({', '.join(f'{c + 0.0:g}' for c in self.position)})"

    def __repr__(self) -> str:
        """Show the frame by its name; the whole body would hide the place."""
        return f"Frame({self.name})"


def expect_frame(owner: str, field: str, value: Any) -> Frame:
    """Return the value if it is a frame, otherwise say how to make one."""
    if isinstance(value, Frame):
        return value
    example = "link1.at(0, 0, 0)"
    if isinstance(value, Body):
        body = "model.ground" if value.name == "ground" else value.name
        example = f"{body if body.replace('.', '_').isidentifier() else 'body'}.at(0, 0, 0)"
    raise ModelError(owner, field, value, f"a Frame, e.g. {example}")


def expect_body_frame(owner: str, field: str, value: Any) -> Frame:
    """Return a frame that is not on the ground."""
    frame = expect_frame(owner, field, value)
    if frame.body.name == "ground":
        raise ModelError(
            owner, field, frame, "a frame on a body, because nothing can move or load the ground"
        )
    return frame


def expect_two_bodies(owner: str, first: Any, second: Any) -> tuple[Frame, Frame]:
    """Return the frames A and B of an item that connects two different bodies."""
    frame_a, frame_b = expect_frame(owner, "A", first), expect_frame(owner, "B", second)
    if frame_a.body.name == frame_b.body.name:
        raise ModelError(
            owner, "B", frame_b, f"a frame on another body than A, which is {describe(frame_a)}"
        )
    return frame_a, frame_b
