"""Moments of tensioned beams at clamps that hold their direction, where elements are too long.

A beam under the tension T is bent beside a clamp within the length sqrt(E I / T): farther away it
has the direction of the force in it. One cubic over several such lengths cannot show it, and the
moment at the clamp is too large. With the force V across the clamp, its change q per length and the
moment M_1 at the other end of an element of the length l = a sqrt(E I / T), the exact moment is

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
from supple.foundation.errors import SuppleError, label
from supple.results.data.findings import Finding
from supple.results.flexibility.deformation import Extreme
from supple.results.flexibility.line_strain import reaches
from supple.results.flexibility.support_stiffness import ALIKE, free_turns
from supple.results.views.ancf_sections import section_forces

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam
    from supple.foundation.poses import Array
    from supple.results.flexibility.beam_bending import Bending
    from supple.results.result import Result
    from supple.results.views.ancf_views import ANCFView

LIMIT, SERIOUS = 0.02, 0.1  # parts of the moment
MATTERS = 0.02  # part of the largest strain of the beam, or of the yield stress
RESOLVED = 1.5  # lengths of a layer that an element may have
OBLIQUE = -0.5  # cosine of the angle to the force beyond which a line is pressed rather than pulled
HELD = 1e-6  # part of the exact moment that tells a clamp from a hinge
NEAR = 1.0 - 1e-9  # the other end of an element, before the next


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


def of_layers(result: Result, bent: Bending, strained: Extreme) -> Iterator[Finding]:
    """Finding if the moment at a clamp is wrong by more than the limit, and matters."""
    found = [one for one in layers(result, bent) if _matters(bent.beam, one, strained.largest)]
    if not found:
        return
    worst = max(found, key=lambda one: np.abs(one.apart).max() / one.largest)
    yield from _told(bent.beam, worst, Extreme(result.t, np.abs(worst.apart) / worst.largest))


def _matters(beam: ANCFBeam, layer: Layer, strain: float) -> bool:
    """Tell if an error at a clamp is not small beside the largest strain and the strength."""
    if layer.largest == 0.0:
        return False
    section, E = beam.section.at(layer.station / beam.length), beam.material.E
    bends = [one.y / section.I_z + one.z / section.I_y for one in reaches(section)]
    missed = max(bends) * float(np.abs(layer.apart).max()) / E
    enough = beam.material.yield_stress is None or E * missed > MATTERS * beam.material.yield_stress
    return missed > MATTERS * max(strain, max(bends) * layer.largest / E) and enough


def _told(beam: ANCFBeam, layer: Layer, found: Extreme) -> Iterator[Finding]:

    passed = found.passes(LIMIT)
    if passed is None:
        return
    value, worst = found.largest, int(np.argmax(found.values))
    size, more = float(layer.size[worst]), "large" if layer.apart[worst] > 0.0 else "small"
    count = int(np.ceil(beam.length / (RESOLVED * float(layer.size.min()))))
    yield Finding(
        beam.name,
        "boundary layer",
        value,
        LIMIT,
        passed,
        not value <= SERIOUS,
        f"{label(beam)}: its moment at the joint at {layer.station:.4g} m is about "
        f"{100.0 * value:.3g} % too {more}, more than {100.0 * LIMIT:g} % from t = {passed:.4g} s "
        f"on, because tension bends it within {size:.3g} m of the joint and an element has "
        f"{layer.length:.3g} m: use {count} elements or more, or a joint that lets it turn",
    )
