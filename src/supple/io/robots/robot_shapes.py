"""Shapes of contact of a robot: on frames of its model, and the contacts that are made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np

from supple.bodies.shapes.shape import Shape
from supple.bodies.shapes.solids import (
    Capsule,
    Cuboid,
    Cylinder,
    Plane,
    Sphere,
)
from supple.forces.contact_laws import ContactFriction, ContactLaw, Friction
from supple.forces.contacts import LAW
from supple.foundation import validate
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Frame
from supple.foundation.poses import EYE, Pose
from supple.io.robots.description import GROUND, Description, Rubbing, TouchingForm

OF_FILE = "file"
KINDS = "a plane, sphere, capsule, cylinder or box"
FLOOR = "a shape with a frame, or the name of a shape of the file"
FRICTION = 'a law of friction, "file" or None'


class NamedShapes(dict[str, Shape]):
    """Shapes by their names in the file; of one that is none here it says why."""

    def __init__(self) -> None:
        super().__init__()
        self.beside: dict[str, str] = {}  # name: the sentence

    def __missing__(self, name: str) -> Shape:
        if name in self.beside:
            raise ModelError.plain(f"shape {name!r}: {self.beside[name]}")
        raise ModelError.plain(f"there is no shape {name!r}, {suggestion(str(name), list(self))}")


def fixed_pose(form: TouchingForm) -> Pose:
    """Pose of the frame of a form in its link; a ball is round, so that its frame is not turned."""
    return Pose(EYE, form.pose.p) if form.kind == "sphere" else form.pose


def shape_of(form: TouchingForm, frame: Frame) -> Shape:
    """The shape of a form on a frame of its pose."""
    sizes: dict[str, Any] = {}
    if form.kind == "box":
        sizes = {"size": np.array(form.sizes)}
    elif form.kind != "plane":
        sizes = dict(zip(("radius", "length"), form.sizes, strict=False))
    kinds: dict[str, type[Any]] = {
        "plane": Plane, "sphere": Sphere, "capsule": Capsule, "cylinder": Cylinder, "box": Cuboid,
    }  # fmt: skip
    made: Shape = kinds[form.kind](frame, **sizes)
    return made


def may_touch(found: Description, first: TouchingForm, second: TouchingForm) -> bool:
    """True if the file lets two forms touch: by their groups, and not beside a joint."""
    (a, b), (c, d) = first.groups, second.groups
    links = frozenset((first.link, second.link))
    joined = {frozenset((e.parent, e.child)) for e in found.edges if GROUND != e.parent}
    return bool(a & d or c & b) and links not in found.apart | joined


def friction_of_file(first: Rubbing | None, second: Rubbing | None) -> Friction | None:
    """Friction of two forms as MuJoCo combines it; None if the file has none."""
    known = [one for one in (first, second) if one is not None]
    if not known:
        return None
    highest = max(one.priority for one in known)
    known = [one for one in known if one.priority == highest]
    directions = max(one.directions for one in known)
    sliding = max(one.sliding for one in known)
    if directions == 1 or not sliding > 0.0:
        return None
    spinning = max(one.spinning for one in known) if directions > 3 else 0.0
    rolling = max(one.rolling for one in known) if directions > 4 else 0.0
    return Friction(sliding, spinning=spinning, rolling=rolling)


class Touching:
    """Makes contacts of the shapes of a file with one of them, or with another shape."""

    def __init__(self, owner: str, found: Description, shapes: NamedShapes) -> None:
        self.owner, self.found, self.shapes = owner, found, shapes

    def contacts(
        self,
        floor: str | Shape,
        law: ContactLaw,
        friction: ContactFriction | Literal["file"] | None,
        of: Sequence[str] | None,
    ) -> Iterator[tuple[str, Shape, Shape, ContactFriction | None]]:
        """Title, both shapes and friction of each contact."""
        if not isinstance(law, ContactLaw):
            raise ModelError(self.owner, "law", law, LAW)
        if friction not in (None, OF_FILE) and not isinstance(friction, ContactFriction):
            raise ModelError(self.owner, "friction", friction, FRICTION)
        ground, form = self._floor(floor)
        title = "floor" if form is None else form.name
        names = self._names(ground, form) if of is None else self._given(of)
        for name in names:
            own = None if form is None else form.friction
            rubs = friction
            if isinstance(rubs, str):
                rubs = friction_of_file(self.found.forms[name].friction, own)
            yield f"{name} on {title}", self.shapes[name], ground, rubs

    def _floor(self, floor: Any) -> tuple[Shape, TouchingForm | None]:
        if isinstance(floor, str):
            if floor not in self.shapes and floor not in self.shapes.beside:
                near = suggestion(floor, list(self.shapes))
                raise ModelError(self.owner, "floor", floor, f"the name of a shape ({near})")
            return self.shapes[floor], self.found.forms[floor]
        if not isinstance(floor, Shape) or floor.frame is None:
            raise ModelError(self.owner, "floor", floor, FLOOR)
        return floor, None

    def _names(self, ground: Shape, form: TouchingForm | None) -> list[str]:
        """Shapes on other bodies that the file lets touch the floor."""
        assert ground.frame is not None
        chosen = []
        for name, shape in self.shapes.items():
            assert shape.frame is not None
            other = self.found.forms[name]
            if shape.frame.body.name == ground.frame.body.name:
                continue
            if form is None or may_touch(self.found, form, other):
                chosen.append(name)
        if not chosen:
            what = f"no shape of {self.found.file} touches it"
            raise ModelError.plain(f"{self.owner}: {what}, expected one on another body")
        return chosen

    def _given(self, of: Any) -> list[str]:
        names = validate.listed(self.owner, "of", of, "names of shapes")
        for name in names:
            if not isinstance(name, str) or (
                name not in self.shapes and name not in self.shapes.beside
            ):
                near = suggestion(str(name), list(self.shapes))
                raise ModelError(self.owner, "of", name, f"names of shapes ({near})")
            self.shapes[name]  # or the sentence why it is none
        return list(names)
