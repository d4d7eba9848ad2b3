"""Deflections of a flexible body that its elastic coordinates leave out.

All loads on the body at an instant, those of joints and of its own inertia among them, bend its
whole mesh and its few shapes differently. The difference is the error of the deflections by
truncation, as far as the loads themselves are right: they are where equilibrium alone determines
them. Where it does not, sets of reactions that are in equilibrium by themselves may be added: those
with the smallest strain energy of the whole meshes are right (Menabrea), and the deflections that
belong to them are compared.

Shear of the sections of a beam whose theory leaves it out: its fine mesh is bent twice, by the
theory of Euler and Bernoulli and by that of Timoshenko, and the work of the loads on the difference
is what shear would add, wherever loads and supports are. Of parts and frame structures the same
follows from the section forces that they carry, V^2/(k G A) against M^2/(E I) and T^2/(G J).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError
from supple.reduction.response import StaticResponse
from supple.results.data.findings import Extreme
from supple.results.flexibility.deformation import HUGE, STRAIGHT, usable_times
from supple.results.views.body_loads import INERTIA, BodyLoads, at_times, body_loads

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.engine.base.body_records import FlexRecord
    from supple.engine.base.compiled import Compiled
    from supple.foundation.frames import Frame
    from supple.results.data.run_data import HeldLoads
    from supple.results.result import Result


SAMPLES, FEW = 60, 8  # output times that are looked at; of them where reactions must be found
TURN = 0.1  # lengths of the body by which rotations become displacements
NOTHING = 1e-12  # lengths of the body: deflections below are rounding
LIMIT, ALONG = 0.02, 0.25  # parts of deflections that may be left out, and along a beam
CLAMPED = 0.05  # lengths of the body times a force: the moment of a place that is no hinge
DEPENDENT = 1e-12  # reactions with less strain energy, relative, are those of rigid bodies

_places: WeakKeyDictionary[FlexibleBody, dict[Hashable, tuple[Array, Array]]] = WeakKeyDictionary()


@dataclass(frozen=True, eq=False)
class Truncation:
    """Deflections and strain energy that a body leaves out over a run.

    Strain energy is that of deflections where loads act. It is compared in the mean over the run:
    shapes that are left out need time to follow a load, so that at the instant of a sudden one all
    that they would do at rest is no error yet. The part that is left out of the energy is the part
    of the flexibility that is missing.
    """

    count: int  # elastic coordinates
    size: float  # largest deflection of the whole mesh, in lengths of the body
    # displacements and rotations (of a beam: across its axis, and twist), in parts of the largest
    # of the run
    deflection: Extreme
    # the same in the mean of squares over the run, in parts of that of the whole deflection
    spread: float
    # strain energy of what is left out, in parts of that of the whole mesh in the mean
    energy: Extreme
    flexibility: float  # mean of the energy over the run
    along: Extreme  # displacements along the axis of a beam, in parts of the largest of the run
    # what shear of its sections would add to the deflections, in parts of these; 0 of bodies that
    # have it
    shear: float
    loaded: Deflected  # the body at these times

    @property
    def deflected(self) -> float:
        """Part of the deflections that is left out, at an instant or in the mean."""
        return max(self.deflection.largest, self.spread)

    @property
    def largest(self) -> float:
        """Largest part that is left out, but for that along the axis of a beam."""
        return max(self.deflected, self.flexibility)

    @property
    def passed(self) -> float | None:
        """Time at which a limit is passed first, s; None if none is."""
        times = []
        if self.flexibility > LIMIT:
            times.append(self.energy.passes(LIMIT))
        if self.deflected > LIMIT:  # in the mean perhaps, and at no instant
            time = self.deflection.passes(LIMIT)
            times.append(self.deflection.time if time is None else time)
        if self.largest > LIMIT:
            return min(t for t in times if t is not None)
        return self.along.passes(ALONG)

    @property
    def exceeds(self) -> bool:
        """True if it is more than a result may leave out."""
        return self.largest > LIMIT or self.along.largest > ALONG


@dataclass(frozen=True, eq=False)
class Deflected:
    """A body under its loads at some times of a run."""

    record: FlexRecord  # the body
    t: Array  # (k,) s
    loads: BodyLoads  # at these times
    response: StaticResponse  # of its whole mesh to unit loads
    change: Array | None = None  # (k, m) factors of reactions to be added for the whole mesh
    # (k,) of these times in means; by default those of the trapezoidal rule
    weights: Array | None = None

    @cached_property
    def factors(self) -> Array:
        """Factors (k, m) of all unit loads, as they are in the run."""
        return np.hstack([self.loads.factors, self.loads.elastic])

    @cached_property
    def right(self) -> Array:
        """Factors (k, m) of the loads on the whole mesh."""
        return self.factors if self.change is None else self.factors + self.change

    @cached_property
    def holding(self) -> float | None:
        """The place by which it is held: the only one, or that with the largest moment.

        None if there is none, or if all are hinges.
        """
        held = self.loads.held
        if len(held) < 2:
            return held[0] if held else None
        starts = [INERTIA + 6 * self.loads.places.index(place) for place in held]
        loads = np.stack([self.loads.factors[:, k : k + 6] for k in starts])
        force, moment = (
            np.linalg.norm(x, axis=2).max(axis=1, initial=0.0)
            for x in (loads[..., :3], loads[..., 3:])
        )
        clamped = moment.max() > CLAMPED * force.max() * self.record.body.typical_length
        return held[int(np.argmax(moment))] if clamped else None

    @cached_property
    def unit(self) -> Array:
        """Loads (n, m) on the elastic coordinates for each unit load."""
        modal, rows = self.record.modal, self.response.rows[self.response.attached]
        inertia = [modal.S1.T, modal.D0.reshape(9, modal.n).T]
        return np.hstack([*inertia, rows.reshape(-1, modal.n).T, modal.M])

    def coordinates(self, factors: Array) -> Array:
        """Elastic coordinates (k, n) under loads."""
        K = self.record.modal.K
        scale = 1.0 / np.sqrt(np.diag(K))
        loads = scale[:, None] * (self.unit @ factors.T)
        return np.asarray(np.linalg.solve(K * np.outer(scale, scale), loads).T * scale)

    def truncation(self) -> Truncation:
        """Deflections and energy that the elastic coordinates leave out."""
        whole = np.einsum("pim,km->kpi", self.response.moved, self.right)
        q = self.coordinates(self.factors)
        missing = whole - np.einsum("pin,kn->kpi", self.response.rows, q)
        (across, axial), (missed, short) = self.sizes(whole), self.sizes(missing)
        none, nothing = np.zeros(len(self.t)), NOTHING * self.record.body.typical_length
        deflected, size = across.max(initial=0.0), max(across.max(), axial.max())
        parts, spread, shear = [none, none, none], 0.0, 0.0
        if deflected > max(nothing, STRAIGHT * size):
            parts[:2], shear = (missed / deflected, self.energies()), shear_of_loads(self)
            spread = float(np.sqrt(self.mean(missed**2) / self.mean(across**2)))
        if size > nothing:
            parts[2] = short / size
        relative = float(size / self.record.body.typical_length)
        deflection, energy, along = (Extreme(self.t, x) for x in parts)
        n, flexibility = self.record.modal.n, self.mean(parts[1])
        parted = deflection, spread, energy, flexibility, along, shear
        return Truncation(n, relative, *parted, self)

    def energies(self) -> Array:
        """Strain energy (k,) of what is left out, in parts of the mean one; not along an axis."""
        missing, whole = self.energy(self.across(self.factors), self.across(self.right))
        return np.asarray(missing / self.mean(whole))

    def mean(self, values: Array) -> float:
        """Mean over time of values (k,)."""
        weights = trapezoidal(self.t) if self.weights is None else self.weights
        return float(np.average(values, weights=weights))

    def energy(self, loads: Array, right: Array) -> tuple[Array, Array]:
        """Twice the strain energy (k,) of what is left out, and of the whole mesh, J.

        ``loads`` (k, m) are on the elastic coordinates, ``right`` on the whole mesh.
        """
        q, K, W = self.coordinates(loads), self.record.modal.K, self.response.work
        whole = np.einsum("km,mn,kn->k", right, W, right)
        missing = whole - 2.0 * np.einsum("kn,nm,km->k", q, self.unit, right)
        missing += np.einsum("ka,ab,kb->k", q, K, q)
        return np.asarray(np.maximum(missing, 0.0)), np.asarray(whole)

    def across(self, factors: Array) -> Array:
        """Loads (k, m) without those along the axis of a beam."""
        axis = self.record.body.axis
        if axis is None:
            return factors
        loads = factors.copy()
        n = INERTIA + 6 * len(self.loads.places)
        starts = [*range(0, INERTIA, 3), *range(INERTIA, n, 6)]
        for k in starts:
            force = loads[:, k : k + 3]
            loads[:, k : k + 3] = force - np.outer(force @ axis, axis)
        return loads

    def sizes(self, moved: Array) -> tuple[Array, Array]:
        """Largest displacements (k,) across and along the axis, without a rigid motion, m.

        The motion is that of the place by which the body is held, or the mean one.
        """
        length = TURN * self.record.body.typical_length
        points, held = self.response.points, self.holding
        rigid = np.zeros((len(points), 6, 6))
        rigid[:, :3, :3] = rigid[:, 3:, 3:] = np.eye(3)
        rigid[:, :3, 3:] = np.swapaxes(np.cross(np.eye(3)[None], points[:, None]), 1, 2)
        unit = np.array([1.0, 1.0, 1.0, length, length, length])
        if held is not None:
            k = self.response.attached[self.loads.places.index(held)]
            motion = np.linalg.solve(rigid[k], moved[:, k].T)
        else:
            table = (unit[:, None] * rigid / unit).reshape(-1, 6)
            right = (unit * moved).reshape(len(moved), -1).T
            motion = np.linalg.lstsq(table, right, rcond=None)[0] / unit[:, None]
        rest = unit * (moved - np.einsum("pij,jk->kpi", rigid, motion))
        axis, along = self.record.body.axis, np.zeros(rest.shape[:2])
        if axis is not None:
            along = rest[..., :3] @ axis
            rest[..., :3] -= np.multiply.outer(along, axis)
        across = np.linalg.norm(rest, axis=2).max(axis=1, initial=0.0)
        return across, np.abs(along).max(axis=1, initial=0.0)


def trapezoidal(t: Array) -> Array | None:
    """Weights (k,) of times in a mean by the trapezoidal rule; None where all count the same."""
    if len(t) < 2 or not t[-1] > t[0]:
        return None
    weights = np.gradient(t)
    weights[[0, -1]] *= 0.5
    return weights


def truncations(result: Result) -> dict[str, Truncation]:
    """Truncation of the flexible bodies of a result, by name, as far as it is known."""
    compiled = result.data.compiled
    records = {n: r for n, r in compiled.flexible.items() if r.modal.n and n in compiled.bodies}
    usable, by_name = np.flatnonzero(np.all(np.abs(result.q) < HUGE, axis=1)), {}
    for name, record in records.items() if len(usable) else ():
        which = usable_times(result.q, result.q[:, record.q], SAMPLES)
        # with the second time: what is sudden at the start does not last until the next sample
        which = np.union1d(which, usable[:2])
        body = deflected(result, {name: record}, which).get(name)
        if body is None:
            continue
        by_name[name] = body.truncation()
        if by_name[name].exceeds and result.data.self_stress is not None:
            few = which[_telling(body)]
            sets = result.data.self_stress(result.data.history.at(few))
            bodies = with_right_reactions(deflected(result, records, few), sets, compiled)
            by_name[name] = replace(bodies[name], weights=np.ones(len(few))).truncation()
    return by_name


def deflected(
    result: Result, records: Mapping[str, FlexRecord], which: Indices
) -> dict[str, Deflected]:
    """Bodies at some output times, by name, of which loads and meshes are known."""
    found, some = {}, at_times(result, which)
    for name, record in records.items():
        try:
            loads = body_loads(some, record)
            # others are those of a run that diverged
            if loads is not None and all(
                np.all(np.abs(x) < HUGE) for x in (loads.factors, loads.elastic)
            ):
                response = record.body.static_response(loads.places, record.point_masses)
                found[name] = Deflected(record, result.t[which], loads, response)
        except ModelError:  # standard input data
            continue
    return found


def _telling(body: Deflected) -> Sequence[int]:
    """A few times: those at which the whole mesh has most strain energy."""
    _, whole = body.energy(body.across(body.factors), body.across(body.right))
    places: list[int] = np.argsort(whole)[-FEW:].tolist()
    return sorted(places)


def with_right_reactions(
    bodies: Mapping[str, Deflected], sets: Sequence[HeldLoads], compiled: Compiled
) -> dict[str, Deflected]:
    """Bodies with reactions that their elasticity, and not equilibrium alone, determines.

    ``sets``, one for each time, are reactions in equilibrium by themselves. Where they act on beams
    in parts, whose energy under them is not known here, reactions stay as they are.
    """
    if act_on_parts(sets, compiled):
        return dict(bodies)
    changes = {name: np.zeros_like(body.factors) for name, body in bodies.items()}
    for k, held in enumerate(sets):
        # parts of beams that are cut have none: reactions act at their ends
        unit = {n: unit_reactions(body, held[n]) for n, body in bodies.items() if held.get(n)}
        works = {n: u.T @ bodies[n].response.work for n, u in unit.items()}  # (s, m)
        energy = sum(works[n] @ u for n, u in unit.items())
        load = sum(works[n] @ bodies[n].factors[k] for n in unit)
        if unit:
            amounts = -np.linalg.pinv(energy, rcond=DEPENDENT, hermitian=True) @ load
        for name, u in unit.items():
            changes[name][k] = u @ amounts
    return {name: replace(body, change=changes[name]) for name, body in bodies.items()}


def act_on_parts(sets: Sequence[HeldLoads], compiled: Compiled) -> bool:
    """True if reactions act on beams in parts, whose flexibility under them is not known here."""
    cut = [name for name, record in compiled.bodies.items() if record.body.divides]
    wrenches = [w for held in sets for name in cut for _, w in held[name]]
    return any(np.abs(w).max(initial=0.0) > DEPENDENT for w in wrenches)


def unit_reactions(body: Deflected, held: Sequence[tuple[Frame, Array]]) -> Array:
    """Factors (m, s) of sets of reactions on a body."""
    loads = np.zeros((body.factors.shape[1], held[0][1].shape[1]))
    for frame, wrench in held:
        place = body.loads.places.index(float(body.record.body.station(frame)))
        start = INERTIA + 6 * place
        loads[start : start + 3] += wrench[3:]
        loads[start + 3 : start + 6] += wrench[:3] - np.cross(frame.position, wrench[3:].T).T
    return loads


def shear_of_loads(body: Deflected) -> float:
    """Fraction that shear would add to the deflections of a beam; 0 of other bodies."""
    loads = body.across(body.right)
    bent = body.mean(np.einsum("km,mn,kn->k", loads, body.response.work, loads))
    return body.mean(shear_energy(body, loads)) / bent if bent > 0.0 else 0.0


def shear_energy(body: Deflected, loads: Array) -> Array:
    """Twice the energy (k,) of shear under loads (k, m), J; 0 of bodies that are no beams."""
    record = body.record
    sheared = record.body.sheared_response(body.loads.places, record.point_masses)
    if sheared is None:
        return np.zeros(len(loads))
    added = sheared.work - body.response.work
    return np.asarray(np.maximum(np.einsum("km,mn,kn->k", loads, added, loads), 0.0))


def shear_of_places(bodies: Iterable[tuple[FlexRecord, Array]]) -> float:
    """Fraction that shear adds to deflections of frames or parts; coordinates (k, n) from rest."""
    energies = [carried_energies(record, q) for record, q in bodies]
    shear, rest = (float(sum(x.mean() for x in part)) for part in zip(*energies, strict=True))
    return shear / rest if rest > 0.0 else 0.0


def carried_energies(record: FlexRecord, q: Array) -> tuple[Array, Array]:
    """Twice the energy (k,) of shear that is left out, and of bending and twist, by places, J.

    ``q`` (k, n) may be complex: amplitudes.
    """
    rows, compliance = _kept_places(record)
    energy = np.square(np.abs(np.einsum("pin,kn->kpi", rows, q))) * compliance
    return energy[..., 1:3].sum(axis=(1, 2)), energy[..., 3:].sum(axis=(1, 2))


def _kept_places(record: FlexRecord) -> tuple[Array, Array]:
    """Rows (p, 6, n) and compliances (p, 6) of a body's places, kept as long as the body."""
    kept, key = _places.setdefault(record.body, {}), tuple(record.point_masses)
    if key not in kept:
        places = list(record.body.carrying_places(record.point_masses))
        rows = np.array([place.rows for place in places]).reshape(-1, 6, record.modal.n)
        kept[key] = rows, np.array([place.compliance for place in places]).reshape(-1, 6)
    return kept[key]
