"""Derivatives of outputs along parameters, against differences of whole runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import linkages
import supple as sp
from supple.sweeps.readings import readings
from supple.sweeps.subjects import subject_of

DOWN = (0, -9.81, 0)
STEEL = sp.Material(E=70e9, G=27e9, density=2700.0)
# Differences of order 4 over 1e-3 of a parameter err by 1e-12 of a fifth derivative, and by the
# tolerance of the runs, 1e-12, divided by 1e-3.
REACHED = 1e-6


def differences(model, values, name, outputs, t_end, **given) -> np.ndarray:
    """Derivatives of outputs along a parameter, of order 4 in its displacement."""
    events = given.pop("events", ())
    events = (events,) if isinstance(events, sp.Event) else events
    settings = {"t_end": t_end, "output": given.pop("times", None), "events": events}
    subject = subject_of(model, settings, {**given, "tolerance": 1e-12})
    step, found = 1e-3 * (abs(values[name]) or 1.0), []
    for by in (step, 2.0 * step):
        ends = []
        for sign in (1.0, -1.0):
            result, _ = subject.run({**values, name: values[name] + sign * by})
            ends.append(np.array([reading.read(result) for reading in readings(outputs)]))
        found.append((ends[0] - ends[1]) / (2.0 * by))
    return (4.0 * found[0] - found[1]) / 3.0


def pendulum() -> sp.Model:
    m = sp.Model(gravity=DOWN)
    link = m.add(sp.RigidBody("link", 2.0, (0.25, 0, 0), (1e-3, 0.04, 0.04)))
    bob = m.add(sp.RigidBody("bob", 1.0, (0.2, 0.01, 0), (1e-3, 0.02, 0.02)))
    m.add(sp.Revolute("shoulder", m.ground.at(0), link.at(0), "z", 0.0, 1.0))
    m.add(sp.Spherical("elbow", link.at(0.5), bob.at(0), initial_rate=(0.3, 0.0, 2.0)))
    return m


def controlled() -> sp.Model:
    m = pendulum()
    m.add(sp.PID("control", "shoulder", target=0.5, kp=40.0, ki=30.0, kd=3.0))
    m.add(sp.JointEffort("drive", "shoulder", sp.Sine(2.0, 3.0)))
    return m


def flexible() -> sp.Model:
    m = sp.Model(gravity=DOWN)
    link = m.add(sp.RigidBody("link", 2.0, (0.25, 0, 0), (1e-3, 0.04, 0.04)))
    damping = sp.Rayleigh(stiffness=1e-4)
    section = sp.Rectangle(0.01, 0.004)
    beam = m.add(sp.Beam("beam", 0.6, section, STEEL, elements=4, modes=3, damping=damping))
    m.add(sp.Revolute("shoulder", m.ground.at(0), link.at(0), "z", 0.0, 1.0))
    m.add(sp.Revolute("elbow", link.at(0.5), beam.at(0), "z", -0.5))
    return m


def free() -> sp.Model:
    """A free body that spins, pulled by a spring."""
    m = sp.Model(gravity=DOWN)
    top = m.add(sp.RigidBody("top", 1.0, (0.05, 0.02, 0), (0.02, 0.03, 0.04)))
    m.add(sp.Free("motion", m.ground.at(0), top.at(0), initial_rate=(1.0, 2.0, 3.0, 0.1, 0, 0)))
    m.add(sp.SpringDamper("spring", m.ground.at(0, 1, 0), top.at(0.1), 50.0, 0.5, 0.4))
    return m


def pushed(start: float = 0.13, length: float = 0.2, mass: float = 2.0) -> sp.Model:
    """A pendulum with an effort that begins and ends with a jump."""
    m = pendulum()
    m.replace("link", mass=mass)
    m.add(sp.JointEffort("push", "shoulder", f"20*step(t - {start})*step({start + length} - t)"))
    return m


Case = tuple[Callable[[], Any], list[str] | dict[str, float], list[str], float]
CASES: dict[str, Case] = {
    "pendulum": (
        pendulum,
        ["link.mass", "bob.com.0", "shoulder.initial", "shoulder.initial_rate"],
        ["shoulder.angle @ end", "bob.at(0.4).position @ mean", "elbow.force @ end"],
        0.5,
    ),
    "controlled": (
        controlled,
        ["control.ki", "bob.mass", "drive.effort.amplitude"],
        ["shoulder.angle @ end", "control.power @ end"],
        0.5,
    ),
    "flexible": (
        flexible,
        ["beam.length", "beam.material.E", "beam.section.size_y", "shoulder.initial_rate"],
        ["elbow.angle @ end", "beam.at(0.5).deflection @ rms"],
        0.1,
    ),
    "free": (
        free,
        ["top.mass", "spring.stiffness", "spring.damping", "top.inertia.0.0"],
        ["top.position @ end", "top.at(0.1).velocity.y @ end", "energy.total @ end"],
        0.5,
    ),
    "pushed": (
        lambda: pushed,
        {"start": 0.13, "length": 0.2, "mass": 2.0},
        ["shoulder.angle @ end", "elbow.force @ end", "shoulder.angle @ mean"],
        0.5,
    ),
    "loop": (
        lambda: linkages.slider_crank(0.4),
        ["crank.mass", "arm.com.0", "A.initial_rate", "guide.initial"],
        ["A.angle @ end", "B.force @ end"],
        0.3,
    ),
}


@pytest.mark.parametrize("case", list(CASES))
def test_derivatives_are_those_of_whole_runs(case: str) -> None:
    build, names, outputs, t_end = CASES[case]
    model = build()
    given: dict[str, Any] = {"outputs": outputs, "t_end": t_end, "times": 20}
    found = [
        sp.sensitivity(model, names, tolerance=1e-10, method=method, **given)
        for method in ("forward", "adjoint")
    ]
    values = dict(found[0].parameters)
    for name in names:
        exact = differences(model, values, name, **given)
        for output, slope in zip(outputs, exact, strict=True):
            error = max(abs(one[output, name] - slope) for one in found)
            assert error <= REACHED * abs(slope) + 1e-12, (output, name)


def test_an_event_ends_the_runs_of_neighbours_earlier_or_later() -> None:
    model = pendulum()
    outputs = ["bob.position.x @ end", "shoulder.angle @ mean", "elbow.force @ end"]
    event = sp.Event("low", model["link"].at(0.5), "y", value=-0.3, direction=-1)
    given: dict[str, Any] = {"outputs": outputs, "t_end": 2.0, "times": 0.02, "events": event}
    names = ["link.mass", "shoulder.initial_rate", "elbow.frame_a.position.0"]
    found = [
        sp.sensitivity(model, names[:2], tolerance=1e-10, method=method, **given)
        for method in ("forward", "adjoint")
    ]
    for name in names[:2]:
        exact = differences(model, dict(found[0].parameters), name, **given)
        for output, slope in zip(outputs, exact, strict=True):
            error = max(abs(one[output, name] - slope) for one in found)
            assert error <= REACHED * abs(slope) + 1e-12, (output, name)
