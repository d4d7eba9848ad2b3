"""URDF: links with inertia, joints with limits, damping, friction and mimics."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import suggestion
from supple.foundation.poses import IDENTITY, Pose
from supple.io.modelfiles.problems import NotedError, Place, Problems, found_expected
from supple.io.robots.description import (
    AxisKind,
    Description,
    Edge,
    Inertia,
    JointLimits,
    Link,
    Motion,
    ShapeKind,
    Tie,
    TouchingForm,
    form_names,
    tell_strange,
)
from supple.io.robots.xml_tree import Attributes, Element

KINDS: dict[str, AxisKind | None] = {
    "revolute": "rotate",
    "continuous": "rotate",
    "prismatic": "translate",
    "floating": "free",
    "planar": "planar",
    "spherical": "ball",
    "fixed": None,
}
# Elements that are read, and those that readers of other programs find beside them.
TOP = ("link", "joint", "material", "transmission", "gazebo")
FORMS: dict[str, ShapeKind] = {
    "box": "box", "cylinder": "cylinder", "sphere": "sphere", "capsule": "capsule",
}  # fmt: skip
LINK = ("inertial", "visual", "collision")
INERTIAL = ("origin", "mass", "inertia")
JOINT = (
    "origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "calibration",
    "safety_controller",
)  # fmt: skip
ENTRIES = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")


def roll_pitch_yaw(angles: Vector) -> Vector:
    """Rotation (3, 3) about x, then y, then z of the fixed axes, rad."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(angles), np.sin(angles)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


class Urdf:
    """Reads the elements of a URDF file; what is wrong is noted in ``problems``."""

    def __init__(self, root: Element, path: Path, problems: Problems) -> None:
        self.root, self.problems, self.read = root, problems, Attributes(problems)
        name = root.attributes.get("name", "").strip() or path.stem
        self.found = Description(name, path.name)
        self.joints: dict[str, Element] = {}

    def description(self) -> Description:
        """All of the file."""
        self._refuse_macros(self.root)
        self.read.misspelled(self.root, TOP)
        for element in self.root.all("link"):
            self._quietly(self._link, element)
        for element in self.root.all("joint"):
            self._quietly(self._joint, element)
        if not self.found.links:
            self.problems.note(self.root.place, "<robot>", "there is no <link>, expected some")
        self._forms()
        if not self.problems.found:
            self._find_root()
        for element in self.joints.values():
            if (mimic := element.first("mimic")) is not None:
                self._quietly(self._mimic, element, mimic)
        return self.found

    def _quietly(self, action: Callable[..., None], *given: Element) -> None:
        try:
            action(*given)
        except NotedError:
            pass

    def _refuse_macros(self, root: Element) -> None:
        waiting = [root]
        while waiting:
            element = waiting.pop()
            if element.tag.startswith("xacro:"):
                expected = "it is a file of xacro, expected the URDF that xacro makes of it"
                raise self.read.wrong(element, expected)
            waiting += element.children[::-1]

    def _link(self, element: Element) -> None:
        name = self.read.text(element, "name", "the name of the link")
        if name in self.found.links:
            line = self.found.links[name].place.line
            raise self.read.wrong(element, f"the name is taken in line {line}, expected another")
        self.found.links[name] = Link(name, element.place)  # joints find it, whatever follows
        self.read.misspelled(element, LINK)
        inertial = element.first("inertial")
        if inertial is not None:
            self.read.misspelled(inertial, INERTIAL)
            self.found.links[name] = Link(name, element.place, self._inertia(inertial))

    def _forms(self) -> None:
        """Collisions of all links, by which they touch others."""
        given = [
            (link.attributes.get("name", ""), each)
            for link in self.root.all("link")
            for each in link.all("collision")
        ]
        names = form_names(
            [each.attributes.get("name", "").strip() for _, each in given],
            [link for link, _ in given],
        )
        strange: list[tuple[str, Place]] = []
        for name, (link, each) in zip(names, given, strict=True):
            self._quietly(lambda e, n=name, of=link: self._form(n, of, e, strange), each)
        tell_strange(self.found, strange)

    def _form(self, name: str, link: str, element: Element, told: list[tuple[str, Place]]) -> None:
        count = 2
        while name in self.found.forms or name in self.found.strange:  # names need not be unique
            name, count = f"{link} {count}", count + 1
        geometry = self._child(element, "geometry")
        pose, kinds = self._origin(element), [each.tag for each in geometry.children]
        known = next((each for each in geometry.all(*FORMS)), None)
        if known is None:
            kind = kinds[0] if kinds else "nothing"
            self.found.strange[name] = f"{kind} in line {element.place.line}"
            told.append((kind, element.place))
            return
        if known.tag == "box":
            sizes = self.read.vector(known, "size")
        else:
            fields = ("radius", "length")[: 1 if known.tag == "sphere" else 2]
            sizes = np.array([self.read.number(known, field) for field in fields])
        if not np.all(sizes > 0.0):
            raise self.read.wrong(known, found_expected(tuple(sizes.tolist()), "sizes above zero"))
        self.found.forms[name] = TouchingForm(
            name, link, FORMS[known.tag], tuple(sizes.tolist()), pose, element.place
        )

    def _child(self, element: Element, tag: str) -> Element:
        found = element.first(tag)
        if found is None:
            raise self.read.wrong(element, f"there is no <{tag}>, expected one")
        return found

    def _origin(self, element: Element) -> Pose:
        origin = element.first("origin")
        if origin is None:
            return IDENTITY
        xyz = self.read.vector(origin, "xyz", (0, 0, 0))
        rpy = self.read.vector(origin, "rpy", (0, 0, 0))
        return Pose(roll_pitch_yaw(rpy) if np.any(rpy) else IDENTITY.R, xyz)

    def _inertia(self, element: Element) -> Inertia | None:
        weight, tensor = self._child(element, "mass"), self._child(element, "inertia")
        mass = self.read.number(weight, "value", least=0.0)
        xx, yy, zz, xy, xz, yz = (self.read.number(tensor, name) for name in ENTRIES)
        matrix = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if mass == 0.0:
            if np.any(matrix):
                sentence = "an inertia without a mass found, expected a positive mass"
                raise self.read.wrong(weight, sentence)
            return None
        R, p = self._origin(element)
        turned = R @ matrix @ R.T
        return Inertia(mass, p, 0.5 * (turned + turned.T))

    def _joint(self, element: Element) -> None:
        name = self.read.text(element, "name", "the name of the joint")
        if name in self.joints:
            line = self.joints[name].place.line
            raise self.read.wrong(element, f"the name is taken in line {line}, expected another")
        self.joints[name] = element
        self.read.misspelled(element, JOINT)
        kind = self.read.choice(element, "type", tuple(KINDS), "")
        ends = []
        for tag in ("parent", "child"):
            end = self._child(element, tag)
            link = self.read.text(end, "link", "the name of a link")
            if link not in self.found.links:
                near = suggestion(link, list(self.found.links))
                expected = f"the name of a link ({near})"
                raise self.read.wrong(end, found_expected(link, expected), "link")
            ends.append(link)
        parent, child = ends
        other = next((edge for edge in self.found.edges if edge.child == child), None)
        if other is not None:
            raise self.read.wrong(
                element,
                f"link {child!r} is the child of joint {other.name!r} already, expected one parent "
                "(close loops by their names)",
            )
        origin, motion = self._origin(element), KINDS[kind]
        steps: tuple[Pose | Motion, ...] = (origin,)
        if motion is not None:
            steps = origin, self._motion(element, name, kind, motion)
        self.found.edges.append(Edge(name, parent, child, steps, element.place))

    def _motion(self, element: Element, name: str, kind: str, motion: AxisKind) -> Motion:
        damping = friction = 0.0
        axis, limits = np.array([1.0, 0.0, 0.0]), JointLimits()
        if (given := element.first("axis")) is not None and motion not in ("free", "ball"):
            axis = self.read.vector(given, "xyz")
            if not np.any(axis):
                sentence = found_expected(given.attributes["xyz"], "numbers, not all zero")
                raise self.read.wrong(given, sentence, "xyz")
        if (given := element.first("dynamics")) is not None:
            damping = self.read.number(given, "damping", 0.0, least=0.0)
            friction = self.read.number(given, "friction", 0.0, least=0.0)
            if motion not in ("rotate", "translate") and (damping or friction):
                sentence = f"damping or friction of a {kind} joint found, expected none"
                raise self.read.wrong(given, sentence)
        if (given := element.first("limit")) is not None:
            limits = self._limits(given, kind)
        return Motion(
            name, motion, element.place, axis, limits, damping, friction, initial=_within(limits)
        )

    def _limits(self, element: Element, kind: str) -> JointLimits:
        lower, upper = -math.inf, math.inf
        given = {"lower", "upper"} & element.attributes.keys()
        if kind in ("revolute", "prismatic") and given:
            lower = self.read.number(element, "lower", 0.0)
            upper = self.read.number(element, "upper", 0.0)
            if lower > upper:
                expected = f"at least lower, which is {lower:g}"
                raise self.read.wrong(element, found_expected(upper, expected), "upper")
        effort = self.read.number(element, "effort", math.inf, least=0.0)
        rate = self.read.number(element, "velocity", math.inf, least=0.0)
        return JointLimits(lower, upper, effort, rate)

    def _find_root(self) -> None:
        """The link without a parent; everything must hang on it."""
        children = {edge.child for edge in self.found.edges}
        roots = [name for name in self.found.links if name not in children]
        if len(roots) != 1:
            what = "no link is without a parent: the joints go round in a circle"
            if roots:
                what = f"links {', '.join(repr(r) for r in roots[:4])} have no parent"
            self.problems.note(self.root.place, "<robot>", f"{what}, expected one root")
            return
        reached = {roots[0]}
        below: dict[str, list[str]] = {}
        for edge in self.found.edges:
            below.setdefault(edge.parent, []).append(edge.child)
        waiting = [roots[0]]
        while waiting:
            new = below.get(waiting.pop(), [])
            reached.update(new)
            waiting += new
        for name, link in self.found.links.items():
            if name not in reached:
                sentence = f"no joints lead to it from {roots[0]!r}, expected a tree"
                self.problems.note(link.place, f"<link> {name!r}", sentence)
                return
        self.found.root = roots[0]

    def _mimic(self, element: Element, mimic: Element) -> None:
        name = self.read.text(element, "name")
        axes = [
            m.name
            for edge in self.found.edges
            for m in edge.motions
            if m.kind in ("rotate", "translate")
        ]
        other = self.read.text(mimic, "joint", "the name of a joint")
        if other not in axes or other == name:
            near = suggestion(other, [a for a in axes if a != name])
            expected = f"the name of another joint with one coordinate ({near})"
            raise self.read.wrong(mimic, found_expected(other, expected), "joint")
        if name not in axes:
            raise self.read.wrong(mimic, "a joint without one coordinate found, expected one")
        ratio = self.read.number(mimic, "multiplier", 1.0)
        offset = self.read.number(mimic, "offset", 0.0)
        self.found.ties.append(Tie(f"{name} mimic", name, other, ratio, offset, mimic.place))


def _within(limits: JointLimits) -> float:
    """Zero, or the limit that is nearest to it."""
    return min(max(0.0, limits.lower), limits.upper)
