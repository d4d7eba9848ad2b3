"""Buffer space for the outputs of sampled controllers.

A model is compiled with one constant piece for each held effort. A run knows how many changes there
may be, and replaces it by that many pieces behind all other data; nothing else moves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from supple.core.base import layout as at
from supple.core.forces import signals as kernel
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array
from supple.signals.piecewise import OPEN_END

Rooms = Mapping[int, int]  # pieces by number of the signal


def with_rooms(compiled: Compiled, rooms: Rooms) -> Compiled:
    """The model with so many pieces of some signals, and reals of its own that can be written."""
    reals: dict[int, Array] = {}  # one array for all that share it
    return _widened(compiled, rooms, reals)


def _widened(c: Compiled, rooms: Rooms, known: dict[int, Array]) -> Compiled:
    if id(c.reals) not in known:
        known[id(c.reals)] = _with_numbers(c, rooms)
    return replace(
        c,
        ints=_with_sizes(c.ints, rooms),
        all_ints=None if c.all_ints is None else _with_sizes(c.all_ints, rooms),
        reals=known[id(c.reals)],
        whole=None if c.whole is None else _widened(c.whole, rooms, known),
    )


def length(pieces: int) -> int:
    """Numbers of a signal: breaks, origins, and one coefficient for each piece."""
    return 3 * pieces + 1


def _with_sizes(given: np.ndarray, rooms: Rooms) -> np.ndarray:
    ints = given.copy()
    place = int(ints[at.SIZES["data"]])
    table, programs = at.integers(ints, "signal"), at.integers(ints, "program")
    for number, pieces in rooms.items():
        table[number, at.SIGNAL_AT] = place
        sizes = programs[table[number, at.SIGNAL_PROGRAM] :]
        sizes[kernel.PIECES], sizes[kernel.COEFFICIENTS] = pieces, 1
        place += length(pieces)
    ints[at.SIZES["data"]] = place
    ints.flags.writeable = False
    return ints


def _with_numbers(c: Compiled, rooms: Rooms) -> Array:
    """Reals with pieces of zeros behind the other data."""
    begin, shape = at.TREE_RECORD.places(c.sizes)["data"]
    end = begin + shape[0]
    added = [np.zeros(length(pieces)) for pieces in rooms.values()]
    for numbers, pieces in zip(added, rooms.values(), strict=True):
        numbers[0], numbers[1 : pieces + 1] = -OPEN_END, OPEN_END
    return np.concatenate([c.reals[:end], *added, c.reals[end:]])


def pieces_of(c: Compiled, number: int) -> tuple[Array, Array]:
    """Breaks (n + 1,) and values (n,) of a signal with rooms, views that can be written."""
    c.reals.flags.writeable = True
    model = at.read_model(c.ints, c.reals)
    x = model.data[model.signal[number, at.SIGNAL_AT] :]
    n = int(model.program[model.signal[number, at.SIGNAL_PROGRAM] + kernel.PIECES])
    return x[: n + 1], x[2 * n + 1 : 3 * n + 1]
