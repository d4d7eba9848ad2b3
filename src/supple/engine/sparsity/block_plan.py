"""Plan of the elimination of Newton's matrix by blocks, which ``multifrontal.py`` reads.

Atoms (``engine/sparsity/block_order.py``) are the velocities of each part of the tree that moves on
its own, in absolute coordinates those of a body, of gradient bodies those of a node, with the
states of controllers on them; of each link lam, with the own coordinates of the joint that it
closes; and of each link mu. A link is eliminated with a body on which its rows are independent, so
that pivots are exchanged within a front only.

Neither order nor room depend on which rows of a link are in use: a run may exchange them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base import layout as at
from supple.core.linalg import multifrontal as kernel
from supple.engine.sparsity.block_order import (
    GROUND,
    Front,
    edges,
    extent,
    farthest_first,
    fronts,
    minimum_degree,
    placed,
    storage,
    work,
)
from supple.engine.sparsity.structure import Structure, room_of

Run = tuple[int, int, int]  # first number, how many, place in the atom
SMALLEST = 40  # smaller systems are dense
LOOPS = 1.2  # couplings for each body, below which an order along the tree is tried as well
WORTH = 1.0  # work of a multiplication in fronts, in that of one of a whole matrix
Put = Callable[[int, int, int, tuple[Run, ...]], None]


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
        """Controller states, one by one."""
        return [(z, 1, len(self.velocities) + i) for i, z in enumerate(self.states)]

    def of_rows(self) -> list[Run]:
        """Runs of its rows."""
        first = len(self.velocities) + len(self.states)
        return runs_of([(r, first + i) for i, r in enumerate(self.rows)])


def runs_of(numbered: list[tuple[int, int]]) -> list[Run]:
    """Runs of numbers with their places, both one by one."""
    runs: list[Run] = []
    for number, place in numbered:
        if runs and runs[-1][0] + runs[-1][1] == number and runs[-1][2] + runs[-1][1] == place:
            runs[-1] = runs[-1][0], runs[-1][1] + 1, runs[-1][2]
        else:
            runs.append((number, 1, place))
    return runs


def begins(lengths: np.ndarray) -> np.ndarray:
    """Starts of lists of these lengths that lie one behind the other."""
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
        """Length of all parts so far."""
        return sum(map(len, self.parts))

    def add(self, place: int, part: np.ndarray) -> None:
        """Add a part, whose place is noted in the head."""
        self.head[place] = self.length
        self.parts.append(part)

    def joined(self) -> np.ndarray:
        """All parts in one array."""
        return np.concatenate(self.parts).astype(np.int64)


def newton_plan(s: Structure) -> np.ndarray:
    """Integers of the plan; none if the matrix is small or fronts save no work.

    Nor is there one where coordinates of a closing joint without inertia are in two links, that
    which closes it and one that may hold it: which of them gives them changes during a run.
    """
    none = np.zeros(0, dtype=np.int64)
    if s.nu + s.nz + sum(room_of(link) for link in s.links) < SMALLEST or s.coupled_states:
        return none
    of_bodies = s.own < 0
    if not np.any(of_bodies) or not np.all(s.moved[of_bodies]):
        return none
    plan = _BlockPlan(s)
    return plan.write() if plan.saves_work() else none


class _BlockPlan:
    def __init__(self, s: Structure) -> None:
        self.s = s
        self.atoms: list[Atom] = []
        self.atom_of = [-1] * s.nu
        self._collect()
        self.bodies = len(self.atoms) - 2 * s.nl
        self.touched = [self._by_atom(ends) for ends in s.acts]
        # pairs of atoms that bodies and force elements couple, and those that rows couple as well
        self.pairs = self._cliques(s.groups())
        framed = [
            a for a, link in zip(s.acts, s.links, strict=True) if LINKS[int(link[0])].of_frames
        ]
        self.stiff = self.pairs | self._cliques([sorted(ends) for ends in framed])
        self.near = self._near()
        self.fronts = self._order()
        self.front_of = {a: k for k, front in enumerate(self.fronts) for a in front.pivots}

    def _collect(self) -> None:
        """Atoms: parts of the tree in the order of their first velocities, then links."""
        s = self.s
        number: dict[int, int] = {}
        for k, first in enumerate(s.parts.tolist()):
            if s.own[k] >= 0:
                continue
            if first not in number:
                number[first] = len(self.atoms)
                self.atoms.append(Atom())
            self.atom_of[k] = number[first]
            self.atoms[number[first]].velocities.append(k)
        bodies = len(self.atoms)
        for c, (link, mine) in enumerate(zip(s.links, s.coordinates, strict=True)):
            held = [j for j in s.rows[c] if not s.rated[j]]
            self.atoms.append(Atom(mine, [], held, room_of(link)))
            for k in mine:
                self.atom_of[k] = bodies + c
        for c, link in enumerate(s.links):
            self.atoms.append(Atom([], [], s.rows[c], room_of(link)))
        for state, velocity in s.states():
            self.atoms[self.atom_of[velocity]].states.append(state)

    def _by_atom(self, velocities: set[int]) -> dict[int, set[int]]:
        by_atom: dict[int, set[int]] = {}
        for k in velocities:
            by_atom.setdefault(self.atom_of[k], set()).add(k)
        return by_atom

    def _cliques(self, groups: list[list[int]]) -> set[tuple[int, int]]:
        """Ordered pairs of atoms in common groups, each with itself among them."""
        pairs = {(a, a) for a in range(len(self.atoms)) if self.atoms[a].velocities}
        for group in groups:
            atoms = {self.atom_of[k] for k in group}
            pairs |= {(a, b) for a in atoms for b in atoms}
        return pairs

    def _near(self) -> list[set[int]]:
        """Atoms with entries in common; mu acts on velocities through B = s^2 G^T."""
        near: list[set[int]] = [set() for _ in self.atoms]
        for a, b in self.stiff:
            near[a].add(b)
        beside: list[set[int]] = [set() for _ in self.atoms]
        for a, b in self.pairs:
            beside[a].add(b)
        acting: list[list[int]] = [[] for _ in self.atoms]
        for c, touched in enumerate(self.touched):
            for a in touched:
                near[a].add(self.bodies + c)
                near[self.bodies + c].add(a)
                acting[a].append(self.bodies + self.s.nl + c)
        for a, pushes in enumerate(acting):
            for j in pushes:
                near[j] |= {a, *pushes, *beside[a]}
                for other in (a, *beside[a]):
                    near[other].add(j)
        for k, mine in enumerate(near):
            mine.discard(k)
        return near

    def _order(self) -> list[Front]:
        s, bodies = self.s, self.bodies
        links: list[tuple[int, int]] = []
        framed: list[int] = []
        for c, link in enumerate(s.links):
            if LINKS[int(link[0])].of_frames:
                ends = [self._side(int(link[at.LINK_A])), self._side(int(link[at.LINK_B]))]
                if ends != [GROUND, GROUND]:
                    framed.append(c)
                    links.append((ends[0], ends[1]))
        couples = [(a, b) for a, b in (*self.stiff, *links) if 0 <= a < bodies and 0 <= b < bodies]
        for a, b in self.pairs:  # through the joint of a closing coordinate
            if a < bodies and b < bodies:
                continue
            near = {x for y in (a, b) for x in (self.touched[y - bodies] if y >= bodies else [y])}
            couples += [(x, y) for x in near for y in near if x < bodies and y < bodies]
        coupled = edges(bodies, couples)
        orders = [minimum_degree(bodies, coupled)]
        if len(coupled) < LOOPS * bodies:
            orders.append(
                farthest_first(bodies, coupled, [x for p in links if GROUND in p for x in p])
            )
        plans = [self._eliminated(order, dict(zip(framed, links, strict=True))) for order in orders]
        return min(plans, key=self.work)

    def _eliminated(self, order: list[int], links: dict[int, tuple[int, int]]) -> list[Front]:
        """Fronts for an order of bodies."""
        s, bodies = self.s, self.bodies
        free, rigid = self._free()
        rank = {x: k for k, x in enumerate(order)}
        ends = list(links.values())
        place = dict(zip(links, placed(order, ends, free, rigid), strict=True))
        for c in range(s.nl):  # couplings and drivers with the last of what they act on
            if c not in place:
                on = [
                    place.get(a - bodies, order[0]) if a >= bodies else a for a in self.touched[c]
                ]
                place[c] = max(on, key=lambda x: rank[x], default=order[-1])
        pivots = [[x] for x in order]
        for c, x in sorted(place.items()):
            pivots[rank[x]] += [bodies + c, bodies + s.nl + c]
        return fronts(pivots, self.near, [a.most for a in self.atoms])

    def _side(self, node: int) -> int:
        """The part of the tree that a node is on."""
        for k in self.s.path(node):
            if self.atom_of[k] < self.bodies:
                return self.atom_of[k]
        return GROUND

    def _free(self) -> tuple[list[bool], list[bool]]:
        """True for each part of the tree that moves freely as a whole, and does nothing else."""
        s = self.s
        free = [False] * self.bodies
        for n in range(1, len(s.nodes)):
            row = s.nodes[n]
            if row[at.PARENT] == 0 and row[at.MOTION] == at.FREE:
                atom = self.atom_of[int(row[at.U0])]
                if atom < self.bodies:  # else the own coordinates of a closing joint
                    free[atom] = True
        for own in s.gradients:
            for k in own:
                free[self.atom_of[k]] = True
        rigid = [f and len(self.atoms[a].velocities) == 6 for a, f in enumerate(free)]
        return free, rigid

    def work(self, made: list[Front]) -> float:
        """Multiplications for all fronts, with all rows that there may be."""
        return sum(work(front.count, front.size) for front in made)

    def saves_work(self) -> bool:
        """True if fronts save work against a whole matrix, in which mu is eliminated."""
        rows = sum(a.room for a in self.atoms) // 2
        n = self.s.nu + self.s.nz
        return WORTH * self.work(self.fronts) < (n + rows) ** 3 / 3.0 + 2.0 * rows * self.s.nu**2

    # ------------------------------------------------------------------------------------------
    # Integers

    def write(self) -> np.ndarray:
        """Head, places of unknowns, fronts with their lists, entries."""
        sizes = [a.size for a in self.atoms]
        extents = [extent(front, sizes) for front in self.fronts]
        where = storage(self.fronts, extents)
        room = storage(self.fronts, [(front.count, front.size) for front in self.fronts])
        first = np.cumsum([0, *(b for b, _ in extents)])[:-1]
        self.first = [0] * len(self.atoms)  # place of each atom among all unknowns
        self.local: list[dict[int, int]] = []  # ... and in fronts
        for front, begin in zip(self.fronts, first.tolist(), strict=True):
            at_front, here = {}, 0
            for a in (*front.pivots, *front.border):
                at_front[a] = here
                here += sizes[a]
            self.local.append(at_front)
            for a in front.pivots:
                self.first[a] = begin + at_front[a]
        records = self._entries()
        table = np.zeros((len(self.fronts), kernel.FRONT_INTS), dtype=np.int64)
        table[:, [kernel.PIVOTS, kernel.SIZE]] = extents
        table[:, kernel.FIRST], table[:, kernel.FACTORS_AT] = first, where.factors
        table[:, kernel.FRONT_AT], table[:, kernel.LEFT_AT] = where.front, where.left
        table[:, kernel.ENTRIES] = np.bincount(records[:, 0], minlength=len(table))
        table[:, kernel.ENTRY] = begins(table[:, kernel.ENTRIES])
        plan = Integers()
        plan.add(kernel.PLACE, self._places())
        plan.add(kernel.TABLE, table.ravel())  # a view: places of lists follow
        self._add_lists(plan, table, sizes)
        plan.head[kernel.FRONTS], plan.head[kernel.COUNT] = len(table), len(records)
        plan.head[kernel.FACTORS], plan.head[kernel.SCRATCH] = room.length, room.room
        plan.head[kernel.STACK] = room.room + 6 * max(len(a.velocities) for a in self.atoms)
        plan.add(kernel.RECORDS, records[:, 1:].ravel())
        plan.add(kernel.TURNS, self._turns())
        linked = np.flatnonzero(np.isin(records[:, 1 + kernel.CODE], (kernel.ROWS, kernel.ALONE)))
        plan.head[kernel.LINKS] = len(linked)
        plan.add(kernel.LINKED, linked)
        return plan.joined()

    def _add_lists(self, plan: Integers, table: np.ndarray, sizes: list[int]) -> None:
        """Unknowns in the borders of fronts, their places in the fronts of parents, children."""
        borders = [front.border for front in self.fronts]
        above = [
            [self.local[front.parent][a] for a in front.border] if front.parent >= 0 else []
            for front in self.fronts
        ]
        of_parents = [front.border if front.parent >= 0 else [] for front in self.fronts]
        long, first = np.array(sizes), np.array(self.first)
        for column, atoms, starts in (
            (kernel.BORDER, borders, None),
            (kernel.PARENT, of_parents, above),
        ):
            own = flat(atoms)
            begin = first[own] if starts is None else flat(starts)
            counts = long[own]
            owners = np.repeat(np.arange(len(table)), [len(some) for some in atoms])
            lengths = np.bincount(owners, weights=counts, minlength=len(table)).astype(np.int64)
            table[:, column] = plan.length + begins(lengths)
            plan.parts.append(np.repeat(begin - begins(counts), counts) + np.arange(counts.sum()))
        children = [front.children for front in self.fronts]
        table[:, kernel.CHILDREN] = [len(some) for some in children]
        table[:, kernel.CHILD] = plan.length + begins(table[:, kernel.CHILDREN])
        plan.parts.append(flat(children))

    def _turns(self) -> np.ndarray:
        """Number of free joints; if there are any, 1 where the velocities of one begin."""
        nodes = self.s.nodes[1:]
        free = nodes[nodes[:, at.MOTION] == at.FREE, at.U0]
        turns = np.zeros(1 + self.s.nu if len(free) else 1, dtype=np.int64)
        turns[0] = len(free)
        turns[1 + free] = 1
        return turns

    def _places(self) -> np.ndarray:
        """Places of velocities, states, lam and mu in the order of elimination."""
        s = self.s
        unknowns = [0] * (s.nu + s.nz + 2 * s.nr)
        for atom, first in zip(self.atoms, self.first, strict=True):
            for i, k in enumerate(atom.velocities):
                unknowns[k] = first + i
            for i, k in enumerate(atom.states):
                unknowns[s.nu + k] = first + len(atom.velocities) + i
        for c, mine in enumerate(s.rows):
            lam, mu = self.bodies + c, self.bodies + s.nl + c
            before = len(self.atoms[lam].velocities) + len(self.atoms[lam].states)
            held = [j for j in mine if not s.rated[j]]
            for i, j in enumerate(held):
                unknowns[s.nu + s.nz + j] = self.first[lam] + before + i
            for i, j in enumerate(mine):
                unknowns[s.nu + s.nz + s.nr + j] = self.first[mu] + i
                if s.rated[j]:  # lam is at the place of mu, of which there is none
                    unknowns[s.nu + s.nz + j] = self.first[mu] + i
        return np.array(unknowns, dtype=np.int64)

    def _entries(self) -> np.ndarray:
        """Rectangles of entries, in fronts where the first of their two atoms is eliminated.

        Rows are the number of the front, which are sorted, and a record
        (``core/linalg/multifrontal.py``).
        """
        records = array("q")
        still = self._still()

        def put(code: int, a: int, b: int, ranges: tuple[Run, ...], third: int = -1) -> None:
            k = min(self.front_of[a], self.front_of[b])
            i, j = self.local[k][a] + ranges[0][2], self.local[k][b] + ranges[1][2]
            d = ranges[2] if len(ranges) > 2 else (0, 0, 0)
            more = 0 if third < 0 else self.local[k][third] + d[2] - i
            if code == kernel.TANGENT and still[a] and still[b]:
                more = 1
            records.extend((k, code, *ranges[0][:2], *ranges[1][:2], *d[:2], i, j, more))

        for a, b in sorted(self.stiff):
            for moved in self.atoms[a].of_velocities():
                for run in self.atoms[b].of_velocities():
                    put(kernel.TANGENT, a, b, (moved, run))
        beside: dict[int, list[int]] = {}
        for a, b in sorted(self.pairs):
            beside.setdefault(b, []).append(a)
        acting: dict[int, list[int]] = {}
        for c, touched in enumerate(self.touched):
            for d in touched:
                acting.setdefault(d, []).append(c)
        for c, touched in enumerate(self.touched):
            lam, mu = self.bodies + c, self.bodies + self.s.nl + c
            for alone in self._alone(c):
                for d, some in touched.items():
                    for run in self.atoms[d].of_velocities(some):
                        put(kernel.ALONE, mu, d, (alone, run))
            for rows, below in self._held(c):
                put(kernel.OWN, mu, mu, (below, below))
                for d, some in touched.items():
                    for run in self.atoms[d].of_velocities(some):
                        put(kernel.ROWS, lam, d, (rows, run, below), mu)
                        for a in beside[d]:
                            for moved in self.atoms[a].of_velocities():
                                put(kernel.PUSH, a, mu, (moved, below, run))
                        for other in acting[d]:
                            self._rates(put, other, d, mu, below, run)
                        for state in self.atoms[d].of_states():
                            put(kernel.STATE_PUSH, d, mu, (state, below, run))
        for a, atom in enumerate(self.atoms):
            for state in atom.of_states():
                put(kernel.STATE_OWN, a, a, (state, state))
                for run in atom.of_velocities():
                    put(kernel.STATE, a, a, (state, run))
        table = np.array(records, dtype=np.int64).reshape(-1, 1 + kernel.RECORD_INTS)
        return table[np.argsort(table[:, 0], kind="stable")]

    def _still(self) -> list[bool]:
        """True for each atom on which no force or inertia depends on velocities.

        These are nodes of gradient bodies without damping which nothing else acts on.
        """
        s = self.s
        still = np.zeros(s.nu, dtype=bool)
        for own, viscous in zip(s.gradients, s.viscous, strict=True):
            still[own.start : own.stop] = not viscous
        still[s.acted] = False
        found = [bool(a.velocities) and not a.states for a in self.atoms]
        for k, atom in enumerate(self.atom_of):
            if not still[k]:
                found[atom] = False
        return found

    def _held(self, c: int) -> list[tuple[Run, Run]]:
        """Runs of the rows of a link that hold positions, with places in its lam and in its mu."""
        lam, mine = self.atoms[self.bodies + c], self.s.rows[c]
        first = len(lam.velocities) + len(lam.states)
        places = [(j, i) for i, j in enumerate(mine) if not self.s.rated[j]]
        out = []
        for row, count, place in runs_of(places):
            before = sum(j < row for j in lam.rows)
            out.append(((row, count, first + before), (row, count, place)))
        return out

    def _alone(self, c: int) -> list[Run]:
        """Runs of the rows of a link that hold rates alone."""
        return runs_of([(j, i) for i, j in enumerate(self.s.rows[c]) if self.s.rated[j]])

    def _rates(self, put: Put, other: int, d: int, j: int, below: Run, run: Run) -> None:
        """Effect of mu of a link on the rates of rows of another one through some velocities."""
        i = self.bodies + self.s.nl + other
        both = self.touched[other][d].intersection(range(run[0], run[0] + run[1]))
        for part in runs_of([(k, k) for k in sorted(both)]):
            for rows in self.atoms[i].of_rows():
                put(kernel.RATES, i, j, (rows, below, part))
