"""Finer models, and what they say about errors of stiffnesses, load factors and slow responses.

A monitor looks at the loads that act. Where the question is what a load would do, it is asked of
another model in the same equilibrium: with more elements and modes, with static shapes for
everything that is attached, a load at the frame among it, on a finer mesh
(`supple.bodies.base.refinement`), or with displacements of second order.

The monitor of a linear model judges its frequencies, which may all be right where the static
deflection under an input is not: that of modes that are left out. So the displacement at each input
by an effort there is compared, well below the lowest frequency, with that of a model whose bodies
have static shapes for these inputs.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.analyses.equilibrium.balance import AtRest
from supple.analyses.equilibrium.equilibrium import Search
from supple.analyses.linear.state_space import OWNER, Ports
from supple.bodies.base.refinement import (
    beyond_linear,
    exact_statics,
    finer_mesh,
    leaves_shapes_out,
    more_modes,
)
from supple.engine.base.compiled import Compiled
from supple.forces import Force
from supple.formulations.equations import Equations
from supple.formulations.trees import JointCoordinates
from supple.foundation.arrays import Array
from supple.foundation.errors import SuppleError, SuppleWarning, percent
from supple.foundation.frames import Body, Frame
from supple.loops.assembly import compile_model
from supple.results.checks.deformation import LOAD, SERIOUS_LOAD
from supple.results.checks.reduced_bodies import NAMED, RIGID
from supple.results.data.findings import Finding, Monitor
from supple.state import State

if TYPE_CHECKING:
    from supple.analyses.linear.linear_model import LinearModel
    from supple.model import Model

LIMIT, SERIOUS = 0.02, 0.1  # part of the flexibility, as of frequencies
ASKED = "load that is asked for"
NONE = 1e-9  # of the largest compliance: rounding
SLOW = 0.3  # of the lowest frequency
FINER = 2  # times the elements, parts and modes
TOLD = ("load", "buckling", "stretch")  # findings that say that loads change a stiffness


def finer_model(model: Model, at: Frame | None = None) -> tuple[Model, tuple[Body, ...]]:
    """A copy with exact statics, and the bodies of the model of which it has others.

    For loads at a frame, and where something acts.
    """
    finer, refined = model.copy(), []
    for name, body in model.bodies.items():
        fields = exact_statics(body)
        if fields:
            finer.replace(name, **fields)
            refined.append(body)
    if refined and at is not None:
        name = ASKED
        while name in finer:
            name += "'"
        finer.add(Force(name, Frame(finer.bodies[at.body.name], at.position, at.rotation)))
    return finer, tuple(refined)


def finer_models(model: Model) -> list[tuple[Model, str]]:
    """Models to compare with, best first, each with what to do if it differs."""
    ways: tuple[tuple[Callable[[Any, int], dict[str, Any]], ...], ...] = (
        (finer_mesh, more_modes),
        (more_modes,),
        (finer_mesh,),
    )
    models: list[tuple[Model, str]] = []
    for steps in ways:
        made = model.copy()
        advice: dict[str, list[str]] = {}
        for name in model.bodies:
            for refine in steps:
                try:
                    fields = refine(made[name], FINER)
                except SuppleError:  # a mesh that is given
                    continue
                if fields:
                    made.replace(name, **fields)
                    advice.setdefault(name, []).append(_words(fields))
        if advice:
            name, words = next(iter(advice.items()))
            others = " and others" if len(advice) > 1 else ""
            models.append((made, f"use more {' and '.join(words)} of {name!r}{others}"))
    return models


def with_finer(model: Model, factor: Callable[[Model], float]) -> tuple[float, str] | None:
    """Load factor of the finest model that has one, and advice; None: there is none."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for finer, advice in finer_models(model):
            try:
                return factor(finer), advice
            except SuppleError:  # too large, or without a load factor
                continue
    return None


def _words(fields: dict[str, Any]) -> str:
    if "modes" in fields:
        return "modes"
    return "parts" if "parts" in fields else "elements"


def stiffened_model(model: Model, monitor: Monitor) -> Model | None:
    """A copy with second order where loads change a stiffness that is left out; None if none do."""
    if any(f.what in TOLD for f in monitor.findings):
        return None
    made, changed = model.copy(), False
    for name, seen in monitor.bodies.items():
        if seen.load_stiffness > LOAD and name in model.bodies:
            if "stiffening" in (beyond_linear(model.bodies[name]) or {}):
                made.replace(name, stiffening="second_order")
                changed = True
    return made if changed else None


def carried(source: Compiled, q: Array, target: Compiled) -> Array:
    """Coordinates of another compilation: the same of joints, of bodies where they are the same."""
    coordinates = target.q0.copy()
    for group in ("joints", "extra", "motors", "flexible", "gradient"):
        theirs = getattr(source, group)
        for name, record in getattr(target, group).items():
            if name not in theirs or not getattr(record, "own", True):
                continue
            other = theirs[name]
            if group in ("flexible", "gradient"):
                if record.coordinate_names != other.coordinate_names:
                    continue
            coordinates[record.q] = q[other.q]
    return coordinates


def with_flexibility(
    monitor: Monitor, bodies: Sequence[Body], directions: Sequence[str], given: Array, right: Array
) -> Monitor:
    """A monitor with a finding, if compliances (n,) along directions are too small.

    ``bodies`` are those that were refined for the right ones.
    """
    size = float(np.abs(right).max(initial=0.0))
    missing = np.where(right > NONE * size, 1.0 - given / np.maximum(right, 1e-300), 0.0)
    k = int(np.argmax(missing))
    part, names = float(missing[k]), [body.name for body in bodies if body.name in monitor.bodies]
    if not part > LIMIT or not names:
        return monitor
    some = [f"'{name}'" for name in names[:NAMED]] + ["others"] * (len(names) > NAMED)
    listed = f"{', '.join(some[:-1])} and {some[-1]}" if len(some) > 1 else some[0]
    how = "cannot deform" if part >= RIGID else f"is {percent(part / (1.0 - part))} too stiff"
    advice = "use more elements"
    if any(leaves_shapes_out(body) for body in bodies):
        advice = (
            "use modes='all', or modes=AttachmentModes(n) with a Force at the frame, whose "
            "components may be zero"
        )
    sentence = (
        f"flexible {'bodies' if len(some) > 1 else 'body'} {listed}: with the present modes and "
        f"elements the model {how} for a load along {directions[k]!r}, expected at most "
        f"{percent(LIMIT)}: {advice}"
    )
    finding = Finding(names[0], "flexibility", part, LIMIT, None, part > SERIOUS, sentence)
    return monitor.adding([finding])


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
    return monitor.adding([finding])


def too_small(linear: LinearModel, inputs: Any) -> str | None:
    """A sentence about the input whose response is too small by most; None if none is."""
    slow = SLOW * 2.0 * np.pi * float(np.min(linear.frequencies, initial=np.inf))
    if not linear.compiled.flexible or not np.isfinite(slow) or np.any(linear.state.u):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        try:
            finer = _finer(linear, inputs)
            if finer is None:
                return None
            names, own = _responses(linear, inputs, slow)
            right = _responses(finer, [_on(finer.model, x) for x in _listed(inputs)], slow)[1]
        except SuppleError:  # bodies that do not take other shapes
            return None
    moved = np.abs(right)
    missing = 1.0 - np.abs(own) / np.where(moved > 0.0, moved, np.inf)
    k = int(np.argmax(np.where(moved > 0.0, missing, 0.0)))
    if not len(names) or not missing[k] > LIMIT:
        return None
    return (
        f"{OWNER}: with the present modes and elements of flexible bodies the slow response at "
        f"{names[k]!r} to an effort there is {percent(missing[k])} too small, expected at most "
        f"{percent(LIMIT)}: use modes='all', AttachmentModes(n) with a Force at the frame, whose "
        "components may be zero, or more elements"
    )


def _finer(linear: LinearModel, inputs: Any) -> LinearModel | None:
    """Small motion of the same model with exact statics for inputs; None if it is the same."""
    frames = [x if isinstance(x, Frame) else x[0] for x in _listed(inputs) if _is_place(x)]
    model, refined = finer_model(linear.model, frames[0] if frames else None)
    if not refined or linear._linearized is None:
        return None
    for frame in frames[1:]:
        model = finer_model(model, frame)[0]
    t, state = linear.state.t, linear.state
    equations = Equations(compile_model(model, (), JointCoordinates().tree(model), t))
    q = carried(linear.compiled, state.q, equations.compiled)
    rest = Search(AtRest(equations, t)).run(q, state.z)
    if not rest.found:
        return None
    return linear._linearized(equations, State(t, rest.q, rest.u, rest.z), model)


def _listed(inputs: Any) -> Sequence[Any]:
    alone = isinstance(inputs, str | Frame) or not isinstance(inputs, Sequence) or _is_place(inputs)
    return [inputs] if alone else inputs


def _on(model: Any, item: Any) -> Any:
    """An input of another model: frames and bodies are found by the name of the body."""
    if isinstance(item, Body):
        return model[item.name]
    if isinstance(item, Frame):
        return Frame(model[item.body.name], item.position, item.rotation)
    return (_on(model, item[0]), item[1]) if _is_place(item) else item


def _is_place(item: Any) -> bool:
    """True if an input is a frame, or a pair of a frame and a direction."""
    pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str)
    return isinstance(item, Frame) or (pair and isinstance(item[0], Frame))


def _responses(linear: LinearModel, inputs: Any, omega: float) -> tuple[list[str], Array]:
    """Names of pushed ports, and their complex displacements by efforts on each of them."""
    ports = [port for port in Ports(linear).find("inputs", inputs) if not port.driver]
    rows = np.array([port.row for port in ports]).reshape(len(ports), -1) @ linear.N
    n, s = len(linear.M), 1j * omega
    size = len(linear.Z)
    coupled = np.zeros((n, n), complex)
    if size:
        inner = np.linalg.solve(s * np.eye(size) - linear.Z, linear.Y + s * linear.V)
        coupled = linear.F @ inner
    dynamic = s**2 * linear.M + s * linear.C + linear.K + coupled
    moved = np.linalg.solve(dynamic, rows.T)
    return [port.name for port in ports], np.einsum("kn,nk->k", rows, moved)
