"""Checks of a run's arguments; the result at its start."""

from __future__ import annotations

from dataclasses import replace

from supple.analyses.base.snapshot_result import instant
from supple.analyses.run.checkpointing import Arguments
from supple.analyses.run.prepared import Prepared
from supple.integrators.methods.radau import Radau
from supple.results.result import Result
from supple.state import State


def expect_run(prepared: Prepared, given: Arguments) -> None:
    """Refuse whatever a run would refuse before its first step."""
    _, problem, _ = prepared.problem(given)
    integrator = Radau() if given.integrator is None else given.integrator
    integrator.begin(problem._replace(events=()))


def first_instant(prepared: Prepared, given: Arguments) -> Result:
    """The result at the first instant of a run, which has the names of the whole one."""
    model, p, _ = prepared.problem(replace(given, start=None))
    state = State(p.t_start, p.q, p.u, p.z)
    return Result(instant(model, p.equations, state, True, "the first instant", {}))
