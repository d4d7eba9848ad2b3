"""Phases of a run in which joints lock, unlock or let go: the same coordinates with other rows.

A joint that a run may lock, or release, has rows that hold its coordinates; one that it may release
is no joint of the tree. So a change never changes coordinates: it takes rows into use, and others
out of it. The coordinates of a joint that has let go are held, too, and move nothing.
Impulses of joints at such changes are wrenches.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import dynamics
from supple.core.equations import history as kernel
from supple.core.forces import constraint_rows as links
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.base.histories import RunHistory
from supple.foundation.arrays import Array
from supple.foundation.validate import set_fields

Held = tuple[str, int]  # a joint, and the place of its coordinate; 0 for a whole pose


@dataclass(frozen=True)
class Phase:
    """Locked coordinates, and joints and constraints that have let go."""

    # joints with places of coordinates, in the order of the user; (joint, 0) for a whole spherical
    # or free joint
    locked: frozenset[Held] = frozenset()
    released: frozenset[str] = frozenset()  # names of joints and constraints

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


def joint_impulses(compiled: Compiled, q: Array, du: Array, impulses: Array) -> dict[str, Array]:
    """Impulses (6,) [angular; linear] by A on B at B's origin, world axes, by joint.

    ``du`` (nu,) is the jump of the velocities, ``impulses`` (nr,) are those of the rows in use. The
    sweep of forces at rest is linear in accelerations and multipliers: with jumps in their places
    it gives impulses, after what forces do is taken away.
    """
    c = compiled
    still = np.zeros(c.nu)
    after = _swept(c, q, du, -impulses)
    before = _swept(c, q, still, np.zeros(c.nr))
    nodes, effort = after[0].copy(), (after[1] - before[1])[None]
    nodes[:, kernel.OUT_W :] -= before[0][:, kernel.OUT_W :]
    run = RunHistory(RowSets.of(c), np.zeros(1), q[None], still[None], c.z0[None])
    set_fields(run, nodes=nodes[None], effort=effort)
    whole = run.wrench[0]
    for k, name in enumerate(c.joints):
        whole[k] += _pose_held(c, nodes, name, impulses)
    return {name: whole[k].copy() for k, name in enumerate(c.joints)}


def _swept(c: Compiled, q: Array, a: Array, lam: Array) -> tuple[Array, Array]:
    """Nodes (nn, NODE_COLUMNS), with poses and wrenches, and efforts (nu,), at rest."""
    work = new_work(c.ints)
    fields = at.read_work(c.ints, work)
    fields.lam[:] = lam
    state = (np.array(x, dtype=float) for x in (q, np.zeros(c.nu), a, c.z0))
    dynamics.residual(c.ints, c.reals, work, 0.0, *state, np.zeros(c.nu))
    nodes = np.zeros((len(fields.node), kernel.NODE_COLUMNS))
    pose = kernel.OUT_V
    nodes[:, :pose] = fields.node[:, :pose]
    force = fields.node[:, at.W + 3 : at.W + 6]
    arm = fields.node[:, at.P : at.P + 3] - fields.origin
    nodes[:, kernel.OUT_W : kernel.OUT_W + 3] = fields.node[:, at.W : at.W + 3] - np.cross(
        arm, force
    )
    nodes[:, kernel.OUT_W + 3 :] = force
    return nodes, fields.effort.copy()


def _pose_held(c: Compiled, nodes: Array, name: str, impulses: Array) -> Array:
    """Wrench that holds a locked spherical or free joint (6,): its rows act beside the joint."""
    out = np.zeros(6)
    if name not in c.holds or c.joints[name].chart.axes:
        return out
    link = at.integers(c.ints, "link")[c.holds[name][0]]
    node, place = link[at.LINK_B], link[at.LINK_AT]
    data = at.read_model(c.ints, c.reals).data[place + 12 : place + 21]  # B's axes in its node
    R = nodes[node, : kernel.OUT_P].reshape(3, 3) @ data.reshape(3, 3)
    rows = link[at.LINK_ROW :]
    own = np.array([impulses[row] if row >= 0 else 0.0 for row in rows])
    return np.concatenate([R @ own[3:], R @ own[:3]])
