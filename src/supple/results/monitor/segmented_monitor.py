"""Monitor of a beam, or of a frame structure, that is cut into parts.

Rotations of a part are against its own chord. A part of second order in pure bending errs by
``a^4/120`` of its length where its ends turn by ``a`` against the chord, one without by ``a^2/6``:
less than 0.1 % at 0.5 rad, and 0.4 % at 0.15 rad. Where the section changes much, a notch, a part
bends in one place instead of all along: at most ``a^2/3`` is wrong, 0.15 rad is the limit.

A part is linear in curvature. Two things need more parts than rotations do:

- A normal force bends a part beyond its cubics. In parts of the buckling load of a hinged part a
  pressure of 0.4 leaves about 2 % of that effect out; without stiffening all of it, pull or
  pressure, is left out: 0.02.
- A beam that is held in two places gives way along its axis because it is bent, and a part sees
  less of this (`supple.results.flexibility.part_flexibility`). The flexibility that is left out, of
  the worst load between the two places, is at most 0.05 of what is there. So it does across the
  plane of its bending, where moments twist it: parts without `SecondOrder(twist=True)` follow that
  in the mean. This counts where anything is across that plane, and for small motions about a state;
  there of a free end as well, however small the load across the plane is, since all that it does is
  wrong by as much.

The strain energy of what loads along a part, and its normal force, do beyond its cubics is compared
with that of the beam, 2 %, as for beams that are one body
(`supple.results.flexibility.truncation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from supple.fem.beams.line import gauss
from supple.fem.beams.section_forces import in_section_axes
from supple.fem.sections.sections import CrossSection
from supple.foundation.errors import label
from supple.reduction.stiffening import SecondOrder
from supple.results.checks.deformation_findings import ROTATION, of_rotation, of_strain
from supple.results.data.findings import BodyMonitor, Finding
from supple.results.flexibility.deformation import (
    Extreme,
    modal_energies,
    movements,
    states,
    strains,
)
from supple.results.flexibility.geometric_stiffness import sampled
from supple.results.flexibility.part_flexibility import (
    HINGED,
    POINTS,
    Network,
    curvatures,
    section_law,
    shapes_across,
    touched,
    twists_evenly,
)
from supple.results.flexibility.shear_share import of_shear, shear_of_places
from supple.results.flexibility.truncation import LIMIT, NOTHING, SAMPLES, deflected

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.bodies.structure.frame import FrameStructure
    from supple.engine.base.body_records import FlexRecord
    from supple.engine.base.compiled import BodyRecord
    from supple.results.result import Result
    from supple.results.views.flexible_views import PlaceView
    from supple.results.views.views import BodyView

    CutBody: TypeAlias = Beam | FrameStructure

Array = NDArray[np.float64]

PART_ROTATION = 0.5
UNEVEN = 2.0  # ratio of second moments within a part
FLEXIBILITY, SERIOUS_FLEXIBILITY = 0.05, 0.25
SERIOUS_ENERGY = 0.5
THRUST, PLAIN_THRUST, SERIOUS_THRUST = 0.4, 0.02, 1.0
FEW = 12  # output times at which flexibilities are compared


def watch_cut(result: Result, owner: BodyRecord, across: bool = False) -> BodyMonitor:
    """Look at a body of parts: the worst of them, and what only all of them show.

    ``across``: whether loads across the plane of bending matter where nothing of the run is across.
    """
    body, flexible = cast("CutBody", owner.body), result.data.compiled.flexible
    records = [flexible[part.name] for beam in body.part_chains for part in beam.part_bodies]
    stiffened, view = body.stiffened, cast("BodyView", result[body.name])
    seen = [(r, *states(result, r)) for r in records]
    turns = [movements(r.body, r.point_masses, t, q)[1] for r, t, q in seen]
    turned = max(turns, key=_largest)
    strained = [
        strains(r.body, r.point_masses, t, q - r.modal.rest_coordinates) for r, t, q in seen
    ]
    known = [s for s in strained if s is not None]
    worst = max(known, key=_largest) if known else None
    shown = [cast("PlaceView", view.at(*place)) for place in body.shown_places]
    moved = [np.linalg.norm(place.deflection, axis=1) for place in shown]
    deflection = float(np.max(moved, initial=0.0)) / body.typical_length
    spin = view.local.angular_velocity
    if body.axis is not None:
        spin = np.cross(spin, body.axis)
    lowest = min(float(modal_energies(r.modal, q)[0][0]) for r, _, q in seen)
    extremes = _extremes(result, body, records, across)
    limits = [PART_ROTATION if stiffened and _even(r) else ROTATION for r in records]
    limit, worst_turn = max(zip(limits, turns, strict=True), key=lambda x: x[1].largest / x[0])
    findings = [
        *of_rotation(body, worst_turn, stiffened, limit),
        *of_strain(body, worst, body.sizes_known),
        *(Finding(body.name, *found) for found in _findings(body, len(records), extremes)),
        *of_shear(body, _shear(result, records), deflection),
    ]
    return BodyMonitor(
        body.name,
        turned.largest,
        np.nan if worst is None else worst.largest,
        deflection,
        np.nan,
        np.nan if extremes.left_out is None else extremes.left_out.largest,
        float(np.linalg.norm(spin, axis=1).max(initial=0.0)),
        lowest,
        0.0,
        np.nan,
        np.nan,
        np.nan,
        tuple(findings),
    )


def _even(record: FlexRecord) -> bool:
    """Whether a part bends about as its cubics do: not so where its section changes much."""
    part = cast("Beam", record.body)
    if isinstance(part.section, CrossSection):
        return True
    moments = np.array([(s.I_y, s.I_z) for s in part.section.sections])
    return bool(np.all(moments.max(axis=0) < UNEVEN * moments.min(axis=0)))


def _largest(x: Extreme) -> float:
    return x.largest


@dataclass(frozen=True, eq=False)
class _Extremes:
    """What parts leave out over a run; None where it does not apply."""

    thrust: Extreme
    flexibility: Extreme | None
    aside: Extreme | None
    left_out: Extreme | None


def _extremes(
    result: Result, body: CutBody, records: Sequence[FlexRecord], across: bool
) -> _Extremes:
    """Look at all parts of a body."""
    q = np.hstack([result.q[:, record.q] for record in records])
    usable = np.all(np.isfinite(q), axis=1) & (np.abs(q).max(axis=1) < 1e6)
    which = np.flatnonzero(usable)
    forces = [_end_forces(record, result.q[:, record.q]) for record in records]
    normal = [values[0, :, 0] for values in forces]
    thrust = np.zeros(len(result.t))
    for record, force in zip(records, normal, strict=True):
        pressed = -force if body.stiffened else np.abs(force)
        thrust = np.maximum(thrust, pressed / _hinged_load(record))
    if not len(which):
        return _Extremes(Extreme(result.t, thrust), None, None, None)
    flexibility = aside = None
    across = across or _bends_across(result, records, forces, which)
    acting, few = touched(result, body), which[sampled(q[which], FEW)]
    if paths := body.load_paths(acting):
        network = Network(result, records, forces, paths, across)
        flexibility = Extreme(result.t[few], np.array([network.missing(k) for k in few]))
    if across and (paths := body.overhangs(acting)):
        network = Network(result, records, forces, paths, across)
        aside = Extreme(result.t[few], np.array([network.missing_across(k) for k in few]))
    some = which[sampled(q[which], SAMPLES)]
    left = _left_out(result, records, [force[some] for force in normal], some)
    return _Extremes(Extreme(result.t, thrust), flexibility, aside, left)


def _shear(result: Result, records: Sequence[FlexRecord]) -> float:
    """Fraction that shear would add to the deflections, in the mean over the run."""
    q = [result.q[:, r.q] - r.modal.rest_coordinates for r in records]
    good = np.flatnonzero(np.all(np.abs(np.hstack(q)) < 1e6, axis=1))
    few = good[sampled(np.hstack(q)[good], SAMPLES)]
    return shear_of_places((r, x[few]) for r, x in zip(records, q, strict=True))


def _findings(
    body: CutBody, count: int, found: _Extremes
) -> Iterator[tuple[str, float, float, float, bool, str]]:
    """What is beyond a limit: its word, value, limit, time, whether it is serious, a sentence."""
    stiffened, number = body.stiffened, f"{count} parts" if count > 1 else "one part"
    limit = THRUST if stiffened else PLAIN_THRUST
    passed = found.thrust.passes(limit)
    advice = "use more parts" if stiffened else "use stiffening='second_order', or more parts"
    if passed is not None:
        value = found.thrust.largest
        sentence = (
            f"{label(body)}: the normal force in one of its {number} reaches {value:.2g} of the "
            f"force under which that part alone buckles, beyond {limit:g} from t = {passed:.4g} s "
            f"on: {advice}"
        )
        yield "load", value, limit, passed, value > SERIOUS_THRUST, sentence
    even = isinstance(body.stiffening, SecondOrder) and not body.stiffening.twist
    more = "use more parts, or stiffening=SecondOrder(twist=True)" if even else "use more parts"
    left = (
        (
            ("parts", found.flexibility, FLEXIBILITY, SERIOUS_FLEXIBILITY),
            "bent as it is, ",
            "flexibility between the places where it is held",
        ),
        (
            ("parts", found.aside, FLEXIBILITY, SERIOUS_FLEXIBILITY),
            "bent as it is, ",
            "flexibility of a free end across the plane of its bending",
        ),
        (
            ("modes", found.left_out, LIMIT, SERIOUS_ENERGY),
            "",
            "strain energy under forces and inertia along them",
        ),
    )
    for (word, extreme, most, serious), when, what in left:
        passed = None if extreme is None else extreme.passes(most)
        if extreme is not None and passed is not None:
            value = extreme.largest
            sentence = (
                f"{label(body)}: {when}with {number} it leaves out {value:.2g} of the {what}, "
                f"expected at most {most:g}, from t = {passed:.4g} s on: {more}"
            )
            yield word, value, most, passed, value > serious, sentence


def _end_forces(record: FlexRecord, q: Array) -> Array:
    """Section forces (2, nt, 6) at both ends of a part, in body axes."""
    part = cast("Beam", record.body)
    rows = [part.section_forces(x, record.point_masses) for x in (0.0, part.length)]
    q = q - record.modal.rest_coordinates
    return np.array([in_section_axes(r, -part.roll) @ q.T for r in rows]).transpose(0, 2, 1)


def _hinged_load(record: FlexRecord) -> float:
    """Force (N) under which a part with hinged ends buckles."""
    softest = float(np.linalg.eigvalsh(section_law(record).bending)[0])
    return np.pi**2 * softest / record.body.typical_length**2


def _left_out(
    result: Result,
    records: Sequence[FlexRecord],
    normal: Sequence[Array],
    which: NDArray[np.int_],
) -> Extreme | None:
    """Strain energy of what loads and normal forces do beyond the shapes, of that of the run.

    In the mean over the run: at the instant of a sudden load all of it is beyond the shapes.
    """
    bodies = deflected(result, {r.name: r for r in records}, which)
    if len(bodies) < len(records):
        return None
    missing, strain = np.zeros(len(which)), np.zeros(len(which))
    for record, force in zip(records, normal, strict=True):
        body, q = bodies[record.name], result.q[which][:, record.q]
        across = body.across(body.factors)
        beyond, along = body.energy(across, across)
        strained = q - record.modal.rest_coordinates
        missing += beyond + _bent_energy(record, q, force) + _twist_energy(record, strained)
        strain += np.einsum("ti,ij,tj->t", strained, record.modal.K, strained) + along
    size = strain.mean()
    lowest = min(modal_energies(r.modal, result.q[:1, r.q])[0][0] for r in records)
    mass, length = sum(r.modal.mass for r in records), sum(r.body.typical_length for r in records)
    nothing = mass * (NOTHING * length * lowest) ** 2
    found = missing.mean() / size if size > nothing else 0.0
    return Extreme(result.t[which][:1], np.array([found]))


def _bent_energy(record: FlexRecord, q: Array, force: Array) -> Array:
    """Twice the strain energy (k,) that normal forces (k,) times the deflection would store.

    The part sees what is linear of their moment along it, in the mean, and all that it has at rest.
    """
    xi, weights = np.array(gauss(POINTS)).T
    linear = np.array([np.ones(POINTS), np.sqrt(12.0) * (xi - 0.5)])  # orthonormal
    soft = np.linalg.inv(section_law(record).bending)

    def densities(q: Array) -> Array:
        across = np.einsum("pin,tn->tpi", shapes_across(record), q)
        left = across - np.einsum("gp,gr,r,tri->tpi", linear, linear, weights, across)
        return np.asarray(np.einsum("tpi,ij,tpj->tp", left, soft, left))

    energy = np.abs(densities(q) - densities(record.modal.rest_coordinates[None])) @ weights
    return np.asarray(force**2 * energy * record.body.typical_length)


def _twist_energy(record: FlexRecord, q: Array) -> Array:
    """Twice the strain energy (k,) of twist that varies along a part, if the part has none."""
    if not twists_evenly(record):
        return np.zeros(len(q))
    torque = _twisting_moment(record, q) ** 2 / section_law(record).torsional
    return np.asarray(torque * record.body.typical_length**3 / 12.0)


def _twisting_moment(record: FlexRecord, q: Array) -> Array:
    """Torque per length (k,) of the moments of a part about its bent axis, q without the rest."""
    bent = q @ curvatures(record).T
    moments = bent @ section_law(record).bending
    return np.asarray(bent[:, 1] * moments[:, 0] - bent[:, 0] * moments[:, 1])


def _bends_across(
    result: Result, records: Sequence[FlexRecord], forces: Sequence[Array], which: NDArray[np.int_]
) -> bool:
    """Whether parts are twisted, or moments of bending twist them: not so in a plane."""
    size = max(float(np.abs(f[:, which, 3:]).max(initial=0.0)) for f in forces)
    for record, force in zip(records, forces, strict=True):
        q = result.q[which][:, record.q] - record.modal.rest_coordinates
        torque = record.body.typical_length * np.abs(_twisting_moment(record, q)).max(initial=0.0)
        if max(float(torque), float(np.abs(force[:, which, 3]).max(initial=0.0))) > HINGED * size:
            return True
    return False
