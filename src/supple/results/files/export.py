"""Results for other programs: tables in CSV and Parquet, NetCDF, and a folder of VTK files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import FileError, ModelError, SuppleError
from supple.foundation.input_files import path_of
from supple.results.files.dataset import COMPONENTS, Track, values_of, write
from supple.results.files.vtk_series import write_series

if TYPE_CHECKING:
    from supple.results.result import Result
    from supple.results.saved import SavedResult


class Column(NamedTuple):
    """One column: "link2.position.x", its units, and values (nt,)."""

    name: str
    units: str
    values: Array

    @property
    def title(self) -> str:
        """Name and units: "link2.position.x (m)"; a plain number has none."""
        return self.name if self.units in ("", "1") else f"{self.name} ({self.units})"


def columns(data: Track, names: Iterable[str] = ()) -> Iterator[Column]:
    """Time and variables by name, all of them without names, vectors component by component."""
    yield Column("time", "s", data.t)
    for name in names or data.variables:
        values, variable = values_of(data, name), data.variables[name]
        if not variable.dim:
            yield Column(name, variable.units, values)
            continue
        labels, units = COMPONENTS[variable.dim], variable.units.split(", ")
        share = len(labels) // len(units)  # a wrench has two units
        for k, label in enumerate(labels):
            yield Column(f"{name}.{label}", units[k // share], values[:, k])


def write_csv(data: Track, path: str | Path, names: Iterable[str] = ()) -> Path:
    """Write a CSV file: a header with names and units, then one row for each time."""
    table = list(columns(data, names))
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.title for column in table])
    writer.writerows(np.column_stack([column.values for column in table]).tolist())
    return write_whole(path, text.getvalue().encode())


def parquet_library() -> tuple[Any, Any]:
    """The modules pyarrow and pyarrow.parquet, or one sentence on how to install them."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError as reason:
        raise SuppleError(
            f"Parquet files need the package pyarrow ({reason}), install it with: "
            "pip install 'supple[parquet]'"
        ) from reason
    return pa, pq


def write_parquet(data: Track, path: str | Path, names: Iterable[str] = ()) -> Path:
    """Write a Parquet file; columns have their units as metadata ``units``."""
    pa, pq = parquet_library()
    table = list(columns(data, names))
    fields = [pa.field(c.name, pa.float64(), metadata={"units": c.units}) for c in table]
    about = {f"supple.{k}": str(data.attrs[k]) for k in ("model", "verdict") if k in data.attrs}
    arrays = [pa.array(np.ascontiguousarray(c.values)) for c in table]
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields, about)), buffer)
    return write_whole(path, buffer.getbuffer())


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
