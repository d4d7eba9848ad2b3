"""Whether Newton's matrix is eliminated along the tree (``core/tree_newton.py``) or made whole."""

from __future__ import annotations

import numpy as np

from supple.core import layout as at
from supple.core.callback import COUNT
from supple.core.forces import JOINT_FUNCTION
from supple.forces.kinds import ELEMENTS

TREE_FROM = 40  # below as many velocities a whole matrix is as fast


def newton_block(ints: np.ndarray, reals: np.ndarray) -> int:
    """Velocities that the elimination along the tree takes together at most.

    0 where the matrix is made whole or by blocks: for few velocities, with constraints, where
    forces couple the motions of two bodies or of two joints, and if a formulation asks for it.
    """
    asked = ints[at.H_ASKED]
    if asked == at.TREE_WAY or (asked == at.AUTOMATIC and ints[at.H_U] >= TREE_FROM):
        return largest_block(ints, reals)
    return 0


def largest_block(ints: np.ndarray, reals: np.ndarray) -> int:
    """The same whatever the number of velocities."""
    model = at.read_model(ints, reals)
    if len(model.link) or not all(_fits(model, row) for row in model.element):
        return 0
    rigid = model.node[model.node[:, at.MOTION] < at.ELASTIC_OUT, at.COLUMNS]
    return int(max([1, *rigid.tolist(), *model.flex[:, at.FLEX_N].tolist()]))


def _fits(model: object, row: np.ndarray) -> bool:
    """Whether what an element couples is on one path of the tree."""
    code = int(row[at.KIND])
    couples = ELEMENTS[code].couples
    if couples == "nodes":
        return any(_still(model, int(node)) for node in row[1:3])
    return couples != "velocities" and (code != JOINT_FUNCTION or int(row[COUNT]) == 1)


def _still(model: object, node: int) -> bool:
    """Whether no velocity moves a node."""
    row = model.node[node]  # type: ignore[attr-defined]
    return bool(row[at.COLUMNS] == 0 and row[at.LAST] < 0)
