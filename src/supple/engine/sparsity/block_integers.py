"""Atoms of Newton's unknowns, and integers of a plan that lie one behind the other."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from supple.core.linalg import multifrontal as kernel

Run = tuple[int, int, int]  # first number, how many, place in the atom


@dataclass
class Atom:
    """Unknowns that are never divided, velocities first; of links there is room for more rows."""

    velocities: list[int] = field(default_factory=list)
    states: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    room: int = 0  # rows that there may be
    runs: list[Run] = field(default_factory=list)  # of all its velocities, once they are asked for

    @property
    def size(self) -> int:
        """Unknowns in use."""
        return len(self.velocities) + len(self.states) + len(self.rows)

    @property
    def most(self) -> int:
        """Unknowns that there may be."""
        return len(self.velocities) + len(self.states) + self.room

    def of_velocities(self, some: set[int] | None = None) -> list[Run]:
        """Runs of its velocities, or of some of them."""
        if some is not None:
            return runs_of([(k, i) for i, k in enumerate(self.velocities) if k in some])
        if not self.runs:
            self.runs = runs_of([(k, i) for i, k in enumerate(self.velocities)])
        return self.runs

    def of_states(self) -> list[Run]:
        """Its controller states, one by one."""
        return [(z, 1, len(self.velocities) + i) for i, z in enumerate(self.states)]

    def of_rows(self) -> list[Run]:
        """Runs of its rows."""
        first = len(self.velocities) + len(self.states)
        return runs_of([(r, first + i) for i, r in enumerate(self.rows)])


def runs_of(numbered: list[tuple[int, int]]) -> list[Run]:
    """Runs of numbers with their places, both one by one."""
    found: list[Run] = []
    for number, place in numbered:
        if found and found[-1][0] + found[-1][1] == number and found[-1][2] + found[-1][1] == place:
            found[-1] = found[-1][0], found[-1][1] + 1, found[-1][2]
        else:
            found.append((number, 1, place))
    return found


def begins(lengths: np.ndarray) -> np.ndarray:
    """Where lists of these lengths begin that lie one behind the other."""
    return np.asarray(np.cumsum(lengths) - lengths)


def flat(lists: list[list[int]]) -> np.ndarray:
    """Numbers of all lists."""
    return np.fromiter(chain.from_iterable(lists), dtype=np.int64)


class Integers:
    """Parts of a plan, one behind the other."""

    def __init__(self) -> None:
        self.head = np.zeros(kernel.HEAD, dtype=np.int64)
        self.parts = [self.head]

    @property
    def length(self) -> int:
        """Of all parts so far."""
        return sum(map(len, self.parts))

    def add(self, place: int, part: np.ndarray) -> None:
        """Add a part, whose place is noted in the head."""
        self.head[place] = self.length
        self.parts.append(part)

    def joined(self) -> np.ndarray:
        """All parts in one array."""
        return np.concatenate(self.parts).astype(np.int64)
