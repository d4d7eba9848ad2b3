"""Check sums (CRC-32) of what is written to files: damage is told, never taken for a result."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 2**20  # bytes of a file that are read at once


def sum_of(*parts: Any) -> int:
    """The sum of numbers, texts, bytes, arrays, and lists and mappings of these."""
    total = 0
    for part in parts:
        total = added(total, part)
    return total


def added(total: int, part: Any) -> int:
    """A sum that goes on with another part; kinds and lengths count, so that parts never mix."""
    if isinstance(part, Mapping):
        pairs = sorted((str(name), value) for name, value in part.items())
        return added(total, [entry for pair in pairs for entry in pair])
    if isinstance(part, (list, tuple)):
        total = zlib.crc32(b"list %d" % len(part), total)
        for entry in part:
            total = added(total, entry)
        return total
    if isinstance(part, np.ndarray) and part.dtype.kind in "biuf":
        total = zlib.crc32(f"{part.dtype.kind}{part.dtype.itemsize} {part.shape}".encode(), total)
        return zlib.crc32(np.ascontiguousarray(part, part.dtype.newbyteorder("<")).data, total)
    if isinstance(part, (bytes, bytearray, memoryview)):
        return zlib.crc32(part, zlib.crc32(b"bytes %d" % len(part), total))
    if isinstance(part, (np.ndarray, np.generic)):
        part = part.tolist()
    text = json.dumps(part, default=str).encode()
    return zlib.crc32(text, zlib.crc32(b"text %d" % len(text), total))


def sum_in_file(path: Path, start: int, size: int, total: int = 0) -> tuple[int, bool]:
    """The sum of bytes in a file from a place on, and whether their numbers are all finite."""
    finite, left = True, size
    with path.open("rb") as file:
        file.seek(start)
        while left > 0:
            chunk = file.read(min(CHUNK, left))
            if not chunk:
                break
            total, left = zlib.crc32(chunk, total), left - len(chunk)
            finite = finite and bool(np.isfinite(np.frombuffer(chunk, "<f8")).all())
    return total, finite and left == 0


def sum_of_rows(rows: np.ndarray, total: int) -> int:
    """A sum of raw numbers that goes on with further rows."""
    return zlib.crc32(np.ascontiguousarray(rows).data, total) if rows.size else total


def dataset_sum(dataset: Any, without: Iterable[str] = ()) -> int:
    """The sum of everything in an xarray dataset but some of its attributes."""
    left = set(without)
    variables = {
        str(name): [list(map(str, v.dims)), v.values, _plain(v.attrs)]
        for name, v in dataset.variables.items()
    }
    attributes = {name: value for name, value in dataset.attrs.items() if name not in left}
    return sum_of(variables, _plain(attributes))


def _plain(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes as every library of NetCDF gives them back."""
    # Some give a list of one number back as that number.
    return {str(name): np.ravel(np.asarray(value)).tolist() for name, value in attributes.items()}
