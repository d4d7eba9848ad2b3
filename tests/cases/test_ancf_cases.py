"""Cases of bodies without a frame, the chain that one is compared with, and lost vibration."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import supple as sp
from oracles.chain_oracle import pendulum_tip
from supple import cases
from supple.cases.arms.nada import LENGTH, STEEL, STRIP
from supple.cases.beams import ancf_arm, ancf_motion

CASES = [case for case in cases.all() if case.name.startswith("ancf")]
CASES.append(cases.get("slider-crank-all"))
EARLY = {"ancf-arm": 1.0, "ancf-arm-cable": 2.0}  # s, in the quick run


def runs():
    """Every case as a whole, those that take long in the slow run; of these an early end."""
    for case in CASES:
        slow = [pytest.mark.slow] if case.long or case.name in EARLY else []
        yield pytest.param(case, None, id=case.name, marks=slow)
        if case.name in EARLY:
            yield pytest.param(case, EARLY[case.name], id=f"{case.name}, its start")


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize(("case", "until"), list(runs()))
def test_the_case_holds(case, until):
    found = case.run(until=until)
    assert found and [q for q in found if not q.passed] == []


def test_a_wrong_arm_fails():
    """1 % of stiffness is seen in the first second."""
    case = cases.get("ancf-arm-cable")

    def softer() -> sp.Model:
        model = case.build()
        model.replace("arm", material=dataclasses.replace(STEEL, E=0.99 * STEEL.E))
        return model

    found = dataclasses.replace(case, build=softer).run(until=1.0)
    assert sum(not q.passed for q in found if q.name.startswith("tip")) == 2


def chain(segments: int) -> np.ndarray:
    E, side, density = ancf_motion.RUBBER.E, 0.02, ancf_motion.RUBBER.density
    times = np.array(ancf_motion.TIMES)
    area, second = side**2, side**4 / 12.0
    return pendulum_tip(segments, times, 2.0, E * area, E * second, density * area)


@pytest.mark.slow
def test_the_chain_swings_like_the_pendulum():
    """It is of second order: two chains of few segments extrapolate to 5e-4 m at 0.75 s."""
    one, two = chain(16), chain(32)
    better, exact = two + (two - one) / 3.0, np.array(ancf_motion.TIPS)
    far, near = (np.linalg.norm(x - exact, axis=1)[:3].max() for x in (two, better))
    assert near < 5e-4 and far > 3.0 * near


@pytest.mark.slow
def test_the_tips_of_the_pendulum_are_those_of_the_chain():
    one, two, three = (chain(n) for n in (64, 128, 256))
    first, second = two + (two - one) / 3.0, three + (three - two) / 3.0
    assert np.abs(second - first).max() < 5e-5
    np.testing.assert_allclose(second + (second - first) / 15.0, ancf_motion.TIPS, atol=1e-8)


def axial_vibration(integrator: sp.Integrator, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Times and stretch, over its static value less one, of the arm that is pulled suddenly."""
    model, force = sp.Model(), 100.0
    arm = model.add(sp.ANCFBeam("arm", LENGTH, STRIP, STEEL, 4))
    model.add(sp.Fixed("clamp", model.ground.at(0), arm.at(0)))
    model.add(sp.Force("pull", arm.at(LENGTH), (force, 0, 0)))
    result = sp.simulate(model, end, integrator=integrator, output=ancf_arm.STEP)
    stretch = result["arm"].at(LENGTH).position[:, 0] - LENGTH
    return result.t, stretch / (force * LENGTH / (STEEL.E * STRIP.area)) - 1.0


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
def test_what_large_steps_do_to_axial_vibration():
    """At 0.2 ms the step changes its frequency, and the damping of HHT takes its amplitude.

    Newmark's rule keeps it and turns by 2 atan(w h / 2) a step, w that of the first mode, 2110 Hz.
    """
    h = ancf_arm.STEP
    w = 0.5 * np.pi / LENGTH * np.sqrt(STEEL.E / STEEL.density)
    t, kept = axial_vibration(sp.Newmark(step=h), 0.04)
    _, lost = axial_vibration(ancf_arm.steps(), 0.04)
    late = t > 0.03
    assert np.abs(kept[late]).max() > 0.7 and np.abs(lost[late]).max() < 1e-3
    angles = np.linspace(0.5, 3.0, 2501)
    power = np.abs(np.exp(-1j * np.outer(angles, t / h)) @ (kept * np.hanning(len(t))))
    assert angles[np.argmax(power)] == pytest.approx(2.0 * np.arctan(0.5 * w * h), abs=0.02)
