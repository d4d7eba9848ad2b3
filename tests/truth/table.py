"""The table of models with known answers, and what the program tells about each of them.

An entry is a function that makes a model, asks one analysis, and returns an `Answer`: the number
that was found, the true one with its source, and what the analysis returned. A *wrong* one misses
the truth by more than 5 %, and must be told: by a warning, a finding, a verdict, a level or a
refusal. A *right* one is within 0.5 %, and nothing may be told about it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import supple as sp

WRONG, RIGHT = 0.05, 0.005  # relative errors

Make = Callable[[], "Answer"]


@dataclass(frozen=True)
class Answer:
    """One number of an analysis, the true one, and what was returned."""

    found: float
    exact: float
    given: Any = None

    @property
    def error(self) -> float:
        """How much the number is wrong, relative to the true one."""
        return abs(self.found - self.exact) / abs(self.exact)


@dataclass(frozen=True)
class Entry:
    """A model of the table."""

    name: str
    right: bool
    slow: bool
    make: Make


TABLE: dict[str, Entry] = {}


def _listed(right: bool, slow: bool) -> Callable[[Make], Make]:
    def take(make: Make) -> Make:
        name = f"{make.__module__.rpartition('.')[2]}-{make.__name__.replace('_', '-')}"
        assert name not in TABLE
        TABLE[name] = Entry(name, right, slow, make)
        return make

    return take


def right(slow: bool = False) -> Callable[[Make], Make]:
    """List a model whose answer is right."""
    return _listed(True, slow)


def wrong(slow: bool = False) -> Callable[[Make], Make]:
    """List a model whose answer is wrong."""
    return _listed(False, slow)


@dataclass(frozen=True)
class Judged:
    """What came of an entry: the answer, None if it was refused, and all that was told."""

    answer: Answer | None
    told: tuple[str, ...]


def judge(entry: Entry) -> Judged:
    """Ask the analysis of an entry, and collect what is told with its answer."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = entry.make()
            sentences = tuple(told(answer.given))
        except sp.SuppleError as error:
            return Judged(None, (str(error),))
    warned = tuple(str(w.message) for w in caught if issubclass(w.category, sp.SuppleWarning))
    return Judged(answer, (*warned, *sentences))


def told(given: Any) -> Iterator[str]:
    """Sentences by which an answer is doubted, whatever analysis gave it."""
    if isinstance(given, list | tuple):
        for one in given:
            yield from told(one)
        return
    if isinstance(given, sp.results.Certificate):
        if given.level not in ("certified", "widened"):
            yield given.verdict
        return
    if not getattr(given, "success", True):
        yield str(given.message)
    if isinstance(given, sp.results.Result):
        for audit in (given.energy, given.momentum):
            if audit.level != "trusted":
                yield audit.verdict
        if given.verdict.startswith(("doubtful", "not ", "balanced")):
            yield given.verdict
    if getattr(given, "stable", True) is False and isinstance(given, sp.results.StaticResult):
        yield "the equilibrium is not stable"
    doubts = getattr(given, "doubts", ())
    yield from () if callable(doubts) else doubts
    if hasattr(given, "monitor"):
        yield from (f.sentence for f in given.monitor.findings)
    for position in getattr(given, "positions", ()):
        yield from (f.sentence for f in position.monitor.findings)
    if hasattr(given, "stability"):
        yield from told(given.stability)
    if isinstance(given, sp.results.Stability):
        yield from told(given.linear)
