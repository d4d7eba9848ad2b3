"""Contact of flexible bodies along their axes and faces: momentum, energy, closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import supple as sp

STEEL = sp.Material(E=1e9, G=4e8, density=1000.0)
ROD = sp.Circle(0.02)
BODIES = {
    "Cable": lambda: sp.Cable("rod", 1.0, ROD, STEEL, elements=4),
    "ANCFBeam": lambda: sp.ANCFBeam("rod", 1.0, ROD, STEEL, elements=3),
    "Beam": lambda: sp.Beam("rod", 1.0, ROD, STEEL, modes=6),
    "Beam in parts": lambda: sp.Beam("rod", 1.0, ROD, STEEL, parts=3),
    "FrameStructure": lambda: sp.FrameStructure(
        "rod",
        {0: (0, 0, 0), 1: (0.45, 0, 0), 2: (0.65, 0, 0), 3: (1, 0, 0)},
        [sp.Member(k, k + 1, ROD, STEEL, elements=2) for k in range(3)],
    ),
    "ANCFPlate": lambda: sp.ANCFPlate("rod", (1.0, 0.2), 0.01, STEEL, elements=(4, 1)),
}


def collision(kind: str, friction: sp.forces.ContactFriction | None) -> sp.Model:
    """A ball that turns and hits a flexible body which flies."""
    m = sp.Model(gravity=(0, 0, 0))
    rod = m.add(BODIES[kind]())
    held = rod.at(0, 0, 0)
    m.add(sp.Free("flight", m.ground.at(0), held, initial_rate=(0, 0, 0, 0, 0.1, 0.2)))
    ball = m.add(sp.RigidBody("ball", 0.3, inertia=0.4 * 0.3 * 0.15**2))
    rates = (3, 20, 5, 0.3, 0.4, -3.0)
    m.add(sp.Free("air", m.ground.at(0.57, 0.03, 0.165), ball.at(0), initial_rate=rates))
    line = sp.Surface(rod, radius=0.01) if kind == "ANCFPlate" else sp.Line(rod, radius=0.01)
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.7, speed=3.0)
    m.add(sp.Contact("hit", line, sp.Sphere(ball.at(0), radius=0.15), law, friction))
    return m


QUICK = ("Cable", "Beam", "FrameStructure")


@pytest.mark.parametrize(
    "kind", [k if k in QUICK else pytest.param(k, marks=pytest.mark.slow) for k in BODIES]
)
def test_momentum_and_energy_of_a_collision(kind: str) -> None:
    rounded = sp.RoundedFriction(0.4, transition=0.05)
    friction = sp.Friction(0.4) if kind in ("Cable", "Beam") else rounded
    r = sp.simulate(collision(kind, friction), 0.01, tolerance=1e-8)
    hit = r["hit"]
    assert hit.normal_force.max() > 1.0 and hit.lost_by_push[-1] > 1e-3
    assert hit.lost_by_friction[-1] > 1e-3
    for name in ("linear", "angular"):
        momentum = r.dataset[f"momentum.{name}"].values
        assert np.abs(momentum - momentum[0]).max() < 1e-6 * np.abs(momentum[0]).max()
    assert np.abs(r.energy.error).max() < 1e-6 * r.energy.kinetic[0]


# --------------------------------------------------------------------------------- closed forms


def lifted(kind: str, n: int, k: float = 1e7) -> tuple[float, float]:
    """Height of the end of a heavy line on a floor under a force, and its height in theory.

    A length a is free of the floor, from which it begins without moment and slope: with the weight
    w per length the force is w a/2 and the height w a^4/(24 E I); w a/2 acts where it begins.
    """
    steel, g, length = sp.Material(E=2e9, G=8e8, density=2000.0), 9.81, 2.0
    w, bending = 2000.0 * ROD.area * g, 2e9 * ROD.I_y
    a = 0.9
    m = sp.Model(gravity=(0, 0, -g))
    place = 0.01 - w / k
    given = ("rope", length, ROD, steel)
    if kind == "Beam in parts":
        rope = m.add(sp.Beam(*given, parts=n, position=(0, 0, place)))
    else:
        rope = m.add(getattr(sp, kind)(*given, n, position=(0, 0, place)))
    joint = sp.Spherical if kind == "Cable" else sp.Fixed
    m.add(joint("end", m.ground.at(0, 0, place), rope.at(0)))
    law = sp.HuntCrossley(stiffness=k, exponent=1)
    m.add(sp.Contact("floor", sp.Line(rope, radius=0.01), sp.Plane(m.ground.at(0)), law))
    m.add(sp.Force("lift", rope.at(length), force=(0, 0, 0.5 * w * a)))
    found = sp.statics(m)
    pushed = float(found["floor"].normal_force[0])
    if kind != "Cable":  # of which the joint at its end takes a part
        assert pushed == pytest.approx(w * (length - 0.5 * a), rel=1e-5)
    return float(found[rope.at(length)].position[0, 2]) - place, w * a**4 / (24.0 * bending)


@pytest.mark.parametrize(
    "kind",
    ["Cable", "ANCFBeam", pytest.param("Beam in parts", marks=pytest.mark.slow)],
)
def test_a_heavy_line_lifted_from_a_floor(kind: str) -> None:
    """The floor gives way over (4 E I/k)^(1/4) = 0.05 m, points are 0.025 m apart: squares of both
    beside a are 3e-3 and 8e-4."""
    height, theory = lifted(kind, 40)
    assert height == pytest.approx(theory, rel=3e-3)


@pytest.mark.slow
def test_a_line_on_a_floor_converges() -> None:
    """Points four times as near, on a floor a hundred times as hard."""
    coarse, fine = (lifted("Cable", n, k) for n, k in ((20, 1e6), (80, 1e8)))
    assert abs(fine[0] / fine[1] - 1.0) < 5e-4
    assert abs(fine[0] / fine[1] - 1.0) < 0.5 * abs(coarse[0] / coarse[1] - 1.0)


def band(n: int, angle: float, friction: sp.forces.ContactFriction | None) -> sp.Model:
    """A band over a drum: held at one end, pulled with 10 N by an angle downwards at the other."""
    m = sp.Model(gravity=(0, 0, 0))
    rubber, thick = sp.Material(E=5e8, G=2e8, density=2000.0), 0.002
    start = (-0.5, 0, 0.2 + 0.5 * thick)
    damping = sp.Rayleigh(stiffness=1e-3)
    belt = m.add(
        sp.Cable("belt", 1.0, sp.Circle(thick), rubber, n, damping=damping, position=start)
    )
    m.add(sp.Spherical("anchor", m.ground.at(*start), belt.at(0)))
    drum = m.add(sp.RigidBody("drum", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0), drum.at(0), "y"))
    m.add(sp.Driver("motor", "axle", "0.5*t**2"))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.1, speed=0.1, exponent=1)
    side = sp.Cylinder(drum.at(0), radius=0.2, length=0.2, axis="y")
    m.add(sp.Contact("grip", sp.Line(belt, radius=0.5 * thick), side, law, friction))
    pull = (10.0 * np.cos(angle), 0, -10.0 * np.sin(angle))
    m.add(sp.Force("pull", belt.at(1.0), force=pull))
    return m


@pytest.mark.slow
def test_a_band_brake_obeys_the_capstan_equation() -> None:
    """Ratio of tensions exp(mu angle) while the drum slides below the band.

    Bending takes E I/R^2 = 1e-3 of the lesser tension; the rounded law has sqrt(1 - 2e-5).
    """
    state = None
    for angle in np.linspace(0.0, np.pi / 3.0, 16):  # the band is laid on the drum
        found = sp.statics(band(40, angle, None), start=state)
        state = found.state()
    grip = sp.RoundedFriction(0.3, transition=1e-3)
    r = sp.simulate(band(40, np.pi / 3.0, grip), 0.4, start=state, tolerance=1e-5)
    force = r["anchor"].force[-1]
    tension = float(np.linalg.norm(force))
    angle = np.arccos(abs(force @ (0.5, 0, -np.sqrt(0.75))) / tension)
    assert tension == pytest.approx(10.0 * np.exp(0.3 * angle), rel=2e-3)


def sheet(ball: float | None) -> tuple[float, float]:
    """Deflection of the middle of a plate on four corners under 2 N, and the push of a ball there.

    Without a ball the force is on the plate itself.
    """
    m = sp.Model(gravity=(0, 0, 0))
    alloy = sp.Material(E=7e10, G=2.7e10, density=2700.0)
    plate = m.add(sp.ANCFPlate("plate", (0.4, 0.4), 2e-3, alloy, elements=(2, 2)))
    for k, (x, y) in enumerate(((0, 0), (0.4, 0), (0, 0.4), (0.4, 0.4))):
        m.add(sp.Spherical(f"corner{k}", m.ground.at(x, y, 0), plate.at(x, y)))
    middle = plate.at(0.2, 0.2)
    if ball is None:
        m.add(sp.Force("load", middle, force=(0, 0, -2.0)))
        return float(sp.statics(m)[middle].position[0, 2]), 2.0
    body = m.add(sp.RigidBody("ball", 0.1, inertia=1e-4))
    m.add(sp.Prismatic("down", m.ground.at(0.2, 0.2, ball + 1e-3 - 1e-6), body.at(0), "z"))
    m.add(sp.Force("load", body.at(0), force=(0, 0, -2.0)))
    law = sp.HuntCrossley(stiffness=1e9, exponent=1)
    touch = sp.Surface(plate, radius=1e-3), sp.Sphere(body.at(0), radius=ball)
    m.add(sp.Contact("touch", *touch, law))
    found = sp.statics(m)
    assert np.flatnonzero(found["touch"].gaps[0] < 0.0).size == 1
    return float(found[middle].position[0, 2]), float(found["touch"].normal_force[0])


def test_a_plate_pressed_by_a_ball_bends_as_under_a_force() -> None:
    """The ball touches the node in the middle alone, on the law of its area 0.2 m x 0.2 m."""
    (alone, _), (pressed, push) = sheet(None), sheet(0.05)
    assert push == pytest.approx(2.0, rel=1e-9)
    assert pressed == pytest.approx(alone, rel=1e-8)


# -------------------------------------------------------------------------------------- verdicts


def between_points(points: int | None) -> sp.results.Result:
    """A ball that falls on a beam between two of its points."""
    m = sp.Model(gravity=(0, 0, -9.81))
    rod = m.add(sp.Beam("rod", 1.0, ROD, STEEL, modes=2, elements=4))
    m.add(sp.Fixed("clamp", m.ground.at(0), rod.at(0)))
    ball = m.add(sp.RigidBody("ball", 0.01, inertia=1e-6))
    start = m.ground.at(0.3125, 0, 0.035)
    m.add(sp.Prismatic("fall", start, ball.at(0), "z", initial_rate=-1.0))
    law = sp.HuntCrossley(stiffness=1e6, restitution=0.7, speed=1.0)
    line = sp.Line(rod, radius=0.01, points=points)
    m.add(sp.Contact("hit", line, sp.Sphere(ball.at(0), radius=0.02), law))
    return sp.simulate(m, 0.05, tolerance=1e-5)


def test_points_too_far_apart_are_told_with_the_number_that_ends_it() -> None:
    """Balls 0.125 m apart let one of 0.02 m pass; the number that is told stops it and is quiet."""
    r = between_points(None)
    (told,) = [f for f in r.motion.findings if f.what == "points"]
    assert r["ball"].position[-1, 2] < -0.02, "it passes through"
    assert told.serious and told.value == pytest.approx(0.125**2 / (8.0 * 0.03))
    points = int(str(told).rsplit("points=", 1)[1])
    stopped = between_points(points)
    assert [f for f in stopped.motion.findings if f.what == "points"] == []
    assert stopped["ball"].velocity[-1, 2] > 0.0


# ------------------------------------------------------------------------------ touches and steps


def thrown(height: float, speed: float, radius: float, stiffness: float, thin: bool) -> sp.Model:
    """A cable that flies flat towards a thin plate, or to a floor."""
    m = sp.Model(gravity=(0, 0, 0))
    rope = m.add(sp.Cable("rope", 1.0, sp.Circle(0.002), STEEL, elements=8))
    start = m.ground.at(-0.5, 0, height)
    m.add(sp.Free("air", start, rope.at(0), initial_rate=(0, 0, 0, 0, 0, -speed)))
    body = sp.Cuboid(m.ground.at(0), size=(2.0, 0.1, 1e-4)) if thin else sp.Plane(m.ground.at(0))
    law = sp.HuntCrossley(stiffness=stiffness, restitution=0.5, speed=speed or 1.0, exponent=1)
    rubs = sp.RoundedFriction(0.3)
    m.add(sp.Contact("stop", sp.Line(rope, radius=radius), body, law, rubs))
    return m


@pytest.mark.parametrize("method", [sp.Radau, pytest.param(sp.BDF, marks=pytest.mark.slow)])
def test_no_ball_of_a_line_passes_through_what_is_thin(method: type) -> None:
    """The step is free: the way of one is far longer than the body is thick."""
    for height in (0.02, 0.1, 0.3) if method is sp.Radau else (0.1,):
        model = thrown(height, 3.0, 1e-5, 3e9, thin=True)
        r = sp.simulate(model, 1.1 * height / 3.0, tolerance=1e-2, integrator=method())
        assert r["rope"].nodes[..., 2].min() > 0.0, height
        assert len(r["stop"].touches) > 0


def test_what_lies_on_a_floor_without_a_load_takes_few_steps() -> None:
    """All gaps are zero but for rounding, which is no kink."""
    r = sp.simulate(thrown(1e-3, 0.0, 1e-3, 1e6, thin=False), 0.2, tolerance=1e-4)
    assert r.statistics["steps"] < 100


def test_energy_is_kept_by_balls_that_touch_at_once_and_part_one_by_one() -> None:
    for tolerance in (1e-4, 1e-6):
        r = sp.simulate(thrown(1e-3, 1.0, 1e-5, 3e7, thin=False), 0.003, tolerance=tolerance)
        assert np.abs(r.energy.error).max() < tolerance * r.energy.kinetic[0]
        assert len(r["stop"].touches) == 1


@pytest.mark.slow
def test_balls_that_stick_and_slip_take_steps_by_accuracy() -> None:
    """A band on a drum that turns: 41 balls, each with kinks of its own, end few steps."""
    m = sp.Model()
    band = m.add(sp.Cable("band", 1.0, sp.Circle(0.002), STEEL, 20, damping=sp.Rayleigh(1e-3)))
    m.add(sp.Spherical("anchor", m.ground.at(0), band.at(0)))
    drum = m.add(sp.RigidBody("drum", 1.0, inertia=1e-2))
    m.add(sp.Revolute("axle", m.ground.at(0.5, 0, -0.201), drum.at(0), "y"))
    m.add(sp.Driver("motor", "axle", "5*t**2"))
    side = sp.Cylinder(drum.at(0), radius=0.2, length=0.2, axis="y")
    law = sp.HuntCrossley(stiffness=1e6, exponent=1)
    m.add(sp.Contact("grip", sp.Line(band, radius=0.001), side, law, sp.Friction(0.3)))
    m.add(sp.Force("pull", band.at(1.0), force=(10, 0, -4)))
    r = sp.simulate(m, 0.05, tolerance=1e-4)
    assert r.statistics["steps"] < 2200  # 2900 if each ended one
    assert np.abs(r.energy.error).max() < 1e-3 * r.energy.kinetic.max()
