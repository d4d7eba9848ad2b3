"""Orbits of every size: tolerances are those of the motion, whatever the length of the model is."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

METHODS = {
    "Radau": sp.Radau(),
    "DormandPrince": sp.DormandPrince(),
    "GeneralizedAlpha": sp.GeneralizedAlpha(),
    "BDF": sp.BDF(),
}
RTOL = {"loose": 1e-4, "default": 1e-7, 1e-9: 1e-9, "tight": 1e-10}


def orbit(radius: float, size: float = 0.0, speed: float = 1.0) -> tuple[sp.Model, float]:
    """A satellite in the plane z = 0, seen from its circle's highest velocity, and its period (s).

    Its velocity is ``speed`` times that of a circular orbit; ``size`` is its radius of gyration.
    """
    strength = 6.6743e9 * (radius / 1e6) ** 3
    m = sp.Model()
    s = m.add(sp.RigidBody("satellite", 1e3, **({"inertia": 1e3 * size**2} if size else {})))
    axes = [("translate", a) for a in "xyz"]
    start = {"initial": (radius, 0, 0), "initial_rate": (0, speed * np.sqrt(strength / radius), 0)}
    m.add(sp.General("free", m.ground.at(0), s.at(0), axes=axes, **start))
    law = lambda t, f: -1e3 * strength * f.position / np.linalg.norm(f.position) ** 3  # noqa: E731
    m.add(sp.ForceFunction("pull", s.at(0), law))
    axis = radius / (2.0 - speed**2)
    return m, 2 * np.pi * np.sqrt(axis**3 / strength)


def miss(result: sp.results.Result, radius: float) -> float:
    """Distance from the start at the end, in radii."""
    return float(np.linalg.norm(result["satellite"].position[-1] - (radius, 0, 0))) / radius


@pytest.mark.parametrize(
    ("radius", "tolerance"),
    # a small motion may err by ten times as much: at the loose tolerance its verdict says so
    [(r, t) for r in (1e-6, 1.0, 1e6, 1e9, 4.5e12) for t in RTOL if (r, t) != (1e-6, "loose")],
)
@pytest.mark.parametrize("method", ["Radau", "DormandPrince"])
def test_orbits_close(method, radius, tolerance, recwarn) -> None:
    """Three turns in hundreds of steps, each of which may err by rtol; errors of phases add up."""
    m, period = orbit(radius)
    result = sp.simulate(m, 3 * period, integrator=METHODS[method], tolerance=tolerance)
    assert result.success and not recwarn.list
    assert miss(result, radius) < 100 * RTOL[tolerance] + 1e-11  # rounding of some thousand steps
    assert np.all(result["satellite"].position[:, 2] == 0.0)
    assert result.statistics["steps"] < 20_000


@pytest.mark.parametrize("radius", [1e-6, 1.0, 1e9])
@pytest.mark.parametrize(("method", "allowed"), [("GeneralizedAlpha", 0.1), ("BDF", 0.15)])
def test_orbits_of_low_order(method, allowed, radius) -> None:
    """At the loose tolerance: a turn of thousands of steps, or of hundreds of a higher order."""
    m, period = orbit(radius)
    result = sp.simulate(m, period, integrator=METHODS[method], tolerance="loose")
    assert result.success and miss(result, radius) < allowed


def test_the_length_of_a_satellite_does_not_matter() -> None:
    """What is a metre or a micrometre large flies as a point does."""
    errors = []
    for size in (0.0, 1e-6, 10.0):
        m, period = orbit(1e6, size)
        result = sp.simulate(m, period, integrator=sp.DormandPrince(), tolerance=1e-9)
        assert result.success
        errors.append(miss(result, 1e6))
    assert max(errors) < 1e-7


def test_an_ellipse_whose_ends_are_far_apart() -> None:
    """From 1e6 m out to 1.9e7 m and back: the velocity there is a twentieth."""
    m, period = orbit(1e6, speed=np.sqrt(1.9))
    for method in ("Radau", "DormandPrince"):
        result = sp.simulate(m, period, integrator=METHODS[method], tolerance=1e-9)
        assert result.success and miss(result, 1e6) < 1e-5
        far = np.linalg.norm(result["satellite"].position, axis=1).max()
        assert far == pytest.approx(1.9e7, rel=1e-3)


def test_a_motion_of_a_micrometre_in_a_large_model() -> None:
    """A weight on a spring swings by 1e-6 m beside a body of a metre."""
    m = sp.Model()
    b = m.add(sp.RigidBody("weight", 1.0, inertia=1.0))
    m.add(sp.Prismatic("z", m.ground.at(0), b.at(0), initial=1e-6))
    m.add(sp.JointSpring("spring", "z", stiffness=4 * np.pi**2))
    for tolerance in ("loose", "default"):
        for method in ("Radau", "DormandPrince"):
            run = {"tolerance": tolerance, "integrator": METHODS[method], "output": 2}
            place = sp.simulate(m, 2.0, **run)["z"].displacement[-1]
            assert place == pytest.approx(1e-6, rel=100 * RTOL[tolerance])


@pytest.mark.parametrize("tolerance", ["default", "tight"])
def test_a_wheel_that_has_made_many_turns_goes_on(tolerance) -> None:
    """1e9 rad: rounding is beyond the tolerance, the motion is as it was."""
    m = sp.Model()
    wheel = m.add(sp.RigidBody("wheel", 1.0, inertia=1.0))
    m.add(sp.Revolute("axle", m.ground.at(0), wheel.at(0), initial_rate=1e5))
    result = sp.simulate(m, 1e4, tolerance=tolerance)
    assert result.success and result["axle"].angle[-1] == pytest.approx(1e9, rel=1e-14)


@pytest.mark.filterwarnings("ignore::supple.SuppleWarning")
@pytest.mark.parametrize("method", ["Radau", "DormandPrince"])
def test_growth_is_told_by_its_cause(method) -> None:
    """Exponential growth is an instability; what is pushed for long is not."""
    for joint, unit in ((sp.Revolute, "rad"), (sp.Prismatic, "m")):
        m = sp.Model()
        b = m.add(sp.RigidBody("wheel", 1.0, inertia=1.0))
        m.add(joint("axle", m.ground.at(0), b.at(0), initial=0.1))
        m.add(sp.PID("motor", "axle", kp=-1.0))
        run = {"integrator": METHODS[method], "tolerance": "loose"}
        unstable = sp.simulate(m, 100.0, **run)
        assert "grows tenfold every 2.3 s: an unstable controller or spring" in unstable.message
        m.replace("motor", kp=0.0)
        m.add(sp.JointEffort("push", "axle", 1e12))
        pushed = sp.simulate(m, 1e3, **run)
        assert f"1e+12 {unit}/s2: look for what drives it" in pushed.message
        assert "unstable" not in pushed.message
