"""kinematics: the motion of a mechanism whose drivers leave no freedom."""

from __future__ import annotations

import time
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect, number, output_times
from supple.analyses.equilibrium.balance import null_space
from supple.analyses.kinematics.follower import Follower, StuckError
from supple.analyses.kinematics.taken_as_rigid import deforming, rigid
from supple.core.base.layout import new_work
from supple.engine.pack.builder import Compiled
from supple.engine.reading.loads import Loads
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, label, warn_caller
from supple.foundation.progress import told
from supple.loops.assembly import compile_model, rows_at, scaled_rows
from supple.loops.singular import violated_row
from supple.model import Model
from supple.results.data.audit import AuditRecord
from supple.results.data.run_data import History
from supple.results.result import Result, RunData


def kinematics(
    model: Model,
    t_end: float,
    *,
    output: int | float | ArrayLike | None = None,
    formulation: Formulation | None = None,
    bodies: Literal["rigid"] | None = None,
) -> Result:
    """Follow a mechanism whose drivers move all its freedom, from t = 0 to ``t_end`` (s).

    Parameters
    ----------
    output : int, float or array, optional
        Number of equal intervals (500 by default), their length in s (a float), or the times (s).
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates.
    bodies : "rigid", optional
        Takes flexible bodies as rigid; without it a model with such bodies is refused.

    Nothing is integrated: at each time the rows give the coordinates by Newton's method, and
    velocities and accelerations by linear equations. Loads and reactions are those of the motion,
    with the efforts of the drivers: ``result["motor"].effort``. Integrals of controllers stay
    at zero. A motion that cannot go on returns what it has, with ``success`` False, a ``message``
    and a warning. Flexible bodies deform in `inverse_dynamics` and `simulate`.
    """
    expect("kinematics", "model", model, Model, "a Model")
    expect("kinematics", "formulation", formulation, Formulation | None, "e.g. Absolute()")
    if bodies is not None:
        validate.choice("kinematics", "bodies", bodies, ("rigid",))
    elif soft := deforming(model):
        raise ModelError.plain(
            f"kinematics: {label(soft[0])} deforms, expected bodies='rigid', which takes it as "
            "rigid, or inverse_dynamics, in which it deforms"
        )
    end = number("kinematics", "t_end", t_end)
    if not end > 0.0:
        raise ModelError("kinematics", "t_end", t_end, "a time after 0 s")
    times = output_times("kinematics", 0.0, end, output)
    result = follow("kinematics", model, 0.0, end, times, formulation)
    if not result.success:
        warn_caller(result.message)
    return result


def follow(
    owner: str,
    model: Model,
    begin: float,
    end: float,
    times: Array,
    formulation: Formulation | None,
) -> Result:
    """The motion at the times (nt,), with the work of drivers and forces since ``begin`` (s).

    Bodies that deform are taken as rigid.
    """
    clock = time.process_time()
    bending = [body.name for body in deforming(model)]
    model = rigid(owner, model)
    formulation = JointCoordinates() if formulation is None else formulation
    tree = formulation.tree(model)
    compiled = compile_model(model, tree=tree)
    refuse_freedom(owner, compiled)
    for constraint in model.constraints.values():
        constraint.check_run(begin, end)
    equations = Equations(compiled)
    held = f" with {', '.join(map(repr, bending))} taken as rigid" if bending else ""
    q: list[Array] = []
    u, works, message = [], [], f"reached t = {end:g} s{held}"
    with told(lambda: f"the drivers are followed, {len(q)} of {len(times)} output times"):
        try:
            follower = Follower(equations, begin)
            for t in times:
                follower.go(float(t))
                broken = violated_row(compiled, float(t), follower.q)
                if broken:
                    raise StuckError(
                        f"t = {t:.6g} s: {broken}, "
                        "expected motions of the drivers that agree with each other"
                    )
                q.append(follower.q.copy())
                u.append(follower.u.copy())
                works.append(follower.work.copy())
        except StuckError as stuck:
            message = f"stopped at {stuck}"
    done = len(q)
    states = (
        np.reshape(q, (done, compiled.nq)),
        np.reshape(u, (done, compiled.nu)),
        np.zeros((done, compiled.nz)),
    )
    times = times[:done]
    _, history = equations.history(times, *states)
    channels = np.reshape(works, (done, len(compiled.force_names)))
    return Result(
        RunData(
            model=model,
            compiled=compiled,
            t=times,
            q=states[0],
            u=states[1],
            z=states[2],
            channels=channels,
            history=history,
            audit=_audit(equations, begin, history, channels),
            momentum=(),
            events=(),
            success=message.startswith("reached"),
            message=message,
            statistics={
                "steps": follower.steps if done else 0,
                "evaluations": follower.evaluations if done else 0,
                "cpu_seconds": time.process_time() - clock,
            },
            loads=Loads(history, dict(model.forces)),
        )
    )


def refuse_freedom(owner: str, compiled: Compiled) -> None:
    """Raise if drivers and constraints leave degrees of freedom; name one that moves most."""
    count = compiled.nu - compiled.nr
    if count == 0:
        return
    rows = rows_at(compiled, new_work(compiled.ints), 0.0, compiled.q0, compiled.u0)
    motions = null_space(scaled_rows(compiled, rows.G), compiled.nu)
    dof = int(np.argmax(np.linalg.norm(motions, axis=1)))
    words = "degree of freedom is" if count == 1 else "degrees of freedom are"
    raise ModelError.plain(
        f"{owner}: {count} {words} left by the drivers and constraints, expected drivers for all, "
        f"e.g. one of {compiled.dof_label(dof)}"
    )


def _audit(equations: Equations, begin: float, history: History, channels: Array) -> AuditRecord:
    """The audit at the output times: integrated work against the energies of the motion."""
    if not len(channels):
        return AuditRecord(0.0, 0.0, 0.0, 0.0, 0.0)
    c = equations.compiled
    follower = Follower(equations, begin)
    initial = float(sum(equations.energies(begin, follower.q, follower.u)))
    takes = np.asarray(c.force_dissipates, dtype=bool)
    supplied = channels[:, ~takes].sum(axis=1) - channels[:, takes].sum(axis=1)
    total, kinetic = history.energy.sum(axis=1), history.energy[:, 0]
    stored = history.energy[:, 1] + history.energy[:, 2] - supplied
    return AuditRecord(
        max_error=float(np.max(np.abs(total - initial - supplied))),
        max_elastic=float(np.max(history.energy[:, 2])),
        kinetic_min=float(np.min(kinetic)),
        kinetic_max=float(np.max(kinetic)),
        max_energy=float(max(np.max(np.abs(history.energy)), np.max(np.abs(supplied)))),
        initial_energy=initial,
        exchanged=float(np.ptp(stored)),
        max_strain=0.0,
    )
