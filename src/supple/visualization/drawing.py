"""From a result to a scene: all bodies, then signs of what has no form of its own.

Signs of joints, point masses, forces, constraints and the world are rigid things, some of them
stretched between two points, with sizes in proportion to the whole scene.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.nodal.line_sections import section_axes
from supple.bodies.shapes.solids import Plane
from supple.constraints import SlidingJoint
from supple.fem.drawn.primitives import arrow, coil, cuboid, cylinder, sphere, torus, turned
from supple.fem.drawn.surface import Surface, joined, moved
from supple.forces.base import PairForce
from supple.forces.contacts import Contact
from supple.forces.points import DistributedLoad, SpringDamper
from supple.forces.ropes import Rope, frame_of
from supple.forces.tyres import Tyre
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.errors import SuppleError
from supple.foundation.frames import Frame
from supple.foundation.poses import aligned
from supple.visualization.contacts import contact_things
from supple.visualization.scene import Kind, Scene, Thing, body_things, bounds, nearest, thing

if TYPE_CHECKING:
    from supple.joints import Joint
    from supple.results.result import Result

Pose = tuple[Array, Array]
STEEL, SPRING, FORCE, TORQUE, RULE = "#8d949c", "#c98a1b", "#c8382f", "#8e44ad", "#3d8b5f"
WORLD = ("#cc3b3b", "#3f9b4f", "#3a6fc4")
REACTION = "#1b7f79"
LONGEST = 0.22  # of arrows of forces, in sizes of the scene
NOTHING = 1e-9  # of the largest force: less is rounding
ARROWS = 9  # of a distributed load
ALONG = np.array([0.0, 0.0, 1.0])


class Signs:
    """Makes the signs of a result, with ``unit`` (m) as the radius of a joint."""

    def __init__(self, result: Result, unit: float, reach: float) -> None:
        self.result, self.unit, self.reach = result, unit, reach
        self.count = len(result.t)

    def all(self) -> Iterator[Thing]:
        """All signs."""
        for name, mass in self.result.point_masses.items():
            heaviest = max(m.mass for m in self.result.point_masses.values())
            radius = self.unit * (0.8 + 0.9 * float(np.cbrt(mass.mass / heaviest)))
            yield self._rigid(sphere(radius), name, "bodies", "#4a4f57", mass.frame)
        for name, joint in self.result.joints.items():
            yield from self._joint(name, joint)
        for name, force in self.result.forces.items():
            if not isinstance(force, (Contact, Tyre)):
                yield from self._force(name, force)
        yield from contact_things(self)
        for name, constraint in self.result.constraints.items():
            frames = list(constraint.frames.values())
            if isinstance(constraint, SlidingJoint):  # A is where it began
                ring = torus(1.3 * self.unit, 0.4 * self.unit)
                yield self._rigid(ring, name, "constraints", RULE, constraint.B)
            elif len(frames) == 2:
                bar = cylinder(0.3 * self.unit, 1.0)
                bar = moved(bar, np.eye(3), (0.0, 0.0, 0.5))
                yield self._between(bar, name, "constraints", RULE, *frames)

    def bars(self, name: str, hub: Array, colour: str, pose: Pose) -> Iterator[Thing]:
        """Bars from the middle of a rigid body without a shape to its joints."""
        ends = []
        for joint in self.result.joints.values():
            ends += [f.position for f in (joint.A, joint.B) if f.body.name == name]
        ends += [m.frame.position for m in self.result.point_masses.values()
                 if m.frame.body.name == name]  # fmt: skip
        pieces = [moved(sphere(0.75 * self.unit), np.eye(3), hub)]
        for end in ends:
            way = np.asarray(end) - hub
            length = float(np.linalg.norm(way))
            if length > 0.5 * self.unit:
                bar = cylinder(0.5 * self.unit, length)
                pieces.append(moved(bar, aligned(way / length)[0], hub + 0.5 * way))
        yield thing(joined(pieces), name, "bodies", colour, pose)

    def joint_forces(self, forces: Mapping[str, Array]) -> Iterator[Thing]:
        """Forces (nt, 3) N by A on B of joints, as arrows at B of a common scale."""
        ways = {name: np.where(np.isfinite(way), way, 0.0) for name, way in forces.items()}
        sizes = {name: np.linalg.norm(way, axis=1).max(initial=0.0) for name, way in ways.items()}
        largest = max(sizes.values(), default=0.0)
        for name, way in ways.items():
            if sizes[name] > NOTHING * largest:
                shown = way * (LONGEST * self.reach / largest)
                start = self.pose(self.result.joints[name].B)[1]
                tip = arrow(0.25, 0.4 * self.unit)
                yield self.along(tip, name, "reactions", REACTION, start, shown)

    def pose(self, frame: Frame) -> Pose:
        """Axes (nt, 3, 3) and place (nt, 3) m of a frame."""
        view = self.result[frame]
        return np.asarray(view.matrix), np.asarray(view.position)

    def _rigid(
        self, surface: Surface, name: str, kind: Kind, colour: str, frame: Frame, **more: Any
    ) -> Thing:
        return thing(surface, name, kind, colour, self.pose(frame), **more)

    def _between(
        self, surface: Surface, name: str, kind: Kind, colour: str, a: Frame, b: Frame
    ) -> Thing:
        """A surface along z from 0 to 1, stretched from one frame to another."""
        first, last = self.pose(a)[1], self.pose(b)[1]
        return self.along(surface, name, kind, colour, first, last - first)

    def along(
        self, surface: Surface, name: str, kind: Kind, colour: str, start: Array, way: Array
    ) -> Thing:
        """A surface along z from 0 to 1, stretched along ways (nt, 3) m from places (nt, 3) m."""
        length = np.linalg.norm(way, axis=1)
        R = np.stack([_turn(w, n) for w, n in zip(way, length, strict=True)])
        there = np.where(length > 1e-9 * self.reach, 1.0, 0.0)
        stretch = np.stack([there, there, length], axis=1)
        return thing(surface, name, kind, colour, (R, start), stretch=stretch)

    def _joint(self, name: str, joint: Joint) -> Iterator[Thing]:
        """A cylinder for each axis of rotation, a rail and a block along each translation."""
        unit, pieces = self.unit, []
        kinds = [motion.kind for motion in joint.motions]
        if not kinds:
            pieces.append(cuboid([1.7 * unit] * 3))
        at_b: list[Surface] = []
        first = 0
        coordinates = self.result[name].coordinates
        for number, motion in enumerate(joint.motions):
            own = coordinates[:, first]
            first += motion.nq
            if motion.axis is None:
                if motion.kind == "ball":
                    pieces.append(sphere(1.25 * unit))
                continue
            axes = aligned(motion.axis)[0]
            if motion.kind == "rotate":
                pin = moved(cylinder((1.0, 0.8, 0.65)[number % 3] * unit, 3.2 * unit), axes, 0.0)
                (at_b if number else pieces).append(pin)
            elif np.any(np.isfinite(own)):
                low, high = np.nanmin(own), np.nanmax(own)
                rail = moved(cuboid([0.5 * unit, 0.5 * unit, high - low + 5 * unit]), axes,
                             0.5 * (low + high) * motion.axis)  # fmt: skip
                pieces.append(rail)
                at_b.append(moved(cuboid([1.5 * unit, 1.5 * unit, 2.4 * unit]), axes, 0.0))
        gone = self.result.data.without(name)
        there = np.repeat(np.where(gone, 0.0, 1.0)[:, None], 3, axis=1) if np.any(gone) else None
        for surfaces, frame in ((pieces, joint.A), (at_b, joint.B)):
            if surfaces:
                together = joined(surfaces)
                yield self._rigid(together, name, "joints", STEEL, frame, stretch=there)

    def _force(self, name: str, force: Any) -> Iterator[Thing]:
        if isinstance(force, DistributedLoad):
            yield from self._load(name, force)
        elif isinstance(force, SpringDamper):
            yield from self._spring(name, force)
        elif isinstance(force, Rope):
            yield from self._rope(name, force)
        elif isinstance(force, PairForce):
            link = moved(cylinder(0.25 * self.unit, 1.0), np.eye(3), (0, 0, 0.5))
            yield self._between(link, name, "forces", SPRING, force.A, force.B)
            yield self._rigid(torus(1.5 * self.unit, 0.4 * self.unit), name, "forces", SPRING,
                              force.A)  # fmt: skip
        elif force.frames:
            yield from self._arrows(name, next(iter(force.frames.values())))
        else:
            yield from self._rings(name, force)

    def _spring(self, name: str, force: SpringDamper) -> Iterator[Thing]:
        unit = self.unit
        if force.stiffness or force.spring is not None:
            wound = coil(9, 1.3 * unit, 0.28 * unit)
            yield self._between(wound, name, "forces", SPRING, force.A, force.B)
        if force.damping or force.damper is not None:
            wide, thin = 0.75 * unit, 0.3 * unit
            radii = [0.0, thin, thin, wide, wide, thin, thin, 0.0]
            heights = [0.0, 0.0, 0.25, 0.25, 0.65, 0.65, 1.0, 1.0]
            pot = turned(np.stack([radii, heights], axis=1))
            yield self._between(pot, name, "forces", STEEL, force.A, force.B)

    def _rope(self, name: str, rope: Rope) -> Iterator[Thing]:
        """Straight spans, and a ring for each pulley and drum."""
        line = moved(cylinder(0.2 * self.unit, 1.0), np.eye(3), (0, 0, 0.5))
        try:
            spans = self.result[name].spans
        except SuppleError:  # loads are not in every result
            places = [self.pose(frame)[1] for frame in rope.frames.values()]
            spans = tuple(itertools.pairwise(places))
        for begin, end in spans:
            yield self.along(line, name, "forces", SPRING, begin, end - begin)
        for station in rope.path:
            if not isinstance(station, Frame):
                ring = torus(station.radius, min(0.3 * self.unit, 0.5 * station.radius))
                turn = aligned(station.axis)[0]
                yield self._rigid(moved(ring, turn, 0.0), name, "forces", STEEL, frame_of(station))

    def _arrows(self, name: str, frame: Frame) -> Iterator[Thing]:
        """Force and torque on a body, as long as they are large."""
        view, start, least = self.result[name], self.pose(frame)[1], 0.0
        for what, colour in (("force", FORCE), ("torque", TORQUE)):
            try:
                way = np.asarray(getattr(view, what), dtype=float)
            except (AttributeError, SuppleError):  # loads are not in every result
                continue
            largest = float(np.linalg.norm(way, axis=1).max(initial=0.0))
            if largest > least and np.isfinite(largest):
                least = 1e-9 * largest * self.reach  # less of a torque is rounding
                shown = way * (LONGEST * self.reach / largest)
                tip = arrow(0.25, 0.4 * self.unit)
                if what == "torque":  # with two heads
                    tip = joined([tip, moved(tip, np.diag([1, 1, 0.8]), 0.0)])
                yield self.along(tip, name, "forces", colour, start, shown)

    def _load(self, name: str, load: DistributedLoad) -> Iterator[Thing]:
        """Several arrows along a beam, with their ends on it."""
        t, body = self.result.t, load.frame.body
        begin = float(load.frame.position[0])
        values = np.stack([np.broadcast_to(s(t), t.shape) for s in load.force], axis=1)
        largest = np.linalg.norm(values, axis=1).max() * np.abs(load.profile).max()
        if not largest > 0.0:
            return
        for s in np.linspace(0.0, 1.0, ARROWS):
            place = body.at(begin + s * (load.end - begin), rotation=load.frame.rotation)
            R, p = self.pose(place)
            if load.axes == "body":
                R = np.asarray(self.result[body].matrix) @ load.frame.rotation
            elif load.axes == "section" and body.line is not None and not body.line.has_sections:
                slope = self.result[body].at(float(place.position[0]))._slope
                R = section_axes(slope[None]) @ load.frame.rotation  # along the tangent
            way = values if load.axes == "world" else np.einsum("tij,tj->ti", R, values)
            way = way * ((1 - s) * load.profile[0] + s * load.profile[1])
            way = way * (0.12 * self.reach / largest)
            yield self.along(arrow(0.3, 0.3 * self.unit), name, "forces", FORCE, p - way, way)

    def _rings(self, name: str, force: Any) -> Iterator[Thing]:
        """A ring around each joint that an element acts on."""
        for target, _ in force.targets:
            while target in self.result.forces:  # on the shaft of a motor
                target = self.result.forces[target].targets[0][0]
            ring = torus(1.45 * self.unit, 0.32 * self.unit)
            if target in self.result.constraints:  # what slides
                frame = self.result.constraints[target].frames["B"]
                yield self._rigid(ring, name, "forces", SPRING, frame)
                continue
            joint = self.result.joints[target]
            axes = [motion.axis for motion in joint.motions if motion.axis is not None]
            turn = aligned(axes[0])[0] if axes else np.eye(3)
            yield self._rigid(moved(ring, turn, 0.0), name, "forces", SPRING, joint.A)


def world(count: int, unit: float, reach: float, gravity: Array, corner: Array) -> Iterator[Thing]:
    """Axes of the world at its origin, and the direction of gravity beside everything."""
    pose = np.broadcast_to(np.eye(3), (count, 3, 3)), np.zeros((count, 3))
    for k, letter in enumerate("xyz"):
        tip = arrow(0.22, 0.022)
        one = moved(tip, 0.13 * reach * aligned(np.eye(3)[k])[0], 0.0)
        yield thing(one, f"world {letter}", "marks", WORLD[k], pose)
    size = float(np.linalg.norm(gravity))
    if size:
        down = moved(arrow(0.22, 0.03), 0.12 * reach * aligned(gravity / size)[0], corner)
        yield thing(down, "gravity", "marks", "#555b66", pose)


def _turn(way: Array, length: float) -> Array:
    """Axes (3, 3) whose z is along a way."""
    if not length > 0.0 or not np.isfinite(length):
        return np.eye(3)
    return np.asarray(aligned(way / length)[0])


def _of_plane(item: Any, frame: Frame) -> bool:
    """True if a frame is where a plane of contact is written: it may be far from all that moves."""
    if not isinstance(item, (Contact, Tyre)):
        return False
    return any(isinstance(one, Plane) and one.frame is frame for one in item.shapes)


MOST_FRAMES = 300
MOST_REACTIONS = 60  # joints whose forces are drawn
# Sizes of signs, in sizes of the scene, and at most in those of bodies, so as not to hide them.
UNIT, UNIT_OF_BODY = 0.0095, 0.08


def chosen_times(t: Array, frames: int) -> Indices:
    """Numbers of at most ``frames`` of the output times, evenly over the run."""
    most = validate.integer("pictures", "frames", frames, 2, "a number of pictures, 2 or more")
    if len(t) <= most:
        return np.arange(len(t))
    return np.unique(nearest(t, most))


def draw(result: Result, frames: int = MOST_FRAMES, reactions: bool = False) -> Scene:
    """The scene of a result at some of its output times.

    With ``reactions`` it has the forces of joints, if these are not too many.
    """
    if not len(result.t):
        raise SuppleError("pictures: the result has no output times, expected at least one")
    which = chosen_times(result.t, frames)
    some = result if len(which) == len(result.t) else type(result)(result.data.at(which))
    bodies = body_things(some)
    low, high = bounds(bodies, len(some.t))
    # where joints, springs and the like are
    items: list[Any] = [*some.joints.values(), *some.forces.values(), *some.constraints.values()]
    for frame in (f for item in items for f in item.frames.values() if not _of_plane(item, f)):
        place = some[frame].position
        low = np.minimum(low, np.nanmin(place, axis=0))
        high = np.maximum(high, np.nanmax(place, axis=0))
    reach = float(np.linalg.norm(high - low)) or 1.0
    sizes = [float(np.ptp(one.points, axis=0).max()) for one in bodies if len(one.points) > 1]
    unit = min(UNIT * reach, UNIT_OF_BODY * float(np.median(sizes)) if sizes else np.inf)
    gravity = np.asarray(result.model.gravity, dtype=float)
    size = float(np.linalg.norm(gravity))
    up = -gravity / size if size else np.array([0.0, 0.0, 1.0])
    signs = Signs(some, unit, reach)
    things = list(bodies)
    history, names = some.data.history, list(some.data.compiled.body_names)
    for one in bodies:
        body = some.bodies[one.name]
        surface = body.surface() if one.opacity < 1.0 else None
        if surface is not None and surface.hub is not None:
            k = names.index(one.name)
            pose = history.R[:, k], history.p[:, k]
            things += signs.bars(one.name, surface.hub, one.colour, pose)
    things += signs.all()
    if reactions and len(some.joints) <= MOST_REACTIONS:
        # those of the whole result, which are found once
        things += signs.joint_forces({name: result[name].force[which] for name in some.joints})
    side = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    side = side / np.linalg.norm(side)
    aside = 0.5 * np.abs(side) @ (high - low) + 0.12 * reach
    corner = 0.5 * (low + high) + aside * side + 0.5 * np.abs(up) @ (high - low) * up
    things += world(len(some.t), unit, reach, gravity, corner)
    return Scene(result.model.name, np.asarray(some.t), things, up, low, high)
