"""Runs of variants of a model, each made once: numbers of its outputs, or why there are none.

A number is that of a history which is known at output times. An extremum is that of a parabola
through three of them. The same with every second one shows how well it is known: the error of the
first goes with the fourth power of the interval. Where the two parabolas do not belong to one
smooth history, the largest output itself counts. Means are those of a cubic spline, compared with
one through every second output time.

Equal intervals of output may pass over short contacts and pulses. A stop that is touched for less
than an interval of output exerts nothing at any output time. The instants at which stops begin and
end to touch are found by events of a run of their own; signals know where they are not smooth.
Between two such instants that are close the output is denser.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from supple.analyses.base.arguments import expect, number
from supple.analyses.run.options import RunOptions, StudyOptions, event_tuple
from supple.analyses.run.simulate import first_instant, prepare
from supple.events import Event
from supple.forces import JointStop
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SuppleError, without_warnings
from supple.foundation.frames import Body
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.explicit import DormandPrince
from supple.integrators.methods.radau import Radau
from supple.integrators.run.interruption import raised_at_once
from supple.model import Model
from supple.results.files.dataset import quantity
from supple.results.result import Result
from supple.results.views.body_loads import at_times
from supple.sweeps.readings import Reading, readings

SMOOTH = 2.0  # largest ratio of curvatures over one and two intervals; 1 of a parabola
CONSTANT = 1e-6  # of its size: a history that changes less is a constant
TOPS = 20  # highest outputs, one of which may be beside the highest top


@dataclass(frozen=True, eq=False)
class Sample:
    """An output of one run."""

    value: float  # the number
    error: float  # of it by the distance of output times
    # largest value of its history, of a component that of the vector, of an energy that of all
    size: float
    # range of its history, at least a millionth of its size; both are those of the number if there
    # is no history
    span: float
    decided: float  # s, up to which the history counts
    at_end: bool  # whether it is an extremum at the end of the run
    # t, y: (nt,) and (nt, m) the history; the places of all bodies if a function makes the number
    t: Array
    y: Array


class _Found(NamedTuple):
    value: float
    error: float
    time: float


def sample(reading: Reading, result: Result) -> Sample:
    """Value of an output in a run; one that is not finite is refused."""
    if reading.function is not None:
        return _of_function(reading, result)
    t, y = result.t, reading.series(result)
    if not np.all(np.isfinite(y)):
        raise SuppleError(f"the output {reading.name!r} is not finite")
    if reading.statistic in _EXTREMA:
        number = _EXTREMA[reading.statistic](t, y)
    elif reading.statistic in _MEANS:
        number = _MEANS[reading.statistic](t, y)
    else:
        time = {"start": float(t[0]), "end": float(t[-1])}.get(reading.statistic, reading.time)
        value = reading.read(result)
        assert time is not None and isinstance(value, float)
        number = _Found(value, 0.0, time)
    at_end = reading.statistic in _EXTREMA and number.time >= t[-1]
    size = _size(reading, result, y)
    span = max(float(np.ptp(y)), CONSTANT * size)
    if reading.statistic.startswith("time of"):
        size, span = max(abs(float(t[0])), abs(float(t[-1]))), float(t[-1] - t[0])
    return Sample(number.value, number.error, size, span, number.time, at_end, t, y[:, None])


def _size(reading: Reading, result: Result, y: Array) -> float:
    """Largest value of a history; of a component that of its vector, of an energy that of all.

    What is small beside these is a difference of large numbers.
    """
    if reading.quantity.startswith("energy."):
        energy = result.energy
        parts = (energy.kinetic, energy.gravity, energy.elastic, energy.strain, energy.work)
        return max(float(np.abs(part).max(initial=0.0)) for part in (y, *parts))
    whole, _, word = reading.quantity.rpartition(".")
    if word in ("x", "y", "z") and whole.rpartition(".")[2].isidentifier() and "." in whole:
        y = np.linalg.norm(quantity(result, whole), axis=1)
    return float(np.abs(y).max())


def _of_function(reading: Reading, result: Result) -> Sample:
    """A number that a function makes of a result, and of every second of its output times."""
    value = reading.read(result)
    assert isinstance(value, float)
    half = np.unique([*range(0, len(result.t), 2), len(result.t) - 1])
    error = abs(value - float(reading.read(at_times(result, half))))
    places = result.data.history.p.reshape(len(result.t), -1)
    end = float(result.t[-1])
    return Sample(value, error, abs(value), abs(value), end, False, result.t, places)


def _vertex(t: Array, y: Array, k: int, step: int) -> tuple[float, float, float]:
    """Time and value of the top of a parabola around an output, and its curvature.

    At either end of the run it is one through the outputs there, as far as it belongs to the run.
    """
    middle = min(max(k, step), len(t) - 1 - step)
    x, z = (v[[middle - step, middle, middle + step]] - v[middle] for v in (t, y))
    left, right = z[0] / x[0], z[2] / x[2]
    curvature = (right - left) / (x[2] - x[0])
    slope = left - curvature * x[0]
    at = (
        float(np.clip(-0.5 * slope / curvature, x[0], x[2]))
        if curvature < 0.0
        else t[k] - t[middle]
    )
    top = float(y[middle] + at * (slope + curvature * at))
    return float(t[middle]) + at, top, float(curvature)


def _top(t: Array, y: Array, k: int) -> tuple[_Found, float]:
    """The top of a history around an output that is above its neighbours, error of its time."""
    raw, interval = float(y[k]), float(t[min(k + 1, len(t) - 1)] - t[max(k - 1, 0)])
    if len(t) < 5:
        return _Found(raw, 0.0, float(t[k])), interval
    time, value, curvature = _vertex(t, y, k, 1)
    if time == t[k]:
        return _Found(raw, 0.0, time), 0.0
    other, wide, flat = _vertex(t, y, k, 2)
    # of a smooth history both parabolas have one curvature
    if curvature < 0.0 and flat < curvature / SMOOTH:
        return _Found(value, abs(value - wide), time), abs(time - other)
    return _Found(raw, abs(value - raw), float(t[k])), interval


def _largest(t: Array, y: Array) -> tuple[_Found, float]:
    """The largest value of a history, and the error of its time."""
    wall = np.concatenate([[-np.inf], y, [-np.inf]])
    tops = np.flatnonzero((y >= wall[:-2]) & (y >= wall[2:]))
    highest = tops[np.argsort(y[tops])[-TOPS:]]
    return max((_top(t, y, int(k)) for k in highest), key=lambda found: found[0].value)


def _max(t: Array, y: Array) -> _Found:
    return _largest(t, y)[0]


def _min(t: Array, y: Array) -> _Found:
    top = _max(t, -y)
    return top._replace(value=-top.value)


def _range(t: Array, y: Array) -> _Found:
    high, low = _max(t, y), _min(t, y)
    time = max(high.time, low.time)
    return _Found(high.value - low.value, high.error + low.error, time)


def _time_of_max(t: Array, y: Array) -> _Found:
    top, error = _largest(t, y)
    return _Found(top.time, error, top.time)


_EXTREMA: dict[str, Callable[[Array, Array], _Found]] = {
    "max": _max,
    "min": _min,
    "abs max": lambda t, y: _max(t, np.abs(y)),
    "range": _range,
    "time of max": _time_of_max,
    "time of min": lambda t, y: _time_of_max(t, -y),
}


def _mean(t: Array, y: Array) -> _Found:
    """Mean over time, and its change with every second output time."""
    if len(t) < 2:
        return _Found(float(y[-1]), 0.0, float(t[-1]))
    half = np.unique([*range(0, len(t), 2), len(t) - 1])
    value, coarse = (_integral(t[k], y[k]) / float(t[-1] - t[0]) for k in (slice(None), half))
    return _Found(value, abs(value - coarse), float(t[-1]))


def _integral(t: Array, y: Array) -> float:
    from scipy.interpolate import CubicSpline

    return float(CubicSpline(t, y).integrate(t[0], t[-1]))


def _rms(t: Array, y: Array) -> _Found:
    squares = _mean(t, y * y)
    value = max(squares.value, 0.0) ** 0.5
    error = squares.error / (2.0 * value) if value > 0.0 else squares.error**0.5
    return squares._replace(value=value, error=error)


_MEANS: dict[str, Callable[[Array, Array], _Found]] = {"mean": _mean, "rms": _rms}


INTERVALS = 2000
MOST_INTERVALS = 10_000_000
OUTPUT = "a number, e.g. 'elbow.angle @ max' or 'elbow.angle @ 0.5 s', or a function"
PARTS = 32  # of a short contact or pulse
FEW = 16.0  # intervals of output: instants that are closer are looked at
MOST = 500  # pairs of instants; of more the first ones
Scout = Callable[[Sequence[Event]], Result]
FINEST = 1e-12  # tolerance below which rounding rules
FIRST_STEPS, MORE_STEPS = 20_000, 20  # of an explicit method: at least, and times those before
Changes = Mapping[str, Mapping[str, Any]]
Refine = Callable[[Any], dict[str, Any]]


def runs_of(
    owner: str, model: Any, t_end: Any, outputs: Any, options: StudyOptions, intervals: int
) -> Runs:
    """Runs of a model; settings that are wrong and outputs that are not there are refused."""
    expect(owner, "model", model, Model, "a Model")
    validate.integer(owner, "intervals", intervals, 4, "an integer, at least 4")
    if intervals > MOST_INTERVALS:
        raise ModelError(owner, "intervals", intervals, f"at most {MOST_INTERVALS}")
    asked = readings(outputs, owner)
    end = number(owner, "t_end", t_end)
    for reading in asked:
        if reading.is_history:
            raise ModelError(owner, "outputs", reading.name, OUTPUT)
        if reading.time is not None and not reading.time <= end:
            raise ModelError(owner, "outputs", reading.name, f"a time up to {end:g} s")
    return Runs(model.copy(), asked, RunOptions(end, **options), intervals)


def expect_outputs(runs: Runs) -> None:
    """Refuse texts that name nothing, before any run is made."""
    result = first_instant(prepare(runs.model), runs.options)
    for reading in runs.readings:
        if reading.function is None and not reading.quantity.startswith("energy."):
            reading.series(result)


def short_times(model: Model, begin: float, end: float, interval: float, scout: Scout) -> Array:
    """Times (k,) between instants at which forces are not smooth and that are close.

    ``scout`` makes a run of the model with further events.
    """
    instants = [t for item in (*model.forces.values(), *model.constraints.values())
                for t in item.breakpoints]  # fmt: skip
    touches = tuple(_touches(model))
    if touches:
        names = {event.name for event in touches}
        try:
            instants += [found.t for found in scout(touches).events if found.name in names]
        except SuppleError:  # the run itself tells why
            pass
    return _between([t for t in instants if begin <= t <= end], interval)


def _between(instants: Iterable[float], interval: float) -> Array:
    close = [(a, b) for a, b in pairwise(sorted(set(instants))) if b - a < FEW * interval]
    dense = [np.linspace(a, b, PARTS + 1) for a, b in close[:MOST]]
    return np.concatenate(dense) if dense else np.zeros(0)


def _touches(model: Model) -> Iterator[Event]:
    """Events at which stops of joints begin and end to touch."""
    for stop in model.forces.values():
        if not isinstance(stop, JointStop) or stop.joint not in model.joints:
            continue
        for side, limit in (("lower", stop.lower), ("upper", stop.upper)):
            if np.isfinite(limit):
                yield Event(
                    f"{stop.name} touches {side}",
                    stop.joint,
                    coordinate=stop.coordinate,
                    value=limit,
                    terminal=False,
                )


@dataclass(frozen=True, eq=False)
class Made:
    """A run that was made."""

    what: str  # how it was made, in words
    samples: dict[str, Sample] = field(default_factory=dict)  # by output; empty if it failed
    reason: str = ""  # why it failed
    events: tuple[str, ...] = ()  # names of events in their order
    result: Result | None = None  # of the run

    @property
    def failed(self) -> bool:
        """True if there is nothing to be read."""
        return bool(self.reason)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of a model, as they are to be made."""

    # model, readings: what is asked, of which model
    model: Model
    readings: tuple[Reading, ...]
    options: RunOptions  # of the run that is examined
    intervals: int  # between output times

    @property
    def t_end(self) -> float:
        """End of the runs, s."""
        return float(self.options.t_end)

    def make(
        self,
        what: str,
        changes: Changes | None = None,
        *,
        tighter: float = 1.0,
        integrator: Integrator | None = None,
        formulation: Formulation | None = None,
        denser: int = 1,
    ) -> Made:
        """Make a run of the model with other fields; whatever goes wrong is its reason.

        ``tighter`` divides tolerances, of methods with equal steps it shortens these.
        """
        try:
            with without_warnings(), raised_at_once(), np.errstate(all="ignore"):
                model = self.varied(changes or {})
                result = self._run(model, tighter, integrator, formulation, denser)
                samples = {reading.name: sample(reading, result) for reading in self.readings}
        except SuppleError as error:
            return Made(what, reason=" ".join(str(error).split()))
        return Made(what, samples, "", tuple(e.name for e in result.events), result)

    def varied(self, changes: Changes) -> Model:
        """A copy of the model with other fields of some items."""
        model = self.model.copy()
        for name, fields in changes.items():
            if fields:
                model.replace(name, **fields)
        return model

    def bodies(self) -> dict[str, Body]:
        """Bodies of the model as they are written that may deform."""
        written = ((name, self.model[name]) for name, b in self.model.bodies.items() if b.deforms)
        return {name: body for name, body in written if isinstance(body, Body)}

    def _run(
        self,
        model: Model,
        tighter: float,
        integrator: Integrator | None,
        formulation: Formulation | None,
        denser: int,
    ) -> Result:
        method = integrator or self.options.method
        step = getattr(method, "step", None)
        if step and tighter > 1.0:
            # a method of second order, whose error falls as that of a tolerance would
            method = replace(method, step=step / math.sqrt(tighter))  # type: ignore[call-arg]
        run_options = replace(
            self.options,
            integrator=method,
            formulation=formulation or self.options.formulation,
            tolerance=tighter_tolerance(self.options.tolerances, tighter),
            progress=False,
        )
        times = self._times(model, run_options, denser)
        result, _ = prepare(model).run(replace(run_options, output=times))
        if not result.success:
            raise SuppleError(f"the run {result.message}")
        return result

    def _times(self, model: Model, run_options: RunOptions, denser: int) -> Any:
        """Output times (nt,): equal intervals, times that are asked for, and short contacts."""
        begin = run_options.begin
        equal = np.linspace(begin, self.t_end, denser * self.intervals + 1)
        asked = [r.time for r in self.readings if r.time is not None]

        def scout(touches: Sequence[Event]) -> Result:
            events = *event_tuple(run_options.owner, run_options.events), *touches
            return prepare(model).run(replace(run_options, events=events, output=2))[0]

        asked += short_times(model, begin, self.t_end, equal[1] - equal[0], scout).tolist()
        near = [t for t in asked if np.abs(equal - t).min() > FINEST * abs(self.t_end)]
        return np.unique([*equal, *near])


def tighter_tolerance(tolerances: tuple[float, float], factor: float) -> tuple[float, float]:
    """(rtol, atol) divided by a factor, as far as rounding allows."""
    rtol, atol = tolerances
    tight = min(rtol, max(rtol / factor, FINEST))
    return tight, atol * tight / rtol


def another_method(runs: Runs, base: Made) -> Integrator:
    """A method of another kind than that of the runs: explicit beside implicit ones."""
    if not isinstance(runs.options.method, Radau) or base.result is None:
        return Radau()
    steps = int(base.result.statistics.get("steps", 0))
    return DormandPrince(max_steps=max(FIRST_STEPS, MORE_STEPS * steps))


def refined(runs: Runs, refine: Refine) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """Changes of all bodies that can be refined, and sentences about those that cannot."""
    changes: dict[str, dict[str, Any]] = {}
    unknown: list[str] = []
    for name, body in runs.bodies().items():
        try:
            if fields := refine(body):
                changes[name] = fields
        except SuppleError as error:
            unknown.append(str(error))
    return changes, unknown
