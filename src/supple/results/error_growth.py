"""How errors of a run grow: the same run with a looser tolerance parts from it, or it does not.

A first run again, with a tolerance of 1e-3 of a radian, takes about a tenth of the time. Where
it stays close, or drifts by a low power of time, the run itself is much closer, and nothing more is
done. Where it does not, a second one with 30 times the tolerance says how errors depend on the
tolerance and on time:

    error(t) = distance(t) 30^-p       p from the distances of both runs again

and, once the second one has parted too, the growth goes on as it was before: exponentially in
chaos, by a power of time otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.results.run_finding import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

Array = NDArray[np.float64]

FEWEST_STEPS = 300  # of a run: in fewer, errors of a tolerance do not grow to what is seen
MOST_TIMES = 250  # output times that are compared
LOOSER, LOOSE, LOOSEST = 1e3, 1e-3, 1e-2  # tolerance of the first run again: times, at least, most
NEAR, NEARER, COARSE = 30.0, 10.0, 1e-6  # times the tolerance, of the second one; of coarse ones
PARTED = 0.1  # of the motion: from here on a distance says nothing about growth
EXPONENTIAL = 2.5  # growth over the second half of the time, as a logarithm, beyond any low power
USUAL, ORDERS = 1.25, (0.5, 2.5)  # power of the tolerance that errors fall with
WRONG, USELESS = 0.01, 0.1  # errors, in parts of the motion
CARE = 5.0  # by which errors in chaos may be larger than they are estimated
SURE = 0.9  # power of the tolerance with which errors fall at least
LONG = 60.0  # s of the processor, beyond which a run is not made again


@dataclass(frozen=True)
class ErrorGrowth:
    """Errors of a run as they are estimated.

    Attributes
    ----------
    t, error : (n,) s, and in parts of the motion, at most 1
    rate : 1/s, of exponential growth; zero of growth by a power
    order : errors fall with this power of the tolerance
    """

    t: Array
    error: Array
    rate: float
    order: float


def growth_findings(result: Result) -> Iterator[RunFinding]:
    """A finding where errors grow to one per cent of the motion."""
    found = error_growth(result)
    if found is None or not found.error.max() > WRONG:
        return
    most = float(found.error.max())
    # growth comes in bursts: the instant is told with care
    first = float(found.t[np.argmax(found.error > (WRONG / CARE if found.rate else WRONG))])
    if found.rate > 0.0:
        tight = found.order * np.log(max(_tolerance(result) / 1e-11, 1.0)) / found.rate
        longer = f", with tolerance=1e-11 {first + tight:.3g} s" if tight else ""
        sentence = (
            f"errors grow tenfold in {np.log(10.0) / found.rate:.2g} s: the motion is wrong by "
            f"about {most:.0%} of itself at the end, by more than 1 % from about t = {first:.3g} s "
            f"on{longer}; it is chaotic or leaves an unstable state, see lyapunov"
        )
    else:
        sentence = (
            f"errors grow to about {most:.0%} of the motion, and are above 1 % from "
            f"t = {first:.3g} s on: use a tolerance {(most / WRONG) ** (1.0 / found.order):.0g} "
            "times smaller"
        )
    yield RunFinding("", "growth", most, WRONG, first, most > USELESS, sentence)


def error_growth(result: Result) -> ErrorGrowth | None:
    """Errors of a run over time; None where they are small, or cannot be told."""
    probe, data = result.data.probe, result.data
    steps = int(result.statistics.get("steps", 0))
    if probe is None or not result.success or not probe.repeats or steps < FEWEST_STEPS:
        return None
    if result.statistics.get("equal_steps") or data.statistics.get("cpu_seconds", 0.0) > LONG:
        return None
    loose = min(max(LOOSER * probe.rtol, LOOSE), LOOSEST)
    times = NEARER if probe.rtol > COARSE else NEAR
    if loose < 2.0 * times * probe.rtol or len(result.t) < 2:
        return None
    count = len(result.t)
    which = np.unique(np.linspace(1, count - 1, min(MOST_TIMES, count - 1)).astype(int))
    t, q = result.t[which], np.asarray(result.q[which])
    most = 4 * steps + 1000
    size = _size(probe.between(np.broadcast_to(q[0], q.shape), q))
    far = probe.apart(loose, t, q, most)
    if far is None or size == 0.0:
        return None
    first = np.max(np.abs(far), axis=1) / size
    if first.max(initial=0.0) < PARTED or _drifts(t[: len(first)], first, probe.rtol / loose):
        return None
    near = probe.apart(times * probe.rtol, t, q, most)
    if near is None:
        return None
    n = min(len(far), len(near))
    second = np.max(np.abs(near), axis=1)[:n] / size
    return _extrapolated(t[:n], first[:n], second, np.log(loose / (times * probe.rtol)), times)


def _drifts(t: Array, first: Array, ratio: float) -> bool:
    """Whether a looser run, of 1 / ratio times the tolerance, parts so slowly that all is well."""
    far = np.maximum.accumulate(first)
    k = int(np.argmax(far >= PARTED))
    half = int(np.searchsorted(t, t[0] + 0.5 * (t[k] - t[0])))
    grown = np.inf if k <= half or far[half] <= 0.0 else float(np.log(far[k] / far[half]))
    if grown > EXPONENTIAL:
        return False
    later = float((t[-1] - t[0]) / (t[k] - t[0])) ** (grown / np.log(2.0))
    if far[-1] > 3.0 * PARTED * later:  # it parts in another way later on
        return False
    return bool(ratio**SURE * PARTED * later < WRONG)


def _extrapolated(
    t: Array, first: Array, second: Array, decades: float, times: float
) -> ErrorGrowth:
    """Errors of a run from its distances to one that is far off and one that is near.

    ``decades`` is the logarithm of the ratio of their tolerances; that of the near one is so many
    ``times`` the tolerance of the run.
    """
    far, near = np.maximum.accumulate(first), np.maximum.accumulate(second)
    usable = (far < PARTED) & (far > 0.0) & (near > 0.0)
    order = USUAL
    if np.any(usable):
        order = float(np.median(np.log(far[usable] / near[usable]))) / decades
    order = min(max(order, ORDERS[0]), ORDERS[1])
    error = times**-order * near
    if near[-1] < PARTED:
        return ErrorGrowth(t, error, 0.0, order)
    j, k = int(np.argmax(far >= PARTED)), int(np.argmax(near >= PARTED))
    late, least = t > t[k], float(np.min(np.diff(t), initial=np.inf))
    half = int(np.searchsorted(t, t[0] + 0.5 * (t[k] - t[0])))
    # time in which errors grow from those of one tolerance to those of the other
    between = max(float(t[k] - t[j]), 0.5 * least)
    with np.errstate(over="ignore", divide="ignore"):
        if k <= half or np.log(near[k] / near[half]) > EXPONENTIAL:
            rate = order * decades / between
            if k > half and near[half] > 0.0:
                rate = min(rate, float(np.log(near[k] / near[half]) / (t[k] - t[half])))
            error[late] = times**-order * PARTED * np.exp(rate * (t[late] - t[k]))
        else:
            rate = 0.0
            span = float(t[k] - t[0]) + least
            power = order * decades / np.log(span / (span - between))
            error[late] = times**-order * PARTED * ((t[late] - t[0]) / (t[k] - t[0])) ** power
    return ErrorGrowth(t, np.minimum(np.maximum.accumulate(error), 1.0), rate, order)


def _size(away: Array) -> float:
    """How far the run moves: half its range, one radian or one length of the model at most."""
    return min(1.0, 0.5 * float(np.max(np.ptp(away, axis=0), initial=0.0)))


def _tolerance(result: Result) -> float:
    return 1.0 if result.data.probe is None else result.data.probe.rtol
