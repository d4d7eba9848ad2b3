"""Changes of a model: paths into fields, removed and renamed items."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

BOX, ALU = sp.Box(0.02, 0.02, 0.002), sp.Material(70e9, 26e9, 2700)


def arm() -> sp.Model:
    """Two links and a beam, with something of every way to refer to bodies and joints."""
    m = sp.Model(gravity=(0, -9.81, 0))
    one = m.add(sp.RigidBody("one", 2.0, (0.5, 0, 0), 0.1))
    two = m.add(sp.Beam("two", 1.0, BOX, ALU, modes=2))
    m.add(sp.PointMass("tip", two.at(1.0), 0.1))
    m.add(sp.Revolute("a", m.ground.at(0), one.at(0), initial=0.3))
    m.add(sp.Revolute("angle", one.at(1.0), two.at(0), initial=0.2))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1), two.at(1.0), 50.0, length=0.1))
    m.add(sp.JointSpring("coil", "angle", 10.0, coordinate="angle"))
    m.add(sp.Motor("motor", "a", 0.01, 5.0))
    m.add(sp.JointEffort("current", "motor", "sin(t)"))
    m.add(sp.Coupling("belt", [("a", 1.0), ("angle", "angle", -2.0)], value=-0.1))
    m.add(sp.EffortFunction("law", ["angle"], lambda t, q, u: [-0.1 * u[0]]))
    return m


def same_run(one: sp.Model, other: sp.Model, names: dict[str, str]) -> None:
    runs = [sp.simulate(m, 0.05, output=3) for m in (one, other)]
    for name in ("one", "two"):
        x, y = runs[0][name].position, runs[1][names.get(name, name)].position
        assert np.array_equal(x, y)


def test_a_path_reaches_into_fields() -> None:
    m = arm()
    m.replace("two.material.E", 71e9)
    m.replace("two.section.wall", 0.003)
    m.replace("one.com.0", 0.6)
    m.replace("spring.stiffness", 60.0)
    two = m["two"]
    assert (two.material.E, two.material.G, two.material.density) == (71e9, 26e9, 2700)
    assert np.isclose(two.section.area, sp.Box(0.02, 0.02, 0.003).area)
    assert np.array_equal(m["one"].com, (0.6, 0, 0))
    assert m["spring"].stiffness == 60.0
    other = arm()
    material = sp.Material(71e9, 26e9, 2700)
    other.replace("two", material=material, section=sp.Box(0.02, 0.02, 0.003))
    other.replace("one", com=(0.6, 0, 0))
    other.replace("spring", stiffness=60.0)
    same_run(m, other, {})


def test_paths_through_sequences_and_mappings() -> None:
    m = sp.Model()
    nodes = {"foot": (0, 0, 0), "top": (0, 0, 1)}
    m.add(sp.FrameStructure("mast", nodes, [sp.Member("foot", "top", BOX, ALU)], modes=2))
    m.replace("mast.members.0.section.wall", 0.001)
    m.replace("mast.nodes.top", (0, 0, 2))
    m.replace("mast.nodes.top.0", 0.5)
    assert m["mast"].members[0].section.wall == 0.001
    assert np.array_equal(m["mast"].nodes["top"], (0.5, 0, 2))
    tapered = sp.TaperedSection(sp.Rectangle(0.02, 0.02), sp.Rectangle(0.01, 0.01))
    m.add(sp.Beam("beam", 1.0, tapered, ALU, modes=1))
    m.replace("beam.section.sections.1.size_y", 0.005)
    assert m["beam"].section.at(1.0).size_y == 0.005
    assert m["beam"].section.at(0.0).size_y == 0.02


def test_two_changes_in_one_field_are_both_made() -> None:
    m = arm()
    m.replace("two", **{"material.E": 1e9, "material.G": 4e8})
    assert (m["two"].material.E, m["two"].material.G) == (1e9, 4e8)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda m: m.replace("two.material.e", 1.0),
            "Beam 'two': there is no 'material.e', known: 'E', 'G', 'density', 'name', "
            "'yield_stress'",
        ),
        (
            lambda m: m.replace("two.material.E.x", 1.0),
            "Beam 'two': there is no 'material.E.x', because 'material.E' is 70000000000.0 "
            "without fields",
        ),
        (
            lambda m: m.replace("one.com.3", 1.0),
            "RigidBody 'one': there is no 'com.3', known: '0', '1', '2'",
        ),
        (
            lambda m: m.replace("two.material.E", -1.0),
            "Material: E is -1.0, expected a positive number",
        ),
        (
            lambda m: m.replace("two.sektion", BOX),
            "Beam 'two': there is no field 'sektion', did you mean 'section'?",
        ),
        (
            lambda m: m.replace("two", BOX),
            "Model 'model': path to replace is 'two', expected an item and a field, e.g. "
            "'beam.material.E'",
        ),
        (
            lambda m: m.replace("a.A.body.mass", 1.0),
            "Revolute 'a': there is no 'A.body.mass', because 'A.body' is Ground 'ground' "
            "without fields",
        ),
        (
            lambda m: m.replace("two", name="three"),
            "Beam 'two': the name cannot be replaced, expected model.rename",
        ),
        (
            lambda m: m.remove("motor"),
            "Model 'model': Motor 'motor' is used by JointEffort 'current', expected that they are "
            "removed before, or cascade=True",
        ),
        (
            lambda m: m.remove("two"),
            "Model 'model': Beam 'two' is used by PointMass 'tip', Revolute 'angle', SpringDamper "
            "'spring', expected that they are removed before, or cascade=True",
        ),
        (lambda m: m.remove("ground"), "Model 'model': the ground cannot be removed"),
        (lambda m: m.remove("tow"), "Model 'model': there is no item 'tow', did you mean 'two'?"),
        (
            lambda m: m.rename("one", "two"),
            "RigidBody: name is 'two', expected a name that is not yet taken in Model 'model' "
            "(there is Beam 'two')",
        ),
        (
            lambda m: m.rename("one", "a.b"),
            "RigidBody: name is 'a.b', expected a text without '.', '/', '@' and without blanks "
            "at its ends",
        ),
        (lambda m: m.rename("ground", "x"), "Model 'model': the ground cannot have another name"),
    ],
)
def test_sentences(change, sentence) -> None:
    model = arm()
    before = {name: model[name] for name in model}
    with pytest.raises(sp.ModelError) as caught:
        change(model)
    assert str(caught.value) == sentence
    assert all(model[name] is item for name, item in before.items())
    assert list(model) == list(before)


def test_removed_items_are_gone_from_every_list() -> None:
    m = arm()
    m.check()
    assert [item.name for item in m.remove("spring")] == ["spring"]
    assert "spring" not in m.forces
    m.check()
    gone = [item.name for item in m.remove("angle", cascade=True)]
    assert gone == ["angle", "coil", "belt", "law"]
    assert list(m) == ["one", "two", "tip", "a", "motor", "current"]
    with pytest.raises(sp.ModelError, match="'two' has no path of joints"):
        m.check()
    m.remove("two", cascade=True)
    assert list(m.bodies) == ["one"]
    assert not m.point_masses
    assert not m.constraints
    m.check()
    run = sp.simulate(m, 0.05, output=2)
    m.add(sp.Beam("two", 1.0, BOX, ALU))  # the name is free again
    assert run.success


def test_a_copy_keeps_what_is_removed() -> None:
    m = arm()
    other = m.copy()
    m.remove("spring")
    assert "spring" in other
    assert "spring" in other.forces


@pytest.mark.parametrize("name", ["one", "two", "a", "angle", "motor", "tip", "belt"])
def test_renamed_items_stay_connected(name) -> None:
    m = arm()
    new = m.rename(name, "other")
    assert new is m["other"]
    assert name not in m
    assert list(m) == [n if n != name else "other" for n in arm()]
    m.check()
    same_run(arm(), m, {name: "other"})


def test_a_renamed_body_keeps_its_places_in_the_world() -> None:
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, position=(1, 0, 0)))
    m.add(sp.Revolute("pin", m.ground, body, at=(1, 2, 0)))
    m.rename("body", "wheel")
    assert np.array_equal(m["pin"].at, (1, 2, 0))
    m.replace("wheel", position=(0, 0, 0))
    assert np.array_equal(m["pin"].B.position, (1, 2, 0))


def test_a_study_varies_what_is_in_a_field() -> None:
    m = sp.Model(gravity=(0, 0, -9.81))
    beam = m.add(sp.Beam("beam", 1.0, BOX, ALU, modes=2))
    m.add(sp.Fixed("wall", m.ground.at(0), beam.at(0)))
    study = {"t_end": 0.01, "values": [70e9, 140e9]}
    found = sp.converge(m, "beam.material.E", **study, output="beam.at(1.0).deflection")
    m.replace("beam.material.E", 140e9)
    direct = sp.simulate(m, 0.01)["beam"].at(1.0).deflection
    assert np.array_equal(found.outputs[1], direct)
    assert np.abs(found.outputs[0] - direct).max() > 0.1 * np.abs(direct).max()
