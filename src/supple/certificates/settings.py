"""Settings of certificates: outputs that are numbers, and options of runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from supple.analyses.base.arguments import expect, number
from supple.analyses.run.checkpointing import Arguments
from supple.analyses.run.prepared import prepare
from supple.analyses.run.run_checks import first_instant
from supple.certificates.runs import Runs
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.model import Model
from supple.sweeps.readings import readings

INTERVALS = 2000
MOST_INTERVALS = 10_000_000
OUTPUT = "a number, e.g. 'elbow.angle @ max' or 'elbow.angle @ 0.5 s', or a function"


def runs_of(
    owner: str, model: Any, t_end: Any, outputs: Any, given: Mapping[str, Any], intervals: int
) -> Runs:
    """How runs are made; settings that are wrong and outputs that are not there are refused."""
    expect(owner, "model", model, Model, "a Model")
    validate.integer(owner, "intervals", intervals, 4, "an integer, at least 4")
    if intervals > MOST_INTERVALS:
        raise ModelError(owner, "intervals", intervals, f"at most {MOST_INTERVALS}")
    asked = readings(outputs, owner)
    end = number(owner, "t_end", t_end)
    for reading in asked:
        if reading.is_history:
            raise ModelError(owner, "outputs", reading.name, OUTPUT)
        if reading.time is not None and not reading.time <= end:
            raise ModelError(owner, "outputs", reading.name, f"a time up to {end:g} s")
    return Runs(model.copy(), end, asked, dict(given), intervals)


def expect_outputs(runs: Runs) -> None:
    """Refuse texts that name nothing, before any run is made."""
    result = first_instant(prepare(runs.model), Arguments(runs.t_end, **runs.given, progress=False))
    for reading in runs.readings:
        if reading.function is None and not reading.quantity.startswith("energy."):
            reading.series(result)
