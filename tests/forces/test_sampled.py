"""Sampled controllers against exact discretisations, and everything that a run is asked for."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import supple as sp
from models.controlled_arm import arm, press

PERIOD, MASS = 0.02, 2.0
GAIN = [[-60.0, -18.0]]


def cart(law=None, stiffness=0.0, **options):
    """A cart on a rail with a sampled state feedback; it begins beside its target."""
    m = sp.Model()
    body = m.add(sp.RigidBody("cart", MASS, inertia=0.1))
    start = {"initial": 0.3, "initial_rate": -0.2}
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), axis="x", **start))
    if stiffness:
        m.add(sp.JointSpring("spring", "rail", stiffness=stiffness))
    given = {"period": PERIOD} | options
    m.add(sp.SampledController("servo", "rail", law or sp.ControlLaw(GAIN), **given))
    return m


def exact(times, controllers, stiffness=0.0, x0=(0.3, -0.2)):
    """States (nt, 2) at times of a mass under held efforts, by matrix exponentials.

    ``controllers`` are (period, offset, delay, function of the state (2,) -> effort).
    """
    A = np.zeros((3, 3))
    A[0, 1], A[1, 0], A[1, 2] = 1.0, -stiffness / MASS, 1.0 / MASS
    instants = [("out", t, 0, None) for t in times]
    end = times[-1]
    for c, (period, offset, delay, _) in enumerate(controllers):
        for k in range(int((end - offset) / period + 1e-9) + 1):
            instants.append(("sample", offset + k * period, c, k))
            instants.append(("act", offset + k * period + delay, c, k))
    order = {"out": 0, "sample": 1, "act": 2}
    instants.sort(key=lambda i: (round(i[1], 10), order[i[0]]))
    x, now, held, known, rows = np.array(x0), 0.0, np.zeros(len(controllers)), {}, []
    for kind, t, c, k in instants:
        flow = scipy.linalg.expm(A * max(t - now, 0.0))
        x, now = (flow @ [*x, held.sum()])[:2], t
        if kind == "out":
            rows.append(x.copy())
        elif kind == "sample":
            known[c, k] = controllers[c][3](x)
        else:
            held[c] = known[c, k]
    return np.array(rows)


def feedback(x):
    return float(np.array(GAIN[0]) @ x)


@pytest.mark.parametrize("delay", [0.0, 0.4 * PERIOD, 1.7 * PERIOD])
def test_sampled_feedback_is_the_exact_discretisation(delay):
    m = cart(stiffness=40.0, delay=delay, offset=0.003)
    times = np.linspace(0.0, 0.5, 101)
    result = sp.simulate(m, 0.5, output=times, tolerance=(1e-10, 1e-10))
    expected = exact(times, [(PERIOD, 0.003, delay, feedback)], stiffness=40.0)
    rail = result["rail"]
    found = np.column_stack([rail.displacement, rail.displacement_rate])
    assert np.max(np.abs(found - expected)) < 1e-8  # 1e-10 a step, some 100 steps
    assert result.verdict.startswith("trusted")
    samples = result["servo"].samples
    assert np.allclose(samples.t, 0.003 + PERIOD * np.arange(len(samples.t)))
    seen = exact(samples.t, [(PERIOD, 0.003, delay, feedback)], stiffness=40.0)
    assert np.max(np.abs(samples.measured - seen)) < 1e-8
    assert np.allclose(samples.efforts, samples.measured @ np.array(GAIN).T)
    held = samples.efforts[np.searchsorted(samples.acts, times + 1e-12, side="right") - 1, 0]
    before = times + 1e-12 < samples.acts[0]
    assert np.allclose(result["servo"].effort, np.where(before, 0.0, held))


def test_work_of_held_efforts_is_counted():
    result = sp.simulate(cart(), 0.5, tolerance=(1e-10, 1e-10))
    kinetic = 0.5 * MASS * result["rail"].displacement_rate ** 2
    assert np.allclose(result["servo"].work, kinetic - kinetic[0], atol=1e-9)


def test_converters_round_and_cut():
    """Sizes of steps are odd: no number lies between two of them, where rounding would decide."""
    size, margins = np.array([0.0103, 0.0507]), []
    steps = {"measured_step": size, "effort_step": 0.5, "limit": 4.0}
    result = sp.simulate(cart(**steps, measured_limit=[0.25, 1.0]), 0.4, output=PERIOD)

    def rounded(x, step):
        parts = np.asarray(x) / step
        margins.append(np.min(np.abs(np.abs(parts - np.floor(parts)) - 0.5)))
        return step * np.rint(parts)

    def law(x):
        seen = rounded(np.clip(x, [-0.25, -1.0], [0.25, 1.0]), size)
        return float(rounded(np.clip(feedback(seen), -4.0, 4.0), 0.5))

    times = PERIOD * np.arange(21)
    expected = exact(times, [(PERIOD, 0.0, 0.0, law)])
    assert min(margins) > 1e-4
    assert np.max(np.abs(result["rail"].displacement - expected[:, 0])) < 1e-6
    samples = result["servo"].samples
    assert np.max(np.abs(samples.efforts)) == 4.0
    assert np.allclose(samples.efforts / 0.5, np.rint(samples.efforts / 0.5))
    assert samples.measured[0, 0] == pytest.approx(24 * size[0])  # 0.25 m in its steps


def test_several_controllers_with_periods_of_their_own():
    m = cart(sp.ControlLaw([[-30.0, -4.0]]))
    m.add(sp.SampledController("second", "rail", sp.ControlLaw([[-5.0, -6.0]]), 0.03, offset=0.01))
    times = np.linspace(0.0, 0.6, 41)
    result = sp.simulate(m, 0.6, output=times, tolerance=(1e-10, 1e-10))
    loops = [
        (PERIOD, 0.0, 0.0, lambda x: -30.0 * x[0] - 4.0 * x[1]),
        (0.03, 0.01, 0.0, lambda x: -5.0 * x[0] - 6.0 * x[1]),
    ]
    assert np.max(np.abs(result["rail"].displacement - exact(times, loops)[:, 0])) < 1e-8


def integral(t, e, z):
    """A PI law with states, by hand: that of the linear law beside it."""
    return -60.0 * e[0] - 18.0 * e[1] - 40.0 * z[0], z + PERIOD * e[0]


PI = sp.ControlLaw(GAIN, [[1.0]], [[PERIOD, 0.0]], [[-40.0]])


def test_law_with_states_targets_and_functions():
    aim = sp.SmoothStep(0.1, 0.4, after=0.5)
    more = {"target": aim, "feedforward": "3*t", "tolerance": 1e-9}
    tolerance = more.pop("tolerance")
    one = sp.simulate(cart(PI, initial=[0.01], **more), 0.6, tolerance=tolerance)
    two = sp.simulate(cart(integral, initial=[0.01], **more), 0.6, tolerance=tolerance)
    assert np.allclose(one["rail"].displacement, two["rail"].displacement, atol=1e-10)
    samples = one["servo"].samples
    x, v = samples.measured.T
    error = x - aim(samples.t)
    assert np.allclose(samples.states[1:, 0], 0.01 + PERIOD * np.cumsum(error)[:-1])
    wanted = -60.0 * error - 18.0 * (v - aim.rate(samples.t)) - 40.0 * samples.states[:, 0]
    assert np.allclose(samples.efforts[:, 0], wanted + 3.0 * samples.t)


@pytest.mark.parametrize(
    "integrator",
    [
        sp.DormandPrince(),
        sp.GeneralizedAlpha(step=1e-3),
        *(
            pytest.param(i, marks=pytest.mark.slow)
            for i in (sp.GeneralizedAlpha(), sp.EnergyScheme(step=1e-3), sp.BDF(), sp.Adams())
        ),
    ],
    ids=lambda i: type(i).__name__,
)
def test_every_method_lands_on_samples(integrator):
    times = PERIOD * np.arange(16)
    expected = exact(times, [(PERIOD, 0.0, 0.4 * PERIOD, feedback)], stiffness=40.0)
    m = cart(stiffness=40.0, delay=0.4 * PERIOD)
    way = sp.Absolute() if isinstance(integrator, sp.EnergyScheme) else None
    more = {"integrator": integrator, "formulation": way, "tolerance": 1e-8}
    result = sp.simulate(m, times[-1], output=times, **more)
    bound = 3e-4 if getattr(integrator, "step", None) else 3e-5
    assert np.max(np.abs(result["rail"].displacement - expected[:, 0])) < bound
    assert np.allclose(result["servo"].samples.t, times)


def test_stepper_takes_them_along():
    stepper = sp.Stepper(cart(stiffness=40.0, delay=0.3 * PERIOD), dt=0.013, tolerance=1e-9)
    start, found = stepper.snapshot(), []
    for _ in range(20):
        found.append(float(stepper.step()["rail.displacement"]))
    times = 0.013 * np.arange(1, 21)
    expected = exact(times, [(PERIOD, 0.0, 0.3 * PERIOD, feedback)], stiffness=40.0)
    assert np.max(np.abs(found - expected[:, 0])) < 1e-6
    stepper.restore(start)
    assert found == [float(stepper.step()["rail.displacement"]) for _ in range(20)]


@pytest.mark.parametrize(
    "formulation",
    [None, pytest.param(sp.Absolute(), marks=pytest.mark.slow)],
    ids=["joints", "absolute"],
)
def test_closed_loop_by_hand(formulation):
    """The same efforts as those that a stepper is given from outside."""
    m = press()
    gains = [[4.0, -30.0, 0.1, 0.0]]  # of the shaft of the motor, and of the slide
    target = [0.8 * -5.0, 0.5]
    servo = sp.SampledController(
        "servo", "drive", sp.ControlLaw(-np.array(gains)), 0.01, ["drive", "slide"], target
    )
    m.add(servo)
    result = sp.simulate(m, 0.2, output=0.01, formulation=formulation, tolerance=1e-9)
    texts = ["shaft.angle", "slide.displacement", "shaft.angle_rate", "slide.displacement_rate"]
    stepper = sp.Stepper(press(), "drive", texts, dt=0.01, tolerance=1e-9)
    found = []
    for _ in range(20):
        y = stepper.values * [-5.0, 1.0, -5.0, 1.0] - [*target, 0.0, 0.0]
        stepper.step(inputs=-np.array(gains) @ y)
        found.append(float(stepper.outputs["slide.displacement"]))
    assert np.allclose(result["slide"].displacement[1:], found, atol=1e-6)
    assert np.ptp(found) > 0.01
    assert result.verdict.startswith("trusted")


@pytest.mark.slow
def test_flexible_arm_by_hand():
    m, gains = arm(), -np.array([[0.9, 0.2, 0.1, 0.01, 0.5]])
    law = sp.ControlLaw(gains)
    servo = {"elastic": [("beam", 0)], "sensors": ["tip.position.y"]}
    m.add(sp.SampledController("servo", "hub", law, 0.01, **servo))
    result = sp.simulate(m, 0.2, output=0.01, tolerance=1e-9)
    stepper = sp.Stepper(arm(), "hub", ["hub.angle", "tip.position.y"], dt=0.01, tolerance=1e-9)
    found = [float(stepper.outputs["tip.position.y"])]
    for _ in range(20):
        state = stepper.state
        q, v = state.coordinates("beam")[0], state.rates("beam")[0]
        y = [state.coordinates("hub")[0], q, state.rates("hub")[0], v, found[-1]]
        stepper.step(inputs=gains @ np.array(y))
        found.append(float(stepper.outputs["tip.position.y"]))
    assert np.allclose(result["tip"].position[:, 1], found, atol=1e-6)
    assert np.ptp(found) > 0.01


def test_resumed_run_is_the_same_to_the_last_bit(tmp_path):
    m = cart(PI, stiffness=40.0, delay=1.3 * PERIOD)
    whole = sp.simulate(m, 0.5)
    path = tmp_path / "run.checkpoint"

    def stop(t):
        if t > 0.2:
            raise RuntimeError("killed")

    with pytest.raises(RuntimeError):
        sp.simulate(m, 0.5, checkpoint=path, interval=0.05, progress=stop)
    result = sp.resume(path)
    assert np.array_equal(result.q, whole.q)
    assert np.array_equal(result["servo"].effort, whole["servo"].effort)
    assert np.array_equal(result["servo"].samples.states, whole["servo"].samples.states)
    with pytest.raises(sp.ModelError, match=r"output_to.*SampledController"):
        sp.simulate(m, 0.5, output_to=tmp_path / "states.h5")


def test_events_and_phases_go_on_with_their_samples():
    m = cart(PI)
    lock = sp.Event("lock", at=0.11, then=sp.Lock("rail"))
    free = sp.Event("free", at=0.17, then=sp.Unlock("rail"))
    result = sp.simulate(m, 0.3, events=[lock, free], output=PERIOD)
    samples = result["servo"].samples
    assert np.allclose(samples.t, PERIOD * np.arange(16))
    held = (samples.t > 0.11) & (samples.t < 0.17)
    assert np.ptp(samples.measured[held, 0]) < 1e-9
    assert np.allclose(result["servo"].effort, samples.efforts[:, 0])
    passing = sp.Event("through", "rail", value=0.15, terminal=True)
    ended = sp.simulate(m, 1.0, events=passing)
    assert ended.events[0].name == "through"
    assert ended["rail"].displacement[-1] == pytest.approx(0.15)


def test_run_that_goes_on_begins_with_a_new_controller():
    m = cart()
    first = sp.simulate(m, 0.1, tolerance=1e-9)
    second = sp.simulate(m, 0.2, start=first, tolerance=1e-9)
    whole = sp.simulate(m, 0.2, output=[0.2], tolerance=1e-9)  # without states it goes on as it was
    assert second["servo"].samples.t[0] == pytest.approx(0.1)
    end = whole["rail"].displacement[-1]
    assert second["rail"].displacement[-1] == pytest.approx(end, abs=1e-7)


def test_function_that_fails_ends_the_run():
    def law(t, e, z):
        return (1.0, 2.0) if t < 0.05 else 3.0

    with pytest.warns(sp.SuppleWarning, match="its law returned"):
        result = sp.simulate(cart(law), 0.2)
    assert not result.success and "expected 1 efforts and 0 states" in result.message

    def broken(t, e, z):
        raise ValueError("no value")

    with pytest.warns(sp.SuppleWarning, match="'servo': its law raised ValueError"):
        assert not sp.simulate(cart(broken), 0.2).success


def test_files_and_images(tmp_path):
    more = {"target": "0.1*t", "delay": 0.005, "limit": 4.0, "measured_step": [0.01, 0.0]}
    m = cart(PI, **more)
    path = tmp_path / "model.yaml"
    sp.files.write_model(m, path)
    read = sp.files.read_model(path)
    one, two = sp.simulate(m, 0.3), sp.simulate(read, 0.3)
    assert np.array_equal(one.q, two.q)
    with pytest.raises(sp.ModelError, match="SampledController 'servo' computes its efforts"):
        sp.prepare(m).image(1.0)
    with pytest.raises(sp.SuppleError, match="function"):
        sp.files.write_model(cart(integral, initial=[0.0]), path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"law": 3.0}, "law is 3.0, expected a ControlLaw, or a function"),
        ({"law": sp.ControlLaw([[1.0]])}, r"expected a D of shape \(1, 2\)"),
        ({"period": 0.0}, "period is 0.0"),
        ({"delay": -1.0}, "delay is -1.0"),
        ({"measured_step": [1.0, 2.0, 3.0]}, "measured_step"),
        ({"limit": [1.0, -1.0]}, "limit"),
        ({"target": [1.0, 2.0]}, "expected 1 numbers, expressions or signals"),
        ({"sensors": [3]}, "sensors"),
        ({"initial": [1.0], "law": sp.ControlLaw(GAIN)}, "expected 0 numbers"),
        ({"elastic": ["beam"]}, "a pair"),
        ({"joints": ["rail", "rail"]}, "each coordinate once"),
    ],
)
def test_sentences(change, sentence):
    given = {"joints": "rail", "law": sp.ControlLaw(GAIN), "period": 0.1} | change
    with pytest.raises(sp.ModelError, match=sentence):
        sp.SampledController("servo", **given)


def test_sentences_of_runs():
    m = cart(sp.ControlLaw([[1.0, 2.0, 3.0, 4.0]]), elastic=[("beam", 0)])
    with pytest.raises(sp.ModelError, match="elastic is 'beam', expected the name of a"):
        sp.simulate(m, 0.1)
    m = cart(sp.ControlLaw([[1.0, 2.0, 3.0]]), sensors=["tip.position.y"])
    with pytest.raises(sp.ModelError, match=r"sensors is .*tip.position.y"):
        sp.simulate(m, 0.1)
    m = cart(sp.ControlLaw([[1.0, 2.0, 3.0]]), sensors=["cart.position"])
    with pytest.raises(sp.ModelError, match=r"sensors is 'cart.position', expected a number"):
        sp.simulate(m, 0.1)
    with pytest.raises(sp.ModelError, match="period is 1e-12"):
        sp.simulate(cart(period=1e-12), 0.1)
    with pytest.raises(sp.ModelError, match="B is None, expected a matrix"):
        sp.ControlLaw([[1.0]], A=[[1.0]])


def test_what_no_analysis_can_count_is_said():
    with pytest.warns(sp.SuppleWarning, match="'servo' holds its effort between samples"):
        sp.linearize(cart(stiffness=40.0))
    with pytest.raises(sp.ModelError, match="without sampled controllers"):
        sp.sensitivity(cart(), ["cart.mass"], outputs="rail.displacement", t_end=0.1)


def test_batches_and_prepared_models_share_nothing():
    m, masses = cart(PI, delay=0.013), [1.0, 2.0, 3.0]
    out = "rail.displacement @ end"
    found = sp.batch(m, {"cart.mass": masses}, outputs=out, t_end=0.2, threads=2)
    for mass, value in zip(masses, found[out], strict=True):
        one = sp.prepare(m).with_values({"cart": {"mass": mass}})
        first, second = one.simulate(0.2), one.simulate(0.2)
        assert first["rail"].displacement[-1] == second["rail"].displacement[-1] == value
