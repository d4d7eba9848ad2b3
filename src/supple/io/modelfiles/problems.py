"""Problems of a model file: each with file, line and key, all of them at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from supple.foundation.errors import ModelError, describe
from supple.foundation.synonyms import argument_suggestion

# More than these are not told one by one.
MOST_TOLD = 100
# What is repeated is wrong in the same way each time.
MOST_OF_ONE = 2


class Place(NamedTuple):
    """Place in a text: name of the file, line and column, both counted from 1."""

    file: str
    line: int
    column: int


class Problem(NamedTuple):
    """One thing that is wrong: where, under which key, and a sentence."""

    place: Place
    key: str
    sentence: str

    def __str__(self) -> str:
        key = f"{self.key}: " if self.key else ""
        return f"{self.place.file}:{self.place.line}: {key}{self.sentence}"


class ModelFileError(ModelError):
    """A model file is wrong; its text has one line for each of its ``problems``.

    Attributes
    ----------
    problems : tuple of Problem
        In the order of the file: ``place`` (file, line, column), ``key`` and ``sentence``.
    """

    problems: tuple[Problem, ...]

    @classmethod
    def of(cls, problems: Sequence[Problem]) -> ModelFileError:
        """The error that tells all of these."""
        told = [str(problem) for problem in problems[:MOST_TOLD]]
        if len(problems) > MOST_TOLD:
            rest = f"{len(problems) - MOST_TOLD} problems more, expected none"
            told.append(str(Problem(problems[MOST_TOLD].place, "", rest)))
        error = cls.__new__(cls)
        Exception.__init__(error, "\n".join(told))
        error.object, error.field, error.found, error.expected = "", "", None, ""
        error.problems = tuple(problems)
        return error

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by the problems."""
        return ModelFileError.of, (self.problems,)


class NotedError(Exception):
    """Ends the reading of one value; its problem is noted already."""


@dataclass
class Problems:
    """Collects what is wrong with a file and with those that it includes."""

    found: list[Problem] = field(default_factory=list)
    at: dict[tuple[Place, str], list[str]] = field(default_factory=dict)

    def note(self, place: Place, key: str, sentence: str) -> NotedError:
        """Note a problem once; return what to raise if nothing can be done with the value."""
        here = self.at.setdefault((place, key), [])
        if sentence not in here and len(here) < MOST_OF_ONE:
            here.append(sentence)
            self.found.append(Problem(place, key, sentence))
        return NotedError()

    def raise_if_any(self) -> None:
        """Raise all of them as one error, those of a file in the order of its lines."""
        if self.found:
            order = {
                file: k for k, file in enumerate(dict.fromkeys(p.place.file for p in self.found))
            }
            raise ModelFileError.of(
                sorted(self.found, key=lambda p: (order[p.place.file], p.place.line))
            )


def found_expected(found: Any, expected: str) -> str:
    """The usual sentence about a value."""
    return f"{describe(found)} found, expected {expected}"


def unknown_key(key: str, known: Iterable[str], owner: str = "") -> str:
    """The sentence about a key that is not there."""
    has = f"{owner} has no such key" if owner else "there is no such key"
    return f"{has}, expected another ({argument_suggestion(key, list(known))})"
