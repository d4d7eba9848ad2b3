"""stiffness: how stiff a model holds a frame, at rest and over its stroke.

About an equilibrium, small motion under a load f on the frame is y = K^-1 (J N)^T f, in independent
coordinates with the velocities N y of all and the twist J N y of the frame. So its compliance is

    C = J N K^-1 (J N)^T

with controllers that integrate settled. The rows of drivers are among those that N obeys: what they
drive is held.

Change of the stiffness of a frame by loads, where bodies have no stiffening.

Flexible bodies without stiffening have the same stiffness under any load. The question is asked
once more of the model whose bodies have displacements of second order, in the same equilibrium.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.analyses.base.arguments import expect, number
from supple.analyses.base.snapshot_result import velocities
from supple.analyses.equilibrium.static_result import StaticResult
from supple.analyses.linear.missing_flexibility import finer_model, with_flexibility
from supple.analyses.modes.linear_model import ROUNDING, LinearModel
from supple.analyses.stability.parameter import Followed, Over, Parameter
from supple.analyses.stability.stiffness_result import Position, StiffnessResult
from supple.bodies.base.refinement import beyond_linear
from supple.formulations.base import Formulation
from supple.formulations.trees import JointCoordinates
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import (
    ModelError,
    SuppleError,
    SuppleWarning,
    describe,
    percent,
    warn_caller,
)
from supple.foundation.frames import Frame
from supple.foundation.progress import told
from supple.foundation.validate import Axis
from supple.model import Model
from supple.results.checks.deformation import LOAD, SERIOUS_LOAD
from supple.results.data.findings import Finding, Monitor
from supple.results.result import Result
from supple.state import State

NONE = 1e-9  # of the largest compliance: rounding
TOLD = ("load", "buckling", "stretch")  # findings that say so already


def unloaded_stiffness(model: Model, monitor: Monitor) -> Model | None:
    """A copy with second order where loads change a stiffness that is left out; None if none do."""
    if any(f.what in TOLD for f in monitor.findings):
        return None
    names = [
        name
        for name, seen in monitor.bodies.items()
        if seen.load_stiffness > LOAD and _can(model, name)
    ]
    if not names:
        return None
    found = model.copy()
    for name in names:
        found.replace(name, stiffening="second_order")
    return found


def _can(model: Model, name: str) -> bool:
    fields = beyond_linear(model.bodies[name]) if name in model.bodies else None
    return bool(fields) and "stiffening" in (fields or {})


def with_loads(
    monitor: Monitor, directions: Sequence[str], given: Array, right: Array | None
) -> Monitor:
    """A monitor with a finding, if compliances (n,) are not those under the loads, (n, n)."""
    loads = {name: seen.load_stiffness for name, seen in monitor.bodies.items()}
    name = max(loads, key=lambda key: np.nan_to_num(loads[key]))
    if right is None:
        part, how = 1.0, "leave none of its stiffness"
    else:
        true = np.diag(right)
        size = float(np.abs(true).max(initial=0.0))
        off = np.where(np.abs(true) > NONE * size, given / np.where(true != 0.0, true, 1.0), 1.0)
        k = int(np.argmax(np.abs(np.log(np.maximum(off, 1e-12)))))
        if not abs(off[k] - 1.0) > LOAD:
            return monitor
        # the stiffness that is given is 1/off of the true one
        part = float(abs(1.0 / off[k] - 1.0))
        which = "small" if off[k] > 1.0 else "large"
        how = f"make its stiffness along {directions[k]!r} {percent(part)} too {which}"
    sentence = (
        f"flexible body '{name}': tension or pressure by its loads, which are left out without "
        f"stiffening, {how}, expected at most {percent(LOAD)}: use stiffening='second_order'"
    )
    finding = Finding(name, "load", part, LOAD, None, part > SERIOUS_LOAD, sentence)
    first = monitor.bodies[name]
    found = replace(first, findings=(*first.findings, finding))
    return Monitor({**monitor.bodies, name: found})


OWNER = "stiffness"
TURNS, ALONG = ("rx", "ry", "rz"), ("x", "y", "z")


def stiffness(
    model: Model,
    at: Frame,
    directions: Sequence[str | Axis] = (*ALONG, *TURNS),
    *,
    over: Over | None = None,
    values: ArrayLike | None = None,
    spin: Mapping[Any, float] | None = None,
    t: float = 0.0,
    start: State | Result | None = None,
    formulation: Formulation | None = None,
) -> StiffnessResult:
    """Find how stiff a model holds a frame, in its equilibrium and along a path of equilibria.

    Parameters
    ----------
    at : Frame
        Where unit loads act and displacements are taken, ``stage.at(0)``.
    directions : sequence
        In world axes: "x", "y", "z" or vectors (3,) for forces and displacements, "rx", "ry", "rz"
        for torques and rotations about the axes.
    over, values : optional
        What changes from position to position, and its values (k,): a field such as "stroke.y", the
        motion of a driver; "loads", "gravity" or the name of a force or driver (a load factor); a
        joint (its rate in uniform rotation); see `stability`. What a driver moves is held, under a
        load it is free to give way.
    spin : mapping, optional
        Constant rates of joints, see `statics`.
    t : s
        When signals stand still.
    start : State or Result, optional
        Where the search for the first equilibrium begins.
    formulation : JointCoordinates, Absolute or Branch, optional

    Each equilibrium is followed from the one before it. Where there is none the result ends, with
    ``success`` False, a ``message`` and a warning.
    """
    expect(OWNER, "model", model, Model, "a Model")
    expect(OWNER, "at", at, Frame, "a frame on a body, e.g. stage.at(0)")
    expect(OWNER, "formulation", formulation, Formulation | None, "a formulation, e.g. Absolute()")
    if at.body.name not in model.bodies:
        raise ModelError(OWNER, "at", describe(at), "a frame on a body of the model that moves")
    names, table = _directions(directions)
    if (over is None) != (values is None):
        raise ModelError(OWNER, "values", values, "values of what changes, together with over")
    formulation = JointCoordinates() if formulation is None else formulation
    made = (lambda _: model) if over is None else over
    parameter = Parameter(OWNER, model, made, spin, number(OWNER, "t", t), formulation)
    expected = "one or more numbers"
    wanted = np.zeros(1) if values is None else validate.array(OWNER, "values", values, expected)
    if wanted.ndim != 1 or not len(wanted):
        raise ModelError(OWNER, "values", values, expected)
    with told("stiffness: equilibria are followed"):
        states, message = _followed(parameter, wanted, start)
        found = [_position(here, at, names, table) for here in states]
        for k in sorted({0, len(found) // 2, len(found) - 1}):
            seen = _judged(parameter, states[k], found[k], at, names, table)
            found[k] = replace(found[k], monitor=seen)
            seen = _under_loads(parameter, states[k], found[k], at, names, table)
            found[k] = replace(found[k], monitor=seen)
    words = "" if over is None else parameter.words
    result = StiffnessResult(
        words, wanted[: len(found)], names, tuple(found), len(found) == len(wanted), message
    )
    for doubt in ([] if result.success else [message]) + result.doubts:
        warn_caller(doubt)
    return result


def _followed(
    parameter: Parameter, values: Array, start: State | Result | None
) -> tuple[list[Followed], str]:
    """The equilibria up to the last one that is found, and a sentence."""
    found = [parameter.first(float(values[0]), start)]
    for value in values[1:]:
        there, last, why = None, found[-1], ""
        try:
            there, last = parameter.follow(found[-1], float(value))
        except ModelError as error:  # a mechanism that cannot be closed there
            why = f": {error}"
        if there is None:
            words = f"{parameter.words} = {value:g}"
            return found, f"no equilibrium at {words}, the last one is at {last.value:g}{why}"
        found.append(there)
    return found, "all equilibria found"


def _judged(
    parameter: Parameter,
    here: Followed,
    found: Position,
    at: Frame,
    names: Sequence[str],
    table: Array,
) -> Monitor:
    """Monitor of a position, with a finding if modes or elements are too few for these loads."""
    if not here.search.compiled.flexible:
        return found.monitor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        try:
            finer, refined = finer_model(here.model, at)
            there = parameter.another(here, finer) if refined else None
            if there is None:
                return found.monitor
            right = _compliance(there.linear, at, names, table)
        except SuppleError:  # a body that does not take other shapes
            return found.monitor
    given = np.diag(found.compliance)
    return with_flexibility(found.monitor, refined, names, given, np.diag(right))


def _under_loads(
    parameter: Parameter,
    here: Followed,
    found: Position,
    at: Frame,
    names: Sequence[str],
    table: Array,
) -> Monitor:
    """Monitor of a position, with a finding if loads change the stiffness of linear shapes."""
    stiffened = unloaded_stiffness(here.model, found.monitor)
    if stiffened is None or parameter.loaded is not None:
        return found.monitor
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        try:
            there = parameter.another(here, stiffened)
            right = None if there is None else _compliance(there.linear, at, names, table)
        except SuppleError:  # nothing is left of its stiffness
            right = None
    return with_loads(found.monitor, names, np.diag(found.compliance), right)


def _directions(given: Any) -> tuple[tuple[str, ...], Array]:
    """Names of directions, and twists [angular; linear] (n, 6) along them."""
    expected = 'a sequence of "x", "y", "z", "rx", "ry", "rz" or vectors (3,)'
    names, rows = [], []
    items = validate.listed(OWNER, "directions", given, expected)
    if not items:
        raise ModelError(OWNER, "directions", given, expected)
    for item in items:
        row = np.zeros(6)
        if isinstance(item, str):
            if item not in (*ALONG, *TURNS):
                raise ModelError(OWNER, "directions", item, expected)
            row[(*TURNS, *ALONG).index(item)] = 1.0
            names.append(item)
        else:
            row[3:] = validate.axis(OWNER, "directions", item)
            names.append("(" + ", ".join(f"{x:.3g}" for x in row[3:]) + ")")
        rows.append(row)
    table = np.array(rows)
    if np.linalg.matrix_rank(table) < len(rows):
        raise ModelError(OWNER, "directions", given, "directions that do not depend on each other")
    return tuple(names), table


def _position(here: Followed, at: Frame, names: Sequence[str], table: Array) -> Position:
    """What one equilibrium says."""
    rest, small = here.result, here.judged
    place, compliance = rest[at], _compliance(small, at, names, table)
    lowest = {
        name: replace(body, findings=tuple(f for f in body.findings if f.what != "frequencies"))
        for name, body in small.monitor.bodies.items()
    }
    return Position(
        rest=rest,
        compliance=compliance,
        place=place.position[0].copy(),
        axes=place.matrix[0].copy(),
        frequencies=small.all_frequencies,
        stress=_stress(rest),
        monitor=Monitor(lowest),
    )


def _compliance(small: LinearModel, at: Frame, names: Sequence[str], table: Array) -> Array:
    """Displacements (n, n) along directions by unit loads along them."""
    twists = _twists(small, at) @ table.T  # (coordinates, directions)
    return np.asarray(twists.T @ _flexibility(small, twists, names))


def _twists(small: LinearModel, at: Frame) -> Array:
    """Twist (n, 6) of the frame with each independent coordinate, world axes."""
    if not len(small.M):
        return np.zeros((0, 6))
    assert small.model is not None and small.state.compiled is not None
    moving = Result(velocities(small.model, small.state.compiled, small.state.q, small.N.T))
    place = moving[at]
    return np.hstack([place.angular_velocity, place.velocity])


def _flexibility(small: LinearModel, loads: Array, names: Sequence[str]) -> Array:
    """Independent coordinates (n, directions) under loads (n, directions) on them."""
    n = len(small.M)
    acts = np.any(small.F != 0.0, axis=0)  # integrals without effect need not settle
    F, Y, Z = small.F[:, acts], small.Y[acts], small.Z[np.ix_(acts, acts)]
    unit = np.concatenate([small.unit, np.ones(len(Z))])
    stiff = unit[:, None] * np.block([[small.K, F], [-Y, -Z]]) * unit
    scaled = unit[:, None] * np.vstack([loads, np.zeros((len(Z), loads.shape[1]))])
    left, size, right = np.linalg.svd(stiff)
    free = size <= ROUNDING * size.max(initial=1e-300)
    along = left.T @ scaled
    pushed = np.abs(along[free]) > 1e-9 * np.abs(scaled).max(axis=0, initial=0.0)
    if np.any(pushed):
        name = names[int(np.argmax(pushed.any(axis=0)))]
        raise SuppleError(
            f"stiffness: a load along {name!r} moves the frame without resistance, "
            "expected springs, flexible bodies or drivers that hold it"
        )
    inverse = np.zeros_like(size)
    inverse[~free] = 1.0 / size[~free]
    found: Array = (unit[:, None] * (right.T @ (inverse[:, None] * along)))[:n]
    return found


def _stress(rest: StaticResult) -> float:
    """Largest stress of von Mises in all bodies whose stress is known, Pa; NaN if none is."""
    largest = [np.nan]
    for name, body in rest.bodies.items():
        if body.deforms:
            try:
                largest.append(float(rest[name].von_mises()[0]))
            except SuppleError:  # a section given by numbers, standard input data
                continue
    return float(np.fmax.reduce(largest))
