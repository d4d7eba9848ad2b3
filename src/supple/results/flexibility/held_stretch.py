"""Stretch of a bent body between places that cannot come nearer to each other.

Linear shapes that bend do not shorten. A body that is held at several places then has no tension,
though its bent axis is longer than the distance of these places. A self-balanced set r of forces
there, of the amount s, adds s K_r to the stiffness, so that bending moves the places along the set
by the second-order displacement -q.K_r q/2. With the flexibility C of the whole mesh for all sets

    C s = q.K_r q/2,    K_0 = sum_r s_r K_r

is the tension, and what it adds to the stiffness. A deflection that K_0 changes by the part a to
first order is really x of itself, x + a x^3 = 1: the tension grows with the square of x.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from supple.results.flexibility.support_stiffness import ALIKE, held_directions
from supple.results.views.body_loads import INERTIA

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.results.result import Result

Array = NDArray[np.float64]

RIGID = 1e-11  # sets that stretch less than this part of the softest carry no tension
HOLDS = 1e-6  # rows on elastic coordinates below this part of the largest entry hold nothing


class Holds:
    """How joints that lead to the ground by rigid bodies hold a flexible body at one time."""

    def __init__(self, result: Result, record: FlexRecord) -> None:
        body, masses = record.body, record.point_masses
        compiled, length = result.data.compiled, body.typical_length
        deforming = (*compiled.flexible, *compiled.gradient)
        flexible = {compiled.owners.get(name, name) for name in deforming} - {body.name}
        unit = np.repeat([1.0, length], 3)[:, None]
        elastic, rigid = [np.zeros((0, record.modal.n))], [np.zeros((0, 6))]
        self.stations: list[float] = []
        self.wrenches: list[Array] = []  # (c, 6) forces and torques of the rows of each station
        for frame, held in held_directions(result, body.name, length, flexible):
            place = body.attachment(frame, masses)
            moves = np.eye(6)
            moves[:3, 3:] = np.cross(np.eye(3), place.p0).T
            elastic.append(held @ (unit * np.vstack([place.Phi, place.Psi])))
            rigid.append(held @ (unit * moves / unit.T))
            self.stations.append(float(body.station(frame)))
            self.wrenches.append(held * unit.T)
        rows, frames = np.vstack(elastic), np.vstack(rigid)
        self.scale = 1.0 / np.sqrt(np.diag(record.modal.K))
        self.least = HOLDS * np.abs(rows * self.scale).max(initial=0.0)
        left, values, _ = np.linalg.svd(frames)
        # sets of reactions that balance each other: what the frame cannot give way to
        self.sets = left[:, int(np.sum(values > ALIKE)) :].T
        self.rows = self.sets @ rows

    def allowed(self) -> Array:
        """Shapes (n, m) of the elastic coordinates that joints allow."""
        n = len(self.scale)
        if not len(self.rows):
            return np.eye(n)
        _, values, ways = np.linalg.svd(self.rows * self.scale)
        held_by = int(np.sum(values > self.least))
        return np.asarray(self.scale[:, None] * ways[held_by:].T)

    def factors(self, places: tuple[float, ...]) -> Array:
        """Factors (sets, 12 + 6 places) of the loads of each set, see `BodyLoads`."""
        found = np.zeros((len(self.sets), INERTIA + 6 * len(places)))
        first = 0
        for station, wrench in zip(self.stations, self.wrenches, strict=True):
            at = INERTIA + 6 * places.index(station)
            found[:, at : at + 6] += self.sets[:, first : first + len(wrench)] @ wrench
            first += len(wrench)
        return found


def tension_stiffness(record: FlexRecord, holds: Holds, q: Array) -> Array | None:
    """Stiffness (n, n) that tension adds to a body with elastic coordinates q; None without one."""
    if not len(holds.sets):
        return None
    body, masses = record.body, record.point_masses
    places = tuple(sorted(set(holds.stations)))
    factors = holds.factors(places)
    unit = body.load_stiffness(places, factors, masses)
    work = body.static_response(places, masses).work[: factors.shape[1], : factors.shape[1]]
    values, ways = np.linalg.eigh(factors @ work @ factors.T)
    soft = values > RIGID * values.max(initial=0.0)
    if not soft.any():
        return None
    shortened = 0.5 * np.einsum("a,rab,b->r", q, unit, q)
    amounts = ways[:, soft] @ ((ways[:, soft].T @ shortened) / values[soft])
    return np.asarray(np.einsum("r,rab->ab", amounts, unit))


def reduced_part(change: Array) -> Array:
    """Parts (k,) by which deflections become smaller, 1 - x of x + a x^3 = 1."""
    a = np.maximum(change, 0.0)
    x = np.ones_like(a)
    for _ in range(60):  # Newton, from the right of a root of a convex function
        x = x - (x + a * x**3 - 1.0) / (1.0 + 3.0 * a * x**2)
    return np.asarray(1.0 - x)
