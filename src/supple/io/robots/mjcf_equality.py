"""Equalities of MJCF: points and poses that close loops, coordinates that follow others."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from supple.foundation.errors import suggestion
from supple.foundation.poses import IDENTITY, Pose, quaternion_matrix
from supple.io.modelfiles.problems import NotedError, found_expected
from supple.io.robots.attributes import Attributes
from supple.io.robots.description import GROUND, Closure, Description, Motion, Tie, inverse, shifted
from supple.io.robots.mjcf_defaults import MAIN, Defaults
from supple.io.robots.xml_tree import Element


class Source(Protocol):
    """What is known of a file when its bodies have been read."""

    read: Attributes
    found: Description
    poses: dict[str, Pose]
    sites: dict[str, tuple[str, Pose]]
    motions: dict[str, Motion]
    references: dict[str, float]


At = tuple[str, Pose]


def equalities(root: Element, defaults: Defaults, source: Source) -> None:
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


def _equality(element: Element, title: str, source: Source) -> None:
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


def _ends(element: Element, source: Source, attribute: str) -> tuple[At, At]:
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


def _body(element: Element, attribute: str, source: Source) -> str:
    name = source.read.text(element, attribute, "the name of a body")
    if name == "world":
        return GROUND
    if name not in source.found.links:
        near = suggestion(name, list(source.found.links))
        expected = f"the name of a body ({near})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return name


def _site(element: Element, attribute: str, source: Source) -> At:
    name = source.read.text(element, attribute, "the name of a site")
    if name not in source.sites:
        near = suggestion(name, list(source.sites))
        expected = f"the name of a site ({near})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return source.sites[name]


def _tie(element: Element, name: str, source: Source) -> Tie:
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


def _joint(element: Element, attribute: str, source: Source) -> str:
    name = source.read.text(element, attribute, "the name of a joint")
    single = [n for n, m in source.motions.items() if m.kind in ("rotate", "translate")]
    if name not in single:
        expected = f"the name of a hinge or slide ({suggestion(name, single)})"
        raise source.read.wrong(element, found_expected(name, expected), attribute)
    return name
