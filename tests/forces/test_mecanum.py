"""Wheels with rollers: friction whose direction goes with the axle and does not spin."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

G, SPIN, ROLLER = 9.81, 4.0, np.pi / 4
CORNERS = {"fl": (1, 1), "fr": (1, -1), "rl": (-1, 1), "rr": (-1, -1)}
STIFF = 2e6


def platform(rates: dict[str, float], yaw: float = 0.0) -> sp.Model:
    """A platform on four wheels, whose rollers cross, driven with these rates (rad/s)."""
    m = sp.Model(gravity=(0, 0, -G))
    frame = m.add(sp.RigidBody("frame", 20.0, inertia=(0.5, 0.8, 1.0)))
    sunk = 24.0 * G / 4 / STIFF
    start = m.ground.at(0, 0, 0.1 - sunk, rotation=(0, 0, yaw))
    m.add(sp.Free("way", start, frame.at(0)))
    road = sp.Plane(m.ground.at(0))
    push = sp.HuntCrossley(0.2, 0.1, STIFF, 1.0)
    for name, (x, y) in CORNERS.items():
        wheel = m.add(sp.RigidBody(name, 1.0, inertia=(3e-3, 5e-3, 3e-3)))
        m.add(sp.Revolute(f"axle {name}", frame.at(0.3 * x, 0.2 * y, 0), wheel.at(0), "y"))
        target = sp.Expression(f"{rates[name]}*t")
        m.add(sp.PID(f"drive {name}", f"axle {name}", kd=5.0, target=target))
        grip = sp.RoundedFriction((0.8, 0.0), axle_angle=x * y * ROLLER)
        tyre = sp.Torus(wheel.at(0), radius=0.06, section=0.04, axis="y")
        m.add(sp.Contact(f"patch {name}", tyre, road, push, grip))
    return m


SIDE = {name: SPIN * x * y for name, (x, y) in CORNERS.items()}
TURN = {name: -SPIN * y for name, (_, y) in CORNERS.items()}
AHEAD = dict.fromkeys(CORNERS, SPIN)
REACH = 0.1 - 0.5 * 24.0 * G / 4 / STIFF  # half way between both surfaces


@pytest.mark.parametrize("yaw", [0.0, 0.7])
def test_sideways(yaw) -> None:
    """No point slides along its roller's axis: v_y = -tan(angle) R w, in the frame's axes.

    But for what rounded friction slides below its transition of 1e-3 m/s, at 45 degrees. Nothing
    brakes: the mass is moved by what the motors give.
    """
    run = sp.simulate(platform(SIDE, yaw), 1.0)
    assert run.success
    c, s = np.cos(yaw), np.sin(yaw)
    x, y, _ = run["frame"].velocity[-1]
    spin = run["axle fl"].angle_rate[-1]
    assert -s * x + c * y == pytest.approx(-REACH * spin, abs=2e-3)
    assert abs(c * x + s * y) < 1e-3
    assert abs(run["frame"].angular_velocity[-1, 2]) < 1e-2
    assert spin == pytest.approx(SPIN, rel=1e-2)


def test_ahead_and_turning() -> None:
    run = sp.simulate(platform(AHEAD), 1.0)
    spin = run["axle fl"].angle_rate[-1]
    assert run["frame"].velocity[-1] == pytest.approx([REACH * spin, 0, 0], abs=2e-3)
    run = sp.simulate(platform(TURN), 1.0)
    spin = abs(run["axle fl"].angle_rate[-1])
    # each contact point moves across its roller by (0.3 + 0.2) m times the rate of turn
    assert run["frame"].angular_velocity[-1, 2] == pytest.approx(REACH * spin / 0.5, rel=1e-2)


def test_an_axis_of_the_wheel_is_refused_where_there_is_none() -> None:
    m = sp.Model()
    ball = m.add(sp.RigidBody("ball", 1.0, inertia=1e-3))
    grip = sp.Friction((0.8, 0.1), axle_angle=0.3)
    pair = sp.Sphere(ball.at(0), radius=0.1), sp.Plane(m.ground.at(0))
    with pytest.raises(sp.ModelError, match="RoundedFriction takes 0 for a direction that rolls"):
        sp.Friction((0.8, 0.0))
    with pytest.raises(sp.ModelError, match="expected for a Torus or Cylinder on a Plane"):
        sp.Contact("patch", *pair, sp.HuntCrossley(stiffness=1e5), grip)
