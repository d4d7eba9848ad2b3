"""A stretch of a run: its steps between two changes of the model, and small motion over them.

Warp: how the time of a neighbour goes, so that kinks of signals are at the same instants.

Where a parameter moves the breakpoint of a signal, a run and its neighbour differ by a jump between
both breakpoints, and differences at equal times have no sense there. So a neighbour is looked at in
a time t + p w(t) of its own, with w linear between breakpoints. What is beside a state then,
s + w s', is as smooth as the states themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled
from supple.engine.base.row_sets import RowSets
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, SimulationError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Problem
from supple.sensitivities.buffer_derivative import (
    Places,
    Touched,
    Weights,
    along_nodes,
    element_sums,
    node_sums,
)
from supple.sensitivities.linear_steps import (
    States,
    Steps,
    blocks,
    parameter_terms,
    residuals,
    stage_times,
    steps_of,
)
from supple.sensitivities.neighbours import OWNER, Neighbours, like


@dataclass(frozen=True)
class Warp:
    """Knots (k,) s, the times of these in both neighbours, and the rates (k,) per unit of p."""

    knots: Array
    first: Array
    second: Array
    rates: Array

    @classmethod
    def of(cls, neighbours: Neighbours, name: str, start: float, t_end: float) -> Warp:
        """Of a parameter and its usual displacement, between two times (s)."""
        own = neighbours.here.compiled.breakpoints
        *sides, apart = neighbours.sides(name)
        ends = [side.compiled.breakpoints for side in sides]
        if all(other == own for other in ends):
            knots = np.array([start, t_end])
            return cls(knots, knots, knots, np.zeros(2))
        if any(len(other) != len(own) for other in ends):
            # a value that makes a kink where there is none: all others must be where they were
            if not all(np.any(np.isclose(t, other, rtol=1e-12)) for other in ends for t in own):
                expected = "one that moves no breakpoints of signals while it makes others"
                raise ModelError(OWNER, "parameters", name, expected)
            ends = [own, own]
        order = np.argsort(own)
        inner = [k for k in order if start < own[k] < t_end]
        knots, first, second = (
            np.array([start, *(times[k] for k in inner), t_end]) for times in (own, *ends)
        )
        rates = (first - second) / apart
        return cls(knots, first, second, rates)

    @property
    def moves(self) -> bool:
        """Whether there is anything to do."""
        return bool(np.any(self.rates != 0.0))

    def times(self, t: Array) -> tuple[Array, Array]:
        """Times (n,) of the neighbours at times of the run, on the same side of all knots."""
        if not self.moves:
            return t, t
        found = []
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        for other in (self.first, self.second):
            slope = np.diff(other)[k] / np.diff(self.knots)[k]
            moved = other[k] + slope * (t - self.knots[k])
            found.append(np.clip(moved, other[k], np.nextafter(other[k + 1], -np.inf)))
        return found[0], found[1]

    def at(self, t: Array) -> Array:
        """The shift w (n,) s, per unit of the parameter."""
        return np.interp(t, self.knots, self.rates)

    def stretch(self, t: Array) -> Array:
        """Its rate w' (n,), per unit of the parameter; at a knot, that behind it."""
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        return np.diff(self.rates)[k] / np.diff(self.knots)[k]


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
class Stretch:
    """Steps of a run that an integrator makes in one go.

    Attributes
    ----------
    problem : what was integrated
    sets : constraint rows in use
    ends : (n + 1,) s, its start and the ends of its steps; one time if there are no steps
    """

    neighbours: Neighbours
    integrator: Integrator
    problem: Problem
    sets: RowSets
    ends: Array
    _warps: dict[str, Warp] = field(default_factory=dict)
    _found: dict[str, Touched | None] = field(default_factory=dict)
    _places: list[Places] = field(default_factory=list)

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
            one, two = (set(side.compiled.breakpoints) for side in sides)
            found |= one & two
        return np.array([t for t in sorted(found) if self.ends[0] < t < self.ends[-1]])

    def blocks(self, ends: Array, backwards: bool = False) -> Iterator[Block]:
        """The steps between the ends (n + 1,), some at a time."""
        if len(ends) < 2:
            return
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
        found = self.integrator.run(self.problem._replace(grid=times, steps=None))
        if len(found.t) != len(times):
            raise SimulationError("sensitivity: the run was not the same a second time")
        left = times.copy()  # at a jump of a signal, the stage before it
        left[2::3] = np.nextafter(times[2::3], -np.inf)
        return States(left, found.q, found.u, found.z)

    def _with_rows(self, ends: Array) -> Iterator[tuple[Compiled, slice]]:
        """Constraint rows in use, and the steps that are made with them."""
        sets = self.sets
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
        pairs = self.neighbours.differences(name)
        if len(pairs) > 1:
            change = np.zeros((len(where), block.here.shape[1]))
            for *sides, length in pairs:
                ends = [
                    residuals(like(side.compiled, block.compiled), t, steps, where)
                    for side in sides
                ]
                change += (ends[0] - ends[1]) / length
            return parameter_terms(steps, where, change, np.zeros(len(t)))
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
            begin, end = float(self.ends[0]), float(self.ends[-1])
            self._warps[name] = Warp.of(self.neighbours, name, begin, end)
        return self._warps[name]

    def forward(self, names: list[str], s: Array, times: Array) -> tuple[Array, Array]:
        """Derivatives (np, nt, ns) at times and (np, ns) at the end, with those at the start.

        Both in the times of neighbours, see `Warp`, which are those of the run at both ends.
        """
        ends, places = self.grid(times)
        out = np.empty((len(names), len(ends), s.shape[1]))
        out[:, 0] = s
        for block in self.blocks(ends):
            b = np.array([self.terms(name, block) for name in names])
            added = np.einsum("kij,pkj->kpi", block.steps.forced, b, optimize=True)
            for k in range(len(added)):
                s = s @ block.steps.transfer[k].T - added[k]
                out[:, block.where.start + k + 1] = s
        return out[:, places], s

    def backward(
        self, names: list[str], lam: Array, times: Array, slopes: Array
    ) -> tuple[Array, Array]:
        """Derivatives (nj, np), (nj, ns) along parameters and the state at the start.

        Of sums of ``lam`` (nj, ns) times the state at the end and ``slopes`` (nj, nt, ns) times
        those at times.
        """
        ends, places = self.grid(times)
        given = np.zeros((slopes.shape[0], len(ends), slopes.shape[2]))
        for k, place in enumerate(places):
            given[:, place] += slopes[:, k]
        out = np.zeros((len(slopes), len(names)))
        lam = lam + given[:, -1]
        for block in self.blocks(ends, backwards=True):
            w = np.empty((block.steps.forced.shape[0], len(slopes), block.steps.forced.shape[2]))
            for k in reversed(range(len(w))):
                w[k] = lam @ block.steps.forced[k]
                lam = lam @ block.steps.transfer[k] + given[:, block.where.start + k]
            out -= self._sums(names, block, w)
        return out, lam

    def _sums(self, names: list[str], block: Block, w: Array) -> Array:
        """Weights w (n, nj, 3 ne) times what parameters add to the stages of a block, (nj, np)."""
        out = np.zeros((w.shape[1], len(names)))
        found = {p: self._touched(name, block) for p, name in enumerate(names)}
        known = {p: touched for p, touched in found.items() if touched is not None}
        weights, work = Weights.of(block.compiled, w), new_work(block.compiled.ints)
        moving = [p for p, x in known.items() if x.nodes is not None]
        if moving:
            posed = any(known[p].posed for p in moving)
            sums = node_sums(block.compiled, block.steps, weights, posed)
            out[:, moving] += along_nodes([known[p] for p in moving], sums)
        for p, name in enumerate(names):
            touched, added = known.get(p), None
            if touched is not None:
                added = self._added(block, work, touched, weights)
            if added is None:
                out[:, p] = np.einsum("kji,ki->j", w, self.terms(name, block), optimize=True)
            else:
                out[:, p] += added
        return out

    def _added(self, block: Block, work: Array, touched: Touched, weights: Weights) -> Array | None:
        """What rotors and elements add to the sums (nj,); None if that is not smooth."""
        added: Array | None = np.zeros(weights.sums)
        if len(touched.elements):
            added = element_sums(block.compiled, work, block.steps, touched, weights)
        if added is not None and touched.rotors is not None:
            a = block.steps.small.a
            y = weights.residuals.reshape(len(a), weights.sums, -1)
            added = added + np.einsum("kjv,kv,v->j", y, a, touched.rotors)
        return added

    def _touched(self, name: str, block: Block) -> Touched | None:
        """What a parameter touches; None if whole residuals tell what it adds."""
        if block.compiled.whole is not None or self.warp(name).moves:
            return None
        if name not in self._found:
            if not self._places:
                self._places.append(Places(self.neighbours.here.compiled))
            one, two, apart = self.neighbours.sides(name)
            reals = one.compiled.reals, two.compiled.reals
            item = self.neighbours.item_of(name)
            self._found[name] = self._places[0].touched(item, *reals, apart)
        return self._found[name]
