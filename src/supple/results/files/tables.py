"""Results as tables in files: CSV, and Parquet by pyarrow. One row for each output time."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import write_whole
from supple.foundation.errors import SuppleError
from supple.results.files.dataset import COMPONENTS, Track, values_of


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
