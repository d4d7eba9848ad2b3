"""BDF and Adams: the multistep methods of SUNDIALS, IDA and CVODE, through scikit-sundae.

SUNDIALS chooses steps and orders and calls back for residuals, Jacobians and rates. These, and all
that follows a step (dense output, events, audit), are kernels of ``core/multistep/multistep.py``;
the loop in between is plain Python. It has the arguments of a compiled loop, so the driver knows no
difference.
"""

from __future__ import annotations

import contextlib
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from supple.core.base import layout
from supple.core.equations import dynamics
from supple.core.multistep import ends, multistep
from supple.core.run import step as st
from supple.core.run.kinks import TURNS
from supple.core.run.weights import LEAST, LEAST_RATE, ROUNDING
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.solver_choice import Linear
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SimulationError
from supple.integrators.methods.base import Integrator
from supple.integrators.run.driver import Loop, Problem
from supple.integrators.run.place_vectors import coordinate_scales, largest_motion
from supple.joints.motions import Method
from supple.native.declare import Entry

MOST_BYTES = 4e9  # bytes
ERROR_TEST_FAILED = -3  # status of both solvers; every other failure is one of the iteration
NO_LIMIT = 10**9  # steps of one call, of which there is only one
GROWTH = 100.0  # of the motion, after which a solver with other weights begins
UNTESTED = 1e100  # tolerance of unknowns that take no part in the error test
Buffers = Sequence[Any]  # ints, reals, work, run, state, count
MakeSolver = Callable[[Buffers, dict[str, Any]], Any]


def whole_sizes(method: str, head: np.ndarray) -> tuple[int, int, int, int]:
    """Numbers of coordinates, velocities, states and rows, from the integers of a model.

    Raises if matrices over all of them, rows twice, are too large.
    """
    nq, nu, nz, nr = (int(head[k]) for k in (layout.H_Q, layout.H_U, layout.H_Z, layout.H_ROWS))
    unknowns = nq + nu + nz + 2 * nr
    size = 8.0 * (2.0 * unknowns**2 + 3.0 * nu**2 + 2.0 * nr * nu)
    if size > MOST_BYTES:
        raise SimulationError(
            f"{method}: its whole matrices of {unknowns} unknowns take {size / 1e9:.2g} GB, "
            f"expected {MOST_BYTES / 1e9:g} GB at most; Radau() keeps only what is not zero"
        )
    return nq, nu, nz, nr


@dataclass(frozen=True)
class _Sundials(Integrator):
    """Options and kernels that both methods share."""

    loops: ClassVar[bool] = True
    python_loop: ClassVar[bool] = True
    method: ClassVar[Method] = "multistep"

    @property
    def kernel(self) -> Entry:
        """Kernel that follows a step; the loop itself is that of SUNDIALS."""
        return multistep.multistep_accept

    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        return ends.own_size(c.nu, c.nz, len(c.force_names), c.nr)

    def _check_order(self, order: int, largest: int) -> None:
        if isinstance(order, bool) or not (isinstance(order, int) and 1 <= order <= largest):
            owner = type(self).__name__
            raise ModelError(owner, "max_order", order, f"a whole number from 1 to {largest}")

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All kernels that a run calls."""
        return multistep.multistep_accept, multistep.multistep_rates

    def loop(self, problem: Problem) -> Loop:
        """The loop of one run."""
        return _Loop(problem, self._method, self._solver)

    @property
    @abstractmethod
    def _method(self) -> int:
        """Code of the method in the kernels."""

    @abstractmethod
    def _solver(self, buffers: Buffers, options: dict[str, Any]) -> Any:
        """The solver of scikit-sundae."""


@dataclass(frozen=True)
class BDF(_Sundials):
    """Backward differentiation of order 1 to 5 with variable steps (SUNDIALS IDA).

    Solves the implicit equations of motion with analytic Jacobians. For stiff models with damped
    vibration at moderate accuracy: a step costs one or two evaluations, where ``Radau`` needs
    eight. It starts with order 1, again after every break point of a signal, and damps vibration
    that its steps do not resolve. Small models run faster by ``Radau``, whose loop is compiled.

    Parameters
    ----------
    max_order : int
        1 to 5. From order 3 on, weakly damped vibration can be unstable at large steps; with 2
        nothing is.

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
        own = multistep.bdf_point, multistep.bdf_jacobian
        return dynamics.tangent, *super().entries, *own

    def newton(self, compiled: Compiled) -> Linear:
        """By a whole matrix."""
        return "dense"

    @property
    def _method(self) -> int:
        return ends.BDF

    def _solver(self, buffers: Buffers, options: dict[str, Any]) -> Any:
        rates, point = multistep.multistep_rates.ready(), multistep.bdf_point.ready()
        tangent, assemble = dynamics.tangent.ready(), multistep.bdf_jacobian.ready()
        model = buffers[:3]
        nq, nu, nz, nr = whole_sizes("BDF", buffers[0])
        q, u, a, z, r = (np.zeros(n) for n in (nq, nu, nu, nz, nu))
        shapes = (nu, nu), (nu, nu), (nu, nu), (nu, nz), (nz, nu), (nz, nu), (nz, nz)
        tangents = [np.zeros(shape) for shape in shapes]
        rows = np.zeros((nr, nu)), np.zeros((nr, nu))

        def residual(t: float, y: Array, yp: Array, res: Array) -> None:
            rates(*buffers, t, y, yp, res)

        def jacobian(t: float, y: Array, yp: Array, res: Array, c: float, J: Array) -> None:
            t = point(*buffers, t, y, yp, q, u, a, z)
            tangent(*model, t, q, u, a, z, r, *tangents)
            assemble(*model, y, q, u, c, *tangents, *rows, J)

        return _sksundae("ida").IDA(residual, jacfn=jacobian, max_order=self.max_order, **options)


@dataclass(frozen=True)
class Adams(_Sundials):
    """Adams-Moulton of order 1 to 12 with variable steps (SUNDIALS CVODE).

    Explicit in effect: the implicit formula is iterated with accelerations, without Jacobian. For
    smooth motion; it needs two or three accelerations for each step. Stiff springs, strong
    dampers and fast controllers force it to short steps. ``DormandPrince`` gets more accuracy
    from as many accelerations; this method is there to compare with.

    Parameters
    ----------
    max_order : int
        1 to 12.

    Other options: see ``Integrator``.
    """

    max_order: int = 12

    # its iteration has three corrections to gain the digits of the tolerance: about one each
    stability_limit: ClassVar[float] = 0.1

    def __post_init__(self) -> None:
        """Refuse options that cannot work."""
        super().__post_init__()
        self._check_order(self.max_order, 12)

    @property
    def _method(self) -> int:
        return ends.ADAMS

    def _solver(self, buffers: Buffers, options: dict[str, Any]) -> Any:
        kernel = multistep.multistep_rates.ready()

        def rates(t: float, y: Array, yp: Array) -> None:
            kernel(*buffers, t, y, y, yp)

        def zero(t: float, y: Array, yp: Array, J: Array) -> None:
            """Newton's method with no Jacobian is the fixed-point iteration."""

        diagonal = {"linsolver": "band", "lband": 0, "uband": 0}
        return _sksundae("cvode").CVODE(
            rates, method="Adams", jacfn=zero, max_order=self.max_order, **diagonal, **options
        )


class _Loop:
    """Steps of one run; called with the arguments of a compiled loop."""

    def __init__(self, problem: Problem, method: int, make: MakeSolver) -> None:
        self.problem, self.method, self.make = problem, method, make
        self.compiled = problem.equations.compiled
        self.kernel = multistep.multistep_accept.ready()
        self.rates = multistep.multistep_rates.ready()
        self.solver: Any = None
        self.buffers: Buffers = ()
        self.parts = np.ones(2)  # of the model's units in the weights of places and rates
        self.smallest = 0.0  # step, s; a failure writes its own one in its place
        self.begun = 0.0  # time of the last start, s

    def __call__(self, *arguments: Any) -> int:
        """Advance until the end, an event, a failure or a number of steps; returns the outcome."""
        *buffers, self.stops, self.grid, self.out, budget = arguments
        # Other constraint rows are other equations: the solver has those it was made with.
        same = self.solver is not None and buffers[0] is self.buffers[0]
        same = same and bool(buffers[5][st.STEPS] or buffers[5][st.FRESH])  # it begins anew
        self.buffers = buffers
        self.state, self.count = self.buffers[4:]
        with _quiet():
            if not same:
                outcome = self._start()
                if outcome != st.PAUSED:
                    return outcome
            for _ in range(budget):
                outcome = self._step()
                waiting = self.count[st.EVENTS_FOUND] >= st.EVENTS_WAITING
                waiting |= self.count[st.TOUCHES_FOUND] >= st.TOUCHES_WAITING
                if outcome != st.PAUSED or waiting:
                    return outcome
        return st.PAUSED

    def _start(self) -> int:
        run, state, count = self.buffers[3:]
        self.smallest = self.smallest or float(state[st.H_MIN])
        state[st.H_MIN] = self.smallest
        c, rtol, atol = self.compiled, self.problem.rtol, self.problem.atol
        own_reals, own_ints = ends.own_size(c.nu, c.nz, len(c.force_names), c.nr)
        own = run[len(run) - own_reals :], count[len(count) - own_ints :]
        fields = ends.OWN_RECORD.read(layout.sizes(self.buffers[0]), *own)
        self.scalar, self.base, self.own = fields.scalar, fields.base, fields.ints
        self.own[ends.METHOD] = self.method
        scale, self.plain = coordinate_scales(c)
        # of the motion so far: see `core/run/weights.py`
        if state[st.PART] == 0.0:
            state[[st.REACH, st.SPEED]] = self._expected_motion()
            ahead = 10.0 * state[[st.REACH, st.SPEED]]
            state[[st.PART, st.RATE_PART]] = np.clip(ahead, (LEAST, LEAST_RATE), 1.0)
        self.parts = state[[st.PART, st.RATE_PART]]
        part, rate_part = self.parts
        way, pace = self._motion()
        least = ROUNDING if c.nr else 0.0  # of rows: places in the model and values of drivers
        self.places = np.maximum(max((atol + rtol) * part, least) * scale, atol * way)
        rates = atol * np.maximum(rate_part * c.rate_scale, pace)
        tolerance = np.concatenate([self.places, rates, np.full(c.nz, atol)])
        if c.nr:
            # the solver's mean is over all unknowns, with the integrals of multipliers behind z
            tested = len(tolerance)
            share = np.sqrt(tested / (tested + 2 * c.nr))
            rtol *= share
            tolerance = np.concatenate([share * tolerance, np.full(2 * c.nr, UNTESTED)])
        if len(tolerance) == 0:  # a solver wants something to solve
            tolerance = np.ones(1)
        self.y, self.yp = np.zeros_like(tolerance), np.zeros_like(tolerance)
        options = {
            "rtol": rtol,
            "atol": tolerance,
            "first_step": float(state[st.H]) or self._first_step(),
            "min_step": self.smallest,
            "max_step": float(state[st.H_MAX]),
            "max_num_steps": NO_LIMIT,
        }
        self.solver = self.make(tuple(self.buffers), options)
        return self._begin()

    def _motion(self) -> tuple[Array, Array]:
        fields = st.read_run(self.buffers[0], self.buffers[3], self.count)
        return largest_motion(self.compiled, fields.way, fields.pace)

    def _first_step(self) -> float:
        """0 lets the solver choose; where nothing moves yet it would choose far too much."""
        p = self.problem
        if self.state[st.E_MAX] >= 0.0:  # on the way: with other rows, or from a checkpoint
            return 0.0
        span = p.t_end - p.t_start
        try:
            a = p.equations.accelerate(p.t_start, p.q, p.u, p.z)
        except ModelError:  # a locked model: the start itself says so
            return 0.0
        moves = np.abs(p.u).max(initial=0.0) * span + np.abs(a).max(initial=0.0) * span**2
        return 0.0 if moves > 1e-6 else float(1e-3 * span * p.rtol ** (1.0 / 3.0))

    def _expected_motion(self) -> tuple[float, float]:
        """Increment and velocity, in the model's units, until accelerations changed by half."""
        p, c = self.problem, self.compiled
        if c.callbacks:  # functions of the user need not expect states beside those of the run
            return 0.0, 0.0
        try:
            a = p.equations.accelerate(p.t_start, p.q, p.u, p.z)
            for time in (p.t_end - p.t_start) * 0.5 ** np.arange(30, -1, -1):
                d, u = time * (p.u + 0.5 * time * a), p.u + time * a
                q = p.equations.retract(p.q, d)
                other = p.equations.accelerate(p.t_start, q, u, p.z)
                if not np.abs(other - a).max(initial=0.0) <= 0.5 * np.abs(a).max(initial=0.0):
                    break
        except ModelError:  # a locked model: the start itself, or the way there, says so
            return 0.0, 0.0
        far, fast = np.abs(d) / c.scale, np.abs(u) / c.rate_scale
        return float(np.max(far, initial=0.0)), float(np.max(fast, initial=0.0))

    def _begin(self) -> int:
        """Start, or start again behind a stop: unknowns, their rates, and the solver."""
        run, state, count = self.buffers[3:]
        nq, nu, nz = self.compiled.nq, self.compiled.nu, self.compiled.nz
        fields = st.read_run(self.buffers[0], run, count)
        q, u, z = fields.q, fields.u, fields.z
        t = self.begun = float(state[st.T])
        if self.compiled.nr:  # onto the constraints; q and u are views of the run's buffer
            rows = np.array([t]), q[None], u[None]  # views: the state itself is moved
            dynamics.project(*self.buffers[:3], *rows, np.zeros(nu), np.zeros(nq))
        self.base[:] = np.where(self.plain, q, 0.0)
        self.y = np.zeros_like(self.yp)
        self.y[: nq + nu + nz] = np.concatenate([q - self.base, u, z])
        self.scalar[ends.LEFT] = np.inf  # the right side of a jump
        self.rates(*self.buffers, t, self.y, self.y, self.yp)
        if self.own[ends.TROUBLE] != st.DONE:
            return int(self.own[ends.TROUBLE])
        a = self.yp[nq : nq + nu]
        if not np.all(np.isfinite(a)):
            self.count[st.BAD_DOF] = int(np.argmin(np.isfinite(a)))
            return st.NOT_FINITE
        self._surround(multistep.BEGIN, t)
        both = (self.y, self.yp) if self.method == ends.BDF else (self.y,)
        self.solver.init_step(t, *both)
        return st.PAUSED

    def _surround(self, what: int, t: float) -> int:
        shared = *self.buffers, self.stops, self.grid, self.out
        return int(self.kernel(*shared, self.y, self.yp, t, what))

    def _longest(self, stop: float) -> float:
        """The time that a step may reach: where points are watched there is room for some turns."""
        if not any(event.frames or event.contact for event in self.problem.events):
            return stop
        u = st.read_run(self.buffers[0], self.buffers[3], self.count).u
        node = layout.integers(self.buffers[0], "node")
        turning = np.abs(u[node[node[:, layout.MOTION] == layout.REVOLUTE, layout.U0]]).sum()
        return min(stop, float(self.state[st.T]) + 0.5 * TURNS / max(float(turning), 1e-300))

    def _step(self) -> int:
        state, count = self.state, self.count
        stop = self._longest(float(self.stops[count[st.STOP]]))
        step = self.solver.step(stop, "onestep", stop)
        if not (step.success and step.t > state[st.T]):
            if step.status == ERROR_TEST_FAILED and state[st.T] > self.begun:
                return self._begin()  # ten shorter steps were not enough: with one of its choice
            outcome = self._surround(multistep.FAILED, step.t)
            # a success that does not move is a step below the rounding of time
            small = step.success or step.status == ERROR_TEST_FAILED
            return st.TOO_SMALL if outcome == st.NOT_CONVERGED and small else outcome
        self.y = step.y
        if self.method == ends.BDF:
            self.yp = step.yp
        else:
            self.own[ends.ATTEMPTS] = 0  # this evaluation is none
            self.rates(*self.buffers, step.t, self.y, self.y, self.yp)
            if self.own[ends.TROUBLE] != st.DONE:
                return int(self.own[ends.TROUBLE])
        outcome = self._surround(multistep.ACCEPT, step.t)
        if outcome != st.PAUSED:
            return outcome
        far = bool(state[st.REACH] > GROWTH) and self.problem.atol * self._motion()[0]
        if np.any(state[[st.PART, st.RATE_PART]] > GROWTH * self.parts) or np.any(
            far > GROWTH * self.places
        ):
            return self._start()  # a solver has the weights that it was made with
        return self._begin() if count[st.FRESH] == 1 else outcome


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
