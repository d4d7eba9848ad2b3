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
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from supple.constraints import SlidingJoint
from supple.foundation.errors import label, percent
from supple.results.checks import deformation, sections
from supple.results.checks.ancf_beams import bending_checks
from supple.results.data.findings import BodyMonitor, Check, Extreme
from supple.results.flexibility.deformation import states
from supple.results.flexibility.line_bending import Bending, line_turns, surface_strain
from supple.results.flexibility.supports import touched

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_line import ANCFLine, Cable
    from supple.bodies.nodal.ancf_nodes import ANCFNodes
    from supple.engine.base.body_records import ANCFRecord
    from supple.foundation.arrays import Array
    from supple.results.result import Result

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
    turns = line_turns(e, record.mesh.axes_from) if bent is None else bent.turned
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
    for name, item in result.constraints.items():
        if not isinstance(item, SlidingJoint) or item.A.body.name != body.name:
            continue
        half = 0.5 * body.length
        s = result.q[:, result.data.compiled.shaft(name, 0)[0]]
        yield Check(
            item,
            "sliding",
            Extreme(result.t, np.fmax(np.abs(s - half) - half, 0.0)),
            BEYOND * body.length,
            0.0,
            lambda value, then: (
                f"it is {value:.3g} m beyond the end of {label(body)} {then}, where there is no "
                "line: hold it, or make the line longer"
            ),
        )


class _Energies(NamedTuple):
    """Strains and energies of a plate or solid over a run, in parts of its largest energy.

    Attributes
    ----------
    strain : (nt,) largest principal strain
    missed : (nt,) energy that elements disagree about
    across : largest energy in a direction with one element
    sheared : largest energy of shear that is left out
    """

    strain: Array
    missed: Array
    across: float
    sheared: float


def _field(result: Result, record: ANCFRecord) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a plate or solid."""
    body = cast("ANCFNodes", record.body)
    t, q = states(result, record)
    e = q.reshape(len(q), -1, 3)
    found = _energies(result, body, e)
    strained, left_out = Extreme(t, found.strain), Extreme(t, found.missed)
    turned = Extreme(t, body.element_turns(e))
    checks = [
        deformation.element_rotation(body, turned),
        deformation.strain(body, strained),
        *_mesh(result, body, left_out, found.across),
        sections.shear_energy(body, found.sheared),
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
    yield Check(
        body,
        "mesh",
        left_out,
        MISSED,
        SERIOUS_MISSED,
        lambda value, then: (
            "its elements disagree about the strain at common nodes, or on free faces, by some "
            f"{percent(value)} of its energy, more than {percent(MISSED)} {then}, and its "
            f"deflections err about as much: {body.refinement}"
        ),
    )
    yield Check(
        body,
        "mesh",
        across,
        ACROSS,
        np.inf,
        lambda value, _: (
            f"{value:.2g} of its energy is in a direction in which it has one element, beyond "
            f"{ACROSS:g}, so that nothing tells how exact it is: use at least two"
        ),
    )
    frames = [f for joint in result.joints.values() for f in joint.frames.values()]
    free = body.untouched([frame for frame in frames if frame.body.name == body.name])
    all_but_one = 1.0 - 0.5 / len(free)
    yield Check(
        body,
        "mesh",
        float(np.mean(~free)),
        all_but_one,
        all_but_one,
        lambda *_: (
            "there is a joint at every node of it, so that it cannot deform: use more elements"
        ),
    )
