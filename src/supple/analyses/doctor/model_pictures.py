"""Pictures of a model without a run: where runs begin, assembled if that is possible."""

from __future__ import annotations

from supple.analyses.base.snapshot_result import standing
from supple.engine.pack.builder import build
from supple.foundation.errors import ModelError
from supple.loops.assembly import assembled
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
