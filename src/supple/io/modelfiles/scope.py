"""Parameters of a file, and what names in it mean: numbers, repeated parts, included parts."""

from __future__ import annotations

import graphlib
import keyword
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from supple.foundation.errors import suggestion
from supple.io.modelfiles import units
from supple.io.modelfiles.problems import NotedError, Problems, found_expected
from supple.io.modelfiles.tree import Node
from supple.io.modelfiles.words import Units, expected_units, fitting
from supple.signals import expressions

INDEX = "i"
RESERVED = {
    "t",
    "x",
    "v",
    INDEX,
    *expressions.CONSTANTS,
    *expressions.FUNCTIONS,
    *expressions.PAIRS,
}
MOST_PARAMETERS = 1000
_BRACES = re.compile(r"\{([^{}]*)\}")
_NUMBER_AND_WORD = re.compile(r"[-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?\s*([A-Za-z]\w*)")


@dataclass(frozen=True)
class Scope:
    """Meaning of names in a file or a part of it.

    values : parameters by name, and the number of a repeated part
    prefix : what comes before the names of an included part's items
    own : names of the items and values of this part, without prefix
    folder : where its paths begin
    """

    problems: Problems
    folder: Path
    values: dict[str, float] = field(default_factory=dict)
    prefix: str = ""
    own: frozenset[str] = frozenset()

    def at(self, index: int) -> Scope:
        """The scope of one of several repeated parts."""
        return replace(self, values={**self.values, INDEX: float(index)})

    def global_name(self, name: str) -> str:
        """The name in the model of what this part calls so."""
        return self.prefix + name if name in self.own else name

    def wrong(self, node: Node, sentence: str) -> NotedError:
        """Note what is wrong with a node."""
        turn = f" (i = {self.values[INDEX]:g})" if INDEX in self.values else ""
        return self.problems.note(node.place, node.key, sentence + turn)

    def unexpected(self, node: Node, expected: str) -> NotedError:
        """Note that something else was expected."""
        return self.wrong(node, found_expected(node.shown, expected))

    def number(self, node: Node, text: str, expected: Units = (), whole: bool = False) -> float:
        """The number that a text stands for: one with a unit, or an expression in parameters."""
        given = units.split(text)
        if given is not None and given[1] not in self.values:
            unit = units.unit(given[1])
            if unit is None or not fitting(unit, expected):
                raise self.unexpected(node, expected_units(expected))
            return units.converted(*given)
        try:
            found = expressions.value(text, self.values)
        except expressions.ExpressionError as error:
            what = "an integer" if whole else "a number"
            raise self.unexpected(node, f"{what} ({self._why(text, error)})") from None
        if whole and found != round(found):
            raise self.unexpected(node, f"an integer, it is {found!r}")
        return int(found) if whole else found

    def _why(self, text: str, error: Exception) -> str:
        """Reason why a text is no number."""
        unknown = _NUMBER_AND_WORD.fullmatch(text.strip())
        if unknown and unknown[1] in self.values:
            return f"{unknown[1]!r} is a parameter here and no unit: give it another name"
        if unknown:
            near = suggestion(unknown[1], list(units.NAMES))
            return f"there is no unit {unknown[1]!r}, {near}"
        return str(error)

    def formula(self, node: Node, text: str) -> str:
        """An expression in t, or in x and v, with numbers in place of parameters."""
        if not self.values:
            return text
        try:
            return expressions.with_numbers(text, self.values)
        except expressions.ExpressionError as error:
            raise self.unexpected(node, f"an expression ({error})") from None

    def filled(self, node: Node, text: str) -> str:
        """A name with numbers in place of ``{i}``, ``{n - 1}`` and so on.

        Where there are no parameters and nothing is repeated, braces mean nothing.
        """
        if not self.values or "{" not in text:
            return text

        def number(found: re.Match[str]) -> str:
            return str(self.number(node, found[1], whole=True))

        return _BRACES.sub(number, text)


def parameters(scope: Scope, node: Node, given: dict[str, float]) -> dict[str, float]:
    """The parameters of a file in SI units; ``given`` ones come from the file that includes it.

    One that is wrong is noted and left out.
    """
    if not node.is_mapping:
        raise scope.unexpected(node, "names with numbers or expressions, e.g. {L: 1.02, half: L/2}")
    if len(node.value) > MOST_PARAMETERS:
        raise scope.wrong(node, f"{len(node.value)} found, expected at most {MOST_PARAMETERS}")
    found, texts = {**scope.values, **given}, dict[str, Node]()
    for name, entry in node.value.items():
        if name in RESERVED or not name.isidentifier() or keyword.iskeyword(name):
            expected = f"a name of letters and digits, other than {', '.join(sorted(RESERVED))}"
            scope.problems.note(node.keys[name], node.key, found_expected(name, expected))
        elif name in given:
            continue
        elif isinstance(entry.value, str):
            texts[name] = entry
        elif isinstance(entry.value, (int, float)) and not isinstance(entry.value, bool):
            found[name] = float(entry.value)
            if not abs(found[name]) < float("inf"):
                scope.unexpected(entry, "a finite number")
        else:
            scope.unexpected(entry, "a number or an expression")
    for name in _order(scope, node, texts):
        inner = replace(scope, values=found)
        try:
            found[name] = inner.number(texts[name], texts[name].value, ("*",))
        except NotedError:
            found[name] = 1.0  # what depends on it is not wrong, too
    return found


def _order(scope: Scope, node: Node, texts: dict[str, Node]) -> list[str]:
    """Names of expressions, each after those that it needs."""
    needs = {}
    for name, entry in texts.items():
        try:
            used = [] if units.split(entry.value) else expressions.names(entry.value)
        except (expressions.ExpressionError, RecursionError):
            used = []
        needs[name] = [other for other in used if other in texts]
    try:
        return list(graphlib.TopologicalSorter(needs).static_order())
    except graphlib.CycleError as error:
        circle = " -> ".join(error.args[1][:6])
        raise scope.wrong(
            node, f"parameters need each other ({circle}), expected no circle"
        ) from None
