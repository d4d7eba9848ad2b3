"""converge: studies whose outcome is known, and quantities by text."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp
from supple.results.files.dataset import quantity
from supple.studies.convergence import Convergence


def swinging(elements=4, modes=4, damping=1e-3):
    m = sp.Model(gravity=(0, -9.81, 0), name="swinging")
    material = sp.Material(E=7e10, G=2.6e10, density=2700)
    rayleigh = sp.Rayleigh(stiffness=damping)
    section = sp.Rectangle(0.006, 0.03)
    rod = m.add(sp.Beam("rod", 1.0, section, material, elements, modes, damping=rayleigh))
    m.add(sp.PointMass("load", rod.at(1.0), 0.1))
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0), initial=-0.5))
    m.add(sp.JointSpring("spring", "hinge", stiffness=20.0))
    return m


@pytest.fixture(scope="module")
def run():
    return sp.simulate(swinging(), 0.3, output=60)


@pytest.fixture(scope="module")
def modes():
    return sp.converge(swinging(), "rod.modes", t_end=0.3, values=(1, 2, 4, 6, 9), times=60)


def test_more_modes_come_closer(modes):
    """The tip of a beam: the first modes carry it."""
    assert modes.values == (1, 2, 4, 6, 9)
    assert modes.output == "rod.at(1).deflection"
    assert len(modes.outputs) == 5 and modes.outputs[0].shape == (61, 3)
    d = modes.differences
    assert d[3] < d[1] <= d[0]
    assert d[3] < 0.01 * modes.size
    assert modes.enough(0.01) in (2, 4, 6)
    assert modes.enough(1e-12) is None
    assert modes.changes[-1] == d[-1]  # to the next and to the finest are the same for the last
    assert np.all(modes.seconds > 0.0)


def test_the_model_is_not_changed():
    m = swinging()
    sp.converge(m, "rod.modes", t_end=0.05, values=(1, 2), times=5)
    assert m["rod"].modes == 4


def test_rates_are_those_of_a_known_law():
    """An output 1 + 3 n^-4 has changes that fall by 16, order 4, whatever the run."""
    study = sp.converge(
        swinging(modes="all"),
        "rod.elements",
        t_end=0.02,
        output=lambda r: 1.0 + 3.0 * r.bodies["rod"].elements ** -4.0,
        times=2,
        tolerance="loose",
    )
    assert study.values == (1, 2, 4, 8)
    assert np.allclose(study.rates, 4.0)
    assert np.allclose(study.ratios, 16.0)
    assert np.allclose(study.differences, [3 - 3 / 8**4, 3 / 16 - 3 / 8**4, 3 / 256 - 3 / 8**4])
    assert study.enough(0.02) == 4 and study.output == "output"


def test_elements_converge_quickly():
    """Two modes, from finer and finer meshes: frequencies err by n^-4."""
    study = sp.converge(
        swinging(modes=2, damping=0.0),
        "rod.elements",
        t_end=0.1,
        output="rod.at(1).deflection.y",
        tolerance="tight",
        times=20,
    )
    assert study.outputs[0].shape == (21,)
    assert study.rates[-1] > 3.0
    assert study.differences[-1] < 1e-3 * study.size


def test_tolerance_and_other_fields():
    study = sp.converge(swinging(modes=2), "tolerance", t_end=0.2, output="hinge.angle", times=10)
    assert study.values == (1e-4, 1e-6, 1e-8, 1e-10)
    assert np.all(np.diff(study.differences) < 0.0)
    assert 0.3 < study.rates[-1] < 1.7  # the error is about proportional to the tolerance
    stiff = sp.converge(swinging(), "spring.stiffness", t_end=0.1, values=(5.0, 10.0), times=5)
    assert stiff.output == "positions of all bodies" and stiff.outputs[0].shape == (6, 1, 3)
    assert np.all(np.isnan(stiff.rates)) and len(stiff.rates) == 0


def test_values_without_order():
    section = [sp.Rectangle(0.006, 0.03), sp.Rectangle(0.007, 0.03)]
    study = sp.converge(swinging(), "rod.section", t_end=0.05, values=section, times=5)
    assert len(study.rates) == 0
    assert "rod.section" in repr(study)
    assert len(study.plot().axes) == 2


def test_table_and_plot(modes, tmp_path):
    text = repr(modes)
    assert text.startswith("Convergence of rod.at(1).deflection with rod.modes, largest value")
    assert len(text.splitlines()) == 7
    table = modes.to_pandas()
    assert list(table.index) == ["1", "2", "4", "6", "9"]
    assert table["difference"].iloc[-1] == 0.0 and np.isnan(table["change"].iloc[-1])
    figure = modes.plot(tmp_path / "study.png")
    assert figure.axes[0].get_ylabel() == "rod.at(1).deflection y"
    assert figure.axes[1].get_xlabel() == "rod.modes"


def test_default_modes_stop_where_there_are_no_more():
    m = swinging(elements=1, modes=2)
    study = sp.converge(m, "rod.modes", t_end=0.01, times=2)
    assert study.values == (1, 2, 3, 4, 5, 6)


def test_sentences(run):
    m = swinging()
    with pytest.raises(sp.ModelError, match=r"what is 'modes', expected 'object\.field'"):
        sp.converge(m, "modes", t_end=1.0)
    with pytest.raises(sp.ModelError, match="there is no field 'mods', did you mean 'modes'"):
        sp.converge(m, "rod.mods", t_end=1.0, values=(1, 2))
    with pytest.raises(sp.ModelError, match="there is no item 'rot'"):
        sp.converge(m, "rot.modes", t_end=1.0)
    with pytest.raises(sp.SuppleError, match=r"'spring.stiffness' has no usual values"):
        sp.converge(m, "spring.stiffness", t_end=1.0)
    with pytest.raises(sp.SuppleError, match="found 1 values, expected at least two"):
        sp.converge(m, "rod.modes", t_end=1.0, values=[2])
    with pytest.raises(sp.SuppleError, match="output is 3, expected a text or a function"):
        sp.converge(m, "rod.modes", t_end=1.0, output=3)
    with pytest.raises(sp.SuppleError, match=r"shape \(6, 2\) with .* = 2, expected \(6, 1\)"):
        sp.converge(m, "rod.modes", t_end=0.1, values=(1, 2), times=5, output="rod.coordinates")
    with pytest.raises(sp.SuppleError, match=r"the run with rod.modes = 1 stopped at"):
        short = sp.Radau(max_steps=2)
        sp.converge(m, "rod.modes", t_end=1.0, values=(1, 2), integrator=short)
    with pytest.raises(sp.ModelError, match="model is Result of"):
        sp.converge(run, "rod.modes", t_end=1.0)


def test_quantities_by_text(run):
    rod = run["rod"]
    expected = {
        "hinge.angle": run["hinge"].angle,
        "hinge.reaction": run["hinge"].reaction,
        "rod.position": rod.position,
        "rod.local.velocity.y": rod.local.velocity[:, 1],
        "rod.at(0.5).deflection": rod.at(0.5).deflection,
        "rod.at(0.5).deflection.z": rod.at(0.5).deflection[:, 2],
        "rod.at(0.1, 0, 0).local.acceleration.x": rod.at(0.1).local.acceleration[:, 0],
        "rod.at(0.05).strain": rod.at(0.05).strain(),
        "spring.effort": run["spring"].effort,
        "energy.total": run.energy.total,
        "rod@1.deflection": rod.at(1.0).deflection,
        "rod.mode_1": rod.coordinates[:, 0],
    }
    for text, values in expected.items():
        assert np.array_equal(quantity(run, text), values), text


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("rod", "is not understood, expected 'object.quantity'"),
        ("rod.at(0.5)", "is not understood"),
        ("rod.at(__import__('os')).position", "is not known"),
        ("rod.at(a).position", "has a place 'a', expected one to three numbers"),
        ("rod.positin", "is not known, did you mean 'position'"),
        ("rod._deformation", "is not known"),
        ("rod.__class__.__mro__", "is not known"),
        ("rod.at(0.5).local.__init__", "is not known"),
        ("hinge.angle.x", "has no component 'x': it is no vector"),
        ("rot.position", "no variable 'rot.position', did you mean 'rod.position'"),
    ],
)
def test_texts_that_name_nothing(run, text, message):
    with pytest.raises(sp.SuppleError, match=message):
        quantity(run, text)


def test_results_of_a_study_are_kept(modes):
    assert isinstance(modes, Convergence)
    assert np.array_equal(modes.results[2]["rod"].at(1.0).deflection, modes.outputs[2])
