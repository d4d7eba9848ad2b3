"""Choice of the spanning tree: joints named by the user, or an order of preference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from supple.foundation.errors import ModelError, suggestion
from supple.graph.topology import FREE, Components
from supple.joints import Joint

Tree = Sequence[str] | Literal["priority"]


def priority(joint: Joint) -> int:
    """Rank of a joint in Richard's order of tree components: the lower, the sooner in the tree.

    Welds move no more than an arm does; then come joints that only turn (his N_3), joints that
    slide (N_4), and last free joints, which have the coordinates of a body (N_5).
    """
    return max((motion.row.rank for motion in joint.motions), default=0)


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
