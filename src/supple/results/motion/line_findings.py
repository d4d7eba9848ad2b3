"""Findings about lines that touch lines: bends that are too tight, beams held from rolling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.shapes.lines import Line
from supple.forces import Contact, RoundedFriction
from supple.foundation.arrays import Array
from supple.foundation.errors import label
from supple.joints import Free, Spherical
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

LOOKS = 50  # output times that are looked at
LEFT_OUT = 0.05  # of the largest kinetic energy, that friction left out would have taken


def line_findings(result: Result, force: Contact) -> Iterator[RunFinding]:
    """Findings about contacts of two lines, or of one with itself: bends and twist."""
    if force.lines is None:
        return
    first, second = force.lines
    looks = np.unique(np.linspace(0, len(result.t) - 1, LOOKS).astype(int))
    places = [_places(result, line, looks) for line in (first, second)]
    if force.touches_itself:
        yield from _overlap(result, force, first, places[0], looks)
        return
    yield from _bend(result, force, places, looks)
    if isinstance(force.friction, RoundedFriction) and len(result.t) > 2:
        yield from _held(result, force, places, looks)


def _places(result: Result, line: Line, looks: Array) -> Array:
    """Places (nt, n, 3) of the stations of a line at some output times, m."""
    return np.stack([result[s].position[looks] for s in line.stations], axis=1)


def _curvatures(places: Array) -> Array:
    """Vectors (nt, n, 3) of curvature, 1/m, at stations, to the inner side; of ends those beside.

    Those of the circle through a station and its neighbours.
    """
    found = np.zeros_like(places)
    if places.shape[1] < 3:
        return found
    back, on = places[:, :-2] - places[:, 1:-1], places[:, 2:] - places[:, 1:-1]
    a, b = (np.sum(v**2, axis=2, keepdims=True) for v in (back, on))
    c = np.sum(back * on, axis=2, keepdims=True)
    # the way to the centre is (b (a - c) back + a (b - c) on)/(2 (a b - c^2))
    centre = b * (a - c) * back + a * (b - c) * on
    square = np.maximum(np.sum(centre**2, axis=2, keepdims=True), 1e-300)
    found[:, 1:-1] = 2.0 * np.maximum(a * b - c**2, 0.0) * centre / square
    found[:, 0], found[:, -1] = found[:, 1], found[:, -2]
    return found


def _overlap(
    result: Result, force: Contact, line: Line, places: Array, looks: Array
) -> Iterator[RunFinding]:
    """Places near along a line are left out, up to half a turn of a bend with its radius."""
    bent = np.linalg.norm(_curvatures(places), axis=2).max(axis=1)
    if not line.radius * float(bent.max()) > 1.0:
        return
    k = int(np.argmax(line.radius * bent > 1.0))
    yield RunFinding(
        force.name,
        "bend",
        line.radius * float(bent.max()),
        1.0,
        float(result.t[looks[k]]),
        False,
        f"{label(force)}: the line bends with a radius of {1.0 / bent.max():.2g} m, expected at "
        f"least its own radius, {line.radius:.2g} m: beyond it neighbouring places overlap, which "
        "is not looked at; use a line with a smaller radius, or a body that is stiffer",
    )


def _bend(
    result: Result, force: Contact, places: list[Array], looks: Array
) -> Iterator[RunFinding]:
    """Places of A in the inner side of a bend that B is within both radii of.

    Where B passes the centre of the bend the nearest one becomes two, each with the whole push.
    """
    assert force.lines is not None
    reach = force.lines[0].radius + force.lines[1].radius
    bent = _curvatures(places[0])
    worst, begin = 0.0, 0.0
    for k, look in enumerate(looks.tolist()):
        size = np.linalg.norm(bent[k], axis=1)
        for i in np.flatnonzero(reach * size > 1.0):
            way = _way(places[0][k, i], places[1][k])
            if np.linalg.norm(way) < reach and way @ bent[k, i] > 0.0:
                begin = begin if worst else float(result.t[look])
                worst = max(worst, reach * float(size[i]))
    if worst == 0.0:
        return
    yield RunFinding(
        force.name,
        "bend",
        worst,
        1.0,
        begin,
        False,
        f"{label(force)}: the line of A bends around B with a radius of {reach / worst:.2g} m from "
        f"t = {begin:.3g} s on, expected at least the sum of both radii, {reach:.2g} m: in the "
        "inner side of a tighter bend the place where they touch becomes two, by which the push "
        "jumps; make the line that bends more B, or use smaller radii",
    )


def _way(place: Array, line: Array) -> Array:
    """Shortest way (3,) m from a place to a line through stations (n, 3)."""
    begin, along = line[:-1], np.diff(line, axis=0)
    part = np.sum((place - begin) * along, axis=1) / np.maximum(np.sum(along**2, axis=1), 1e-300)
    ways = begin + np.clip(part, 0.0, 1.0)[:, None] * along - place
    found: Array = ways[int(np.argmin(np.sum(ways**2, axis=1)))]
    return found


def _near(places: Array, rates: Array, points: Array) -> tuple[Array, Array]:
    """Unit tangents and velocities (nt, n, 3) of a line where it is nearest to points (nt, n, 3).

    ``places`` and ``rates`` (nt, stations, 3) are those of its stations.
    """
    middles, along = 0.5 * (places[:, 1:] + places[:, :-1]), np.diff(places, axis=1)
    far = np.linalg.norm(points[:, :, None] - middles[:, None], axis=3)
    nearest = np.argmin(far, axis=2)[:, :, None]
    found = along, 0.5 * (rates[:, 1:] + rates[:, :-1])
    tangent, rate = (np.take_along_axis(x, nearest, axis=1) for x in found)
    return tangent / np.linalg.norm(tangent, axis=2, keepdims=True), rate


def _held(
    result: Result, force: Contact, places: list[Array], looks: Array
) -> Iterator[RunFinding]:
    """Lines roll on each other sideways: true of those that are free to turn about themselves.

    A body that resists twist and that a joint holds does not turn. What is left out then is the
    friction against the sideways part of the sliding, by the square of the cosine of their angle.
    """
    assert force.lines is not None and isinstance(force.friction, RoundedFriction)
    held = [line.frame.body for line in force.lines if _resists(result, line)]
    if not held:
        return
    view, v0 = result[force.name], force.friction.transition
    mu = float(np.ravel(force.friction.mu)[0])
    push, points, normal = (
        np.asarray(x)[looks] for x in (view.normal_forces, view.points, view.normals)
    )
    motions = [
        _near(p, np.stack([result[s].velocity[looks] for s in line.stations], axis=1), points)
        for line, p in zip(force.lines, places, strict=True)
    ]
    (one, v_one), (two, v_two) = motions
    slip, cosine = v_two - v_one, np.sum(one * two, axis=2)
    across, along = (np.sum(slip * t, axis=2) for t in (np.cross(normal, one), one))
    power = (mu * push * cosine**2 * across**2 / np.sqrt(across**2 + along**2 + v0**2)).sum(axis=1)
    lost = float(np.trapezoid(power, result.t[looks]))
    size = float(result.data.audit.kinetic_max)
    if not lost > LEFT_OUT * size:
        return
    yield RunFinding(
        force.name,
        "twist",
        lost / size,
        LEFT_OUT,
        None,
        False,
        f"{label(force)}: lines roll on each other sideways without friction, which would take "
        f"{lost:.2g} J if they slid, but {label(held[0])} resists twist and a joint holds it from "
        "turning about its axis: use Cable or Spherical, if it is free to turn; friction that "
        "twists a line is not there",
    )


def _resists(result: Result, line: Line) -> bool:
    """True of a body with torsion that a joint holds from turning about its axis."""
    assert line.frame is not None
    body = line.frame.body
    if body.line is None or not body.line.has_sections:
        return False
    return any(
        body.name in (joint.A.body.name, joint.B.body.name)
        for joint in result.joints.values()
        if not isinstance(joint, (Free, Spherical))
    )
