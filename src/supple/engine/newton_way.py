"""Whether Newton's matrix is eliminated along the tree (``core/tree_newton.py``) or made whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core import layout as at
from supple.core.callback import COUNT
from supple.core.forces import CARTESIAN, JOINT_FUNCTION
from supple.forces.kinds import ELEMENTS

TREE_FROM = 40  # below as many velocities a whole matrix is as fast


def newton_block(ints: np.ndarray, reals: np.ndarray) -> int:
    """Velocities that the elimination along the tree takes together at most.

    0 where the matrix is made whole or by blocks: for few velocities, with constraints or bodies
    without a frame, where forces couple the motions of two joints, or of two bodies that are no
    neighbours, and if a formulation asks for it.
    """
    asked = ints[at.H_ASKED]
    if asked == at.TREE_WAY or (asked == at.AUTOMATIC and ints[at.H_U] >= TREE_FROM):
        return largest_block(ints, reals)
    return 0


def largest_block(ints: np.ndarray, reals: np.ndarray) -> int:
    """The same whatever the number of velocities."""
    model = at.read_model(ints, reals)
    if len(model.link) or len(model.gradient):
        return 0
    if not all(_fits(model, row) for row in model.element):
        return 0
    rigid = model.node[model.node[:, at.MOTION] < at.ELASTIC_OUT, at.COLUMNS]
    return int(max([1, *rigid.tolist(), *model.flex[:, at.FLEX_N].tolist()]))


def _fits(model: Any, row: np.ndarray) -> bool:
    """Whether what an element couples is on one path of the tree."""
    code = int(row[at.KIND])
    couples = ELEMENTS[code].couples
    if couples == "nodes":
        a, b = (int(node) for node in row[1:3])
        still = _last_column(model, a) < 0 or _last_column(model, b) < 0
        turns = code != CARTESIAN  # the axes of others turn with the bodies
        return still or (turns and (_neighbours(model, a, b) or _neighbours(model, b, a)))
    return couples != "velocities" and (code != JOINT_FUNCTION or int(row[COUNT]) == 1)


def _last_column(model: Any, node: int) -> int:
    """Last column on the path to a node, -1 if no velocity moves it."""
    row = model.node[node]
    return int(row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST])


def _neighbours(model: Any, inner: int, outer: int) -> bool:
    """Whether one joint alone leads from one node to another, see ``core/wrench.py``."""
    last = _last_column(model, outer)
    if last < 0:
        return False
    joint = model.node[model.column[last, at.OWNER]]
    before = int(model.column[joint[at.COL0], at.BEFORE])
    return bool(joint[at.MOTION] < at.ELASTIC_OUT) and before == _last_column(model, inner)
