"""sensitivity: derivatives of outputs of a run with respect to numbers of its model.

An output may be anything that a result shows. So it is read of states that are displaced to both
sides, together with the parameter: central differences, of displacements that are small beside one
radian, the length of the model, and the parameter.
"""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect
from supple.analyses.run.options import RunOptions, event_tuple
from supple.events import Event
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, SuppleError, warn_caller
from supple.foundation.reports import Report
from supple.integrators.methods.base import Integrator
from supple.io.modelfiles.model_file import ModelFile
from supple.model import Model
from supple.modelling.replacement import value_at
from supple.results.result import Result
from supple.results.summary import grade
from supple.sensitivities.followed_run import SMALL, Crossing, FollowedRun
from supple.sensitivities.neighbours import OWNER, Neighbours, Start, scale_of
from supple.sweeps.readings import STATISTICS, Outputs, Reading, readings
from supple.sweeps.subjects import OfFile, OfModel, Subject, subject_of

WORST = ("good", "doubtful", "bad")


class OnRun(ABC):
    """Something found from a run, ``result``: it is as good as that run at most."""

    result: Result

    @property
    def model(self) -> Model:
        """The model of the run."""
        return self.result.model

    @property
    def verdict(self) -> str:
        """The verdict of the run, one line."""
        return self.result.verdict

    @property
    def trusted(self) -> bool:
        """True if nothing is to be said against the run: its numbers, its motion, its model."""
        return grade(self.result) == WORST[0]

    @abstractmethod
    def _report(self) -> Report:
        """Its numbers, by name."""

    def __str__(self) -> str:
        report = self._report()
        return report.text(max(len(row[0]) for row in report.rows))

    def _repr_html_(self) -> str:
        return self._report().html()


def worse(first: str, second: str) -> str:
    """The worse of two grades."""
    return max(first, second, key=WORST.index)


def tell_doubts(owner: str, answer: OnRun, serious: bool = False) -> None:
    """Warn of a run that is not trusted; with ``serious`` only of one that cannot be used."""
    if grade(answer.result) in (WORST[2:] if serious else WORST[1:]):
        warn_caller(f"{owner}: the run is {answer.verdict}")


METHODS = ("forward", "adjoint")
MANY = 8  # parameters for each output from which on the adjoint is quicker
NAMES = "names of numbers of the model, or a mapping of names to values"


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
    return np.asarray(0.5 * (np.concatenate([[0.0], h]) + np.concatenate([h, [0.0]])))


def _of_rms(t: Array, y: Array) -> Array:
    weights = _of_mean(t, y)
    size = float(np.sqrt(weights @ (y * y)))
    return np.asarray(weights * y / size if size > 0.0 else np.zeros(len(y)))


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
    """True if a number is a smooth function of the history that it is of."""
    return reading.statistic in WEIGHTS or reading.time is not None


@dataclass(frozen=True)
class Ending:
    """Dependence of the end of a run on its state and its parameters."""

    crossing: Crossing  # of the event that ended it
    rates: Array  # (ns,) of the state at the end

    @classmethod
    def of(cls, run: FollowedRun) -> Ending | None:
        """Of a run; None if it goes on to its end, or to a given time."""
        event = _last(run)
        if event is None or event.at is not None:
            return None
        t, state = run.solution.t, run.states.part(slice(-1, None))
        rates = run.rates(state.t)[0]
        instant = run.neighbours, event, state, rates, run.units, float(t[-1] - t[0])
        return cls(Crossing.of(*instant, run.shown), rates)

    def moves(self, name: str, state: Array) -> float:
        """Derivative of the time of the end along a parameter, with that (ns,) of the state."""
        return float(self.crossing.over_states @ state) + self.crossing.over_parameters[name]


def _last(run: FollowedRun) -> Event | None:
    """The event that ended the run."""
    problem, happened = run.neighbours.problem, run.solution.events
    if not happened or happened[-1].t < run.solution.t[-1] or run.solution.t[-1] >= problem.t_end:
        return None
    return next((e for e in problem.events if e.name == happened[-1].name and e.terminal), None)


def expect_events(owner: str, events: tuple[Event, ...]) -> None:
    """Refuse events that change the model where they end the run."""
    for event in events:
        expect(owner, "events", event, Event, "objects of type Event")
        if event.then and event.terminal:
            expected = "events that end the run or change the model, not both"
            raise ModelError(owner, "events", event.name, expected)


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
        slopes: dict[str, Any] = {}
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
                slopes[r.name] = slopes.get(r.name, 0.0) + weight * (one - two) / (2.0 * step)
        return slopes

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
        """True if an output is a coordinate of a joint or its rate, which are states alone."""
        head, _, word = reading.quantity.partition(".")
        joint = self.run.neighbours.here.model.joints.get(head)
        names = () if joint is None else joint.coordinate_names
        return word in names or (word.endswith("_rate") and word[: -len("_rate")] in names)

    def _still(self, reading: Reading, start: Start, places: Indices) -> Array:
        shown: Result = self.run.shown(start, self.run.states.part(places))
        return reading.series(shown)


@dataclass(frozen=True, eq=False)
class Sensitivity(OnRun):
    """Derivatives of outputs with respect to parameters: ``found[output, parameter]``.

    Attributes
    ----------
    values : by output, its number or its history (nt,)
    parameters : values by name
    derivatives : by output and by parameter, a number or a history (nt,): units of the output per
        unit of the parameter
    t : (nt,) s, output times
    method : "forward" or "adjoint"
    result : the run
    seconds : of the clock
    verdict, trusted : of the run; derivatives of what is wrong are wrong, too
    """

    values: Mapping[str, Any]
    parameters: Mapping[str, float]
    derivatives: Mapping[str, Mapping[str, Any]]
    t: Array
    method: str
    result: Result
    seconds: float

    def __getitem__(self, key: tuple[str, str]) -> Any:
        """Derivative of an output along a parameter."""
        output, parameter = key
        for name, known in ((output, self.derivatives), (parameter, self.parameters)):
            if name not in known:
                raise ModelError(OWNER, "name", name, f"one of {', '.join(map(repr, known))}")
        return self.derivatives[output][parameter]

    def gradient(self, output: str) -> Array:
        """Derivatives (np,) or (np, nt) of an output along all parameters, in their order."""
        return np.array([self[output, name] for name in self.parameters])

    def relative(self, output: str) -> dict[str, Any]:
        """Relative change of an output for a relative change of each parameter."""
        value = np.asarray(self.values[output])
        with np.errstate(all="ignore"):
            return {p: self[output, p] * x / value for p, x in self.parameters.items()}

    def _report(self) -> Report:
        rows = []
        for output, slopes in self.derivatives.items():
            for name, slope in slopes.items():
                size = float(np.max(np.abs(slope)))
                told = f"{float(slope):.6g}" if np.ndim(slope) == 0 else f"up to {size:.6g}"
                rows.append((output, name, told))
        title = f"Derivatives of {len(self.values)} outputs along {len(self.parameters)} parameters"
        title = f"{title}; the run: {self.verdict}"
        header = ("output", "parameter", "derivative")
        return Report(title, rows, grade(self.result), header)

    def __str__(self) -> str:
        return self._report().columns()


def sensitivity(
    model: Model | ModelFile | str | Path | Callable[..., Model],
    parameters: Iterable[str] | Mapping[str, float],
    *,
    outputs: Outputs,
    t_end: float | None = None,
    method: str | None = None,
    times: int | float | ArrayLike | None = None,
    events: Event | Sequence[Event] = (),
    integrator: Integrator | None = None,
    **options: Any,
) -> Sensitivity:
    """Derivatives of outputs of a run with respect to numbers of its model.

    Parameters
    ----------
    model : Model, ModelFile, path of one, or function
        A function is called with the parameters by name and returns a Model.
    parameters : names, or a mapping of names to values
        Paths to fields of the model ("link2.mass", "beam.material.E", "shoulder.initial"),
        parameters of a model file, or arguments of the function, which need values. SI units.
    outputs : as for `sweep`
        "elbow.angle @ max", "tip.position.y", or functions of the result.
    t_end : float, optional
        End of the run, s; a model file has its own.
    method : "forward" or "adjoint", optional
        Small motion for each parameter, forwards in time; or for each output, backwards, which
        is quicker for many parameters and knows numbers of texts only. By default what is quicker.
    times, events : output times and events, as for `simulate`
        An event may end the run; where it does, derivatives are those of runs to their own ends.
        It may also lock or release joints.
    integrator : Radau, GeneralizedAlpha, DormandPrince ..., optional
        Of the run; Radau by default. Its steps are those of the small motion about it.
    options : start, formulation, tolerance of `simulate`; the tolerance is "tight" by default

    The equations of small motion about the run are solved with its own steps, by Radau IIA of order
    5; parameters enter by differences of the residual, not of runs. Extrema are those at output
    times. Where a value decides which way a motion goes, derivatives hold for the way that it went.
    """
    asked = readings(outputs, OWNER)
    subject = subject_for(OWNER, model, t_end, times, events, integrator, options)
    values = _values(subject, parameters)
    subject.expect(values)
    subject.expect_outputs([dict(values)], asked)
    if method is not None:
        validate.choice(OWNER, "method", method, METHODS)
    answer = derivatives(subject, asked, values, method)
    tell_doubts(OWNER, answer, serious=True)
    return answer


def subject_for(
    owner: str,
    model: Any,
    t_end: Any,
    times: Any,
    events: Any,
    integrator: Any,
    options: dict[str, Any],
) -> Subject:
    """Subject of the runs, with tight tolerances unless others are asked for."""
    options.setdefault("tolerance", "tight")
    chosen = RunOptions(t_end, integrator=integrator).expect_method(owner)
    events = event_tuple(owner, events)
    expect_events(owner, events)
    settings = {"t_end": t_end, "output": times, "events": events, "integrator": chosen}
    return subject_of(model, settings, options, owner=owner)


def derivatives(
    subject: Subject, asked: tuple[Reading, ...], values: dict[str, float], method: str | None
) -> Sensitivity:
    """Derivatives of what is read of a subject, at values of its parameters."""
    begin = time.perf_counter()
    if method is None:
        numbers = all(has_weights(r) for r in asked)
        method = "adjoint" if numbers and len(values) > MANY * len(asked) else "forward"
    near = Neighbours(subject, values, {name: scale_of(x) for name, x in values.items()})
    run = FollowedRun.of(near, subject.given["integrator"])
    slopes = OutputSlopes(run, asked)
    by_output = _forward(slopes) if method == "forward" else _adjoint(slopes)
    seconds = time.perf_counter() - begin
    return Sensitivity(
        slopes.values, values, by_output, run.solution.t, method, slopes.result, seconds
    )


def _forward(slopes: OutputSlopes) -> dict[str, dict[str, Any]]:
    run = slopes.run
    states = run.forward(run.solution.t)
    by_output: dict[str, dict[str, Any]] = {r.name: {} for r in slopes.readings}
    for name, mine in zip(run.neighbours.values, states, strict=True):
        for output, slope in slopes.along(name, mine).items():
            by_output[output][name] = slope if slope.ndim else float(slope)
    return by_output


def _adjoint(slopes: OutputSlopes) -> dict[str, dict[str, Any]]:
    run, ending, found = slopes.run, slopes.ending, {}
    pairs = [slopes.over_states(reading) for reading in slopes.readings]
    used = np.unique(np.concatenate([places for places, _, _ in pairs]))
    weights = np.zeros((len(pairs), len(used), pairs[0][1].shape[1]))
    for k, (places, slope, _) in enumerate(pairs):
        weights[k, np.searchsorted(used, places)] = slope
    along = run.backward(run.solution.t[used], weights)
    for k, reading in enumerate(slopes.readings):
        places, _, later = pairs[k]
        found[reading.name] = {
            name: float(along[k, p])
            + slopes.over_parameter(reading, name, places)
            + (later * ending.crossing.over_parameters[name] if ending is not None else 0.0)
            for p, name in enumerate(run.neighbours.values)
        }
    return found


def _values(subject: Subject, parameters: Any) -> dict[str, float]:
    """Values of the parameters by name; those that are not given are read of the model."""
    if isinstance(parameters, str):
        parameters = [parameters]
    if isinstance(parameters, Mapping):
        values = dict(parameters)
    else:
        names = validate.listed(OWNER, "parameters", parameters, NAMES)
        subject.expect([validate.text(OWNER, "parameters", name, NAMES) for name in names])
        values = {name: own_value(subject, name) for name in names}
    if not values:
        raise ModelError(OWNER, "parameters", parameters, NAMES)
    numbers = {}
    for name, value in values.items():
        number = isinstance(value, (int, float, np.floating, np.integer))
        if not number or isinstance(value, bool) or not math.isfinite(value):
            raise ModelError(OWNER, f"parameters, {name}", value, "a number")
        numbers[str(name)] = float(value)
    return numbers


def own_value(subject: Subject, name: str) -> Any:
    """The value that a model has."""
    if isinstance(subject, OfFile):
        file = ModelFile(subject.path)
        if name in file.parameters:
            return file.parameters[name]
        model = file.model
    elif isinstance(subject, OfModel):
        model = subject.model
    else:
        expected = "a mapping of names to values for a function"
        raise ModelError(subject.owner, "parameters", name, expected)
    item, _, field = name.partition(".")
    value = value_at(model[item], field)
    return float(value.item()) if isinstance(value, np.ndarray) and value.size == 1 else value
