"""inverse_dynamics: the efforts that make a mechanism follow a motion.

Efforts of drivers while flexible bodies vibrate: a run whose drivers make the motion.

A machine that stands still before its motion begins does so in the equilibrium that its drivers
hold; one that moves already has bodies that are deflected as this motion asks. From there on the
bodies do what the motion makes them do, and what the drivers need for it are their efforts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import (
    coordinates_of,
    expect,
    number,
    output_times,
    starting_state,
)
from supple.analyses.kinematics.kinematics import deforming, follow, refuse_freedom, rigid
from supple.analyses.run.options import RunOptions, Start
from supple.analyses.run.simulate import prepare
from supple.constraints import Driver
from supple.constraints.couplings import joint_target
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError, warn_caller
from supple.foundation.validate import read_only, set_fields
from supple.integrators.methods.base import Integrator
from supple.loops.assembly import compile_model
from supple.model import Model
from supple.results.result import Result
from supple.signals import Piecewise, SignalLike

OWNER = "inverse_dynamics"
Target = str | tuple[str, int | str]


def driven_run(
    owner: str,
    model: Model,
    begin: float,
    end: float,
    times: Array,
    formulation: Formulation,
    recorded: Result | None,
    given: dict[str, Any],
) -> tuple[Result, list[str]]:
    """The run of a model with drivers for all its freedom, and doubts about it."""
    written = formulation.written(model)
    compiled = compile_model(written, tree=formulation.tree(written))
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
    arguments = RunOptions(end, start=start, formulation=formulation, output=times, **given)
    result, doubts = prepare(model).run(arguments)
    return result, list(doubts)


def _refuse_free_joints(owner: str, model: Model) -> None:
    """Refuse freedom that the drivers leave to the mechanism, where bodies can be rigid."""
    try:
        stiff = rigid(owner, model)
    except ModelError:  # curved beams, bodies over nodal vectors: what they leave free moves
        return
    refuse_freedom(owner, compile_model(stiff, tree=JointCoordinates().tree(stiff)))


@dataclass(frozen=True, eq=False, init=False)
class Recorded(Piecewise):
    """Quintic pieces with the given value, rate and acceleration at each of the times (n,), s."""

    times: Vector
    values: Vector
    rates: Vector
    accelerations: Vector

    def __init__(
        self, times: ArrayLike, values: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
    ) -> None:
        set_fields(
            self,
            times=read_only(times),
            values=read_only(values),
            rates=read_only(rates),
            accelerations=read_only(accelerations),
        )

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """The last piece goes on beyond the last time, so that nothing stops there."""
        t, x, v, a = self.times, self.values, self.rates, self.accelerations
        h = np.diff(t)
        # what value, rate and acceleration at the end of a piece have beyond its first three terms
        dx = (x[1:] - x[:-1] - h * (v[:-1] + 0.5 * h * a[:-1])) / h**3
        dv = (v[1:] - v[:-1] - h * a[:-1]) / h**2
        da = (a[1:] - a[:-1]) / h
        terms = [
            x[:-1],
            v[:-1],
            0.5 * a[:-1],
            10.0 * dx - 4.0 * dv + 0.5 * da,
            (-15.0 * dx + 7.0 * dv - da) / h,
            (6.0 * dx - 3.0 * dv + 0.5 * da) / h**2,
        ]
        breaks = np.append(t[:-1], t[-1] + h[-1])
        return breaks, t[:-1], np.stack(terms, axis=1)


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
    formulation = coordinates_of(OWNER, formulation)
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
