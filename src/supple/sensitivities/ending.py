"""Ending: a run that an event ends, earlier or later as a parameter is larger or smaller."""

from __future__ import annotations

from dataclasses import dataclass

from supple.analyses.base.arguments import expect
from supple.events import Event
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.sensitivities.crossing import Crossing
from supple.sensitivities.followed_run import FollowedRun


@dataclass(frozen=True)
class Ending:
    """How the end of a run depends on its state and its parameters.

    Attributes
    ----------
    crossing : of the event that ended it
    rates : (ns,) of the state at the end
    """

    crossing: Crossing
    rates: Array

    @classmethod
    def of(cls, run: FollowedRun) -> Ending | None:
        """Of a run; None if it goes on to its end, or to a given time."""
        event = _last(run)
        if event is None or event.at is not None:
            return None
        t, state = run.solution.t, run.states.part(slice(-1, None))
        rates = run.rates(state.t)[0]
        given = run.neighbours, event, state, rates, run.units, float(t[-1] - t[0])
        return cls(Crossing.of(*given, run.shown), rates)

    def moves(self, name: str, state: Array) -> float:
        """Derivative of the time of the end along a parameter, with that (ns,) of the state."""
        return float(self.crossing.over_states @ state) + self.crossing.over_parameters[name]


def _last(run: FollowedRun) -> Event | None:
    """The event that ended the run."""
    problem, found = run.neighbours.problem, run.solution.events
    if not found or found[-1].t < run.solution.t[-1] or run.solution.t[-1] >= problem.t_end:
        return None
    return next((e for e in problem.events if e.name == found[-1].name and e.terminal), None)


def expect_events(owner: str, events: tuple[Event, ...]) -> None:
    """Refuse events that change the model where they end the run."""
    for event in events:
        expect(owner, "events", event, Event, "objects of type Event")
        if event.then and event.terminal:
            expected = "events that end the run or change the model, not both"
            raise ModelError(owner, "events", event.name, expected)
