"""Frames that slide along lines and turn with them: the same motion by joints, momentum, loads."""

from __future__ import annotations

import math

import numpy as np
import pytest

import supple as sp

SOFT = sp.Material(E=1e7, G=4e6, density=1000)
STEEL = sp.Material(E=2e11, G=8e10, density=7800)
HARD = sp.Material(E=2e14, G=8e13, density=7800)  # a thousand times stiffer
SIDE, MASS = 0.02, 7800 * 0.02**2
BLOCK = 0.4, (0.01, 0.03, -0.02), np.diag([2e-3, 3e-3, 4e-3])  # kg, m, kg m2
SPIN = (0.7, -0.4, 2.0)  # rad/s of the rod
# s; with equal steps of 5e-4 s the first of them does not converge with this stiff rod
STEP = {"section": 2e-4, "tangent": 1e-4}


def turning_rod(rigid: bool, joint: str, start: float = 0.31) -> sp.Model:
    """A rod on a ball joint with a block that slides along it, and turns about it or not."""
    model = sp.Model(gravity=(0, 0, -9.81))
    block = sp.RigidBody("block", *BLOCK)
    if rigid:
        wide, long = MASS * SIDE**2 / 6.0, MASS * (SIDE**2 + 1.0) / 12.0
        rod = model.add(sp.RigidBody("rod", MASS, (0.5, 0, 0), np.diag([wide, long, long])))
    else:
        damping = sp.Rayleigh(stiffness=1e-5)
        section = sp.Rectangle(SIDE, SIDE)
        rod = model.add(sp.ANCFBeam("rod", 1.0, section, HARD, 3, damping=damping))
    model.add(sp.Spherical("ball", model.ground.at(0), rod.at(0), initial_rate=SPIN))
    model.add(block)
    if rigid:
        kind = {"section": sp.Prismatic, "tangent": sp.Cylindrical}[joint]
        model.add(kind("slide", rod.at(0), block.at(0), "x", *_start(joint, start)))
        return model
    place = np.array([start, 0.0, 0.0])
    rates = (*SPIN, *(np.cross(SPIN, place) + np.array([0.5, 0, 0])))
    model.add(sp.Free("air", model.ground.at(*place), block.at(0), initial_rate=rates))
    model.add(sp.SlidingJoint("slide", rod.at(start), block.at(0), joint))
    return model


def _start(joint: str, start: float) -> tuple:
    if joint == "section":
        return start, 0.5
    names = sp.Cylindrical.coordinate_names
    values = {"angle": (0.0, 0.0), "displacement": (start, 0.5)}
    return tuple(tuple(values[name][k] for name in names) for k in range(2))


@pytest.mark.filterwarnings("ignore:ANCFBeam 'rod'. of its material")
@pytest.mark.parametrize("joint", ["section", pytest.param("tangent", marks=pytest.mark.slow)])
def test_a_stiff_rod_is_a_prismatic_or_cylindrical_joint(joint: str) -> None:
    """In space, with a block whose mass is beside the rod: forces and torques act on both.

    10 N at its end, more than what acts on it, would bend the rod by 1.3e-6 m and 1.9e-6 rad; it
    vibrates by twice that.
    """
    alpha = sp.GeneralizedAlpha(step=STEP[joint])
    soft, hard = (sp.simulate(turning_rod(r, joint), 0.1, integrator=alpha, output=5)
                  for r in (False, True))  # fmt: skip
    assert soft.success and hard.success
    assert soft["slide"].displacement[-1] > 1.0 / 3.0 + 0.02  # beyond a border
    way = hard["slide"].displacement
    bent = 2.0 * 10.0 / (3.0 * HARD.E * SIDE**4 / 12.0)
    np.testing.assert_allclose(soft["slide"].displacement, way, atol=bent)
    np.testing.assert_allclose(soft["block"].position, hard["block"].position, atol=bent)
    np.testing.assert_allclose(soft["block"].matrix, hard["block"].matrix, atol=1.5 * bent)
    if joint == "tangent":
        assert np.ptp(soft["slide"].angle) > 0.05
        np.testing.assert_allclose(soft["slide"].angle, hard["slide"].angle, atol=1.5 * bent)


@pytest.mark.parametrize(
    ("kind", "follows"),
    [
        ("cable", "tangent"),
        pytest.param("beam", "section", marks=pytest.mark.slow),
        pytest.param("beam", "tangent", marks=pytest.mark.slow),
    ],
)
def test_turning_with_a_line_in_flight_keeps_momentum_and_energy(kind: str, follows: str) -> None:
    """A soft line bends and spins; a block with its mass beside it slides, nothing else acts."""
    model = sp.Model()
    if kind == "cable":
        line = model.add(sp.Cable("rod", 1.0, sp.Circle(0.02), SOFT, elements=3))
    else:
        line = model.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(0.03, 0.02), SOFT, elements=3))
    flying = np.array([0.3, 0.2, 2.0, 0.1, 0.2, -0.1])
    model.add(sp.Free("flight", model.ground.at(0), line.at(0), initial_rate=flying))
    block = model.add(sp.RigidBody("block", 0.1, (0, 0.02, 0.01), np.diag([1e-4, 2e-4, 3e-4])))
    hand = flying + np.array([0, 0, 0, 0.5, 0.6, -0.06])  # with the line, and 0.5 m/s along it
    model.add(sp.Free("air", model.ground.at(0.3), block.at(0), initial_rate=hand))
    model.add(sp.SlidingJoint("slide", line.at(0.3), block.at(0), follows))
    result = sp.simulate(model, 0.2, tolerance=1e-7, output=5)
    assert result.success, result.message
    assert result.energy.verdict.startswith("trusted")
    s = result["slide"].displacement
    assert s[-1] > 0.35  # a border is at 1/3 m
    momentum = result.data.history.momentum
    size = np.abs(momentum[0]).max()
    # the sum of the errors of some hundred steps with this tolerance
    np.testing.assert_allclose(momentum - momentum[0], 0.0, atol=1e-5 * size)
    for k, x in enumerate(s):
        view = result["rod"].at(float(x))
        np.testing.assert_allclose(result["block"].position[k], view.position[k], atol=1e-9)
        if follows == "section":
            np.testing.assert_allclose(result["block"].matrix[k], view.matrix[k], atol=1e-8)
    ahead, behind = (np.stack([result["rod"].at(float(x + d)).position[k] for k, x in enumerate(s)])
                     for d in (1e-5, -1e-5))  # fmt: skip
    tangent = (ahead - behind) / np.linalg.norm(ahead - behind, axis=1, keepdims=True)
    np.testing.assert_allclose(result["block"].matrix[:, :, 0], tangent, atol=1e-8)


@pytest.mark.parametrize("turned", [False, True])
def test_loads_on_a_sleeve(turned: bool) -> None:
    """A weight beside a beam that stands still: the section holds its force and its moment."""
    model = sp.Model(gravity=(0, 0, -9.81))
    rod = model.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(SIDE, SIDE), STEEL, 4))
    model.add(sp.Fixed("clamp", model.ground.at(0), rod.at(0)))
    away = np.array([0.1, 0.3, 0.0])
    block = model.add(sp.RigidBody("block", 0.2, away, np.eye(3) * 1e-3))
    model.add(sp.Free("air", model.ground.at(0.4), block.at(0)))
    rotation = (0.3, -0.2, 0.5) if turned else None
    begin, held = (body.at(x, rotation=rotation) for body, x in ((rod, 0.4), (block, 0.0)))
    slide = model.add(sp.SlidingJoint("slide", begin, held, "section"))
    model.add(sp.JointSpring("spring", slide, 100.0, rest=0.4))
    found = sp.statics(model)
    assert found.success, found.message
    weight = np.array([0, 0, -0.2 * 9.81])
    # turns of the rod by 5e-4 rad change both, and the spring holds what acts along it
    np.testing.assert_allclose(found["slide"].force[0], -weight, atol=1e-3 * 2)
    np.testing.assert_allclose(found["slide"].torque[0], -np.cross(away, weight), atol=1e-3)
    section = found["rod"].at(float(found["slide"].displacement[0])).matrix[0]
    np.testing.assert_allclose(found["block"].matrix[0], section, atol=1e-9)


def test_constant_friction_along_a_line() -> None:
    """A bead on a straight rod that lies still slows down by c + k v, and the audit counts it."""
    model = sp.Model()
    rod = model.add(sp.ANCFBeam("rod", 1.0, sp.Rectangle(SIDE, SIDE), STEEL, 2))
    model.add(sp.Fixed("clamp", model.ground.at(0), rod.at(0)))
    mass, v, dry, wet = 0.1, 1.2, 0.2, 0.5
    bead = model.add(sp.RigidBody("bead", mass, (0, 0, 0), np.eye(3) * 1e-5))
    rates = (0, 0, 0, v, 0, 0)
    model.add(sp.Free("air", model.ground.at(0.2), bead.at(0), initial_rate=rates))
    slide = model.add(sp.SlidingJoint("slide", rod.at(0.2), bead.at(0), "section"))
    model.add(sp.JointFriction("rub", slide, coulomb=dry, viscous=wet, transition=1e-4))
    result = sp.simulate(model, 0.2, tolerance=1e-6, output=5)
    rate = (v + dry / wet) * np.exp(-wet / mass * result.t) - dry / wet
    assert rate[-1] > 0.1
    np.testing.assert_allclose(result["slide"].rate, rate, atol=1e-5)
    lost = 0.5 * mass * (v**2 - rate[-1] ** 2)
    assert result["rub"].dissipated[-1] == pytest.approx(lost, rel=1e-4)


def test_a_cable_has_no_sections() -> None:
    cable = sp.Cable("line", 1.0, sp.Circle(0.02), SOFT)
    body = sp.RigidBody("body", 1.0, (0, 0, 0), (1, 1, 1))
    with pytest.raises(sp.ModelError) as problem:
        sp.SlidingJoint("s", cable.at(0.5), body.at(0), "section")
    assert str(problem.value) == (
        "SlidingJoint 's': follows is 'section', expected 'point' or 'tangent' on Cable 'line', "
        "which has no sections that turn"
    )


def test_a_trolley_hangs_on_a_sloping_cable_and_may_spin() -> None:
    """Turned about the line by any angle at the start, it stays so: nothing holds its spin."""
    for angle in (2.8, -2.0):
        model = sp.Model()
        line = model.add(sp.Cable("line", 1.0, sp.Circle(0.02), SOFT, elements=2))
        slope = 0.4
        direction = np.array([math.cos(slope), 0.0, math.sin(slope)])
        model.add(sp.Spherical("foot", model.ground.at(0), line.at(0), (0.0, -slope, 0.0)))
        model.add(sp.Spherical("top", model.ground.at(*direction), line.at(1.0)))
        body = model.add(sp.RigidBody("body", 0.1, (0, 0, 0), np.eye(3) * 1e-4))
        c, s = math.cos(slope), math.sin(slope)
        tilt = np.array([[c, 0, -s], [0, 1, 0], [s, 0, c]])
        d, e = math.cos(angle), math.sin(angle)
        spun = tilt @ np.array([[1, 0, 0], [0, d, -e], [0, e, d]])
        model.add(sp.Free("air", model.ground.at(*(0.4 * direction), rotation=spun), body.at(0)))
        model.add(sp.SlidingJoint("slide", line.at(0.4), body.at(0), "tangent"))
        result = sp.simulate(model, 0.01, integrator=sp.GeneralizedAlpha(step=1e-3))
        np.testing.assert_allclose(result["body"].matrix[-1], spun, atol=1e-8)
        # counted from directions across the line that are fixed in the world
        assert np.ptp(result["slide"].angle) < 1e-8
    np.testing.assert_array_equal(result.dataset["slide.angle"], result["slide"].angle)
    with pytest.raises(sp.ModelError, match="SlidingJoint 'slide' slides along a line"):
        scheme = sp.EnergyScheme(step=1e-3)
        sp.simulate(model, 0.01, integrator=scheme, formulation=sp.Absolute())


@pytest.mark.filterwarnings("ignore:ANCFBeam 'rod'. of its material")
def test_equal_steps_that_are_too_long_are_told_as_such() -> None:
    """The square of the turn in a step stretches the stiff rod by 0.5 GPa; numbers overflow."""
    alpha = sp.GeneralizedAlpha(step=1e-3)
    with pytest.warns(sp.SuppleWarning, match="a smaller fixed step may help"):
        result = sp.simulate(turning_rod(False, "section"), 0.1, integrator=alpha)
    assert not result.success and np.all(np.isfinite(result.q))
    assert "for a step of 0.001 s does not converge" in result.message
