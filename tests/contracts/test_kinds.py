"""Every kind of joint, force element, constraint and signal, by every integrator and formulation.

A small model of each kind runs for a few milliseconds and must go where Radau goes in joint
coordinates, within the method's own error, or be refused by a sentence that names the integrator.
The tables of kinds say which of the two.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import supple as sp
from models.kind_models import (
    BACKWARDS,
    CONSTRAINT_MODELS,
    FORCE_MODELS,
    JOINTS,
    KINDS,
    SIGNAL_WAVES,
    by_cells,
    pushed,
)
from models.kind_runs import END, INTEGRATORS, formulations, model_of, run
from supple.analyses.kinematics.kinematics import Recorded
from supple.constraints import Constraint
from supple.constraints.kinds import CONSTRAINTS, LINKS
from supple.core.base.opcodes import SIGNALS
from supple.core.forces.forces import GRADIENT
from supple.engine.base.compiled import Compiled
from supple.engine.pack.builder import build
from supple.engine.pack.constraints import PACKERS as CONSTRAINT_PACKERS
from supple.engine.pack.forces import PACKERS as FORCE_PACKERS
from supple.engine.pack.kinds import treated
from supple.forces import ForceElement
from supple.forces.kinds import ELEMENTS, FORCES
from supple.foundation import public_names
from supple.joints import motions
from supple.results.views.ancf_views import ANCFView

# Largest errors of attitudes and places (1, m) and of their rates. Rates by steps of order 2 err by
# h^2/12 times their second derivative in a second: actions here change within 1/300 s and push with
# a few 100 rad/s2 or m/s2, so that it is below 5e7 and 4 ms leave 2e-4. The other methods err by
# their tolerance at each of some fifty steps.
FIXED_STEP, VARIABLE_STEP = (2e-6, 3e-4), (1e-6, 1e-5)
VISIBLE = 50.0  # times the largest error: what a kind must change at least to be seen




ABSOLUTE = 1  # place of absolute coordinates among the formulations


@cache
def reference(kind: str) -> tuple[np.ndarray, np.ndarray]:
    model = model_of(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        return where(model, sp.simulate(model, END, output=2, tolerance=1e-11))


def where(model: sp.Model, result: sp.results.Result) -> tuple[np.ndarray, np.ndarray]:
    """Attitudes and places of all bodies, and their velocities, at the end."""
    assert result.success, result.message
    bodies = [_framed(result[name]) for name in model.bodies]
    poses = [np.concatenate([b.matrix[-1].ravel(), b.position[-1]]) for b in bodies]
    rates = [np.concatenate([b.angular_velocity[-1], b.velocity[-1]]) for b in bodies]
    return np.array(poses), np.array(rates)


def _framed(view):
    """A body, or of one without a frame its end."""
    return view.far_end if isinstance(view, ANCFView) else view


@cache
def compiled_kinds(kind: str, number: int) -> tuple[list, Compiled]:
    """Words and methods of all kinds of a model in one of its formulations, and its buffers."""
    model = model_of(kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        compiled = build(model, tree=formulations(model)[number].tree(model))
    return [treated(table, code) for table, code in compiled.kinds], compiled


def treats(kind: str, integrator: sp.Integrator, number: int) -> bool:
    """What the tables of kinds say; the energy scheme also wants free bodies without rotors."""
    found, compiled = compiled_kinds(kind, number)
    if not all(integrator.method in methods for _, methods in found):
        return False
    if compiled.gradient and integrator.stability_limit:  # sections vibrate too fast for it
        return False
    flying = all(isinstance(joint, sp.Free) for joint in model_of(kind).joints.values())
    # bodies without a frame never hang on their joints
    flying |= bool(compiled.gradient) and (number > ABSOLUTE or not compiled.body_names)
    return integrator.method != "energy" or ((number == ABSOLUTE or flying) and not compiled.motors)


def bounds(integrator: sp.Integrator) -> tuple[float, float]:
    return FIXED_STEP if getattr(integrator, "step", None) else VARIABLE_STEP


@pytest.mark.parametrize("method", INTEGRATORS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_by_every_method(kind: str, method: str) -> None:
    model, integrator = model_of(kind), INTEGRATORS[method]
    if compiled_kinds(kind, 0)[1].gradient and getattr(integrator, "step", None):
        # sections shear with 8.7e3 rad/s, which steps of 1e-4 s hardly follow
        integrator = replace(integrator, step=integrator.step / 4.0)
    chosen = formulations(model)
    for number, formulation in enumerate(chosen[:1] if kind.endswith(BACKWARDS) else chosen):
        if not treats(kind, integrator, number):
            with pytest.raises(sp.ModelError, match=f"^{method}: .*, expected "):
                run(model, integrator, formulation)
            continue
        found, exact = where(model, run(model, integrator, formulation)), reference(kind)
        gaps = [np.abs(a - b).max() for a, b in zip(found, exact, strict=True)]
        assert np.all(np.less(gaps, bounds(integrator))), (type(formulation).__name__, gaps)


# -------------------------------------------------------------------------------- what the runs see


def change(model: sp.Model, other: sp.Model) -> float:
    """How much two models differ at the end, in largest errors of the steps of order 2."""
    (poses, rates), (other_poses, other_rates) = (
        where(m, run(m, sp.Radau(), sp.JointCoordinates())) for m in (model, other)
    )
    in_poses = np.abs(poses - other_poses).max() / FIXED_STEP[0]
    return max(in_poses, np.abs(rates - other_rates).max() / FIXED_STEP[1])


@pytest.mark.parametrize("kind", [*FORCE_MODELS, *CONSTRAINT_MODELS])
def test_every_force_and_constraint_is_seen(kind: str) -> None:
    """Without it the model goes elsewhere, far beyond the errors that are allowed."""
    model = model_of(kind)
    without = sp.Model(gravity=model.gravity)
    for item in (*model.bodies.values(), *model.joints.values()):
        without.add(item)
    assert change(model, without) > VISIBLE


def test_damping_of_a_body_is_seen() -> None:
    assert change(model_of("elastic edges"), model_of("damping of a body")) > VISIBLE


@pytest.mark.parametrize("name", SIGNAL_WAVES)
def test_every_signal_is_seen(name: str) -> None:
    for part in (list(SIGNAL_WAVES)[:5], list(SIGNAL_WAVES)[5:]):
        if name in part:
            waves = [SIGNAL_WAVES[n] for n in part]
            others = [sp.Constant(0.0) if n == name else SIGNAL_WAVES[n] for n in part]
            assert change(pushed(waves), pushed(others)) > VISIBLE


# --------------------------------------------------------------------------------- tables are whole


def exported(base: type) -> set[type]:
    """The classes of the public vocabulary that can be made."""
    found = set(map(public_names.value, public_names.paths()))
    kinds = {c for c in found if isinstance(c, type) and issubclass(c, base)}
    return {c for c in kinds if not any(d is not c and issubclass(d, c) for d in kinds)}


def test_every_class_of_the_vocabulary_is_run() -> None:
    assert {c.__name__ for c in exported(sp.joints.Joint)} == set(JOINTS)
    assert exported(ForceElement) == {c for c, _ in FORCE_MODELS.values()} == set(FORCES)
    assert exported(Constraint) == {c for c, _ in CONSTRAINT_MODELS.values()}
    assert {type(wave) for wave in SIGNAL_WAVES.values()} >= exported(sp.signals.Signal) - {
        Recorded
    }


def test_every_row_of_the_tables_is_run() -> None:
    """A new row wants a model here: otherwise nobody knows whether the kernels treat it."""
    used: set[tuple[str, int]] = set()
    for kind in KINDS:
        for number in range(3):
            used |= set(compiled_kinds(kind, number)[1].kinds)
    rows = {("motion", kind.code) for kind in motions.MOTIONS.values()}
    rows |= {("element", code) for code in ELEMENTS} | {("link", code) for code in LINKS}
    rows |= {("driven link", code) for code, kind in LINKS.items() if kind.driven}
    used |= set(build(by_cells()).kinds)  # by DormandPrince: tests/forces/test_contact_sets.py
    assert used == rows | {("signal", code) for code in SIGNALS}


def test_rows_agree_with_packers_and_with_what_they_are_compiled_to() -> None:
    assert set(FORCES) == set(FORCE_PACKERS)
    assert set(CONSTRAINTS) == set(CONSTRAINT_PACKERS)
    for kind, (cls, _) in FORCE_MODELS.items():
        compiled = compiled_kinds(kind, 0)[1]
        own = {code for table, code in compiled.kinds if table == "element"}
        bodies = own - set(FORCES[cls].laws) - {GRADIENT}  # elements of what surfaces are of
        assert own & set(FORCES[cls].laws) and not bodies
        forces = model_of(kind).forces.values()
        laws = sum(f.law.states for f in forces if isinstance(f, sp.StateSpaceController))
        touching = [f for f in forces if isinstance(f, sp.Contact)]
        laws += sum(3 * len(f.pairs()) for f in touching if isinstance(f.friction, sp.Friction))
        laws += 3 * sum(isinstance(f, sp.Tyre) for f in forces)
        assert compiled.nz == FORCES[cls].states + laws
    for kind, (cls, _) in CONSTRAINT_MODELS.items():
        row = next(CONSTRAINTS[c] for c in cls.__mro__ if c in CONSTRAINTS)
        tables = ("link", "driven link")
        own = {code for table, code in compiled_kinds(kind, 0)[1].kinds if table in tables}
        assert own == set(row.links)


def test_codes_and_names_are_unique() -> None:
    assert len({kind.code for kind in motions.MOTIONS.values()}) == len(motions.MOTIONS)
    for kind in motions.MOTIONS.values():
        if kind.chart is not None:
            assert len(kind.units) == len(kind.directions) + kind.chart.quaternion
