"""Couplings of bodies and coordinates in a compiled model, read from its integers alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from supple.constraints.kinds import LINKS
from supple.core.base import layout as at
from supple.core.bodies.ancf import VECTORS
from supple.core.forces import callback, forces, rope
from supple.engine.sparsity.solver_choice import coupled_states
from supple.forces.kinds import ELEMENTS
from supple.foundation.cached import cached_property


def room_of(link: np.ndarray) -> int:
    """Rows that a link may have."""
    return 6 if LINKS[int(link[0])].of_frames else 1


def rate_rows(ints: np.ndarray) -> np.ndarray:
    """True for each row in use (nr,) that holds a rate alone."""
    rated = np.zeros(int(ints[at.H_ROWS]), dtype=bool)
    for link in at.integers(ints, "link"):
        for i, row in enumerate(link[at.LINK_ROW :].tolist()):
            if row >= 0:
                rated[row] = bool(int(link[at.LINK_RATES]) >> i & 1)
    return rated


class Structure:
    """Velocities on paths to nodes, in rows of links, and coupled by bodies and force elements."""

    def __init__(self, ints: np.ndarray, model: Any) -> None:
        self.nu, self.nz = int(ints[at.H_U]), int(ints[at.H_OUTER])
        self.coupled_states = coupled_states(model)
        self.nl, self.nr = int(ints[at.H_LINKS]), int(ints[at.H_ROWS])
        self.rated = rate_rows(ints).tolist()  # by row in use, whether it holds a rate alone
        self.nodes, self.elements = model.node, model.element
        self.columns = model.column.tolist()
        self.flex, self.links = model.flex, model.link
        self.rotor, self.term = model.rotor, model.term
        self.programs = model.program
        self.gradient, self.gradient_int = model.gradient, model.gradient_int

    def path(self, node: int) -> list[int]:
        """Velocities on the path from the ground to a node."""
        row = self.nodes[node].tolist()
        c = row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST]
        velocities = []
        while c >= 0:
            velocities.append(self.columns[c][at.VELOCITY])
            c = self.columns[c][at.BEFORE]
        return velocities

    @cached_property
    def rows_of_nodes(self) -> list[list[int]]:
        """Integers of the nodes."""
        return [list(map(int, row)) for row in self.nodes.tolist()]

    def _edge(self, node: int) -> list[int]:
        """Velocities of the columns of a node's own edge."""
        row = self.rows_of_nodes[node]
        return [c[at.VELOCITY] for c in self.columns[row[at.COL0] : row[at.COL0] + row[at.COLUMNS]]]

    def terms(self, link: np.ndarray) -> list[int]:
        """Velocities in the row of a coupling or driver."""
        start, count = int(link[at.LINK_TERM]), int(link[at.LINK_COUNT])
        return [int(x) for x in self.term[start : start + count, at.TERM_U]]

    def ends(self, link: np.ndarray) -> set[int]:
        """Velocities in the rows of a link."""
        if not LINKS[int(link[0])].of_frames:
            return set(self.terms(link))
        return set(self.path(int(link[at.LINK_A]))) | set(self.path(int(link[at.LINK_B])))

    @cached_property
    def acts(self) -> list[set[int]]:
        """Velocities in the rows of each link."""
        return [self.ends(link) for link in self.links]

    @cached_property
    def rows(self) -> list[list[int]]:
        """Rows in use of each link."""
        return [[int(r) for r in link[at.LINK_ROW :] if r >= 0] for link in self.links]

    def elastic(self, node: int) -> list[int]:
        """Elastic velocities of the body whose frame a node is."""
        if self.nodes[node, at.HEAVY] != at.FLEXIBLE:
            return []
        f = self.flex[self.nodes[node, at.FLEX]]
        return list(range(int(f[at.FLEX_U0]), int(f[at.FLEX_U0] + f[at.FLEX_N])))

    @cached_property
    def moved(self) -> np.ndarray:
        """True for each velocity that moves inertia (nu,)."""
        inert = self.rotor > 0.0
        heavy = (self.nodes[:, at.HEAVY] != 0).tolist()
        for n in range(len(self.nodes) - 1, 0, -1):
            if heavy[n]:
                inert[self._edge(n)] = True
                heavy[self.rows_of_nodes[n][at.PARENT]] = True
        for f in self.flex:
            inert[f[at.FLEX_U0] : f[at.FLEX_U0] + f[at.FLEX_N]] = True
        for own in self.gradients:
            inert[own.start : own.stop] = True
        return np.asarray(inert)

    @cached_property
    def gradients(self) -> list[range]:
        """Velocities of each gradient body."""
        rows = self.gradient[:, [at.GRADIENT_U0, at.GRADIENT_N]].tolist()
        return [range(first, first + 3 * count) for first, count in rows]

    @cached_property
    def viscous(self) -> list[bool]:
        """True for each gradient body with damping."""
        damped = [False] * len(self.gradient)
        for e in self.elements:
            if e[at.KIND] == forces.GRADIENT:
                damped[int(e[forces.BODY])] = bool(e[forces.VISCOUS])
        return damped

    @cached_property
    def acted(self) -> np.ndarray:
        """Velocities of nodes, in rows of links, and that force elements act on."""
        velocities = {int(c[at.VELOCITY]) for c in self.columns}.union(*self.acts)
        velocities.update(k for group in self._of_forces() for k in group)
        return np.array(sorted(velocities), dtype=int)

    @cached_property
    def gradient_elements(self) -> list[np.ndarray]:
        """Velocities of the nodal vectors of each element of gradient bodies."""
        integers, found = self.gradient_int, []
        for row in self.gradient.tolist():
            count, begin = row[at.GRADIENT_ELEMENTS], row[at.GRADIENT_AT]
            elements = integers[begin : begin + count * at.GRADIENT_ELEMENT]
            for table, _, at_list in elements.reshape(count, at.GRADIENT_ELEMENT).tolist():
                vectors = integers[at_list : at_list + int(integers[table + VECTORS])]
                first = row[at.GRADIENT_U0] + 3 * vectors
                found.append((first[:, None] + np.arange(3)).ravel())
        return found

    @cached_property
    def gradient_nodes(self) -> list[list[int]]:
        """Velocities of the nodal vectors that are in the same elements of gradient bodies."""
        inside: dict[int, list[int]] = {}
        for number, velocities in enumerate(self.gradient_elements):
            for k in velocities[::3].tolist():
                inside.setdefault(k, []).append(number)
        nodes: dict[tuple[int, ...], list[int]] = {}
        for k, numbers in inside.items():
            nodes.setdefault(tuple(numbers), []).extend((k, k + 1, k + 2))
        return list(nodes.values())

    @cached_property
    def coordinates(self) -> list[list[int]]:
        """Velocities of each closing joint without inertia that are in no other link of frames."""
        count: dict[int, int] = {}
        for link, ends in zip(self.links, self.acts, strict=True):
            if LINKS[int(link[0])].of_frames:
                for k in ends:
                    count[k] = count.get(k, 0) + 1
        return [
            sorted(k for k in ends if not self.moved[k] and count[k] == 1)
            if LINKS[int(link[0])].closes
            else []
            for link, ends in zip(self.links, self.acts, strict=True)
        ]

    @cached_property
    def own(self) -> np.ndarray:
        """For each velocity 8 times the link that it belongs to plus its number there, or -1."""
        places = np.full(self.nu, -1)
        for c, mine in enumerate(self.coordinates):
            for j, k in enumerate(mine):
                places[k] = 8 * c + j
        return places

    @cached_property
    def trees(self) -> np.ndarray:
        """For each velocity the first one that inertia couples with it (nu,)."""
        return self._first_of(self.gradients)

    @cached_property
    def parts(self) -> np.ndarray:
        """Like ``trees``, but of gradient bodies only velocities of one node are taken together.

        Their elements couple nodes by inertia and stiffness, see ``groups``.
        """
        return self._first_of(self.gradient_nodes)

    def _first_of(self, together: Iterable[Sequence[int]]) -> np.ndarray:
        """For each velocity the first one that is coupled with it by paths and bodies (nu,).

        So are those in each of the sequences.
        """
        first = list(range(self.nu))

        def root(k: int) -> int:
            while first[k] != k:
                first[k] = first[first[k]]
                k = first[k]
            return k

        def join(some: Iterable[int]) -> None:
            roots = {root(k) for k in some}
            least = min(roots, default=-1)
            for k in roots:
                first[k] = least

        free = (self.own < 0).tolist()
        last = [-1] * len(self.nodes)  # a velocity of the path: those on it are coupled already
        for n in range(1, len(self.nodes)):
            if self.nodes[n, at.MOTION] in (at.LINE_EDGE, at.POINT_EDGE):
                continue  # it moves no inertia, and nothing hangs on it
            before = last[self.rows_of_nodes[n][at.PARENT]]
            members = [k for k in self._edge(n) if free[k]] + ([before] if before >= 0 else [])
            last[n] = members[0] if members else -1
            join(members + self.elastic(n))
        for some in together:
            join(some)
        return np.array([root(k) for k in range(self.nu)], dtype=int)

    @cached_property
    def reached(self) -> list[frozenset[int]]:
        """On the path to each node one velocity of each part, and those of closing joints."""
        roots = np.where(self.own < 0, self.parts, np.arange(self.nu)).tolist()
        reached: list[frozenset[int]] = [frozenset()]
        for n in range(1, len(self.nodes)):
            before = reached[self.rows_of_nodes[n][at.PARENT]]
            mine = {roots[k] for k in self._edge(n)}
            reached.append(before if mine <= before else before | mine)
        return reached

    def groups(self) -> list[list[int]]:
        """Velocities that force elements couple, by stiffness or damping.

        Of a part, which inertia couples, one velocity stands for all. Elements of gradient bodies
        couple by inertia, too.
        """
        coupled = [sorted(set(self.parts[own].tolist())) for own in self.gradient_elements]
        return coupled + self._of_forces()

    def _of_forces(self) -> list[list[int]]:
        coupled: list[list[int]] = []
        for e in self.elements:
            couples = ELEMENTS[int(e[0])].couples
            if couples == "nodes":
                coupled.append(sorted(self.reached[int(e[1])] | self.reached[int(e[2])]))
            elif couples == "velocities":
                coupled.append([int(e[2]), int(e[4])])
            elif couples == "terms":
                start, count = int(e[callback.TERM]), int(e[callback.COUNT])
                coupled.append([int(x) for x in self.term[start : start + count, at.TERM_U]])
            elif couples == "path":
                coupled.append(self._along_rope(e))
        return coupled

    def _along_rope(self, e: np.ndarray) -> list[int]:
        """Velocities that move the stations of a rope, and its drums, or those of lines."""
        start, count = int(e[rope.NODES]), int(e[rope.COUNT])
        drums = {int(u) for u in e[rope.DRUM_U : rope.DRUM_U + 2] if u >= 0}
        if int(e[0]) != rope.ROPE:
            drums = set()
        nodes = self.programs[start : start + count].tolist()
        return sorted(drums.union(*(self.reached[node] for node in nodes)))

    def states(self) -> list[tuple[int, int]]:
        """Controller states with the velocities they belong to."""
        return [
            (int(e[4]), int(e[2])) for e in self.elements if ELEMENTS[int(e[0])].couples == "state"
        ]
