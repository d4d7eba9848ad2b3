"""Which joints are in the spanning tree: names chosen by the user, or an order of preference."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal

from supple.errors import ModelError, suggestion
from supple.joints import Joint

FREE = "free:"  # in front of a body's name: the body hangs on the ground by six coordinates
Tree = Sequence[str] | Literal["priority"]


class Components:
    """Which of some nodes are connected so far."""

    def __init__(self, nodes: Iterable[Hashable]) -> None:
        self._leader = {node: node for node in nodes}

    def join(self, a: Hashable, b: Hashable) -> bool:
        """Connect two nodes; False if they already are, so that an edge closes a loop."""
        first, second = self._find(a), self._find(b)
        self._leader[first] = second
        return first != second

    def connected(self, a: Hashable, b: Hashable) -> bool:
        """Whether there is a path between two nodes."""
        return self._find(a) == self._find(b)

    def _find(self, node: Hashable) -> Hashable:
        leader = self._leader
        while leader[node] != node:
            leader[node] = leader[leader[node]]  # halve the path: long chains stay quick
            node = leader[node]
        return node


def priority(joint: Joint) -> int:
    """Rank of a joint in Richard's order of tree components: the lower, the sooner in the tree.

    Welds move no more than an arm does; then come joints that only turn (his N_3), joints that
    slide (N_4), and last free joints, which have the coordinates of a body (N_5).
    """
    kinds = {motion.kind for motion in joint.motions}
    if "free" in kinds:
        return 3
    return 2 if "translate" in kinds else min(len(kinds), 1)


def checked_tree(
    owner: str, tree: Any, bodies: Sequence[str], joints: Mapping[str, Joint], root: str
) -> list[str]:
    """Return the names of a spanning tree; say which of them is wrong, or which body is missing."""
    if isinstance(tree, str) or not isinstance(tree, Sequence):
        expected = f"a list of joints and '{FREE}<body>', or 'priority'"
        raise ModelError(owner, "tree", tree, expected)
    ends = {f"{FREE}{body}": (root, body) for body in bodies}
    ends |= {name: (joint.A.body.name, joint.B.body.name) for name, joint in joints.items()}
    parts = Components((root, *bodies))
    for i, name in enumerate(tree):
        field = f"tree[{i}]"
        if not isinstance(name, str) or name not in ends:
            hint = suggestion(name, list(ends))
            raise ModelError(owner, field, name, f"a joint or '{FREE}<body>', {hint}")
        if name in tree[:i]:
            raise ModelError(owner, field, name, "each name once")
        a, b = ends[name]
        if not parts.join(a, b):
            expected = f"no loop, but the names before it already connect {a!r} and {b!r}"
            raise ModelError(owner, field, name, expected)
    for body in bodies:
        if not parts.connected(root, body):
            expected = f"a path from the ground to {body!r}, e.g. with '{FREE}{body}'"
            raise ModelError(owner, "tree", list(tree), expected)
    return list(tree)
