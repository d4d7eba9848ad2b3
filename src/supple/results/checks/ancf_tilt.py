"""Sections of a continuum that tilt where joints hold its tangent: how much that bends it too far.

A section that is free to tilt beside a tangent r_x which is held, or which a torque turns, shears
the element beside it by an angle that grows as elements become shorter: the beam hangs on a hinge
with a spring. What the beam turns by beside its own bending is the change of the shear angle from
the node to the next one; shear by a force across the beam does not change there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import label
from supple.results.data.findings import Finding
from supple.results.flexibility.beam_bending import STRAIGHT, Bending
from supple.results.flexibility.deformation import Extreme
from supple.results.flexibility.line_turns import SECTION

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFBeam
    from supple.foundation.poses import Array

LIMIT, SERIOUS = 0.02, 0.1  # parts of the deflection
# Length times the angle at the tip over the deflection: 1.5 by a force, 2 by a torque.
CANTILEVER = 2.0


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


def of_tilt(beam: ANCFBeam, found: Extreme) -> Iterator[Finding]:
    """Sections that tilt at joints by more than a part of the deflection."""
    passed = found.passes(LIMIT)
    if passed is None:
        return
    value = found.largest
    yield Finding(
        beam.name,
        "joint",
        value,
        LIMIT,
        passed,
        not value <= SERIOUS,
        f"{label(beam)}: its sections tilt where joints or torques hold its tangent, so that it "
        f"deflects by about {100.0 * value:.3g} % too much, more than {100.0 * LIMIT:g} % from "
        f"t = {passed:.4g} s on: use axes='section'",
    )
