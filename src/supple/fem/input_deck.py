"""Nodes and node sets of an input file of CalculiX or Abaqus."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from supple.errors import ModelError
from supple.fem.solid_kinds import Array, Indices


@dataclass
class InputDeck:
    """Node numbers (N,), their places (N, 3) as written in the file, and sets of node numbers."""

    labels: Indices
    places: Array
    sets: dict[str, list[int]] = field(default_factory=dict)


def read_deck(path: str | Path) -> InputDeck:
    """Read ``*NODE`` and ``*NSET`` of a file and of those that it includes."""
    nodes: dict[int, list[float]] = {}
    sets: dict[str, list[int]] = {}
    for keyword, options, rows in _blocks(Path(path)):
        if keyword == "NODE":
            new = {int(row[0]): [float(x) for x in row[1:4]] for row in rows}
            nodes.update({k: [*v, 0.0, 0.0][:3] for k, v in new.items()})
            if "NSET" in options:
                sets.setdefault(options["NSET"], []).extend(new)
        elif keyword == "NSET":
            _add_set(sets, options, rows)
    if not nodes:
        raise ModelError.plain(f"{Path(path).name}: there is no *NODE, expected places of nodes")
    labels = np.array(sorted(nodes))
    return InputDeck(labels, np.array([nodes[int(k)] for k in labels]), sets)


def _add_set(sets: dict[str, list[int]], options: dict[str, str], rows: list[list[str]]) -> None:
    members = sets.setdefault(options.get("NSET", ""), [])
    for row in rows:
        if "GENERATE" in options:
            first, last, step = (int(x) for x in [*row, "1"][:3])
            members.extend(range(first, last + 1, step))
            continue
        for entry in row:
            # A name stands for a set that has been read before.
            members.extend([int(entry)] if entry.isdigit() else sets.get(entry.upper(), []))


def _blocks(path: Path) -> Iterator[tuple[str, dict[str, str], list[list[str]]]]:
    """Keyword, options and rows of entries, with included files in their place."""
    head: tuple[str, dict[str, str]] | None = None
    rows: list[list[str]] = []
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        text = line.strip()
        if not text or text.startswith("**"):
            continue
        if not text.startswith("*"):
            rows.append([entry.strip() for entry in text.split(",") if entry.strip()])
            continue
        if head is not None:
            yield *head, rows
        keyword, *given = (part.strip() for part in text[1:].split(","))
        pairs = [part.partition("=") for part in given]
        # Names are compared in capitals, as both programs do; names of files are not.
        files = {k.strip().upper(): v.strip() for k, _, v in pairs}
        options = {k: v.upper() for k, v in files.items()}
        head, rows = (keyword.upper(), options), []
        if keyword.upper() == "INCLUDE" and "INPUT" in files:
            yield from _blocks(path.parent / files["INPUT"].strip('"'))
    if head is not None:
        yield *head, rows
