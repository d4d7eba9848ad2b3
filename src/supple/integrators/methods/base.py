"""Integrator: the options of one method."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from supple.engine.base.compiled import Compiled
from supple.engine.pack.kinds import refuse_untreated
from supple.engine.sparsity.solver_choice import Linear
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.integrators.run.driver import Loop, LoopOptions, LoopRun, Problem, Solution
from supple.integrators.run.newton_places import Places
from supple.joints.motions import Method
from supple.native.declare import Entry


@dataclass(frozen=True)
class Integrator(ABC):
    """A method and its options; usually its whole step loop is a compiled kernel.

    Parameters
    ----------
    first_step, max_step : float
        Sizes in s; 0 lets the method choose the first step.
    max_steps : int
        The run stops with a message after this many steps.

    How to add one is in CONTRIBUTING.md, "An integrator".
    """

    first_step: float = 0.0
    max_step: float = math.inf
    max_steps: int = 10_000_000

    loops: ClassVar[bool] = False  # whether the method keeps constraint rows
    python_loop: ClassVar[bool] = False  # whether steps need Python
    # Step times fastest rate of a model from which stability limits steps; 0 if it never does
    stability_limit: ClassVar[float] = 0.0
    method: ClassVar[Method] = "one-step"  # whose kernels it uses: see joints/motions.py

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        owner = type(self).__name__
        validate.not_negative(owner, "first_step", self.first_step)
        number = isinstance(self.max_step, (int, float)) and not isinstance(self.max_step, bool)
        if not (number and self.max_step > 0.0):
            raise ModelError(owner, "max_step", self.max_step, "a positive number of seconds")
        validate.integer(owner, "max_steps", self.max_steps, 1, "a positive whole number")

    @property
    @abstractmethod
    def kernel(self) -> Entry:
        """The compiled loop."""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All kernels that a run calls."""
        return (self.kernel,)

    def loop(self, problem: Problem) -> Loop:
        """A callable with the arguments of ``radau_run`` that makes the steps of one run."""
        return self.kernel.ready()

    @abstractmethod
    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""

    def places(self, c: Compiled) -> Places:
        """Places in its own integers that outlive a call of the loop."""
        return Places(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))

    def parameters(self) -> tuple[float, ...]:
        """Numbers that the loop finds at the beginning of its own reals."""
        return ()

    @property
    def fixed_order(self) -> int:
        """Order by which errors fall with a step that is given."""
        return 2

    def keeps(self, compiled: Compiled, t: Array, q: Array, u: Array) -> np.ndarray:
        """True for rows of output (nt,) that are not moved onto constraints."""
        return np.zeros(len(t), dtype=bool)

    def further_statistics(self, compiled: Compiled, own: Array) -> dict[str, float]:
        """Further counts of the method, from its own reals at the end of a run."""
        return {}

    def newton(self, compiled: Compiled) -> Linear | None:
        """Solver of Newton's matrix; None of a method without one."""
        return None

    def statistics(self, compiled: Compiled, own: Array) -> dict[str, float | str]:
        """Statistics of the method besides counts of steps, at the end of a run."""
        way = self.newton(compiled)
        told: dict[str, float | str] = dict(self.further_statistics(compiled, own))
        return {**told, "newton": "none" if way is None else way}

    def run(self, problem: Problem) -> Solution:
        """Integrate a problem, or the part of it that no checkpoint has."""
        kept = problem.checkpoints
        return self.begin(problem).run() if kept is None else kept.run(self.begin, problem)

    def begin(self, problem: Problem) -> LoopRun:
        """A run at its start."""
        c = problem.equations.compiled
        if c.nr and not self.loops:
            expected = "a method that keeps constraints, e.g. Radau()"
            raise ModelError("simulate", "integrator", self, expected)
        refuse_untreated(c, type(self).__name__, self.method)
        size = self.own_size(c)
        options = LoopOptions(
            self.first_step,
            self.max_step,
            self.max_steps,
            self.parameters(),
            partial(self.statistics, c),
            self.keeps,
            stability_limit=self.stability_limit,
            fixed_step=bool(getattr(self, "step", None)),
            forgets=self.python_loop,
            places=self.places,
        )
        return LoopRun(problem, self.loop(problem), size, options)
