"""Results for other programs: the kind of file follows from the ending of its path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from supple.foundation import validate
from supple.foundation.errors import FileError, ModelError, SuppleError
from supple.foundation.input_files import path_of
from supple.results.files.dataset import write
from supple.results.files.tables import parquet_library, write_csv, write_parquet

if TYPE_CHECKING:
    from supple.results.files.saved import SavedResult
    from supple.results.result import Result

TABLES = (".csv", ".parquet")
FILES = (*TABLES, ".nc")


def export(
    result: Result | SavedResult, path: str | Path, names: Sequence[str] = (), every: int = 1
) -> Path:
    """Write a result as a table (.csv, .parquet), as NetCDF (.nc), or as VTK files into a folder.

    Parameters
    ----------
    path : a file with one of these endings, or a folder, which is made
    names : variables of a table; all of them without names
    every : of VTK files, every n-th output time and the last one

    Returns the path of the file, or of ``run.pvd`` in the folder.
    """
    target = path_of("export", "path", path)
    every = validate.count("export", "every", every, 1)
    ending = "" if target.is_dir() else target.suffix.lower()
    refuse_export(target, ending, names, every)
    if ending == ".csv":
        return write_csv(result.track(), target, names)
    if ending == ".parquet":
        return write_parquet(result.track(), target, names)
    if ending == ".nc":
        return write(result.dataset, target)
    from supple.results.vtk_series import write_series

    return write_series(result, target, every)


def refuse_export(target: Path, ending: str, names: Sequence[str], every: int) -> None:
    """Refuse what cannot be written, before anything is computed for it."""
    if ending and ending not in FILES:
        known = f"{', '.join(FILES[:-1])} or {FILES[-1]}"
        raise FileError(f"export: the path {str(target)!r} has none of the endings {known}")
    if names and ending not in TABLES:
        found = ", ".join(repr(name) for name in names)
        raise SuppleError(f"export: names are for tables, found {found} with {str(target)!r}")
    if ending and every != 1:
        raise ModelError("export", "every", every, "1 with a file, which has all times")
    if ending == ".parquet":
        parquet_library()
