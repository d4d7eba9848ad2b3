"""A start without elastic vibration: flexible bodies deflected as the motion at the start asks.

Joints have their coordinates and rates. Their accelerations `a` are those of the mechanism with
flexible bodies that keep their shape; elastic coordinates are where the loads, inertia forces of
this motion included, are in balance along all motions that leave the joints alone:

    S^T (M a + h - f) = 0        a = 0 of elastic coordinates

Their rates are those with which this deflection changes along the motion.
"""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.balance import null_space
from supple.analyses.run.quasi_static_vectors import FramelessStart
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation.errors import SimulationError
from supple.foundation.poses import Array
from supple.loops.assembly import Assembler, row_sizes
from supple.state import State

ITERATIONS = 40
CONVERGED, STALLED = 1e-13, 1e-8  # size of corrections, rad or lengths of the model
TURN = 1e-3  # rad, or lengths, that the fastest coordinate moves in a difference
LONGEST = 1e-3  # s, of a difference
PASSES = 2  # rates change the deflection a little: damping, Coriolis forces


def quasi_static(compiled: Compiled, state: State) -> State:
    """The state with flexible bodies deflected as its motion asks."""
    if compiled.gradient:
        return FramelessStart(compiled, state).run()
    if not compiled.flexible:
        return state
    return _Start(compiled, state).run()


class _Start:
    """Elastic coordinates that follow given joint motion."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        self.compiled, self.state = compiled, state
        self.equations = Equations(compiled)
        elastic = np.zeros(compiled.nu, dtype=bool)
        for body in compiled.flexible.values():
            elastic[body.u] = True
        self.elastic, self.joints = np.flatnonzero(elastic), np.flatnonzero(~elastic)
        self.chosen = self._independent(state.t, state.q)
        self.move = Assembler(compiled, self.chosen)
        self.whole = Assembler(compiled)

    def run(self) -> State:
        """The start."""
        s = self.state
        q, u = s.q, s.u.copy()
        u[self.elastic] = 0.0
        for _ in range(PASSES):
            q, a = self.deflected(s.t, q, u)
            u = self.with_rates(s.t, q, u, a)
        q, _ = self.deflected(s.t, q, u)
        return State(s.t, q, u, s.z.copy())

    def _independent(self, t: float, q: Array) -> list[int]:
        """Joint velocities, as many as the mechanism with rigid bodies has degrees of freedom."""
        N = null_space(self._rows(t, q)[:, self.joints], len(self.joints))
        chosen: list[int] = []
        for _ in range(N.shape[1]):
            sizes = np.linalg.norm(N, axis=1)
            k = int(np.argmax(sizes))
            chosen.append(int(self.joints[k]))
            way = N[k] / sizes[k]
            N = N - np.outer(N @ way, way)
        return chosen

    def _rows(self, t: float, q: Array) -> Array:
        """Constraint rows (nr, nu), scaled."""
        c = self.compiled
        G = self.equations.constraints(t, q, np.zeros(c.nu)).G
        scaled: Array = G * c.scale / row_sizes(c)[:, None]
        return scaled

    def deflected(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Coordinates in balance at the velocities u, and the accelerations of the joints."""
        c, before = self.compiled, np.inf
        for _ in range(ITERATIONS):
            a = self.accelerations(t, q, u)
            # the rows in use carry what they can
            first = self.equations.residual(t, q, u, a, self.state.z)
            G = self._rows(t, q)
            lam = np.linalg.lstsq(G.T, -c.scale * first, rcond=1e-12)[0] / row_sizes(c)
            tangents = self.equations.tangents(t, q, u, a, self.state.z, lam)
            held = np.vstack([G, np.eye(c.nu)[self.chosen]])
            S = null_space(held, c.nu)
            K = S.T @ (c.scale[:, None] * tangents.Rq * c.scale) @ S
            load = S.T @ (c.scale * tangents.r)
            y = -np.linalg.lstsq(K, load, rcond=1e-15)[0]
            step = S @ y
            longest = float(np.max(np.abs(step), initial=0.0))
            if not np.isfinite(longest) or np.any(np.linalg.eigvalsh(0.5 * (K + K.T)) <= 0.0):
                break  # loads beyond the critical ones
            q = self.closed(t, self.equations.retract(q, c.scale * step))
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                return q, self.accelerations(t, q, u)
            before = longest
        body = self._largest(step)
        raise SimulationError(
            f"simulate: start is 'quasi-static', but no deflection of {body} balances the loads "
            "and the inertia of the motion at the start, expected smaller ones or another start"
        )

    def accelerations(self, t: float, q: Array, u: Array) -> Array:
        """Accelerations (nu,) of the mechanism whose flexible bodies keep their shape."""
        eq, c, j = self.equations, self.compiled, self.joints
        rows = eq.constraints(t, q, u)
        unit = c.scale[j]
        G = rows.G[:, j] * unit / row_sizes(c)[:, None]
        a = np.zeros(c.nu)
        N = null_space(G, len(j))
        own: Array = np.zeros(len(j))
        if len(G):
            right = -rows.acceleration / row_sizes(c)
            own = np.asarray(np.linalg.lstsq(G, right, rcond=1e-10)[0], dtype=float)
        if N.shape[1]:
            M = eq.mass_matrix(q)[np.ix_(j, j)] * np.outer(unit, unit)
            rest = unit * eq.residual(t, q, u, np.zeros(c.nu), self.state.z)[j] + M @ own
            own -= N @ np.linalg.lstsq(N.T @ M @ N, N.T @ rest, rcond=1e-14)[0]
        a[j] = unit * own
        return a

    def with_rates(self, t: float, q: Array, u: Array, a: Array) -> Array:
        """Velocities with which the deflected model moves along, by a difference of order 2."""
        eq, c = self.equations, self.compiled
        fast = float(np.max(np.abs(u) / c.scale, initial=0.0))
        soon = float(np.max(np.abs(a) / c.scale, initial=0.0))
        h = min(LONGEST, TURN / max(fast, np.sqrt(soon), 1e-9))
        moved = []
        for s in (h, 2.0 * h):
            ahead = u + s * a
            place = eq.retract(q, s * u + 0.5 * s * s * a)
            place = self.closed(t + s, place)
            moved.append(eq.increment(q, self.deflected(t + s, place, ahead)[0]))
        found = (4.0 * moved[0] - moved[1]) / (2.0 * h)
        found[self.chosen] = u[self.chosen]
        return self.move.velocities(t, q, found) if c.nr else found

    def closed(self, t: float, q: Array) -> Array:
        """The nearest configuration on the constraints with the same independent coordinates."""
        if not self.compiled.nr:
            return q
        found, gap = self.move.positions(t, q, search=False)
        if np.max(np.abs(gap / row_sizes(self.compiled)), initial=0.0) > STALLED:
            found, _ = self.whole.positions(t, q, search=False)
        return found

    def _largest(self, step: Array) -> str:
        """Label of the flexible body that moves most in a step."""
        bodies = self.compiled.flexible.values()
        return max(bodies, key=lambda b: float(np.max(np.abs(step[b.u]), initial=0.0))).label
