"""Storage of the rows of matrices: whole, or only the entries of the plan (``layout.py``).

Row i of a stored matrix begins at a number of its buffer, so that its entry (i, j) is j numbers
behind. Rows may lie over each other as long as no two entries meet (Tarjan and Yao, "Storing a
sparse table", 1979): the rows of a group have entries in the same columns, and each group is put
where all its entries find free numbers first. So kernels find an entry without a search, and the
room is little more than there are entries.

How long the buffers are does not depend on which rows of a link are in use: these may be exchanged
during a run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.linalg import multifrontal as blocks
from supple.engine.sparsity.structure import Structure, room_of

TRIES = 2000  # places that are looked at before a group goes behind everything else


@dataclass
class _Rows:
    """Places of rows that are stored together, and the numbers that they need."""

    used: np.ndarray = field(default_factory=lambda: np.zeros(1024, dtype=bool))
    length: int = 0
    start: int = 0  # the first free number in the group that was put last: holes before it are left
    shapes: dict[tuple[int, bytes], tuple[int, np.ndarray]] = field(default_factory=dict)

    def put(self, columns: np.ndarray, count: int) -> list[int]:
        """Places of ``count`` rows with entries in these columns, which are sorted."""
        if not count or not len(columns):
            return [0] * count
        step, shape = self._shape(columns, count)
        begin = int(columns[0])
        place = max(self.start - begin, 0)
        for _ in range(TRIES):
            places = place + begin + shape
            taken = self._taken(places)
            if not taken.any():
                break
            last = int(places[taken][-1])  # this entry goes to the next free number, or farther
            place += self._next_free(last) - last
        else:
            place = max(self.length - begin, 0)
        places = place + begin + shape
        self._taken(places)
        self.used[places] = True
        self.length = max(self.length, int(places[-1]) + 1)
        self.start = self._next_free(int(places[0]))
        return [place + step * k for k in range(count)]

    def _shape(self, columns: np.ndarray, count: int) -> tuple[int, np.ndarray]:
        """Numbers between rows of a group, and places of all their entries behind the first."""
        own = columns - columns[0]
        key = count, own.tobytes()
        if key not in self.shapes:
            step = len(own)  # what is far away of one group lies between the rows of another one
            while True:
                places = (own[None, :] + step * np.arange(count)[:, None]).ravel()
                places.sort()
                if not np.any(np.diff(places) == 0):
                    break
                step += 1
            self.shapes[key] = step, places
        return self.shapes[key]

    def _taken(self, places: np.ndarray) -> np.ndarray:
        if places[-1] >= len(self.used):
            more = max(int(places[-1]) + 1, 2 * len(self.used))
            self.used = np.concatenate([self.used, np.zeros(more - len(self.used), dtype=bool)])
        taken: np.ndarray = self.used[places]
        return taken

    def _next_free(self, place: int) -> int:
        step = 64
        while place < len(self.used):
            part = self.used[place : place + step]
            gap = int(part.argmin())
            if not part[gap]:
                return place + gap
            place, step = place + step, 4096
        return len(self.used)


def write(bare: np.ndarray, s: Structure, plan: np.ndarray) -> np.ndarray:
    """Lists of places of a model's rows; how its matrices are stored goes into the head."""
    nu, nr = s.nu, s.nr
    bare[at.H_LISTED], bare[at.H_LISTED_ROWS] = nu, nr
    bare[at.H_PLANNED] = int(plan[at.PLAN_NEWTON] > 0)
    counting = np.arange(nu + nr, dtype=np.int64)
    if plan[at.PLAN_NEWTON]:
        lists = _planned(bare, s, plan)
    else:
        own, rows = counting[:nu], counting[:nr]
        bare[at.H_TALL] = bare[at.H_DEEP] = nu
        bare[at.H_LINES] = bare[at.H_SOLVED] = bare[at.H_ENVELOPE] = nr
        bare[at.H_STACK] = bare[at.H_FACTORS] = 0
        lists = [own, rows, own, rows, rows]
    return np.concatenate([*lists, counting]).astype(np.int64, copy=False)


def _planned(bare: np.ndarray, s: Structure, plan: np.ndarray) -> list[np.ndarray]:
    newton = plan[plan[at.PLAN_NEWTON] :]
    bare[[at.H_STACK, at.H_FACTORS]] = newton[blocks.STACK], newton[blocks.FACTORS]
    row_of, bare[at.H_TALL] = _of_velocities(s.nu, newton)
    line_of, bare[at.H_LINES] = _of_links(s, [sorted(ends) for ends in s.acts])
    lower_of, solved_of = np.zeros(s.nu, dtype=int), np.zeros(s.nr, dtype=int)
    schur_of = np.zeros(s.nr, dtype=int)
    bare[[at.H_DEEP, at.H_SOLVED, at.H_ENVELOPE]] = 0
    if plan[at.PLAN_USABLE]:
        reach = plan[plan[at.PLAN_REACH] :][: s.nu]
        lengths = np.where(reach >= 0, np.arange(s.nu) - reach + 1, 1)
        begin = np.cumsum(lengths) - lengths
        lower_of, bare[at.H_DEEP] = np.maximum(begin - reach, 0), int(lengths.sum()) + 1
        records = plan[plan[at.PLAN_LINKS] :][: s.nl * at.PLAN_INTS].reshape(s.nl, at.PLAN_INTS)
        solved_of, bare[at.H_SOLVED] = _of_links(s, [_blocks(plan, row) for row in records])
        schur_of, bare[at.H_ENVELOPE] = _envelope(s, plan, records)
    return [row_of, line_of, lower_of, solved_of, schur_of]


def _of_velocities(nu: int, newton: np.ndarray) -> tuple[np.ndarray, int]:
    """Places of the rows of tangents, and their room."""
    first, count = newton[blocks.RECORDS], newton[blocks.COUNT]
    records = newton[first : first + count * blocks.RECORD_INTS].reshape(count, blocks.RECORD_INTS)
    own = records[records[:, blocks.CODE] == blocks.TANGENT]
    own = own[np.lexsort((own[:, blocks.COLUMN], own[:, blocks.ROW]))]
    found, rows = np.zeros(nu, dtype=int), _Rows()
    starts = np.flatnonzero(np.diff(own[:, blocks.ROW], prepend=-1))
    known: dict[bytes, np.ndarray] = {}  # columns behind the first one: most groups are alike
    runs = own[:, [blocks.COLUMN, blocks.NCOLUMN]]
    firsts = own[starts][:, [blocks.ROW, blocks.NROW, blocks.COLUMN]].tolist()
    for part, (row, number, begin) in zip(np.split(runs, starts[1:]), firsts, strict=True):
        key = (part - [begin, 0]).tobytes()
        if key not in known:
            columns = [np.arange(first, first + count) for first, count in part - [begin, 0]]
            known[key] = np.unique(np.concatenate(columns))
        found[row : row + number] = rows.put(begin + known[key], number)
    return found, rows.length


def _of_links(s: Structure, columns: Iterable[Any]) -> tuple[np.ndarray, int]:
    """Places of the rows in use of links, which have entries in some columns, and their room."""
    found, rows = np.zeros(s.nr, dtype=int), _Rows()
    for link, mine, own in zip(s.links, s.rows, columns, strict=True):
        places = rows.put(np.array(own, dtype=int), room_of(link))
        found[mine] = places[: len(mine)]
    return found, rows.length


def _blocks(plan: np.ndarray, record: np.ndarray) -> np.ndarray:
    """Velocities of the blocks that a link acts on."""
    begin, count = int(record[at.PLAN_RANGES]), int(record[at.PLAN_NRANGES])
    ranges = plan[begin : begin + 2 * count].reshape(count, 2)
    return np.concatenate([np.zeros(0, dtype=int), *(np.arange(a, b) for a, b in ranges)])


def _envelope(s: Structure, plan: np.ndarray, records: np.ndarray) -> tuple[np.ndarray, int]:
    """Places of the rows of S, one behind the other from the first that each reaches.

    There is room for all rows that links may have.
    """
    order = plan[plan[at.PLAN_ORDER] :][: s.nl]
    rooms = np.array([room_of(link) for link in s.links], dtype=int)[order]
    ends = np.cumsum(rooms)
    place = {int(c): int(end - room) for c, end, room in zip(order, ends, rooms, strict=True)}
    free = int(records[:, at.PLAN_FREE].sum())
    low = plan[plan[at.PLAN_LOWS] :][:free]
    lengths = np.arange(free) - low + 1
    begin = np.cumsum(lengths) - lengths
    found = np.zeros(s.nr, dtype=int)
    found[:free] = begin - low
    room = 0
    for c, record in enumerate(records):
        first, count = int(record[at.PLAN_PAIRS]), int(record[at.PLAN_NPAIRS])
        before = plan[first : first + 3 * count : 3]
        reach = min((place[int(d)] for d in before), default=place[c])
        number = room_of(s.links[c])
        room += number * (place[c] - reach) + number * (number + 1) // 2
    return found, max(room, int(lengths.sum())) + 1
