"""Sources of commands: a saved result, or a model file that is run first."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from supple.commands.answers import asked_rightly, refuse

if TYPE_CHECKING:
    from supple.io.modelfiles.model_file import ModelFile
    from supple.io.robots.robot_file import RobotFile
    from supple.results.result import Result
    from supple.results.saved import SavedResult

SIGNATURE = b"\x89HDF\r\n\x1a\n"  # of HDF5, which NetCDF-4 is
RESULTS = (".nc", ".nc4", ".h5", ".hdf5")
MODELS = (".yaml", ".yml")
EITHER = "a saved result (.nc) or a model file (.yaml)"
VERSION = re.compile(rb"^supple[ \t]*:", re.MULTILINE)  # a key of every model file

# Arguments that several commands have.
File = Annotated[Path, typer.Argument(help="A model file, or a robot: URDF or MJCF file.")]
Until = Annotated[
    float | None, typer.Option(help="End of the run in s, in place of the file's t_end.")
]
Source = Annotated[Path, typer.Argument(help="A saved result, or a model file, which is run.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON and nothing else.")]


def holds_result(path: Path) -> bool:
    """True if a file is, or should be, a saved result."""
    if path.suffix.lower() in RESULTS:
        return True
    with path.open("rb") as file:
        return file.read(len(SIGNATURE)) == SIGNATURE


def expect_file(path: Path, expected: str) -> None:
    """Refuse a path without a file that can be read."""
    from supple.foundation.input_files import existing

    with asked_rightly():
        existing(path, expected)


def model_file(path: Path, expected: str = "a model file") -> ModelFile | RobotFile:
    """A model file, or a robot by its ending; what is wrong within it is told by its own error."""
    from supple.io.robots import ENDINGS

    expect_file(path, expected)
    if path.suffix.lower() in ENDINGS:
        from supple.io.robots.robot_file import RobotFile

        return RobotFile(path)
    if holds_result(path):
        refuse(f"{path.name}: it is a result, which has no model, expected a model file")
    if path.suffix.lower() not in MODELS and not VERSION.search(path.read_bytes()):
        refuse(f"{path.name}: it is something else, expected {expected}")
    from supple.io.modelfiles.model_file import ModelFile

    return ModelFile(path)


def result_of(path: Path) -> Result | SavedResult:
    """The result in a file, or that of a model file, which is run; its outputs are not written."""
    expect_file(path, EITHER)
    if holds_result(path):
        from supple.foundation.errors import SuppleWarning
        from supple.results.saved import load_result

        with asked_rightly():
            found = load_result(path)
        if not found.success:
            warnings.warn(f"{path.name}: {found.message}", SuppleWarning, stacklevel=2)
        return found
    return model_file(path, EITHER).simulate()


def matching(asked: Iterable[str], names: Iterable[str], extra: Iterable[str] = ()) -> list[str]:
    """Names that were asked for, ``*`` and ``?`` standing for any characters, each once.

    ``extra`` names, of objects for example, are known too but no pattern means them.
    """
    from supple.foundation.errors import suggestion

    known, others = list(names), list(extra)
    found: list[str] = []
    for name in asked:
        if name in known or name in others:
            found.append(name)
            continue
        fits = [entry for entry in known if fnmatchcase(entry, name)]
        if not fits:
            refuse(f"the result has no quantity {name!r}, {suggestion(name, others + known)}")
        found += fits
    return list(dict.fromkeys(found))
