"""The number that an output is, of a history that is known at output times, and its error by that.

An extremum is that of a parabola through three output times. The same with every second one shows
how well it is known: the error of the first goes with the fourth power of the interval. Where the
two parabolas do not belong to one smooth history, the largest output itself counts. Means are those
of a cubic spline, compared with one through every second output time.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError
from supple.results.files.dataset import quantity
from supple.results.result import Result
from supple.results.views.body_loads import at_times
from supple.sweeps.readings import Reading

SMOOTH = 2.0  # largest ratio of curvatures over one and two intervals; 1 of a parabola
CONSTANT = 1e-6  # of its size: a history that changes less is a constant
TOPS = 20  # highest outputs, one of which may be beside the highest top


@dataclass(frozen=True, eq=False)
class Sample:
    """An output of one run.

    Attributes
    ----------
    value : the number
    error : of it by the distance of output times
    size : largest value of its history, of a component that of the vector, of an energy that of all
    span : range of its history, at least a millionth of its size; both are those of the number if
        there is no history
    decided : s, up to which the history counts
    at_end : whether it is an extremum at the end of the run
    t, y : (nt,) and (nt, m) the history; the places of all bodies if a function makes the number
    """

    value: float
    error: float
    size: float
    span: float
    decided: float
    at_end: bool
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
        found = _EXTREMA[reading.statistic](t, y)
    elif reading.statistic in _MEANS:
        found = _MEANS[reading.statistic](t, y)
    else:
        time = {"start": float(t[0]), "end": float(t[-1])}.get(reading.statistic, reading.time)
        value = reading.read(result)
        assert time is not None and isinstance(value, float)
        found = _Found(value, 0.0, time)
    at_end = reading.statistic in _EXTREMA and found.time >= t[-1]
    size = _size(reading, result, y)
    span = max(float(np.ptp(y)), CONSTANT * size)
    if reading.statistic.startswith("time of"):
        size, span = max(abs(float(t[0])), abs(float(t[-1]))), float(t[-1] - t[0])
    return Sample(found.value, found.error, size, span, found.time, at_end, t, y[:, None])


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
    found = _max(t, -y)
    return found._replace(value=-found.value)


def _range(t: Array, y: Array) -> _Found:
    high, low = _max(t, y), _min(t, y)
    time = max(high.time, low.time)
    return _Found(high.value - low.value, high.error + low.error, time)


def _time_of_max(t: Array, y: Array) -> _Found:
    found, error = _largest(t, y)
    return _Found(found.time, error, found.time)


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
