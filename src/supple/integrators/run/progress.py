"""Progress of a run: the line that tells it, a warning if it will take long, and its end.

All look at the last few seconds: what a run needed before says little about what it needs now. A
run that would need more steps than it may make cannot end well, however long one waits: it is ended
when that is clear, with what it has. `cause` says why its steps are short.
"""

from __future__ import annotations

import math
import re
import time
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.core.run import step as st
from supple.formulations.equations import Equations
from supple.foundation import progress
from supple.foundation.errors import SuppleError, warn_caller
from supple.integrators.run.outcomes import energy_ratio, noise, singular_fronts, worst_coordinate

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

MOST_VELOCITIES = 250  # of a model whose eigenvalues are found in passing
FOLLOWED = 0.02, 20.0  # step times fastest frequency where vibration is followed step by step
OFTEN, BENT = 0.25, 0.1  # parts of the steps that are repeated, and that end on kinks
MANY_PERIODS = 1e5  # of a vibration, in the rest of a run
INSTANTS = 64  # at which signals are looked at
WINDOW = 5.0  # s of the clock that are looked at
LONG = 60.0  # s to go from which the line tells why
VERY_LONG = 180.0  # s to go from which there is a warning
PATIENCE, WORKED = 9.0, 1.0  # s of the clock and of the processor that every run gets
BEYOND = 2.0  # steps to go, in those that are allowed, from which a run is ended
FASTER = 0.5  # change of the steps to go within a window by which a run becomes faster


class Counts(NamedTuple):
    """Time reached, and steps accepted, rejected, not converged, and cut at kinks."""

    t: float
    steps: int
    rejected: int
    failures: int
    kinks: int

    @classmethod
    def of(cls, run: LoopRun) -> Counts:
        """The counts of a run as it is now."""
        c = run.count
        rejected, failures = int(c[st.REJECTED]), int(c[st.NEWTON_FAILURES])
        return cls(float(run.state[st.T]), run.steps, rejected, failures, int(c[st.KINKS]))


class Fastest(NamedTuple):
    """The fastest of the small motions about a state: eigenvalue (1/s), and coordinate."""

    eigenvalue: complex
    coordinate: str


def cause(run: LoopRun, before: Counts, now: Counts) -> str:
    """Part of a sentence: the cause of short steps between two counts, and a remedy."""
    if sentence := noise(run):
        return sentence
    steps = max(now.steps - before.steps, 1)
    h = (now.t - before.t) / steps
    if run.options.fixed_step:
        return "its steps are fixed: a longer step, or a method that chooses its steps"
    if h > 0.9 * run.options.max_step:
        return f"steps are not longer than max_step, {run.options.max_step:g} s: allow longer ones"
    if (kinks := now.kinks - before.kinks) > BENT * steps:
        name = re.sub(r"(\[\d+\])?\.push$", "", run.compiled.force_names[int(run.count[st.BENT])])
        return (
            f"{kinks / steps:.0%} of the steps end where a force law changes its branch, the last "
            f"one that of '{name}', which bounces, or sticks and slides by turns: more damping, a "
            "law that is round there, or a shorter run"
        )
    fastest = fastest_motion(run)
    limit = run.options.stability_limit
    if limit and fastest and h * abs(fastest.eigenvalue) > limit:
        rate = abs(fastest.eigenvalue)
        return (
            f"the model is stiff: {fastest.coordinate} can move with a rate of {rate:.2g} 1/s, and "
            f"stability holds an explicit method to steps of some {h:.1g} s, however slow the "
            "motion is; use Radau()"
        )
    if limit and fastest is None:
        return "the model may be stiff, and an explicit method must follow that: try Radau()"
    if fast := fast_signal(run, before.t, now.t, h):
        return fast
    failed, rejected = now.failures - before.failures, now.rejected - before.rejected
    if failed > OFTEN * steps:
        return (
            f"{failed / (steps + failed):.0%} of the steps are repeated because their iteration "
            f"does not converge, the last one for {worst_coordinate(run)}: look for a jump, a very "
            f"large force or hardly any inertia there{singular_fronts(run)}"
        )
    if rejected > OFTEN * steps:
        return (
            f"{rejected / (steps + rejected):.0%} of the steps are repeated because their error is "
            f"too large, the last one for {worst_coordinate(run)}: look for something that is not "
            "smooth there, or try tolerance='loose'"
        )
    if fastest and FOLLOWED[0] < h * abs(fastest.eigenvalue.imag) < FOLLOWED[1]:
        frequency = abs(fastest.eigenvalue.imag) / (2.0 * math.pi)
        periods = frequency * (run.goal - now.t)
        far = f", {periods:.1g} periods to the end of the run" if periods > MANY_PERIODS else ""
        less = "a shorter run, or, " if far else ""
        return (
            f"{fastest.coordinate} can vibrate with {frequency:.3g} Hz and is followed step by "
            f"step{far}: {less}if that is not the motion to be seen, more damping, fewer modes, or "
            "GeneralizedAlpha(rho=0.8), which damps it"
        )
    return "nothing special: the motion needs these steps; try tolerance='loose' or a shorter run"


def fast_signal(run: LoopRun, begin: float, end: float, h: float) -> str | None:
    """A signal that varies as fast as steps of h s follow each other, or faster; or None.

    Between two times its slopes are compared with its range: of a sine that is pi times its
    frequency.
    """
    t = begin + (end - begin) * np.random.default_rng(0).random(INSTANTS)
    for owner, signal in run.compiled.signals:
        values, slopes, _ = signal.derivatives(t)
        size = float(np.ptp(values))
        if not size > 1e-9 * np.abs(values).max(initial=0.0):
            continue
        frequency = float(np.abs(slopes).max()) / size / math.pi
        if 2.0 * math.pi * frequency * h > FOLLOWED[0]:
            return (
                f"a signal of {owner} varies with some {frequency:.1g} Hz, and steps of {h:.1g} s "
                "follow it: if its mean does what you want, take that, or a lower frequency, or a "
                "shorter run"
            )
    return None


def fastest_motion(run: LoopRun) -> Fastest | None:
    """The largest eigenvalue of the linearized equations at the present state, if it is found."""
    c, r = run.compiled, run.fields
    if not 0 < c.nu <= MOST_VELOCITIES:
        return None
    equations, t = Equations(c), float(run.state[st.T])
    try:
        with np.errstate(all="ignore"):
            a = equations.accelerate(t, r.q, r.u, r.z)
            lam = equations.multipliers()
            free = np.diag(c.scale)  # columns: motions that the constraints allow
            if c.nr:
                G = equations.constraints(t, r.q, r.u).G @ free
                _, sizes, rows = np.linalg.svd(G)
                rank = int((sizes > 1e-9 * sizes[0]).sum())
                free = free @ rows[rank:].T
            tangents = equations.tangents(t, r.q, r.u, a, r.z, lam)
            M, C, K = (free.T @ X @ free for X in (tangents.M, tangents.Ru, tangents.Rq))
            n, nz = M.shape[0], c.nz
            A = np.zeros((2 * n + nz, 2 * n + nz))
            A[:n, n : 2 * n] = np.eye(n)
            right = np.hstack([K, C, free.T @ tangents.Rz])
            A[n : 2 * n] = -np.linalg.solve(M, right)
            A[2 * n :] = np.hstack([tangents.Gq @ free, tangents.Gu @ free, tangents.Gz])
            values, vectors = np.linalg.eig(A)
    except (np.linalg.LinAlgError, SuppleError, ValueError):
        return None
    if not len(values):
        return None
    k = int(np.argmax(np.abs(values)))
    moved = np.abs(free @ vectors[:n, k]) / c.scale
    if not moved.any():  # a controller on its own
        return None
    return Fastest(complex(values[k]), c.dof_label(int(np.argmax(moved))))


class Pace:
    """Looks at a run where it pauses; ``end`` (s) and ``most`` steps are those of the run."""

    def __init__(
        self, run: LoopRun, owner: str = "simulate", end: float | None = None, most: int = 0
    ) -> None:
        self.run, self.owner = run, owner
        self.end = run.problem.t_end if end is None else end
        self.most = most or run.options.max_steps
        self.begin = Counts.of(run)
        self.endless = ""  # why the run cannot reach its end, as soon as that is clear
        self._samples: deque[tuple[float, Counts]] = deque([(time.monotonic(), self.begin)])
        self._began, self._cpu = self._samples[0][0], time.thread_time()
        self._judged, self._older = 0.0, math.inf  # last look at the steps to go, and these
        self._why = ""
        self._warned = False

    def look(self) -> bool:
        """Take the time; warn once if the end is far away. False if the run has no sense.

        That is one that needs more steps than it may make, and does not become faster; or one whose
        steps collapse because a Python function of its model is noise.
        """
        now = time.monotonic()
        if now - self._samples[-1][0] < 0.05 * WINDOW:
            return True
        self._samples.append((now, Counts.of(self.run)))
        while now - self._samples[1][0] > WINDOW:
            self._samples.popleft()
        if now - self._samples[0][0] < 0.9 * WINDOW:
            return True
        left = self.seconds_left()
        if left > LONG and not self._why:
            self._why = cause(self.run, self._samples[0][1], self._samples[-1][1])
        if left > VERY_LONG and not self._warned:
            noisy = any(callback.noise for callback in self.run.compiled.callbacks)
            if noisy and self._steps_left() > self.most:
                return False
            self._warned = True
            progress.clear()
            sentence = f"{self._outlook(left)}: {self._why}; Ctrl-C keeps what there is"
            warn_caller(f"{self.owner}: {sentence}")
        return not self._is_endless(now, left)

    def _is_endless(self, now: float, left: float) -> bool:
        """True if the run has had its time, needs far too many steps, and becomes no faster."""
        if now - self._judged < 0.9 * WINDOW:
            return False
        older, steps = self._older, self._steps_left()
        self._judged, self._older = now, steps
        short = now - self._began < PATIENCE or time.thread_time() - self._cpu < WORKED
        if short or not steps > BEYOND * (self.most - self.run.steps):
            return False
        if steps < FASTER * older and math.isfinite(older):
            return False
        why = self._why or cause(self.run, self._samples[0][1], self._samples[-1][1])
        more = 10.0 ** math.ceil(math.log10(steps)) if math.isfinite(steps) else math.inf
        go_on = f"; max_steps={more:.0e} lets it go on" if math.isfinite(more) else ""
        self.endless = f"{self._prospect(left)}: {why}{go_on}"
        return True

    def seconds_left(self) -> float:
        """Seconds of the clock to the end, at the present pace; infinite if there is none."""
        (first, before), (last, now) = self._samples[0], self._samples[-1]
        if now.t <= before.t:
            return float("inf")
        return (self.end - now.t) * (last - first) / (now.t - before.t)

    def _steps_left(self) -> float:
        (_, before), (_, now) = self._samples[0], self._samples[-1]
        if now.t <= before.t:
            return float("inf")
        return (self.end - now.t) * (now.steps - before.steps) / (now.t - before.t)

    def _outlook(self, left: float) -> str:
        now = self._samples[-1][1]
        return f"at t = {now.t:.6g} of {self.end:.6g} s {self._prospect(left)}"

    def _prospect(self, left: float) -> str:
        (_, before), (_, now) = self._samples[0], self._samples[-1]
        if now.t <= before.t:
            return "the run does not go on"
        h, steps = (now.t - before.t) / max(now.steps - before.steps, 1), self._steps_left()
        beyond = steps > self.most - now.steps
        return (
            f"with steps of {h:.2g} s the run will take another {progress.duration(left)} at this "
            f"pace, {steps:.1g} steps{', more than max_steps allows' if beyond else ''}"
        )

    def text(self) -> str:
        """The line: time reached, part of the run, size of steps, energy error, time to go.

        The energy error is that of the verdict so far, relative to the energy it is judged by.
        """
        (_, before), (_, now) = self._samples[0], self._samples[-1]
        p, t = self.run.problem, Counts.of(self.run).t
        part = (t - p.t_start) / (p.t_end - p.t_start)
        words = [f"t = {t:.5g} of {p.t_end:.5g} s ({part:.0%})"]
        if now.t > before.t:
            words.append(f"step {(now.t - before.t) / max(now.steps - before.steps, 1):.0e} s")
        error = energy_ratio(self.run.state, self.run.compiled.weight)
        if math.isfinite(error):
            words.append(f"energy error {error:.0e}" if error > 0.0 else "energy error 0")
        if now.t > before.t:
            words.append(f"~{progress.duration(self.seconds_left())} left")
        return ", ".join([*words, *([self._why] if self._why else [])])

    def summary(self) -> str:
        """Cause of short steps over the whole run."""
        return cause(self.run, self.begin, Counts.of(self.run))
