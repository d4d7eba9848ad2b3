"""What the validity monitor watches of a beam, or of a frame structure, that is cut into parts.

Rotations of a part are against its own chord. A part of second order in pure bending errs by
``a^4/120`` of its length where its ends turn by ``a`` against the chord, one without by ``a^2/6``:
less than 0.1 % at 0.5 rad, and 0.4 % at 0.15 rad.

A part is linear in curvature. Two things need more parts than rotations do:

- A normal force bends a part beyond its cubics. In parts of the buckling load of a hinged part a
  pressure of 0.4 leaves about 2 % of that effect out; without stiffening all of it, pull or
  pressure, is left out: 0.02.
- A beam that is held in two places, a leaf spring, gives way along its axis because it is bent:
  the moment of a force along the chord of a part is the force times the distance from the chord,
  of which a part sees what is linear along it. The flexibility that is left out, of the worst load
  between the two places, is at most 0.05 of what is there. In a frame structure
  such loads go around its loops as well.

The strain energy of what loads along a part, and its normal force, do beyond its cubics is compared
with that of the beam, 2 %, as for beams that are one body (`supple.results.truncation`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from supple.errors import label
from supple.fem.line import gauss
from supple.fem.section_forces import in_section_axes
from supple.results.deformation import Extreme, modal_energies, movements, strains
from supple.results.load_effect import sampled
from supple.results.truncation import LIMIT, NOTHING, SAMPLES, deflected

if TYPE_CHECKING:
    from supple.bodies.beam import Beam
    from supple.bodies.frame import FrameBody
    from supple.engine.compiled import BodyRecord, FlexRecord
    from supple.fem.beam import BeamMesh
    from supple.fem.line import SectionLaw
    from supple.frames import Frame, LoadPath
    from supple.reduction.field import MeshField
    from supple.results.cut_frame_views import CutFrameView
    from supple.results.cut_views import CutBeamView
    from supple.results.monitor import BodyMonitor
    from supple.results.result import Result

    CutBody = Beam | FrameBody

Array = NDArray[np.float64]

PART_ROTATION = 0.5
FLEXIBILITY, SERIOUS_FLEXIBILITY = 0.05, 0.25
SERIOUS_ENERGY = 0.5
THRUST, PLAIN_THRUST, SERIOUS_THRUST = 0.4, 0.02, 1.0
FEW = 12  # output times at which flexibilities are compared
POINTS = 4  # of Gauss in a part, for products of two cubics less their linear parts
HINGED = 1e-6  # of the largest moment: less is none
BENDS = np.array([[0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # from T, My, Mz to moments of v'' and w''


def watch_cut(result: Result, owner: BodyRecord) -> BodyMonitor:
    """Look at a body of parts: the worst of them, and what only all of them show."""
    from supple.results.monitor import (
        ROTATION,
        BodyMonitor,
        Finding,
        _of_rotation,
        _of_strain,
        states,
    )

    body, flexible = cast("CutBody", owner.body), result.data.compiled.flexible
    records = [flexible[part.name] for beam in body.part_chains for part in beam.part_bodies]
    stiffened, view = body.stiffened, cast("CutBeamView | CutFrameView", result[body.name])
    seen = [(r, *states(result, r)) for r in records]
    turned = max((movements(r.body, r.point_masses, t, q)[1] for r, t, q in seen), key=_largest)
    strained = [
        strains(r.body, r.point_masses, t, q - r.modal.rest_coordinates) for r, t, q in seen
    ]
    known = [s for s in strained if s is not None]
    worst = max(known, key=_largest) if known else None
    moved = [np.linalg.norm(view.at(*place).deflection, axis=1) for place in body.shown_places]
    spin = view.local.angular_velocity
    if body.axis is not None:
        spin = np.cross(spin, body.axis)
    lowest = min(float(modal_energies(r.modal, q)[0][0]) for r, _, q in seen)
    extremes = _extremes(result, body, records)
    limit = PART_ROTATION if stiffened else ROTATION
    findings = [
        *_of_rotation(body, turned, stiffened, limit),
        *_of_strain(body, worst),
        *(Finding(body.name, *found) for found in _findings(body, len(records), extremes)),
    ]
    return BodyMonitor(
        body.name,
        turned.largest,
        np.nan if worst is None else worst.largest,
        float(np.max(moved, initial=0.0)) / body.typical_length,
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


def _largest(x: Extreme) -> float:
    return x.largest


@dataclass(frozen=True, eq=False)
class _Extremes:
    """What parts leave out over a run; None where it does not apply."""

    thrust: Extreme
    flexibility: Extreme | None
    left_out: Extreme | None


def _extremes(result: Result, body: CutBody, records: Sequence[FlexRecord]) -> _Extremes:
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
        return _Extremes(Extreme(result.t, thrust), None, None)
    flexibility = None
    paths = body.load_paths(_holding(result, body))
    if paths:
        few = which[sampled(q[which], FEW)]
        network = _Network(result, records, forces, paths)
        flexibility = Extreme(result.t[few], np.array([network.missing(k) for k in few]))
    some = which[sampled(q[which], SAMPLES)]
    left = _left_out(result, records, [force[some] for force in normal], some)
    return _Extremes(Extreme(result.t, thrust), flexibility, left)


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
    left = (
        (
            ("parts", found.flexibility, FLEXIBILITY, SERIOUS_FLEXIBILITY),
            "bent as it is, ",
            "flexibility between the places where it is held",
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
                f"expected at most {most:g}, from t = {passed:.4g} s on: use more parts"
            )
            yield word, value, most, passed, value > serious, sentence


def _end_forces(record: FlexRecord, q: Array) -> Array:
    """Section forces (2, nt, 6) at both ends of a part, in body axes."""
    part = cast("Beam", record.body)
    rows = [part.section_forces(x, record.point_masses) for x in (0.0, part.length)]
    q = q - record.modal.rest_coordinates
    return np.array([in_section_axes(r, -part.roll) @ q.T for r in rows]).transpose(0, 2, 1)


def _law(record: FlexRecord) -> SectionLaw:
    """Stiffness of the section in the middle of a part, in body axes."""
    part = cast("Beam", record.body)
    mesh = cast("BeamMesh", cast("MeshField", part._reduced(record.point_masses)).mesh)
    return mesh.at(0.5, part.roll)


def _hinged_load(record: FlexRecord) -> float:
    """Force (N) under which a part with hinged ends buckles."""
    softest = float(np.linalg.eigvalsh(_law(record).bending)[0])
    return np.pi**2 * softest / record.body.typical_length**2


def _shapes(record: FlexRecord) -> Array:
    """Rows (POINTS, 2, n) of displacement across the chord at the points of a part."""
    part = cast("Beam", record.body)
    field = part._reduced(record.point_masses)
    return np.array([field.displacement(s * part.length)[1:] for s, _ in gauss(POINTS)])


def _holding(result: Result, body: CutBody) -> list[Frame]:
    """Frames at which joints or constraints hold a body."""
    used = [item.frames for item in result.joints.values()]
    used += [item.frames for item in result.constraints.values()]
    return [f for some in used for f in some.values() if f.body.name == body.name]


class _Network:
    """Parts that carry loads between held places and around loops: flexibility, what is left out.

    A load is a wrench on each path, force and moment about one point: what is carried through the
    sections of its parts.
    """

    def __init__(
        self,
        result: Result,
        records: Sequence[FlexRecord],
        forces: Sequence[Array],
        paths: Sequence[LoadPath],
    ) -> None:
        h, names = result.data.history, result.data.compiled.body_names
        number = {record.name: k for k, record in enumerate(records)}
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
        self.shapes = [_shapes(r) for r in records]

    def missing(self, k: int) -> float:
        """Largest part of the flexibility that is left out at an output time."""
        from scipy.linalg import eigh, null_space

        about = self.p[k, 0]
        count = 6 * self.signs.shape[1]
        there, lost = np.zeros((count, count)), np.zeros((count, count))
        for i, record in enumerate(self.records):
            signs = self.signs[i]
            if signs.any():
                one, two = self._of_part(k, i, record, about)
                both = np.outer(signs, signs)
                there, lost = there + np.kron(both, one), lost + np.kron(both, two)
        rows = []
        for i, end, signs in self.hinges:  # no moment about the place
            place = self.p[k, i] + end * self.R[k, i][:, 0] * self.records[i].body.typical_length
            rows.append(np.kron(signs, np.hstack([_cross(about - place), np.eye(3)])))
        free = null_space(np.vstack(rows)) if rows else np.eye(count)
        if not free.shape[1]:
            return 0.0
        # scaled: forces and moments have different units
        there, lost = (free.T @ x @ free for x in (there, lost))
        scale = 1.0 / np.sqrt(np.diag(there))
        both = np.outer(scale, scale)
        return float(np.abs(eigh(both * lost, both * there, eigvals_only=True)).max())

    def _of_part(self, k: int, i: int, record: FlexRecord, end: Array) -> tuple[Array, Array]:
        """Flexibility (6, 6) of a part for force and moment at the end, and what it leaves out."""
        part, R, p = cast("Beam", record.body), self.R[k, i], self.p[k, i]
        xi, weights = np.array(gauss(POINTS)).T
        across = self.shapes[i] @ self.q[i][k]  # (POINTS, 2)

        def moments(aside: Array) -> Array:
            """Moments (POINTS, 3, 6) in the axes of the part by force and moment at the end."""
            points = np.column_stack([xi * part.length, aside])
            return np.array([np.hstack([R.T @ _cross(end - p - R @ x), R.T]) for x in points])

        full = moments(across)
        # without stiffening forces act along the chord, with it where the axis is, on the average
        seen = full if part.stiffened else moments(0.0 * across)
        linear = np.array([np.ones(POINTS), np.sqrt(12.0) * (xi - 0.5)])  # orthonormal
        means = np.einsum("gp,p,pij->gij", linear, weights, seen)
        normal = np.hstack([R.T, np.zeros((3, 3))])[:1]
        section = _law(record)
        bends = BENDS.T @ np.linalg.solve(section.bending, BENDS)
        whole = bends + np.diag([1.0 / section.torsional, 0.0, 0.0])
        there = np.einsum("gki,kl,glj->ij", means, whole, means)
        lost = np.einsum("p,pki,kl,plj->ij", weights, full, whole, full) - there
        if record.modal.rest is not None:  # a curved part has what is beyond linear at rest
            bent = moments(self.shapes[i] @ record.modal.rest)
            bent = bent - np.einsum("gp,gr,r,rij->pij", linear, linear, weights, bent)
            known = np.einsum("p,pki,kl,plj->ij", weights, bent, whole, bent)
            there, lost = there + known, lost - known
        there += normal.T @ normal / section.axial
        return part.length * there, part.length * lost


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
        missing += beyond + _bent_energy(record, q, force)
        strained = q - record.modal.rest_coordinates
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
    soft = np.linalg.inv(_law(record).bending)

    def densities(q: Array) -> Array:
        across = np.einsum("pin,tn->tpi", _shapes(record), q)
        left = across - np.einsum("gp,gr,r,tri->tpi", linear, linear, weights, across)
        return np.asarray(np.einsum("tpi,ij,tpj->tp", left, soft, left))

    energy = np.abs(densities(q) - densities(record.modal.rest_coordinates[None])) @ weights
    return np.asarray(force**2 * energy * record.body.typical_length)


def _cross(v: Array) -> Array:
    """Matrix (3, 3) of the product v x."""
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
