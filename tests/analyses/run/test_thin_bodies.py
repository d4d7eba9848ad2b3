"""Thin rods on ball joints and in flight: without inertia about their axis, or with very little."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

AXES = [(0, 0, 1), (1, 1, 0), (1, 2, 3), (-0.3, 0.9, 0.2), (1e-3, 1, 2)]


def rod(axis, about: float, joint=sp.Spherical, gravity=(0, 0, -9.81)) -> sp.Model:
    """A rod of 1 m and 1 kg from its end, with the inertia ``about`` its axis."""
    n = np.array(axis, dtype=float) / np.linalg.norm(axis)
    inertia = (np.eye(3) - np.outer(n, n)) / 12.0 + about * np.outer(n, n)
    m = sp.Model(gravity=gravity)
    body = m.add(sp.RigidBody("rod", 1.0, com=tuple(0.5 * n), inertia=inertia))
    m.add(joint("end", m.ground.at(0), body.at(0)))
    return m


@pytest.mark.parametrize("axis", AXES, ids=str)
@pytest.mark.parametrize("about", [0.0, 1e-17])
@pytest.mark.parametrize("joint", [sp.Spherical, sp.Free])
def test_a_rod_without_inertia_about_its_axis_is_refused(axis, about, joint):
    text = rf"{joint.__name__} 'end': body 'rod' has no inertia about the axis "
    with pytest.raises(sp.ModelError, match=text) as caught:
        sp.simulate(rod(axis, about, joint), 0.1)
    words = str(caught.value)
    told = np.array([float(x) for x in words[words.index("(") + 1 : words.index(")")].split(",")])
    assert abs(told @ axis) / np.linalg.norm(axis) == pytest.approx(1.0, abs=1e-3)
    assert "nothing hangs on it" in words


def test_a_second_body_gives_it_inertia():
    """A disk at the rod's end, about whose axis the rod may turn with it."""
    m = rod((1, 2, 3), 0.0)
    disk = m.add(sp.RigidBody("disk", 1.0, inertia=(0.1, 0.1, 0.2)))
    m.add(sp.Fixed("weld", m.bodies["rod"].at(0), disk.at(0)))
    assert sp.simulate(m, 0.1).success


def test_what_constraints_hold_needs_no_inertia():
    """The rod's other end runs in a universal joint that holds its spin."""
    m = sp.Model(gravity=(0, 0, -9.81))
    body = m.add(sp.RigidBody("rod", 1.0, com=(0.5, 0, 0), inertia=(0, 1 / 12, 1 / 12)))
    car = m.add(sp.RigidBody("car", 1.0, inertia=1.0))
    m.add(sp.Spherical("end", m.ground.at(0), body.at(0)))
    m.add(sp.Prismatic("rail", m.ground.at(1.0), car.at(0), "x"))
    m.add(sp.Universal("pin", car.at(0), body.at(1.0), ("y", "z")))
    result = sp.simulate(m, 0.1)
    assert result.success


def swing(about: float) -> sp.Model:
    """A bob on a massless rod, swung out and pushed sideways; it hangs on a ball."""
    m = sp.Model(gravity=(0, 0, -9.81))
    bob = m.add(sp.RigidBody("bob", 1.0, com=(0, 0, -1), inertia=about))
    start = {"initial": (0, -np.pi / 3, 0), "initial_rate": (1.732, 0, 0)}
    m.add(sp.Spherical("pivot", m.ground.at(0), bob.at(0), **start))
    return m


@pytest.mark.parametrize("about", [1e-6, 1e-8, 1e-10])
def test_little_inertia_costs_no_steps(about):
    """Rounding of moments gives the spin accelerations that steps must not follow."""
    many = sp.simulate(swing(1e-3), 3.0).statistics["steps"]
    result = sp.simulate(swing(about), 3.0)
    assert result.success and result.verdict.startswith("trusted")
    assert result.statistics["steps"] < 1.5 * many
    assert result.statistics["newton_failures"] < 0.1 * many


@pytest.mark.parametrize("axis", AXES, ids=str)
def test_the_axis_need_not_be_one_of_the_body(axis):
    """The same rod in turned axes takes about as many steps, and falls as a rod does."""
    result = sp.simulate(rod(axis, 1e-8, gravity=(1.0, -2.0, 3.0)), 1.0, output=11)
    assert result.success and result.statistics["steps"] < 300
    thick = sp.simulate(rod(axis, 1e-3, gravity=(1.0, -2.0, 3.0)), 1.0, output=11)
    n = np.array(axis) / np.linalg.norm(axis)
    tips = [r["rod"].at(*n).position for r in (result, thick)]
    assert np.abs(tips[0] - tips[1]).max() < 1e-5
