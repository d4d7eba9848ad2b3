"""Impulses that joints pass on in an impact, as wrenches."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import dynamics
from supple.core.equations import history as kernel
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.base.row_sets import RowSets
from supple.foundation.arrays import Array
from supple.foundation.validate import set_fields


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
