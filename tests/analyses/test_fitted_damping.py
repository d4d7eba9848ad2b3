"""Damping of the modes of a model: fitted, and told where ratios of a body alone mislead."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.foundation.errors import ModelError, SimulationError, SuppleWarning

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
PIPE = sp.Tube(0.06, 0.003)


def boom(tool: str = "body", modes: Any = 4, joint: Any = sp.Fixed, **given: Any) -> sp.Model:
    """A pipe of 1 m with 5 kg at its tip: a rigid body that is welded on, or a point mass."""
    m = sp.Model(gravity=(0, 0, -9.81), name="boom")
    pipe = m.add(sp.Beam("pipe", 1.0, PIPE, ALLOY, modes=modes, **given))
    m.add(joint("clamp", m.ground.at(0), pipe.at(0)))
    if tool == "point":
        m.add(sp.PointMass("tool", pipe.at(1.0), 5.0))
    elif tool == "body":
        payload = m.add(sp.RigidBody("tool", 5.0, com=(0.02, 0, 0.01), inertia=0.01))
        m.add(sp.Fixed("flange", pipe.at(1.0), payload.at(0)))
    return m


def ratios(model: sp.Model, count: int = 4) -> list[float]:
    found = [m.damping for m in sp.linearize(model).modes if m.eigenvalue.imag > 0.0]
    return [float(x) for x in found[:count]]


# -------------------------------------------------------------------------------- what is told


@pytest.mark.filterwarnings("ignore:Beam 'pipe'. with its")  # few modes
def test_one_payload_two_spellings() -> None:
    """A point mass belongs to the body's own modes, a welded body does not: that is told."""
    asked = sp.ModalDamping(0.01)
    point = boom("point", damping=asked)
    assert ratios(point) == pytest.approx([0.01] * 4, rel=1e-6)
    assert not [f for f in sp.linearize(point).monitor.findings if f.what == "damping"]
    assert "damping" not in str(point.doctor())
    welded = boom(damping=asked)
    with pytest.warns(SuppleWarning, match=r"asks 1 % .* gets 0\.24.* %, 76% less: fit_damping"):
        found = sp.linearize(welded)
    (told,) = [f for f in found.monitor.findings if f.what == "damping"]
    assert told.value == pytest.approx(1.0 - found.modes[0].damping / 0.01, abs=1e-3)
    assert "76% less" in str(welded.doctor()) and welded.doctor().ok
    run = sp.simulate(welded, 0.01, output=2)
    (seen,) = [f for f in run.monitor.findings if f.what == "damping"]
    assert seen.value == pytest.approx(told.value, abs=1e-3) and not seen.serious
    at_rest = sp.statics(welded)  # which damping does not matter to
    assert not [f for f in at_rest.monitor.findings if f.what == "damping"]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("damping", [sp.ModalDamping(0.01, of="body"), sp.Rayleigh(1e-5), None])
def test_what_is_meant_is_not_told(damping: Any) -> None:
    model = boom(modes=sp.reduction.AttachmentModes(4), damping=damping)
    assert "damping" not in str(model.doctor())
    run = sp.simulate(model, 0.01, output=2)
    assert not [f for f in run.monitor.findings if f.what == "damping"]
    assert not [f for f in sp.linearize(model).monitor.findings if f.what == "damping"]


def test_ratios_of_several_modes_are_told_by_those_that_take_part() -> None:
    """Without a payload each mode has its own; a hub that turns makes others of them."""
    own = sp.ModalDamping([0.01, 0.01, 0.03])
    model = boom("none", modes=4, damping=own)
    assert ratios(model) == pytest.approx([0.01, 0.01, 0.03, 0.03], rel=1e-6)
    findings = sp.linearize(model).monitor.findings
    assert not [f for f in findings if f.what == "damping"]
    free = boom("none", modes=4, damping=own, joint=sp.Revolute)
    free.gravity = (0, 0, 0)
    with pytest.warns(SuppleWarning, match="its damping asks"):
        sp.linearize(free, "initial")


# ------------------------------------------------------------------------------------ the fit


@pytest.mark.filterwarnings("error:fit_damping")
@pytest.mark.filterwarnings("ignore:Beam 'pipe'")
@pytest.mark.parametrize("kind", ["modal", "rayleigh"])
@pytest.mark.parametrize("tool", ["body", "point"])
def test_both_spellings_have_the_asked_ratios(tool: str, kind: Any) -> None:
    """By the eigenvalues of the fitted model, and by the decay of a run."""
    fit = sp.fit_damping(boom(tool), 0.01, kind=kind)
    few = 1e-4 if kind == "modal" else 5e-3  # two factors for the modes of both planes
    assert ratios(fit.model) == pytest.approx([0.01] * 4, rel=few)
    assert [m.ratio for m in fit.modes[:4]] == pytest.approx(ratios(fit.model), rel=1e-6)
    assert "damping 1 %, asked 1 %" in str(fit)
    assert not [f for f in sp.linearize(fit.model).monitor.findings if f.what == "damping"]
    if (tool, kind) == ("body", "modal"):
        frequency = fit.modes[0].frequency
        run = sp.simulate(fit.model, 10.0 / frequency, output=1000)
        still = sp.statics(fit.model)["tool"].position[0, 2]
        way = run["tool"].position[:, 2] - still
        first, last = (np.abs(way[part]).max() for part in (slice(0, 100), slice(900, None)))
        assert np.log(first / last) / (2 * np.pi * 9.0) == pytest.approx(0.01, rel=0.02)


@pytest.mark.filterwarnings("ignore:Beam 'pipe'")
def test_ratios_by_mode_and_by_frequency() -> None:
    rich = boom(modes=sp.reduction.AttachmentModes(4))
    fit = sp.fit_damping(rich, [0.01, 0.01, 0.03])
    assert [m.ratio for m in fit.modes[:3]] == pytest.approx([0.01, 0.01, 0.03], rel=1e-3)
    assert ratios(fit.model, 3) == pytest.approx([0.01, 0.01, 0.03], rel=1e-3)
    f = [fit.modes[k].frequency for k in (0, 4)]
    over = sp.fit_damping(rich, [0.01, 0.02], frequencies=f)
    for mode in over.modes:
        if f[0] <= mode.frequency <= f[1]:
            expected = 0.01 + 0.01 * (mode.frequency - f[0]) / (f[1] - f[0])
            assert mode.asked == pytest.approx(expected) and abs(mode.off) < 0.02
    with pytest.warns(SuppleWarning, match="the mode at 166.* Hz .* less: kind='modal', ratios at"):
        plain = sp.fit_damping(rich, 0.02, frequencies=[f[0], f[1]], kind="rayleigh")
    assert isinstance(plain.damping["pipe"], sp.Rayleigh)
    assert plain.modes[0].ratio == pytest.approx(0.02, rel=0.2)


@pytest.mark.parametrize("kind", ["parts", "gradient"])
def test_bodies_with_damping_of_strain_alone(kind: str) -> None:
    """Parts and nodal vectors have a time beside their stiffness: ratio = time w / 2."""
    m = sp.Model(name="boom")
    if kind == "parts":
        pipe: Any = m.add(sp.Beam("pipe", 1.0, PIPE, ALLOY, parts=2))
    else:
        pipe = m.add(sp.ANCFBeam("pipe", 1.0, PIPE, ALLOY, elements=2))
    tool = m.add(sp.RigidBody("tool", 5.0, inertia=0.01))
    m.add(sp.Fixed("clamp", m.ground.at(0), pipe.at(0)))
    m.add(sp.Fixed("flange", pipe.at(1.0), tool.at(0)))
    fit = sp.fit_damping(m, [0.02, 0.02])
    assert ratios(fit.model, 2) == pytest.approx([0.02, 0.02], rel=1e-4)
    w = 2 * np.pi * fit.modes[0].frequency
    made = fit.damping["pipe"]
    assert isinstance(made, sp.Rayleigh)
    assert made.stiffness == pytest.approx(2 * 0.02 / w, rel=1e-3) and made.mass == 0.0


def test_a_loop_with_two_beams_under_gravity() -> None:
    """A hinged portal: the sway is held by a spring and by the legs."""
    m = sp.Model(gravity=(0, -9.81, 0), name="portal")
    up, down = (0.0, 0.0, np.pi / 2), (0.0, 0.0, -np.pi / 2)
    modes = sp.reduction.AttachmentModes(2)
    left, right = (m.add(sp.Beam(n, 1.0, PIPE, ALLOY, modes=modes)) for n in ("left", "right"))
    top = m.add(sp.RigidBody("top", 20.0, com=(0.5, 0, 0), inertia=1.0))
    m.add(sp.Revolute("foot left", m.ground.at(0, rotation=up), left.at(0)))
    m.add(sp.Universal("foot right", m.ground.at(1.0, rotation=up), right.at(0)))
    m.add(sp.Revolute("corner left", left.at(1.0, rotation=down), top.at(0)))
    m.add(sp.Spherical("corner right", right.at(1.0), top.at(1.0)))
    m.add(sp.JointSpring("coil", "foot left", stiffness=500.0, damping=1.0))
    fit = sp.fit_damping(m, [0.02, 0.02])
    asked = [mode for mode in fit.modes if not np.isnan(mode.asked)]
    assert [mode.ratio for mode in asked] == pytest.approx([0.02, 0.02], rel=1e-3)
    exact = {round(mode.damping, 6) for mode in sp.linearize(fit.model).modes}
    assert {round(mode.ratio, 6) for mode in asked} <= exact


def test_an_arm_of_two_links() -> None:
    """The slow modes have their ratios; fast ones that bend a link alike get more, which is told.

    What damps a strain by a part of critical damping at w damps it by w'/w of that at w'.
    """
    m = sp.Model(gravity=(0, -9.81, 0), name="arm")
    given = {"modes": sp.reduction.AttachmentModes(2)}
    upper = m.add(sp.Beam("upper", 0.6, sp.Tube(0.05, 0.003), ALLOY, **given))
    fore = m.add(sp.Beam("fore", 0.5, sp.Tube(0.04, 0.002), ALLOY, **given))
    tool = m.add(sp.RigidBody("tool", 3.0, inertia=0.01))
    m.add(sp.Revolute("shoulder", m.ground.at(0), upper.at(0)))
    m.add(sp.Revolute("elbow", upper.at(0.6), fore.at(0), initial=0.7))
    m.add(sp.Fixed("flange", fore.at(0.5), tool.at(0)))
    m.add(sp.Driver("hold shoulder", "shoulder", 0.0))
    m.add(sp.Driver("hold elbow", "elbow", 0.7))
    fit = sp.fit_damping(m, [0.01, 0.01])
    assert ratios(fit.model, 2) == pytest.approx([0.01, 0.01], rel=1e-3)
    with pytest.warns(SuppleWarning, match=r"fit_damping: the mode at 125.*% more"):
        every = sp.fit_damping(m, 0.01)
    assert [mode.ratio for mode in every.modes[:2]] == pytest.approx([0.01, 0.01], rel=0.02)
    for body in fit.damping.values():
        assert isinstance(body, sp.ModalDamping) and body.ratios[:4].max() < 0.5


def test_modes_of_springs_are_not_asked() -> None:
    m = boom(joint=sp.Revolute, modes=sp.reduction.AttachmentModes(2))
    m.gravity = (0, 0, 0)
    m.add(sp.JointSpring("coil", "clamp", stiffness=100.0))
    fit = sp.fit_damping(m, [0.01, 0.01], at="initial")
    assert fit.modes[0].strain < 0.1 and np.isnan(fit.modes[0].asked)
    assert fit.modes[1].ratio == pytest.approx(0.01, rel=0.02)


def test_what_damps_already_counts() -> None:
    """A dashpot at the tip does half of it."""
    m = boom()
    m.add(sp.CartesianSpring("air", m.ground.at(1.02, 0, 0.01), m["tool"].at(0), damping=4.0))
    before = ratios(m, 1)[0]
    fit = sp.fit_damping(m, 2.0 * before)
    assert ratios(fit.model, 1)[0] == pytest.approx(2.0 * before, rel=1e-3)
    with pytest.warns(SuppleWarning, match=r"fit_damping: the mode at .* more: kind='modal'"):
        less = sp.fit_damping(m, 0.5 * before)
    assert less.worst is not None and less.worst.off > 0.9  # nothing takes it away


def test_fitted_models_are_written_and_read(tmp_path: Path) -> None:
    fit = sp.fit_damping(boom(), 0.01)
    path = sp.files.write_model(fit.model, tmp_path / "boom.yaml")
    again = sp.files.read_model(path)
    assert again["pipe"].damping.of == "body"
    assert ratios(again) == pytest.approx([0.01] * 4, rel=1e-4)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"ratios": -0.1}, "ratios is -0.1, expected a number or numbers that are zero or"),
        ({"ratios": []}, "ratios is .*, expected a number"),
        ({"frequencies": [3.0, 2.0]}, "frequencies is .*, expected positive numbers in Hz that"),
        ({"ratios": [0.1, 0.2], "frequencies": [1.0]}, "frequencies is .* as many as ratios"),
        ({"kind": "best"}, "kind is 'best', expected 'modal' or 'rayleigh'"),
        ({"bodies": ["pip"]}, "bodies is 'pip', expected flexible bodies; .*'pipe'"),
        ({"bodies": []}, r"bodies is \(\), expected names of flexible bodies"),
        ({"model": "boom"}, "model is 'boom', expected a Model"),
    ],
)
def test_sentences(given: dict[str, Any], told: str) -> None:
    call = {"model": boom(), "ratios": 0.01} | given
    with pytest.raises(ModelError, match=told):
        sp.fit_damping(call.pop("model"), call.pop("ratios"), **call)


def test_models_without_modes_of_bodies() -> None:
    m = sp.Model()
    m.add(sp.RigidBody("ball", 1.0, inertia=1.0))
    m.add(sp.Free("float", m.ground.at(0), m["ball"].at(0)))
    with pytest.raises(ModelError, match="model is 'one without flexible bodies'"):
        sp.fit_damping(m, 0.01)
    spinning = boom("none", joint=lambda *a: sp.Revolute(*a, initial_rate=5.0))
    spinning.gravity = (0, 0, 0)
    with pytest.raises(SimulationError, match="the model moves in the state, expected one at rest"):
        sp.fit_damping(spinning, 0.01, at="initial")
    with pytest.raises(ModelError, match="of is 'model', expected 'body'"):
        sp.ModalDamping(0.01, of="model")  # type: ignore[arg-type]
