"""Progress of a run: the line that tells it, a warning if it will take long, and its end.

All look at the last few seconds: what a run needed before says little about what it needs now. A
run that would need more steps than it may make cannot end well, however long one waits: it is ended
when that is clear, with what it has.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING

from supple.foundation import progress
from supple.foundation.errors import warn_caller
from supple.integrators.run.audit_record import energy_ratio
from supple.integrators.run.step_diagnosis import Counts, cause

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun

WINDOW = 5.0  # s of the clock that are looked at
LONG = 60.0  # s to go from which the line tells why
VERY_LONG = 180.0  # s to go from which there is a warning
PATIENCE, WORKED = 9.0, 1.0  # s of the clock and of the processor that every run gets
BEYOND = 2.0  # steps to go, in those that are allowed, from which a run is ended
FASTER = 0.5  # change of the steps to go within a window by which a run becomes faster


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
        """What kept steps short over the whole run."""
        return cause(self.run, self.begin, Counts.of(self.run))
