"""The validity monitor of gradient bodies: their strain, and how far one element turns.

Deflections and rotations may be of any size; strains must be small. A cubic describes a curve that
turns by a fraction of a radian: beyond 0.3 rad from one node to the next the deflection of a
cantilever is off by some per cent, as that of a part of a beam is (`supple.results.monitor`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.errors import label
from supple.fem.hermite import hermite
from supple.fem.line import gauss
from supple.results.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.gradient import GradientLine
    from supple.engine.body_records import GradientRecord
    from supple.frames import Body
    from supple.poses import Array
    from supple.results.monitor import BodyMonitor, Finding
    from supple.results.result import Result


def watch_gradient(result: Result, record: GradientRecord) -> BodyMonitor:
    """How far a gradient body went over a run."""
    from supple.results.monitor import BodyMonitor, of_strain, states

    t, q = states(result, record)
    e = q.reshape(len(t), *record.mesh.rest.shape)
    turned = Extreme(t, _turns(e[:, :, 1]).max(axis=1, initial=0.0))
    strained = Extreme(t, _surface_strain(record, e).max(axis=1, initial=0.0))
    line = cast("GradientLine", record.body)
    findings = (*_of_turns(line, turned), *of_strain(line, strained))
    return BodyMonitor(
        name=record.name,
        rotation=turned.largest,
        strain=strained.largest,
        deflection=np.nan,
        highest_mode=np.nan,
        left_out=np.nan,
        spin=0.0,
        lowest_frequency=0.0,
        lost_stiffness=0.0,
        buckling=np.nan,
        load_stiffness=np.nan,
        load_change=np.nan,
        findings=findings,
    )


def _turns(slope: Array) -> Array:
    """Angles (nt, elements) between the slopes (nt, nodes, 3) of neighbouring nodes, rad."""
    a, b = slope[:, :-1], slope[:, 1:]
    across = np.linalg.norm(np.cross(a, b), axis=2)
    angles: Array = np.arctan2(across, (a * b).sum(axis=2))
    return angles


def _surface_strain(record: GradientRecord, e: Array) -> Array:
    """Largest strains (nt, elements): the mean of the axis, and by bending beside it at the ends.

    The stretch at a point is not meant: a cubic that bends cannot have a constant one.
    """
    body, mesh = cast("GradientLine", record.body), record.mesh
    stations = np.asarray(body.stations)
    found = np.zeros((len(e), len(mesh.cells)))
    for k, nodes in enumerate(mesh.cells):
        length = float(stations[k + 1] - stations[k])
        own, rest = (x[..., nodes, :2, :].reshape(*x.shape[:-3], 4, 3) for x in (e, mesh.rest))
        axial = np.zeros(len(e))
        for xi, weight in gauss(3):
            slope = _at(xi, length, 1, own)
            axial += weight * 0.5 * ((slope**2).sum(axis=1) - 1.0)
        for xi, node in ((0.0, 0), (1.0, 1)):
            section = body.section.at(float(stations[k + node]) / body.length)
            size = max(section.half_sizes or (2.0 * np.sqrt(section.I_y / section.area),))
            bent = np.abs(_curvature(xi, length, own) - _curvature(xi, length, rest[None]))
            found[:, k] = np.fmax(found[:, k], np.abs(axial) + size * bent)
    return found


def _at(xi: float, length: float, derivative: int, own: Array) -> Array:
    """A derivative (nt, 3) of the axis of an element, from places and slopes (nt, 4, 3)."""
    value: Array = np.einsum("k,tkx->tx", hermite(xi, length, derivative), own)
    return value


def _curvature(xi: float, length: float, own: Array) -> Array:
    """Curvature (nt,) of the axis, 1/m."""
    slope, bent = _at(xi, length, 1, own), _at(xi, length, 2, own)
    across = np.linalg.norm(np.cross(slope, bent), axis=1)
    return np.asarray(across / np.linalg.norm(slope, axis=1) ** 3)


def _of_turns(body: Body, turned: Extreme) -> Iterator[Finding]:
    from supple.results.monitor import ROTATION_STIFFENED as LIMIT
    from supple.results.monitor import SERIOUS, Finding

    passed = turned.passes(LIMIT)
    if passed is None:
        return
    value = turned.largest
    yield Finding(
        body.name,
        "rotation",
        value,
        LIMIT,
        passed,
        not value <= SERIOUS * LIMIT,
        f"{label(body)}: an element of it turns by {value:.3g} rad from one end to the other, "
        f"beyond {LIMIT:g} rad from t = {passed:.4g} s on, where a cubic describes it no longer: "
        "use more elements",
    )
