"""Errors and warnings, each a sentence that says what to change; libraries of extras."""

from __future__ import annotations

import importlib
import numbers
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

LONGEST_TEXT = 160


class SuppleError(Exception):
    """Base of all errors raised on purpose by Supple."""


class ModelError(SuppleError, ValueError):
    """Something in a model is wrong.

    Parameters
    ----------
    object : str
        Who is wrong, for example ``"RigidBody 'link1'"``.
    field : str
        Which of its fields, for example ``"mass"``.
    found : Any
        What was given.
    expected : str
        What would be right, for example ``"a positive number"``.

    The text is ``RigidBody 'link1': mass is -1.0, expected a positive number``.
    """

    object: str
    field: str
    found: Any
    expected: str

    def __init__(self, object: str, field: str, found: Any, expected: str) -> None:
        super().__init__(f"{object}: {field} is {describe(found)}, expected {expected}")
        self.object, self.field, self.found, self.expected = object, field, found, expected

    @classmethod
    def plain(cls, sentence: str) -> ModelError:
        """Make an error from a sentence that does not fit the usual pattern."""
        return _plain_model_error(cls, sentence, ("", "", None, ""))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by sentence and fields, so that workers can send the error back."""
        # What was found may be anything, even something that cannot travel: send its text.
        fields = (self.object, self.field, describe(self.found), self.expected)
        return _plain_model_error, (type(self), str(self), fields)


def _plain_model_error(
    cls: type[ModelError], sentence: str, fields: tuple[str, str, Any, str]
) -> ModelError:
    error = cls.__new__(cls)
    Exception.__init__(error, sentence)
    error.object, error.field, error.found, error.expected = fields
    return error


class ArgumentError(ModelError, TypeError):
    """A call has arguments that are not known, too many of them, or none where one is needed."""


class SimulationError(SuppleError):
    """A run could not be started or finished."""


class FileError(SuppleError, OSError):
    """A file cannot be written or read."""


class SuppleWarning(UserWarning):
    """Legal but suspicious input."""


@contextmanager
def without_warnings() -> Iterator[None]:
    """No warnings of Supple meanwhile: about parts of something that tells what matters itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        yield


def warn_caller(sentence: str) -> None:
    """Warn about a run under way, at the line outside of Supple that asked for it."""
    level, frame = 1, sys._getframe()
    while frame.f_back and str(frame.f_globals.get("__name__")).partition(".")[0] == "supple":
        level, frame = level + 1, frame.f_back
    warnings.warn(sentence, SuppleWarning, stacklevel=level)


def percent(part: float) -> str:
    """A part as a percentage: two digits, or all before the point."""
    return f"{100.0 * part:.2g} %" if part < 0.995 else f"{100.0 * part:.0f} %"


def label(item: Any) -> str:
    """Kind and name of an item, for example ``RigidBody 'link1'``."""
    kind = getattr(item, "kind_name", type(item).__name__)
    return f"{kind} {item.name!r}"


def describe(value: Any) -> str:
    """Short text of a value for an error sentence; long ones are cut."""
    text = _text(value)
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 4] + " ..."


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if isinstance(value, (list, tuple)):
        return "(" + ", ".join(_entry(v) for v in value) + ")"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if isinstance(getattr(value, "name", None), str):
        return label(value)
    try:
        return " ".join(repr(value).split())
    except Exception:  # of an object that is half made
        return f"an object of {type(value).__name__}"


def _entry(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else _text(value)


def closest(word: object, words: list[str]) -> str | None:
    """Return the entry of ``words`` that looks most like ``word``, if any is near."""
    import difflib

    found = difflib.get_close_matches(str(word), words, n=1, cutoff=0.5)
    return found[0] if found else None


def suggestion(word: object, words: list[str]) -> str:
    """End of a sentence about an unknown name: the closest one, or all of them if few."""
    near = closest(word, words)
    if near is not None:
        return f"did you mean {near!r}?"
    if not words:
        return "there are none yet"
    shown = ", ".join(repr(w) for w in words[:8])
    return f"known: {shown}" + (", ..." if len(words) > 8 else "")


class MissingExtraError(SuppleError, ImportError):
    """A library is not installed that an optional part of Supple needs."""


def need(module: str, distribution: str, extra: str, purpose: str) -> Any:
    """Import a module, or say in one sentence how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as reason:
        raise MissingExtraError(
            f"{purpose} need the package {distribution} ({reason}), "
            f"install it with: pip install 'supple[{extra}]'"
        ) from reason
