"""A run that is followed step by step, so that small motion about it can be."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from supple.analyses.outcome import result_of
from supple.core.layout import new_work
from supple.engine.compiled import Compiled
from supple.engine.row_sets import RowSets
from supple.errors import SimulationError
from supple.integrators.base import Integrator
from supple.integrators.driver import Solution
from supple.poses import Array
from supple.results.result import Result
from supple.results.run_data import Indices
from supple.sensitivities.linear_steps import (
    States,
    Steps,
    blocks,
    parameter_terms,
    residuals,
    small_motion,
    stage_times,
    steps_of,
)
from supple.sensitivities.neighbours import Neighbours, Start, like, start_variation
from supple.sensitivities.warp import Warp

ROUGH = 0.02  # second difference, in parts of the first, from which on it is looked at again
ROUNDING = 1e-11  # of forces of inertia
LINEAR = 1e-9  # second difference, in parts of the first, that is rounding
APART = 1e-12  # of the time span: times less far apart are one


class Block(NamedTuple):
    """Steps ``where`` of a grid with the constraint rows of ``compiled``; residuals of the run."""

    where: slice
    compiled: Compiled
    steps: Steps
    here: Array


@dataclass(frozen=True)
class FollowedRun:
    """A run of a model whose neighbours are asked for.

    Attributes
    ----------
    solution : states at the output times
    ends : (n + 1,) s, its start and the ends of its steps
    """

    neighbours: Neighbours
    integrator: Integrator
    solution: Solution
    ends: Array
    _warps: dict[str, Warp] = field(default_factory=dict)

    @classmethod
    def of(cls, neighbours: Neighbours, integrator: Integrator) -> FollowedRun:
        """Make the run."""
        steps: list[float] = []
        problem = neighbours.here.problem
        solution = integrator.run(problem._replace(steps=steps))
        if not solution.success:
            raise SimulationError(f"sensitivity: the run {solution.message}")
        return cls(neighbours, integrator, solution, np.unique([problem.t_start, *steps]))

    @property
    def result(self) -> Result:
        """The run itself."""
        here = self.neighbours.here
        return result_of(here.model, here.compiled, self.solution)

    def grid(self, times: Array) -> tuple[Array, Indices]:
        """Ends (n + 1,) of steps of the run, divided at times, and the places of these (nt,)."""
        near = APART * (self.ends[-1] - self.ends[0])
        ends = np.unique(np.concatenate([self.ends, times, self._kinks()]))
        kept = np.concatenate([[True], np.diff(ends) > near])
        return ends[kept], np.cumsum(kept)[np.searchsorted(ends, times)] - 1

    def _kinks(self) -> Array:
        """Breakpoints of neighbours that stay where they are, (n,) s, inside of the run."""
        found: set[float] = set()
        for name in self.neighbours.values:
            sides = self.neighbours.sides(name)[:2]
            one, two = (set(side.problem.equations.breakpoints()) for side in sides)
            found |= one & two
        return np.array([t for t in sorted(found) if self.ends[0] < t < self.ends[-1]])

    def blocks(self, ends: Array, backwards: bool = False) -> Iterator[Block]:
        """The steps between the ends (n + 1,), some at a time."""
        stages = self._stages(ends)
        h = np.diff(ends)
        found = [
            (slice(part.start + k.start, part.start + k.stop), compiled)
            for compiled, part in self._with_rows(ends)
            for k in blocks(compiled, part.stop - part.start)
        ]
        for where, compiled in reversed(found) if backwards else found:
            mine = stages.part(slice(3 * where.start, 3 * where.stop))
            steps = steps_of(compiled, mine, h[where])
            every = np.arange(len(mine.t))
            yield Block(where, compiled, steps, residuals(compiled, mine.t, steps, every))

    def _stages(self, ends: Array) -> States:
        """States at all stages, from a run of the same steps."""
        times = stage_times(ends)
        problem = self.neighbours.here.problem
        found = self.integrator.run(problem._replace(grid=times))
        if len(found.t) != len(times):
            raise SimulationError("sensitivity: the run was not the same a second time")
        left = times.copy()  # at a jump of a signal, the stage before it
        left[2::3] = np.nextafter(times[2::3], -np.inf)
        return States(left, found.q, found.u, found.z)

    def _with_rows(self, ends: Array) -> Iterator[tuple[Compiled, slice]]:
        """Constraint rows in use, and the steps that are made with them."""
        sets = self.solution.row_sets
        middle = 0.5 * (ends[1:] + ends[:-1])
        which = np.maximum(np.searchsorted(sets.begins, middle, side="right") - 1, 0)
        borders = [0, *(np.flatnonzero(np.diff(which)) + 1), len(middle)]
        for i, j in itertools.pairwise(borders):
            yield sets.models[which[i]], slice(int(i), int(j))

    def terms(self, name: str, block: Block) -> Array:
        """What a parameter adds to the stages of a block, b (n, 3 ne)."""
        one, two, apart = self.neighbours.sides(name)
        models = [like(side.compiled, block.compiled) for side in (one, two)]
        warp, steps, t = self.warp(name), block.steps, block.steps.stages.t
        if warp.moves:
            every, times = np.arange(len(t)), warp.times(t)
            ends = [residuals(m, at, steps, every) for m, at in zip(models, times, strict=True)]
            change = (ends[0] - ends[1]) / apart
            return parameter_terms(steps, every, change, warp.stretch(t))
        where, linear = self._acts(name, models, block)
        change = residuals(models[0], t, steps, where)
        if linear:  # then one side tells as much as both
            change, apart = change - block.here[where], 0.5 * apart
        else:
            change -= residuals(models[1], t, steps, where)
        return parameter_terms(steps, where, change / apart, np.zeros(len(t)))

    def _acts(self, name: str, models: list[Compiled], block: Block) -> tuple[Indices, bool]:
        """Stages (k,) of a block at which a parameter changes anything, and if that is linear.

        What a signal changes begins and ends at breakpoints: where three stages between two of
        them see nothing of it, the others do not either.
        """
        t = block.steps.stages.t
        every = np.arange(len(t))
        kinks = sorted({*models[0].breakpoints, *models[1].breakpoints})
        piece = np.searchsorted(kinks, t, side="right")
        mine = [every[piece == k] for k in np.unique(piece)]
        some = np.unique([x[k] for x in mine for k in (0, len(x) // 2, len(x) - 1)])
        one, two = (residuals(model, t, block.steps, some) for model in models)
        seen = set(piece[some[np.any(one != two, axis=1)]])
        second = np.abs(one + two - 2.0 * block.here[some])
        size = np.max(np.abs(one - two), axis=0, initial=0.0)
        if np.max(second, initial=0.0) > ROUGH * np.max(size, initial=0.0):
            self._expect_smooth(name, block, some, float(np.max(second)))
        return np.flatnonzero(np.isin(piece, list(seen))), bool(np.all(second <= LINEAR * size))

    def _expect_smooth(self, name: str, block: Block, some: Indices, second: float) -> None:
        """Refuse a parameter with which the equations jump: second differences that do not grow.

        ``second`` is the one of the usual displacement. That of twice as much is four times as
        large, unless both are rounding.
        """
        small, t = block.steps.small, block.steps.stages.t
        inertia = np.einsum("kij,kj->ki", small.M[some], small.a[some])
        if second <= ROUNDING * float(np.max(np.abs(inertia), initial=0.0)):
            return
        pair = self.neighbours.pair(name, 2.0 * self.neighbours.step(name))
        models = [like(side.compiled, block.compiled) for side in pair]
        one, two = (residuals(model, t, block.steps, some) for model in models)
        if float(np.max(np.abs(one + two - 2.0 * block.here[some]))) < 2.0 * second:
            raise self.neighbours.jump(name)

    def warp(self, name: str) -> Warp:
        """The time of neighbours along a parameter."""
        if name not in self._warps:
            self._warps[name] = Warp.of(self.neighbours, name, float(self.ends[-1]))
        return self._warps[name]

    def rates(self, times: Array) -> Array:
        """Rates (nt, ns) of the states at output times."""
        s, k = self.solution, np.searchsorted(self.solution.t, times)
        states = States(s.t[k], s.q[k], s.u[k], s.z[k])
        out = np.empty((len(times), 2 * s.u.shape[1] + s.z.shape[1]))
        for compiled, mine in s.row_sets.parts(times):
            part = states.part(mine)
            small = small_motion(compiled, new_work(compiled.ints), part)
            out[mine] = np.concatenate([part.u, small.a, small.zdot], axis=1)
        return out

    def forward(self, times: Array) -> Array:
        """Derivatives (np, nt, ns) of the states at times along all parameters."""
        names = list(self.neighbours.values)
        ends, places = self.grid(times)
        s = np.array([np.concatenate(start_variation(self.neighbours, name)) for name in names])
        out = np.empty((len(names), len(ends), s.shape[1]))
        out[:, 0] = s
        for block in self.blocks(ends):
            b = np.array([self.terms(name, block) for name in names])
            added = np.einsum("kij,pkj->kpi", block.steps.forced, b, optimize=True)
            for k in range(len(added)):
                s = s @ block.steps.transfer[k].T - added[k]
                out[:, block.where.start + k + 1] = s
        found = out[:, places]
        for p, name in enumerate(names):
            if self.warp(name).moves:
                found[p] -= self.warp(name).at(times)[:, None] * self.rates(times)
        return found

    def backward(self, times: Array, slopes: Array) -> Array:
        """Derivatives (nj, np) of sums over times of slopes (nj, nt, ns) times the states."""
        names = list(self.neighbours.values)
        ends, places = self.grid(times)
        given = np.zeros((slopes.shape[0], len(ends), slopes.shape[2]))
        for k, place in enumerate(places):
            given[:, place] += slopes[:, k]
        out = np.zeros((len(slopes), len(names)))
        lam = given[:, -1].copy()
        for block in self.blocks(ends, backwards=True):
            w = np.empty((block.steps.forced.shape[0], len(slopes), block.steps.forced.shape[2]))
            for k in reversed(range(len(w))):
                w[k] = lam @ block.steps.forced[k]
                lam = lam @ block.steps.transfer[k] + given[:, block.where.start + k]
            for p, name in enumerate(names):
                out[:, p] -= np.einsum("kji,ki->j", w, self.terms(name, block), optimize=True)
        for p, name in enumerate(names):
            out[:, p] += lam @ np.concatenate(start_variation(self.neighbours, name))
            if self.warp(name).moves:
                moved = self.warp(name).at(times)[:, None] * self.rates(times)
                out[:, p] -= np.einsum("jts,ts->j", slopes, moved)
        return out

    def shown(self, start: Start, t: Array, q: Array, u: Array, z: Array) -> Result:
        """Other states as a result of a neighbour; work of forces is not known of them."""
        sets = self.solution.row_sets
        models = tuple(like(start.compiled, model) for model in sets.models)
        work = np.full((len(t), self.solution.channels.shape[1]), np.nan)
        other = self.solution._replace(
            t=t, q=q, u=u, z=z, channels=work, row_sets=RowSets(sets.begins, models)
        )
        return result_of(start.model, start.compiled, other)

    def moved(self, q: Array, u: Array, z: Array, by: Array) -> tuple[Array, Array, Array]:
        """States (nt, n) moved by increments (nt, ns)."""
        equations, n = self.neighbours.here.problem.equations, u.shape[1]
        moved = np.array([equations.retract(a, b) for a, b in zip(q, by[:, :n], strict=True)])
        return moved.reshape(q.shape), u + by[:, n : 2 * n], z + by[:, 2 * n :]
