"""Checkpoints of a run: when they are due, and what a run that goes on has of them already.

A run is made of parts, one for each phase of its model. Parts that are over are kept as solutions;
the one under way is kept where its loop pauses. A run that goes on is made as from its start: parts
that were over are answered by their solutions, and the next one begins where it was.

A checkpoint changes nothing in a run whose method has all its memory in the run's buffers. The
memory of a multistep method is in a library: it begins anew at every checkpoint, in the run that
goes on and in the one that was never stopped.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from supple.core.run import step as st
from supple.foundation.input_files import contained
from supple.integrators.run.output_rows import rows_of
from supple.integrators.run.snapshot import Data, of_solution, restore, snapshot, solution_of

if TYPE_CHECKING:
    from supple.integrators.run.driver import LoopRun, Problem, Solution

EXPECTED = "a checkpoint of simulate(..., checkpoint=path)"
# What is kept: solutions of parts, and a part at a pause or None
Save = Callable[[list[Data], Data | None], None]


class Checkpoints:
    """Keeps a run at intervals.

    Parameters
    ----------
    save : writes what it is given
    every : s of the clock between checkpoints; infinite for none
    interval : s of simulated time between them; 0 for none
    finished, pending : of an earlier checkpoint that the run goes on from
    """

    def __init__(
        self,
        save: Save,
        every: float,
        interval: float,
        finished: list[Data] | None = None,
        pending: Data | None = None,
    ) -> None:
        self.save, self.every, self.interval = save, every, interval
        self.finished, self.pending = list(finished or ()), pending
        self._part = 0
        self._clock, self._next = time.monotonic(), -math.inf

    def run(self, begin: Callable[[Problem], LoopRun], problem: Problem) -> Solution:
        """The solution of the next part of the run, of which some may be known."""
        number, self._part = self._part, self._part + 1
        stored = problem.output_file is None
        if number < len(self.finished):
            rows = None if stored else rows_of(problem)
            with contained("checkpoint", EXPECTED):
                if problem.sampler is not None:
                    sampled = self.finished[number]["sampled"]
                    problem.sampler.restore(sampled, problem.equations.compiled)
                return solution_of(self.finished[number], problem.equations.compiled, rows)
        part = begin(problem)
        if self.pending is not None:
            with contained("checkpoint", EXPECTED):
                restore(part, self.pending)
            self.pending = None
        self._schedule(part)
        solution = part.run()
        if not problem.ctrl_c.requested() or solution.success:
            part_data = of_solution(solution, rows=stored)
            if problem.sampler is not None:
                part_data["sampled"] = problem.sampler.data()
            self.finished.append(part_data)
            self.save(self.finished, None)
        return solution

    def is_passed(self, run: LoopRun) -> bool:
        """Whether the run has come to the simulated time of the next checkpoint."""
        return bool(run.state[st.T] >= self._next)

    def look(self, run: LoopRun, at_once: bool = False) -> None:
        """Save a run at a pause if that is due, or at once."""
        late = time.monotonic() - self._clock >= self.every
        if not (late or at_once or self.is_passed(run)):
            return
        if run.options.forgets:
            run.begin_anew()
        if run.problem.output_file is not None:
            run.problem.output_file.sync()
        self.save(self.finished, snapshot(run))
        self._schedule(run)

    def _schedule(self, run: LoopRun) -> None:
        self._clock, self._next = time.monotonic(), math.inf
        if self.interval > 0.0:
            begin = run.problem.t_start
            passed = math.floor((float(run.state[st.T]) - begin) / self.interval)
            self._next = begin + (passed + 1) * self.interval
            if self._next <= run.state[st.T]:  # by rounding
                self._next += self.interval
