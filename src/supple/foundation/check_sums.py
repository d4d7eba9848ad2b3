"""Check sums (CRC-32) of what is written to files: damage is told, never taken for a result.

Data as one block of bytes, and back: numbers, texts, arrays, and lists and mappings of these. The
block is an NPZ file: arrays as they are in memory, and the rest as JSON. Each part has a check sum.
Reading one runs no code, and needs no more memory than the block is long.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

CHUNK = 2**20  # bytes of a file that are read at once
TREE = "tree"
MARK = "array"  # of a mapping that stands for an array


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


def pack(data: Any) -> memoryview:
    """Data as bytes."""
    arrays: dict[str, np.ndarray] = {}

    def noted(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if isinstance(value, (bytes, bytearray, memoryview)):
            value = np.frombuffer(value, dtype=np.uint8)
        if not isinstance(value, np.ndarray):
            raise TypeError(f"{type(value).__name__} is no data")
        name = str(len(arrays))
        arrays[name] = value
        return {MARK: name}

    text = json.dumps(data, default=noted)
    arrays[TREE] = np.frombuffer(text.encode(), dtype=np.uint8)
    buffer = io.BytesIO()
    np.savez(buffer, allow_pickle=False, **arrays)
    return buffer.getbuffer()


def unpack(content: bytes) -> Any:
    """Data of bytes; raises ValueError, KeyError or zipfile.BadZipFile if they are damaged."""
    if not content.startswith(b"PK"):
        raise ValueError("it is no NPZ file")
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        if any(part.compress_type != zipfile.ZIP_STORED for part in members.infolist()):
            raise ValueError("its parts are compressed")
    with np.load(io.BytesIO(content), allow_pickle=False) as file:

        def found(mapping: dict[str, Any]) -> Any:
            return file[mapping[MARK]] if set(mapping) == {MARK} else mapping

        return json.loads(file[TREE].tobytes().decode(), object_hook=found)
