"""A trial of the motion audit: models with an answer known from elsewhere, right and wrong."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.results.motion import output_findings
from supple.results.motion.output_findings import hidden_motions, tones

DOWN = (0, 0, -9.81)


def arm(n: int, start: tuple[float, ...], length: float = 0.4) -> sp.Model:
    """Points on rods without mass that hang from each other."""
    m = sp.Model(gravity=DOWN)
    place = m.ground.at(0)
    for k in range(n):
        bob = m.add(sp.RigidBody(f"b{k}", 0.7 + 0.2 * k, com=(0, 0, -length), inertia=1e-4))
        m.add(sp.Revolute(f"j{k}", place, bob.at(0), "y", initial=start[k]))
        place = bob.at(0, 0, -length)
    return m


def sled(start: float = 0.0) -> sp.Model:
    """One kilogram on a rail."""
    m = sp.Model()
    body = m.add(sp.RigidBody("b", 1.0, inertia=1.0))
    m.add(sp.Prismatic("x", m.ground.at(0), body.at(0), "x", initial=start))
    return m


def held(effort: Any, coulomb: float = 5.0, transition: float = 5e-3) -> sp.Model:
    """The sled with dry friction that is larger than the effort."""
    m = sled()
    m.add(sp.JointFriction("dry", "x", coulomb=coulomb, transition=transition))
    m.add(sp.JointEffort("push", "x", effort=effort))
    return m


def hoisted(motion: str, start: float, length: float = 0.5) -> sp.Model:
    """A pendulum on a pivot that moves up and down."""
    m = sp.Model(gravity=DOWN)
    pivot = m.add(sp.RigidBody("pivot", 1.0, inertia=1.0))
    m.add(sp.Prismatic("z", m.ground.at(0), pivot.at(0), "z"))
    m.add(sp.Driver("shaker", "z", motion=motion))
    bob = m.add(sp.RigidBody("bob", 0.1, com=(0, 0, -length), inertia=1e-9))
    m.add(sp.Revolute("pin", pivot.at(0), bob.at(0), "y", initial=start))
    return m


def whats(result: sp.results.Result) -> set[str]:
    return {f.what for f in result.motion}


def error(model: sp.Model, run: sp.results.Result) -> Any:
    """Largest error until each output time, in parts of the motion (at most a radian, 1 m)."""
    exact = sp.simulate(
        model, run.t[-1], tolerance=1e-12, output=run.t, integrator=sp.DormandPrince()
    )
    size = min(1.0, 0.5 * float(np.max(np.ptp(exact.q, axis=0))))
    return np.minimum(np.maximum.accumulate(np.max(np.abs(run.q - exact.q), axis=1)) / size, 1.0)


def duffing() -> sp.Model:
    m = sled(0.1)
    m.add(sp.JointSpring("well", "x", stiffness=-1.0, cubic=1.0, damping=0.25))
    m.add(sp.JointEffort("drive", "x", effort=sp.Sine(0.4, 1.0 / (2.0 * np.pi))))
    return m


@pytest.mark.parametrize(
    ("model", "end", "options"),
    [
        (duffing(), 120.0, {}),
        (arm(1, (3.0,)), 200.0, {"tolerance": 1e-5, "output": 0.2}),
        (arm(1, (1.0,)), 60.0, {"tolerance": 1e-5, "integrator": sp.Adams()}),
        (arm(2, (1.4, 0.5)), 15.0, {"tolerance": 1e-3}),
    ],
    ids=["chaos", "drift", "several-steps", "no-looser-run"],
)
def test_errors_that_grow_are_told_with_their_size(
    model: sp.Model, end: float, options: dict[str, Any]
) -> None:
    run = sp.simulate(model, end, **options)
    true = error(model, run)
    finding = next(f for f in run.motion if f.what == "growth")
    assert finding.value == pytest.approx(true[-1], rel=0.5) and true[-1] > 0.04
    assert finding.time is not None
    assert 1 / 1.5 < finding.time / run.t[np.argmax(true > 0.01)] < 1.5


def test_tones_of_several_frequencies_are_separated() -> None:
    """Two tones in both of two components, of which the quicker one has most of the velocity."""
    t = np.linspace(0.0, 4.0, 201)  # 50 in 1 s
    x, v, a = (np.zeros((len(t), 2)) for _ in range(3))
    for w, size, shape in (
        (2 * np.pi * 36.6, 1.0, (0.8, 0.6)),
        (2 * np.pi * 231, 0.2, (-0.6, 0.8)),
    ):
        for y, factor, wave in ((x, 1.0, np.cos), (v, -w, np.sin), (a, -(w**2), np.cos)):
            y += factor * size * wave(w * t)[:, None] * np.array(shape)
    first, second = np.diff(t)[:-1], np.diff(t)[1:]
    found = tones(x, v, a, first, second, np.ones(len(first), dtype=bool))
    assert found.amplitude == pytest.approx(np.sqrt(0.5 * (1.0 + 0.04)), rel=0.1)
    assert found.w / (2 * np.pi) == pytest.approx(36.6, rel=0.05)


def gimbal(stiffness: float) -> sp.Model:
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=(0.02, 0.03, 0.04)))
    m.add(sp.Spherical("ball", m.ground.at(0), body.at(0), initial_rate=(20.0, 5.0, 10.0)))
    for k, (p, side) in enumerate(
        (((1, 0, 0), (1, 1, 0)), ((0, 1, 0), (0, 1, 1)), ((0, 0, 1), (1, 0, 1)))
    ):
        m.add(sp.SpringDamper(f"s{k}", m.ground.at(*side), body.at(*p), stiffness, length=1.0))
    return m


def test_a_vibration_in_a_ball_joint_is_told_and_a_spin_is_not() -> None:
    """Frequencies are the roots of stiffness over inertia: 46, 38 and 33 Hz; outputs show 25."""
    seen = sp.simulate(gimbal(1700.0), 2.0, output=0.02, tolerance="loose")
    assert whats(seen) == {"output"} and "'ball' vibrates" in seen.motion.verdict
    assert hidden_motions(seen)[0].frequency == pytest.approx(40.0, rel=0.3)
    m = sp.Model(gravity=DOWN)
    top = m.add(sp.RigidBody("top", 0.5, com=(0, 0, 0.1), inertia=(1e-3, 1e-3, 2e-3)))
    m.add(sp.Spherical("foot", m.ground.at(0), top.at(0), initial_rate=(0.0, 0.0, 150.0)))
    spin = sp.simulate(m, 10.0)  # three radians from one output time to the next
    assert not whats(spin) and spin.verdict.startswith("trusted")


@pytest.mark.parametrize("effort", ["3 + 1.5*sin(2*t)", "2 + 2.8*sin(1.3*t)"])
def test_friction_creeps_under_loads_that_alternate(effort: str) -> None:
    """The way is the integral of transition artanh(effort / coulomb), and ought to be zero."""
    run = sp.simulate(held(effort), 100.0, output=0.05)
    t = np.linspace(0.0, 100.0, 100_001)
    load = 3 + 1.5 * np.sin(2 * t) if effort.startswith("3") else 2 + 2.8 * np.sin(1.3 * t)
    way = np.trapezoid(5e-3 * np.arctanh(load / 5.0), t)
    assert run.q[-1, 0] == pytest.approx(way, rel=0.01)
    assert whats(run) == {"creep"} and run.motion.level == "not trusted"
    assert run.motion.findings[0].value * run.data.compiled.length == pytest.approx(way, rel=0.1)
    fine = sp.simulate(held(effort, transition=1e-6), 100.0, output=0.05)
    assert not whats(fine) and abs(fine.q[-1, 0]) < 1e-3


def test_friction_creeps_under_a_spring_that_it_ought_to_hold() -> None:
    m = sled(0.1)
    m.add(sp.JointFriction("dry", "x", coulomb=1.5, transition=1e-3))
    m.add(sp.JointSpring("spring", "x", stiffness=10.0))
    run = sp.simulate(m, 200.0)
    assert whats(run) == {"creep"} and run.q[-1, 0] < 0.03
    assert run.motion.findings[0].value * run.data.compiled.length == pytest.approx(0.075, rel=0.1)


def test_slow_slides_that_constraints_give_are_no_creep() -> None:
    m = sp.Model()
    crank = m.add(sp.RigidBody("crank", 1.0, inertia=0.1))
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.5, 0, 0), inertia=0.1))
    slider = m.add(sp.RigidBody("slider", 1.0, inertia=0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), crank.at(0), initial=0.5))
    m.add(sp.Revolute("wrist", crank.at(0.3), rod.at(0), initial=-0.644))
    m.add(sp.Revolute("end", rod.at(1.0), slider.at(0)))
    m.add(sp.Prismatic("slide", m.ground.at(1.25), slider.at(0), "x"))
    m.add(sp.Driver("motor", "pin", motion="0.5 + 0.002*t"))
    m.add(sp.JointFriction("dry", "slide", coulomb=3.0, transition=1e-3))
    m.add(sp.JointFriction("rub", "wrist", coulomb=3.0, transition=5e-3))
    assert not whats(sp.simulate(m, 100.0))


def test_a_shaken_pivot_lifts_a_hanging_pendulum_off_and_holds_an_upright_one() -> None:
    """Mathieu: at twice its frequency w, rest grows with the rate a w / l.

    Kapitza: upright is held if a W > sqrt(2 g l); a is the amplitude, W the frequency of the pivot.
    """
    w = np.sqrt(9.81 / 0.5)
    shaken = sp.simulate(hoisted(f"0.05*sin({2 * w}*t)", 0.0), 12.0)
    assert whats(shaken) == {"unstable"}
    assert shaken.motion.findings[0].value == pytest.approx(0.05 / 0.5 * w, rel=0.1)
    assert not whats(sp.simulate(hoisted("0.05*sin(6*t)", 0.0), 12.0))
    upright = sp.simulate(hoisted("0.05*cos(120*t)", np.pi), 3.0, output=0.005)
    assert not whats(upright)
    slow = sp.simulate(hoisted("0.05*cos(40*t)", np.pi), 3.0, output=0.005)
    assert whats(slow) == {"unstable"}


def test_a_spin_about_the_middle_axis_in_flight() -> None:
    """The rate is that of Euler's equations, whatever velocity the body has besides."""
    m = sp.Model()
    book = m.add(sp.RigidBody("book", 0.3, inertia=(1.2e-3, 1.3e-3, 0.2e-3)))
    m.add(sp.Free("flight", m.ground.at(0), book.at(0), initial_rate=(1.0, 0, 0, 0, 1.0, 0)))
    run = sp.simulate(m, 60.0)
    assert whats(run) == {"unstable"}
    rate = np.sqrt(0.1 * 1.0 / (1.3 * 0.2))
    assert run.motion.findings[0].value == pytest.approx(rate, rel=0.1)


def test_a_run_that_leaves_an_unstable_equilibrium_by_rounding() -> None:
    run = sp.simulate(arm(3, (np.pi, 0.0, 0.0), 0.3), 12.0)
    assert whats(run) == {"unstable"} and "leaves it by rounding" in run.verdict


def orbit() -> sp.Model:
    m = sp.Model()
    craft = m.add(sp.RigidBody("craft", 1.0, inertia=1.0))
    axes = [("translate", a) for a in "xyz"]
    given = {"initial": (1, 0, 0), "initial_rate": (0, 0.8, 0)}
    m.add(sp.General("path", m.ground.at(0), craft.at(0), axes=axes, **given))
    m.add(sp.SpringDamper("pull", m.ground.at(0), craft.at(0), spring="1/(x*x+1e-6)"))
    return m


def damped() -> sp.Model:
    m = arm(2, (1.9, 1.2))
    for k in range(2):
        m.add(sp.JointSpring(f"oil{k}", f"j{k}", damping=0.3))
    return m


def pulled() -> sp.Model:
    """A sled with friction behind a spring whose other end moves with 0.1 m/s."""
    m = sled()
    cart = m.add(sp.RigidBody("cart", 1.0, inertia=1.0))
    m.add(sp.Prismatic("y", m.ground.at(0, 1), cart.at(0), "x"))
    m.add(sp.Driver("feed", "y", motion="0.1*t"))
    m.add(sp.CoordinateSpring("rope", "x", "y", stiffness=50.0, damping=20.0))
    m.add(sp.JointFriction("dry", "x", coulomb=2.0, transition=1e-3))
    return m


@pytest.mark.parametrize(
    ("make", "end", "options"),
    [
        (orbit, 100.0, {"tolerance": 1e-10, "integrator": sp.DormandPrince()}),
        (damped, 60.0, {}),
        (lambda: arm(1, (3.0,)), 60.0, {}),
        (lambda: arm(2, (1.9, 1.2)), 1.5, {}),
        (pulled, 20.0, {}),
    ],
    ids=["orbit", "damped", "pendulum", "short-chaos", "slides"],
)
def test_right_answers_are_trusted(
    make: Callable[[], sp.Model], end: float, options: dict[str, Any]
) -> None:
    model = make()
    run = sp.simulate(model, end, **options)
    assert run.data.compiled.nr or error(model, run)[-1] < 1e-3
    assert not whats(run) and run.verdict.startswith("trusted"), run.motion.verdict


def test_functions_are_called_again_and_sampled_controllers_are_not() -> None:
    """Chaos is told with functions of the user; a long run with a sampled law is not judged."""
    m = arm(2, (2.0, 1.0))
    m.add(sp.EffortFunction("drag", "j0", lambda t, q, u: -1e-4 * u))
    assert whats(sp.simulate(m, 8.0, tolerance="loose")) == {"growth"}
    m = arm(2, (2.0, 1.0))
    m.add(sp.SampledController("drag", "j0", sp.ControlLaw(D=[[0.0, 1e-4]]), 0.05))
    short, long = sp.simulate(m, 1.0), sp.simulate(m, 25.0)
    assert short.motion.level == "trusted" and short.verdict.startswith("trusted")
    assert long.motion.level == "not judged" and "sampled controllers" in long.motion.verdict
    assert long.verdict.startswith("balanced") and "periods is not judged" in long.verdict
    assert "periods is not judged" in str(long)


def test_long_runs_of_a_batch_are_judged_or_told() -> None:
    given: dict[str, Any] = {"outputs": "j1.angle @ end", "tolerance": 1e-5}
    starts = {"j0.initial": [0.05, 2.0]}
    small, chaos = sp.batch(arm(2, (2.0, 0.1)), starts, 15.0, **given).records
    assert small.verdict.startswith("trusted")
    assert chaos.verdict.startswith("not trusted: errors grow")
    blind = sp.batch(arm(2, (2.0, 0.1)), starts, 15.0, monitor=False, **given).records
    assert all("periods is not judged" in r.verdict for r in blind)


def test_usual_sizes_are_medians_and_quantiles():
    rng = np.random.default_rng(0)
    for k in range(300):
        blocks = rng.lognormal(size=(int(rng.integers(3, 70)), output_findings.BLOCK))
        blocks = np.round(blocks, 1) if k % 3 == 0 else blocks  # some are equal
        if k % 7 == 0:
            blocks[0, rng.integers(output_findings.BLOCK)] = np.nan
        medians = np.median(blocks, axis=1)
        assert np.array_equal(output_findings._medians(blocks), medians, equal_nan=True)
        usual = np.quantile(medians, 1.0 - output_findings.SHARE)
        assert output_findings._shared(medians) == pytest.approx(usual, rel=1e-15, nan_ok=True)
