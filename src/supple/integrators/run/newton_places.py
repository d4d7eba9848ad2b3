"""Places that implicit methods keep from step to step: pivots of Newton's matrix.

Kernels trust them. Where a run gets its integers from a file, none may lead out of its matrix.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.core.alpha import stage as alpha_stage
from supple.core.base import layout as at
from supple.core.base.buffers import Record
from supple.core.equations.tree_parts import ALONE, COUNT, FIRST, PARTS_RECORD
from supple.core.forces import joint_forces
from supple.core.forces.constraint_rows import LINEAR
from supple.core.linalg import multifrontal as blocks
from supple.core.radau import buffers as radau_views
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array, Integers

NONE = -1  # of an integer that is no place


class Places(NamedTuple):
    """Knowledge of a method's own integers, in their order; `NONE` where that is nothing.

    limits : each is from 0 to below this
    known : each is this, as soon as it is used; it follows from the model
    """

    limits: Integers
    known: Integers

    def settle(self, integers: Integers) -> bool:
        """Put known ones into a run's own integers; False if another one is beyond its limit."""
        own = integers[: len(self.known)]
        own[:] = np.where(self.known == NONE, own, self.known)
        return bool(np.all((self.limits == NONE) | ((own >= 0) & (own < self.limits))))


def radau_places(c: Compiled) -> Places:
    """Places in Radau's own integers."""
    sizes = radau_sizes(c)
    begin, (pairs, n) = radau_views.OWN_RECORD.places(sizes)["pivots"]
    length = radau_views.OWN_RECORD.lengths(sizes)[1]
    free = np.ones(c.nu, dtype=bool)
    free[_given(c)] = False
    made = np.tile(_pivots(c, n), pairs)
    return _with_parts(c, length, begin, made, radau_views.FACTORS, np.cumsum(free) * free)


def radau_sizes(c: Compiled) -> dict[str, int]:
    """Sizes of Radau's own buffers."""
    fronts, apart = blocks.lengths(c.ints), len(_given(c))
    sizes = c.sizes | _room(fronts) | {"nf": c.nu - apart, "nk": c.nr - apart}
    return sizes | {"apart": int(apart > 0), "ruled": int(c.nr > 0)}


def _given(c: Compiled) -> Integers:
    """Velocities that drivers of one coordinate give, as ``radau_views.choose``."""
    if blocks.lengths(c.ints)[0]:
        return np.zeros(0, dtype=np.int64)
    link, term = at.integers(c.ints, "link"), at.integers(c.ints, "term")
    one = (link[:, at.LINK_KIND] == LINEAR) & (link[:, at.LINK_COUNT] == 1)
    one &= link[:, at.LINK_RATES] == 0
    terms = link[one & (link[:, at.LINK_ROW] >= 0), at.LINK_TERM]
    return np.unique(term[terms, at.TERM_U])


def alpha_places(c: Compiled) -> Places:
    """Places in the own integers of the generalized-alpha family."""
    sizes = alpha_sizes(c)
    begin, (n,) = alpha_stage.OWN_RECORD.places(sizes)["pivots"]
    length = alpha_stage.OWN_RECORD.lengths(sizes)[1]
    return _with_parts(c, length, begin, _pivots(c, n), 1, np.arange(1, c.nu + 1))


def alpha_sizes(c: Compiled) -> dict[str, int]:
    """Sizes of the own buffers of the generalized-alpha family."""
    return c.sizes | _room(blocks.lengths(c.ints))


def replaced_pivots(record: Record, sizes: dict[str, int], own: Array) -> dict[str, float]:
    """Number of pivots of Newton's matrices by blocks that were rounding, in a method's reals."""
    begin, shape = record.places(sizes)["coefficients"]
    numbers = own[begin : begin + int(np.prod(shape))].reshape(shape)
    count = float(numbers[:, blocks.C_REPLACED].sum())
    return {"replaced_pivots": count} if count else {}


def _with_parts(
    c: Compiled, length: int, begin: int, pivots: Integers, factors: int, place: Integers
) -> Places:
    """Own integers of a length, with pivots from ``begin`` on, and those of parts behind them.

    ``place`` are the places of velocities among those that Newton solves for, 0 of others.
    """
    own, parts = np.full(length, NONE), _along_tree(c, factors, place)
    nothing = own.copy()
    own[begin : begin + len(pivots)] = pivots
    return Places(*map(np.concatenate, ((own, parts.limits), (nothing, parts.known))))


def _room(fronts: tuple[int, int]) -> dict[str, int]:
    return {"stack": fronts[0], "factors": fronts[1], "blocks": int(fronts[0] > 0)}


def _pivots(c: Compiled, n: int) -> Integers:
    """Limits of the pivots of n unknowns: the size of the matrix, or of the front they are in."""
    limits, plan = np.full(n, n), at.integers(c.ints, "plan")
    here = int(plan[at.PLAN_NEWTON])
    if here:
        head = plan[here : here + blocks.HEAD]
        first = here + int(head[blocks.TABLE])
        count = int(head[blocks.FRONTS])
        table = plan[first : first + count * blocks.FRONT_INTS].reshape(count, blocks.FRONT_INTS)
        for front in table:
            begin, size = int(front[blocks.FIRST]), int(front[blocks.PIVOTS])
            limits[begin : begin + size] = size
    return limits


def _along_tree(c: Compiled, factors: int, place: Integers) -> Places:
    """Places of the elimination along the tree: pivots, blocks of velocities and their owners."""
    sizes = c.sizes | {"factors": factors}
    reals, integers = PARTS_RECORD.lengths(sizes)
    limits, known = (np.full(integers, NONE) for _ in range(2))
    pivot, parts = (PARTS_RECORD.read(sizes, np.zeros(reals), x) for x in (limits, known))
    nu = len(parts.of)
    parts.place[:] = place[: len(parts.place)]
    if not nu:
        return Places(limits, known)
    parts.of[:, FIRST], parts.of[:, COUNT], parts.of[:, ALONE] = np.arange(nu), 1, 1
    node, flex = at.integers(c.ints, "node"), at.integers(c.ints, "flex")
    moving = ~np.isin(node[:, at.MOTION], (at.ELASTIC_OUT, at.ELASTIC_IN))
    moving[0] = False  # the ground
    for first, count in [*node[moving][:, [at.U0, at.COLUMNS]], *flex[:, [at.FLEX_U0, at.FLEX_N]]]:
        parts.of[first : first + count] = first, count, 0
    element = at.integers(c.ints, "element")
    controllers = element[element[:, at.KIND] == joint_forces.PID]
    parts.owner[:] = 0
    parts.owner[controllers[:, joint_forces.STATE]] = controllers[:, joint_forces.U]
    pivot.pivot[:] = parts.of[:, COUNT]
    parts.pivot[:] = NONE
    return Places(limits, known)
