"""Crossing: the instant of an event, earlier or later as a parameter is larger or smaller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from supple.events import Event
from supple.foundation.arrays import Array
from supple.foundation.errors import SimulationError
from supple.results.result import Result
from supple.sensitivities.displaced import SMALL, moved
from supple.sensitivities.linear_steps import States
from supple.sensitivities.neighbours import Neighbours, Start

KINDS = {"": "position", "v": "velocity", "w": "angular_velocity"}
SLOWEST = 1e-9  # rate of what an event watches, over the run, below which it only touches
View = Callable[[Start, States], Result]


@dataclass(frozen=True)
class Crossing:
    """How the instant of an event depends on the state there and on parameters.

    Attributes
    ----------
    over_states : (ns,) slopes of the instant along the state there, s
    over_parameters : its slopes by parameter, while the state there stands still
    """

    over_states: Array
    over_parameters: dict[str, float]

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
