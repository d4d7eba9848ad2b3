"""A tree of rigid bodies and beams as a cloud of mass points: slow, short, without the engine.

Where a point is follows from the definition of a beam's field, of its frames and of the joints;
everything else are differences of these places. Velocities, accelerations and the equations of
motion (d'Alembert: the forces on all mass points do no work on any motion that the joints and the
shapes allow) then need no formula for a flexible body. In particular no gyroscopic term can be
forgotten: a power balance would not see it, this does.

Only the step along a velocity is taken from the engine (`Equations.retract`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import supple
from supple.formulations.equations import Equations

Array = NDArray[np.float64]
Poses = tuple[Array, Array]

# Differences of order six.
POINTS = np.array([-3, -2, -1, 1, 2, 3])
WEIGHTS = np.array([-1, 9, -45, 45, -9, 1]) / 60.0
# s, for a first and a second derivative: where truncation meets rounding.
STEP, LONG_STEP = 2e-4, 5e-3
GAUSS = np.polynomial.legendre.leggauss(4)  # exact for two cubics


def axial(S: Array) -> Array:
    """Vectors (..., 3) of skew matrices (..., 3, 3)."""
    parts = [S[..., 2, 1] - S[..., 1, 2], S[..., 0, 2] - S[..., 2, 0], S[..., 1, 0] - S[..., 0, 1]]
    return np.stack(parts, axis=-1) / 2.0


class Field:
    """Displacement field of a beam over its elastic coordinates, interpolated between the nodes.

    Slaved shapes are taken as the beam gives them: test_second_order.py tells if they are right.
    """

    def __init__(self, beam: supple.Beam, masses: tuple[tuple[float, float], ...]) -> None:
        self.known: dict[float, Array] = {}
        self.beam, self.step = beam, beam.length / beam.elements
        nodes = [beam.at(x) for x in np.linspace(0.0, beam.length, beam.elements + 1)]
        found = [beam.attachment(frame, masses) for frame in nodes]
        self.moves = np.array([where.Phi for where in found])  # (nodes, 3, n)
        self.turns = np.array([where.Psi for where in found])
        self.masses = masses
        self.Gamma = found[0].Gamma

    def slaved(self, x: float) -> Array:
        """Displacement and rotation (6, r) of the slaved shapes at a station."""
        if self.Gamma is None:
            return np.zeros((6, 0))
        if x not in self.known:
            self.known[x] = self.beam.attachment(self.beam.at(x), self.masses).slaved
        return self.known[x]

    def amplitudes(self, q: Array) -> Array:
        """Amplitudes (k, r) of the slaved shapes at elastic coordinates (k, n)."""
        if self.Gamma is None:
            return np.zeros((len(q), 0))
        return 0.5 * np.einsum("ki,rij,kj->kr", q, self.Gamma, q)

    def rows(self, x: float) -> dict[str, Array]:
        """Displacements u v w, twist, slopes and strains at a station, (n,) each."""
        h, k = self.step, min(int(x / self.step), self.beam.elements - 1)
        s = x / h - k
        (u0, v0, w0), (u1, v1, w1) = self.moves[k : k + 2]
        (t0, a0, b0), (t1, a1, b1) = self.turns[k : k + 2]

        def cubic(f0, g0, f1, g1):  # values f, slopes g
            d, m = f1 - f0, g0 + g1
            c2, c3 = 3 * d - h * (m + g0), h * m - 2 * d
            value = f0 + s * (h * g0 + s * (c2 + s * c3))
            return value, (h * g0 + s * (2 * c2 + 3 * s * c3)) / h, (2 * c2 + 6 * s * c3) / h**2

        v, v1x, v2x = cubic(v0, b0, v1, b1)  # v' turns about z
        w, w1x, w2x = cubic(w0, -a0, w1, -a1)  # w' turns about -y
        return {
            "u": u0 + s * (u1 - u0), "v": v, "w": w, "twist": t0 + s * (t1 - t0),
            "v'": v1x, "w'": w1x, "v''": v2x, "w''": w2x,
            "u'": (u1 - u0) / h, "twist'": (t1 - t0) / h,
        }  # fmt: skip

    def frame(self, x: float) -> tuple[Array, Array]:
        """Displacement and rotation (3, n + r) of the section at a station."""
        f, more = self.rows(x), self.slaved(x)
        moves = np.array([f["u"], f["v"], f["w"]])
        turns = np.array([f["twist"], -f["w'"], f["v'"]])
        return np.hstack([moves, more[:3]]), np.hstack([turns, more[3:]])

    def stations(self) -> list[tuple[float, float]]:
        """Stations and lengths that integrate along the beam."""
        places = [
            (k + 0.5 * (1.0 + x)) * self.step for k in range(self.beam.elements) for x in GAUSS[0]
        ]
        return list(
            zip(places, np.tile(0.5 * self.step * GAUSS[1], self.beam.elements), strict=True)
        )

    def mass_points(self) -> list[tuple[float, Array, Array]]:
        """Mass, place (3,) and displacement (3, n + r) of points with the inertia of the beam."""
        b = self.beam
        section, found = b.section, []
        c, s = np.cos(b.roll), np.sin(b.roll)
        y, z = np.sqrt(2.0 * section.I_z / section.area), np.sqrt(2.0 * section.I_y / section.area)
        corners = [(y * c, y * s), (-y * c, -y * s), (-z * s, z * c), (z * s, -z * c)]
        if not b.rotary_inertia:
            corners = [(0.0, 0.0)]
        tilt = b.tilting_fields(self.masses)
        for x, length in self.stations():
            (u, v, w), (tx, ty, tz) = self.frame(x)
            mass = b.material.density * section.area * length / len(corners)
            for y, z in corners:
                shape = np.array([u - y * tz + z * ty, v - z * tx, w + y * tx])
                shape[:, shape.shape[1] - len(tilt) :] += (tilt @ [0.0, y, z]).T
                found.append((mass, np.array([x, y, z]), shape))
        for x, mass in self.masses:
            if mass > 0.0:
                found.append((mass, np.array([x, 0.0, 0.0]), self.frame(x)[0]))
        return found

    def stiffness(self) -> Array:
        """Second derivative (n, n) of the strain energy."""
        b, total = self.beam, 0.0
        c, s = np.cos(b.roll), np.sin(b.roll)
        torsion = b.section.J if b.torsion == "saint_venant" else b.section.I_y + b.section.I_z
        for x, length in self.stations():
            f = self.rows(x)
            for stiffness, strain in (
                (b.material.E * b.section.area, f["u'"]),
                (b.material.E * b.section.I_z, c * f["v''"] + s * f["w''"]),
                (b.material.E * b.section.I_y, c * f["w''"] - s * f["v''"]),
                (b.material.G * torsion, f["twist'"]),
            ):
                total = total + length * stiffness * np.outer(strain, strain)
        return np.array(total)


class SineField(Field):
    """Displacement field of a beam of sines, from the names of its coordinates."""

    def __init__(self, beam: supple.Beam, masses: tuple[tuple[float, float], ...]) -> None:
        self.beam, self.masses, self.known = beam, masses, {}
        modal = beam.modal(masses)
        self.names = [name.split("_") for name in modal.coordinate_names]
        self.Gamma = None if modal.slaves is None else modal.slaves.Gamma

    def rows(self, x: float) -> dict[str, Array]:
        """Displacements u v w, twist, slopes and strains at a station, (n,) each."""
        found = {
            key + mark: np.zeros(len(self.names))
            for key in ("u", "v", "w", "twist")
            for mark in ("", "'", "''")
        }
        for column, (field, i) in enumerate(self.names):
            key = {"tx": "twist"}.get(field, field)
            k = (int(i) - (0.5 if field in ("u", "tx") else 0.0)) * np.pi / self.beam.length
            found[key][column] = np.sin(k * x)
            found[key + "'"][column] = k * np.cos(k * x)
            found[key + "''"][column] = -(k**2) * np.sin(k * x)
        return found

    def stations(self) -> list[tuple[float, float]]:
        """Stations and lengths that integrate along the beam: four cells.

        Slaved shapes have kinks, where integrals depend on the stations: the body's own are taken.
        """
        if self.Gamma is not None:
            mass, place, _ = self.beam._reduced(self.masses).material_points()
            places = np.unique(place[: len(mass) - sum(m > 0.0 for _, m in self.masses), 0])
            x, w = np.polynomial.legendre.leggauss(len(places))
            assert np.allclose(places, 0.5 * (1.0 + x) * self.beam.length, rtol=1e-12)
            return list(zip(places, 0.5 * self.beam.length * w, strict=True))
        cell = self.beam.length / 4
        x, w = np.polynomial.legendre.leggauss(10)
        places = [(k + 0.5 * (1.0 + p)) * cell for k in range(4) for p in x]
        return list(zip(places, np.tile(0.5 * cell * w, 4), strict=True))


def field_of(beam: supple.Beam, masses: tuple[tuple[float, float], ...]) -> Field:
    """The displacement field of a beam of either kind."""
    return (SineField if isinstance(beam.modes, supple.reduction.SineShapes) else Field)(
        beam, masses
    )


def rigid_points(body: supple.RigidBody) -> list[tuple[float, Array, Array]]:
    """Six points with the mass, the mass centre and the inertia of a rigid body."""
    inertia = body.inertia_com
    moments, axes = np.linalg.eigh(0.5 * np.trace(inertia) * np.eye(3) - inertia)
    arms = np.sqrt(3.0 * np.maximum(moments, 0.0) / body.mass) * axes
    none = np.zeros((3, 0))
    return [(body.mass / 6.0, body.com + side * arm, none) for arm in arms.T for side in (1, -1)]


def joint_pose(joint: supple.joints.Joint, x: Array) -> Poses:
    """Poses of B in A at the user's coordinates (k, nq)."""
    R, p = np.tile(np.eye(3), (len(x), 1, 1)), np.zeros((len(x), 3))
    i = 0
    for motion in joint.motions:
        if motion.kind == "rotate":
            R = R @ Rotation.from_rotvec(x[:, i, None] * motion.axis).as_matrix()
            i += 1
        elif motion.kind == "translate":
            p = p + R @ motion.axis * x[:, i, None]
            i += 1
        else:
            R = Rotation.from_quat(x[:, [1, 2, 3, 0]]).as_matrix()
            p = x[:, 4:7] if motion.kind == "free" else p
    return R, p


@dataclass(frozen=True)
class Motion:
    """What the differences give, all in world axes.

    place, velocity, acceleration : of the mass points (points, 3)
    """

    place: Array
    velocity: Array
    acceleration: Array


class Cloud:
    """The mass points of a model."""

    def __init__(self, model: supple.Model, eq: Equations) -> None:
        self.model, self.eq = model, eq
        c = eq.compiled
        self.fields = {
            name: field_of(model.bodies[name], record.point_masses)
            for name, record in c.flexible.items()
        }
        self.points = {
            name: self.fields[name].mass_points() if name in self.fields else rigid_points(body)
            for name, body in model.bodies.items()
        }
        for point in model.point_masses.values():
            name = point.frame.body.name
            if name not in self.fields:
                self.points[name].append((point.mass, point.frame.position, np.zeros((3, 0))))
        self.mass = np.array([m for points in self.points.values() for m, _, _ in points])
        ends = np.cumsum([0, *(len(points) for points in self.points.values())])
        self.slices = {
            name: slice(a, b) for name, a, b in zip(self.points, ends, ends[1:], strict=False)
        }

    def local(self, frame: supple.Frame, q: Array) -> Poses:
        """Poses of a frame in its body's own axes, at states (k, nq)."""
        R = np.tile(frame.rotation, (len(q), 1, 1))
        if frame.body.name not in self.fields:
            return R, np.tile(frame.position, (len(q), 1))
        own = self.elastic(frame.body.name, q)
        move, turn = self.fields[frame.body.name].frame(frame.position[0])
        return Rotation.from_rotvec(own @ turn.T).as_matrix() @ R, frame.position + own @ move.T

    def elastic(self, name: str, q: Array) -> Array:
        """Elastic coordinates of a beam and amplitudes of its slaved shapes, at states (k, nq)."""
        own = q[:, self.eq.compiled.flexible[name].q]
        return np.hstack([own, self.fields[name].amplitudes(own)])

    def bodies(self, q: Array) -> dict[str, Poses]:
        """World poses of all bodies at states (k, nq)."""
        found = {"ground": (np.tile(np.eye(3), (len(q), 1, 1)), np.zeros((len(q), 3)))}
        for edge in self.model.spanning_tree().tree:
            joint = self.model.joints[edge.joint]
            record = self.eq.compiled.joints[edge.joint]
            R, p = joint_pose(joint, record.to_user(q, np.zeros((len(q), self.eq.nu)))[0])
            inner, outer = joint.A, joint.B
            if edge.reversed:
                inner, outer = outer, inner
                R = np.swapaxes(R, 1, 2)
                p = -np.einsum("kij,kj->ki", R, p)
            R, p = _then(self._place(found, inner, q), (R, p))
            R_own, p_own = self.local(outer, q)
            R = R @ np.swapaxes(R_own, 1, 2)
            found[edge.child] = R, p - np.einsum("kij,kj->ki", R, p_own)
        return found

    def _place(self, found: dict[str, Poses], frame: supple.Frame, q: Array) -> Poses:
        return _then(found[frame.body.name], self.local(frame, q))

    def frames(self, q: Array, frames: list[supple.Frame]) -> list[Poses]:
        """World poses of frames at states (k, nq)."""
        found = self.bodies(q)
        return [self._place(found, frame, q) for frame in frames]

    def places(self, q: Array) -> Array:
        """World places (k, points, 3) of the mass points at states (k, nq)."""
        found, rows = self.bodies(q), []
        for name, points in self.points.items():
            R, p = found[name]
            x = np.array([place for _, place, _ in points])[None]
            if name in self.fields:
                shape = np.array([S for _, _, S in points])
                x = x + np.einsum("pin,kn->kpi", shape, self.elastic(name, q))
            rows.append(
                p[:, None]
                + np.einsum("kij,kpj->kpi", R, np.broadcast_to(x, (len(q), *x.shape[1:])))
            )
        return np.concatenate(rows, axis=1)

    # ------------------------------------------------------------------------ differences

    def around(self, q: Array) -> Array:
        """States (6 nu, nq) beside q along every velocity."""
        rows = [self.eq.retract(q, k * STEP * e) for e in np.eye(self.eq.nu) for k in POINTS]
        return np.array(rows).reshape(-1, self.eq.nq)

    def jacobian(self, q: Array) -> Array:
        """Velocities (nu, points, 3) of the mass points for unit velocities."""
        x = self.places(self.around(q)).reshape(-1, 6, len(self.mass), 3)
        return np.einsum("s,ksp...->kp...", WEIGHTS / STEP, x)

    def frame_jacobian(self, q: Array, frame: supple.Frame) -> tuple[Poses, Array]:
        """World pose of a frame, and its twists (nu, 6) [angular; linear] for unit velocities."""
        (now,) = self.frames(q[None], [frame])
        ((R, p),) = self.frames(self.around(q), [frame])
        R_dot = np.einsum("s,ksij->kij", WEIGHTS / STEP, R.reshape(-1, 6, 3, 3))
        p_dot = np.einsum("s,ksi->ki", WEIGHTS / STEP, p.reshape(-1, 6, 3))
        return (now[0][0], now[1][0]), np.hstack([axial(R_dot @ now[0][0].T), p_dot])

    def double_path(self, q: Array, u: Array) -> Array:
        """States (36, nq): steps along u, from steps along u. Two derivatives are right."""
        starts = [self.eq.retract(q, i * LONG_STEP * u) for i in POINTS]
        return np.array([self.eq.retract(x, k * LONG_STEP * u) for x in starts for k in POINTS])

    def frame_acceleration(self, q: Array, u: Array, a: Array, frame: supple.Frame) -> Array:
        """[angular; linear] acceleration (6,) of a frame."""
        ((R_now, _), J) = self.frame_jacobian(q, frame)
        ((R, p),) = self.frames(self.double_path(q, u), [frame])
        w = WEIGHTS / LONG_STEP
        # R'' R^T = alpha~ + w~ w~, of which only the first part is skew
        R_second = np.einsum("s,t,stij->ij", w, w, R.reshape(6, 6, 3, 3))
        p_second = np.einsum("s,t,sti->i", w, w, p.reshape(6, 6, 3))
        return a @ J + np.concatenate([axial(R_second @ R_now.T), p_second])

    def motion(self, q: Array, u: Array, a: Array) -> Motion:
        """Places, velocities and accelerations of the mass points."""
        J = self.jacobian(q)
        x = self.places(self.double_path(q, u)).reshape(6, 6, -1, 3)
        w = WEIGHTS / LONG_STEP
        velocity, linear = (np.einsum("k,kpi->pi", y, J) for y in (u, a))
        turning = np.einsum("s,t,stpi->pi", w, w, x)
        return Motion(self.places(q[None])[0], velocity, linear + turning)

    def mass_matrix(self, q: Array) -> Array:
        """Sum over the points of m J J^T, (nu, nu)."""
        J = self.jacobian(q)
        return np.einsum("p,kpi,lpi->kl", self.mass, J, J)

    def momentum(self, q: Array, u: Array) -> Array:
        """[angular about the world's origin; linear] (6,)."""
        x, v = self.places(q[None])[0], np.einsum("k,kpi->pi", u, self.jacobian(q))
        return np.concatenate([self.mass @ np.cross(x, v), self.mass @ v])

    def energies(self, q: Array, u: Array) -> tuple[float, float, float]:
        """Kinetic energy, that of gravity, and strain energy (J)."""
        x, v = self.places(q[None])[0], np.einsum("k,kpi->pi", u, self.jacobian(q))
        strain = 0.0
        for name, field in self.fields.items():
            own = q[self.eq.compiled.flexible[name].q]
            strain += 0.5 * own @ field.stiffness() @ own if len(own) else 0.0
        kinetic = 0.5 * self.mass @ np.sum(v * v, axis=1)
        return float(kinetic), float(-self.mass @ x @ self.model.gravity), float(strain)

    def residual(self, t: float, q: Array, u: Array, a: Array) -> Array:
        """M a + h - applied forces (nu,), with forces that act at frames."""
        J, moving = self.jacobian(q), self.motion(q, u, a)
        load = self.mass[:, None] * (moving.acceleration - self.model.gravity)
        r: Array = np.einsum("kpi,pi->k", J, load)
        for name, field in self.fields.items():
            record = self.eq.compiled.flexible[name]
            if record.modal.n:
                shape = np.array([S[:, : record.modal.n] for _, _, S in self.points[name]])
                mass = self.mass[self.slices[name]]
                M, K = np.einsum("p,pia,pib->ab", mass, shape, shape), field.stiffness()
                damping = field.beam.damping or supple.Rayleigh()
                C = damping.stiffness * K + damping.mass * M
                r[record.u] += K @ q[record.q] + C @ u[record.u]
        for force in self.model.forces.values():
            for frame, torque, pull in self.loads(force, t, q, u):
                if frame.body.name != "ground":
                    r -= self.frame_jacobian(q, frame)[1] @ np.concatenate([torque, pull])
        return r

    def loads(
        self, force: supple.forces.ForceElement, t: float, q: Array, u: Array
    ) -> list[tuple[supple.Frame, Array, Array]]:
        """Torques and forces at frames (world axes) of a force element."""
        if isinstance(force, supple.Force):
            R = self.frames(q[None], [force.frame])[0][0][0]
            axes = R if force.axes == "body" else np.eye(3)
            push, torque = (axes @ [x(t) for x in part] for part in (force.force, force.torque))
            return [(force.frame, torque, push)]
        if isinstance(force, supple.SpringDamper):
            (_, pa), Ja = self.frame_jacobian(q, force.A)
            (_, pb), Jb = self.frame_jacobian(q, force.B)
            distance = np.linalg.norm(pb - pa)
            n = (pb - pa) / distance
            pull = spring_law(force, distance - force.length, n @ (u @ (Jb - Ja)[:, 3:])) * n
            return [(force.A, np.zeros(3), pull), (force.B, np.zeros(3), -pull)]
        if isinstance(force, supple.CartesianSpring):
            ((_, pa), Ja), ((_, pb), Jb) = (self.frame_jacobian(q, f) for f in (force.A, force.B))
            rate = u @ (Jb - Ja)[:, 3:]
            pull = force.stiffness * (pb - pa - force.rest) + force.damping * rate
            return [(force.A, np.zeros(3), pull), (force.B, np.zeros(3), -pull)]
        if isinstance(force, supple.Bushing):
            sides = []
            for frame in (force.A, force.B):
                (R, p), J = self.frame_jacobian(q, frame)
                sides.append((R, p, *np.split(u @ J, 2)))
            push, torque = bushing_law(force, *sides)
            arm = np.cross(sides[1][1] - sides[0][1], push)
            return [(force.A, -torque - arm, -push), (force.B, torque, push)]
        if isinstance(force, supple.DistributedLoad):
            beam = self.model.bodies[force.frame.body.name]
            parts, density = [], np.array([x(t) for x in force.force])
            turn = force.frame.rotation
            for x, weight in force.points(beam, 4 if force.axes != "section" else 3):
                frame = beam.at(x, rotation=turn)
                axes = np.eye(3)
                if force.axes == "body":
                    axes = self.bodies(q[None])[beam.name][0][0] @ turn
                elif force.axes == "section":
                    axes = self.frames(q[None], [frame])[0][0][0]
                parts.append((frame, np.zeros(3), weight * axes @ density))
            return parts
        return []


def bushing_law(f: supple.Bushing, A: tuple, B: tuple) -> tuple[Array, Array]:
    """Force and torque on B's frame; A and B are (axes, place, angular velocity, velocity)."""
    (Ra, pa, wa, va), (Rb, pb, wb, vb) = A, B
    d, turning = Ra.T @ (pb - pa), Ra.T @ (wb - wa)
    rate = Ra.T @ (vb - va - np.cross(wa, pb - pa))
    phi = Rotation.from_matrix(Ra.T @ Rb).as_rotvec()
    angle = np.linalg.norm(phi)
    S = np.cross(np.eye(3), phi)
    # inverse of the left Jacobian of the exponential map
    half = angle / 2
    factor = (1 - half / np.tan(half)) / angle**2 if angle > 1e-4 else 1 / 12
    L = np.eye(3) - S / 2 + factor * S @ S
    K, C = (np.diag(x) if x.ndim == 1 else x for x in (f.stiffness, f.damping))
    load = K @ [*d, *phi] + C @ [*rate, *(L @ turning)] - f.preload
    return -Ra @ load[:3], -Ra @ L.T @ load[3:]


def spring_law(f: supple.SpringDamper | supple.JointSpring, x: float, v: float) -> float:
    """What a spring with damper resists with at a deflection and its rate, without cubic term."""
    total = f.stiffness * x + f.damping * v
    if f.spring is not None:
        total += float(f.spring(x))
    if isinstance(f.damper, supple.TableLaw):
        total += float(f.damper(v))
    elif f.damper is not None:
        total += float(f.damper(x, v))
    return total


def _then(outer: Poses, inner: Poses) -> Poses:
    return outer[0] @ inner[0], outer[1] + np.einsum("kij,kj->ki", outer[0], inner[1])
