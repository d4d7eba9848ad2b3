"""Comparison of the structure of two compiled models: states, rows and equations."""

from __future__ import annotations

import numpy as np

from supple.core.base import layout as at
from supple.engine.base.compiled import Compiled

# Which entries of inertia integrals are zero is no structure: where that differs, so do these.
STRIP_TABLES = {"strip", "strip_row"}
STRIP_COLUMNS = {
    "head": [at.H_STRIPS, at.H_STRIP_ROWS, at.H_FLEX_DATA],
    "flex": [at.FLEX_AT, at.FLEX_STRIP, at.FLEX_STRIPS, at.FLEX_STRIP_ROW, at.FLEX_STRIP_AT],
    "attach": [at.ATTACH_AT],
}


def same_structure(one: Compiled, two: Compiled) -> bool:
    """Whether two models have the same states and constraint rows, and equations of one form."""
    if one.ints is two.ints and one.all_rows == two.all_rows:
        return True
    rows = [r.label for r in one.all_rows] == [r.label for r in two.all_rows]
    sizes = (one.nq, one.nu, one.nz) == (two.nq, two.nu, two.nz)
    if not rows or not sizes:
        return False
    a, b = one.complete.ints, two.complete.ints
    return np.array_equal(a, b) or all(
        np.array_equal(_compared(a, name), _compared(b, name))
        for name in at.TREE_RECORD.parts[0].fields
        if name not in STRIP_TABLES
    )


def _compared(ints: np.ndarray, name: str) -> np.ndarray:
    """A field of a model's integers without what says where strips of zeros are."""
    found = at.integers(ints, name).copy()
    if name in STRIP_COLUMNS:
        found[..., STRIP_COLUMNS[name]] = 0
    return found
