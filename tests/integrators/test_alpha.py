"""Generalized-alpha, HHT and Newmark: orders, numerical damping, error control, stops, failures."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given

import supple as sp
from models.integrator_problems import (
    plane_pendulum,
    pushed,
    quarter_period,
    sliding_mass,
    spatial_pendulum,
    tethered_body,
    turning_body,
)
from models.oscillators import LINEAR, chung_hulbert, oscillator
from models.random_models import examples, flexible_recipes, recipes
from supple import cases
from supple.core.alpha import alpha
from supple.core.run import step as st
from supple.formulations.trees import JointCoordinates

METHODS = [sp.GeneralizedAlpha, sp.HHT, sp.Newmark]
all_methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)
AT_STEPS = np.arange(1, 17) / 16
TIMES = np.union1d(AT_STEPS, (np.arange(97) + 0.5) / 97)


def flexible_arm() -> sp.Model:
    """A soft arm of two links, the second a damped beam with three modes, swinging in space."""
    model = sp.Model(gravity=(0, -9.81, 0))
    link = model.add(sp.RigidBody("link", 2.0, (0, 0, -0.1), (0.04, 0.05, 0.02)))
    beam = sp.Beam(
        "beam",
        1.0,
        sp.Rectangle(0.02, 0.01),
        sp.Material(E=2e9, G=1e9, density=1200),
        elements=3,
        modes=3,
        damping=sp.Rayleigh(stiffness=1e-3),
    )
    model.add(beam)
    model.add(sp.Revolute("shoulder", model.ground.at(0), link.at(0), "y", 1.0, 0.5))
    model.add(sp.Revolute("elbow", link.at(0, 0, -0.2), beam.at(0), "z", -1.0))
    return model


def controlled_arm(target: float | sp.signals.Signal | None = None) -> sp.Model:
    """A pendulum whose hinge follows a target by a PID controller: one state of its own."""
    model = sp.Model(gravity=(0, -9.81, 0))
    arm = model.add(sp.RigidBody("arm", 2.0, (0.3, 0, 0), (0.01, 0.05, 0.05)))
    model.add(sp.Revolute("hinge", model.ground.at(0), arm.at(0), "z", 0.3))
    target = sp.Sine(0.5, 1.0) if target is None else target
    model.add(sp.PID("motor", "hinge", kp=60, ki=80, kd=2, target=target))
    return model




@cache
def reference(build) -> sp.results.Result:
    return sp.simulate(
        build(), 1.0, tolerance=(1e-13, 1e-13), output=TIMES, integrator=sp.DormandPrince()
    )


def errors(build, integrator) -> np.ndarray:
    """Largest errors of q, u, z, where steps end and between them."""
    exact, at_steps = reference(build), np.isin(TIMES, AT_STEPS)
    result = sp.simulate(build(), 1.0, tolerance=1e-10, output=TIMES, integrator=integrator)
    assert result.success
    found = []
    for a, b in ((result.q, exact.q), (result.u, exact.u), (result.z, exact.z)):
        gap = np.abs(a - b).max(axis=1, initial=0.0)
        found += [gap[at_steps].max(), gap[~at_steps].max()]
    return np.array(found)


@pytest.mark.parametrize(
    ("build", "method", "options"),
    [
        (plane_pendulum, sp.GeneralizedAlpha, {"rho": 0.8}),
        (spatial_pendulum, sp.GeneralizedAlpha, {"rho": 0.8}),
        (tethered_body, sp.GeneralizedAlpha, {"rho": 0.8}),
        (tethered_body, sp.GeneralizedAlpha, {"rho": 0.0}),
        (tethered_body, sp.HHT, {"alpha": -0.1}),
        (tethered_body, sp.Newmark, {}),
        (flexible_arm, sp.GeneralizedAlpha, {"rho": 0.8}),
        (controlled_arm, sp.GeneralizedAlpha, {"rho": 0.5}),
        (controlled_arm, sp.HHT, {"alpha": -0.2}),
        (controlled_arm, sp.Newmark, {}),
    ],
)
def test_order_is_two(build, method, options) -> None:
    counts = (4096, 8192) if build is flexible_arm else (512, 1024)  # fast modes
    coarse, fine = (errors(build, method(step=1 / n, **options)) for n in counts)
    present = coarse > 0.0
    assert present.sum() == (6 if build is controlled_arm else 4)
    found = np.log2(coarse[present] / fine[present])
    # the next order changes the slope by no more than the step itself changes it: a few percent
    assert np.all(np.abs(found - 2.0) < 0.1), found


def check_order_on(recipe) -> None:
    """Over 1 ms, or half a radian (or lifetime) of the fastest mode: 16 steps resolve it."""
    model = recipe.model()
    for force in tuple(model.forces.values()):  # kinks that no break point announces
        if isinstance(force, sp.JointStop):
            model.replace(force.name, lower=-1e3, upper=1e3)
        elif isinstance(force, sp.PID):
            model.replace(force.name, limit=np.inf)
    equations = JointCoordinates().equations(model)
    assume(equations.nu > 0)
    s = recipe.state(equations)
    Rq, Ru, M = equations.tangent(s.t, s.q, s.u, s.a, s.z)[:3]
    fast = np.sqrt(np.abs(np.linalg.eigvals(np.linalg.solve(M, Rq))).max())
    fast = max(fast, np.abs(np.linalg.eigvals(np.linalg.solve(M, Ru))).max())
    span = min(1e-3, 0.5 / fast)
    start, end = sp.State(s.t, s.q, s.u, s.z), s.t + span
    exact = sp.simulate(
        model, end, start=start, tolerance=1e-13, integrator=sp.DormandPrince(), output=16
    )
    gaps, steps = [], []
    for n in (16, 32):
        integrator = sp.GeneralizedAlpha(step=span / n)
        run = sp.simulate(
            model, end, start=start, tolerance=1e-10, integrator=integrator, output=16
        )
        assert run.success, run.message
        steps.append(run.statistics["steps"])  # n, or a few more to land on breakpoints
        pairs = ((run.q, exact.q), (run.u, exact.u), (run.z, exact.z))
        gaps.append([np.abs(a - b).max(initial=0.0) for a, b in pairs])
    coarse, fine = np.array(gaps)
    size = np.array([np.abs(x).max(initial=1.0) for x in (exact.q, exact.u, exact.z)])
    seen = fine > 1e-11 * size  # above rounding, which tolerances below 1e-10 would meet, too
    slope = np.log(coarse[seen] / fine[seen]) / np.log(steps[1] / steps[0])
    assert np.all(np.abs(slope - 2.0) < 0.1), (slope, fine, steps)


@examples(25)
@given(recipes(forces="all", max_bodies=6, can_lock=False))
def test_order_is_two_on_random_trees(recipe) -> None:
    """All joints, crossed in both directions, with all force elements."""
    check_order_on(recipe)


@examples(15)
@given(flexible_recipes(forces="all"))
def test_order_is_two_on_random_flexible_trees(recipe) -> None:
    check_order_on(recipe)


@all_methods
@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body, controlled_arm])
def test_the_first_step_is_as_good_as_the_others(build, method) -> None:
    """The local error of a step from the start falls with the third power, of u and z, too."""
    found = []
    for h in (2e-3, 1e-3):
        options = {"output": np.array([h]), "tolerance": 1e-11}
        one = sp.simulate(build(), h, integrator=method(step=h), **options)
        exact = sp.simulate(
            build(), h, integrator=sp.DormandPrince(), output=np.array([h]), tolerance=1e-13
        )
        assert one.statistics["steps"] == 1
        pairs = ((one.q, exact.q), (one.u, exact.u), (one.z, exact.z))
        found.append([np.abs(a - b).max() for a, b in pairs if a.size])
    slope = np.log2(np.array(found[0]) / np.array(found[1]))
    assert np.all(slope > 2.9), slope


def test_damping_by_gamma_costs_an_order() -> None:
    pair = [
        errors(plane_pendulum, sp.Newmark(beta=0.4, gamma=0.7, step=1 / n)) for n in (512, 1024)
    ]
    assert np.log2(pair[0][:4] / pair[1][:4]) == pytest.approx(1.0, abs=0.05)


# Chung and Hulbert (5), (7) to (9) for u'' + w^2 u = 0, state (d, h v, h^2 a), written as a linear
# system in the old and the new state: nothing of Supple's way to write the method.
def amplification(am: float, af: float, beta: float, gamma: float, wh: float) -> np.ndarray:
    new = np.array([[1, 0, -beta], [0, 1, -gamma], [(1 - af) * wh**2, 0, 1 - am]])
    old = np.array([[1, 1, 0.5 - beta], [0, 1, 1 - gamma], [-af * wh**2, 0, -am]])
    return np.linalg.solve(new, old)






@pytest.mark.parametrize(("integrator", "parameters"), LINEAR)
@pytest.mark.parametrize("wh", [0.05, 0.7, 3.0, 300.0])
def test_a_linear_mode_follows_the_amplification_matrix(integrator, parameters, wh) -> None:
    """Places at the steps obey the recurrence of the characteristic polynomial, Cayley-Hamilton."""
    times = 0.1 * np.arange(31)
    result = sp.simulate(oscillator(10 * wh), 3.0, output=times, integrator=integrator)
    assert result.statistics["steps"] == 30
    x = result["rail"].displacement[1:]  # the first step is Newmark's: its end has any state
    c = np.poly(amplification(*parameters, wh))
    residual = np.convolve(x, c, "valid")
    window = np.max([np.abs(x[k : len(x) - 3 + k]) for k in range(4)], axis=0)
    # h^2 a is wh^2 times x, and so is what rounding of one leaves in the other
    assert np.all(np.abs(residual) < 1e-15 * (10 + wh**2) * np.abs(c).max() * window)


@pytest.mark.parametrize(("integrator", "parameters"), LINEAR)
@pytest.mark.parametrize("wh", [0.05, 0.7])
def test_decay_and_period_of_a_linear_mode(integrator, parameters, wh) -> None:
    """The pair of eigenvalues, measured from places late enough for the third one to be gone."""
    times = 0.1 * np.arange(401)
    x = sp.simulate(oscillator(10 * wh), 40.0, output=times, integrator=integrator)[
        "rail"
    ].displacement
    values = np.linalg.eigvals(amplification(*parameters, wh))
    pair = values[np.argmax(values.imag)]
    if parameters[:2] == chung_hulbert(1.0)[:2]:
        late = x[1:]  # the third eigenvalue is -1 but the start does not excite it
    else:
        late = x[100:]
    size = np.abs(late[:-2]) + np.abs(late[1:-1])
    A = np.column_stack([late[1:-1], late[:-2]]) / size[:, None]
    trace, det = np.linalg.lstsq(A, late[2:] / size, rcond=None)[0]
    measured = np.roots([1, -trace, -det])[0]
    assert abs(measured) == pytest.approx(abs(pair), abs=1e-9)
    assert abs(np.angle(measured)) == pytest.approx(np.angle(pair), abs=1e-9)


@pytest.mark.parametrize("rho", [0.0, 0.5, 0.8, 1.0])
def test_spectral_radius_far_above_the_step(rho) -> None:
    values = np.linalg.eigvals(amplification(*sp.GeneralizedAlpha(rho=rho).coefficients()[:4], 1e6))
    assert np.abs(values).max() == pytest.approx(rho, abs=1e-3)  # a double root: error of its root
    if rho >= 0.5:
        hht = sp.HHT(alpha=(rho - 1) / (rho + 1)).coefficients()[:4]
        assert np.abs(np.linalg.eigvals(amplification(*hht, 1e6))).max() == pytest.approx(
            rho, abs=1e-3
        )


def test_average_acceleration_keeps_the_energy_of_a_linear_oscillator() -> None:
    for wh in (0.05, 1.0, 30.0):
        for integrator in (sp.Newmark(step=0.1), sp.GeneralizedAlpha(rho=1.0, step=0.1)):
            result = sp.simulate(oscillator(10 * wh), 100.0, integrator=integrator)
            assert result.statistics["steps"] == 1000
            energy = result.energy.record
            # rounding of 1000 steps
            assert energy.max_error < 1e-12 * energy.initial_energy


def test_numerical_damping_is_an_energy_error() -> None:
    """The audit does not take the method's own damping for physics."""
    result = sp.simulate(
        oscillator(1.0), 20.0, integrator=sp.GeneralizedAlpha(rho=0.2, step=0.2), output=100
    )
    values = np.linalg.eigvals(amplification(*chung_hulbert(0.2), 0.2))
    expected = 1.0 - np.abs(values).max() ** 200
    start = result.energy.record.initial_energy
    assert 1.0 - result.energy.total[-1] / start == pytest.approx(expected, rel=0.05)
    assert result.energy.record.max_error == pytest.approx(expected * start, rel=0.1)


def test_a_thrown_body_flies_on_a_parabola() -> None:
    """Places of free joints do not feel the turning of the body: exact with any step."""
    model = sp.Model(gravity=(0, 0, -9.81))
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), (0.1, 0.2, 0.3)))
    spin = (3, 5, -2, 1.0, 2.0, 3.0)
    model.add(sp.Free("free", model.ground.at(0), body.at(0), (0, 0, 0), spin))
    for method in METHODS:
        result = sp.simulate(model, 2.0, integrator=method(step=0.02), output=100)
        t = result.t[:, None]
        path = t * (1, 2, 3) + 0.5 * t**2 * (0, 0, -9.81)
        np.testing.assert_allclose(result["body"].position, path, rtol=0, atol=1e-8)
        np.testing.assert_allclose(np.linalg.norm(result.q[:, :4], axis=1), 1.0, atol=4e-16)


@pytest.mark.parametrize(
    "build", [plane_pendulum, spatial_pendulum, tethered_body, flexible_arm, controlled_arm]
)
def test_the_error_falls_with_the_tolerance(build) -> None:
    """Ten times tighter: the error of a step falls ten times, the whole error 10^(2/3) = 4.6."""
    found = np.array([step_error(build, tolerance) for tolerance in (1e-5, 1e-6, 1e-7)])
    assert np.all(found[:-1] / found[1:] > 3.5), found
    assert np.all(found[:-1] / found[1:] < 6.0), found


def step_error(build, tolerance: float) -> float:
    exact = reference(build)
    result = sp.simulate(
        build(), 1.0, tolerance=tolerance, output=TIMES, integrator=sp.GeneralizedAlpha()
    )
    assert result.success
    assert result.statistics["rejected"] < 0.1 * result.statistics["steps"] + 5
    scale = np.abs(exact.u).max(axis=0) + 1e-3
    return float((np.abs(result.u - exact.u) / scale).max())


@pytest.mark.filterwarnings("ignore:RigidBody 'link1'")
def test_the_flexible_arm_of_huang_agrees_with_radau() -> None:
    model = cases.get("huang-two-link-damped").build()
    options = {"output": 50, "tolerance": 1e-5}
    exact = sp.simulate(model, 1.0, output=50)
    result = sp.simulate(model, 1.0, integrator=sp.GeneralizedAlpha(), **options)
    assert result.success
    assert np.abs(result.q - exact.q).max() < 1e-3
    assert np.abs(result["elbow"].angle - exact["elbow"].angle).max() < 1e-4
    tip, right = (r["link2"].at(1.02).deflection for r in (result, exact))
    assert np.abs(tip - right).max() < 0.02 * np.abs(right).max()


def padded_arm(**pad: float) -> sp.Model:
    """The arm of docs/integrators.md."""
    m = sp.Model(gravity=(0, 0, -9.81))
    upper = m.add(sp.RigidBody("upper", 1.0, com=(0.1, 0, -0.5), inertia=(0.1, 0.12, 0.05)))
    lower = m.add(sp.RigidBody("lower", 0.7, com=(0, 0.1, -0.4), inertia=(0.05, 0.06, 0.02)))
    start = (0.5, 0.2, 0)
    m.add(sp.Spherical("hip", m.ground.at(0), upper.at(0), start, initial_rate=(0.3, 0.5, 1)))
    m.add(sp.Revolute("knee", upper.at(0, 0, -1), lower.at(0), axis="x", initial=0.6))
    m.add(sp.JointSpring("pad", "knee", **pad))
    return m


SOFT = {"stiffness": 3.0, "damping": 0.2}
HARD = {"stiffness": 3e6, "damping": 30.0, "rest": 0.6}  # some 6000 rad/s
HARDER = {"stiffness": 3e8, "rest": 0.6}  # some 60000 rad/s, swings for ever, below the tolerance


@pytest.mark.parametrize(("pad", "rho"), [(HARD, 0.8), (HARDER, 0.5)])
def test_stiff_modes_do_not_choke_the_step(pad, rho) -> None:
    """Steps are far longer than the fast mode's period; without the filter HARDER fails."""
    soft, hard = (
        sp.simulate(
            padded_arm(**given), 4.0, tolerance="loose", integrator=sp.GeneralizedAlpha(rho=rho)
        )
        for given in (SOFT, pad)
    )
    assert soft.success and hard.success
    assert hard.statistics["steps"] < 2 * soft.statistics["steps"]


@all_methods
def test_fixed_steps_pass_over_fast_modes(method) -> None:
    """The slow motion is of order 2 with steps of hundreds of radians of the fast one."""
    damped = sp.simulate(padded_arm(stiffness=3e8, damping=3e5, rest=0.6), 1.0, output=20)
    found = []
    for n in (100, 200):
        result = sp.simulate(padded_arm(**HARDER), 1.0, output=20, integrator=method(step=1 / n))
        assert result.success and result.statistics["steps"] == n
        found.append(np.abs(result.q - damped.q).max())
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.1)


@all_methods
@pytest.mark.parametrize("step", [None, 0.03])
def test_jumps_are_landed_on(method, step) -> None:
    after = [np.nextafter(t, 2.0) for t in (0.5, 1.0)]
    jumps = sp.Table((0, 0.5, after[0], 1.0, after[1]), (3, 3, -4, -4, 0))
    result = sp.simulate(sliding_mass(jumps), 1.5, output=30, integrator=method(step=step))
    assert result.success, result.message
    np.testing.assert_allclose(result["rail"].displacement, pushed(result.t), rtol=0, atol=1e-12)
    assert result.energy.record.max_error < 1e-12
    if step:
        assert result.statistics["steps"] == 3 * 17  # 0.5 s in equal steps of at most 0.03 s


def test_a_sharp_jump_of_a_target_with_a_rate_gain() -> None:
    jump = sp.Table((0, 0.5, np.nextafter(0.5, 1), 2), (0, 0, 1, 1))
    for integrator in (sp.GeneralizedAlpha(), sp.GeneralizedAlpha(step=1e-3)):
        result = sp.simulate(controlled_arm(jump), 2.0, integrator=integrator, tolerance=1e-6)
        exact = sp.simulate(controlled_arm(jump), 2.0)
        assert result.success
        assert np.abs(result.q - exact.q).max() < 2e-4
        assert np.abs(result.z - exact.z).max() < 2e-5


@all_methods
def test_order_holds_across_a_jump(method) -> None:
    """A kink is a new start: the algorithmic acceleration of the time before is forgotten."""
    jump = sp.Table((0, 0.5, np.nextafter(0.5, 1), 2), (0, 0, 1, 1))
    exact = sp.simulate(controlled_arm(jump), 1.0, tolerance="tight").state()
    found = []
    for n in (256, 512):
        end = sp.simulate(
            controlled_arm(jump), 1.0, integrator=method(step=1 / n), tolerance="tight"
        ).state()
        pairs = ((end.q, exact.q), (end.u, exact.u), (end.z, exact.z))
        found.append([np.abs(a - b).max() for a, b in pairs])
    slope = np.log2(np.array(found[0]) / np.array(found[1]))
    assert np.all(np.abs(slope - 2.0) < 0.1), slope


class ByTurns:
    """The compiled loop, made to take steps of h and 2 h in turn."""

    name, loaded = "by_turns", True

    def __init__(self, h: float) -> None:
        self.h = h

    def ready(self):
        run = alpha.alpha_run.ready()

        def loop(*arguments) -> int:
            *buffers, budget = arguments
            state, count = buffers[4:6]
            for _ in range(budget):
                state[st.H] = self.h * (1 + count[st.STEPS] % 2)
                outcome = run(*buffers, 1)
                if outcome != st.PAUSED:
                    return outcome
            return st.PAUSED

        return loop


@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body, controlled_arm])
def test_steps_of_changing_size_keep_the_order(build) -> None:
    """Without moving the algorithmic rate to the new step it would be order 1."""
    found = []
    for n in (128, 256):

        class Turning(sp.GeneralizedAlpha):
            kernel = ByTurns(1 / (3 * n))

        result = sp.simulate(
            build(),
            1.0,
            tolerance=(1e-10, 0.1),
            output=TIMES,
            integrator=Turning(rho=0.2, first_step=1e-3),
        )
        assert result.statistics["steps"] == 2 * n
        exact = reference(build)
        pairs = ((result.q, exact.q), (result.u, exact.u), (result.z, exact.z))
        found.append([np.abs(a - b).max() for a, b in pairs if a.size])
    slope = np.log2(np.array(found[0]) / np.array(found[1]))
    assert np.all(np.abs(slope - 2.0) < 0.1), slope


@pytest.mark.parametrize("step", [None, 1e-3])
def test_pendulum_passes_its_lowest_place(step) -> None:
    quarter = quarter_period()
    for direction, expected in ((0, (1, 3, 5, 7)), (1, (3, 7)), (-1, (1, 5))):
        low = sp.Event("low", "hinge", direction=direction, terminal=False)
        result = sp.simulate(
            plane_pendulum(),
            8 * quarter,
            events=[low],
            tolerance=1e-8,
            integrator=sp.GeneralizedAlpha(step=step),
        )
        times = [event.t for event in result.events]
        # order 2: (w h)^2/12 of the time, w = 3.1/s
        np.testing.assert_allclose(times, quarter * np.array(expected), rtol=2e-6)


def test_terminal_event_ends_the_run() -> None:
    low = sp.Event("low", "hinge", direction=1)
    for step in (None, 1e-3):
        result = sp.simulate(
            plane_pendulum(), 8.0, events=[low], integrator=sp.GeneralizedAlpha(step=step)
        )
        assert result.success and "'low'" in result.message
        assert result.t[-1] == result.events[0].t
        assert result["hinge"].angle[-1] == pytest.approx(0.0, abs=1e-12)
        again = sp.simulate(
            plane_pendulum(),
            8.0,
            start=result,
            events=[low],
            integrator=sp.GeneralizedAlpha(step=step),
        )
        assert again.t[-1] - result.t[-1] == pytest.approx(4 * quarter_period(), rel=1e-5)


@pytest.mark.parametrize("build", [spatial_pendulum, tethered_body, flexible_arm])
def test_audit_does_not_depend_on_the_output(build) -> None:
    times = np.linspace(0.0, 0.5, 301)
    fine, coarse = (
        sp.simulate(build(), 0.5, output=t, tolerance=1e-5, integrator=sp.GeneralizedAlpha())
        for t in (times, times[::10])
    )
    assert fine.energy.record == coarse.energy.record
    assert fine.momentum.records == coarse.momentum.records
    np.testing.assert_array_equal(fine.q[::10], coarse.q)


def test_dissipation_closes_the_energy_balance() -> None:
    """Simpson's work: the balance is as good as the energy of the motion itself, order 2."""
    found = []
    for n in (200, 400):
        result = sp.simulate(
            oscillator(5.0, damping=1.0), 3.0, integrator=sp.Newmark(step=1 / n), output=100
        )
        found.append(result.energy.record.max_error)
        lost = result.energy.dissipated[-1]
        assert lost == pytest.approx(result.energy.record.initial_energy, rel=0.06)
    assert np.log2(found[0] / found[1]) == pytest.approx(2.0, abs=0.1)
    assert found[1] < 1e-4 * lost


def test_statistics_and_tangent_reuse() -> None:
    s = sp.simulate(
        spatial_pendulum(), 2.0, tolerance=1e-5, integrator=sp.GeneralizedAlpha()
    ).statistics
    assert s["newton_failures"] < 0.02 * s["steps"]
    assert s["steps"] <= s["newton_iterations"] == s["evaluations"] - 1  # one at the start
    assert 0 < s["jacobians"] < 0.2 * s["steps"]
    assert s["jacobians"] <= s["factorizations"] < s["steps"]
    assert s["cpu_seconds"] > 0


def test_gimbal_lock_is_named() -> None:
    for step in (None, 0.01):
        with pytest.warns(sp.SuppleWarning):
            result = sp.simulate(
                turning_body("three axes"), 2.0, integrator=sp.GeneralizedAlpha(step=step)
            )
        assert not result.success
        assert result.t[-1] == pytest.approx(1.0, abs=1e-5)
        assert "General 'gimbal'" in result.message and "Spherical" in result.message


@pytest.mark.parametrize("step", [None, 0.01])
def test_infinite_acceleration_stops_with_a_message(step) -> None:
    model = spatial_pendulum()
    model.replace("hinge", initial_rate=1e200)
    with pytest.warns(sp.SuppleWarning, match="stopped at t = 0 s"):
        result = sp.simulate(model, 1.0, integrator=sp.GeneralizedAlpha(step=step))
    assert not result.success
    assert "Spherical 'ball'" in result.message and "not finite" in result.message


@pytest.mark.parametrize("step", [None, 0.01])
def test_a_force_that_overflows_later_stops_with_a_message(step) -> None:
    growing = sp.Polynomial((0.0, 0.0, 1e308, 1e308, 1e308))
    with pytest.warns(sp.SuppleWarning, match="stopped at t"):
        result = sp.simulate(
            sliding_mass(growing), 100.0, integrator=sp.GeneralizedAlpha(step=step)
        )
    assert not result.success
    assert np.all(np.isfinite(result.q))


def test_a_fixed_step_that_does_not_converge_stops_with_a_message() -> None:
    model = spatial_pendulum()
    with pytest.warns(sp.SuppleWarning, match="for a step of 25 s does not converge"):
        result = sp.simulate(model, 50.0, integrator=sp.GeneralizedAlpha(step=25.0))
    assert not result.success
    assert "a smaller fixed step may help" in result.message
    controlled = sp.GeneralizedAlpha(first_step=50.0)
    result = sp.simulate(model, 5.0, integrator=controlled, tolerance="loose")
    assert result.success and result.statistics["newton_failures"] > 0


def test_step_below_the_clock_stops_with_a_message() -> None:
    model = plane_pendulum()
    model.replace("hinge", initial_rate=1e16)
    with pytest.warns(sp.SuppleWarning, match="the step fell below"):
        result = sp.simulate(model, 1.0, integrator=sp.GeneralizedAlpha())
    assert not result.success
    with pytest.warns(sp.SuppleWarning, match="the step fell below"):
        sp.simulate(plane_pendulum(), 1.0, integrator=sp.GeneralizedAlpha(step=1e-17))


def test_too_many_steps_stop_with_a_message() -> None:
    with pytest.warns(sp.SuppleWarning, match="max_steps"):
        result = sp.simulate(
            spatial_pendulum(), 10.0, integrator=sp.GeneralizedAlpha(step=0.01, max_steps=7)
        )
    assert result.statistics["steps"] == 7


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sp.GeneralizedAlpha(rho=1.1), "GeneralizedAlpha: rho is 1.1, expected a number"),
        (lambda: sp.GeneralizedAlpha(step=0.0), "step is 0.0, expected a positive number"),
        (lambda: sp.GeneralizedAlpha(step="1 ms"), "step is '1 ms', expected a"),
        (lambda: sp.HHT(alpha=0.1), "HHT: alpha is 0.1, expected a number from -1/3 to 0"),
        (lambda: sp.HHT(alpha=float("nan")), "HHT: alpha is nan, expected a number from -1/3 to 0"),
        (lambda: sp.Newmark(gamma=0.4), "Newmark: gamma is 0.4, expected a number from 1/2 to 1"),
        (lambda: sp.Newmark(beta=0.2), "Newmark: beta is 0.2, expected a number from gamma/2"),
    ],
)
def test_options_that_cannot_work(make, message) -> None:
    with pytest.raises(sp.ModelError, match=message):
        make()


@pytest.mark.parametrize("rate", [3.0, 30.0])
@pytest.mark.parametrize(
    ("method", "formulation"),
    [(sp.GeneralizedAlpha(), None), (sp.EnergyScheme(step=0.01), sp.Absolute())],
)
def test_velocities_of_thrown_bodies_between_steps(method, formulation, rate):
    """Free flight is exact at the steps; between them velocities turn in the axes of the body.

    Eight values of exp(-x) y' over a turn of at most 1 rad: 1/(8! 2^15) = 8e-10 of some 6 m/s.
    """
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("stone", 1.0, inertia=(0.1, 0.2, 0.3)))
    m.add(sp.Free("flight", m.ground.at(0), body.at(0), initial_rate=(0, 0, rate, 2.0, 1.0, 5.0)))
    r = sp.simulate(m, 1.0, integrator=method, formulation=formulation, output=777)
    exact = np.stack([0 * r.t + 2.0, 0 * r.t + 1.0, 5.0 - 9.81 * r.t], axis=1)
    assert np.abs(r["stone"].velocity - exact).max() < 1e-8
