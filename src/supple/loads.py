"""What each force element does over a run, evaluated when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from supple.compiled import Compiled
from supple.core import dynamics
from supple.core import history as kernel
from supple.core.layout import new_work, power_slice
from supple.forces import DistributedLoad, ForceElement
from supple.poses import Array
from supple.run_data import ElementHistory


@dataclass(frozen=True, eq=False)
class Loads:
    """The force elements of a run: ``loads(name)`` evaluates one of them at all output times.

    Attributes
    ----------
    t, q, u, z : (nt,), (nt, n) output times and states
    forces : the elements as they were simulated; a beam's damping and drivers have no entry
    rows : times from which on other constraint rows were in use, and the model with these
    """

    compiled: Compiled
    forces: Mapping[str, ForceElement]
    t: Array
    q: Array
    u: Array
    z: Array
    rows: tuple[tuple[float, Compiled], ...] = ()

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
            if force is None and "." not in name:  # a driver; the damping of a beam has a dot
                power[:, 0] += self._driven(part)
                continue
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

    def _driven(self, part: int) -> Array:
        """Power (nt,) of a driver: its force is known with the accelerations only."""
        power = np.zeros(len(self.t))
        accelerate = dynamics.accelerate.ready()
        rows = self.rows or ((-np.inf, self.compiled),)
        begins = [t for t, _ in rows]
        for k, t in enumerate(self.t):
            c = rows[max(int(np.searchsorted(begins, t, side="right")) - 1, 0)][1]
            work, a = new_work(c.ints), np.zeros(c.nu)
            state = (np.array(x[k], dtype=float) for x in (self.q, self.u, self.z))
            found = accelerate(c.ints, c.reals, work, float(t), *state, a)
            power[k] = work[power_slice(c.ints)][part] if found < 0 else np.nan
        return power
