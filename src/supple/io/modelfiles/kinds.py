"""Kinds of fields of a file, read from the annotation of the constructor's argument."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from supple.constraints import Constraint
from supple.forces.laws import Law
from supple.foundation.frames import Body, Frame
from supple.joints import Joint
from supple.joints.interactions import Shaft
from supple.results.result import Result
from supple.signals import Signal
from supple.state import State

_NAMED = (Joint, Constraint, Shaft)


@dataclass(frozen=True)
class Kind:
    """Values that an annotation allows.

    ``words`` are given texts and numbers; ``entry`` is that of each entry of a list of any length,
    ``rows`` are those of lists of given length, ``values`` is that of the values of a mapping;
    ``classes`` are made of mappings. ``array`` is a number, or numbers in lists of any depth;
    ``item`` is a name of a joint, motor or constraint.
    """

    number: bool = False
    integer: bool = False
    truth: bool = False
    text: bool = False
    nothing: bool = False
    array: bool = False
    frame: bool = False
    body: bool = False
    item: bool = False
    path: bool = False
    function: bool = False
    anything: bool = False
    words: tuple[Any, ...] = ()
    entry: Kind | None = None
    rows: tuple[tuple[Kind, ...], ...] = ()
    values: Kind | None = None
    classes: tuple[type, ...] = ()

    @property
    def signal(self) -> bool:
        """True if a text is an expression in t."""
        return Signal in self.classes

    @property
    def law(self) -> bool:
        """True if a text is a formula in x and v."""
        return Law in self.classes

    @property
    def lists(self) -> bool:
        """True if a list may stand there."""
        return self.array or self.anything or self.entry is not None or bool(self.rows)

    @property
    def numeric(self) -> bool:
        """True if a text may be an expression in parameters, or a number with a unit."""
        return self.number or self.integer or self.array

    def __or__(self, other: Kind) -> Kind:
        """Values that one or the other allows."""
        flags = {
            name: getattr(self, name) or getattr(other, name)
            for name in ("number", "integer", "truth", "text", "nothing", "array", "frame", "body",
                         "item", "path", "function", "anything", "entry", "values")
        }  # fmt: skip
        if self.entry is not None and other.entry is not None:
            flags["entry"] = self.entry | other.entry
        return Kind(
            **flags,
            words=self.words + other.words,
            rows=self.rows + other.rows,
            classes=self.classes + tuple(c for c in other.classes if c not in self.classes),
        )

    def describe(self, names: Iterable[str] = ()) -> str:
        """Expected values in words; ``names`` are those of the classes that can be made."""
        if self.anything:
            return "anything"
        parts = [repr(word) for word in self.words]
        parts += ["a place on a body, e.g. 'rod at 0.5'"] if self.frame else []
        parts += ["the name of a body"] if self.body and not self.frame else []
        parts += ["a number"] if self.number or (self.array and not self.lists) else []
        parts += ["an integer"] if self.integer else []
        parts += ["true or false"] if self.truth else []
        parts += ["the name of a joint"] if self.item else []
        parts += ["a path"] if self.path else []
        parts += ["an expression in t"] if self.signal else []
        parts += ["a formula in x and v"] if self.law else []
        plain = self.text and not (self.item or self.path or self.signal or self.law or self.array)
        parts += ["a text"] if plain else []
        if self.array:
            parts.append("a number or a list of numbers")
        elif self.entry is not None:
            parts.append(f"a list (each entry {self.entry.describe()})")
        elif self.rows:
            parts.append(f"a list of {' or '.join(str(len(row)) for row in self.rows)} entries")
        parts += ["names with values"] if self.values is not None else []
        parts += list(names) or [c.__name__ for c in self.classes]
        return " or ".join(parts) if parts else "nothing"


NUMBER = Kind(number=True)
TEXT = Kind(text=True)


def kind_of(hint: Any) -> Kind:
    """Return the values that an annotation allows in a file."""
    if hint is Any or hint is inspect.Parameter.empty:
        return Kind(anything=True)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is typing.Literal:
        return Kind(words=arguments)
    if origin is np.ndarray or _arrays(hint):
        return Kind(array=True)
    if origin is collections.abc.Callable:
        return Kind(function=True)
    if origin is collections.abc.Mapping:
        return Kind(values=kind_of(arguments[1]))
    if origin is tuple and arguments[-1:] != (...,):
        return Kind(rows=(tuple(kind_of(a) for a in arguments),))
    if origin in (collections.abc.Sequence, list, tuple):
        return Kind(entry=kind_of(arguments[0]))
    return _class(hint)


def _union(hints: tuple[Any, ...]) -> Kind:
    if any(_arrays(hint) for hint in hints):
        # complex, bytes and str are parts of ArrayLike; a text is one of a law or a path only
        texts = any(inspect.isclass(h) and issubclass(h, (Law, Path)) for h in hints)
        dropped = (complex, bytes) if texts else (complex, bytes, str)
        rest = [h for h in hints if not (_arrays(h) or h in dropped)]
        return _joined([Kind(array=True), *map(kind_of, rest)])
    return _joined([kind_of(hint) for hint in hints])


def _joined(kinds: list[Kind]) -> Kind:
    found = kinds[0]
    for kind in kinds[1:]:
        found = found | kind
    return replace(found, text=False) if found.item and found.text else found


def _arrays(hint: Any) -> bool:
    """True if it is one of the pieces of ArrayLike that stand for arrays."""
    name = getattr(typing.get_origin(hint) or hint, "__name__", "")
    return name in ("_SupportsArray", "_NestedSequence", "_Buffer", "Buffer")


def _class(hint: Any) -> Kind:
    if hint in (None, type(None)):
        return Kind(nothing=True)
    plain = {float: NUMBER, int: Kind(integer=True), bool: Kind(truth=True), str: TEXT}
    if hint in plain:
        return plain[hint]
    if issubclass(hint, _NAMED):
        return Kind(item=True)
    if issubclass(hint, Frame):
        return Kind(frame=True)
    if issubclass(hint, Body):
        return Kind(body=True)
    if issubclass(hint, Path):
        return Kind(path=True)
    if issubclass(hint, (State, Result)):  # made by a run, not written
        return Kind()
    return Kind(classes=(hint,))
