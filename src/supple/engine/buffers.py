"""What the builder has collected -> rows and flat buffers of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.core import layout as at
from supple.poses import Array

if TYPE_CHECKING:
    from supple.engine.builder import _Builder


# Values of a row by their column; several begin there
Columns = Mapping[int, Any]


def row_of(width: int, columns: Columns) -> list[Any]:
    """A row with these values and zeros elsewhere."""
    row: list[Any] = [0] * width
    for start, given in columns.items():
        values = np.ravel(given).tolist()
        row[start : start + len(values)] = values
    if len(row) != width:
        raise ValueError(f"a row of {width} numbers has become one of {len(row)}")
    return row


def flat_buffers(b: _Builder, gravity: Array) -> tuple[np.ndarray, Array]:
    """The integers without a plan, and the reals."""
    sizes = {
        "nodes": len(b.node_ints), "nq": b.nq, "nu": b.nu, "nz": b.nz, "columns": len(b.columns),
        "elements": len(b.element_ints), "signals": len(b.signals), "data": len(b.data),
        "bodies": len(b.flex_ints), "attachments": len(b.attach_ints), "flex_data": b.flex_size,
        "flex_work": b.flex_work, "links": len(b.link_ints), "nr": len(b.rows), "plan": 0,
        "terms": len(b.terms), "membranes": len(b.membranes), "programs": len(b.programs),
    }  # fmt: skip
    lengths = at.TREE_RECORD.lengths(sizes)
    ints, reals = np.zeros(lengths[0], dtype=np.int64), np.zeros(lengths[1])
    for name, size in sizes.items():
        ints[at.SIZES[name]] = size
    ints[[at.H_WRENCHES, at.H_SWITCHES]] = b.wrenches, b.switches
    model = at.read_model(ints, reals)
    tables = {
        "node": b.node_ints, "column": b.columns, "element": b.element_ints, "signal": b.signals,
        "flex": b.flex_ints, "attach": b.attach_ints, "link": b.link_ints, "term": b.terms,
        "membrane": b.membranes, "factor": b.factors, "program": b.programs,
        "body": b.node_reals, "coef": b.element_reals,
    }  # fmt: skip
    for name, rows in tables.items():
        if rows:
            getattr(model, name)[:] = rows
    model.gravity[:], model.data[:], model.unit[:] = gravity, b.data, b.scale
    model.length[()] = b.length
    model.rotor[list(b.rotors)] = list(b.rotors.values())
    model.flex_data[:] = np.concatenate([np.zeros(0), *b.flex_data])
    reals.flags.writeable = False
    return ints, reals
