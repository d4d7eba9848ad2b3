"""Model files: units, parameters, parts, places, messages; models to files and back."""

# ruff: noqa: E501 -- files and messages stand on one line

from __future__ import annotations

import dataclasses
import inspect
import json
import math
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import supple as sp
from models.random_loops import flexible_loop, loop_recipes
from models.random_models import examples, flexible_recipes, recipes
from models.touching_bodies import TOUCHING
from models.valid_calls import CALLS, pendulum
from supple.fem.shells.shell import ShellMesh
from supple.foundation import public_names
from supple.io.modelfiles import units
from supple.io.modelfiles.problems import Problems
from supple.io.modelfiles.schema import schema
from supple.io.modelfiles.tree import Node, parse
from supple.io.modelfiles.words import (
    ALONE,
    COUNT,
    ITEMS,
    TYPE,
    VALUES,
    choices,
    simulate_word,
    simulation,
    units_of,
    values_of,
    word_of,
    words,
)
from supple.io.modelfiles.writer import yaml_lines
from supple.loops.assembly import compile_model

MODELS = Path(__file__).resolve().parents[2] / "examples" / "models"
FILES = sorted(MODELS.glob("*.yaml"))
HEAD = "supple: 1\ngravity: [0, 0, -9.81]\n"
ROD = "bodies:\n  rod: {type: RigidBody, mass: 2, com: [0.5, 0, 0], inertia: 0.1}\n"
PIN = "joints:\n  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y}\n"


def read(folder: Path, text: str, name: str = "m.yaml") -> sp.Model:
    (folder / name).write_text(text, encoding="utf-8")
    return sp.files.read_model(folder / name)


def problems(folder: Path, text: str, name: str = "m.yaml") -> list[str]:
    with pytest.raises(sp.files.ModelFileError) as caught:
        read(folder, text, name)
    return [str(problem) for problem in caught.value.problems]


def assert_same(a: Any, b: Any, where: str) -> None:
    """The same to the last bit; a body that a frame is on by its name."""
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes(), where
    elif isinstance(a, sp.Frame):
        assert a.body.name == b.body.name, where
        assert_same((a.position, a.rotation), (b.position, b.rotation), where)
        assert (a.world is None) == (b.world is None), where
        if a.world is not None:
            assert_same(tuple(a.world), tuple(b.world), where)
    elif dataclasses.is_dataclass(a):
        assert type(a) is type(b), where
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{where}.{field.name}")
    elif isinstance(a, ShellMesh):
        assert type(a) is type(b), where
        for name in ("nodes", "triangles", "thickness", "material", "rotary_inertia", "name"):
            assert_same(getattr(a, name), getattr(b, name), f"{where}.{name}")
    elif isinstance(a, (tuple, list)):
        assert len(a) == len(b), where
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{where}[{k}]")
    elif isinstance(a, Mapping):
        assert list(a) == list(b), where
        for key in a:
            assert_same(a[key], b[key], f"{where}.{key}")
    else:
        assert type(a) is type(b) and a == b, (where, a, b)


def assert_same_model(a: sp.Model, b: sp.Model) -> None:
    assert a.name == b.name
    assert_same(a.gravity, b.gravity, "gravity")
    for group in ("bodies", "joints", "constraints", "forces", "point_masses"):
        assert_same(getattr(a, group), getattr(b, group), group)


def round_trip(model: sp.Model, folder: Path) -> sp.Model:
    again = sp.files.read_model(sp.files.write_model(model, folder / "again.yaml"))
    assert_same_model(model, again)
    return again


# models to files and back


@given(recipe=recipes(forces="all", max_bodies=5))
@examples(12)
def test_random_trees_are_written_without_loss(recipe, tmp_path_factory) -> None:
    round_trip(recipe.model(), tmp_path_factory.mktemp("trees"))


@given(recipe=flexible_recipes(forces="all"))
@examples(12)
def test_random_flexible_trees_are_written_without_loss(recipe, tmp_path_factory) -> None:
    round_trip(recipe.model(), tmp_path_factory.mktemp("beams"))


@given(recipe=loop_recipes(forces="all", max_bodies=4))
@examples(12)
def test_random_loops_are_written_without_loss(recipe, tmp_path_factory) -> None:
    round_trip(recipe.model(), tmp_path_factory.mktemp("loops"))


def test_the_engine_sees_the_same_numbers(tmp_path: Path) -> None:
    """What is compiled of the model that was read does not differ in a bit."""
    for number in range(3):
        model = flexible_loop(number).model()
        a, b = (compile_model(m) for m in (model, round_trip(model, tmp_path)))
        for field in ("ints", "reals", "q0", "u0"):
            assert getattr(a, field).tobytes() == getattr(b, field).tobytes()


def test_places_in_the_world_are_written(tmp_path: Path) -> None:
    m = sp.Model()
    bar = m.add(sp.RigidBody("bar", 1.0, inertia=0.1, position=(0.1, 0.2, 0.3), rotation=(0, 0, 1)))
    m.add(sp.Revolute("pin", m.ground, bar, axis=(1, 2, 3), at=(0.3, 0.1, -1.0)))
    m.add(sp.PointMass("load", bar.at_world(1.0, 2.0, 3.0, rotation=(0.1, 0.2, 0.3)), 1.0))
    again = round_trip(m, tmp_path)
    assert again.joints["pin"].at == pytest.approx((0.3, 0.1, -1.0), abs=0)


def every_value() -> dict[str, Any]:
    """One object of each class that a file can hold, from the table of valid calls."""
    return {
        name: CALLS[name]() for name, word in words().items()
        if name in CALLS and inspect.isclass(word.make) and word.function is None
    }  # fmt: skip


def test_every_class_is_written_and_read(tmp_path: Path) -> None:
    """Each class of the vocabulary in a model that has it."""
    from models.valid_calls import ARM, BEAM, LINK, SHEET, WIRE
    from supple.io.modelfiles.document import Document
    from supple.io.modelfiles.kinds import Kind
    from supple.io.modelfiles.scope import Scope
    from supple.io.modelfiles.writer import Writer

    document = Document(tmp_path / "m.yaml")
    document.bodies = {body.name: body for body in (LINK, ARM, BEAM, WIRE, SHEET)}
    scope = Scope(document.problems, tmp_path)
    found = every_value()
    assert len(found) > 70
    for name, value in found.items():
        if name in ("SIDBody", "ImportedComponent", "MeshBody"):  # files of their own, see below
            continue
        text = "\n".join(yaml_lines({"x": Writer(tmp_path / "m.yaml").object(name, value, ())}))
        node = parse(text, "m.yaml", document.problems)["x"]
        again = document.reader.value(node, Kind(classes=(type(value),)), scope)
        if hasattr(value, "mass_matrix"):
            assert (value.mass_matrix != again.mass_matrix).nnz == 0
        else:
            assert_same(value, again, name)


def test_bodies_from_files(tmp_path: Path) -> None:
    steel = sp.Material(2.1e11, 8.1e10, 7850.0)
    cube = sp.fem.block((1.0, 1.0, 1.0), (2, 1, 1), "hex8", steel)
    face = np.flatnonzero(cube.nodes[:, 0] == 0.0)
    foot = sp.fem.Interface("foot", cube.nodes[face].mean(axis=0), face)
    m = sp.Model(name="meshes")
    body = m.add(sp.MeshBody("solid", cube, [foot], modes=2))
    m.add(sp.Fixed("a", m.ground.at(0), body.at("foot")))
    sp.fem.save_component(tmp_path / "cube.npz", cube)
    imported = m.add(
        sp.MeshBody("imported", sp.fem.load_component(tmp_path / "cube.npz"), [foot], modes=2)
    )
    m.add(sp.Fixed("b", m.ground.at(0), imported.at("foot")))
    beam = sp.Beam("beam", 1.0, sp.Tube(0.04, 0.002), steel, elements=2, modes=2)
    sp.files.write_sid(tmp_path / "beam.sid", beam, {"left": beam.at(0.0), "right": beam.at(1.0)})
    sid = m.add(sp.SIDBody("sid", tmp_path / "beam.sid"))
    m.add(sp.Fixed("c", m.ground.at(0), sid.at("left")))
    again = sp.files.read_model(sp.files.write_model(m, tmp_path / "m.yaml"))
    for name, first in m.bodies.items():
        one, two = first.modal(()), again.bodies[name].modal(())
        assert np.array_equal(one.K, two.K) and np.array_equal(one.M, two.M)
    with pytest.raises(sp.ModelError, match=r"expected a file in the folder of m.yaml"):
        (tmp_path / "inner").mkdir()
        sp.files.write_model(m, tmp_path / "inner" / "m.yaml")


def test_what_a_file_cannot_hold(tmp_path: Path) -> None:
    m = pendulum()
    m.add(sp.ForceFunction("law", m.bodies["rod"].at(0), lambda t, s: np.zeros(6)))
    with pytest.raises(sp.ModelError) as caught:
        sp.files.write_model(m, tmp_path / "m.yaml")
    assert str(caught.value) == (
        "ForceFunction 'law': ForceFunction has a Python function (function), which a file cannot "
        "hold, expected an element without one"
    )
    assert not (tmp_path / "m.yaml").exists()


def test_events_and_settings(tmp_path: Path) -> None:
    event = sp.Event("down", "pin", value=0.1, terminal=False, then=[sp.Lock("pin")])
    integrator, tree = sp.GeneralizedAlpha(rho=0.7, max_step=0.01), sp.Branch(["pin"])
    path = sp.files.write_model(
        pendulum(), tmp_path / "m.yaml", events=event, t_end=0.3, tolerance=(1e-6, 1e-8),
        integrator=integrator, formulation=tree, output=10,
    )  # fmt: skip
    found = sp.files.ModelFile(path)
    assert_same(found.events, (event,), "events")
    assert found.settings["integrator"] == integrator
    assert found.settings["formulation"] == tree
    first = found.run()
    again = sp.simulate(
        pendulum(), 0.3, events=event, tolerance=(1e-6, 1e-8), integrator=integrator,
        formulation=tree, output=10,
    )  # fmt: skip
    assert np.array_equal(first.q, again.q) and [e.t for e in first.events] == [
        e.t for e in again.events
    ]
    gap = sp.Event("near", "hit", "gap", value=0.1)
    model = TOUCHING["ball"]()
    sp.files.write_model(model, path, events=gap)
    assert_same(sp.files.ModelFile(path).events, (gap,), "events")
    with pytest.raises(sp.ModelError, match=r"no setting 't_ends', did you mean 't_end'\?"):
        sp.files.write_model(pendulum(), path, t_ends=1.0)


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**14), 10**14) | st.floats(allow_nan=False)
    | st.text(max_size=12) | st.sampled_from(["on", "1e5", ".inf", "- a", "a: b", "# c", "{i}", "[1, 2]", "~", "%x", "x #y"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(values=st.dictionaries(st.text(max_size=8), PLAIN, max_size=4))
@examples(100)
def test_the_text_of_any_value_is_read_as_the_same(values: dict[str, Any]) -> None:
    def plain(node: Node) -> Any:
        if node.is_mapping:
            return {key: plain(child) for key, child in node.value.items()}
        return [plain(n) for n in node.value] if isinstance(node.value, tuple) else node.value

    found = Problems()
    text = "\n".join(yaml_lines({"top": values, "end": 1}))
    again = plain(parse(text, "m.yaml", found))
    assert not found.found and repr(again) == repr({"top": values, "end": 1})


# words


def test_a_curved_beam_is_written_but_for_functions(tmp_path: Path) -> None:
    """Points and pairs are numbers; a Python function is refused."""
    m = sp.Model(name="arc")
    angle = np.linspace(0.0, 1.0, 9)
    points = np.column_stack([np.sin(angle), 1.0 - np.cos(angle), 0 * angle])
    given = {"parts": 4, "twist": [(0.0, 0.0), (1.0, 0.3)], "centre_line": points}
    section, steel = sp.Rectangle(0.01, 0.02), sp.Material(2e11, 8e10, 7800.0)
    arc = m.add(sp.Beam("arc", None, section, steel, **given))
    m.add(sp.Fixed("root", m.ground.at(0), arc.at(0)))
    sp.files.write_model(m, tmp_path / "arc.yaml")
    again = sp.files.read_model(tmp_path / "arc.yaml")["arc"]
    assert again.length == arc.length and again.parts == 4
    assert np.array_equal(again.centre_line, arc.centre_line)
    assert np.array_equal(again.twist, arc.twist)
    m.replace("arc", twist=np.sin)
    with pytest.raises(sp.ModelError, match="something that a file can hold"):
        sp.files.write_model(m, tmp_path / "other.yaml")


def test_every_public_class_is_a_word_or_is_none_for_a_reason() -> None:
    """A new class of the vocabulary is in files without further code."""
    classes = {n for n in public_names.paths() if inspect.isclass(public_names.value(n))}
    bases = {"Body", "FlexibleBody", "Joint", "Constraint", "ForceElement", "Signal", "Change"}
    results = {
        "Result", "StaticResult", "LinearModel", "LinearGraph", "GraphEdge", "Diagnosis",
        "ComponentReport", "ComponentBuckling", "SectionForces", "Monitor", "FrameState", "PairState",
        "State", "Prepared", "StiffnessResult", "BucklingMode", "BucklingResult", "EquilibriumPath",
        "SpecialPoint", "Stability", "StabilityLimit", "Transfer", "TransferPath", "StateSpace",
        "FrequencyResponse", "Campbell", "ModeTrack", "Sweep", "Sensitivity", "Optimum", "Fit",
        "CrossCheck", "Snapshot", "Stepper", "Certificate", "ChosenModes", "Estimator", "Regulator",
        "DampingFit",
    }  # fmt: skip
    errors = {n for n in classes if issubclass(public_names.value(n), Exception)}
    others = {
        "FMUController",  # foreign machine code
        "Model",
        "ModelFile",
        "RobotFile",
        "Frame",
        "Ground",
        "MeshData",
    }  # the file, places, made by files
    assert classes - set(words()) == bases | results | errors | others
    assert {n for n, w in words().items() if w.function} == {
        "ForceFunction", "PairFunction", "EffortFunction", "UserShapes"
    }  # fmt: skip
    for word in words().values():
        assert not {TYPE, COUNT} & set(word.arguments)
        for argument in word.arguments.values():
            assert word.function or argument.kind.describe() != "nothing"


def test_schema_knows_every_word() -> None:
    found = schema()
    defined = set(found["$defs"])
    assert {n for n, w in words().items() if not w.function} <= defined
    assert set(found["properties"]["simulation"]["properties"]) == set(simulation())
    refs = set(json.dumps(found).split('"#/$defs/')[1:])
    assert {ref.partition('"')[0] for ref in refs} <= defined


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_schema_accepts_good_files(path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    from ruamel.yaml import YAML

    checker = jsonschema.Draft202012Validator(schema())
    content = YAML(typ="safe", pure=True).load(path.read_text())
    assert not list(checker.iter_errors(content))
    content["bodies"] = {"x": {"type": "RigidBody", "mas": 1.0}}
    assert list(checker.iter_errors(content))


# examples


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_examples_run(path: Path, tmp_path: Path) -> None:
    found = sp.files.ModelFile(path)
    result = found.run()
    assert result.success and result.verdict.startswith("trusted"), result.verdict
    round_trip(found.model, tmp_path)


def test_there_are_examples() -> None:
    assert {p.stem for p in FILES} >= {
        "two_link_arm", "flexible_arm", "four_bar", "slider_crank", "rotor", "motor", "chain",
        "governor", "bennett", "squeezer", "panels", "plate", "leaf_spring_stage", "robot_arm",
    }  # fmt: skip


def test_an_example_is_the_model_of_python() -> None:
    m = sp.Model(gravity=(0, 0, -9.81), name="two link arm")
    upper = m.add(sp.RigidBody("upper", 2.0, (0.25, 0, 0), (1e-3, 0.5 / 12, 0.5 / 12)))
    fore = m.add(sp.RigidBody("fore", 1.0, (0.2, 0, 0), (5e-4, 0.4**2 / 12, 0.4**2 / 12)))
    m.add(sp.PointMass("load", fore.at(0.4), 0.5))
    m.add(sp.Revolute("shoulder", m.ground.at(0), upper.at(0), "y", math.radians(20)))
    m.add(sp.Revolute("elbow", upper.at(0.5), fore.at(0), "y", math.radians(-60)))
    m.add(sp.JointSpring("shoulder spring", "shoulder", 30.0, 0.2))
    m.add(sp.JointSpring("elbow spring", "elbow", 8.0, rest=math.radians(-30)))
    read_again = sp.files.read_model(MODELS / "two_link_arm.yaml")
    assert list(read_again.bodies) == list(m.bodies)
    for name, first in (*m.bodies.items(), *m.joints.items(), *m.forces.items()):
        second = read_again[name]
        for field in dataclasses.fields(first):
            one, two = getattr(first, field.name), getattr(second, field.name)
            if isinstance(one, (float, np.ndarray)):
                np.testing.assert_allclose(two, one, rtol=4e-16, atol=0)


# reading


@pytest.mark.parametrize(
    ("text", "number"),
    [("69e9", 69e9), ("-3E-2", -3e-2), (".5", 0.5), ("+7", 7), ("12 mm", 0.012), ("1.5kg", 1.5),
     ("30 deg", math.radians(30)), ("70 GPa", 70e9), ("7.85 g/cm3", 7850.0), ("120 rpm", 4 * math.pi),
     ("9.81 m/s^2", 9.81), ("5 N*m", 5.0), ("3 1/s", 3.0), ("2 kN/mm", 2e6), ("1/3", 1 / 3),
     ("1_000", 1000.0), ("sqrt(2)*pi", math.sqrt(2) * math.pi)],
)  # fmt: skip
def test_numbers(text: str, number: float, tmp_path: Path) -> None:
    found = read(
        tmp_path,
        f"supple: 1\nparameters: {{a: {text}}}\nbodies:\n  b: {{type: RigidBody, mass: abs(a)}}",
    )
    assert found.bodies["b"].mass == pytest.approx(abs(number), rel=2e-16)


def test_units_are_exact_and_kept_apart() -> None:
    for name in units.NAMES:
        assert units.unit(name) is not None
    assert units.converted(0.1, "mm") == 1e-4 and units.converted(3.3, "GPa") == 3.3e9
    assert units.unit("N m/rad").fits(units.unit("N m")) is False
    assert units.unit("N m").fits(units.unit("N m/rad"))
    assert not units.unit("deg").fits(units.unit("m")) and not units.unit("Hz").fits(
        units.unit("rad/s")
    )
    assert units.unit("N/m/s") is None and units.unit("furlong") is None and units.unit("") is None


def test_units_of_fields_are_those_of_docstrings() -> None:
    w = words()
    assert units_of(w["Beam"], "length") == ("m",) and units_of(w["Material"], "E") == ("Pa",)
    assert units_of(w["Rayleigh"], "mass") == ("1/s",)
    assert units_of(w["Section"], "I_y") == ("m4",) and units_of(w["Beam"], "elements") == ()
    for kind, field in (("SolidMesh", "nodes"), ("Interface", "place"), ("plate", "thickness")):
        assert units_of(w[kind], field) == ("m",)
    run = simulate_word()
    assert units_of(run, "t_end") == units_of(run, "output") == ("s",)
    # numbers with dimension, whose units a file may write
    known = [(n, a) for n in w for a in w[n].arguments if units_of(w[n], a)]
    assert len(known) > 150


PLACES = {
    "rod at 0.5": (0.5, 0, 0),
    "rod at L/2": (1.0, 0, 0),
    '"rod at 0.5, 1, -L"': (0.5, 1, -2),
    "rod at 0.5 1 -2": (0.5, 1, -2),
    "rod at 12 mm 3 cm 0": (0.012, 0.03, 0),
    '"rod at (1, 2, 3)"': (1, 2, 3),
    "[rod, 0.5, 0, L]": (0.5, 0, 2),
    "[rod, 12 mm]": (0.012, 0, 0),
    "{body: rod, x: 1, z: L}": (1, 0, 2),
    "{body: rod, position: [1, 2, 3]}": (1, 2, 3),
    "{body: rod, world: [1, 2, 3]}": (1, 2, 3),
    "tip": (2, 0, 0),
}


@pytest.mark.parametrize("text", PLACES)
def test_places(text: str, tmp_path: Path) -> None:
    m = read(
        tmp_path,
        HEAD
        + "parameters: {L: 2}\nframes: {tip: rod at L}\n"
        + ROD
        + f"point_masses:\n  p: {{frame: {text}, mass: 1}}\n",
    )
    np.testing.assert_array_equal(m.point_masses["p"].frame.position, PLACES[text])


def test_rotation_of_a_place(tmp_path: Path) -> None:
    m = read(
        tmp_path,
        HEAD
        + ROD
        + "point_masses:\n  p: {frame: {body: rod, x: 0, rotation: [0, 0, 90 deg]}, mass: 1}",
    )
    np.testing.assert_allclose(
        m.point_masses["p"].frame.rotation, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-15
    )


def test_the_order_of_lines_does_not_matter(tmp_path: Path) -> None:
    forces = (
        "forces:\n  control: {type: PID, joint: motor, kp: 1}\n"
        "  motor: {type: Motor, joint: pin, inertia: 1}\n"
    )
    m = read(tmp_path, "supple: 1\n" + forces + PIN + ROD)
    assert list(m.forces) == ["motor", "control"]


def test_parameters_in_formulas(tmp_path: Path) -> None:
    m = read(
        tmp_path,
        HEAD
        + "parameters: {A: -0.5, f: 2, w: 2*pi*f}\n"
        + ROD
        + PIN
        + "forces:\n  e: {type: JointEffort, joint: pin, effort: A*sin(w*t) + A**2}\n"
        '  s: {type: JointSpring, joint: pin, spring: "f*x - A*x**3"}\n',
    )
    t = np.linspace(0.0, 1.0, 7)
    np.testing.assert_allclose(
        m.forces["e"].effort(t), -0.5 * np.sin(4 * np.pi * t) + 0.25, rtol=0, atol=1e-15
    )
    assert m.forces["s"].spring.text == "2.0 * x - -0.5 * x ** 3"


def test_coefficients_are_expressions(tmp_path: Path) -> None:
    m = read(
        tmp_path,
        HEAD
        + "parameters: {r: 40 mm}\n"
        + ROD
        + PIN
        + "  slide: {type: Prismatic, A: ground at 0, B: rod at 0}\n"
        "constraints:\n  c: {type: Coupling, terms: [[pin, r], [slide, displacement, -1/r]]}\n"
        "forces:\n  s: {type: CoordinateSpring, first: pin, second: [slide, 0], stiffness: 1/r}\n",
    )
    assert m.constraints["c"].terms == (("pin", 0, 0.04), ("slide", "displacement", -25.0))
    assert m.forces["s"].second == ("slide", 0) and m.forces["s"].stiffness == 25.0


def test_named_values(tmp_path: Path) -> None:
    m = read(
        tmp_path,
        HEAD
        + "parameters: {a: 2}\nsignals: {wave: sin(a*t), level: 30 deg, same: wave, sum: {type: Combination,"
        " text: 2*x1 + x2, signals: {x1: wave, x2: 3}}}\nlaws: {hard: x**3*a}\n"
        + ROD
        + PIN
        + "forces:\n  e1: {type: JointEffort, joint: pin, effort: same}\n"
        + "  e2: {type: JointEffort, joint: pin, effort: sum}\n"
        "  e3: {type: PID, joint: pin, kp: 1, target: level}\n"
        "  s: {type: JointSpring, joint: pin, spring: hard}\nevents: {pin: {of: pin}}\n",
    )
    t = np.linspace(0.0, 1.0, 5)
    np.testing.assert_allclose(m.forces["e1"].effort(t), np.sin(2 * t), rtol=1e-15)
    np.testing.assert_allclose(m.forces["e2"].effort(t), 2 * np.sin(2 * t) + 3, rtol=1e-15)
    assert m.forces["e3"].target(0.0) == math.radians(30)
    assert m.forces["s"].spring.text == "x ** 3 * 2.0"


def test_included_parts(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "leg.yaml").write_text(
        "parameters: {L: 1, half: L/2}\nmaterials: {steel: {E: 2e11, G: 8e10, density: 7850}}\n"
        "include: feet.yaml\n"
        "bodies:\n  thigh: {type: RigidBody, mass: 1, com: [half, 0, 0]}\n"
        "joints:\n  hip: {type: Revolute, A: ground at L, B: thigh at 0}\n"
        "  ankle: {type: Revolute, A: thigh at L, B: foot at 0}\n"
        "forces:\n  muscle: {type: JointSpring, joint: hip, stiffness: 3}\n"
    )
    (tmp_path / "parts" / "feet.yaml").write_text(
        "bodies: {foot: {type: RigidBody, mass: size}}\nparameters: {size: 0.3}\n"
    )
    m = read(
        tmp_path,
        HEAD + "parameters: {n: 3}\ninclude:\n"
        "  - {file: parts/leg.yaml, prefix: left_, with: {L: 2 * n}}\n"
        '  - {file: parts/leg.yaml, prefix: "leg{i}_", count: n}\n'
        "forces:\n  between: {type: CoordinateSpring, first: left_hip, second: leg2_hip, stiffness: 1}\n",
    )
    assert list(m.bodies)[:2] == ["left_foot", "left_thigh"] and len(m.bodies) == 8
    assert m.bodies["left_thigh"].com[0] == 3.0 and m.bodies["leg1_thigh"].com[0] == 0.5
    assert (
        m.joints["leg2_hip"].B.body.name == "leg2_thigh" and m.joints["left_hip"].A.position[0] == 6
    )
    assert m.joints["leg0_ankle"].B.body.name == "leg0_foot"
    assert m.forces["leg1_muscle"].joint == "leg1_hip"


def test_an_included_file_without_prefix_is_merged(tmp_path: Path) -> None:
    (tmp_path / "common.yaml").write_text(
        "parameters: {L: 0.7}\nmaterials: {steel: {E: 2e11, G: 8e10, density: 7850}}\n"
        "sections: {pipe: {type: Tube, diameter: 40 mm, wall: 2 mm}}\n"
    )
    m = read(
        tmp_path,
        HEAD + "include: [common.yaml]\nparameters: {half: L/2}\nbodies:\n"
        "  a{i}: {type: RigidBody, mass: half, count: 10*L - 5}\n",
    )
    assert [body.mass for body in m.bodies.values()] == [0.35, 0.35]
    m = read(
        tmp_path,
        HEAD
        + "include: common.yaml\nbodies:\n  b: {type: Beam, length: L, section: pipe, material: steel}\n",
    )
    assert m.bodies["b"].length == 0.7 and m.bodies["b"].section.wall == 0.002


def test_meshes_by_path(tmp_path: Path) -> None:
    pytest.importorskip("meshlane", reason="meshlane is not installed")
    import meshlane

    cube = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", sp.Material(2e11, 8e10, 7850.0))
    meshlane.Mesh(cube.nodes, [("hexahedron", cube.cells)]).write(tmp_path / "cube.vtk")
    m = read(
        tmp_path,
        HEAD + "materials: {steel: {E: 200 GPa, G: 80 GPa, density: 7850}}\nbodies:\n"
        "  one: {type: MeshBody, component: {type: solid, mesh: {type: read_mesh, path: cube.vtk}, material: steel},\n"
        "        interfaces: [{name: foot, place: [0, 0.5, 0.5], nodes: [0, 3, 4, 7]}], modes: 2}\n"
        "  two: {type: MeshBody, modes: 2, interfaces: [{name: foot, nodes: x_min}, {name: top, nodes: z_max, kind: average}],\n"
        "        component: {type: block, size: [1, 1, 1], divisions: [1, 1, 1], kind: hex8, material: steel}}\n",
    )
    assert m.bodies["two"].interfaces[0].place == pytest.approx((0, 0.5, 0.5), abs=1e-15)
    assert np.array_equal(m.bodies["one"].component.nodes, cube.nodes)


# messages

MESSAGES = {
    "bodies:\n  rod: {type: RigidBody, mass: -1}":
        "m.yaml:2: bodies.rod.mass: -1.0 found, expected a positive number",
    "bodies:\n  rod: {type: RigidBody, mass: 3 mm}":
        "m.yaml:2: bodies.rod.mass: '3 mm' found, expected a number in kg",
    "bodies:\n  rod: {type: RigidBody, mass: 3 kgg}":
        "m.yaml:2: bodies.rod.mass: '3 kgg' found, expected a number (there is no unit 'kgg', did you mean 'kg'?)",
    "parameters: {kg: 1}\nbodies:\n  rod: {type: RigidBody, mass: 3 kg}":
        "m.yaml:3: bodies.rod.mass: '3 kg' found, expected a number ('kg' is a parameter here and no unit: give it another name)",
    "bodies:\n  rod: {type: RigidBody,\n    mas: 3, mass: 1}":
        "m.yaml:3: bodies.rod.mas: RigidBody has no such key, expected another (did you mean 'mass'?)",
    "bodies:\n  rod: {type: RigitBody, mass: 3}":
        "m.yaml:2: bodies.rod.type: 'RigitBody' found, expected the name of a class (did you mean 'RigidBody'?)",
    "bodies:\n  rod: {type: Revolute, mass: 3}":
        "m.yaml:2: bodies.rod.type: 'Revolute' found, expected one of ANCFBeam, ANCFPlate, ANCFSolid, Beam, Belt, Cable, FrameStructure, MeshBody, RigidBody, SIDBody",
    "bodies:\n  rod: {mass: 3}":
        "m.yaml:2: bodies.rod: no type found, expected type: ANCFBeam or ANCFPlate or ANCFSolid or Beam or Belt or Cable or FrameStructure or MeshBody or RigidBody or SIDBody",
    "bodies:\n  rod: {type: RigidBody}": "m.yaml:2: bodies.rod: mass not found, expected in RigidBody",
    "bodies:\n  rod: [1, 2]": "m.yaml:2: bodies.rod: (1, 2) found, expected keys such as type",
    "bodys: {}": "m.yaml:1: bodys: there is no such key, expected another (did you mean 'bodies'?)",
    "parameters: {a: b, b: a + 1}":
        "m.yaml:1: parameters: parameters need each other (a -> b -> a), expected no circle",
    "parameters: {t: 1}":
        "m.yaml:1: parameters: 't' found, expected a name of letters and digits, other than abs, acos, asin, atan, "
        "cos, e, exp, i, log, max, min, pi, sign, sin, sqrt, step, t, tan, tanh, tau, v, x",
    "parameters: {a: 9**9**9}":
        "m.yaml:1: parameters.a: '9**9**9' found, expected a number (a part that is constant is not a finite number)",
    "include: nothing.yaml": "m.yaml:1: include: 'nothing.yaml' found, expected a file that is there",
    "include: ../x.yaml":
        "m.yaml:1: include: '../x.yaml' found, expected a path that does not leave the folder of the model file",
    "include: m.yaml": "m.yaml:1: include: 'm.yaml' found, expected another file, because it includes this one",
    "bodies:\n  rod: {type: RigidBody, mass: 1, count: 3}":
        "m.yaml:2: bodies.rod: 'rod' found, expected a name with {i} for each of them",
    "bodies:\n  rod{i}: {type: RigidBody, mass: 1 - i, count: 2}":
        "m.yaml:2: bodies.rod{i}.mass: 0.0 found, expected a positive number (i = 1)",
    "bodies:\n  a{i}: {type: RigidBody, mass: 1, count: 1e9}":
        "m.yaml:2: bodies.a{i}.count: 1000000000.0 found, expected an integer, or {from: 1, to: 4}",
    "bodies:\n  a{i}: {type: RigidBody, mass: 1, count: 1000000000}":
        "m.yaml:2: bodies.a{i}.count: 1000000000 found, expected at most 10000 items",
    "signals: {a: {type: Combination, text: s, signals: {s: a}}}":
        "m.yaml:1: signals.a: values need each other (a -> a), expected no circle",
    "materials: {s: {E: 1, G: 1, density: 1}}\nbodies:\n  b: {type: Beam, length: 1, section: s, material: s}":
        "m.yaml:3: bodies.b.section: 's' found, expected Box or Circle or ISection or Rectangle or Section or TaperedSection or Tube; it is a Material",
    "simulation: {t_end: 1, tolerance: {}}":
        "m.yaml:1: simulation.tolerance: {} found, expected a number or a text or a list (each entry a number)",
    "outputs: {save: /run.nc}":
        "m.yaml:1: outputs.save: '/run.nc' found, expected a path in the folder of the model file",
    "name: a/b": "m.yaml:1: name: 'a/b' found, expected a text without '.', '/', '@' and without blanks at its ends",
    "name: [1": "m.yaml:2: it is no YAML (expected ',' or ']', but got ':'), expected keys and values",
    "a: &x [1]\nb: *x": "m.yaml:1: a: the anchor &x found, expected a named value, e.g. under materials",
    "name: !!python/object/apply:os.getcwd []":
        "m.yaml:1: name: the tag 'tag:yaml.org,2002:python/object/apply:os.getcwd' found, expected none",
    "name: a\nname: b": "m.yaml:2: name: the key found twice, expected once (first in line 1)",
    "forces:\n  f: {type: ForceFunction, frame: ground at 0, function: sin}":
        "m.yaml:2: forces.f: ForceFunction has a Python function (function), which a file cannot hold, "
        "expected another element",
}  # fmt: skip


@pytest.mark.parametrize("text", MESSAGES)
def test_messages(text: str, tmp_path: Path) -> None:
    found = problems(tmp_path, text + "\nsupple: 1")
    assert MESSAGES[text] in found
    assert all(problem.split(":")[1].isdecimal() for problem in found)


ON_JOINTS = {
    "joints:\n  s: {type: Revolute, A: ground at 0, B: rod at 0, initial: 3 mm}": "initial: '3 mm' found, expected a number in rad",
    "joints:\n  s: {type: Prismatic, A: ground at 0, B: rod at 0, initial: 3 deg}": "initial: '3 deg' found, expected a number in m",
    "joints:\n  s: {type: Cylindrical, A: ground at 0, B: rod at 0, initial: [3 mm, 3 mm]}": "initial[1]: '3 mm' found, expected a number in rad",
    "joints:\n  s: {type: Free, A: ground at 0, B: rod at 0, initial_rate: [0, 0, 0, 1 rad/s, 0, 0]}": "initial_rate[3]: '1 rad/s' found, expected a number in m/s",
    "joints:\n  s: {type: Revolute, A: ground, B: rod at 0}": "A: 'ground' found, expected a place on it, e.g. 'ground at 0', or at: [x, y, z] beside it",
    "joints:\n  s: {type: Revolute, A: grund at 0, B: rod at 0}": "did you mean 'ground'?",
    "forces:\n  s: {type: JointSpring, joint: pin, stiffness: 3 N/m}": "stiffness: '3 N/m' found, expected a number in N m/rad for this coordinate",
    "forces:\n  s: {type: PID, joint: pin, target: {type: Sine, amplitude: 3 mm, frequency: 1}}": "target.amplitude: '3 mm' found, expected a number in rad for this coordinate",
    "forces:\n  s: {type: PID, joint: pin, target: {type: Sine, amplitude: 3 N, frequency: 1}}": "target.amplitude: '3 N' found, expected a number in rad or m",
    "forces:\n  s: {type: PID, joint: pim}": "joint: 'pim' found, expected the name of a joint or motor of Model 'model', did you mean 'pin'?",
    "forces:\n  s: {type: JointEffort, joint: pin, effort: sin(x)}": "effort: 'sin(x)' found, expected",
    "drivers:\n  s: {type: Driver, joint: pin, motion: 3 mm}": "motion: '3 mm' found, expected a number in rad",
    "events:\n  s: {of: pin, value: 3 mm}": "value: '3 mm' found, expected a number in rad for this coordinate",
    "events:\n  s: {of: rod at 0, quantity: x, value: 3 deg}": "value: '3 deg' found, expected a number in m for this coordinate",
    "events:\n  s: {of: pin, quantity: gap}": "of: 'pin' found, expected the name of a Contact",
    "events:\n  s: {of: pim}": "of: 'pim' found, expected the name of a joint (did you mean 'pin'?)",
    "point_masses:\n  s: {frame: rod at a, mass: 1}": "frame: 'rod at a' found, expected a number (unknown name 'a'",
    "point_masses:\n  s: {frame: {body: rod, node: 1}, mass: 1}": "node: found, expected a place of RigidBody 'rod' without it",
}  # fmt: skip


@pytest.mark.parametrize("text", ON_JOINTS)
def test_messages_about_joints(text: str, tmp_path: Path) -> None:
    joints = "joints:\n  pin: {type: Revolute, A: ground at 0, B: rod at 0, axis: y}\n"
    whole = (
        HEAD + ROD + (text.replace("joints:\n", joints) if "joints:\n" in text else joints + text)
    )
    found = problems(tmp_path, whole)
    assert len(found) == 1 and ON_JOINTS[text] in found[0], found


def test_all_problems_are_told_once(tmp_path: Path) -> None:
    """What depends on something wrong is not told as well."""
    found = problems(
        tmp_path,
        "supple: 2\nparameters: {a: 1 parsec, b: 2*a}\nmaterials: {steel: {E: 1, G: 1}}\nbodies:\n"
        "  rod: {type: RigidBody, mass: b, com: x}\n"
        "  beam: {type: Beam, length: b, section: {type: Circle, diameter: 1}, material: steel}\n"
        "joints:\n  pin: {type: Revolute, A: ground at 0, B: rod at 0}\n"
        "forces:\n  s: {type: JointSpring, joint: pin, stiffness: 1}\n"
        "events:\n  e: {of: pin}\n",
    )
    assert [problem.split(" ")[0] for problem in found] == [
        "m.yaml:1:", "m.yaml:2:", "m.yaml:3:", "m.yaml:5:"
    ]  # fmt: skip


def test_problems_of_the_whole_model_have_a_line(tmp_path: Path) -> None:
    (tmp_path / "m.yaml").write_text(HEAD + ROD + "simulation: {t_end: 1}")
    with pytest.raises(
        sp.files.ModelFileError, match=r"^m.yaml:4: bodies.rod: RigidBody 'rod' has no path"
    ):
        sp.files.ModelFile(tmp_path / "m.yaml").run()
    (tmp_path / "m.yaml").write_text(
        HEAD + ROD + PIN + "simulation:\n  t_end: 1\n  tolerance: tihgt"
    )
    with pytest.raises(
        sp.files.ModelFileError, match=r"^m.yaml:9: simulation.tolerance: 'tihgt' found"
    ):
        sp.files.ModelFile(tmp_path / "m.yaml").run()
    (tmp_path / "m.yaml").write_text(HEAD + ROD + PIN)
    with pytest.raises(sp.ModelError, match=r"there is no simulation: t_end, expected one"):
        sp.files.ModelFile(tmp_path / "m.yaml").run()


def test_outputs(tmp_path: Path) -> None:
    text = "simulation: {t_end: 0.1}\noutputs: {save: run.nc, plots: {pin.png: [pin, energy]}}"
    (tmp_path / "m.yaml").write_text(HEAD + ROD + PIN + text)
    result = sp.files.ModelFile(tmp_path / "m.yaml").run()
    assert sp.files.load_result(tmp_path / "run.nc")["pin.angle"][-1] == result["pin"].angle[-1]
    assert (tmp_path / "pin.png").read_bytes().startswith(b"\x89PNG")


def test_a_word_alone() -> None:
    """A word that is found by its name is the one that is found among all words."""
    known = words()
    asked = {(sp.Event,), (sp.signals.Signal,), *ITEMS.values(), *map(values_of, VALUES)}
    kinds = [a.kind for w in [*known.values(), simulate_word()] for a in w.arguments.values()]
    while kinds:
        kind = kinds.pop()
        asked |= {kind.classes} - {()}
        kinds += [k for k in (kind.entry, kind.values, *sum(kind.rows, ())) if k is not None]
    assert len(asked) > 25
    alone = set()
    for classes in asked:
        fitting = choices(classes)
        for name in {*public_names.paths(), *known, "", "Ground", "nothing"}:
            assert word_of(name, classes) == fitting.get(name)
        made = {w.gives for w in fitting.values() if isinstance(w.make, type)}
        if (found := word_of(None, classes)) is not None:
            assert made == {found.make}
            alone.add(found.name)
    assert alone == set(ALONE)
    for word in known.values():  # also where the class of an item is asked for
        assert not isinstance(word.make, type) or word_of(word.name, (word.make,)) == word


def test_what_a_model_file_loads() -> None:
    """Reading a small file loads what it names: no meshes, studies or sweeps, nor SciPy."""
    code = (
        "import sys, pathlib, tempfile\n"
        "from supple.io.modelfiles.model_file import ModelFile\n"
        "from supple.io.modelfiles.starter import STARTER\n"
        "path = pathlib.Path(tempfile.mkdtemp()) / 'a.yaml'\n"
        "path.write_text(STARTER.replace('{type: AttachmentModes, n: 2}', '0'))\n"
        "assert ModelFile(path).model['pin']\n"
        "print(*(m for m in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    unwanted = ("scipy", "supple.sweeps", "supple.sensitivities", "supple.studies")
    loaded = [n for n in done.stdout.split() if n.startswith((*unwanted, "supple.fem.solids"))]
    assert loaded == []
