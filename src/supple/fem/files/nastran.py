"""Components from Nastran: grid points of a bulk data file, matrices of an OUTPUT4 file."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from scipy import sparse

from supple.fem.base.imported import ImportedComponent
from supple.fem.files.input_deck import InputDeck
from supple.fem.files.matrix_rows import Units, component_of_rows
from supple.fem.files.output4 import PACKED, REAL_TYPES, Output4Matrix, is_binary, read_binary
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.input_files import existing, path_of, read_text
from supple.foundation.validate import text

# A real number of Nastran may leave out the E of its exponent: 1.5-3.
_SHORT_EXPONENT = re.compile(r"(?<=[0-9.])([+-])(?=[0-9])")


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
    for field, name in (("stiffness", stiffness), ("mass", mass)):
        text(owner, field, name, "the name of a matrix")
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
