"""A run that is followed step by step, so that small motion about it can be."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from supple.analyses.run.outcome import Probe, result_of
from supple.analyses.run.phases import Piece, in_phases, joined, pieces_of
from supple.engine.base.row_sets import RowSets
from supple.foundation.arrays import Array
from supple.foundation.errors import SimulationError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Problem, Solution
from supple.results.data.run_data import ChangeRecord
from supple.results.result import Result
from supple.sensitivities.linear_steps import States
from supple.sensitivities.neighbours import Neighbours, Start, start_variation
from supple.sensitivities.saltation import Jump, moved, shown, state_rates, units_of
from supple.sensitivities.segment import Stretch


@dataclass(frozen=True)
class FollowedRun:
    """A run of a model whose neighbours are asked for.

    Attributes
    ----------
    solution : states at the output times
    changes : of the model
    legs : stretches of the run, and jumps between them where the model changes
    """

    neighbours: Neighbours
    solution: Solution
    changes: tuple[ChangeRecord, ...]
    legs: tuple[Stretch | Jump, ...]
    integrator: Integrator

    @classmethod
    def of(cls, neighbours: Neighbours, integrator: Integrator) -> FollowedRun:
        """Make the run."""
        steps: list[float] = []
        here = neighbours.here
        problem = neighbours.problem._replace(steps=steps)
        if in_phases(problem):
            pieces = pieces_of(here.model, problem, integrator)
            solution, changes = joined(problem, pieces)
        else:
            solution, changes = integrator.run(problem), ()
            pieces = [Piece(here.compiled, solution, problem=problem)]
        if not solution.success:
            raise SimulationError(f"sensitivity: the run {solution.message}")
        legs = _legs(neighbours, integrator, problem, solution, pieces, np.unique(steps))
        return cls(neighbours, solution, changes, legs, integrator)

    @property
    def result(self) -> Result:
        """The run itself."""
        here = self.neighbours.here
        probe = Probe.of(here.model, self.neighbours.problem, self.integrator)
        return result_of(here.model, here.compiled, self.solution, self.changes, probe=probe)

    @cached_property
    def units(self) -> Array:
        """Units of increments of a state (ns,)."""
        return units_of(self.neighbours, self.solution)

    def rates(self, times: Array) -> Array:
        """Rates (nt, ns) of the states at output times."""
        states = self.states.part(np.searchsorted(self.solution.t, times))
        out = np.empty((len(times), 2 * states.u.shape[1] + states.z.shape[1]))
        for compiled, mine in self.solution.row_sets.parts(times):
            out[mine] = state_rates(compiled, states.part(mine))
        return out

    def forward(self, times: Array) -> Array:
        """Derivatives (np, nt, ns) of the states at times along all parameters."""
        names = list(self.neighbours.values)
        s = np.array([np.concatenate(start_variation(self.neighbours, name)) for name in names])
        out = np.empty((len(names), len(times), s.shape[1]))
        for leg, mine in self._shared(times):
            if isinstance(leg, Jump):
                s = s @ leg.matrix.T + np.array([leg.terms[name] for name in names])
                continue
            found, s = leg.forward(names, s, times[mine])
            for p, name in enumerate(names):
                if leg.warp(name).moves:
                    shift = leg.warp(name).at(times[mine])
                    found[p] -= shift[:, None] * self.rates(times[mine])
            out[:, mine] = found
        return out

    def backward(self, times: Array, slopes: Array) -> Array:
        """Derivatives (nj, np) of sums over times of slopes (nj, nt, ns) times the states."""
        names = list(self.neighbours.values)
        out = np.zeros((len(slopes), len(names)))
        lam = np.zeros((len(slopes), slopes.shape[2]))
        for leg, mine in reversed(self._shared(times)):
            if isinstance(leg, Jump):
                out += lam @ np.array([leg.terms[name] for name in names]).T
                lam = lam @ leg.matrix
                continue
            added, lam = leg.backward(names, lam, times[mine], slopes[:, mine])
            out += added
            for p, name in enumerate(names):
                if leg.warp(name).moves:
                    shift = leg.warp(name).at(times[mine])[:, None] * self.rates(times[mine])
                    out[:, p] -= np.einsum("jts,ts->j", slopes[:, mine], shift)
        for p, name in enumerate(names):
            out[:, p] += lam @ np.concatenate(start_variation(self.neighbours, name))
        return out

    def _shared(self, times: Array) -> list[tuple[Stretch | Jump, np.ndarray]]:
        """The legs, each with the times in it; that of a change belongs to what is behind it."""
        found = []
        last = max(k for k, leg in enumerate(self.legs) if isinstance(leg, Stretch))
        for k, leg in enumerate(self.legs):
            mine = np.zeros(len(times), dtype=bool)
            if isinstance(leg, Stretch):
                mine = (times >= leg.ends[0]) & ((times < leg.ends[-1]) | (k == last))
            found.append((leg, mine))
        return found

    @property
    def states(self) -> States:
        """States at the output times."""
        return States(*self.solution[:4])

    def shown(self, start: Start, states: States) -> Result:
        """Other states as a result of a neighbour; work of forces is not known of them."""
        return shown(start, self.solution, states, self.changes)

    def moved(self, states: States, by: Array) -> States:
        """States moved by increments (nt, ns)."""
        return moved(self.neighbours.problem.equations, states, by)


def _legs(
    neighbours: Neighbours,
    integrator: Integrator,
    problem: Problem,
    solution: Solution,
    pieces: list[Piece],
    steps: Array,
) -> tuple[Stretch | Jump, ...]:
    """Stretches and jumps of the phases of a run, whose steps end at times (n,) s."""
    found: list[Stretch | Jump] = []
    units = units_of(neighbours, solution)
    for k, piece in enumerate(pieces):
        s = piece.solution
        if s is not None and piece.problem is not None:
            begin, end = piece.problem.t_start, s.final.t
            ends = np.unique([begin, *steps[(steps > begin) & (steps <= end)]])
            found.append(Stretch(neighbours, integrator, piece.problem, s.row_sets, ends))
        if piece.change is not None:
            changes = [p.change for p in pieces[:k] if p.change is not None]
            found.append(Jump.of(neighbours, piece, solution, changes, units))
    if not isinstance(found[-1], Stretch):  # a change at the end: no step is behind it
        after = pieces[-1].after
        assert after is not None
        ends = np.array([solution.final.t])
        found.append(Stretch(neighbours, integrator, problem, RowSets.of(after), ends))
    return tuple(found)
