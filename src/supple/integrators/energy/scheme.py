"""Bauchau's energy-preserving and energy-decaying scheme for rigid bodies and nodal vectors."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from supple.core.base.layout import new_work
from supple.core.energy import state as own
from supple.core.energy import step as energy_step
from supple.engine.base.compiled import Compiled
from supple.engine.pack.kinds import refuse_untreated
from supple.engine.sparsity.solver_choice import Linear
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.integrators.energy.tables import tables
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import LoopOptions, LoopRun, Problem
from supple.joints.motions import Method
from supple.loops.assembly import CLOSED, row_sizes, rows_at
from supple.native.declare import Entry


@dataclass(frozen=True, kw_only=True)
class EnergyScheme(Integrator):
    """Fixed steps of order 2 that keep the energy exactly, or let it only decay (Bauchau).

    For rigid bodies, `Cable` and `ANCFBeam` in absolute coordinates:
    ``formulation=Absolute()``. Over a step, forces of joints do exactly no work, springs and
    elements exactly the work that they give up, dampers and actuators exactly the work that is
    counted, whatever the step: an error of energy is rounding.
    Without decay momentum and angular momentum are kept in the same way.

    Parameters
    ----------
    step : float
        Step in s. It is shortened so that equal steps end on every breakpoint and on the end of
        the run.
    decay : float
        0 to 1. With 0 the energy is kept. Otherwise a jump at the start of each step takes energy
        from motions that are fast for the step, never giving any: those much faster than
        ``sqrt(6/decay)/step`` rad/s vanish at once. 1 is of order 3 for vibrations.

    The tolerance of ``simulate`` is not used: steps are solved to rounding. At the ends of steps
    positions are on the constraints, and velocities with decay; without decay these are off by an
    error of order 2, ``statistics["velocity_residual"]``. Joints and forces that have no exact form
    are refused. Other options: see ``Integrator``.
    """

    step: float
    decay: float = 0.0

    method: ClassVar[Method] = "energy"

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        owner = type(self).__name__
        validate.positive(owner, "step", self.step)
        if not 0.0 <= validate.number(owner, "decay", self.decay) <= 1.0:
            raise ModelError(owner, "decay", self.decay, "a number from 0 to 1")

    @property
    def kernel(self) -> Entry:
        """The compiled loop."""
        return energy_step.energy_run

    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Zero: the lengths follow from the tables of the model, which ``run`` makes."""
        return 0, 0

    def begin(self, problem: Problem) -> LoopRun:
        """A run at its start."""
        c = problem.equations.compiled
        made = tables(c, monotone=self.decay > 0.0)
        refuse_untreated(c, type(self).__name__, self.method)
        size = made.own_size(self.decay, c.nu)
        reals, integers = made.parameters(self.decay, self.step, c.nu)
        options = LoopOptions(
            self.first_step,
            self.max_step,
            self.max_steps,
            parameters=reals,
            integers=integers,
            counted=(own.LEFT,),
            statistics=partial(self.statistics, c),
            fixed_step=True,
            keeps=self.keeps,
            passes=True,  # another method's step would not keep energy to rounding
        )
        return LoopRun(problem, self.loop(problem), size, options)

    def keeps(self, compiled: Compiled, t: Array, q: Array, u: Array) -> np.ndarray:
        """Output at the ends of steps (nt,): moving it would take energy from its velocities.

        What is between steps is off in its positions, too.
        """
        work, sizes = new_work(compiled.ints), row_sizes(compiled)
        states = zip(t.tolist(), q, u, strict=True)
        gaps = [rows_at(compiled, work, *state).violation for state in states]
        return np.array([np.abs(gap / sizes).max(initial=0.0) < CLOSED for gap in gaps], dtype=bool)

    def newton(self, compiled: Compiled) -> Linear:
        """By a whole matrix."""
        return "dense"

    def further_statistics(self, compiled: Compiled, own_reals: Array) -> dict[str, float]:
        """Largest rate of a constraint row at the end of a step, in units of the rows per s."""
        return {"velocity_residual": float(own_reals[own.RATE])} if compiled.nr else {}
