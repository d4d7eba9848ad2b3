"""A start without elastic vibration: flexible bodies deflected as the motion at the start asks.

Joints have their coordinates and rates. Their accelerations `a` are those of the mechanism with
flexible bodies that keep their shape; elastic coordinates are where the loads, inertia forces of
this motion included, are in balance along all motions that leave the joints alone:

    S^T (M a + h - f) = 0        a = 0 of elastic coordinates

Their rates are those with which this deflection changes along the motion.

Bodies without a frame are deflected about their mean motion. The mechanism moves as one of rigid
bodies: velocities are ``T y`` with the velocities y of joints and the six [angular; linear, about
the world's origin] of each body without a frame, and

    a = T y' + b        b = w x (w x e) of nodal vectors e, of their places also w x v

Which of these motions the constraints leave is decided where nothing is deformed, since deflected
hinges fit together no longer. Their accelerations and the deflection are then found together:

    N^T (M a + h - f) = 0        S^T (M a + h - f) = 0,  S: motions with G s = 0 and N^T M s = 0

so that a deflection has no momentum along the motions N of the mechanism.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from supple.analyses.equilibrium.balance import independent_places, null_space
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import SimulationError
from supple.foundation.poses import quaternion_matrix
from supple.foundation.validate import rotation_vector_quaternion
from supple.loops.assembly import Assembler, row_sizes
from supple.state import State

ITERATIONS, FRAMELESS_ITERATIONS = 40, 100
LONGEST_STEP = 0.1  # rad or lengths of the model that a body without a frame deflects by at once
CONVERGED, STALLED = 1e-13, 1e-8  # size of corrections, rad or lengths of the model
TURN = 1e-3  # rad, or lengths, that the fastest coordinate moves in a difference
LONGEST = 1e-3  # s, of a difference
PASSES = 2  # rates change the deflection a little: damping, Coriolis forces
INDEPENDENT = 1e-6  # what is less, relative, is a motion that constraints leave
MASSLESS = 1e-10  # a straight line that turns about itself


def quasi_static(compiled: Compiled, state: State) -> State:
    """The state with flexible bodies deflected as its motion asks."""
    if compiled.gradient:
        return _FramelessStart(compiled, state).run()
    if not compiled.flexible:
        return state
    return _ElasticStart(compiled, state).run()


class _Start:
    """Corrections towards the balance of deflections, which both kinds of bodies need."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        self.compiled, self.state = compiled, state
        self.equations, self.whole = Equations(compiled), Assembler(compiled)

    def rows(self, t: float, q: Array) -> Array:
        """Constraint rows (nr, nu), scaled."""
        c = self.compiled
        G = self.equations.constraints(t, q, np.zeros(c.nu)).G
        return G * c.scale / row_sizes(c)[:, None]

    def correction(
        self, t: float, q: Array, u: Array, a: Array, held: Array
    ) -> tuple[Array, float, bool]:
        """Correction (nu,) of coordinates, its size, and whether loads are below critical ones.

        ``held`` (k, nu) are scaled rows of what it leaves alone, beside the constraints.
        """
        c, z, G = self.compiled, self.state.z, self.rows(t, q)
        # the rows in use carry what they can
        first = self.equations.residual(t, q, u, a, z)
        lam = np.linalg.lstsq(G.T, -c.scale * first, rcond=1e-12)[0] / row_sizes(c)
        tangents = self.equations.tangents(t, q, u, a, z, lam)
        S = null_space(np.vstack([G, held]), c.nu)
        K = S.T @ (c.scale[:, None] * tangents.Rq * c.scale) @ S
        step = S @ -np.linalg.lstsq(K, S.T @ (c.scale * tangents.r), rcond=1e-15)[0]
        size = float(np.max(np.abs(step), initial=0.0))
        stable = np.isfinite(size) and not np.any(np.linalg.eigvalsh(0.5 * (K + K.T)) <= 0.0)
        return step, size, bool(stable)

    def refusal(self, step: Array) -> SimulationError:
        """The error about the body that moves most in a correction."""
        bodies = self.compiled.deforming.values()
        body = max(bodies, key=lambda b: float(np.max(np.abs(step[b.u]), initial=0.0))).label
        return SimulationError(
            f"simulate: start is 'quasi-static', but no deflection of {body} balances the loads "
            "and the inertia of the motion at the start, expected smaller ones or another start"
        )


def _settled(size: float, before: float) -> bool:
    """True if a correction is rounding, or as small as it becomes."""
    return size <= CONVERGED or (size <= STALLED and size > 0.5 * before)


def _span(velocity: Array, acceleration: Array, units: Array) -> float:
    """Length (s) of a difference along a motion."""
    fast = float(np.max(np.abs(velocity) / units, initial=0.0))
    soon = float(np.max(np.abs(acceleration) / units, initial=0.0))
    return min(LONGEST, TURN / max(fast, math.sqrt(soon), 1e-9))


class _ElasticStart(_Start):
    """Elastic coordinates that follow given joint motion."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        super().__init__(compiled, state)
        elastic = np.zeros(compiled.nu, dtype=bool)
        for body in compiled.flexible.values():
            elastic[body.u] = True
        self.elastic, self.joints = np.flatnonzero(elastic), np.flatnonzero(~elastic)
        self.chosen = self._independent(state.t, state.q)
        self.move = Assembler(compiled, self.chosen)

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
        N = null_space(self.rows(t, q)[:, self.joints], len(self.joints))
        return [int(self.joints[k]) for k in independent_places(N)]

    def deflected(self, t: float, q: Array, u: Array) -> tuple[Array, Array]:
        """Coordinates in balance at the velocities u, and the accelerations of the joints."""
        c, before, held = self.compiled, np.inf, np.eye(self.compiled.nu)[self.chosen]
        for _ in range(ITERATIONS):
            a = self.accelerations(t, q, u)
            step, size, stable = self.correction(t, q, u, a, held)
            if not stable:
                break
            q = self.closed(t, self.equations.retract(q, c.scale * step))
            if _settled(size, before):
                return q, self.accelerations(t, q, u)
            before = size
        raise self.refusal(step)

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
        h = _span(u, a, c.scale)
        moved = []
        for s in (h, 2.0 * h):
            ahead = u + s * a
            place = eq.retract(q, s * u + 0.5 * s * s * a)
            place = self.closed(t + s, place)
            moved.append(eq.increment(q, self.deflected(t + s, place, ahead)[0]))
        rates = (4.0 * moved[0] - moved[1]) / (2.0 * h)
        rates[self.chosen] = u[self.chosen]
        return self.move.velocities(t, q, rates) if c.nr else rates

    def closed(self, t: float, q: Array) -> Array:
        """The nearest configuration on the constraints with the same independent coordinates."""
        if not self.compiled.nr:
            return q
        closed, gap = self.move.positions(t, q, search=False)
        if np.max(np.abs(gap / row_sizes(self.compiled)), initial=0.0) > STALLED:
            closed, _ = self.whole.positions(t, q, search=False)
        return closed


@dataclass(frozen=True)
class Motion:
    """The mechanism of rigid bodies at a time: configuration, velocities y, and what may move.

    ``N`` (d, n) are the velocities that constraints leave, ``forced`` (d,) accelerations that
    they ask for.
    """

    t: float
    q: Array
    y: Array
    N: Array
    forced: Array


class _FramelessStart(_Start):
    """Deflections of all bodies that follow a motion of the mechanism."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        super().__init__(compiled, state)
        self.bodies = list(compiled.gradient.values())
        own = np.ones(compiled.nu, dtype=bool)
        for record in compiled.deforming.values():
            own[record.u] = False
        self.joints = np.flatnonzero(own)

    def run(self) -> State:
        """The start."""
        s = self.state
        motion = self.motion(s.t, s.q, self.rigid_part(s.q, s.u))
        q, extra = s.q, np.zeros(self.compiled.nu)
        for _ in range(PASSES):
            q, change = self.deflected(motion, q, extra)
            extra = self.rates(motion, q, change, extra)
        q, _ = self.deflected(motion, q, extra)
        return State(s.t, q, self.fields(q) @ motion.y + extra, s.z.copy())

    def motion(self, t: float, q: Array, y: Array) -> Motion:
        """Motions that constraints leave and ask for where nothing is deformed."""
        T, size = self.fields(q), row_sizes(self.compiled)
        rows = self.equations.constraints(t, q, T @ y)
        if not len(rows.G):
            return Motion(t, q, y, np.eye(len(y)), np.zeros(len(y)))
        units = self._units()
        G = rows.G @ T * units / size[:, None]
        left, values, right = np.linalg.svd(G)
        rank = int(np.sum(values > INDEPENDENT * max(values[0], 1e-300)))
        wanted = -(rows.acceleration + rows.G @ self.bias(q, y)) / size
        forced = right[:rank].T @ ((left[:, :rank].T @ wanted) / values[:rank])
        return Motion(t, q, y, units[:, None] * right[rank:].T, units * forced)

    def deflected(self, motion: Motion, q: Array, extra: Array) -> tuple[Array, Array]:
        """Coordinates in balance, and the accelerations y' of the mechanism.

        ``extra`` (nu,) are rates of the deflection.
        """
        t, before = motion.t, np.inf
        for _ in range(FRAMELESS_ITERATIONS):
            u = self.fields(q) @ motion.y + extra
            change = self.accelerations(motion, q, u)
            a = self.fields(q) @ change + self.bias(q, motion.y)
            step, size, stable = self.correction(t, q, u, a, self._mean_rows(motion, q))
            if not stable:
                break
            part = min(1.0, LONGEST_STEP / max(size, 1e-300))
            q = self._closed(t, self.equations.retract(q, part * self.compiled.scale * step))
            if _settled(size, before):
                return q, self.accelerations(motion, q, self.fields(q) @ motion.y + extra)
            before = size
        raise self.refusal(step)

    def accelerations(self, motion: Motion, q: Array, u: Array) -> Array:
        """Accelerations y' (d,) of the mechanism whose bodies have the shapes that they have."""
        T = self.fields(q)
        N, forced = T @ motion.N, T @ motion.forced + self.bias(q, motion.y)
        M = self.equations.mass_matrix(q)
        load = self.equations.residual(motion.t, q, u, forced, self.state.z)
        more = _solved(N.T @ M @ N, -(N.T @ load))
        return motion.forced + motion.N @ more

    def rates(self, motion: Motion, q: Array, change: Array, extra: Array) -> Array:
        """Velocities beside those of the mechanism, by a difference of order 2."""
        c, eq = self.compiled, self.equations
        h = _span(motion.y, change, self._units())
        ways = []
        for s in (h, 2.0 * h):
            place, y = self._moved(motion, motion.q, change, s)
            later = self.motion(motion.t + s, place, y)
            there = self.deflected(later, self._moved(motion, q, change, s)[0], extra)[0]
            ways.append(eq.increment(q, there))
        velocities = (4.0 * ways[0] - ways[1]) / (2.0 * h)
        T = self.fields(q)
        N, M, own = T @ motion.N, eq.mass_matrix(q), T @ motion.y
        velocities -= N @ _solved(N.T @ M @ N, N.T @ (M @ (velocities - own)))
        if c.nr:
            velocities = self.whole.velocities(motion.t, q, velocities)
        return velocities - own

    def fields(self, q: Array) -> Array:
        """Velocities T (nu, d) of all coordinates for unit velocities of the mechanism."""
        T = np.zeros((self.compiled.nu, len(self.joints) + 6 * len(self.bodies)))
        T[self.joints, np.arange(len(self.joints))] = 1.0
        for k, record in enumerate(self.bodies):
            e, first = self._vectors(record, q), len(self.joints) + 6 * k
            turned = np.cross(np.eye(3)[None], e[:, None]).transpose(0, 2, 1)  # (n, 3, w)
            T[record.u, first : first + 3] = turned.reshape(-1, 3)
            moved = record.mesh.places.ravel()[:, None, None] * np.eye(3)
            T[record.u, first + 3 : first + 6] = moved.reshape(-1, 3)
        return T

    def bias(self, q: Array, y: Array) -> Array:
        """Accelerations (nu,) of a steady motion with velocities y of the mechanism."""
        b = np.zeros(self.compiled.nu)
        for k, record in enumerate(self.bodies):
            w, v = self._twist(y, k)
            b[record.u] = np.cross(w, self._field(record, q, w, v)).ravel()
        return b

    def rigid_part(self, q: Array, u: Array) -> Array:
        """Velocities y (d,) of the mechanism with the momenta that bodies have."""
        T, y = self.fields(q), np.zeros(len(self.joints) + 6 * len(self.bodies))
        y[: len(self.joints)] = u[self.joints]
        for k, record in enumerate(self.bodies):
            first = len(self.joints) + 6 * k
            own = T[record.u, first : first + 6]
            mass = np.kron(record.mesh.mass_matrix.toarray(), np.eye(3))
            y[first : first + 6] = _solved(own.T @ mass @ own, own.T @ (mass @ u[record.u]))
        return y

    def _moved(self, motion: Motion, q: Array, change: Array, s: float) -> tuple[Array, Array]:
        """A configuration that moves along with the mechanism for s (s), and y then."""
        u, a = np.zeros(self.compiled.nu), np.zeros(self.compiled.nu)
        count = len(self.joints)
        u[self.joints], a[self.joints] = motion.y[:count], change[:count]
        moved = self.equations.retract(q, s * u + 0.5 * s * s * a)
        y = motion.y + s * change
        for k, record in enumerate(self.bodies):
            (w, v), (dw, dv) = self._twist(motion.y, k), self._twist(change, k)
            weight = record.mesh.weight.ravel() / record.mesh.mass
            centre = weight @ self._vectors(record, motion.q)
            velocity = v + np.cross(w, centre)
            push = dv + np.cross(dw, centre) + np.cross(w, velocity)
            there = centre + s * velocity + 0.5 * s * s * push
            R = quaternion_matrix(rotation_vector_quaternion(s * w + 0.5 * s * s * dw))
            flags = record.mesh.places.ravel()[:, None]
            e = (self._vectors(record, q) - flags * centre) @ R.T + flags * there
            moved[record.q] = e.ravel()
            first = count + 6 * k
            turn = w + s * dw
            y[first + 3 : first + 6] = velocity + s * push - np.cross(turn, there)
        return moved, y

    def _mean_rows(self, motion: Motion, q: Array) -> Array:
        """Rows (n, nu), scaled, of the momenta along the motions of the mechanism."""
        N = self.fields(q) @ motion.N
        rows = (self.equations.mass_matrix(q) @ N).T * self.compiled.scale
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        kept = sizes[:, 0] > MASSLESS * sizes.max(initial=1e-300)
        scaled: Array = rows[kept] / sizes[kept]
        return scaled

    def _field(self, record: ANCFRecord, q: Array, w: Array, v: Array) -> Array:
        """Velocities (n, 3) of the nodal vectors of a body in a rigid motion."""
        return np.cross(w, self._vectors(record, q)) + record.mesh.places.ravel()[:, None] * v

    def _vectors(self, record: ANCFRecord, q: Array) -> Array:
        return q[record.q].reshape(-1, 3)

    def _twist(self, y: Array, body: int) -> tuple[Array, Array]:
        first = len(self.joints) + 6 * body
        return y[first : first + 3], y[first + 3 : first + 6]

    def _units(self) -> Array:
        """Units (d,) of y: those of the joints, 1 rad and the length of the model."""
        each = [1.0] * 3 + [self.compiled.length] * 3
        return np.append(self.compiled.scale[self.joints], each * len(self.bodies))

    def _closed(self, t: float, q: Array) -> Array:
        """The nearest configuration on the constraints."""
        return self.whole.positions(t, q, search=False)[0] if self.compiled.nr else q


def _solved(matrix: Array, right: Array) -> Array:
    """Solution of least size of a symmetric system that may be singular."""
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled = matrix / np.outer(size, size)
    scaled[np.diag(matrix) <= 0.0] = 0.0
    found: Array = np.linalg.lstsq(scaled, right / size, rcond=MASSLESS)[0] / size
    return found
