"""Components from Nastran: grid points of a bulk data file, matrices of an OUTPUT4 text file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from supple.errors import ModelError, suggestion
from supple.fem.imported import ImportedComponent
from supple.fem.input_deck import InputDeck
from supple.fem.matrix_rows import Units, component_of_rows

# A real number of Nastran may leave out the E of its exponent: 1.5-3.
_SHORT_EXPONENT = re.compile(r"(?<=[0-9.])([+-])(?=[0-9])")
# Row number and length of a string of entries are packed into one integer in small matrices.
PACKED = 65536
# Types of OUTPUT4 that are real: single and double precision.
REAL_TYPES = (1, 2)


def read_nastran(
    model: str | Path,
    matrices: str | Path,
    units: Units = "m",
    stiffness: str = "KGG",
    mass: str = "MGG",
) -> ImportedComponent:
    """Read a free body: GRID entries of ``model`` and two matrices of ``matrices`` (FORMATTED).

    The matrices have six rows for each grid point, in the order of their numbers (g-set). Rotations
    without any stiffness and mass, as in a model of solids only, are left out.
    """
    deck = read_grids(model)
    found = read_output4(matrices)
    for name in (stiffness, mass):
        if name not in found:
            near = suggestion(name, list(found))
            raise ModelError.plain(f"{Path(matrices).name}: there is no matrix {name!r}, {near}")
    K, M = found[stiffness], found[mass]
    pairs = np.stack(
        [np.repeat(deck.labels, 6), np.tile(np.arange(1, 7), len(deck.labels))], axis=1
    )
    for name, matrix in ((stiffness, K), (mass, M)):
        if matrix.shape != (len(pairs), len(pairs)):
            raise ModelError.plain(
                f"{Path(matrices).name}: {name} has the shape {matrix.shape}, expected 6 rows for "
                f"each of {len(deck.labels)} grid points"
            )
    turning = pairs[:, 1] > 3
    if abs(K[turning]).sum() == 0.0 and abs(M[turning]).sum() == 0.0:
        K, M, pairs = K[~turning][:, ~turning], M[~turning][:, ~turning], pairs[~turning]
    return component_of_rows(Path(matrices).stem, deck, pairs, M, K, units)


def read_grids(path: str | Path) -> InputDeck:
    """Numbers and places of the GRID entries of a bulk data file, in basic coordinates."""
    grids: dict[int, list[float]] = {}
    lines = [line.split("$")[0].rstrip() for line in Path(path).read_text().splitlines()]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        head = line[:8].split(",")[0].strip().upper()
        if head not in ("GRID", "GRID*"):
            continue
        fields = _fields(line, following)
        number = int(fields[0])
        for at, meaning in ((1, "CP"), (5, "CD")):
            if fields[at] not in ("", "0"):
                raise ModelError.plain(
                    f"{Path(path).name}: GRID {number} has {meaning} = {fields[at]}, expected 0 or "
                    "nothing, for basic coordinates"
                )
        grids[number] = [float(_SHORT_EXPONENT.sub(r"E\1", f)) if f else 0.0 for f in fields[2:5]]
    if not grids:
        raise ModelError.plain(f"{Path(path).name}: there is no GRID, expected places of nodes")
    labels = np.array(sorted(grids))
    return InputDeck(labels, np.array([grids[int(k)] for k in labels]))


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


def read_output4(path: str | Path) -> dict[str, sparse.csc_array]:
    """Real matrices of an OUTPUT4 text file by name: dense, sparse, and sparse with BIGMAT."""
    try:
        lines = Path(path).read_text(encoding="ascii").splitlines()
    except UnicodeDecodeError:
        raise ModelError.plain(
            f"{Path(path).name}: it is a binary file, expected text (FORMATTED in ASSIGN OUTPUT4)"
        ) from None
    found: dict[str, sparse.csc_array] = {}
    at = 0
    while at < len(lines) and lines[at].strip():
        name, matrix, at = _matrix(Path(path).name, lines, at)
        found[name] = matrix
    return found


def _matrix(file: str, lines: list[str], at: int) -> tuple[str, sparse.csc_array, int]:
    """Name, matrix, and the line after it. Entries follow headers of integers only."""
    head = lines[at]
    columns, rows, _, kind = (int(head[k : k + 8]) for k in (0, 8, 16, 24))
    name, layout = head[32:40].strip(), re.search(r"E(\d+)\.", head[40:])
    if kind not in REAL_TYPES or layout is None:
        raise ModelError.plain(f"{file}: matrix {name!r} is of type {kind}, expected real numbers")
    width, at = int(layout.group(1)), at + 1
    entries: list[tuple[int, int, float]] = []
    column = row = 0
    while at < len(lines):
        header = _integers(lines[at])
        at += 1
        if header is None:
            values = lines[at - 1].rstrip()
            for k in range(0, len(values), width):
                entries.append((row, column, float(values[k : k + width].replace("D", "E"))))
                row += 1
        elif len(header) == 3:
            column, row, _ = header
            if column > columns:
                at += 1  # the end of a matrix has one entry without meaning
                break
        else:
            # One integer, or two of a matrix with BIGMAT, before each string of entries.
            row = header[1] if len(header) == 2 else header[0] % PACKED
    table: Any = np.array(entries).reshape(-1, 3)
    ends = (table[:, 0].astype(int) - 1, table[:, 1].astype(int) - 1)
    shape = (abs(rows), columns)
    return name, sparse.csc_array(sparse.coo_array((table[:, 2], ends), shape)), at


def _integers(line: str) -> list[int] | None:
    """Integers of a header line; None for a line of entries."""
    fields = line.split()
    return [int(f) for f in fields] if all(re.fullmatch(r"-?\d+", f) for f in fields) else None
