"""Dynamics of any model of rigid bodies, with or without loops, in natural coordinates.

A body has twelve coordinates: its origin r and the three columns of its rotation matrix. The mass
matrix is constant, joints are linear or bilinear in the coordinates and rigidity is quadratic, so
there are no angles, angular velocities, gyroscopic terms or trees. Redundant equations do no harm:
accelerations are found in the null space of the constraints. Only the vocabulary of a `Model` is
read, of Supple's engine nothing is used.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import qr, solve_triangular

from supple.bodies.base.rigid import RigidBody
from supple.forces import JointEffort, SpringDamper
from supple.joints import Prismatic, Revolute

RANK = 1e-7  # pivots below this part of the largest count as zero


def turn(axis, angle):
    """Rotation about a unit axis."""
    x, y, z = axis
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)


def motion(joint, q):
    """Pose of B in A of a revolute or prismatic joint."""
    if isinstance(joint, Revolute):
        return turn(joint.axis, q), np.zeros(3)
    assert isinstance(joint, Prismatic)
    return np.eye(3), q * joint.axis


def poses(model, coordinates=None):
    """Pose (R, p) of each body in the world by the joints that do not close loops.

    A joint whose first side has no place yet is taken when it can be, from either side.
    """
    found = {"ground": (np.eye(3), np.zeros(3))}
    waiting = list(model.joints.values())
    while waiting:
        joint = next(j for j in waiting if {j.A.body.name, j.B.body.name} & set(found))
        waiting.remove(joint)
        a, b = joint.A, joint.B
        if a.body.name in found and b.body.name in found:
            continue
        q = float((coordinates or {}).get(joint.name, joint.initial[0]))
        R, p = motion(joint, q)
        if a.body.name in found:
            Ra, pa = world(found, a)
            R, p = Ra @ R, pa + Ra @ p
            R, p = R @ b.rotation.T, p - R @ b.rotation.T @ b.position
            found[b.body.name] = R, p
        else:
            Rb, pb = world(found, b)
            R, p = Rb @ R.T, pb - Rb @ R.T @ p
            found[a.body.name] = R @ a.rotation.T, p - R @ a.rotation.T @ a.position
    return found


def world(found, frame):
    """Pose of a frame in the world."""
    R, p = found[frame.body.name]
    return R @ frame.rotation, p + R @ frame.position


class Natural:
    """The equations of a model; q (12 n) holds r, e1, e2, e3 of each body."""

    def __init__(self, model):
        self.model = model
        self.names = [n for n, b in model.bodies.items() if isinstance(b, RigidBody)]
        assert len(self.names) == len(model.bodies)
        self.n = 12 * len(self.names)
        self.M = np.zeros((self.n, self.n))
        self.weight = np.zeros(self.n)
        for name, body in model.bodies.items():
            self._add_mass(name, body.mass, body.com, body.inertia_com)
        for point in model.point_masses.values():
            frame = point.frame
            self._add_mass(frame.body.name, point.mass, frame.position, np.zeros((3, 3)))

    def _add_mass(self, name, mass, com, inertia):
        second = 0.5 * np.trace(inertia) * np.eye(3) - inertia + mass * np.outer(com, com)
        first = mass * com[:, None]
        block = np.block([[np.array([[mass]]), first.T], [first, second]])
        k = 12 * self.names.index(name)
        self.M[k : k + 12, k : k + 12] += np.kron(block, np.eye(3))
        self.weight[k : k + 12] += np.kron(block[0], self.model.gravity)

    def point(self, frame, q):
        """Place of a frame's origin, and its derivative (3, n), which is constant."""
        D = self.vector(frame.body.name, frame.position)
        if frame.body.name == "ground":
            return frame.position, D
        k = 12 * self.names.index(frame.body.name)
        D[:, k : k + 3] += np.eye(3)
        return D @ q, D

    def vector(self, name, v):
        """Derivative (3, n) of the vector that has the components v in the axes of a body."""
        D = np.zeros((3, self.n))
        if name != "ground":
            k = 12 * self.names.index(name)
            D[:, k + 3 : k + 12] = np.kron(v, np.eye(3))
        return D

    def axis(self, frame, v, q):
        """Vector with components v in the axes of a frame, in the world, and its derivative."""
        own = frame.rotation @ v
        D = self.vector(frame.body.name, own)
        return (own if frame.body.name == "ground" else D @ q), D

    def jacobian(self, q):
        """Derivative of all constraints, affine in q."""
        rows = []
        for k in range(0, self.n, 12):
            e = q[k + 3 : k + 12].reshape(3, 3)
            for i in range(3):
                for j in range(i + 1):
                    row = np.zeros(self.n)
                    row[k + 3 + 3 * i : k + 6 + 3 * i] += e[j]
                    row[k + 3 + 3 * j : k + 6 + 3 * j] += e[i]
                    rows.append(row)
        for joint in self.model.joints.values():
            rows += self._joint_rows(joint, q)
        return np.array(rows)

    def _joint_rows(self, joint, q):
        a, b = joint.A, joint.B
        pa, Da = self.point(a, q)
        pb, Db = self.point(b, q)
        rows = []
        if isinstance(joint, Revolute):
            rows += list(Db - Da)
            # the axis has the same components in both frames
            rows += list(self.axis(b, joint.axis, q)[1] - self.axis(a, joint.axis, q)[1])
            return rows
        assert isinstance(joint, Prismatic)
        for v in np.eye(3):
            rows += list(self.axis(b, v, q)[1] - self.axis(a, v, q)[1])
            across = np.cross(joint.axis, v)
            e, De = self.axis(a, across, q)
            rows.append(e @ (Db - Da) + (pb - pa) @ De)
        return rows

    def forces(self, q, v):
        """Generalized forces (n,)."""
        f = self.weight.copy()
        for force in self.model.forces.values():
            if isinstance(force, SpringDamper):
                pa, Da = self.point(force.A, q)
                pb, Db = self.point(force.B, q)
                d = pb - pa
                length = np.linalg.norm(d)
                pull = force.stiffness * (length - force.length)
                pull += force.damping * d @ (Db - Da) @ v / length
                f -= pull * d @ (Db - Da) / length
            else:
                assert isinstance(force, JointEffort)
                joint = self.model.joints[force.joint]
                torque = force.effort(0.0) * self.axis(joint.A, joint.axis, q)[0]
                for side, sign in ((joint.A, -1.0), (joint.B, 1.0)):
                    if side.body.name != "ground":
                        k = 12 * self.names.index(side.body.name)
                        for i in range(3, 12, 3):  # half of it turns each pair of axes
                            e = q[k + i : k + i + 3]
                            f[k + i : k + i + 3] += 0.5 * sign * np.cross(torque, e)
        return f

    def accelerations(self, q, v):
        """The accelerations (n,), and the number of degrees of freedom."""
        constraint = self.jacobian(q)
        rate = self.jacobian(v) - self.jacobian(np.zeros(self.n))
        # independent equations by pivoting; the others follow from them
        Q, R, rows = qr(constraint.T, pivoting=True)
        diagonal = np.abs(np.diag(R))
        rank = int((diagonal > RANK * diagonal[0]).sum())
        y = solve_triangular(R[:rank, :rank], (-rate @ v)[rows[:rank]], trans=1)
        particular, N = Q[:, :rank] @ y, Q[:, rank:]
        force = self.forces(q, v) - self.M @ particular
        return particular + N @ np.linalg.solve(N.T @ self.M @ N, N.T @ force), N.shape[1]

    def reactions(self, q, v):
        """Forces (3,) by A on B in joints that are all revolute, the smallest where not unique."""
        left = self.forces(q, v) - self.M @ self.accelerations(q, v)[0]
        multipliers = np.linalg.lstsq(self.jacobian(q).T, left, rcond=RANK)[0]
        rows = multipliers[len(self.names) * 6 :].reshape(-1, 6)  # of a joint: point, then axis
        return {name: -row[:3] for name, row in zip(self.model.joints, rows, strict=True)}

    def start(self):
        """Coordinates and velocities (n,) at the start."""
        joints = self.model.joints.items()
        values = {name: joint.initial[0] for name, joint in joints}
        return self.state(values, {name: joint.initial_rate[0] for name, joint in joints})

    def state(self, values, rates, step=1e-6):
        """The same for values and rates of the joints; velocities by differences of poses."""
        fastest = max(1.0, *(abs(rate) for rate in rates.values()))
        step = step / fastest
        rows = []
        for t in (-2 * step, -step, step, 2 * step):
            moved = {name: value + t * rates[name] for name, value in values.items()}
            rows.append(self.flat(poses(self.model, moved)))
        v = (rows[0] - 8 * rows[1] + 8 * rows[2] - rows[3]) / (12 * step)
        return self.flat(poses(self.model, values)), v

    def energies(self, q, v):
        """Kinetic energy, potential energy of gravity and energy in springs, J."""
        elastic = 0.0
        for force in self.model.forces.values():
            if isinstance(force, SpringDamper):
                length = np.linalg.norm(self.point(force.B, q)[0] - self.point(force.A, q)[0])
                elastic += 0.5 * force.stiffness * (length - force.length) ** 2
        return 0.5 * v @ self.M @ v, -self.weight @ q, elastic

    def flat(self, found):
        """Coordinates (n,) of poses."""
        return np.concatenate([np.concatenate([found[n][1], *found[n][0].T]) for n in self.names])

    def run(self, times, tolerance=1e-10):
        """Coordinates and velocities (nt, n) at the times; the start is made consistent."""
        q, v = self.start()
        G = self.jacobian(q)
        v = v - np.linalg.lstsq(G, G @ v, rcond=RANK)[0]

        def rhs(t, y):
            return np.concatenate([y[self.n :], self.accelerations(y[: self.n], y[self.n :])[0]])

        run = solve_ivp(
            rhs,
            (0.0, times[-1]),
            np.concatenate([q, v]),
            "DOP853",
            t_eval=times,
            rtol=tolerance,
            atol=tolerance,
        )
        assert run.success
        return run.y[: self.n].T, run.y[self.n :].T
