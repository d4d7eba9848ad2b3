"""Answers of commands: exit codes, JSON, refusals.

The exit codes are told to users in docs/how-to/command-line.md.
"""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import typer

from supple.foundation.startup_interrupt import STOPPED

NO, WRONG_CALL = 1, 2  # the answer is no; the call is wrong
OPTIONS = {"t_end": "until"}  # that are not called as arguments of `simulate` are
PICTURES, PAGES = (".png", ".svg", ".pdf"), (".html", ".htm")


def refuse(sentence: str) -> NoReturn:
    """End the command because it was called wrongly."""
    typer.echo(f"supple: {sentence}", err=True)
    raise typer.Exit(WRONG_CALL)


@contextmanager
def asked_rightly() -> Iterator[None]:
    """Errors meanwhile are those of the call: a name that is unknown, a file that is no result."""
    from supple.foundation.errors import SuppleError

    try:
        yield
    except SuppleError as error:
        refuse(str(error))


@contextmanager
def warned_plainly() -> Iterator[None]:
    """Warnings of Supple meanwhile are sentences, each once; no line of a program belongs to them.

    Others stay as they are.
    """
    from supple.foundation import progress
    from supple.foundation.errors import SuppleWarning

    usual, told = warnings.showwarning, set[str]()

    def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
        if not issubclass(category, SuppleWarning):
            usual(message, category, *where, **more)
        elif str(message) not in told:
            told.add(str(message))
            progress.clear()
            typer.echo(f"supple: warning: {message}", err=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", SuppleWarning)
        warnings.showwarning = show
        yield


@contextmanager
def named_by_options(given: Mapping[str, Any], owner: str = "simulate") -> Iterator[None]:
    """Errors meanwhile about arguments that options gave are those of the call, and name these."""
    from supple.foundation.errors import ModelError, describe

    try:
        yield
    except ModelError as error:
        if error.object != owner or error.field not in given:
            raise
        option = OPTIONS.get(error.field, error.field.replace("_", "-"))
        refuse(f"--{option} is {describe(error.found)}, expected {error.expected}")


def expect_place(path: Path | None, endings: tuple[str, ...] = ()) -> None:
    """Refuse a file to be written that cannot be, before anything is computed for it."""
    from supple.foundation.atomic_files import check_target

    if path is None:
        return
    if endings and path.suffix.lower() not in endings:
        known = f"{', '.join(endings[:-1])} or {endings[-1]}" if endings[1:] else endings[0]
        refuse(f"the file {str(path)!r} cannot be written: expected a name that ends with {known}")
    with asked_rightly():
        check_target(path)


def expect_folder(path: Path) -> None:
    """Make a folder for files to be written, or refuse it, before anything is computed for them."""
    from supple.foundation.atomic_files import make_folder

    with asked_rightly():
        make_folder(path)


def expect_apart(source: Path, what: str = "what is read", **targets: Path | None) -> None:
    """Refuse files to be written that are the source, or each other."""
    seen = {source.resolve(): what}
    for name, path in targets.items():
        if path is not None:
            if (place := path.resolve()) in seen:
                refuse(f"--{name.replace('_', '-')} is {seen[place]}, expected another file")
            seen[place] = f"also --{name.replace('_', '-')}"


def conclude_run(result: Any) -> None:
    """End the command as a run did: 130 after Ctrl-C, 1 if it failed."""
    if not result.success:
        raise typer.Exit(STOPPED if getattr(result, "stopped", False) else NO)


def conclude(holds: bool) -> None:
    """End the command with the exit code of its answer."""
    if not holds:
        raise typer.Exit(NO)


def print_json(answer: Any) -> None:
    """Print an answer as JSON: numbers that are not finite become null, paths texts."""
    typer.echo(json.dumps(plain(answer), indent=1, allow_nan=False, ensure_ascii=False))


def plain(value: Any) -> Any:
    """A value made of what JSON knows; arrays and numbers of NumPy like those of Python.

    Complex numbers become pairs of a real and an imaginary part.
    """
    if isinstance(value, Mapping):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [plain(entry) for entry in value]
    if isinstance(value, bool) or value is None or isinstance(value, (int, str)):
        return value.value if isinstance(value, Enum) else value
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, complex):
        return [plain(value.real), plain(value.imag)]
    if isinstance(value, (np.generic, np.ndarray)):
        return plain(value.tolist())
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")
