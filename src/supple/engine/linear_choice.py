"""Which way accelerations are found: by counting, unless a formulation asks for one.

    dense     the mass matrix from composite inertias and its Cholesky factor: small models
    tree      the recursion of ``core/articulated.py``: as much work as there are bodies
    blocks    the elimination of ``core/elimination.py``, where constraint rows are in use

The numbers are nanoseconds on a usual processor; only their ratios matter. Whole matrices (nu, nu) are a part of
the workspace only where the way needs them.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from supple.core import layout as at

Linear = Literal["dense", "tree", "blocks"]
WAYS: dict[Linear | None, int] = {None: at.AUTOMATIC, "dense": at.DENSE, "tree": at.TREE_WAY, "blocks": at.BLOCKS}
NAMES = {code: name for name, code in WAYS.items()}

PAIR, PRODUCT, ROW = 2.5, 0.12, 6.0  # two columns of one path; a product and a row of the Cholesky factor
NODE, COLUMN, EDGE = 5.0, 15.0, 1.4  # of the recursion: a node, a column of a joint, two columns of an elastic edge


def way_name(ints: np.ndarray) -> Linear:
    """The way that a model's integers say."""
    name = NAMES[int(ints[at.H_WAY])]
    assert name is not None
    return name


def choose(ints: np.ndarray, model: Any) -> None:
    """Write the way, and the size of whole matrices, into the integers without a plan."""
    asked, nu = int(ints[at.H_ASKED]), int(ints[at.H_U])
    if ints[at.H_ROWS]:
        way = at.BLOCKS if asked in (at.AUTOMATIC, at.TREE_WAY) else asked
    elif asked == at.AUTOMATIC:
        way = at.TREE_WAY if tree_cost(model) < dense_cost(model) else at.DENSE
    else:
        way = at.TREE_WAY if asked == at.TREE_WAY else at.DENSE
    ints[at.H_WAY] = way
    ints[at.H_DENSE] = 0 if way == at.TREE_WAY else nu


def dense_cost(model: Any) -> float:
    """Composite inertias and the Cholesky factor."""
    nu = len(model.rotor)
    pairs = 0
    length = np.zeros(len(model.column), dtype=int)  # of the path that ends with each column
    for c, before in enumerate(model.column[:, at.BEFORE].tolist()):
        length[c] = 1 + (length[before] if before >= 0 else 0)
    pairs = int(length.sum())
    for n, f in zip(model.flex[:, at.FLEX_N].tolist(), model.flex[:, at.FLEX_NODE].tolist(), strict=True):
        last = model.node[f, at.COL0] + model.node[f, at.COLUMNS] - 1 if model.node[f, at.COLUMNS] else model.node[f, at.LAST]
        pairs += n * (int(length[last]) if last >= 0 else 0)
    return PAIR * pairs + PRODUCT * nu**3 / 3.0 + ROW * nu


def tree_cost(model: Any) -> float:
    """The recursion."""
    elastic = model.node[:, at.MOTION] >= at.ELASTIC_OUT
    n = model.node[elastic, at.COLUMNS].astype(float)
    own = model.flex[:, at.FLEX_N].astype(float)
    joints = float(model.node[~elastic, at.COLUMNS].sum())
    bodies = COLUMN * own.sum() + EDGE * (own**2).sum() + PRODUCT * (own**3).sum() / 3.0
    return NODE * len(model.node) + COLUMN * joints + COLUMN * n.sum() + EDGE * (n**2).sum() + float(bodies)
