"""BDF and Adams on closed loops: errors, violations, audit, Jacobian and number of steps."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import assume, given, settings

import supple as sp
from random_loops import loop_recipes
from supple.cases.four_bar import four_bar
from supple.cases.n_four_bar import windows
from supple.compiled import build as build_loops
from supple.core import dynamics
from supple.core import multistep as ms
from supple.core import step as st
from supple.formulations.equations import Equations
from supple.formulations.trees import Absolute, Branch, JointCoordinates
from supple.integrators import sundials
from supple.integrators.sundials import coordinate_scales

DAMPING = sp.Rayleigh(mass=0.5, stiffness=1e-3)
METHODS = [sp.BDF, sp.Adams]
both_methods = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.__name__)


def rod(name: str, mass: float, length: float) -> sp.RigidBody:
    """A rod along x that begins at its origin."""
    across = mass * length**2 / 12
    return sp.RigidBody(name, mass, (0.5 * length, 0, 0), (0.02 * across, across, across))


def spatial_loop() -> sp.Model:
    """A crank leads a rocker on another axis by a bar with a ball and a universal joint."""
    m = sp.Model(gravity=(0, 0, -9.81), name="spatial loop")
    crank = m.add(rod("crank", 1.0, 0.3))
    bar = m.add(rod("bar", 1.5, 1.0))
    rocker = m.add(rod("rocker", 1.2, 0.7))
    m.add(sp.Revolute("drive", m.ground.at(0), crank.at(0), "z", 0.4, 30.0))
    m.add(sp.Spherical("ball", crank.at(0.3), bar.at(0), (0, -0.6, -0.3)))
    m.add(sp.Revolute("swing", m.ground.at(0.9, 0, 0.1), rocker.at(0), "y", -1.3))
    m.add(sp.Universal("cross", bar.at(1.0), rocker.at(0.7), ("z", "y")))
    m.add(sp.JointSpring("bearing", "swing", stiffness=3.0, rest=-1.3, damping=0.2))
    return m


def flexible_loop() -> sp.Model:
    """The four-bar linkage with a damped flexible coupler."""
    m = four_bar()
    bars = {name: m.joints[name] for name in ("drive", "knee", "bearing", "pin")}
    out = sp.Model(gravity=(0, 0, -9.81), name="flexible four-bar")
    crank, rocker = out.add(m.bodies["crank"]), out.add(m.bodies["rocker"])
    soft = sp.Material(E=2e9, G=0.8e9, density=1200.0)
    shapes = sp.Sines(2, planes=("z",))
    section = sp.Rectangle(0.03, 0.02)
    coupler = out.add(
        sp.Beam("coupler", 1.1, section, soft, modes=shapes, reference="chord", damping=DAMPING)
    )
    ends = {
        "drive": (out.ground.at(0), crank.at(0)),
        "knee": (crank.at(0.4), coupler.at(0)),
        "bearing": (out.ground.at(1.0), rocker.at(0)),
        "pin": (rocker.at(0.9), coupler.at(1.1)),
    }
    for name, (a, b) in ends.items():
        joint = bars[name]
        out.add(sp.Revolute(name, a, b, (0, -1, 0), joint.initial[0], joint.initial_rate[0]))
    return out


def driven_slider() -> sp.Model:
    """A slider-crank with a given, uneven motion of the crank, against a spring and a damper."""
    m = sp.Model(gravity=(0, -9.81, 0), name="driven slider")
    crank, bar = m.add(rod("crank", 0.5, 0.2)), m.add(rod("bar", 1.0, 0.6))
    slider = m.add(sp.RigidBody("slider", 2.0, inertia=0.01))
    m.add(sp.Revolute("axle", m.ground.at(0), crank.at(0), "z", 0.3))
    m.add(sp.Revolute("pin", crank.at(0.2), bar.at(0), "z", -0.4))
    m.add(sp.Prismatic("guide", m.ground.at(0), slider.at(0), "x", 0.78))
    m.add(sp.Revolute("eye", slider.at(0), bar.at(0.6), "z", -0.1))
    m.add(sp.JointSpring("spring", "guide", stiffness=40.0, damping=3.0, rest=0.6))
    m.add(sp.Driver("motor", "axle", sp.Polynomial((0.3, 5.0, 1.0)) + sp.Sine(0.2, 1.3)))
    return m


BRANCHES = {
    four_bar: ["drive", "knee", "pin"],
    spatial_loop: ["swing", "cross", "ball"],
    flexible_loop: ["bearing", "pin", "knee"],
    driven_slider: ["guide", "eye", "pin"],
}
TIMES = np.linspace(0.0, 1.0, 98)
TOLERANCES = (1e-4, 1e-6, 1e-8, 1e-10)


def coordinates(build, kind):
    return Branch(BRANCHES[build]) if kind is Branch else kind()


@cache
def reference(build, kind) -> sp.Result:
    form = coordinates(build, kind)
    return sp.simulate(build(), 1.0, tolerance=(1e-12, 1e-13), output=TIMES, formulation=form)
