"""Steppers: runs with held inputs, driven motions, snapshots to the last bit, steps that fail."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

import supple as sp
from models.linkages import parallelogram
from supple.analyses.base.snapshot_result import InstantOutputs, instant
from supple.cases.mechanisms import CASES
from supple.results.files.dataset import quantity
from supple.results.result import Result

RTOL = 1e-8
# Errors of whole runs are some hundred times that of a step here, in units of 1 rad and 1 m.
CLOSE = 1e3 * RTOL
OUTPUTS = (
    *("turn.angle", "turn.angle_rate", "slide.displacement", "slide.displacement_rate"),
    *("tip.position", "tip.velocity.y", "beam.at(0.3).position.z", "hub.velocity"),
    *("hub.at(0.1,0.2,0.3).velocity", "energy.total", "beam.at(0.5).rotation", "ball.coordinates"),
)


def machine() -> sp.Model:
    """A sliding hub, a beam that is crossed from B to A, a geared motor, a ball joint."""
    m = sp.Model(gravity=(1.0, -2.0, -9.81), name="machine")
    hub = m.add(sp.RigidBody("hub", 2.0, (0.1, 0, 0.05), (0.02, 0.03, 0.04)))
    section, steel = sp.Tube(0.02, 0.001), sp.Material(2e11, 8e10, 7800.0)
    beam = m.add(sp.Beam("beam", 0.6, section, steel, elements=2, modes=4))
    bob = m.add(sp.RigidBody("bob", 0.3, (0, 0, -0.1), 1e-3))
    m.add(sp.Prismatic("slide", m.ground.at(0), hub.at(0), axis=(1, 0.2, 0), initial=0.1))
    m.add(sp.Revolute("turn", beam.at(0), hub.at(0.1, 0, 0.1), axis="y", initial=0.4))
    m.add(sp.Spherical("ball", beam.at(0.6), bob.at(0)))
    m.add(sp.PointMass("tip", beam.at(0.6), 0.2))
    m.add(sp.Motor("motor", "turn", inertia=1e-4, ratio=20.0, stiffness=500.0, gear_damping=1.0))
    m.add(sp.JointEffort("push", "slide", "50*sin(t)"))
    m.add(sp.JointEffort("ramp", "turn", sp.Table([0.0, 0.0123, 0.02], [0.0, 3.0, -2.0])))
    return m


def inputs_of(m: sp.Model) -> list:
    return ["push", "motor", "turn", (m["beam"].at(0.6), "z"), m["bob"].at(0, 0, -0.1)]


VALUES = np.array([3.0, 0.2, -1.0, 2.0, 0.5, -0.4, 0.3, 0.02, 0.01, -0.03])


def loaded(signals) -> sp.Model:
    """The same inputs as force elements with signals."""
    m = machine()
    beam, bob = m["beam"], m["bob"]
    m.replace("push", effort=signals[0])
    m.add(sp.JointEffort("on shaft", "motor", signals[1]))
    m.add(sp.JointEffort("on joint", "turn", signals[2]))
    m.add(sp.Force("lift", beam.at(0.6), force=(0, 0, signals[3])))
    m.add(sp.Force("six", bob.at(0, 0, -0.1), force=signals[4:7], torque=signals[7:]))
    return m


@pytest.mark.parametrize("formulation", [None, sp.Absolute()], ids=["tree", "absolute"])
def test_held_inputs_are_forces_that_jump(formulation):
    """Against two runs, the second with other forces from 0.01 s on: a delay would be seen."""
    m = machine()
    stepper = sp.Stepper(
        m, inputs_of(m), OUTPUTS, dt=0.005, tolerance=RTOL, formulation=formulation
    )
    assert stepper.inputs[:4] == ("push", "motor", "turn.angle", f"{m['beam'].at(0.6).name}.z")
    assert stepper.input_units == (*("N", "N m", "N m"), *("N",) * 4, *("N m",) * 3)
    for k in range(6):
        stepper.step(inputs=VALUES if k < 2 else -0.5 * VALUES)
    first = sp.simulate(loaded(VALUES), 0.01, tolerance=RTOL)
    then = {"start": first.state(), "tolerance": RTOL, "output": [0.03]}
    run = sp.simulate(loaded(-0.5 * VALUES), 0.03, **then)
    for text in OUTPUTS:
        values = stepper.outputs[text]
        assert values == pytest.approx(quantity(run, text)[-1], rel=CLOSE, abs=10.0 * CLOSE), text
    assert stepper.verdict.startswith("trusted") and "not monitored" in stepper.verdict


def test_quick_outputs_are_those_of_results():
    m = machine()
    stepper = sp.Stepper(m, "turn", OUTPUTS)
    for _ in range(5):
        stepper.step(0.01, [1.0])
    equations = stepper._problem.equations
    seen = Result(instant(stepper._model, equations, stepper.state, True, "", {}))
    for text in OUTPUTS:
        np.testing.assert_allclose(stepper.outputs[text], quantity(seen, text)[0], atol=1e-13)
    assert len(stepper._outputs.others) == 3
    assert np.shares_memory(stepper.outputs["tip.position"], stepper.values)


def bodies_with_points():
    """Bodies of all kinds with a frame, each with places on it."""
    section, steel = sp.Tube(0.02, 0.001), sp.Material(2e11, 8e10, 7800.0)
    nodes = {"a": (0, 0, 0), "b": (0.3, 0, 0), "c": (0.3, 0, 0.4)}
    members = [sp.Member(i, j, section, steel) for i, j in ("ab", "bc")]
    mesh = sp.fem.block((0.5, 0.05, 0.04), (2, 1, 1), "hex8", steel)
    end = np.flatnonzero(mesh.nodes[:, 0] == 0.0)
    foot = sp.fem.Interface("foot", mesh.nodes[end].mean(axis=0), end)
    for reference in ("clamped", "mean_axis"):
        yield sp.Beam("x", 0.6, section, steel, elements=2, modes=4, reference=reference), "0.4"
        yield sp.FrameStructure("x", nodes, members, reference=reference), "0.3,0,0.4"
        yield sp.MeshBody("x", mesh, [foot], modes=4, reference=reference), "0.5,0.05,0.04"
    yield sp.Beam("x", 0.6, section, steel, elements=2, stiffening="second_order"), "0.5"
    yield sp.Beam("x", 0.6, section, steel, elements=4, parts=2), "0.5"
    yield sp.Cable("x", 0.6, sp.Circle(0.01), steel, elements=2), "0.5"
    yield sp.ANCFBeam("x", 0.6, sp.Rectangle(0.02, 0.01), steel, elements=2), "0.3"


@pytest.mark.parametrize("body, place", list(bodies_with_points()))
def test_points_and_own_frames_are_those_of_results(body, place):
    """At any state; a body's own frame is no point of its material if its axes are mean ones."""
    m = sp.Model()
    m.add(sp.Free("flight", m.ground.at(0), m.add(body).at(*map(float, place.split(",")))))
    equations = sp.JointCoordinates().equations(m)
    c, rng = equations.compiled, np.random.default_rng(5)
    q = c.q0 + 0.01 * rng.normal(size=c.nq)
    for joint in (*c.joints.values(), *c.extra.values()):
        if joint.chart.quaternion:
            q[joint.q][:4] /= np.linalg.norm(q[joint.q][:4])
    state = sp.State(0.0, q, rng.normal(size=c.nu), c.z0, compiled=c)
    texts = [f"x.at({place}).position", f"x.at({place}).velocity"]
    texts += ["x.position", "x.velocity.z"] if "x" in c.own_frames else []
    found = InstantOutputs(m, equations, state, texts)
    seen = Result(instant(m, equations, state, True, "", {}))
    assert not found.others
    for text in texts:
        np.testing.assert_allclose(found.named[text], quantity(seen, text)[0], atol=1e-13)


@pytest.mark.parametrize(
    "method",
    [sp.DormandPrince(), sp.GeneralizedAlpha(step=1e-3), sp.HHT(), sp.EnergyScheme(step=1e-3)],
    ids=lambda method: type(method).__name__,
)
def test_every_method_sees_inputs(method):
    """Fixed steps h of 1 ms err by some h^2 t times the third derivative, below 100 rad/s3."""
    m = parallelogram(0.3)
    formulation = sp.Absolute() if isinstance(method, sp.EnergyScheme) else None
    found = []
    for given in ({}, {"integrator": method, "formulation": formulation}):
        stepper = sp.Stepper(m, ["A", (m["rocker"].at(0.5), "y")], dt=0.01, **given)
        for k in range(20):
            stepper.step(inputs=[2.0, -3.0] if k < 10 else [-1.0, 4.0])
        found.append(stepper.outputs["A.angle"])
    assert found[1] == pytest.approx(found[0], abs=1e-4)
    stepper.reset()
    for _ in range(20):
        stepper.step()
    assert abs(stepper.outputs["A.angle"] - found[0]) > 1e-2


def test_a_list_of_two_is_two_inputs_and_a_tuple_a_pair():
    m = machine()
    joint, frame = m.joints["turn"], next(iter(m.bodies.values())).at(0)
    both = sp.Stepper(m, [joint, "push"]).inputs
    assert both == sp.Stepper(m, ["turn", "push"]).inputs and len(both) == 2
    assert sp.Stepper(m, (joint, 0)).inputs == sp.Stepper(m, "turn").inputs
    assert sp.Stepper(m, (frame, "y")).inputs == sp.Stepper(m, [(frame, "y")]).inputs


def test_accelerations_of_drivers_add_up():
    m = sp.Model(gravity=(0, 0, -9.81))
    rod = m.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.1, initial_rate=0.5))
    m.add(sp.Driver("drive", "pin", "0.1 + 0.5*t"))
    stepper = sp.Stepper(m, "drive", ["pin.angle", "pin.angle_rate"], dt=0.01)
    assert stepper.inputs == ("drive.acceleration",) and stepper.input_units == ("rad/s2",)
    angle, rate = 0.1, 0.5
    for a in (3.0, 3.0, -7.0, 0.0, 2.0):
        stepper.step(inputs=[a])
        angle, rate = angle + 0.01 * rate + 0.5 * a * 0.01**2, rate + 0.01 * a
        assert float(stepper.outputs["pin.angle"]) == pytest.approx(angle, abs=1e-9)
        assert float(stepper.outputs["pin.angle_rate"]) == pytest.approx(rate, abs=1e-9)


def episode(stepper: sp.Stepper, count: int, seed: int) -> bytes:
    rng, found = np.random.default_rng(seed), [stepper.values.tobytes()]
    for _ in range(count):
        stepper.step(inputs=rng.normal(size=len(stepper.inputs)))
        found.append(stepper.values.tobytes())
    return b"".join(found) + np.array([stepper.time]).tobytes()


def steppers():
    m = machine()
    yield sp.Stepper(m, inputs_of(m), dt=2e-3)
    yield sp.Stepper(m, inputs_of(m), dt=2e-3, integrator=sp.GeneralizedAlpha(step=1e-3))
    loop = {case.name: case for case in CASES}["bennett"].build()  # rows in use change on the way
    yield sp.Stepper(loop, next(iter(loop.joints)), dt=0.05, tolerance=1e-3)


@pytest.mark.parametrize("which", range(3), ids=["radau", "alpha", "loop"])
def test_resets_and_snapshots_are_exact(which):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", sp.SuppleWarning)
        stepper = list(steppers())[which]
    first = episode(stepper, 8, 1)
    middle = stepper.snapshot()
    later = episode(stepper, 8, 2)
    if which == 2:
        assert stepper._run.compiled is not stepper._rows_first
    stepper.restore(middle)
    assert stepper.time == middle.time and episode(stepper, 8, 2) == later
    stepper.reset()
    assert stepper.time == 0.0 and episode(stepper, 8, 1) == first
    again = stepper.state
    stepper.reset(again)  # inputs are zero again, the state is the same
    assert stepper.time == again.t
    np.testing.assert_allclose(stepper.state.q, again.q, rtol=0.0, atol=1e-12)
    stepper.step(inputs=np.ones(len(stepper.inputs)))
    stepper.restore(middle)
    assert episode(stepper, 8, 2) == later
    stepper.reset()
    assert episode(stepper, 8, 1) == first


def burst(t, q, u):
    if t > 0.0305:
        raise RuntimeError("too late")
    return 0.0


def test_a_step_that_fails_says_why_and_changes_nothing():
    m = machine()
    m.add(sp.EffortFunction("law", "slide", burst))
    stepper, other = (sp.Stepper(m, "turn", dt=0.01) for _ in range(2))
    for k in range(3):
        stepper.step(inputs=[float(k)])
        other.step(inputs=[float(k)])
    before, place = stepper.values.tobytes(), stepper.state
    with pytest.raises(sp.SimulationError, match=r"step from t = 0.03 s stopped at t = .*too late"):
        stepper.step(inputs=[5.0])
    assert stepper.time == 0.03 == place.t and stepper.values.tobytes() == before
    np.testing.assert_array_equal(stepper.state.u, place.u)
    for one in (stepper, other):
        one.step(4e-4, [1.0])
    assert stepper.values.tobytes() == other.values.tobytes()


def test_constraints_that_contradict_each_other_are_doubtful():
    m = parallelogram(0.3, motion="0.3 + t")
    m.add(sp.Driver("second", "D", "0.3 + t + 0.5*t**2"))
    stepper = sp.Stepper(m, dt=0.05)
    assert stepper.verdict == "no step was made yet"
    stepper.step(1e-4)
    assert stepper.verdict.startswith("trusted")
    for _ in range(4):
        stepper.step()
    assert stepper.verdict.startswith("doubtful: Driver 'second'")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"inputs": "trun"}, "Stepper: inputs is 'trun', expected joints, .* did you mean 'turn'"),
        ({"inputs": "ball"}, "a joint with angles or displacements"),
        ({"inputs": ["turn", "turn.angle"]}, "each of them once"),
        ({"inputs": 3}, "Stepper: inputs is 3"),
        ({"outputs": "turn.angel"}, "'turn.angel' is not known"),
        ({"outputs": ["turn.angle"] * 2}, "each of them once"),
        ({"dt": 0.0}, "Stepper: dt is 0.0, expected a positive number"),
        ({"integrator": sp.BDF()}, "one whose steps are compiled"),
    ],
)
def test_wrong_steppers_are_refused(given, sentence):
    with pytest.raises(sp.SuppleError, match=sentence):
        sp.Stepper(machine(), **given)


def test_wrong_steps_are_refused():
    stepper = sp.Stepper(machine(), ["turn", "push"])
    for given, sentence in (
        ({"inputs": [np.nan, 0.0]}, "inputs is .*, expected 2 finite numbers"),
        ({"inputs": [np.inf, -np.inf]}, "expected 2 finite numbers"),
        ({"inputs": {"turn.angle": np.nan}}, r"inputs\['turn.angle'\] is nan"),
        ({"inputs": {"turn": 1.0}}, "expected the name of an input"),
        ({"inputs": "x"}, "expected 2 finite numbers"),
        ({"dt": -1.0}, "dt is -1.0, expected a positive number"),
        ({"dt": float("nan")}, "dt is nan"),
    ):
        with pytest.raises(sp.ModelError, match=sentence):
            stepper.step(**given)
    stepper.step(inputs={"push": 2.0})
    np.testing.assert_array_equal(stepper._held, [0.0, 2.0])
    with pytest.raises(sp.ModelError, match="of this stepper"):
        stepper.restore(sp.Stepper(machine()).snapshot())
    with pytest.raises(sp.ModelError, match=r"what stepper\.snapshot"):
        stepper.restore(3)


def feedback(t, measured, state):
    return [-3.0 * measured[0] - 0.1 - 0.5 * state[0]], [state[0] + 0.1 * measured[0]]


def sampled() -> sp.Model:
    m = sp.Model(gravity=(0, 0, -9.81))
    rod = m.add(sp.RigidBody("rod", 1.0, (0.5, 0, 0), 0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), rod.at(0), axis="y", initial=0.3))
    m.add(sp.SampledController("law", "pin", feedback, 0.003, measures="pin", initial=[0.2]))
    return m


def copied(how: str, stepper: sp.Stepper) -> sp.Stepper:
    if how == "pickle":
        return pickle.loads(pickle.dumps(stepper))
    return copy.copy(stepper) if how == "copy" else copy.deepcopy(stepper)


@pytest.mark.parametrize("how", ["copy", "deepcopy", "pickle"])
@pytest.mark.parametrize("which", ["machine", "loop", "sampled", "driven"])
def test_copies_go_on_as_the_stepper_itself(which: str, how: str):
    """Both make the same steps to the last bit, and neither moves the other."""
    if which == "machine":
        m = machine()
        stepper = sp.Stepper(m, inputs_of(m), OUTPUTS, dt=0.003)
        values = VALUES
    elif which == "driven":
        m = machine()
        m.add(sp.Driver("pull", "slide", "0.1*t"))
        stepper, values = sp.Stepper(m, "pull", dt=0.003), np.array([0.7])
    else:
        m = parallelogram() if which == "loop" else sampled()
        joint = next(iter(m.joints))
        stepper, values = sp.Stepper(m, joint, dt=0.003), np.array([0.4])
    stepper.step(inputs=values)
    mark = stepper.snapshot()
    stepper.step(0.002)
    twin = copied(how, stepper)
    assert twin.time == stepper.time and twin.outputs.keys() == stepper.outputs.keys()
    np.testing.assert_array_equal(twin.values, stepper.values)
    before = stepper.values.copy()
    made = [twin.step(inputs=-0.5 * values) and twin.values.copy() for _ in range(3)]
    np.testing.assert_array_equal(stepper.values, before)
    assert not np.array_equal(made[-1], before)
    for row in made:
        stepper.step(inputs=-0.5 * values)
        np.testing.assert_array_equal(stepper.values, row)
    assert twin.verdict == stepper.verdict
    # A snapshot is one of both, and travels as well.
    mark = pickle.loads(pickle.dumps(mark)) if how == "pickle" else copy.deepcopy(mark)
    for each in (stepper, twin):
        each.restore(mark)
        each.step(0.001)
    np.testing.assert_array_equal(stepper.values, twin.values)
    assert stepper.time == twin.time == mark.time + 0.001
    for each in (stepper, twin):
        each.reset()
    np.testing.assert_array_equal(stepper.values, twin.values)


def test_copies_of_a_stepper_that_began_elsewhere():
    m = machine()
    stepper = sp.Stepper(m, "turn", dt=0.002)
    first = stepper.values.copy()
    stepper.step()
    stepper.reset(stepper.state.changed({"turn": 1.0}, t=0.0))
    stepper.step(inputs=[2.0])
    mark = stepper.snapshot()
    m.replace("hub", mass=5.0)  # the model of both is that of the start
    twin = copy.deepcopy(stepper)
    twin.step(), stepper.step()
    np.testing.assert_array_equal(twin.values, stepper.values)
    for each in (stepper, twin):
        each.reset()
        np.testing.assert_array_equal(each.values, first)
        each.restore(mark)
        each.step()
    np.testing.assert_array_equal(twin.values, stepper.values)
    with pytest.raises(sp.ModelError, match="one of another stepper"):
        sp.Stepper(m, "turn").restore(mark)
