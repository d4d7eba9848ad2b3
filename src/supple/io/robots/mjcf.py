"""MJCF of the plain kind: bodies, joints, inertias, default classes, loops and ties by equality."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import suggestion
from supple.foundation.poses import IDENTITY, Pose, quaternion_matrix
from supple.foundation.validate import rotation_vector_quaternion
from supple.io.modelfiles.problems import NotedError, Problems, found_expected
from supple.io.robots.description import (
    GROUND,
    AxisKind,
    Closure,
    Description,
    Edge,
    Inertia,
    JointLimits,
    Link,
    Motion,
    Step,
    Tie,
    inverse,
    shifted,
)
from supple.io.robots.mjcf_defaults import MAIN, Compiler, Defaults, with_includes
from supple.io.robots.mjcf_inertia import Shapes, bounded, total
from supple.io.robots.mjcf_shapes import touching_forms
from supple.io.robots.xml_tree import Attributes, Element

At = tuple[str, Pose]
# Read elsewhere, or of no matter to the motion.
KNOWN = (
    "compiler", "option", "default", "worldbody", "equality", "contact", "tendon", "actuator",
    "size", "visual", "statistic", "asset", "custom", "keyframe", "sensor",
)  # fmt: skip
PASSIVE = (
    "stiffness", "damping", "frictionloss", "range", "armature", "springlength", "actuatorfrcrange",
)  # fmt: skip
SIZES = {"ball": 4, "free": 7}
KINDS: dict[str, AxisKind] = {
    "hinge": "rotate", "slide": "translate", "ball": "ball", "free": "free",
}  # fmt: skip
# What a body may have; cameras and lights are for those who look at it.
IN_FRAME: tuple[str, ...] = ("body", "frame", "geom", "site", "camera", "light")
IN_BODY = (*IN_FRAME, "joint", "freejoint", "inertial")
LIMITED = ("auto", "true", "false")


def equalities(root: Element, defaults: Defaults, source: Mjcf) -> None:
    """Read all equalities that are active."""
    for group in root.all("equality"):
        for k, given in enumerate(group.children, 1):
            try:
                element = _complete(given, defaults)
                if source.read.flag(element, "active", True):
                    _equality(element, f"{element.tag} {k}", source)
            except NotedError:
                pass


def _complete(element: Element, defaults: Defaults) -> Element:
    """With the defaults of all equalities, which stand under <equality>."""
    name = defaults.known(element, "class", MAIN)
    given = defaults.classes[name].get("equality", {})
    return Element(element.tag, element.place, {**given, **element.attributes})


def _equality(element: Element, title: str, source: Mjcf) -> None:
    name = element.attributes.get("name", "").strip() or title
    if element.tag == "connect":
        first, second = _ends(element, source, "anchor")
        closure = Closure(name, "spherical", first, second, element.place)
        source.found.closures.append(closure)
    elif element.tag == "weld":
        first, second = _ends(element, source, "relpose")
        source.found.closures.append(Closure(name, "fixed", first, second, element.place))
    elif element.tag == "joint":
        source.found.ties.append(_tie(element, name, source))
    else:
        expected = "<connect>, <weld> or <joint>"
        raise source.read.wrong(element, f"it is not supported, expected {expected}")


def _ends(element: Element, source: Mjcf, attribute: str) -> tuple[At, At]:
    """The two frames that coincide."""
    read = source.read
    if "site1" in element.attributes:
        return _site(element, "site1", source), _site(element, "site2", source)
    first = _body(element, "body1", source)
    second = GROUND
    if "body2" in element.attributes:
        second = _body(element, "body2", source)
    between = inverse(source.poses[first]).then(source.poses[second])  # second in first, at start
    if attribute == "anchor":
        anchor = shifted(read.vector(element, "anchor"))
        return (first, anchor), (second, inverse(between).then(anchor))
    numbers = read.vector(element, "relpose", (0, 1, 0, 0, 0, 0, 0), 7)
    length = float(np.linalg.norm(numbers[3:]))
    if length > 0.0:
        between = Pose(quaternion_matrix(numbers[3:] / length), numbers[:3])
    return (first, between), (second, IDENTITY)


def _body(element: Element, attribute: str, source: Mjcf) -> str:
    name = source.read.text(element, attribute, "the name of a body")
    if name == "world":
        return GROUND
    if name not in source.found.links:
        near = suggestion(name, list(source.found.links))
        expected = f"the name of a body ({near})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return name


def _site(element: Element, attribute: str, source: Mjcf) -> At:
    name = source.read.text(element, attribute, "the name of a site")
    if name not in source.sites:
        near = suggestion(name, list(source.sites))
        expected = f"the name of a site ({near})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return source.sites[name]


def _tie(element: Element, name: str, source: Mjcf) -> Tie:
    read = source.read
    names = [_joint(element, "joint1", source)]
    if "joint2" in element.attributes:
        names.append(_joint(element, "joint2", source))
    numbers = read.numbers(element, "polycoef", 5) if "polycoef" in element.attributes else [0, 1]
    constant, ratio, *higher = [*numbers, 0.0, 0.0][: max(len(numbers), 2)]
    if any(higher):
        found = element.attributes["polycoef"]
        expected = "zeros behind the first two numbers"
        raise read.wrong(element, found_expected(found, expected), "polycoef")
    offset = source.references[names[0]] + constant
    if len(names) == 1:
        return Tie(name, names[0], None, 0.0, offset, element.place)
    if names[0] == names[1]:
        raise read.wrong(element, found_expected(names[1], "another joint than joint1"), "joint2")
    offset -= ratio * source.references[names[1]]
    return Tie(name, names[0], names[1], ratio, offset, element.place)


def _joint(element: Element, attribute: str, source: Mjcf) -> str:
    name = source.read.text(element, attribute, "the name of a joint")
    single = [n for n, m in source.motions.items() if m.kind in ("rotate", "translate")]
    if name not in single:
        expected = f"the name of a hinge or slide ({suggestion(name, single)})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return name


def look_at_rest(root: Element, defaults: Defaults, read: Attributes, found: Description) -> None:
    """Gravity, and sentences about what a model does not have."""
    for element in root.children:
        if element.tag not in KNOWN:
            near = suggestion(element.tag, list(KNOWN))
            read.wrong(element, f"it is not supported, expected another element ({near})")
        try:
            if element.tag == "option":
                _option(element, read, found)
            elif element.tag == "tendon":
                _tendons(element, defaults, read)
        except NotedError:
            pass
    for tag, what in (("actuator", "actuators"), ("contact", "pairs in contact")):
        inner = [c for e in root.all(tag) for c in e.children if c.tag != "exclude"]
        if inner:
            line = inner[0].place.line
            found.left_out.append(f"{len(inner)} {what} from line {line} on are left out")


def _option(element: Element, read: Attributes, found: Description) -> None:
    if "gravity" in element.attributes:
        found.gravity = read.vector(element, "gravity")
    for name in ("density", "viscosity"):
        if read.number(element, name, 0.0) != 0.0:
            raise read.wrong(element, f"a {name} of the air found, expected none")
    for flag in element.all("flag"):
        if read.choice(flag, "gravity", ("enable", "disable"), "enable") == "disable":
            found.gravity = np.zeros(3)


def _tendons(element: Element, defaults: Defaults, read: Attributes) -> None:
    """Refuse tendons that pull by themselves; others only serve actuators and sensors."""
    for tendon in element.children:
        of_class = defaults.classes[defaults.known(tendon, "class", MAIN)].get("tendon", {})
        given = {**of_class, **tendon.attributes}
        present = [name for name in PASSIVE if given.get(name, "0").strip() not in ("", "0")]
        if present:
            read.wrong(tendon, f"a tendon with {present[0]} found, expected none")


def keyframes(root: Element, source: Mjcf) -> None:
    """Read the coordinates of all keyframes that have a name; rates and others are left out."""
    for group in root.all("keyframe"):
        for key in group.all("key"):
            try:
                if "name" in key.attributes and "qpos" in key.attributes:
                    name = source.read.text(key, "name", "a name")
                    source.found.keyframes[name] = _coordinates(key, source)
            except NotedError:
                pass


def _coordinates(key: Element, source: Mjcf) -> dict[str, Any]:
    """Coordinates by joint; of a free joint the quaternion comes first here."""
    sizes = {name: SIZES.get(motion.kind, 1) for name, motion in source.motions.items()}
    total = sum(sizes.values())
    rest = source.read.vector(key, "qpos", size=total).tolist() if total else []
    found: dict[str, Any] = {}
    for name, size in sizes.items():
        own, rest = rest[:size], rest[size:]
        found[name] = own[0] if size == 1 else [*own[3:], *own[:3]] if size == 7 else own
        if size > 1 and not any(found[name][:4]):
            text = key.attributes["qpos"]
            raise source.read.wrong(key, found_expected(text, f"a quaternion of {name!r}"), "qpos")
    return found


@dataclass(eq=False)
class _Body:
    """A body that is being read: its element, parent, pose in the parent's axes, default class."""

    element: Element
    parent: str
    frame: Pose
    child_class: str
    name: str = GROUND
    joints: list[Element] = field(default_factory=list)
    shapes: list[tuple[Element, Pose]] = field(default_factory=list)
    inertial: Element | None = None


class Mjcf:
    """Reads the elements of an MJCF file; what is wrong is noted in ``problems``."""

    def __init__(self, root: Element, path: Path, problems: Problems) -> None:
        self.root, self.path, self.problems = root, path, problems
        self.read = Attributes(problems)
        self.found = Description(root.attributes.get("model", "").strip() or path.stem, path.name)
        self.poses: dict[str, Pose] = {GROUND: IDENTITY}  # of bodies in the world at the start
        self.motions: dict[str, Motion] = {}
        self.sites: dict[str, tuple[str, Pose]] = {}
        self.references: dict[str, float] = {}  # coordinates at the start, by joint

    def description(self) -> Description:
        """All of the file."""
        with_includes(self.root, self.path, self.read)
        self.defaults = Defaults(self.root, self.read)
        self.compiler = Compiler.of(self.root, self.read)
        self.shapes = Shapes(self.compiler)
        look_at_rest(self.root, self.defaults, self.read, self.found)
        waiting = [_Body(w, GROUND, IDENTITY, MAIN) for w in self.root.all("worldbody")][::-1]
        if not waiting:
            self.problems.note(self.root.place, "<mujoco>", "there is no <worldbody>, expected one")
        shapes: list[tuple[str, Element, Pose]] = []
        while waiting:
            body = waiting.pop()
            try:
                inner = self._content(body)
                waiting += inner[::-1]
                shapes += [(body.name, element, pose) for element, pose in body.shapes]
                if body.element.tag == "body":
                    self._body(body)
            except NotedError:
                pass
        links = self.found.links
        for name, at in self.sites.items():
            self.found.frames[f"{name} site" if name in links else name] = at
        if not links and not self.problems.found:
            self.problems.note(self.root.place, "<mujoco>", "there is no <body>, expected some")
        if self.compiler.total_mass > 0.0:
            self._scale()
        if not self.problems.found:
            equalities(self.root, self.defaults, self)
            keyframes(self.root, self)
            touching_forms(self.root, shapes, self.shapes, self.found)
        return self.found

    def _content(self, body: _Body) -> list[_Body]:
        """Sort what a body has; return the bodies in it."""
        element, inner = body.element, []
        if element.tag == "body":
            self._begin(body)
        child_class = self.defaults.known(element, "childclass", body.child_class)
        waiting = [(element, IDENTITY, child_class, IN_BODY)]
        while waiting:
            holder, pose, child_class, known = waiting.pop()
            for child in holder.children:
                if child.tag not in known:
                    expected = ", ".join(f"<{tag}>" for tag in known)
                    raise self.read.wrong(child, f"it is not supported, expected {expected}")
                if child.tag == "body":
                    inner.append(_Body(child, body.name, pose, child_class))
                elif child.tag == "frame":
                    of_frame = self.defaults.known(child, "childclass", child_class)
                    there = pose.then(self.compiler.pose(child))
                    waiting.append((child, there, of_frame, IN_FRAME))
                elif child.tag == "inertial":
                    body.inertial = child
                elif child.tag == "freejoint":
                    body.joints.append(child)
                elif child.tag == "joint":
                    body.joints.append(self.defaults.complete(child, child_class))
                elif child.tag == "geom":
                    body.shapes.append((self.defaults.complete(child, child_class), pose))
                elif child.tag == "site" and "name" in child.attributes:
                    site = self.defaults.complete(child, child_class)
                    self._site(site, body.name, pose)
        return inner

    def _site(self, site: Element, link: str, pose: Pose) -> None:
        name = self.read.text(site, "name")
        if "fromto" in site.attributes:
            ends = self.read.vector(site, "fromto", size=6)
            there = shifted(0.5 * (ends[:3] + ends[3:]))
        else:
            there = self.compiler.pose(site)
        if name in self.sites:
            raise self.read.wrong(site, "the name is taken by another site, expected another")
        self.sites[name] = link, pose.then(there)

    def _begin(self, body: _Body) -> None:
        """Name and pose of a body."""
        element, found = body.element, self.found
        body.name = element.attributes.get("name", "").strip() or f"body {len(found.links) + 1}"
        if body.name in found.links:
            line = found.links[body.name].place.line
            raise self.read.wrong(element, f"the name is taken in line {line}, expected another")
        found.links[body.name] = Link(body.name, element.place)
        if self.read.flag(element, "mocap", False):
            raise self.read.wrong(element, found_expected("true", "false"), "mocap")
        if self.read.number(element, "gravcomp", 0.0) != 0.0:
            raise self.read.wrong(element, found_expected("gravcomp", "gravity as it is"))
        body.frame = body.frame.then(self.compiler.pose(element))
        self.poses[body.name] = self.poses[body.parent].then(body.frame)

    def _body(self, body: _Body) -> None:
        """The inertia of a body, and how it stands on its parent."""
        element, name = body.element, body.name
        self.found.links[name] = Link(name, element.place, self._inertia(body))
        steps: tuple[Step, ...] = (body.frame,)
        for k, joint in enumerate(body.joints):
            title = joint.attributes.get("name", "").strip()
            title = title or f"{name} joint" + (f" {k + 1}" if len(body.joints) > 1 else "")
            if title in self.motions:
                line = self.motions[title].place.line
                raise self.read.wrong(joint, f"the name is taken in line {line}, expected another")
            motion, p, reference = self._motion(joint, title)
            self.motions[title], self.references[title] = motion, reference
            if motion.kind == "free":
                if body.parent != GROUND or len(body.joints) > 1:
                    expected = "one that is alone in a body of <worldbody>"
                    raise self.read.wrong(joint, f"a free joint found, expected {expected}")
                steps = (_starting(motion, body.frame),)
            else:
                steps = (*steps, shifted(p), motion, _back(motion, reference), shifted(-p))
        title = f"{name} joint"
        self.found.edges.append(Edge(title, body.parent, name, steps, element.place))

    def _inertia(self, body: _Body) -> Inertia | None:
        wanted = self.compiler.from_shapes
        if body.inertial is not None and wanted != "true":
            given: Inertia | None = self.shapes.given(body.inertial)
        elif wanted == "false":
            given = None
        else:
            parts = (self.shapes.of_shape(shape, pose) for shape, pose in body.shapes)
            given = total([part for part in parts if part is not None])
        if given is None and self.compiler.least_mass:
            given = Inertia(self.compiler.least_mass, np.zeros(3), np.zeros((3, 3)))
        if given is None or given.mass == 0.0:
            return None
        return bounded(given, self.compiler)

    def _scale(self) -> None:
        """Masses so that their sum is as wished."""
        links = self.found.links
        masses = sum(link.inertia.mass for link in links.values() if link.inertia is not None)
        for name, link in links.items():
            if link.inertia is not None:
                mass, com, matrix = link.inertia
                factor = self.compiler.total_mass / masses
                inertia = Inertia(factor * mass, com, factor * matrix)
                links[name] = Link(name, link.place, inertia)

    def _motion(self, element: Element, name: str) -> tuple[Motion, Vector, float]:
        """A joint, its point in the body and its coordinate at the start."""
        read, place = self.read, element.place
        if element.tag == "freejoint":
            return Motion(name, "free", place), np.zeros(3), 0.0
        kind = KINDS[read.choice(element, "type", tuple(KINDS), "hinge")]
        axis = read.vector(element, "axis", (0, 0, 1))
        if not np.any(axis):
            found = element.attributes["axis"]
            raise read.wrong(element, found_expected(found, "numbers, not all zero"), "axis")
        if "springdamper" in element.attributes and np.any(
            read.vector(element, "springdamper", size=2)
        ):
            found = element.attributes["springdamper"]
            expected = "stiffness and damping instead"
            raise read.wrong(element, found_expected(found, expected), "springdamper")
        values = {n: self._one(element, n) for n in ("stiffness", "damping")}
        for attribute in ("frictionloss", "armature"):
            values[attribute] = read.number(element, attribute, 0.0, least=0.0)
        single = kind in ("rotate", "translate")
        if not single and (present := [n for n, value in values.items() if value]):
            sentence = f"{present[0]} of a joint with several directions found, expected none"
            raise read.wrong(element, sentence)
        angle = self.compiler.radians if kind == "rotate" else float
        reference = angle(read.number(element, "ref", 0.0)) if single else 0.0
        rest = angle(read.number(element, "springref", 0.0)) if single else 0.0
        limits = JointLimits()
        if single and self._limited(element):
            lower, upper = map(angle, read.vector(element, "range", (0, 0), 2).tolist())
            if not lower < upper:
                found = element.attributes.get("range", "")
                raise read.wrong(element, found_expected(found, "two rising numbers"), "range")
            limits = JointLimits(lower, upper)
        motion = Motion(
            name,
            kind,
            place,
            axis / np.linalg.norm(axis),
            limits,
            values["damping"],
            values["frictionloss"],
            values["armature"],
            values["stiffness"],
            rest,
            min(max(reference, limits.lower), limits.upper),
        )
        return motion, read.vector(element, "pos", (0, 0, 0)), reference

    def _one(self, element: Element, name: str) -> float:
        """A stiffness or damping that does not depend on the deflection."""
        if name not in element.attributes:
            return 0.0
        first, *rest = self.read.numbers(element, name, 3)
        if first < 0.0 or any(rest):
            found = element.attributes[name]
            raise self.read.wrong(element, found_expected(found, "one number of 0 or more"), name)
        return first

    def _limited(self, element: Element) -> bool:
        wanted = self.read.choice(element, "limited", LIMITED, "auto")
        return wanted == "true" or (
            wanted == "auto" and self.compiler.limits and "range" in element.attributes
        )


def _starting(motion: Motion, pose: Pose) -> Motion:
    return Motion(motion.name, "free", motion.place, start=pose)


def _back(motion: Motion, reference: float) -> Pose:
    """The motion by minus the coordinate at the start, where the body is as it is written."""
    if reference == 0.0 or not math.isfinite(reference):
        return IDENTITY
    if motion.kind == "translate":
        return shifted(-reference * motion.axis)
    turn = rotation_vector_quaternion(reference * motion.axis)
    return inverse(Pose(quaternion_matrix(turn), np.zeros(3)))
