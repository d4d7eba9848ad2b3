"""Bodies have places: ``Frame`` is a place on a body, ``Body`` is what has places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import ArrayLike

from supple import validate
from supple.errors import ModelError, describe, label
from supple.validate import Vector, set_fields

COORDINATES = tuple(f"{axis} of at(x, y, z)" for axis in "xyz")


@dataclass(frozen=True, eq=False, init=False)
class Body:
    """Base of everything that has mass, or is the ground, and carries frames.

    How to add one is in CONTRIBUTING.md, "A body".
    """

    name: str

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
