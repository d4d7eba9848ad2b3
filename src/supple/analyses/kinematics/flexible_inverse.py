"""Efforts of drivers while flexible bodies vibrate: a run whose drivers make the motion.

A machine that stands still before its motion begins does so in the equilibrium that its drivers
hold; one that moves already has bodies that are deflected as this motion asks. From there on the
bodies do what the motion makes them do, and what the drivers need for it are their efforts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from supple.analyses.base.arguments import starting_state
from supple.analyses.kinematics.kinematics import refuse_freedom
from supple.analyses.kinematics.taken_as_rigid import rigid
from supple.analyses.run.checkpointing import Arguments
from supple.analyses.run.prepared import Start, prepare
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation.errors import ModelError
from supple.foundation.poses import Array
from supple.loops.assembly import compile_model
from supple.model import Model
from supple.results.result import Result


def driven_run(
    owner: str,
    model: Model,
    begin: float,
    end: float,
    times: Array,
    formulation: Formulation | None,
    recorded: Result | None,
    given: dict[str, Any],
) -> tuple[Result, list[str]]:
    """The run of a model with drivers for all its freedom, and doubts about it."""
    form = JointCoordinates() if formulation is None else formulation
    written = form.written(model)
    compiled = compile_model(written, tree=form.tree(written))
    _refuse_free_joints(owner, model)
    start: Start = given.pop("start")
    if start is None and recorded is not None:
        try:
            first = recorded.state(0)
            starting_state(owner, first, compiled)
            start = first
        except ModelError:
            if begin != 0.0:
                raise ModelError.plain(
                    f"{owner}: motion begins at t = {begin:g} s and does not tell how the flexible "
                    "bodies are deflected there, expected start=, or a motion from t = 0 s on"
                ) from None
    if start is None:
        start = "quasi-static" if np.any(compiled.u0 != 0.0) else "static"
    arguments = Arguments(end, start=start, formulation=formulation, output=times, **given)
    result, doubts = prepare(model).run(arguments)
    return result, list(doubts)


def _refuse_free_joints(owner: str, model: Model) -> None:
    """Refuse freedom that the drivers leave to the mechanism, where bodies can be rigid."""
    try:
        stiff = rigid(owner, model)
    except ModelError:  # curved beams, bodies over nodal vectors: what they leave free moves
        return
    refuse_freedom(owner, compile_model(stiff, tree=JointCoordinates().tree(stiff)))
