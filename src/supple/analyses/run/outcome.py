"""From an integrator's solution to a Result and its warnings.

`Probe` computes what the verdict on a run asks beyond its states, when the verdict is read. The
same run with another tolerance says how its errors grow, whatever it consists of: loops, stops,
events. Accelerations of states beside one of its own say whether coordinates that stand still would
leave if they were disturbed.

Displacements N y and velocities N w + P y of these coordinates leave the constraint rows as they
are, G N = 0 and G P = -H N. With the states of controllers beside them, differences of
accelerations and rates give the matrix of small motion, whose eigenvalues tell:

    y' = w + (N^T P - N^T L N) y,      w' = N^T da,      z' = dz'

All other coordinates move on as they do.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.base.snapshot_result import instant
from supple.analyses.equilibrium.balance import null_space
from supple.analyses.reactions.reactions import PhasedReactions, Reactions, SelfStress
from supple.analyses.run.options import RunOptions
from supple.analyses.run.phases import integrated, phases_of
from supple.core.run.weights import ROUNDING
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.reading.loads import Loads
from supple.engine.sparsity.solver_choice import way_name
from supple.events import Event
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Booleans, Indices
from supple.foundation.errors import SuppleError
from supple.foundation.progress import told
from supple.integrators.methods.base import Integrator
from supple.integrators.methods.explicit import DormandPrince
from supple.integrators.methods.radau import Radau
from supple.integrators.run.driver import Problem, Solution
from supple.integrators.run.place_vectors import place_vectors
from supple.integrators.run.sampling import Sampler
from supple.loops.singular import passed, violated
from supple.results.data.run_data import ChangeRecord, RunData, StartChange
from supple.results.result import Result
from supple.state import State

if TYPE_CHECKING:
    from supple.model import Model

MOST_STILL = 100  # coordinates whose neighbours are looked at
GIVEN = 1e-9  # part of a velocity that constraints leave free, and that is rounding
STATES = 6  # of a run, at which disturbances are looked at
BESIDE = 1e-5  # of usual rates: the disturbance that a run is made again with
DISTURBED, TIMES = 1e-6, 400  # tolerance and output times of that run
DISPLACED = 1e-6  # radians, lengths of the model: how far away neighbours are


def leaving_rate(equations: Equations, state: State, places: Indices) -> tuple[float, Array] | None:
    """Rate (1/s) and shape (nu,) of the quickest disturbance of coordinates at a state.

    None where none of them is free, or there are no accelerations.
    """
    c, (t, q, u, z) = equations.compiled, (state.t, state.q, state.u, state.z)
    unit, m = c.scale[places], len(places)
    N: Array = np.eye(m)
    P: Array = np.zeros((m, m))
    if c.nr:
        rows = equations.constraints(t, q, u)
        G, H = rows.G[:, places] * unit, rows.H[:, places] * unit
        N = null_space(G, m)
        P = np.asarray(-np.linalg.lstsq(G, H @ N, rcond=None)[0], dtype=float)
    n, nz = N.shape[1], len(z)
    if n == 0:
        return None
    quick = float(np.max(c.rate_scale[places] / unit))  # 1/s
    steps = DISPLACED * np.concatenate([np.ones(n), np.full(n, quick), np.maximum(1.0, np.abs(z))])

    def rates(shift: Array) -> Array:
        """Accelerations (n,) and rates of controllers (nz,) beside the state."""
        y, w = shift[:n], shift[n : 2 * n]
        dq, du = np.zeros(c.nu), np.zeros(c.nu)
        dq[places], du[places] = unit * (N @ y), unit * (N @ w + P @ y)
        near = q + dq if c.nq == c.nu else equations.retract(q, dq)
        a = equations.accelerate(t, near, u + du, z + shift[2 * n :])
        return np.concatenate([N.T @ (a[places] / unit), equations.fields.zdot[:nz]])

    A = np.zeros((2 * n + nz, 2 * n + nz))
    A[:n, :n], A[:n, n : 2 * n] = N.T @ P, np.eye(n)
    if c.nq != c.nu:
        L = equations.drift(u)[np.ix_(places, places)]
        A[:n, :n] -= N.T @ (L * unit / unit[:, None]) @ N
    try:
        for k, step in enumerate(steps):
            shift = np.zeros(len(steps))
            shift[k] = step
            A[n:, k] = (rates(shift) - rates(-shift)) / (2.0 * step)
    except SuppleError:
        return None
    if not np.all(np.isfinite(A)):
        return None
    eigenvalues, vectors = np.linalg.eig(A)
    best = int(np.argmax(eigenvalues.real))
    shape = np.zeros(c.nu)
    shape[places] = np.abs(N @ vectors[:n, best])
    return float(eigenvalues[best].real), shape / max(float(shape.max()), 1e-300)


@dataclass(frozen=True, eq=False)
class Probe:
    """A run that can be made again."""

    model: Model
    compiled: Compiled
    integrator: Integrator
    t_start: float
    rtol: float  # its tolerance
    atol: float
    # q, u, z: its start
    q: Array
    u: Array
    z: Array
    events: tuple[Event, ...]

    @classmethod
    def of(cls, model: Model, problem: Problem, integrator: Integrator) -> Probe:
        """The probe of a run."""
        p = problem
        state = p.q.copy(), p.u.copy(), p.z.copy()
        tolerance = p.rtol, p.atol
        compiled = p.equations.compiled
        return cls(model, compiled, integrator, p.t_start, *tolerance, *state, p.events)

    @property
    def repeats(self) -> bool:
        """True if the run can be made again: no sampled controllers, which have a memory.

        Functions of forces depend on their arguments only, which `simulate` has looked at.
        """
        return not self.compiled.sampled

    @property
    def many_steps(self) -> bool:
        """True if its method uses earlier steps: errors then follow no power of the tolerance."""
        return not isinstance(self.integrator, Radau | DormandPrince)

    def again(self, rtol: float, t: Array, most: int) -> Array | None:
        """Configurations (k, nq) at times of the run with another tolerance.

        At the k times that it reaches in at most so many steps; None if it fails before the last.
        """
        solution = self._made(rtol, self.atol * rtol / self.rtol, t, most, self.u)
        return None if solution is None else solution.q

    def _made(self, rtol: float, atol: float, t: Array, most: int, u: Array) -> Solution | None:
        """The run once more, with velocities u at its start; None if it fails."""
        problem = Problem(
            equations=Equations(self.compiled),
            t_start=self.t_start,
            t_end=float(t[-1]),
            grid=np.ascontiguousarray(t),
            q=self.q.copy(),
            u=u.copy(),
            z=self.z.copy(),
            events=self.events,
            symmetries=(),
            rtol=rtol,
            atol=atol,
            explained=False,
        )
        try:
            with told("growth of errors is being examined"):
                solution, _ = integrated(
                    self.model, problem, replace(self.integrator, max_steps=most)
                )
        except SuppleError:
            return None
        return solution if solution.success and len(solution.t) else None

    def disturbed(
        self, end: float, still: Booleans, most: int
    ) -> tuple[Array, Array, Array] | None:
        """Times (k,), growth (k,) and shapes (k, nu) of velocities of coordinates that stand still.

        All of them are disturbed at the start, by random amounts that keep the constraints; the
        kinetic energy of a disturbance is its size. None as for ``leaving``, or if the run fails.
        """
        c, places = self.compiled, np.flatnonzero(still)
        if not self.repeats or not 0 < len(places) <= MOST_STILL:
            return None
        equations = Equations(c)
        free = np.eye(len(places))
        if c.nr:
            G = equations.constraints(self.t_start, self.q, self.u).G
            free = null_space(G[:, places] * c.scale[places], len(places))
        if not free.shape[1]:
            return None
        du = np.zeros(c.nu)
        du[places] = c.scale[places] * (free @ np.random.default_rng(0).normal(size=free.shape[1]))
        du *= BESIDE / float(np.max(np.abs(du[places]) / c.rate_scale[places]))
        t = np.linspace(self.t_start, end, TIMES + 1)[1:]
        solution = self._made(DISTURBED, 0.01 * DISTURBED, t, most, self.u + du)
        if solution is None:
            return None
        M = equations.mass_matrix(self.q)[np.ix_(places, places)]
        u = solution.u[:, places]
        size = np.sqrt(np.einsum("ti,ij,tj->t", u, M, u) / float(du[places] @ M @ du[places]))
        shapes = np.zeros((len(u), c.nu))
        shapes[:, places] = np.abs(u) / c.rate_scale[places]
        return solution.t, size, shapes

    def between(self, a: Array, b: Array) -> Array:
        """Distances (nt, nu) of configurations a and b (nt, nq), radians or lengths."""
        c = self.compiled
        if c.nq == c.nu:
            return np.asarray((b - a) / c.scale)
        equations = Equations(c)
        pairs = zip(a, b, strict=True)
        return np.array([equations.increment(x, y) for x, y in pairs]) / c.scale

    def is_free(self, dof: int) -> bool:
        """True if constraints do not give the velocity in this place."""
        c = self.compiled
        if not c.nr:
            return True
        rows = Equations(c).constraints(self.t_start, self.q, self.u)
        free = null_space(rows.G * c.scale, c.nu)
        return bool(np.any(np.abs(free[dof]) > GIVEN))

    def inertia(self, dof: int, q: Array) -> float:
        """Inertia of a velocity, all others at rest, at a configuration."""
        return float(Equations(self.compiled).mass_matrix(np.asarray(q))[dof, dof])

    def leaving(self, history: RunHistory, still: Booleans) -> tuple[float, float, Array] | None:
        """Growth of disturbances of coordinates that stand ``still``, up to the end of the run.

        As a natural logarithm, with the rate (1/s) and the shape (nu,) at the last state. Some
        states are looked at, from the last one backwards to the first that is stable. None where
        there are too many coordinates, none of them is free, or there are no accelerations.
        """
        places = np.flatnonzero(still)
        if not self.repeats or not 0 < len(places) <= MOST_STILL:
            return None
        ends = np.linspace(0.0, len(history.t) - 1.0, STATES + 1)[1:].astype(int)
        span, grown = (float(history.t[-1]) - self.t_start) / STATES, 0.0
        last: tuple[float, Array] | None = None
        for k in ends[::-1]:
            model = next(iter(history.row_sets.parts(history.t[k : k + 1])))[0]
            state = State(*(x[k] for x in (history.t, history.q, history.u, history.z)))
            here = leaving_rate(Equations(model), state, places)
            if here is None or here[0] <= 0.0:
                break
            grown += span * here[0]
            last = here if last is None else last
        return None if last is None else (grown, *last)


def examined(
    model: Model,
    problem: Problem,
    options: RunOptions,
    solution: Solution,
    changes: tuple[ChangeRecord, ...],
    start_changes: tuple[StartChange, ...],
) -> tuple[Result, list[str]]:
    """The result of a run, and what is to be doubted about it."""
    s, compiled = solution, problem.equations.compiled
    probe = Probe.of(model, problem, options.method)
    made = changes, start_changes, problem.sampler, probe
    result = result_of(model, compiled, solution, *made)
    doubts = [beyond_rounding(problem, s.q), None if s.success else s.message]
    sets = s.row_sets.parts(s.t) if changes else [(compiled, slice(None))]
    for part, mine in sets:
        if s.success:
            doubts.append(s.passed or passed(part, s.t[mine], s.q[mine], s.u[mine]))
        doubts.append(violated(part, s.t[mine], s.q[mine]))
    if compiled.deforming and options.monitored:
        doubts += [f.sentence for f in result.monitor.findings if f.serious]
    return result, [doubt for doubt in doubts if doubt]


def result_at_start(model: Model, problem: Problem) -> Result:
    """The result at the first instant of a run."""
    p = problem
    state = State(p.t_start, p.q, p.u, p.z)
    return Result(instant(model, p.equations, state, True, "the first instant", {}))


def result_of(
    model: Model,
    compiled: Compiled,
    solution: Solution,
    changes: tuple[ChangeRecord, ...] = (),
    start_changes: tuple[StartChange, ...] = (),
    sampler: Sampler | None = None,
    probe: Probe | None = None,
) -> Result:
    """The result of a run."""
    s = solution
    if sampler is not None:
        for part in (compiled, *s.row_sets.models):  # phases have numbers of their own
            sampler.attach(part, early=True)
    states = RunHistory(s.row_sets, s.t, s.q, s.u, s.z)
    return Result(
        RunData(
            model=model.copy(),
            compiled=compiled,
            t=s.t,
            q=s.q,
            u=s.u,
            z=s.z,
            channels=s.channels,
            history=states,
            audit=s.audit,
            momentum=s.momentum,
            events=s.events,
            success=s.success,
            message=s.message,
            statistics={**s.statistics, "linear": way_name(compiled.ints)},
            final=s.final,
            loads=Loads(states, dict(model.forces)),
            reactions=_reactions(model, compiled, states, changes),
            self_stress=SelfStress(model) if compiled.all_rows and compiled.whole is None else None,
            changes=changes,
            touches=s.touches,
            phases=phases_of(compiled, changes),
            start_changes=start_changes,
            samples={} if sampler is None else sampler.records(),
            probe=probe,
        )
    )


def _reactions(
    model: Model, compiled: Compiled, states: RunHistory, changes: tuple[ChangeRecord, ...]
) -> Reactions | PhasedReactions | None:
    """Search of the smallest reactions; None of a tree without constraints: all are unique."""
    phases = [c.phase for c in phases_of(compiled, changes) if c.phase is not None]
    if phases:
        return PhasedReactions(model, states, phases, [change.t for change in changes])
    return Reactions(model, states) if compiled.all_rows else None


def coordinate_sizes(c: Compiled, q: Array) -> Array:
    """Sizes (nu,) of the coordinates behind the velocities; zero for quaternions."""
    sizes = np.zeros(c.nu)
    for record in (*c.joints.values(), *c.extra.values()):
        if record.chart.quaternion:
            place = np.abs(q[record.q.start + 4 : record.q.stop])
            sizes[record.u.start + 3 : record.u.stop] = place.sum()
        else:
            sizes[record.u] = np.abs(q[record.q])
    return sizes


def beyond_rounding(problem: Problem, q: Array) -> str | None:
    """A sentence if the tolerance asks more of the start than its rounding allows, or None.

    ``q`` (nt, nq) are the places of the run: where a body goes far, the tolerance follows its way.
    """
    c = problem.equations.compiled
    if c.nu == 0:
        return None
    start, smallest = problem.q, (problem.rtol + problem.atol) * c.smallest_scale
    if 3.0 * ROUNDING * math.sqrt(start.dot(start)) <= smallest:  # no sum of three places is larger
        return None
    way = coordinate_sizes(c, np.max(np.abs(q - start), axis=0, initial=0.0))
    way[place_vectors(c) < 0] = 0.0
    asked = np.maximum((problem.rtol + problem.atol) * c.scale, problem.atol * way)
    sizes = coordinate_sizes(c, problem.q)
    possible = ROUNDING * sizes
    worst = int(np.argmax(possible / asked))
    if possible[worst] <= asked[worst]:
        return None
    label = c.dof_label(worst)
    unit = "m" if "displacement" in label or "along" in label else "rad"
    return (
        f"simulate: tolerance asks for {asked[worst]:.2g} {unit} in {label}, which starts at "
        f"{sizes[worst]:.3g} {unit}, where rounding allows {possible[worst]:.2g} {unit}: a "
        f"tolerance of {possible[worst] / c.scale[worst]:.1g} is kept instead; nearer to zero more "
        "is possible"
    )
