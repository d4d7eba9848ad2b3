"""Wrong calls of public classes and functions: a sentence instead of Python's own.

A public function is called through a wrapper that does nothing but call it. Where Python finds no
way to give the arguments to it, which is before its first line, the wrapper says what is wrong.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any, TypeVar

from supple.foundation.errors import ArgumentError
from supple.foundation.fields import Constructor
from supple.foundation.synonyms import argument_suggestion

What = TypeVar("What")
PACKAGE = "supple"
_DONE: set[type] = set()
_WRAPPERS: set[Callable[..., Any]] = set()


def public(what: What) -> What:
    """Let wrong calls of a function, or of a class and its methods, end in a sentence.

    A class is changed itself, with the bases that belong to Supple; of a function there is a new
    one, which takes its place in the module that has it.
    """
    if isinstance(what, type):
        for base in what.__mro__:
            if base not in _DONE and base.__module__.partition(".")[0] == PACKAGE:
                _DONE.add(base)
                _wrap_methods(base)
    elif isinstance(what, FunctionType) and what not in _WRAPPERS:
        found = _wrapped(what)
        module, name = sys.modules.get(what.__module__), found.__name__
        if getattr(module, name, None) is what:  # so that it can be pickled by its name
            setattr(module, name, found)
        return found  # type: ignore[return-value]
    return what


class Spoken:
    """Base of classes that users get and never make: wrong calls of methods end in a sentence."""

    def __init_subclass__(cls, **options: Any) -> None:
        """Look at each class that is derived."""
        super().__init_subclass__(**options)
        public(cls)


def _wrap_methods(cls: type) -> None:
    if issubclass(cls, BaseException):
        return
    for name, entry in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if isinstance(entry, Constructor):
            entry.wrap = _wrapped
        elif isinstance(entry, FunctionType):
            setattr(cls, name, _wrapped(entry))
        elif isinstance(entry, (staticmethod, classmethod)):
            inner = entry.__func__
            if isinstance(inner, FunctionType):
                setattr(cls, name, type(entry)(_wrapped(inner)))


def _wrapped(function: FunctionType) -> Callable[..., Any]:
    # That of a function with ``**options`` may tell their names
    spelled = getattr(function, "__signature__", None)

    @functools.wraps(function)
    def called(*given: Any, **named: Any) -> Any:
        if spelled is not None and not named.keys() <= spelled.parameters.keys():
            raise ArgumentError.plain(str(wrong_call(function, given, named)))
        try:
            return function(*given, **named)
        except TypeError as error:
            trace = error.__traceback__
            if trace is None or trace.tb_next is not None:  # raised by the function itself
                raise
            sentence = wrong_call(function, given, named)
            if sentence is None:
                raise
        raise ArgumentError.plain(sentence)

    _WRAPPERS.add(called)
    return called


def wrong_call(
    function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]
) -> str | None:
    """Sentence about an error in the arguments of a call; None if there is none."""
    import inspect

    parameters = list(inspect.signature(function).parameters.values())
    if not parameters or "." not in function.__qualname__:
        owner = function.__name__
    elif parameters[0].name in ("self", "cls"):
        owner = _owner(function, given, named)
        parameters, given = parameters[1:], given[1:]
    else:
        owner = function.__qualname__
    by_place = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    any_place = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    any_name = any(p.kind is p.VAR_KEYWORD for p in parameters)
    names = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for word in named:
        if word not in names and not any_name:
            left = [n for n in names if n not in named]
            return f"{owner}: there is no argument {word!r}, {argument_suggestion(word, left)}"
    if len(given) > len(by_place) and not any_place:
        return _too_many(owner, len(given), [p.name for p in by_place], names)
    for p in by_place[: len(given)]:
        if p.name in named:
            return f"{owner}: {p.name} is given twice, by its place and by its name, expected once"
    filled = {p.name for p in by_place[: len(given)]} | set(named)
    missing = [
        p.name
        for p in parameters
        if p.default is p.empty
        and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
        and p.name not in filled
    ]
    if not missing:
        return None
    shown = [p.name for p in by_place if p.default is p.empty]
    shown += [
        f"{p.name}=..." for p in parameters if p.kind is p.KEYWORD_ONLY and p.default is p.empty
    ]
    what = owner.partition(" ")[0]
    are = "is" if len(missing) == 1 else "are"
    return f"{owner}: {', '.join(missing)} {are} not given, expected {what}({', '.join(shown)})"


def expect_options(owner: str, options: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse options of a function that are none of those it passes on."""
    for name in options:
        if name not in known:
            near = argument_suggestion(name, known)
            raise ArgumentError.plain(f"{owner}: there is no argument {name!r}, {near}")


def _owner(function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> str:
    """Who is called wrongly: the class, with the name of the item that was to be made."""
    first = given[0] if given else None
    cls = first if isinstance(first, type) else type(first)
    if function.__name__ != "__init__":
        return f"{cls.__name__}.{function.__name__}"
    name = named.get("name", given[1] if len(given) > 1 else None)
    return f"{cls.__name__} {name!r}" if isinstance(name, str) and name else cls.__name__


def _too_many(owner: str, count: int, by_place: list[str], names: list[str]) -> str:
    values = f"{count} value{'s are' if count > 1 else ' is'} given by place"
    if not by_place:
        rest = f"; by name: {', '.join(names)}" if names else ""
        return f"{owner}: {values}, expected none{rest}"
    others = [name for name in names if name not in by_place]
    more = f"; by name: {', '.join(others)}" if others else ""
    return f"{owner}: {values}, expected at most {len(by_place)}: {', '.join(by_place)}{more}"
