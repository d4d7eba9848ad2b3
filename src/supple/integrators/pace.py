"""How fast a run goes on: the line that tells it, and a warning if it will take long.

Both look at the last few seconds: what a run needed before says little about what it needs now.
"""

from __future__ import annotations

import math
import time
from collections import deque
from typing import TYPE_CHECKING

from supple import waiting
from supple.errors import warn_caller
from supple.integrators.audited import energy_ratio
from supple.integrators.slowness import Counts, cause

if TYPE_CHECKING:
    from supple.integrators.driver import LoopRun

WINDOW = 5.0  # s of the clock that are looked at
LONG = 60.0  # s to go from which the line tells why
VERY_LONG = 600.0  # s to go from which there is a warning


class Pace:
    """Looks at a run where it pauses."""

    def __init__(self, run: LoopRun) -> None:
        self.run = run
        self.begin = Counts.of(run)
        self._samples: deque[tuple[float, Counts]] = deque([(time.monotonic(), self.begin)])
        self._why = ""
        self._warned = False

    def look(self) -> bool:
        """Take the time; warn once if the end is far away. False if the run has no sense.

        That is one whose steps collapse because a Python function of its model is noise.
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
            if noisy and self._steps_left() > self.run.options.max_steps:
                return False
            self._warned = True
            waiting.clear()
            warn_caller(f"simulate: {self._outlook(left)}: {self._why}; Ctrl-C keeps what there is")
        return True

    def seconds_left(self) -> float:
        """Seconds of the clock to the end, at the present pace; infinite if there is none."""
        (first, before), (last, now) = self._samples[0], self._samples[-1]
        if now.t <= before.t:
            return float("inf")
        return (self.run.problem.t_end - now.t) * (last - first) / (now.t - before.t)

    def _steps_left(self) -> float:
        (_, before), (_, now) = self._samples[0], self._samples[-1]
        if now.t <= before.t:
            return float("inf")
        return (self.run.problem.t_end - now.t) * (now.steps - before.steps) / (now.t - before.t)

    def _outlook(self, left: float) -> str:
        (_, before), (_, now) = self._samples[0], self._samples[-1]
        end = self.run.problem.t_end
        when = f"at t = {now.t:.6g} of {end:.6g} s"
        if now.t <= before.t:
            return f"{when} the run does not go on"
        h, steps = (now.t - before.t) / max(now.steps - before.steps, 1), self._steps_left()
        beyond = steps > self.run.options.max_steps - now.steps
        return (
            f"{when} with steps of {h:.2g} s the run will take another {waiting.duration(left)} at "
            f"this pace, {steps:.1g} steps{', more than max_steps allows' if beyond else ''}"
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
            words.append(f"~{waiting.duration(self.seconds_left())} left")
        return ", ".join([*words, *([self._why] if self._why else [])])

    def summary(self) -> str:
        """What kept steps short over the whole run."""
        return cause(self.run, self.begin, Counts.of(self.run))
