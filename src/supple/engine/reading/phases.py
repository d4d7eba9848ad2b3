"""Phases of a run in which joints lock, unlock or let go: the same coordinates with other rows.

A joint that a run may lock, or release, has rows that hold its coordinates; one that it may release
is no joint of the tree. So a change never changes coordinates: it takes rows into use, and others
out of it. The coordinates of a joint that has let go are held, too, and move nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import history as kernel
from supple.core.forces import constraint_rows as links
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array

Held = tuple[str, int]  # a joint, and the place of its coordinate; 0 for a whole pose


@dataclass(frozen=True)
class Phase:
    """Locked coordinates, and joints and constraints that have let go.

    Attributes
    ----------
    locked : joints with places of coordinates, in the order of the user; (joint, 0) for a whole
        spherical or free joint
    released : names of joints and constraints
    """

    locked: frozenset[Held] = frozenset()
    released: frozenset[str] = frozenset()

    def holds(self, joint: str, place: int) -> bool:
        """True if a coordinate does not move, because it is locked or because its joint is gone."""
        return (joint, place) in self.locked or joint in self.released


def in_phase(whole: Compiled, phase: Phase) -> Compiled:
    """The model with the rows of a phase; ``whole`` has the rows of all phases."""
    table = at.integers(whole.ints, "link")
    out: set[int] = set()
    holding: set[int] = set()
    for joint, numbers in whole.holds.items():
        for place, number in enumerate(numbers):
            own = {int(row) for row in table[number, at.LINK_ROW :] if row >= 0}
            holding |= own
            if not phase.holds(joint, place):
                out |= own
    for k, row in enumerate(whole.rows):
        if row.owner in phase.released and k not in holding:
            out.add(k)
    part = whole.with_rows([k for k in range(whole.nr) if k not in out])
    return replace(part, all_rows=part.rows, all_ints=None, whole=whole, phase=phase)


def held_here(whole: Compiled, held: Iterable[Held], q: Array) -> Compiled:
    """The model with rows that hold some coordinates where they are in the position q (nq,)."""
    held = tuple(held)
    if not held:
        return whole
    reals = whole.reals.copy()
    tree = at.read_model(whole.ints, reals)
    flat = np.zeros((1, len(tree.node) * kernel.MOTION_COLUMNS))
    state = np.array(q, dtype=float)[None], np.zeros((1, whole.nu))
    kernel.motion_history(whole.ints, whole.reals, new_work(whole.ints), *state, flat)
    nodes = flat.reshape(len(tree.node), -1)
    for joint, place in held:
        link = tree.link[whole.holds[joint][place]]
        data = tree.data[link[at.LINK_AT] :]
        if link[at.LINK_KIND] == links.LINEAR:
            data[links.NUMBER] = q[tree.term[link[at.LINK_TERM], at.TERM_Q]]
            continue
        ends = nodes[[link[at.LINK_A], link[at.LINK_B]]]
        R_a, R_b = ends[:, kernel.OUT_R : kernel.OUT_P].reshape(2, 3, 3)
        p_a, p_b = ends[:, kernel.OUT_P : kernel.OUT_V]
        own = data[links.POSE_B :]
        far = p_b + R_b @ own[9:12]
        data[:9] = (R_a.T @ R_b @ own[:9].reshape(3, 3)).ravel()
        data[9:12] = R_a.T @ (far - p_a)
    reals.flags.writeable = False
    return replace(whole, reals=reals)


def with_holds(whole: Compiled, other: Compiled) -> Compiled:
    """The model with rows that hold coordinates where another model of its structure does."""
    reals = whole.reals.copy()
    mine, theirs = (at.read_model(whole.ints, x) for x in (reals, other.reals))
    for numbers in whole.holds.values():
        for link in mine.link[list(numbers)]:
            size = 1 if link[at.LINK_KIND] == links.LINEAR else links.POSE_B
            begin = link[at.LINK_AT] + (links.NUMBER if size == 1 else 0)
            mine.data[begin : begin + size] = theirs.data[begin : begin + size]
    reals.flags.writeable = False
    return replace(whole, reals=reals)
