"""Power, efforts and wrenches of one force element or constraint over a run, found on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.core import dynamics
from supple.core import history as kernel
from supple.core.layout import new_work, read_work
from supple.engine.builder import Compiled
from supple.forces import ForceElement
from supple.forces.kinds import force_kind
from supple.poses import Array
from supple.results.run_data import ConstraintHistory, ElementHistory


@dataclass(frozen=True, eq=False)
class Loads:
    """The force elements of a run: ``loads(name)`` evaluates one of them at all output times.

    Attributes
    ----------
    t, q, u, z : (nt,), (nt, n) output times and states
    forces : the elements as they were simulated; a beam's damping and drivers have no entry
    sets : times from which on other constraint rows were in use, and the model with these
    """

    compiled: Compiled
    forces: Mapping[str, ForceElement]
    t: Array
    q: Array
    u: Array
    z: Array
    sets: tuple[tuple[float, Compiled], ...] = ()

    def __call__(self, name: str) -> ElementHistory:
        """Power, efforts and wrenches of the element alone, by the kernel that serves all kinds."""
        c, nt = self.compiled, len(self.t)
        force = self.forces.get(name)
        at_frames = force is not None and force_kind(force).at_frames
        places = [c.place(frame) for frame in force.frames.values()] if force and at_frames else []
        power, efforts = np.zeros((nt, 1)), np.zeros((nt, c.nu))
        wrenches = np.zeros((nt, 6 * len(places)))
        states = self.q, self.u, self.z
        arrays = [np.require(x, dtype=float, requirements=["C", "W"]) for x in states]
        for part in c.channels(name):
            one = np.zeros_like(power), np.zeros_like(efforts), np.zeros_like(wrenches)
            kernel.element_history(
                c.ints,
                c.reals,
                new_work(c.ints),
                np.ascontiguousarray(self.t, dtype=float),
                *arrays,
                part,
                np.array([node for node, _ in places], dtype=np.int64),
                np.array([pose.p for _, pose in places], dtype=float).reshape(-1, 3),
                *one,
            )
            for total, mine in zip((power, efforts, wrenches), one, strict=True):
                total += mine
        return ElementHistory(power[:, 0], efforts, wrenches.reshape(nt, len(places), 6))

    def constraint(self, name: str) -> ConstraintHistory:
        """Loads of the rows of a constraint, by part, and the power of their motion in time."""
        multipliers, powers = self._solved
        own = [k for k, row in enumerate(self.compiled.all_rows) if row.owner == name]
        known = [k for k in own if np.any(np.isfinite(multipliers[:, k]))]
        return ConstraintHistory(
            power=powers[:, self.compiled.channels(name)].sum(axis=1),
            loads={self.compiled.all_rows[k].part: -multipliers[:, k] for k in known},
        )

    @cached_property
    def _solved(self) -> tuple[Array, Array]:
        """Multipliers (nt, all rows), NaN where not in use, and powers (nt, nforce) with them."""
        solve = dynamics.accelerate.ready()
        q, u, z = (np.array(x, dtype=float) for x in (self.q, self.u, self.z))
        place = {row: k for k, row in enumerate(self.compiled.all_rows)}
        multipliers = np.full((len(self.t), len(place)), np.nan)
        powers = np.full((len(self.t), len(self.compiled.force_names)), np.nan)
        sets = self.sets or ((-np.inf, self.compiled),)
        begins = [t for t, _ in sets]
        for i, t in enumerate(self.t):
            c = sets[max(int(np.searchsorted(begins, t, side="right")) - 1, 0)][1]
            work, used = new_work(c.ints), [place[row] for row in c.rows]
            if solve(c.ints, c.reals, work, float(t), q[i], u[i], z[i], np.zeros(c.nu)) < 0:
                found = read_work(c.ints, work)
                multipliers[i, used], powers[i] = found.lam, found.power
        return multipliers, powers
