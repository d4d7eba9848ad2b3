"""Places on bodies in a file: ``rod at 0.5``, ``[rod, 0.5]``, ``{body: rod, x: 0.5}``."""

from __future__ import annotations

import inspect
import typing
from typing import TYPE_CHECKING, Any

from supple.foundation.errors import label, suggestion
from supple.foundation.frames import Body, Frame
from supple.io.modelfiles import units
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.problems import unknown_key
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node

if TYPE_CHECKING:
    from supple.io.modelfiles.reader import Reader

AT = " at "
EXPECTED = "a place on a body, e.g. 'rod at 0.5' or [rod, 0.5, 0, 0]"
_LENGTH = ("m",)
# Keys of a place, with what may stand there.
KEYS = {
    "body": Kind(body=True),
    "x": Kind(anything=True),
    "y": Kind(number=True),
    "z": Kind(number=True),
    "node": Kind(anything=True),
    "position": Kind(array=True),
    "world": Kind(array=True),
    "rotation": Kind(array=True, nothing=True),
}


def frame_from_text(reader: Reader, node: Node, text: str, kind: Kind, scope: Scope) -> Any:
    """A frame, or the body of a text that is its name alone; None if the text is something else."""
    names = reader.names
    if kind.frame:
        named = names.frame(text, scope)
        if named is not None:
            return named
        head, found, rest = text.partition(AT)
        while found:
            body = names.body(head, scope)
            if body is not None:
                return _at(reader, node, body, _coordinates(node, rest, body, scope), scope)
            more, found, rest = rest.partition(AT)
            head = f"{head}{AT}{more}"
    body = names.body(text, scope)
    if body is not None and kind.body:
        return body
    if body is not None:
        raise scope.unexpected(node, f"a place on it, e.g. '{text} at 0'")
    if kind.item:
        return None
    wanted = text.partition(AT)[0]
    expected = EXPECTED if kind.frame else "the name of a body"
    raise scope.unexpected(node, f"{expected} ({suggestion(wanted, names.body_names())})")


def _coordinates(node: Node, text: str, body: Body, scope: Scope) -> list[Any]:
    """The numbers (m) after ``at``, or the name of a node."""
    text = (
        text.strip().removeprefix("(").removesuffix(")") if text.count("(") == 1 else text.strip()
    )
    pieces = [piece.strip() for piece in text.split(",")]
    if len(pieces) == 1:
        words = _with_units(text.split())
        if len(words) in (2, 3) and all(_is_value(word, scope) for word in words):
            pieces = words
    if len(pieces) == 1 and _named_places(body) and not _is_value(pieces[0], scope):
        return pieces
    return [scope.number(node, piece, _LENGTH) for piece in pieces]


def _with_units(words: list[str]) -> list[str]:
    """Numbers with the units that follow them."""
    found: list[str] = []
    for word in words:
        joined = f"{found[-1]} {word}" if found else ""
        if found and units.unit(word) is not None and units.split(joined):
            found[-1] = joined
        else:
            found.append(word)
    return found


def _is_value(text: str, scope: Scope) -> bool:
    from supple.signals.expressions import ExpressionError, value

    if units.split(text) is not None:
        return True
    try:
        value(text, scope.values)
    except ExpressionError:
        return False
    return True


def _named_places(body: Body) -> bool:
    return typing.get_type_hints(type(body).at)["x"] is Any


def _at(reader: Reader, node: Node, body: Body, place: list[Any], scope: Scope) -> Any:
    if not 1 <= len(place) <= 3:
        raise scope.unexpected(node, EXPECTED)
    return reader.called(node, scope, lambda: body.at(*place))


def _body(reader: Reader, node: Node, scope: Scope) -> Body:
    """The body that a node names."""
    name = scope.filled(node, node.value) if isinstance(node.value, str) else None
    body = None if name is None else reader.names.body(name, scope)
    if body is None:
        near = suggestion(name, reader.names.body_names())
        raise scope.unexpected(node, f"the name of a body ({near})")
    return body


def frame_from_list(reader: Reader, node: Node, scope: Scope) -> Any:
    """The frame of ``[rod, 0.5, 0, 0]``."""
    first, *rest = node.value
    body = _body(reader, first, scope)
    place = [_number(reader, entry, body, scope) for entry in rest]
    return _at(reader, node, body, place, scope)


def _number(reader: Reader, node: Node, body: Body, scope: Scope) -> Any:
    if isinstance(node.value, str) and _named_places(body) and not _is_value(node.value, scope):
        return node.value
    return reader.value(node, Kind(number=True), scope, _LENGTH)


def frame_from_mapping(reader: Reader, node: Node, scope: Scope) -> Any:
    """The frame of ``{body: rod, x: 0.5, rotation: ...}``, also by ``position`` or ``world``."""
    for key, child in node.value.items():
        if key not in KEYS:
            raise scope.wrong(child, unknown_key(key, KEYS, "a place on a body"))
    body = _body(reader, node["body"], scope)
    given: dict[str, Any] = {}
    for key, child in node.value.items():
        if key == "x":
            given[key] = _number(reader, child, body, scope)
        elif key != "body":
            unit = ("rad",) if key == "rotation" else _LENGTH
            given[key] = reader.value(child, KEYS[key], scope, unit)
    if len(given.keys() & {"position", "world", "x"}) > 1:
        raise scope.unexpected(node, "one of x, position and world")
    if "position" in given:
        return reader.called(node, scope, lambda: Frame(body, **given))
    if "world" in given:
        world = given.pop("world")
        if not isinstance(world, tuple) or len(world) != 3:
            raise scope.unexpected(node["world"], "a point of the world, e.g. [1, 0, 0]")
        return reader.called(node, scope, lambda: body.at_world(*world, **given))
    if "x" not in given and "node" not in given:
        raise scope.unexpected(node, "x, node, position or world")
    for key in given:
        if key not in inspect.signature(body.at).parameters:
            raise scope.wrong(node[key], f"found, expected a place of {label(body)} without it")
    return reader.called(node, scope, lambda: body.at(**given))
