"""A model where its runs begin, assembled if that is possible: pictures, lengths of ropes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from supple.analyses.base.snapshot_result import standing
from supple.engine.pack.builder import build
from supple.engine.pack.ropes import rope_history
from supple.engine.reading.loads import NO_TANGENT
from supple.forces.ropes import Rope, Station
from supple.foundation.errors import ModelError, label
from supple.loops.assembly import assembled, compile_model
from supple.model import Model
from supple.results.result import Result
from supple.visualization.drawing import draw
from supple.visualization.page import Take, page


def at_start(model: Model) -> tuple[Result, str]:
    """A model where its runs begin, and a sentence if its loops cannot be closed there."""
    model.check()
    compiled, problem = build(model), ""
    if compiled.nr:
        try:
            compiled = assembled(compiled)
        except ModelError as error:
            problem = f"as it is written, not assembled: {error}"
    return Result(standing(model, compiled, compiled.q0[None], compiled.u0)), problem


def page_of(model: Model) -> str:
    """The text of a page that shows a model where its runs begin."""
    result, problem = at_start(model)
    scene = draw(result)
    if problem:
        return page(Take(scene, problem, "bad"))
    return page(Take(scene, model.counts))


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
