"""Power, efforts and wrenches of one force element or constraint over a run, found on request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np

from supple.core.base.layout import KIND, integers, new_work
from supple.core.equations import history as kernel
from supple.core.forces import forces as codes
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.pack.contact_sets import set_history
from supple.engine.pack.contacts import contact_history, kind_of, rolling_history
from supple.engine.pack.ropes import rope_history
from supple.engine.pack.tyres import tyre_history
from supple.forces import Contact, Contacts, ForceElement, Rope, Tyre
from supple.forces.kinds import force_kind
from supple.foundation.arrays import Array
from supple.results.data.run_data import ConstraintHistory, ElementHistory, History

LAWS = (codes.JOINT_LAW, codes.LINE_LAW)
ON_COORDINATES = (codes.JOINT_LAW, codes.JOINT_FUNCTION)
ON_NODES = (codes.LINE_LAW, codes.FRAME_FUNCTION, codes.PAIR_FUNCTION)
NO_TANGENT = (
    "has no tangent (pulleys overlap, or a point is inside of one), winds around a pulley by more "
    "than 264 degrees beside its whole turns, or touches a drum opposite to its contact"
)


def failed_law(c: Compiled, t: Array, q: Array, u: Array, z: Array) -> str | None:
    """The first element with a law of its own that is not finite at the given states, if any.

    Python functions tell themselves what went wrong; formulas and machine code are asked again.
    """
    rows = [np.require(x, dtype=float, requirements=["C", "W"]) for x in (t, q, u, z)]
    elements = integers(c.ints, "element")
    for part, (kind, node) in enumerate(elements[:, : KIND + 2].tolist()):
        if kind not in (*ON_COORDINATES, *ON_NODES, codes.ROPE):
            continue
        places = np.array([node] if kind in ON_NODES else [], dtype=np.int64)
        out = [np.zeros((len(t), n)) for n in (1, c.nu, 6 * len(places))]
        points, work = np.zeros((len(places), 3)), new_work(c.ints)
        kernel.element_history(c.ints, c.reals, work, *rows, part, part + 1, places, points, *out)
        if not all(np.isfinite(x).all() for x in out):
            if kind == codes.ROPE:
                return f"the rope '{c.force_names[part]}' {NO_TANGENT}"
            what = "law" if kind in LAWS else "function"
            return f"the {what} of '{c.force_names[part]}' fails or is not finite there"
    return None


def _runs(parts: list[int]) -> list[tuple[int, int]]:
    """Begins and ends of the numbers that follow each other."""
    begins = [k for k in parts if k - 1 not in parts]
    ends = [k + 1 for k in parts if k + 1 not in parts]
    return list(zip(begins, ends, strict=True))


@dataclass(frozen=True, eq=False)
class Loads:
    """The force elements of a run: ``loads(name)`` evaluates one of them at all output times."""

    history: RunHistory  # the run
    # the elements as they were simulated; a beam's damping and drivers have no entry
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
        for part, end in _runs(c.channels(name)):
            one = np.zeros_like(power), np.zeros_like(efforts), np.zeros_like(wrenches)
            kernel.element_history(
                c.ints,
                c.reals,
                new_work(c.ints),
                np.ascontiguousarray(h.t, dtype=float),
                *arrays,
                part,
                end,
                np.array([node for node, _ in places], dtype=np.int64),
                np.array([pose.p for _, pose in places], dtype=float).reshape(-1, 3),
                *one,
            )
            for total, mine in zip((power, efforts, wrenches), one, strict=True):
                total += mine
        if isinstance(force, Rope):
            (part,) = c.channels(name)
            rope = rope_history(c.ints, c.reals, part, h.t, h.q, h.u)
            return ElementHistory(power[:, 0], efforts, rope.wrenches, rope)
        if isinstance(force, Contact):
            shown = contact_history(c, force, h.q, h.u, h.z)
            loads = wrenches.reshape(nt, len(places), 6)
            return ElementHistory(power[:, 0], efforts, loads, contact=shown)
        loads = wrenches.reshape(nt, len(places), 6)
        if isinstance(force, Tyre):
            both = tyre_history(c, force, h.q, h.u, h.z)
            return ElementHistory(power[:, 0], efforts, loads, contact=both[0], tyre=both[1])
        if isinstance(force, Contacts):
            first = {node: k for k, (node, _) in reversed([*enumerate(places)])}
            for k, (node, _) in enumerate(places):  # what acts on a node is told once
                loads[:, k] *= float(first[node] == k)
            history = set_history(c, force, h.q, h.u, h.z)
            return ElementHistory(power[:, 0], efforts, loads, contacts=history)
        return ElementHistory(power[:, 0], efforts, loads)

    def of(self, history: History) -> Loads:
        """The loads at other states."""
        return Loads(cast("RunHistory", history), self.forces)

    def constraint(self, name: str) -> ConstraintHistory:
        """Loads of the rows of a constraint, by part, and the power of their motion in time."""
        multipliers, powers = self.history.multipliers, self.history.powers
        own = [k for k, row in enumerate(self.compiled.every_row) if row.owner == name]
        known = [k for k in own if np.any(np.isfinite(multipliers[:, k]))]
        c, h = self.compiled, self.history
        rolls = name in c.force_names
        rolls = rolls and kind_of(c, name) == codes.SHAPES
        return ConstraintHistory(
            power=powers[:, c.channels(name)].sum(axis=1),
            loads={c.every_row[k].part: -multipliers[:, k] for k in known},
            rolling=rolling_history(c, name, h.q, h.u) if rolls else None,
        )
