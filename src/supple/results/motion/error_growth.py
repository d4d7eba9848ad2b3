"""Growth of errors, by comparison with the same run at a looser tolerance.

A first run again, with a tolerance of 1e-3 of a radian, takes about a tenth of the time. Where
it stays close, or drifts by a low power of time, the run itself is much closer, and nothing more is
done. Where it does not, a run that took less than 2 s is made again with a thirtieth of the
tolerance, and their distance is the error. Of a longer one, another run with 30 times the tolerance
says how errors depend on the tolerance and on time:

    error(t) = distance(t) 30^-p       p from the distances of both runs again

and, once the second one has parted too, the growth goes on as it was before: exponentially in
chaos, by a power of time otherwise.

Beside a tolerance of more than 5e-4 there is no looser one. Such a run is made again with a third
of its tolerance, and only where that is not close with a thirtieth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.foundation.arrays import Array
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from supple.analyses.run.outcome import Probe
    from supple.results.result import Result


FEWEST_STEPS = 60  # of a run: in fewer, errors of a tolerance do not grow to what is seen
MOST_TIMES, FEW_TIMES = 250, 100  # output times that are compared; fewer show no growth
GOLDEN = 0.5 * (5.0**0.5 - 1.0)  # parts of intervals that are far from all fractions
MANY_TIMES = 4000  # that are compared where all coordinates are numbers
LONGEST = 4000  # output times whose reversals are counted
MOVES = 1e-3  # of its largest velocity: what a coordinate that swings has
STEPS = 130.0  # of one period, about
LOOSER, LOOSE, LOOSEST = 1e3, 1e-3, 1e-2  # tolerance of the first run again: times, at least, most
COARSEST = 5e-4  # tolerance of a run beside which there is a looser one
NEAR, NEARER, COARSE = 30.0, 10.0, 1e-6  # times the tolerance, of the second one; of coarse ones
PARTED = 0.1  # of the motion: from here on a distance says nothing about growth
EXPONENTIAL = 2.5  # growth over the second half of the time, as a logarithm, beyond any low power
DRIFT = 1.6  # the same up to which growth is that of a drift, by time or its square
USUAL, ORDERS = 1.25, (0.3, 2.5)  # power of the tolerance that errors fall with
WRONG, USELESS = 0.01, 0.1  # errors, in parts of the motion
CARE = 5.0  # by which errors in chaos may be larger than they are estimated
SURE, LESS_SURE = 0.9, 0.6  # power of the tolerance with which errors fall at least; coarse ones
QUICK, LONG = 2.0, 60.0  # s of the processor: a run is made again exactly, or not at all
TIGHTER, LEAST = 30.0, 1e-13  # times: tolerance of a run that is exact beside it
CLOSER = 3.0  # times: tolerance of a first run beside a coarse one
FAILED = "it fails with another tolerance"


class NotJudgedError(Exception):
    """Errors of a run that cannot be told, with the reason."""


@dataclass(frozen=True)
class ErrorGrowth:
    """Errors of a run as they are estimated."""

    # t, error: (n,) s, and in parts of the motion, at most 1
    t: Array
    error: Array
    rate: float  # 1/s, of exponential growth; zero of growth by a power
    order: float  # errors fall with this power of the tolerance
    exact: bool = False  # whether they come from a run with a smaller tolerance


def growth_findings(result: Result, coarse: bool = False) -> Iterator[RunFinding]:
    """A finding where errors grow to one per cent of the motion; ``coarse``: see below."""
    growth = error_growth(result, coarse)
    if growth is None or not growth.error.max() > WRONG:
        return
    most = float(growth.error.max())
    # growth comes in bursts: an instant that is extrapolated is told with care
    care = 1.0 if growth.exact or not growth.rate else CARE
    first = float(growth.t[np.argmax(growth.error > WRONG / care)])
    known = "" if growth.exact else ", by looser runs"
    if growth.rate > 0.0:
        tight = growth.order * np.log(max(_tolerance(result) / 1e-11, 1.0)) / growth.rate
        longer = f" (with tolerance=1e-11 from {first + tight:.3g} s)" if tight else ""
        sentence = (
            f"errors grow tenfold in {np.log(10.0) / growth.rate:.2g} s: the motion is wrong by "
            f"about {most:.0%} at the end, by more than 1 % from about t = {first:.3g} s "
            f"on{longer}{known}; it is chaotic or leaves an unstable state, see lyapunov"
        )
    else:
        smaller = max((most / WRONG) ** (1.0 / growth.order), 2.0)
        sentence = (
            f"errors grow to about {most:.0%} of the motion, and are above 1 % from "
            f"t = {first:.3g} s on{known}: use a tolerance at least {smaller:.0f} times smaller"
        )
    yield RunFinding("", "growth", most, WRONG, first, most > USELESS, sentence)


def error_growth(result: Result, coarse: bool = False) -> ErrorGrowth | None:
    """Errors of a run over time; None where they are small.

    ``coarse``: the output times do not show the motion. A run whose errors cannot be told raises
    `NotJudgedError`.
    """
    probe = result.data.probe
    steps = int(result.statistics.get("steps", 0))
    after = np.flatnonzero(result.t > result.t[0] if probe is None else result.t > probe.t_start)
    if probe is None or not result.success or steps < FEWEST_STEPS or not len(after):
        return None
    seconds = _expect_repeatable(result)
    loose = min(max(LOOSER * probe.rtol, LOOSE), LOOSEST)
    times = NEARER if probe.rtol > COARSE else NEAR
    compared = _Compared(probe, 4 * steps + 1000)
    count = len(after)
    most = MOST_TIMES if result.q.shape[1] > result.u.shape[1] else MANY_TIMES
    which = after[np.unique(np.linspace(0, count - 1, min(most, count)).astype(int))]
    known = result.t[which]
    dense = _uneven(probe.t_start, float(result.t[-1]))
    coarse = coarse or count < FEW_TIMES
    main = _States(known, np.asarray(result.q[which]))
    if probe.rtol > COARSEST:
        size = compared.size(main)
        return None if compared.closer(main, size) else compared.exact(main, size)
    far = compared.run(loose, np.union1d(known, dense) if coarse else known)
    if far is None:  # too loose for this model
        if seconds < QUICK:
            return compared.exact(main, compared.size(main))
        raise NotJudgedError(FAILED)
    size = compared.size(far if coarse else main)
    first = compared.apart(far, main)
    if size == 0.0 or first.max(initial=0.0) < PARTED * size:
        return None
    if coarse:  # the run itself once more, with the output that it lacks
        again = compared.run(probe.rtol, dense)
        if again is None:
            raise NotJudgedError(FAILED)
        main, first, size = again, compared.apart(far, again), compared.size(again)
    first = first / size
    t = main.t[: len(first)]
    sure = 0.0 if probe.many_steps else LESS_SURE if probe.rtol > COARSE else SURE
    if first.max() < PARTED or _drifts(t, first, (probe.rtol / loose) ** sure):
        return None
    if seconds < QUICK:
        return compared.exact(main, size)
    near = compared.run(times * probe.rtol, main.t)
    if near is None:
        raise NotJudgedError(FAILED)
    second = compared.apart(near, main) / size
    n = min(len(first), len(second))
    decades = float(np.log(loose / (times * probe.rtol)))
    return _extrapolated(t[:n], first[:n], second[:n], decades, times)


def _uneven(start: float, end: float) -> Array:
    """Times (n,) up to the end, in no step with any vibration: one in each of equal intervals."""
    k = np.arange(MOST_TIMES)
    times: Array = start + (end - start) * (k + (k * GOLDEN) % 1.0) / MOST_TIMES
    return np.append(times[1:], end)


def _expect_repeatable(result: Result) -> float:
    """Seconds that the run took; one that cannot be made again is not judged."""
    probe, seconds = result.data.probe, float(result.statistics.get("cpu_seconds", 0.0))
    assert probe is not None
    if result.statistics.get("equal_steps"):
        raise NotJudgedError("its equal steps have no tolerance")
    if not probe.repeats:
        raise NotJudgedError("sampled controllers are not called again")
    if seconds > LONG:
        raise NotJudgedError(f"runs of more than {LONG:.0f} s are not made again")
    if probe.rtol > COARSEST and seconds > QUICK:
        raise NotJudgedError(f"there is no looser one for a tolerance of more than {COARSEST:.0e}")
    return seconds


def periods(result: Result) -> float:
    """Number of swings, to and fro, of the coordinate that swings most often."""
    count = len(result.t)
    if count < FEW_TIMES:  # too few to be counted
        return float(result.statistics.get("steps", 0)) / STEPS
    u = np.asarray(result.u[:: max(1, count // LONGEST)])
    signs = np.where(np.abs(u) > MOVES * np.max(np.abs(u), axis=0, initial=0.0), np.sign(u), 0.0)
    turned = [np.count_nonzero(np.diff(row[row != 0.0])) for row in signs.T]
    return 0.5 * max(turned, default=0)


def is_long(result: Result) -> bool:
    """True if errors that grow by e in each period, as in chaos, reach 1 % of the motion."""
    probe = result.data.probe
    return probe is not None and periods(result) > np.log(WRONG / min(probe.rtol, WRONG))


class _States(NamedTuple):
    """Configurations (n, nq) at times (n,)."""

    t: Array
    q: Array


class _Compared(NamedTuple):
    """Runs of one model with different tolerances, of so many steps at most."""

    probe: Probe
    steps: int

    def run(self, rtol: float, t: Array) -> _States | None:
        """The run with a tolerance, at the times that it reaches."""
        q = self.probe.again(rtol, t, self.steps)
        return None if q is None else _States(t[: len(q)], q)

    def apart(self, a: _States, b: _States) -> Array:
        """Distances (k,) of two runs at the times of the second, radians or lengths."""
        n = int(np.searchsorted(b.t, a.t[-1], side="right"))
        places = np.searchsorted(a.t, b.t[:n])
        return np.asarray(np.max(np.abs(self.probe.between(a.q[places], b.q[:n])), axis=1))

    def closer(self, main: _States, size: float) -> bool:
        """True if a run with a slightly smaller tolerance shows that errors are small."""
        if self.probe.many_steps:
            return False
        near = self.run(self.probe.rtol / CLOSER, main.t)
        if near is None or len(near.t) < len(main.t):
            return False
        # an error e leaves the distance e (1 - CLOSER^-p) if errors fall with the power p
        least = WRONG * (1.0 - CLOSER**-LESS_SURE)
        return bool(self.apart(near, main).max(initial=0.0) < least * size)

    def exact(self, main: _States, size: float) -> ErrorGrowth | None:
        """Errors of a run that moves by ``size``, by one with a smaller tolerance."""
        tight = self.run(max(self.probe.rtol / TIGHTER, LEAST), main.t)
        if tight is None:
            raise NotJudgedError(FAILED)
        if size == 0.0:
            return None
        error = np.maximum.accumulate(self.apart(tight, main)) / size
        t = main.t[: len(error)]
        return ErrorGrowth(t, np.minimum(error, 1.0), _rate(t, error), USUAL, True)

    def size(self, a: _States) -> float:
        """Size of its motion: half its range, at most a radian or a length of the model."""
        away = self.probe.between(np.broadcast_to(a.q[0], a.q.shape), a.q)
        return min(1.0, 0.5 * float(np.max(np.ptp(away, axis=0), initial=0.0)))


def _rate(t: Array, envelope: Array) -> float:
    """Rate (1/s) at which distances (n,) grow exponentially until they part; else zero."""
    k = int(np.argmax(envelope >= PARTED)) if envelope[-1] >= PARTED else len(t) - 1
    half = int(np.searchsorted(t, t[0] + 0.5 * (t[k] - t[0])))
    if k <= half or not envelope[half] > 0.0:
        return float(np.log(1.0 / PARTED) / max(float(t[k] - t[0]), 1e-300)) if k else 0.0
    grown = float(np.log(envelope[k] / envelope[half]))
    return grown / float(t[k] - t[half]) if grown > EXPONENTIAL else 0.0


def _drifts(t: Array, first: Array, part: float) -> bool:
    """True if a run drifts so slowly that a ``part`` of its distances (n,) stays small."""
    far = np.maximum.accumulate(first)
    k = int(np.argmax(far >= PARTED))
    half, quarter = (int(np.searchsorted(t, t[0] + x * (t[k] - t[0]))) for x in (0.5, 0.25))
    if not quarter < half < k or far[quarter] <= 0.0:
        return False
    grown = float(np.log(far[k] / far[half]))
    if max(grown, float(np.log(far[half] / far[quarter]))) > DRIFT:
        return False
    later = float((t[-1] - t[0]) / (t[k] - t[0])) ** (grown / np.log(2.0))
    if far[-1] > 3.0 * PARTED * later:  # it parts in another way later on
        return False
    return bool(part * PARTED * later < WRONG)


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


def _tolerance(result: Result) -> float:
    return 1.0 if result.data.probe is None else result.data.probe.rtol
