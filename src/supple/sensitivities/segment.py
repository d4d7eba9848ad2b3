"""A stretch of a run: its steps between two changes of the model, and small motion over them.

Frames and inertias of nodes, rotors, and elements on joint coordinates have slopes that need no
residuals of neighbours (``core/equations/trajectory_tangents.py``): one sweep along the states
serves all parameters of nodes, and elements are looked at alone (`Touched`). For all else whole
residuals are compared.

Where a parameter moves the breakpoint of a signal, a run and its neighbour differ by a jump between
both breakpoints, and differences at equal times have no sense there. So a neighbour is looked at in
a time t + p w(t) of its own, with w linear between breakpoints (`Warp`). What is beside a state
then, s + w s', is as smooth as the states themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.base.layout import new_work
from supple.core.equations import trajectory_tangents as along
from supple.core.forces import forces
from supple.core.forces.joint_forces import JOINT_SPRING
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.pack.kinds import refuse_cells
from supple.forces.kinds import ELEMENTS
from supple.formulations.equations import TANGENTS
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, SimulationError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Problem
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

# Second difference, in parts of the first, from which on it is looked at again
ROUGH = 0.02
MODEL_ROUNDING = 1e-13  # of numbers of a model
FUNCTIONS = (forces.FRAME_FUNCTION, forces.JOINT_FUNCTION, forces.PAIR_FUNCTION)
IGNORED = ("length", "unit")  # no residual depends on these
ELEMENT_NUMBERS = ("coef", "data")


class Touched(NamedTuple):
    """Rates per unit of a parameter: of nodes (nodes, NODE_SLOPES) and of rotors (nu,).

    ``posed`` says whether frames of nodes move; ``elements`` are those whose numbers change from
    ``second`` to ``first``, which are ``apart``.
    """

    nodes: Array | None
    rotors: Array | None
    posed: bool
    elements: np.ndarray
    first: Array
    second: Array
    apart: float


class Places:
    """Places of the fields of a model in its reals."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        refuse_cells(compiled, TANGENTS)
        tree = at.read_model(compiled.ints, compiled.reals)
        self.node, self.kinds = tree.node, tree.element[:, at.KIND]
        self.names = list(at.TREE_RECORD.parts[1].fields)
        sizes = [np.size(getattr(tree, name)) for name in self.names]
        self.begins = np.cumsum([0, *sizes])
        couples = {ELEMENTS[int(kind)].couples for kind in self.kinds}
        self.free = (  # frames are on the path of the tree alone
            not len(tree.link)
            and not len(tree.gradient)
            and not couples & {"nodes", "path"}
            and not np.any(np.isin(self.kinds, FUNCTIONS))
        )

    def touched(
        self, item: str | None, first: Array, second: Array, apart: float
    ) -> Touched | None:
        """Difference of the reals of two neighbours; None if that asks for residuals.

        ``item`` is the only item of the model that differs, if that is known.
        """
        here = self.compiled.reals
        if not len(first) == len(second) == len(here):
            return None
        changed = np.flatnonzero((first != second) | (first != here))
        one, two, own = first[changed], second[changed], here[changed]
        rough = np.abs(one + two - 2.0 * own).max(initial=0.0)
        size = np.abs(one - two).max(initial=0.0)
        if rough > ROUGH * size + MODEL_ROUNDING * np.abs(own).max(initial=0.0):
            return None
        groups = np.searchsorted(self.begins, changed, side="right") - 1
        fields = {self.names[k] for k in np.unique(groups)}
        if not fields <= {"rotor", "body", *IGNORED, *ELEMENT_NUMBERS}:
            return None
        elements = self._elements(item, changed, fields)
        rotors = nodes = None
        posed = False
        if "rotor" in fields:
            rotors = (self._field("rotor", first) - self._field("rotor", second)) / apart
        if "body" in fields:
            nodes, posed = self._nodes(first, second, apart)
        if elements is None or (posed and not self.free):
            return None
        return Touched(nodes, rotors, posed, elements, first, second, apart)

    def _field(self, name: str, reals: Array) -> Array:
        k = self.names.index(name)
        return reals[self.begins[k] : self.begins[k + 1]]

    def _elements(
        self, item: str | None, changed: np.ndarray, fields: set[str]
    ) -> np.ndarray | None:
        """Elements whose numbers change; None if others than those on joint coordinates do."""
        elements = np.zeros(0, dtype=np.int64)
        if not fields & set(ELEMENT_NUMBERS):
            return elements
        k = self.names.index("coef")
        rows = changed[(changed >= self.begins[k]) & (changed < self.begins[k + 1])]
        elements = np.unique((rows - self.begins[k]) // at.ELEMENT_REALS)
        if "data" in fields:
            own = [] if item is None else self.compiled.channels(item)
            if not own or not set(elements.tolist()) <= set(own):
                return None
            elements = np.array(own, dtype=np.int64)
        return elements if np.all(self.kinds[elements] >= JOINT_SPRING) else None

    def _nodes(self, first: Array, second: Array, apart: float) -> tuple[Array, bool]:
        """Rates (nodes, NODE_SLOPES) of nodes, and whether frames move."""
        one, two, here = (
            self._field("body", x).reshape(-1, at.NODE_REALS)
            for x in (first, second, self.compiled.reals)
        )
        rate = (one - two) / apart
        out = np.zeros((len(rate), along.NODE_SLOPES))
        out[:, along.MASS :] = rate[:, at.BODY_M :]
        moving = np.flatnonzero(np.any(rate[:, : at.BODY_M] != 0.0, axis=1))
        for n in moving:
            spin = rate[n, :9].reshape(3, 3) @ here[n, :9].reshape(3, 3).T
            skew = spin - spin.T
            turn = 0.5 * np.array([skew[2, 1], skew[0, 2], skew[1, 0]])
            out[n, :3] = turn
            out[n, 3:6] = rate[n, 9:12] - np.cross(turn, here[n, 9:12])
        return out, bool(len(moving))


class Weights(NamedTuple):
    """Weights (stages sums, nu), (stages sums, nz) of residuals and of controllers' rates.

    Those of one stage follow each other.
    """

    residuals: Array
    rates: Array
    sums: int

    @classmethod
    def of(cls, compiled: Compiled, w: Array) -> Weights:
        """Of weights (n, sums, 3 ne) of steps, with the signs of `parameter_terms`."""
        nu, nz, (n, sums) = compiled.nu, compiled.nz, w.shape[:2]
        rows = np.swapaxes(w.reshape(n, sums, 3, -1), 1, 2).reshape(3 * n * sums, -1)
        rates = np.ascontiguousarray(-rows[:, 2 * nu : 2 * nu + nz])
        return cls(np.ascontiguousarray(rows[:, nu : 2 * nu]), rates, sums)


def node_sums(compiled: Compiled, steps: Steps, weights: Weights, posed: bool) -> Array:
    """Slopes (sums, nodes, NODE_SLOPES) of weighted residuals along numbers of nodes."""
    s, small = steps.stages, steps.small
    sums, nodes, nu = weights.sums, int(compiled.ints[at.H_NODES]), compiled.nu
    out = np.zeros((sums * nodes, along.NODE_SLOPES))
    scratch = [np.zeros((nu, nu)) for _ in range(3)]
    states = compiled.ints, compiled.reals, new_work(compiled.ints), s.t, s.q, s.u, small.a, s.z
    along.node_slopes(*states, weights.residuals, int(posed), *scratch, out)
    return out.reshape(sums, nodes, -1)


def element_sums(
    compiled: Compiled, work: Array, steps: Steps, touched: Touched, weights: Weights
) -> Array | None:
    """Slopes (sums,) of weighted residuals and rates; None if a difference is not smooth."""
    s, out = steps.stages, np.zeros(weights.sums + 2)
    models = compiled.reals, touched.first, touched.second
    states = touched.elements, s.t, s.q, s.u, s.z, weights.residuals, weights.rates
    along.joint_slopes(compiled.ints, *models, work, *states, out)
    second, size = out[weights.sums :]
    return None if second > ROUGH * size else out[: weights.sums] / touched.apart


def along_nodes(touched: Sequence[Touched], sums: Array) -> Array:
    """Slopes (sums, np) along parameters, of those of nodes (sums, nodes, NODE_SLOPES)."""
    rates = np.array(
        [x.nodes if x.nodes is not None else np.zeros(sums.shape[1:]) for x in touched]
    )
    return np.asarray(sums.reshape(len(sums), -1) @ rates.reshape(len(touched), -1).T)


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
        """True if the parameter moves a breakpoint."""
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
        """Rate w' (n,) of the shift, per unit of the parameter; at a knot, that behind it."""
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        return np.diff(self.rates)[k] / np.diff(self.knots)[k]


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
    """Steps of a run that an integrator makes in one go."""

    neighbours: Neighbours
    integrator: Integrator
    problem: Problem  # what was integrated
    sets: RowSets  # constraint rows in use
    ends: Array  # (n + 1,) s, its start and the ends of its steps; one time if there are no steps
    _warps: dict[str, Warp] = field(default_factory=dict)
    _found: dict[str, Touched | None] = field(default_factory=dict)
    _places: list[Places] = field(default_factory=list)

    def grid(self, times: Array) -> tuple[Array, Indices]:
        """Ends (n + 1,) of steps of the run, divided at times, and the places of these (nt,)."""
        near = APART * (self.ends[-1] - self.ends[0])
        ends = np.unique(np.concatenate([self.ends, times, self._kinks()]))
        kept = np.concatenate([[True], np.diff(ends) > near])
        last, chosen = ends[-1], ends[kept]
        if len(chosen) > 1:  # the run ends there
            chosen[-1] = last
        return chosen, np.cumsum(kept)[np.searchsorted(ends, times)] - 1

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
        """Terms b (n, 3 ne) that a parameter adds to the stages of a block."""
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
        them see nothing of it, the others do not either. Laws with branches act anywhere.
        """
        t = block.steps.stages.t
        every = np.arange(len(t))
        kinks = sorted({*models[0].breakpoints, *models[1].breakpoints})
        piece = np.searchsorted(kinks, t, side="right")
        mine = [every[piece == k] for k in np.unique(piece)]
        some = np.unique([x[k] for x in mine for k in (0, len(x) // 2, len(x) - 1)])
        bends = bool(block.compiled.ints[at.H_SWITCHES] > 0)
        if bends:
            some = every
        one, two = (residuals(model, t, block.steps, some) for model in models)
        acts = np.any(one != two, axis=1)
        seen = set(piece[some[acts]])
        second = np.abs(one + two - 2.0 * block.here[some])
        size = np.max(np.abs(one - two), axis=0, initial=0.0)
        rough = np.max(second, axis=1, initial=0.0) > ROUGH * np.max(size, initial=0.0)
        # a law that changes its branch between both sides bends there, and nowhere else
        if np.sum(rough) > (0.5 * np.sum(acts) if bends else 0):
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
        """Terms of rotors and elements in the sums (nj,); None if they are not smooth."""
        added: Array | None = np.zeros(weights.sums)
        if len(touched.elements):
            added = element_sums(block.compiled, work, block.steps, touched, weights)
        if added is not None and touched.rotors is not None:
            a = block.steps.small.a
            y = weights.residuals.reshape(len(a), weights.sums, -1)
            added = added + np.einsum("kjv,kv,v->j", y, a, touched.rotors)
        return added

    def _touched(self, name: str, block: Block) -> Touched | None:
        """Numbers that a parameter changes; None if whole residuals tell what it adds."""
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
