"""From the text of a YAML file to nodes that know their line: no object is ever made by the YAML.

Only events of the YAML parser are used. Tags, anchors and aliases are refused, so that a small file
cannot stand for a large one; size, depth and number of nodes are bounded. Numbers are read
by the rules here: ``69e9`` is one, ``yes`` is a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from supple.foundation.errors import describe
from supple.io.modelfiles.problems import NotedError, Place, Problems

# Of a file; of what is left of it without lists of numbers; values and keys in it, which take the
# YAML parser some 0.1 ms each.
MOST_CHARACTERS = 10_000_000
MOST_OTHER_CHARACTERS = 2_000_000
MOST_NODES = 50_000
DEEPEST = 40
# Beyond these an integer is read as a float.
MOST_DIGITS = 18

# Lists of plain numbers are read apart from the YAML parser: that takes a thousandth of the time.
# The marks stand for one in the text; they are of no meaning in any text.
_NUMBERS = re.compile(r"\[([-+0-9.eE]+(?:\s*,\s*[-+0-9.eE]+)+)\s*\]")
_MARK = re.compile("\ue000([0-9]+)\ue001")
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.?(inf|Inf|INF)")
_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_NOTHING = {"", "~", "null", "Null", "NULL"}


@dataclass(frozen=True, eq=False, slots=True)
class Node:
    """A value of a file.

    value : number, text, truth value, None, a tuple of nodes or nodes by key
    place : where it begins
    key : path of keys to it, "bodies.link1.mass"
    keys : where the keys of a mapping stand
    quoted : keys of a mapping that are written in quotes
    """

    value: Any
    place: Place
    key: str
    keys: dict[str, Place] = field(default_factory=dict)
    quoted: frozenset[str] = frozenset()

    def __getitem__(self, key: str) -> Node:
        found: Node = self.value[key]
        return found

    @property
    def is_mapping(self) -> bool:
        """True if it has keys."""
        return isinstance(self.value, dict)

    @property
    def shown(self) -> Any:
        """The value in plain Python, for messages."""
        if isinstance(self.value, dict):
            return {key: node.shown for key, node in list(self.value.items())[:8]}
        if isinstance(self.value, tuple):
            return tuple(node.shown for node in self.value[:20])
        return self.value


def read_scalar(text: str) -> Any:
    """Return the value of a text without quotes: a number, a truth value, None, or the text."""
    if text in _NOTHING:
        return None
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(text) if len(text) <= MOST_DIGITS + 1 else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if infinite := _INFINITE.fullmatch(text):
        return float("-inf") if infinite[1] == "-" else float("inf")
    return float("nan") if text in (".nan", ".NaN", ".NAN") else text


def parse(text: str, file: str, problems: Problems) -> Node:
    """The nodes of a file; raise ``NotedError`` if there are none."""
    start = Place(file, 1, 1)
    if len(text) > MOST_CHARACTERS:
        found = f"{len(text)} characters found, expected at most {MOST_CHARACTERS}"
        raise problems.note(start, "", found)
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    lists: list[str] = []
    if "\ue000" not in text:
        text = _NUMBERS.sub(lambda found: _marked(found[0], lists), text)
    if len(text) > MOST_OTHER_CHARACTERS:
        found = f"{len(text)} characters found, expected at most {MOST_OTHER_CHARACTERS}"
        raise problems.note(start, "", f"{found} outside of lists of numbers")
    if sum(map(text.count, ",:\n")) > 2 * MOST_NODES:  # found at once
        raise problems.note(start, "", f"more than {MOST_NODES} values found, expected fewer")
    if line := _too_deep(text):
        found = f"more than {DEEPEST} levels of brackets found, expected fewer"
        raise problems.note(Place(file, line, 1), "", found)
    try:
        return _Builder(file, problems, lists).build(YAML(typ="safe", pure=True).parse(text))
    except YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = start if mark is None else Place(file, mark.line + 1, mark.column + 1)
        detail = getattr(error, "problem", None) or getattr(error, "reason", None) or "no YAML"
        detail = " ".join(str(detail).split())
        raise problems.note(
            place, "", f"it is no YAML ({detail}), expected keys and values"
        ) from None
    except (ValueError, RecursionError, AttributeError, IndexError, TypeError) as error:
        # the parser's own failures with texts that are no YAML
        reason = f"it is no YAML ({type(error).__name__}), expected keys and values"
        raise problems.note(start, "", reason) from None


def _marked(text: str, lists: list[str]) -> str:
    """The mark of a list of numbers, and its line ends."""
    lists.append(text)
    return f"\ue000{len(lists) - 1}\ue001" + "\n" * text.count("\n")


def _too_deep(text: str) -> int:
    """The line where too many brackets are open, which the parser would look at for long; or 0."""
    depth = 0
    for found in re.finditer(r"[\[\]{}]", text):
        depth += 1 if found[0] in "[{" else -1
        depth = max(depth, 0)
        if depth > 3 * DEEPEST:
            return text.count("\n", 0, found.start()) + 1
    return 0


@dataclass
class _Open:
    """A list or mapping that is being read."""

    place: Place
    key: str
    mapping: bool
    entries: list[Node] = field(default_factory=list)
    values: dict[str, Node] = field(default_factory=dict)
    keys: dict[str, Place] = field(default_factory=dict)
    quoted: set[str] = field(default_factory=set)
    waiting: str | None = None  # the key whose value comes next


class _Builder:
    def __init__(self, file: str, problems: Problems, lists: list[str]) -> None:
        self.file, self.problems, self.count, self.lists = file, problems, 0, lists
        self.open: list[_Open] = []
        self.root: Node | None = None

    def place(self, event: Any) -> Place:
        return Place(self.file, event.start_mark.line + 1, event.start_mark.column + 1)

    def build(self, events: Iterator[Any]) -> Node:
        documents = 0
        for event in events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    found = "a second document found, expected one in each file"
                    raise self.problems.note(self.place(event), "", found)
            elif kind == "AliasEvent":
                found = f"the alias *{event.anchor} found, expected the value itself or its name"
                self.problems.note(self.place(event), self.here(), found)
                self.add(Node(None, self.place(event), self.here()))
            elif kind in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
                self.value(event, kind)
            elif kind in ("SequenceEndEvent", "MappingEndEvent"):
                self.close()
        if self.root is None:
            raise self.problems.note(Place(self.file, 1, 1), "", "nothing found, expected a model")
        return self.root

    def here(self) -> str:
        """Path of keys of the value that comes next."""
        if not self.open:
            return ""
        parent = self.open[-1]
        if parent.mapping:
            return f"{parent.key}.{parent.waiting}".lstrip(".") if parent.waiting else parent.key
        return f"{parent.key}[{len(parent.entries)}]"

    def value(self, event: Any, kind: str) -> None:
        place, key = self.place(event), self.here()
        self.count += 1
        if self.count > MOST_NODES:
            raise self.problems.note(
                place, key, f"more than {MOST_NODES} values found, expected fewer"
            )
        if event.anchor is not None:
            found = (
                f"the anchor &{event.anchor} found, expected a named value, e.g. under materials"
            )
            self.problems.note(place, key, found)
        tag = event.tag if event.tag is None else str(event.tag)
        if tag not in (None, "!"):
            self.problems.note(place, key, f"the tag {describe(tag)} found, expected none")
        if kind == "ScalarEvent":
            plain = event.style in (None, "") and tag is None
            text = event.value
            mark = _MARK.fullmatch(text) if plain and self.lists else None
            if mark:
                self.add(self.numbers(self.lists[int(mark[1])], place, key))
                return
            if self.lists:  # brackets within a text
                text = _MARK.sub(lambda found: self.lists[int(found[1])], text)
            read = read_scalar(text) if plain else text
            self.add(Node(read, place, key), text, plain)
            return
        if len(self.open) >= DEEPEST:
            raise self.problems.note(
                place, "", f"more than {DEEPEST} levels of nesting found, expected fewer"
            )
        self.open.append(_Open(place, key, kind == "MappingStartEvent"))

    def numbers(self, text: str, place: Place, key: str) -> Node:
        """A list of plain numbers; what is none stays a text."""
        words = [word.strip() for word in text[1:-1].split(",")]
        entries = (Node(read_scalar(w), place, f"{key}[{k}]") for k, w in enumerate(words))
        return Node(tuple(entries), place, key)

    def close(self) -> None:
        done = self.open.pop()
        content: Any = done.values if done.mapping else tuple(done.entries)
        self.add(Node(content, done.place, done.key, done.keys, frozenset(done.quoted)))

    def add(self, node: Node, text: str | None = None, plain: bool = True) -> None:
        if not self.open:
            self.root = node
            return
        parent = self.open[-1]
        if not parent.mapping:
            parent.entries.append(node)
        elif parent.waiting is None:
            key = self.add_key(parent, node, text)
            if not plain:
                parent.quoted.add(key)
        else:
            parent.values.setdefault(parent.waiting, node)
            parent.waiting = None

    def add_key(self, parent: _Open, node: Node, text: str | None) -> str:
        if text is None:
            self.problems.note(node.place, parent.key, "a list or mapping found, expected a key")
            text = f"?{len(parent.values)}"
        if text in parent.keys:
            line = parent.keys[text].line
            found = f"the key found twice, expected once (first in line {line})"
            self.problems.note(node.place, f"{parent.key}.{text}".lstrip("."), found)
            text = f"{text}?{len(parent.values)}"
        parent.keys[text] = node.place
        parent.waiting = text
        return text


__all__ = ["Node", "NotedError", "parse", "read_scalar"]
