"""Huang's verdict on order N, examined with his own arm.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
chapter 5, finds the order-N recursion (5.10)-(5.18) inaccurate, slow and chaotic where joint
coordinates are none of it. (5.18) has p on its right side where P is meant. As printed, p vanishes:
what the velocities of outer bodies do is never passed on to inner ones, and the equations are
others.

``accelerations`` is the recursion in plain NumPy, as printed or as meant, with the thesis's split
of the forces: its orientation coordinates are Euler angles z, x, z, which for this arm are the
joint angles themselves, so that of the velocity terms only the acceleration of the beam's origin is
in (5.17). It is a check and shares nothing with the engine's recursion but the equations of motion.

Reference: as meant, the independent Lagrangian of ``huang-two-link-damped``, angles to 1e-6 rad
and the energy lost to 1e-7 J; as printed, an independent computation that is
known to two digits: 0.024 J lost at most where damping takes 0.0104 J, the shoulder off by 0.04
rad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from supple.bodies.base.rigid import PointMass
from supple.cases.arms import huang
from supple.cases.arms.huang_flexible import ALPHA, beam, measure_arm, two_link_arm
from supple.cases.case import Case, ModelCase, Quantity, explicit, references
from supple.formulations.trees import JointCoordinates, OrderN
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.joints import Free
from supple.model import Model

Inverse = Callable[[Any], Any]

OFFSET = -0.231  # m, the elbow on z of link 1
BODIES = slice(0, 1), slice(1, 8)  # velocities of link 1; of link 2, elastic ones included
RTOL, ATOL = 1e-6, 1e-9


class Arm:
    """The damped arm with the terms of (5.10)-(5.18)."""

    def __init__(self, model: Model | None = None) -> None:
        self.equations = JointCoordinates().equations(model or two_link_arm(alpha=ALPHA))

    @cached_property
    def _beam(self) -> Any:
        """Equations of the beam with its tip mass alone, on a free joint."""
        m = Model(gravity=(0, 0, 0))
        link = m.add(beam("link2", 1, "all", 0.0))
        m.add(PointMass("tip", link.at(huang.LENGTH), huang.TIP_MASS))
        m.add(Free("free", m.ground.at(0), link.at(0)))
        return JointCoordinates().equations(m)

    def velocity_forces(self, q: Array, u: Array) -> Array:
        """The sum of P_ik q'_k before elimination, - H^T M H' q' (8,)."""
        c, s = np.cos(q[0]), np.sin(q[0])
        across = np.array([s, 0.0, c])  # the elbow's axis
        cc, ss = np.cos(q[1]), np.sin(q[1])
        turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ [[cc, -ss, 0], [ss, cc, 0], [0, 0, 1]]
        up, place = np.array([0.0, 1.0, 0.0]), OFFSET * across
        H = np.zeros((12, 8))
        H[:3, 0], H[3:6, 0], H[:3, 1] = up, np.cross(up, place), across
        H[6:, 2:] = np.eye(6)
        H[:3], H[3:6] = turn.T @ H[:3], turn.T @ H[3:6]  # axes of the beam
        alone = self._beam.q0
        alone[-6:] = q[2:]
        M = self._beam.mass_matrix(alone)
        pull = turn.T @ (-(u[0] ** 2) * place)  # acceleration of the beam's origin
        return np.asarray(-H.T @ M[:, 3:6] @ pull)

    def accelerations(
        self, q: Array, u: Array, printed: bool = False, inverse: Inverse = np.linalg.inv
    ) -> Array:
        """Accelerations (8,) by (5.10)-(5.18), with (5.18) as meant or as printed."""
        M = self.equations.mass_matrix(q)
        v = self.velocity_forces(q, u)
        f = -self.equations.residual(0.0, q, u, np.zeros(8)) - v
        return recursion(M, f, v, BODIES, printed, inverse)

    def run(
        self, t: Array, printed: bool = False, inverse: Inverse = np.linalg.inv, elbow: float = -1.0
    ) -> tuple[Array, Array]:
        """States (nt, 16) and total energies (nt,) at the times t, from rest."""
        from scipy.integrate import solve_ivp

        def rates(_: float, y: Array) -> Array:
            return np.concatenate([y[8:], self.accelerations(y[:8], y[8:], printed, inverse)])

        start = np.zeros(16)
        start[:2] = 1.5, elbow
        y = solve_ivp(rates, (t[0], t[-1]), start, "Radau", t, rtol=RTOL, atol=ATOL).y.T
        return y, np.array([sum(self.equations.energies(0.0, x[:8], x[8:])) for x in y])


def recursion(
    M: Array,
    f: Array,
    v: Array,
    bodies: tuple[slice, ...],
    printed: bool = False,
    inverse: Inverse = np.linalg.inv,
) -> Array:
    """Accelerations body by body, from the mass matrix (nu, nu).

    Forces f and velocity terms v are (nu,), ``bodies`` ranges of velocities, inner ones first.
    """
    n = len(bodies)
    J: dict[tuple[int, int], Array] = {}
    inverses, F, P = [M] * n, [f] * n, [v] * n
    for j in reversed(range(n)):
        outer = range(j + 1, n)
        for i in range(j + 1):  # (5.11), (5.12)
            J[j, i] = M[bodies[j], bodies[i]] - sum(
                J[k, j].T @ inverses[k] @ J[k, i] for k in outer
            )
        inverses[j] = inverse(J[j, j])
        F[j] = f[bodies[j]] - sum(J[k, j].T @ inverses[k] @ F[k] for k in outer)  # (5.13), (5.14)
        P[j] = v[bodies[j]]  # (5.17)
        if not printed:
            P[j] = P[j] - sum(J[k, j].T @ inverses[k] @ P[k] for k in outer)  # (5.18) as meant
    a = np.zeros(len(f))
    for i, own in enumerate(bodies):  # (5.10), (5.15), (5.16)
        a[own] = inverses[i] @ (F[i] + P[i] - sum(J[i, k] @ a[bodies[k]] for k in range(i)))
    return a


def inspect(model: Model) -> list[Quantity]:
    """Compare five seconds of both forms."""
    arm, t = Arm(model), np.linspace(0.0, 5.0, 501)
    right, energy = arm.run(t)
    wrong, lost = arm.run(t, printed=True)
    reference = references("huang_flexible")["huang-two-link-damped"]
    found = [
        Quantity(f"{joint} at {time:g} s as meant", right[round(100 * time), k], value, 1e-6)
        for time, values in zip(huang.TIMES, reference["angles"], strict=True)
        for k, (joint, value) in enumerate(zip(("shoulder", "elbow"), values, strict=True))
    ]
    dissipated = float(reference["dissipated"])
    found.append(Quantity("energy lost as meant", energy[0] - energy[-1], dissipated, 1e-7))
    found.append(Quantity("energy lost as printed", float(np.ptp(lost)), 0.024, 1e-3))
    off = float(np.abs(wrong[:, 0] - right[:, 0]).max())
    found.append(Quantity("error of the shoulder as printed", off, 0.04, 5e-3))
    return found


CASES = (
    Case(
        name="huang-order-n",
        title="two-link arm with a flexible beam, accelerations in order N",
        source="Huang 1998, chapter 5; independent Lagrangian, Runge-Kutta of order 8",
        times=huang.TIMES,
        build=two_link_arm,
        measure=measure_arm("huang_flexible", "huang-two-link"),
        integrator=explicit,
        formulation=OrderN,
    ),
    ModelCase(
        name="huang-order-n-misprint",
        title="the same arm, damped, with (5.18) as meant and as printed (takes half a minute)",
        source="Huang 1998, chapter 5; independent Lagrangian, Runge-Kutta of order 8",
        build=lambda: two_link_arm(alpha=ALPHA),
        inspect=inspect,
        long=True,
    ),
)
