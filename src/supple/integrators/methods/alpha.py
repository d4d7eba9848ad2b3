"""The generalized-alpha method and its relatives of Newmark and of Hilber, Hughes and Taylor."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from supple.core.alpha import alpha
from supple.core.alpha import stage as alpha_stage
from supple.core.alpha.stage import BORDER, LINE, TREE_FROM
from supple.core.linalg import multifrontal as blocks
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.solver_choice import Linear, newton_name
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.newton_places import (
    Places,
    alpha_places,
    alpha_sizes,
    replaced_pivots,
)
from supple.loops.assembly import row_sizes
from supple.native.declare import Entry


@dataclass(frozen=True)
class _Alpha(Integrator):
    """Base of the three methods: compiled loop, choice of steps, how constraints are held."""

    step: float | None = None
    constraints: str = "ggl"

    loops: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        owner = type(self).__name__
        if self.step is not None:
            validate.positive(owner, "step", self.step)
        validate.choice(owner, "constraints", self.constraints, ("ggl", "index3"))

    def _check_damping(self) -> None:
        """Positions alone are held by a mode of infinite frequency: the method must damp it."""
        if self.constraints == "index3" and self._radius() > 1.0 - 1e-9:
            expected = "'ggl' with parameters that do not damp the fastest modes"
            raise ModelError(type(self).__name__, "constraints", self.constraints, expected)

    def _radius(self) -> float:
        """Spectral radius at infinite frequency."""
        _, f, beta, gamma, *_ = self.coefficients()
        roots = np.roots([beta, 0.5 + gamma - 2.0 * beta, 0.5 - gamma + beta])
        return max(float(np.abs(roots).max()), f / (1.0 - f))

    def _within(self, field: str, low: float, high: float, expected: str) -> None:
        owner = type(self).__name__
        value = validate.number(owner, field, getattr(self, field), expected)
        if not low <= value <= high:
            raise ModelError(owner, field, value, expected)

    @property
    def kernel(self) -> Entry:
        """The compiled loop."""
        return alpha.alpha_run

    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        return alpha_stage.own_size(c.sizes, blocks.lengths(c.ints))

    def places(self, c: Compiled) -> Places:
        """Places in its own integers."""
        return alpha_places(c)

    @abstractmethod
    def coefficients(self) -> tuple[float, ...]:
        """alpha_m, alpha_f, beta, gamma of the motion, delta_m, delta_f, theta of controllers."""

    @property
    def fixed_order(self) -> int:
        """Order by which errors fall with a step that is given: 2 if gamma is 1/2 + f - m."""
        m, f, _, gamma, *_ = self.coefficients()
        return 2 if abs(gamma - 0.5 - f + m) < 1e-9 else 1

    def parameters(self) -> tuple[float, ...]:
        """Numbers that the loop finds at the beginning of its own reals."""
        return (*self.coefficients(), self.step or 0.0, 1.0 if self.constraints == "ggl" else 0.0)

    def newton(self, compiled: Compiled) -> Linear:
        """Solver of Newton's matrix; along the tree only if it is large."""
        way = newton_name(compiled.ints)
        lines = compiled.sizes["border"]
        few = compiled.nu < TREE_FROM + (BORDER + LINE * lines if lines else 0)
        return "dense" if way == "tree" and few else way

    def further_statistics(self, compiled: Compiled, own: Array) -> dict[str, float]:
        """Largest rate of a constraint row at the end of a step, in units of the rows per s.

        And pivots of Newton's matrix that were replaced.
        """
        told = replaced_pivots(alpha_stage.OWN_RECORD, alpha_sizes(compiled), own)
        if not compiled.nr:
            return told
        start = len(self.parameters())
        rates = own[start : start + compiled.nr] / row_sizes(compiled)
        return {"velocity_residual": float(rates.max()), **told}


def _controllers(rho: float) -> tuple[float, float, float]:
    """delta_m, delta_f, theta of the first-order method with spectral radius rho at infinity."""
    # Jansen, Whiting and Hulbert 2000, (19) to (21), in the notation of the second-order method
    m, f = 0.5 * (3.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
    return m, f, 0.5 + f - m


@dataclass(frozen=True, kw_only=True)
class GeneralizedAlpha(_Alpha):
    """Implicit method of order 2 with numerical damping of the high frequencies (Chung, Hulbert).

    Parameters
    ----------
    rho : float
        Spectral radius at infinite frequency, 0 to 1: a mode far too fast for the step keeps this
        share of its amplitude in each step. 1 damps nothing, 0 removes it at once. Slow modes are
        hardly damped with any choice.
    step : float, optional
        Fixed step in s. It is shortened so that equal steps end on every breakpoint and on the end
        of the run. Without it steps follow the tolerance of ``simulate``.
    constraints : str
        How closed loops, couplings and drivers are held at the ends of steps: ``"ggl"`` positions
        and velocities (Gear, Gupta, Leimkuhler), ``"index3"`` positions alone.

    With a fixed step the tolerance only says when Newton's iteration stops. Other options: see
    ``Integrator``.
    """

    rho: float = 0.8

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._within("rho", 0.0, 1.0, "a number from 0 to 1")
        self._check_damping()

    def coefficients(self) -> tuple[float, ...]:
        """alpha_m, alpha_f, beta, gamma of the motion, delta_m, delta_f, theta of controllers."""
        # Chung and Hulbert 1993, (25), (17) and (20)
        m, f = (2.0 * self.rho - 1.0) / (self.rho + 1.0), self.rho / (self.rho + 1.0)
        return m, f, 0.25 * (1.0 - m + f) ** 2, 0.5 - m + f, *_controllers(self.rho)


@dataclass(frozen=True, kw_only=True)
class HHT(_Alpha):
    """Method of Hilber, Hughes and Taylor: generalized-alpha with alpha_m = 0, alpha_f = -alpha.

    Parameters
    ----------
    alpha : float
        -1/3 to 0; the spectral radius at infinite frequency is (1 + alpha)/(1 - alpha).
    step : float, optional
        Fixed step in s; see ``GeneralizedAlpha``.
    constraints : str
        ``"ggl"`` or ``"index3"``; see ``GeneralizedAlpha``.

    Forces are weighted from the two ends of a step, as is usual today. The original takes them at
    t + (1 + alpha) h instead, which is the same for linear forces that are linear in time.
    """

    alpha: float = -0.05

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._within("alpha", -1.0 / 3.0, 0.0, "a number from -1/3 to 0")
        self._check_damping()

    def coefficients(self) -> tuple[float, ...]:
        """alpha_m, alpha_f, beta, gamma of the motion, delta_m, delta_f, theta of controllers."""
        a = self.alpha
        rest = _controllers((1.0 + a) / (1.0 - a))
        return 0.0, -a, 0.25 * (1.0 - a) ** 2, 0.5 - a, *rest


@dataclass(frozen=True, kw_only=True)
class Newmark(_Alpha):
    """Newmark's method: generalized-alpha with alpha_m = alpha_f = 0.

    Parameters
    ----------
    beta, gamma : float
        2 beta >= gamma >= 1/2, where the method is stable for every step. 1/4 and 1/2, the average
        acceleration, is of order 2 and keeps the energy of linear models; gamma > 1/2 damps, at
        the price of order 1. Controller states follow the theta method with theta = gamma.
    step : float, optional
        Fixed step in s; see ``GeneralizedAlpha``.
    constraints : str
        ``"ggl"`` or ``"index3"``; see ``GeneralizedAlpha``.
    """

    beta: float = 0.25
    gamma: float = 0.5

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._within("gamma", 0.5, 1.0, "a number from 1/2 to 1")
        low = 0.5 * self.gamma
        self._within("beta", low, 1.0, f"a number from gamma/2 = {low:g} to 1")
        self._check_damping()

    def coefficients(self) -> tuple[float, ...]:
        """alpha_m, alpha_f, beta, gamma of the motion, delta_m, delta_f, theta of controllers."""
        return 0.0, 0.0, self.beta, self.gamma, 0.0, 0.0, self.gamma
