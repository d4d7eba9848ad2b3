"""Sparsity of the equations with constraints: the elimination plan of ``elimination.py``.

It is read from the compiled integers alone: nodes, columns and links. The velocities of each tree
on the ground are a diagonal block of the mass matrix. The coordinates of a closing joint, which
have no mass and occur in its own rows only, are eliminated together with these rows. The rows that
are left are coupled where they act on the same block; they are numbered by reverse Cuthill-McKee.
The plan of Newton's unknowns follows (``engine/sparsity/block_plan.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base import layout as at
from supple.engine.sparsity import storage
from supple.engine.sparsity.block_plan import newton_plan
from supple.engine.sparsity.mass_solver_choice import choose
from supple.engine.sparsity.newton_solver_choice import choose_newton
from supple.engine.sparsity.structure import Structure

NONE = np.zeros(0, dtype=np.int64)
NO_PLAN = np.zeros(at.PLAN_HEAD, dtype=np.int64)


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
    places = storage.write(bare, structure, plan)
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
        found = first.copy()
        for own in self.gradients:
            found[own.start : own.stop] = np.arange(own.start, own.stop)
        for velocities in self.gradient_elements:
            found[velocities] = np.minimum(found[velocities], velocities.min())
        return found

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
    found: list[list[int]] = []
    for k in numbers:
        if found and found[-1][1] == k:
            found[-1][1] = k + 1
        else:
            found.append([k, k + 1])
    return found


def _narrow(pattern: Any) -> np.ndarray:
    """Order (n,) in which the entries of a symmetric pattern lie near the diagonal."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order: np.ndarray = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    return order
