"""From an integrator's solution to a Result and its warnings."""

from __future__ import annotations

import math

import numpy as np

from supple.analyses.base.snapshot_result import instant
from supple.analyses.reactions.reactions import PhasedReactions, Reactions, SelfStress
from supple.analyses.run.options import RunOptions
from supple.analyses.run.phases import phases_of
from supple.analyses.run.probe import Probe
from supple.core.run.weights import ROUNDING
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.reading.loads import Loads
from supple.engine.sparsity.mass_solver_choice import way_name
from supple.foundation.arrays import Array
from supple.integrators.run.driver import Problem, Solution
from supple.integrators.run.place_vectors import place_vectors
from supple.integrators.run.sampling import Sampler
from supple.loops.singular import passed, violated
from supple.model import Model
from supple.results.data.run_data import ChangeRecord, RunData, StartChange
from supple.results.result import Result
from supple.state import State


def examined(
    model: Model,
    problem: Problem,
    options: RunOptions,
    solution: Solution,
    changes: tuple[ChangeRecord, ...],
    start_changes: tuple[StartChange, ...],
) -> tuple[Result, list[str]]:
    """The result of a run, and what is to be doubted about it."""
    s, compiled = solution, problem.equations.compiled
    probe = Probe.of(model, problem, options.method)
    made = changes, start_changes, problem.sampler, probe
    result = result_of(model, compiled, solution, *made)
    doubts = [beyond_rounding(problem, s.q), None if s.success else s.message]
    sets = s.row_sets.parts(s.t) if changes else [(compiled, slice(None))]
    for part, mine in sets:
        if s.success:
            doubts.append(s.passed or passed(part, s.t[mine], s.q[mine], s.u[mine]))
        doubts.append(violated(part, s.t[mine], s.q[mine]))
    if compiled.deforming and options.monitored:
        doubts += [f.sentence for f in result.monitor.findings if f.serious]
    return result, [doubt for doubt in doubts if doubt]


def result_at_start(model: Model, problem: Problem) -> Result:
    """The result at the first instant of a run."""
    p = problem
    state = State(p.t_start, p.q, p.u, p.z)
    return Result(instant(model, p.equations, state, True, "the first instant", {}))


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
    """Search of the smallest reactions; None of a tree without constraints: all are unique."""
    phases = [c.phase for c in phases_of(compiled, changes) if c.phase is not None]
    if phases:
        return PhasedReactions(model, states, phases, [change.t for change in changes])
    return Reactions(model, states) if compiled.all_rows else None


def coordinate_sizes(c: Compiled, q: Array) -> Array:
    """Sizes (nu,) of the coordinates behind the velocities; zero for quaternions."""
    sizes = np.zeros(c.nu)
    for record in (*c.joints.values(), *c.extra.values()):
        if record.chart.quaternion:
            place = np.abs(q[record.q.start + 4 : record.q.stop])
            sizes[record.u.start + 3 : record.u.stop] = place.sum()
        else:
            sizes[record.u] = np.abs(q[record.q])
    return sizes


def beyond_rounding(problem: Problem, q: Array) -> str | None:
    """A sentence if the tolerance asks more of the start than its rounding allows, or None.

    ``q`` (nt, nq) are the places of the run: where a body goes far, the tolerance follows its way.
    """
    c = problem.equations.compiled
    if c.nu == 0:
        return None
    start, smallest = problem.q, (problem.rtol + problem.atol) * c.smallest_scale
    if 3.0 * ROUNDING * math.sqrt(start.dot(start)) <= smallest:  # no sum of three places is larger
        return None
    way = coordinate_sizes(c, np.max(np.abs(q - start), axis=0, initial=0.0))
    way[place_vectors(c) < 0] = 0.0
    asked = np.maximum((problem.rtol + problem.atol) * c.scale, problem.atol * way)
    sizes = coordinate_sizes(c, problem.q)
    possible = ROUNDING * sizes
    worst = int(np.argmax(possible / asked))
    if possible[worst] <= asked[worst]:
        return None
    label = c.dof_label(worst)
    unit = "m" if "displacement" in label or "along" in label else "rad"
    return (
        f"simulate: tolerance asks for {asked[worst]:.2g} {unit} in {label}, which starts at "
        f"{sizes[worst]:.3g} {unit}, where rounding allows {possible[worst]:.2g} {unit}: a "
        f"tolerance of {possible[worst] / c.scale[worst]:.1g} is kept instead; nearer to zero more "
        "is possible"
    )
