"""AtRest: loads and stiffness of a model at rest, balanced by its constraint rows and integrals.

Or of a model that turns steadily: its velocities are those of `Spin`, the loads are centrifugal,
too, and what turns it is balanced by given rates as by constraint rows. Joints to the ground follow
given rates as the constraints ask, joints between bodies and elastic coordinates stand still.
Velocities are constant then: those of spherical and free joints are in the axes of their body,
which turn along.

Steps to an equilibrium are those of Newton's method on the motions that the rows allow: with N a
basis of the null space of G, the unknown is y in d = N y, the stiffness N^T Rq N contains the
multipliers' part d(G^T lam)/dq. Where this stiffness is not positive, a step goes downhill along
each of its eigenvectors, with the magnitude of the eigenvalue; so a start near an unstable
equilibrium leaves it. All increments are measured in the model's units (``Compiled.scale``), so
loads are energies.

An integral that acts (a controller with ki, within its limit) is a multiplier, too: its rate
vanishes where the coordinate is on its target, and its value is what holds it there. Integrals
without effect (ki = 0) stay as they are.

States of linear controllers at rest: z' = 0 gives them, as far as their matrix has a rank.

With z' = Gq x + Gz z and Gz = U S V^T the part of z along V with singular values follows x. The
part along null vectors of Gz is free: an integral, which acts like a multiplier, and rows of Gq
along the left null vectors must vanish instead.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from supple.core.base import layout as at
from supple.core.forces.control import LINEAR_CONTROL, STATE, STATES
from supple.engine.base.compiled import Compiled
from supple.forces import Motor
from supple.formulations.equations import Equations, Tangents
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import ModelError, suggestion
from supple.joints import Joint
from supple.loops.assembly import Assembler, row_sizes

if TYPE_CHECKING:
    from supple.model import Model

STILL = 1e-8  # of the given rate: what may be left between bodies that do not move
STEP = 1e-6  # rad or lengths, of differences of velocities
EXPECTED = "rates by joint, e.g. {'shaft': 12.0} or {('shaft', 'angle'): 12.0}, rad/s"
# A stiffness below this part of the largest one, in the units of increments, is none: rounding of
# a stiffness matrix is 1e-16 of its largest entry.
NO_STIFFNESS = 1e-12
# A load below this part of the loads that cancel in it is none.
NO_LOAD = 1e-9
UNBALANCED = 1e-7
STALLED = 1e-7  # rounding may stop corrections from falling further below this
# Evaluations of loads and stiffness, each of some n^3 operations, that one search may take, and how
# many it may take at least: 400 steps of 200 coordinates, a few minutes of thousands
WORK, FEWEST_TRIES = 3e10, 30
# Imaginary part of an eigenvalue w^2 beyond which it flutters, in parts of it. Motions of equal
# frequency, those of a round shaft, flutter under the smallest torque if nothing damps them: what
# a thousandth of critical damping ends, half of this number, is none.
FLUTTER = 2e-3
ROUNDED = 5e-15  # what rounding leaves in eigenvalues, as a part of the largest one
WHOLE = 60  # whole steps of a search
RANK = 1e-10  # part of the largest singular value that is none
# Steps downhill; whole steps of Newton's method; or its steps, each of which makes the load smaller
Steps = Literal["downhill", "whole", "newton"]
ONE_WAY = 1e-9  # part of the largest stiffness by which a matrix is not symmetric


class Spin:
    """Given rates of a model, and the velocities that follow from them.

    Attributes
    ----------
    joints : their names
    places : places in u of the given rates
    rates : (n,) rad/s or m/s
    """

    def __init__(
        self, model: Model, equations: Equations, t: float, spin: Any, owner: str = "statics"
    ) -> None:
        self.equations, self.compiled, self.t = equations, equations.compiled, t
        self.joints, self.places, self.rates = _given(owner, model, equations, spin)
        c, ground = self.compiled, model.ground.name
        between = np.zeros(c.nu, dtype=bool)
        for name, record in c.joints.items():
            ends = {frame.body.name for frame in model.joints[name].frames.values()}
            between[record.u] = ground not in ends
        for body in c.deforming.values():
            between[body.u] = True
        between[self.places] = False
        self.between = np.flatnonzero(between)
        self.shafts = _shafts(model, equations)
        self.still = np.zeros(c.nu)

    @property
    def rows(self) -> Array:
        """Rows (n, nu) of the given rates, in units of increments."""
        rows: Array = np.eye(self.compiled.nu)[self.places]
        return rows

    def velocities(self, q: Array) -> Array:
        """Velocities (nu,) at a configuration."""
        c, unit = self.compiled, self.compiled.scale
        y0 = np.zeros(c.nu)
        y0[self.places] = self.rates / unit[self.places]
        G = self.equations.constraints(self.t, q, self.still).G / row_sizes(c)[:, None] * unit
        others = np.setdiff1d(np.arange(c.nu), self.places)
        G = G[np.any(G[:, others] != 0.0, axis=1)]  # a driver of a given rate stands still here
        A = np.vstack([self.rows, G, self.shafts * unit])
        b = np.concatenate([y0[self.places], np.zeros(len(A) - len(self.places))])
        _, values, right = np.linalg.svd(A)
        rank = int(np.sum(values > 1e-10 * values[0]))
        Z = right[rank:].T
        y: Array = np.linalg.lstsq(A, b, rcond=1e-10)[0]
        if Z.shape[1]:
            y = y + Z @ np.linalg.lstsq(Z[self.between], -y[self.between], rcond=1e-10)[0]
            # of what is left open, the slowest
            left = Z @ _null(Z[self.between])
            y = y - left @ np.linalg.lstsq(left, y, rcond=1e-10)[0]
        self.missed = A @ y - b
        return unit * y

    def slope(self, q: Array) -> Array:
        """Derivative (nu, nu) of the velocities along increments; zero without constraint rows."""
        c, out = self.compiled, np.zeros((self.compiled.nu, self.compiled.nu))
        if not c.nr:
            return out
        for k in range(c.nu):
            d = np.zeros(c.nu)
            d[k] = STEP * c.scale[k]
            ahead, back = (self.velocities(self.equations.retract(q, x)) for x in (d, -d))
            out[:, k] = (ahead - back) / (2.0 * d[k])
        return out

    def moves(self, q: Array) -> str:
        """Say what cannot stand still while the model turns; empty if everything can."""
        u = self.velocities(q)
        c = self.compiled
        fastest = float(np.max(np.abs(self.rates) / c.scale[self.places], initial=0.0))
        if np.max(np.abs(self.missed), initial=0.0) > STILL * fastest:
            return "the constraints do not allow these rates"
        inner = np.abs(u[self.between]) / c.scale[self.between]
        if len(inner) and np.max(inner) > STILL * fastest:
            k = int(self.between[int(np.argmax(inner))])
            return f"{c.dof_label(k)} does not stand still at these rates"
        return ""


def turned(equations: Equations, q: Array, d: Array) -> Array:
    """Configuration to which constant velocities d (nu,) lead from q in a unit of time.

    Those of free joints turn with their body, so its way is an arc.
    """
    d = d.copy()
    for node in at.integers(equations.compiled.ints, "node"):
        if node[at.MOTION] == at.FREE:
            k = int(node[at.U0])
            turn, way = d[k : k + 3], d[k + 3 : k + 6]
            angle = float(np.linalg.norm(turn))
            if angle > 0.0:
                axis = turn / angle
                across = np.cross(axis, way)
                along = axis * (axis @ way)
                part = math.sin(angle) / angle * (way - along)
                d[k + 3 : k + 6] = along + part + (1.0 - math.cos(angle)) / angle * across
    return equations.retract(q, d)


def _null(rows: Array) -> Array:
    """Orthonormal basis of the null space of rows, as columns."""
    _, values, right = np.linalg.svd(rows)
    rank = int(np.sum(values > 1e-10)) if len(values) else 0
    return np.asarray(right[rank:].T)


def check_spin(owner: str, spin: Any) -> None:
    """Refuse what are no rates by joint."""
    if not isinstance(spin, Mapping) or not spin:
        raise ModelError(owner, "spin", spin, EXPECTED)


def _given(
    owner: str, model: Model, equations: Equations, spin: Any
) -> tuple[tuple[str, ...], np.ndarray, Array]:
    """Joints whose rates are given, places in u of these, and the rates."""
    check_spin(owner, spin)
    names: dict[str, None] = {}
    places, rates = [], []
    for key, value in spin.items():
        item, coordinate = key if isinstance(key, tuple) and len(key) == 2 else (key, 0)
        name = item.name if isinstance(item, Joint) else item
        if not isinstance(name, str) or name not in model.joints:
            hint = suggestion(name, list(model.joints))
            raise ModelError(owner, "spin", key, f"the name of a joint, {hint}")
        index = model.joints[name].coordinate_index(coordinate, owner)
        try:
            rate = float(value)
        except (TypeError, ValueError):
            rate = float("nan")
        if not np.isfinite(rate):
            raise ModelError(owner, f"spin[{name!r}]", value, "a finite number")
        places.append(equations.compiled.coordinate(name, index)[1])
        rates.append(rate)
        names[name] = None
    return tuple(names), np.array(places, dtype=int), np.array(rates)


def _shafts(model: Model, equations: Equations) -> Array:
    """Rows (n, nu) by which shafts behind elastic gears turn with their joints."""
    c = equations.compiled
    rows = []
    for name, record in c.motors.items():
        if record.own:
            motor = model.forces[name]
            assert isinstance(motor, Motor)
            joint = model.joints[motor.joint]
            place = c.coordinate(joint.name, joint.coordinate_index(motor.coordinate, name))[1]
            row = np.zeros(c.nu)
            row[record.u], row[place] = 1.0, -motor.ratio
            rows.append(row)
    return np.array(rows).reshape(-1, c.nu)


class Steady(NamedTuple):
    """States at rest as functions of the coordinates."""

    places: np.ndarray  # (n,) of the states in z
    inverse: Array  # (n, n) minus it times their rates is what they lack
    # free, held: (n, k) states that are integrals, and combinations of rates that must vanish
    free: Array
    held: Array

    @classmethod
    def of(cls, places: np.ndarray, tangents: Tangents) -> Steady:
        """Of the tangents at a state."""
        U, S, Vt = np.linalg.svd(tangents.Gz[np.ix_(places, places)])
        rank = int(np.sum(RANK * max(float(S[0]), 1e-300) < S)) if len(S) else 0
        inverse = Vt[:rank].T @ (U[:, :rank].T / S[:rank, None])
        return cls(places, inverse, Vt[rank:].T, U[:, rank:])

    def settled(self, z: Array, rates: Array) -> Array:
        """States whose rates vanish, as far as they can."""
        settled = z.copy()
        settled[self.places] -= self.inverse @ rates[self.places]
        return settled

    def stiffness(self, tangents: Tangents) -> Array:
        """Stiffness (nu, nu) added by controller states that follow the motion."""
        stiffness: Array = -tangents.Rz[:, self.places] @ self.inverse @ tangents.Gq[self.places]
        return stiffness

    def pushes(self, tangents: Tangents) -> Array:
        """Efforts (nu, k) of the integrals."""
        return tangents.Rz[:, self.places] @ self.free

    def rows(self, tangents: Tangents) -> Array:
        """Rows (k, nu) of coordinates that integrals hold."""
        rows: Array = self.held.T @ tangents.Gq[self.places]
        return rows


def linear_states(compiled: Compiled) -> np.ndarray:
    """Places in z of the states of linear controllers."""
    rows = at.integers(compiled.ints, "element")
    rows = rows[rows[:, at.KIND] == LINEAR_CONTROL]
    places = [k for first, n in rows[:, [STATE, STATES]].tolist() for k in range(first, first + n)]
    return np.array(places, dtype=int)


def one_way(K: Array) -> bool:
    """True if a stiffness (n, n) is not symmetric: loads follow the motion."""
    skew = float(np.max(np.abs(K - K.T), initial=0.0))
    return skew > ONE_WAY * float(np.max(np.abs(K), initial=0.0))


@dataclass(frozen=True)
class Equilibrium:
    """End of a search: configuration, multipliers, controller states, and its character."""

    # q, z, lam: (nq,), (nz,), (nr,)
    q: Array
    z: Array
    lam: Array
    iterations: int  # steps taken
    found: bool  # True if it is an equilibrium
    # (n,) ascending, along the columns of ``motions`` (nu, n), in units of increments
    stiffness: Array
    motions: Array
    load: Array  # (nu,) J, what is left unbalanced
    size: float  # J, of the loads and stiffnesses that take part
    missed: Array  # (nz,) distances from their targets of controllers whose integral acts
    u: Array  # (nu,) velocities, zero at rest
    drive: Array  # (nu,) efforts that keep given rates, N m or N
    # (n,) J, largest error of each stiffness by rounding, where that is known
    rounding: Array | None = None
    unclear: bool = False  # True if only whole matrices can tell what it is, or lead on from there

    @property
    def held(self) -> bool:
        """True if no load is left along a motion without stiffness."""
        along = self.motions[:, self.free].T @ self.load
        return not np.any(np.abs(along) > NO_LOAD * self.size)

    @property
    def free(self) -> Indices:
        """Indices in ``stiffness`` of motions that nothing holds."""
        return np.flatnonzero(np.abs(self.stiffness) <= self._nothing)

    @property
    def unstable(self) -> Indices:
        """Indices in ``stiffness`` of motions along which the loads push away."""
        return np.flatnonzero(self.stiffness < -self._nothing)

    @property
    def _nothing(self) -> Array | float:
        """Stiffnesses up to which there is none."""
        return NO_STIFFNESS * self.size if self.rounding is None else self.rounding


def unclear(q: Array, z: Array, lam: Array, count: int, load: Array, largest: float) -> Equilibrium:
    """Return where a search without whole matrices ended; its character is not known."""
    none, still = np.zeros(0), np.zeros(len(load))
    return Equilibrium(
        q, z, lam, count, False,
        none, np.zeros((len(load), 0)), load, largest, none, still, still, unclear=True,
    )  # fmt: skip


class Step(NamedTuple):
    """A step (nu,) in units of increments, its part along allowed motions, and if that is free.

    A free step goes where there is no stiffness.
    """

    whole: Array
    along: Array
    free: bool = False


@dataclass
class Balance:
    """Loads and stiffness at a configuration, in units of the increments."""

    load: Array  # (nu,) what is not balanced by rows and integrals, J
    own: float  # largest load before rows and integrals balance it, J
    size: float  # largest load or stiffness that takes part, J
    N: Array  # (nu, n) motions that rows and integrals allow, orthonormal columns
    K: Array  # (n, n) stiffness along them, J
    whole: Array  # (nu, nu) stiffness along all increments, J
    # rows, gap: Jacobian and violations of rows and integrals that act
    rows: Array
    gap: Array
    # lam, z: (nr,), (nz,) multipliers and controller states
    lam: Array
    z: Array
    missed: Array  # (nz,) distances from their targets of controllers whose integral acts
    drive: Array  # (nu,) minus what turns the model, J; zeros of a model at rest
    acts: np.ndarray  # places in z of integrals that act, whose rows follow the constraints

    @property
    def left(self) -> float:
        """Size of the load that is left along the allowed motions, J."""
        return float(np.linalg.norm(self.N.T @ self.load))


class AtRest:
    """Equations whose signals stand still, at accelerations of zero, and at velocities of zero."""

    name, whole_steps = "dense", WHOLE

    def __init__(self, equations: Equations, t: float, spin: Spin | None = None) -> None:
        self.equations, self.t, self.spin = equations, t, spin
        self.compiled = equations.compiled
        self.most_tries = max(FEWEST_TRIES, WORK / max(equations.nu, 1) ** 3)
        self.assembler = Assembler(self.compiled)
        self.still = np.zeros(self.compiled.nu)
        self.linear = linear_states(self.compiled)

    def velocities(self, q: Array) -> Array:
        """Velocities (nu,): none, or those of a steady rotation."""
        return self.still if self.spin is None else self.spin.velocities(q)

    def balance(self, q: Array, z: Array) -> Balance:
        """Loads at rest, with the multipliers and integrals that balance them best."""
        eq, c, unit = self.equations, self.compiled, self.compiled.scale
        u = self.velocities(q)
        rows = eq.constraints(self.t, q, u)
        sizes = row_sizes(c)
        first = eq.tangents(self.t, q, u, self.still, z)
        steady = Steady.of(self.linear, first)
        if len(self.linear):
            z = steady.settled(z, eq.fields.zdot)
            first = eq.tangents(self.t, q, u, self.still, z)
        missed = eq.fields.zdot.copy()
        open_rates = steady.held.T @ missed[self.linear]
        acts = np.setdiff1d(np.flatnonzero(np.any(first.Rz != 0.0, axis=0)), self.linear)
        G = rows.G * unit / sizes[:, None]
        turned = np.zeros((0, c.nu)) if self.spin is None else self.spin.rows
        while True:
            integrals = np.hstack([first.Rz[:, acts], steady.pushes(first)])
            pushes = np.vstack([G, (integrals * unit[:, None]).T, turned])
            own = unit * first.r
            solution = np.linalg.lstsq(pushes.T, -own, rcond=1e-13)[0] if len(pushes) else own[:0]
            lam, wanted = solution[: c.nr] / sizes, z.copy()
            own_end = c.nr + len(acts)
            wanted[acts] += solution[c.nr : own_end]
            end = own_end + steady.free.shape[1]
            wanted[self.linear] += steady.free @ solution[own_end:end]
            drive = turned.T @ solution[end:]
            tangents = eq.tangents(self.t, q, u, self.still, wanted, lam)
            beyond = acts[~np.any(tangents.Rz[:, acts] != 0.0, axis=0)]
            if not len(beyond):
                break
            # a controller beyond its limit exerts the limit and does not hold its target
            acts, z = np.setdiff1d(acts, beyond), z.copy()
            z[beyond] = wanted[beyond]
            first = eq.tangents(self.t, q, u, self.still, z)
        z = wanted
        missed[np.setdiff1d(np.arange(c.nz), acts)] = 0.0
        rates, slopes = eq.fields.zdot.copy(), np.diag(tangents.Gz).copy()
        slopes[self.linear] = 0.0
        # beyond its limit an integral does not act: it follows the effort that is applied
        z -= np.divide(rates, slopes, out=np.zeros(c.nz), where=slopes != 0.0)
        held = np.vstack([G, first.Gq[acts] * unit, steady.rows(first) * unit, turned])
        gaps = rows.violation / sizes, missed[acts], open_rates, np.zeros(len(turned))
        gap = np.concatenate(gaps)
        N = null_space(held, c.nu)
        K = tangents.Rq if self.spin is None else tangents.Rq + tangents.Ru @ self.spin.slope(q)
        K = K + steady.stiffness(tangents) if len(self.linear) else K
        K = unit[:, None] * K * unit
        weight = float(np.max(np.abs(own), initial=0.0))
        size = max(weight, float(np.max(np.abs(K), initial=0.0)))
        load = unit * tangents.r + drive
        return Balance(
            load, weight, size, N, N.T @ K @ N, K, held, gap, lam, z, missed, drive, acts
        )

    def load(self, q: Array, here: Balance) -> Array:
        """Load (nu,) with the multipliers and controller states that were found, J."""
        state = self.velocities(q), self.still, here.z, here.lam
        return self.compiled.scale * self.equations.residual(self.t, q, *state) + here.drive

    def closed(self, q: Array) -> Array:
        """The nearest configuration on the constraints."""
        return self.assembler.positions(self.t, q, search=False)[0] if self.compiled.nr else q

    def begin(self) -> None:
        """Begin a search: nothing is remembered of others."""

    def step(self, here: Balance, steps: Steps) -> Step:
        """Return the next step of a search."""
        y, free = self._downhill(here, steps != "downhill")
        along = here.N @ y
        return Step(along - np.linalg.pinv(here.rows) @ here.gap, along, free)

    def _downhill(self, here: Balance, straight: bool) -> tuple[Array, bool]:
        """Step (n,) along the allowed motions; True if it goes where there is no stiffness."""
        load = here.N.T @ here.load
        values, vectors = np.linalg.eigh(0.5 * (here.K + here.K.T))
        least = NO_STIFFNESS * here.size
        if np.all(values > least) or (straight and np.all(np.abs(values) > least)):
            return -solved(here.K, load), False
        along = vectors.T @ load
        free = np.abs(values) <= least
        along[free & (np.abs(along) <= NO_LOAD * here.size)] = 0.0
        down = -vectors @ (along / np.maximum(np.abs(values), least or 1.0))
        return down, bool(np.any(along[free]))

    def shortened(self, part: float) -> None:
        """Go on after a step of which a part was made."""

    def told(
        self, q: Array, here: Balance, count: int, converged: bool, largest: float
    ) -> Equilibrium:
        """End of a search after ``count`` steps, with its character; `largest` load on it."""
        values, vectors = self.character(q, here)
        return Equilibrium(
            q, here.z, here.lam, count, converged and self.balanced(q, here, largest),
            values, here.N @ vectors, self.load(q, here), here.size, here.missed,
            self.velocities(q), -here.drive / self.compiled.scale,
        )  # fmt: skip

    def standing(self, q: Array, z: Array) -> Equilibrium:
        """Character of a configuration, without a search."""
        here = self.balance(q, z)
        return self.told(q, here, 0, True, here.own)

    def character(self, q: Array, here: Balance) -> tuple[Array, Array]:
        """Stiffnesses (n,), ascending, and the motions (n, n) that they belong to.

        With one-way forces and loads that follow the motion the symmetric part of the stiffness
        says nothing about stability. The motions are then those that keep their shape as they
        grow, by eigenvalues of M^-1 K. A complex pair of them grows in oscillations unless it is
        damped (flutter): it counts as a negative stiffness of the size of its imaginary part, if
        that is more than what 0.1 % of critical damping ends. In a rotation dampers, too, make the
        stiffness one-way; there the symmetric part is taken.
        """
        if self.compiled.energy_creating or (self.spin is None and one_way(here.K)):
            moved = self.compiled.scale[:, None] * here.N
            mass = moved.T @ self.equations.mass_matrix(q) @ moved
            try:
                rates, vectors = np.linalg.eig(np.linalg.solve(mass, here.K))
            except np.linalg.LinAlgError:  # coordinates without mass
                pass
            else:
                motions = vectors.real / np.linalg.norm(vectors.real, axis=0)
                unclear = ROUNDED * np.max(np.abs(rates), initial=0.0)
                turning = np.abs(rates.imag) > np.maximum(FLUTTER * np.abs(rates), unclear)
                signed = np.where(turning, -np.abs(rates.imag), rates.real)
                values = signed * np.einsum("ia,ij,ja->a", motions, mass, motions)
                order = np.argsort(values)
                return values[order], motions[:, order]
        symmetric = np.linalg.eigh(0.5 * (here.K + here.K.T))
        return symmetric.eigenvalues, symmetric.eigenvectors

    def balanced(self, q: Array, here: Balance, largest: float) -> bool:
        """True if the load left is small beside the largest of the search, or the median stiffness.

        Near a singular position the stiffness has no bound: small steps are no sign of convergence.
        A search that begins in an equilibrium sees no load: the weight of rigid bodies counts, too.
        """
        if np.max(np.abs(here.gap), initial=0.0) > STALLED:
            return False  # rows and targets that contradict each other
        left = float(np.max(np.abs(self.load(q, here)), initial=0.0))
        median = float(np.median(np.abs(np.diag(here.K)))) if here.K.size else 0.0
        c = self.compiled
        mass = float(at.model_fields(c.ints, c.reals).body[:, at.BODY_M].sum())
        weight = mass * float(np.linalg.norm(c.gravity)) * c.length
        return left <= UNBALANCED * max(largest, median, weight)


def solved(K: Array, load: Array) -> Array:
    """Solve K x = load; of a singular K the smallest answer."""
    return np.asarray(np.linalg.lstsq(K, load, rcond=1e-15)[0], dtype=float)


def null_space(rows: Array, nu: int) -> Array:
    """Orthonormal basis (nu, n) of the motions that leave the rows (m, nu) as they are."""
    if not len(rows):
        return np.eye(nu)
    _, values, right = np.linalg.svd(rows)
    rank = int(np.sum(values > 1e-10 * values[0]))
    return right[rank:].T


def independent_places(N: Array) -> list[int]:
    """Places, ascending, of coordinates that tell all motions N (nu, n): those that move most."""
    from scipy.linalg import qr

    if not N.shape[1]:
        return []
    _, _, order = qr(N.T, pivoting=True, mode="economic")
    return sorted(int(k) for k in order[: N.shape[1]])
