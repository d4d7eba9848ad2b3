"""Forms of MJCF bodies that touch others: geoms, with their groups and friction."""

from __future__ import annotations

from typing import cast

from supple.foundation.poses import Pose
from supple.io.modelfiles.problems import NotedError, Place, found_expected
from supple.io.robots.description import (
    GROUND,
    Description,
    Rubbing,
    ShapeKind,
    TouchingForm,
    form_names,
    tell_strange,
)
from supple.io.robots.mjcf_inertia import SHAPES, Shapes
from supple.io.robots.xml_tree import Element

KNOWN = ("plane", "sphere", "capsule", "cylinder", "box")
DIRECTIONS = (1, 3, 4, 6)  # of friction and push together
# What describes the softness of MuJoCo's contacts; here a law does.
SOFTNESS = ("solref", "solimp", "solmix", "margin", "gap")
LARGEST_GROUP = 2**31 - 1


def touching_forms(
    root: Element, given: list[tuple[str, Element, Pose]], shapes: Shapes, found: Description
) -> None:
    """Read the geoms (link, completed element, pose it is in) of a file that touch something."""
    read = shapes.read
    groups: list[tuple[int, int]] = []
    chosen: list[tuple[str, Element, Pose]] = []
    for link, element, pose in given:
        try:
            pair = _bits(element, "contype", shapes), _bits(element, "conaffinity", shapes)
        except NotedError:
            continue
        if pair != (0, 0):
            groups.append(pair)
            chosen.append((link, element, pose))
    own = [element.attributes.get("name", "").strip() for _, element, _ in chosen]
    strange: list[tuple[str, Place]] = []
    soft: list[Place] = []
    names = form_names(own, [link for link, _, _ in chosen])
    for name, group, (link, element, pose) in zip(names, groups, chosen, strict=True):
        try:
            if name in found.forms or name in found.strange:
                raise read.wrong(element, "the name is taken by another geom, expected another")
            kind = _kind(element, shapes)
            if kind in KNOWN:
                form = _form(name, link, element, pose, group, shapes)
                found.forms[name] = form
            else:
                found.strange[name] = f"{kind} in line {element.place.line}"
                strange.append((kind, element.place))
        except NotedError:
            continue
        if any(word in element.attributes for word in SOFTNESS):
            soft.append(element.place)
    tell_strange(found, strange)
    if soft:
        found.left_out.append(
            f"solref, solimp and margins of {len(soft)} geoms from line {soft[0].line} on are left "
            "out: laws of contact are given where contacts are added"
        )
    _keep_apart(root, shapes, found)


def _kind(element: Element, shapes: Shapes) -> str:
    usual = "mesh" if "mesh" in element.attributes else "sphere"
    kind = shapes.read.choice(element, "type", SHAPES, usual)
    return "mesh" if "mesh" in element.attributes else kind  # sizes fitted to a mesh


def _form(
    name: str, link: str, element: Element, pose: Pose, groups: tuple[int, int], shapes: Shapes
) -> TouchingForm:
    kind = cast(ShapeKind, _kind(element, shapes))
    sizes: tuple[float, ...] = ()
    if kind == "plane":
        local = shapes.compiler.pose(element)
    else:
        half, local = shapes.sized(element, kind)
        if kind == "sphere":
            sizes = (half[0],)
        elif kind == "box":
            sizes = 2.0 * half[0], 2.0 * half[1], 2.0 * half[2]
        else:
            sizes = half[0], 2.0 * half[2]
    friction = _friction(element, shapes)
    there = pose.then(local)
    return TouchingForm(name, link, kind, sizes, there, element.place, groups, friction)


def _bits(element: Element, name: str, shapes: Shapes) -> int:
    value = shapes.read.number(element, name, 1.0, least=0.0)
    if value != int(value) or value > LARGEST_GROUP:
        expected = f"a whole number up to {LARGEST_GROUP}"
        raise shapes.read.wrong(element, found_expected(value, expected), name)
    return int(value)


def _friction(element: Element, shapes: Shapes) -> Rubbing:
    read, usual = shapes.read, Rubbing()
    numbers = read.numbers(element, "friction", 3) if "friction" in element.attributes else []
    if any(x < 0.0 for x in numbers):
        text = element.attributes["friction"]
        raise read.wrong(element, found_expected(text, "numbers of 0 or more"), "friction")
    directions = read.number(element, "condim", 3.0)
    if directions not in DIRECTIONS:
        raise read.wrong(element, found_expected(directions, "1, 3, 4 or 6"), "condim")
    priority = read.number(element, "priority", 0.0)
    known = (usual.sliding, usual.spinning, usual.rolling)
    sliding, spinning, rolling = [*numbers, *known[len(numbers) :]]
    return Rubbing(sliding, spinning, rolling, int(directions), int(priority))


def _keep_apart(root: Element, shapes: Shapes, found: Description) -> None:
    """Links that are excluded by name."""
    for contact in root.all("contact"):
        for element in contact.all("exclude"):
            try:
                ends = [shapes.read.text(element, f"body{k}", "a body") for k in (1, 2)]
            except NotedError:
                continue
            found.apart.add(frozenset(GROUND if end == "world" else end for end in ends))
