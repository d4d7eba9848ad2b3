"""Runs of rigid bodies and small mechanisms: steps, outputs, chaos, friction, units."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ellipk

import supple as sp
from truth.bodies import ALLOY, STRIP
from truth.table import Answer, right, wrong


def pendulum(angle: float = 1.0, **fields: Any) -> sp.Model:
    """A point of 1 kg on a rod of 1 m; the coordinate is zero where it hangs."""
    m = sp.Model(gravity=(0, 0, -9.81))
    bob = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -1.0), inertia=1e-9))
    m.add(sp.Revolute("pin", m.ground.at(0), bob.at(0), axis="y", initial=angle, **fields))
    return m


def period(angle: float) -> float:
    """Period of the pendulum, s, by the complete elliptic integral."""
    return float(4 * np.sqrt(1 / 9.81) * ellipk(np.sin(angle / 2) ** 2))


def swings(result: Any) -> float:
    """Mean period from the instants at which the pendulum falls through zero, s."""
    angle, t = result["pin"].angle, result.t
    down = np.flatnonzero((angle[:-1] > 0) & (angle[1:] <= 0))
    at = t[down] + (t[down + 1] - t[down]) * angle[down] / (angle[down] - angle[down + 1])
    return float(np.mean(np.diff(at)))


@right()
def period_of_a_pendulum() -> Answer:
    r = sp.simulate(pendulum(), 10.0, output=2000)
    return Answer(swings(r), period(1.0), r)


@right()
def explicit_method_on_a_pendulum() -> Answer:
    r = sp.simulate(pendulum(2.0), 10.0, output=2000, integrator=sp.DormandPrince())
    return Answer(swings(r), period(2.0), r)


@wrong()
def pendulum_by_large_equal_steps() -> Answer:
    r = sp.simulate(
        pendulum(2.5), 30.0, integrator=sp.EnergyScheme(step=0.3), formulation=sp.Absolute()
    )
    true = sp.simulate(pendulum(2.5), 30.0, output=r.t)
    return Answer(float(r["pin"].angle[-1]), float(true["pin"].angle[-1]), r)


@wrong()
def newmark_that_damps() -> Answer:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x", initial=1.0))
    m.add(sp.JointSpring("spring", "slide", stiffness=(2 * np.pi) ** 2))
    r = sp.simulate(m, 20.0, integrator=sp.HHT(step=0.1, alpha=-0.3))
    return Answer(float(np.abs(r["slide"].displacement[-20:]).max()), 1.0, r)


@wrong()
def tone_seen_by_few_outputs() -> Answer:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x", initial=1e-3))
    m.add(sp.JointSpring("spring", "slide", stiffness=(2 * np.pi * 1003) ** 2))
    r = sp.simulate(m, 1.0, output=np.linspace(0, 1, 101))
    x = r["slide"].displacement
    spectrum = np.abs(np.fft.rfft(x[:-1]))
    return Answer(float(np.argmax(spectrum)), 1003.0, r)


@right()
def tone_seen_by_many_outputs() -> Answer:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x", initial=1e-3))
    m.add(sp.JointSpring("spring", "slide", stiffness=(2 * np.pi * 11) ** 2))
    r = sp.simulate(m, 1.0, output=np.linspace(0, 1, 401))
    spectrum = np.abs(np.fft.rfft(r["slide"].displacement[:-1]))
    return Answer(float(np.argmax(spectrum)), 11.0, r)


def double_pendulum(first: float = 2.5, second: float = 0.5) -> sp.Model:
    """Two equal bars that start high, and go on in chaos."""
    m = sp.Model(gravity=(0, 0, -9.81))
    before = m.ground.at(0)
    for k, angle in ((1, first), (2, second)):
        bar = m.add(sp.RigidBody(f"bar{k}", 1.0, com=(0, 0, -0.5), inertia=1 / 12))
        m.add(sp.Revolute(f"pin{k}", before, bar.at(0), axis="y", initial=angle))
        before = bar.at(0, 0, -1.0)
    return m


@wrong(slow=True)
def chaos_for_a_minute() -> Answer:
    r = sp.simulate(double_pendulum(), 60.0)
    true = sp.simulate(double_pendulum(), 60.0, tolerance=1e-12, integrator=sp.DormandPrince())
    return Answer(float(r["pin2"].angle[-1]), float(true["pin2"].angle[-1]), r)


@wrong()
def chaos_for_half_a_minute() -> Answer:
    r = sp.simulate(double_pendulum(), 30.0, tolerance="loose")
    true = sp.simulate(double_pendulum(), 30.0, tolerance=1e-12, integrator=sp.DormandPrince())
    return Answer(float(r["pin2"].angle[-1]), float(true["pin2"].angle[-1]), r)


@right()
def small_swings_of_two_bars() -> Answer:
    r = sp.simulate(double_pendulum(0.1, 0.1), 20.0)
    true = sp.simulate(
        double_pendulum(0.1, 0.1), 20.0, tolerance=1e-12, integrator=sp.DormandPrince()
    )
    return Answer(float(r["pin2"].angle[-1]), float(true["pin2"].angle[-1]), r)


def slope(load: float) -> sp.Model:
    """A block of 1 kg that dry friction of 5 N holds against a load along its way."""
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x", initial=1.0))
    m.add(sp.JointFriction("rub", "slide", coulomb=5.0, transition=2e-3))
    m.add(sp.JointEffort("push", "slide", effort=load))
    return m


@wrong()
def block_that_creeps() -> Answer:
    r = sp.simulate(slope(4.0), 100.0)
    return Answer(float(r["slide"].displacement[-1]), 1.0, r)


@right()
def block_that_slides() -> Answer:
    r = sp.simulate(slope(8.0), 2.0)
    return Answer(float(r["slide"].displacement[-1]), 1.0 + 3.0 * 2.0**2 / 2, r)


@right()
def block_that_stays() -> Answer:
    r = sp.simulate(slope(1.0), 0.1)
    return Answer(float(r["slide"].displacement[-1]), 1.0, r)


@wrong()
def column_that_stays_straight() -> Answer:
    m = sp.Model()
    thin = sp.Rectangle(1e-3, 0.02)
    EI = ALLOY.E * 0.02 * 1e-9 / 12
    rod = m.add(sp.Beam("rod", 1.0, thin, ALLOY, parts=4))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    load = sp.SmoothStep(0, 0.5, after=-2 * np.pi**2 / 4 * EI)
    m.add(sp.Force("press", rod.at(1.0), (load, 0, 0)))
    r = sp.simulate(m, 3.0)
    return Answer(float(r["rod"].at(1.0).position[-1][0]), 0.070862, r)  # elastica, P/P_E = 2


@wrong()
def pendulum_exactly_upright() -> Answer:
    r = sp.simulate(pendulum(np.pi), 10.0)
    return Answer(float(r["pin"].angle[-1]), 1.0, r)  # no real one stays there


@right()
def pendulum_that_falls_from_nearly_upright() -> Answer:
    r = sp.simulate(pendulum(np.pi - 0.05), period(np.pi - 0.05) / 2)
    return Answer(float(r["pin"].angle[-1]), -np.pi + 0.05, r)


@right()
def circular_orbit() -> Answer:
    strength = 6.6743e9
    m = sp.Model()
    craft = m.add(sp.RigidBody("craft", 1e3, inertia=1.0))
    axes = [("translate", a) for a in "xyz"]
    rate = np.sqrt(strength / 1e6)
    m.add(
        sp.General(
            "free",
            m.ground.at(0),
            craft.at(0),
            axes=axes,
            initial=(1e6, 0, 0),
            initial_rate=(0, rate, 0),
        )
    )

    def pull(t: float, f: Any) -> Any:
        return -1e3 * strength * f.position / np.linalg.norm(f.position) ** 3

    m.add(sp.ForceFunction("pull", craft.at(0), pull))
    turn = 2 * np.pi * 1e6 / rate
    r = sp.simulate(m, 0.1 * turn, integrator=sp.DormandPrince(), tolerance=1e-9)
    return Answer(float(r["craft"].position[-1][1]), 1e6 * np.sin(0.2 * np.pi), r)


@right()
def spinning_top() -> Answer:
    # Steady precession of a symmetric top on a fixed point, slow root of
    # A p^2 cos(a) - C w p + m g l = 0
    A, C, spin, tilt, moment = 0.3, 0.02, 200.0, 0.4, 9.81 * 0.5
    c = np.cos(tilt)
    p = (C * spin - np.sqrt((C * spin) ** 2 - 4 * A * c * moment)) / (2 * A * c)
    m = sp.Model(gravity=(0, 0, -9.81))
    top = m.add(sp.RigidBody("top", 1.0, com=(0, 0, 0.5), inertia=(A - 0.25, A - 0.25, C)))
    axes = [("rotate", "z"), ("rotate", "x"), ("rotate", "z")]
    rates = (p, 0, spin - p * c)
    m.add(
        sp.General(
            "foot", m.ground.at(0), top.at(0), axes=axes, initial=(0, tilt, 0), initial_rate=rates
        )
    )
    r = sp.simulate(m, 10.0)
    return Answer(float(r["foot"].coordinates[-1][0]), p * 10.0, r)


@right()
def four_bar_parallelogram() -> Answer:
    # A parallelogram moves its coupler as a pendulum of the same length does
    m = sp.Model(gravity=(0, -9.81, 0))
    a = m.add(sp.RigidBody("a", 1e-6, inertia=1e-9))
    b = m.add(sp.RigidBody("b", 1e-6, inertia=1e-9))
    c = m.add(sp.RigidBody("c", 1.0, com=(0.5, 0, 0), inertia=0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), a.at(0), initial=-np.pi / 2 + 1.0))
    m.add(sp.Revolute("other", m.ground.at(1), b.at(0), initial=-np.pi / 2 + 1.0))
    m.add(sp.Revolute("left", a.at(1), c.at(0), initial=np.pi / 2 - 1.0))
    m.add(sp.Revolute("right", b.at(1), c.at(1), initial=np.pi / 2 - 1.0))
    r = sp.simulate(m, period(1.0) / 2)
    return Answer(float(r["pin"].angle[-1]), -np.pi / 2 - 1.0, r)


@wrong()
def modulus_in_gigapascals() -> Answer:
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.Beam("rod", 1.0, STRIP, sp.Material(E=70, G=26, density=2700)))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    r = sp.statics(m)
    exact = 2700 * 2e-4 * 9.81 / (8 * 70e9 * 0.02 * 0.01**3 / 12)
    return Answer(-float(r["rod"].at(1.0).deflection[0][1]), exact, r)


@wrong()
def section_in_millimetres() -> Answer:
    m = sp.Model(gravity=(0, -9.81, 0))
    rod = m.add(sp.Beam("rod", 1.0, sp.Rectangle(10, 20), ALLOY))
    m.add(sp.Fixed("root", m.ground.at(0), rod.at(0)))
    r = sp.statics(m)
    exact = 2700 * 2e-4 * 9.81 / (8 * 70e9 * 0.02 * 0.01**3 / 12)
    return Answer(-float(r["rod"].at(1.0).deflection[0][1]), exact, r)


@wrong()
def angle_in_degrees() -> Answer:
    r = sp.simulate(pendulum(30.0), 5.0, output=1000)
    return Answer(swings(r), period(np.radians(30.0)), r)


@wrong()
def inertia_that_no_body_has() -> Answer:
    m = sp.Model(gravity=(0, 0, -9.81))
    bob = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -1.0), inertia=(1e-3, 1.0, 1e-3)))
    m.add(sp.Revolute("pin", m.ground.at(0), bob.at(0), axis="y", initial=1.0))
    r = sp.simulate(m, 10.0, output=2000)
    return Answer(swings(r), period(1.0), r)


@right()
def short_leap_within_a_step() -> Answer:
    # A ball that leaps within one step: it must not fall through the floor
    m = sp.Model(gravity=(0, 0, -9.81))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-2))
    m.add(sp.Prismatic("fall", m.ground.at(0), ball.at(0), axis="z", initial_rate=2e-3))
    touch = sp.Event("touch", "fall", direction=-1, terminal=True)
    r = sp.simulate(m, 5.0, events=touch, output=2)
    return Answer(float(r.t[-1]), 2 * 2e-3 / 9.81, r)


@right()
def ball_on_a_spring_stop() -> Answer:
    m = sp.Model(gravity=(0, 0, -9.81))
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-2))
    m.add(sp.Prismatic("fall", m.ground.at(0), ball.at(0), axis="z", initial=1.0))
    m.add(sp.JointStop("floor", "fall", lower=0.0, stiffness=1e6))
    r = sp.simulate(m, 5.0, output=5000)
    return Answer(float(r["fall"].displacement.max()), 1.0, r)


@right()
def short_pulse_of_a_table() -> Answer:
    m = sp.Model()
    block = m.add(sp.RigidBody("block", 1.0, inertia=1.0))
    m.add(sp.Prismatic("slide", m.ground.at(0), block.at(0), axis="x"))
    pulse = sp.Table([0, 0.5, 0.50005, 0.5001, 1.0], [0, 0, 2e4, 0, 0])
    m.add(sp.JointEffort("pulse", "slide", effort=pulse))
    r = sp.simulate(m, 1.0)
    return Answer(float(r["slide"].rates[-1][0]), 1.0, r)
