"""linearize: small motion of a model about an equilibrium or another state.

With q = retract(q*, x) and u = u* + v the equations of motion, the rows and the rates become

    M a + Ru v + Rq x + G^T dlam + Rz z = 0       G x = 0       G v + H x = 0       x' = v - L x

where Rq has the multipliers' part d(G^T lam)/dq, and L comes from coordinates whose velocities are
in moving axes: w~ for a ball, ad(V) for a free body. Independent coordinates y = x[chosen] give
x = N y and, with w = v[chosen], v = N w + P y, where G P = -H N and P[chosen] = 0. The multipliers
leave with N^T. So a = N w' + N' w + P y' + P' y, see `supple.analyses.linear.independent`, and

    y' = w - L[chosen] N y
    N^T (M a + Ru (N w + P y) + Rq N y + Rz z) = 0

In steady motion these equations have constant coefficients, or they hold for an instant only.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from supple.analyses.base.arguments import coordinates_of, expect, number, starting_state
from supple.analyses.base.snapshot_result import instant
from supple.analyses.equilibrium.balance import independent_places, null_space, turned
from supple.analyses.equilibrium.static_result import StaticResult
from supple.analyses.equilibrium.statics import statics
from supple.analyses.linear.frequency_errors import frequency_errors, with_frequencies
from supple.analyses.linear.independent import Matrices, dof_names, preferences, reduced
from supple.analyses.linear.linear_model import CONSTANT, LinearModel
from supple.analyses.linear.velocity_rows import reduced_with_places
from supple.constraints.couplings import joint_target
from supple.engine.base.compiled import Compiled
from supple.forces import SampledController
from supple.formulations.base import Formulation
from supple.formulations.equations import Equations
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError, SimulationError, SuppleWarning, label, warn_caller
from supple.foundation.frames import System
from supple.foundation.validate import listed
from supple.loops.assembly import compile_model, on_constraints, scaled_rows
from supple.results.checks.reduced_bodies import asked_damping, damping_ratio
from supple.results.data.findings import Finding, Monitor
from supple.results.monitor.monitor import monitor
from supple.results.result import Result
from supple.state import State, mismatch

if TYPE_CHECKING:
    from supple.model import Model

OWNER = "linearize"
TOLD = ("frequency", "damping")  # findings that are told though they are not serious
Target = str | tuple[str, int | str]
LOAD = 0.04  # part of the stiffness that loads may change: 2 % of a frequency
FIRST = 1e3  # weight of coordinates that come before others
STEADY = 1e-3  # accelerations of steady motion, in squares of the largest rate
TURN = 0.7  # rad after which a model that turns is looked at again
SINGULAR = 1e-9  # part of the largest singular value below which chosen coordinates do not move all
MODES = 12  # lowest modes that are looked at
OWN = 0.9  # part of the potential energy of a mode that is strain of the body


def damping_errors(linear: LinearModel) -> Iterator[Finding]:
    """Findings about the first mode of each body whose ratio is off by more than a fifth.

    About states at rest: a rotation changes frequencies, and with them the ratios.
    """
    c = linear.compiled
    if np.any(linear.state.u != 0.0):
        return
    records = [r for r in c.flexible.values() if r.modal.n and asked_damping(r.body) is not None]
    modes = [m for m in linear.modes if m.eigenvalue.imag > 0.0][:MODES] if records else []
    for record in records:
        damping, own = asked_damping(record.body), record.modal
        assert damping is not None
        for mode in modes:
            y, moved = mode.shape[list(linear.places)], mode.shape[record.u]
            twice = abs(mode.eigenvalue) ** 2 * float(np.real(y.conj() @ linear.M @ y))
            if float(np.real(moved.conj() @ own.K @ moved)) < OWN * twice:
                continue
            lost = float(np.real(moved.conj() @ own.C @ moved))
            asked = damping.asked(own.M, own.K, moved)
            ratio = lost * abs(mode.eigenvalue) / (2.0 * twice)
            finding = damping_ratio(record.body, mode.frequency, asked, ratio).finding(record.name)
            if finding is not None:
                yield finding
                break


def with_damping(monitor: Monitor, linear: LinearModel) -> Monitor:
    """Monitor with added findings about damping."""
    return monitor.adding(f for f in damping_errors(linear) if f.body in monitor.bodies)


def linearize(
    model: Model,
    at: State | Result | Literal["initial"] | None = None,
    *,
    t: float = 0.0,
    independent: Sequence[Target] | None = None,
    formulation: Formulation | None = None,
) -> LinearModel:
    """Linearize a model: mass, damping and stiffness, eigenvalues and mode shapes.

    Parameters
    ----------
    at : State, Result or "initial", optional
        About which state: that of a result or of `statics`, or the initial state. By default the
        equilibrium that `statics` finds at the time ``t``. A steady motion, of a rotor for example,
        is given by one of its states, or by `statics` with ``spin``: what drives it, the effort of
        that result, stays as it is. About any other state the linear model holds for an instant.
    t : s
        When signals stand still in the default equilibrium; states have their own time.
    independent : sequence of joints or pairs (joint, coordinate), optional
        Coordinates in which the matrices are written, as many as there are degrees of freedom
        besides those of flexible bodies, which are added; by default those that move most.
    formulation : JointCoordinates, Absolute or Branch, optional
        The choice of coordinates; eigenvalues do not depend on it, but for axes that turn: those
        of a round rotor may be seen in its own axes or in those of its bearings.
    """
    expect(OWNER, "model", model, System, "a Model")
    formulation = coordinates_of(OWNER, formulation)
    moment = number(OWNER, "t", t)
    model.check()  # its warnings are not those of the search for an equilibrium, which are silent
    model = formulation.written(model)
    tree = formulation.tree(model)
    if at is None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SuppleWarning)
            at = statics(model, t=moment, formulation=formulation)
        if not at.success:
            raise SimulationError(f"linearize: there is no equilibrium to begin with: {at.message}")
    if isinstance(at, StaticResult):
        compiled = compile_model(model, (), tree, float(at.t[0]))
    else:
        compiled = compile_model(model, (), tree)
    start = None if isinstance(at, str) and at == "initial" else at
    state = starting_state(OWNER, start, compiled)
    if not isinstance(at, StaticResult):
        state = on_constraints(compiled, state)
    effort = None
    if isinstance(at, StaticResult) and not mismatch(at.state(), compiled):
        effort = at.equilibrium.drive  # what keeps a steady rotation
    linear = linear_about(model, compiled, state, independent, effort)
    seen = linear.monitor
    told = (f.sentence for f in seen.findings if f.serious or f.what in TOLD)
    held = (f"{label(f)} holds its effort between samples: it is left out of the linear model"
            for f in model.forces.values() if isinstance(f, SampledController))  # fmt: skip
    for doubt in (*told, *_of_loads(seen), *held, *linear.doubts(OWNER)):
        warn_caller(doubt)
    return linear


def linear_about(
    model: Model,
    compiled: Compiled,
    state: State,
    independent: Sequence[Target] | None = None,
    effort: Array | None = None,
) -> LinearModel:
    """Small motion about a state of a compiled model, with what its monitor finds.

    ``effort`` (nu,) is what keeps a steady rotation.
    """
    equations = Equations(compiled)
    return with_monitor(equations, linear_model(equations, state, model, independent, effort))


def with_monitor(equations: Equations, linear: LinearModel) -> LinearModel:
    """Linear model with the findings of its monitor added, those about frequencies included."""
    model, state = linear.model, linear.state
    seen = monitor(Result(instant(model, equations, state, True, "one state", {})), across=True)
    if not equations.compiled.deforming:
        return replace(linear, monitor=seen)
    errors = frequency_errors(equations, linear, model)
    seen = with_frequencies(seen, linear, errors)
    why = "" if errors.nodal is None else errors.nodal.why
    return linear.judged(with_damping(seen, linear), errors.all_parts, why)


def _of_loads(monitor: Monitor) -> Iterator[str]:
    """Sentences about bodies whose loads would change their frequencies."""
    for name, body in monitor.bodies.items():
        if body.load_stiffness > LOAD and not body.buckling > 1.0:
            yield (
                f"flexible body '{name}': tension or pressure by its loads would change the "
                f"stiffness of a shape by {body.load_stiffness:.2g}, which is left out without "
                f"stiffening: its frequencies are off by up to {0.5 * body.load_stiffness:.1%}"
            )


def linear_model(
    equations: Equations,
    state: State,
    model: Model,
    independent: Sequence[Target] | None = None,
    effort: Array | None = None,
) -> LinearModel:
    """Small motion about a state, under constant further efforts (nu,), N m or N.

    Where the model turns, independent coordinates are those in which the matrices do not change,
    if there are some: of parts that move most, or that stand still, or that turn.
    """
    c = equations.compiled
    G = equations.constraints(state.t, state.q, state.u).G
    motions = null_space(scaled_rows(c, G), c.nu) * c.scale[:, None]
    best: LinearModel | None = None
    for first in (None,) if independent is not None else preferences(c, state.u):
        chosen = _chosen(c, motions, independent, model, first)
        linear = _about(equations, state, model, chosen, effort)
        best = linear if best is None or linear.periodic < best.periodic else best
        if best.periodic <= CONSTANT:
            break
    assert best is not None
    return best


def _about(
    equations: Equations, state: State, model: Model, chosen: list[int], effort: Array | None
) -> LinearModel:
    """Small motion in given independent coordinates."""
    c, (t, q, u, z) = equations.compiled, (state.t, state.q, state.u, state.z)
    a = equations.accelerate(t, q, u, z, effort)
    names, unsteady = dof_names(c), float(np.max(np.abs(a) / c.scale, initial=0.0))
    fastest = float(np.max(np.abs(u) / c.scale, initial=0.0))
    steady = fastest > 0.0 and unsteady <= STEADY * fastest**2
    S, further = np.zeros((c.nu, 0)), list[int]()
    if np.any(c.rate_rows):
        matrices, R, further = reduced_with_places(equations, state, chosen, effort, steady)
        S = R[:, len(chosen) :]
    else:
        matrices = reduced(equations, state, chosen, effort, steady)
    periodic = 0.0
    if steady:
        later = replace(state, q=turned(equations, q, TURN / fastest * u))
        if further:
            after = reduced_with_places(equations, later, chosen, effort, steady)[0]
        else:
            after = reduced(equations, later, chosen, effort, steady)
        periodic = _change(matrices, after, c.scale[chosen])
    return LinearModel(
        state=State(t, q, u, z, compiled=c),
        names=tuple(names[k] for k in chosen),
        places=tuple(chosen),
        **matrices._asdict(),
        unsteady=unsteady,
        model=model,
        effort=effort,
        periodic=periodic,
        further=tuple(names[k] for k in further),
        S=S,
        _linearized=linear_model,
    )


def _change(a: Matrices, b: Matrices, unit: Array) -> float:
    """Largest difference of mass, damping and stiffness, in parts of the largest entries."""
    units = np.outer(unit, unit)
    mass, drag, stiff = (float(np.max(np.abs(units * x), initial=0.0)) for x in a[:3])
    sizes = mass, max(drag, np.sqrt(mass * stiff)), stiff
    changes = [
        float(np.max(np.abs(units * (x - y)), initial=0.0)) / size
        for x, y, size in zip(a[:3], b[:3], sizes, strict=True)
        if size > 0.0
    ]
    return max(changes, default=0.0)


def _chosen(
    c: Compiled,
    motions: Array,
    independent: Sequence[Target] | None,
    model: Model,
    first: Array | None = None,
) -> list[int]:
    """Places (n) of independent velocities: the given ones, or those that move most.

    Those that are ``first`` (nu,) come before all others.
    """
    n = motions.shape[1]
    scaled = motions / c.scale[:, None]
    if independent is None:
        weights = 1.0 if first is None else np.where(first, FIRST, 1.0)[:, None]
        return independent_places(scaled * weights)
    expected_items = "joints, their names, or pairs (joint, coordinate)"
    independent = listed(OWNER, "independent", independent, expected_items)
    chosen = [k for body in c.deforming.values() for k in range(body.u.start, body.u.stop)]
    for target in independent:
        joint, coordinate = joint_target(OWNER, "independent", target)
        if joint not in model.joints:
            known = ", ".join(repr(name) for name in list(model.joints)[:8])
            raise ModelError(OWNER, "independent", joint, f"the name of a joint: {known}")
        place = model.joints[joint].coordinate_index(coordinate, OWNER)
        chosen.append(c.coordinate(joint, place)[1])
    expected = f"{n - (len(chosen) - len(independent))} coordinates that move all others"
    if len(chosen) != n or len(set(chosen)) != n:
        raise ModelError(OWNER, "independent", list(independent), expected)
    values = np.linalg.svd(scaled[chosen], compute_uv=False)
    if n and values[-1] < SINGULAR:
        raise ModelError(OWNER, "independent", list(independent), expected)
    return chosen
