"""Error of one output by source: tolerance, modes, mesh, theory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from supple.certificates.certificate import Contribution
from supple.certificates.evidence import Evidence, Ladder
from supple.certificates.runs import Made
from supple.certificates.sampling import CONSTANT, Sample
from supple.foundation.errors import percent
from supple.results.data.findings import Finding

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
class Estimate:
    """An error, and what is known about it.

    Attributes
    ----------
    error : of the first value: its distance from the last, and what may follow after that;
        infinite if the values tell nothing
    rest : what may follow after the last value
    ratio : of the last change to the one before; NaN where it is not known
    settles : whether changes decrease, or are as small as the error of runs
    """

    error: float
    rest: float
    ratio: float
    settles: bool


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
        """Its number in a run."""
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
            found = [", ".join(map(repr, r.events)) or "none" for r in (run, base)]
            sentence = f"the run with {run.what} has other events: {found[0]} instead of {found[1]}"
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
    found = estimate(values, question.floor, math.inf)
    return Contribution(
        "integration",
        found.error,
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
    found = question.of(question.evidence.base)
    return Contribution(
        "sampling",
        found.error + question.floor,
        f"output times every {_interval(found):.2g} s, against every second one",
    )


def _interval(found: Sample) -> float:
    return float(found.t[1] - found.t[0]) if len(found.t) > 1 else math.nan


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
    found = estimate(values, question.noise, question.span, ladder.exact)
    changes = [abs(b - a) for a, b in pairwise(values)]
    listed = ", ".join(
        f"{change:.1e} with {made.what}" for change, made in zip(changes, ladder.runs, strict=True)
    )
    reason = f"changes by {listed}{told(found)}"
    if ladder.exact:
        reason += ": all coordinates of the meshes"
    elif not found.settles:
        reason += ", which do not decrease"
    return Contribution(name, found.error, reason, unknown)


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
        found = () if made.result is None else made.result.monitor.findings
        mine = (f for f in found if bodies[f.body].divides == divided or f.what == "shear")
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
