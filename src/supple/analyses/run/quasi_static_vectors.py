"""A start without elastic vibration where bodies have no frame: deflected about their mean motion.

The mechanism moves as one of rigid bodies: velocities are ``T y`` with the velocities y of joints
and the six [angular; linear, about the world's origin] of each body without a frame, and

    a = T y' + b        b = w x (w x e) of nodal vectors e, of their places also w x v

Which of these motions the constraints leave is decided where nothing is deformed, since deflected
hinges fit together no longer. Their accelerations and the deflection are then found together:

    N^T (M a + h - f) = 0        S^T (M a + h - f) = 0,  S: motions with G s = 0 and N^T M s = 0

so that a deflection has no momentum along the motions N of the mechanism. Rates are those with
which the deflection changes along the motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.analyses.equilibrium.balance import null_space
from supple.engine.base.body_records import ANCFRecord
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations
from supple.foundation.errors import SimulationError
from supple.foundation.poses import Array, quaternion_matrix
from supple.foundation.validate import rotation_vector_quaternion
from supple.loops.assembly import Assembler, row_sizes
from supple.state import State

ITERATIONS = 100
LONGEST_STEP = 0.1  # rad or lengths of the model that a deflection grows by in one correction
CONVERGED, STALLED = 1e-13, 1e-8  # size of corrections, rad or lengths of the model
TURN, LONGEST = 1e-3, 1e-3  # rad or lengths, and s, of a difference
PASSES = 2
INDEPENDENT = 1e-6  # what is less, relative, is a motion that constraints leave
MASSLESS = 1e-10  # a straight line that turns about itself


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


class FramelessStart:
    """Deflections of all bodies that follow a motion of the mechanism."""

    def __init__(self, compiled: Compiled, state: State) -> None:
        self.compiled, self.state = compiled, state
        self.equations, self.whole = Equations(compiled), Assembler(compiled)
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
        """What the constraints leave and ask for where nothing is deformed."""
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
        c, eq, before, step = self.compiled, self.equations, np.inf, np.zeros(self.compiled.nu)
        t, z, size = motion.t, self.state.z, row_sizes(self.compiled)
        for _ in range(ITERATIONS):
            u = self.fields(q) @ motion.y + extra
            change = self.accelerations(motion, q, u)
            a = self.fields(q) @ change + self.bias(q, motion.y)
            first = eq.residual(t, q, u, a, z)
            G = eq.constraints(t, q, np.zeros(c.nu)).G * c.scale / size[:, None]
            lam = np.linalg.lstsq(G.T, -c.scale * first, rcond=1e-12)[0] / size
            tangents = eq.tangents(t, q, u, a, z, lam)
            S = null_space(np.vstack([G, self._mean_rows(motion, q)]), c.nu)
            K = S.T @ (c.scale[:, None] * tangents.Rq * c.scale) @ S
            y = -np.linalg.lstsq(K, S.T @ (c.scale * tangents.r), rcond=1e-15)[0]
            step = S @ y
            longest = float(np.max(np.abs(step), initial=0.0))
            if not np.isfinite(longest) or np.any(np.linalg.eigvalsh(0.5 * (K + K.T)) <= 0.0):
                break  # loads beyond the critical ones
            part = min(1.0, LONGEST_STEP / max(longest, 1e-300))
            q = self._closed(t, eq.retract(q, part * c.scale * step))
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                return q, self.accelerations(motion, q, self.fields(q) @ motion.y + extra)
            before = longest
        every = c.deforming.values()
        body = max(every, key=lambda b: float(np.max(np.abs(step[b.u]), initial=0.0))).label
        raise SimulationError(
            f"simulate: start is 'quasi-static', but no deflection of {body} balances the loads "
            "and the inertia of the motion at the start, expected smaller ones or another start"
        )

    def accelerations(self, motion: Motion, q: Array, u: Array) -> Array:
        """Accelerations y' (d,) of the mechanism whose bodies have the shapes that they have."""
        T = self.fields(q)
        N, forced = T @ motion.N, T @ motion.forced + self.bias(q, motion.y)
        M = self.equations.mass_matrix(q)
        load = self.equations.residual(motion.t, q, u, forced, self.state.z)
        more = _solved(N.T @ M @ N, -(N.T @ load))
        found: Array = motion.forced + motion.N @ more
        return found

    def rates(self, motion: Motion, q: Array, change: Array, extra: Array) -> Array:
        """Velocities beside those of the mechanism, by a difference of order 2."""
        c, eq = self.compiled, self.equations
        fast = float(np.max(np.abs(motion.y) / self._units(), initial=0.0))
        soon = float(np.max(np.abs(change) / self._units(), initial=0.0))
        h = min(LONGEST, TURN / max(fast, np.sqrt(soon), 1e-9))
        ways = []
        for s in (h, 2.0 * h):
            place, y = self._moved(motion, motion.q, change, s)
            later = self.motion(motion.t + s, place, y)
            there = self.deflected(later, self._moved(motion, q, change, s)[0], extra)[0]
            ways.append(eq.increment(q, there))
        found = (4.0 * ways[0] - ways[1]) / (2.0 * h)
        T = self.fields(q)
        N, M, own = T @ motion.N, eq.mass_matrix(q), T @ motion.y
        found -= N @ _solved(N.T @ M @ N, N.T @ (M @ (found - own)))
        if c.nr:
            found = self.whole.velocities(motion.t, q, found)
        rest: Array = found - own
        return rest

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
        found = self.equations.retract(q, s * u + 0.5 * s * s * a)
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
            found[record.q] = e.ravel()
            first = count + 6 * k
            turn = w + s * dw
            y[first + 3 : first + 6] = velocity + s * push - np.cross(turn, there)
        return found, y

    def _mean_rows(self, motion: Motion, q: Array) -> Array:
        """Rows (n, nu), scaled, of the momenta along the motions of the mechanism."""
        N = self.fields(q) @ motion.N
        rows = (self.equations.mass_matrix(q) @ N).T * self.compiled.scale
        sizes = np.linalg.norm(rows, axis=1, keepdims=True)
        kept = sizes[:, 0] > MASSLESS * sizes.max(initial=1e-300)
        found: Array = rows[kept] / sizes[kept]
        return found

    def _field(self, record: ANCFRecord, q: Array, w: Array, v: Array) -> Array:
        """Velocities (n, 3) of the nodal vectors of a body in a rigid motion."""
        return np.cross(w, self._vectors(record, q)) + record.mesh.places.ravel()[:, None] * v

    def _vectors(self, record: ANCFRecord, q: Array) -> Array:
        found: Array = q[record.q].reshape(-1, 3)
        return found

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
