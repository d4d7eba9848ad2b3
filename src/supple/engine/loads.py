"""Power, efforts and wrenches of one force element or constraint over a run, found on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from supple.core import history as kernel
from supple.core.layout import new_work
from supple.engine.callbacks import MachineCode
from supple.engine.compiled import Compiled
from supple.engine.histories import RunHistory
from supple.forces import ForceElement
from supple.forces.kinds import force_kind
from supple.poses import Array
from supple.results.run_data import ConstraintHistory, ElementHistory, History


def failed_machine_code(c: Compiled, t: float, q: Array, u: Array, z: Array) -> str | None:
    """The first function in machine code without a finite result at or behind a time, if any.

    Python functions tell themselves what went wrong; machine code is asked again.
    """
    times = np.array([t, t + 1e-9 * (1.0 + abs(t))])
    rows = [np.ascontiguousarray(np.tile(x, (2, 1)), dtype=float) for x in (q, u, z)]
    for function in c.callbacks:
        if isinstance(function, MachineCode):
            power, efforts, wrenches = np.zeros((2, 1)), np.zeros((2, c.nu)), np.zeros((2, 0))
            nowhere, part = np.zeros(0, dtype=np.int64), c.channels(function.name)[0]
            kernel.element_history(
                c.ints,
                c.reals,
                new_work(c.ints),
                times,
                *rows,
                part,
                nowhere,
                np.zeros((0, 3)),
                power,
                efforts,
                wrenches,
            )
            if not np.isfinite(power).all():
                what = "its function failed or gave a number that is not finite"
                return f"{function.owner}: {what} near t = {t:.9g} s"
    return None


@dataclass(frozen=True, eq=False)
class Loads:
    """The force elements of a run: ``loads(name)`` evaluates one of them at all output times.

    Attributes
    ----------
    history : the run
    forces : the elements as they were simulated; a beam's damping and drivers have no entry
    """

    history: RunHistory
    forces: Mapping[str, ForceElement]

    @property
    def compiled(self) -> Compiled:
        """The model as the run began."""
        return self.history.compiled

    def __call__(self, name: str) -> ElementHistory:
        """Power, efforts and wrenches of the element alone, by the kernel that serves all kinds."""
        c, h = self.compiled, self.history
        nt = len(h.t)
        force = self.forces.get(name)
        at_frames = force is not None and force_kind(force).at_frames
        places = [c.place(frame) for frame in force.frames.values()] if force and at_frames else []
        power, efforts = np.zeros((nt, 1)), np.zeros((nt, c.nu))
        wrenches = np.zeros((nt, 6 * len(places)))
        arrays = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (h.q, h.u, h.z)]
        for part in c.channels(name):
            one = np.zeros_like(power), np.zeros_like(efforts), np.zeros_like(wrenches)
            kernel.element_history(
                c.ints,
                c.reals,
                new_work(c.ints),
                np.ascontiguousarray(h.t, dtype=float),
                *arrays,
                part,
                np.array([node for node, _ in places], dtype=np.int64),
                np.array([pose.p for _, pose in places], dtype=float).reshape(-1, 3),
                *one,
            )
            for total, mine in zip((power, efforts, wrenches), one, strict=True):
                total += mine
        return ElementHistory(power[:, 0], efforts, wrenches.reshape(nt, len(places), 6))

    def of(self, history: History) -> Loads:
        """The same for other states."""
        return Loads(cast("RunHistory", history), self.forces)

    def constraint(self, name: str) -> ConstraintHistory:
        """Loads of the rows of a constraint, by part, and the power of their motion in time."""
        multipliers, powers = self.history.multipliers, self.history.powers
        own = [k for k, row in enumerate(self.compiled.every_row) if row.owner == name]
        known = [k for k in own if np.any(np.isfinite(multipliers[:, k]))]
        return ConstraintHistory(
            power=powers[:, self.compiled.channels(name)].sum(axis=1),
            loads={self.compiled.every_row[k].part: -multipliers[:, k] for k in known},
        )
