"""Text of standard input data (SID) of a flexible body: blocks of matrices of order 0 and 1.

O. Wallrapp, Mech. Struct. Mach. 22 (1994) 283-304. Every quantity X of the body is written as
X(q) = m0 + sum_b m1_b q_b, in a block between its name and ``end``. The layout is that of FEMBS,
the preprocessor of Simpack: numbers may have Fortran's exponents, entries that are zero are left
out, and the entries of order 1 are ``m1(row, coordinate b, column)``. Structure is 0 for a zero
matrix, 1 diagonal, 2 symmetric (one half is enough), 3 full, 4 unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of, read_text

ENTRY = re.compile(r"m([01])\s*\(\s*(\d+)\s*,\s*(\d+)\s*(?:,\s*(\d+)\s*)?\)$")
ZERO, DIAGONAL, SYMMETRIC, FULL, UNIT = range(5)


@dataclass
class Block:
    """Lines between a word and its ``end``: values ``key = text`` and further blocks."""

    kind: str
    label: str = ""
    values: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def value(self, key: str) -> str | None:
        """Text of the first value of that name."""
        return next((text for name, text in self.values if name == key), None)

    def block(self, kind: str) -> Block | None:
        """The first block of that kind."""
        return next((inner for inner in self.blocks if inner.kind == kind), None)


@dataclass(frozen=True, eq=False)
class Taylor:
    """A matrix of order 0 (rows, columns) and, or None, of order 1 (rows, columns, coordinates)."""

    m0: Vector
    m1: Vector | None = None

    @property
    def first(self) -> Vector | float:
        """Order 1, zero if there is none."""
        return 0.0 if self.m1 is None else self.m1


def read_blocks(path: str | Path) -> Block:
    """The block ``modal`` of a file; what stands before ``part`` is a comment."""
    owner = f"SID file {str(path)!r}"
    file = path_of("SID file", "path", path)
    if not file.exists():
        raise ModelError.plain(f"{owner}: there is no such file, expected a text file")
    lines = read_text(file, "standard input data", owner).splitlines()
    stack: list[Block] = []
    for number, raw in enumerate(lines, start=1):
        words, _, text = raw.partition("=")
        words, text = " ".join(words.split()), text.strip()
        if not words or (not stack and words != "part"):
            continue
        if words.startswith("end "):
            if words[4:] != stack[-1].kind:
                _refuse(file, number, raw, f"end {stack[-1].kind}")
            done = stack.pop()
            if not stack:
                modal = done.block("modal")
                if modal is None:
                    raise ModelError.plain(
                        f"SID file {file.name!r}: there is no block 'modal', expected one in 'part'"
                    )
                return modal
        elif words.startswith("new ") or "=" not in raw:
            inner = Block(words.removeprefix("new "), text)
            if stack:
                stack[-1].blocks.append(inner)
            stack.append(inner)
        else:
            stack[-1].values.append((words, text))
    where = f"the end of '{stack[-1].kind}'" if stack else "a block 'part'"
    raise ModelError.plain(f"SID file {file.name!r}: it ends too early, expected {where}")


def matrix(owner: str, block: Block, rows: int, columns: int, n: int) -> Taylor:
    """The matrix (rows, columns) of a block, for n coordinates."""
    order, structure = (_integer(owner, block, key) for key in ("order", "structure"))
    size = tuple(_integer(owner, block, key) for key in ("nrow", "ncol"))
    if size != (rows, columns):
        raise ModelError(owner, f"nrow, ncol of {block.kind}", size, f"{rows}, {columns}")
    if order not in (0, 1):
        raise ModelError(owner, f"order of {block.kind}", order, "0 or 1")
    if structure not in range(5):
        raise ModelError(owner, f"structure of {block.kind}", structure, "an integer from 0 to 4")
    if order and n and _integer(owner, block, "nq") != n:
        expected = f"{n}, the number of elastic coordinates"
        raise ModelError(owner, f"nq of {block.kind}", block.value("nq"), expected)
    try:
        m0 = np.eye(rows, columns) if structure == UNIT else np.zeros((rows, columns))
        m1 = np.zeros((rows, columns, n if order else 0))
    except MemoryError:
        raise ModelError(owner, f"nrow, ncol of {block.kind}", size, "less") from None
    given: set[tuple[int, ...]] = set()
    for place, value in _entries(owner, block):
        target, limits = (m0, (rows, columns)) if len(place) == 2 else (m1, (rows, n, columns))
        if any(not 1 <= k <= most for k, most in zip(place, limits, strict=True)):
            expected = f"m1(row, coordinate, column) within {rows}, {n}, {columns}"
            if len(place) == 2:
                expected = f"m0(row, column) within {rows}, {columns}"
            raise ModelError(owner, f"an entry of {block.kind}", place, expected)
        if len(place) == 3 and not order:
            continue
        i, j = place[0] - 1, place[-1] - 1
        target[(i, j, *(k - 1 for k in place[1:-1]))] = value
        given.add((i, j, *place[1:-1]))
    if structure == SYMMETRIC and rows == columns:
        for i, j, *b in given:
            if (j, i, *b) not in given:
                target = m1 if b else m0
                target[(j, i, *(k - 1 for k in b))] = target[(i, j, *(k - 1 for k in b))]
    return Taylor(m0, m1 if order else None)


def write_matrix(name: str, taylor: Taylor, n: int, symmetric: bool = False) -> Iterator[str]:
    """Lines of a block; digits are enough to read the same numbers again."""
    rows, columns = taylor.m0.shape
    order = 0 if taylor.m1 is None or not taylor.m1.any() else 1
    structure = FULL if order or taylor.m0.any() else ZERO
    if symmetric and structure == FULL:
        structure = SYMMETRIC
    yield name
    sizes = {"order": order, "nrow": rows, "ncol": columns, "nq": n, "nqn": 0}
    for key, size in {**sizes, "structure": structure}.items():
        yield f"  {key:<12} = {size}"
    for i, j in np.argwhere(taylor.m0):
        yield f"  m0({i + 1:3d},{j + 1:3d})      = {number(taylor.m0[i, j])}"
    if order and taylor.m1 is not None:
        for i, j, b in np.argwhere(taylor.m1):
            yield f"  m1({i + 1:3d},{b + 1:3d},{j + 1:3d})  = {number(taylor.m1[i, j, b])}"
    yield f"end {name}"


def number(value: float) -> str:
    """A number with Fortran's exponent."""
    return f"{value:.16E}".replace("E", "D")


def real(owner: str, what: str, text: str | None) -> float:
    """A number of the file, with an exponent of Fortran or of others."""
    try:
        found = float((text or "").upper().replace("D", "E"))
    except ValueError:
        found = np.nan
    if not np.isfinite(found):
        raise ModelError(owner, what, text, "a finite number")
    return found


def _entries(owner: str, block: Block) -> Iterator[tuple[tuple[int, ...], float]]:
    for key, text in block.values:
        match = ENTRY.match(key)
        if match:
            order, *places = match.groups()
            if (places[2] is not None) != (order == "1"):
                raise ModelError(owner, f"an entry of {block.kind}", key, "m0(i, j) or m1(i, b, j)")
            place = tuple(int(k) for k in places if k is not None)
            yield place, real(owner, f"{key} of {block.kind}", text)


def _integer(owner: str, block: Block, key: str) -> int:
    text = block.value(key)
    if text is None or not text.lstrip("+-").isdigit():
        raise ModelError(owner, f"{key} of {block.kind}", text, "an integer")
    return int(text)


def _refuse(file: Path, number: int, line: str, expected: str) -> None:
    found = " ".join(line.split())
    raise ModelError.plain(
        f"SID file {file.name!r}: line {number} is {found!r}, expected {expected!r}"
    )
