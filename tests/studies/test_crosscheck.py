"""crosscheck: what agrees is called so, and what is broken on purpose is found and located."""

from __future__ import annotations

import importlib
from dataclasses import dataclass

import numpy as np
import pytest

import supple as sp
from supple.loops.assembly import compile_model
from supple.studies.crosscheck import states as crosscheck_states
from supple.studies.crosscheck.formulation_choices import equations_of

module = importlib.import_module(
    "supple.studies.crosscheck.crosscheck"
)  # the function has its name

STEEL = sp.Material(E=210e9, G=80e9, density=7800)


def double_pendulum() -> sp.Model:
    m = sp.Model(gravity=(0, -9.81, 0), name="double pendulum")
    upper = m.add(sp.RigidBody("upper", 1.0, com=(0.25, 0, 0), inertia=(1e-3, 0.02, 0.02)))
    lower = m.add(sp.RigidBody("lower", 0.7, com=(0.2, 0, 0), inertia=(3e-3, 0.01, 0.012)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), upper.at(0), "z", 0.3, initial_rate=1.0))
    m.add(sp.Revolute("elbow", upper.at(0.5), lower.at(0), "y", initial=0.4, initial_rate=-2.0))
    ends = m.ground.at(0, 0.3, 0.1), lower.at(0.3)
    m.add(sp.SpringDamper("spring", *ends, stiffness=20.0, length=0.3, damping=0.2))
    return m


def four_bar() -> sp.Model:
    m = sp.Model(gravity=(0, -9.81, 0), name="four-bar")
    bars = {
        name: m.add(sp.RigidBody(name, 1.0, (x / 2, 0, 0), (1e-3, x**2 / 12, x**2 / 12)))
        for name, x in (("crank", 0.4), ("coupler", 1.1), ("rocker", 0.9))
    }
    m.add(sp.Revolute("A", m.ground.at(0), bars["crank"].at(0), initial=0.7, initial_rate=6.0))
    m.add(sp.Revolute("B", bars["crank"].at(0.4), bars["coupler"].at(0)))
    m.add(sp.Revolute("D", m.ground.at(1), bars["rocker"].at(0), initial=1.5))
    m.add(sp.Revolute("C", bars["rocker"].at(0.9), bars["coupler"].at(1.1)))
    return m


def flexible_link() -> sp.Model:
    """A damped beam by three modes, without static shapes for its loads: the monitor minds."""
    m = sp.Model(gravity=(0, -9.81, 0), name="flexible link")
    hub = m.add(sp.RigidBody("hub", mass=1.0, inertia=0.05))
    damping = sp.KelvinVoigt(E=4e8)
    arm = m.add(sp.Beam("arm", 1.0, sp.Rectangle(0.02, 0.01), STEEL, modes=3, damping=damping))
    m.add(sp.Revolute("pin", m.ground.at(0), hub.at(0), "z", initial_rate=1.0))
    m.add(sp.Fixed("root", hub.at(0.05), arm.at(0)))
    m.add(sp.PointMass("tip", arm.at(1.0), 0.2))
    return m


MODELS = {make.__name__: make for make in (double_pendulum, four_bar, flexible_link)}


@dataclass(frozen=True)
class Broken(sp.Absolute):
    """Absolute coordinates of a model that is not the one that was asked for."""

    item: str
    field: str
    value: float

    def written(self, model):
        """The model with something else in it."""
        other = model.copy()
        if self.item == "gravity":
            other.gravity = self.value * np.asarray(model.gravity)
        elif self.field == "A":
            other.replace(self.item, A=other["upper"].at(self.value))
        else:
            other.replace(self.item, **{self.field: self.value})
        return other


@pytest.mark.parametrize("name", ["double_pendulum", "four_bar"])
def test_what_is_right_agrees(name):
    check = sp.crosscheck(MODELS[name](), 0.1)
    assert check.ok and check.state == "agree", check
    states = [row.state for row in check.rows]
    # trees beside the reference, none of them the same; two eliminations agree to rounding
    assert states[0] == "reference" and "rounding" in states
    assert len({row.family for row in check.rows if row.agrees}) == 4
    assert {row.integrator for row in check.rows if row.agrees} == {"Radau", "DormandPrince"}
    assert check["gradient bodies"].state == "not applicable"
    for row in check.rows[1:]:
        assert not row.agrees or row.difference <= row.error + 1e-7
    assert check["DormandPrince"].difference > check["absolute"].difference > 0.0


def test_other_elements_come_near_and_an_invalid_run_is_not_green():
    """Deformation modes and gradient bodies differ by what three modes leave out."""
    check = sp.crosscheck(flexible_link(), 0.004, tolerance=1e-4, output=20)
    for row in check.rows:
        assert row.agrees, row
    for name in ("deformation modes", "gradient bodies"):
        row = check[name]
        assert row.state == "discretisation" and 1e-6 < row.difference < 0.01
    assert check.reference.monitor.level == "not valid"
    assert check.state == "undecided" and "not valid" in check.verdict and not check.ok


@pytest.mark.parametrize(
    ("make", "item", "field", "value", "located"),
    [
        (double_pendulum, "gravity", "", -1.0, "the energy of gravity"),
        (double_pendulum, "lower", "inertia", 0.01001, "loads on body 'lower'"),
        (double_pendulum, "upper", "mass", 1.00001, "loads on body 'upper'"),
        (double_pendulum, "spring", "damping", 0.2001, "force element 'spring'"),
        (double_pendulum, "elbow", "A", 0.5001, "position of 'lower'"),
        (four_bar, "rocker", "mass", 1.001, "loads on body 'rocker'"),
        (flexible_link, "arm", "material.E", 211e9, "strain energy of 'arm'"),
        (flexible_link, "arm", "damping", sp.KelvinVoigt(E=4.01e8), "damping of 'arm'"),
    ],
    ids=lambda x: getattr(x, "__name__", None) if callable(x) else None,
)
def test_what_is_broken_is_found_and_located(make, item, field, value, located):
    check = sp.crosscheck(make(), 0.1, formulations=[Broken(item, field, value)])
    row = check.rows[1]
    assert check.state == "differ" and row.state == "differs" and not check.ok, check
    assert located in row.findings[0].sentence, row.findings
    assert located in check.verdict
    # the runs part from the beginning, and say in what
    assert row.at <= 0.02 and row.quantity.split(".")[0] in {*make(), "arm@1"}
    assert check["DormandPrince"].agrees


def test_the_reference_may_be_the_broken_one():
    """What is out of balance is told: the model is right, and its own coordinates are not."""

    model = double_pendulum()
    states = {
        name: crosscheck_states.StateTable(
            crosscheck_states.states_of(sp.prepare(model), form, sp.simulate(model, 0.1)), model
        )
        for name, form in (("right", sp.Absolute()), ("wrong", Broken("lower", "mass", 0.701)))
    }
    found = crosscheck_states.different(states["wrong"], states["right"], model, 0.1)
    assert "body 'lower'" in found[0].what and found[0].what.endswith("in the reference")


def test_less_than_the_errors_of_runs_is_seen_at_the_same_state():
    """A mass that is off by 1e-7 changes the motion by less than a loose tolerance does."""
    broken = [Broken("upper", "mass", 1.0 + 1e-7)]
    row = sp.crosscheck(double_pendulum(), 0.1, formulations=broken, tolerance="loose").rows[1]
    assert row.difference < row.error and row.state == "differs"
    assert "body 'upper'" in row.text


def test_the_same_equations_twice_are_no_agreement():
    same = [sp.OrderN(), sp.JointCoordinates(linear="dense"), sp.Branch(["shoulder", "elbow"])]
    check = sp.crosscheck(double_pendulum(), 0.1, formulations=same)
    assert all(row.agrees for row in check.rows)
    assert check.state == "undecided" and "independent formulations" in check.verdict


def test_trees_of_bodies_without_a_frame_are_the_same_equations():
    m = sp.Model(gravity=(0, 0, -9.81), name="rope")
    rope = m.add(sp.Cable("rope", 1.0, sp.Circle(0.01), STEEL, elements=1))
    m.add(sp.Spherical("hook", m.ground.at(0), rope.at(0)))
    sets = [equations_of(compile_model(m, tree=tree)) for tree in (None, ["free:rope"])]
    assert sets[0] == sets[1]
    m = double_pendulum()
    trees = None, ["shoulder", "free:lower"], ["free:upper", "elbow"], ["free:upper", "free:lower"]
    assert len({equations_of(compile_model(m, tree=tree)) for tree in trees}) == 4


def test_a_model_at_rest_is_no_agreement():
    m = double_pendulum()
    m.remove("spring")
    m.replace("shoulder", initial=-np.pi / 2, initial_rate=0.0)
    m.replace("elbow", initial=0.0, initial_rate=0.0)
    check = sp.crosscheck(m, 0.1)
    assert check.state == "undecided" and "nothing moves" in check.verdict


@dataclass(frozen=True)
class Spoiled(sp.DormandPrince):
    """A method that ends too early, or finds numbers that are none."""

    how: str = ""

    def run(self, problem):
        if self.how == "early":
            return super().run(problem._replace(t_end=0.05, grid=problem.grid[:11]))
        found = super().run(problem)
        if self.how == "nan":
            found.q[7:9] = np.nan
        if self.how == "drift":
            found.q[:] += 1e-5 * found.t[:, None]
        if self.how == "fails":
            found = found._replace(success=False, message="failed on purpose")
        return found


@pytest.mark.parametrize(
    ("how", "state", "words"),
    [
        ("", "agree", "agree to"),
        ("early", "differ", "it ends at t = 0.05 s, the reference at 0.1 s"),
        ("nan", "undecided", "is not finite"),
        ("fails", "undecided", "failed on purpose"),
        ("drift", "differ", "differs: "),
    ],
)
def test_a_spoiled_integrator_is_not_green(monkeypatch, how, state, words):
    monkeypatch.setattr(module, "DormandPrince", lambda max_steps: Spoiled(how=how))
    monkeypatch.setitem(module.FAMILIES, "Spoiled", "explicit Runge-Kutta")
    monkeypatch.setattr(module, "BDF", lambda max_steps: Spoiled(how=how))
    check = sp.crosscheck(double_pendulum(), 0.1, formulations=[sp.Absolute()], output=20)
    assert check.state == state and words in check.verdict, check


def test_tables_pictures_and_names(tmp_path):
    check = sp.crosscheck(double_pendulum(), 0.1, formulations=[sp.Absolute()])
    absolute = repr(sp.Absolute())
    assert list(check.to_pandas().index) == [row.name for row in check.rows]
    assert "agree" in repr(check) and absolute in check._repr_html_()
    ax = check.plot(tmp_path / "check.svg").axes[0]
    row = check[absolute]
    drawn = {line.get_label(): line for line in ax.lines}[absolute]
    assert np.array_equal(drawn.get_ydata(), np.maximum(row.apart, 1e-16))
    with pytest.raises(sp.SuppleError, match="has no row 'absolut'"):
        check["absolut"]


def test_a_reference_that_fails_is_told():
    m = double_pendulum()
    with pytest.raises(sp.SuppleError, match="crosscheck: the reference fails: "):
        sp.crosscheck(m, 1.0, integrator=sp.Radau(max_steps=3))


@pytest.mark.slow
def test_chaos_is_told_from_a_difference():
    """Errors grow by the Lyapunov exponent; a broken mass is found all the same, before."""
    m = double_pendulum()
    m.remove("spring")
    m.replace("shoulder", initial=2.5, initial_rate=3.0)
    m.replace("elbow", axis="z")
    check = sp.crosscheck(m, 15.0, tolerance=1e-6)
    assert check.state == "agree until" and "chaotic" in check.verdict and not check.ok
    assert 2.0 < check.until < 15.0
    assert all(row.until >= check.until for row in check.rows)
    broken = sp.crosscheck(m, 15.0, tolerance=1e-6, formulations=[Broken("upper", "mass", 1.001)])
    assert broken.state == "differ" and broken.rows[1].at < 0.5


def soft_strip(**options) -> sp.Model:
    """A strip of rubber, clamped, that bends far under its weight."""
    m = sp.Model(gravity=(0, 0, -9.81), name="strip")
    rubber, square = sp.Material(E=5e8, G=1.8e8, density=1100), sp.Rectangle(0.004, 0.004)
    strip = m.add(sp.Beam("strip", 1.0, square, rubber, damping=sp.KelvinVoigt(E=1e7), **options))
    m.add(sp.Fixed("clamp", m.ground.at(0), strip.at(0)))
    return m


@pytest.mark.slow
def test_large_deflections_agree_with_parts_and_not_with_one_floating_frame():
    """Parts and nodal vectors converge to the same; small deflections are another theory."""
    check = sp.crosscheck(soft_strip(parts=8), 0.3, tolerance=1e-6)
    assert check.ok, check
    vectors = check["gradient bodies"]
    assert vectors.state == "discretisation" and vectors.order > 1.0
    small = sp.crosscheck(soft_strip(elements=8, modes=6), 0.3, tolerance=1e-6)
    assert small["absolute"].agrees and not small.ok
    for name in ("deformation modes", "gradient bodies"):
        assert small[name].state == "undecided" and small[name].difference > 0.1
        assert small[name].quantity.startswith("strip@") and "something else" in small[name].text


def test_parts_are_refined_where_they_are():
    written = sp.DeformationModes(refinement=2).written
    assert written(soft_strip(parts=(0.2, 0.5)))["strip"].parts == pytest.approx(
        (0.1, 0.2, 0.35, 0.5, 0.75), rel=1e-14
    )
    assert written(soft_strip(elements=3))["strip"].parts == 6
    nodes, tube = {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0)}, sp.Tube(0.02, 0.002)
    members = [sp.Member(*ends, tube, STEEL, elements=n) for n, ends in ((1, "ab"), (3, "bc"))]
    m = sp.Model(name="frame")
    m.add(sp.FrameStructure("frame", nodes, members))
    assert written(m)["frame"].parts == (2, 6)


def test_beams_with_nodal_vectors_are_the_same_beams_or_are_refused():
    written = sp.ANCF(elements=4).written
    new = written(soft_strip(elements=3, roll=0.3))["strip"]
    assert (new.length, new.roll, new.elements, new.damping.E) == (1.0, 0.3, 4, 1e7)
    stiff = soft_strip(modes=0)
    assert written(stiff)["strip"] is stiff["strip"]
    for options, sentence in (
        ({"theory": "timoshenko"}, "theory is 'timoshenko', expected 'euler_bernoulli' of a beam"),
        ({"rotary_inertia": False}, "rotary_inertia is False, expected True of a beam with nodal"),
        ({"torsion": "polar"}, "torsion is 'polar', expected 'saint_venant' of a beam with nodal"),
    ):
        with pytest.raises(sp.ModelError, match=f"Beam 'strip': {sentence}"):
            written(soft_strip(**options))
    m = sp.Model(name="mesh")
    cube = sp.fem.block((1.0, 1.0, 1.0), (1, 1, 1), "hex8", STEEL)
    m.add(sp.MeshBody("cube", cube, modes=2, reference="mean_axis"))
    with pytest.raises(sp.ModelError, match="MeshBody 'cube' has no body of nodal vectors"):
        written(m)


def vector_arm(**options) -> sp.Model:
    """An arm in space that bends and twists, with a follower force."""
    m = sp.Model(gravity=(0, 0, -9.81), name="arm")
    soft = sp.Material(E=2e9, G=8e8, density=1200)
    options = {"elements": 4, "damping": sp.KelvinVoigt(E=2e6, G=3e6), **options}
    arm = m.add(sp.ANCFBeam("arm", 1.0, sp.Rectangle(0.02, 0.01), soft, **options))
    tip = m.add(sp.RigidBody("tip", 0.1, (0.05, 0.05, 0.03), (1e-3, 1e-3, 1e-3)))
    m.add(sp.Revolute("pin", m.ground.at(0), arm.at(0), (0, 1, 0.4), initial=0.3))
    m.add(sp.Fixed("grip", arm.at(1.0), tip.at(0)))
    m.add(sp.Force("push", arm.at(0.5), (0, 0.5, 0), (0.1, 0, 0), axes="body"))
    return m


@pytest.mark.slow
def test_a_beam_with_nodal_vectors_is_compared_with_parts():
    """Changes fall by the second order of parts that twist; four elements are near the limit."""
    check = sp.crosscheck(vector_arm(), 0.1, output=50)
    row = check["deformation modes"]
    assert check.ok and row.agrees and row.difference < 1e-3 and row.order > 1.5, check


def test_beams_with_nodal_vectors_are_cut_where_parts_are_the_same():
    written = sp.DeformationModes(refinement=2).written
    model = vector_arm(roll=0.3)
    old, new = model["arm"], written(model)["arm"]
    assert isinstance(new, sp.Beam)
    assert (new.length, new.roll, new.parts, new.damping.G) == (1.0, 0.3, 8, 3e6)
    assert new.section is old.section and new.material is old.material
    for element in ("continuum", "elastic_line"):  # they lock: parts would be another beam
        model = vector_arm(element=element)
        assert written(model)["arm"] is model["arm"]
