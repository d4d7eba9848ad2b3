"""Sparsity of the equations with constraints: the elimination plan of ``elimination.py``.

It is read from the compiled integers alone: nodes, columns and links. The velocities of each tree
on the ground are a diagonal block of the mass matrix. The coordinates of a closing joint, which
have no mass and occur in its own rows only, are eliminated together with these rows. The rows that
are left are coupled where they act on the same block; they are numbered by reverse Cuthill-McKee.
The plan of Newton's unknowns follows (``engine/sparsity/block_plan.py``).

Rows of matrices are stored whole, or only the entries of the plan (``layout.py``). Row i of a
stored matrix begins at a number of its buffer, so that its entry (i, j) is j numbers behind. Rows
may lie over each other as long as no two entries meet (Tarjan and Yao, "Storing a sparse table",
1979): the rows of a group have entries in the same columns, and each group is put where all its
entries find free numbers first. So kernels find an entry without a search, and the room is little
more than there are entries.

The length of the buffers does not depend on which rows of a link are in use: these may be exchanged
during a run.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base import layout as at
from supple.core.linalg import multifrontal as blocks
from supple.engine.sparsity.block_plan import newton_plan
from supple.engine.sparsity.solver_choice import choose, choose_newton
from supple.engine.sparsity.structure import Structure, room_of
from supple.foundation.arrays import Array

TRIES = 2  # places that are looked at one by one, before all of them are at once
NONE = np.zeros(0, dtype=np.int64)
NO_PLAN = np.zeros(at.PLAN_HEAD, dtype=np.int64)


@dataclass(frozen=True)
class _Shape:
    """Places of the entries of a group of rows, behind the first of them."""

    step: int  # numbers between two rows
    count: int  # of rows
    runs: list[list[int]]  # of one row: first place and length of each run of entries
    all: int  # bits of all entries

    def conflicts(self, used: int) -> int:
        """Places of the group, as bits, where one of its entries would be on a used number."""
        row = 0
        for begin, length in self.runs:
            row |= _spread(used, 1, length) >> begin
        return _spread(row, self.step, self.count)


@dataclass
class _Rows:
    """Places of rows that are stored together, and the numbers that they need.

    Sets of numbers are the bits of integers: one operation compares two of them.
    """

    used: int = 0  # bit k: the number ``start + k`` is taken
    length: int = 0
    start: int = 0  # the first free number in the group that was put last: holes before it are left
    shapes: dict[tuple[int, bytes], _Shape] = field(default_factory=dict)

    def put(self, columns: np.ndarray, count: int) -> list[int]:
        """Places of ``count`` rows with entries in these columns, which are sorted."""
        if not count or not len(columns):
            return [0] * count
        found = self._shape(columns, count)
        shape = found.all
        begin = int(columns[0])
        place = max(self.start - begin, 0)
        for _ in range(TRIES):
            used = self.used >> (place + begin - self.start)
            taken = used & shape
            if not taken:
                break
            last = taken.bit_length() - 1  # this entry goes to the next free number, or farther
            place += _first_free(used >> last)
        else:
            place += _first_free(found.conflicts(self.used >> (place + begin - self.start)))
        first = place + begin
        self.used |= shape << (first - self.start)
        self.length = max(self.length, first + shape.bit_length())
        ahead = first - self.start
        ahead += _first_free(self.used >> ahead)
        self.used, self.start = self.used >> ahead, self.start + ahead
        return [place + found.step * k for k in range(count)]

    def _shape(self, columns: np.ndarray, count: int) -> _Shape:
        """The shape of a group of rows with entries in these columns."""
        own = columns - columns[0]
        key = count, own.tobytes()
        if key not in self.shapes:
            marks = np.zeros(int(own[-1]) + 1, dtype=bool)
            marks[own] = True
            row = int.from_bytes(np.packbits(marks, bitorder="little").tobytes(), "little")
            step = len(own)  # what is far away of one group lies between the rows of another one
            while any(row & (row << step * k) for k in range(1, count)):
                step += 1
            ends = np.flatnonzero(np.diff(own, append=own[-1] + 2) > 1)
            begins = np.append(0, ends[:-1] + 1)
            runs = np.stack([own[begins], ends - begins + 1], axis=1).tolist()
            whole = sum(row << step * k for k in range(count))
            self.shapes[key] = _Shape(step, count, runs, whole)
        return self.shapes[key]


def _spread(used: int, step: int, count: int) -> int:
    """Bits of ``used``, and those that are k steps below them, for all k less than ``count``."""
    done = 1
    while done < count:
        more = min(done, count - done)
        used |= used >> step * more
        done += more
    return used


def _first_free(used: int) -> int:
    """Place of the first bit that is zero."""
    return (~used & (used + 1)).bit_length() - 1


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
    begins, rows = np.zeros(nu, dtype=int), _Rows()
    starts = np.flatnonzero(np.diff(own[:, blocks.ROW], prepend=-1))
    known: dict[bytes, np.ndarray] = {}  # columns behind the first one: most groups are alike
    runs = own[:, [blocks.COLUMN, blocks.NCOLUMN]]
    firsts = own[starts][:, [blocks.ROW, blocks.NROW, blocks.COLUMN]].tolist()
    for part, (row, number, begin) in zip(np.split(runs, starts[1:]), firsts, strict=True):
        key = (part - [begin, 0]).tobytes()
        if key not in known:
            columns = [np.arange(first, first + count) for first, count in part - [begin, 0]]
            known[key] = np.unique(np.concatenate(columns))
        begins[row : row + number] = rows.put(begin + known[key], number)
    return begins, rows.length


def _of_links(s: Structure, columns: Iterable[Any]) -> tuple[np.ndarray, int]:
    """Places of the rows in use of links, which have entries in some columns, and their room."""
    begins, rows = np.zeros(s.nr, dtype=int), _Rows()
    for link, mine, own in zip(s.links, s.rows, columns, strict=True):
        places = rows.put(np.array(own, dtype=int), room_of(link))
        begins[mine] = places[: len(mine)]
    return begins, rows.length


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
    begins = np.zeros(s.nr, dtype=int)
    begins[:free] = begin - low
    room = 0
    for c, record in enumerate(records):
        first, count = int(record[at.PLAN_PAIRS]), int(record[at.PLAN_NPAIRS])
        before = plan[first : first + 3 * count : 3]
        reach = min((place[int(d)] for d in before), default=place[c])
        number = room_of(s.links[c])
        room += number * (place[c] - reach) + number * (number + 1) // 2
    return begins, max(room, int(lengths.sum())) + 1


def with_plan(ints: np.ndarray, reals: np.ndarray) -> np.ndarray:
    """Integers of a compiled model with the way of its accelerations and the plan, read-only.

    The plan is that for its rows in use, behind everything else.
    """
    listed, rows = (int(ints[k]) for k in (at.H_LISTED, at.H_LISTED_ROWS))
    bare = ints[: len(ints) - int(ints[at.H_PLAN]) - 3 * listed - 4 * rows].copy()
    bare[at.H_PLAN] = bare[at.H_LISTED] = bare[at.H_LISTED_ROWS] = 0
    model = at.model_fields(bare, reals)  # views: what is written below is seen in them
    choose_newton(bare, model)
    whole = bare[at.H_BLOCK] > 0 or bare[at.H_ASKED] == at.DENSE
    structure = _Plan(bare, model)
    plan = structure.write(newton=not whole)
    choose(bare, model, plan)
    places = write(bare, structure, plan)
    made = np.concatenate([bare, places, plan])
    made[at.H_PLAN] = len(plan)
    made.flags.writeable = False
    return made


class _Plan(Structure):
    def blocks(self, own: np.ndarray) -> np.ndarray | None:
        """First velocity of each one's block (nu,), -1 for those in ``own``.

        None if such ones lie within a block.
        """
        free, roots, first = (own < 0).tolist(), self.trees.tolist(), self.trees.copy()
        start, end = 0, -1  # blocks that interleave are one
        last = {root: k for k, root in enumerate(roots)}
        for k in range(self.nu):
            if k > end and free[k]:
                start, end = k, k
            if free[k]:
                end = max(end, last[roots[k]])
                first[k] = start
            elif k <= end:
                return None
        first[own >= 0] = -1
        return first

    def reach(self, first: np.ndarray) -> np.ndarray:
        """The first velocity that each one's row of the mass matrix reaches (nu,).

        That is the first of its block, of gradient bodies the first of an element. In front of a
        row no other one is filled in: each reaches no farther than its block.
        """
        firsts = first.copy()
        for own in self.gradients:
            firsts[own.start : own.stop] = np.arange(own.start, own.stop)
        for velocities in self.gradient_elements:
            firsts[velocities] = np.minimum(firsts[velocities], velocities.min())
        return firsts

    def write(self, newton: bool) -> np.ndarray:
        """The plan as integers, of accelerations and, if it is wanted, of Newton's unknowns."""
        blocks = newton_plan(self) if newton else NONE
        plan = self.accelerations() if self.nr or len(blocks) else NO_PLAN.copy()
        if len(blocks):
            plan[at.PLAN_NEWTON] = len(plan)
        return np.concatenate([plan, blocks])

    def accelerations(self) -> np.ndarray:
        """The plan of accelerations; zeros if blocks have no inertia of their own.

        The place of Newton's order is left open.
        """
        moved, own, coordinates, acts = self.moved, self.own, self.coordinates, self.acts
        first = self.blocks(own)
        if first is None or not np.all(moved[first >= 0]):
            return NO_PLAN.copy()
        end = {block: k + 1 for k, block in enumerate(first.tolist()) if block >= 0}
        rows = self.rows
        if any(len(mine) > len(r) for mine, r in zip(coordinates, rows, strict=True)):
            return NO_PLAN.copy()
        ranges: list[list[int]] = []
        for link, ends in zip(self.links, acts, strict=True):
            touched = set(ends)
            if not LINKS[int(link[0])].of_frames:
                for k in ends:
                    if own[k] >= 0:
                        touched |= acts[own[k] // 8]
            ranges.append(sorted({int(first[k]) for k in touched if first[k] >= 0}))
        return self._lay_out(coordinates, rows, ranges, end, first, own)

    def _lay_out(
        self,
        coordinates: list[list[int]],
        rows: list[list[int]],
        blocks: list[list[int]],
        end: dict[int, int],
        first: np.ndarray,
        own: np.ndarray,
    ) -> np.ndarray:
        nl = self.nl
        by_block: dict[int, list[int]] = {}
        for c, touched in enumerate(blocks):
            for b in touched:
                by_block.setdefault(b, []).append(c)
        beside = [sorted({d for b in touched for d in by_block[b]}) for touched in blocks]
        pointers = np.cumsum([0, *map(len, beside)])
        flat = np.array([d for near in beside for d in near], dtype=np.int32)
        from scipy.sparse import csr_array

        pattern = csr_array((np.ones(len(flat)), flat, pointers), shape=(nl, nl)) if nl else None
        order = [int(c) for c in _narrow(pattern)] if nl else []
        rank = {c: k for k, c in enumerate(order)}
        free = [len(r) - len(e) for r, e in zip(rows, coordinates, strict=True)]
        place: dict[int, int] = {}
        total = 0
        for c in order:
            place[c] = total
            total += free[c]
        head = NO_PLAN.copy()
        head[[at.PLAN_USABLE, at.PLAN_LINKS]] = 1, at.PLAN_HEAD
        records = np.zeros((nl, at.PLAN_INTS), dtype=int)
        here = at.PLAN_HEAD + nl * at.PLAN_INTS
        lists: list[int] = []
        low = np.zeros(self.nr, dtype=int)
        for c in range(nl):
            before = [d for d in beside[c] if rank[d] <= rank[c]]
            pairs = [(d, b, end[b]) for d in before for b in blocks[c] if b in blocks[d]]
            reach = min((place[d] for d in before), default=place[c])
            low[place[c] : place[c] + free[c]] = reach
            record = records[c]
            start, count = here + len(lists), len(blocks[c])
            record[:4] = free[c], len(coordinates[c]), place[c], reach
            record[4 : at.PLAN_ENTRIES] = start, count, start + 2 * count, len(pairs)
            entries = _ranges(k for k in sorted(self.acts[c]) if own[k] < 0)
            record[at.PLAN_ENTRIES] = start + 2 * count + 3 * len(pairs)
            record[at.PLAN_NENTRIES] = len(entries)
            record[at.PLAN_ROW : at.PLAN_ROW + len(rows[c])] = rows[c]
            record[at.PLAN_E : at.PLAN_E + len(coordinates[c])] = coordinates[c]
            lists.extend(x for b in blocks[c] for x in (b, end[b]))
            lists.extend(x for pair in pairs for x in pair)
            lists.extend(x for pair in entries for x in pair)
        plan = [head, records.ravel(), np.array(lists, dtype=np.int64)]
        which = at.PLAN_FIRST, at.PLAN_OWNER, at.PLAN_ORDER, at.PLAN_LOWS, at.PLAN_REACH
        columns = first, own, np.array(order, dtype=np.int64), low, self.reach(first)
        for k, values in zip(which, columns, strict=True):
            head[k] = sum(map(len, plan))
            plan.append(values)
        return np.concatenate(plan)


def _ranges(numbers: Iterable[int]) -> list[list[int]]:
    """Ranges (start, end) of sorted numbers."""
    ranges: list[list[int]] = []
    for k in numbers:
        if ranges and ranges[-1][1] == k:
            ranges[-1][1] = k + 1
        else:
            ranges.append([k, k + 1])
    return ranges


def _narrow(pattern: Any) -> np.ndarray:
    """Order (n,) in which the entries of a symmetric pattern lie near the diagonal."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order: np.ndarray = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    return order


@dataclass(frozen=True)
class Pattern:
    """Rows and columns of the entries of a stored matrix, and their places in its buffer."""

    rows: np.ndarray
    columns: np.ndarray
    places: np.ndarray
    shape: tuple[int, int]

    @staticmethod
    def of(ints: np.ndarray, code: int) -> Pattern:
        """Pattern of tangents (``blocks.TANGENT``) or constraint rows (``blocks.ROWS``)."""
        plan = at.integers(ints, "plan")
        newton = plan[plan[at.PLAN_NEWTON] :]
        first, count = newton[blocks.RECORDS], newton[blocks.COUNT]
        end = first + count * blocks.RECORD_INTS
        records = newton[first:end].reshape(count, blocks.RECORD_INTS)
        codes = (code, blocks.ALONE) if code == blocks.ROWS else (code,)
        own = records[np.isin(records[:, blocks.CODE], codes)]
        wide = own[:, blocks.NCOLUMN]
        lengths = own[:, blocks.NROW] * wide
        number = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        row, column = divmod(number, np.repeat(wide, lengths))
        row += np.repeat(own[:, blocks.ROW], lengths)
        column += np.repeat(own[:, blocks.COLUMN], lengths)
        of_rows = code == blocks.ROWS
        begin = at.integers(ints, "line_of" if of_rows else "row_of")
        return Pattern(row, column, begin[row] + column, (len(begin), int(ints[at.H_U])))

    def matrix(self, numbers: Array) -> Any:
        """The entries in a buffer as a sparse matrix in compressed rows."""
        from scipy.sparse import csr_array

        entries = numbers.reshape(-1)[self.places], (self.rows, self.columns)
        return csr_array(entries, shape=self.shape)

    def whole(self, numbers: Array) -> Array:
        """The entries in a buffer as an array."""
        out = np.zeros(self.shape)
        out[self.rows, self.columns] = numbers.reshape(-1)[self.places]
        return out


def sparse_table(matrix: Any) -> Any:
    """A sparse matrix in compressed rows; its ``max`` is that of an array, as np.max asks for."""
    from scipy.sparse import csr_array

    class Table(csr_array):  # type: ignore[misc]
        def max(self, axis: Any = None, out: Any = None, *, initial: float = 0.0) -> Any:
            largest = csr_array(self).max(axis=axis)
            return np.maximum(largest if axis is None else largest.toarray().ravel(), initial)

    return Table(matrix)
