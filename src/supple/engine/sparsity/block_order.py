"""The order in which blocks of a sparse matrix are eliminated, and the dense matrices of each.

Plain graphs, without mechanics: *atoms* are sets of unknowns that are never divided. A *front* is
the dense matrix of the atoms that are eliminated together, its pivots, and of those that they are
coupled with then, its border. What elimination leaves in the border is added to the front of its
*parent* (Duff and Reid, ACM Trans. Math. Softw. 9 (1983) 302).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

# Work of a front besides its elimination, in multiplications: for itself, and for each entry
FRONT, ENTRY = 400, 3

NOTHING, GROUND = -2, -1  # what the bodies eliminated so far hang on


@dataclass
class Front:
    """Atoms that are eliminated together, those they are then coupled with, and where these go."""

    pivots: list[int]
    border: list[int]
    parent: int
    children: list[int]
    count: int = 0  # unknowns that are pivots
    size: int = 0  # ... and all of them


def edges(count: int, pairs: Sequence[tuple[int, int]]) -> np.ndarray:
    """Pairs (n, 2) of different atoms, each once, the smaller number first."""
    both = np.sort(np.array(pairs, dtype=np.int64).reshape(-1, 2), axis=1)
    both = both[both[:, 0] != both[:, 1]]
    return np.stack(np.divmod(np.unique(both[:, 0] * count + both[:, 1]), count), axis=1)


def minimum_degree(count: int, pairs: np.ndarray) -> list[int]:
    """An order of atoms with little fill, from the pairs (n, 2) that are coupled."""
    from scipy.sparse import coo_array
    from scipy.sparse.linalg import splu

    i, j = pairs.astype(np.int32).T
    every = np.arange(count, dtype=np.int32)
    rows, columns = np.concatenate([i, j, every]), np.concatenate([j, i, every])
    values = np.where(rows == columns, float(count), -1.0)
    graph = coo_array((values, (rows, columns)), shape=(count, count)).tocsc()
    options = {"SymmetricMode": True}
    factors = splu(graph, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options=options)
    return [int(k) for k in np.argsort(factors.perm_c)]


def farthest_first(count: int, pairs: np.ndarray, roots: Iterable[int]) -> list[int]:
    """Atoms in the order of their distance from roots, the farthest first: no fill in trees."""
    near: list[set[int]] = [set() for _ in range(count)]
    for a, b in pairs.tolist():
        near[a].add(b)
        near[b].add(a)
    order: list[int] = []
    seen = [False] * count
    for start in ([x for x in roots if x >= 0], *([x] for x in range(count))):
        layer = sorted({x for x in start if not seen[x]})
        while layer:
            for x in layer:
                seen[x] = True
            order += layer
            layer = sorted({y for x in layer for y in near[x] if not seen[y]})
    return order[::-1]


def placed(
    order: Sequence[int],
    links: Sequence[tuple[int, int]],
    free: Sequence[bool],
    rigid: Sequence[bool],
) -> list[int]:
    """The body with which the rows of each link are eliminated.

    Rows may only be eliminated where they are independent while all bodies that are still to come
    stand still; else the matrix of pivots is singular. So the links between bodies that are done
    form a forest, each of whose trees hangs on one body to come at most, or on the ground. A link
    that would close a loop waits until all of that is done, but for the ground or one rigid body.

    Parameters
    ----------
    order : bodies in the order of elimination
    links : the two bodies of each link, -1 for the ground
    free : whether a body can move in all directions by itself; others hang on the ground
    rigid : whether six velocities are all that a body has
    """
    forest = _Forest(order, links, free, rigid)
    for x in order:
        forest.add(x)
    assert min(forest.place, default=0) >= 0
    return forest.place


class _Forest:
    def __init__(
        self,
        order: Sequence[int],
        links: Sequence[tuple[int, int]],
        free: Sequence[bool],
        rigid: Sequence[bool],
    ) -> None:
        count = len(order)
        self.links, self.free, self.rigid = links, free, rigid
        self.rank = {x: k for k, x in enumerate(order)} | {GROUND: -1}
        self.place = [-1] * len(links)
        self.root = list(range(count))
        self.hangs = [NOTHING] * count  # of each tree, by its root: on what
        self.hung: list[list[int]] = [[] for _ in range(count)]  # trees that hang on a body
        self.waiting: list[list[int]] = [[] for _ in range(count)]  # links of a tree not yet placed
        for c, (a, b) in enumerate(links):
            for x in {a, b} - {GROUND}:
                self.waiting[x].append(c)
        self.done: set[int] = set()

    def tree(self, x: int) -> int:
        """The root of the tree of a body."""
        while self.root[x] != x:
            self.root[x] = self.root[self.root[x]]
            x = self.root[x]
        return x

    def join(self, a: int, b: int) -> int:
        """Make one tree of two, of which at most one hangs on something; returns its root."""
        if a == b:
            return a
        if len(self.waiting[a]) < len(self.waiting[b]):
            a, b = b, a
        self.root[b] = a
        self.waiting[a] += self.waiting[b]
        self.waiting[b] = []
        if self.hangs[a] == NOTHING:
            self.hang(a, self.hangs[b])
        return a

    def hang(self, tree: int, on: int) -> None:
        """Hang a tree on a body or on the ground."""
        self.hangs[tree] = on
        if on >= 0:
            self.hung[on].append(tree)

    def add(self, x: int) -> None:
        """Eliminate a body, with all links that may be."""
        self.done.add(x)
        self.hangs[x] = NOTHING if self.free[x] else GROUND
        tree = x
        for other in self.hung[x]:
            other = self.tree(other)
            if self.hangs[other] == x:
                self.hangs[other] = NOTHING
                tree = self.join(tree, other)
        again = True
        while again:
            again = False
            left = [c for c in self.waiting[tree] if self.place[c] < 0]
            self.waiting[tree] = left
            for c in sorted(left, key=self._urgency):
                if self._may_be(c):
                    self.place[c] = x
                    again = True
            tree = self.tree(x)

    def _urgency(self, c: int) -> int:
        """Links between what is done and to the ground first, then to bodies that come soon."""
        return max((self.rank[x] for x in self.links[c] if x not in self.done), default=-1)

    def _may_be(self, c: int) -> bool:
        """True if a link's rows are independent of those before; then trees grow together."""
        a, b = self.links[c]
        if a not in self.done:
            a, b = b, a
        tree = self.tree(a)
        if b in self.done:
            other = self.tree(b)
            if tree == other or NOTHING in (self.hangs[tree], self.hangs[other]):
                self.join(tree, other)
                return True
            if self._stands(self.hangs[tree]) and self.hangs[tree] == self.hangs[other]:
                self.join(tree, other)
                return True
            return False
        if self.hangs[tree] == NOTHING:
            self.hang(tree, b)
            return True
        return self.hangs[tree] == b and self._stands(b)

    def _stands(self, on: int) -> bool:
        return on == GROUND or self.rigid[on]


def fronts(
    pivots: Sequence[list[int]], near: Sequence[set[int]], sizes: Sequence[int]
) -> list[Front]:
    """Fronts in the order of elimination, each behind its children; small ones are made one.

    Their numbers of unknowns are those with these sizes.

    Parameters
    ----------
    pivots : atoms that are eliminated together, in that order
    near : atoms that each atom is coupled with
    sizes : numbers of unknowns of the atoms
    """
    where = {atom: k for k, mine in enumerate(pivots) for atom in mine}
    borders: list[set[int]] = []
    children: list[list[int]] = [[] for _ in pivots]
    parents: list[int] = []
    for k, mine in enumerate(pivots):
        border = {a for atom in mine for a in near[atom] if where[a] > k}
        for child in children[k]:
            border |= borders[child]
        border = {a for a in border if where[a] > k}
        borders.append(border)
        parents.append(min((where[a] for a in border), default=-1))
        if parents[k] >= 0:
            children[parents[k]].append(k)
    made = [
        Front(list(mine), sorted(borders[k], key=lambda a: (where[a], a)), parents[k], children[k])
        for k, mine in enumerate(pivots)
    ]
    extents = [extent(front, sizes) for front in made]
    return _in_postorder(_merged(made, extents), extents)


def work(pivots: int, size: int) -> float:
    """Multiplications for the elimination of some pivots of a dense matrix."""
    rest = size - pivots
    return (size**3 - rest**3) / 3.0 + FRONT + ENTRY * size * size


def extent(front: Front, sizes: Sequence[int]) -> tuple[int, int]:
    """Number of pivots of a front, and its size."""
    b = sum([sizes[a] for a in front.pivots])
    return b, b + sum([sizes[a] for a in front.border])


def _merged(made: list[Front], extents: list[tuple[int, int]]) -> list[Front | None]:
    """Fronts that are eliminated together with their parent where that is less work are None.

    Their parents' extents grow.
    """
    left: list[Front | None] = list(made)
    for k, front in enumerate(made):
        p = front.parent
        if p < 0:
            continue
        parent = made[p]
        (b, n), (bp, np_) = extents[k], extents[p]
        if work(b + bp, b + np_) <= work(b, n) + work(bp, np_):
            extents[p] = b + bp, b + np_
            parent.pivots = front.pivots + parent.pivots
            parent.children = [c for c in parent.children if c != k] + front.children
            for child in front.children:
                made[child].parent = p
            left[k] = None
    return left


def _in_postorder(made: list[Front | None], extents: list[tuple[int, int]]) -> list[Front]:
    """Renumber: each front directly behind its children, those first that need most room."""
    room = [0] * len(made)
    for k, front in enumerate(made):  # children come before
        if front is None:
            continue
        n = extents[k][1]
        if len(front.children) > 1:
            front.children.sort(key=lambda c: _left(extents[c]) - room[c])
        here = 0
        for c in front.children:
            room[k] = max(room[k], here + room[c])
            here += _left(extents[c])
        room[k] = max(room[k], here + n * n)
    order: list[int] = []
    todo = [k for k, front in enumerate(made) if front is not None and front.parent < 0]
    while todo:  # parents first, then turned round
        k = todo.pop()
        order.append(k)
        front = made[k]
        assert front is not None
        todo.extend(front.children)
    order.reverse()
    number = {k: i for i, k in enumerate(order)}
    fronts = []
    for k in order:
        front = made[k]
        assert front is not None
        parent = number[front.parent] if front.parent >= 0 else -1
        children = sorted(number[c] for c in front.children)
        fronts.append(Front(front.pivots, front.border, parent, children, *extents[k]))
    return fronts


def _left(extents: tuple[int, int]) -> int:
    return (extents[1] - extents[0]) ** 2


@dataclass
class Storage:
    """Places of the factors of fronts, of fronts, and of what they leave; lengths."""

    factors: list[int]
    front: list[int]
    left: list[int]
    length: int
    room: int


def storage(made: Sequence[Front], extents: Sequence[tuple[int, int]]) -> Storage:
    """Fronts are made on a stack, on top of what their children left there."""
    storage = Storage([], [], [], 0, 0)
    top = 0
    for front, (b, n) in zip(made, extents, strict=True):
        base = min((storage.left[c] for c in front.children), default=top)
        storage.factors.append(storage.length)
        storage.front.append(top)
        storage.left.append(base)
        storage.room = max(storage.room, top + n * n)
        storage.length += b * n + (n - b) * b
        top = base + (n - b) ** 2
    return storage
