"""Runs of a cross-check, each way so often that its error is known, and where two ways part.

The error of a method with equal steps follows from what it finds with a step, half of it and a
quarter. No tolerance controls such a method, and one difference of two runs proves little: both may
have lost the same vibration, or follow it with the wrong frequency. Three runs show more. With d1
the difference of the first two and d2 that of the last two, r = d1 / d2 is 2^p for a method of
order p, and what is left beyond the last run is d2 / (r - 1). Vibration that steps are too long for
does not fall like this. It is out of phase or lost in each run in another way, so that r is about
1, and d2 about its amplitude A. A quantity may show it beside a motion that is resolved. If damping
takes it from the first run, then from the second and from the third, both differences are at least
A / 4 at some time (the largest of x - x^2), besides those of the motion, 2^p d and d. Then

    r >= 1 + 2 (2^p - 1) / 3    means    d >= A / 2,

and the error, d / (2^p - 1) + A, is at most 3 d, which is less than 3 d2. So four times d2 is the
estimate where r is as large; one for what cancels. Elsewhere the error is not known; A is up to 4
d2 then, and belongs to errors from there on, whatever the motion does to r later.

At one time all of this can be otherwise by luck: differences are the largest so far and of a while
to come.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from supple.analyses.run.options import RunOptions
from supple.analyses.run.simulate import Prepared
from supple.foundation.arrays import Array, Booleans, Indices
from supple.foundation.errors import SuppleError, without_warnings
from supple.integrators.methods.base import Integrator
from supple.integrators.run.interruption import raised_at_once
from supple.results.result import Result
from supple.studies.comparison import Comparison, Table, compared, elastic_rate, table_of

HALVINGS = 2  # of the step
FALLS = 2.0 / 3.0  # of 2^p - 1: differences that fall less say nothing of the error
TIMES = 4.0  # d2: the error of what falls
LOST = 4.0  # d2: the error of what does not
# Of the run, and of the longest steps: the while to come, the longer one
LATER, LONGEST_STEPS = 0.05, 4.0
FINER = 0.01  # tolerance of the second run over that of the first
SMALLEST = 1e-13  # tolerance that rounding allows
# Of the largest range with the same units: what changes less need not be resolved.
TELLING = 1e-3
# Errors of a step in units of its tolerance, which two runs may have before either is seen to err:
# a tolerance promises as much of the largest motion with the same units.
STEPS = 10.0
STILL = 1e-9  # of the largest value with the same units: what changes less stands still
LUCK = 0.25  # of the run: so far ahead errors are looked for
ENDS = 1e-3  # of the run: by how much two runs may end apart at an event


class StepErrors(NamedTuple):
    """Errors of the run with the shortest steps."""

    values: Array  # (nt,) largest error so far
    # (nt,) whether differences fell with the step up to then, so that the error is known
    known: Booleans


def step_errors(
    t: Array, first: Array, second: Array, step: float, order: int, rounding: float
) -> StepErrors:
    """Errors of the last of three runs by their differences (nt,), each with half the step.

    ``step`` is that of the first run, s, ``order`` that of the method. Differences up to
    ``rounding`` mean nothing.
    """
    later = max(LATER * float(t[-1] - t[0]), LONGEST_STEPS * step)
    ahead = np.minimum(np.searchsorted(t, t + later), len(t) - 1)
    d1, d2 = (np.maximum.accumulate(d)[ahead] for d in (first, second))
    least = 1.0 + FALLS * (2.0**order - 1.0)
    known = (d1 >= least * d2) | (d2 <= rounding)
    lost = np.maximum.accumulate(np.where(known, 0.0, d2))
    return StepErrors(TIMES * d2 + LOST * lost, known)


def tight(options: RunOptions) -> RunOptions:
    """The options of the second run, which has a smaller tolerance."""
    rtol, atol = options.tolerances
    finer = max(FINER * rtol, SMALLEST), max(FINER * atol, 0.01 * SMALLEST)
    return replace(options, tolerance=finer)


def run_to_end(prepared: Prepared, options: RunOptions) -> Result:
    """One run; raises `SuppleError` if it does not reach its end."""
    with without_warnings(), raised_at_once():
        result, _ = prepared.run(options)
    if not result.success:
        raise SuppleError(result.message)
    return result


def equal_steps(integrator: Integrator) -> list[Integrator]:
    """The method with ever shorter steps, if they are given; empty if tolerances choose them."""
    step = float(getattr(integrator, "step", None) or 0.0)
    steps = [step * 0.5**k for k in range(HALVINGS + 1)] if step else []
    return [replace(cast("Any", integrator), step=each) for each in steps]


class Scales:
    """Sizes that differences of each quantity are related to: its range, if it moves.

    A range is at least a thousandth of the largest one with the same units. Where nothing with
    these units moves, it is the largest value, 1 rad, the length of the model, or a rate that goes
    as far in the time of the run.

    Attributes
    ----------
    largest : range with given units; zero if it is rounding
    of : scale by quantity; zero if all its values and all others with the same units are
    """

    def __init__(self, comparison: Comparison) -> None:
        span = float(comparison.t[-1] - comparison.t[0])
        length = cast("Result", comparison.runs[0]).data.compiled.length
        sizes = {"rad": 1.0, "m": length, "rad/s": 1.0 / span, "m/s": length / span}
        ranges: dict[str, float] = {}
        for d in comparison.differences.values():
            ranges[d.units] = max(ranges.get(d.units, 0.0), d.range)
            sizes[d.units] = max(sizes.get(d.units, 0.0), d.size)
        self.largest = {u: x if x > STILL * sizes[u] else 0.0 for u, x in ranges.items()}
        self.of = {
            name: max(d.range, TELLING * largest)
            if (largest := self.largest[d.units])
            else sizes[d.units]
            for name, d in comparison.differences.items()
        }

    def promised(self, name: str, units: str, tolerance: float) -> float:
        """By how much two runs may differ before either is seen to err."""
        largest = self.largest[units]
        return STEPS * tolerance * largest if largest else STILL * self.of[name]


@dataclass(frozen=True, eq=False)
class Run:
    """A way that was run so often that its error is known."""

    result: Result  # at the tighter tolerance, or with the shortest steps
    table: Table  # what it is compared by
    # t, errors: (nt,) s, and by quantity (nt,): the largest error so far
    t: Array
    errors: dict[str, Array]
    known: dict[str, Booleans]  # by quantity (nt,): whether that is an estimate; see `step_errors`
    scales: Scales  # what differences are related to
    seconds: float  # processor time of all runs


def run_measured(prepared: Prepared, options: RunOptions) -> Run:
    """Run a way at two tolerances, or with three equal steps.

    Raises `SuppleError` with the reason if one of them fails.
    """
    integrator, finer = options.method, tight(options)
    every = [options, finer]
    if methods := equal_steps(integrator):  # the tolerance says only when iterations end
        every = [replace(finer, integrator=method) for method in methods]
    runs = [run_to_end(prepared, each) for each in every]
    tables = [finite_table(result) for result in runs]
    pairs = range(len(runs) - 1)
    comparisons = [compared((runs[k], runs[k + 1]), (tables[k], tables[k + 1])) for k in pairs]
    scales = Scales(comparisons[-1])
    errors = {
        name: _errors(name, comparisons, integrator, scales) for name in comparisons[-1].differences
    }
    return Run(
        result=runs[-1],
        table=tables[-1],
        t=comparisons[-1].t,
        errors={name: error.values for name, error in errors.items()},
        known={name: error.known for name, error in errors.items()},
        scales=scales,
        seconds=sum(float(r.statistics.get("cpu_seconds", 0.0)) for r in runs),
    )


def _errors(
    name: str, comparisons: list[Comparison], integrator: Integrator, scales: Scales
) -> StepErrors:
    """Errors of the last run: what a hundredth of the tolerance changes, or by three steps."""
    t, last = comparisons[-1].t, comparisons[-1][name].values
    if len(comparisons) == 1:
        return StepErrors(np.maximum.accumulate(last), np.ones(len(t), dtype=bool))
    first = np.interp(t, comparisons[0].t, comparisons[0][name].values)
    step, order = cast("Any", integrator).step, integrator.fixed_order
    errors = step_errors(t, first, last, step, order, STILL * scales.of[name])
    if name != "energy.total":
        return errors
    audit = cast("Result", comparisons[-1].runs[1])  # which knows what the energy lacks
    lost = np.interp(t, audit.t, np.maximum.accumulate(np.abs(audit.energy.error)))
    return errors._replace(values=np.maximum(errors.values, lost))


def finite_table(result: Result) -> Table:
    """Quantities of a run to be compared; one that is not finite agrees with nothing: refused."""
    for name, states in (("coordinates", result.q), ("velocities", result.u)):
        if not np.all(np.isfinite(states)):
            raise SuppleError(f"one of its {name} is not finite")
    table = table_of(result)
    for name, history in table.items():
        if not np.all(np.isfinite(history.derivatives[history.order])):
            raise SuppleError(f"{name} is not finite")
    return table


def moves(result: Result) -> bool:
    """True if anything moves by more than rounding of radians and lengths of the model."""
    span = float(result.t[-1] - result.t[0])
    speeds = np.abs(result.u) / result.data.compiled.scale
    return bool(speeds.max(initial=0.0) * span > STILL)


class Parting(NamedTuple):
    """Parting of two runs by more than their errors: quantity, time (s), part of its scale."""

    name: str
    t: float
    part: float


@dataclass(frozen=True, eq=False)
class Judgement:
    """Agreement of a run with the reference."""

    t: Array  # (nt,) s
    # apart, errors: (nt,) largest difference of all quantities, and largest sum of the errors of
    # both runs, over the scale of the quantity
    apart: Array
    errors: Array
    # worst, at: quantity with the largest difference over its scale until ``until``, and its time;
    # empty if nothing moves
    worst: str
    at: float
    # difference, error: largest of ``apart`` and ``errors`` until ``until``
    difference: float
    error: float
    until: float  # s, the first time at which an error exceeds the accuracy; infinite if none does
    # unresolved, falls: the quantity of that error, and whether it is known
    unresolved: str
    falls: bool
    # where the runs part by more than their errors before that; None if they do not
    parting: Parting | None
    unknown: Parting | None  # the same of quantities whose errors are not known, if no other parts
    missing: tuple[str, ...]  # quantities that only one of the runs has


def judge(reference: Run, run: Run, accuracy: float, tolerance: float) -> Judgement:
    """Compare a run with the reference within the errors of both.

    ``tolerance`` is that of the tighter runs. Errors are what a hundredth of the tolerance changes,
    at any time so far, so they are well above those of the tighter runs, which are compared; with
    equal steps, see `step_errors`. Rates of elastic coordinates may part no more than others,
    but need not be resolved: stiff ones are noise at any tolerance.
    """
    comparison = compared((reference.result, run.result), (reference.table, run.table))
    scales, t = reference.scales, comparison.t
    names = [name for name in comparison.differences if scales.of[name] > 0.0]
    missing = [*sorted(set(reference.table) ^ set(run.table)), *comparison.skipped]
    apart, errors = np.zeros((2, len(names), len(t)))
    promised, known = np.zeros((len(names), 1)), np.ones((len(names), len(t)), dtype=bool)
    for k, name in enumerate(names):
        d, scale = comparison[name], scales.of[name]
        apart[k] = d.values / scale
        for one in (reference, run):
            errors[k] += np.interp(t, one.t, one.errors[name]) / scale
            known[k] &= np.interp(t, one.t, one.known[name].astype(float)) == 1.0
        promised[k] = (scales.promised(name, d.units, tolerance) + d.interpolation) / scale
    counted = np.array([not elastic_rate(name, reference.table) for name in names], dtype=bool)
    loose = (errors > accuracy) & counted[:, None]
    resolved = ~np.logical_or.accumulate(loose.any(axis=0))
    until = float("inf") if resolved.all() else float(t[np.argmin(resolved)])
    first = int(np.argmin(resolved))
    which = int(np.argmax(loose[:, first])) if names else 0
    unresolved, falls = ("", True) if resolved.all() else (names[which], bool(known[which, first]))
    ahead, within = _ahead(t, resolved), resolved & counted[:, None]
    seen = np.where(within, apart, 0.0)
    k, place = divmod(int(np.argmax(seen)), len(t)) if names else (0, 0)
    seen_apart, allowed = np.where(resolved, apart, 0.0), errors[:, ahead] + promised
    known &= known[:, ahead]
    parting = _parting(names, t, np.where(known, seen_apart, 0.0), allowed)
    return Judgement(
        t=t,
        apart=apart[counted].max(axis=0, initial=0.0),
        errors=errors[counted].max(axis=0, initial=0.0),
        worst=names[k] if moves(reference.result) else "",
        at=float(t[place]),
        difference=float(seen.max(initial=0.0)),
        error=float(np.where(within, errors, 0.0).max(initial=0.0)),
        until=until,
        unresolved=unresolved,
        falls=falls,
        parting=parting,
        unknown=None if parting else _parting(names, t, seen_apart, allowed),
        missing=tuple(dict.fromkeys(missing)),
    )


def _ahead(t: Array, resolved: Booleans) -> Indices:
    """For each time the place of one that is later by a part of the run, as far as it is resolved.

    Errors at one time may be small by luck: two tolerances can err by the same. They are the
    largest so far, and of a while to come.
    """
    last = max(int(resolved.sum()) - 1, 0)
    later = t + LUCK * (t[last] - t[0])
    places: Indices = np.minimum(np.searchsorted(t, later), last)
    return np.maximum(places, np.arange(len(t)))


def _parting(names: list[str], t: Array, apart: Array, allowed: Array) -> Parting | None:
    """The quantity that parts first; of several at once the one that is farthest beyond its error.

    A body or joint is named before an energy, which has no place.
    """
    beyond = apart > allowed
    which = np.flatnonzero(beyond.any(axis=1))
    if not len(which):
        return None
    first = {int(k): int(np.argmax(beyond[k])) for k in which}

    def order(k: int) -> tuple[bool, int, float]:
        place = first[k]
        return names[k].startswith("energy."), place, -apart[k, place] / allowed[k, place]

    k = min(first, key=order)
    return Parting(names[k], float(t[first[k]]), float(apart[k].max()))


def ends_apart(reference: Result, other: Result) -> str:
    """Say that two runs end at different times; empty if they do not."""
    ends = [float(r.state().t) for r in (reference, other)]
    span = max(ends) - float(reference.t[0])
    if abs(ends[0] - ends[1]) <= ENDS * span:
        return ""
    return f"it ends at t = {ends[1]:.6g} s, the reference at {ends[0]:.6g} s"
