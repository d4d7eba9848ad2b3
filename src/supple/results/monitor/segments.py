"""Monitor of a beam, or of a frame structure, that is cut into parts.

Rotations of a part are against its own chord. A part of second order in pure bending errs by
``a^4/120`` of its length where its ends turn by ``a`` against the chord, one without by ``a^2/6``:
less than 0.1 % at 0.5 rad, and 0.4 % at 0.15 rad. Where the section changes much, a notch, a part
bends in one place instead of all along: at most ``a^2/3`` is wrong, 0.15 rad is the limit.

A part is linear in curvature. Two things need more parts than rotations do:

- A normal force bends a part beyond its cubics. In parts of the buckling load of a hinged part a
  pressure of 0.4 leaves about 2 % of that effect out; without stiffening all of it, pull or
  pressure, is left out: 0.02.
- A beam that is held in two places, a leaf spring, gives way along its axis because it is bent: the
  moment of a force along the chord of a part is the force times the distance from the chord, of
  which a part sees what is linear along it. The flexibility that is left out, of the worst load
  between the two places, is at most 0.05 of what is there. So it does across the plane of its
  bending, where moments twist it: parts without `SecondOrder(twist=True)` follow that in the mean.
  In a frame structure loads go around loops and between nodes on the ground, which take what fits,
  and come from the other nodes where something acts. What is across the plane counts where
  anything of the run is across it, and for small motions about a state; there of a free end as
  well, however small the load across the plane is, since all that it does is wrong by as much.

The strain energy of what loads along a part, and its normal force, do beyond its cubics is compared
with that of the beam, 2 %, as for beams that are one body
(`supple.results.flexibility.truncation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.fem.beams.line import gauss
from supple.fem.beams.section_forces import in_section_axes
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array, Indices
from supple.foundation.poses import skew
from supple.reduction.problem import INNER_NAME
from supple.reduction.stiffening import SecondOrder
from supple.results.checks import deformation
from supple.results.data.findings import BodyMonitor, Check, Extreme
from supple.results.flexibility.deformation import (
    modal_energies,
    movements,
    sampled,
    states,
    strains,
)
from supple.results.flexibility.supports import touched
from supple.results.flexibility.truncation import (
    LIMIT,
    NOTHING,
    SAMPLES,
    deflected,
    shear_of_places,
)

if TYPE_CHECKING:
    from supple.bodies.base.segmented import SegmentedBody
    from supple.bodies.beam.beam import Beam
    from supple.engine.base.body_records import FlexRecord
    from supple.engine.base.compiled import BodyRecord
    from supple.fem.beams.beam import BeamMesh
    from supple.fem.beams.line import SectionLaw
    from supple.foundation.frames import LoadPath
    from supple.reduction.field import MeshField
    from supple.results.result import Result
    from supple.results.views.flexible_views import PlaceView
    from supple.results.views.views import BodyView

POINTS = 4  # of Gauss in a part, for products of two cubics less their linear parts
HINGED = 1e-6  # of the largest moment: less is none
FEW = 12  # output times at which flexibilities are compared
UNEVEN = 2.0  # ratio of second moments within a part
BENDS = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # from T, My, Mz to moments of v'' and w''


def section_law(record: FlexRecord) -> SectionLaw:
    """Stiffness of the section in the middle of a part, in body axes."""
    part = cast("Beam", record.body)
    mesh = cast("BeamMesh", cast("MeshField", part._reduced(record.point_masses)).mesh)
    return mesh.at(0.5, part.roll)


def shapes_across(record: FlexRecord) -> Array:
    """Rows (POINTS, 2, n) of displacement across the chord at the points of a part."""
    part = cast("Beam", record.body)
    field = part._reduced(record.point_masses)
    return field.motions(s * part.length for s, _ in gauss(POINTS))[:, 1:3]


def twists_evenly(record: FlexRecord) -> bool:
    """True if the rate of twist is constant along a part, whatever its moments are."""
    return INNER_NAME not in record.modal.coordinate_names


def curvatures(record: FlexRecord) -> Array:
    """Rows (2, n) of the curvatures v'' and w'' in the middle of a part."""
    part = cast("Beam", record.body)
    return np.asarray(part._reduced(record.point_masses).strain(0.5 * part.length)[1:3])


class Network:
    """Parts that carry loads between held places and around loops: flexibility, what is left out.

    A load is a wrench on each path, force and moment about one point: what is carried through the
    sections of its parts. ``across``: whether the twist that moments of bending make counts.
    """

    def __init__(
        self,
        result: Result,
        records: Sequence[FlexRecord],
        forces: Sequence[Array],
        paths: Sequence[LoadPath],
        across: bool,
    ) -> None:
        self.across = across
        h, names = result.data.history, result.data.compiled.body_names
        number = self.number = {record.name: k for k, record in enumerate(records)}
        self.paths = paths
        signs = np.zeros((len(records), len(paths)))
        for c, path in enumerate(paths):
            for name, sign in path.parts:
                signs[number[name], c] = sign
        where = [names.index(record.name) for record in records]
        self.records, self.signs, self.R, self.p = records, signs, h.R[:, where], h.p[:, where]
        self.q = [result.q[:, r.q] for r in records]
        size = max(float(np.abs(f[..., 3:]).max(initial=0.0)) for f in forces)
        self.hinges: list[tuple[int, int, Array]] = []  # an end of a part, signs of its paths
        for meeting in dict.fromkeys(end for path in paths for end in path.ends if end):
            moments = np.zeros((len(result.t), 3))
            for name, end in meeting:
                k = number[name]
                turned = np.einsum("tij,tj->ti", self.R[:, k], forces[k][end][:, 3:])
                moments += turned if end else -turned
            if float(np.abs(moments).max(initial=0.0)) <= HINGED * size:
                mine = [(p.ends[0] == meeting) - (p.ends[1] == meeting) for p in paths]
                self.hinges.append((number[meeting[0][0]], meeting[0][1], np.array(mine, float)))
        self.shapes = [shapes_across(r) for r in records]
        self.loaded = np.kron(np.eye(len(paths))[[path.loaded for path in paths]], np.eye(6))

    def missing(self, k: int) -> float:
        """Largest part of the flexibility that is left out at an output time."""
        from scipy.linalg import null_space

        about = self.p[k, 0]
        count = 6 * self.signs.shape[1]
        there, lost = np.zeros((count, count)), np.zeros((count, count))
        for i, record in enumerate(self.records):
            signs = self.signs[i]
            if signs.any():
                one, two, _ = self._of_part(k, i, record, about)
                both = np.outer(signs, signs)
                there, lost = there + np.kron(both, one), lost + np.kron(both, two)
        rows = []
        for i, end, signs in self.hinges:  # no moment about the place
            place = self.p[k, i] + end * self.R[k, i][:, 0] * self.records[i].body.typical_length
            rows.append(np.kron(signs, np.hstack([skew(about - place), np.eye(3)])))
        free = null_space(np.vstack(rows)) if rows else np.eye(count)
        within = null_space(self.loaded @ free) if len(self.loaded) else np.eye(free.shape[1])
        largest = _largest_part(*(_congruent(x, free @ within) for x in (there, lost)))
        if not len(self.loaded):
            return largest
        loads = free @ null_space(within.T)  # of which the held places take what fits
        right = there + lost
        soft, all_of_it = (_with_held(x, loads, free @ within) for x in (there, right))
        return max(largest, _largest_part(soft, all_of_it - soft))

    def missing_across(self, k: int) -> float:
        """Flexibility of free ends across the plane of bending that constant twist leaves out.

        Of each path alone, for the force at its last place that twists its parts most.
        """
        largest = 0.0
        for signs, path in zip(self.signs.T, self.paths, strict=True):
            about, soft, left = self.end_of(path, k), np.zeros((3, 3)), np.zeros((3, 3))
            for i in np.flatnonzero(signs).tolist():
                there, _, twist = self._of_part(k, i, self.records[i], about)
                soft, left = soft + there[:3, :3], left + twist[:3, :3]
            worst = np.linalg.eigh(left)[1][:, -1]
            largest = max(largest, float(worst @ left @ worst / (worst @ soft @ worst)))
        return largest

    def end_of(self, path: LoadPath, k: int) -> Array:
        """The last place (3,) of a path."""
        name, last = path.ends[1][0] if path.ends[1] else (path.parts[-1][0], 1)
        i = self.number[name]
        along = last * self.R[k, i][:, 0] * self.records[i].body.typical_length
        return np.asarray(self.p[k, i] + along)

    def _of_part(
        self, k: int, i: int, record: FlexRecord, end: Array
    ) -> tuple[Array, Array, Array]:
        """Flexibility (6, 6) of a part for force and moment at the end, and what it leaves out.

        And, of what it leaves out, the twist by moments of bending.
        """
        part, R, p = cast("Beam", record.body), self.R[k, i], self.p[k, i]
        xi, weights = np.array(gauss(POINTS)).T
        across = self.shapes[i] @ self.q[i][k]  # (POINTS, 2)

        def moments(aside: Array) -> Array:
            """Moments (POINTS, 3, 6) in the axes of the part by force and moment at the end."""
            points = np.column_stack([xi * part.length, aside])
            return np.array([np.hstack([R.T @ skew(end - p - R @ x), R.T]) for x in points])

        full = moments(across)
        # without stiffening forces act along the chord, with it where the axis is, on the average
        seen = full if part.stiffened else moments(0.0 * across)
        linear = np.array([np.ones(POINTS), np.sqrt(12.0) * (xi - 0.5)])  # orthonormal
        means = np.einsum("gp,p,pij->gij", linear, weights, seen)
        normal = np.hstack([R.T, np.zeros((3, 3))])[:1]
        section = section_law(record)
        bends = BENDS.T @ np.linalg.solve(section.bending, BENDS)
        whole = bends + np.diag([1.0 / section.torsional, 0.0, 0.0])
        there = np.einsum("gki,kl,glj->ij", means, whole, means)
        lost = np.einsum("p,pki,kl,plj->ij", weights, full, whole, full) - there
        # bent as it is, the part is twisted by its moments: k x M per length
        about_z, about_y = curvatures(record) @ (self.q[i][k] - record.modal.rest_coordinates)
        torque = about_y * means[0, 2] + about_z * means[0, 1]
        twisted = part.length**2 / 12.0 / section.torsional * np.outer(torque, torque)
        if not self.across:
            twisted = 0.0 * twisted
        if twists_evenly(record):
            lost = lost + twisted
        else:
            there, twisted = there + twisted, 0.0 * twisted
        if record.modal.rest is not None:  # a curved part has what is beyond linear at rest
            bent = moments(self.shapes[i] @ record.modal.rest)
            bent = bent - np.einsum("gp,gr,r,rij->pij", linear, linear, weights, bent)
            known = np.einsum("p,pki,kl,plj->ij", weights, bent, whole, bent)
            there, lost = there + known, lost - known
        there += normal.T @ normal / section.axial
        return part.length * there, part.length * lost, part.length * twisted


def _congruent(matrix: Array, basis: Array) -> Array:
    return np.asarray(basis.T @ matrix @ basis)


def _with_held(flexibility: Array, loads: Array, held: Array) -> Array:
    """Flexibility for some loads where others are such that nothing moves along them."""
    taken, across = _congruent(flexibility, held), held.T @ flexibility @ loads
    scale = 1.0 / np.sqrt(np.diag(taken))
    across = scale[:, None] * across
    solved = np.linalg.solve(taken * np.outer(scale, scale), across)
    return np.asarray(_congruent(flexibility, loads) - across.T @ solved)


def _largest_part(there: Array, lost: Array) -> float:
    """Largest of a flexibility that is lost, of any load, in parts of what is there."""
    from scipy.linalg import eigh

    if not len(there):
        return 0.0
    scale = 1.0 / np.sqrt(np.diag(there))  # forces and moments have different units
    both = np.outer(scale, scale)
    return float(np.abs(eigh(both * lost, both * there, eigvals_only=True)).max())


@dataclass(frozen=True, eq=False)
class Missing:
    """Errors of parts over a run; None where they do not apply."""

    thrust: Extreme  # normal force in a part, in parts of that under which it buckles alone
    flexibility: Extreme | None  # part of the flexibility between places where the body is held
    aside: Extreme | None  # the same of a free end, across the plane of its bending
    left_out: Extreme | None  # part of the strain energy under forces and inertia along parts


def missing_of_parts(
    result: Result, body: SegmentedBody, records: Sequence[FlexRecord], across: bool
) -> Missing:
    """Look at all parts of a body; ``across``: see `supple.results.monitor.segments.watch`."""
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
        return Missing(Extreme(result.t, thrust), None, None, None)
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
    return Missing(Extreme(result.t, thrust), flexibility, aside, left)


def shear_of_parts(result: Result, records: Sequence[FlexRecord]) -> float:
    """Fraction that shear would add to the deflections, in the mean over the run."""
    q = [result.q[:, r.q] - r.modal.rest_coordinates for r in records]
    good = np.flatnonzero(np.all(np.abs(np.hstack(q)) < 1e6, axis=1))
    few = good[sampled(np.hstack(q)[good], SAMPLES)]
    return shear_of_places((r, x[few]) for r, x in zip(records, q, strict=True))


def bends_evenly(record: FlexRecord) -> bool:
    """True if a part bends about as its cubics do: not so where its section changes much."""
    part = cast("Beam", record.body)
    if isinstance(part.section, CrossSection):
        return True
    moments = np.array([(s.I_y, s.I_z) for s in part.section.sections])
    return bool(np.all(moments.max(axis=0) < UNEVEN * moments.min(axis=0)))


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
    which: Indices,
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
    part = missing.mean() / size if size > nothing else 0.0
    return Extreme(result.t[which][:1], np.array([part]))


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
    result: Result, records: Sequence[FlexRecord], forces: Sequence[Array], which: Indices
) -> bool:
    """True if parts are twisted, or moments of bending twist them: not so in a plane."""
    size = max(float(np.abs(f[:, which, 3:]).max(initial=0.0)) for f in forces)
    for record, force in zip(records, forces, strict=True):
        q = result.q[which][:, record.q] - record.modal.rest_coordinates
        torque = record.body.typical_length * np.abs(_twisting_moment(record, q)).max(initial=0.0)
        if max(float(torque), float(np.abs(force[:, which, 3]).max(initial=0.0))) > HINGED * size:
            return True
    return False


PART_ROTATION = 0.5
FLEXIBILITY, SERIOUS_FLEXIBILITY = 0.05, 0.25
SERIOUS_ENERGY = 0.5
THRUST, PLAIN_THRUST, SERIOUS_THRUST = 0.4, 0.02, 1.0


def watch(
    result: Result, owner: BodyRecord, across: bool = False
) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a body of parts: the worst of them, and what only all of them show.

    ``across``: whether loads across the plane of bending matter where nothing of the run is across.
    """
    body, flexible = cast("SegmentedBody", owner.body), result.data.compiled.flexible
    records = [flexible[part.name] for beam in body.part_chains for part in beam.part_bodies]
    stiffened, view = body.stiffened, cast("BodyView", result[body.name])
    seen = [(r, *states(result, r)) for r in records]
    turns = [movements(r.body, r.point_masses, t, q)[1] for r, t, q in seen]
    strained = [
        strains(r.body, r.point_masses, t, q - r.modal.rest_coordinates) for r, t, q in seen
    ]
    worst = max((s for s in strained if s is not None), key=_largest, default=None)
    shown = [cast("PlaceView", view.at(*place)) for place in body.shown_places]
    moved = [np.linalg.norm(place.deflection, axis=1) for place in shown]
    deflection = float(np.max(moved, initial=0.0)) / body.typical_length
    spin = view.local.angular_velocity
    if body.axis is not None:
        spin = np.cross(spin, body.axis)
    missing = missing_of_parts(result, body, records, across)
    plain = deformation.ROTATION
    limits = [PART_ROTATION if stiffened and bends_evenly(r) else plain for r in records]
    limit, turned = max(zip(limits, turns, strict=True), key=lambda x: x[1].largest / x[0])
    checks = [
        deformation.rotation(body.description, turned, stiffened, limit),
        deformation.strain(body.description, worst, body.sizes_known),
        *_checks(body, len(records), missing),
        deformation.beam_shear(body.description, shear_of_parts(result, records), deflection),
    ]
    numbers = BodyMonitor(
        body.name,
        rotation=max(turns, key=_largest).largest,
        strain=np.nan if worst is None else worst.largest,
        deflection=deflection,
        left_out=np.nan if missing.left_out is None else missing.left_out.largest,
        spin=float(np.linalg.norm(spin, axis=1).max(initial=0.0)),
        lowest_frequency=min(float(modal_energies(r.modal, q)[0][0]) for r, _, q in seen),
    )
    return numbers, checks


def _largest(x: Extreme) -> float:
    return x.largest


def _checks(body: SegmentedBody, count: int, missing: Missing) -> Iterator[Check]:
    """Checks of what ``count`` parts leave out."""
    stiffened, number = body.stiffened, f"{count} parts" if count > 1 else "one part"
    thrust = THRUST if stiffened else PLAIN_THRUST
    advice = "use more parts" if stiffened else "use stiffening='second_order', or more parts"

    def sentence(value: float, then: str) -> str:
        return (
            f"the normal force in one of its {number} reaches {value:.2g} of the force under which "
            f"that part alone buckles, beyond {thrust:g} {then}: {advice}"
        )

    yield Check(body, "load", missing.thrust, thrust, SERIOUS_THRUST, sentence)
    even = isinstance(body.stiffening, SecondOrder) and not body.stiffening.twist
    more = "use more parts, or stiffening=SecondOrder(twist=True)" if even else "use more parts"

    def left_out(
        word: str, value: Extreme | None, limit: float, serious: float, when: str, what: str
    ) -> Check:
        def sentence(value: float, then: str) -> str:
            return (
                f"{when}with {number} it leaves out {value:.2g} of the {what}, expected at most "
                f"{limit:g}, {then}: {more}"
            )

        return Check(body, word, value, limit, serious, sentence)

    bent, flexible = "bent as it is, ", (FLEXIBILITY, SERIOUS_FLEXIBILITY)
    held = "flexibility between the places where it is held"
    free = "flexibility of a free end across the plane of its bending"
    along = "strain energy under forces and inertia along them"
    yield left_out("parts", missing.flexibility, *flexible, bent, held)
    yield left_out("parts", missing.aside, *flexible, bent, free)
    yield left_out("modes", missing.left_out, LIMIT, SERIOUS_ENERGY, "", along)
