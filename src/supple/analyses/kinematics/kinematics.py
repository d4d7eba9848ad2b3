"""kinematics and inverse_dynamics: motions that drivers prescribe, and the efforts they need.

The drivers of a mechanism leave no freedom. A step predicts coordinates from velocities and
accelerations and corrects them by Newton's method on the rows. A correction that is large for the
step means that another branch of the mechanism, a dead point or a limit of its reach is near; the
step is then halved. Work is the integral of the powers by Gauss's rule with five points on pieces
in which nothing moves far.

Flexible bodies vibrate in a run whose drivers make the motion. A machine that stands still before
its motion begins does so in the equilibrium that its drivers hold; one that moves already has
bodies that are deflected as this motion asks. From there on the bodies do what the motion makes
them do, and what the drivers need for it are their efforts.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import (
    coordinates_of,
    expect,
    number,
    output_times,
    starting_state,
)
from supple.analyses.base.snapshot_result import data_of_states
from supple.analyses.equilibrium.balance import null_space
from supple.analyses.run.options import RunOptions, Start
from supple.analyses.run.simulate import prepare
from supple.bodies.base.flexible import bends
from supple.constraints import Driver
from supple.constraints.couplings import joint_target
from supple.core.base.layout import new_work, read_work
from supple.core.equations import dynamics
from supple.engine.base.compiled import Compiled
from supple.engine.pack.kinds import refuse_rates
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError, label, warn_caller
from supple.foundation.frames import Body, System
from supple.foundation.progress import told
from supple.foundation.validate import read_only, set_fields
from supple.integrators.methods.base import Integrator
from supple.loops.assembly import CLOSED, compile_model, row_sizes, rows_at, scaled_rows
from supple.loops.singular import violated_row
from supple.results.data.audit import AuditRecord
from supple.results.data.run_data import History
from supple.results.result import Result
from supple.signals import Piecewise, SignalLike

if TYPE_CHECKING:
    from supple.model import Model

FAR = 0.3  # rad, or lengths of the model: the longest piece
# A correction beyond this, or beyond this part of the step, is not trusted to stay on the branch.
CORRECTION, SHARE = 1e-3, 0.1
SHORTEST = 1e-7  # of the piece: below this the mechanism is stuck
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
INVERSE = "inverse_dynamics"
Target = str | tuple[str, int | str]


def deforming(model: Model) -> list[Body]:
    """Bodies of a model that deform: those with elastic coordinates."""
    return [body for body in model.bodies.values() if bends(body)]


def rigid(owner: str, model: Model) -> Model:
    """The model with rigid bodies only; itself if no body deforms."""
    changes: dict[str, dict[str, Any]] = {}
    for body in deforming(model):
        fields = body.rigid_fields()
        if not fields:
            raise ModelError.plain(
                f"{owner}: bodies is 'rigid', but {label(body)} cannot be taken as rigid, expected "
                "a RigidBody in its place"
            )
        changes[body.name] = fields
    if not changes:
        return model
    stiff = model.copy()
    for name, fields in changes.items():
        stiff.replace(name, **fields)
    return stiff


class StuckError(Exception):
    """The mechanism cannot go on; says when, and what does not close."""


class Follower:
    """State of a mechanism whose rows leave no freedom: ``go`` to later times.

    Attributes
    ----------
    t : s
    q, u, a : (nq,), (nu,), (nu,) coordinates, velocities, accelerations
    work : (nforce,) work of each force element since the start, J
    """

    def __init__(self, equations: Equations, t: float) -> None:
        c = equations.compiled
        self.equations, self.compiled = equations, c
        self.unit = _coordinate_units(equations)
        self.z = c.z0
        self.work = np.zeros(len(c.force_names))
        self.steps = self.evaluations = 0
        self.t, self.q, self.u, self.a = t, c.q0.copy(), c.u0.copy(), np.zeros(c.nu)
        solved = self._solve(t, self.q, self.u)
        if isinstance(solved, str):
            raise StuckError(f"t = {t:.6g} s: {solved}")
        self.q, self.u, self.a = solved

    def go(self, end: float) -> None:
        """Move to the time ``end`` (s), landing on break points of signals."""
        stops = [t for t in self.compiled.breakpoints if self.t < t < end]
        for stop in (*stops, end):
            while self.t < stop:
                self._piece(min(stop, self.t + self._reach()), stop)

    def _reach(self) -> float:
        """Time (s) in which no coordinate moves farther than ``FAR``."""
        speed = float(np.max(np.abs(self.u) / self.compiled.scale, initial=0.0))
        push = float(np.max(np.abs(self.a) / self.compiled.scale, initial=0.0))
        slow = FAR / speed if speed > 0.0 else np.inf
        return min(slow, np.sqrt(FAR / push) if push > 0.0 else np.inf)

    def _piece(self, end: float, stop: float) -> None:
        """One piece of the motion with the work done on it."""
        begin, h = self.t, end - self.t
        if stop - end < 1e-6 * h:
            end, h = stop, stop - begin
        for node, weight in zip(NODES, WEIGHTS, strict=True):
            self._advance(begin + 0.5 * h * (1.0 + node), h)
            self.work += 0.5 * h * weight * self.powers()
        self._advance(end, h)

    def powers(self) -> Array:
        """Powers (nforce,) of the force elements and drivers, W."""
        self._accelerate(self.t, self.q, self.u)
        return np.array(read_work(self.compiled.ints, self.equations.work).power)

    def _advance(self, end: float, piece: float) -> None:
        h = end - self.t
        while self.t < end:
            h = min(h, end - self.t)
            t = end if h >= end - self.t else self.t + h
            problem = self._try(t)
            if not problem:
                h *= 2.0
                continue
            h *= 0.5
            if h < SHORTEST * piece:
                raise StuckError(f"t = {self.t:.6g} s: {problem}")

    def _try(self, t: float) -> str:
        """Step to the time t; what is wrong with the step, or nothing."""
        h = t - self.t
        predicted = self.equations.ahead(self.q, self.u, self.a, h)
        solved = self._solve(t, predicted.copy(), self.u + h * self.a)
        if isinstance(solved, str):
            return solved
        q, u, a = solved
        moved = float(np.max(np.abs(q - self.q) / self.unit, initial=0.0))
        off = float(np.max(np.abs(q - predicted) / self.unit, initial=0.0))
        if off > max(CORRECTION, SHARE * moved):
            return self._unreached(t, predicted)
        self.t, self.q, self.u, self.a = t, q, u, a
        self.steps += 1
        return ""

    def _solve(self, t: float, q: Array, u: Array) -> tuple[Array, Array, Array] | str:
        """State at t near q, u; or what does not close."""
        c = self.compiled
        guess = q.copy()
        scratch = np.zeros(c.nu), np.zeros(c.nq)
        buffers = c.ints, c.reals, self.equations.work, np.array([t])
        left = dynamics.project(*buffers, q[None], u[None], *scratch)
        if not (np.isfinite(left) and np.all(np.isfinite(q)) and np.all(np.isfinite(u))):
            return self._unreached(t, guess)
        if left > CLOSED * max(1.0, c.length):  # once more with fresh factors
            left = dynamics.project(*buffers, q[None], u[None], *scratch)
            if not left <= CLOSED * max(1.0, c.length):
                return self._unreached(t, q if np.all(np.isfinite(q)) else guess)
        try:
            return q, u, self._accelerate(t, q, u)
        except ModelError as error:
            return str(error)

    def _accelerate(self, t: float, q: Array, u: Array) -> Array:
        self.evaluations += 1
        return self.equations.accelerate(t, q, u, self.z)

    def _unreached(self, t: float, q: Array) -> str:
        """One sentence about the row that is farthest from closing at t."""
        c = self.compiled
        gap = self.equations.constraints(t, q, np.zeros(c.nu)).violation
        row = c.rows[int(np.argmax(np.abs(gap) / row_sizes(c)))]
        return (
            f"the position is out of reach or singular, {row.name} does not close, "
            "expected drivers that the mechanism can follow"
        )


def _coordinate_units(equations: Equations) -> Array:
    """Unit of each coordinate (nq,): 1 for angles and quaternions, else the model's length."""
    c = equations.compiled
    unit = np.ones(c.nq)
    for record in (*c.joints.values(), *c.extra.values()):
        if record.chart.quaternion:
            unit[record.q.start + 4 : record.q.stop] = c.length
        else:
            unit[record.q] = c.scale[record.u]
    return unit


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
    expect("kinematics", "model", model, System, "a Model")
    formulation = coordinates_of("kinematics", formulation)
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
    formulation: Formulation,
) -> Result:
    """The motion at the times (nt,), with the work of drivers and forces since ``begin`` (s).

    Bodies that deform are taken as rigid.
    """
    clock = time.process_time()
    bending = [body.name for body in deforming(model)]
    model = rigid(owner, model)
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
    statistics = {
        "steps": follower.steps if done else 0,
        "evaluations": follower.evaluations if done else 0,
        "cpu_seconds": time.process_time() - clock,
    }
    success, audit = message.startswith("reached"), _audit(equations, begin, history, channels)
    return Result(data_of_states(model, history, message, audit, success, statistics, channels))


def refuse_freedom(owner: str, compiled: Compiled) -> None:
    """Raise if drivers and constraints leave degrees of freedom; name one that moves most."""
    refuse_rates(compiled, owner)
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


def driven_run(
    owner: str,
    model: Model,
    begin: float,
    end: float,
    times: Array,
    formulation: Formulation,
    recorded: Result | None,
    options: dict[str, Any],
) -> tuple[Result, list[str]]:
    """The run of a model with drivers for all its freedom, and doubts about it."""
    written = formulation.written(model)
    compiled = compile_model(written, tree=formulation.tree(written))
    refuse_rates(compiled, owner)
    _refuse_free_joints(owner, model)
    start: Start = options.pop("start")
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
    arguments = RunOptions(end, start=start, formulation=formulation, output=times, **options)
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
    expect(INVERSE, "model", model, System, "a Model")
    expect(INVERSE, "motion", motion, Mapping | Result | None, "motions by joint, or a Result")
    formulation = coordinates_of(INVERSE, formulation)
    if not isinstance(motion, Result) and actuated is not None:
        raise ModelError(INVERSE, "actuated", actuated, "None without a recorded motion")
    validate.choice(INVERSE, "bodies", bodies, ("flexible", "rigid"))
    soft = bodies == "flexible" and bool(deforming(model))
    run = {"start": start, "integrator": integrator, "tolerance": tolerance}
    for (field, value), usual in zip(run.items(), (None, None, "default"), strict=True):
        if not soft and (type(value) is not type(usual) or value != usual):
            raise ModelError(INVERSE, field, value, f"{usual!r} where no body deforms")
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
        raise ModelError(INVERSE, "t_end", t_end, "the end of the motion in s")
    end = number(INVERSE, "t_end", t_end)
    if not end > begin:
        raise ModelError(INVERSE, "t_end", t_end, f"a time after {begin:g} s")
    times = output_times(INVERSE, begin, end, output)
    if soft:
        record = motion if isinstance(motion, Result) else None
        found, doubts = driven_run(INVERSE, driven, begin, end, times, formulation, record, run)
        for doubt in doubts:
            warn_caller(doubt)
        return found
    result = follow(INVERSE, driven, begin, end, times, formulation)
    if not result.success:
        warn_caller(result.message)
    return result


def _begin_at(model: Model) -> None:
    """Let coordinates that are driven begin where their drivers are at t = 0 s."""
    for driver in model.drivers.values():
        joint = model.joints.get(driver.joint) if isinstance(driver, Driver) else None
        if not isinstance(driver, Driver) or joint is None or joint.nq != joint.nu:
            continue
        place = joint.coordinate_index(driver.coordinate, INVERSE)
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
        raise ModelError(INVERSE, "motion", motion.t, "a Result with at least two output times")
    for name, joint in model.joints.items():
        if name not in motion.joints or motion.joints[name].nq != joint.nq:
            raise ModelError.plain(
                f"{INVERSE}: motion has no joint {name!r} like that of the model, expected a "
                "Result with the same joints"
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
    name, coordinate = joint_target(INVERSE, field, target)
    if name not in model.joints:
        known = ", ".join(repr(n) for n in list(model.joints)[:8])
        raise ModelError(INVERSE, field, name, f"the name of a joint: {known}")
    return name, model.joints[name].coordinate_index(coordinate, INVERSE)


def _name(model: Model, joint: str, place: int) -> str:
    item = model.joints[joint]
    return f"drive {joint}" if item.nu == 1 else f"drive {joint} {item.coordinate_names[place]}"
