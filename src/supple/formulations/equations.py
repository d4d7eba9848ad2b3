"""Equations of motion of a compiled model, whatever its spanning tree."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from supple.core.base.layout import WORK_RECORD
from supple.core.bodies import chart
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled, RowSets
from supple.engine.base.histories import RunHistory
from supple.engine.pack.kinds import refuse_cells
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.loops.assembly import Rows, rows_at
from supple.native.declare import Entry

TANGENTS = "an analysis with tangents (equilibria, linear models, sensitivities)"


class Energies(NamedTuple):
    """Energies in J: kinetic, of gravity (zero at the world's origin), elastic (springs)."""

    kinetic: float
    gravity: float
    elastic: float


class Tangents(NamedTuple):
    """The residual r (nu,) and its derivatives, and those of the controller rates.

    Rq, Ru, M (nu, nu) along q, u and a, Rz (nu, nz) along z; Gq, Gu (nz, nu) and Gz (nz, nz).
    """

    r: Array
    Rq: Array
    Ru: Array
    M: Array
    Rz: Array
    Gq: Array
    Gu: Array
    Gz: Array


class Equations:
    """Equations of motion of a compiled tree, R(t, q, u, a, z) = M a + h - forces + G' lam = 0.

    Holds a private workspace: use one for each thread. Arrays are coerced at this boundary.
    """

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self.work = np.zeros(WORK_RECORD.lengths(compiled.sizes)[0])
        self._buffers = (compiled.ints, compiled.reals, self.work)
        self._accelerate = dynamics.accelerate.ready()
        self._lengths, self._zeros = (compiled.nq, compiled.nu, compiled.nz), np.zeros(compiled.nu)

    @cached_property
    def fields(self) -> Any:
        """Fields of the workspace by name, see ``core/base/layout.py``."""
        return WORK_RECORD.read(self.compiled.sizes, self.work)

    @property
    def nq(self) -> int:
        """Number of coordinates."""
        return self.compiled.nq

    @property
    def nu(self) -> int:
        """Number of velocities."""
        return self.compiled.nu

    @property
    def nz(self) -> int:
        """Number of controller states."""
        return self.compiled.nz

    @property
    def q0(self) -> Array:
        """Initial coordinates (nq,)."""
        return self.compiled.q0.copy()

    @property
    def u0(self) -> Array:
        """Initial velocities (nu,)."""
        return self.compiled.u0.copy()

    @property
    def z0(self) -> Array:
        """Initial controller states (nz,)."""
        return self.compiled.z0.copy()

    def breakpoints(self) -> tuple[float, ...]:
        """Times at which signals have a kink; integrators land on them."""
        return self.compiled.breakpoints

    def constraints(self, t: float, q: Array, u: Array, a: Array | None = None) -> Rows:
        """Constraint rows at a state: violations, their rates, Jacobian."""
        return rows_at(self.compiled, self.work, t, q, u, a)

    def residual(
        self,
        t: float,
        q: Array,
        u: Array,
        a: Array,
        z: Array | None = None,
        lam: Array | None = None,
    ) -> Array:
        """M a + h - applied forces + G' lam (nu,); no multipliers: zeros."""
        r = np.empty(self.nu)
        self._set_multipliers(lam)
        dynamics.residual(*self._buffers, float(t), *self._state(q, u, a, z), r)
        return r

    def accelerate(
        self,
        t: float,
        q: Array,
        u: Array,
        z: Array | None = None,
        effort: Array | None = None,
    ) -> Array:
        """Accelerations (nu,) under the model's forces and extra generalized forces ``effort``."""
        nq, nu, nz = self._lengths
        a = self._zeros.copy() if effort is None else np.array(effort, dtype=float)
        if z is None:
            z = self.compiled.z0
        if len(q) != nq or len(u) != nu or len(z) != nz or len(a) != nu:
            raise ModelError.plain(_sizes(self.compiled, q=q, u=u, z=z, effort=a))
        try:
            bad = self._accelerate(*self._buffers, t, q, u, z, a)
        except TypeError:  # coercing plain float arrays too would cost more than the call
            state = (_vector(x) for x in (q, u, z))
            bad = self._accelerate(*self._buffers, float(t), *state, a)
        if bad >= 0:
            raise ModelError.plain(self.locked(bad))
        return a

    def multipliers(self) -> Array:
        """Multipliers (nr,) of the rows in use, as the last call of ``accelerate`` left them."""
        return np.array(self.fields.lam)

    def locked(self, dof: int) -> str:
        """One sentence about a velocity whose pivot in the mass matrix vanishes."""
        if dof >= self.nu:
            row = self.compiled.rows[dof - self.nu]
            return (
                f"the {row.part} of {row.label} follows from the other constraints here: "
                "a singular position"
            )
        joint = self.compiled.joint_of(dof)
        names = joint.coordinate_names if joint is not None else ()
        lock = sum(n.startswith("angle") for n in names) >= 3
        hint = "; three rotations can lock in line, Spherical never does" if lock else ""
        return (
            f"{self.compiled.dof_label(dof)} moves no mass of its own, "
            f"expected inertia outboard of it{hint}"
        )

    def mass_matrix(self, q: Array) -> Array:
        """Mass matrix (nu, nu)."""
        out = np.zeros((self.nu, self.nu))
        q = _vector(q)
        if len(q) != self.nq:
            raise ModelError.plain(_sizes(self.compiled, q=q))
        dynamics.mass_matrix(*self._buffers, q, out)
        return out

    def tangent(
        self, t: float, q: Array, u: Array, a: Array, z: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """Derivatives of the residual (nu, nu) along q (by ``retract``), u and a."""
        found = self.tangents(t, q, u, a, z)
        return found.Rq, found.Ru, found.M

    def tangents(
        self,
        t: float,
        q: Array,
        u: Array,
        a: Array,
        z: Array | None = None,
        lam: Array | None = None,
    ) -> Tangents:
        """The residual and all its derivatives, and those of the controller rates."""
        refuse_cells(self.compiled, TANGENTS)
        self._set_multipliers(lam)
        n, nz = self.nu, self.nz
        shapes = (n,), (n, n), (n, n), (n, n), (n, nz), (nz, n), (nz, n), (nz, nz)
        out = Tangents(*(np.zeros(shape) for shape in shapes))
        dynamics.tangent(*self._buffers, float(t), *self._state(q, u, a, z), *out)
        return out

    def retract(self, q: Array, d: Array) -> Array:
        """The configuration q (nq,) moved by the increment d (nu,)."""
        return self._chart(chart.move, self.nq, q=q, d=d)

    def ahead(self, q: Array, u: Array, a: Array, h: float) -> Array:
        """The configuration (nq,) at a time h after q, u, a, to second order."""
        c = self.compiled
        d = h * u + 0.5 * h * h * a
        for record in (*c.joints.values(), *c.extra.values()):
            if record.kind == "free":  # its velocity is in axes that turn, its increment is not
                own = u[record.u]
                d[record.u.start + 3 : record.u.stop] += 0.5 * h * h * np.cross(own[:3], own[3:])
        return self.retract(q, d)

    def increment(self, q: Array, target: Array) -> Array:
        """The increment (nu,) that moves q to the target (nq,); of rotations the shorter way."""
        return self._chart(chart.difference, self.nu, q=q, target=target)

    def qdot(self, q: Array, u: Array) -> Array:
        """Time derivative of the coordinates (nq,)."""
        return self._chart(chart.qdot, self.nq, q=q, u=u)

    def drift(self, u: Array) -> Array:
        """L (nu, nu) of x' = v - L x, for the increment x to a neighbour with velocity u + v."""
        L = np.empty((self.nu, self.nu))
        u = _vector(u)
        if len(u) != self.nu:
            raise ModelError.plain(_sizes(self.compiled, u=u))
        chart.drift(*self._buffers, u, L)
        return L

    def _chart(self, kernel: Entry, size: int, **given: Array) -> Array:
        """Answer (size,) of a kernel of ``core/bodies/chart.py`` to two vectors."""
        out = np.empty(size)
        given = {name: _vector(x) for name, x in given.items()}
        problem = _sizes(self.compiled, **given)
        if problem:
            raise ModelError.plain(problem)
        kernel(*self._buffers, *given.values(), out)
        return out

    def power(self, t: float, q: Array, u: Array, z: Array | None = None) -> Array:
        """Power of each force element (nforce,), W: work on the system, or energy dissipated."""
        if self.compiled.nr:  # that of a driver follows from the accelerations
            self.accelerate(t, q, u, z)
        else:
            self.residual(t, q, u, np.zeros(self.nu), z)
        return np.array(self.fields.power)

    def energies(self, t: float, q: Array, u: Array, z: Array | None = None) -> Energies:
        """Kinetic, gravity and elastic energy (J)."""
        return Energies(*self._one(t, q, u, z)[1].energy[0])

    def momentum(self, q: Array, u: Array) -> Array:
        """Momentum (6,) [angular about the world's origin; linear], kg m2/s and kg m/s."""
        momentum: Array = self._one(0.0, q, u, None)[1].momentum[0]
        return momentum

    def history(self, t: Array, q: Array, u: Array, z: Array) -> tuple[Array, RunHistory]:
        """Accelerations (nt, nu) and all histories at given states, time first."""
        found = RunHistory(RowSets.of(self.compiled), t, q, u, z)
        return found.a, found

    def body_states(
        self, t: float, q: Array, u: Array, z: Array | None = None
    ) -> tuple[Array, RunHistory]:
        """``history`` at one state: accelerations (nu,) and histories of one time."""
        a, history = self._one(t, q, u, z)
        return a[0], history

    def _set_multipliers(self, lam: Array | None) -> None:
        here = self.fields.lam
        if lam is not None and len(lam) != len(here):
            raise ModelError.plain(f"Equations: lam has {len(lam)} entries, expected {len(here)}")
        here[:] = 0.0 if lam is None else lam

    def _one(self, t: float, q: Array, u: Array, z: Array | None) -> tuple[Array, RunHistory]:
        z = self.compiled.z0 if z is None else z
        return self.history(np.array([float(t)]), np.array([q]), np.array([u]), np.array([z]))

    def _state(self, q: Array, u: Array, a: Array, z: Array | None) -> tuple[Array, ...]:
        c = self.compiled
        state = _vector(q), _vector(u), _vector(a), _vector(c.z0 if z is None else z)
        if [len(x) for x in state] != [c.nq, c.nu, c.nu, c.nz]:
            raise ModelError.plain(_sizes(c, q=state[0], u=state[1], a=state[2], z=state[3]))
        return state


def _sizes(c: Compiled, **given: Array) -> str:
    """One sentence about arrays of a wrong length, which kernels do not check; empty if none is."""
    sizes = {"q": c.nq, "target": c.nq, "z": c.nz}
    wrong = [
        f"{name} has {len(x)} entries, expected {sizes.get(name, c.nu)}"
        for name, x in given.items()
        if len(x) != sizes.get(name, c.nu)
    ]
    return "Equations: " + ", ".join(wrong) if wrong else ""


def _vector(x: Array) -> Array:
    return np.require(x, dtype=float, requirements=["C", "W", "A"])
