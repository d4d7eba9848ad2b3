"""Keyframes of MJCF: positions with a name."""

from __future__ import annotations

from typing import Any, Protocol

from supple.io.modelfiles.problems import NotedError, found_expected
from supple.io.robots.attributes import Attributes
from supple.io.robots.description import Description, Motion
from supple.io.robots.xml_tree import Element

SIZES = {"ball": 4, "free": 7}


class Source(Protocol):
    """What is known of a file when its bodies have been read."""

    read: Attributes
    found: Description
    motions: dict[str, Motion]


def keyframes(root: Element, source: Source) -> None:
    """Read the coordinates of all keyframes that have a name; rates and others are left out."""
    for group in root.all("keyframe"):
        for key in group.all("key"):
            try:
                if "name" in key.attributes and "qpos" in key.attributes:
                    name = source.read.text(key, "name", "a name")
                    source.found.keyframes[name] = _coordinates(key, source)
            except NotedError:
                pass


def _coordinates(key: Element, source: Source) -> dict[str, Any]:
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
