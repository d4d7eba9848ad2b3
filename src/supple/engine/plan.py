"""Sparsity of the equations with constraints: the elimination plan of ``core/elimination.py``.

It is read from the compiled integers alone: nodes, columns and links. The velocities of each tree
on the ground are a diagonal block of the mass matrix. The coordinates of a closing joint, which
have no mass and occur in its own rows only, are eliminated together with these rows. The rows that
are left are coupled where they act on the same block; they are numbered by reverse Cuthill-McKee,
as are the unknowns of Newton's iteration where that saves work (``core/radau_wide.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core import layout as at
from supple.core.radau_views import WIDE_FROM
from supple.engine.newton_way import newton_block
from supple.forces.kinds import ELEMENTS

# Work of an entry within an envelope, in that of one of a whole matrix
NARROW = 0.6


def with_plan(ints: np.ndarray, reals: np.ndarray) -> np.ndarray:
    """Integers of a compiled model with the plan for its rows in use behind them; read-only."""
    bare = ints[: len(ints) - int(ints[at.H_PLAN])].copy()
    bare[at.H_PLAN] = 0
    plan = _Plan(bare, reals).write() if bare[at.H_ROWS] else [0]
    made = np.concatenate([bare, plan])
    made[at.H_PLAN], made[at.H_BLOCK] = len(plan), newton_block(bare, reals)
    made.flags.writeable = False
    return made


class _Plan:
    def __init__(self, ints: np.ndarray, reals: np.ndarray) -> None:
        model = at.read_model(ints, reals)
        self.nu, self.nz = int(ints[at.H_U]), int(ints[at.H_Z])
        self.nl, self.nr = int(ints[at.H_LINKS]), int(ints[at.H_ROWS])
        self.nodes, self.elements = model.node, model.element
        self.columns = model.column.tolist()
        self.flex, self.links = model.flex, model.link
        self.rotor, self.term = model.rotor, model.term
        self.paths = [self._path(row) for row in self.nodes.tolist()]

    def path(self, node: int) -> list[int]:
        """Velocities on the path from the ground to a node."""
        return self.paths[node].copy()

    def _path(self, row: list[int]) -> list[int]:
        c = row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST]
        found = []
        while c >= 0:
            found.append(self.columns[c][at.VELOCITY])
            c = self.columns[c][at.BEFORE]
        return found

    def terms(self, link: np.ndarray) -> list[int]:
        """Velocities in the row of a coupling or driver."""
        start, count = int(link[at.LINK_TERM]), int(link[at.LINK_COUNT])
        return [int(x) for x in self.term[start : start + count, at.TERM_U]]

    def ends(self, link: np.ndarray) -> set[int]:
        """Velocities in the rows of a link."""
        if not LINKS[int(link[0])].of_frames:
            return set(self.terms(link))
        return set(self.path(int(link[at.LINK_A]))) | set(self.path(int(link[at.LINK_B])))

    def moved(self) -> np.ndarray:
        """Whether a velocity moves inertia (nu,)."""
        found = self.rotor > 0.0
        for n in np.flatnonzero(self.nodes[:, at.HEAVY]):
            found[self.path(int(n))] = True
        for f in self.flex:
            found[f[at.FLEX_U0] : f[at.FLEX_U0] + f[at.FLEX_N]] = True
        return np.asarray(found)

    def blocks(self, own: np.ndarray) -> np.ndarray | None:
        """First velocity of each one's block (nu,), -1 for those in ``own``.

        None if such ones lie within a block.
        """
        first = np.arange(self.nu)

        def join(members: list[int]) -> None:
            roots = {int(first[k]) for k in members}
            low = min(roots)
            for root in roots - {low}:
                first[first == root] = low

        free = (own < 0).tolist()
        for n in range(1, len(self.nodes)):
            members = [k for k in self.paths[n] if free[k]]
            if self.nodes[n, at.HEAVY] == at.FLEXIBLE:
                f = self.flex[self.nodes[n, at.FLEX]]
                members += range(int(f[at.FLEX_U0]), int(f[at.FLEX_U0] + f[at.FLEX_N]))
            if len(members) > 1:
                join(members)
        start, end = 0, -1  # blocks that interleave are one
        roots = first.tolist()
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

    def newton(self) -> list[int]:
        """Places of Newton's unknowns (velocities, controller states, lam, mu) in a narrow order.

        Empty if the matrix is small, or an envelope saves no work. A coupling that is not seen
        here makes the envelope wider, nothing else.
        """
        nu, nz, nr = self.nu, self.nz, self.nr
        n = nu + nz
        if n + nr < WIDE_FROM:
            return []
        ends = [sorted(self.ends(link)) for link in self.links]
        velocities = _cliques([*self.groups(), *ends], n)
        entries = [
            (row, k)
            for link, reached in zip(self.links.tolist(), ends, strict=True)
            for row in link[at.LINK_ROW :]
            if row >= 0
            for k in reached
        ]
        from scipy.sparse import block_array, csr_array

        rows, columns = np.array(entries).T
        G = csr_array((np.ones(len(rows)), (rows, columns)), shape=(nr, n))
        coupled = velocities @ G.T
        blocks = [[velocities, G.T, coupled], [G, None, None], [coupled.T, None, G @ G.T]]
        whole = block_array(blocks, format="csr")
        order = _narrow(whole)
        place = np.empty(len(order), dtype=int)
        place[order] = np.arange(len(order))
        found = whole.tocoo()
        i, j = place[found.row], place[found.col]
        down = np.arange(len(order))
        np.maximum.at(down, j, i)
        high = np.maximum.accumulate(down) - np.arange(len(order)) + 1.0
        narrow = 2.0 * float(np.sum(high * high))  # pivoting doubles the width
        dense = (n + nr) ** 3 / 3.0 + 2.0 * nr * nu * nu
        return [int(k) for k in place] if NARROW * narrow < dense else []

    def groups(self) -> list[list[int]]:
        """Velocities and controller states that bodies and force elements couple."""
        found = []
        for n in np.flatnonzero(self.nodes[:, at.HEAVY]):
            members = self.path(int(n))
            if self.nodes[n, at.HEAVY] == at.FLEXIBLE:
                f = self.flex[self.nodes[n, at.FLEX]]
                members += range(int(f[at.FLEX_U0]), int(f[at.FLEX_U0] + f[at.FLEX_N]))
            found.append(members)
        for e in self.elements:
            couples = ELEMENTS[int(e[0])].couples
            if couples == "nodes":
                found.append(self.path(int(e[1])) + self.path(int(e[2])))
            elif couples == "velocities":
                found.append([int(e[2]), int(e[4])])
            elif couples == "state":
                found.append([int(e[2]), self.nu + int(e[4])])
        return found

    def write(self) -> list[int]:
        """The plan as integers, of accelerations and of Newton's unknowns."""
        plan, order = self.accelerations(), self.newton()
        if order:
            plan[at.PLAN_NEWTON] = len(plan)
        return plan + order

    def accelerations(self) -> list[int]:
        """The plan of accelerations; zeros if blocks have no inertia of their own.

        The place of Newton's order is left open.
        """
        moved = self.moved()
        own = np.full(self.nu, -1)
        coordinates: list[list[int]] = []
        acts = [self.ends(link) for link in self.links]
        count: dict[int, int] = {}
        for link, ends in zip(self.links, acts, strict=True):
            if LINKS[int(link[0])].of_frames:
                for k in ends:
                    count[k] = count.get(k, 0) + 1
        for c, (link, ends) in enumerate(zip(self.links, acts, strict=True)):
            mine = []
            if LINKS[int(link[0])].closes:
                mine = sorted(k for k in ends if not moved[k] and count[k] == 1)
            coordinates.append(mine)
            for j, k in enumerate(mine):
                own[k] = 8 * c + j
        first = self.blocks(own)
        if first is None or not np.all(moved[first >= 0]):
            return [0] * at.PLAN_HEAD
        end = {block: k + 1 for k, block in enumerate(first.tolist()) if block >= 0}
        rows = [[int(r) for r in link[at.LINK_ROW :] if r >= 0] for link in self.links]
        if any(len(mine) > len(r) for mine, r in zip(coordinates, rows, strict=True)):
            return [0] * at.PLAN_HEAD
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
    ) -> list[int]:
        nl = self.nl
        by_block: dict[int, list[int]] = {}
        for c, touched in enumerate(blocks):
            for b in touched:
                by_block.setdefault(b, []).append(c)
        beside = [sorted({d for b in touched for d in by_block[b]}) for touched in blocks]
        pointers = np.cumsum([0, *map(len, beside)])
        flat = np.array([d for near in beside for d in near], dtype=np.int32)
        from scipy.sparse import csr_array

        pattern = csr_array((np.ones(len(flat)), flat, pointers), shape=(nl, nl))
        order = [int(c) for c in _narrow(pattern)]
        rank = {c: k for k, c in enumerate(order)}
        free = [len(r) - len(e) for r, e in zip(rows, coordinates, strict=True)]
        place: dict[int, int] = {}
        total = 0
        for c in order:
            place[c] = total
            total += free[c]
        plan = [1, at.PLAN_HEAD, 0, 0, 0, 0, 0]
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
            record[4 : at.PLAN_ROW] = start, count, start + 2 * count, len(pairs)
            record[at.PLAN_ROW : at.PLAN_ROW + len(rows[c])] = rows[c]
            record[at.PLAN_E : at.PLAN_E + len(coordinates[c])] = coordinates[c]
            lists.extend(x for b in blocks[c] for x in (b, end[b]))
            lists.extend(x for pair in pairs for x in pair)
        plan.extend(int(x) for x in records.ravel())
        plan.extend(lists)
        which = at.PLAN_FIRST, at.PLAN_OWNER, at.PLAN_ORDER, at.PLAN_LOWS
        columns: tuple[Iterable[int], ...] = (first, own, order, low)
        for k, values in zip(which, columns, strict=True):
            plan[k] = len(plan)
            plan.extend(int(x) for x in values)
        return plan


def _narrow(pattern: Any) -> np.ndarray:
    """Order (n,) in which the entries of a symmetric pattern lie near the diagonal."""
    from scipy.sparse.csgraph import reverse_cuthill_mckee

    order: np.ndarray = reverse_cuthill_mckee(pattern, symmetric_mode=True)
    return order


def _cliques(groups: list[list[int]], n: int) -> Any:
    """Pattern (n, n) in which the members of each group couple, and each with itself."""
    from scipy.sparse import csr_array

    members = [*groups, *([k] for k in range(n))]
    sizes = np.cumsum([0, *map(len, members)])
    flat = np.array([k for group in members for k in group], dtype=np.int64)
    incidence = csr_array((np.ones(len(flat)), flat, sizes), shape=(len(members), n))
    return incidence.T @ incidence
