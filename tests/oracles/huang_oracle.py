"""Huang1998, chapter 2, in corrected form: dynamics of trees of rigid and flexible bodies in NumPy.

Bodies are free, each with the velocities Y' = [angular; linear; elastic rates]; the velocity
transformation Y' = B u ties them together:

    B^T M B a = B^T (Q_v + Q_c + Q_s + Q_0 - M B' u)                              (2.144)

The inertia of a body comes from integrals of its shape functions (2.26)-(2.37), computed here by
quadrature of the beam's field; `flexible_oracle.Field` knows it from the displacements of the nodes
alone. Nothing of the kernels, of the mesh's mass matrix or of its integrals is used. Coordinates,
rates and accelerations are dicts by the names of joints and flexible bodies, as in oracle.py, or
flat vectors in the order of `velocity_transformation(model).columns`.

`printed_qv` leaves out of the quadratic velocity vector what (2.62) and (2.63) leave out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

import supple
from oracles import oracle
from oracles.flexible_oracle import field_of
from oracles.oracle import cross_matrix
from supple.formulations.transformation import VelocityTransformation, velocity_transformation

Array = NDArray[np.float64]
Values = Mapping[str, ArrayLike]

CYCLIC = ((0, 1, 2), (1, 2, 0), (2, 0, 1))  # k, l, m of (2.34) and (2.37)


@dataclass(frozen=True)
class ShapeIntegrals:
    """A body as (2.26)-(2.37) see it: integrals of places u0 and shapes S over its mass.

    m : kg
    N0, N : (3,), (3, n) of u0 and S, (2.32)
    UU : (3, 3) of u0_p u0_q
    US : (3, 3, n) of u0_p S_q, (2.53)
    SS : (3, 3, n, n) of S_p^T S_q, (2.54)
    K, C : (n, n) stiffness (2.81) and damping
    """

    m: float
    N0: Array
    N: Array
    UU: Array
    US: Array
    SS: Array
    K: Array
    C: Array

    @classmethod
    def of_beam(
        cls, beam: supple.Beam, masses: Sequence[tuple[float, float]], further: Sequence = ()
    ) -> ShapeIntegrals:
        """Integrate over a beam with point masses (station, mass) on it.

        Masses of `further` ride on the shape functions of the last element too, and may be beyond
        its end; they do not take part in the choice of the elastic coordinates.
        """
        field = field_of(beam, tuple(masses))
        points = field.mass_points()
        points += [(m, np.array([x, 0.0, 0.0]), field.frame(x)[0]) for x, m in further]
        dm = np.array([m for m, _, _ in points])
        u0, S = np.array([u for _, u, _ in points]), np.array([S for _, _, S in points])
        SS = np.einsum("x,xpa,xqb->pqab", dm, S, S)
        K = field.stiffness()
        rayleigh = beam.damping or supple.Rayleigh()
        return cls(
            m=float(dm.sum()),
            N0=dm @ u0,
            N=np.einsum("x,xpa->pa", dm, S),
            UU=np.einsum("x,xp,xq->pq", dm, u0, u0),
            US=np.einsum("x,xp,xqa->pqa", dm, u0, S),
            SS=SS,
            K=K,
            C=rayleigh.stiffness * K + rayleigh.mass * sum(SS[p, p] for p in range(3)),
        )

    @classmethod
    def of_rigid(cls, mass: float, com: Array, inertia: Array) -> ShapeIntegrals:
        """A body without shapes; the inertia is about its origin."""
        UU = 0.5 * np.trace(inertia) * np.eye(3) - inertia
        none = np.zeros((0, 0))
        return cls(
            mass, mass * com, np.zeros((3, 0)), UU, np.zeros((3, 3, 0)), np.zeros((3, 3, 0, 0)),
            none, none,
        )  # fmt: skip

    # ------------------------------------------------------- at elastic coordinates q, body axes

    def N_t(self, q: Array) -> Array:
        """First moment (3,), (2.32)."""
        return self.N0 + self.N @ q

    @cached_property
    def m_ff(self) -> Array:
        """Mass matrix (n, n) of the elastic coordinates, (2.31)."""
        return self.SS[0, 0] + self.SS[1, 1] + self.SS[2, 2]

    @cached_property
    def I_parts(self) -> tuple[Array, Array, Array]:
        """Value (3, 3), slope (3, 3, n) and curvature (3, 3, n, n) of the inertia at q = 0."""
        UU, US, SS, n = self.UU, self.US, self.SS, len(self.K)
        I0, I1, I2 = np.zeros((3, 3)), np.zeros((3, 3, n)), np.zeros((3, 3, n, n))
        for k, l, m in CYCLIC:
            I0[k, k] = UU[l, l] + UU[m, m]  # (2.34)
            I1[k, k] = 2.0 * (US[l, l] + US[m, m])
            I2[k, k] = 2.0 * (SS[l, l] + SS[m, m])
            for i, j in ((l, m), (m, l)):
                I0[i, j] = -UU[l, m]  # (2.35)
                I1[i, j] = -(US[l, m] + US[m, l])
                I2[i, j] = -(SS[l, m] + SS[m, l])
        return I0, I1, I2

    def I(self, q: Array) -> Array:  # noqa: E743
        """Inertia (3, 3) about the body's origin, (2.33)-(2.35)."""
        I0, I1, I2 = self.I_parts
        return I0 + (I1 + 0.5 * I2 @ q) @ q

    def I_slope(self, q: Array) -> Array:
        """Derivative (3, 3, n) of the inertia by the elastic coordinates, (2.67), (2.68)."""
        _, I1, I2 = self.I_parts
        return I1 + I2 @ q

    @cached_property
    def S_k(self) -> Array:
        """Skew integrals (3, n, n) of S_l^T S_m - S_m^T S_l, of (2.37)."""
        return np.array([self.SS[l, m] - self.SS[m, l] for _, l, m in CYCLIC])

    def I_phif(self, q: Array) -> Array:
        """Coupling (3, n) of angular velocity and elastic rates, (2.37)."""
        return np.array([self.US[l, m] - self.US[m, l] for _, l, m in CYCLIC]) + q @ self.S_k

    def mass_matrix(self, A: Array, q: Array, G: Array | None = None) -> Array:
        """Mass matrix (6 + n, 6 + n) for [angular; linear; elastic], (2.25).

        The angular velocity in body axes is G times the first three velocities; world axes: A^T.
        """
        G = A.T if G is None else G
        M = np.zeros((6 + len(q), 6 + len(q)), dtype=np.result_type(A, q))
        M[:3, :3] = G.T @ self.I(q) @ G  # (2.29)
        M[:3, 3:6] = G.T @ cross_matrix(self.N_t(q)) @ A.T  # (2.27), transposed
        M[:3, 6:] = G.T @ self.I_phif(q)  # (2.30)
        M[3:6, 3:6] = self.m * np.eye(3)  # (2.26)
        M[3:6, 6:] = A @ self.N  # (2.28)
        M[6:, 6:] = self.m_ff  # (2.31)
        M[3:6, :3], M[6:, :3], M[6:, 3:6] = M[:3, 3:6].T, M[:3, 6:].T, M[3:6, 6:].T
        return M

    def Q_v(self, A: Array, w: Array, q: Array, u: Array, printed: bool = False) -> Array:
        """Quadratic velocity vector (6 + n,), rows [angular; linear] in world axes.

        `w` is the angular velocity in body axes. With the angular velocity in place of Euler
        rates G' phi' = 0, and the terms of the thesis that contain it are not here.
        """
        spin = cross_matrix(w)
        b = self.N @ u  # (2.59)
        slope = self.I_slope(q)
        Q_r = -spin @ (spin @ self.N_t(q) + 2.0 * b)  # (2.58)
        Q_phi = -(slope @ u) @ w  # (2.62) as printed
        Q_f = 0.5 * w @ (w @ slope)  # (2.63) as printed, with (2.64)
        if not printed:
            Q_phi -= spin @ (self.I(q) @ w + self.I_phif(q) @ u)
            Q_f += 2.0 * np.tensordot(w, self.S_k, 1) @ u
        return np.concatenate([A @ Q_phi, A @ Q_r, Q_f])

    def Q_v_by_definition(self, A: Array, w: Array, v: Array, q: Array, u: Array) -> Array:
        """The same from -M' Y' + 1/2 d(Y'^T M Y')/dY (2.56), by complex steps.

        Orientations near A are A exp(phi~), with the angular velocity T(phi) phi' in body axes.
        To first order both are linear in phi, and phi' = w, phi'' = w' at phi = 0.
        """
        step = 1e-30
        rates = np.concatenate([w, v, u])

        def slope(direction: Array) -> Array:
            phi, s = 1j * step * cross_matrix(direction[:3]), q + 1j * step * direction[6:]
            M = self.mass_matrix(A @ (np.eye(3) + phi), s, np.eye(3) - 0.5 * phi)
            return M.imag / step

        Q = -slope(rates) @ rates
        Q += [0.5 * rates @ slope(e) @ rates for e in np.eye(len(rates))]
        return np.concatenate([A @ Q[:3], Q[3:]])


class Tree:
    """The equations of a model by chapter 2; force elements other than gravity are left out.

    method : construction of B and B'
    printed_qv : quadratic velocity vector as printed
    further : point masses (station, mass) on beams by name, possibly beyond the end of the beam
    """

    def __init__(
        self,
        model: supple.Model,
        method: str = "path",
        printed_qv: bool = False,
        further: Mapping[str, Sequence[tuple[float, float]]] | None = None,
    ) -> None:
        self.model, self.method, self.printed_qv = model, method, printed_qv
        self.start = velocity_transformation(model)  # for the order of its columns
        self.nu = self.start.B.shape[1]
        self.integrals = {}
        for name, body in model.bodies.items():
            if isinstance(body, supple.Beam):
                on_it = [p for p in model.point_masses.values() if p.frame.body.name == name]
                masses = [(float(p.frame.position[0]), p.mass) for p in on_it]
                more = (further or {}).get(name, ())
                self.integrals[name] = ShapeIntegrals.of_beam(body, masses, more)
            else:
                self.integrals[name] = ShapeIntegrals.of_rigid(*oracle.body_inertia(model, name))

    def transformation(
        self, q: Values, u: Values | Array | None = None
    ) -> tuple[VelocityTransformation, Array]:
        """B and B', and the rates as a vector, zero if none are given."""
        rates = np.zeros(self.nu) if u is None else oracle.stack(self.start, u)
        given = oracle.split(self.start, rates)
        return velocity_transformation(self.model, q, given, method=self.method), rates

    def elastic(self, name: str, values: Values) -> Array:
        """Elastic coordinates or rates (n,) of a body, empty for a rigid one."""
        n = len(self.integrals[name].K)
        return np.asarray(values.get(name, np.zeros(n)), dtype=float).reshape(-1)

    def mass_matrix(self, q: Values) -> Array:
        """B^T M B (nu, nu)."""
        t, _ = self.transformation(q)
        total = np.zeros((t.B.shape[1],) * 2)
        for name, (A, _) in t.poses.items():
            J = t.B[t.bodies[name]]
            total += J.T @ self.integrals[name].mass_matrix(A, self.elastic(name, q)) @ J
        return total

    def equations(self, q: Values, u: Values | Array) -> tuple[Array, Array]:
        """B^T M B (nu, nu) and the right side (nu,) of (2.144)."""
        t, rates = self.transformation(q, u)
        left, right = np.zeros((len(rates), len(rates))), np.zeros(len(rates))
        for name, (A, _) in t.poses.items():
            body, rows = self.integrals[name], t.bodies[name]
            x, B = self.elastic(name, q), t.B[rows]
            velocity = B @ rates
            M = body.mass_matrix(A, x)
            Q = body.Q_v(A, A.T @ velocity[:3], x, velocity[6:], self.printed_qv)
            Q += M[:, 3:6] @ self.model.gravity  # Q_c of (2.73), all mass points together
            Q[6:] -= body.K @ x + body.C @ velocity[6:]  # Q_s (2.83) and the damping in Q_0
            left += B.T @ M @ B
            right += B.T @ (Q - M @ (t.B_dot[rows] @ rates))
        return left, right

    def accelerations(self, q: Values, u: Values | Array) -> Array:
        """Accelerations (nu,) of joints and elastic coordinates."""
        a: Array = np.linalg.solve(*self.equations(q, u))
        return a

    def energies(self, q: Values, u: Values | Array) -> tuple[float, float, float]:
        """Kinetic energy, that of gravity (2.75 corrected) and of strain (2.84 corrected), J."""
        t, rates = self.transformation(q, u)
        kinetic = gravity = strain = 0.0
        for name, (A, p) in t.poses.items():
            body, x = self.integrals[name], self.elastic(name, q)
            velocity = t.B[t.bodies[name]] @ rates
            kinetic += 0.5 * velocity @ body.mass_matrix(A, x) @ velocity
            gravity -= float(np.dot(self.model.gravity, body.m * p + A @ body.N_t(x)))
            strain += 0.5 * x @ body.K @ x
        return float(kinetic), gravity, float(strain)

    def momentum(self, q: Values, u: Values | Array) -> Array:
        """Momentum (6,): angular about the world origin (kg m2/s), linear (kg m/s)."""
        t, rates = self.transformation(q, u)
        total = np.zeros(6)
        for name, (A, p) in t.poses.items():
            velocity = t.B[t.bodies[name]] @ rates
            M = self.integrals[name].mass_matrix(A, self.elastic(name, q))
            own = M[:6] @ velocity
            total += np.concatenate([own[:3] + np.cross(p, own[3:]), own[3:]])
        return total
