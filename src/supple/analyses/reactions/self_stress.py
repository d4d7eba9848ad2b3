"""Reactions that are in equilibrium by themselves when all bodies are rigid.

They are what equilibrium leaves open: the elasticity of the bodies decides about them. With every
body free and all rows of all joints and constraints, multipliers x that do no work on any motion of
the bodies' frames and of the joints are such reactions; elastic coordinates are left out of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np

from supple.analyses.reactions.reactions import Reactions
from supple.constraints import Constraint
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.pack.builder import build
from supple.engine.reading.rows import row_sizes, rows_at, scaled_rows
from supple.foundation.arrays import Array
from supple.foundation.frames import Frame
from supple.graph.topology import FREE
from supple.joints import Joint
from supple.model import Model
from supple.results.data.run_data import HeldLoads, History

# Singular values of the scaled rows below this part of the largest are zero: axes that would be
# parallel but for the deflections of the bodies, which are small angles.
ZERO = 1e-2


@dataclass(frozen=True, eq=False)
class SelfStress:
    """Finds them for states of a run of the model."""

    model: Model

    def __call__(self, history: History) -> list[HeldLoads]:
        """For each state: by body, the frames at which they act, and wrenches (6, s) there.

        A wrench [torque; force] is about the body's own frame, in its axes.
        """
        run = _Rows(self.model, cast("RunHistory", history))
        return [run.held(k) for k in range(len(run.t))]

    def constraints(self, history: History) -> list[HeldLoads]:
        """For each state what constraints exert, in the same way; wrenches are (6, 1)."""
        run = _Rows(self.model, cast("RunHistory", history))
        return [run.exerted(k) for k in range(len(run.t))]


class _Rows(Reactions):
    """All rows of a model whose bodies all move freely."""

    @cached_property
    def _built(self) -> Compiled:
        """Every body on a free joint of its own, at its own frame."""
        return build(self.model, (), [FREE + name for name in self.model.bodies])

    def _scaled(self, k: int) -> Array:
        """All rows (nr, nu) at a state, in units of rows and increments."""
        c = self.absolute
        rows = rows_at(c, self._work, self.t[k], self._positions[k], np.zeros(c.nu))
        return scaled_rows(c, rows.G)

    def held(self, k: int) -> HeldLoads:
        """Self-stress at one state."""
        c = self.absolute
        scaled = self._scaled(k)
        if not np.all(np.isfinite(scaled)):  # of a run that diverged
            return {name: [] for name in self.model.bodies}
        rigid = np.ones(c.nu, dtype=bool)
        for record in c.flexible.values():
            rigid[record.u] = False
        left, values, _ = np.linalg.svd(scaled[:, rigid])
        rank = int(np.sum(values > ZERO * values.max(initial=0.0)))
        return self._on_bodies(scaled, left[:, rank:])

    def exerted(self, k: int) -> HeldLoads:
        """Loads of constraints at one state."""
        c = self.absolute
        known = np.array(self._known[k]) * row_sizes(c)
        own = np.array([row.owner in self.model.constraints for row in c.rows])
        return self._on_bodies(self._scaled(k), -np.where(own, known, 0.0)[:, None])

    @cached_property
    def _known(self) -> Array:
        """Multipliers (nt, nr) of all rows."""
        return self._multipliers(list(range(self.absolute.nr)))

    def _on_bodies(self, scaled: Array, multipliers: Array) -> HeldLoads:
        """Wrenches of scaled multipliers (nr, s) on the frames of all bodies."""
        c = self.absolute
        found: HeldLoads = {}
        G = scaled / c.scale
        for name in self.model.bodies:
            if name in c.gradient:  # nodal vectors have no frame that wrenches could refer to
                found[name] = []
                continue
            columns = c.extra[FREE + name].u
            found[name] = [
                (frame, G[rows][:, columns].T @ multipliers[rows])
                for frame, rows in self._acting[name]
            ]
        return found

    @cached_property
    def _acting(self) -> dict[str, list[tuple[Frame, list[int]]]]:
        """By body, frames of joints and constraints with the places of their rows."""
        c, model = self.absolute, self.model
        found: dict[str, list[tuple[Frame, list[int]]]] = {name: [] for name in model.bodies}
        items: list[Joint | Constraint] = [*model.joints.values(), *model.constraints.values()]
        for item in items:
            rows = [k for k, r in enumerate(c.rows) if r.owner == item.name]
            for frame in item.frames.values() if rows else ():
                if frame.body.name in found:
                    found[frame.body.name].append((frame, rows))
        return found
