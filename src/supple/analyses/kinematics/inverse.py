"""inverse_dynamics: the efforts that make a mechanism follow a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect, number, output_times
from supple.analyses.kinematics.flexible_inverse import driven_run
from supple.analyses.kinematics.kinematics import follow
from supple.analyses.kinematics.recorded import Recorded
from supple.analyses.kinematics.taken_as_rigid import deforming
from supple.analyses.run.prepared import Start
from supple.constraints import Driver
from supple.constraints.couplings import joint_target
from supple.formulations.base import Formulation
from supple.foundation import validate
from supple.foundation.errors import ModelError, warn_caller
from supple.integrators.methods.base import Integrator
from supple.model import Model
from supple.results.result import Result
from supple.signals import SignalLike

OWNER = "inverse_dynamics"
Target = str | tuple[str, int | str]


def inverse_dynamics(
    model: Model,
    t_end: float | None = None,
    *,
    output: int | float | ArrayLike | None = None,
    motion: Mapping[Target, SignalLike] | Result | None = None,
    actuated: Sequence[Target] | None = None,
    formulation: Formulation | None = None,
    bodies: Literal["flexible", "rigid"] = "flexible",
    start: Start = None,
    integrator: Integrator | None = None,
    tolerance: str | float | Sequence[float] = "default",
) -> Result:
    """Find the efforts that drivers must exert to make a model follow a motion.

    Parameters
    ----------
    t_end : s
        End of the motion, which begins at t = 0; by default that of a recorded motion.
    output : int, float or array, optional
        As for `kinematics`; by default the times of a recorded motion.
    motion : mapping or Result, optional
        Motions of joint coordinates besides those of the model's own drivers:
        ``{"shoulder": SmoothStep(0, 1), ("wrist", "angle_2"): "0.1*t"}``, or a result with the same
        joints, whose recorded motion is followed: at its output times coordinates, rates and
        accelerations are its own.
    actuated : sequence of joints or pairs (joint, coordinate), optional
        Coordinates that are driven along a recorded motion, as many as there are degrees of
        freedom; by default all coordinates of all joints, which is right for models without loops.
    formulation : JointCoordinates, Absolute or Branch, optional
    bodies : "flexible" or "rigid"
        Whether flexible bodies deform along the motion, and vibrate, or are taken as rigid.
    start, integrator, tolerance : optional
        Of the run in which flexible bodies deform, as for `simulate`. Without ``start`` a recorded
        motion of the same model begins as it was recorded; a motion from rest begins in the
        equilibrium that the drivers hold, another one "quasi-static".

    Drivers are those of the model and, for the motion of a coordinate, ``"drive shoulder"``
    (``"drive wrist angle_2"`` where a joint has several): ``result["drive shoulder"].effort`` is
    the effort in addition to what the model's own forces exert, ``result["shoulder"].effort`` is
    both together. Of rigid bodies the result is that of `kinematics`. Flexible bodies are
    simulated, moved by the drivers: the same efforts, exerted by motors, make the same motion.
    """
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "motion", motion, Mapping | Result | None, "motions by joint, or a Result")
    expect(OWNER, "formulation", formulation, Formulation | None, "e.g. Absolute()")
    if not isinstance(motion, Result) and actuated is not None:
        raise ModelError(OWNER, "actuated", actuated, "None without a recorded motion")
    validate.choice(OWNER, "bodies", bodies, ("flexible", "rigid"))
    soft = bodies == "flexible" and bool(deforming(model))
    run = {"start": start, "integrator": integrator, "tolerance": tolerance}
    for (field, value), usual in zip(run.items(), (None, None, "default"), strict=True):
        if not soft and (type(value) is not type(usual) or value != usual):
            raise ModelError(OWNER, field, value, f"{usual!r} where no body deforms")
    begin, driven = 0.0, model.copy()
    if isinstance(motion, Result):
        begin = _recorded(driven, motion, actuated)
        t_end = float(motion.t[-1]) if t_end is None else t_end
        output = motion.t[motion.t <= t_end] if output is None else output
    elif motion is not None:
        for target, signal in motion.items():
            joint, place = _coordinate(driven, target, "motion")
            driven.add(Driver(_name(driven, joint, place), joint, signal, place))
        if soft:
            _begin_at(driven)
    if t_end is None:
        raise ModelError(OWNER, "t_end", t_end, "the end of the motion in s")
    end = number(OWNER, "t_end", t_end)
    if not end > begin:
        raise ModelError(OWNER, "t_end", t_end, f"a time after {begin:g} s")
    times = output_times(OWNER, begin, end, output)
    if soft:
        record = motion if isinstance(motion, Result) else None
        found, doubts = driven_run(OWNER, driven, begin, end, times, formulation, record, run)
        for doubt in doubts:
            warn_caller(doubt)
        return found
    result = follow(OWNER, driven, begin, end, times, formulation)
    if not result.success:
        warn_caller(result.message)
    return result


def _begin_at(model: Model) -> None:
    """Let coordinates that are driven begin where their drivers are at t = 0 s."""
    for driver in model.drivers.values():
        joint = model.joints.get(driver.joint) if isinstance(driver, Driver) else None
        if not isinstance(driver, Driver) or joint is None or joint.nq != joint.nu:
            continue
        place = joint.coordinate_index(driver.coordinate, OWNER)
        value, rate, _ = (float(x) for x in driver.motion.derivatives(0.0))
        fields = {}
        for field, new in (("initial", value), ("initial_rate", rate)):
            each = np.array(getattr(joint, field), dtype=float).reshape(-1)
            each[place] = new
            fields[field] = each if joint.nu > 1 else float(each[0])
        model.replace(driver.joint, **fields)


def _recorded(model: Model, motion: Result, actuated: Sequence[Target] | None) -> float:
    """Add drivers along a recorded motion; returns when it begins (s)."""
    if len(motion.t) < 2:
        raise ModelError(OWNER, "motion", motion.t, "a Result with at least two output times")
    for name, joint in model.joints.items():
        if name not in motion.joints or motion.joints[name].nq != joint.nq:
            raise ModelError.plain(
                f"{OWNER}: motion has no joint {name!r} like that of the model, expected a Result "
                "with the same joints"
            )
        model.replace(name, initial=motion[name].coordinates[0])
    if actuated is None:
        actuated = [(n, k) for n, joint in model.joints.items() for k in range(joint.nu)]
    drivers = [d for d in model.drivers.values() if isinstance(d, Driver)]
    taken = {_coordinate(model, (d.joint, d.coordinate), "actuated") for d in drivers}
    for target in actuated:
        name, place = _coordinate(model, target, "actuated")
        if (name, place) in taken:
            continue
        view = motion[name]
        histories = (x[:, place] for x in (view.coordinates, view.rates, view.accelerations))
        signal = Recorded(motion.t, *histories)
        model.add(Driver(_name(model, name, place), name, signal, place))
    return float(motion.t[0])


def _coordinate(model: Model, target: Any, field: str) -> tuple[str, int]:
    name, coordinate = joint_target(OWNER, field, target)
    if name not in model.joints:
        known = ", ".join(repr(n) for n in list(model.joints)[:8])
        raise ModelError(OWNER, field, name, f"the name of a joint: {known}")
    return name, model.joints[name].coordinate_index(coordinate, OWNER)


def _name(model: Model, joint: str, place: int) -> str:
    item = model.joints[joint]
    return f"drive {joint}" if item.nu == 1 else f"drive {joint} {item.coordinate_names[place]}"
