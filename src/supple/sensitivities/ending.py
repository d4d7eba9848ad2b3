"""Ending: a run that an event ends, earlier or later as a parameter is larger or smaller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.analyses.arguments import expect
from supple.errors import ModelError, SimulationError
from supple.events import Event
from supple.poses import Array
from supple.results.result import Result
from supple.sensitivities.followed_run import FollowedRun

KINDS = {"": "position", "v": "velocity", "w": "angular_velocity"}
SLOWEST = 1e-9  # rate of what an event watches, over the run, below which it only touches


@dataclass(frozen=True)
class Ending:
    """How the end of a run depends on its state and its parameters.

    Attributes
    ----------
    over_states : (ns,) slopes of the time of the end along the state there, s
    over_parameters : its slopes by parameter, while the state there stands still
    rates : (ns,) of the state at the end
    """

    over_states: Array
    over_parameters: dict[str, float]
    rates: Array

    @classmethod
    def of(cls, run: FollowedRun, units: Array, small: float) -> Ending | None:
        """Of a run; None if it goes on to its end. States are displaced by ``small`` units."""
        event = _last(run)
        if event is None:
            return None
        s, here = run.solution, run.neighbours.here
        last = slice(len(s.t) - 1, len(s.t))
        t, q, u, z = s.t[last], s.q[last], s.u[last], s.z[last]
        rates = run.rates(t)[0]
        # along each coordinate of the state, and along its motion
        size = small / max(float(np.max(np.abs(rates) / units)), 1e-300)
        along = np.vstack([np.diag(small * units), size * rates])
        count = 2 * len(along)
        each = np.zeros(count, dtype=int)
        moved = run.moved(q[each], u[each], z[each], np.vstack([along, -along]))
        values = watched(event, run.shown(here, np.repeat(t, count), *moved)).reshape(2, -1)
        slopes = 0.5 * (values[0] - values[1])
        rate, span = slopes[-1] / size, float(s.t[-1] - s.t[0])
        if abs(rate) * span <= SLOWEST * float(np.max(np.abs(values))):
            raise SimulationError(
                f"sensitivity: what event {event.name!r} watches only touches its value at "
                f"t = {s.t[-1]:g} s, so that the end of the run has no derivative"
            )
        of_parameters = {}
        for name in run.neighbours.values:
            *sides, apart = run.neighbours.sides(name)
            one, two = (watched(event, run.shown(side, t, q, u, z))[0] for side in sides)
            change = float(one - two) / apart
            of_parameters[name] = -change / rate
        return cls(-slopes[:-1] / (small * units) / rate, of_parameters, rates)

    def moves(self, name: str, state: Array) -> float:
        """Derivative of the time of the end along a parameter, with that (ns,) of the state."""
        return float(self.over_states @ state) + self.over_parameters[name]


def _last(run: FollowedRun) -> Event | None:
    """The event that ended the run."""
    problem, found = run.neighbours.here.problem, run.solution.events
    if not found or found[-1].t < run.solution.t[-1] or run.solution.t[-1] >= problem.t_end:
        return None
    return next((e for e in problem.events if e.name == found[-1].name and e.terminal), None)


def watched(event: Event, result: Result) -> Array:
    """What an event watches, (nt,)."""
    if isinstance(event.of, str):
        joint = result[event.of]
        values = joint.coordinates if event.quantity == "coordinate" else joint.rates
        k = event.coordinate
        k = joint.joint.coordinate_names.index(k) if isinstance(k, str) else int(k)
        return np.asarray(values[:, k])
    frame = event.frames["of"]
    point = result[frame.body.name].at(*frame.position)
    kind, axis = event.quantity[:-1], event.quantity[-1]
    return np.asarray(getattr(point, KINDS[kind]))[:, "xyz".index(axis)]


def expect_events(owner: str, events: tuple[Event, ...]) -> None:
    """Refuse events that change the model."""
    for event in events:
        expect(owner, "events", event, Event, "objects of type Event")
        if event.then:
            expected = "events that end the run or are only told, without 'then'"
            raise ModelError(owner, "events", event.name, expected)
