"""From the bytes of an XML file to elements that know their line.

Only what the parser of the standard library says about elements is used. A document type is
refused, and with it every entity: a small file cannot stand for a large one, and no other file is
ever opened by the parser. Size, depth and number of elements are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from supple.foundation.errors import describe
from supple.foundation.input_files import existing, not_unicode
from supple.io.modelfiles.problems import Place, Problems

MOST_BYTES = 20_000_000
MOST_ELEMENTS = 30_000
DEEPEST = 400


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
