"""A frame structure cut into parts: each member a beam in parts, joined to the others at the nodes.

A node is a rigid body without mass. Its own frame is that of the structure without load, wherever
the node is: a place of the structure at a node is the same place of the node's body, and arms from
a node to the end of a member need nothing of their own. Members hang on the nodes by a tree, the
shortest paths from the node that the structure's own frame follows; an end of a member that closes
a loop is welded to its node by constraint rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

import numpy as np

from supple.bodies.base.reduced import NodalBody, NodalReduction
from supple.bodies.beam.beam import Beam
from supple.bodies.beam.mesh import ALL
from supple.bodies.beam.segmented import NONE, checked_for_parts, parts_of
from supple.fem.beams.member import Member, Node
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import (
    Body,
    Discretisation,
    Frame,
    LoadPath,
    LoopWeld,
    PartOptions,
    Touched,
    Weld,
)
from supple.foundation.poses import Pose
from supple.foundation.validate import set_fields
from supple.reduction.stiffening import SecondOrder

if TYPE_CHECKING:
    from supple.bodies.base.flexible import PointMasses
    from supple.bodies.structure.frame import FrameStructure
    from supple.fem.beams.frame import FrameMesh

PARTS = "a number of parts of every member, e.g. 4, or one number for each"


@dataclass(frozen=True, eq=False, init=False)
class NodePart(Body):
    """A node of a frame that is cut, as the engine has it: rigid and without mass."""

    discretisation: ClassVar[Discretisation] = "rigid"
    mass: ClassVar[float] = 0.0
    com: ClassVar[Vector] = validate.read_only(np.zeros(3))
    inertia: ClassVar[Vector] = validate.read_only(np.zeros((3, 3)))
    inertia_about: ClassVar[Literal["origin"]] = "origin"

    def __init__(self, name: str) -> None:
        set_fields(self, name=name)

    @property
    def deforms(self) -> bool:
        """A rigid body does not deform."""
        return False


class Joined(NamedTuple):
    """How members and nodes of a frame are joined: a tree of welds, and those that close loops."""

    tree: tuple[Weld, ...]
    loops: tuple[LoopWeld, ...]


class CuttableFrame(NodalBody):
    """The questions of a `FrameStructure` about its parts.

    ``parts`` is None (one body), a number of parts of each member, or one number for each of them.
    """

    nodes: Mapping[Node, Vector]
    members: tuple[Member, ...]
    clamp_node: Node
    parts: int | tuple[int, ...] | None

    def _cut(self, parts: Any, stiffening: Any) -> None:
        """Check and keep the parts, and the stiffening that is theirs."""
        owner = label(self)
        found: int | tuple[int, ...]
        if isinstance(parts, (list, tuple, np.ndarray, range)):
            given = validate.listed(owner, "parts", parts, PARTS)
            found = tuple(validate.integer(owner, "parts", n, 1, PARTS) for n in given)
            if len(found) != len(self.members):
                expected = f"one number for each of {len(self.members)} members"
                raise ModelError(owner, "parts", parts, expected)
        else:
            found = validate.integer(owner, "parts", parts, 1, PARTS)
        usual = (("modes", "all"), ("reference", "clamped"))
        word = checked_for_parts(self, usual, stiffening, SecondOrder())
        for number, member in enumerate(self.members):
            if not member.rotary_inertia:
                expected = "True with parts, each of which twists"
                raise ModelError(owner, f"rotary_inertia of member {number}", False, expected)
        set_fields(self, parts=found, stiffening=word, _options=ALL)
        set_fields(self, discretisation="segments", view="cut_members")

    @property
    def stiffened(self) -> bool:
        """Whether deflections change its stiffness."""
        return self.stiffening is not None and cast("Any", self.stiffening) != NONE

    @property
    def divides(self) -> bool:
        """Whether it is cut into parts."""
        return self.parts is not None

    def in_parts(self, options: PartOptions) -> Body:
        """The frame in parts, as many as elements if none are given; its stiffening stays."""
        if self.modes == 0:
            return self
        parts: Any = self.parts
        if parts is None:
            parts = tuple(member.elements for member in self.members)
        many = options.refinement
        parts = tuple(many * n for n in parts) if isinstance(parts, tuple) else many * parts
        options = replace(options, refinement=1)
        word: Any = NONE if self.stiffening is None else self.stiffening
        frame = replace(
            cast("FrameStructure", self),
            parts=parts,
            stiffening=word,
            modes="all",
            reference="clamped",
        )
        set_fields(frame, _options=options)
        return frame

    @cached_property
    def member_beams(self) -> tuple[Beam, ...]:
        """Its members as beams in parts, along the axes of `member_poses`."""
        numbers = self.parts
        if not isinstance(numbers, tuple):
            numbers = (numbers or 1,) * len(self.members)
        alike: dict[Any, dict[float, Any]] = {}
        found = []
        for k, (member, (first, last)) in enumerate(zip(self.members, self._ends, strict=True)):
            beam = Beam(
                f"{self.name}[{k}]",
                float(np.linalg.norm(last - first)),
                member.section,
                member.material,
                damping=self.damping,
                theory=member.theory,
                stiffening=self.stiffening,
                parts=numbers[k],
            )
            beam = cast("Beam", beam.in_parts(self.__dict__["_options"]))
            key = id(member.section), id(member.material), member.theory
            set_fields(beam, _pool=alike.setdefault(key, {}))
            found.append(beam)
        return tuple(found)

    @property
    def part_chains(self) -> tuple[Beam, ...]:
        """Beams in parts that it consists of: its members."""
        return self.member_beams

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for its nodes."""
        return tuple(tuple(place.tolist()) for place in self.nodes.values())

    def load_paths(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Ways of loads around its loops, between nodes on the ground, and to those with loads."""
        nearest, home = cast("FrameStructure", self)._nearest, self._ways_home
        held = list(dict.fromkeys(nearest(f.position) for f in touched.grounded))
        others = (nearest(f.position) for f in (*touched.joined, *touched.loaded))
        loaded = [node for node in dict.fromkeys(others) if node not in held]
        found = []
        for k, member in enumerate(self.members):
            around = home[member.end] - home[member.start]
            around[k] += 1
            if around.any():
                found.append(LoadPath(False, self._along(around)))
        first, *more = *held, *loaded
        for node in more:
            ends = self._meeting(first), self._meeting(node)
            found.append(LoadPath(node not in held, self._along(home[first] - home[node]), ends))
        return tuple(found)

    def overhangs(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Ways from the clamped node to nodes at which one member ends and nothing acts."""
        nearest, home = cast("FrameStructure", self)._nearest, self._ways_home
        acting = (*touched.grounded, *touched.joined, *touched.loaded)
        seen = {self.clamp_node, *(nearest(f.position) for f in acting)}
        met = Counter(node for member in self.members for node in (member.start, member.end))
        free = [node for node, count in met.items() if count == 1 and node not in seen]
        meeting = [(self._meeting(self.clamp_node), self._meeting(node)) for node in free]
        return tuple(
            LoadPath(False, self._along(-home[node]), ends)
            for node, ends in zip(free, meeting, strict=True)
        )

    @cached_property
    def _ways_home(self) -> dict[Node, Indices]:
        """By node the members (k,) on the way to the clamped node: 1, or -1 against its axis."""
        distance, reached_by = self._paths()
        found = {self.clamp_node: np.zeros(len(self.members), dtype=int)}
        for node in sorted(reached_by, key=lambda node: distance[node]):
            member = self.members[reached_by[node]]
            forwards = node == member.start
            way = found[member.end if forwards else member.start].copy()
            way[reached_by[node]] = 1 if forwards else -1
            found[node] = way
        return found

    def _along(self, way: Indices) -> tuple[tuple[str, int], ...]:
        """Parts of members with their signs."""
        signed = zip(self.member_beams, way.tolist(), strict=True)
        return tuple((p.name, sign) for beam, sign in signed if sign for p in beam.part_bodies)

    def _meeting(self, node: Node) -> tuple[tuple[str, int], ...]:
        """The ends of parts at a node; nothing where a member ends beside it."""
        found: list[tuple[str, int]] = []
        for member, beam in zip(self.members, self.member_beams, strict=True):
            if node == member.start:
                found.append((beam.part_bodies[0].name, 0))
            elif node == member.end:
                found.append((beam.part_bodies[-1].name, 1))
            else:
                continue
            if (member.start_offset if node == member.start else member.end_offset).any():
                return ()
        return tuple(found)

    @cached_property
    def member_poses(self) -> tuple[Pose, ...]:
        """The frame of each member's beam without load, in the axes of the structure."""
        ends = zip(self.members, self._ends, strict=True)
        return tuple(Pose(m.axes(last - first), first) for m, (first, last) in ends)

    @property
    def _ends(self) -> list[tuple[Vector, Vector]]:
        mesh: FrameMesh = cast("FrameStructure", self).mesh()
        return [mesh.ends(member) for member in self.members]

    @cached_property
    def node_parts(self) -> Mapping[Node, NodePart]:
        """The body of each node."""
        return {node: NodePart(f"{self.name}[node {node}]") for node in self.nodes}

    @property
    def part_bodies(self) -> tuple[Body, ...]:
        """Its nodes and the parts of its members; a frame that is not cut is its own only part."""
        if self.parts is None:
            return (self,)
        parts = (part for beam in self.member_beams for part in parts_of(beam))
        return (*self.node_parts.values(), *parts)

    @property
    def welds(self) -> tuple[Weld, ...]:
        """Pairs of frames that are one, a tree of its parts."""
        return () if self.parts is None else self._joined.tree

    @property
    def loop_welds(self) -> tuple[LoopWeld, ...]:
        """Ends of members that close loops."""
        return () if self.parts is None else self._joined.loops

    @cached_property
    def _joined(self) -> Joined:
        tree = [weld for beam in self.member_beams for weld in beam.welds]
        loops: list[LoopWeld] = []
        distance, reached_by = self._paths()
        for k, member in enumerate(self.members):
            near, far = member.start, member.end
            if distance[far] < distance[near]:
                near, far = far, near
            tree.append(self._weld(k, near))
            if reached_by.get(far) == k:
                tree.append(self._weld(k, far))
            else:
                loops.append(LoopWeld(f"member {k} at node {far!r}", *self._weld(k, far)))
        return Joined(tuple(tree), tuple(loops))

    def _paths(self) -> tuple[dict[Node, int], dict[Node, int]]:
        """Parts between each node and the one that carries the own frame; members to hang it on."""
        distance, reached_by = {self.clamp_node: 0}, dict[Node, int]()
        ahead, done = [(0, 0, self.clamp_node)], set[Node]()
        while ahead:
            here, _, node = heappop(ahead)
            if node in done:
                continue
            done.add(node)
            for k, member in enumerate(self.members):
                if node in (member.start, member.end):
                    other = member.end if node == member.start else member.start
                    there = here + len(self.member_beams[k].part_stations) - 1
                    if there < distance.get(other, there + 1):
                        distance[other], reached_by[other] = there, k
                        heappush(ahead, (there, k, other))
        return distance, reached_by

    def _weld(self, k: int, node: Node) -> Weld:
        """The place of a node, and the end of a member there, that are one frame."""
        member, pose, parts = self.members[k], self.member_poses[k], parts_of(self.member_beams[k])
        first, last = self._ends[k]
        at_start = node == member.start
        held = Frame(self.node_parts[node], first if at_start else last, pose.R)
        return held, parts[0].at(0.0) if at_start else parts[-1].at(parts[-1].length)

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a node's body."""
        if self.parts is None:
            return frame
        node = cast("FrameStructure", self)._nearest(frame.position)
        return Frame(self.node_parts[node], frame.position, frame.rotation)

    @property
    def own_frame(self) -> Frame | None:
        """That of the node it is clamped to, if it is cut."""
        return None if self.parts is None else Frame(self.node_parts[self.clamp_node])

    def _reduced(self, point_masses: PointMasses) -> NodalReduction:
        if self.parts is not None:
            number = sum(len(beam.part_stations) - 1 for beam in self.member_beams)
            expected = "None, a frame that is one body, for its elastic coordinates"
            raise ModelError(label(self), "parts", number, expected)
        return super()._reduced(point_masses)
