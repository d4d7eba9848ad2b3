"""Joint, absolute and branch coordinates: choices of the spanning tree, and of its solution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

from supple.engine.sparsity.solver_choice import Linear
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.graph.topology import FREE
from supple.graph.tree_choice import Tree
from supple.joints import Free

if TYPE_CHECKING:
    from supple.model import Model


@dataclass(frozen=True)
class JointCoordinates(Formulation):
    """The default (Huang 1998, chapter 2): the tree with the fewest velocities.

    Parameters
    ----------
    linear : "dense", "tree", "blocks" or None
        How accelerations are found: by the whole mass matrix, by a recursion over the bodies
        (`OrderN`), or by the diagonal blocks of the mass matrix, which without constraint rows in
        use is "dense". Newton's matrices of implicit methods and of `statics` follow where they
        can: `result.statistics["newton"]`. None: the way of least work.
    """

    linear: Linear | None = None

    def __post_init__(self) -> None:
        if self.linear is not None:
            validate.choice("JointCoordinates", "linear", self.linear, tuple(get_args(Linear)))

    def way(self) -> Linear | None:
        """The given one."""
        return self.linear

    def tree(self, model: Model) -> Tree | None:
        """No choice: the compiler's."""
        return None


@dataclass(frozen=True)
class OrderN(Formulation):
    """Joint coordinates with accelerations in order N (Huang 1998, chapter 5).

    The coordinates, and the results but for rounding, are those of `JointCoordinates`; the mass
    matrix is never formed. Without a choice long chains are solved like this, too.
    """

    def tree(self, model: Model) -> Tree | None:
        """No choice: the compiler's."""
        return None

    def way(self) -> Linear | None:
        """The recursion over the bodies."""
        return "tree"


@dataclass(frozen=True)
class Absolute(Formulation):
    """Every body moves freely and all joints are constraints (Huang 1998, 1.3.1)."""

    def tree(self, model: Model) -> Tree | None:
        """A free joint from the ground for each body: the model's own one, if it has one."""
        ground = model.ground.name
        found: dict[str, str] = {}
        for joint in model.joints.values():
            ends = joint.A.body.name, joint.B.body.name
            if isinstance(joint, Free) and ground in ends:
                body = ends[1] if ends[0] == ground else ends[0]
                found.setdefault(body, joint.name)
        return [found.get(body, FREE + body) for body in model.bodies]


@dataclass(frozen=True)
class Branch(Formulation):
    """Coordinates of the branches of any spanning tree (Richard 2012).

    Parameters
    ----------
    branches : sequence of str
        Names of joints, and ``"free:<body>"`` for bodies that hang on free joints of their own from
        the ground. They must form a spanning tree; all other joints become constraints.
    """

    branches: tuple[str, ...]

    def __init__(self, tree: Sequence[str]) -> None:
        names = tuple(tree) if isinstance(tree, (tuple, list)) else ()
        if not names or not all(isinstance(name, str) for name in names):
            raise ModelError("Branch", "tree", tree, "names of joints, e.g. ['A', 'free:rod']")
        object.__setattr__(self, "branches", names)

    def tree(self, model: Model) -> Tree | None:
        """The given names."""
        return self.branches
