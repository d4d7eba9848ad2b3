"""Runs of variants of a model, each made once: what its outputs are, or why there are none.

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
from typing import Any

import numpy as np

from supple.analyses.base.arguments import expect, number
from supple.analyses.run.options import RunOptions, StudyOptions, event_tuple
from supple.analyses.run.simulate import first_instant, prepare
from supple.certificates.sampling import Sample, sample
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
from supple.results.result import Result
from supple.sweeps.readings import Reading, readings

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
    found = [np.linspace(a, b, PARTS + 1) for a, b in close[:MOST]]
    return np.concatenate(found) if found else np.zeros(0)


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
    """A run that was made.

    Attributes
    ----------
    what : how it was made, in words
    samples : by output; empty if it failed
    reason : why it failed
    events : names of events in their order
    result : of the run
    """

    what: str
    samples: dict[str, Sample] = field(default_factory=dict)
    reason: str = ""
    events: tuple[str, ...] = ()
    result: Result | None = None

    @property
    def failed(self) -> bool:
        """True if there is nothing to be read."""
        return bool(self.reason)


@dataclass(frozen=True, eq=False)
class Runs:
    """Runs of a model, as they are to be made.

    Attributes
    ----------
    model, readings : what is asked, of which model
    options : of the run that is examined
    intervals : between output times
    """

    model: Model
    readings: tuple[Reading, ...]
    options: RunOptions
    intervals: int

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
        given = replace(
            self.options,
            integrator=method,
            formulation=formulation or self.options.formulation,
            tolerance=tighter_tolerance(self.options.tolerances, tighter),
            progress=False,
        )
        times = self._times(model, given, denser)
        result, _ = prepare(model).run(replace(given, output=times))
        if not result.success:
            raise SuppleError(f"the run {result.message}")
        return result

    def _times(self, model: Model, given: RunOptions, denser: int) -> Any:
        """Output times (nt,): equal intervals, times that are asked for, and short contacts."""
        begin = given.begin
        equal = np.linspace(begin, self.t_end, denser * self.intervals + 1)
        asked = [r.time for r in self.readings if r.time is not None]

        def scout(touches: Sequence[Event]) -> Result:
            events = *event_tuple(given.owner, given.events), *touches
            return prepare(model).run(replace(given, events=events, output=2))[0]

        asked += short_times(model, begin, self.t_end, equal[1] - equal[0], scout).tolist()
        near = [t for t in asked if np.abs(equal - t).min() > FINEST * abs(self.t_end)]
        return np.unique([*equal, *near])


def tighter_tolerance(given: tuple[float, float], factor: float) -> tuple[float, float]:
    """(rtol, atol) divided by a factor, as far as rounding allows."""
    rtol, atol = given
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
