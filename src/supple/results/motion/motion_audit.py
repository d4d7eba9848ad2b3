"""The motion audit: what else than balances can be said against the numbers of a run.

Output times that do not show the motion, errors that grow, friction that creeps, unstable
equilibria that are followed. It is made when it is first read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.forces import JointFriction, Rope
from supple.forces.ropes import Pulley
from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import label
from supple.foundation.reports import Report
from supple.results.data.audit import LEVELS, graded
from supple.results.data.findings import RunFinding
from supple.results.motion.contact_findings import contact_findings
from supple.results.motion.error_growth import NotJudgedError, growth_findings, is_long, periods
from supple.results.motion.held_findings import held_findings
from supple.results.motion.output_findings import output_findings

if TYPE_CHECKING:
    from supple.engine.base.histories import RunHistory
    from supple.results.result import Result

NOT_JUDGED = "not judged"  # a level: nothing was found, and growth of errors is not known
GOOD = "trusted: outputs show the motion, and nothing says that it is not the true one"

# Creep
STICKS = 2.0  # transitions, below which friction is held to stick: tanh of it is 0.96
FEWEST = 3  # output times in a row
LOST = 10.0  # times the kinetic energy, that friction takes from what creeps and does not coast
STEADY = 2.5  # times its mean, that the rate of a rope may change by altogether
INERTIA = 0.5  # of the friction, that the inertia of what friction would hold may be
FAR, SERIOUS = 0.01, 0.1  # radians, or lengths of the model
PART = 0.05  # of the whole motion of a coordinate


def creep_findings(result: Result) -> Iterator[RunFinding]:
    """Joints and ropes that creep: rounded dry friction lets them drift where real friction sticks.

    The friction of a rounded law at the rate v is a part tanh(v/transition) of what it can be. A
    joint that stays below twice the transition, with inertia that is small beside its friction,
    carries a load that dry friction would hold: the way that it makes meanwhile is an error of the
    law, whether the load is constant, alternates, or is that of a spring which the way relaxes.
    What coasts or swings has as much inertia as friction, or more; where constraints give the
    motion of a joint, it slides. For ropes, whose slip has no inertia of its own, the rate must be
    steady, and friction must take far more energy than there is in the motion.
    """
    for force in result.forces.values():
        if isinstance(force, JointFriction) and force.coulomb > 0.0:
            yield from _of_joint(result, force)
        elif isinstance(force, Rope) and any(
            isinstance(place, Pulley) and place.friction > 0.0 for place in force.path
        ):
            slip = result[force.name].slip
            for k in range(slip.shape[1]):
                way = _way(result, force, slip[:, k])
                moved = float(np.sum(np.abs(slip[1:, k]) * np.diff(result.t)))
                yield from _told(result, force, force.transition, way, moved, "m", "slides")


def _of_joint(result: Result, force: JointFriction) -> Iterator[RunFinding]:
    c, probe = result.data.compiled, result.data.probe
    place, rate, ratio = c.shaft(*result._coordinate(force))
    if probe is None or not len(result.t) or not probe.is_free(rate):
        return
    q, v, a = ratio * result.q[:, place], ratio * result.u[:, rate], ratio * result.a[:, rate]
    inertia = probe.inertia(rate, result.q[0]) / ratio**2 * a
    friction = _friction(force, v)
    most = force.coulomb if force.static is None else max(force.coulomb, force.static)
    held = np.abs(v) < STICKS * force.transition
    held &= (np.abs(inertia) < INERTIA * np.abs(friction)) & (np.abs(friction + inertia) < most)
    unit = result._effort_units(force.joint, force.coordinate)
    way = _drift(result.t, v, held)
    moved = float(np.ptp(q))
    yield from _told(
        result, force, force.transition, way, moved, "rad" if unit == "N m" else "m", "drifts"
    )


def _friction(force: JointFriction, v: Array) -> Array:
    """Dry friction (nt,) of a rounded law at rates v (nt,)."""
    return np.asarray(force.coulomb * np.tanh(v / force.transition))


def _drift(t: Array, v: Array, held: Booleans) -> tuple[float, float, float]:
    """Way made while a joint is ``held`` (nt,), when that began, and for how long it was so.

    Ways to both sides cancel: the way is the range of their sum.
    """
    both = held[1:] & held[:-1]
    steps = np.where(both, np.diff(t), 0.0)
    if np.count_nonzero(both) < FEWEST - 1:
        return 0.0, 0.0, 0.0
    sums = np.concatenate([[0.0], np.cumsum(0.5 * (v[1:] + v[:-1]) * steps)])
    return float(np.ptp(sums)), float(t[np.argmax(both)]), float(np.sum(steps))


def _told(
    result: Result,
    force: Any,
    transition: float,
    way: tuple[float, float, float],
    moved: float,
    unit: str,
    verb: str,
) -> Iterator[RunFinding]:
    far, begin, time = way
    size = 1.0 if unit == "rad" else result.data.compiled.length
    if not (far > FAR * size and far > PART * moved):
        return
    yield RunFinding(
        force.name,
        "creep",
        far / size,
        FAR,
        begin,
        far > SERIOUS * size,
        f"{label(force)} {verb} by {far:.2g} {unit} in {time:.3g} s from t = {begin:.3g} s on, "
        f"where dry friction sticks: below its transition of {transition:.2g} {unit}/s a rounded "
        f"law creeps; use transition={0.5 * transition * FAR * size / far:.0e}, or a Lock",
    )


def _way(result: Result, force: Rope, v: Array) -> tuple[float, float, float]:
    """Way (m) of a rope below the transition, when that began, and for how long it was so."""
    t, kinetic = result.t, result.energy.kinetic
    channels = result.data.compiled.channels(force.name)
    taken = np.abs(result.data.channels[:, channels].sum(axis=1))
    slow = np.concatenate([[0], (np.abs(v) < STICKS * force.transition).astype(int), [0]])
    begins, ends = np.flatnonzero(np.diff(slow) == 1), np.flatnonzero(np.diff(slow) == -1)
    far, begin, time = 0.0, 0.0, 0.0
    for i, j in zip(begins, ends, strict=True):
        if j - i < FEWEST:
            continue
        part = slice(i, j)
        if np.ptp(np.sign(v[part])) > 1.0 or np.sum(np.abs(np.diff(v[part]))) > STEADY * np.mean(
            np.abs(v[part])
        ):
            continue  # it swings, or slows down
        if taken[j - 1] - taken[i] < LOST * np.max(kinetic[part]):
            continue  # it coasts
        way = abs(float(np.sum(0.5 * (v[part][1:] + v[part][:-1]) * np.diff(t[part]))))
        begin = float(t[i]) if way > far else begin
        far, time = far + way, time + float(t[j - 1] - t[i])
    return far, begin, time


Growth = tuple[float, float, Array]

# Unstable equilibria
STILL = 1e-7  # of usual rates: slower coordinates stand still
PARTS = (1.0, 0.3, 0.1, 0.03, 0.01)  # of a run: it may leave by rounding behind them
GROWN = 100.0  # times that a disturbance grows in the run
LARGE = 3000.0  # times, up to which a disturbance grows as a small one
AGREE = 1.3  # times: rates and growth of a steady motion, by eigenvalues and by a run
QUICK = 2.0  # s of the processor, of runs that are made again
SHOWN = 0.3  # of the largest displacement of a disturbance: coordinates that are named


def unstable_findings(result: Result, again: bool = True) -> Iterator[RunFinding]:
    """A finding where an unstable equilibrium is followed because nothing disturbs it.

    An inverted pendulum that begins exactly upright stays there in exact arithmetic, and so does a
    straight column beyond its buckling load. With rounded numbers they may leave in the end, by
    nothing but rounding. Coordinates that stand still in the first half of a run are disturbed a
    little: where that would have grown a hundredfold within the run, no real system follows it.
    Rounding of 1e-16 grows to 1e-7 in a third of the time in which it is seen, and to a hundred
    times in a tenth: so the same is asked of smaller parts of the run, of coordinates that stand
    still in these.

    Where nothing else moves, eigenvalues of the small motion tell. Where other coordinates move,
    these change with time, and tell neither that a pendulum on a pivot that goes up and down leaves
    its rest below, nor that a quick one keeps it upright: with ``again`` the run is made again with
    a disturbed start, if it took less than 2 s. What bodies that begin to touch set in motion is
    disturbed: then coordinates stand still all the time.
    """
    probe, data = result.data.probe, result.data
    if probe is None or not result.success or not len(result.t):
        return
    c = data.compiled
    if data.changes:
        return
    known = np.zeros(c.nu, dtype=bool)
    for part in PARTS:
        span = part * (float(result.t[-1]) - probe.t_start)
        hit = any(one.begin > probe.t_start for one in data.touches)
        still = _still(result, 0.5 * span if part == 1.0 and not hit else span)
        if not np.any(still & ~known):
            continue
        known = still
        growth = _growth(result, still, span, again)
        if growth is not None and growth[0] > np.log(GROWN):
            break
    else:
        return
    grown, rate, shape = growth
    names = [c.dof_label(int(k)) for k in np.flatnonzero(shape > SHOWN)]
    where = names[0] if names else "the model"
    times = np.exp(min(grown, 200.0))
    until, window = "", "the run"
    if part < 1.0:
        until, window = f" for {span:.2g} s, and leaves it by rounding", "this time"
    yield RunFinding(
        where,
        "unstable",
        rate,
        float(np.log(GROWN) / span),
        float(result.t[0]),
        True,
        f"the run follows an unstable {'equilibrium' if np.all(still) else 'motion'}{until}: a "
        f"small disturbance of {where} grows tenfold in {np.log(10.0) / rate:.2g} s, {times:.0e} "
        f"times in {window}, and nothing disturbs it; begin a little beside it, or add a small "
        "load, to see where it goes",
    )


def _still(result: Result, span: float) -> Booleans:
    """Coordinates (nu,) that stand still in the first ``span`` (s) of a run."""
    probe = result.data.probe
    assert probe is not None
    early = result.t <= probe.t_start + span
    fastest = np.max(np.abs(result.u[early]), axis=0, initial=0.0)
    still: Booleans = np.maximum(fastest, np.abs(probe.u)) < STILL * result.data.compiled.rate_scale
    return still


def _growth(result: Result, still: Booleans, span: float, again: bool) -> Growth | None:
    """Growth of a disturbance of coordinates that stand ``still`` in the first ``span`` (s)."""
    data, probe, count = result.data, result.data.probe, result.statistics
    assert probe is not None
    early = np.flatnonzero(result.t <= probe.t_start + span * (1.0 + 1e-9))
    if len(early) < 2:
        return None
    growth = probe.leaving(cast("RunHistory", data.at(early).history), still)
    quick = float(count.get("cpu_seconds", 0.0)) < QUICK and not count.get("equal_steps")
    if not again or not quick or np.all(still):
        return growth
    most = 4 * int(count.get("steps", 0)) + 1000
    made = probe.disturbed(probe.t_start + span, still, most)
    return growth if made is None else _confirmed(growth, _grown(*made, probe.t_start, span))


def _grown(t: Array, size: Array, shapes: Array, start: float, span: float) -> Growth:
    """Logarithm of the growth up to the end of the run, rate (1/s) and shape of a disturbance.

    Sizes (k,) at times t (k,) are those that it has grown by. At first it may grow because one
    coordinate passes it on to others that are quicker: what counts is the growth after a tenth of
    the time, if it is small still. Once it is not small any more, it has grown at least so far.
    """
    envelope = np.maximum.accumulate(size)
    top = float(min(envelope[-1], LARGE))
    settled = float(envelope[int(np.searchsorted(t, start + 0.1 * span))])
    late, early = (int(np.argmax(envelope >= x * top)) for x in (0.99, 0.03))
    shape = shapes[late] / max(float(shapes[late].max()), 1e-300)
    grown = float(np.log(envelope[-1] / settled))
    if settled < LARGE and grown < np.log(GROWN):
        return grown, 0.0, shape
    if envelope[-1] < LARGE:  # small to its end
        return grown, grown / (0.9 * span), shape
    if late > early + 2:
        rate = float(np.log(envelope[late] / envelope[early]) / (t[late] - t[early]))
    else:
        rate = float(np.log(envelope[late]) / (t[late] - start))
    return float(np.log(envelope[-1])), rate, shape


def _confirmed(eigen: Growth | None, seen: Growth) -> Growth:
    """Growth as it was seen in a run; by eigenvalues, which are exact, where these agree."""
    if eigen is None or not seen[0] > np.log(GROWN):
        return seen
    pairs = (eigen[0] / seen[0], eigen[1] / seen[1])
    return eigen if max(abs(np.log(x)) for x in pairs) < np.log(AGREE) else seen


class MotionAudit:
    """Findings about the motion of a run (iterable), and the verdict on it.

    Attributes
    ----------
    findings : `RunFinding`, serious ones first
    unjudged : a sentence why the growth of errors of a long run is not known; empty if it is
    """

    def __init__(self, findings: tuple[RunFinding, ...] = (), unjudged: str = "") -> None:
        late = np.inf
        self.unjudged = unjudged
        self.findings = tuple(
            sorted(findings, key=lambda f: (not f.serious, late if f.time is None else f.time))
        )

    @property
    def level(self) -> str:
        """``"trusted"``, ``"not judged"``, ``"doubtful"`` or ``"not trusted"``."""
        if any(f.serious for f in self.findings):
            return LEVELS[2]
        if self.findings:
            return LEVELS[1]
        return NOT_JUDGED if self.unjudged else LEVELS[0]

    @property
    def verdict(self) -> str:
        """One line: the level, and the first finding."""
        if not self.findings:
            return f"{NOT_JUDGED}: {self.unjudged}" if self.unjudged else GOOD
        more = len(self.findings) - 1
        others = f" (and {more} more, see result.motion)" if more else ""
        return f"{self.level}: {self.findings[0]}{others}"

    def __iter__(self) -> Iterator[RunFinding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __str__(self) -> str:
        more = [self.unjudged] if self.unjudged and self.findings else []
        return "\n".join([self.verdict, *(f"- {x}" for x in (*self.findings[1:], *more))])

    def __repr__(self) -> str:
        return f"<MotionAudit {self.verdict}>"

    def _repr_html_(self) -> str:
        """The verdict and all findings, for notebooks."""
        rows = [(f.what, f.where, f.sentence) for f in self.findings]
        level = LEVELS[1] if self.level == NOT_JUDGED else self.level
        return Report(self.verdict, rows, graded(level)).html()


def motion_audit(result: Result, again: bool = True) -> MotionAudit:
    """Look at the motion of a run; ``again``: also by making it again."""
    if result.data.probe is None:
        return MotionAudit()
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        hidden, unstable = [*output_findings(result)], [*unstable_findings(result, again)]
        growing: list[RunFinding] = []
        unjudged = ""
        try:
            if again and not unstable:
                growing = [*growth_findings(result, bool(hidden))]
        except NotJudgedError as reason:
            unjudged = not_judged(result, str(reason))
        told = (*creep_findings(result), *contact_findings(result), *held_findings(result))
        return MotionAudit((*hidden, *unstable, *growing, *told), unjudged)


def not_judged(result: Result, reason: str) -> str:
    """A sentence that errors of a long run are not known, and why; empty of a short one."""
    if not is_long(result):
        return ""
    return (
        f"growth of errors over about {periods(result):.0f} periods is not judged, as {reason}: "
        "compare with a run of a tenth of the tolerance"
    )
