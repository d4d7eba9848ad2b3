"""The validity monitor of plates and solids without a frame.

Deflections and rotations may be of any size. What makes an answer wrong is a strain beyond linear
elasticity, an element of a plate that turns by more than cubics describe, and a mesh that is too
coarse or locks: `supple.fem.nodal.ancf_strain.StrainField.errors` estimates what it misses. It is
compared with the largest energy of the run, so that what moves little does not count.

Elements that agree with each other may still be wrong together, as those of a bar with one element
across that is twisted: then stresses act on free faces. A quarter of their energy is added: 0.17 of
the energy of such a bar of hex20, which turns by 12 % too little, 0.011 with 2 x 2, 0.7 % too
little. What no estimate sees are elements that have no neighbours along a direction in which they
bend, and nodes that are all held.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.foundation.errors import label, percent
from supple.results.checks.deformation_findings import of_strain
from supple.results.checks.shear_findings import of_shear_energy
from supple.results.data.findings import BodyMonitor, Finding
from supple.results.flexibility.deformation import Extreme, states

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_nodes import ANCFNodes
    from supple.engine.base.body_records import ANCFRecord
    from supple.foundation.frames import Frame
    from supple.results.result import Result

MISSED, SERIOUS_MISSED = 0.02, 0.25  # part of the deflections
SURFACE = 0.25  # of the energy of stresses on free faces
ACROSS = 0.05  # part of the energy of moments in a direction with one element
AT_ONCE = 2_000_000  # numbers that are in memory at once


def watch_field(result: Result, record: ANCFRecord) -> BodyMonitor:
    """How far a plate or solid went over a run."""
    from supple.results.monitor.ancf_monitor import of_turns, without_frame

    t, q = states(result, record)
    body = cast("ANCFNodes", record.body)
    field, e = body.field, q.reshape(len(q), -1, 3)
    step = max(1, AT_ONCE // (6 * field.cells.size))
    free = body.untouched(frames_of(result, body.name))
    strain, missed, whole, across, sheared = [], [], [], [], []
    for first in range(0, len(e), step):
        part = e[first : first + step]
        corners = field.at_corners(part)
        nodes = field.mean(corners)
        strain.append(field.principal(nodes).max(axis=1))
        found = field.energies(corners, nodes)
        missed.append(found[0] + SURFACE * field.surface_energy(corners, free))
        whole.append(found[1])
        across.append(body.lone_energy(corners))
        sheared.append(field.shear_energy(nodes))
    largest = max(float(np.nanmax(np.concatenate(whole), initial=0.0)), field.least_energy)
    apart = np.concatenate(missed) / largest
    strained, left_out = Extreme(t, np.concatenate(strain)), Extreme(t, apart)
    turned = Extreme(t, body.element_turns(e))
    lone = float(np.nanmax(np.concatenate(across), initial=0.0)) / largest
    findings = (
        *of_turns(body, turned),
        *of_strain(body, strained),
        *_of_mesh(body, left_out),
        *_of_few(body, lone),
        *of_shear_energy(body, float(np.nanmax(np.concatenate(sheared), initial=0.0)) / largest),
        *_of_held(result, body),
    )
    return without_frame(record, turned, strained, findings, left_out.largest)


def frames_of(result: Result, name: str) -> list[Frame]:
    """Frames of a body at which something acts."""
    every = (result.joints, result.constraints, result.forces)
    items = [item for group in every for item in group.values()]
    found = [frame for item in items for frame in item.frames.values()]
    found += [point.frame for point in result.point_masses.values()]
    return [frame for frame in found if frame.body.name == name]


def _of_mesh(body: ANCFNodes, left_out: Extreme) -> Iterator[Finding]:

    passed = left_out.passes(MISSED)
    if passed is None:
        return
    value = left_out.largest
    yield Finding(
        body.name,
        "mesh",
        value,
        MISSED,
        passed,
        not value <= SERIOUS_MISSED,
        f"{label(body)}: its elements disagree about the strain at common nodes, or on free faces, "
        f"by some {percent(value)} of its energy, more than {percent(MISSED)} from "
        f"t = {passed:.4g} s on, and "
        f"its deflections err about as much: {body.refinement}",
    )


def _of_few(body: ANCFNodes, lone: float) -> Iterator[Finding]:

    if not lone <= ACROSS:
        yield Finding(
            body.name,
            "mesh",
            lone,
            ACROSS,
            None,
            False,
            f"{label(body)}: {lone:.2g} of its energy is in a direction in which it has one "
            f"element, beyond {ACROSS:g}, so that nothing tells how exact it is: use at least two",
        )


def _of_held(result: Result, body: ANCFNodes) -> Iterator[Finding]:

    frames = [f for joint in result.joints.values() for f in joint.frames.values()]
    if not np.any(body.untouched([frame for frame in frames if frame.body.name == body.name])):
        yield Finding(
            body.name,
            "mesh",
            0.0,
            1.0,
            None,
            True,
            f"{label(body)}: there is a joint at every node of it, so that it cannot deform: use "
            "more elements",
        )
