"""Binary OUTPUT4 files in the layout of the manuals of Nastran."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy import sparse

LAYOUTS = ("dense", "sparse", "big")


def record(content: bytes, order: str) -> bytes:
    """A record of Fortran: its length before and after it."""
    mark = np.array([len(content)], f"{order}i4").tobytes()
    return mark + content + mark


def column(layout: str, values: np.ndarray, order: str, kind: str) -> tuple[int, bytes]:
    """First row (0 if sparse) and content of a column with entries that are not zero."""
    words = int(kind[1:]) // 4
    there = np.flatnonzero(values)
    if layout == "dense":
        first, last = there[0], there[-1]
        return first + 1, values[first : last + 1].astype(order + kind).tobytes()
    content = b""
    for string in np.split(there, np.flatnonzero(np.diff(there) > 1) + 1):
        length, row = words * len(string), int(string[0]) + 1
        head = [length + 1, row] if layout == "big" else [row + 65536 * (length + 1)]
        content += np.array(head, f"{order}i4").tobytes()
        content += values[string].astype(order + kind).tobytes()
    return 0, content


def write_binary(
    path: Path, matrices: dict[str, object], layout: str, order: str = "<", kind: str = "f8"
) -> Path:
    """Write matrices; ``layout`` is one of LAYOUTS, ``order`` that of bytes, ``kind`` f4 or f8."""
    content = b""
    for name, given in matrices.items():
        matrix = sparse.csc_array(given).toarray()
        rows = -len(matrix) if layout == "big" else len(matrix)
        head = np.array([matrix.shape[1], rows, 6, {"f4": 1, "f8": 2}[kind]], f"{order}i4")
        content += record(head.tobytes() + name.ljust(8).encode(), order)
        for k in np.flatnonzero(np.any(matrix != 0.0, axis=0)):
            first, data = column(layout, matrix[:, k], order, kind)
            start = np.array([k + 1, first, len(data) // 4], f"{order}i4")
            content += record(start.tobytes() + data, order)
        last = np.array([matrix.shape[1] + 1, 1, int(kind[1:]) // 4], f"{order}i4")
        content += record(last.tobytes() + np.ones(1, order + kind).tobytes(), order)
    path.write_bytes(content)
    return path
