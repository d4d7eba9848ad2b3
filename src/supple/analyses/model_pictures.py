"""Pictures of a model without a run: where runs begin, assembled if that is possible."""

from __future__ import annotations

from supple.analyses.instant import standing
from supple.engine.builder import build
from supple.errors import ModelError
from supple.looks.drawing import draw
from supple.looks.page import Take, page
from supple.loops.assembly import assembled
from supple.model import Model
from supple.results.result import Result


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
