"""Error bars: they contain the truth, and wrong answers do not get small ones."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pytest
from scipy.special import ellipk
from typer.testing import CliRunner

import supple as sp
from models import mesh_bodies
from supple.bodies.base.refinement import finer_mesh, mesh_size, more_modes
from supple.certificates import certify as module
from supple.certificates.certify import Contribution
from supple.certificates.contributions import estimate, observed_order
from supple.certificates.runs import sample
from supple.cli import app
from supple.sweeps.readings import readings

ALLOY = sp.Material(70e9, 26e9, 2700)
SECTION = sp.Rectangle(0.01, 0.02)
G = 9.81


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        yield


def pendulum(angle: float = 0.5) -> sp.Model:
    """A point mass on a rod of 1 m; at ``angle`` (rad) from hanging down."""
    m = sp.Model(gravity=(0, -G, 0), name="pendulum")
    rod = m.add(sp.RigidBody("rod", 1.0, (0, -1.0, 0), (1e-9, 1e-9, 1e-9)))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="z", initial=angle))
    return m


def falling(**options) -> sp.Model:
    given = {"elements": 2, "modes": 2, "damping": sp.Rayleigh(stiffness=1e-5)} | options
    m = sp.Model(gravity=(0, -G, 0), name="falling rod")
    rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, **given))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="z"))
    return m


def on_two_pins(modes) -> sp.Model:
    """A beam with a sudden force on its middle."""
    m = sp.Model(gravity=(0, 0, 0), name="bridge")
    rod = m.add(sp.Beam("rod", 1.0, SECTION, ALLOY, modes=modes, reference="chord"))
    m.add(sp.Revolute("left", m.ground.at(0), rod.at(0), axis="z"))
    m.add(sp.PointOnLine("right", m.ground.at(1.0), rod.at(1.0), axis="x"))
    m.add(sp.Force("push", rod.at(0.5), force=(0, -10.0, 0)))
    return m


class Fake:
    """A result of one history."""

    def __init__(self, t, y):
        self.t, self.height = np.asarray(t), np.asarray(y)

    def __getitem__(self, name):
        return self

    def __contains__(self, name):
        return True


def sampled(t, y, statistic):
    return sample(readings(f"pin.height @ {statistic}")[0], Fake(t, y))


def test_estimates():
    """Limits of series: geometric, by chance right at first, slow, or none."""
    limit, steps = 1.0, np.array([1.0, 0.25, 0.0625])
    found = estimate(limit + 0.1 * steps, 1e-9, 1.0)
    assert 0.1 <= found.error <= 0.13
    assert observed_order(found.ratio, 2.0) == pytest.approx(2.0)
    # the first value is right, the others are not yet: the error is not called zero
    chance = estimate([1.0, 1.1, 1.03], 1e-9, 1.0)
    assert chance.error > 0.05 and not chance.settles
    # nothing by the first refinement, all by the second
    hidden = estimate([1.0, 1.0, 1.01], 1e-9, 1.0)
    assert hidden.error >= 0.03 and not hidden.settles
    assert estimate([1.0, 1.0, 1.5], 1e-9, 1.0).error == math.inf
    assert estimate([1.0, 1.2], 1e-3, 1.0, exact=True).error == pytest.approx(0.201)
    assert estimate([1.0, 1.0 + 1e-9, 1.0], 1e-9, 1.0).settles


def test_samples():
    """Extrema and means between output times, with errors that are not less than the true ones."""
    t = np.linspace(0.0, 1.0, 101)
    exact = {"max": 1.0, "min": -1.0, "abs max": 1.0, "range": 2.0, "time of max": math.pi / 22}
    for statistic, value in exact.items():
        found = sampled(t, np.sin(11.0 * t), statistic)
        assert abs(found.value - value) <= found.error < 1e-4, statistic
    mean = sampled(t, np.sin(11.0 * t), "mean")
    assert abs(mean.value - (1 - math.cos(11.0)) / 11.0) <= mean.error < 1e-4
    rms = sampled(t, np.sin(11.0 * t), "rms")
    exact_rms = (0.5 - math.sin(22.0) / 44.0) ** 0.5
    assert abs(rms.value - exact_rms) <= rms.error < 1e-4
    jump = sampled(t, (t > 0.305) * (1.31 - t), "max")  # no parabola rises above a jump
    assert jump.value == pytest.approx(1.0, abs=1e-12) and jump.error > 0.005
    assert sampled(t, t, "max").at_end and not sampled(t, -t, "max").at_end


def test_values_at_times():
    """A time is a statistic, where there is an output."""
    (reading,) = readings("pin.height @ 0.5 s")
    t = np.linspace(0.0, 1.0, 11)
    assert reading.read(Fake(t, t**2)) == pytest.approx(0.25)
    with pytest.raises(sp.SuppleError, match=r"between output times, expected one at 0.55 s"):
        readings("pin.height @ 0.55 s")[0].read(Fake(t, t))
    with pytest.raises(sp.ModelError, match="another word after @"):
        readings("pin.height @ nans")


def test_rigid_pendulum():
    """After one exact period it is where it was; the bar contains that and is small."""
    angle = 1.0
    period = 4.0 * ellipk(math.sin(angle / 2) ** 2) / math.sqrt(G)
    outputs = ["pin.angle @ end", "pin.angle @ min", "rod.position.z @ max"]
    found = sp.certify(pendulum(angle), float(period), outputs, tolerance=1e-6)
    for name, exact in zip(outputs, (angle, -angle, 0.0), strict=True):
        c = found[name]
        assert c.passed and c.level == "certified", c
        assert abs(c.value - exact) <= c.bar < 1e-5, c
    assert any("symmetry" in remark for remark in found[outputs[2]].remarks)
    # the bar of a coarse run is a coarse one, and still contains it
    coarse = sp.certify(pendulum(angle), float(period), outputs[0], tolerance=1e-3)
    assert 1e-8 < abs(coarse.value - angle) <= coarse.bar
    quarter, steps = float(period / 4), sp.GeneralizedAlpha(step=0.01)
    equal = sp.certify(pendulum(angle), quarter, outputs[0], integrator=steps)
    assert 1e-5 < abs(equal.value) <= equal.bar <= 3.0 * abs(equal.value)


def test_chaos_has_no_bar():
    m = pendulum(2.5)
    link = m.add(sp.RigidBody("link", 1.0, (0, -1.0, 0), 0.01))
    m.add(sp.Revolute("elbow", m["rod"].at(0, -1.0), link.at(0), axis="z", initial=0.3))
    c = sp.certify(m, 30.0, "elbow.angle @ end", tolerance=1e-5)
    assert c.level == "not certified" and not c.passed
    assert c.bar == math.inf and "part from t = " in c["integration"].reason


def test_flexible_rod():
    """Its modes are wrong by what all coordinates change, and the finest run agrees."""
    c = sp.certify(falling(), 0.05, "rod.at(1.0).position.y @ end", intervals=100)
    whole = sp.simulate(falling(modes="all"), 0.05)["rod"].at(1.0).position[-1, 1]
    assert c["modes"].error == pytest.approx(abs(whole - c.value), rel=1e-3)
    assert abs(c.best - c.value) <= c.bar and c.runs == 9
    assert "observed order" in c["mesh"].reason
    assert "integration" in str(c) and c.output in repr(c) and "validity" in c._repr_html_()
    assert len(c.plot().axes[0].patches) == sum(x.error > 0.0 for x in c.contributions) + 1


def test_modes_that_the_output_does_not_see():
    """The second sine does not move the middle: two sines are no proof that one is enough."""
    one, two, exact = (
        sp.simulate(on_two_pins(sp.reduction.SineShapes(n, "y")), 0.02)["rod"]
        .at(0.5)
        .position[-1, 1]
        for n in (1, 2, 12)
    )
    assert one == pytest.approx(two, rel=1e-6) and abs(exact - one) > 1e-3 * abs(one)
    c = sp.certify(
        on_two_pins(sp.reduction.SineShapes(1, "y")),
        0.02,
        "rod.at(0.5).position.y @ end",
        contributions=["integration", "modes"],
    )
    assert abs(exact - c.value) <= c.bar <= 10.0 * abs(exact - c.value)


def test_other_events():
    """A run that comes to its event only because of a coarse tolerance has no bar."""
    low = sp.simulate(falling(), 0.2)["rod"].at(1.0).position[:, 1].min()
    fine = sp.simulate(falling(modes="all"), 0.2)["rod"].at(1.0).position[:, 1].min()
    m = falling()
    event = sp.Event("touch", m["rod"].at(1.0), "y", value=0.5 * (low + fine))
    c = sp.certify(m, 0.2, "pin.angle @ end", events=event, contributions=["integration", "modes"])
    assert c.bar == math.inf and "has other events: " in c["modes"].reason


def test_finest_run_outside_of_the_sum(monkeypatch):
    """The bar is widened to twice its distance, and says so."""
    wrong = {"mesh": lambda question: Contribution("mesh", 1e-12, "too small on purpose")}
    monkeypatch.setattr(module, "ESTIMATORS", module.ESTIMATORS | wrong)
    options = {"intervals": 50, "contributions": ["mesh"], "tolerance": 1e-8}
    c = sp.certify(
        falling(elements=1, modes="all"), 0.05, "rod.at(1.0).position.y @ end", **options
    )
    assert c.level == "widened" and not c.verified
    assert c.bar == pytest.approx(2.0 * abs(c.best - c.value))


@pytest.mark.slow
def test_what_a_bar_does_not_contain():
    """A body beyond its model."""
    soft = falling()
    soft.replace("rod", material=sp.Material(1e7, 4e6, 2700))
    c = sp.certify(soft, 0.3, "rod.at(1.0).position.y @ end", contributions=["validity"])
    assert c.level == "not certified" and "elastic rotation" in c["validity"].reason


@pytest.mark.slow
@pytest.mark.parametrize("t_end", [1e-3, 2e-2])
def test_a_given_mesh_is_compared_with_a_finer_one(t_end):
    """Bars of two modes of a coarse strip contain what 20 modes of half the size give."""

    def panel(n, across, modes):
        m = sp.Model(gravity=(0, 0, -G), name="panel")
        strip = m.add(mesh_bodies.body(mesh_bodies.strip(n, across=across), modes=modes))
        m.add(sp.Fixed("wall", m.ground.at(0), strip.at(strip.interfaces[0].name)))
        return m

    fine = sp.simulate(panel(16, 4, 20), t_end, output=10)
    truth = {
        "body.at(1.0).position.z @ end": fine["body"].at("b").position[-1, 2],
        "energy.kinetic @ end": fine.energy.kinetic[-1],
        "energy.elastic @ end": fine.energy.elastic[-1],
    }
    for output, value in truth.items():
        c = sp.certify(panel(8, 2, 2), t_end, output, intervals=10)
        assert c.level == "certified" and not c["mesh"].unknown
        assert 0.0 < abs(c.value - value) < c.bar, output


def test_finer_descriptions():
    """Fields of all kinds of bodies; what cannot be refined says so."""
    beam = {"length": 1.0, "section": SECTION, "material": ALLOY}
    few = sp.Beam("b", **beam, elements=4, modes=2)
    assert more_modes(few, 2) == {"modes": "all"} and mesh_size(few) == 24
    long = sp.Beam("b", **beam, elements=20, modes=(1, 5))
    assert more_modes(long, 2)["modes"] == sp.reduction.AttachmentModes(14)
    between = sp.Beam("b", **beam, elements=20, modes=sp.reduction.CraigBampton([0.0, 1.0], 3))
    assert more_modes(between, 2)["modes"] == sp.reduction.CraigBampton([0.0, 1.0], 10)
    assert more_modes(sp.Beam("b", **beam, modes=0), 2) == {}
    sines = sp.Beam("b", **beam, modes=sp.reduction.SineShapes(2, axial=1), reference="chord")
    assert (
        more_modes(sines, 2) == {"modes": sp.reduction.SineShapes(4, axial=2)}
        and finer_mesh(sines, 2) == {}
    )
    clamped = sp.Beam("b", **beam, elements=4, clamp_node=3)
    assert finer_mesh(clamped, 2) == {"elements": 8, "clamp_node": 6}
    assert finer_mesh(sp.Beam("b", **beam, parts=[0.2, 0.6]), 2)["parts"] == pytest.approx(
        [0.1, 0.2, 0.4, 0.6, 0.8]
    )
    frame = sp.FrameStructure(
        "f",
        {"a": (0, 0, 0), "b": (1, 0, 0), "c": (1, 1, 0)},
        [sp.Member("a", "b", SECTION, ALLOY), sp.Member("b", "c", SECTION, ALLOY, elements=2)],
        modes=3,
    )
    assert [x.elements for x in finer_mesh(frame, 2)["members"]] == [2, 4]
    assert finer_mesh(sp.RigidBody("r", 1.0), 2) == more_modes(sp.RigidBody("r", 1.0), 2) == {}


def test_chosen_modes():
    """The choice meets its tolerance against all coordinates; one alone is refused."""
    m = falling(modes="auto")
    with pytest.raises(sp.ModelError, match=r"modes is 'auto', expected a number: sp.choose_modes"):
        sp.simulate(m, 0.05)
    output = "rod.at(1.0).position.y @ end"
    whole = sp.simulate(falling(modes="all"), 0.05)["rod"].at(1.0).position[-1, 1]
    counts = []
    for tolerance in (1e-2, 1e-7):
        chosen = sp.choose_modes(m, 0.05, {output: tolerance}, intervals=20)
        found = sp.simulate(chosen.model, 0.05)["rod"].at(1.0).position[-1, 1]
        assert chosen.met and abs(found - whole) <= tolerance
        assert chosen.outputs[output].error == pytest.approx(abs(found - whole), rel=0.05, abs=1e-9)
        counts.append(chosen.coordinates["rod"])
    assert counts[0] < counts[1]
    assert "rod" in str(chosen) and "met" in repr(chosen) and "rod" in chosen._repr_html_()
    c = sp.certify(m, 0.05, output, within=1e-3, contributions=["integration", "modes"])
    assert c.passed and c["modes"].error <= 0.25e-3 * 1.01
    with pytest.raises(sp.ModelError, match=r"within=... of certify"):
        sp.certify(m, 0.05, output)
    with pytest.raises(sp.ModelError, match="has modes='auto', expected one, or bodies="):
        sp.choose_modes(falling(), 0.05, {output: 1.0})


def test_command(tmp_path):
    """The numbers of a file; the exit code is the answer."""
    file = tmp_path / "pendulum.yaml"
    sp.files.write_model(pendulum(), file)
    call = ["certify", str(file), "pin.angle @ end", "--until", "0.1", "--json"]
    done = CliRunner().invoke(app, call)
    (row,) = json.loads(done.stdout)["outputs"]
    assert done.exit_code == 0 and row["level"] == "certified"
    tight = CliRunner().invoke(app, [*call, "--within", "1e-18"])
    assert tight.exit_code == 1
    wrong = CliRunner().invoke(app, [*call, "--without", "masses"])
    assert wrong.exit_code == 2 and "--without is 'masses'" in wrong.stderr
