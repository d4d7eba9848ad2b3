"""The content of a model file: everything that it names is made, and what is wrong is noted.

Units of joint coordinates: which of rad and m fits is known when the joint is.

``stiffness: 5 N/m`` on a revolute joint is wrong though both N m/rad and N/m are units of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from supple.bodies.base.rigid import Ground
from supple.constraints import SlidingJoint
from supple.events import FRAME_QUANTITIES, Event, contacts_among
from supple.forces import FormulaLaw, Motor
from supple.foundation.atomic_files import check_picture, check_target
from supple.foundation.errors import ModelError, SuppleError, label, suggestion
from supple.foundation.frames import Body, Frame
from supple.io.modelfiles import units
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.parts import Content, Spec
from supple.io.modelfiles.problems import ModelFileError, NotedError, Problems, unknown_key
from supple.io.modelfiles.reader import Reader
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.io.modelfiles.words import (
    ITEMS,
    TYPE,
    VALUES,
    Units,
    expected_units,
    fitting,
    simulate_word,
    simulation,
    units_of,
    values_of,
    word_of,
    words,
)
from supple.joints import Joint
from supple.model import Model
from supple.results.files.dataset import ENERGIES, Track, variables
from supple.results.plot import asked
from supple.results.result import Result
from supple.signals import Signal, as_signal

KEYS = {
    "save": Kind(path=True),
    "html": Kind(path=True),
    "plots": Kind(values=Kind(text=True, entry=Kind(text=True))),
}
_OF_FRAME = {"": "m", "v": "m/s", "w": "rad/s"}
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True)
class Outputs:
    """Files that are written after a run, in the folder of the model file.

    save : path of the result (NetCDF), or None
    html : path of a page that plays the motion, or None
    plots : path of each picture, and what it shows
    """

    folder: Path
    save: Path | None
    html: Path | None
    plots: dict[Path, tuple[str, ...]]
    nodes: Mapping[Path, Node] = field(default_factory=dict)  # where the file asks for them

    @property
    def paths(self) -> list[Path]:
        """All files that are written."""
        return [*(p for p in (self.save, self.html) if p is not None), *self.plots]

    def expect(self, source: Path, start: Callable[[], Result]) -> None:
        """Refuse what could not be written after a run: places, pictures and what they show.

        ``source`` is the model file, ``start`` gives the result at the first instant of the run.
        """
        found, seen = Problems(), {source.resolve(): "the model file"}
        for path in self.paths:
            node, place = self.nodes[path], path.resolve()
            if place in seen:
                found.note(node.place, node.key, f"it is {seen[place]}, expected another file")
            seen[place] = "another output"
            try:
                check_target(path)
                if path in self.plots:
                    check_picture(path)
            except SuppleError as error:
                found.note(node.place, node.key, str(error))
        found.raise_if_any()
        if any(map(_known_before, chain(*self.plots.values()))):
            result = start()
            known = Track(result.t, variables(result), {})
            for path, what in self.plots.items():
                try:
                    asked(known, [*filter(_known_before, what), "com"])
                except SuppleError as error:
                    found.note(self.nodes[path].place, self.nodes[path].key, str(error))
            found.raise_if_any()

    def write(self, result: Result) -> None:
        """Write all of it."""
        if self.save is not None:
            result.save(self.save)
        if self.html is not None:
            result.to_html(self.html)
        for path, what in self.plots.items():
            result.plot(*what, path=path)


def read_outputs(reader: Reader, node: Node, scope: Scope) -> Outputs:
    """The outputs of a file."""
    if not node.is_mapping:
        raise scope.unexpected(node, "keys such as save and plots")
    for key, child in node.value.items():
        if key not in KEYS:
            raise scope.wrong(child, unknown_key(key, KEYS))
    written: dict[str, Path | None] = {"save": None, "html": None}
    plots, nodes = {}, {}
    for key, example in (("save", "run.nc"), ("html", "run.html")):
        if key in node.value:
            given = node[key]
            if not isinstance(given.value, str):
                raise scope.unexpected(given, f"a path, e.g. {example}")
            written[key] = path = reader.path(given, given.value, scope)
            nodes[path] = given
    if "plots" in node.value:
        drawn = node["plots"]
        if not drawn.is_mapping:
            raise scope.unexpected(
                drawn, "paths with what they show, e.g. {pin.png: [pin, energy]}"
            )
        for name, child in drawn.value.items():
            what = reader.value(child, Kind(text=True, entry=Kind(text=True)), scope)
            path = reader.path(child, name, scope)
            plots[path] = (what,) if isinstance(what, str) else what
            nodes[path] = child
    return Outputs(scope.folder, written["save"], written["html"], plots, nodes)


def _known_before(name: str) -> bool:
    """True if the first instant can say if a result has this; some energies come with the run."""
    head, _, kind = name.partition(".")
    return not (head == "energy" and (not kind or kind in ENERGIES))


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
    name = type(item).__name__
    word = word_of(name, (type(item),)) or words().get(name)
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
    name = node[TYPE].value if TYPE in node.value else None
    word = name and (word_of(name, (Signal,)) or words().get(name))
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
    if event.quantity == "gap":
        return "m"
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


class Document:
    """Makes everything that a file has."""

    def __init__(self, path: Path, given: Mapping[str, float] = MappingProxyType({})) -> None:
        self.given = given  # parameters in place of those in the file
        self.path, self.root = path, path.parent.resolve()
        self.problems = Problems()
        self.content = Content(self.root, self.problems)
        self.reader = Reader(self)
        self.model = Model()
        self.events: list[Event] = []
        self.settings: dict[str, Any] = {}
        self.outputs = Outputs(self.root, None, None, {})
        self.bodies: dict[str, Body | None] = {}
        self.made: dict[str, Any] = {}
        self.making: list[str] = []
        self.specs: dict[str, Spec] = {}  # of items

    def read(self) -> None:
        """Read the file, and note everything that is wrong with it."""
        try:
            self.content.read(self.path.absolute(), self.given)
        except NotedError:
            return
        top, scope = self.content.top, self.content.scope
        if top is None or scope is None or self.content.too_much:
            return
        self._start(top, scope)
        for spec in self.content.items:
            if spec.group != "events":
                self._list(spec)
        for name, spec in self.specs.items():
            if spec.group == "bodies":
                self.bodies[name] = self._item(spec)
        pending = [
            (spec, self.bodies[spec.name] if spec.group == "bodies" else self._item(spec))
            for spec in self.specs.values()
        ]
        self._add([(spec, item) for spec, item in pending if item is not None])
        for name, spec in self.content.values.items():  # unused ones may be wrong, too
            self._quietly(lambda n=name, s=spec: self._value(n, s))
        self._settings(top, scope)

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters of the file itself, in SI units."""
        top, scope = self.content.top, self.content.scope
        listed = None if top is None or scope is None else top.value.get("parameters")
        if listed is None or not listed.is_mapping or scope is None:
            return {}
        return {name: scope.values[name] for name in listed.value if name in scope.values}

    def _quietly(self, action: Any) -> Any:
        try:
            return action()
        except NotedError:
            return None

    def _start(self, top: Node, scope: Scope) -> None:
        """Name and gravity of the model."""
        given: dict[str, Any] = {}
        for key, kind, known in (
            ("name", Kind(text=True), ()),
            ("gravity", Kind(array=True), ("m/s2",)),
        ):
            if key in top.value:
                found = self._quietly(
                    lambda k=key, d=kind, u=known: self.reader.value(top[k], d, scope, u)
                )
                given |= {} if found is None else {key: found}
        for key, value in given.items():
            made = self._quietly(
                lambda k=key, v=value: self.reader.called(top[k], scope, lambda: Model(**{k: v}))
            )
            given = given if made is not None else {k: v for k, v in given.items() if k != key}
        self.model = Model(**given)

    def _list(self, spec: Spec) -> None:
        if spec.name in self.specs:
            first = self.specs[spec.name].node.place
            spec.scope.wrong(
                spec.node,
                f"the name {spec.name!r} is taken in line {first.line} of {first.file}"
                ", expected another",
            )
        elif spec.name == "ground":
            spec.scope.wrong(
                spec.node, "'ground' found, expected another name: the ground is there"
            )
        else:
            self.specs[spec.name] = spec

    def _item(self, spec: Spec) -> Any:
        """An item or event; None if it is wrong."""
        classes = (Event,) if spec.group == "events" else ITEMS[spec.group]

        def make() -> Any:
            if not spec.node.is_mapping:
                raise spec.scope.unexpected(spec.node, f"keys such as {TYPE}")
            word = self.reader.word(spec.node, classes, spec.scope)
            return self.reader.made(spec.node, word, spec.scope, name=spec.name)

        return self._quietly(make)

    def _add(self, pending: list[tuple[Spec, Any]]) -> None:
        """Add items in the order of the file, each after those that it refers to."""
        while pending:
            waiting = []
            for spec, item in pending:
                if all(name in self.model for name in _references(item)):
                    self._put(spec, item)
                else:
                    waiting.append((spec, item))
            if len(waiting) == len(pending):
                break
            pending = waiting
        for spec, item in pending:
            if not any(n in self.specs for n in _references(item) if n not in self.model):
                self._put(spec, item)  # otherwise what it refers to is wrong, and told already

    def _put(self, spec: Spec, item: Any) -> None:
        check_units(spec.node, item, self.model, spec.scope)
        self._quietly(
            lambda: self.reader.called(spec.node, spec.scope, lambda: self.model.add(item))
        )

    def _settings(self, top: Node, scope: Scope) -> None:
        for spec in self.content.items:
            if spec.group == "events":
                event = self._item(spec)
                if event is not None:
                    self.events.append(event)
                    self._check_event(spec, event)
        if "simulation" in top.value:
            word, known = simulate_word(), simulation()
            node = top["simulation"]
            if not node.is_mapping:
                scope.unexpected(node, "settings such as t_end")
                return
            for key, child in node.value.items():
                if key not in known:
                    self.problems.note(node.keys[key], child.key, unknown_key(key, known))
                    continue
                found = self._quietly(
                    lambda k=key, c=child: self.reader.argument(c, word, k, scope, ())
                )
                if found is not None:
                    self.settings[key] = found
        if "outputs" in top.value:
            found = self._quietly(lambda: read_outputs(self.reader, top["outputs"], scope))
            self.outputs = found or self.outputs

    def _check_event(self, spec: Spec, event: Event) -> None:
        """Refuse joints and contacts that are not there; those that are wrong are told already."""
        kind, known, name = "joint", list(self.model.joints), event.joint
        if event.contact is not None:
            kind, known, name = "Contact", contacts_among(self.model.forces), event.contact
        if name is None or (name in self.specs and name not in self.model):
            pass
        elif name not in known:
            near = suggestion(name, known)
            spec.scope.unexpected(spec.node["of"], f"the name of a {kind} ({near})")
            return
        elif event.joint is not None:
            joint = self.model.joints[event.joint]
            ask = lambda: joint.coordinate_index(event.coordinate, label(event))  # noqa: E731
            if self._quietly(lambda: self.reader.called(spec.node, spec.scope, ask)) is None:
                return
        check_units(spec.node, event, self.model, spec.scope)

    def located(self, error: ModelError) -> ModelError:
        """An error about the whole model, with the line of the item or setting that it names."""
        top = self.content.top
        if top is not None and error.object == "simulate" and "simulation" in top.value:
            problems = Problems()
            self.reader.noted(top["simulation"], Scope(problems, self.root), error)
            return ModelFileError.of(problems.found)
        events = {spec.name: spec for spec in self.content.items if spec.group == "events"}
        text = error.object or str(error)
        known = self.specs | events if text.startswith("Event ") else events | self.specs
        for name in _QUOTED.findall(text):
            if name in known:
                spec = known[name]
                problems = Problems()
                self.reader.noted(spec.node, Scope(problems, self.root), error)
                return ModelFileError.of(problems.found)
        return error

    # what names stand for

    def body(self, name: str, scope: Scope) -> Body | None:
        """The body of this name."""
        if name == self.model.ground.name:
            return self.model.ground
        full = scope.global_name(name)
        if full in self.bodies and self.bodies[full] is None:
            raise NotedError
        found = self.bodies.get(full)
        return found if not isinstance(found, Ground) else None

    def body_names(self) -> list[str]:
        """All bodies, and the ground."""
        return [*self.bodies, self.model.ground.name]

    def frame(self, name: str, scope: Scope) -> Frame | None:
        """The frame of this name."""
        found = self._lookup(name, scope, ("frames",))
        return found if isinstance(found, Frame) else None

    def named(self, name: str, scope: Scope) -> Any:
        """The value of this name."""
        return self._lookup(name, scope, tuple(VALUES))

    def value_names(self, scope: Scope) -> list[str]:
        """Names of all values."""
        return [n for n, s in self.content.values.items() if s.group != "frames"]

    def _lookup(self, name: str, scope: Scope, groups: tuple[str, ...]) -> Any:
        full = scope.global_name(name)
        spec = self.content.values.get(full)
        return None if spec is None or spec.group not in groups else self._value(full, spec)

    def _value(self, name: str, spec: Spec) -> Any:
        if name in self.making or len(self.making) > 50:
            circle = " -> ".join([*self.making[-6:], name])
            raise spec.scope.wrong(
                spec.node, f"values need each other ({circle}), expected no circle"
            )
        if name in self.made:
            if self.made[name] is None:
                raise NotedError
            return self.made[name]
        self.making.append(name)
        try:
            self.made[name] = None
            if spec.group == "frames":
                kind = Kind(frame=True)
            else:
                kind = Kind(classes=values_of(spec.group), number=spec.group == "signals")
            found = self.reader.value(spec.node, kind, spec.scope, ("*",))
            if kind.signal and isinstance(found, (int, float, str)):
                found = self.reader.called(spec.node, spec.scope, lambda: as_signal(found))
            elif kind.law and isinstance(found, str):
                found = self.reader.called(spec.node, spec.scope, lambda: FormulaLaw(found))
            self.made[name] = found
            return found
        finally:
            self.making.pop()


def _references(item: Any) -> list[str]:
    """Names of the bodies, joints and motors that an item refers to."""
    if isinstance(item, Body):
        return []
    frames: Mapping[str, Frame] = item.frames
    targets = [name for name, _ in getattr(item, "targets", ())]
    return [frame.body.name for frame in frames.values()] + targets
