"""The motion audit: runs whose numbers balance and are wrong, and their right neighbours."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import supple as sp
from supple.analyses.run.outcome import Probe
from supple.results.motion.error_growth import error_growth
from supple.results.motion.output_findings import hidden_motions

ALLOY = sp.Material(E=70e9, G=26e9, density=2700)
DOWN = (0, 0, -9.81)


def links(n: int, start: float, damping: float = 0.0, bent: float = 0.5) -> sp.Model:
    """A chain of rods of one metre that hang from each other."""
    m = sp.Model(gravity=DOWN)
    place = m.ground.at(0)
    for k in range(n):
        rod = m.add(sp.RigidBody(f"rod{k}", 1.0, com=(0, 0, -0.5), inertia=1.0 / 12.0))
        m.add(sp.Revolute(f"pin{k}", place, rod.at(0), "y", initial=bent if k else start))
        m.add(sp.JointSpring(f"oil{k}", f"pin{k}", damping=damping))
        place = rod.at(0, 0, -1.0)
    return m


def mass(frequency: float, start: float = 0.01, slow: float = 0.0) -> sp.Model:
    """A mass on a spring; with ``slow`` on a carriage that oscillates with 1 Hz by as much."""
    m = sp.Model()
    first = m.ground.at(0)
    if slow:
        cart = m.add(sp.RigidBody("cart", 100.0, inertia=1.0))
        m.add(sp.Prismatic("rail", m.ground.at(0), cart.at(0), "x", initial=slow))
        m.add(sp.JointSpring("soft", "rail", stiffness=100.0 * (2.0 * np.pi) ** 2))
        first = cart.at(0)
    body = m.add(sp.RigidBody("body", 1e-3, inertia=1e-6))
    m.add(sp.Prismatic("slide", first, body.at(0), "x", initial=start))
    m.add(sp.JointSpring("spring", "slide", stiffness=1e-3 * (2.0 * np.pi * frequency) ** 2))
    return m


def block(effort: Any, transition: float = 1e-3) -> sp.Model:
    """One kilogram on a rail with a dry friction of 1 N."""
    m = sp.Model()
    body = m.add(sp.RigidBody("body", 1.0, inertia=1.0))
    m.add(sp.Prismatic("rail", m.ground.at(0), body.at(0), "x"))
    m.add(sp.JointFriction("dry", "rail", coulomb=1.0, transition=transition))
    m.add(sp.JointEffort("push", "rail", effort=effort))
    return m


def book(rates: tuple[float, float, float]) -> sp.Model:
    """A body in flight, with principal moments of inertia of 1, 2 and 3 kg m2."""
    m = sp.Model()
    body = m.add(sp.RigidBody("book", 1.0, inertia=(1.0, 2.0, 3.0)))
    m.add(sp.Free("flight", m.ground.at(0), body.at(0), initial_rate=(*rates, 0, 0, 0)))
    return m


def column(part: float, ramp: float = 0.0, side: float = 0.0) -> sp.Model:
    """A straight column under a part of Euler's load, at once or growing over a time."""
    m = sp.Model()
    load = part * np.pi**2 / 4.0 * 70e9 * 0.02 * 0.01**3 / 12.0
    shapes = sp.reduction.AttachmentModes(4)
    given = {"modes": shapes, "stiffening": "second_order", "damping": sp.ModalDamping(0.02)}
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.01, 0.02), ALLOY, elements=8, **given))
    m.add(sp.Fixed("foot", m.ground.at(0), rod.at(0)))
    force = sp.SmoothStep(0.0, ramp, before=0.0, after=-load) if ramp else -load
    m.add(sp.Force("weight", rod.at(1.0), (force, side, 0)))
    return m


def whats(result: sp.results.Result) -> set[str]:
    return {f.what for f in result.motion}


def test_a_tone_between_the_output_times_is_told() -> None:
    """1003 Hz seen 100 times a second look like 3 Hz; whole periods look like rest."""
    for frequency in (1003.0, 1000.0, 80.0):
        seen = sp.simulate(mass(frequency), 0.5, output=0.01)
        assert whats(seen) == {"output"} and seen.verdict.startswith("doubtful"), frequency
        assert "'slide' vibrates with" in seen.verdict and "at most 50 Hz" in seen.verdict
    told = max(hidden_motions(sp.simulate(mass(1003.0), 0.5, output=0.01)), key=lambda x: x.share)
    assert told.frequency == pytest.approx(1003.0, rel=0.1) and told.share > 0.7
    with pytest.warns(sp.SuppleWarning, match="between the output times"):
        sp.simulate(mass(1003.0), 0.5, output=0.01).spectrum("slide.displacement")


def test_places_on_a_rotor_that_outputs_do_not_show() -> None:
    """The angle of a rotor of 103 Hz is told by 100 outputs in 1 s, a point on it is not."""
    m = sp.Model()
    rotor = m.add(sp.RigidBody("rotor", 1.0, com=(0.1, 0, 0), inertia=0.1))
    m.add(sp.Revolute("axle", m.ground.at(0), rotor.at(0), initial_rate=2.0 * np.pi * 103.0))
    m.add(sp.PointMass("tip", rotor.at(0.2), 0.01))
    seen = sp.simulate(m, 1.0, output=0.01)
    assert not whats(seen)
    with pytest.warns(sp.SuppleWarning, match="'tip.position' moves faster"):
        seen.spectrum("tip.position")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert sp.simulate(m, 0.1, output=1e-3).spectrum("tip.position").peak == pytest.approx(
            103.0, rel=0.05
        )


def test_what_outputs_show_is_not_told() -> None:
    """Up to four fifths of half the rate; finer output; vibration that is small; end values."""
    for frequency in (1.0, 10.0, 25.0, 40.0):
        assert not whats(sp.simulate(mass(frequency), 0.5, output=0.01)), frequency
    assert not whats(sp.simulate(mass(1003.0), 0.05, output=1e-4))
    small = sp.simulate(mass(200.0, start=1e-3, slow=0.1), 1.0, output=0.01)
    assert {x.name for x in hidden_motions(small)} >= {"slide"}
    assert not whats(sp.simulate(mass(200.0), 0.5, output=4))


def test_a_vibration_that_is_small_beside_the_motion_of_its_joint_is_not_told() -> None:
    m = mass(200.0)
    m.add(sp.JointEffort("push", "slide", effort=sp.Sine(1e-3 * 0.1 * (400 * np.pi) ** 2, 1.0)))
    assert not whats(sp.simulate(m, 1.0, output=0.01))


def test_impacts_are_no_vibration() -> None:
    m = sp.Model(gravity=DOWN)
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    m.add(sp.Prismatic("fall", m.ground.at(0), ball.at(0), "z", initial=1.0))
    m.add(sp.JointStop("floor", "fall", lower=0.0, stiffness=1e5, damping=50.0))
    assert "output" not in whats(sp.simulate(m, 5.0))


def test_chaos_is_not_trusted_and_its_error_is_the_true_one() -> None:
    """Three links: after six seconds of default tolerance some tenths of a radian are wrong."""
    m = links(3, 2.0)
    run = sp.simulate(m, 6.0)
    exact = sp.simulate(m, 6.0, tolerance=1e-12, output=run.t)
    found = error_growth(run)
    assert found is not None and found.rate > 0.0
    true = np.max(np.abs(run.q - exact.q), axis=1)
    assert 0.5 < found.error[-1] / true.max() < 2.0 and true.max() > 0.02
    assert whats(run) == {"growth"} and "tenfold in" in run.motion.verdict
    long = sp.simulate(m, 20.0)
    assert long.verdict.startswith("not trusted: errors grow tenfold")
    coarse = sp.simulate(m, 20.0, output=[20.0])
    assert coarse.motion.level == "not trusted"
    for method in (sp.DormandPrince(), sp.BDF()):
        assert sp.simulate(m, 10.0, integrator=method).motion.level == "not trusted"


def test_regular_motion_is_trusted() -> None:
    """Small swings of the same chain, a pendulum near its top, a damped chain, a quick book."""
    models = [
        (links(3, 0.05, bent=0.05), 30.0),
        (links(1, 3.1), 30.0),
        (links(2, 2.0, damping=1.0), 30.0),
        (book((0.1, 0.2, 6.0)), 30.0),
    ]
    for m, end in models:
        result = sp.simulate(m, end)
        assert not whats(result), result.motion.verdict
        assert result.verdict.startswith("trusted")


def test_a_drift_that_a_loose_tolerance_makes_is_told() -> None:
    m = links(1, 1.0)
    run = sp.simulate(m, 500.0, tolerance="loose", output=0.1)
    exact = sp.simulate(m, 500.0, tolerance=1e-8, output=run.t)
    true = float(np.max(np.abs(run.q - exact.q)))
    assert whats(run) == {"growth"} and run.motion.level != "trusted"
    assert 0.5 < run.motion.findings[0].value / true < 2.0
    assert not whats(sp.simulate(m, 100.0))


def test_coarse_runs_are_made_again_exactly_only_if_they_are_wrong(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Beside a third of the tolerance an error of 1 % is seen."""
    asked: list[float] = []
    again = Probe.again

    def counted(self: Probe, rtol: float, t: Any, most: int) -> Any:
        asked.append(self.rtol / rtol)
        return again(self, rtol, t, most)

    monkeypatch.setattr(Probe, "again", counted)
    for end, wanted in ((12.0, [3.0]), (200.0, [3.0, 30.0])):
        m = links(1, 1.0)
        run = sp.simulate(m, end, tolerance=2e-3, output=0.1)
        exact = sp.simulate(m, end, tolerance=1e-8, output=run.t)
        asked.clear()
        true = float(np.max(np.abs(run.q - exact.q)))
        assert ("growth" in whats(run)) == (true > 0.01) == (len(wanted) > 1), true
        assert asked == pytest.approx(wanted)


def test_friction_that_creeps_is_told_with_its_way() -> None:
    """0.9 N against 1 N of dry friction: v = transition artanh(0.9)."""
    held = sp.simulate(block(0.9), 100.0)
    way = 100.0 * 1e-3 * np.arctanh(0.9)
    assert held.q[-1, 0] == pytest.approx(way, rel=1e-2)
    assert whats(held) == {"creep"} and f"drifts by {way:.2g} m" in held.verdict
    assert held.verdict.startswith("not trusted")
    assert not whats(sp.simulate(block(0.9, transition=1e-6), 100.0))
    assert not whats(sp.simulate(block(0.1), 5.0))  # half a millimetre


def test_motion_that_slides_does_not_creep() -> None:
    assert not whats(sp.simulate(block(1.1), 10.0))
    assert not whats(sp.simulate(block(sp.Sine(3.0, frequency=1.0)), 5.0))
    driven = block(0.0)
    driven.add(sp.Driver("feed", "rail", motion="0.0005*t"))
    assert not whats(sp.simulate(driven, 100.0))


@pytest.mark.parametrize("ramp", [0.0, 0.2])
def test_a_straight_column_beyond_its_load_is_not_trusted(ramp: float) -> None:
    """The rate of the exact beam under a load along its axis, clamped at its foot: 56.849 1/s.

    Damping of 2 per cent of 51.7 rad/s takes 1 1/s of that.
    """
    straight = sp.simulate(column(2.0, ramp), 0.5)
    assert "unstable" in whats(straight) and straight.verdict.startswith("not trusted")
    value = next(f.value for f in straight.motion if f.what == "unstable")
    assert value == pytest.approx(56.849 - 1.03, rel=0.01)
    assert "unstable" not in whats(sp.simulate(column(0.9, ramp), 0.5))
    assert "unstable" not in whats(sp.simulate(column(0.9, ramp, side=0.1), 0.5))


def test_unstable_equilibria_and_spins_are_not_trusted() -> None:
    upright = sp.simulate(links(1, np.pi), 4.0)
    assert whats(upright) == {"unstable"} and "unstable equilibrium" in upright.verdict
    rate = np.sqrt(1.5 * 9.81)
    assert upright.motion.findings[0].value == pytest.approx(rate, rel=1e-3)
    middle = sp.simulate(book((0.0, 3.0, 0.0)), 20.0)
    assert whats(middle) == {"unstable"} and "unstable motion" in middle.verdict
    # sqrt((I2 - I1)(I3 - I2) / (I1 I3)) of the rate
    assert middle.motion.findings[0].value == pytest.approx(3.0 / np.sqrt(3.0), rel=1e-3)
    for rates in ((3.0, 0.0, 0.0), (0.0, 0.0, 3.0), (0.0, 0.0, 0.0)):
        assert not whats(sp.simulate(book(rates), 20.0))
    assert not whats(sp.simulate(links(2, 0.0), 4.0))
    assert not whats(sp.simulate(links(1, np.pi - 0.01), 4.0))  # it falls
    assert not whats(sp.simulate(links(1, np.pi), 0.5))  # hardly longer than it takes to see


def test_equilibria_of_statics_that_are_unstable_are_doubtful() -> None:
    upright = sp.statics(links(1, np.pi))
    hanging = sp.statics(links(1, 0.3))
    assert hanging.stable and not whats(hanging) and hanging.verdict.startswith("trusted")
    assert not upright.stable and whats(upright) == {"unstable"}
    assert upright.verdict.startswith("doubtful: the equilibrium is unstable along Revolute 'pin0'")


def test_constraints_count_for_stability() -> None:
    """Two rods geared to each other: one up and one down balance, two standing ones do not."""
    for second, found in ((0.0, set()), (np.pi, {"unstable"})):
        m = sp.Model(gravity=DOWN)
        for k, start in enumerate((np.pi, second)):
            weight = 1.0 + k * (second == 0.0)
            rod = m.add(sp.RigidBody(f"rod{k}", weight, com=(0, 0, -0.5), inertia=0.1))
            m.add(sp.Revolute(f"pin{k}", m.ground.at(0, k), rod.at(0), "y", initial=start))
        m.add(sp.Coupling("gear", [("pin0", 1.0), ("pin1", -1.0)], np.pi - second))
        result = sp.simulate(m, 3.0)
        assert result.data.compiled.nr == 1 and whats(result) == found


def test_what_a_controller_balances_is_stable() -> None:
    """An upright rod held by proportional and derivative action, and by too little of it."""
    for gain, found in ((100.0, set()), (1.0, {"unstable"})):
        m = links(1, np.pi)
        m.add(sp.PID("hold", "pin0", kp=gain, ki=0.1 * gain, kd=0.05 * gain, target=np.pi))
        assert whats(sp.simulate(m, 5.0)) == found


def test_errors_of_long_runs_are_extrapolated(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too long to be made again exactly is judged by looser runs."""
    monkeypatch.setattr("supple.results.motion.error_growth.QUICK", 0.0)
    assert sp.simulate(links(3, 2.0), 10.0).motion.level == "not trusted"
    assert not whats(sp.simulate(links(1, 3.1), 30.0))
    assert not whats(sp.simulate(links(3, 2.0), 3.0))
