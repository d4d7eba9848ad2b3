"""Probe: what the verdict on a run asks beyond its states, computed when the verdict is read.

The same run with another tolerance says how its errors grow, whatever it consists of: loops, stops,
events. Accelerations of states beside one of its own say whether coordinates that stand still would
leave if they were disturbed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from supple.analyses.balance import null_space
from supple.analyses.phases import integrated
from supple.engine.compiled import Compiled
from supple.engine.histories import RunHistory
from supple.engine.row_sets import RowSets
from supple.errors import SuppleError
from supple.events import Event
from supple.formulations.equations import Equations
from supple.integrators.base import Integrator
from supple.integrators.driver import Problem
from supple.model import Model
from supple.poses import Array
from supple.waiting import told

BESIDE = 1e-6  # radians, lengths of the model: how far away neighbours are
MOST_STILL = 150  # coordinates whose neighbours are looked at
STATES = 6  # of a run, at which disturbances are looked at


@dataclass(frozen=True, eq=False)
class Probe:
    """A run that can be made again.

    Attributes
    ----------
    rtol : its tolerance
    q, u, z : its start
    """

    model: Model
    compiled: Compiled
    integrator: Integrator
    t_start: float
    rtol: float
    atol: float
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
        """Whether the run can be made again: functions of the user may count their calls."""
        return not (self.compiled.callbacks or self.compiled.sampled)

    def again(self, rtol: float, t: Array, most: int) -> Array | None:
        """Configurations (k, nq) at times of the run with another tolerance.

        At the k times that it reaches in at most so many steps; None if it fails before the last.
        """
        problem = Problem(
            equations=Equations(self.compiled),
            t_start=self.t_start,
            t_end=float(t[-1]),
            grid=np.ascontiguousarray(t),
            q=self.q.copy(),
            u=self.u.copy(),
            z=self.z.copy(),
            events=self.events,
            symmetries=(),
            rtol=rtol,
            atol=self.atol * rtol / self.rtol,
        )
        try:
            with told("growth of errors is being examined"):
                found, _ = integrated(self.model, problem, replace(self.integrator, max_steps=most))
        except SuppleError:
            return None
        return found.q if found.success and len(found.t) else None

    def between(self, a: Array, b: Array) -> Array:
        """Distances (nt, nu) of configurations a and b (nt, nq), radians or lengths."""
        c = self.compiled
        if c.nq == c.nu:
            return np.asarray((b - a) / c.scale)
        equations = Equations(c)
        pairs = zip(a, b, strict=True)
        return np.array([equations.increment(x, y) for x, y in pairs]) / c.scale

    def leaving(
        self, history: RunHistory, still: NDArray[np.bool_]
    ) -> tuple[float, float, Array] | None:
        """Growth of disturbances of coordinates that stand ``still``, up to the end of the run.

        As a natural logarithm, with the rate (1/s) and the shape (nu,) at the last state. Some
        states are looked at, from the last one backwards to the first that is stable. None where
        there are too many coordinates, none of them is free, or there are no accelerations.
        """
        places = np.flatnonzero(still)
        if not 0 < len(places) <= MOST_STILL:
            return None
        ends = np.linspace(0.0, len(history.t) - 1.0, STATES + 1)[1:].astype(int)
        span, grown = (float(history.t[-1]) - self.t_start) / STATES, 0.0
        last: tuple[float, Array] | None = None
        for k in ends[::-1]:
            here = self._growth(history, int(k), places)
            if here is None or here[0] <= 0.0:
                break
            grown += span * here[0]
            last = here if last is None else last
        return None if last is None else (grown, *last)

    def _growth(
        self, history: RunHistory, k: int, places: NDArray[np.int_]
    ) -> tuple[float, Array] | None:
        """Growth (1/s) and shape (nu,) of the quickest disturbance of coordinates at a state."""
        c = self.compiled
        t, q, u, z = float(history.t[k]), history.q[k], history.u[k], history.z[k]
        model = next(iter(history.row_sets.parts(history.t[k : k + 1])))[0]
        equations = Equations(model)
        unit = c.scale[places]
        N: Array = np.eye(len(places))
        P: Array = np.zeros((len(places), len(places)))
        if model.nr:  # displacements N y and velocities N w + P y leave the rows as they are
            rows = equations.constraints(t, q, u)
            G, H = rows.G[:, places] * unit, rows.H[:, places] * unit
            N = null_space(G, len(places))
            P = -np.linalg.lstsq(G, H @ N, rcond=None)[0]
        n = N.shape[1]
        if n == 0:
            return None
        slow = float(np.max(c.rate_scale[places] / unit))  # 1/s
        shifts = np.zeros((2, n, c.nu)), np.zeros((2, n, c.nu))  # of q, and of u
        shifts[0][0][:, places] = BESIDE * (unit[:, None] * N).T
        shifts[1][0][:, places] = BESIDE * (unit[:, None] * P).T
        shifts[1][1][:, places] = slow * BESIDE * (unit[:, None] * N).T
        ends = []
        for sign in (1.0, -1.0):
            moved = sign * shifts[0].reshape(2 * n, c.nu)
            near = q + moved if c.nq == c.nu else np.array([equations.retract(q, x) for x in moved])
            fast = u + sign * shifts[1].reshape(2 * n, c.nu)
            beside = RunHistory(
                RowSets.of(model), np.full(2 * n, t), near, fast, np.tile(z, (2 * n, 1))
            )
            ends.append(beside.a[:, places] / unit)
        slopes = (ends[0] - ends[1]) @ N / (2.0 * BESIDE)
        stiff, damp = slopes[:n].T, slopes[n:].T / slow
        turn: Array = np.zeros((n, n))
        if c.nq != c.nu:
            L = equations.drift(u)[np.ix_(places, places)]
            turn = N.T @ (L * unit / unit[:, None]) @ N
        A = np.block([[N.T @ P - turn, np.eye(n)], [stiff, damp]])
        if not np.all(np.isfinite(A)):
            return None
        rates, vectors = np.linalg.eig(A)
        best = int(np.argmax(rates.real))
        shape = np.zeros(c.nu)
        shape[places] = np.abs(N @ vectors[:n, best])
        return float(rates[best].real), shape / max(float(shape.max()), 1e-300)
