"""Monitor of a body in a floating frame with modes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.reduction.membranes import feels_loads
from supple.results.checks import deformation, reduced_bodies, sections
from supple.results.data.findings import BodyMonitor, Check, Extreme
from supple.results.flexibility.deformation import (
    highest_share,
    lost_stiffness,
    modal_energies,
    movements,
    pulling_spin,
    sampled,
    states,
    strains,
)
from supple.results.flexibility.lateral_buckling import lateral_buckling
from supple.results.flexibility.load_effect import load_effect
from supple.results.flexibility.truncation import SAMPLES, Truncation, shear_of_places
from supple.results.views.views import into

if TYPE_CHECKING:
    from supple.engine.base.body_records import FlexRecord
    from supple.foundation.arrays import Array
    from supple.results.result import Result


def watch(
    result: Result, record: FlexRecord, left_out: Truncation | None
) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a body over a run; what it leaves out is None where it is not known."""
    body, masses, modal = record.body, record.point_masses, record.modal
    t, q = states(result, record)
    moved, turned = movements(body, masses, t, q)
    strained = strains(body, masses, t, q)
    frequencies, energies = modal_energies(modal, q)
    share = highest_share(frequencies, energies)
    # membranes without a stretch of the axis leave out what loads along it do
    stiffened = body.stiffened and (modal.membranes is None or feels_loads(modal))
    spin = _spin(result, record)
    speed = Extreme(result.t, np.linalg.norm(spin, axis=1))
    lost = Extreme(result.t, np.zeros(len(spin)) if stiffened else lost_stiffness(modal, spin))
    effect = None if stiffened else load_effect(result, record)
    wrong = None if left_out is None else reduced_bodies.mesh_error(left_out.loaded)
    aside = None if left_out is None else lateral_buckling(result, left_out.loaded)
    shear = 0.0 if left_out is None else left_out.shear
    if body.axis is None:  # perhaps a structure of beams
        shear = shear_of_places([(record, q[sampled(q, SAMPLES)])])
    lowest = float(frequencies[0])
    limit = deformation.ROTATION_STIFFENED if stiffened else deformation.ROTATION
    spinning = [] if stiffened else [*deformation.spins(body, speed, lost, lowest)]
    checks = [
        deformation.rotation(body, turned, stiffened, limit),
        deformation.strain(body, strained, body.sizes_known),
        deformation.deflection(body, None if len(turned.values) else moved),
        *spinning,
        *reduced_bodies.modes(result, body, left_out, share),
        sections.beam_shear(body, shear, moved.largest),
        *reduced_bodies.mesh(result, body, left_out, wrong),
        *deformation.loads(body, None if spinning else effect),
        deformation.lateral(body, aside, modal.n),
        *(reduced_bodies.damping(result.model, record) if len(result.t) > 1 else ()),
    ]
    pressed = None if effect is None else effect.buckling
    numbers = BodyMonitor(
        body.name,
        rotation=turned.largest,
        strain=np.nan if strained is None else strained.largest,
        deflection=moved.largest,
        highest_mode=np.nan if share is None else share,
        left_out=np.nan if left_out is None else left_out.largest,
        spin=speed.largest,
        lowest_frequency=lowest,
        lost_stiffness=lost.largest,
        buckling=max((x.largest for x in (pressed, aside) if x is not None), default=np.nan),
        load_stiffness=np.nan if effect is None else effect.stiffness.largest,
        load_change=np.nan if effect is None else effect.change.largest,
        mesh_error=np.nan if wrong is None else wrong.part,
    )
    return numbers, checks


def _spin(result: Result, record: FlexRecord) -> Array:
    """Spin (nt, 3) rad/s of a body's frame, as far as it pulls, in body axes."""
    frame, history = result.data.compiled.body_names.index(record.name), result.data.history
    turning = into(history.R[:, frame], history.V[:, frame, :3])
    return pulling_spin(record.body, record.modal, turning)
