"""Probe: what the verdict on a run asks beyond its states, computed when the verdict is read.

The same run with another tolerance says how its errors grow, whatever it consists of: loops, stops,
events. Accelerations of states beside one of its own say whether coordinates that stand still would
leave if they were disturbed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.analyses.phases import integrated
from supple.engine.compiled import Compiled
from supple.engine.histories import RunHistory
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
STATES = 3  # of a run, over which the matrices of small motion are averaged


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

    def apart(self, rtol: float, t: Array, q: Array, most: int) -> Array | None:
        """Distances (k, nu) of states q (nt, nq) at times from a run with another tolerance.

        In radians and lengths of the model, at the k times that it reaches in at most so many
        steps; None if it fails before the last one.
        """
        c = self.compiled
        problem = Problem(
            equations=Equations(c),
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
        if not found.success:
            return None
        return self.between(found.q, q[: len(found.t)])

    def between(self, a: Array, b: Array) -> Array:
        """Distances (nt, nu) of configurations a and b (nt, nq), radians or lengths."""
        c = self.compiled
        if c.nq == c.nu:
            return np.asarray((b - a) / c.scale)
        equations = Equations(c)
        pairs = zip(a, b, strict=True)
        return np.array([equations.increment(x, y) for x, y in pairs]) / c.scale

    def leaving(self, history: RunHistory, still: Array) -> tuple[float, Array] | None:
        """The largest rate (1/s) at which disturbances of coordinates that stand ``still`` grow.

        And how far each coordinate (nu,) goes then. Matrices of small motion are averaged over some
        states of the run. None where there are too many, or no accelerations.
        """
        places = np.flatnonzero(still)
        n = len(places)
        if not 0 < n <= MOST_STILL:
            return None
        c, count = self.compiled, len(history.t)
        which = np.unique(np.linspace(count // 2, count - 1, STATES).astype(int))
        found = [self._small(history, int(k), places) for k in which]
        stiff, damp = (np.mean([pair[i] for pair in found], axis=0) for i in (0, 1))
        turn = np.mean([pair[2] for pair in found], axis=0)
        if not (np.all(np.isfinite(stiff)) and np.all(np.isfinite(damp))):
            return None
        unit = c.scale[places]
        A = np.block([[-turn, np.eye(n)], [stiff, damp]])
        A *= np.tile(1.0 / unit, 2)[:, None] * np.tile(unit, 2)
        rates, vectors = np.linalg.eig(A)
        k = int(np.argmax(rates.real))
        shape = np.zeros(c.nu)
        shape[places] = np.abs(vectors[:n, k])
        return float(rates[k].real), shape / max(float(shape.max()), 1e-300)

    def _small(self, history: RunHistory, k: int, places: Array) -> tuple[Array, Array, Array]:
        """Slopes (n, n) of accelerations over displacements and velocities; drift of the chart."""
        c, n = self.compiled, len(places)
        steps = BESIDE * c.scale[places], BESIDE * c.rate_scale[places]
        q, u = (np.tile(x[k], (4 * n, 1)) for x in (history.q, history.u))
        equations = Equations(c)
        for i, place in enumerate(places):
            shift = np.zeros(c.nu)
            shift[place] = steps[0][i]
            if c.nq == c.nu:
                q[2 * i], q[2 * i + 1] = q[2 * i] + shift, q[2 * i + 1] - shift
            else:
                q[2 * i] = equations.retract(history.q[k], shift)
                q[2 * i + 1] = equations.retract(history.q[k], -shift)
            u[2 * n + 2 * i, place] += steps[1][i]
            u[2 * n + 2 * i + 1, place] -= steps[1][i]
        t, z = np.full(4 * n, history.t[k]), np.tile(history.z[k], (4 * n, 1))
        a = RunHistory(history.row_sets, t, q, u, z).a[:, places]
        over_q, over_u = a[: 2 * n], a[2 * n :]
        stiff = (over_q[::2] - over_q[1::2]).T / (2.0 * steps[0])
        damp = (over_u[::2] - over_u[1::2]).T / (2.0 * steps[1])
        turn = np.zeros((n, n)) if c.nq == c.nu else equations.drift(history.u[k])
        return stiff, damp, turn if c.nq == c.nu else turn[np.ix_(places, places)]
