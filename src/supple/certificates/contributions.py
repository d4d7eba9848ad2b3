"""Error of one output by source, tolerance, modes, mesh and theory, and the runs that tell it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from supple.bodies.base.refinement import beyond_linear, finer_mesh, more_modes, with_shear
from supple.certificates.runs import CONSTANT, Made, Runs, Sample, another_method, refined
from supple.formulations.base import Formulation
from supple.formulations.trees import Absolute, JointCoordinates
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, percent, without_warnings
from supple.foundation.frames import Body
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.radau import Radau
from supple.results.data.findings import Finding

TIGHTER, TIGHTEST = 10.0, 100.0  # divisors of tolerances
EXPLICIT = (
    1000.0  # the same of an explicit method of order 8: steps are long, their inside is worse
)
DENSER = 2  # times the output times, of the finest run

Fields = dict[str, dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Ladder:
    """Runs of a model that is refined more and more."""

    runs: tuple[Made, ...]  # the coarsest one is not among them
    bodies: tuple[str, ...]  # names of those that are refined
    exact: bool  # whether the last one is the limit
    unknown: tuple[str, ...]  # sentences about bodies that cannot be refined


@dataclass(eq=False)
class Evidence:
    """Runs that are made when they are asked for first."""

    runs: Runs  # how they are made
    asked: Sequence[str]  # names of the contributions that are asked for
    count: int = 0  # runs that were made
    tightest: bool = True  # whether the finest run has a smaller tolerance, too

    def _make(self, what: str, changes: Fields | None = None, **options: Any) -> Made:
        self.count += 1
        return self.runs.make(what, changes, **options)

    @cached_property
    def base(self) -> Made:
        """The run with the settings that were given."""
        return self._make("the run")

    @cached_property
    def fine(self) -> Made:
        """The run with a tenth of the tolerance."""
        return self._make("a tenth of the tolerance", tighter=TIGHTER)

    @cached_property
    def other(self) -> Made:
        """The run by another method with a far smaller tolerance, or by its own."""
        method = another_method(self.runs, self.base)
        name = type(method).__name__
        tighter = EXPLICIT if method.stability_limit else TIGHTEST
        what = f"{name} and 1/{tighter:g} of it"
        run = self._make(what, tighter=tighter, integrator=method)
        if run.failed:
            why = run.reason.removeprefix(f"{name}: ")
            what = f"the same method and 1/{TIGHTEST:g} of it ({name}: {why})"
            run = self._make(what, tighter=TIGHTEST)
        return run

    @cached_property
    def formulation(self) -> Made:
        """The run in other coordinates."""
        usual = isinstance(self.runs.options.coordinates, JointCoordinates)
        other: Formulation = Absolute() if usual else JointCoordinates()
        return self._make(f"{type(other).__name__} coordinates", formulation=other)

    @cached_property
    def modes(self) -> Ladder:
        """More modes of all bodies."""
        first, unknown = refined(self.runs, lambda body: more_modes(body, 2))
        whole = all(fields == {"modes": "all"} for fields in first.values())
        runs = [self._make("more modes", first, **self._refining)] if first else []
        if first and not whole:
            second, _ = refined(self.runs, lambda body: more_modes(body, 4))
            runs.append(self._make("still more modes", second, **self._refining))
        return Ladder(tuple(runs), tuple(first), whole, tuple(unknown))

    @cached_property
    def mesh(self) -> Ladder:
        """Finer meshes of all bodies, but for those that are given."""
        fixed = self.given_meshes
        first, unknown = refined(
            self.runs, lambda body: {} if body.name in fixed else finer_mesh(body, 2)
        )
        runs: list[Made] = []
        if first:
            second, _ = refined(
                self.runs, lambda body: {} if body.name in fixed else finer_mesh(body, 4)
            )
            runs = [
                self._make("twice the elements", first, **self._refining),
                self._make("four times the elements", second, **self._refining),
            ]
        return Ladder(tuple(runs), tuple(first), False, tuple(unknown))

    @cached_property
    def given_meshes(self) -> dict[str, float]:
        """Parts of their deflections that meshes get wrong, by name of bodies with a given one."""
        return mesh_errors(self.runs.bodies(), self.base)

    @cached_property
    def rigid_meshes(self) -> Made:
        """The bodies with a given mesh, rigid."""
        bodies = self.runs.bodies()
        return self._make("rigid bodies", {n: bodies[n].rigid_fields() for n in self.given_meshes})

    @property
    def _refining(self) -> dict[str, Any]:
        """Options of runs of refined models: not by explicit methods, whose steps become too short.

        Tolerances stay: what a smaller one changes is known by then.
        """
        explicit = self.runs.options.method.stability_limit > 0.0
        method: Integrator | None = Radau() if explicit else None
        return {"integrator": method}

    @cached_property
    def beyond(self) -> tuple[Fields, tuple[str, ...]]:
        """Bodies as a theory of larger deflections, and of shear, has them.

        And names of those without a theory of larger deflections.
        """
        changes: Fields = {}
        without = []
        for name, body in self.runs.bodies().items():
            larger, sheared = beyond_linear(body), with_shear(body)
            if larger is None or not self._possible(name, larger):
                without.append(name)
                larger = {}
            fields = larger | sheared
            if sheared and not self._possible(name, fields):
                fields = larger
            if fields:
                changes[name] = fields
        return changes, tuple(without)

    def _possible(self, name: str, fields: dict[str, Any]) -> bool:
        """True if a body takes these fields: matrices of another program know no stiffening."""
        try:
            with without_warnings():
                self.runs.varied({name: fields})
        except ModelError:
            return False
        return True

    @property
    def sheared(self) -> bool:
        """True if a body has a theory of shear in the run that is compared with."""
        return any("theory" in fields or "members" in fields for fields in self.beyond[0].values())

    @cached_property
    def stiffened(self) -> Made:
        """Bodies as a theory of larger deflections, and of shear, has them."""
        changes, _ = self.beyond
        words = sorted({word for fields in changes.values() for word in _words(fields)})
        return self._make(" and ".join(words), changes, **self._refining)

    @cached_property
    def rigid(self) -> Made:
        """The bodies without another theory, rigid."""
        bodies = self.runs.bodies()
        changes = {name: bodies[name].rigid_fields() for name in self.beyond[1]}
        return self._make("rigid bodies", changes)

    @cached_property
    def finest(self) -> Made:
        """Everything refined together."""
        changes: Fields = dict(self.beyond[0]) if "validity" in self.asked else {}
        steps: list[Callable[[Body], dict[str, Any]]] = []
        if "mesh" in self.asked:
            steps.append(lambda body: finer_mesh(body, 2))
        if "modes" in self.asked:
            steps.append(lambda body: more_modes(body, 2))
        for step in steps:  # of bodies as the steps before have made them
            finer = replace(self.runs, model=self.runs.varied(changes))
            for name, fields in refined(finer, step)[0].items():
                changes[name] = changes.get(name, {}) | fields
        tighter = TIGHTER if self.tightest else 1.0
        options = self._refining | {"tighter": tighter, "denser": DENSER}
        return self._make("everything finer", changes, **options)


def _words(fields: dict[str, Any]) -> Iterator[str]:
    if "parts" in fields:
        yield "parts"
    elif "stiffening" in fields:
        yield "stiffening of second order"
    if "theory" in fields or "members" in fields:
        yield "shear of sections"


def mesh_errors(bodies: Mapping[str, Any], made: Made) -> dict[str, float]:
    """Parts of their deflections that the meshes of bodies get wrong, where these are given."""
    errors = {}
    seen = {} if made.result is None else made.result.monitor.bodies
    for name, body in bodies.items():
        part = abs(seen[name].mesh_error) if name in seen else np.nan
        if np.isfinite(part) and part < 1.0 and _given(body):
            errors[name] = float(part)
    return errors


def _given(body: Any) -> bool:
    try:
        finer_mesh(body, 2)
    except ModelError:
        return True
    return False


SETTLES = 0.7  # largest ratio of changes from which the rest is a geometric series
SAFETY = 1.25  # for what the last value itself is wrong
UNSETTLED = 2.0  # changes that may follow where they do not decrease so
LOST = 0.1  # part of the range of a history: a last change beyond it tells nothing
# Of the estimate of a mesh's error, which is within a factor of 1.5 where it is large
MESH_SAFETY = 2.0
NOISE = 3.0  # times the error of runs, below which changes mean nothing
ROUNDING = 1e-12  # of the largest value of a history
PARTED = 0.05  # of the range of a history, by which runs differ where they have lost each other
CHANCE = 1e-4  # of the range: two runs that have parted do not agree so well
LINEAR = 0.02  # of what deformation does: error of linear deflections within the monitor's limits
SHEAR = 1.1  # times the difference to a theory of shear, whose coefficients differ by as much
DOUBTFUL = 2.0  # times the difference to a better theory, where limits are passed


@dataclass(frozen=True)
class Contribution:
    """One reason why a number may be wrong."""

    # "integration", "sampling", "modes", "mesh", "formulation", "validity" or "verification"
    name: str
    # how much it may be wrong, in the units of the output; infinite if nothing can be said
    error: float
    reason: str  # how that was found, in a sentence
    unknown: str = ""  # what it does not contain, in a sentence; empty if it contains all


@dataclass(frozen=True)
class Estimate:
    """An error, and what is known about it."""

    # of the first value: its distance from the last, and what may follow after that; infinite if
    # the values tell nothing
    error: float
    rest: float  # what may follow after the last value
    ratio: float  # of the last change to the one before; NaN where it is not known
    settles: bool  # whether changes decrease, or are as small as the error of runs


def estimate(values: Sequence[float], noise: float, span: float, exact: bool = False) -> Estimate:
    """The error of the first of two or three values.

    ``noise`` is the error of each of them for other reasons, ``span`` the range of the history.
    ``exact``: the last one is the limit itself. Changes may have any signs: the first value may be
    right by chance, which the last change does not let pass.
    """
    last = abs(values[-1] - values[-2])
    distance = abs(values[0] - values[-1])
    if exact:
        return Estimate(distance + noise, noise, math.nan, True)
    distance *= SAFETY
    if last <= NOISE * noise:
        return Estimate(distance + noise, noise, math.nan, True)
    before = abs(values[-2] - values[-3]) if len(values) > 2 else 0.0
    ratio = last / before if before > 0.0 else math.inf
    if ratio < SETTLES:
        rest = last * ratio / (1.0 - ratio)
        return Estimate(distance + rest, rest, ratio, True)
    rest = UNSETTLED * last
    error = math.inf if last > LOST * span else distance + rest
    return Estimate(error, rest, ratio, False)


def observed_order(ratio: float, factor: float) -> float:
    """Order of convergence of a ratio of changes, if steps are divided by a factor."""
    return math.log(1.0 / ratio) / math.log(factor) if 0.0 < ratio < math.inf else math.nan


class Question(NamedTuple):
    """An output, and the runs that tell about it."""

    output: str
    evidence: Evidence

    def of(self, made: Made) -> Sample:
        """The output in a run."""
        return made.samples[self.output]

    def value(self, made: Made) -> float:
        """Number of the output in a run."""
        return self.of(made).value

    @property
    def floor(self) -> float:
        """Rounding of the number."""
        return ROUNDING * self.of(self.evidence.base).size

    @property
    def span(self) -> float:
        """Range of its history."""
        return self.of(self.evidence.base).span

    @property
    def noise(self) -> float:
        """Error of runs by their tolerance."""
        base, other = self.evidence.base, self.evidence.other
        if other.failed:
            return self.floor
        return max(abs(self.value(base) - self.value(other)), self.floor)


def cannot(name: str, sentence: str) -> Contribution:
    """A contribution of which nothing can be said."""
    return Contribution(name, math.inf, sentence)


def usable(name: str, base: Made, runs: Sequence[Made]) -> Contribution | None:
    """Reason why runs cannot be used: one failed, or met other events; else None."""
    for run in runs:
        if run.failed:
            return cannot(name, f"the run with {run.what} fails: {run.reason}")
        if run.events != base.events:
            events = [", ".join(map(repr, r.events)) or "none" for r in (run, base)]
            sentence = (
                f"the run with {run.what} has other events: {events[0]} instead of {events[1]}"
            )
            return cannot(name, sentence)
    return None


def integration(question: Question) -> Contribution:
    """Runs with smaller tolerances, the finest by another method."""
    e = question.evidence
    wrong = usable("integration", e.base, (e.fine, e.other))
    if wrong is not None:
        return wrong
    parted = _parted(question.of(e.fine), question.of(e.other))
    if parted is not None:
        return cannot(
            "integration",
            f"runs with smaller tolerances part from t = {parted:.4g} s on: the motion is chaotic, "
            "or the tolerance too large for so long a run",
        )
    values = [question.value(made) for made in (e.base, e.fine, e.other)]
    last, first = abs(values[2] - values[1]), abs(values[1] - values[0])
    if max(first, last) > LOST * question.span or (last > first and last > CHANCE * question.span):
        sentence = (
            f"it changes by {max(first, last):.2g} with smaller tolerances: use a smaller one"
        )
        return cannot("integration", sentence)
    estimated = estimate(values, question.floor, math.inf)
    return Contribution(
        "integration",
        estimated.error,
        f"changes by {first:.1e} with a tenth of the tolerance, {last:.1e} with {e.other.what}",
    )


def _parted(a: Sample, b: Sample) -> float | None:
    """When two histories lose each other before the output is decided; None if they do not."""
    n = min(len(a.y), len(b.y))
    if not n:
        return None
    t, difference = a.t[:n], np.abs(a.y[:n] - b.y[:n]).max(axis=1, initial=0.0)
    before = t <= max(a.decided, b.decided)
    span = np.ptp(a.y, axis=0).max(initial=0.0)
    span = max(float(span), CONSTANT * float(np.abs(a.y).max(initial=0.0)), CONSTANT * a.size)
    away = np.flatnonzero(before & (difference > PARTED * span))
    # one instant alone is a jump of the history, whose time differs a little
    runs = [k for k in away if k + 1 in away or k == n - 1]
    return float(t[runs[0]]) if len(runs) > 1 else None


def sampling(question: Question) -> Contribution:
    """Distance of output times."""
    base = question.of(question.evidence.base)
    return Contribution(
        "sampling",
        base.error + question.floor,
        f"output times every {_interval(base):.2g} s, against every second one",
    )


def _interval(sample: Sample) -> float:
    return float(sample.t[1] - sample.t[0]) if len(sample.t) > 1 else math.nan


def formulation(question: Question) -> Contribution:
    """Equations in other coordinates."""
    e = question.evidence
    wrong = usable("formulation", e.base, (e.formulation,))
    if wrong is not None and e.formulation.failed:
        reason = f"no other coordinates: {e.formulation.reason}"
        return Contribution("formulation", 0.0, reason)
    if wrong is not None:
        return wrong
    change = abs(question.value(e.base) - question.value(e.formulation))
    reason = f"changes by {change:.1e} in {e.formulation.what}"
    if change <= NOISE * question.noise:
        return Contribution("formulation", 0.0, f"{reason}, no more than by the tolerance")
    return Contribution("formulation", change, reason)


def modes(question: Question) -> Contribution:
    """More modes of flexible bodies."""
    ladder = question.evidence.modes
    if not ladder.runs and not ladder.unknown:
        return Contribution("modes", 0.0, "no body with modes: there is nothing to leave out")
    return _refined("modes", question, ladder, lambda found: "")


def mesh(question: Question) -> Contribution:
    """Finer meshes of flexible bodies."""
    e, ladder = question.evidence, question.evidence.mesh
    if e.given_meshes and e.rigid_meshes.failed:
        return cannot("mesh", f"the run with rigid bodies fails: {e.rigid_meshes.reason}")
    error, why = by_given_meshes(question)
    if not ladder.runs and not ladder.unknown:
        return Contribution("mesh", error, why or "no body with a mesh")

    def order(found: Estimate) -> str:
        value = observed_order(found.ratio, 2.0)
        return "" if math.isnan(value) else f", observed order {value:.2g}"

    found = _refined("mesh", question, ladder, order)
    if not why:
        return found
    return replace(found, error=found.error + error, reason=f"{found.reason}; {why}")


def _refined(
    name: str, question: Question, ladder: Ladder, told: Callable[[Estimate], str]
) -> Contribution:
    e, unknown = question.evidence, "; ".join(ladder.unknown)
    if not ladder.runs:
        return Contribution(name, 0.0, "no body that can be refined", unknown)
    wrong = usable(name, e.base, ladder.runs)
    if wrong is not None:
        return wrong
    values = [question.value(made) for made in (e.base, *ladder.runs)]
    estimated = estimate(values, question.noise, question.span, ladder.exact)
    changes = [abs(b - a) for a, b in pairwise(values)]
    listed = ", ".join(
        f"{change:.1e} with {made.what}" for change, made in zip(changes, ladder.runs, strict=True)
    )
    reason = f"changes by {listed}{told(estimated)}"
    if ladder.exact:
        reason += ": all coordinates of the meshes"
    elif not estimated.settles:
        reason += ", which do not decrease"
    return Contribution(name, estimated.error, reason, unknown)


def validity(question: Question) -> Contribution:
    """Linear deflections without shear, against theories of larger ones and of shear."""
    e = question.evidence
    if not e.runs.bodies():
        return Contribution("validity", 0.0, "no flexible bodies")
    changes, without = e.beyond
    made = [*([e.stiffened] if changes else []), *([e.rigid] if without else [])]
    wrong = usable("validity", e.base, made)
    if wrong is not None:
        return wrong
    error, reasons = 0.0, []
    if changes:
        change = abs(question.value(e.stiffened) - question.value(e.base))
        error += max(change - question.noise, 0.0) * (SHEAR if e.sheared else 1.0)
        reasons.append(f"changes by {change:.1e} with {e.stiffened.what}")
    if without:
        part = LINEAR * abs(question.value(e.rigid) - question.value(e.base))
        error += part
        names = ", ".join(map(repr, without))
        reasons.append(f"{LINEAR:.0%} of what the deformation of {names} does")
    known = {"modes", "frequency"}
    findings = [f for f in _findings(e) if f.what not in known and not _counted(e, f)]
    # shear that is left in no run: there is nothing to tell its size by
    serious = [f for f in findings if f.serious or f.what == "shear"]
    if serious:
        return cannot("validity", str(serious[0]))
    if findings:
        error *= DOUBTFUL
        reasons.append("limits are passed" + (", so twice that" if error else ""))
    reason = "; ".join(reasons) or "bodies in parts or without a frame, at any deflection"
    return Contribution("validity", error, reason, "; ".join(map(str, findings)))


def _counted(e: Evidence, finding: Finding) -> bool:
    """True if a finding about a mesh is counted already, as an error by that mesh."""
    judged = finding.what == "mesh" and not finding.serious
    return judged and "mesh" in e.asked and finding.body in e.given_meshes


def _findings(e: Evidence) -> Iterator[Finding]:
    """Findings of the monitor, with larger deflections and shear where bodies can have them.

    Elements and parts that are too long are a matter of the mesh, and judged where it is finest.
    """
    base = e.stiffened if e.beyond[0] else e.base
    finest = e.mesh.runs[-1] if "mesh" in e.asked and e.mesh.runs else base
    bodies = e.runs.bodies()
    for made, divided in ((base, False), (finest, True)):
        all_findings = () if made.result is None else made.result.monitor.findings
        mine = (f for f in all_findings if bodies[f.body].divides == divided or f.what == "shear")
        yield from (f for f in mine if f.what != "shear" or not divided)


ESTIMATORS: dict[str, Callable[[Question], Contribution]] = {
    "integration": integration,
    "sampling": sampling,
    "modes": modes,
    "mesh": mesh,
    "formulation": formulation,
    "validity": validity,
}


def by_given_meshes(question: Question) -> tuple[float, str]:
    """Error of an output by meshes that are given, and why; zero and nothing without any.

    It is the part that a mesh gets wrong, of what deformation does to the output at most.
    """
    e = question.evidence
    if not e.given_meshes:
        return 0.0, ""
    base, rigid = question.of(e.base), question.of(e.rigid_meshes)
    n = min(len(base.y), len(rigid.y))
    change = float(np.abs(base.y[:n] - rigid.y[:n]).max(initial=0.0))
    change = max(change, abs(question.value(e.base) - question.value(e.rigid_meshes)))
    worst = max(e.given_meshes, key=lambda name: e.given_meshes[name])
    part = e.given_meshes[worst]
    error = MESH_SAFETY * part / (1.0 - part) * change
    return error, f"{percent(part)} of what the deformation of {worst!r} does is wrong by its mesh"
