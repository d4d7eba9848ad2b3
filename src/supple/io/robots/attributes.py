"""Attributes of XML elements as numbers, vectors and words; what is wrong is noted at its line."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import closest
from supple.io.modelfiles.problems import NotedError, Problems, found_expected
from supple.io.robots.xml_tree import Element

_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
LONGEST = 2000  # characters of numbers
# Numbers whose powers and products stay numbers; what is smaller is zero.
LARGEST, SMALLEST = 1e30, 1e-30
TRUTH = {"true": True, "1": True, "false": False, "0": False}


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
    """Whether two words differ by a slip."""
    import difflib

    return difflib.SequenceMatcher(None, word.lower(), known.lower()).ratio() > 0.8
