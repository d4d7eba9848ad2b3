"""Choice of the solver of accelerations: by counting, unless a formulation asks for one.

    dense     the mass matrix from composite inertias and its Cholesky factor: small models
    tree      the recursion of ``core/equations/articulated_body.py``: as much work as there are
    bodies blocks    with constraint rows: the mass matrix by its diagonal blocks,
    ``core/equations/elimination.py``

The numbers are nanoseconds on a usual processor; only their ratios matter. Without rows, the mass
matrix is a part of the workspace only where the way needs it. With rows it is there for states
in which little inertia forbids the recursion. How it is stored says ``engine/sparsity/storage.py``.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Literal

import numpy as np

from supple.core.base import layout as at

Linear = Literal["dense", "tree", "blocks"]
WAYS: dict[Linear | None, int] = {
    None: at.AUTOMATIC, "dense": at.DENSE, "tree": at.TREE_WAY, "blocks": at.BLOCKS,
}  # fmt: skip
NAMES = {code: name for name, code in WAYS.items()}

PAIR, PRODUCT, ROW = 2.5, 0.12, 6.0  # two columns of one path; a product, a row of a factor
NODE, COLUMN, EDGE = 5.0, 15.0, 1.4  # recursion: a node, a column, two of an elastic edge
AGAIN = 0.2  # of the recursion: with factors that are there


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
