"""Fields declared once: a line has the type, the check, the unit and the default of a field.

    @declared
    class Rope(ForceElement):
        path: Given[Sequence[Station], tuple[Station, ...]] = checked(checked_path)
        stiffness: float = positive("N")
        damping: float = not_negative("N s", default=0.0)

The constructor follows from the lines: arguments are those of the bases, then those of the class,
in order. Each value is checked and stored on the frozen item; a default of None lets None pass.
``name`` is checked first, and sentences about the others have it. What concerns several fields, or
changes them, is in a method ``_check(self, owner)``, called at the end; further arguments of it are
those that are declared ``InitVar`` and not stored. Model files read the units.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from inspect import get_annotations
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    TypeVar,
    dataclass_transform,
    get_args,
    overload,
)

from supple.foundation import validate
from supple.foundation.errors import ModelError

Accepted = TypeVar("Accepted", contravariant=True)
Stored = TypeVar("Stored", covariant=True)
Item = TypeVar("Item")
Check = Callable[..., Any]
REQUIRED: Any = object()


class Given(Generic[Accepted, Stored]):
    """Type of a field that is given in one form and stored in another: ``Given[Axis, Vector]``."""

    if TYPE_CHECKING:  # so that checkers of types know both; at run time the field is plain

        def __get__(self, item: object, owner: type | None = None) -> Stored: ...

        def __set__(self, item: object, value: Accepted) -> None: ...


class Declaration(NamedTuple):
    """A field as it is declared: check, units that fit it, default, part of the repr."""

    check: Check | None
    units: tuple[str, ...]
    default: Any
    repr: bool


class Argument(NamedTuple):
    """A declared field with its annotation, the module of that, and whether it is stored."""

    declaration: Declaration
    annotation: str
    module: str
    stored: bool


def checked(
    check: Check | None, unit: str = "", *, default: Any = REQUIRED, repr: bool = True, **more: Any
) -> Any:
    """A field whose value is what ``check(owner, field, value, **more)`` returns.

    ``unit`` may be several, as "rad or m". Without a check the value is stored as it is.
    """
    units = tuple(unit.split(" or ")) if unit else ()
    return Declaration(partial(check, **more) if check and more else check, units, default, repr)


def given(unit: str = "", *, default: Any = REQUIRED, repr: bool = True) -> Any:
    """A field that is stored as it is given, or that ``_check`` changes."""
    return checked(None, unit, default=default, repr=repr)


def named(*, default: Any = REQUIRED) -> Any:
    """A name, which sentences about the other fields have; with a default it may be empty."""
    return checked(validate.name if default is REQUIRED else _optional_name, default=default)


def number(unit: str = "", *, default: Any = REQUIRED) -> Any:
    """A finite number."""
    return checked(validate.number, unit, default=default)


def positive(unit: str = "", *, default: Any = REQUIRED, repr: bool = True) -> Any:
    """A number above zero."""
    return checked(validate.positive, unit, default=default, repr=repr)


def not_negative(unit: str = "", *, default: Any = REQUIRED) -> Any:
    """A number that is zero or more."""
    return checked(validate.not_negative, unit, default=default)


def not_zero(unit: str = "", *, default: Any = REQUIRED) -> Any:
    """A number of either sign."""
    return checked(validate.not_zero, unit, default=default)


def unit_vector(*, default: Any = REQUIRED) -> Any:
    """A direction, stored as a unit vector (3,)."""
    return checked(validate.axis, default=default)


def vector(
    unit: str = "", size: int = 3, expected: str | None = None, *, default: Any = REQUIRED
) -> Any:
    """Finite numbers, shape (size,)."""
    return checked(validate.vector, unit, default=default, size=size, expected=expected)


def choice(*, default: Any = REQUIRED, repr: bool = True) -> Any:
    """One of the values of the field's annotation, a Literal."""
    return checked(choice, default=default, repr=repr)


def _optional_name(kind: str, value: Any) -> str:
    if not isinstance(value, str):
        raise ModelError(kind, "name", value, "a text")
    return validate.written(kind, "name", value)


class Constructor:
    """``__init__`` of a class until it is first asked for, when it is written and takes its place.

    So classes that nobody makes an item of cost nothing at the start.
    """

    def __init__(self, cls: type, arguments: Mapping[str, Argument]) -> None:
        self.cls, self.arguments = cls, arguments
        self.wrap: Callable[[Any], Any] = lambda function: function

    def __get__(self, item: Any, owner: type | None = None) -> Any:
        """The function, bound to an item."""
        function = self.wrap(self._written())
        setattr(self.cls, "__init__", function)  # noqa: B010 (it is no method to mypy)
        return function if item is None else function.__get__(item, owner)

    def _written(self) -> Any:
        checks = {f"_{n}_": self._check_of(a) for n, a in self.arguments.items()}
        text = "\n        ".join(self._lines())
        source = (
            f"def make({', '.join(checks)}):\n    def __init__(self, {', '.join(self.arguments)}):"
            f"\n        {text}\n    return __init__"
        )
        # Annotations stay texts; their words are those of the modules that declare the fields.
        scope: dict[str, Any] = {"__name__": self.cls.__module__}
        for _, annotation, module, _ in self.arguments.values():
            known = vars(sys.modules[module])
            scope |= {w: known[w] for w in re.findall(r"\w+", annotation) if w in known}
        exec(compile(source, f"<fields of {self.cls.__name__}>", "exec"), scope)
        function = scope.pop("make")(**checks)
        defaults = [a.declaration.default for a in self.arguments.values()]
        function.__defaults__ = tuple(x for x in defaults if x is not REQUIRED)
        texts = {name: _accepted(a.annotation) for name, a in self.arguments.items()}
        function.__annotations__ = texts | {"return": "None"}
        function.__qualname__ = f"{self.cls.__qualname__}.__init__"
        return function

    def _lines(self) -> Iterator[str]:
        """The lines of the function; local names are such as no argument has."""
        yield "_owner_, _own_ = type(self).__name__, self.__dict__"
        if "name" in self.arguments:
            yield "_own_['name'] = _name_(_owner_, name)"
            yield "_owner_ = f'{_owner_} {name!r}' if name else _owner_"
        for name, (declaration, _, _, stored) in self.arguments.items():
            if name == "name" or not stored:
                continue
            value = name
            if declaration.check is not None:
                value = f"_{name}_(_owner_, {name!r}, {name})"
                if declaration.default is None:
                    value = f"None if {name} is None else {value}"
            yield f"_own_[{name!r}] = {value}"
        if hasattr(self.cls, "_check"):
            more = [name for name, a in self.arguments.items() if not a.stored]
            yield f"self._check({', '.join(['_owner_', *more])})"

    def _check_of(self, argument: Argument) -> Check | None:
        check = argument.declaration.check
        if check is not choice:
            return check
        hint = eval(argument.annotation, vars(sys.modules[argument.module]))
        options = get_args(hint)
        if type(None) in options:
            options = get_args(options[0])
        return partial(validate.choice, options=options)


def _accepted(annotation: str) -> str:
    """The first type in ``Given[Axis, Vector]``, the type in ``InitVar[Axis]``, or all of it."""
    kind, bracket, inside = annotation.partition("[")
    if not bracket or kind not in ("Given", "InitVar"):
        return annotation
    depth = 0
    for k, sign in enumerate(inside):
        if depth == 0 and sign in ",]":
            return inside[:k]
        depth += (sign in "[(") - (sign in "])")
    return inside


@overload
@dataclass_transform(
    frozen_default=True,
    eq_default=False,
    field_specifiers=(
        checked,
        given,
        named,
        number,
        positive,
        not_negative,
        not_zero,
        unit_vector,
        vector,
        choice,
    ),
)
def declared(cls: type[Item]) -> type[Item]: ...
@overload
def declared(*, init: bool = True, eq: bool = False) -> Callable[[type[Item]], type[Item]]: ...
def declared(cls: Any = None, *, init: bool = True, eq: bool = False) -> Any:
    """Make a frozen dataclass of declared fields; ``init=False`` for a base."""
    if cls is None:
        return partial(declared, init=init, eq=eq)
    annotations = get_annotations(cls)
    arguments: dict[str, Argument] = dict(getattr(cls, "declared_fields", {}))
    for name, declaration in list(vars(cls).items()):
        if not isinstance(declaration, Declaration):
            continue
        stored = not annotations[name].startswith("InitVar")
        arguments[name] = Argument(declaration, annotations[name], cls.__module__, stored)
        delattr(cls, name)
        if not stored:
            del cls.__annotations__[name]
        elif not declaration.repr:
            setattr(cls, name, field(repr=False))
    cls.declared_fields = arguments
    if init:
        cls.__init__ = Constructor(cls, arguments)
    return dataclass(frozen=True, eq=eq, init=False)(cls)


def stored(cls: type[Item]) -> type[Item]:
    """Make a frozen dataclass of a base whose fields are declared by the classes derived from it.

    Each of them has these fields among its arguments at the place that it says.
    """
    return dataclass(frozen=True, eq=False, init=False)(cls)
