"""Calls with unknown, missing, doubled or too many arguments: a sentence each, with what is meant.

Every call of `tests/models/valid_calls.py` is made wrongly in these ways, and every public method
of what users hold in their hands is called with an argument that it does not have.
"""

from __future__ import annotations

import copy
import inspect
import pickle
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

import supple as sp
from models.valid_calls import (
    BEAM,
    CALLS,
    CUBE,
    LINK,
    PAIR,
    STEEL,
    Call,
    held_beam,
    pendulum,
    run,
    sprung,
)
from supple.foundation import public_names
from supple.foundation.synonyms import SYNONYMS, meant

NONSENSE = "zq_zq"


def ours(call: Call) -> bool:
    """Whether a call is of Supple itself, not of a function of the tests around it."""
    return str(getattr(call.what, "__module__", "")).partition(".")[0] == "supple"


def sentence_of(call: Call, *more: Any, without: tuple[str, ...] = (), **named: Any) -> str:
    """What is said about a call with other arguments; it is an error in Python's sense, too."""
    given = {k: v for k, v in call.given.items() if k not in without} | named
    with pytest.raises(sp.ArgumentError) as caught:
        call.what(*more, **given)
    assert isinstance(caught.value, TypeError) and isinstance(caught.value, sp.ModelError)
    text = str(caught.value)
    assert "\n" not in text and len(text) < 700 and "__" not in text
    assert any(word in text for word in ("expected", "did you mean", "known:", "takes none")), text
    return text


NAMES = [name for name, call in CALLS.items() if ours(call)]


def test_nearly_all_calls_are_of_supple_itself() -> None:
    public = [name for name in CALLS if name in public_names.paths()]
    assert [name for name in public if name not in NAMES] == ["TaperedSection"]


@pytest.mark.parametrize("name", NAMES)
def test_wrong_arguments_of_a_call(name: str) -> None:
    call = CALLS[name]
    parameters = inspect.signature(call.what).parameters.values()
    kinds = {p.kind for p in parameters}
    required = [
        p.name for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL
    ]
    by_name = [p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if inspect.Parameter.VAR_KEYWORD not in kinds:
        text = sentence_of(call, **{NONSENSE: 1})
        assert f"there is no argument '{NONSENSE}'" in text
        for field in by_name:
            wrong = field + field[-1] if len(field) > 1 else field.swapcase()
            if wrong in by_name or len(field) == 1:
                continue
            text = sentence_of(call, without=(field,), **{wrong: 1})
            assert f"did you mean {field!r}" in text, text
        for field in required:
            if field in call.given:
                text = sentence_of(call, without=(field,))
                assert f"{field} is not given" in text or "are not given" in text
    if inspect.Parameter.VAR_POSITIONAL not in kinds:
        given = [p for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        many = [None] * (len(given) + 1)
        text = sentence_of(call, *many, without=tuple(call.given))
        assert f"expected at most {len(given)}" in text or "expected none" in text
        if given:
            text = sentence_of(call, None, without=tuple(call.given), **{given[0].name: None})
            assert f"{given[0].name} is given twice" in text


def test_there_are_more_than_a_thousand_of_them() -> None:
    assert sum(2 + 2 * len(CALLS[name].fields) for name in NAMES) > 1000


def beam_model() -> sp.Model:
    m = held_beam()
    m.replace("beam", modes=2)
    return m


@cache
def things() -> dict[str, Any]:
    """What users have in their hands, by its class."""
    beam = sp.simulate(beam_model(), 0.01, output=4)
    linear = sp.linearize(sprung())
    found = [
        pendulum(), run(), sp.statics(sprung()), sp.Stepper(pendulum()), linear, linear.modes[0],
        linear.state_space("pin"), run().state(), sp.statics(sprung(), steps=2), LINK, BEAM,
        sp.prepare(pendulum()), CUBE, LINK.at(0), run()["pin"], run()["rod"], beam["beam"],
        beam["beam"].at(0.5), run().monitor, run().spectrum("pin.angle"), sp.lqr(sprung(), "pin"),
        sp.stability(sprung(), "press", (0.0, 1.0)), sp.campbell(sprung(), "pin", (0.0,)),
        CALLS["sweep"](), CALLS["compare"](), pendulum().graph(), sp.Table((0, 1), (0, 1)), STEEL,
    ]  # fmt: skip
    return {type(one).__name__: one for one in found}


def methods(thing: Any) -> Iterator[str]:
    for name in dir(type(thing)):
        entry = inspect.getattr_static(type(thing), name)
        if not name.startswith("_") and inspect.isfunction(entry):
            kinds = {p.kind for p in inspect.signature(entry).parameters.values()}
            if inspect.Parameter.VAR_KEYWORD not in kinds:
                yield name


def test_methods_of_what_users_hold() -> None:
    count = 0
    for kind, thing in things().items():
        for name in methods(thing):
            if not inspect.unwrap(getattr(type(thing), name)).__module__.startswith("supple."):
                continue
            with pytest.raises(sp.ArgumentError, match=f"there is no argument '{NONSENSE}'"):
                getattr(thing, name)(**{NONSENSE: 1})
                pytest.fail(f"{kind}.{name}")
            count += 1
    assert count > 150


MEANT = [
    (sp.Circle, {"radius": 0.01}, "did you mean 'diameter' (diameter = 2 radius)?"),
    (sp.Sphere, {"r": 0.01}, "did you mean 'diameter' (diameter = 2 radius)?"),
    (sp.Tube, {"diameter": 0.1, "thickness": 0.01}, "did you mean 'wall'?"),
    (sp.Rectangle, {"width": 0.1, "height": 0.2}, "did you mean 'size_y'?"),
    (sp.Material, {"E": 1, "nu": 0.3, "density": 1}, "'G' (G = E / (2 (1 + nu)))?"),
    (sp.Material, {"E": 1, "G": 1, "rho": 1}, "did you mean 'density'?"),
    (sp.Material, {"young": 1, "G": 1, "density": 1}, "did you mean 'E'?"),
    (sp.RigidBody, {"name": "b", "mass": 1.0, "I": 0.1}, "RigidBody 'b': there is no argument 'I'"),
    (sp.RigidBody, {"name": "b", "mass": 1.0, "I": 0.1}, "did you mean 'inertia'?"),
    (sp.RigidBody, {"name": "b", "m": 1.0}, "did you mean 'mass'?"),
    (sp.Revolute, {"name": "p", **PAIR, "axes": "y"}, "did you mean 'axis'?"),
    (sp.Universal, {"name": "p", **PAIR, "axis": "y"}, "did you mean 'axes'?"),
    (sp.Revolute, {"name": "p", "parent": None, "child": None}, "did you mean 'A'?"),
    (sp.Revolute, {"name": "p", **PAIR, "q0": 1.0}, "did you mean 'initial'?"),
    (sp.SpringDamper, {"name": "s", **PAIR, "K": 1.0}, "did you mean 'stiffness'?"),
    (sp.SpringDamper, {"name": "s", **PAIR, "c": 1.0}, "did you mean 'damping'?"),
    (sp.SpringDamper, {"name": "s", **PAIR, "rest_length": 1.0}, "did you mean 'length'?"),
    (sp.JointFriction, {"name": "f", "joint": "j", "mu": 0.1}, "did you mean 'coulomb' (the"),
    (sp.Pulley, {"frame": LINK.at(0), "diameter": 1}, "'radius' (radius = diameter / 2)?"),
    (sp.PID, {"name": "c", "joint": "j", "P": 1.0}, "did you mean 'kp'?"),
    (sp.PID, {"name": "c", "joint": "j", "setpoint": 1.0}, "did you mean 'target'?"),
    (sp.Rayleigh, {"beta": 1.0}, "did you mean 'stiffness' (the factor"),
    (sp.ModalDamping, {"zeta": 1.0}, "did you mean 'ratios'?"),
    (sp.Sine, {"amplitude": 1.0, "freq": 1.0}, "did you mean 'frequency'?"),
    (sp.Model, {"g": 9.81}, "did you mean 'gravity'?"),
    (sp.Radau, {"dt": 0.1}, "did you mean 'max_step'?"),
    (sp.EnergyScheme, {"dt": 0.1}, "did you mean 'step'?"),
    (sp.simulate, {"model": None, "t_end": 1, "dt": 0.1}, "did you mean 'output' (seconds between"),
    (sp.simulate, {"model": None, "tend": 1.0}, "did you mean 't_end'?"),
    (sp.simulate, {"model": None, "t_end": 1.0, "rtol": 1e-3}, "did you mean 'tolerance'?"),
    (sp.simulate, {"model": None, "t_end": 1.0, "method": "BDF"}, "did you mean 'integrator'?"),
    (sp.simulate, {"model": None}, "simulate: t_end is not given, expected simulate(model, t_end)"),
    (sp.Beam, {"name": "b", "L": 1.0}, "Beam 'b': there is no argument 'L', did you mean 'length"),
    (sp.Beam, {"name": "b"}, "length, section, material are not given, expected Beam(name, length"),
    (sp.files.read_model, {"file": "a.yaml"}, "did you mean 'path'?"),
]  # fmt: skip


@pytest.mark.parametrize(("what", "given", "part"), MEANT, ids=lambda x: getattr(x, "__name__", ""))
def test_what_is_meant(what: Any, given: dict[str, Any], part: str) -> None:
    with pytest.raises(sp.ArgumentError) as caught:
        what(**given)
    assert part in str(caught.value)


def test_synonyms_are_names_of_arguments() -> None:
    """Each leads to an argument that some public class or function has."""
    known = {field for call in CALLS.values() for field in call.fields}
    lost = {e.partition(": ")[0] for row in SYNONYMS.values() for e in row} - known
    assert lost <= {"K", "C"}  # of what users only read
    assert meant("Diameter", ["diameter"]) == ("diameter", "")
    assert meant("nothing at all", ["x"]) is None


def test_unknown_keys_of_model_files_and_fields(tmp_path) -> None:
    (tmp_path / "m.yaml").write_text("supple: 1\nsections:\n  s: {type: Circle, radius: 0.1}\n")
    with pytest.raises(
        sp.files.ModelFileError, match=r"did you mean 'diameter' \(diameter = 2 radius\)"
    ):
        sp.files.read_model(tmp_path / "m.yaml")
    with pytest.raises(sp.ModelError, match="there is no field 'I', did you mean 'inertia'"):
        pendulum().replace("rod", I=2.0)
    for name in ("sweep", "batch", "fit", "optimize", "sensitivity", "converge"):
        with pytest.raises(sp.ArgumentError, match="there is no argument 'rtol', did you mean 'to"):
            CALLS[name](rtol=1e-3)
    with pytest.raises(sp.ArgumentError, match="lyapunov: there is no argument 'zq_zq', known: "):
        CALLS["lyapunov"](zq_zq=1)


def test_things_of_base_classes_are_no_items() -> None:
    for base in (
        sp.bodies.Body,
        sp.bodies.FlexibleBody,
        sp.constraints.Constraint,
        sp.forces.ForceElement,
    ):
        with pytest.raises(sp.ModelError, match=r"item to add is .*, expected a body, joint"):
            pendulum().add(base())


def test_errors_inside_stay_as_they_are() -> None:
    """A TypeError of a function of the user is no wrong call."""

    def law(t: float) -> float:
        return t

    m = pendulum()
    m.add(sp.EffortFunction("law", "pin", law))
    with pytest.warns(sp.SuppleWarning, match="its function raised TypeError"):
        assert not sp.simulate(m, 0.1).success
    with pytest.raises(TypeError) as caught:
        sp.sweep(pendulum(), {"rod.mass": [1.0]}, outputs=law, t_end=0.01, design=[].append(1, 2))
    assert not isinstance(caught.value, sp.ArgumentError)

    class Mine(sp.RigidBody):
        def __init__(self, name: str) -> None:
            super().__init__(name, 1.0)

    assert Mine("mine").mass == 1.0
    with pytest.raises(TypeError):
        Mine("mine", color="red")


def test_signatures_names_and_pickles_stay() -> None:
    assert list(inspect.signature(sp.Circle).parameters) == ["diameter"]
    assert list(inspect.signature(sp.simulate).parameters)[:2] == ["model", "t_end"]
    assert sp.simulate.__doc__ and sp.simulate.__module__ == "supple.analyses.run.simulate"
    assert "def simulate(" in inspect.getsource(sp.simulate)
    for name in public_names.paths():
        thing = public_names.value(name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert pickle.loads(pickle.dumps(thing)) is thing, name
            assert copy.deepcopy(thing) is thing
    error = pickle.loads(pickle.dumps(sp.ArgumentError.plain("a sentence")))
    assert isinstance(error, sp.ArgumentError) and str(error) == "a sentence"


def test_classes_speak_that_were_never_named() -> None:
    """A result comes from `simulate`; nobody has read ``supple.results.Result`` in this process."""
    code = """
import supple as sp
m = sp.Model()
rod = m.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.1))
m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0)))
result = sp.simulate(m, 0.01)
for call in (result.plot, result.save, result.state, result["rod"].at, result.history, m.check):
    try:
        call(zq_zq=1)
    except sp.ArgumentError:
        print("told")
"""
    call = [sys.executable, "-c", code]
    found = subprocess.run(call, capture_output=True, text=True, timeout=120)
    assert found.stdout.split() == ["told"] * 6, found.stderr
