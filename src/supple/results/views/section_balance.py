"""Section forces of a beam by balance: loads beyond a section less the inertia of what is there.

The part of the beam beyond a section moves by Newton's law, so that the section exerts on it what
other loads do not. This needs accelerations instead of curvatures, which a few modes describe far
better. It contains what the beam's own damping carries. The moment is about the place of the
deformed section and in its axes.

Loads at the very station of the section count as before it, but at the beam's end as beyond it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.fem.beams.line import gauss
from supple.fem.beams.section_forces import in_section_axes
from supple.forces import DistributedLoad
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, label

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.foundation.frames import Body, Frame
    from supple.results.result import Result
    from supple.results.views.flexible_views import BeamView, Deformation


# All loads on the beam must balance its inertia within this part of the largest of them: what is
# left, accelerations of Newton's method on constraints included, is far below.
BALANCED = 1e-6
# Gauss points for products of two shapes between two nodes.
LOAD_POINTS = 4
# A station this near to the end, in lengths of the beam, is the end.
AT_END = 1e-12


@dataclass(frozen=True, eq=False)
class PointLoadHistory:
    """A load at one station over time, world axes."""

    station: float  # m
    place: Array  # (nt, 3) m, the point that the torque is about
    # force, torque: (nt, 3) N, N m
    force: Array
    torque: Array


@dataclass(frozen=True, eq=False)
class BeamLoads:
    """All loads on a beam over a run."""

    gravity: Array  # (3,) m/s2
    points: Sequence[PointLoadHistory]  # loads at stations
    # loads per length, each with its force (nt, 3), N/m in its own axes
    lines: Sequence[tuple[DistributedLoad, Array]]
    # filled when all loads were found to balance the inertia of the beam
    complete: list[bool] = field(default_factory=list)


def section_balance(
    pieces: Sequence[BeamView], place: tuple[int, float], complete: list[bool], body: Body
) -> Array:
    """Forces (nt, 6) N, Vy, Vz, T, My, Mz in a section of a beam, in the section's axes.

    ``pieces`` are the beam's parts in a row, or the beam alone; ``place`` is the number of a part
    and a station (m) on it. ``complete`` is filled when all loads on ``body`` were found.
    """
    known = [_known(view) for view in pieces]
    motions = [_Motion.of(view) for view in pieces]
    if not complete:
        _refuse_unknown(motions, known, body)
        complete.append(True)
    k, x = place
    beam, view = known[k][0], pieces[k]
    at_end = k == len(pieces) - 1 and x >= beam.length * (1.0 - AT_END)
    about = motions[k].place(x)
    force, torque = _beyond(motions[k], known[k][1], x, at_end, about)
    for motion, (_, loads) in zip(motions[k + 1 :], known[k + 1 :], strict=True):
        more = _beyond(motion, loads, -1.0, False, about)
        force, torque = force + more[0], torque + more[1]
    axes = view.carried(x).matrix
    both = [np.einsum("tij,ti->tj", axes, vector) for vector in (force, torque)]
    return in_section_axes(np.hstack(both).T, beam.roll).T


@dataclass(frozen=True, eq=False)
class _Motion:
    """Motion of a beam's frame over time in world axes, whatever axes its view has."""

    view: BeamView
    turn: Array  # (nt, 3, 3), from the axes of the view to the world
    R: Array
    p: Array
    w: Array
    dw: Array
    a: Array

    @classmethod
    def of(cls, view: BeamView) -> _Motion:
        turn = view.matrix @ np.swapaxes(view._own, 1, 2)
        vectors = view.position, view.angular_velocity, view.angular_acceleration, view.acceleration
        return cls(view, turn, view.matrix, *(_turned(turn, v) for v in vectors))

    def place(self, x: float) -> Array:
        """Place (nt, 3) of a station of the deformed beam, m."""
        return _turned(self.turn, self.view.carried(x).position)


def collect_loads(result: Result, body: Body) -> BeamLoads:
    """The loads on a beam of a result: joints, force elements at its stations, loads along it."""
    beam, t, on_part = cast("Beam", body), result.t, result.data.compiled.on_part
    evaluate = result.data.loads
    points: list[PointLoadHistory] = []
    lines: list[tuple[DistributedLoad, Array]] = []

    def add(frame: Frame, place: Array, wrench: Array) -> None:
        load = PointLoadHistory(beam.station(frame), place, wrench[:, 3:], wrench[:, :3])
        points.append(load)

    for joint in result.joints.values():
        for frame, sign in ((on_part(joint.A), -1.0), (on_part(joint.B), 1.0)):
            if frame.body.name == beam.name:
                add(frame, result[joint.B].position, sign * result[joint.name].wrench)
    for force in result.forces.values():
        if isinstance(force, DistributedLoad):
            for part in force.on_parts(result.bodies[force.frame.body.name]):
                if part.frame.body.name == beam.name:
                    values = np.array([[float(s(time)) for s in force.force] for time in t])
                    lines.append((part, values.reshape(len(t), 3)))
            continue
        frames = list(force.frames.values())
        own = [k for k, frame in enumerate(frames) if on_part(frame).body.name == beam.name]
        if own and evaluate is not None:
            wrenches = evaluate(force.name).wrenches
            for k in own:
                add(on_part(frames[k]), result[frames[k]].position, wrenches[:, k])
    return BeamLoads(result.data.compiled.gravity, points, lines)


def section_loads(view: BeamView) -> BeamLoads:
    """The loads on a beam, or on a part that is one; refuse a view that does not know them."""
    return _known(view)[1]


def _known(view: BeamView) -> tuple[Beam, BeamLoads]:
    d = view._deformation
    beam = cast("Beam", d.body)
    loads = d.loads() if d.loads is not None else None
    if loads is None:
        raise SuppleError(f"{label(beam)}: section forces by balance need the loads of a run")
    return beam, loads


def _refuse_unknown(
    motions: Sequence[_Motion], known: Sequence[tuple[Beam, BeamLoads]], body: Body
) -> None:
    """All loads together must be the inertia of the whole beam: otherwise one is not known."""
    middle = len(known) // 2
    about = motions[middle].place(0.5 * known[middle][0].length)
    both = [
        np.hstack(_beyond(motion, loads, -1.0, False, about))
        for motion, (_, loads) in zip(motions, known, strict=True)
    ]
    force, torque = np.split(np.sum(both, axis=0), 2, axis=1)
    points = [p for _, loads in known for p in loads.points]
    parts = [np.abs(p.force).max(initial=0.0) for p in points]
    mass = sum(motion.view._deformation.modal_mass for motion in motions)
    weight = mass * np.linalg.norm(known[0][1].gravity)
    size = max([*parts, weight, np.finfo(float).tiny])
    turning = [np.abs(p.torque).max(initial=0.0) for p in points]
    length = sum(beam.length for beam, _ in known)
    left = np.abs(force).max(initial=0.0) / size
    left = max(left, np.abs(torque).max(initial=0.0) / max([size * length, *turning]))
    if left > BALANCED:
        raise SuppleError(
            f"{label(body)}: loads leave {left:.1e} of the largest unbalanced, expected none; a "
            "constraint acts on the beam whose load is not known, so use "
            "section_forces(method='shapes')"
        )


def _beyond(
    motion: _Motion, loads: BeamLoads, x: float, end: bool, about: Array
) -> tuple[Array, Array]:
    """Force and moment (nt, 3) about a place (nt, 3) of all that acts beyond x, world axes."""
    d = motion.view._deformation
    force, torque = np.zeros_like(about), np.zeros_like(about)
    for load in loads.points:
        if load.station > x or (end and load.station >= x):
            force += load.force
            torque += load.torque + np.cross(load.place - about, load.force)
    for line, values in loads.lines:
        for station, weight in _line_points(d, line, x):
            pushed = weight * _in_world(line, values, motion, station)
            force += pushed
            torque += np.cross(motion.place(station) - about, pushed)
    w, dw = motion.w, motion.dw
    slaves = _slaves(d)
    for mass, place, shape in cast("Beam", d.body).mass_points(x, end, d.point_masses):
        n = d.q.shape[1]
        inside = [place + d.q @ shape[:, :n].T, d.u @ shape[:, :n].T, d.a @ shape[:, :n].T]
        if slaves is not None:
            for moved_by, amplitude in zip(inside, slaves, strict=True):
                moved_by += amplitude @ shape[:, n:].T
        arm, rate, change = (_turned(motion.R, v) for v in inside)
        moved = motion.a + np.cross(dw, arm) + np.cross(w, np.cross(w, arm) + 2.0 * rate) + change
        inertia = mass * (moved - loads.gravity)
        force -= inertia
        torque -= np.cross(motion.p + arm - about, inertia)
    return force, torque


def _slaves(d: Deformation) -> tuple[Array, Array, Array] | None:
    """Amplitudes (nt, r) of shapes of second order and their first and second rates."""
    slaves = d.body.modal(d.point_masses).slaves
    if slaves is None:
        return None
    bent, bending = (np.einsum("rij,tj->tri", slaves.Gamma, x) for x in (d.q, d.u))
    along = np.einsum("tri,ti->tr", bent, d.a) + np.einsum("tri,ti->tr", bending, d.u)
    return 0.5 * np.einsum("tri,ti->tr", bent, d.q), np.einsum("tri,ti->tr", bent, d.u), along


def _line_points(d: Deformation, load: DistributedLoad, x: float) -> Iterator[tuple[float, float]]:
    """Stations and weights (m, profile included) of a load along the beam beyond a station."""
    beam = cast("Beam", d.body)
    begin = beam.station(load.frame)
    nodes, count = beam.load_cells(LOAD_POINTS)
    first = max(begin, x)
    cuts = [first, *nodes[(nodes > first) & (nodes < load.end)], load.end]
    for start, stop in pairwise(cuts):
        if stop > start:
            for s, weight in gauss(count):
                station = start + (stop - start) * s
                part = (station - begin) / (load.end - begin)
                factor = load.profile[0] * (1.0 - part) + load.profile[1] * part
                yield float(station), float((stop - start) * weight * factor)


def _in_world(load: DistributedLoad, values: Array, motion: _Motion, station: float) -> Array:
    if load.axes == "world":
        return values
    axes = motion.R if load.axes == "body" else motion.view.carried(station).matrix
    return np.asarray(np.einsum("tij,jk,tk->ti", axes, load.frame.rotation, values))


def _turned(R: Array, x: Array) -> Array:
    """The vectors R x (nt, 3)."""
    return np.asarray(np.einsum("tij,tj->ti", R, x))
