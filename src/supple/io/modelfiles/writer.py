"""From a model to YAML text: every class by its constructor's arguments."""

from __future__ import annotations

import dataclasses
import math
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from supple.analyses.base.arguments import expect
from supple.events import Event
from supple.fem.base.imported import ImportedComponent
from supple.foundation import validate
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import ModelError, describe, label
from supple.foundation.frames import Frame
from supple.foundation.input_files import inside, path_of
from supple.foundation.poses import EYE
from supple.foundation.synonyms import argument_suggestion
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.parts import VERSION
from supple.io.modelfiles.tree import read_scalar
from supple.io.modelfiles.words import STORED_AS, TYPE, Argument, Word, choices, simulation, words
from supple.joints import Joint
from supple.model import Model
from supple.signals import Combination, Constant, Expression, Signal
from supple.signals.expressions import MOST_CHARACTERS
from supple.signals.infix import text_of

LONGEST_LINE = 100
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.+*/^-]*( [A-Za-z0-9_.+*/^-]+)*")
OWNER = "write_model"
ARCHIVED = "model.yaml"  # name of a model file that is part of another file
GROUPS = ("bodies", "point_masses", "joints", "constraints", "forces")


def scalar(value: Any) -> str:
    """A number, text, truth value or None."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        if math.isinf(value):
            return ".inf" if value > 0.0 else "-.inf"
        return repr(value)
    text = str(value)
    plain = _PLAIN.fullmatch(text) and isinstance(read_scalar(text), str)
    return text if plain else quoted(text)


def quoted(text: str) -> str:
    """A text in quotes, with codes for what cannot be seen."""
    codes = (c if c.isprintable() and c not in '"\\' else f"\\U{ord(c):08X}" for c in text)
    return f'"{"".join(codes)}"'


def key(value: Any) -> str:
    """A key; a text of digits is in quotes, because without them it is a number."""
    return str(value) if isinstance(value, int) else scalar(value)


def flow(value: Any) -> str:
    """A value in one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(flow(v) for v in value) + "]"
    return scalar(value)


def yaml_lines(values: dict[Any, Any], indent: int = 0) -> list[str]:
    """The lines of a mapping: what is short in one line, the rest in blocks."""
    lines = []
    for name, value in values.items():
        head, short = f"{' ' * indent}{key(name)}:", flow(value)
        if (
            value
            and isinstance(value, (dict, list))
            and (len(head + short) >= LONGEST_LINE or (indent == 0 and isinstance(value, dict)))
        ):
            lines += [head, *_lines(value, indent + 2)]
        else:
            lines.append(f"{head} {short}")
    return lines


def _lines(value: Any, indent: int) -> list[str]:
    """The lines of something long, each entry of a list behind a dash."""
    if isinstance(value, dict):
        return yaml_lines(value, indent)
    if not any(isinstance(entry, (dict, list)) for entry in value):
        return [f"{' ' * indent}{flow(value)}"]
    lines = []
    for entry in value:
        if entry and isinstance(entry, (dict, list)) and len(flow(entry)) >= LONGEST_LINE:
            first, *rest = _lines(entry, indent + 2)
            lines += [f"{' ' * indent}- {first.lstrip()}", *rest]
        else:
            lines.append(f"{' ' * indent}- {flow(entry)}")
    return lines


def write_model(
    model: Model, path: str | Path, *, events: Event | Sequence[Event] = (), **settings: Any
) -> Path:
    """Write a model to a file that `read_model` reads as the same model; return its path.

    ``events`` and ``settings`` (t_end, tolerance, integrator, ...) are those of `simulate`. What a
    file cannot hold, as Python functions, is refused in a sentence. Imported components are written
    beside the file, as NPZ; files that bodies were read from must be in its folder.
    """
    expect(OWNER, "model", model, Model, "a Model")
    target = path_of(OWNER, "path", path)
    events = (events,) if isinstance(events, Event) else events
    listed = validate.listed(OWNER, "events", events, "a sequence of Event")
    for event in listed:
        expect(OWNER, "events", event, Event, "objects of type Event")
    known = simulation()
    for name in settings:
        if name not in known:
            raise ModelError.plain(
                f"{OWNER}: there is no setting {name!r}, {argument_suggestion(name, list(known))}"
            )
    writer = Writer(target)
    content = writer.model(model)
    if listed:
        content["events"] = {e.name: writer.item(e, (Event,)) for e in listed}
    if settings:
        content["simulation"] = {
            name: writer.value(OWNER, name, value, known[name].kind)
            for name, value in settings.items()
        }
    lines = "\n".join(yaml_lines(content)) + "\n"
    write_whole(target, lines.encode("utf-8"))
    for name, component in writer.components.items():
        from supple.fem.files.matrix_files import save_component

        save_component(target.parent / name, component)
    return target


class Writer:
    """Makes what stands for objects in a file, given by its path; ``components`` go beside it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.components: dict[str, ImportedComponent] = {}

    def model(self, model: Model) -> dict[str, Any]:
        """All of a model."""
        content: dict[str, Any] = {"supple": VERSION}
        if model.name != "model":
            content["name"] = model.name
        if np.any(model.gravity):
            content["gravity"] = model.gravity.tolist()
        for group in GROUPS:
            names = getattr(model, group)
            if names:
                content[group] = {name: self.item(model[name], ()) for name in names}
        return content

    def item(self, item: Any, only: tuple[type, ...]) -> dict[str, Any]:
        """An item; its name is its key."""
        return self.object(label(item), item, only, without=("name",))

    def object(
        self, owner: str, value: Any, only: tuple[type, ...], without: tuple[str, ...] = ()
    ) -> dict[str, Any]:
        """The mapping that stands for an object; its type is left out where only one fits."""
        word = words().get(type(value).__name__)
        if word is None or word.make is not type(value):
            raise ModelError.plain(
                f"{owner}: {describe(value)} cannot be in a file, expected a public class"
            )
        if word.function is not None:
            raise ModelError.plain(
                f"{owner}: {word.missing_function()}, expected an element without one"
            )
        classes = {w.gives for w in choices(only).values() if isinstance(w.make, type)}
        found: dict[str, Any] = {} if only and len(classes) == 1 else {TYPE: word.name}
        arguments = dict(word.arguments)
        if isinstance(value, Joint) and self._at_place(value):
            found |= {"A": value.A.body.name, "B": value.B.body.name, "at": _plain(value.at)}
            without += ("A", "B", "at")
        elif isinstance(value, Joint):
            without += ("at",)
        for name, argument in arguments.items():
            if name in without:
                continue
            stored = self._stored(owner, word, value, name)
            if not _is_default(stored, argument):
                found[name] = self.value(owner, name, stored, argument.kind)
        return found

    @staticmethod
    def _stored(owner: str, word: Word, value: Any, name: str) -> Any:
        field = STORED_AS.get((word.name, name), name)
        if not hasattr(value, field):
            raise ModelError.plain(
                f"{owner}: {describe(value)} has no {field}, expected a class that keeps it"
            )
        return getattr(value, field)

    @staticmethod
    def _at_place(joint: Joint) -> bool:
        """True if a joint is given by its place in the world and the bodies alone."""
        place = joint.at
        if place is None:
            return False
        return all(_same_frame(f, f.body.at_world(*place.tolist())) for f in (joint.A, joint.B))

    def value(self, owner: str, field: str, value: Any, kind: Kind) -> Any:
        """Text or tree that stands in a file for a value of an argument of this kind."""
        if isinstance(value, Frame):
            return frame_value(value)
        if kind.signal and isinstance(value, Constant):
            return value.value
        if kind.signal and isinstance(value, Expression) and not value.kinks:
            return value.text
        if isinstance(value, Combination):
            return self._combination(owner, field, value)
        if isinstance(value, ImportedComponent):
            return self._component(owner, value)
        if kind.path and isinstance(value, (str, Path)):
            return self._relative(owner, field, Path(value))
        if isinstance(value, np.ndarray):
            return _plain(value)
        if isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, (int, np.integer)):
            return int(value)
        if isinstance(value, (float, np.floating)):
            return float(value)
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, Mapping):
            inner = kind.values or Kind(anything=True)
            return {k: self.value(owner, f"{field}.{k}", v, inner) for k, v in value.items()}
        if isinstance(value, (list, tuple, range)):
            return self._entries(owner, field, list(value), kind)
        if dataclasses.is_dataclass(value) or type(value).__name__ in words():
            return self.object(owner, value, kind.classes)
        raise ModelError(owner, field, value, "something that a file can hold")

    def _entries(self, owner: str, field: str, values: list[Any], kind: Kind) -> list[Any]:
        rows = next((row for row in kind.rows if len(row) == len(values)), None)
        if rows is None and kind.array:
            return [_plain(v) for v in values]
        entry = kind.entry or Kind(anything=True)
        kinds = rows or (entry,) * len(values)
        return [
            self.value(owner, f"{field}[{i}]", v, k)
            for i, (v, k) in enumerate(zip(values, kinds, strict=True))
        ]

    def _combination(self, owner: str, field: str, value: Combination) -> dict[str, Any]:
        """A formula of other signals."""
        names = [f"s{k}" for k in range(len(value.signals))]
        formula = text_of(value.operations, names)
        if len(formula) > MOST_CHARACTERS:
            expected = f"at most {MOST_CHARACTERS} characters of its formula"
            raise ModelError(owner, field, len(formula), expected)
        kind = Kind(classes=(Signal,))
        found: dict[str, Any] = {TYPE: "Combination", "text": formula}
        found["signals"] = {
            n: self.value(owner, f"{field}.{n}", s, kind)
            for n, s in zip(names, value.signals, strict=True)
        }
        return found | ({"kinks": list(value.kinks)} if value.kinks else {})

    def _relative(self, owner: str, field: str, path: Path) -> str:
        folder = self.path.parent
        if not inside(path, folder):
            raise ModelError(owner, field, str(path), f"a file in the folder of {self.path.name}")
        return path.resolve().relative_to(folder.resolve()).as_posix()

    def _component(self, owner: str, component: ImportedComponent) -> dict[str, Any]:
        """An imported component is written to a file of its own."""
        for name, other in self.components.items():
            if other is component:
                return {TYPE: "load_component", "path": name}
        name = f"{self.path.stem}_component{len(self.components) + 1}.npz"
        self.components[name] = component
        return {TYPE: "load_component", "path": name}


def frame_value(frame: Frame) -> Any:
    """A place on a body, short if its axes are the body's."""
    body, point = frame.body, frame.position.tolist()
    if frame.world is not None:
        R, p = frame.world
        found: dict[str, Any] = {"body": body.name, "world": p.tolist()}
        found |= {} if np.array_equal(R, EYE) else {"rotation": R.tolist()}
        x, y, z = p.tolist()
        if _same_frame(frame, body.at_world(x, y, z, rotation=R)):
            return found
    while len(point) > 1 and str(point[-1]) == "0.0":
        point.pop()
    if _made_by_at(frame, point):
        return [body.name, *point]
    return {
        "body": body.name,
        "position": frame.position.tolist(),
        "rotation": frame.rotation.tolist(),
    }


def _made_by_at(frame: Frame, point: list[float]) -> bool:
    try:
        return _same_frame(Frame(frame.body, frame.position, frame.rotation), frame.body.at(*point))
    except ModelError:
        return False


def _same_frame(a: Frame, b: Frame) -> bool:
    return _equal(a.position, b.position) and _equal(a.rotation, b.rotation)


def _plain(value: Any) -> Any:
    """Numbers of arrays, lists and tuples as lists."""
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value


def _is_default(stored: Any, argument: Argument) -> bool:
    """True if an argument can be left out."""
    default = argument.default
    if argument.required:
        return False
    if stored is None or isinstance(stored, (bool, str)):
        return stored is default or (isinstance(stored, str) and stored == default)
    if isinstance(stored, Constant):
        return isinstance(default, float) and stored.value == default
    if isinstance(stored, tuple) and stored and isinstance(stored[0], Constant):
        stored = [s.value if isinstance(s, Constant) else None for s in stored]
        return isinstance(default, tuple) and stored == list(default)
    if isinstance(stored, np.ndarray):
        if default is None:  # no rotation, no initial value
            rest = EYE if stored.shape == (3, 3) else np.zeros(stored.shape)
            usual = argument.name in ("rotation", "initial", "initial_rate")
            return usual and _equal(stored, rest)
        return stored.size == np.size(default) and _equal(stored.ravel(), np.ravel(default))
    return isinstance(stored, (int, float, tuple)) and repr(default) == repr(stored)


def _equal(a: Any, b: Any) -> bool:
    """True if numbers are the same to the last bit, the sign of zero too."""
    return np.asarray(a, float).tobytes() == np.asarray(b, float).tobytes()


def archived(model: Model, events: Sequence[Event], settings: Mapping[str, Any]) -> dict[str, Any]:
    """A model with events and settings of a run: files by name, and why it is not whole, if so."""
    try:
        return {"files": _files(model, events, settings), "without": ""}
    except ModelError as reason:
        left = _without_functions(model)
        try:
            return {"files": _files(left, events, settings), "without": str(reason)}
        except ModelError:
            raise ModelError.plain(
                f"simulate: the run cannot be kept in a file, since {reason}"
            ) from None


def _files(model: Model, events: Sequence[Event], settings: Mapping[str, Any]) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        write_model(model, Path(folder) / ARCHIVED, events=events, **settings)
        return {path.name: path.read_bytes() for path in sorted(Path(folder).iterdir())}


def _without_functions(model: Model) -> Model:
    """The items of a model that a file can hold."""
    found = Model(gravity=model.gravity, name=model.name)
    for group in GROUPS:
        for item in (model[name] for name in getattr(model, group)):
            try:
                Writer(Path(ARCHIVED)).item(item, ())
                found.add(item)
            except ModelError:  # it, or what it refers to, cannot be in a file
                continue
    return found
