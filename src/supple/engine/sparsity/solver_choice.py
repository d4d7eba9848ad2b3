"""Choice of linear solvers: by counting, unless a formulation asks for one.

Newton's matrix is eliminated along the tree (``core/equations/tree_border.py``) or made whole.
Accelerations are solved for by

    dense     the mass matrix from composite inertias and its Cholesky factor: small models
    tree      the recursion of ``core/equations/articulated_body.py``: as much work as bodies
    blocks    with constraint rows: the mass matrix by its diagonal blocks
              (``core/equations/elimination.py``)

Their numbers are nanoseconds on a usual processor; only their ratios matter. Without rows, the mass
matrix is a part of the workspace only where the way needs it. With rows it is there for states
in which little inertia forbids the recursion. Storage: ``engine/sparsity/plan.py``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np

from supple.core.base import layout as at
from supple.core.base.wrench import SIDE
from supple.core.forces.callback import COUNT
from supple.core.forces.control import STATES
from supple.core.forces.forces import CARTESIAN, LINEAR_CONTROL
from supple.forces.kinds import ELEMENTS

Linear = Literal["dense", "tree", "blocks"]
WAYS: dict[Linear | None, int] = {
    None: at.AUTOMATIC, "dense": at.DENSE, "tree": at.TREE_WAY, "blocks": at.BLOCKS,
}  # fmt: skip
NAMES = {code: name for name, code in WAYS.items()}

PAIR, PRODUCT, ROW = 2.5, 0.12, 6.0  # two columns of one path; a product, a row of a factor
NODE, COLUMN, EDGE = 5.0, 15.0, 1.4  # recursion: a node, a column, two of an elastic edge
AGAIN = 0.2  # of the recursion: with factors that are there
TREE_FROM = 40  # below as many velocities a whole matrix is as fast
LINE = 700.0  # work for a line of the border and a velocity, in multiplications of a whole matrix
READING = 12  # numbers of a line between two nodes


def way_name(ints: np.ndarray) -> Linear:
    """The way that a model's integers say."""
    name = NAMES[int(ints[at.H_WAY])]
    assert name is not None
    return name


def choose(ints: np.ndarray, model: Any, plan: np.ndarray) -> None:
    """Write the way, and the size of whole matrices, into the integers without a plan."""
    way, rows = int(ints[at.H_ASKED]), int(ints[at.H_ROWS])
    whole = at.BLOCKS if plan[at.PLAN_USABLE] else at.DENSE
    if rows and not plan[at.PLAN_USABLE]:
        way = at.DENSE
    elif len(model.gradient):  # their mass does not follow the tree
        way = at.DENSE if way == at.DENSE else whole
    elif way == at.AUTOMATIC:
        way = at.TREE_WAY if tree_cost(model, rows) < matrix_cost(model, rows, plan) else whole
    elif way == at.BLOCKS:
        way = whole
    ints[at.H_WAY] = way
    ints[at.H_DENSE] = 0 if way == at.TREE_WAY and not rows else ints[at.H_U]


def matrix_cost(model: Any, rows: int, plan: np.ndarray) -> float:
    """Composite inertias and Cholesky factors."""
    nu = len(model.rotor)
    length: list[int] = []  # of the path that ends with each column
    for before in model.column[:, at.BEFORE].tolist():
        length.append(1 + length[before] if before >= 0 else 1)
    pairs = sum(length)
    for n, f in model.flex[:, [at.FLEX_N, at.FLEX_NODE]].tolist():
        count, first, last = model.node[f, [at.COLUMNS, at.COL0, at.LAST]].tolist()
        last = first + count - 1 if count else last
        pairs += n * length[last] if last >= 0 else 0
    size = [nu]
    if plan[at.PLAN_USABLE]:
        begin = plan[at.PLAN_FIRST]
        size = [*Counter(k for k in plan[begin : begin + nu].tolist() if k >= 0).values()]
    solved = PRODUCT * rows * sum(n**2 for n in size) / max(len(size), 1)
    return PAIR * pairs + PRODUCT * sum(n**3 for n in size) / 3.0 + ROW * nu + solved


def tree_cost(model: Any, rows: int) -> float:
    """The recursion, and again for each row."""
    columns, motions = model.node[:, at.COLUMNS].tolist(), model.node[:, at.MOTION].tolist()
    elastic = [n for n, motion in zip(columns, motions, strict=True) if motion >= at.ELASTIC_OUT]
    own = model.flex[:, at.FLEX_N].tolist()
    once = NODE * len(columns) + COLUMN * (sum(columns) + sum(own))
    once += EDGE * sum(n**2 for n in (*own, *elastic)) + PRODUCT * sum(n**3 for n in own) / 3.0
    return float((1.0 + AGAIN * rows) * once)


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
    return "blocks" if ints[at.H_PLANNED] > 0 else "dense"


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
    """True if states of a controller are coupled with each other and several velocities."""
    rows, kinds = model.element, model.element[:, at.KIND]
    return bool(np.any((kinds == LINEAR_CONTROL) & (rows[:, STATES] > 0)))


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
