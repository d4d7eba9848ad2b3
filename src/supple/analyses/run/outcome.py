"""From an integrator's solution to a Result and its warnings."""

from __future__ import annotations

from supple.analyses.reactions.reactions import PhasedReactions, Reactions
from supple.analyses.reactions.self_stress import SelfStress
from supple.analyses.run.phases import phases_of
from supple.analyses.run.probe import Probe
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.reading.loads import Loads
from supple.engine.sparsity.mass_solver_choice import way_name
from supple.integrators.run.driver import Solution
from supple.integrators.run.sampling import Sampler
from supple.loops.singular import passed, violated
from supple.model import Model
from supple.results.data.run_data import ChangeRecord, RunData
from supple.results.data.start_changes import StartChange
from supple.results.result import Result


def outcome(
    model: Model,
    compiled: Compiled,
    solution: Solution,
    changes: tuple[ChangeRecord, ...] = (),
    start_changes: tuple[StartChange, ...] = (),
    monitored: bool = True,
    sampler: Sampler | None = None,
    probe: Probe | None = None,
) -> tuple[Result, list[str]]:
    """The result of a run, and what is to be doubted about it."""
    s, made = solution, (changes, start_changes, sampler, probe)
    result = result_of(model, compiled, solution, *made)
    doubts = [] if s.success else [s.message]
    sets = s.row_sets.parts(s.t) if changes else [(compiled, slice(None))]
    for part, mine in sets:
        if s.success:
            doubts.append(s.passed or passed(part, s.t[mine], s.q[mine], s.u[mine]))
        doubts.append(violated(part, s.t[mine], s.q[mine]))
    if compiled.deforming and monitored:
        doubts += [f.sentence for f in result.monitor.findings if f.serious]
    return result, [doubt for doubt in doubts if doubt]


def result_of(
    model: Model,
    compiled: Compiled,
    solution: Solution,
    changes: tuple[ChangeRecord, ...] = (),
    start_changes: tuple[StartChange, ...] = (),
    sampler: Sampler | None = None,
    probe: Probe | None = None,
) -> Result:
    """The result of a run."""
    s = solution
    if sampler is not None:
        for part in (compiled, *s.row_sets.models):  # phases have numbers of their own
            sampler.attach(part, early=True)
    states = RunHistory(s.row_sets, s.t, s.q, s.u, s.z)
    return Result(
        RunData(
            model=model.copy(),
            compiled=compiled,
            t=s.t,
            q=s.q,
            u=s.u,
            z=s.z,
            channels=s.channels,
            history=states,
            audit=s.audit,
            momentum=s.momentum,
            events=s.events,
            success=s.success,
            message=s.message,
            statistics={**s.statistics, "linear": way_name(compiled.ints)},
            final=s.final,
            loads=Loads(states, dict(model.forces)),
            reactions=_reactions(model, compiled, states, changes),
            self_stress=SelfStress(model) if compiled.all_rows and compiled.whole is None else None,
            changes=changes,
            phases=phases_of(compiled, changes),
            start_changes=start_changes,
            samples={} if sampler is None else sampler.records(),
            probe=probe,
        )
    )


def _reactions(
    model: Model, compiled: Compiled, states: RunHistory, changes: tuple[ChangeRecord, ...]
) -> Reactions | PhasedReactions | None:
    """What finds the smallest reactions; None of a tree without constraints: all are unique."""
    phases = [c.phase for c in phases_of(compiled, changes) if c.phase is not None]
    if phases:
        return PhasedReactions(model, states, phases, [change.t for change in changes])
    return Reactions(model, states) if compiled.all_rows else None
