"""Items with other fields or names: an item is frozen, so a change makes a new one."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from supple.foundation.errors import ModelError, describe, label, suggestion
from supple.foundation.frames import Body, Frame
from supple.foundation.synonyms import argument_suggestion
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Element, same_station


def changed(item: Any, changes: Mapping[str, Any], bodies: Mapping[str, Body]) -> Any:
    """The item with other fields, which are checked as those of a new one.

    A field may be a path with dots through what is in it: "material.E". ``at`` of a joint is a new
    place in the world of both frames. ``bodies`` are those of the model and the ground.
    """
    owner = label(item)
    known = [name for name in _fields(item) if name != "name"]
    known += ["at"] if isinstance(item, Joint) else []
    values: dict[str, Any] = {}
    for path, value in changes.items():
        field, _, rest = path.partition(".")
        if field == "name":
            raise ModelError.plain(f"{owner}: the name cannot be replaced, expected model.rename")
        if field not in known:
            raise ModelError.plain(
                f"{owner}: there is no field {field!r}, {argument_suggestion(field, known)}"
            )
        old = values.get(field, getattr(item, field))
        values[field] = _inside(owner, field, old, rest, value)
    if isinstance(item, Joint) and values.get("at") is not None:
        for end in ("A", "B"):
            values.setdefault(end, bodies[getattr(item, end).body.name])
    return _remade(item, values)


def value_at(item: Any, path: str) -> Any:
    """Value of an item at a path with dots: "material.E"; an unknown field is refused."""
    owner, value, where = label(item), item, ""
    for word in path.split("."):
        field = getattr(value, "__dataclass_fields__", {}).get(word)
        if field is not None and field.init and not (where and isinstance(value, Body)):
            value, where = getattr(value, word), f"{where}{word}."
            continue
        entries = {} if where and isinstance(value, Body) else _entries(value)
        if word not in entries:
            near = suggestion(word, [name for name in entries if name != "name"])
            raise ModelError.plain(f"{owner}: there is no field {f'{where}{word}'!r}, {near}")
        value, where = entries[word], f"{where}{word}."
    return value


def _entries(value: Any) -> dict[str, Any]:
    """Entries of a value, by the words of a path."""
    if isinstance(value, Mapping):
        return {str(key): entry for key, entry in value.items()}
    if isinstance(value, (tuple, list)) or (isinstance(value, np.ndarray) and value.ndim):
        return {str(k): entry for k, entry in enumerate(value)}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: getattr(value, name) for name in _fields(value)}
    return {}


def _fields(item: Any) -> list[str]:
    """Names of the fields that something is made of."""
    return [field.name for field in dataclasses.fields(item) if field.init]


def _remade(old: Any, values: Mapping[str, Any]) -> Any:
    """A dataclass with other values of some fields; one with arguments of other names knows how."""
    make: Callable[..., Any] = getattr(type(old), "__replace__", dataclasses.replace)
    return make(old, **values)


def _inside(owner: str, where: str, old: Any, path: str, value: Any) -> Any:
    """Value of a field with another one at a path through it; an empty path is all of it."""
    if not path:
        return value
    field, _, rest = path.partition(".")
    here = f"{where}.{field}"
    if dataclasses.is_dataclass(old) and not isinstance(old, (type, Body)):
        known = _fields(old)
        if field in known:
            return _remade(old, {field: _inside(owner, here, getattr(old, field), rest, value)})
    elif isinstance(old, Mapping):
        keys = {str(key): key for key in old}
        known = list(keys)
        if field in keys:
            key = keys[field]
            return {**old, key: _inside(owner, here, old[key], rest, value)}
    elif isinstance(old, (tuple, list)) or (isinstance(old, np.ndarray) and old.ndim):
        known = [str(k) for k in range(len(old))]
        if field in known:
            k = int(field)
            entries = list(old)
            entries[k] = _inside(owner, here, old[k], rest, value)
            return tuple(entries)
    else:
        raise ModelError.plain(
            f"{owner}: there is no {here!r}, because {where!r} is {describe(old)} without fields"
        )
    raise ModelError.plain(f"{owner}: there is no {here!r}, {suggestion(field, known)}")


def moved(items: Iterable[Any], old: Any, body: Any) -> list[Any]:
    """The items that change when ``old`` has become ``body``.

    If both are a body whose own place has changed, other places of it are found at places in the
    world. What is at the end of a beam stays at its end when its length has changed.
    """
    if not isinstance(old, Body):
        return []
    still = np.array_equal(old.position, body.position)
    still = still and np.array_equal(old.rotation, body.rotation)
    lengths = [None if line is None else line.length for line in (old.line, body.line)]
    if still and lengths[0] == lengths[1]:
        return []

    def followed(frame: Frame) -> Frame:
        if frame.body.name != body.name:
            return frame
        if frame.world is None:
            x = float(frame.position[0])
            there = same_station(old, body, x)
            return frame if there == x else Frame(body, (there, 0.0, 0.0), frame.rotation)
        if still:
            return frame
        x, y, z = frame.world.p.tolist()
        found: Frame = body.at_world(x, y, z, rotation=frame.world.R)
        return found

    def follows(item: Any) -> Any:
        found = item.following(old, body) if isinstance(item, Element) else item
        return _with_frames(found, followed)

    pairs = [(item, follows(item)) for item in items]
    return [new for old, new in pairs if new is not old]


def _with_frames(item: Any, change: Callable[[Frame], Frame]) -> Any:
    """The item with other frames, those in tuples too; itself if none changes."""
    values = {}
    for field in () if isinstance(item, Body) else _fields(item):
        old = getattr(item, field)
        if isinstance(old, Frame):
            new: Any = change(old)
        elif isinstance(old, tuple):
            new = tuple(_changed_entry(entry, change) for entry in old)
            new = old if all(a is b for a, b in zip(old, new, strict=True)) else new
        else:
            new = _changed_entry(old, change)
        if new is not old:
            values[field] = new
    return _remade(item, values) if values else item


def _changed_entry(entry: Any, change: Callable[[Frame], Frame]) -> Any:
    """A frame, or something with a frame in it, as a pulley of a rope."""
    if isinstance(entry, Frame):
        return change(entry)
    if dataclasses.is_dataclass(entry) and not isinstance(entry, type):
        carried = isinstance(getattr(entry, "frame", None), Frame)
        return _with_frames(entry, change) if carried else entry
    return entry


def uses(item: Any, name: str) -> bool:
    """True if an item of a model refers to the body, joint or motor with a name."""
    if isinstance(item, Body):
        return False
    frames: Mapping[str, Frame] = item.frames
    targets = getattr(item, "targets", ())
    return any(frame.body.name == name for frame in frames.values()) or any(
        target == name for target, _ in targets
    )


def renamed(item: Any, old: Any, new: Any) -> Any:
    """An item that refers to ``old``, which is called ``new`` now, in the same way to that."""
    was, name = old.name, new.name

    def on_renamed(frame: Frame) -> Frame:
        if frame.body.name != was:
            return frame
        same = Frame(new, frame.position, frame.rotation)
        set_fields(same, _world=frame.world)
        return same

    if isinstance(old, Body):
        found = _with_frames(item, on_renamed)
    else:
        values = {
            field: name if field == "joint" else _target(getattr(item, field), was, name)
            for field in _fields(item)
            if field == "joint" or isinstance(getattr(item, field), tuple)
        }
        found = _remade(item, values)
    if uses(found, was):
        expected = f"frames and joints in its fields, to rename {label(old)}"
        raise ModelError(label(item), "reference", label(old), expected)
    return found


def _target(value: tuple[Any, ...], was: str, name: str) -> tuple[Any, ...]:
    """References (joint, coordinate, ...), alone or several, with another name of a joint."""
    if value and isinstance(value[0], str):
        return (name, *value[1:]) if value[0] == was else value
    return tuple(
        _target(v, was, name)
        if isinstance(v, tuple)
        else _remade(v, {"joint": name})
        if getattr(v, "joint", None) == was
        else v
        for v in value
    )
