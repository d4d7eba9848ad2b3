"""BDF and Adams: the multistep methods of SUNDIALS, IDA and CVODE, through scikit-sundae.

SUNDIALS chooses steps and orders and calls back for residuals, Jacobians and rates. These, and all
that follows a step (dense output, events, audit), are kernels of ``core/multistep.py``; the loop in
between is plain Python. It has the arguments of a compiled loop, so the driver knows no difference.
"""

from __future__ import annotations

import contextlib
import sys
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.core import multistep
from supple.core import step as st
from supple.core.jit import Entry
from supple.errors import ModelError, SimulationError
from supple.integrators.base import Integrator
from supple.integrators.driver import Loop
from supple.poses import Array

ERROR_TEST_FAILED = -3  # status of both solvers; every other failure is one of the iteration
NO_LIMIT = 10**9  # steps of one call, of which there is only one

# (callbacks, options) -> solver
MakeSolver = Callable[[tuple[Any, ...], dict[str, Any]], Any]


@dataclass(frozen=True)
class _Sundials(Integrator):
    """Options and kernels that both methods share."""

    @property
    def kernel(self) -> Entry:
        """What follows a step; the loop itself is that of SUNDIALS."""
        return multistep.multistep_accept

    def own_size(self, nu: int, nz: int, ne: int) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        return multistep.own_size(nu, nz, ne)

    def _check_order(self, order: int, largest: int) -> None:
        if not (isinstance(order, int) and 1 <= order <= largest):
            owner = type(self).__name__
            raise ModelError(owner, "max_order", order, f"a whole number from 1 to {largest}")

    def loop(self) -> Loop:
        """The loop of one run."""
        return _Loop(self._method, self._solver)

    @property
    @abstractmethod
    def _method(self) -> int:
        """Code of the method in the kernels."""

    @abstractmethod
    def _solver(self, buffers: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The solver of scikit-sundae."""


@dataclass(frozen=True)
class BDF(_Sundials):
    """Backward differentiation of order 1 to 5 with variable steps (SUNDIALS IDA).

    Solves the implicit equations of motion with analytic Jacobians. For stiff models with damped
    vibration at moderate accuracy: a step costs one or two iterations, a third of one of
    ``Radau``. It starts with order 1, again after every break point of a signal, and damps
    vibration that its steps do not resolve.

    Parameters
    ----------
    max_order : int
        1 to 5; from order 3 on, weakly damped vibration can be unstable at large steps, at most
        2 is stable for everything that is.

    Other options: see ``Integrator``.
    """

    max_order: int = 5

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._check_order(self.max_order, 5)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All kernels that a run calls."""
        return multistep.bdf_jacobian, multistep.multistep_accept, multistep.bdf_residual

    @property
    def _method(self) -> int:
        return multistep.BDF

    def _solver(self, buffers: tuple[Any, ...], options: dict[str, Any]) -> Any:
        residual_kernel = multistep.bdf_residual.ready()
        jacobian_kernel = multistep.bdf_jacobian.ready()

        def residual(t: float, y: Array, yp: Array, res: Array) -> None:
            residual_kernel(*buffers, t, y, yp, res)

        def jacobian(t: float, y: Array, yp: Array, res: Array, c: float, J: Array) -> None:
            jacobian_kernel(*buffers, t, y, yp, c, J)

        return _sksundae("ida").IDA(residual, jacfn=jacobian, max_order=self.max_order, **options)


@dataclass(frozen=True)
class Adams(_Sundials):
    """Adams-Moulton of order 1 to 12 with variable steps (SUNDIALS CVODE).

    Explicit in effect: the implicit formula is iterated with accelerations, without Jacobian. For
    smooth motion where accelerations are expensive: it needs one or two for each step. Stiff
    springs, strong dampers and fast controllers force it to short steps.

    Parameters
    ----------
    max_order : int
        1 to 12.

    Other options: see ``Integrator``.
    """

    max_order: int = 12

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._check_order(self.max_order, 12)

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All kernels that a run calls."""
        return multistep.multistep_accept, multistep.adams_rates

    @property
    def _method(self) -> int:
        return multistep.ADAMS

    def _solver(self, buffers: tuple[Any, ...], options: dict[str, Any]) -> Any:
        rates_kernel = multistep.adams_rates.ready()

        def rates(t: float, y: Array, yp: Array) -> None:
            rates_kernel(*buffers, t, y, yp)

        def zero(t: float, y: Array, yp: Array, J: Array) -> None:
            """Newton's method with no Jacobian is the fixed-point iteration."""

        diagonal = {"linsolver": "band", "lband": 0, "uband": 0}
        return _sksundae("cvode").CVODE(
            rates, method="Adams", jacfn=zero, max_order=self.max_order, **diagonal, **options
        )


class _Loop:
    """Steps of one run; called with the arguments of a compiled loop."""

    def __init__(self, method: int, make: MakeSolver) -> None:
        self.method, self.make = method, make
        self.accept = multistep.multistep_accept.ready()
        self.solver: Any = None
        self.y = self.yp = self.tolerance = np.zeros(0)

    def __call__(
        self,
        ints: Array,
        reals: Array,
        work: Array,
        run: Array,
        state: Array,
        count: Array,
        stops: Array,
        grid: Array,
        out: Array,
        budget: int,
    ) -> int:
        """Advance until the end, an event, a failure or ``budget`` steps; returns the outcome."""
        buffers = (ints, reals, work, run, state, count)
        rest = (*buffers, stops, grid, out)
        with _quiet():
            if self.solver is None:
                outcome = self._start(buffers, rest, state)
                if outcome != st.PAUSED:
                    return outcome
            for _ in range(budget):
                outcome = self._step(rest, state, count, float(stops[count[st.STOP]]))
                if outcome != st.PAUSED or count[st.EVENTS_FOUND] >= st.EVENTS_WAITING:
                    return outcome
        return st.PAUSED

    def _start(self, buffers: tuple[Any, ...], rest: tuple[Any, ...], state: Array) -> int:
        head = buffers[0]
        size = max(int(head[1] + head[2] + head[3]), 1)  # a solver without unknowns is none
        self.y, self.yp, self.tolerance = np.zeros(size), np.zeros(size), np.zeros(size)
        outcome = self._accept(rest, float(state[st.T]))
        if outcome == st.PAUSED:
            options = {
                "rtol": float(state[st.RTOL]),
                "atol": self.tolerance,
                "first_step": float(state[st.H]),
                "min_step": float(state[st.H_MIN]),
                "max_step": float(state[st.H_MAX]),
                "max_num_steps": NO_LIMIT,
            }
            self.solver = self.make(buffers, options)
            self._restart(float(state[st.T]))
        return outcome

    def _restart(self, t: float) -> None:
        if self.method == multistep.BDF:
            self.solver.init_step(t, self.y, self.yp)
        else:
            self.solver.init_step(t, self.y)

    def _accept(self, rest: tuple[Any, ...], t: float) -> int:
        return int(self.accept(*rest, self.y, self.yp, self.tolerance, t, self.method))

    def _step(self, rest: tuple[Any, ...], state: Array, count: Array, stop: float) -> int:
        found = self.solver.step(stop, "onestep", stop)
        if found.success and found.t > state[st.T]:
            self.y = found.y
            if self.method == multistep.BDF:
                self.yp = found.yp
            outcome = self._accept(rest, found.t)
            if outcome == st.PAUSED and count[st.FRESH] == 1:
                self._restart(float(state[st.T]))
            return outcome
        outcome = self._accept(rest, float(state[st.T]))
        # a success that does not move is a step below the rounding of time
        if outcome == st.NOT_CONVERGED and (found.success or found.status == ERROR_TEST_FAILED):
            return st.TOO_SMALL
        return outcome


def _sksundae(part: str) -> Any:
    """A module of scikit-sundae, loaded on first use."""
    import importlib

    try:
        return importlib.import_module(f"sksundae.{part}")
    except ImportError as error:
        raise SimulationError(
            "BDF and Adams need the package scikit-sundae, install it by "
            "`pip install scikit-sundae` or use Radau and DormandPrince"
        ) from error


class _WithoutErrors:
    """Standard output without the error messages that scikit-sundae prints; ours say more."""

    def __init__(self, target: Any) -> None:
        self.target, self.dropped = target, False

    def write(self, text: str) -> int:
        if text.startswith("\n[") and ", Error: " in text:
            self.dropped = True
        elif self.dropped and text == "\n":  # the end of that message
            self.dropped = False
        else:
            self.target.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.target, name)


def _quiet() -> contextlib.AbstractContextManager[Any]:
    return contextlib.redirect_stdout(_WithoutErrors(sys.stdout))
