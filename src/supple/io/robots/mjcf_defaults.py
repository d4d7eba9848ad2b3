"""MJCF before its bodies: files that are included, default classes, settings of the compiler."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.input_files import confined
from supple.foundation.poses import EYE, Pose, quaternion_matrix
from supple.io.modelfiles.problems import found_expected
from supple.io.robots.xml_tree import Attributes, Element, parse

MOST_FILES = 100
MAIN = "main"
ORIENTATIONS = ("quat", "axisangle", "xyaxes", "zaxis", "euler")


def with_includes(root: Element, path: Path, read: Attributes) -> None:
    """Put the content of included files where they are named; each may be named once."""
    folder, seen = path.parent, {path.resolve()}
    waiting = [root]
    while waiting:
        element = waiting.pop()
        for place, child in reversed(list(enumerate(element.children))):
            if child.tag != "include":
                continue
            name = read.text(child, "file", "the path of a file")
            target = folder / name
            if "\0" in name or target.resolve() in seen or len(seen) > MOST_FILES:
                raise read.wrong(child, found_expected(name, "a file that is not read yet"), "file")
            seen.add(target.resolve())
            try:
                with confined(folder):
                    part = parse(target, name, "an MJCF file", read.problems)
            except ModelError as error:  # it is not there, or elsewhere
                raise read.wrong(child, str(error), "file") from None
            if part.tag not in ("mujoco", "mujocoinclude"):
                expected = "<mujoco> or <mujocoinclude>"
                raise read.problems.note(part.place, "", f"<{part.tag}> found, expected {expected}")
            element.children[place : place + 1] = part.children
        waiting += element.children


class Defaults:
    """Attributes of elements by class and tag."""

    def __init__(self, root: Element, read: Attributes) -> None:
        self.read = read
        self.classes: dict[str, dict[str, dict[str, str]]] = {MAIN: {}}
        for top in root.all("default"):  # whatever its name, it is for all
            self._class(top, MAIN, self.classes[MAIN])
            self.classes[top.attributes.get("class", MAIN)] = self.classes[MAIN]

    def _class(self, first: Element, name: str, above: dict[str, dict[str, str]]) -> None:
        waiting = [(first, name, above)]
        while waiting:
            element, name, above = waiting.pop()
            here = {tag: dict(given) for tag, given in above.items()}
            for child in element.children:
                if child.tag != "default":
                    here.setdefault(child.tag, {}).update(child.attributes)
            self.classes[name] = here
            for child in element.all("default"):
                waiting.append((child, self.read.text(child, "class", "a name"), here))

    def known(self, element: Element, attribute: str, otherwise: str) -> str:
        """The class that an element names."""
        name = element.attributes.get(attribute, otherwise)
        if name not in self.classes:
            expected = f"the name of a class ({suggestion(name, list(self.classes))})"
            raise self.read.wrong(element, found_expected(name, expected), attribute)
        return name

    def complete(self, element: Element, child_class: str) -> Element:
        """The element with the attributes of its class."""
        given = self.classes[self.known(element, "class", child_class)].get(element.tag, {})
        own = element.attributes
        if any(name in own for name in ORIENTATIONS):  # one way to say it replaces the others
            given = {name: value for name, value in given.items() if name not in ORIENTATIONS}
        return Element(element.tag, element.place, {**given, **own}, element.children)


@dataclass(frozen=True, eq=False)
class Compiler:
    """Settings of ``<compiler>``: how angles and inertias are to be understood."""

    read: Attributes
    degrees: bool = True
    sequence: str = "xyz"
    limits: bool = True  # a range alone is a limit
    from_shapes: str = "auto"
    groups: tuple[float, float] = (0.0, 5.0)
    balance: bool = False
    least_mass: float = 0.0
    least_inertia: float = 0.0
    total_mass: float = -1.0

    @classmethod
    def of(cls, root: Element, read: Attributes) -> Compiler:
        """The settings of a file."""
        merged: dict[str, str] = {}
        element = Element("compiler", root.place, merged)
        for found in root.all("compiler"):
            merged.update(found.attributes)
            element.place = found.place
        if merged.get("coordinate", "local") != "local":
            raise read.wrong(element, found_expected(merged["coordinate"], "local"), "coordinate")
        sequence = read.text(element, "eulerseq") if "eulerseq" in merged else "xyz"
        if len(sequence) != 3 or sequence.lower().strip("xyz"):
            raise read.wrong(element, found_expected(sequence, "three of x, y, z"), "eulerseq")
        low, high = read.vector(element, "inertiagrouprange", (0, 5), 2).tolist()
        return cls(
            read,
            read.choice(element, "angle", ("degree", "radian"), "degree") == "degree",
            sequence,
            read.flag(element, "autolimits", True),
            read.choice(element, "inertiafromgeom", ("auto", "true", "false"), "auto"),
            (low, high),
            read.flag(element, "balanceinertia", False),
            read.number(element, "boundmass", 0.0, least=0.0),
            read.number(element, "boundinertia", 0.0, least=0.0),
            read.number(element, "settotalmass", -1.0),
        )

    def radians(self, angle: float) -> float:
        """An angle of the file, rad."""
        return float(np.radians(angle)) if self.degrees else angle

    def pose(self, element: Element) -> Pose:
        """Position and orientation of an element."""
        p = self.read.vector(element, "pos", (0, 0, 0))
        return Pose(self.rotation(element), p)

    def rotation(self, element: Element) -> Vector:
        """Orientation of an element, in any of the five ways to write it."""
        given = [name for name in ORIENTATIONS if name in element.attributes]
        if not given:
            return EYE
        if len(given) > 1:
            raise self.read.wrong(element, f"{given[0]} and {given[1]} found, expected one of them")
        name, vector = given[0], self.read.vector
        if name == "quat":
            return quaternion_matrix(self._unit(element, name, vector(element, name, size=4)))
        if name == "axisangle":
            *axis, angle = vector(element, name, size=4).tolist()
            return _turn(self._unit(element, name, np.array(axis)), self.radians(angle))
        if name == "xyaxes":
            both = vector(element, name, size=6)
            x = self._unit(element, name, both[:3])
            y = self._unit(element, name, both[3:] - both[3:] @ x * x)
            return np.column_stack([x, y, np.cross(x, y)])
        if name == "zaxis":
            return from_z(self._unit(element, name, vector(element, name)))
        found = EYE
        for letter, angle in zip(self.sequence, vector(element, name).tolist(), strict=True):
            turn = _turn(EYE["xyz".index(letter.lower())], self.radians(angle))
            found = found @ turn if letter.islower() else turn @ found
        return found

    def _unit(self, element: Element, name: str, v: Vector) -> Vector:
        length = float(np.linalg.norm(v))
        if not length > 1e-12:
            found = element.attributes[name]
            raise self.read.wrong(element, found_expected(found, "directions that are some"), name)
        return v / length


def from_z(z: Vector) -> Vector:
    """The smallest rotation (3, 3) that turns z into a unit vector."""
    axis = np.array([-z[1], z[0], 0.0])
    sine = float(np.linalg.norm(axis))
    if sine < 1e-14:
        return EYE if z[2] > 0.0 else np.diag([1.0, -1.0, -1.0])
    return _turn(axis / sine, float(np.arctan2(sine, z[2])))


def _turn(axis: Vector, angle: float) -> Vector:
    half = 0.5 * angle
    return quaternion_matrix(np.array([np.cos(half), *(np.sin(half) * axis)]))
