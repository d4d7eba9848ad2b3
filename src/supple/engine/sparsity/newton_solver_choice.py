"""Choice of Newton's matrix: eliminated along the tree (``tree_border.py``) or made whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.core.base import layout as at
from supple.core.base.wrench import SIDE
from supple.core.forces.callback import COUNT
from supple.core.forces.control import STATES
from supple.core.forces.forces import CARTESIAN, LINEAR_CONTROL
from supple.engine.sparsity.mass_solver_choice import Linear
from supple.forces.kinds import ELEMENTS

TREE_FROM = 40  # below as many velocities a whole matrix is as fast
LINE = 700.0  # work for a line of the border and a velocity, in multiplications of a whole matrix
READING = 12  # numbers of a line between two nodes


def choose_newton(ints: np.ndarray, model: Any) -> None:
    """Write into a model's integers whether Newton's matrix is eliminated along the tree.

    ``model`` are the fields of these integers (`core.layout.read_model`).

    It is not with constraints, ropes, bodies without a frame or controllers whose states are
    coupled, if a formulation asks for another way, for few velocities, and where so many forces
    couple distant bodies that the border (``core/equations/tree_border.py``) is more work than a
    whole matrix.
    """
    asked, nu = int(ints[at.H_ASKED]), int(ints[at.H_U])
    possible = asked == at.TREE_WAY or (asked == at.AUTOMATIC and nu >= TREE_FROM)
    elsewhere = ints[at.H_LINKS] or ints[at.H_GRADIENTS]
    if possible and not (elsewhere or _ropes(model) or coupled_states(model)):
        lines = 0 if asked == at.TREE_WAY else border_lines(model)
        if asked == at.TREE_WAY or nu**2 >= TREE_FROM**2 + LINE * lines + lines**3 / nu:
            _go_along_tree(ints, model)
            return
    ints[at.H_BLOCK] = ints[at.H_BORDER] = ints[at.H_READING] = 0
    model.element[:, at.LINES] = -1


def _go_along_tree(ints: np.ndarray, model: Any) -> None:
    first = 0
    widest = READING
    for row in model.element:
        lines = _lines(model, row)
        row[at.LINES] = first if lines else -1
        first, widest = first + lines, max(widest, 2 * lines if _of_velocities(row) else 0)
    rigid = model.node[model.node[:, at.MOTION] < at.ELASTIC_OUT, at.COLUMNS]
    ints[at.H_BLOCK] = max([1, *rigid.tolist(), *model.flex[:, at.FLEX_N].tolist()])
    ints[at.H_BORDER], ints[at.H_READING] = first, widest if first else 0


def border_lines(model: Any) -> int:
    """Lines that the border of a model's matrix along the tree has."""
    return sum(_lines(model, row) for row in model.element)


def newton_name(ints: np.ndarray) -> Linear:
    """Solver of Newton's matrix of implicit methods, as a model's integers say."""
    if ints[at.H_BLOCK] > 0:
        return "tree"
    return "blocks" if at.integers(ints, "plan")[at.PLAN_NEWTON] > 0 else "dense"


def _lines(model: Any, row: np.ndarray) -> int:
    """Lines of the border for what an element couples beyond a path of the tree."""
    code = int(row[at.KIND])
    couples = ELEMENTS[code].couples
    if couples == "nodes":
        a, b = (int(node) for node in row[1:3])
        still = _last_column(model, a) < 0 or _last_column(model, b) < 0
        turns = code != CARTESIAN  # the axes of others turn with the bodies
        near = turns and (_neighbours(model, a, b) or _neighbours(model, b, a))
        return 0 if still or near else 2 * SIDE
    if _of_velocities(row):
        count = int(row[COUNT]) if couples == "terms" else 2
        return count if count > 1 else 0
    return 0


def coupled_states(model: Any) -> bool:
    """True if states of controllers are coupled with each other, or with several velocities."""
    rows = model.element
    return bool(np.any((rows[:, at.KIND] == LINEAR_CONTROL) & (rows[:, STATES] > 0)))


def _ropes(model: Any) -> bool:
    """True if an element couples paths to several nodes."""
    kinds = set(model.element[:, at.KIND].tolist())
    return any(ELEMENTS[kind].couples == "path" for kind in kinds)


def _of_velocities(row: np.ndarray) -> bool:
    """True if an element acts on several velocities."""
    return ELEMENTS[int(row[at.KIND])].couples in ("velocities", "terms")


def _last_column(model: Any, node: int) -> int:
    """Last column on the path to a node, -1 if no velocity moves it."""
    row = model.node[node]
    return int(row[at.COL0] + row[at.COLUMNS] - 1 if row[at.COLUMNS] else row[at.LAST])


def _neighbours(model: Any, inner: int, outer: int) -> bool:
    """True if one joint alone leads from one node to another, see ``core/base/wrench.py``."""
    last = _last_column(model, outer)
    if last < 0:
        return False
    joint = model.node[model.column[last, at.OWNER]]
    before = int(model.column[joint[at.COL0], at.BEFORE])
    return bool(joint[at.MOTION] < at.ELASTIC_OUT) and before == _last_column(model, inner)
