"""Small linkages for tests: a parallelogram, a slider-crank, an arm whose hand is driven."""

from __future__ import annotations

import numpy as np

import supple as sp

CRANK, LENGTH = 0.5, 1.0


def rod(m: sp.Model, name: str, length: float) -> sp.RigidBody:
    across = length**2 / 12
    return m.add(sp.RigidBody(name, 1.0, (length / 2, 0, 0), (1e-3, across, across)))


def parallelogram(angle=0.3, rate=0.0, motion=None, gravity=(0, -9.81, 0)) -> sp.Model:
    """Two cranks of 0.5 m and a coupler of 1 m in the plane xy; "C" closes the loop."""
    m = sp.Model(gravity=gravity, name="parallelogram")
    crank, coupler, rocker = (
        rod(m, n, x) for n, x in (("crank", CRANK), ("coupler", LENGTH), ("rocker", CRANK))
    )
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", angle, rate))
    m.add(sp.Revolute("B", crank.at(CRANK), coupler.at(0), "z", -angle, -rate))
    m.add(sp.Revolute("D", m.ground.at(LENGTH), rocker.at(0), "z", angle, rate))
    m.add(sp.Revolute("C", rocker.at(CRANK), coupler.at(LENGTH), "z", -angle, -rate))
    if motion is not None:
        m.add(sp.Driver("motor", "A", motion))
    return m


def slider_crank(angle=0.0) -> sp.Model:
    """A crank of 0.3 m, a rod of 1 m and a slider along x; straight at angle 0."""
    m = sp.Model(gravity=(0, -9.81, 0), name="slider-crank")
    crank, arm = rod(m, "crank", 0.3), rod(m, "arm", 1.0)
    slider = m.add(sp.RigidBody("slider", 0.5, (0, 0, 0), (1e-3, 1e-3, 1e-3)))
    tilt = -np.arcsin(0.3 * np.sin(angle))
    place = 0.3 * np.cos(angle) + np.cos(tilt)
    m.add(sp.Revolute("A", m.ground.at(0), crank.at(0), "z", angle, 2.0))
    m.add(sp.Revolute("B", crank.at(0.3), arm.at(0), "z", tilt - angle))
    m.add(sp.Prismatic("guide", m.ground.at(0), slider.at(0), "x", place))
    m.add(sp.Revolute("C", slider.at(0), arm.at(1.0), "z", tilt))
    return m


def arm(bend=0.0) -> sp.Model:
    """Two links whose hand is pulled towards the base along x; straight at bend 0."""
    m = sp.Model(name="arm")
    upper, lower = rod(m, "upper", 1.0), rod(m, "lower", 1.0)
    m.add(sp.Revolute("shoulder", m.ground.at(0), upper.at(0), "z", bend))
    m.add(sp.Revolute("elbow", upper.at(1.0), lower.at(0), "z", -2.0 * bend))
    start = float(2.0 * np.cos(bend))
    m.add(sp.FrameDriver("hand", m.ground.at(0), lower.at(1.0), x=f"{start!r} - 0.1*t**2"))
    return m
