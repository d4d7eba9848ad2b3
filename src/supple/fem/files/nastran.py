"""Components from Nastran: grid points of a bulk data file, matrices of an OUTPUT4 file.

Matrices of Nastran's OUTPUT4, and its binary (UNFORMATTED) files. A file is a sequence of Fortran
records: four bytes of length, the content, the length again. A matrix begins with a record of
columns, rows, form, type and name. Each column that is not zero follows as a record: column, first
row (0 if sparse), number of words, entries. Sparse columns are strings of entries, each after one
packed integer or, with BIGMAT, after two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from supple.fem.base.imported import ImportedComponent
from supple.fem.files.input_deck import InputDeck
from supple.fem.files.matrix_rows import Units, component_of_rows
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.input_files import existing, path_of, read_text
from supple.foundation.validate import text

# Row number and length of a string of entries are packed into one integer in small matrices.
PACKED = 65536
# Types of OUTPUT4 that are real, single and double precision, and their words for each entry.
REAL_TYPES = {1: 1, 2: 2}
# Bytes of a header: four integers and the name; some programs add a word.
HEADERS = (24, 28)
# A real number of Nastran may leave out the E of its exponent: 1.5-3.
_SHORT_EXPONENT = re.compile(r"(?<=[0-9.])([+-])(?=[0-9])")


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
    """True if a file is not text."""
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


def read_nastran(
    model: str | Path,
    matrices: str | Path,
    units: Units = "m",
    stiffness: str = "KGG",
    mass: str = "MGG",
) -> ImportedComponent:
    """Read a free body: GRID entries of ``model`` and two matrices of ``matrices`` (OUTPUT4).

    The matrices are text (FORMATTED) or binary (UNFORMATTED), of either byte order.

    The matrices have six rows for each grid point, in the order of their numbers (g-set). Rotations
    without any stiffness and mass, as in a model of solids only, are left out.
    """
    owner = "read_nastran"
    bulk, file = path_of(owner, "model", model), path_of(owner, "matrices", matrices)
    for wanted, name in (("stiffness", stiffness), ("mass", mass)):
        text(owner, wanted, name, "the name of a matrix")
    deck = read_grids(bulk)
    found = read_output4(file)
    for name in (stiffness, mass):
        if name not in found:
            near = suggestion(name, list(found))
            raise ModelError.plain(f"{file.name}: there is no matrix {name!r}, {near}")
    K, M = found[stiffness], found[mass]
    pairs = np.stack(
        [np.repeat(deck.labels, 6), np.tile(np.arange(1, 7), len(deck.labels))], axis=1
    )
    for name, matrix in ((stiffness, K), (mass, M)):
        if matrix.shape != (len(pairs), len(pairs)):
            raise ModelError.plain(
                f"{file.name}: {name} has the shape {matrix.shape}, expected 6 rows for "
                f"each of {len(deck.labels)} grid points"
            )
    turning = pairs[:, 1] > 3
    if abs(K[turning]).sum() == 0.0 and abs(M[turning]).sum() == 0.0:
        K, M, pairs = K[~turning][:, ~turning], M[~turning][:, ~turning], pairs[~turning]
    return component_of_rows(file.stem, deck, pairs, M, K, units)


def read_grids(path: Path) -> InputDeck:
    """Numbers and places of the GRID entries of a bulk data file, in basic coordinates."""
    grids: dict[int, list[float]] = {}
    text = read_text(path, "a bulk data file with GRID", replaced=True)
    lines = [line.split("$")[0].rstrip().expandtabs(8) for line in text.splitlines()]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        head = line[:8].split(",")[0].strip().upper()
        if head not in ("GRID", "GRID*"):
            continue
        fields = _fields(line, following)
        number, place = _grid(path.name, fields)
        for at, meaning in ((1, "CP"), (5, "CD")):
            if fields[at] not in ("", "0"):
                raise ModelError.plain(
                    f"{path.name}: GRID {number} has {meaning} = {fields[at]}, expected 0 or "
                    "nothing, for basic coordinates"
                )
        grids[number] = place
    if not grids:
        raise ModelError.plain(f"{path.name}: there is no GRID, expected places of nodes")
    labels = np.array(sorted(grids))
    return InputDeck(labels, np.array([grids[int(k)] for k in labels]))


def _grid(file: str, fields: list[str]) -> tuple[int, list[float]]:
    """Number and place of a GRID entry."""
    try:
        number = int(fields[0])
        place = [float(_SHORT_EXPONENT.sub(r"E\1", f)) if f else 0.0 for f in fields[2:5]]
    except ValueError:
        number, place = 0, []
    if number < 1 or not place or not np.all(np.isfinite(place)):
        shown = ", ".join(fields)
        raise ModelError.plain(
            f"{file}: a GRID has the fields {shown!r}, expected a number and a place"
        )
    return number, place


def _fields(line: str, following: str) -> list[str]:
    """Number, CP, x, y, z, CD of a GRID entry in free, small or large fields."""
    if "," in line:
        found = line.split(",")[1:]
    elif line[:8].rstrip().endswith("*"):
        row = line.ljust(72)[8:72] + following.ljust(72)[8:72]
        found = [row[k : k + 16] for k in range(0, len(row), 16)]
    else:
        row = line.ljust(72)[8:72]
        found = [row[k : k + 8] for k in range(0, len(row), 8)]
    return [*(f.strip() for f in found), *[""] * 6][:6]


def read_output4(path: Path) -> dict[str, sparse.csc_array]:
    """Real matrices of an OUTPUT4 file by name: text or binary, dense, sparse, with BIGMAT."""
    expected = "matrices of OUTPUT4"
    if is_binary(existing(path, expected)):
        return read_binary(path)
    lines = read_text(path, expected, replaced=True).splitlines()
    found: dict[str, sparse.csc_array] = {}
    at = 0
    while at < len(lines) and lines[at].strip():
        try:
            matrix, at = _matrix(path.name, lines, at)
        except (ValueError, IndexError) as reason:
            if isinstance(reason, ModelError):
                raise
            raise ModelError.plain(
                f"{path.name}: line {at + 1} begins no matrix that can be read, expected a header "
                "of OUTPUT4 and its columns"
            ) from reason
        found[matrix.name] = matrix.built(path)
    if not found:
        raise ModelError.plain(f"{path.name}: it holds no matrix, expected {expected}")
    return found


def _matrix(file: str, lines: list[str], at: int) -> tuple[Output4Matrix, int]:
    """Matrix, and the line after it. Entries follow headers of integers only."""
    head = lines[at]
    columns, rows, _, kind = (int(head[k : k + 8]) for k in (0, 8, 16, 24))
    name, layout = head[32:40].strip(), re.search(r"E(\d+)\.", head[40:])
    if kind not in REAL_TYPES or layout is None:
        raise ModelError.plain(f"{file}: matrix {name!r} is of type {kind}, expected real numbers")
    width, at = int(layout.group(1)), at + 1
    matrix = Output4Matrix(name, abs(rows), columns)
    column = row = 0
    while at < len(lines):
        header = _integers(lines[at])
        at += 1
        if header is None:
            values = lines[at - 1].rstrip()
            for k in range(0, len(values), width):
                matrix.add(row, column, [float(values[k : k + width].replace("D", "E"))])
                row += 1
        elif len(header) == 3:
            column, row, _ = header
            if column > columns:
                return matrix, at + 1  # the end of a matrix has one entry without meaning
        else:
            # One integer, or two of a matrix with BIGMAT, before each string of entries.
            row = header[1] if len(header) == 2 else header[0] % PACKED
    raise ModelError.plain(f"{file}: it ends within matrix {name!r}, expected all of its columns")


def _integers(line: str) -> list[int] | None:
    """Integers of a header line; None for a line of entries."""
    fields = line.split()
    return [int(f) for f in fields] if all(re.fullmatch(r"-?\d+", f) for f in fields) else None
