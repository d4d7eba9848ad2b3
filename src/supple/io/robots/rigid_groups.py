"""Links that move as one: frames without mass find a body, chains of joints become one joint."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from supple.foundation.poses import IDENTITY, Pose
from supple.io.modelfiles.problems import Problems
from supple.io.robots.description import GROUND, Description, Edge, Step, inverse

At = tuple[str, Pose]  # a link that is a body of the model (or the ground), and a pose on it


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
        """Where each link is on a body; links of groups without mass are not there."""
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
