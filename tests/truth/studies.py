"""Studies: fits, error bars, inverse dynamics, kinematics."""

from __future__ import annotations

from typing import Any

import numpy as np

import supple as sp
from truth.bodies import ALLOY, EI, STEEL, cantilever
from truth.table import Answer, right, wrong


def long_pendulum(length: float = 1.0, damping: float = 0.0) -> sp.Model:
    """A point of 1 kg on a rod of some length."""
    m = sp.Model(gravity=(0, 0, -9.81))
    bob = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -length), inertia=1e-3))
    m.add(sp.Revolute("pin", m.ground.at(0), bob.at(0), axis="y", initial=0.5))
    if damping:
        m.add(sp.JointSpring("oil", "pin", damping=damping))
    return m


def record(t: np.ndarray, noise: float = 0.0, **truth: float) -> np.ndarray:
    """A measured angle."""
    errors = noise * np.random.default_rng(1).normal(size=len(t))
    return np.asarray(
        sp.simulate(long_pendulum(**truth), float(t[-1]), output=t)["pin"].angle + errors
    )


@right()
def fit_from_nearby() -> Answer:
    t = np.linspace(0, 5, 200)
    found = sp.fit(long_pendulum, {"length": 1.1}, {"pin.angle": (t, record(t, 1e-3))})
    return Answer(found.values["length"], 1.0, found)


@right(slow=True)
def fit_from_a_start_near_a_local_minimum() -> Answer:
    t = np.linspace(0, 20, 400)
    found = sp.fit(long_pendulum, {"length": 2.5}, {"pin.angle": (t, record(t))})
    return Answer(found.values["length"], 1.0, found)


@wrong(slow=True)
def fit_of_a_model_without_damping() -> Answer:
    # The record is damped; the moment of inertia of the model is free to follow it
    t = np.linspace(0, 5, 200)
    data = record(t, 1e-3, damping=1.0)
    found = sp.fit(long_pendulum, {"length": (1.0, 0.3, 3.0)}, {"pin.angle": (t, data)})
    return Answer(found.values["length"], 1.0, found)


@right()
def fit_of_two_parameters() -> Answer:
    t = np.linspace(0, 5, 200)
    data = record(t, 1e-4, damping=0.4)
    found = sp.fit(long_pendulum, {"length": 1.1, "damping": 0.3}, {"pin.angle": (t, data)})
    return Answer(found.values["damping"], 0.4, found)


@right()
def certificate_of_a_stubby_beam() -> Answer:
    m = cantilever(
        (0, 1e4, 0),
        length=0.2,
        section=sp.Rectangle(0.1, 0.05),
        modes=4,
        damping=sp.ModalDamping(0.5),
    )
    found = sp.certify(m, 0.02, {"tip": lambda r: r["rod"].at(0.2).deflection[-1, 1]})
    soft = 0.2**3 / (3 * ALLOY.E * 0.05 * 0.1**3 / 12) + 0.2 / (5 / 6 * ALLOY.G * 0.005)
    return barred(found["tip"], 1e4 * soft)


@right()
def certificate_of_a_pendulum() -> Answer:
    found = sp.certify(long_pendulum(), 2.0, "pin.angle @ end")
    true = sp.simulate(long_pendulum(), 2.0, tolerance=1e-13, integrator=sp.DormandPrince())
    return barred(found, float(true["pin"].angle[-1]))


@right()
def certificate_of_a_slender_beam() -> Answer:
    m = cantilever((0, 1.0, 0), elements=4, modes=4, damping=sp.ModalDamping(0.5))
    found = sp.certify(m, 1.0, "rod.at(1.0).deflection.y @ end")
    return barred(found, 1 / (3 * EI))


@wrong()
def certificate_of_chaos() -> Answer:
    m = sp.Model(gravity=(0, 0, -9.81))
    before = m.ground.at(0)
    for k, angle in ((1, 2.5), (2, 0.5)):
        bar = m.add(sp.RigidBody(f"bar{k}", 1.0, com=(0, 0, -0.5), inertia=1 / 12))
        m.add(sp.Revolute(f"pin{k}", before, bar.at(0), axis="y", initial=angle))
        before = bar.at(0, 0, -1.0)
    found = sp.certify(m, 60.0, "pin2.angle @ end")
    true = sp.simulate(m, 60.0, tolerance=1e-12, integrator=sp.DormandPrince())
    return barred(found, float(true["pin2"].angle[-1]))


def barred(found: sp.results.Certificate, exact: float) -> Answer:
    """A number with its bar: right where the bar, or 0.5 %, holds the truth."""
    distance = (
        max(abs(found.value - exact) - found.bar, 0.0) if np.isfinite(found.bar) else abs(exact)
    )
    return Answer(exact + distance, exact, found)


def swung(beam: Any) -> sp.Model:
    """A robot's link with a load of 1 kg at its end."""
    m = sp.Model()
    link = m.add(beam)
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0), axis="z"))
    m.add(sp.PointMass("load", link.at(1.0), 1.0))
    return m


@right()
def efforts_of_a_stiff_link() -> Answer:
    beam = sp.Beam(
        "rod", 1.0, sp.Rectangle(0.05, 0.05), STEEL, modes=sp.reduction.AttachmentModes(2)
    )
    found = sp.inverse_dynamics(swung(beam), 1.0, motion={"pin": "t**5"}, output=500)
    inertia = STEEL.density * 0.05**2 / 3 + 1.0  # about the pin; the link hardly bends
    return Answer(float(found["drive pin"].effort[-1]), 20.0 * inertia, found)


@right()
def efforts_of_a_rigid_link() -> Answer:
    link = sp.RigidBody("rod", 1.0, com=(0.5, 0, 0), inertia=1 / 12)
    found = sp.inverse_dynamics(swung(link), 1.0, motion={"pin": "t**2"}, output=10)
    return Answer(float(found["drive pin"].effort[-1]), 2 * (1 / 3 + 1), found)


@right()
def slider_crank() -> Answer:
    m = sp.Model()
    crank = m.add(sp.RigidBody("crank", 1.0, com=(0.1, 0, 0), inertia=0.01))
    rod = m.add(sp.RigidBody("rod", 1.0, com=(0.25, 0, 0), inertia=0.02))
    ram = m.add(sp.RigidBody("ram", 1.0, inertia=0.01))
    m.add(sp.Revolute("shaft", m.ground.at(0), crank.at(0), initial=0.8))
    m.add(sp.Revolute("crankpin", crank.at(0.2), rod.at(0), initial=-1.1))
    m.add(sp.Prismatic("slide", m.ground.at(0), ram.at(0), axis="x", initial=0.6))
    m.add(sp.Revolute("wristpin", rod.at(0.5), ram.at(0), initial=0.3))
    m.add(sp.Driver("engine", "shaft", "0.8 + 10*t"))
    found = sp.kinematics(m, 1.0, output=100)
    angle = 10.8
    exact = 0.2 * np.cos(angle) + np.sqrt(0.5**2 - (0.2 * np.sin(angle)) ** 2)
    return Answer(float(found["ram"].position[-1][0]), float(exact), found)


@wrong()
def kinematics_of_a_soft_crank() -> Answer:
    m = sp.Model(gravity=(0, -9.81, 0))
    link = m.add(sp.Beam("rod", 1.0, sp.Rectangle(0.002, 0.03), ALLOY))
    m.add(sp.Revolute("pin", m.ground.at(0), link.at(0)))
    m.add(sp.Driver("drive", "pin", "0.1*t"))
    found = sp.kinematics(m, 1.0, output=10)
    sag = ALLOY.density * 6e-5 * 9.81 / (8 * ALLOY.E * 0.03 * 0.002**3 / 12)
    place = float(found["rod"].at(1.0).position[-1][1])
    return Answer(place, np.sin(0.1) - sag, found)


@right()
def settled_arm() -> Answer:
    m = cantilever((0, 1.0, 0), modes=6, damping=sp.ModalDamping(0.3))
    found = sp.statics(m)
    return Answer(float(found["rod"].at(1.0).deflection[-1][1]), 1 / (3 * EI), found)
