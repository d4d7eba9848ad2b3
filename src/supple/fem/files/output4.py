"""Matrices of Nastran's OUTPUT4, and its binary (UNFORMATTED) files.

A file is a sequence of Fortran records: four bytes of length, the content, the length again. A
matrix begins with a record of columns, rows, form, type and name. Each column that is not zero
follows as a record: column, first row (0 if sparse), number of words, entries. Sparse columns are
strings of entries, each after one packed integer or, with BIGMAT, after two.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from supple.foundation.errors import ModelError

# Row number and length of a string of entries are packed into one integer in small matrices.
PACKED = 65536
# Types of OUTPUT4 that are real, single and double precision, and their words for each entry.
REAL_TYPES = {1: 1, 2: 2}
# Bytes of a header: four integers and the name; some programs add a word.
HEADERS = (24, 28)


@dataclass
class Output4Matrix:
    """A matrix while it is read: its entries in strings along columns.

    ``big`` says that strings of a sparse column begin with two integers (BIGMAT).
    """

    name: str
    rows: int
    columns: int
    big: bool = False
    strings: list[tuple[int, int, Any]] = field(default_factory=list)

    def add(self, row: int, column: int, values: Any) -> None:
        """Entries of one column from a row on; both count from 1."""
        self.strings.append((row, column, values))

    def built(self, path: Path) -> sparse.csc_array:
        """The matrix (rows, columns); refuse sizes that no file of this length can have."""
        shape = (self.rows, self.columns)
        size = path.stat().st_size
        if min(shape) < 1 or max(shape) > size:
            raise ModelError.plain(
                f"{path.name}: matrix {self.name!r} has the shape {shape} in a file of {size} "
                "bytes, expected one that fits"
            )
        lengths = [len(values) for _, _, values in self.strings]
        row = [first + np.arange(len(values)) for first, _, values in self.strings]
        column = np.repeat([column for _, column, _ in self.strings], lengths)
        data = [np.asarray(values, dtype=float) for _, _, values in self.strings]
        i, j = np.concatenate([*row, []]).astype(int) - 1, column.astype(int) - 1
        if len(i) and (min(i.min(), j.min()) < 0 or i.max() >= self.rows or j.max() >= shape[1]):
            raise ModelError.plain(
                f"{path.name}: an entry of matrix {self.name!r} is outside, expected rows and "
                f"columns within {shape}"
            )
        return sparse.csc_array(sparse.coo_array((np.concatenate([*data, []]), (i, j)), shape))


def is_binary(path: Path) -> bool:
    """Whether a file is not text."""
    with path.open("rb") as file:
        return b"\0" in file.read(64)


def read_binary(path: Path) -> dict[str, sparse.csc_array]:
    """Real matrices of a binary file by name, of either byte order, with integers of 32 bits."""
    content = path.read_bytes()
    order = next((o for o in "<>" if _integer(content, 0, o) in HEADERS), None)
    if order is None:
        raise ModelError.plain(
            f"{path.name}: it is a binary file that does not begin as one of OUTPUT4, expected a "
            "record of 24 or 28 bytes (32-bit integers), or text"
        )
    found: dict[str, sparse.csc_array] = {}
    current: Output4Matrix | None = None
    words = 2
    for record in _records(path.name, content, order):
        if current is None:
            current, words = _begin(path.name, record, order)
        elif _integer(record, 0, order) > current.columns:
            found[current.name] = current.built(path)
            current = None
        else:
            _column(path.name, current, record, order, words)
    if current is not None:
        raise ModelError.plain(
            f"{path.name}: it ends within matrix {current.name!r}, expected all of its columns"
        )
    return found


def _records(name: str, content: bytes, order: str) -> Iterator[bytes]:
    at = 0
    while at < len(content):
        size = _integer(content, at, order)
        end = at + 4 + size
        if size < 12 or end + 4 > len(content) or _integer(content, end, order) != size:
            raise ModelError.plain(
                f"{name}: the record at byte {at} is cut off or damaged, expected {size} bytes "
                "between two equal lengths"
            )
        yield content[at + 4 : end]
        at = end + 4


def _begin(name: str, record: bytes, order: str) -> tuple[Output4Matrix, int]:
    if len(record) not in HEADERS:
        raise ModelError.plain(
            f"{name}: a header has {len(record)} bytes, expected 24 or 28 (32-bit integers)"
        )
    columns, rows, _, kind = (int(k) for k in np.frombuffer(record[:16], f"{order}i4"))
    title = record[16:24].decode("ascii", errors="replace").strip()
    if kind not in REAL_TYPES:
        raise ModelError.plain(f"{name}: matrix {title!r} is of type {kind}, expected real numbers")
    big = rows < 0 or rows >= PACKED
    return Output4Matrix(title, abs(rows), columns, big), REAL_TYPES[kind]


def _column(name: str, matrix: Output4Matrix, record: bytes, order: str, words: int) -> None:
    column, row, _ = (int(k) for k in np.frombuffer(record[:12], f"{order}i4"))
    kind, at = f"{order}f{4 * words}", 12
    if row > 0:
        matrix.add(row, column, np.frombuffer(record[12 : _whole(record, words)], kind))
        return
    while at < len(record):
        if matrix.big:
            length, row = _integer(record, at, order) - 1, _integer(record, at + 4, order)
            at += 8
        else:
            length, row = divmod(_integer(record, at, order), PACKED)
            length, at = length - 1, at + 4
        end = at + 4 * length
        if length < words or length % words or end > len(record):
            raise ModelError.plain(
                f"{name}: column {column} of matrix {matrix.name!r} has a string of {length} "
                f"words, expected a multiple of {words} within its record"
            )
        matrix.add(row, column, np.frombuffer(record[at:end], kind))
        at = end


def _whole(record: bytes, words: int) -> int:
    """End of the last whole entry of a dense column."""
    return 12 + (len(record) - 12) // (4 * words) * 4 * words


def _integer(content: bytes, at: int, order: str) -> int:
    return int.from_bytes(content[at : at + 4], "little" if order == "<" else "big", signed=True)
