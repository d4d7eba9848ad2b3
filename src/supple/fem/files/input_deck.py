"""Nodes and node sets of an input file of CalculiX or Abaqus."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError
from supple.foundation.input_files import path_of, read_text

# Nodes of one range of a set; more of them are a mistyped number.
MOST = 10_000_000


@dataclass
class InputDeck:
    """Node numbers (N,), their places (N, 3) as written in the file, and sets of node numbers."""

    labels: Indices
    places: Array
    sets: dict[str, list[int]] = field(default_factory=dict)


def read_deck(path: Path) -> InputDeck:
    """Read ``*NODE`` and ``*NSET`` of a file and of those that it includes."""
    nodes: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    for block in _blocks(path, ()):
        if block.keyword == "NODE":
            new = {}
            for row in block.rows:
                values = [*block.numbers(row, float, 1), 0.0, 0.0, 0.0]
                new[block.numbers(row[:1], int)[0]] = values[:3]
            nodes.update(new)
            if "NSET" in block.options:
                sets.setdefault(block.options["NSET"], []).extend(new)
        elif block.keyword == "NSET":
            _add_set(sets, block)
    if not nodes:
        raise ModelError.plain(f"{path.name}: there is no *NODE, expected places of nodes")
    labels = np.array(sorted(nodes))
    return InputDeck(labels, np.array([nodes[int(k)] for k in labels]), sets)


@dataclass
class _Block:
    """A keyword with its options and the rows of entries that follow it."""

    file: str
    keyword: str
    options: dict[str, str]
    rows: list[list[str]] = field(default_factory=list)

    def numbers(self, row: list[str], kind: type[Any], first: int = 0) -> list[Any]:
        """Entries of a row from ``first`` on as finite numbers."""
        try:
            found = [kind(entry) for entry in row[first:]]
        except ValueError:
            found = [math.nan]
        if not all(map(math.isfinite, found)):
            raise ModelError.plain(
                f"{self.file}: a line of *{self.keyword} is {', '.join(row)!r}, expected numbers"
            )
        return found


def _add_set(sets: dict[str, list[int]], block: _Block) -> None:
    members = sets.setdefault(block.options.get("NSET", ""), [])
    for row in block.rows:
        if "GENERATE" in block.options:
            first, last, step = block.numbers([*row, "1", "1"][:3], int)
            if step < 1 or (last - first) // step > MOST:
                raise ModelError.plain(
                    f"{block.file}: a line of *NSET is {', '.join(row)!r}, expected first node, "
                    "last node and a positive step"
                )
            members.extend(range(first, last + 1, step))
            continue
        for entry in row:
            # A name stands for a set that has been read before.
            members.extend([int(entry)] if entry.isdecimal() else sets.get(entry.upper(), []))


def _blocks(path: Path, above: tuple[Path, ...]) -> Iterator[_Block]:
    """Keywords with their rows, with included files in their place; ``above`` include this one."""
    if path.resolve() in above:
        raise ModelError.plain(f"{path.name}: it includes itself, expected other files")
    block: _Block | None = None
    for line in read_text(path, "an input file with *NODE", replaced=True).splitlines():
        text = line.strip()
        if not text or text.startswith("**"):
            continue
        if not text.startswith("*"):
            row = [entry.strip() for entry in text.split(",") if entry.strip()]
            if block is not None and row:
                block.rows.append(row)
            continue
        if block is not None:
            yield block
        keyword, *given = (part.strip() for part in text[1:].split(","))
        pairs = [part.partition("=") for part in given]
        # Names are compared in capitals, as both programs do; names of files are not.
        files = {k.strip().upper(): v.strip() for k, _, v in pairs}
        block = _Block(path.name, keyword.upper(), {k: v.upper() for k, v in files.items()})
        if block.keyword == "INCLUDE" and "INPUT" in files:
            included = path.parent / path_of(path.name, "INCLUDE", files["INPUT"].strip('"'))
            yield from _blocks(included, (*above, path.resolve()))
    if block is not None:
        yield block
