"""Exported FMUs: the motion of `simulate`, by any importer; wrong calls are errors."""

from __future__ import annotations

import ctypes as ct
import re
import subprocess
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from models.fmi_calls import DISCARD, ERROR, OK, WARNING, Fmu
from models.linkages import slider_crank
from models.touching_bodies import TOUCHING
from supple.io.fmu import ports
from supple.native import build, library

pytestmark = pytest.mark.skipif(build.c_compiler() is None, reason="there is no C compiler")

NATIVE = Path(library.__file__).parent
PROGRAM = Path(__file__).resolve().parents[2] / "examples" / "c" / "fmu.c"
VERSIONS = ("2.0", "3.0")
ALUMINIUM = sp.Material(7e10, 2.7e10, 2700.0)


def controlled_arm() -> sp.Model:
    """Rigid links with a controller, a jump of an effort, and a joint that is crossed from B."""
    m = sp.Model(gravity=(0, 0, -9.81), name="controlled arm")
    first = m.add(sp.RigidBody("first", mass=2.0, com=(0.25, 0, 0), inertia=(0.01, 0.04, 0.04)))
    second = m.add(sp.RigidBody("second", mass=1.0, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), first.at(0), axis="y", initial=0.4))
    m.add(sp.Revolute("elbow", second.at(0), first.at(0.5), axis="y", initial=-0.2))
    m.add(sp.PID("pid", "shoulder", target="0.5*sin(2*t)", kp=40.0, ki=10.0, kd=3.0))
    m.add(sp.JointEffort("push", "elbow", "0.4*step(t - 0.1) - 0.5*step(t - 0.25)"))
    m.add(sp.PointMass("tip", second.at(0.4, 0.1, 0.0), 0.3))
    return m


def flying_bodies() -> sp.Model:
    """A free body with another one on a ball joint, tumbling."""
    m = sp.Model(gravity=(0, 0, -9.81), name="flying")
    hull = m.add(sp.RigidBody("hull", mass=2.0, inertia=(0.1, 0.2, 0.15)))
    arm = m.add(sp.RigidBody("arm", mass=0.5, com=(0.2, 0, 0), inertia=(0.01, 0.02, 0.02)))
    m.add(sp.Free("flight", m.ground.at(0), hull.at(0), initial_rate=(3.0, -2.0, 1.0, 0.5, 0, 2.0)))
    m.add(sp.Spherical("ball", hull.at(0.3), arm.at(0), initial_rate=(1.0, 4.0, -2.0)))
    m.add(sp.PointMass("tip", arm.at(0.4), 0.1))
    return m


def beam_arm() -> sp.Model:
    """A stiffened beam on a hinge with a geared motor."""
    m = sp.Model(gravity=(0, 0, -9.81), name="beam arm")
    beam = m.add(sp.Beam("beam", 0.6, sp.Rectangle(0.02, 0.005), ALUMINIUM, elements=2,
                         stiffening="second_order", modes=3))  # fmt: skip
    m.add(sp.Revolute("hinge", m.ground.at(0), beam.at(0), axis="y", initial=0.3))
    m.add(sp.Motor("motor", "hinge", inertia=1e-4, ratio=20.0))
    m.add(sp.PointMass("tip", beam.at(0.6), 0.2))
    return m


def crank() -> sp.Model:
    """A slider-crank away from its dead centres."""
    return slider_crank(0.5)


ARM = ["shoulder.angle", "elbow.angle_rate", "tip.position", "tip.velocity.z"]
POINTS = ["tip.position", "tip.velocity", "arm.at(0.1,0.2,0.3).velocity"]
BEAM = ["hinge.angle", "tip.position", "beam.at(0.3).velocity"]


def columns(result, texts: list[str]) -> tuple[list[str], np.ndarray]:
    """Names of variables, and their values over the run."""
    from supple.results.files.dataset import quantity

    names, values, views = [], [], {}
    for text in texts:
        found = quantity(result, text, views)
        parts = [""] if found.ndim == 1 else [".x", ".y", ".z"]
        names += [f"{text}{part}" for part in parts]
        values.append(found.reshape(len(found), -1))
    return names, np.hstack(values)


def compared(model, texts, folder, version, kind, t_end=0.4, tolerance=1e-8) -> None:
    """An FMU follows the run to tolerances: of a step 1e-8, over tens of steps 1e-6."""
    path = sp.files.export_fmu(
        model, folder / f"{kind}.fmu", (), texts, version=version, t_end=t_end
    )
    exact = sp.simulate(model, t_end, tolerance="tight", output=20)
    names, values = columns(exact, texts)
    fmu = Fmu(path, folder / f"{kind}{version}")
    with fmu.made(0 if kind == "exchanged" else 1) as it:
        assert it.initialize(tolerance=tolerance) == OK
        found = getattr(it, kind)(exact.t, names)
    size = np.maximum(1.0, np.abs(values).max(axis=0))
    assert np.all(np.abs(found - values).max(axis=0) < 1e-6 * size)


def test_co_simulation_follows_the_run(tmp_path):
    compared(controlled_arm(), ARM, tmp_path, "3.0", "stepped")


def test_model_exchange_follows_the_run(tmp_path):
    compared(controlled_arm(), ARM, tmp_path, "2.0", "exchanged")


@pytest.mark.parametrize("kind", ["stepped", "exchanged"])
def test_a_ball_that_hits_and_rubs(tmp_path, kind):
    """States of friction are states of the FMU; an importer's solver goes over touch-down."""
    model = TOUCHING["ball"]()
    compared(model, ["body.position", "body.velocity"], tmp_path, "3.0", kind, t_end=0.1)


@pytest.mark.parametrize("name", ["to and fro", "marbles by cells"])
def test_many_touches_in_one_step(tmp_path, name):
    """The numbers of `simulate`, to the last bit; from a state that was kept, again."""
    model = TOUCHING[name]()
    integrator = sp.DormandPrince() if name == "marbles by cells" else sp.Radau()
    exact = sp.simulate(model, 0.05, integrator=integrator, output=1).data.final
    path = sp.files.export_fmu(model, tmp_path / "a.fmu", t_end=0.05, integrator=integrator)
    with Fmu(path, tmp_path / "a").made() as it:
        assert it.initialize() == OK
        state = ct.c_void_p()
        it.right("GetFMUState" if it.third else "GetFMUstate", ct.byref(state))
        names = [n for n in it.fmu.references if n.startswith("state.")]
        for _ in range(2):
            assert it.step(0.0, 0.05) == OK
            assert np.array_equal(it.get(*names), np.concatenate([exact.q, exact.u, exact.z]))
            it.right("SetFMUState" if it.third else "SetFMUstate", state)
        it.right("FreeFMUState" if it.third else "FreeFMUstate", ct.byref(state))


@pytest.mark.slow
def test_a_cable_and_a_body_in_parts(tmp_path):
    """Nodal vectors, and points on parts."""
    m = sp.Model(gravity=(0, 0, -9.81), name="cable")
    cable = m.add(sp.Cable("cable", 0.5, sp.Circle(0.005), ALUMINIUM, elements=2))
    m.add(sp.Spherical("hook", m.ground.at(0), cable.at(0)))
    compared(m, ["cable.at(0.5).position", "cable.at(0.3).position"], tmp_path, "2.0", "stepped")
    m = sp.Model(gravity=(0, 0, -9.81), name="cut")
    section = sp.Rectangle(0.02, 0.01)
    beam = m.add(sp.Beam("beam", 0.6, section, ALUMINIUM, elements=4, parts=2))
    m.add(sp.Revolute("pin", m.ground.at(0), beam.at(0), axis="y"))
    compared(m, ["pin.angle", "beam.at(0.5).velocity"], tmp_path, "3.0", "stepped")


@pytest.mark.slow
def test_the_end_of_a_line_is_told(tmp_path):
    """What slides off its line: a sentence, and no model exchange."""
    m = sp.Model(gravity=(5.0, 0, 0), name="slide")
    damping = sp.Rayleigh(stiffness=1e-5)
    beam = sp.ANCFBeam("rod", 1.0, sp.Circle(0.02), ALUMINIUM, elements=2, damping=damping)
    bead = m.add(sp.RigidBody("bead", mass=1e-3, inertia=1e-5))
    m.add(sp.Fixed("wall", m.ground.at(0), m.add(beam).at(0)))
    m.add(sp.Free("air", m.ground.at(0.5), bead.at(0)))
    m.add(sp.SlidingJoint("ride", beam.at(0.5), bead.at(0)))
    with pytest.raises(sp.ModelError, match="co-simulation"):
        sp.files.export_fmu(m, tmp_path / "a.fmu", kinds="model-exchange")
    chosen = {"integrator": sp.GeneralizedAlpha(step=1e-3)}
    fmu = Fmu(
        sp.files.export_fmu(m, tmp_path / "a.fmu", (), "bead.position", **chosen), tmp_path / "a"
    )
    with fmu.made() as it:
        assert it.initialize() == OK and it.step(0.0, 0.1) == OK
        assert it.step(0.1, 1.0) == DISCARD  # 0.5 m = 2.5 t^2 at t = 0.447 s
        assert "at t = 0.447" in fmu.said[-1] and "the end of its line" in fmu.said[-1]


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("kind", ["stepped", "exchanged"])
@pytest.mark.parametrize(
    "model, texts",
    [(controlled_arm, ARM), (flying_bodies, POINTS), (beam_arm, BEAM)],
    ids=["arm", "flying", "beam"],
)
def test_all_kinds_follow_the_run(tmp_path, model, texts, kind, version):
    compared(model(), texts, tmp_path, version, kind)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", [None, sp.Absolute()], ids=["joint", "absolute"])
def test_a_loop_is_for_co_simulation_only(tmp_path, formulation):
    model = crank()
    with pytest.raises(sp.ModelError, match="'co-simulation' for this model: its states satisfy"):
        sp.files.export_fmu(model, tmp_path / "loop.fmu", kinds="model-exchange")
    texts = ["A.angle", "B.angle_rate"]
    chosen = {"formulation": formulation} if formulation else {}
    path = sp.files.export_fmu(model, tmp_path / "loop.fmu", (), texts, tolerance=1e-9, **chosen)
    exact = sp.simulate(model, 0.3, tolerance="tight", output=10)
    fmu = Fmu(path, tmp_path / "loop")
    assert not fmu.instance(0) and "not exported for model exchange" in fmu.said[-1]
    with fmu.made() as it:
        assert it.initialize() == OK
        found = it.stepped(exact.t, texts)
    assert np.abs(found - columns(exact, texts)[1]).max() < 1e-6


@pytest.mark.slow
def test_inputs_are_those_of_a_stepper(tmp_path):
    """Efforts, a force on a flexible body, a motor and a driver, and steps that vary."""
    model = beam_arm()
    cart = model.add(sp.RigidBody("cart", mass=1.0, inertia=0.1))
    model.add(sp.Prismatic("rail", model.ground.at(0), cart.at(0), axis="x"))
    model.add(sp.Driver("drive", "rail", "0.1*t"))
    beam = model.bodies["beam"]
    inputs = ["motor", "drive", (beam.at(0.6), "z")]
    texts = ["hinge.angle", "hinge.angle_rate", "tip.position.z", "rail.displacement"]
    stepper = sp.Stepper(model, inputs, texts, tolerance=1e-9)
    path = sp.files.export_fmu(model, tmp_path / "arm.fmu", inputs, texts, tolerance=1e-9)
    fmu = Fmu(path, tmp_path / "arm")
    names = [f"input.{name}" for name in stepper.inputs]
    assert [fmu.unit[n] for n in names] == ["N m", "m/s2", "N"]
    with fmu.made() as it:
        assert it.initialize() == OK
        t = 0.0
        for k, h in enumerate([0.01, 0.003, 0.05, 1e-4, 0.02]):
            values = [0.02 * np.sin(k), 1.0 - 0.5 * k, 2.0 * k]
            stepper.step(h, values)
            assert it.set(dict(zip(names, values, strict=True))) == OK
            assert it.step(t, h) == OK
            t += h
            assert it.get(*texts) == pytest.approx(stepper.values, rel=1e-7, abs=1e-7)
        assert it.get(*names) == pytest.approx(values)


@pytest.mark.slow
def test_one_step_is_that_of_the_run(tmp_path):
    """To the end in one step: the numbers of `simulate`, to the last bit; with fixed steps, too."""
    for integrator in (sp.Radau(), sp.GeneralizedAlpha(step=2e-3)):
        model = controlled_arm()
        exact = sp.simulate(model, 0.4, integrator=integrator, output=1).data.final
        path = sp.files.export_fmu(model, tmp_path / "a.fmu", t_end=0.4, integrator=integrator)
        fmu = Fmu(path, tmp_path / type(integrator).__name__)
        with fmu.made() as it:
            status = it.initialize(tolerance=1e-7)
            assert status == (OK if isinstance(integrator, sp.Radau) else WARNING)
            assert it.step(0.0, 0.4) == OK
            names = [n for n in fmu.references if n.startswith("state.")]
            assert np.array_equal(it.get(*names), np.concatenate([exact.q, exact.u, exact.z]))


@pytest.mark.slow
def test_goes_on_behind_its_end_and_starts_later(tmp_path):
    model = controlled_arm()
    fmu = Fmu(sp.files.export_fmu(model, tmp_path / "a.fmu", t_end=0.05), tmp_path / "a")
    exact = sp.simulate(model, 0.5, tolerance="tight", output=[0.2, 0.5])
    with fmu.made() as it:
        assert it.initialize(tolerance=1e-9) == OK
        assert it.step(0.0, 0.2) == OK and it.step(0.2, 0.3) == OK  # a jump at 0.25 s
        assert it.get("elbow.angle")[0] == pytest.approx(exact["elbow"].angle[-1], abs=1e-6)
    later = exact.state(0)
    values = dict(zip([n for n in fmu.references if n.startswith("state.")],
                      np.concatenate([later.q, later.u, later.z]), strict=True))  # fmt: skip
    with fmu.made() as it:
        assert it.initialize(start=0.2, tolerance=1e-9, values=values) == OK
        assert it.get("time")[0] == 0.2
        assert it.step(0.2, 0.3) == OK
        assert it.get("elbow.angle")[0] == pytest.approx(exact["elbow"].angle[-1], abs=1e-6)


@pytest.mark.parametrize("version", [pytest.param("2.0", marks=pytest.mark.slow), "3.0"])
def test_states_of_an_fmu_and_reset(tmp_path, version):
    """From a state, a state of bytes, and after a reset the same motion follows, bit for bit."""
    path = sp.files.export_fmu(controlled_arm(), tmp_path / "a.fmu", "elbow", version=version)
    fmu, times = Fmu(path, tmp_path / "a"), np.arange(0.0, 0.11, 0.01)
    word = "FMUstate" if version == "2.0" else "FMUState"
    read = "DeSerializeFMUstate" if version == "2.0" else "DeserializeFMUState"
    with fmu.made() as it, fmu.made() as other:
        assert it.initialize() == OK and it.set({"input.elbow.angle": 0.5}) == OK
        first = it.stepped(times, ["elbow.angle"])
        state = ct.c_void_p()
        it.right(f"Get{word}", ct.byref(state))
        then = it.stepped(times + 0.1, ["elbow.angle"])
        size = ct.c_size_t()
        it.right(f"Serialized{word}Size", state, ct.byref(size))
        content = ct.create_string_buffer(size.value)
        it.right(f"Serialize{word}", state, content, size)
        it.right(f"Set{word}", state)
        assert np.array_equal(it.stepped(times + 0.1, ["elbow.angle"]), then)
        copy = ct.c_void_p()
        other.right(read, content, size, ct.byref(copy))
        other.right(f"Set{word}", copy)
        assert np.array_equal(other.stepped(times + 0.1, ["elbow.angle"]), then)
        assert other.get("input.elbow.angle")[0] == 0.5
        broken = ct.create_string_buffer(content.raw[:200] + b"x" + content.raw[201:], size.value)
        assert other.call(read, broken, size, ct.byref(ct.c_void_p())) == ERROR
        assert other.call(f"Set{word}", ct.c_void_p()) == ERROR
        for given in (state, copy):
            it.right(f"Free{word}", ct.byref(given))
        it.right("Reset")
        assert it.initialize() == OK and it.set({"input.elbow.angle": 0.5}) == OK
        assert np.array_equal(it.stepped(times, ["elbow.angle"]), first)


@pytest.mark.slow
def test_instances_run_side_by_side(tmp_path):
    path = sp.files.export_fmu(flying_bodies(), tmp_path / "a.fmu", (), POINTS)
    fmu, times = Fmu(path, tmp_path / "a"), np.linspace(0.0, 0.3, 31)
    names = ["tip.position.x", "tip.velocity.z"]

    def run(_: int) -> np.ndarray:
        with fmu.made() as it:
            assert it.initialize() == OK
            return it.stepped(times, names)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(run, range(8)))
    assert all(np.array_equal(f, found[0]) for f in found[1:])


@pytest.mark.parametrize("version", ["2.0", pytest.param("3.0", marks=pytest.mark.slow)])
def test_wrong_calls_are_errors_with_a_sentence(tmp_path, version):
    path = sp.files.export_fmu(flying_bodies(), tmp_path / "a.fmu", [], POINTS, version=version)
    fmu = Fmu(path, tmp_path / "a")
    two = version == "2.0"

    def refused(status: int, words: str, found: int = ERROR) -> None:
        assert status == found
        assert words in fmu.said[-1], fmu.said[-1]

    assert not fmu.instance(token="{another}") and "{another}" in fmu.said[-1]
    missing = str(tmp_path / "nowhere")
    assert not fmu.instance(place=missing) and "model.image cannot be read" in fmu.said[-1]
    assert not fmu.instance(7 if two else 1, token="") and fmu.said[-1]
    with fmu.made() as it:
        refused(it.step(0.0, 0.1), "must not be called before initialization")
        if two:
            refused(it.call("EnterInitializationMode"), "the start time is missing")
        refused(it.initialize(start=np.nan), "the start time is nan")
        it.right("Reset")
        refused(it.initialize(start=-1.0), "expected none before the model's own")
        refused(it.initialize(tolerance=-1.0), "the tolerance is -1")
        refused(it.set({"state.ball.qw": np.nan}), "state.ball.qw is nan, expected a finite number")
        zeros = {f"state.ball.{n}": 0.0 for n in ("qw", "qx", "qy", "qz")}
        refused(it.initialize(values=zeros), "a quaternion is zero")
        it.right("Reset")
        assert it.initialize() == OK
        refused(it.step(0.0, 0.0), "the step is 0 s, expected a positive number")
        refused(it.step(0.0, -0.1), "the step is -0.1 s")
        refused(it.step(0.0, np.nan), "expected finite numbers")
        refused(it.step(np.inf, 0.1), "expected finite numbers")
        refused(it.step(0.5, 0.1), "but the FMU is at 0 s")
        refused(it.set({"tip.position.x": 1.0}), "tip.position.x is computed")
        refused(it.set({"state.ball.qw": 1.0}), "before and in initialization only")
        refused(it.set({"time": 1.0}), "time is computed")
        fmu.references["unknown"] = 4_000_000_000
        refused(it.set({"unknown": 1.0}), "no variable with the value reference 4000000000")
        with pytest.raises(AssertionError, match="value reference 4000000000"):
            it.get("unknown")
        name, size = ("GetReal", ()) if two else ("GetFloat64", (ct.c_size_t(2),))
        refused(it.call(name, None, ct.c_size_t(2), None, *size), "null pointer, expected 2 values")
        integer = "GetInteger" if two else "SetInt32"
        one = ct.c_uint32(0)
        more = () if two else (ct.c_size_t(1),)
        given = ct.byref(one), ct.c_size_t(1), ct.byref(one)
        refused(it.call(integer, *given, *more), "all variables")
        refused(it.call("SetTime", ct.c_double(1.0)), "must not be called in step mode")
        assert it.step(0.0, 0.01) == OK  # after all of them
        it.right("Terminate")
        refused(it.step(0.01, 0.01), "must not be called after its end")
        refused(it.set({"state.ball.qw": 1.0}), "must not be called after its end")
        assert np.isfinite(it.get("tip.position.x")[0])
    with fmu.made(0) as it:
        assert it.initialize() == OK
        refused(it.step(0.0, 0.1), "must not be called in event mode")
        it.next_event()
        x = it.states()
        bad = x.copy()
        bad[0] = np.nan
        pointer = ct.c_void_p(bad.ctypes.data)
        refused(it.call("SetContinuousStates", pointer, ct.c_size_t(len(x))), "state 1 is nan")
        refused(it.call("SetContinuousStates", pointer, ct.c_size_t(1)), "was called for 1 states")
        refused(it.call("SetTime", ct.c_double(np.nan)), "the time is nan")
    null = getattr(fmu.library, f"fmi{version[0]}Terminate")
    assert null(None) == ERROR


def test_a_step_that_fails_is_discarded(tmp_path):
    """More steps than allowed: a sentence, and the FMU is where it was before."""
    few = sp.Radau(max_steps=8)
    path = sp.files.export_fmu(flying_bodies(), tmp_path / "a.fmu", (), POINTS, integrator=few)
    fmu = Fmu(path, tmp_path / "a")
    with fmu.made() as it:
        assert it.initialize() == OK and it.step(0.0, 0.01) == OK
        before = it.get("tip.position.x", "time")
        assert it.step(0.01, 5.0) == DISCARD
        assert "from t = 0.01 s stopped at" in fmu.said[-1] and "max_steps" in fmu.said[-1]
        assert np.array_equal(it.get("tip.position.x", "time"), before)
        assert it.step(0.01, 0.01) == OK


@pytest.mark.slow
def test_rates_do_not_depend_on_the_length_of_quaternions(tmp_path):
    fmu = Fmu(sp.files.export_fmu(flying_bodies(), tmp_path / "a.fmu"), tmp_path / "a")
    names = [n for n in fmu.references if n.startswith("state.")]
    long = np.array([3.0 if n.split(".")[-1] in ("qw", "qx", "qy", "qz") else 1.0 for n in names])
    assert np.sum(long > 1.0) == 8
    with fmu.made(0) as it:
        assert it.initialize() == OK
        it.next_event()
        x = it.states()
        assert it.rates(0.0, long * x) == pytest.approx(long * it.rates(0.0, x), rel=1e-13)


@pytest.mark.slow
def test_a_jump_is_seen_behind_its_event(tmp_path):
    """An effort jumps at 0.1 s and 0.25 s: until the event its left value counts."""
    fmu = Fmu(sp.files.export_fmu(controlled_arm(), tmp_path / "a.fmu"), tmp_path / "a")
    with fmu.made(0) as it:
        assert it.initialize() == OK
        assert it.next_event() == 0.1
        x = it.states()
        before, at = it.rates(0.1 - 1e-9, x), it.rates(0.1, x)
        assert at == pytest.approx(before, abs=1e-5)
        it.right("EnterEventMode")
        assert it.next_event() == 0.25
        assert np.abs(it.rates(0.1, x) - at).max() > 1.0


@pytest.mark.slow
def test_export_is_the_same_twice_and_small(tmp_path):
    a = sp.files.export_fmu(controlled_arm(), tmp_path / "a.fmu", "elbow").read_bytes()
    b = sp.files.export_fmu(controlled_arm(), tmp_path / "b.fmu", "elbow").read_bytes()
    assert a == b and len(a) < 5e6
    other = controlled_arm()
    other.replace("first", mass=2.1)
    sp.files.export_fmu(other, tmp_path / "c.fmu", "elbow")
    tokens = {Fmu(tmp_path / f"{n}.fmu", tmp_path / n).token for n in "ac"}
    assert len(tokens) == 2
    names = zipfile.ZipFile(tmp_path / "a.fmu").namelist()
    assert names[0] == "modelDescription.xml" and "documentation/index.html" in names


def test_header_is_that_of_the_program():
    text = (NATIVE / "ports.h").read_text()
    struct = re.search(r"struct port_sizes \{(.*?)\};", text, re.S)[1].replace("int64_t", "")
    assert tuple(re.findall(r"\w+", struct)) == ports.SIZES


@pytest.mark.parametrize(
    "change, words",
    [
        ({"version": "1.0"}, "version is '1.0', expected '2.0' or '3.0'"),
        ({"kinds": "exchange"}, "kinds is 'exchange'"),
        ({"kinds": []}, "kinds is"),
        ({"outputs": "first.kinetic_energy"}, "is not known"),
        ({"outputs": "shoulder.torque"}, "outputs is 'shoulder.torque', expected coordinates"),
        ({"inputs": "knee"}, "inputs is 'knee'"),
        ({"path": "arm.zip"}, "path is 'arm.zip', expected the path of a file"),
        ({"integrator": sp.BDF()}, "export_fmu: integrator is BDF"),
        ({"t_end": 0.0}, "t_end is 0"),
    ],
)
def test_what_cannot_be_exported_is_refused(tmp_path, change, words):
    arguments = {"model": controlled_arm(), "path": str(tmp_path / "a.fmu")} | change
    with pytest.raises(sp.SuppleError) as error:
        sp.files.export_fmu(**arguments)
    assert words in str(error.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_a_program_without_python_runs_it(tmp_path):
    """No environment, no Python: a C program opens the library and makes the steps."""
    path = sp.files.export_fmu(controlled_arm(), tmp_path / "a.fmu", (), "shoulder.angle")
    fmu = Fmu(path, tmp_path / "a")
    flags = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
    made = tmp_path / "host"
    compiler = build.c_compiler().split()
    subprocess.run([*compiler, *flags, str(PROGRAM), "-ldl", "-o", str(made)], check=True)
    binary = next((tmp_path / "a" / "binaries").rglob("*.so"))
    needs = subprocess.run(["ldd", str(binary)], capture_output=True, text=True).stdout
    assert "python" not in needs
    place = (tmp_path / "a" / "resources").as_uri()
    command = ["env", "-i", str(made), str(binary), fmu.token, place, "1", "0.01", "40"]
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, done.stderr
    exact = sp.simulate(controlled_arm(), 0.4, tolerance="tight", output=40)
    table = np.array([line.split() for line in done.stdout.splitlines()], dtype=float)
    assert table[:, 1] == pytest.approx(exact["shoulder"].angle, abs=1e-6)
    command[4] = "{another}"
    done = subprocess.run(command, capture_output=True, text=True, cwd="/")
    assert done.returncode == 1 and "fmu: the GUID or instantiation token is" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "model, texts",
    [(controlled_arm, ARM), (flying_bodies, POINTS), (beam_arm, BEAM), (crank, ["A.angle"])],
    ids=["arm", "flying", "beam", "loop"],
)
def test_fmpy_validates_and_simulates(tmp_path, model, texts, version):
    """Another program finds nothing to complain about, and the same motion."""
    fmpy = pytest.importorskip("fmpy", reason="FMPy is not installed (extra fmu)")
    from fmpy.validation import validate_fmu

    path = str(
        sp.files.export_fmu(model(), tmp_path / "a.fmu", (), texts, version=version, t_end=0.4)
    )
    assert validate_fmu(path) == []
    exact = sp.simulate(model(), 0.4, tolerance="tight", output=20)
    names, values = columns(exact, texts)
    size = np.maximum(1.0, np.abs(values).max(axis=0))
    kinds = ["CoSimulation"] if model is crank else ["CoSimulation", "ModelExchange"]
    for kind in kinds:
        found = fmpy.simulate_fmu(
            path, fmi_type=kind, stop_time=0.4, output_interval=0.02, relative_tolerance=1e-9
        )
        rows = found[np.searchsorted(found["time"], exact.t - 1e-9)]
        assert np.allclose(rows["time"], exact.t, atol=1e-9)
        found = np.array([rows[name] for name in names]).T
        # velocities by CVode: its absolute tolerance follows the nominal values
        bound = 1e-6 if kind == "CoSimulation" else 1e-4
        assert np.all(np.abs(found - values).max(axis=0) < bound * size)
