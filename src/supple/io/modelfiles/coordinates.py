"""Units of joint coordinates: which of rad and m fits is known when the joint is.

``stiffness: 5 N/m`` on a revolute joint is wrong though both N m/rad and N/m are units of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from supple.constraints import SlidingJoint
from supple.events import FRAME_QUANTITIES, Event
from supple.forces import Motor
from supple.io.modelfiles import units
from supple.io.modelfiles.dimensions import Units, expected_units, fitting, units_of
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.io.modelfiles.words import TYPE, words
from supple.joints import Joint
from supple.model import Model

_OF_FRAME = {"": "m", "v": "m/s", "w": "rad/s"}


def check_units(node: Node, item: Any, model: Model, scope: Scope) -> None:
    """Note every unit of an item that does not fit its coordinate; ``node`` is its mapping."""
    if isinstance(item, Joint):
        whole = item.nq == item.nu
        places = item.units if whole or item.nq == 4 else ("1",) * 4 + ("m",) * 3
        rates = tuple(f"{u}/s" for u in item.units) if whole else ("rad/s",) * 3 + ("m/s",) * 3
        for key, expected in (("initial", places), ("initial_rate", rates)):
            if key in node.value:
                _check_each(node[key], expected, scope)
        return
    if isinstance(item, Event):
        unit = _of_event(item, model)
        if unit and "value" in node.value:
            _check(node["value"], (unit,), scope)
        return
    unit = _of_target(item, model)
    word = words().get(type(item).__name__)
    if unit is None or word is None:
        return
    for key, child in node.value.items():
        both = units_of(word, key) if key in word.arguments else ()
        if len(both) == 2:
            chosen = both[:1] if unit == "rad" else both[1:]
            for inner in _inner(child):
                _check(inner, chosen, scope)


def _inner(node: Node) -> Iterator[Node]:
    """A number, or the numbers of a signal that are measured as the signal is."""
    if not node.is_mapping:
        yield node
        return
    word = words().get(node[TYPE].value) if TYPE in node.value else None
    for key, child in node.value.items():
        if word is not None and key in word.arguments and units_of(word, key) == ("*",):
            yield from child.value if isinstance(child.value, tuple) else (child,)


def _of_target(item: Any, model: Model) -> str | None:
    """Unit of the coordinate that an item acts on, "rad" or "m"."""
    for name, coordinate in getattr(item, "targets", ())[:1]:
        found = model[name] if name in model else None
        if isinstance(found, Motor):
            name, coordinate = found.targets[0]
            found = model[name] if name in model else None
        if isinstance(found, SlidingJoint):
            return "m"
        if isinstance(found, Joint) and found.nq == found.nu:
            names = found.coordinate_names
            k = names.index(coordinate) if coordinate in names else coordinate
            if isinstance(k, int) and 0 <= k < found.nq:
                return found.units[k]
    return None


def _of_event(event: Event, model: Model) -> str | None:
    if event.quantity in FRAME_QUANTITIES:
        return _OF_FRAME[event.quantity[:-1]]
    joint = model.joints.get(event.joint or "")
    if joint is None or joint.nq != joint.nu:
        return None
    unit = joint.units[joint.coordinate_index(event.coordinate, event.name)]
    return unit if event.quantity == "coordinate" else f"{unit}/s"


def _check_each(node: Node, expected: tuple[str, ...], scope: Scope) -> None:
    entries = node.value if isinstance(node.value, tuple) else (node,)
    if len(entries) == 3 and len(expected) == 7:  # the position of a free body
        expected = expected[4:]
    for entry, unit in zip(entries, expected, strict=False):
        _check(entry, () if unit == "1" else (unit,), scope)


def _check(node: Node, expected: Units, scope: Scope) -> None:
    given = units.split(node.value) if isinstance(node.value, str) else None
    unit = units.unit(given[1]) if given is not None else None
    if unit is not None and given is not None and given[1] not in scope.values:
        if not fitting(unit, expected):
            scope.unexpected(node, f"{expected_units(expected)} for this coordinate")
