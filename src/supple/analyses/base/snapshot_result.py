"""One state of a model as data of a result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

import numpy as np

from supple.analyses.reactions.reactions import Reactions
from supple.analyses.reactions.self_stress import SelfStress
from supple.engine.base.compiled import Compiled
from supple.engine.base.histories import RunHistory
from supple.engine.base.row_sets import RowSets
from supple.engine.reading.loads import Loads
from supple.forces import ForceElement
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.model import Model
from supple.results.data.audit import AuditRecord
from supple.results.result import RunData
from supple.state import State


def instant(
    model: Model,
    equations: Equations,
    state: State,
    success: bool,
    message: str,
    statistics: Mapping[str, int | float | str],
) -> RunData:
    """A result with one time, which has no errors of energy."""
    compiled = equations.compiled
    arrays = np.array([state.t]), state.q[None], state.u[None], state.z[None]
    _, history = equations.history(*arrays)
    kinetic = float(history.energy[0, 0])
    elastic, strain = float(history.energy[0, 2]), float(history.strain[0])
    largest, total = float(np.max(np.abs(history.energy))), float(history.energy.sum())
    t, q, u, z = arrays
    return RunData(
        model=model,
        compiled=compiled,
        t=t,
        q=q,
        u=u,
        z=z,
        channels=np.zeros((1, len(compiled.force_names))),
        history=history,
        audit=AuditRecord(0.0, elastic, kinetic, kinetic, largest, total, max_strain=strain),
        momentum=(),
        events=(),
        success=success,
        message=message,
        statistics=statistics,
        loads=Loads(history, dict(model.forces)),
        self_stress=SelfStress(model) if compiled.all_rows else None,
    )


def velocities(model: Model, compiled: Compiled, q: Array, u: Array) -> RunData:
    """A result with n times: velocities u (n, nu) at one position q (nq,), or at n of them."""
    n = len(u)
    positions = np.array(np.broadcast_to(q, (n, compiled.nq)))
    states = np.zeros(n), positions, u, np.zeros((n, compiled.nz))
    return _states(model, compiled, states, "velocities at given positions", model.forces)


def standing(model: Model, compiled: Compiled, q: Array, u: Array, t: float = 0.0) -> RunData:
    """A result with n times that are all t: at positions q (n, nq) with the velocities u (nu,).

    It has loads of force elements.
    """
    n = len(q)
    states = np.full(n, t), q, np.tile(u, (n, 1)), np.tile(compiled.z0, (n, 1))
    return _states(model, compiled, states, "positions at one time", model.forces)


def at_states(model: Model, compiled: Compiled, t: Array, q: Array, u: Array, z: Array) -> RunData:
    """A result with n times t (n,): states q, u, z (n, ...) that no run connects.

    It has loads of force elements, and of reactions that are not unique the smallest.
    """
    found = _states(model, compiled, (t, q, u, z), "states that were given", model.forces)
    if not compiled.all_rows:
        return found
    return replace(found, reactions=Reactions(model, cast("RunHistory", found.history)))


def _states(
    model: Model,
    compiled: Compiled,
    states: tuple[Array, Array, Array, Array],
    message: str,
    forces: Mapping[str, ForceElement],
) -> RunData:
    """A result of times, positions, velocities and controller states, which no run connects."""
    t, q, u, z = (np.ascontiguousarray(x) for x in states)
    history = RunHistory(RowSets.of(compiled), t, q, u, z)
    return RunData(
        model=model,
        compiled=compiled,
        t=t,
        q=q,
        u=u,
        z=z,
        channels=np.zeros((len(t), len(compiled.force_names))),
        history=history,
        audit=AuditRecord(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, max_strain=0.0),
        momentum=(),
        events=(),
        success=True,
        message=message,
        statistics={},
        loads=Loads(history, dict(forces)),
    )
