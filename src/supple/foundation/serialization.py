"""Data as one block of bytes, and back: numbers, texts, arrays, and lists and mappings of these.

The block is an NPZ file: arrays as they are in memory, and the rest as JSON. Each part has a check
sum. Reading one runs no code, and needs no more memory than the block is long.
"""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any

import numpy as np

TREE = "tree"
MARK = "array"  # of a mapping that stands for an array


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
