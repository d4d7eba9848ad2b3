"""A frame structure in segments: each member a beam in segments, joined to others at the nodes.

A node is a rigid body without mass. Its own frame is that of the structure without load, wherever
the node is: a place of the structure at a node is the same place of the node's body, and arms from
a node to the end of a member need nothing of their own. Members hang on the nodes by a tree, the
shortest paths from the node that the structure's own frame follows; an end of a member that closes
a loop is welded to its node by constraint rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from supple.bodies.base.segmented import SegmentedBody
from supple.bodies.beam.beam import Beam
from supple.bodies.beam.segmented import Pool, SegmentedBeam
from supple.bodies.structure.frame import FrameStructure
from supple.fem.beams.member import Node
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.cached import cached_property
from supple.foundation.frames import (
    Body,
    Discretisation,
    Frame,
    LoadPath,
    LoopWeld,
    Touched,
    ViewName,
    Weld,
)
from supple.foundation.poses import Pose
from supple.foundation.validate import set_fields


@dataclass(frozen=True, eq=False, init=False)
class NodePart(Body):
    """A node of a frame structure in segments: rigid and without mass."""

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
    """Welds of the members and nodes of a frame: those of a tree, and those that close loops."""

    tree: tuple[Weld, ...]
    loops: tuple[LoopWeld, ...]


class SegmentedFrame(SegmentedBody):
    """A frame structure whose members are beams in segments; ``description`` has ``parts``."""

    view: ClassVar[ViewName] = "segmented_members"

    description: FrameStructure

    @classmethod
    def of(cls, frame: FrameStructure) -> SegmentedFrame:
        """The segments of a frame structure; kept with it."""
        return frame._kept("segments", lambda: cls(frame))

    @cached_property
    def member_beams(self) -> tuple[SegmentedBeam, ...]:
        """Members as beams in segments, along the axes of `member_poses`."""
        frame, numbers = self.description, self.description.parts
        if not isinstance(numbers, tuple):
            numbers = (numbers or 1,) * len(frame.members)
        alike: dict[Any, Pool] = {}
        beams = []
        for k, (member, (first, last)) in enumerate(zip(frame.members, self._ends, strict=True)):
            beam = Beam(
                f"{self.name}[{k}]",
                float(np.linalg.norm(last - first)),
                member.section,
                member.material,
                damping=frame.damping,
                theory=member.theory,
                stiffening=frame.stiffening,
                parts=numbers[k],
            )
            pool = alike.setdefault((id(member.section), id(member.material), member.theory), {})
            beams.append(SegmentedBeam(beam, (), frame.segment_options, pool))
        return tuple(beams)

    @property
    def part_chains(self) -> tuple[SegmentedBeam, ...]:
        """Beams in segments that it consists of: its members."""
        return self.member_beams

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for its nodes."""
        return tuple(tuple(place.tolist()) for place in self.description.nodes.values())

    def load_paths(self, touched: Touched) -> tuple[LoadPath, ...]:
        """Ways of loads around its loops, between nodes on the ground, and to those with loads."""
        nearest, home = self.description.nearest_node, self._ways_home
        held = list(dict.fromkeys(nearest(f.position) for f in touched.grounded))
        others = (nearest(f.position) for f in (*touched.joined, *touched.loaded))
        loaded = [node for node in dict.fromkeys(others) if node not in held]
        found = []
        for k, member in enumerate(self.description.members):
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
        nearest, home = self.description.nearest_node, self._ways_home
        acting = (*touched.grounded, *touched.joined, *touched.loaded)
        members, clamp = self.description.members, self.description.clamp_node
        met = Counter(node for member in members for node in (member.start, member.end))
        seen = {clamp, *(nearest(f.position) for f in acting)}
        free = [node for node, count in met.items() if count == 1 and node not in seen]
        meeting = [(self._meeting(clamp), self._meeting(node)) for node in free]
        return tuple(
            LoadPath(False, self._along(-home[node]), ends)
            for node, ends in zip(free, meeting, strict=True)
        )

    @cached_property
    def _ways_home(self) -> dict[Node, Indices]:
        """By node the members (k,) on the way to the clamped node: 1, or -1 against its axis."""
        distance, reached_by = self._paths()
        found = {self.description.clamp_node: np.zeros(len(self.description.members), dtype=int)}
        for node in sorted(reached_by, key=lambda node: distance[node]):
            member = self.description.members[reached_by[node]]
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
        for member, beam in zip(self.description.members, self.member_beams, strict=True):
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
        ends = zip(self.description.members, self._ends, strict=True)
        return tuple(Pose(m.axes(last - first), first) for m, (first, last) in ends)

    @property
    def _ends(self) -> list[tuple[Vector, Vector]]:
        mesh = self.description.mesh()
        return [mesh.ends(member) for member in self.description.members]

    @cached_property
    def node_parts(self) -> Mapping[Node, NodePart]:
        """The body of each node."""
        return {node: NodePart(f"{self.name}[node {node}]") for node in self.description.nodes}

    @property
    def part_bodies(self) -> tuple[Body, ...]:
        """Nodes and segments of members."""
        parts = (part for beam in self.member_beams for part in beam.part_bodies)
        return (*self.node_parts.values(), *parts)

    @property
    def welds(self) -> tuple[Weld, ...]:
        """Pairs of frames that are one, a tree of its parts."""
        return self._joined.tree

    @property
    def loop_welds(self) -> tuple[LoopWeld, ...]:
        """Ends of members that close loops."""
        return self._joined.loops

    @cached_property
    def _joined(self) -> Joined:
        tree = [weld for beam in self.member_beams for weld in beam.welds]
        loops: list[LoopWeld] = []
        distance, reached_by = self._paths()
        for k, member in enumerate(self.description.members):
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
        distance, reached_by = {self.description.clamp_node: 0}, dict[Node, int]()
        ahead, done = [(0, 0, self.description.clamp_node)], set[Node]()
        while ahead:
            here, _, node = heappop(ahead)
            if node in done:
                continue
            done.add(node)
            for k, member in enumerate(self.description.members):
                if node in (member.start, member.end):
                    other = member.end if node == member.start else member.start
                    there = here + len(self.member_beams[k].part_stations) - 1
                    if there < distance.get(other, there + 1):
                        distance[other], reached_by[other] = there, k
                        heappush(ahead, (there, k, other))
        return distance, reached_by

    def _weld(self, k: int, node: Node) -> Weld:
        """The place of a node, and the end of a member there, that are one frame."""
        member, pose = self.description.members[k], self.member_poses[k]
        parts = self.member_beams[k].part_bodies
        first, last = self._ends[k]
        at_start = node == member.start
        held = Frame(self.node_parts[node], first if at_start else last, pose.R)
        return held, parts[0].at(0.0) if at_start else parts[-1].at(parts[-1].length)

    def on_part(self, frame: Frame) -> Frame:
        """The frame of a node's body."""
        node = self.description.nearest_node(frame.position)
        return Frame(self.node_parts[node], frame.position, frame.rotation)

    @property
    def own_frame(self) -> Frame:
        """Frame of the node that it is clamped to."""
        return Frame(self.node_parts[self.description.clamp_node])
