"""From nodes of a file to objects: values by their annotations, classes by their constructors."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol

from supple.foundation.errors import ModelError, suggestion
from supple.foundation.frames import Body, Frame
from supple.foundation.input_files import inside
from supple.io.modelfiles.kinds import Kind
from supple.io.modelfiles.places import frame_from_list, frame_from_mapping, frame_from_text
from supple.io.modelfiles.problems import NotedError, found_expected, unknown_key
from supple.io.modelfiles.scope import Scope
from supple.io.modelfiles.tree import Node
from supple.io.modelfiles.words import (
    COUNT,
    ELEMENTS,
    ENDINGS,
    MOST_ELEMENTS,
    TYPE,
    Units,
    Word,
    choices,
    fits,
    units_of,
    word_of,
    words,
)

_WORD = re.compile(r"[A-Za-z_]\w*")


class Names(Protocol):
    """Objects that names in a file stand for."""

    root: Path

    def body(self, name: str, scope: Scope) -> Body | None:
        """The body; None if there is none; ``NotedError`` if it is there and wrong."""

    def frame(self, name: str, scope: Scope) -> Frame | None:
        """The frame that is named under ``frames``."""

    def named(self, name: str, scope: Scope) -> Any:
        """The value that is named under ``materials`` and so on; None if there is none."""

    def value_names(self, scope: Scope) -> list[str]:
        """Names of all values."""

    def body_names(self) -> list[str]:
        """Names of all bodies."""


class Reader:
    """Makes objects of nodes."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.components: list[Any] = []  # of the body that is being read
        self.elements = 0.0  # of meshes that are made, not read

    def value(self, node: Node, kind: Kind, scope: Scope, units: Units = ()) -> Any:
        """Value of a node, where an argument of this kind is expected."""
        found = node.value
        if found is None:
            if kind.nothing or kind.anything:
                return None
        elif isinstance(found, bool):
            if kind.truth or kind.anything:
                return found
        elif isinstance(found, (int, float)):
            if self._is_number(found, kind):
                return found
        elif isinstance(found, str):
            return self.text(node, kind, scope, units)
        elif isinstance(found, tuple):
            return self.list(node, kind, scope, units)
        else:
            return self.mapping(node, kind, scope, units)
        raise scope.unexpected(node, self.expected(kind))

    @staticmethod
    def expected(kind: Kind) -> str:
        """Values that may stand in a field, in words."""
        return kind.describe(choices(kind.classes) if kind.classes else ())

    @staticmethod
    def _is_number(found: float, kind: Kind) -> bool:
        if kind.integer and isinstance(found, int):
            return True
        return found in kind.words or kind.number or kind.array or kind.anything

    def each(self, nodes: tuple[Node, ...], read: Callable[[Node], Any]) -> tuple[Any, ...]:
        """All entries of a list, with everything noted that is wrong."""
        found, wrong = [], False
        for node in nodes:
            try:
                found.append(read(node))
            except NotedError:
                wrong = True
        if wrong:
            raise NotedError
        return tuple(found)

    def list(self, node: Node, kind: Kind, scope: Scope, units: Units) -> Any:
        """Value of a list."""
        entries: tuple[Node, ...] = node.value
        if kind.frame and entries and isinstance(entries[0].value, str):
            return frame_from_list(self, node, scope)
        for row in kind.rows:
            if len(row) == len(entries):
                return self.row(entries, row, scope, units)
        if kind.array:
            return self.each(entries, lambda e: self.value(e, Kind(array=True), scope, units))
        entry = Kind(anything=True) if kind.anything and kind.entry is None else kind.entry
        if entry is None:
            raise scope.unexpected(node, self.expected(kind))
        return self.each(entries, lambda e: self.value(e, entry, scope, units))

    def row(
        self, nodes: tuple[Node, ...], kinds: tuple[Kind, ...], scope: Scope, units: Units
    ) -> tuple[Any, ...]:
        """The entries of a list of given length, each of its own kind."""
        left = iter(kinds)
        return self.each(nodes, lambda node: self.value(node, next(left), scope, units))

    def mapping(self, node: Node, kind: Kind, scope: Scope, units: Units) -> Any:
        """Value of a mapping: an object, a frame, or values by name."""
        if kind.frame and "body" in node.value:
            return frame_from_mapping(self, node, scope)
        if kind.classes or TYPE in node.value:
            return self.made(node, self.word(node, kind.classes, scope), scope, units)
        if kind.values is None:
            raise scope.unexpected(node, self.expected(kind))
        inner = kind.values
        numbers = [k for k in node.value if k.isdecimal() and len(k) < 10 and k not in node.quoted]
        keys = [int(k) if k in numbers else k for k in node.value]
        found = self.each(tuple(node.value.values()), lambda e: self.value(e, inner, scope, units))
        return dict(zip(keys, found, strict=True))

    def text(self, node: Node, kind: Kind, scope: Scope, units: Units) -> Any:
        """Value of a text: a word, a name, a place, a path, a formula, an expression, a number."""
        text = scope.filled(node, node.value)
        if text in kind.words:
            return text
        if kind.frame or kind.body:
            found = frame_from_text(self, node, text, kind, scope)
            if found is not None:
                return found
        if kind.classes:
            named = self.names.named(text, scope)
            if named is not None:
                if any(fits(type(named), c) for c in kind.classes):
                    return named
                other = f"{self.expected(kind)}; it is a {type(named).__name__}"
                raise scope.unexpected(node, other)
        if kind.path:
            return self.path(node, text, scope)
        if kind.item or (kind.anything and text in scope.own):
            return scope.global_name(text)
        if kind.signal or kind.law:
            return self.signal(node, text, scope, units)
        if kind.numeric and not kind.text:
            whole = kind.integer and not (kind.number or kind.array)
            return scope.number(node, text, units, whole)
        if kind.anything and units:
            return scope.number(node, text, units)
        if kind.text or kind.anything:
            return text
        known = self.names.value_names(scope) if kind.classes else [str(w) for w in kind.words]
        near = f" ({suggestion(text, known)})" if known else ""
        raise scope.unexpected(node, f"{self.expected(kind)}{near}")

    def signal(self, node: Node, text: str, scope: Scope, units: Units) -> Any:
        """A number with a unit, or a formula with numbers in place of parameters."""
        from supple.io.modelfiles.units import split

        if split(text) is not None or text in scope.values:
            return scope.number(node, text, units)
        return scope.formula(node, text)

    def path(self, node: Node, text: str, scope: Scope) -> Path:
        """A path in the folder of the file; all others are refused."""
        root = self.names.root
        given = Path(text)
        if "\0" in text or not text.strip() or given.is_absolute() or given.drive:
            raise scope.unexpected(node, "a path in the folder of the model file")
        found = scope.folder / given
        if not inside(found, root):
            raise scope.unexpected(node, "a path that does not leave the folder of the model file")
        return found

    def word(self, node: Node, classes: tuple[type, ...], scope: Scope) -> Word:
        """The class that a mapping is made of: its type, or the only one that fits."""
        if TYPE not in node.value or isinstance(node[TYPE].value, str):
            named = node[TYPE].value if TYPE in node.value else None
            if (found := word_of(named, classes)) is not None:
                return found
        known = choices(classes) if classes else words()
        if TYPE not in node.value:
            makers = {w.gives: w for w in known.values() if isinstance(w.make, type)}
            if len(makers) == 1:
                return next(iter(makers.values()))
            raise scope.wrong(node, f"no type found, expected type: {' or '.join(sorted(known))}")
        given = node[TYPE]
        if not isinstance(given.value, str) or given.value not in known:
            if isinstance(given.value, str) and given.value in words():
                raise scope.unexpected(given, f"one of {', '.join(sorted(known))}")
            near = suggestion(given.value, sorted(known))
            raise scope.unexpected(given, f"the name of a class ({near})")
        return known[given.value]

    def arguments(
        self, node: Node, word: Word, scope: Scope, name: str | None, units: Units
    ) -> dict[str, Any]:
        """Arguments of a class by the keys of a mapping; everything that is wrong is noted."""
        if word.function is not None:
            raise scope.wrong(node, f"{word.missing_function()}, expected another element")
        known = {k: a for k, a in word.arguments.items() if not (name is not None and k == "name")}
        found: dict[str, Any] = {} if name is None else {"name": name}
        wrong = False
        # a component first: interfaces may name its groups
        keys = sorted(node.value, key=lambda k: k != "component")
        for key, child in ((k, node[k]) for k in keys):
            if key in (TYPE, COUNT):
                continue
            if key not in known:
                scope.problems.note(node.keys[key], child.key, unknown_key(key, known, word.name))
                wrong = True
                continue
            self.components.append(found.get("component"))
            try:
                found[key] = self.argument(child, word, key, scope, units)
                if isinstance(found[key], Body) and "at" not in node.value:
                    expected = f"a place on it, e.g. '{found[key].name} at 0'"
                    raise scope.unexpected(child, f"{expected}, or at: [x, y, z] beside it")
            except NotedError:
                wrong = True
            finally:
                self.components.pop()
        if word.name == "Interface" and "nodes" in node.value:
            self.add_place(node, found)
        missing = [k for k, a in known.items() if a.required and k not in {*node.value, *found}]
        if missing:
            scope.wrong(node, f"{' and '.join(missing)} not found, expected in {word.name}")
        if wrong or missing:
            raise NotedError
        return found

    def argument(self, node: Node, word: Word, key: str, scope: Scope, units: Units) -> Any:
        """One argument; what a signal is measured in is told by where it is used."""
        own = units_of(word, key)
        if word.name == "Interface" and key == "nodes" and isinstance(node.value, str):
            return self.called(node, scope, lambda: self.group(node, scope))
        path = self.value(
            node, word.arguments[key].kind, scope, units if own == ("*",) and units else own
        )
        endings = ENDINGS.get((word.name, key))
        if endings and path.suffix.lower() not in endings:
            raise scope.unexpected(node, f"a file with one of the endings {', '.join(endings)}")
        return path

    def group(self, node: Node, scope: Scope) -> Any:
        """Node numbers of a named group of the component whose interface is read."""
        component = next((c for c in reversed(self.components) if c is not None), None)
        if component is None or not hasattr(component, "group"):
            raise scope.unexpected(node, "node numbers, because there is no component with groups")
        return component.group(node.value)

    def add_place(self, node: Node, found: dict[str, Any]) -> None:
        """The place of an interface at a group of nodes is their mean, unless it is given."""
        component = next((c for c in reversed(self.components) if c is not None), None)
        if component is not None and "place" not in found and isinstance(node["nodes"].value, str):
            nodes = found.get("nodes")
            found["place"] = None if nodes is None else component.nodes[nodes].mean(axis=0)

    def made(
        self, node: Node, word: Word, scope: Scope, units: Units = (), name: str | None = None
    ) -> Any:
        """The object that a mapping stands for."""
        arguments = self.arguments(node, word, scope, name, units)
        self.count_elements(node, word, arguments, scope)
        many = [value for key, value in arguments.items() if word.arguments[key].many]
        rest = {k: v for k, v in arguments.items() if not word.arguments[k].many}
        return self.called(node, scope, lambda: word.make(*(many[0] if many else ()), **rest))

    def count_elements(
        self, node: Node, word: Word, arguments: dict[str, Any], scope: Scope
    ) -> None:
        """Refuse more elements than can be made soon."""
        if word.name not in ELEMENTS:
            return
        given = [arguments.get(key) for key in ELEMENTS[word.name]]
        flat = [n for v in given for n in (v if isinstance(v, tuple) else (v,))]
        self.elements += math.prod(float(n) for n in flat if isinstance(n, (int, float)))
        if not self.elements <= MOST_ELEMENTS:
            found = f"{self.elements:g} elements in all found, expected at most {MOST_ELEMENTS}"
            raise scope.wrong(node, f"{found}, others from a mesh file")

    def called(self, node: Node, scope: Scope, make: Callable[[], Any]) -> Any:
        """Answer of a call; its error is noted at the key that it is about."""
        try:
            return make()
        except ModelError as error:
            raise self.noted(node, scope, error) from None
        except (MemoryError, OverflowError, RecursionError) as error:
            raise scope.wrong(
                node, f"it is too large ({type(error).__name__}), expected less"
            ) from None

    def noted(self, node: Node, scope: Scope, error: ModelError) -> NotedError:
        """Note an error of a constructor at the line of its field."""
        place = node
        if node.is_mapping:
            for field in [error.field, *_WORD.findall(error.field)]:
                if field in node.value:
                    place = node[field]
                    break
        exact = error.field != "" and place.key.rpartition(".")[2] == error.field
        sentence = found_expected(error.found, error.expected) if exact else str(error)
        return scope.wrong(place, sentence)
