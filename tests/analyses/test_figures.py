"""Figures of analyses: what is drawn is what the numbers say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import supple as sp
from supple.analyses.linear.mode_figures import displaced
from supple.analyses.stability.campbell_diagram import branches

RATES = 100.0, 230.0  # rad/s, of two discs on their springs


def rotor() -> sp.Model:
    """Two discs, each on two equal springs that turn with a shaft."""
    m = sp.Model(name="rotor")
    shaft = m.add(sp.RigidBody("shaft", 1.0, inertia=(1.0, 1.0, 1.0)))
    m.add(sp.Revolute("turn", m.ground.at(0), shaft.at(0), axis="z"))
    m.add(sp.Driver("motor", "turn", 0.0))
    for n, rate in enumerate(RATES):
        disc = m.add(sp.RigidBody(f"disc{n}", 1.0, inertia=1e-3))
        m.add(sp.Planar(f"bend{n}", shaft.at(0), disc.at(0)))
        for k in (0, 1):
            m.add(sp.JointSpring(f"spring{n}{k}", f"bend{n}", rate**2, coordinate=k))
        m.add(sp.JointSpring(f"twist{n}", f"bend{n}", 1e-3 * (600.0 + n) ** 2, coordinate="angle"))
        m.add(sp.CartesianSpring(f"air{n}", m.ground.at(0), disc.at(0), damping=1.0))
    return m


def test_lines_of_a_campbell_diagram_cross(tmp_path: Path) -> None:
    """In turning coordinates whirls have the rates RATE +- speed; two lines cross at 65 rad/s."""
    speeds = np.linspace(0.0, 180.0, 7)
    found = sp.stability(rotor(), "turn", speeds)
    lines = branches(found.linear)
    assert lines.shape == (6, 7)
    exact = np.array([np.abs(r + s * speeds) for r in RATES for s in (1, -1)]) / (2.0 * np.pi)
    order = [int(np.argmin(np.abs(lines[:, 1] - line[1]))) for line in exact]
    # Damping of 0.5 % of the critical one changes frequencies by 1e-5, near zero by more.
    np.testing.assert_allclose(lines[order], exact, atol=0.02)
    ax = found.plot_campbell([1, 2], tmp_path / "campbell.png").axes[0]
    assert ax.get_xlabel() == "rate of turn (rad/s)"
    marks = np.sort(np.concatenate([x.get_xdata() for x in ax.lines if x.get_marker() == "o"]))
    # RATE - speed is once the speed at RATE / 2, twice at RATE / 3; RATE + speed is twice at RATE
    once, twice = [r / 2 for r in RATES], [r / 3 for r in RATES]
    np.testing.assert_allclose(marks, sorted([*once, *twice, RATES[0]]), atol=0.02)
    assert found.stable.all() and not ax.patches
    with pytest.raises(sp.SuppleError, match="of 'loads', expected those of a joint's rate"):
        replace(found, over="loads").plot_campbell()


def test_drawn_modes_are_the_modes(tmp_path: Path) -> None:
    """Vertices of a loop move as `Mode.at` says: differences of poses against velocities."""
    m = sp.Model(gravity=(0, -9.81, 0), name="press")
    arm = m.add(sp.RigidBody("arm", 1.5, com=(0.1, 0, 0), inertia=0.01))
    bar = m.add(sp.RigidBody("bar", 0.8, com=(0.25, 0, 0), inertia=0.02))
    ram = m.add(sp.RigidBody("ram", 2.0, inertia=0.01))
    m.add(sp.Revolute("shaft", m.ground.at(0), arm.at(0), initial=0.8))
    m.add(sp.Revolute("crankpin", arm.at(0.2), bar.at(0), initial=-1.1))
    m.add(sp.Prismatic("slide", m.ground.at(0), ram.at(0), axis="x", initial=0.6))
    m.add(sp.Revolute("wristpin", bar.at(0.5), ram.at(0), initial=0.3))
    m.add(sp.JointSpring("coil", "shaft", stiffness=6.0, damping=0.2, rest=0.2))
    linear = sp.linearize(m)
    mode = linear.modes[0]
    sizes = []
    for d in displaced(mode):
        pose = mode.at(d.thing.name)
        arms = d.places - d.thing.p[0]
        exact = pose.translation + np.cross(pose.rotation, arms)
        size = np.vdot(exact, d.motion) / np.vdot(exact, exact)
        np.testing.assert_allclose(size * exact, d.motion, atol=1e-6)
        sizes.append(size)
    assert len(sizes) == 6 and np.ptp(np.real(sizes)) < 1e-6 * abs(sizes[0])
    figure = linear.plot_modes(path=tmp_path / "modes.png")
    assert len(figure.axes) == 1 and "Hz" in figure.axes[0].get_title()
    assert len(mode.plot().axes) == 1
    with pytest.raises(sp.ModelError, match="a number of modes, 1 or more"):
        linear.plot_modes(0)


def test_runs_are_drawn_above_their_difference(tmp_path: Path) -> None:
    m = sp.Model(gravity=(0, -9.81, 0), name="pendulum")
    bar = m.add(sp.RigidBody("bar", 1.0, com=(0.5, 0, 0), inertia=0.1))
    m.add(sp.Revolute("pin", m.ground.at(0), bar.at(0)))
    runs = [sp.simulate(m, 0.5, tolerance=x, output=20) for x in ("loose", "tight")]
    found = sp.compare(*runs)
    figure = found.plot_runs("pin.angle", labels=("a", "b"), path=tmp_path / "runs.png")
    top, bottom = figure.axes
    assert [line.get_label() for line in top.lines] == ["a", "b"]
    drawn = bottom.lines[0].get_ydata()
    difference = np.abs(runs[0]["pin"].angle - runs[1]["pin"].angle)
    np.testing.assert_allclose(drawn, np.maximum(difference / found["pin.angle"].range, 1e-16))
    assert len(found.only("pin").plot_runs().axes) == 4
