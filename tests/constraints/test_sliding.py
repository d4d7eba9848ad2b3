"""Points that slide along cables and gradient beams: exact motions, momentum, ends, bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest

import supple as sp

G = 9.81
SOFT = sp.Material(E=1e7, G=4e6, density=1000)
STEEL = sp.Material(E=2e11, G=8e10, density=7800)


def rod(material: sp.Material = STEEL, elements: int = 4, **options) -> sp.ANCFBeam:
    section = sp.Rectangle(0.02, 0.02)
    return sp.ANCFBeam("rod", 1.0, section, material, elements=elements, **options)


def bead(model: sp.Model, place, mass: float = 0.01, rates=(0,) * 6) -> sp.RigidBody:
    body = model.add(sp.RigidBody("bead", mass, (0, 0, 0), (1e-5,) * 3))
    model.add(sp.Free("air", model.ground.at(*place), body.at(0), initial_rate=rates))
    return body


def test_a_bead_on_a_rotating_rod() -> None:
    """Its distance grows as cosh(w t), over the borders of elements."""
    w, s0, t = 4.0, 0.2, 0.35
    model = sp.Model()
    hub = model.add(sp.RigidBody("hub", 1.0, (0, 0, 0), (1, 1, 1)))
    model.add(sp.Revolute("axle", model.ground.at(0), hub.at(0), "z", 0.0, w))
    model.add(sp.Driver("spin", "axle", f"{w}*t"))
    line = model.add(rod(damping=sp.Rayleigh(stiffness=1e-5)))
    model.add(sp.Fixed("clamp", hub.at(0), line.at(0)))
    body = bead(model, (s0, 0, 0), rates=(0, 0, 0, 0, w * s0, 0))
    model.add(sp.SlidingJoint("slide", line.at(s0), body.at(0)))
    result = sp.simulate(model, t, integrator=sp.GeneralizedAlpha(step=5e-4), output=8)
    s = result["slide"].displacement
    assert s[-1] > 0.4  # beyond a border
    # the tip of the rod bends by 5e-7 m under the bead's force of Coriolis, and the stretch of the
    # turning rod is as small; order 2 leaves (w h)^2 of the way, 4e-6
    np.testing.assert_allclose(s, s0 * np.cosh(w * result.t), atol=3e-6)
    np.testing.assert_allclose(result["slide"].rate, s0 * w * np.sinh(w * result.t), atol=3e-5)
    force = result["slide"].force
    coriolis = 2.0 * 0.01 * w * result["slide"].rate  # across the rod, along its motion
    assert np.linalg.norm(force[-1]) == pytest.approx(coriolis[-1], rel=1e-3)
    tangent = result["rod"].at(float(s[-1])).matrix[-1, :, 0]
    assert abs(force[-1] @ tangent) < 1e-3 * coriolis[-1]


@pytest.mark.parametrize("kind", ["cable", pytest.param("beam", marks=pytest.mark.slow)])
def test_sliding_in_flight_keeps_momentum_and_energy(kind: str) -> None:
    """A soft line that bends and spins with a bead on it, nothing else acts."""
    model = sp.Model()
    if kind == "cable":
        line = model.add(sp.Cable("rod", 1.0, sp.Circle(0.02), SOFT, elements=3))
    else:
        line = model.add(rod(SOFT, 3))
    flying = (0.3, 0.2, 2.0, 0.1, 0.2, -0.1)
    model.add(sp.Free("flight", model.ground.at(0), line.at(0), initial_rate=flying))
    hand = (0.3, 0.2, 2.0, 0.6, 0.2 + 0.6, -0.1 - 0.06)  # with the line, and 0.5 m/s along it
    body = bead(model, (0.3, 0, 0), 0.1, rates=hand)
    model.add(sp.SlidingJoint("slide", line.at(0.3), body.at(0)))
    result = sp.simulate(model, 0.25, tolerance=1e-7, output=6)
    assert result.success, result.message
    assert result.energy.verdict.startswith("trusted")
    s = result["slide"].displacement
    assert s[0] == pytest.approx(0.3) and s[-1] > 0.35  # a border is at 1/3 m
    momentum = result.data.history.momentum
    size = np.abs(momentum[0]).max()
    # the sum of the errors of some hundred steps with this tolerance
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-5 * size)
    place = np.stack([result["rod"].at(float(x)).position[k] for k, x in enumerate(s)])
    np.testing.assert_allclose(result["bead"].position, place, atol=1e-9)


def test_a_bead_rests_where_its_cable_is_lowest() -> None:
    model = sp.Model(gravity=(0, 0, -G))
    line = model.add(sp.Cable("line", 1.0, sp.Circle(0.02), SOFT, elements=10))
    model.add(sp.Spherical("left", model.ground.at(0), line.at(0)))
    model.add(sp.Spherical("right", model.ground.at(1.01), line.at(1.0)))
    body = bead(model, (0.4, 0, 0), 0.02)
    model.add(sp.SlidingJoint("slide", line.at(0.4), body.at(0)))
    found = sp.statics(model)
    assert found.success, found.message
    assert found["slide"].displacement[0] == pytest.approx(0.5, abs=1e-6)
    np.testing.assert_allclose(found["slide"].force[0], (0, 0, 0.02 * G), atol=1e-9)


def test_a_run_ends_where_its_line_does() -> None:
    """On a slope a bead slides with g sin(slope); at the end of the line the run says so."""
    slope, s0, light = 0.5, 0.3, sp.Material(E=2e11, G=8e10, density=780)
    model = sp.Model(gravity=(0, 0, -G))
    line = model.add(rod(light, elements=2, damping=sp.Rayleigh(stiffness=1e-5)))
    down = model.ground.at(0, rotation=(0, slope, 0))
    model.add(sp.Fixed("clamp", down, line.at(0)))
    c, s = math.cos(slope), math.sin(slope)
    body = bead(model, (s0 * c, 0, -s0 * s), 1e-3)
    model.add(sp.SlidingJoint("slide", line.at(s0), body.at(0)))
    with pytest.warns(sp.SuppleWarning, match="has come to the end of ANCFBeam 'rod', at 1 m"):
        result = sp.simulate(model, 1.0, integrator=sp.GeneralizedAlpha(step=1e-3))
    assert not result.success
    # the rod sags by its own weight, which turns its end by 1.7e-4 rad
    assert result.t[-1] == pytest.approx(math.sqrt(2.0 * (1.0 - s0) / (G * s)), rel=3e-4)
    assert result["slide"].displacement[-1] == pytest.approx(1.0, abs=1e-6)


def test_elements_act_along_the_line() -> None:
    """A spring along a stiff rod, exact; a push and a stop; drawn and named like others."""
    mass, stiffness = 0.01, 40.0
    model = sp.Model()
    line = model.add(rod(elements=2, damping=sp.Rayleigh(stiffness=1e-5)))
    model.add(sp.Fixed("clamp", model.ground.at(0), line.at(0)))
    body = bead(model, (0.5, 0, 0), mass)
    slide = model.add(sp.SlidingJoint("slide", line.at(0.5), body.at(0)))
    model.add(sp.JointSpring("spring", slide, stiffness, rest=0.4))
    result = sp.simulate(model, 0.1, integrator=sp.GeneralizedAlpha(step=2e-4), output=5)
    s = 0.4 + 0.1 * np.cos(math.sqrt(stiffness / mass) * result.t)
    # order 2: (w h)^2/12 of the angle w t, 6 rad, times the amplitude
    np.testing.assert_allclose(result["slide"].displacement, s, atol=1e-4)
    effort = -stiffness * (result["slide"].displacement - 0.4)
    np.testing.assert_allclose(result["spring"].effort, effort, atol=1e-9)
    assert result["spring"].units == "N"
    model.add(sp.JointEffort("push", "slide", 8.0))
    model.add(sp.JointStop("buffer", "slide", upper=0.6, stiffness=1e4))
    pushed = sp.simulate(model, 0.1, integrator=sp.GeneralizedAlpha(step=2e-4), output=100)
    assert 0.6 < pushed["slide"].displacement.max() < 0.62
    assert any(edge.name == "buffer" for edge in model.graph().edges)
    pushed.picture(0.0)
    with pytest.raises(sp.ModelError, match="expected the name of a joint of"):
        model.add(sp.Driver("drive", "slide", "t"))


def test_bad_sliding_joints() -> None:
    model = sp.Model()
    body = model.add(sp.RigidBody("body", 1.0, (0, 0, 0), (1, 1, 1)))
    beam = model.add(sp.Beam("beam", 1.0, sp.Circle(0.1), STEEL, elements=2, modes=2))
    for one in (beam, body):
        other = body if one is beam else beam
        with pytest.raises(sp.ModelError, match=r"^SlidingJoint 's': A is .*, expected a frame on"):
            sp.SlidingJoint("s", one.at(0), other.at(0))


def test_the_monitor_tells_of_places_beyond_the_line() -> None:
    """Statics knows no events: a bead that nothing holds slides off a slope."""
    model = sp.Model(gravity=(0, 0, -G))
    line = model.add(rod(elements=2))
    model.add(sp.Fixed("clamp", model.ground.at(0, rotation=(0, 0.5, 0)), line.at(0)))
    body = bead(model, (0.5, 0, -0.3), 1e-3)
    model.add(sp.SlidingJoint("slide", line.at(0.5), body.at(0)))
    hold = sp.SpringDamper("hold", model.ground.at(0), body.at(0), 5e-3, length=0.5)
    model.add(hold)  # too weak
    with pytest.warns(sp.SuppleWarning, match="m beyond the end of ANCFBeam 'rod'"):
        found = sp.statics(model)
    assert found.monitor.verdict.startswith("not valid")
