"""What each force element does over a run, evaluated when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.compiled import Compiled
from supple.core import dynamics
from supple.core import history as kernel
from supple.core.layout import multiplier_slice, new_work, power_slice
from supple.forces import DistributedLoad, ForceElement
from supple.poses import Array
from supple.run_data import ElementHistory, RowHistory


@dataclass(frozen=True, eq=False)
class Loads:
    """The force elements of a run: ``loads(name)`` evaluates one of them at all output times.

    Attributes
    ----------
    t, q, u, z : (nt,), (nt, n) output times and states
    forces : the elements as they were simulated; a beam's damping has no entry
    """

    compiled: Compiled
    forces: Mapping[str, ForceElement]
    t: Array
    q: Array
    u: Array
    z: Array

    def __call__(self, name: str) -> ElementHistory:
        """Power, efforts and wrenches of the element alone, by the kernel that serves all kinds."""
        c, nt = self.compiled, len(self.t)
        force = self.forces.get(name)
        frames = (
            () if force is None or isinstance(force, DistributedLoad) else force.frames.values()
        )
        places = [c.place(frame) for frame in frames]
        power, efforts = np.zeros((nt, 1)), np.zeros((nt, c.nu))
        wrenches = np.zeros((nt, 6 * len(places)))
        states = self.q, self.u, self.z
        rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in states]
        for part in c.channels(name):
            one = np.zeros_like(power), np.zeros_like(efforts), np.zeros_like(wrenches)
            kernel.element_history(
                c.ints,
                c.reals,
                new_work(c.ints),
                np.ascontiguousarray(self.t, dtype=float),
                *rows,
                part,
                np.array([node for node, _ in places], dtype=np.int64),
                np.array([pose.p for _, pose in places], dtype=float).reshape(-1, 3),
                *one,
            )
            for total, mine in zip((power, efforts, wrenches), one, strict=True):
                total += mine
        return ElementHistory(power[:, 0], efforts, wrenches.reshape(nt, len(places), 6))

    def rows(self, name: str) -> RowHistory:
        """What the rows of a constraint push with, by part, and the power that drives them."""
        multipliers, powers = self._solved
        own = [k for k, row in enumerate(self.compiled.rows) if row.owner == name]
        return RowHistory(
            power=powers[:, self.compiled.channels(name)].sum(axis=1),
            pushes={self.compiled.rows[k].part: -multipliers[:, k] for k in own},
        )

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Multipliers (nt, nr) of the rows in use, and powers (nt, nforce) with them."""
        c, work = self.compiled, new_work(self.compiled.ints)
        solve = dynamics.accelerate.ready()
        q, u, z = (np.array(x, dtype=float) for x in (self.q, self.u, self.z))
        multipliers = np.full((len(self.t), c.nr), np.nan)
        powers = np.full((len(self.t), len(c.force_names)), np.nan)
        for i, t in enumerate(self.t):
            if solve(c.ints, c.reals, work, float(t), q[i], u[i], z[i], np.zeros(c.nu)) < 0:
                multipliers[i] = work[multiplier_slice(c.ints)]
                powers[i] = work[power_slice(c.ints)]
        return multipliers, powers
