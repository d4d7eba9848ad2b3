"""What is in no table of kinds, or not treated by a method, is refused by a sentence."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np
import pytest

import supple as sp
from models.kind_models import arm, rigid
from models.kind_runs import END, INTEGRATORS, model_of, run
from supple.constraints import Constraint
from supple.constraints.kinds import LINKS
from supple.core.forces import constraint_rows as links
from supple.core.forces import forces as codes
from supple.engine.pack.builder import build
from supple.forces import ForceElement
from supple.forces.kinds import ELEMENTS
from supple.joints import motions
from supple.joints.base import Joint, Motion
from supple.signals.base import Packed


@pytest.fixture
def motion_methods(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Change which methods treat the rotation about an axis."""

    def change_row(*methods: str) -> None:
        row = dataclasses.replace(motions.MOTIONS["rotate"], methods=frozenset(methods))
        monkeypatch.setitem(motions.MOTIONS, "rotate", row)

    return change_row


OTHERS = [name for name, item in INTEGRATORS.items() if item.method != "one-step"]


@pytest.mark.parametrize("method", OTHERS)
def test_a_motion_that_a_method_does_not_treat_is_refused(method: str, motion_methods) -> None:
    integrator = INTEGRATORS[method]
    motion_methods(*(motions.ALL_METHODS - {integrator.method}))
    sentence = rf"^{method}: Revolute 'hinge' has a motion of the kind 'rotate', .*expected "
    with pytest.raises(sp.ModelError, match=sentence):
        run(model_of("Force"), integrator, sp.Absolute())
    assert run(model_of("Force"), sp.Radau(), sp.Absolute()).success


@pytest.mark.parametrize("method", OTHERS)
def test_an_element_that_a_method_does_not_treat_is_refused(method: str, monkeypatch) -> None:
    integrator = INTEGRATORS[method]
    others = motions.ALL_METHODS - {integrator.method}
    row = dataclasses.replace(ELEMENTS[codes.FORCE], methods=others)
    monkeypatch.setitem(ELEMENTS, codes.FORCE, row)
    with pytest.raises(sp.ModelError, match=rf"^{method}: .*'push' is a force, .*expected "):
        run(model_of("Force"), integrator, sp.Absolute())


@pytest.mark.parametrize("method", OTHERS)
def test_rows_that_a_method_does_not_treat_are_refused(method: str, monkeypatch) -> None:
    integrator = INTEGRATORS[method]
    others = motions.ALL_METHODS - {integrator.method}
    monkeypatch.setitem(
        LINKS, links.DISTANCE, dataclasses.replace(LINKS[links.DISTANCE], methods=others)
    )
    with pytest.raises(sp.ModelError, match=rf"^{method}: Distance 'rod' keeps a dist.*expected "):
        run(model_of("Distance"), integrator, sp.Absolute())


def test_a_motion_without_kernels_is_refused_by_every_analysis(motion_methods) -> None:
    motion_methods("multistep", "energy")
    model = model_of("JointSpring")
    model.gravity = model.gravity  # what was compiled before the row changed is forgotten
    sentence = "^Revolute 'hinge' has a motion of the kind 'rotate', which the engine does not"
    for call in (
        lambda: sp.simulate(model, END),
        lambda: sp.statics(model),
        lambda: sp.linearize(model, at="initial"),
        lambda: sp.assemble(model),
        lambda: sp.lyapunov(model, 1.0),
    ):
        with pytest.raises(sp.ModelError, match=sentence):
            call()


class _Odd(Joint):
    """A joint whose motions are what the test says."""

    coordinate_names = ("angle",)

    def __init__(self, name, A, B, *chosen: Motion) -> None:
        object.__setattr__(self, "chosen", chosen)
        self._connect(name, A, B)
        self._start(None, None)

    @property
    def motions(self) -> tuple[Motion, ...]:
        return self.chosen  # type: ignore[attr-defined]


def test_unknown_motions_are_refused() -> None:
    model = arm()
    ends = model["link"].at(0), model["bob"].at(0)
    z = np.array([0.0, 0.0, 1.0])
    known = "fixed, rotate, translate, ball, free"
    with pytest.raises(
        sp.ModelError, match=rf"^Motion: kind is 'helical', expected one of {known}"
    ):
        _Odd("nut", *ends, Motion("helical", z))  # type: ignore[arg-type]
    with pytest.raises(sp.ModelError, match=r"^Motion: kind is 'elastic_in', expected one of"):
        _Odd("nut", *ends, Motion("elastic_in"))  # type: ignore[arg-type]
    with pytest.raises(sp.ModelError, match=r"^Motion: axis is None, expected an axis"):
        _Odd("nut", *ends, Motion("rotate"))
    with pytest.raises(sp.ModelError, match=r"^Motion: axis is .*, expected none for 'ball'"):
        _Odd("nut", *ends, Motion("ball", z))
    model = sp.Model()
    body = model.add(rigid("body"))
    model.add(_Odd("nut", model.ground.at(0), body.at(0), Motion("ball"), Motion("rotate", z)))
    expected = "expected motions about and along axes, or a single other motion"
    with pytest.raises(sp.ModelError, match=rf"^_Odd 'nut': motions is .*, {expected}"):
        sp.simulate(model, END)


def test_a_new_motion_is_refused_where_it_has_no_branch(monkeypatch) -> None:
    """A helical motion with a row and a code that no kernel knows."""
    row = dataclasses.replace(
        motions.MOTIONS["rotate"], name="helical", code=99, methods=frozenset(("one-step",))
    )
    monkeypatch.setitem(motions.MOTIONS, "helical", row)
    model = sp.Model()
    body = model.add(rigid("body"))
    z = np.array([0.0, 0.0, 1.0])
    model.add(_Odd("nut", model.ground.at(0), body.at(0), Motion("helical", z)))  # type: ignore[arg-type]
    for method in ("BDF", "Adams"):
        with pytest.raises(sp.ModelError, match=f"^{method}: _Odd 'nut' has a motion of the kind"):
            run(model, INTEGRATORS[method], sp.JointCoordinates())
    with pytest.raises(sp.ModelError, match=r"^EnergyScheme: _Odd 'nut' has a motion of the kind"):
        run(model, INTEGRATORS["EnergyScheme"], sp.Absolute())
    with pytest.raises(
        sp.ModelError, match=r"^velocity_transformation: _Odd 'nut' has a motion of"
    ):
        sp.velocity_transformation(model)


class _Wind(ForceElement):
    def __init__(self) -> None:
        self._named("wind")


class _Wish(Constraint):
    def __init__(self) -> None:
        self._named("wish")


class _Noise(sp.signals.Signal):
    def __call__(self, t):
        return 0.0 * np.asarray(t)

    def derivatives(self, t):
        return 0.0, 0.0, 0.0

    def program(self):
        return Packed(99, (), np.zeros(1))


def test_elements_without_a_row_are_refused() -> None:
    model = arm()
    model.add(_Wind())
    with pytest.raises(
        sp.ModelError, match=r"^_Wind 'wind': type is the class _Wind, expected one"
    ):
        build(model)
    model = arm()
    model.add(_Wish())
    with pytest.raises(
        sp.ModelError, match=r"^_Wish 'wish': type is the class _Wish, expected one"
    ):
        build(model)
    model = arm()
    model.add(sp.JointEffort("drive", "hinge", _Noise()))
    with pytest.raises(sp.ModelError, match=r"^JointEffort 'drive': code of its signal is 99, exp"):
        build(model)


# ------------------------------------------------------------------------------- a helical joint


@pytest.mark.parametrize("method", ["Radau", "DormandPrince", "GeneralizedAlpha", "BDF", "Adams"])
@pytest.mark.parametrize("backwards", [False, True])
def test_a_helical_joint_is_a_screw_on_a_cylindrical_one(method: str, backwards: bool) -> None:
    """A nut on a vertical thread falls as it turns: (J + m p^2) angle'' = m g p, p = pitch/2 pi."""
    model = sp.Model(gravity=(0, 0, 9.81 if backwards else -9.81))
    nut = model.add(sp.RigidBody("nut", 2.0, (0, 0, 0), np.diag([0.01, 0.01, 0.02])))
    ends = model.ground.at(0), nut.at(0)
    model.add(sp.Cylindrical("thread", *(ends[::-1] if backwards else ends), axis="z"))
    model.add(sp.Screw("pitch", "thread", -0.5))
    p = 0.5 / (2.0 * np.pi)
    result = run(model, INTEGRATORS[method], sp.JointCoordinates())
    faster = 2.0 * 9.81 * p / (0.02 + 2.0 * p**2)
    t = result.t
    np.testing.assert_allclose(result["thread"].angle, 0.5 * faster * t**2, atol=1e-8)
    np.testing.assert_allclose(result["thread"].displacement, -0.5 * p * faster * t**2, atol=1e-8)
