"""Equilibrium: coordinates, multipliers and controller states at which nothing accelerates.

    R(q, 0, 0, z) + G^T lam = 0        g(q) = 0        z' = 0

Newton's method on the motions that the rows allow: with N a basis of the null space of G, the
unknown is y in d = N y, the stiffness N^T Rq N contains the multipliers' part d(G^T lam)/dq. Where
this stiffness is not positive, the step goes downhill along each of its eigenvectors, with the
magnitude of the eigenvalue; so a start near an unstable equilibrium leaves it. A step is shortened
until the load along its end does not exceed that at its beginning: its work is then negative. All
increments are measured in the model's units (``Compiled.scale``), so loads are energies.

Nodal vectors of gradient bodies turn along straight lines, on which they stretch: steps that never
go uphill are short there. So models with such bodies are searched first by loads that grow
(``analyses/equilibrium/growing_loads.py``), then by whole steps of Newton's method, at most 0.3 of
a gradient long; what is found counts if it is stable.

An integral that acts (a controller with ki, within its limit) is a multiplier, too: its rate
vanishes where the coordinate is on its target, and its value is what holds it there. Integrals
without effect (ki = 0) stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from supple.analyses.equilibrium.balance import AtRest, Balance, one_way
from supple.analyses.equilibrium.growing_loads import GrowingLoads
from supple.analyses.equilibrium.spin import Spin
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array, Indices

# A stiffness below this part of the largest one, in the units of increments, is none: rounding of
# a stiffness matrix is 1e-16 of its largest entry.
NO_STIFFNESS = 1e-12
# A load below this part of the loads that cancel in it is none.
NO_LOAD = 1e-9
UNBALANCED = 1e-7
CONVERGED = 1e-11  # size of the last correction, rad or lengths of the model
STALLED = 1e-7  # rounding may stop corrections from falling further below this
ITERATIONS = 400
PLAIN = 100  # steps of the second search
CLOSE = 12  # steps to an equilibrium near by
WHOLE = 60  # steps of the first search of gradient bodies
# Evaluations of loads and stiffness, each of some n^3 operations, that one search may take, and how
# many it may take at least: 400 steps of 200 coordinates, a few minutes of thousands
WORK, FEWEST_TRIES = 3e10, 30
PUSHED = 40  # steps along a motion without stiffness after which nothing will hold it
LARGEST_STEP = 0.5  # rad, or lengths of the model
LARGEST_TURN = 0.3  # of gradients and lengths, in steps that may go uphill
# Imaginary part of an eigenvalue w^2 beyond which it flutters, in parts of it. Motions of equal
# frequency, those of a round shaft, flutter under the smallest torque if nothing damps them: what
# a thousandth of critical damping ends, half of this number, is none.
FLUTTER = 2e-3
ROUNDED = 5e-15  # what rounding leaves in eigenvalues, as a part of the largest one


@dataclass(frozen=True)
class Equilibrium:
    """What was found: a configuration, its multipliers and controller states, and its character.

    Attributes
    ----------
    q, z, lam : (nq,), (nz,), (nr,)
    iterations : steps taken
    found : whether it is an equilibrium
    stiffness : (n,) ascending, along the columns of ``motions`` (nu, n), in units of increments
    load : (nu,) J, what is left unbalanced
    size : J, of the loads and stiffnesses that take part
    missed : (nz,) distances from their targets of controllers whose integral acts
    u : (nu,) velocities, zero at rest
    drive : (nu,) efforts that keep given rates, N m or N
    rounding : (n,) J, what rounding of the matrix may make of each stiffness, where that is known
    """

    q: Array
    z: Array
    lam: Array
    iterations: int
    found: bool
    stiffness: Array
    motions: Array
    load: Array
    size: float
    missed: Array
    u: Array
    drive: Array
    rounding: Array | None = None

    @property
    def held(self) -> bool:
        """Whether no load is left along a motion without stiffness."""
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


class Search:
    """Looks for an equilibrium of equations whose signals stand still."""

    def __init__(self, equations: Equations, t: float, spin: Spin | None = None) -> None:
        self.rest = AtRest(equations, t, spin)
        self.equations, self.compiled = equations, equations.compiled
        self.plain = False
        self.whole_steps = False
        self.tries, self.most_tries = 0, max(FEWEST_TRIES, WORK / max(equations.nu, 1) ** 3)

    def run(self, q: Array, z: Array) -> Equilibrium:
        """Search from a configuration and controller states.

        Loads that follow the motion have no energy to go down: then the unbalanced load itself is
        made smaller, from where the first search began.
        """
        if self.compiled.gradient:
            growing = GrowingLoads(self.rest)
            grown = growing.run(q, z)
            starts = [(q, z, WHOLE)] if grown is None else [(*grown, CLOSE), (q, z, WHOLE)]
            for start in starts:
                self.whole_steps = True
                whole = self._search(*start)
                self.whole_steps = False
                if whole.found and not len(whole.unstable):
                    return replace(whole, iterations=whole.iterations + growing.steps)
        first = self._search(q, z, ITERATIONS)
        if first.found or not first.held:
            return first
        self.plain = True
        second = self._search(q, z, PLAIN)
        return second if second.found else first

    def _search(self, q: Array, z: Array, most: int) -> Equilibrium:
        q, self.tries = self.rest.closed(q), 0
        here = self.rest.balance(q, z)
        before, largest, pushed, found, count = np.inf, 0.0, 0, False, 0
        for count in range(most + 1):
            y, step, free = self._step(here)
            longest = float(np.max(np.abs(step), initial=0.0))
            largest = max(largest, here.own)
            pushed = pushed + 1 if free else 0
            if longest <= CONVERGED or (longest <= STALLED and longest > 0.5 * before):
                # an integral that was moved on its limit may have left it, and acts again
                again = self.rest.balance(q, here.z)
                steady = np.allclose(again.z, here.z, rtol=STALLED, atol=STALLED)
                here, before = again, np.inf
                if steady and self._correction(again) <= STALLED:
                    found = self.balanced(q, again, largest)
                    break
                continue
            if pushed > PUSHED or count == most or self.tries > self.most_tries:
                break
            before = longest
            part = min(1.0, (LARGEST_TURN if self.whole_steps else LARGEST_STEP) / longest)
            q, here = self._advanced(q, here, y, step, part)
        return self._told(q, here, count, found)

    def near(self, q: Array, z: Array) -> Equilibrium:
        """Search by Newton's method alone, for the nearest equilibrium, stable or not."""
        self.plain = True
        return self._search(q, z, CLOSE)

    def standing(self, q: Array, z: Array) -> Equilibrium:
        """What a configuration is, without a search."""
        here = self.rest.balance(q, z)
        return self._told(q, here, 0, self.balanced(q, here, here.own))

    def _told(self, q: Array, here: Balance, count: int, found: bool) -> Equilibrium:
        values, vectors = self.character(q, here)
        return Equilibrium(
            q, here.z, here.lam, count, found,
            values, here.N @ vectors, self.rest.load(q, here), here.size, here.missed,
            self.rest.velocities(q), -here.drive / self.compiled.scale,
        )  # fmt: skip

    def character(self, q: Array, here: Balance) -> tuple[Array, Array]:
        """Stiffnesses (n,), ascending, and the motions (n, n) that they belong to.

        With one-way forces and loads that follow the motion the symmetric part of the stiffness
        says nothing about stability. The motions are then those that keep their shape as they
        grow, by eigenvalues of M^-1 K. A complex pair of them grows in oscillations unless it is
        damped (flutter): it counts as a negative stiffness of the size of its imaginary part, if
        that is more than what 0.1 % of critical damping ends. In a rotation dampers, too, make the
        stiffness one-way; there the symmetric part is taken.
        """
        if self.compiled.energy_creating or (self.rest.spin is None and one_way(here.K)):
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
        found = np.linalg.eigh(0.5 * (here.K + here.K.T))
        return found.eigenvalues, found.eigenvectors

    def balanced(self, q: Array, here: Balance, largest: float) -> bool:
        """Whether the load left is small beside the largest of the search, or the median stiffness.

        Near a singular position the stiffness has no bound: small steps are no sign of convergence.
        """
        if np.max(np.abs(here.gap), initial=0.0) > STALLED:
            return False  # rows and targets that contradict each other
        left = float(np.max(np.abs(self.rest.load(q, here)), initial=0.0))
        median = float(np.median(np.abs(np.diag(here.K)))) if here.K.size else 0.0
        return left <= UNBALANCED * max(largest, median)

    def _correction(self, here: Balance) -> float:
        """Largest part of the step from here."""
        return float(np.max(np.abs(self._step(here)[1]), initial=0.0))

    def _step(self, here: Balance) -> tuple[Array, Array, bool]:
        """Step (n,) along the allowed motions and (nu,) of all, and whether nothing holds it."""
        y, free = self._downhill(here)
        return y, here.N @ y - np.linalg.pinv(here.rows) @ here.gap, free

    def _downhill(self, here: Balance) -> tuple[Array, bool]:
        """Step (n,) along the allowed motions; whether it goes where there is no stiffness."""
        load = here.N.T @ here.load
        values, vectors = np.linalg.eigh(0.5 * (here.K + here.K.T))
        least = NO_STIFFNESS * here.size
        straight = self.plain or self.whole_steps
        if np.all(values > least) or (straight and np.all(np.abs(values) > least)):
            return -np.asarray(np.linalg.lstsq(here.K, load, rcond=1e-15)[0], dtype=float), False
        along = vectors.T @ load
        free = np.abs(values) <= least
        along[free & (np.abs(along) <= NO_LOAD * here.size)] = 0.0
        down = -vectors @ (along / np.maximum(np.abs(values), least or 1.0))
        return down, bool(np.any(along[free]))

    def _advanced(
        self, q: Array, here: Balance, y: Array, step: Array, part: float
    ) -> tuple[Array, Balance]:
        """The configuration and balance after a step, shortened until its work is negative."""
        along = here.N @ y
        slope = float(here.load @ along)
        settled = float(np.max(np.abs(here.gap), initial=0.0)) < 1e-8
        while True:
            moved = self.rest.closed(self.equations.retract(q, part * step * self.compiled.scale))
            there = self.rest.balance(moved, here.z)
            self.tries += 1
            if self.whole_steps or not settled or (slope >= 0.0 and not self.plain) or part < 1e-6:
                return moved, there
            if self.plain:
                smaller = np.linalg.norm(there.N.T @ there.load) < np.linalg.norm(
                    here.N.T @ here.load
                )
            else:
                smaller = float(there.load @ along) <= 0.9 * abs(slope)
            if smaller:
                return moved, there
            part *= 0.5
