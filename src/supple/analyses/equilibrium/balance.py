"""AtRest: loads and stiffness of a model at rest, balanced by its constraint rows and integrals.

Or of a model that turns steadily: its velocities are those of `Spin`, the loads are centrifugal,
too, and what turns it is balanced by given rates as by constraint rows.

States of linear controllers at rest: z' = 0 gives them, as far as their matrix has a rank.

With z' = Gq x + Gz z and Gz = U S V^T the part of z along V with singular values follows x. The
part along null vectors of Gz is free: an integral, which acts like a multiplier, and rows of Gq
along the left null vectors must vanish instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from supple.analyses.equilibrium.spin import Spin
from supple.core.base import layout as at
from supple.core.forces.control import LINEAR_CONTROL, STATE, STATES
from supple.engine.base.compiled import Compiled
from supple.formulations.equations import Equations, Tangents
from supple.foundation.arrays import Array
from supple.loops.assembly import Assembler, row_sizes

RANK = 1e-10  # part of the largest singular value that is none


class Steady(NamedTuple):
    """How states at rest follow coordinates.

    Attributes
    ----------
    places : (n,) of the states in z
    inverse : (n, n) minus it times their rates is what they lack
    free, held : (n, k) states that are integrals, and combinations of rates that must vanish
    """

    places: np.ndarray
    inverse: Array
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
        found = z.copy()
        found[self.places] -= self.inverse @ rates[self.places]
        return found

    def stiffness(self, tangents: Tangents) -> Array:
        """Stiffness (nu, nu) added by controller states that follow the motion."""
        found: Array = -tangents.Rz[:, self.places] @ self.inverse @ tangents.Gq[self.places]
        return found

    def pushes(self, tangents: Tangents) -> Array:
        """Efforts (nu, k) of the integrals."""
        found: Array = tangents.Rz[:, self.places] @ self.free
        return found

    def rows(self, tangents: Tangents) -> Array:
        """Rows (k, nu) of coordinates that integrals hold."""
        found: Array = self.held.T @ tangents.Gq[self.places]
        return found


def linear_states(compiled: Compiled) -> np.ndarray:
    """Places in z of the states of linear controllers."""
    rows = at.integers(compiled.ints, "element")
    rows = rows[rows[:, at.KIND] == LINEAR_CONTROL]
    found = [k for first, n in rows[:, [STATE, STATES]].tolist() for k in range(first, first + n)]
    return np.array(found, dtype=int)


ONE_WAY = 1e-9  # part of the largest stiffness by which a matrix is not symmetric


def one_way(K: Array) -> bool:
    """Whether a stiffness (n, n) is not symmetric: loads follow the motion."""
    skew = float(np.max(np.abs(K - K.T), initial=0.0))
    return skew > ONE_WAY * float(np.max(np.abs(K), initial=0.0))


@dataclass
class Balance:
    """Loads and stiffness at a configuration, in units of the increments.

    Attributes
    ----------
    load : (nu,) what is not balanced by rows and integrals, J
    own : largest load before rows and integrals balance it, J
    size : largest load or stiffness that takes part, J
    N : (nu, n) motions that rows and integrals allow, orthonormal columns
    K : (n, n) stiffness along them, J
    whole : (nu, nu) stiffness along all increments, J
    rows, gap : Jacobian and violations of rows and integrals that act
    lam, z : (nr,), (nz,) multipliers and controller states
    missed : (nz,) distances from their targets of controllers whose integral acts
    drive : (nu,) minus what turns the model, J; zeros of a model at rest
    acts : places in z of integrals that act, whose rows follow the constraints
    """

    load: Array
    own: float
    size: float
    N: Array
    K: Array
    whole: Array
    rows: Array
    gap: Array
    lam: Array
    z: Array
    missed: Array
    drive: Array
    acts: np.ndarray


class AtRest:
    """Equations whose signals stand still, at accelerations of zero, and at velocities of zero."""

    def __init__(self, equations: Equations, t: float, spin: Spin | None = None) -> None:
        self.equations, self.t, self.spin = equations, t, spin
        self.compiled = equations.compiled
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
            found = np.linalg.lstsq(pushes.T, -own, rcond=1e-13)[0] if len(pushes) else own[:0]
            lam, wanted = found[: c.nr] / sizes, z.copy()
            own_end = c.nr + len(acts)
            wanted[acts] += found[c.nr : own_end]
            end = own_end + steady.free.shape[1]
            wanted[self.linear] += steady.free @ found[own_end:end]
            drive = turned.T @ found[end:]
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


def null_space(rows: Array, nu: int) -> Array:
    """Orthonormal basis (nu, n) of the motions that leave the rows (m, nu) as they are."""
    if not len(rows):
        return np.eye(nu)
    _, values, right = np.linalg.svd(rows)
    rank = int(np.sum(values > 1e-10 * values[0]))
    basis: Array = right[rank:].T
    return basis
