"""Errors of frequencies of a linear model: by few modes, by shear, by meshes and by elements.

In a mode, inertia and joints load a body as at any instant. What its whole mesh would do beyond its
elastic coordinates, and by shear of sections that has no place in its theory, is flexibility that
is missing: with twice the energy E of that deflection, and 2 T with the kinetic energy T of the
mode, both largest, the square of the frequency is too high by the part E / T, to first order
(Rayleigh). A finer mesh would give way more, or less, under the same loads, and that flexibility
changes the square of the frequency in the same way. Elements over nodal vectors are compared with
smaller ones (`supple.analyses.linear.nodal_frequencies`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.analyses.base.snapshot_result import instant
from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.mode import Mode
from supple.analyses.linear.nodal_frequencies import NodalErrors, nodal_errors, nodal_strain
from supple.bodies.nodal.ancf_nodes import ANCFNodes
from supple.engine.base.body_records import FlexRecord
from supple.engine.base.compiled import Compiled
from supple.engine.reading.loads import Loads
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label, percent
from supple.foundation.frames import Body
from supple.reduction.response import StressedLoads
from supple.results.checks.reduced_bodies import advice, coordinates, mesh_works
from supple.results.data.findings import Finding, Monitor
from supple.results.flexibility.deformation import whitening
from supple.results.flexibility.truncation import (
    Deflected,
    carried_energies,
    deflected,
    shear_energy,
    with_right_reactions,
)
from supple.results.monitor.segments import section_law
from supple.results.result import Result
from supple.results.views.body_loads import INERTIA
from supple.state import State

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.model import Model

MODES = 12  # lowest modes that are looked at
STEP = 1e-4  # of displaced states, in the scales of coordinates
JUDGED = 3  # lowest elastic modes that are judged
LIMIT, SERIOUS = 0.02, 0.1  # part of a frequency
ELASTIC = 0.5  # part of the energy of a mode that is strain, if it is an elastic one
MOST = 0.99  # part of the work in a mode that a mesh may have too much
SMALL = 0.01  # relative change of the stiffness by stress that does not matter
AT_REST = 1e-9  # of the largest motion of elastic coordinates: a body that cannot deform


@dataclass(frozen=True, eq=False)
class FrequencyErrors:
    """Flexibility missing in the lowest modes that oscillate, as parts of their frequencies."""

    parts: Array  # (k,) of each frequency by which it is too high; NaN where it is not known
    worst: tuple[str, ...]  # (k,) names of the bodies to which most of it belongs
    # (k,) whether most of it is shear of sections that a theory leaves out
    sheared: tuple[bool, ...]
    elastic: tuple[int, ...]  # numbers of the elastic modes, ascending
    falls: tuple[bool, ...] = ()  # (k,) whether a frequency falls with stiffness, in axes that turn
    # by name of a body, (k,) parts by which its mesh makes each frequency too high
    by_mesh: dict[str, Array] = field(default_factory=dict)
    # errors by elements over nodal vectors; None if there are none
    nodal: NodalErrors | None = None

    @property
    def judged(self) -> int:
        """Number of modes that are judged: those up to the third elastic one, or all."""
        return self.elastic[JUDGED - 1] + 1 if len(self.elastic) >= JUDGED else len(self.parts)

    def lowest(self, k: int) -> bool:
        """True if mode k is the lowest elastic one or below it, or if none is elastic."""
        return not self.elastic or k <= self.elastic[0]

    @property
    def all_parts(self) -> Array:
        """Parts (k,) by modes, meshes and elements together."""
        rest = 1.0 - self.parts
        if self.nodal is not None:
            rest = rest * (1.0 - self.nodal.parts)
        for parts in self.by_mesh.values():
            rest = rest * (1.0 - parts)
        return np.asarray(1.0 - rest)


def frequency_errors(equations: Equations, linear: LinearModel, model: Model) -> FrequencyErrors:
    """Compare the lowest modes with the whole meshes of all flexible bodies."""
    modes = [m for m in linear.modes if m.eigenvalue.imag > 0.0][:MODES]
    compiled = equations.compiled
    records = {name: r for name, r in compiled.flexible.items() if r.modal.n}
    nothing, nobody = np.zeros(len(modes)), ("",) * len(modes)
    strain = nodal_strain(linear, modes)
    strain = strain + np.array([_strain(records.values(), mode) for mode in modes])
    energies = _Energies.of(linear, modes, strain)
    elastic = tuple(np.flatnonzero(strain > ELASTIC * energies.kinetic).tolist())
    alone = FrequencyErrors(nothing, nobody, (False,) * len(modes), elastic)
    if modes and compiled.gradient:
        alone = replace(alone, nodal=nodal_errors(equations, linear, model, modes, alone.judged))
    if not modes or not records:
        return alone
    bodies = _loaded(equations, linear.state, modes, model, records)
    shear = {name: body.shear(name in compiled.bodies) for name, body in bodies.items()}
    missing = {name: body.missing + shear[name] for name, body in bodies.items()}
    parts = energies.parts(sum(missing.values(), nothing))
    if len(bodies) < len(records):
        parts = parts + np.nan
    worst = tuple(
        max(missing, key=lambda name, k=k: missing[name][k], default="")  # type: ignore[misc]
        for k in range(len(modes))
    )
    sheared = tuple(bool(w and shear[w][k] > 0.5 * missing[w][k]) for k, w in enumerate(worst))
    falls = tuple((energies.change < 0.0).tolist())
    lacking = {name: body.by_mesh() for name, body in bodies.items()}
    by_mesh = {n: energies.parts(energy) for n, energy in lacking.items() if energy is not None}
    return replace(alone, parts=parts, worst=worst, sheared=sheared, by_mesh=by_mesh, falls=falls)


class _Energies(NamedTuple):
    """Twice the energies (k,) of modes.

    Of a mode y with the eigenvalue i w, M, K and the gyroscopic matrix G: a change dK of the
    stiffness changes w by y* dK y / (w^2 y* M y + y* K y) of itself. Without G both terms are
    equal. In axes that turn they may differ in sign, and a frequency then falls with stiffness.
    """

    kinetic: Array  # w^2 y* M y
    strain: Array  # of flexible bodies
    # mean of the kinetic one and of that of all stiffness, which loads and spin change
    change: Array

    @classmethod
    def of(cls, linear: LinearModel, modes: Sequence[Mode], strain: Array) -> _Energies:
        """Energies of some modes of a linear model."""
        shapes = [mode.shape[list(linear.places)] for mode in modes]
        squares = np.array([abs(mode.eigenvalue) ** 2 for mode in modes])
        mass, stiffness = (
            np.array([float(np.real(y.conj() @ matrix @ y)) for y in shapes])
            for matrix in (linear.M, linear.K)
        )
        kinetic = mass * squares
        return cls(kinetic, strain, 0.5 * (kinetic + stiffness))

    def parts(self, missing: Array) -> Array:
        """Parts (k,) of frequencies that are too high by flexibility with this energy left out."""
        whole = np.maximum(self.kinetic, self.strain)
        alone = 1.0 - 1.0 / np.sqrt(1.0 + np.maximum(missing / whole, -MOST))
        least = MOST * whole * np.abs(alone)  # less says nothing about a frequency near zero
        change = np.where(self.change < 0.0, -1.0, 1.0) * np.maximum(np.abs(self.change), least)
        return np.asarray(np.clip(alone * whole / change, -np.inf, MOST))


def _loaded(
    equations: Equations,
    state: State,
    modes: Sequence[Mode],
    model: Model,
    records: dict[str, FlexRecord],
) -> dict[str, _Loaded]:
    """Bodies under the loads of each mode, its real and its imaginary part one after the other."""
    q, u, steps = [], [], []
    for mode in modes:
        size = float(np.abs(mode.shape / equations.compiled.scale).max())
        for factor in (1.0, -1j):
            move, speed = (factor * mode.shape).real, (factor * mode.eigenvalue * mode.shape).real
            steps.append(STEP / size)
            for step in (STEP / size, -STEP / size):
                q.append(equations.retract(state.q, step * move))
                u.append(state.u + step * speed)
    q.append(state.q)
    u.append(state.u)
    t, z = np.full(len(q), state.t), np.tile(state.z, (len(q), 1))
    history = equations.history(t, np.array(q), np.array(u), z)[1]
    data = replace(
        instant(model, equations, state, True, "displaced", {}),
        t=t,
        q=np.array(q),
        u=np.array(u),
        z=z,
        channels=np.zeros((len(q), len(equations.compiled.force_names))),
        history=history,
        loads=Loads(history, dict(model.forces)),
    )
    plus, twice = np.arange(0, len(q) - 1, 2), 2.0 * np.array(steps)[:, None]
    bodies, stresses = {}, {}
    for name, body in deflected(Result(data), records, np.arange(len(q))).items():
        loads = replace(
            body.loads,
            factors=(body.loads.factors[plus] - body.loads.factors[plus + 1]) / twice,
            elastic=(body.loads.elastic[plus] - body.loads.elastic[plus + 1]) / twice,
        )
        bodies[name] = replace(body, t=t[plus], loads=loads)
        stresses[name] = body.factors[-1]
    if data.self_stress is not None:
        sets = data.self_stress(history.at(plus))
        bodies = with_right_reactions(bodies, sets, equations.compiled)
    return {name: _Loaded.of(body, stresses[name], state, modes) for name, body in bodies.items()}


@dataclass(frozen=True, eq=False)
class _Loaded:
    """A body under the loads of modes."""

    body: Deflected  # at times that stand for the real and the imaginary part of each mode
    shapes: Array  # (2 modes, n) elastic coordinates
    missing: Array  # (modes,) twice the energy of what its elastic coordinates leave out
    stressed: bool  # True if stress changes its stiffness

    @classmethod
    def of(cls, body: Deflected, stress: Array, state: State, modes: Sequence[Mode]) -> _Loaded:
        """From the loads (m,) under which the body has its stress.

        Loads of a mode on a taut string are carried by its tension and bend it hardly at all: where
        stress matters, it belongs to the flexibility that is missing.
        """
        record = body.record
        parts = [(f * mode.shape[record.u]).real for mode in modes for f in (1.0, -1j)]
        shapes, strained = np.array(parts), state.q[record.q] - record.modal.rest_coordinates
        energies, stressed = None, False
        if record.body.stiffened and _stress_effect(record, body, stress, strained) > SMALL:
            places, held = body.loads.places, body.loads.held
            known = None if record.body.is_segment else stress
            loads = StressedLoads(places, body.factors, shapes, known, strained, held)
            with suppress(ModelError, np.linalg.LinAlgError):  # more than it bears alone
                energies = record.body.stressed_energy(loads, record.point_masses)
                stressed = True
        if energies is None:
            energies = body.energy(body.factors, body.right)[0]
        return cls(body, shapes, np.asarray(energies.reshape(-1, 2).sum(axis=1)), stressed)

    def shear(self, whole: bool) -> Array:
        """Twice the energy (modes,) of shear that is left out.

        ``whole``: whether the body is no part of another one.
        """
        if self.record.body.axis is None or self.stressed or not whole:  # what its sections carry
            energies = carried_energies(self.record, self.shapes)[0]
        else:
            energies = shear_energy(self.body, self.body.right)
        return np.asarray(energies.reshape(-1, 2).sum(axis=1))

    @property
    def record(self) -> FlexRecord:
        """The body's record."""
        return self.body.record

    def by_mesh(self) -> Array | None:
        """Twice the energy (modes,) of flexibility that its mesh lacks; None if it is unknown."""
        works = mesh_works(self.body)
        if works is None:
            return None
        own, exact = works
        if self.stressed:  # only the part of the loads that deforms it
            K = self.record.modal.K
            strain = np.einsum("ka,ab,kb->k", self.shapes, K, self.shapes)
            exact, own = strain * exact / np.where(own > 0.0, own, 1.0), strain
        return np.asarray((exact - own).reshape(-1, 2).sum(axis=1))


def _stress_effect(record: FlexRecord, body: Deflected, stress: Array, state: Array) -> float:
    """Largest relative change of the stiffness of a body by its stress; 0 where it is not known.

    Stress is that under loads (m,); parts of beams have it from their elastic coordinates (n,).
    """
    if record.body.is_segment:
        part, law = cast("Beam", record.body), section_law(record)
        force = part.section_forces(0.5 * part.length, record.point_masses)[0] @ state
        return float(abs(force) * part.length**2 / np.linalg.eigvalsh(law.bending)[0] / np.pi**2)
    places, masses = body.loads.places, record.point_masses
    try:
        factors = stress[None, : INERTIA + 6 * len(places)]
        K0 = record.body.load_stiffness(places, factors, masses)[0]
    except ModelError:  # a component of matrices only
        return 0.0
    inverse = whitening(record.modal.K)
    return float(np.abs(np.linalg.eigvalsh(inverse @ (0.5 * (K0 + K0.T)) @ inverse.T)).max())


def _strain(records: Iterable[FlexRecord], mode: Mode) -> float:
    """Twice the strain energy of all bodies in a mode."""
    total = 0.0
    for record in records:
        own = mode.shape[record.u]
        total += float(np.real(own.conj() @ record.modal.K @ own))
    return total


def with_frequencies(monitor: Monitor, linear: LinearModel, found: FrequencyErrors) -> Monitor:
    """Monitor with added findings about the frequencies up to the third elastic one.

    By few modes, by meshes, and by elements over nodal vectors. One up to the lowest elastic one is
    a "frequency", others are "frequencies".
    """
    compiled = linear.state.compiled
    assert compiled is not None
    still = _motionless(monitor, linear, compiled)
    wrong = (
        *_by_modes(monitor, compiled, found),
        *_by_meshes(compiled, found),
        *_by_elements(compiled, found),
    )
    return monitor.adding([*still, *(each.finding(linear, found) for each in wrong)])


class _Wrong(NamedTuple):
    """A frequency that is wrong because of a body."""

    name: str  # of the body in the monitor
    about: Body  # the body that is named
    k: int  # number of the mode
    part: float  # of the frequency by which it is too high; negative if it is too low
    serious: float  # part from which on it is serious, in parts of the right frequency
    because: str  # words before "the frequency"
    advice: str  # words behind the limit

    def finding(self, linear: LinearModel, found: FrequencyErrors) -> Finding:
        """The finding about it."""
        size, lowest = abs(excess(self.part)), found.lowest(self.k)
        sentence = (
            f"{label(self.about)}: {self.because} the frequency {linear.frequencies[self.k]:.4g} "
            f"Hz is about {percent(size)} too {'high' if self.part > 0.0 else 'low'}, expected at "
            f"most {percent(LIMIT)}{self.advice}"
        )
        word, serious = "frequency" if lowest else "frequencies", lowest and size > self.serious
        return Finding(self.name, word, size, LIMIT, None, serious, sentence)


def _motionless(monitor: Monitor, linear: LinearModel, compiled: Compiled) -> Iterator[Finding]:
    """Findings about bodies that cannot move."""
    moving = np.abs(linear.N / compiled.scale[:, None]).max(axis=1, initial=0.0)
    for name, record in compiled.flexible.items():
        if name in monitor.bodies and moving[record.u].max(initial=0.0) < AT_REST:
            body, n = record.body, record.modal.n
            sentence = (
                f"{label(body)}: its joints leave its {coordinates(body, n)} no motion, so that it "
                f"has no frequencies of its own: {advice(body, n)}"
            )
            yield Finding(name, "modes", 1.0, 0.0, None, True, sentence)


def _by_modes(monitor: Monitor, compiled: Compiled, found: FrequencyErrors) -> Iterator[_Wrong]:
    """The first frequency that few modes, or shear that is left out, make wrong."""
    for k in np.flatnonzero(np.abs(found.parts[: found.judged]) > LIMIT)[:1].tolist():
        worst = found.worst[k]
        record, owner = compiled.flexible[worst], compiled.bodies[compiled.owners[worst]].body
        name = worst if worst in monitor.bodies else compiled.owners[worst]
        with_its, do = coordinates(record.body, record.modal.n), advice(record.body, record.modal.n)
        if owner.divides:
            with_its, do = "parts", "use more parts"
        if found.sheared[k]:
            with_its, do = "theory='euler_bernoulli', without shear,", "use theory='timoshenko'"
        part, serious = float(found.parts[k]), excess(SERIOUS)
        yield _Wrong(name, owner, k, part, serious, f"with its {with_its}", f": {do}")


def _by_meshes(compiled: Compiled, found: FrequencyErrors) -> Iterator[_Wrong]:
    """The first frequency of each body that its mesh gets wrong."""
    for name, parts in found.by_mesh.items():
        for k in np.flatnonzero(np.abs(parts[: found.judged]) > LIMIT)[:1].tolist():
            part, body = float(parts[k]), compiled.flexible[name].body
            do = f", whatever modes it has: {body.mesh_advice((part > 0.0) is not found.falls[k])}"
            yield _Wrong(name, body, k, part, SERIOUS, "by its mesh", do)


def _by_elements(compiled: Compiled, found: FrequencyErrors) -> Iterator[_Wrong]:
    """The first frequency that elements over nodal vectors get wrong."""
    nodal = found.nodal
    if nodal is None:
        return
    judged = nodal.parts[: found.judged]
    for k in np.flatnonzero(np.abs(judged / (1.0 - judged)) > LIMIT)[:1].tolist():
        part, name = float(judged[k]), nodal.worst[k]
        body = compiled.gradient[name].body
        do = body.refinement if isinstance(body, ANCFNodes) else "use more elements"
        if abs(nodal.lasting[k]) > 0.5 * abs(part):
            do = "use element='collocated', since sections of a continuum cannot contract"
        yield _Wrong(name, body, k, part, SERIOUS, "with its elements", f": {do}")


def excess(part: float) -> float:
    """By how much a frequency is too high, in parts of the right one."""
    return part / (1.0 - part)
