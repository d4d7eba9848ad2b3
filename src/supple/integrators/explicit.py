"""Dormand-Prince of order 8: explicit, for smooth motion without stiffness."""

from __future__ import annotations

import math
from dataclasses import dataclass

from supple.core import dop853 as kernel
from supple.integrators.driver import LoopOptions, Problem, Solution, run_loop


@dataclass(frozen=True)
class DormandPrince:
    """Explicit Runge-Kutta method of order 8 with error estimates of orders 5 and 3.

    For smooth motion at high accuracy: it solves no equations, and at tight tolerances its steps
    are long. Stiff springs, strong dampers and fast controllers force it to short steps at any
    tolerance; ``Radau`` is the method for these.

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
        return run_loop(problem, kernel.dop853_run, size, options)
