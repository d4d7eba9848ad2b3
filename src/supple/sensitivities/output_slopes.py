"""Slopes of outputs: how what is read of a run changes with its states and its parameters.

An output may be anything that a result shows. So it is read of states that are displaced to both
sides, together with the parameter: central differences, of displacements that are small beside one
radian, the length of the model, and the parameter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError
from supple.results.result import Result
from supple.sensitivities.displaced import SMALL
from supple.sensitivities.ending import Ending
from supple.sensitivities.followed_run import FollowedRun
from supple.sensitivities.neighbours import Start
from supple.sweeps.readings import STATISTICS, Reading

ROWS = 20_000  # states that are looked at together
FAR = 0.02  # units of states: differences of order 4 over more err by 1e-8
Weights = Callable[[Array, Array], Array]


def _one(place: int, n: int, value: float = 1.0) -> Array:
    out = np.zeros(n)
    out[place] = value
    return out


def _of_mean(t: Array, y: Array) -> Array:
    if not t[-1] > t[0]:
        return _one(-1, len(y))
    h = np.diff(t) / (t[-1] - t[0])
    weights: Array = 0.5 * (np.concatenate([[0.0], h]) + np.concatenate([h, [0.0]]))
    return weights


def _of_rms(t: Array, y: Array) -> Array:
    weights = _of_mean(t, y)
    size = float(np.sqrt(weights @ (y * y)))
    slopes: Array = weights * y / size if size > 0.0 else np.zeros(len(y))
    return slopes


def _of_peak(t: Array, y: Array) -> Array:
    k = int(np.argmax(np.abs(y)))
    return _one(k, len(y), float(np.sign(y[k])))


# Derivative (nt,) of a statistic along the history y (nt,) that it is of.
WEIGHTS: dict[str, Weights] = {
    "max": lambda t, y: _one(int(np.argmax(y)), len(y)),
    "min": lambda t, y: _one(int(np.argmin(y)), len(y)),
    "abs max": _of_peak,
    "range": lambda t, y: _one(int(np.argmax(y)), len(y)) - _one(int(np.argmin(y)), len(y)),
    "start": lambda t, y: _one(0, len(y)),
    "end": lambda t, y: _one(-1, len(y)),
    "mean": _of_mean,
    "rms": _of_rms,
}


def has_weights(reading: Reading) -> bool:
    """Whether a number is a smooth function of the history that it is of."""
    return reading.statistic in WEIGHTS or reading.time is not None


class OutputSlopes:
    """Reads outputs of states beside those of a run."""

    def __init__(self, run: FollowedRun, readings: tuple[Reading, ...]) -> None:
        self.run, self.readings = run, readings
        self.result = run.result
        self.values = {r.name: r.read(self.result) for r in readings}
        self.units = run.units
        self.ending = Ending.of(run)

    def along(self, name: str, states: Array) -> dict[str, Any]:
        """Derivatives of all outputs along a parameter, with those (nt, ns) of the states."""
        s, near = self.run.solution, self.run.neighbours
        later = np.zeros(len(s.t))
        if self.ending is not None:
            later[-1] = self.ending.moves(name, states[-1])
            states = states + later[:, None] * self.ending.rates
        size = float(np.max(np.abs(states) / self.units, initial=0.0))
        found: dict[str, Any] = {}
        steps = near.displacements(name)
        if len(steps) > 1 and steps[-1][0] * size > FAR:
            steps = [(near.step(name), 1.0)]
        for step, weight in steps:
            step = min(step, SMALL / size) if size > 0.0 and weight == 1.0 else step
            shown = []
            for start, by in zip(near.pair(name, step), (step, -step), strict=True):
                moved = self.run.moved(self.run.states, by * states)
                shown.append(self.run.shown(start, moved._replace(t=s.t + by * later)))
            for r in self.readings:
                one, two = (np.asarray(r.read(x)) for x in shown)
                found[r.name] = found.get(r.name, 0.0) + weight * (one - two) / (2.0 * step)
        return found

    def over_states(self, reading: Reading) -> tuple[Indices, Array, float]:
        """Places (k,) of the output times that a number depends on, its slopes (k, ns) there.

        And its slope along the time at which an event ends the run.
        """
        if not has_weights(reading):
            raise SuppleError(
                f"sensitivity: the output {reading.name!r} has no adjoint, expected a number with "
                f"one of {', '.join(WEIGHTS)}, or method='forward'"
            )
        s = self.run.solution
        weights = self._weights(reading)
        places = np.flatnonzero(weights)
        slopes = np.empty((len(places), len(self.units)))
        few = max(1, ROWS // (2 * len(self.units)))
        for k in range(0, len(places), few):
            slopes[k : k + few] = self._slopes(reading, places[k : k + few])
        slopes *= weights[places, None]
        if self.ending is None:
            return places, slopes, 0.0
        later = self._over_end(reading)
        if len(s.t) - 1 not in places:
            places = np.append(places, len(s.t) - 1)
            slopes = np.vstack([slopes, np.zeros(len(self.units))])
        later += float(slopes[-1] @ self.ending.rates)
        slopes[-1] += later * self.ending.crossing.over_states
        return places, slopes, later

    def _weights(self, reading: Reading) -> Array:
        """Derivative (nt,) of a number along the history that it is of."""
        t = self.run.solution.t
        if reading.time is not None:
            return _one(int(np.argmin(np.abs(t - reading.time))), len(t))
        return WEIGHTS[reading.statistic](t, reading.series(self.result))

    def _over_end(self, reading: Reading) -> float:
        """Slope of a number along the last output time, while the state there stands still."""
        if reading.time is not None:
            return 0.0
        t, y = self.run.solution.t, reading.series(self.result)
        by = SMALL * (t[-1] - t[-2]) * _one(-1, len(t))
        statistic = STATISTICS[reading.statistic]
        return (statistic(t + by, y) - statistic(t - by, y)) / (2.0 * float(by[-1]))

    def _slopes(self, reading: Reading, places: Indices) -> Array:
        """Slopes (k, ns) of a history at some output times."""
        ns = len(self.units)
        by = np.concatenate([np.diag(SMALL * self.units), -np.diag(SMALL * self.units)])
        each = np.repeat(places, 2 * ns)
        moved = self.run.moved(self.run.states.part(each), np.tile(by, (len(places), 1)))
        y = reading.series(self.run.shown(self.run.neighbours.here, moved))
        y = y.reshape(len(places), 2, ns)
        return (y[:, 0] - y[:, 1]) / (2.0 * SMALL * self.units)

    def over_parameter(self, reading: Reading, name: str, places: Indices) -> float:
        """Slope of a number along a parameter while states stand still."""
        near = self.run.neighbours
        if self._of_state(reading):
            return 0.0
        weights = self._weights(reading)[places]
        slope = 0.0
        for *sides, length in near.differences(name):
            one, two = (self._still(reading, side, places) for side in sides)
            slope += float(weights @ (one - two)) / length
        return slope

    def _of_state(self, reading: Reading) -> bool:
        """Whether an output is a coordinate of a joint or its rate, which are states alone."""
        head, _, word = reading.quantity.partition(".")
        joint = self.run.neighbours.here.model.joints.get(head)
        names = () if joint is None else joint.coordinate_names
        return word in names or (word.endswith("_rate") and word[: -len("_rate")] in names)

    def _still(self, reading: Reading, start: Start, places: Indices) -> Array:
        shown: Result = self.run.shown(start, self.run.states.part(places))
        return reading.series(shown)
