"""The validity monitor of cables and gradient beams: strain, and how far one element turns.

Deflections and rotations may be of any size; strains must be small. A cubic describes a curve that
turns by a fraction of a radian: beyond 0.3 rad from one node to the next the deflection of a
cantilever is off by some per cent, as that of a part of a beam is
(`supple.results.monitor.monitor`). Cables of the fourth order go farther: one that is rolled up to
a circle errs by 0.0009 of its diameter with 0.63 rad in each element, by 0.006 with twice that.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.constraints import SlidingJoint
from supple.foundation.errors import label
from supple.results.checks.ancf_layer import of_layers
from supple.results.checks.ancf_stiffness import excess, missing_shear, of_shear, of_stiffness
from supple.results.checks.ancf_tilt import of_tilt, tilted
from supple.results.checks.deformation_findings import ROTATION_STIFFENED, SERIOUS, of_strain
from supple.results.data.findings import BodyMonitor, Finding
from supple.results.flexibility.beam_bending import Bending
from supple.results.flexibility.deformation import Extreme, states
from supple.results.flexibility.line_strain import surface_strain
from supple.results.flexibility.line_turns import line_turns
from supple.results.monitor.ancf_field_monitor import frames_of, watch_field

BEYOND = 1e-6  # of the length: what is meant to be on the line
CABLE_TURN = 0.6  # rad in an element of a cable with the strain "mean"

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine, Cable
    from supple.engine.base.body_records import ANCFRecord
    from supple.foundation.frames import Body
    from supple.foundation.poses import Array
    from supple.results.result import Result


def watch_gradient(result: Result, record: ANCFRecord) -> BodyMonitor:
    """How far a gradient body went over a run."""
    body = cast("ANCFLine", record.body)
    if not body.along_line:
        return watch_field(result, record)
    t, q = states(result, record)
    e = q.reshape(len(t), *record.mesh.rest.shape)
    touched = [body.node(frame) for frame in frames_of(result, body.name)]
    bent = Bending(record, e, touched) if body.turns else None
    turns = line_turns(e, record.mesh.axes_from) if bent is None else bent.turned
    turned = Extreme(t, turns.max(axis=1, initial=0.0))
    strained = Extreme(t, surface_strain(record, e, bent).max(axis=1, initial=0.0))
    findings = (
        *of_turns(body, turned, _turn_limit(body)),
        *of_strain(body, strained),
        *(() if bent is None else _of_bending(bent, t)),
        *(() if bent is None else of_layers(result, bent, strained)),
        *_of_sliders(result, body),
    )
    return without_frame(record, turned, strained, findings)


def _turn_limit(body: ANCFLine) -> float | None:
    """How far an element of a line may turn, rad; None is the limit of all others."""
    return CABLE_TURN if not body.turns and cast("Cable", body).element == "mean" else None


def _of_bending(bent: Bending, t: Array) -> Iterator[Finding]:
    """Findings about the elements of a beam: stiffness, shear, and tilt of sections."""
    yield from of_stiffness(bent.beam, Extreme(t, excess(bent)))
    yield from of_shear(bent.beam, Extreme(t, missing_shear(bent)))
    yield from of_tilt(bent.beam, Extreme(t, tilted(bent)))


def without_frame(
    record: ANCFRecord,
    turned: Extreme,
    strained: Extreme,
    findings: tuple[Finding, ...],
    left_out: float = np.nan,
) -> BodyMonitor:
    """What is told of a body that has neither a frame nor modes."""
    return BodyMonitor(
        name=record.name,
        rotation=turned.largest,
        strain=strained.largest,
        deflection=np.nan,
        highest_mode=np.nan,
        left_out=left_out,
        spin=0.0,
        lowest_frequency=0.0,
        lost_stiffness=0.0,
        buckling=np.nan,
        load_stiffness=np.nan,
        load_change=np.nan,
        findings=findings,
    )


def _of_sliders(result: Result, body: Body) -> Iterator[Finding]:
    """Sliding joints that are beyond the ends of the body."""
    for name, item in result.constraints.items():
        if not isinstance(item, SlidingJoint) or item.A.body.name != body.name:
            continue
        length = cast("ANCFLine", body).length
        s = result.q[:, result.data.compiled.shaft(name, 0)[0]]
        beyond = Extreme(result.t, np.fmax(np.abs(s - 0.5 * length) - 0.5 * length, 0.0))
        passed = beyond.passes(BEYOND * length)
        if passed is not None:
            yield Finding(
                body.name,
                "sliding",
                beyond.largest,
                BEYOND * length,
                passed,
                True,
                f"{label(item)}: it is {beyond.largest:.3g} m beyond the end of {label(body)} from "
                f"t = {passed:.4g} s on, where there is no line: hold it, or make the line longer",
            )


def of_turns(body: Body, turned: Extreme, limit: float | None = None) -> Iterator[Finding]:
    """An element that turns by more than a cubic describes."""
    most = ROTATION_STIFFENED if limit is None else limit
    passed = turned.passes(most)
    if passed is None:
        return
    value = turned.largest
    yield Finding(
        body.name,
        "rotation",
        value,
        most,
        passed,
        not value <= SERIOUS * most,
        f"{label(body)}: an element of it turns by {value:.3g} rad from one end to the other, "
        f"beyond {most:g} rad from t = {passed:.4g} s on, where a cubic describes it no longer: "
        "use more elements",
    )
