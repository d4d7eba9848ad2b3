"""Checks of ANCF beams: locking, shear that is left out, sections that tilt, boundary layers.

Elements ``elastic_line`` and ``continuum`` have gradients across the axis that are linear between
nodes, and see all that this does (docs/theory.md, "Elements over nodal vectors"):

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

from supple.fem.nodal.stretch import stretch_rows
from supple.foundation.errors import SuppleError
from supple.results.data.findings import Check, Extreme
from supple.results.flexibility.line_bending import SECTION, STRAIGHT, Bending, reaches
from supple.results.flexibility.supports import ALIKE, free_turns
from supple.results.views.ancf_sections import section_forces

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam
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


def _part(beam: ANCFBeam, what: str, value: Extreme, found: str, advice: str) -> Check:
    """Check of a part that elements get wrong; ``found`` has braces in its place."""
    return Check(
        beam,
        what,
        value,
        LIMIT,
        SERIOUS,
        lambda value, then: (
            f"{found.format(f'{100.0 * value:.3g} %')}, more than {100.0 * LIMIT:g} % {then}"
            f"{advice}"
        ),
    )


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
    found = (locked + constant).sum(axis=1)
    if beam.element == "continuum":
        found = found + (whole - 1.0) * bent.energy
    return bent.of_largest(found)


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
    """The end of an element at a clamp.

    Attributes
    ----------
    station, length : m, of the node and of the element
    found, exact : (nt, 2) N m about y and z of the section
    size : (nt,) m, of the layer
    """

    station: float
    length: float
    found: Array
    exact: Array
    size: Array

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
    found = [one for one in layers(result, bent) if _matters(beam, one, strained.largest)]
    if not found:
        return
    layer = max(found, key=lambda one: np.abs(one.apart).max() / one.largest)
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
