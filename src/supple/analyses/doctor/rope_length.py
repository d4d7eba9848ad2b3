"""Length of the path of a rope where a model begins."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.engine.pack.ropes import rope_history
from supple.engine.reading.loads import NO_TANGENT
from supple.forces.ropes import Rope, Station
from supple.foundation.errors import ModelError, label
from supple.loops.assembly import compile_model
from supple.model import Model


def rope_length(model: Model, path: Sequence[Station]) -> float:
    """Length (m) of a path of frames, pulleys and drums in the assembled start of a model."""
    other, name = model.copy(), "rope"
    while name in other:
        name += "_"
    other.add(Rope(name, path, 1.0, 1.0))
    c = compile_model(other)
    (number,) = c.channels(name)
    found = rope_history(c.ints, c.reals, number, np.zeros(1), c.q0[None], c.u0[None])
    length = float(found.length[0])
    if not np.isfinite(length):
        raise ModelError.plain(f"{label(model)}: the path of a rope {NO_TANGENT}")
    return length
