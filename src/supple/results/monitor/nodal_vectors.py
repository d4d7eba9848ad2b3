"""Monitor of bodies over nodal vectors: cables and ANCF beams, plates and solids.

Deflections and rotations may be of any size; strains must be small. A cubic describes a curve that
turns by a fraction of a radian: beyond 0.3 rad from one node to the next the deflection of a
cantilever is off by some per cent, as that of a part of a beam is
(`supple.results.monitor.segments`). Cables of the fourth order go farther: one that is rolled up to
a circle errs by 0.0009 of its diameter with 0.63 rad in each element, by 0.006 with twice that.

What makes an answer of plates and solids wrong is a strain beyond linear elasticity, an element of
a plate that turns by more than cubics describe, and a mesh that is too coarse or locks:
`supple.fem.nodal.ancf_strain.StrainField.errors` estimates what it misses. It is compared with the
largest energy of the run, so that what moves little does not count.

Elements that agree with each other may still be wrong together, as those of a bar with one element
across that is twisted: then stresses act on free faces. A quarter of their energy is added: 0.17 of
the energy of such a bar of hex20, which turns by 12 % too little, 0.011 with 2 x 2, 0.7 % too
little. What no estimate sees are elements that have no neighbours along a direction in which they
bend, and nodes that are all held.

Of beams, elements ``elastic_line`` and ``continuum`` have gradients across the axis that are linear
between nodes, and see all that this does (docs/theory.md, "Elements over nodal vectors"):

- an element that turns by the angle a has a section that is shorter between its nodes than there.
  What is left when the nodes share it has the energy E' A l a^4 / 720 beside E I a^2 / l of
  bending, E' the modulus without contraction: it locks, the more the thinner it is;
- its curvature is constant. A curvature that changes by d over the element has d^2 / 12 less of
  its square: the tip of a cantilever of n elements deflects by 1 - 1/(4 n^2);
- of a continuum, bending is stiffer by E'/E, since sections cannot contract on one side only.

Elements ``elastic_line`` and ``collocated`` leave out deflections by shear forces V = E I k', whose
energy would be V^2 / (G A) beside E I k^2 of the curvature k.

All of these are parts of the largest energy of the run, as of a beam that has to take the same
shape.

A section of a continuum that is free to tilt beside a tangent r_x which is held, or which a torque
turns, shears the element beside it by an angle that grows as elements become shorter: the beam
hangs on a hinge with a spring. What the beam turns by beside its own bending is the change of the
shear angle from the node to the next one; shear by a force across the beam does not change there.

A beam under the tension T is bent beside a clamp that holds its direction within the length
sqrt(E I / T): farther away it has the direction of the force in it. One cubic over several such
lengths cannot show it, and the moment at the clamp is too large. With the force V across the clamp,
its change q per length and the moment M_1 at the other end of an element of the length
l = a sqrt(E I / T), the exact moment is

    M = s V tanh a - q s^2 (1 - 1 / cosh a) + M_1 / cosh a        s = sqrt(E I / T)

where V and q are right by balance, and an error of M_1 fades. A force F that is oblique by the
angle p counts with T = |F| and V = 2 |F| sin(p / 2), which is exact for a long line of any angle.
Elements of the length 1.5 s err by 0.4 %, of 2.5 s by 1.7, of 5 s by 12, of 10 s by 50 %.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.constraints import SlidingJoint
from supple.fem.nodal.stretch import stretch_rows
from supple.foundation.errors import SuppleError, label, percent
from supple.results.checks import deformation
from supple.results.data.findings import BodyMonitor, Check, Extreme
from supple.results.flexibility.deformation import states
from supple.results.flexibility.line_bending import (
    SECTION,
    STRAIGHT,
    Bending,
    line_turns,
    reaches,
    surface_strain,
)
from supple.results.flexibility.supports import ALIKE, free_turns, touched
from supple.results.views.ancf_sections import section_forces

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam, ANCFLine, Cable
    from supple.bodies.nodal.ancf_nodes import ANCFNodes
    from supple.engine.base.body_records import ANCFRecord
    from supple.foundation.arrays import Array
    from supple.results.result import Result
    from supple.results.views.ancf_views import ANCFView

LIMIT, SERIOUS = 0.02, 0.1  # parts of the stiffness, of the deflection, of the moment
# Length times the angle at the tip over the deflection: 1.5 by a force, 2 by a torque.
CANTILEVER = 2.0
MATTERS = 0.02  # part of the largest strain of the beam, or of the yield stress
RESOLVED = 1.5  # lengths of a layer that an element may have
OBLIQUE = -0.5  # cosine of the angle to the force beyond which a line is pressed rather than pulled
HELD = 1e-6  # part of the exact moment that tells a clamp from a hinge
NEAR = 1.0 - 1e-9  # the other end of an element, before the next


def bending_checks(result: Result, bent: Bending, t: Array, strained: Extreme) -> Iterator[Check]:
    """Checks of the elements of a beam: stiffness, shear, tilt of sections, boundary layers."""
    beam = bent.beam
    yield _part(
        beam,
        "locking",
        Extreme(t, excess(bent)),
        f"its elements {beam.element!r} are about {{}} too stiff",
        ", since they lock where they turn: use element='collocated', or more of them",
    )
    yield _part(
        beam,
        "shear",
        Extreme(t, missing_shear(bent)),
        "it leaves out deflections by shear forces, about {} of its own",
        ", because it is thick beside the length over which it bends: use a Beam with "
        "theory='timoshenko', or a mesh of solids",
    )
    yield _part(
        beam,
        "joint",
        Extreme(t, tilted(bent)),
        "its sections tilt where joints or torques hold its tangent, so that it deflects by about "
        "{} too much",
        ": use axes='section'",
    )
    yield from _layer_checks(result, bent, strained)


def _part(beam: ANCFBeam, what: str, value: Extreme, told: str, advice: str) -> Check:
    """Check of a part that elements get wrong; ``told`` has braces in its place."""

    def sentence(value: float, then: str) -> str:
        return (
            f"{told.format(f'{100.0 * value:.3g} %')}, more than {100.0 * LIMIT:g} % {then}{advice}"
        )

    return Check(beam, what, value, LIMIT, SERIOUS, sentence)


def excess(bent: Bending) -> Array:
    """Parts (nt,) of the stiffness that are too much."""
    beam, lengths = bent.beam, bent.lengths
    if beam.element not in ("elastic_line", "continuum"):
        return np.zeros(len(bent.e))
    poisson = beam.material.E / (2.0 * beam.material.G) - 1.0
    whole = (1.0 - poisson) / ((1.0 + poisson) * (1.0 - 2.0 * poisson))
    square = (bent.curvature**2).sum(axis=2) * lengths**2
    axial = np.array([law.axial for law in bent.laws])
    locked = whole * axial * lengths * square**2 / 720.0
    constant = (bent.stiffness * bent.changes**2).sum(axis=2) * lengths / 12.0
    energy = (locked + constant).sum(axis=1)
    if beam.element == "continuum":
        energy = energy + (whole - 1.0) * bent.energy
    return bent.of_largest(energy)


def missing_shear(bent: Bending) -> Array:
    """Parts (nt,) of the deflection that shear forces would add."""
    if bent.beam.element == "continuum":
        return np.zeros(len(bent.e))
    forces = bent.stiffness[:, 1:] * bent.changes[..., 1:] / bent.lengths[:, None]
    # a moment about y changes by a force along z
    stiffness = np.array([law.shear[::-1] for law in bent.laws])
    return bent.of_largest((forces**2 / stiffness).sum(axis=2) @ bent.lengths)


def tilted(bent: Bending) -> Array:
    """Parts (nt,) of the deflection that are too much."""
    beam = bent.beam
    if beam.element != "continuum" or beam.mesh.axes_from == SECTION or not bent.touched:
        return np.zeros(len(bent.e))
    shear = _shears(bent.e) - _shears(bent.rest)
    last = shear.shape[1] - 1
    apart = [
        np.linalg.norm(shear[:, node] - shear[:, node + 1 if node < last else node - 1], axis=-1)
        for node in bent.touched
    ]
    turns = np.linalg.norm(bent.curvature[..., 1:], axis=-1) @ bent.lengths
    whole = float(np.nanmax(turns, initial=0.0))
    if not whole > STRAIGHT:
        return np.zeros(len(bent.e))
    return np.asarray(CANTILEVER / whole * np.max(apart, axis=0))


def _shears(e: Array) -> Array:
    """Cosines (nt, nodes, 2) of the angles between r_x and r_y, and between r_x and r_z."""
    x, y, z = (e[:, :, k] / np.linalg.norm(e[:, :, k], axis=-1, keepdims=True) for k in (1, 2, 3))
    return np.stack([(x * y).sum(axis=-1), (x * z).sum(axis=-1)], axis=-1)


class Layer(NamedTuple):
    """The end of an element at a clamp."""

    # station, length: m, of the node and of the element
    station: float
    length: float
    # found, exact: (nt, 2) N m about y and z of the section
    found: Array
    exact: Array
    size: Array  # (nt,) m, of the layer

    @property
    def apart(self) -> Array:
        """(nt,) N m by which the moment is too large along itself; 0 where elements are short."""
        size = np.linalg.norm(self.found, axis=1)
        along = self.found / np.where(size > 0.0, size, 1.0)[:, None]
        missed = size - (self.exact * along).sum(axis=1)
        return np.asarray(np.where(self.length > RESOLVED * self.size, missed, 0.0))

    @property
    def largest(self) -> float:
        """Exact moment at most, N m; 0 if the joint is a hinge."""
        exact, found = (
            np.linalg.norm(x, axis=1).max(initial=0.0) for x in (self.exact, self.found)
        )
        return float(exact) if found > HELD * exact else 0.0


def layers(result: Result, bent: Bending) -> list[Layer]:
    """Ends of elements at clamps of a beam that pulls on them, if elements are long there."""
    beam = bent.beam
    if beam.element == "continuum" or not len(result.t):
        return []
    last = len(bent.lengths)
    try:
        return [
            _layer(result, bent, node, k, held)
            for node, held in _clamps(result, bent)
            for k in (node - 1, node)
            if 0 <= k < last and _long(bent, k)
        ]
    except SuppleError:  # loads along it are not in the result
        return []


def _clamps(result: Result, bent: Bending) -> Iterator[tuple[int, Array]]:
    """Nodes that rigid bodies hold against the ground, and the part (2, 2) of moments that is held.

    A body that is free to turn has the moment which its own motion needs.
    """
    beam, flexible = bent.beam, set(result.data.compiled.deforming)
    for joint in result.joints.values():
        for frame in (joint.A, joint.B):
            if frame.body.name != beam.name:
                continue
            turns = free_turns(result, joint, frame, flexible)
            if turns is not None:
                node = beam.node(frame)
                yield node, _across(turns @ bent.axes[0, node][:, 1:])


def _across(turns: Array) -> Array:
    """Projection (2, 2) of moments about y and z on what is across axes (k, 2)."""
    _, values, rows = np.linalg.svd(np.vstack([turns, np.zeros((1, 2))]))
    rows = rows[: len(values)][values > ALIKE]
    return np.asarray(np.eye(2) - rows.T @ rows)


def _long(bent: Bending, k: int) -> bool:
    """Tell if an element is ever pulled so much that it may be longer than a layer."""
    own = bent.e[:, k : k + 2, :2].reshape(-1, 4, 3)
    parts = np.einsum("ij,tjx->tix", stretch_rows(float(bent.lengths[k])), own)
    squares = (parts**2).sum(axis=2)
    strain = 0.5 * (squares @ [1.0, 1.0 / 3.0, 1.0 / 5.0] - 1.0)
    pull = bent.laws[k].axial * float(np.nanmax(strain, initial=0.0))
    return bool(bent.lengths[k] ** 2 * pull > RESOLVED**2 * bent.stiffness[k, 1:].min())


def _layer(result: Result, bent: Bending, node: int, k: int, held: Array) -> Layer:
    beam, view = bent.beam, cast("ANCFView", result[bent.beam.name])
    every = view.vectors, view.vector_rates, view.vector_accelerations
    motion = [x.reshape(len(x), -1, 3) for x in every]
    start, length = beam.stations[k], float(bent.lengths[k])
    sign, places = (1.0, (0.0, NEAR)) if node == k else (-1.0, (NEAR, 0.0))
    near, far = (
        section_forces(
            beam,
            start + part * length,
            motion,
            view._gravity,
            view.line_loads,
            bent.axes[: len(result.t), node],
        ).values
        for part in places
    )
    pull = np.linalg.norm(near[:, :3], axis=1)
    pull = np.where(pull > 0.0, pull, np.finfo(float).tiny)
    cosine = np.clip(near[:, 0] / pull, OBLIQUE, 1.0)
    exact = np.empty((len(near), 2))
    # a force along z bends about -y, one along y about z
    for i, (force, factor) in enumerate(((2, -sign), (1, sign))):
        size = np.sqrt(bent.stiffness[k, 1 + i] / pull)
        fade = 1.0 / np.cosh(np.minimum(length / size, 300.0))
        across = factor * near[:, force] / np.sqrt(0.5 * (1.0 + cosine))
        change = factor * (near[:, force] - far[:, force]) / length
        exact[:, i] = size * across * np.tanh(length / size) - change * size**2 * (1.0 - fade)
        exact[:, i] += far[:, 4 + i] * fade
    size = np.sqrt(bent.stiffness[k, 1:].min() / pull)
    pressed = near[:, 0] <= OBLIQUE * pull
    return Layer(
        float(beam.stations[node]),
        length,
        near[:, 4:] @ held,
        exact @ held,
        np.where(pressed, np.inf, size),
    )


def _layer_checks(result: Result, bent: Bending, strained: Extreme) -> Iterator[Check]:
    """Check of the moment at the clamp where it is most wrong, of those where that matters."""
    beam = bent.beam
    telling = [one for one in layers(result, bent) if _matters(beam, one, strained.largest)]
    if not telling:
        return
    layer = max(telling, key=lambda one: np.abs(one.apart).max() / one.largest)
    parts = np.abs(layer.apart) / layer.largest
    worst = int(np.argmax(parts))
    size, more = float(layer.size[worst]), "large" if layer.apart[worst] > 0.0 else "small"
    count = int(np.ceil(beam.length / (RESOLVED * float(layer.size.min()))))
    yield _part(
        beam,
        "boundary layer",
        Extreme(result.t, parts),
        f"its moment at the joint at {layer.station:.4g} m is about {{}} too {more}",
        f", because tension bends it within {size:.3g} m of the joint and an element has "
        f"{layer.length:.3g} m: use {count} elements or more, or a joint that lets it turn",
    )


def _matters(beam: ANCFBeam, layer: Layer, strain: float) -> bool:
    """Tell if an error at a clamp is not small beside the largest strain and the strength."""
    if layer.largest == 0.0:
        return False
    section, E = beam.section.at(layer.station / beam.length), beam.material.E
    bends = [one.y / section.I_z + one.z / section.I_y for one in reaches(section)]
    missed = max(bends) * float(np.abs(layer.apart).max()) / E
    enough = beam.material.yield_stress is None or E * missed > MATTERS * beam.material.yield_stress
    return missed > MATTERS * max(strain, max(bends) * layer.largest / E) and enough


BEYOND = 1e-6  # of the length: what is meant to be on the line
CABLE_TURN = 0.6  # rad in an element of a cable with the strain "mean"
MISSED, SERIOUS_MISSED = 0.02, 0.25  # part of the deflections
SURFACE = 0.25  # of the energy of stresses on free faces
ACROSS = 0.05  # part of the energy of moments in a direction with one element
AT_ONCE = 2_000_000  # numbers that are in memory at once


def watch(result: Result, record: ANCFRecord) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a body over nodal vectors over a run."""
    seen = _line if record.body.along_line else _field
    return seen(result, record)


def _line(result: Result, record: ANCFRecord) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a cable or ANCF beam."""
    body = cast("ANCFLine", record.body)
    t, q = states(result, record)
    e = q.reshape(len(t), *record.mesh.rest.shape)
    at_nodes = [body.node(frame) for frames in touched(result, body) for frame in frames]
    bent = Bending(record, e, at_nodes) if body.turns else None
    turns = line_turns(e, record.mesh) if bent is None else bent.turned
    turned = Extreme(t, turns.max(axis=1, initial=0.0))
    strained = Extreme(t, surface_strain(record, e, bent).max(axis=1, initial=0.0))
    cable = not body.turns and cast("Cable", body).element == "mean"
    limit = CABLE_TURN if cable else deformation.ROTATION_STIFFENED
    checks = [
        deformation.element_rotation(body, turned, limit),
        deformation.strain(body, strained),
        *(() if bent is None else bending_checks(result, bent, t, strained)),
        *_sliders(result, body),
    ]
    return BodyMonitor(record.name, turned.largest, strained.largest), checks


def _sliders(result: Result, body: ANCFLine) -> Iterator[Check]:
    """Checks of sliding joints that may be beyond the ends of the body."""
    half = 0.5 * body.length

    def sentence(value: float, then: str) -> str:
        return (
            f"it is {value:.3g} m beyond the end of {label(body)} {then}, where there is no "
            "line: hold it, or make the line longer"
        )

    for name, item in result.constraints.items():
        if not isinstance(item, SlidingJoint) or item.A.body.name != body.name:
            continue
        s = result.q[:, result.data.compiled.shaft(name, 0)[0]]
        beyond = Extreme(result.t, np.fmax(np.abs(s - half) - half, 0.0))
        yield Check(item, "sliding", beyond, BEYOND * body.length, 0.0, sentence)


class _Energies(NamedTuple):
    """Strains and energies of a plate or solid over a run, in parts of its largest energy."""

    strain: Array  # (nt,) largest principal strain
    missed: Array  # (nt,) energy that elements disagree about
    across: float  # largest energy in a direction with one element
    sheared: float  # largest energy of shear that is left out


def _field(result: Result, record: ANCFRecord) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a plate or solid."""
    body = cast("ANCFNodes", record.body)
    t, q = states(result, record)
    e = q.reshape(len(q), -1, 3)
    energies = _energies(result, body, e)
    strained, left_out = Extreme(t, energies.strain), Extreme(t, energies.missed)
    turned = Extreme(t, body.element_turns(e))
    checks = [
        deformation.element_rotation(body, turned),
        deformation.strain(body, strained),
        *_mesh(result, body, left_out, energies.across),
        deformation.shear_energy(body, energies.sheared),
    ]
    largest = left_out.largest
    return BodyMonitor(body.name, turned.largest, strained.largest, left_out=largest), checks


def _energies(result: Result, body: ANCFNodes, e: Array) -> _Energies:
    """Strains and energies of nodal vectors (nt, n, 3), some times after the other."""
    field = body.field
    step = max(1, AT_ONCE // (6 * field.cells.size))
    free = body.untouched([frame for frames in touched(result, body) for frame in frames])
    rows = []
    for first in range(0, len(e), step):
        corners = field.at_corners(e[first : first + step])
        nodes = field.mean(corners)
        missed, whole = field.energies(corners, nodes)
        missed = missed + SURFACE * field.surface_energy(corners, free)
        strain = field.principal(nodes).max(axis=1)
        rows.append((strain, missed, whole, body.lone_energy(corners), field.shear_energy(nodes)))
    strain, missed, whole, across, sheared = (np.concatenate(x) for x in zip(*rows, strict=True))
    most = [float(np.nanmax(x, initial=0.0)) for x in (whole, across, sheared)]
    largest = max(most[0], field.least_energy)
    return _Energies(strain, missed / largest, most[1] / largest, most[2] / largest)


def _mesh(result: Result, body: ANCFNodes, left_out: Extreme, across: float) -> Iterator[Check]:
    """Checks of a mesh that is too coarse, has one element across, or is held at every node."""

    def coarse_sentence(value: float, then: str) -> str:
        return (
            "its elements disagree about the strain at common nodes, or on free faces, by some "
            f"{percent(value)} of its energy, more than {percent(MISSED)} {then}, and its "
            f"deflections err about as much: {body.refinement}"
        )

    yield Check(body, "mesh", left_out, MISSED, SERIOUS_MISSED, coarse_sentence)

    def lone_sentence(value: float, _: str) -> str:
        return (
            f"{value:.2g} of its energy is in a direction in which it has one element, beyond "
            f"{ACROSS:g}, so that nothing tells how exact it is: use at least two"
        )

    yield Check(body, "mesh", across, ACROSS, np.inf, lone_sentence)
    frames = [f for joint in result.joints.values() for f in joint.frames.values()]
    free = body.untouched([frame for frame in frames if frame.body.name == body.name])
    all_but_one = 1.0 - 0.5 / len(free)

    def held_sentence(*_: object) -> str:
        return "there is a joint at every node of it, so that it cannot deform: use more elements"

    yield Check(body, "mesh", float(np.mean(~free)), all_but_one, all_but_one, held_sentence)
