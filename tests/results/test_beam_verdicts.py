"""Beams with few modes, few elements or short lengths: what is said is what is wrong, and how much.

Runs are compared with those of far more shapes on a finer mesh, equilibria with closed forms.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import supple as sp
from supple.results.flexibility.truncation import LIMIT, truncations

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
FLAT = sp.Rectangle(0.02, 0.1)
DAMPING = sp.ModalDamping(0.02)
RIGHT = 0.005  # relative error of what must not be alarmed
FACTOR = 1.5  # between what is told and what is wrong


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def beam(m, modes, n, length=2.0, section=FLAT, damping=DAMPING, **options):
    given = {"elements": n, "modes": modes, "damping": damping} | options
    return m.add(sp.Beam("rod", length, section, ALLOY, **given))


def on_a_hub(modes, n):
    """Hinged on a body that floats, moved by a spring in the hinge that is let go."""
    m = sp.Model()
    hub = m.add(sp.RigidBody("hub", 300.0, inertia=60))
    m.add(sp.Free("flight", m.ground.at(0), hub.at(0)))
    rod = beam(m, modes, n, section=sp.Rectangle(1.0, 0.01), damping=sp.ModalDamping(0.005))
    m.add(sp.Revolute("hinge", hub.at(0.5), rod.at(0), axis="y", initial=1.5))
    m.add(sp.JointSpring("spring", "hinge", stiffness=3.0, damping=0.4))
    return m, 4.0


def clamped(place, force=(0, 0, 0), torque=(0, 0, 0), gravity=(0, 0, 0)):
    """A load that begins at once."""

    def build(modes, n):
        m = sp.Model(gravity=gravity)
        rod = beam(m, modes, n)
        m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
        if any(force) or any(torque):
            m.add(sp.Force("load", rod.at(place), force, torque))
        return m, 0.6

    return build


def pushed_slowly(modes, n):
    m = sp.Model()
    rod = beam(m, modes, n)
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(0.5), (0, sp.Sine(200.0, 2.0), 0)))
    return m, 0.5


def with_tip_mass(modes, n):
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = beam(m, modes, n)
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
    tip = m.add(sp.RigidBody("tip", 10.0, inertia=0.1))
    m.add(sp.Fixed("weld", rod.at(2.0), tip.at(0)))
    return m, 0.6


def pendulum(modes, n):
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = beam(m, modes, n)
    m.add(sp.Revolute("hinge", m.ground.at(0), rod.at(0)))
    m.add(
        sp.SpringDamper(
            "rope", m.ground.at(2, 1, 0), rod.at(2.0), stiffness=500.0, length=1.0, damping=5.0
        )
    )
    return m, 0.6


def free(modes, n):
    m = sp.Model()
    rod = beam(m, modes, n)
    m.add(sp.Free("flight", m.ground.at(0), rod.at(0)))
    m.add(sp.Force("load", rod.at(2.0), (0, 20.0, 0)))
    return m, 0.3


def turned(modes, n):
    m = sp.Model()
    rod = beam(m, modes, n, stiffening="second_order")
    m.add(sp.Revolute("hub", m.ground.at(0), rod.at(0)))
    m.add(sp.JointEffort("motor", "hub", sp.Sine(50.0, 2.0)))
    return m, 0.5


def between_pins(modes, n):
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = beam(m, modes, n)
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0)))
    m.add(sp.PointOnLine("right", m.ground.at(0), rod.at(2.0), axis="x"))
    return m, 0.4


def chain(modes, n):
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = beam(m, modes, n)
    arm = m.add(sp.RigidBody("arm", 5.0, com=(1, 0, 0), inertia=(0.1, 2, 2)))
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
    m.add(sp.Revolute("elbow", rod.at(2.0), arm.at(0)))
    return m, 0.5


RUNS = {
    "hub": on_a_hub,
    "weight": clamped(2.0, gravity=(0, -9.81, 0)),
    "force at the tip": clamped(2.0, (0, 20.0, 0)),
    "force near the wall": clamped(0.5, (0, 200.0, 0)),
    "torque in the middle": clamped(1.0, torque=(0, 0, 20.0)),
    "pushed slowly": pushed_slowly,
    "tip mass": with_tip_mass,
    "pendulum": pendulum,
    "free": free,
    "turned": turned,
    "pins": between_pins,
    "chain": chain,
}
FEW = (2, 8, sp.reduction.AttachmentModes(2))
CHOICES = (*FEW, 4, 16, sp.reduction.AttachmentModes(8), "all")
QUICK = [("force near the wall", FEW), ("pins", FEW)]
FAMILY = [pytest.param(name, CHOICES, marks=pytest.mark.slow) for name in RUNS]


def run(name, modes, n):
    model, end = RUNS[name](modes, n)
    return sp.simulate(model, end, output=300)


def deflections(r):
    """Displacements (nt, stations, 3) against the body's frame."""
    return np.stack([r["rod"].at(x).deflection for x in np.linspace(0.0, 2.0, 9)], axis=1)


def energy(r):
    """Mean over the run of the strain energy."""
    record = r.data.compiled.flexible["rod"]
    q = r.q[:, record.q]
    return float(np.einsum("ti,ij,tj->t", q, record.modal.K, q).mean())


@pytest.mark.parametrize(("name", "choices"), [*QUICK, *FAMILY])
def test_modes_of_runs(name, choices):
    """Too stiff by as much as is told; what all coordinates cannot end is not told.

    The true energy is smaller by the flexibility that is missing, in the mean over the run.
    """
    right = run(name, sp.reduction.AttachmentModes(16), 16)
    assert not [f for f in right.monitor.findings if f.what == "modes"]
    for modes in choices:
        r = run(name, modes, 8)
        found = truncations(r)["rod"]
        wrong = 1.0 - energy(r) / energy(right)
        moved = np.linalg.norm(deflections(r) - deflections(right), axis=2).max()
        moved /= np.linalg.norm(deflections(right), axis=2).max()
        findings = [f for f in r.monitor.findings if f.what == "modes"]
        assert bool(findings) == (found.largest > LIMIT), (modes, findings)
        if modes == "all" or max(wrong, moved) < RIGHT:
            assert not findings, (modes, wrong, moved, findings)
        if wrong > FACTOR * LIMIT:
            assert findings, (modes, wrong)
            told = found.flexibility / (1.0 - found.flexibility)
            true = wrong / (1.0 - wrong)
            assert true / FACTOR < told < true * FACTOR, (modes, true, told)


def test_what_is_told_ends():
    """The hinged beam on the hub: by twelve modes, or by static shapes for what is attached."""
    sentences = [
        run("hub", modes, 8).monitor.verdict for modes in (4, 12, sp.reduction.AttachmentModes(12))
    ]
    assert "with its 4 modes it leaves out 3 % of its deflection" in sentences[0]
    assert all(s.startswith("valid") for s in sentences[1:])


def cantilever(length=1.0, section=None, **options):
    m = sp.Model()
    given = {"elements": 8} | options
    rod = m.add(sp.Beam("rod", length, section or sp.Rectangle(0.01, 0.02), ALLOY, **given))
    m.add(sp.Fixed("wall", m.ground.at(0), rod.at(0)))
    return m


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"modes": 2}, 0.25),
        ({"modes": 2}, 1.0),
        ({"modes": 4}, 0.25),
        ({"modes": 8}, 0.25),
        ({"elements": 1}, 0.5),
        ({"elements": 1}, 1.0),
        ({"modes": "all"}, 0.3),
        ({"modes": sp.reduction.AttachmentModes(2)}, 1.0),
        ({"modes": sp.reduction.PolynomialShapes(4)}, 1.0),
        ({"modes": 4, "stiffening": "second_order"}, 1.0),
    ],
)
def test_stiffness_is_judged_for_the_loads_of_the_question(options, place):
    """Nothing acts in the model; the load of the question is a force at a place."""
    m = cantilever(**options)
    found = sp.stiffness(m, m["rod"].at(place), ["y"])
    exact = 3.0 * 70e9 * 0.02 * 0.01**3 / 12 / place**3
    error = float(found.along("y")[0]) / exact - 1.0
    findings = [f for f in found.positions[0].monitor.findings if f.what == "flexibility"]
    assert bool(findings) == (error > LIMIT / (1.0 - LIMIT)), (error, found.verdict)
    assert found.verdict.startswith("valid") == (not findings)
    if findings:
        assert findings[0].value == pytest.approx(error / (1.0 + error), rel=0.01)
        assert f"the model is {100 * error:.2g} % too stiff for a load along 'y'" in found.verdict


def test_stiffness_of_a_frame_of_beams_is_judged_as_a_whole():
    """Two beams that carry a stage: both have too few modes."""

    def stage(modes):
        m = sp.Model()
        plate = m.add(sp.RigidBody("stage", 1.0, inertia=0.01))
        for k, y in enumerate((0.0, 0.1)):
            leaf = m.add(
                sp.Beam(f"leaf{k}", 0.2, sp.Rectangle(0.001, 0.02), ALLOY, elements=4, modes=modes)
            )
            turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
            m.add(sp.Fixed(f"foot{k}", m.ground.at(y, 0, 0, turn), leaf.at(0)))
            m.add(sp.Fixed(f"head{k}", leaf.at(0.2), plate.at(y, 0, 0, turn)))
        return m

    few, many = stage(6), stage("all")
    found, right = (sp.stiffness(m, m["stage"].at(0.05), ["x"]) for m in (few, many))
    assert right.verdict.startswith("valid")
    error = float(found.along("x")[0] / right.along("x")[0]) - 1.0
    assert error > 0.05
    assert f"is {100 * error:.2g} % too stiff" in found.verdict
    assert "'leaf0' and 'leaf1'" in found.verdict


HEIGHT = 0.1
SHORT = {"section": sp.Rectangle(HEIGHT, 0.05)}


def loaded(length, kind, theory="euler_bernoulli", **options):
    m = cantilever(length, theory=theory, **(SHORT | options))
    rod, place = m["rod"], length
    if kind == "near":
        place = length / 4
    m.add(sp.Force("load", rod.at(place), *(((0, 0, 0), (0, 0, 50.0)) if kind == "torque" else
                                            ((0, 1000.0, 0),))))  # fmt: skip
    return m, place


@pytest.mark.parametrize("options", [{}, {"modes": 4}, {"elements": 4, "parts": 4}])
@pytest.mark.parametrize("ratio", [2, 3, 5, 10, 20])
@pytest.mark.parametrize("kind", ["tip", "near", "torque"])
def test_shear_of_short_beams_is_told(kind, ratio, options):
    """By as much as Timoshenko's theory adds where the load acts; moments have no shear."""
    m, place = loaded(ratio * HEIGHT, kind, **options)
    result = sp.statics(m)
    better, _ = loaded(ratio * HEIGHT, kind, "timoshenko")
    right = sp.statics(better)["rod"].at(place).deflection[0, 1]
    full, _ = loaded(ratio * HEIGHT, kind)
    added = right / sp.statics(full)["rod"].at(place).deflection[0, 1] - 1.0
    findings = [f for f in result.monitor.findings if f.what == "shear"]
    assert bool(findings) == (added > 0.02)
    if findings:
        assert findings[0].value == pytest.approx(added, rel=0.01)
        assert "use theory='timoshenko'" in findings[0].sentence
    assert not [f for f in sp.statics(better).monitor.findings if f.what == "shear"]


@pytest.mark.parametrize("options", [{"elements": 12}, {"elements": 4, "parts": 12}])
@pytest.mark.parametrize("ratio", [2, 5, 10])
def test_shear_of_short_waves_is_told(ratio, options):
    """Frequencies against those of Timoshenko's theory."""
    linear = sp.linearize(cantilever(ratio * HEIGHT, **(SHORT | options)))
    right = sp.linearize(
        cantilever(ratio * HEIGHT, elements=16, theory="timoshenko", **SHORT)
    ).frequencies
    error = linear.frequencies[:4] / right[:4] - 1.0
    told = linear.frequency_errors[:4] / (1.0 - linear.frequency_errors[:4])
    assert told == pytest.approx(error, rel=0.15, abs=4e-3)
    wrong = [f for f in linear.monitor.findings if f.what in ("frequency", "frequencies")]
    assert bool(wrong) == bool(np.any(error[:3] > 0.0205))
    if wrong:
        assert wrong[0].sentence.endswith("use theory='timoshenko'")


def test_shear_of_frame_structures_is_told():
    """A portal of short members; sections given by numbers have the shear of a rectangle."""
    moment = 0.05 * HEIGHT**3 / 12
    sizes = (HEIGHT / 2, 0.025)
    numbers = sp.Section(0.05 * HEIGHT, moment / 4, moment, moment / 2, half_sizes=sizes)
    for section, theory in ((SHORT["section"], "euler_bernoulli"), (numbers, "euler_bernoulli"),
                            (SHORT["section"], "timoshenko")):  # fmt: skip
        m = sp.Model()
        nodes = {"a": (0, 0, 0), "b": (0.3, 0, 0)}
        member = sp.Member("a", "b", section, ALLOY, elements=2, theory=theory)
        frame = m.add(sp.FrameStructure("frame", nodes, [member]))
        m.add(sp.Fixed("foot", m.ground.at(0), frame.at("a")))
        m.add(sp.Force("load", frame.at("b"), (0, 0, 1000.0)))
        values = [f.value for f in sp.statics(m).monitor.findings if f.what == "shear"]
        assert bool(values) == (theory == "euler_bernoulli")


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [2, 3, 20])
def test_certificates_count_shear(ratio):
    """The bar reaches the exact deflection of the three-dimensional beam."""
    length = ratio * HEIGHT
    m = cantilever(length, modes=4, damping=sp.ModalDamping(0.5), **SHORT)
    load, moment = 1000.0, 0.05 * HEIGHT**3 / 12
    m.add(sp.Force("load", m["rod"].at(length), (0, load, 0)))
    settled = 0.02 * (ratio / 2) ** 2
    found = sp.certify(m, settled, lambda r: r["rod"].at(length).deflection[-1, 1])
    exact = load * length**3 / 3 / (70e9 * moment) + load * length / (5 / 6 * 26e9 * 0.05 * HEIGHT)
    assert abs(found.value - exact) < found.bar < 0.6 * exact
    if ratio == 2:
        m.replace("rod", section=sp.Section(0.05 * HEIGHT, moment / 4, moment, moment / 2))
        unknown = sp.certify(m, settled, lambda r: r["rod"].at(length).deflection[-1, 1])
        assert not np.isfinite(unknown.bar)
        assert "shear of its sections" in str(unknown)


@pytest.mark.parametrize(
    ("options", "place"),
    [
        ({"modes": 2}, 0.25),
        ({"modes": 8}, 1.0),
        ({"modes": "all"}, 0.25),
        ({"modes": sp.reduction.AttachmentModes(2)}, 1.0),
    ],
)
def test_slow_responses_to_inputs_are_judged(options, place):
    """All frequencies are right; the deflection under a force is not, with few modes."""
    m = cantilever(**options)
    linear, where = sp.linearize(m), (m["rod"].at(place), "y")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        space = linear.state_space(where, where)
    exact = place**3 / 3 / (70e9 * 0.02 * 0.01**3 / 12)
    error = 1.0 - space.frequency_response([0.0]).values[0, 0, 0].real / exact
    told = [str(w.message) for w in caught if "slow response" in str(w.message)]
    assert bool(told) == (error > LIMIT)
    if told:  # at a third of the lowest frequency
        part = float(told[0].split(" is ")[1].split(" %")[0]) / 100
        assert part == pytest.approx(error, rel=0.1)


def test_what_to_do_about_shear():
    """Assumed shapes have no shear: a mesh is needed as well."""
    m = cantilever(0.3, modes=sp.reduction.PolynomialShapes(4), **SHORT)
    m.add(sp.Force("load", m["rod"].at(0.3), (0, 1000.0, 0)))
    (finding,) = (f for f in sp.statics(m).monitor.findings if f.what == "shear")
    assert finding.sentence.endswith(
        "use theory='timoshenko' and modes of a mesh, e.g. AttachmentModes(n)"
    )
    with pytest.raises(sp.ModelError, match="theory is 'timoshenko', expected 'euler_bernoulli'"):
        m.replace("rod", theory="timoshenko")
    m.replace("rod", theory="timoshenko", modes=sp.reduction.AttachmentModes(4))
    assert sp.statics(m).monitor.level == "valid"
