"""Radau IIA of order 5: the default, for stiff and non-stiff models alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

from supple.core import radau as kernel
from supple.integrators.driver import LoopOptions, Problem, Solution, run_loop


@dataclass(frozen=True)
class Radau:
    """Implicit Runge-Kutta method of order 5, L-stable, with error control.

    Parameters
    ----------
    first_step, max_step : float
        Sizes in s; 0 lets the method choose the first step.
    max_steps : int
        The run stops with a message after this many steps.
    """

    first_step: float = 0.0
    max_step: float = math.inf
    max_steps: int = 10_000_000

    def run(self, problem: Problem) -> Solution:
        """Integrate a problem."""
        c = problem.equations.compiled
        size = kernel.own_size(c.nu, c.nz, len(c.force_names))
        options = LoopOptions(self.first_step, self.max_step, self.max_steps)
        return run_loop(problem, kernel.radau_run, size, options)
