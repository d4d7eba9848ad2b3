"""From the description of a robot to a model; chains of motions become one joint."""

from __future__ import annotations

import dataclasses
import math
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.constraints import Coupling, Gear
from supple.forces import ForceElement, JointFriction, JointSpring, JointStop, Motor
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import EYE, IDENTITY, Pose, matrix_quaternion
from supple.foundation.validate import NAME_SEPARATORS
from supple.io.modelfiles.problems import NotedError, Place, Problems
from supple.io.robots.description import (
    GROUND,
    Closure,
    Description,
    Edge,
    JointLimits,
    Link,
    Motion,
    Step,
    Tie,
    TouchingForm,
    inverse,
    shifted,
)
from supple.io.robots.options import Options
from supple.io.robots.robot_shapes import KINDS, NamedShapes, fixed_pose, shape_of
from supple.joints import (
    Fixed,
    Free,
    General,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
)
from supple.model import RESERVED_NAMES, Model

At = tuple[str, Pose]  # a link that is a body of the model (or the ground), and a pose on it
# How far two axes may pass each other where they should meet, m: digits of a file.
MEETING = 1e-9
ALONG = 1e-9
BASE = "base"  # the joint between the ground and the root


@dataclass(frozen=True, eq=False)
class Chain:
    """A joint of the model: from a pose on A by the steps to a pose on B; ``name`` if it is fixed.

    ``edges`` are those of the file that it is made of.
    """

    name: str
    A: At
    B: At
    steps: tuple[Step, ...]
    edges: tuple[Edge, ...]


class RigidGroups:
    """Sets of links that fixed joints hold together, from the ground outwards.

    ``heavy`` are the links that are bodies of the model: those with mass, and replaced ones.
    """

    def __init__(self, description: Description, heavy: set[str], problems: Problems) -> None:
        self.description, self.problems = description, problems
        self.heavy = heavy | {GROUND}
        self.children: dict[str, list[Edge]] = defaultdict(list)
        for edge in description.edges:
            self.children[edge.parent].append(edge)
        self.group: dict[str, tuple[str, Pose]] = {}  # first link of the group, pose in its axes
        self.above: dict[str, str | None] = {}  # the nearest heavy link of the group, or itself
        self.members: dict[str, list[str]] = defaultdict(list)
        self.order: list[Edge] = []
        self._walk()
        self.places = self._places()

    def _walk(self) -> None:
        self.group[GROUND], self.above[GROUND] = (GROUND, IDENTITY), GROUND
        self.members[GROUND].append(GROUND)
        waiting = self.children[GROUND][::-1]
        while waiting:
            edge = waiting.pop()
            self.order.append(edge)
            child = edge.child
            if edge.motions:
                self.group[child], above = (child, IDENTITY), None
            else:
                first, pose = self.group[edge.parent]
                self.group[child] = first, pose.then(constant(edge.steps))
                above = self.above[edge.parent]
            self.above[child] = child if child in self.heavy else above
            self.members[self.group[child][0]].append(child)
            waiting += self.children[child][::-1]

    def _carrier(self, first: str) -> str | None:
        """The heavy link that carries what is above all heavy links of a group."""
        return next((name for name in self.members[first] if name in self.heavy), None)

    def _places(self) -> dict[str, At]:
        """Places of links on bodies; links of groups without mass are not there."""
        found = {}
        for name, (first, pose) in self.group.items():
            body = self.above[name] or self._carrier(first)
            if body is not None:
                found[name] = body, inverse(self.group[body][1]).then(pose)
        return found

    def chains(self) -> list[Chain]:
        """The joints of the model, from the ground outwards."""
        found = []
        for edge in self.order:
            if edge.parent not in self.places:
                continue  # a part of a chain that began before
            if edge.motions:
                chain = self._chain(edge)
            else:
                chain = self._weld(edge)
            if chain is not None:
                found.append(chain)
        return found

    def _weld(self, edge: Edge) -> Chain | None:
        body, pose = self.places[edge.parent]
        if edge.child not in self.heavy or body == edge.child:
            return None
        return Chain(edge.name, (body, pose), (edge.child, IDENTITY), edge.steps, (edge,))

    def _chain(self, edge: Edge) -> Chain | None:
        edges, steps, last = [edge], edge.steps, edge
        while last.child not in self.places:
            leaving = [e for m in self.members[last.child] for e in self.children[m] if e.motions]
            if len(leaving) != 1:
                link = self.description.links[last.child]
                word = "and no link on it has" if leaving else "and nothing on it has"
                self.problems.note(
                    link.place,
                    f"link {link.name!r}",
                    f"it has no mass, {word} one, but joint {last.motions[-1].name!r} moves it, "
                    "expected a mass",
                )
                return None
            last = leaving[0]
            steps = (*steps, self.group[last.parent][1], *last.steps)
            edges.append(last)
        return Chain("", self.places[edge.parent], self.places[last.child], steps, tuple(edges))


def constant(steps: tuple[Step, ...]) -> Pose:
    """The pose of steps without motions."""
    pose = IDENTITY
    for step in steps:
        assert isinstance(step, Pose)
        pose = pose.then(step)
    return pose


@dataclass(frozen=True, eq=False)
class Folded:
    """A chain as one joint has it: a pose on A, motions without poses between, a pose before B."""

    A: Pose
    motions: tuple[Motion, ...]
    axes: tuple[Vector, ...]
    end: Pose


def folded(steps: tuple[Step, ...]) -> Folded:
    """Move the constant poses of a chain to its ends.

    Turns pass to the right and turn the axes that follow. A shift passes a translation, and a
    rotation about its own direction; one that passes neither way is refused.
    """
    start: Pose | None = None
    motions: list[Motion] = []
    axes: list[Vector] = []
    shifts: list[Vector] = []
    since, turn = IDENTITY, EYE
    for step in steps:
        if not isinstance(step, Motion):
            since = since.then(step)
            continue
        if start is None:
            start = since
        else:
            shifts.append(turn @ since.p)
            turn = turn @ since.R
        motions.append(step)
        axes.append(turn @ step.axis)
        since = IDENTITY
    if start is None:
        return Folded(since, (), (), IDENTITY)
    end = Pose(turn, np.zeros(3)).then(since)
    for k, shift in enumerate(shifts, 1):
        if np.linalg.norm(shift) < MEETING:
            continue
        passes = [_passes(shift, m, axis) for m, axis in zip(motions, axes, strict=True)]
        if all(passes[:k]):
            start = start.then(shifted(shift))
        elif all(passes[k:]):
            end = shifted(shift).then(end)
        else:
            names = f"{motions[k - 1].name!r} and {motions[k].name!r}"
            away = f"{float(np.linalg.norm(shift)):.3g} m"
            raise ModelError.plain(
                f"joints {names} are {away} apart without a mass between them, expected a mass, or "
                "axes that meet"
            )
    return Folded(start, tuple(motions), tuple(axes), end)


def _passes(shift: Vector, motion: Motion, axis: Vector) -> bool:
    """True if a shift is the same before and behind a motion."""
    if motion.kind == "translate":
        return True
    beside = float(np.linalg.norm(np.cross(shift, axis)))
    return motion.kind == "rotate" and beside < ALONG * float(np.linalg.norm(axis))


def joint_of(
    name: str,
    chain: Folded,
    A: Callable[[Pose], Frame],
    B: Callable[[Pose], Frame],
    initial: dict[str, Any],
) -> Joint:
    """The joint of a chain; ``A`` and ``B`` make frames at poses after A and before B.

    ``initial`` has coordinates by the names of the motions.
    """
    ends = A(chain.A), B(inverse(chain.end))
    if not chain.motions:
        return Fixed(name, *ends)
    motion = chain.motions[0]
    given = {m.name: initial.get(m.name, m.initial) for m in chain.motions}
    if len(chain.motions) > 1:
        if not all(m.kind in ("rotate", "translate") for m in chain.motions):
            names = ", ".join(repr(m.name) for m in chain.motions)
            raise ModelError.plain(
                f"joints {names} have no mass between them, expected a mass where a joint is more "
                "than an axis"
            )
        pairs: list[Any] = [(m.kind, a) for m, a in zip(chain.motions, chain.axes, strict=True)]
        return General(name, *ends, axes=pairs, initial=list(given.values()))
    if motion.kind == "rotate":
        return Revolute(name, *ends, axis=motion.axis, initial=given[motion.name])
    if motion.kind == "translate":
        return Prismatic(name, *ends, axis=motion.axis, initial=given[motion.name])
    several = {"initial": initial[motion.name]} if motion.name in initial else {}
    if motion.kind == "planar":
        return Planar(name, *ends, normal=motion.axis, **several)
    if motion.kind == "ball":
        return Spherical(name, *ends, **several)
    if motion.start is not None and not several:
        several = {"initial": [*matrix_quaternion(motion.start.R), *motion.start.p]}
    return Free(name, *ends, **several)


def forces_on(
    motion: Motion,
    joint: Joint,
    coordinate: int,
    name: Callable[[str], str],
    stops: float | None,
) -> Iterator[ForceElement]:
    """The force elements of a motion, which is a coordinate of a joint of the model.

    ``name`` makes a name of what an element is; ``stops`` is the stiffness of stops, if any.
    """
    if motion.kind not in ("rotate", "translate"):
        return
    k = coordinate
    if motion.armature > 0.0:
        yield Motor(name("rotor"), joint, motion.armature, coordinate=k)
    if motion.stiffness > 0.0:
        yield JointSpring(name("spring"), joint, motion.stiffness, rest=motion.rest, coordinate=k)
    if motion.friction > 0.0:
        yield JointFriction(name("friction"), joint, motion.friction, motion.damping, coordinate=k)
    elif motion.damping > 0.0:
        yield JointSpring(name("damping"), joint, damping=motion.damping, coordinate=k)
    lower, upper = motion.limits.lower, motion.limits.upper
    if stops is not None and lower < upper and (math.isfinite(lower) or math.isfinite(upper)):
        yield JointStop(name("stop"), joint, lower, upper, stops, coordinate=k)


class NamedFrames(dict[str, Frame]):
    """Frames by their names in the file; of one that is beside a replaced body it says so."""

    def __init__(self) -> None:
        super().__init__()
        self.beside: dict[str, str] = {}  # name: the sentence

    def __missing__(self, name: str) -> Frame:
        if name in self.beside:
            raise ModelError.plain(f"frame {name!r}: {self.beside[name]}")
        raise ModelError.plain(f"there is no frame {name!r}, {suggestion(str(name), list(self))}")


def plain_name(name: str) -> str:
    """A name without the characters that names of models do not have."""
    return "".join("_" if c in NAME_SEPARATORS else c for c in name).strip() or "_"


def unused_name(model: Model, wanted: str, kind: str) -> str:
    """A name that is not taken in a model: the wanted one, or with its kind behind it."""
    name, count = wanted, 1
    while name in RESERVED_NAMES or name in model:
        name = f"{wanted} {kind}" + (f" {count}" if count > 1 else "")
        count += 1
    return name


class Building:
    """Makes a model of a description; what is wrong is noted at its line.

    ``model``, ``frames`` (by links and named frames of the file), ``shapes`` of contact, ``joints``
    (the model's joint and the place of its coordinate by the file's joints) and ``limits`` are what
    comes out.
    """

    def __init__(self, found: Description, options: Options, problems: Problems) -> None:
        self.found, self.options, self.problems = found, options, problems
        if found.root != GROUND:
            found.edges.insert(0, self._base())
        elif options.base != "fixed" or options.placed:
            field = "position or rotation" if options.placed else "base"
            given = tuple(options.origin.p) if options.placed else options.base
            expected = "left out: an MJCF file says itself how it stands"
            raise ModelError(options.owner, field, given, expected)
        gravity = options.gravity if options.gravity is not None else found.gravity
        fresh = Model(gravity, plain_name(found.name))
        self.model = fresh if options.into is None else options.into.copy()
        self.bodies: dict[str, Body] = {}
        self.frames = NamedFrames()
        self.shapes = NamedShapes()
        self.joints: dict[str, tuple[str, int]] = {}
        self.limits: dict[str, JointLimits] = {}
        self.initial: dict[str, Any] = {}

    def build(self) -> None:
        """Make everything, or note what is wrong."""
        found, options = self.found, self.options
        motions = {m.name: m for edge in found.edges for m in edge.motions}
        options.check(found, list(motions))
        self.initial = self._initial(motions)
        heavy = {n for n, link in found.links.items() if link.inertia is not None}
        groups = RigidGroups(found, heavy | set(options.replace), self.problems)
        self.places = groups.places
        for name, link in found.links.items():
            if name in groups.heavy:
                self._located(link.place, self._body, link)
        for chain in groups.chains() if not self.problems.found else ():
            self._located(chain.edges[-1].place, self._joint, chain)
        if self.problems.found:
            return
        for name, at in [*((n, (n, IDENTITY)) for n in found.links), *found.frames.items()]:
            self._frame_of(name, at)
        self.shapes.beside |= {
            name: f"{what} found, expected {KINDS}" for name, what in found.strange.items()
        }
        for form in found.forms.values():
            self._located(form.place, self._shape, form)
        for tie in found.ties:
            self._located(tie.place, self._tie, tie)
        for closure in [*found.closures, *map(self._named_loop, options.close)]:
            self._located(closure.place, self._close, closure)

    # names

    def _name(self, wanted: str, kind: str) -> str:
        """A name for something of the file that is not taken yet: that of the file, if possible."""
        return self._unique(f"{self.options.prefix}{plain_name(wanted)}".strip(), kind)

    def _unique(self, wanted: str, kind: str) -> str:
        return unused_name(self.model, wanted, kind)

    def _located(self, place: Place, action: Callable[[Any], None], given: Any) -> None:
        """Do something; an error is noted at a line."""
        try:
            action(given)
        except NotedError:
            pass
        except ModelError as error:
            self.problems.note(place, "", str(error))

    # bodies and places

    def _base(self) -> Edge:
        """Joint of the root on the ground."""
        root, origin = self.found.links[self.found.root], self.options.origin
        taken, name = {edge.name for edge in self.found.edges}, BASE
        while name in taken:
            name += " joint"
        if self.options.base == "fixed":
            return Edge(name, GROUND, root.name, (origin,), root.place)
        free = Motion(name, "free", root.place, start=origin)
        return Edge(name, GROUND, root.name, (free,), root.place)

    def _body(self, link: Link) -> None:
        given = self.options.replace.get(link.name)
        name = self._name(link.name, "link")
        if given is not None:
            # its own frame stands in the axes of the link, and nowhere in the world
            body = dataclasses.replace(given, name=name, position=np.zeros(3), rotation=EYE)
        elif link.inertia is not None:
            mass, com, inertia = link.inertia
            body = RigidBody(name, mass, com, inertia)
        self.bodies[link.name] = self.model.add(body)

    def _frame(self, at: At) -> Frame:
        """A frame of the model at a pose on a link with mass."""
        link, pose = at
        if link == GROUND:
            return self._ground(pose)
        given = self.options.replace.get(link)
        if given is None:
            return Frame(self.bodies[link], pose.p, _rotation(pose))
        x, y, z = pose.p.tolist()
        try:
            there = given.at_world(x, y, z, rotation=_rotation(pose))
        except ModelError as error:
            where = f"at ({x:.6g}, {y:.6g}, {z:.6g}) m of the link's axes"
            raise ModelError.plain(
                f"link {link!r}: {label(given)} in its place has nothing {where}, where a joint or "
                f"frame is, expected {error.expected}"
            ) from None
        turn = None if np.array_equal(there.rotation, EYE) else there.rotation
        return Frame(self.bodies[link], there.position, turn)

    def _ground(self, pose: Pose) -> Frame:
        """A frame where the ground of the file is: the world, or a frame of another model."""
        on = self.options.on
        if on is None:
            return Frame(self.model.ground, pose.p, _rotation(pose))
        if not np.any(pose.p):
            place = on.position
        elif on.body.deforms:
            shown = ", ".join(f"{c:.6g}" for c in pose.p)
            expected = f"one on a rigid body, because the robot begins at ({shown}) m from it"
            raise ModelError(self.options.owner, "on", on, expected)
        else:
            place = on.position + on.rotation @ pose.p
        return Frame(on.body, place, _rotation(Pose(on.rotation @ pose.R, place)))

    def _on(self, at: At) -> Callable[[Pose], Frame]:
        """Frames at poses behind a place."""
        body, place = at
        return lambda pose: self._frame((body, place.then(pose)))

    def _place(self, at: At) -> At:
        """A place on any link as one on a link with mass."""
        link, pose = at
        if link not in self.places:
            raise ModelError.plain(
                f"link {link!r}: it has no mass and is between two joints, expected a link that is "
                "a place on a body"
            )
        body, place = self.places[link]
        return body, place.then(pose)

    def _frame_of(self, name: str, at: At) -> None:
        """Keep the frame of a link or named frame; what is beside a replaced body has none."""
        if at[0] not in self.places:
            return
        there = self._place(at)
        try:
            self.frames[name] = self._frame(there)
        except ModelError as error:
            if there[0] not in self.options.replace:
                raise
            self.frames.beside[name] = str(error)

    def _shape(self, form: TouchingForm) -> None:
        """Keep the shape of a form; what is beside a replaced body has none."""
        try:
            there = self._place((form.link, fixed_pose(form)))
            self.shapes[form.name] = shape_of(form, self._frame(there))
        except ModelError as error:
            if form.link in self.places and self.places[form.link][0] not in self.options.replace:
                raise
            self.shapes.beside[form.name] = str(error)

    # joints and what acts on them

    def _initial(self, motions: dict[str, Motion]) -> dict[str, Any]:
        """Initial coordinates; those that follow others are theirs."""
        options, ties = self.options, {tie.first: tie for tie in self.found.ties}
        start = options.start(self.found)
        found = dict(start)
        for name, tie in ties.items():
            if name in options.initial and start is options.initial:
                expected = f"left out: {name!r} follows {tie.second or 'a number'!r}"
                raise ModelError(options.owner, f"initial[{name!r}]", found[name], expected)
            chain, end = [tie], tie
            while end.second is not None and end.second in ties:
                end = ties[end.second]
                if end in chain:
                    raise self.problems.note(
                        tie.place, "", f"joint {name!r} follows itself, expected another one"
                    )
                chain.append(end)
            if end.second is None:
                value = 0.0
            else:
                given = start.get(end.second, motions[end.second].initial)
                value = validate.number(options.owner, f"initial[{end.second!r}]", given)
            for each in reversed(chain):
                value = each.ratio * value + each.offset
            found[name] = value
        return found

    def _joint(self, chain: Chain) -> None:
        fold = folded(chain.steps)
        wanted = " + ".join(m.name for m in fold.motions) or chain.name
        name = self._name(wanted, "joint")
        joint = joint_of(name, fold, self._on(chain.A), self._on(chain.B), self.initial)
        self.model.add(joint)
        for k, motion in enumerate(fold.motions):
            self.joints[motion.name] = name, k
            self.limits[motion.name] = motion.limits
            self._located(motion.place, self._forces, (motion, joint, k))

    def _forces(self, given: tuple[Motion, Joint, int]) -> None:
        motion, joint, k = given
        several = f"{self.options.prefix}{plain_name(motion.name)}".strip()
        title = joint.name if joint.nu == 1 else several
        name = lambda what: self._unique(f"{title} {what}", "force")  # noqa: E731
        for force in forces_on(motion, joint, k, name, self.options.stops):
            self.model.add(force)

    def _tie(self, tie: Tie) -> None:
        first, name = self.joints[tie.first], self._name(tie.name, "coupling")
        if tie.second is None or tie.ratio == 0.0:
            self.model.add(Coupling(name, [(*first, 1.0)], tie.offset))
        else:
            second = self.joints[tie.second]
            self.model.add(Gear(name, first, second, tie.ratio, tie.offset))

    def _named_loop(self, loop: Any) -> Closure:
        ends = [self.found.frames.get(link, (link, IDENTITY)) for link in loop.links]
        place = next(
            (self.found.links[link].place for link, _ in ends if link in self.found.links),
            Place(self.found.file, 1, 1),
        )
        return Closure(loop.name, loop.kind, ends[0], ends[1], place, loop.axis)

    def _close(self, closure: Closure) -> None:
        A, B = (self._frame(self._place(at)) for at in (closure.first, closure.second))
        name = self._name(closure.name, "closure")
        if closure.kind == "revolute":
            self.model.add(Revolute(name, A, B, axis=closure.axis))
        else:
            self.model.add({"fixed": Fixed, "spherical": Spherical}[closure.kind](name, A, B))


def _rotation(pose: Pose) -> Any:
    """The rotation of a frame; None if there is none."""
    return None if np.array_equal(pose.R, EYE) else pose.R
