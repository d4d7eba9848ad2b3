"""Contact of the members of a set of shapes, each with each."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from supple.bodies.shapes.meetings import expect_shape
from supple.bodies.shapes.shape import Shape
from supple.bodies.shapes.solids import Point, Sphere
from supple.forces.base import ForceElement
from supple.forces.contact_laws import ContactFriction, ContactLaw, Hertz, RoundedFriction
from supple.forces.contacts import (
    Contact,
    axes_needed,
    checked_friction,
    checked_law,
)
from supple.foundation import validate
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import Given, checked, declared
from supple.foundation.frames import Body, Frame
from supple.joints import Free, Joint

SHAPES = "two or more shapes with frames, e.g. [Sphere(body.at(0), radius=0.05), floor]"
MANY = 300  # pairs of balls up to which each pair is a contact of its own
MOST = 5000  # contacts of their own

Pairs = list[tuple[int, int]]
Bodies = frozenset[str]


def _shapes(owner: str, field: str, value: Any) -> tuple[Shape, ...]:
    if isinstance(value, (Shape, Body)):
        raise ModelError(owner, field, value, SHAPES)
    every = validate.listed(owner, field, value, SHAPES)
    if len(every) < 2:
        raise ModelError(owner, field, value, SHAPES)
    return tuple(expect_shape(owner, f"{field}[{k}]", one) for k, one in enumerate(every))


class SetLayout(NamedTuple):
    """How the shapes of a set are looked at, by their numbers."""

    balls: list[int]  # those whose pairs are found by cells
    surfaces: list[int]  # those that these touch, too
    single: Pairs  # contacts of their own
    apart: set[Bodies]  # names of bodies that do not touch


@declared
class Contacts(ForceElement):
    """Many bodies that touch: each shape of a set touches each other.

    Up to some hundred pairs each acts as a `Contact` of its own. In larger sets balls among each
    other, and balls and other shapes, are found by cells: thousands of them run by
    `DormandPrince`. Steps do not end at their touches, but none is missed.

    Parameters
    ----------
    name : str
        Unique in its model.
    shapes : sequence of Shape
        On bodies and the ground; or bodies with one ``shape``. Shapes of one body do not touch
        each other.
    law : HuntCrossley or Hertz
        Of all pushes.
    friction : Friction or RoundedFriction, optional
        Of all pairs; where they are found by cells `RoundedFriction` with one coefficient.
    except_joined : bool
        True if bodies that a joint joins do not touch each other. Joints with the ground, and
        free ones, do not count.
    cells : bool, optional
        Whether pairs of balls are found by cells; above 300 pairs if it is not given.
    """

    shapes: Given[Sequence[Shape | Body], tuple[Shape, ...]] = checked(_shapes)
    law: ContactLaw = checked(checked_law)
    friction: ContactFriction | None = checked(checked_friction, default=None)
    except_joined: bool = checked(validate.flag, default=True)
    cells: bool | None = checked(validate.flag, default=None)

    @property
    def frames(self) -> dict[str, Frame]:
        """Frames of all shapes."""
        return {f"shapes[{k}]": frame_of(shape) for k, shape in enumerate(self.shapes)}

    def needs_axes(self, field: str) -> str:
        """Expected instead of a shape with axes; a ball or a point needs none."""
        shape = self.shapes[int(field.removeprefix("shapes[").removesuffix("]"))]
        return axes_needed(shape, self.friction)

    def contact(self, i: int, j: int) -> Contact:
        """The contact of two of its shapes, by their numbers."""
        name = f"{self.name}[{i},{j}]"
        try:
            return Contact(name, self.shapes[i], self.shapes[j], self.law, self.friction)
        except ModelError as error:
            sentence = str(error).replace(f"Contact '{name}'", label(self))
            pair = f"shapes[{i}] and shapes[{j}]"
            raise ModelError.plain(sentence.replace("A and B", pair)) from None

    def layout(self, joints: Mapping[str, Joint], ground: str) -> SetLayout:
        """How its shapes are looked at in a model with these joints."""
        apart: set[Bodies] = set()
        for joint in joints.values() if self.except_joined else ():
            names = frozenset((joint.A.body.name, joint.B.body.name))
            if ground not in names and not isinstance(joint, Free):
                apart.add(names)
        numbers = range(len(self.shapes))
        balls = [k for k in numbers if is_ball(self.shapes[k])]
        others = [k for k in numbers if not is_ball(self.shapes[k])]
        by_cells = self.cells
        if by_cells is None:
            by_cells = self._count(numbers, apart) - self._count(others, apart) > MANY
        if by_cells and balls:
            return SetLayout(balls, others, self._single(others, apart), apart)
        return SetLayout([], [], self._single(numbers, apart), apart)

    def _count(self, numbers: Sequence[int], apart: Collection[Bodies]) -> int:
        """Pairs of these shapes on bodies that may touch."""
        each = Counter(frame_of(self.shapes[k]).body.name for k in numbers)
        pairs = (len(numbers) ** 2 - sum(n * n for n in each.values())) // 2
        for names in apart:
            a, b = names
            pairs -= each[a] * each[b]
        return pairs

    def _single(self, numbers: Sequence[int], apart: Collection[Bodies]) -> Pairs:
        if (count := self._count(numbers, apart)) > MOST:
            raise ModelError.plain(
                f"{label(self)}: shapes have {count} pairs that are contacts of their own, "
                f"expected at most {MOST}; pairs of Sphere are found by cells"
            )
        pairs = []
        for i, j in itertools.combinations(numbers, 2):
            a, b = self.shapes[i], self.shapes[j]
            names = frozenset((frame_of(a).body.name, frame_of(b).body.name))
            points = isinstance(a, Point) and isinstance(b, Point)
            if len(names) == 2 and names not in apart and not points:
                pairs.append((i, j))
        return pairs

    def expect_cells(self, layout: SetLayout) -> None:
        """Refuse what pairs that are found by cells cannot have."""
        friction: Any = self.friction
        if friction is not None:
            along, across = friction.mu
            if not isinstance(friction, RoundedFriction) or along != across:
                kind, expected = type(friction).__name__, "RoundedFriction with one coefficient"
                raise ModelError.plain(
                    f"{label(self)}: friction is {kind} of {len(layout.balls)} balls whose pairs "
                    f"are found by cells, expected {expected}, or at most {MANY} pairs"
                )
        if isinstance(self.law, Hertz):  # whose stiffness must be known of all pairs
            bodies = {k: frame_of(self.shapes[k]).body for k in layout.balls[:2]}
            for k in (*layout.balls, *layout.surfaces):
                other = frame_of(self.shapes[k]).body
                if (i := next((i for i, b in bodies.items() if b is not other), None)) is not None:
                    self.contact(i, k)


def frame_of(shape: Shape) -> Frame:
    """The frame of a shape of a set."""
    assert shape.frame is not None
    return shape.frame


def is_ball(shape: Shape) -> bool:
    """True if pairs of a shape can be found by cells."""
    return isinstance(shape, Point) or (isinstance(shape, Sphere) and not shape.inside)
