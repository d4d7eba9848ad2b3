"""A run that is followed step by step, so that small motion about it can be.

At the event of a neighbour, dt later than that of the run, its state differs by s + f dt, where f
are the rates before the change. Behind it the velocities are those of an impact, u+(t, q, u, p)
(`supple.loops.closing`). Seen at the time of the run again, the rates f+ behind it are taken back:

    s+ = J (s + f dt) + u+_t dt + u+_p - f+ dt,    dt = a . s + a_p

with J the derivative of the state behind the change, and a that of the instant (`Crossing`): this
is the saltation matrix of the event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from supple.analyses.run.outcome import Probe, result_of
from supple.analyses.run.phases import Piece, in_phases, joined, pieces_of
from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.pack.kinds import refuse_rates
from supple.events import Event
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import SimulationError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Problem, Solution
from supple.loops.closing import impact
from supple.results.data.run_data import ChangeRecord
from supple.results.result import Result
from supple.sensitivities.linear_steps import States, small_motion
from supple.sensitivities.neighbours import Neighbours, Start, like, start_variation
from supple.sensitivities.segment import Stretch
from supple.state import State

SMALL = 1e-5  # displacement of states, in radians and lengths of the model, or of their rates


def units_of(neighbours: Neighbours, solution: Solution) -> Array:
    """Units of increments of a state (ns,): radians, lengths, and these per time."""
    c, s = neighbours.here.compiled, solution
    span = float(s.t[-1] - s.t[0])
    rate = max(1.0 / span, float(np.max(np.abs(s.u) / c.scale, initial=0.0)))
    return np.concatenate([c.scale, c.scale * rate, np.ones(c.nz)])


def moved(equations: Equations, states: States, by: Array) -> States:
    """States moved by increments (nt, ns)."""
    t, q, u, z = states
    n = u.shape[1]
    there = np.array([equations.retract(a, b) for a, b in zip(q, by[:, :n], strict=True)])
    return States(t, there.reshape(q.shape), u + by[:, n : 2 * n], z + by[:, 2 * n :])


def state_rates(compiled: Compiled, states: States) -> Array:
    """Rates (n, ns) of states."""
    small = small_motion(compiled, new_work(compiled.ints), states)
    return np.concatenate([states.u, small.a, small.zdot], axis=1)


def shown(
    start: Start, solution: Solution, states: States, changes: Sequence[ChangeRecord] = ()
) -> Result:
    """States as a result of a neighbour of a run; work of forces is not known of them."""
    sets = solution.row_sets
    models = tuple(like(start.compiled, model) for model in sets.models)
    work = np.full((len(states.t), solution.channels.shape[1]), np.nan)
    other = solution._replace(
        **states._asdict(), channels=work, row_sets=RowSets(sets.begins, models)
    )
    told = tuple(_of_neighbour(start, change) for change in changes)
    return result_of(start.model, start.compiled, other, told)


def _of_neighbour(start: Start, change: ChangeRecord) -> ChangeRecord:
    """A change, with the model of the neighbour behind it."""
    behind = change.after.compiled
    assert behind is not None
    return replace(change, after=replace(change.after, compiled=like(start.compiled, behind)))


KINDS = {"": "position", "v": "velocity", "w": "angular_velocity"}
SLOWEST = 1e-9  # rate of what an event watches, over the run, below which it only touches
View = Callable[[Start, States], Result]


@dataclass(frozen=True)
class Crossing:
    """Dependence of the instant of an event on the state there and on parameters."""

    over_states: Array  # (ns,) slopes of the instant along the state there, s
    over_parameters: dict[str, float]  # its slopes by parameter, while the state there stands still

    @classmethod
    def of(
        cls,
        neighbours: Neighbours,
        event: Event,
        state: States,
        rates: Array,
        units: Array,
        span: float,
        view: View,
    ) -> Crossing:
        """Of a state (one instant) with rates (ns,) in a run over ``span`` s; ``view`` shows it."""
        here = neighbours.here
        # along each coordinate of the state, and along its motion
        size = SMALL / max(float(np.max(np.abs(rates) / units)), 1e-300)
        along = np.vstack([np.diag(SMALL * units), size * rates])
        each = np.zeros(2 * len(along), dtype=int)
        beside = moved(neighbours.problem.equations, state.part(each), np.vstack([along, -along]))
        values = watched(event, view(here, beside)).reshape(2, -1)
        slopes = 0.5 * (values[0] - values[1])
        rate = slopes[-1] / size
        if abs(rate) * span <= SLOWEST * float(np.max(np.abs(values))):
            raise SimulationError(
                f"sensitivity: what event {event.name!r} watches only touches its value at "
                f"t = {state.t[0]:g} s, so that its instant has no derivative"
            )
        of_parameters = {}
        for name in neighbours.values:
            *sides, apart = neighbours.sides(name)
            one, two = (watched(event, view(side, state))[0] for side in sides)
            of_parameters[name] = -float(one - two) / apart / rate
        return cls(-slopes[:-1] / (SMALL * units) / rate, of_parameters)


def watched(event: Event, result: Result) -> Array:
    """Quantity that an event watches, (nt,)."""
    if event.contact is not None:
        return np.asarray(result[event.contact].gap)
    if event.joint is not None:
        joint = result[event.joint]
        values = joint.coordinates if event.quantity == "coordinate" else joint.rates
        k = event.coordinate
        k = joint.joint.coordinate_names.index(k) if isinstance(k, str) else int(k)
        return np.asarray(values[:, k])
    frame = event.frames["of"]
    point = result[frame.body.name].at(*frame.position)
    kind, axis = event.quantity[:-1], event.quantity[-1]
    return np.asarray(getattr(point, KINDS[kind]))[:, "xyz".index(axis)]


@dataclass(frozen=True)
class Jump:
    """Small motion behind a change is ``matrix`` (ns, ns) times that before it, and ``terms``."""

    matrix: Array
    terms: dict[str, Array]  # by parameter, (ns,) what it adds

    @classmethod
    def of(
        cls,
        neighbours: Neighbours,
        piece: Piece,
        solution: Solution,
        changes: Sequence[ChangeRecord],
        units: Array,
    ) -> Jump:
        """Of the change at the end of a phase of a run, with the changes before it."""
        change, after = piece.change, piece.after
        assert change is not None and after is not None
        before, behind = _states(change.before), _states(change.after)
        s = piece.solution
        model = piece.compiled if s is None else s.row_sets.models[-1]
        rates, later = state_rates(model, before)[0], state_rates(after, behind)[0]

        def view(start: Start, states: States) -> Result:
            rows = solution._replace(row_sets=RowSets.of(model))
            return shown(start, rows, states, changes)

        J, over_time = _impact_slopes(neighbours, after, before, units)
        event = _moving(piece)
        S, terms = J.copy(), {}
        crossing = None
        if event is not None:
            span = float(solution.t[-1] - solution.t[0])
            instant = event, before, rates, units, span
            crossing = Crossing.of(neighbours, *instant, view)
        delayed = J @ rates + over_time - later
        if crossing is not None:
            S += np.outer(delayed, crossing.over_states)
        for name in neighbours.values:
            terms[name] = _over_parameter(neighbours, name, after, before)
            if crossing is not None:
                terms[name] += delayed * crossing.over_parameters[name]
        return cls(S, terms)


def _states(state: State) -> States:
    """A state as the only one of many."""
    return States(np.array([state.t]), state.q[None], state.u[None], state.z[None])


def _moving(piece: Piece) -> Event | None:
    """The event whose instant depends on the state; None if it is given."""
    moving = [event for event in piece.fired if event.at is None]
    if len(moving) > 1 or (moving and len(piece.fired) > 1):
        names = ", ".join(repr(event.name) for event in piece.fired)
        assert piece.change is not None
        raise SimulationError(
            f"sensitivity: the events {names} are at one instant, t = {piece.change.t:g} s, so "
            "that what follows has no derivative"
        )
    return moving[0] if moving else None


def _behind(compiled: Compiled, states: States) -> Array:
    """Velocities (n, nu) behind an impact, for each state before it."""
    return np.array(
        [impact(compiled, float(t), q, u).u for t, q, u in zip(*states[:3], strict=True)]
    )


def _impact_slopes(
    neighbours: Neighbours, after: Compiled, before: States, units: Array
) -> tuple[Array, Array]:
    """Derivatives (ns, ns), (ns,) of the state behind an impact along that before it, and time."""
    ns, nu = len(units), after.nu
    along = np.diag(SMALL * units)[: 2 * nu]
    each = np.zeros(2 * len(along), dtype=int)
    equations = neighbours.problem.equations
    beside = moved(equations, before.part(each), np.vstack([along, -along]))
    u = _behind(after, beside).reshape(2, 2 * nu, nu)
    J = np.eye(ns)
    J[nu : 2 * nu, : 2 * nu] = ((u[0] - u[1]) / (2.0 * SMALL * units[: 2 * nu, None])).T
    problem = neighbours.problem
    by = SMALL * (problem.t_end - problem.t_start)
    one, two = (_behind(after, before._replace(t=before.t + x))[0] for x in (by, -by))
    over_time = np.zeros(ns)
    over_time[nu : 2 * nu] = (one - two) / (2.0 * by)
    return J, over_time


def _over_parameter(neighbours: Neighbours, name: str, after: Compiled, before: States) -> Array:
    """Derivative (ns,) of the state behind an impact along a parameter."""
    nu, nz = after.nu, after.nz
    *sides, apart = neighbours.sides(name)
    one, two = (_behind(like(side.compiled, after), before)[0] for side in sides)
    out = np.zeros(2 * nu + nz)
    out[nu : 2 * nu] = (one - two) / apart
    return out


@dataclass(frozen=True)
class FollowedRun:
    """A run of a model whose neighbours are asked for."""

    neighbours: Neighbours
    solution: Solution  # states at the output times
    changes: tuple[ChangeRecord, ...]  # of the model
    # stretches of the run, and jumps between them where the model changes
    legs: tuple[Stretch | Jump, ...]
    integrator: Integrator

    @classmethod
    def of(cls, neighbours: Neighbours, integrator: Integrator) -> FollowedRun:
        """Make the run."""
        steps: list[float] = []
        here = neighbours.here
        refuse_rates(here.compiled, "sensitivity")
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
            slopes, s = leg.forward(names, s, times[mine])
            for p, name in enumerate(names):
                if leg.warp(name).moves:
                    shift = leg.warp(name).at(times[mine])
                    slopes[p] -= shift[:, None] * self.rates(times[mine])
            out[:, mine] = slopes
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
        shared = []
        last = max(k for k, leg in enumerate(self.legs) if isinstance(leg, Stretch))
        for k, leg in enumerate(self.legs):
            mine = np.zeros(len(times), dtype=bool)
            if isinstance(leg, Stretch):
                mine = (times >= leg.ends[0]) & ((times < leg.ends[-1]) | (k == last))
            shared.append((leg, mine))
        return shared

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
    legs: list[Stretch | Jump] = []
    units = units_of(neighbours, solution)
    for k, piece in enumerate(pieces):
        s = piece.solution
        if s is not None and piece.problem is not None:
            begin, end = piece.problem.t_start, s.final.t
            ends = np.unique([begin, *steps[(steps > begin) & (steps <= end)]])
            legs.append(Stretch(neighbours, integrator, piece.problem, s.row_sets, ends))
        if piece.change is not None:
            changes = [p.change for p in pieces[:k] if p.change is not None]
            legs.append(Jump.of(neighbours, piece, solution, changes, units))
    if not isinstance(legs[-1], Stretch):  # a change at the end: no step is behind it
        after = pieces[-1].after
        assert after is not None
        ends = np.array([solution.final.t])
        legs.append(Stretch(neighbours, integrator, problem, RowSets.of(after), ends))
    return tuple(legs)
