"""From the bytes of an XML file to elements that know their line, and to their attributes.

Only what the parser of the standard library says about elements is used. A document type is
refused, and with it every entity: a small file cannot stand for a large one, and no other file is
ever opened by the parser. Size, depth and number of elements are bounded.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import closest, describe
from supple.foundation.input_files import existing, not_unicode
from supple.io.modelfiles.problems import NotedError, Place, Problems, found_expected

MOST_BYTES = 20_000_000
MOST_ELEMENTS = 30_000
DEEPEST = 400
_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
LONGEST = 2000  # characters of numbers
# Numbers whose powers and products stay numbers; what is smaller is zero.
LARGEST, SMALLEST = 1e30, 1e-30
TRUTH = {"true": True, "1": True, "false": False, "0": False}


@dataclass(eq=False, slots=True)
class Element:
    """An element of a file: its tag, attributes and children, and where it begins."""

    tag: str
    place: Place
    attributes: dict[str, str]
    children: list[Element] = field(default_factory=list)

    def all(self, *tags: str) -> Iterator[Element]:
        """Children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def first(self, tag: str) -> Element | None:
        """The first child with a tag, or None."""
        return next(self.all(tag), None)

    @property
    def shown(self) -> str:
        """Tag and name, for messages."""
        name = self.attributes.get("name")
        return f"<{self.tag}>" if name is None else f"<{self.tag}> {describe(name)}"


class _RefusedError(Exception):
    """Ends the parser; the text says what was found and expected."""


class _Builder:
    def __init__(self, name: str, parser: Any) -> None:
        self.name, self.parser, self.count = name, parser, 0
        self.open: list[Element] = []
        self.root: Element | None = None

    def place(self) -> Place:
        return Place(self.name, self.parser.CurrentLineNumber, self.parser.CurrentColumnNumber + 1)

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        self.count += 1
        if self.count > MOST_ELEMENTS:
            raise _RefusedError(f"more than {MOST_ELEMENTS} elements found, expected fewer")
        if len(self.open) >= DEEPEST:
            raise _RefusedError(f"more than {DEEPEST} levels of elements found, expected fewer")
        element = Element(tag, self.place(), attributes)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def end(self, tag: str) -> None:
        del tag
        self.open.pop()

    def refuse(self, *_: Any) -> None:
        raise _RefusedError("a document type found, expected elements alone")


def parse(path: Path, name: str, expected: str, problems: Problems) -> Element:
    """The root element of a file that messages call ``name``; ``NotedError`` if there is none."""
    content = existing(path, expected).read_bytes()
    if len(content) > MOST_BYTES:
        found = f"{len(content)} bytes found, expected at most {MOST_BYTES}"
        raise problems.note(Place(name, 1, 1), "", found)
    parser = expat.ParserCreate()
    builder = _Builder(name, parser)
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = builder.refuse
    try:
        parser.Parse(content, True)
    except _RefusedError as refused:
        raise problems.note(builder.place(), "", str(refused)) from None
    except expat.ExpatError as error:
        strange = None if b"encoding" in content[:200] else not_unicode(content)
        reason = strange or expat.ErrorString(error.code)
        place = Place(name, error.lineno, error.offset + 1)
        raise problems.note(place, "", f"it is no XML ({reason}), expected {expected}") from None
    except (LookupError, ValueError, TypeError) as error:  # an encoding that is none
        reason = describe(str(error))
        sentence = f"it is no XML ({reason}), expected {expected}"
        raise problems.note(Place(name, 1, 1), "", sentence) from None
    if builder.root is None:
        raise problems.note(Place(name, 1, 1), "", f"nothing found, expected {expected}")
    return builder.root


class Attributes:
    """Reads attributes of elements."""

    def __init__(self, problems: Problems) -> None:
        self.problems = problems

    def wrong(self, element: Element, sentence: str, attribute: str = "") -> NotedError:
        """Note what is wrong with an element or one of its attributes; return what to raise."""
        key = f"<{element.tag} {attribute}>" if attribute else element.shown
        return self.problems.note(element.place, key, sentence)

    def text(self, element: Element, name: str, what: str = "a text") -> str:
        """An attribute that must be there and is not empty."""
        found = element.attributes.get(name)
        if found is None:
            raise self.wrong(element, f"there is no {name}, expected {what}")
        if not found.strip():
            raise self.wrong(element, found_expected(found, what), name)
        return found

    def choice(self, element: Element, name: str, options: Sequence[str], default: str) -> str:
        """One of some words."""
        found = element.attributes.get(name, default)
        if found not in options:
            expected = "one of " + ", ".join(options)
            raise self.wrong(element, found_expected(found, expected), name)
        return found

    def flag(self, element: Element, name: str, default: bool) -> bool:
        """A truth value."""
        found = element.attributes.get(name)
        if found is None:
            return default
        if found not in TRUTH:
            raise self.wrong(element, found_expected(found, "true or false"), name)
        return TRUTH[found]

    def number(
        self, element: Element, name: str, default: float | None = None, least: float = -math.inf
    ) -> float:
        """A finite number; without a default it must be there."""
        if name not in element.attributes and default is not None:
            return default
        expected = "a number" if math.isinf(least) else f"a number of {least:g} or more"
        (found,) = self._numbers(element, name, (1,), expected)
        if found < least:
            raise self.wrong(element, found_expected(found, expected), name)
        return found

    def vector(
        self, element: Element, name: str, default: Sequence[float] | None = None, size: int = 3
    ) -> Vector:
        """Finite numbers (size,)."""
        if name not in element.attributes and default is not None:
            return np.array(default, dtype=float)
        return np.array(self._numbers(element, name, (size,), f"{size} numbers"))

    def numbers(self, element: Element, name: str, most: int) -> list[float]:
        """One to ``most`` finite numbers."""
        sizes = tuple(range(1, most + 1))
        return self._numbers(element, name, sizes, f"1 to {most} numbers" if most > 1 else "one")

    def _numbers(
        self, element: Element, name: str, sizes: tuple[int, ...], expected: str
    ) -> list[float]:
        text = self.text(element, name, expected)
        words = text.split() if len(text) <= LONGEST else []
        found = [float(w) if _NUMBER.fullmatch(w) else math.nan for w in words]
        if len(found) not in sizes or not all(abs(x) < LARGEST for x in found):
            if any(LARGEST <= abs(x) for x in found):
                expected += f" below {LARGEST:g}"
            raise self.wrong(element, found_expected(text, expected), name)
        return [x if abs(x) > SMALLEST else 0.0 for x in found]

    def misspelled(self, element: Element, known: Sequence[str]) -> None:
        """Note children whose tags look like known ones and are none; others are for readers."""
        lower = {word.lower(): word for word in known}
        for child in element.children:
            near = lower.get(child.tag.lower()) or closest(child.tag, list(known))
            if child.tag not in known and near is not None and _alike(child.tag, near):
                sentence = f"there is no such element in {element.shown}, expected another"
                self.wrong(child, f"{sentence} (did you mean <{near}>?)")


def _alike(word: str, known: str) -> bool:
    """True if two words differ by a slip."""
    import difflib

    return difflib.SequenceMatcher(None, word.lower(), known.lower()).ratio() > 0.8
