"""States beside those of a run: moved by increments, shown as results of neighbours; rates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from supple.analyses.run.outcome import result_of
from supple.core.base.layout import new_work
from supple.engine.base.compiled import Compiled
from supple.engine.base.row_sets import RowSets
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.integrators.run.driver import Solution
from supple.results.data.run_data import ChangeRecord
from supple.results.result import Result
from supple.sensitivities.linear_steps import States, small_motion
from supple.sensitivities.neighbours import Neighbours, Start, like

SMALL = 1e-5  # displacement of states, in radians and lengths of the model, or of their rates


def units_of(neighbours: Neighbours, solution: Solution) -> Array:
    """What increments of a state (ns,) are compared with: radians, lengths, and these per time."""
    c, s = neighbours.here.compiled, solution
    span = float(s.t[-1] - s.t[0])
    rate = max(1.0 / span, float(np.max(np.abs(s.u) / c.scale, initial=0.0)))
    return np.concatenate([c.scale, c.scale * rate, np.ones(c.nz)])


def moved(equations: Equations, states: States, by: Array) -> States:
    """States moved by increments (nt, ns)."""
    t, q, u, z = states
    n = u.shape[1]
    there = np.array([equations.retract(a, b) for a, b in zip(q, by[:, :n], strict=True)])
    return States(t, there.reshape(q.shape), u + by[:, n : 2 * n], z + by[:, 2 * n :])


def state_rates(compiled: Compiled, states: States) -> Array:
    """Rates (n, ns) of states."""
    small = small_motion(compiled, new_work(compiled.ints), states)
    return np.concatenate([states.u, small.a, small.zdot], axis=1)


def shown(
    start: Start, solution: Solution, states: States, changes: Sequence[ChangeRecord] = ()
) -> Result:
    """States as a result of a neighbour of a run; work of forces is not known of them."""
    sets = solution.row_sets
    models = tuple(like(start.compiled, model) for model in sets.models)
    work = np.full((len(states.t), solution.channels.shape[1]), np.nan)
    other = solution._replace(
        **states._asdict(), channels=work, row_sets=RowSets(sets.begins, models)
    )
    told = tuple(_of_neighbour(start, change) for change in changes)
    return result_of(start.model, start.compiled, other, told)


def _of_neighbour(start: Start, change: ChangeRecord) -> ChangeRecord:
    """A change, with the model of the neighbour behind it."""
    behind = change.after.compiled
    assert behind is not None
    return replace(change, after=replace(change.after, compiled=like(start.compiled, behind)))
