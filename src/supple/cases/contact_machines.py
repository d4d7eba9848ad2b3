"""Machines with bodies that touch which other programs ship, against equations and their numbers.

Exudyn was run with ever finer steps until its numbers did not change, with its springs of contact
as they are here: without damping, and one for each flat face. Where its friction, or the law of
MBSim or Cardillo, is another one, the same bodies were written down as equations of motion, which
give their numbers with their law, and the references with the law of this program
(``tests/cases/test_contact_machine_references.py`` integrates them once more).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.shapes.height_field import HeightField
from supple.bodies.shapes.solids import Cuboid, Plane, Point, Sphere, Torus
from supple.cases.case import Case, Quantity, at_times, energy_error
from supple.constraints import Driver
from supple.forces import (
    PID,
    Contact,
    Friction,
    HuntCrossley,
    JointEffort,
    JointSpring,
    RoundedFriction,
)
from supple.joints import Free, General, Planar, Prismatic, Revolute
from supple.model import Model
from supple.results.result import Result

G = 9.81  # m/s2
RUN = 1e-6  # error of a run, of numbers of the size of 1
SCIPY = "equations written by hand, SciPy's DOP853 at 1e-11"


def _spring(stiffness: float) -> HuntCrossley:
    return HuntCrossley(stiffness=stiffness, exponent=1.0)


def _compared(
    result: Result, label: str, values: Sequence[float], numbers: Sequence[float], end: float
) -> list[Quantity]:
    """Components of a vector at the end of a run beside their reference.

    The tolerance is that of vectors of the length 1, and grows with longer ones.
    """
    bound = RUN * max(1.0, math.hypot(*numbers))
    names = "xyz" if len(numbers) == 3 else [str(k) for k in range(len(numbers))]
    return [
        _last(result, f"{label} {name}", value, expected, bound, end)
        for name, value, expected in zip(names, values, numbers, strict=True)
    ]


def _last(
    result: Result, name: str, value: float, reference: float, tolerance: float, end: float
) -> Quantity:
    """A number at the end of a run beside its reference; NaN if the run ended before."""
    value = float(value) if result.t[-1] >= end else math.nan
    return Quantity(name, value, float(reference), tolerance, end)


# ------------------------------------------------------------------------ one coordinate

DROP, DROP_MASS, DROP_HARD = 0.05, 0.25, 2e6  # m, kg, N/m
DROP_TIMES = (0.2, 0.25, 0.35)


def dropped(t: float) -> tuple[float, float]:
    """Height (m) and velocity of a mass that falls on a spring, is thrown back, and so on."""
    fall, w = math.sqrt(2.0 * DROP / G), math.sqrt(DROP_HARD / DROP_MASS)
    v = G * fall
    touch = 2.0 * (math.pi - math.atan(v * w / G)) / w
    since = math.fmod(t - fall, 2.0 * fall + touch) - touch
    assert t > fall and since > 0.0
    return v * since - 0.5 * G * since**2, v - G * since


def drop() -> Model:
    """A mass falls on a spring that only pushes."""
    model = Model(gravity=(0, -G, 0), name="drop")
    body = model.add(RigidBody("mass", DROP_MASS, inertia=1e-4))
    model.add(Prismatic("way", model.ground.at(0), body.at(0), "y", initial=DROP))
    model.add(
        Contact("stop", Point(body.at(0)), Plane(model.ground.at(0), "y"), _spring(DROP_HARD))
    )
    return model


def _drop(result: Result) -> list[Quantity]:
    body, times = result["mass"], DROP_TIMES
    heights, speeds = zip(*(dropped(t) for t in times), strict=True)
    found = at_times("height", body.position[:, 1], heights, RUN, times)
    found += at_times("velocity", body.velocity[:, 1], speeds, RUN, times)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ cam, follower

CAM_SPEED = 8.0 * math.pi  # rad/s
CAM_DISCS = ((0.0, 0.05), (0.025, 0.035))  # m, place and radius
CAM_MASS, CAM_HARD = 0.288, 1.2e5  # kg of the follower, N/m: 2e6 N/m for each metre of its face
CAM_TIMES = (0.05, 0.1, 0.15, 0.2, 0.25)
# Exudyn at a step of 5e-7 s; at 2e-6 s it is up to 1e-9 m and 5e-7 m/s away
CAM_PLACES = (0.091418472696, 0.089895575090, 0.089898967370, 0.089913802775, 0.100156316701)
CAM_RATES = (0.005408201398, -0.077405193520, -0.006871546299, 0.001051632218, -0.018843784162)


def cam_follower() -> Model:
    """A cam of two discs turns below the flat face of a follower on a spring."""
    model = Model(name="cam and follower")
    cam = model.add(RigidBody("cam", 0.4398, inertia=5.5e-4))
    model.add(Revolute("axle", model.ground.at(0), cam.at(0), "z", initial_rate=CAM_SPEED))
    model.add(Driver("motor", "axle", f"{CAM_SPEED!r}*t"))
    follower = model.add(RigidBody("follower", CAM_MASS, inertia=2e-4))
    start = sum(CAM_DISCS[1]) + 0.04
    model.add(Prismatic("guide", model.ground.at(start, 0, 0), follower.at(0), "x"))
    model.add(JointSpring("spring", "guide", stiffness=1000.0, damping=20.0, rest=-0.02))
    face = Plane(follower.at(-0.04, 0, 0), (-1, 0, 0))
    for k, (x, r) in enumerate(CAM_DISCS):
        disc = Sphere(cam.at(x, 0, 0), radius=r)
        model.add(Contact(f"disc{k}", disc, face, _spring(CAM_HARD)))
    return model


def _cam_follower(result: Result) -> list[Quantity]:
    body = result["follower"]
    found = at_times("place", body.position[:, 0], CAM_PLACES, RUN, CAM_TIMES)
    found += at_times("velocity", body.velocity[:, 0], CAM_RATES, RUN, CAM_TIMES)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a lever with a pin

LEVER_MASS, LEVER, PIN, FLOOR_HARD, WALL_HARD = 20.0, 2.0, 0.075, 4e7, 1e7  # kg, m, N/m
LEVER_INERTIA = LEVER_MASS * (LEVER**2 + 0.1**2) / 12.0
# The floor carries the pin alone until the lever falls
LEVER_LOAD = LEVER_MASS * G / (1.0 + LEVER_MASS * (0.5 * LEVER) ** 2 / LEVER_INERTIA)
LEVER_END = 0.5
# SciPy; Exudyn at a step of 1e-6 s (-1.4852798039, -0.6815512588) m, (2.3731331894, -2.3348541832)
# m/s and 3.3544741679 rad/s, at 2e-6 s two to three times as far away
LEVER_AFTER: dict[str, Sequence[float]] = {
    "position": (-1.485279821541, -0.681551144558, 0.0),
    "velocity": (2.373133052503, -2.334840293371, 0.0),
    "angular_velocity": (0.0, 0.0, 3.354502400414),
}


def lever() -> Model:
    """A lever falls whose pin slides on a floor, hits a wall and is thrown back."""
    model = Model(gravity=(0, -G, 0), name="lever")
    body = model.add(RigidBody("lever", LEVER_MASS, inertia=LEVER_INERTIA))
    place = model.ground.at(-0.9 * LEVER, PIN - LEVER_LOAD / FLOOR_HARD, 0)
    model.add(Planar("plane", place, body.at(0)))
    pin = Sphere(body.at(0.5 * LEVER, 0, 0), radius=PIN)
    floor, wall = Plane(model.ground.at(0), "y"), Plane(model.ground.at(-1, 0, 0), "x")
    model.add(Contact("floor", pin, floor, _spring(FLOOR_HARD)))
    model.add(Contact("wall", pin, wall, _spring(WALL_HARD)))
    return model


def _lever(result: Result) -> list[Quantity]:
    found = []
    for what, numbers in LEVER_AFTER.items():
        values = getattr(result["lever"], what)[-1]
        found += _compared(result, what.replace("_", " "), values, numbers, LEVER_END)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ balls, friction, drive

# So deep as in its source: the verdict tells that what rolls has a radius smaller by 0.01
DRIVEN_RADIUS, DRIVEN_DEPTH, DRIVEN_MASS, DRIVEN_MU = 0.05, 1e-3, 0.025, 0.8  # m, kg
DRIVEN_PUSH = 500.0 * DRIVEN_DEPTH  # N, of two springs of 1000 N/m in a row
DRIVEN_LIMIT = DRIVEN_MU * DRIVEN_PUSH * (DRIVEN_RADIUS - 0.5 * DRIVEN_DEPTH)  # N m
DRIVEN_INERTIA, DRIVEN_RATE, DRIVEN_OFF = 0.4 * DRIVEN_MASS * DRIVEN_RADIUS**2, 0.2, 0.3  # N m/s, s
DRIVEN_BRISTLE, DRIVEN_DAMPER = 1e5, 50.0  # N/m, N s/m
DRIVEN_TIMES = (0.05, 0.2, 0.4, 0.8)


# N m/rad, of the bristle about the axle
DRIVEN_SHAFT = DRIVEN_BRISTLE * (DRIVEN_RADIUS - 0.5 * DRIVEN_DEPTH) ** 2


def driven(t: float) -> tuple[float, float]:
    """Angle (rad) and rate of a ball on a bristle that bends, slides, and springs back at rest."""
    begin, bend = DRIVEN_LIMIT / DRIVEN_RATE, DRIVEN_LIMIT / DRIVEN_SHAFT
    first = DRIVEN_RATE / DRIVEN_SHAFT
    if t <= begin:
        return first * t, first
    on, grows = min(t, DRIVEN_OFF) - begin, DRIVEN_RATE / DRIVEN_INERTIA
    angle, rate = bend + first * on + grows * on**3 / 6.0, first + 0.5 * grows * on**2
    if t <= DRIVEN_OFF:
        return angle, rate
    slower = DRIVEN_LIMIT / DRIVEN_INERTIA
    if t <= DRIVEN_OFF + rate / slower:
        brakes = t - DRIVEN_OFF
        return angle + rate * brakes - 0.5 * slower * brakes**2, rate - slower * brakes
    return angle + 0.5 * rate**2 / slower - bend, 0.0


def driven_ball() -> Model:
    """A ball that is pressed on a fixed one is turned by a torque that grows, and let go."""
    model = Model(name="driven ball")
    r = DRIVEN_RADIUS
    body = model.add(RigidBody("ball", DRIVEN_MASS, inertia=DRIVEN_INERTIA))
    place = model.ground.at(0, 2.0 * r - DRIVEN_DEPTH, 0)
    model.add(Revolute("axle", place, body.at(0), "x"))
    torque = f"{DRIVEN_RATE!r}*t*(1 - step(t - {DRIVEN_OFF!r}))"
    model.add(JointEffort("torque", "axle", torque))
    law = _spring(500.0)
    rubs = Friction(DRIVEN_MU, stiffness=DRIVEN_BRISTLE, damping=DRIVEN_DAMPER)
    fixed, ball = Sphere(model.ground.at(0), radius=r), Sphere(body.at(0), radius=r)
    model.add(Contact("rubs", fixed, ball, law, rubs))
    return model


def _driven_ball(result: Result) -> list[Quantity]:
    joint, times = result["axle"], DRIVEN_TIMES
    angles, rates = zip(*(driven(t) for t in times), strict=True)
    # Until it slides the bristle is a spring whose load grows, behind by the time of its damper
    behind = DRIVEN_RATE / DRIVEN_SHAFT * DRIVEN_DAMPER / DRIVEN_BRISTLE
    found = at_times("angle", joint.coordinates[:, 0], angles, RUN + behind, times)
    found += at_times("rate", joint.rates[:, 0], rates, 10.0 * RUN, times)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a roller bearing

ROLLERS, ROLLER, ORBIT, OUTER, INNER = 8, 0.1, 0.5, 0.6, 0.4  # radii in m
ROLLER_MASS, INNER_MASS = 7800.0 * 0.12 * math.pi * ROLLER**2, 7800.0 * 0.12 * math.pi * INNER**2
FIT = 1.001  # of the radii of the rollers: they are pressed in
BEARING_END = 0.03
BEARING_SPEED = 9.140670088891  # rad/s, of the shaft
# Angular velocities (rad/s) of the rollers, place and velocity of the first one. With Exudyn's
# friction, in proportion to the slip below 1e-3 m/s, the same equations give 11.7164564545 rad/s of
# the shaft and -4.2021328255 of the first roller after 5 ms, as Exudyn at a step of 1e-6 s. Its
# friction must not begin in that proportion, as in its example: a first step of h then has pushes
# of 5000 times the limit, and what it makes of them depends on h
BEARING_SPINS = (
    -18.269873871211, -18.269948497933, -18.269868772236, -18.269848413560,
    -18.270026596163, -18.270140130123, -18.269986408885, -18.269824271267,
)  # fmt: skip
BEARING_PLACE = (0.498784056990, 0.034862076233, 0.0)
BEARING_RATE = (-0.127467584965, 1.822712244099, 0.0)


def bearing() -> Model:
    """Rollers at rest between a shaft that turns and a ring slide, then roll."""
    model = Model(gravity=(0, -10.0, 0), name="roller bearing")
    shaft = model.add(RigidBody("shaft", INNER_MASS, inertia=0.5 * INNER_MASS * INNER**2))
    speed = 4.0 * math.pi
    model.add(Revolute("axle", model.ground.at(0), shaft.at(0), "z", initial_rate=speed))
    ring = Sphere(model.ground.at(0), radius=OUTER, inside=True)
    core = Sphere(shaft.at(0), radius=INNER)
    law, rubs = _spring(1e8), RoundedFriction(0.2, transition=1e-2)
    mass, inertia = ROLLER_MASS, 0.5 * ROLLER_MASS * ROLLER**2
    for k in range(ROLLERS):
        angle = 2.0 * math.pi * k / ROLLERS
        body = model.add(RigidBody(f"roller{k}", mass, inertia=inertia))
        place = model.ground.at(ORBIT * math.cos(angle), ORBIT * math.sin(angle), 0)
        model.add(Planar(f"way{k}", place, body.at(0)))
        roller = Sphere(body.at(0), radius=FIT * ROLLER)
        model.add(Contact(f"outer{k}", ring, roller, law, rubs))
        model.add(Contact(f"inner{k}", core, roller, law, rubs))
    return model


def _bearing(result: Result) -> list[Quantity]:
    end = BEARING_END
    spins = [float(result[f"roller{k}"].angular_velocity[-1, 2]) for k in range(ROLLERS)]
    found = _compared(result, "spin", spins, BEARING_SPINS, end)
    shaft = float(result["shaft"].angular_velocity[-1, 2])
    found.append(_last(result, "speed of the shaft", shaft, BEARING_SPEED, 10.0 * RUN, end))
    first = result["roller0"]
    found += _compared(result, "place", first.position[-1], BEARING_PLACE, end)
    found += _compared(result, "velocity", first.velocity[-1], BEARING_RATE, end)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ wheels with rollers

MECANUM_WHEEL, MECANUM_HALF, MECANUM_CAR, MECANUM_HARD = 0.4, 1.5, 500.0, 1e7  # m, kg, N/m
MECANUM_MASS = 500.0 * math.pi * MECANUM_WHEEL**2 * 0.2
MECANUM_LOAD = G * (MECANUM_CAR + 4.0 * MECANUM_MASS) / 4.0
MECANUM_END = 0.5
# m, m/s, rad/s of two of the wheels. With Exudyn's law, mu N v1/|v| with the velocity v1 along the
# axes of the rollers and v of the whole wheel, the same equations give 0.2836395956 m and
# 0.8378869247 m/s, Exudyn at a step of 2e-4 s 0.2836385 and 0.8378886
MECANUM_AFTER = (0.396969572312, 0.996616512374, 2.492161240042, -2.492104467862)


def mecanum() -> Model:
    """A platform on four wheels with rollers at 45 degrees drives sideways."""
    model = Model(gravity=(0, 0, -G), name="mecanum wheels")
    r, half, mass = MECANUM_WHEEL, MECANUM_HALF, MECANUM_MASS
    flat, high = (2.0 * half) ** 2 + r**2, 2.0 * (2.0 * half) ** 2
    inertia = np.array([flat, flat, high]) * MECANUM_CAR / 12.0
    body = model.add(RigidBody("platform", MECANUM_CAR, inertia=inertia))
    model.add(Free("way", model.ground.at(0, 0, r - MECANUM_LOAD / MECANUM_HARD), body.at(0)))
    across, road = mass * (3.0 * r**2 + 0.2**2) / 12.0, Plane(model.ground.at(0))
    wheels = ((-1, -1, 1), (1, -1, -1), (-1, 1, -1), (1, 1, 1))
    for k, (x, y, turns) in enumerate(wheels):
        wheel = model.add(RigidBody(f"wheel{k}", mass, inertia=(0.5 * mass * r**2, across, across)))
        model.add(Revolute(f"axle{k}", body.at(half * x, half * y, 0), wheel.at(0), "x"))
        model.add(PID(f"motor{k}", f"axle{k}", kd=500.0, target=f"{turns / r!r}*t"))
        rubs = RoundedFriction((1.0, 0.0), axle_angle=-0.25 * math.pi * x * y, transition=0.1)
        edge = Torus(wheel.at(0), radius=r, axis="x")
        model.add(Contact(f"patch{k}", edge, road, _spring(MECANUM_HARD), rubs))
    return model


def _mecanum(result: Result) -> list[Quantity]:
    platform, end = result["platform"], MECANUM_END
    rates = [float(result[f"axle{k}"].rates[-1, 0]) for k in (0, 1)]
    place, velocity = platform.position[-1], platform.velocity[-1]
    values = [float(place[0]), float(velocity[0]), *rates]
    names = ("place", "velocity", "rate of wheel 0", "rate of wheel 1")
    found = [
        _last(result, name, value, expected, RUN * max(1.0, abs(expected)), end)
        for name, value, expected in zip(names, values, MECANUM_AFTER, strict=True)
    ]
    found.append(_last(result, "place aside", place[1], 0.0, RUN, end))
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a falling cube

CUBE, CUBE_MASS, CUBE_HARD = 0.1, 0.1, 1e6  # m, kg, N/m
CUBE_END = 0.6
CUBE_AFTER: dict[str, Sequence[float]] = {
    "position": (1.158295095858, 0.088708985674, 0.613355964743),
    "velocity": (1.434531480995, 0.255769304575, 1.203685970945),
    "angular_velocity": (20.660180049471, -11.748859895394, -5.870576059720),
}


def cube() -> Model:
    """A cube falls on a floor, turns over and is thrown up by its corners, which rub."""
    model = Model(gravity=(0, -G, 0), name="cube")
    body = model.add(RigidBody("cube", CUBE_MASS, inertia=CUBE_MASS * CUBE**2 / 6.0))
    rates = (3.0, 2.0, -1.0, 2.0, 0.0, 1.0)
    model.add(Free("air", model.ground.at(0, 0.6, 0), body.at(0), initial_rate=rates))
    law = HuntCrossley(stiffness=CUBE_HARD, restitution=0.4, speed=3.0, exponent=1.0)
    box, floor = Cuboid(body.at(0), size=(CUBE, CUBE, CUBE)), Plane(model.ground.at(0), "y")
    model.add(Contact("floor", box, floor, law, RoundedFriction(0.3, transition=1e-2)))
    return model


def _cube(result: Result) -> list[Quantity]:
    found = []
    for what, numbers in CUBE_AFTER.items():
        values = getattr(result["cube"], what)[-1]
        found += _compared(result, what.replace("_", " "), values, numbers, CUBE_END)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ sticks, slips

DRAWN_HARD, DRAWN_SPRING = 1e5, 2.0  # N/m, of the bristle and of the spring that is drawn
DRAWN_TIMES = (7.4, 8.0, 10.0, 15.0, 20.0, 25.0)
# m, from 8 s on, by the law of LuGre, which Exudyn integrates: its bristle creeps
DRAWN_BY_LUGRE = (0.0735083, 0.6275831, 0.9182797, 1.2725964, 1.9088392)
DRAWN_PLACES = (
    0.000014793372, 0.051948137857, 0.635644938100, 0.849236408284, 1.302372497984, 1.953548750325,
)  # fmt: skip
DRAWN_RATES = (0.000001999960, 0.217992528983, 0.094847559829, 0.359920576787, 2e-6, 2e-6)


def stick_slip() -> Model:
    """A block is drawn by a spring whose other end moves on: it sticks, slips, sticks."""
    model = Model(gravity=(0, 0, -G), name="stick-slip")
    body = model.add(RigidBody("block", 1.0, inertia=0.01))
    model.add(Prismatic("way", model.ground.at(0, 0, -G / 1e6), body.at(0), "x"))
    model.add(JointSpring("spring", "way", stiffness=DRAWN_SPRING, damping=0.4))
    model.add(JointEffort("drawn", "way", f"{0.1 * DRAWN_SPRING!r}*t"))
    rubs = Friction(
        1.0 / G, static=1.5 / G, stribeck=1e-3, stiffness=DRAWN_HARD, damping=math.sqrt(DRAWN_HARD)
    )
    floor = Plane(model.ground.at(0))
    model.add(Contact("rubs", Point(body.at(0)), floor, _spring(1e6), rubs))
    return model


def _stick_slip(result: Result) -> list[Quantity]:
    body = result["block"]
    found = at_times("place", body.position[:, 0], DRAWN_PLACES, RUN, DRAWN_TIMES)
    found += at_times("velocity", body.velocity[:, 0], DRAWN_RATES, RUN, DRAWN_TIMES)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a spinning ball

SPIN, SPIN_HEIGHT, SPIN_RADIUS, SPIN_END, SPIN_HARD = 50.0, 1.0, 0.1, 0.8, 1e12  # rad/s, m, s, N/m
SPIN_SPEED = math.sqrt(2.0 * G * (SPIN_HEIGHT - SPIN_RADIUS))


def spinning_ball() -> Model:
    """A ball that spins against its way falls on a floor, rubs and is thrown back."""
    model = Model(gravity=(0, -G, 0), name="spinning ball")
    inertia = 0.4 * SPIN_RADIUS**2
    body = model.add(RigidBody("ball", 1.0, inertia=inertia))
    rates = (0.0, 0.0, SPIN, 1.0, 0.0, 0.0)
    place = model.ground.at(-1.0, SPIN_HEIGHT, 0)
    model.add(Free("air", place, body.at(0), initial_rate=rates))
    law = HuntCrossley(stiffness=SPIN_HARD, restitution=0.5, speed=SPIN_SPEED, exponent=1.0)
    ball, floor = Sphere(body.at(0), radius=SPIN_RADIUS), Plane(model.ground.at(0), "y")
    model.add(Contact("floor", ball, floor, law, RoundedFriction(0.2, transition=1e-3)))
    return model


def _spinning_ball(result: Result) -> list[Quantity]:
    end, v, fall = SPIN_END, SPIN_SPEED, SPIN_SPEED / G
    after, inertia = end - fall, 0.4 * SPIN_RADIUS
    rubbed = 0.2 * 1.5 * v  # m/s; it slides all the time
    height = SPIN_RADIUS + 0.5 * v * after - 0.5 * G * after**2
    reference = {
        "position": (-1.0 + fall + (1.0 - rubbed) * after, height, 0.0),
        "velocity": (1.0 - rubbed, 0.5 * v - G * after, 0.0),
        "angular_velocity": (0.0, 0.0, SPIN - rubbed / inertia),
    }
    # Beside impulses of a rigid ball: the weight during the touch of some 4/w, as far as speeds are
    # compared with v, and the arm that is shorter by half of the depth of at most v/w
    w = math.sqrt(SPIN_HARD)
    share, found = 4.0 * G / (w * v) + v / (w * SPIN_RADIUS), []
    for what, numbers in reference.items():
        values = getattr(result["ball"], what)[-1]
        size = SPIN if what == "angular_velocity" else v
        for axis, value, expected in zip("xyz", values, numbers, strict=True):
            name = f"{what.replace('_', ' ')} {axis}"
            found.append(_last(result, name, value, expected, share * size, end))
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a hill

HILL_HARD, HILL_GRAVITY, HILL_TIMES = 1e6, 10.0, (0.5, 0.8, 1.0)  # N/m, m/s2, s
HILL_X = (1.05, 1.6049212045, 2.1292034393)
HILL_Z = (-0.25, -1.2867153890, -2.2516595303)


def hill() -> Model:
    """A point falls on a ground with the heights of a parabola and slides down."""
    model = Model(gravity=(0, 0, -HILL_GRAVITY), name="parabola")
    body = model.add(RigidBody("point", 1.0, inertia=1e-3))
    ways: list[tuple[Literal["translate"], str]] = [("translate", axis) for axis in "xz"]
    start, rate = model.ground.at(1.0, 0, 1.0), (0.1, 0.0)
    model.add(General("ways", start, body.at(0), ways, initial_rate=rate))
    x = 0.25 * np.arange(17)
    heights = [[-0.5 * float(s) ** 2] * 9 for s in x]
    ground = HeightField(model.ground.at(0, -1, 0), heights=heights, spacing=0.25)
    law = HuntCrossley(stiffness=HILL_HARD, restitution=0.1, speed=4.0, exponent=1.0)
    rubs = RoundedFriction(0.3, transition=1e-2)
    model.add(Contact("slides", ground, Point(body.at(0)), law, rubs))
    return model


def _hill(result: Result) -> list[Quantity]:
    place = result["point"].position
    found = at_times("x", place[:, 0], HILL_X, RUN, HILL_TIMES)
    found += at_times("z", place[:, 2], HILL_Z, RUN, HILL_TIMES)
    return [*found, energy_error(result, RUN)]


def _case(  # type: ignore[no-untyped-def]
    name: str, title: str, source: str, times: tuple[float, ...], build, measure
) -> Case:
    return Case(
        name=f"contact-{name}",
        title=title,
        source=source,
        times=times,
        build=build,
        measure=measure,
    )


CASES = (
    _case(
        "drop", "a mass falls on a spring that only pushes",
        "Exudyn's contactCoordinateTest without damping; closed form",
        DROP_TIMES, drop, _drop,
    ),
    _case(
        "cam-follower", "a cam of two discs lifts a flat follower, which is thrown off",
        "Exudyn's camFollowerExample without damping of contact, by its trapezoidal rule at ever "
        "finer steps",
        CAM_TIMES, cam_follower, _cam_follower,
    ),
    _case(
        "lever", "a lever falls whose pin slides on a floor and hits a wall",
        f"Exudyn's contactCurveExample, its second lever, on harder springs without damping; "
        f"{SCIPY}",
        (LEVER_END,), lever, _lever,
    ),
    _case(
        "driven-ball", "a ball pressed on another one is turned by a torque that grows",
        "Exudyn's generalContactFrictionTests, the ball that is driven; closed form",
        DRIVEN_TIMES, driven_ball, _driven_ball,
    ),
    _case(
        "roller-bearing", "rollers between a shaft and a ring slide, then roll",
        f"Exudyn's rollerBearningModel without damping; {SCIPY}",
        (BEARING_END,), bearing, _bearing,
    ),
    _case(
        "mecanum", "a platform on wheels with rollers drives sideways",
        f"Exudyn's mecanumWheelRollingDiscTest without damping, on harder wheels; {SCIPY}",
        (MECANUM_END,), mecanum, _mecanum,
    ),
    _case(
        "cube", "a cube falls on a floor and turns over",
        f"MBSim's cuboid_plane with springs at its corners; {SCIPY}",
        (CUBE_END,), cube, _cube,
    ),
    _case(
        "stick-slip", "a block is drawn by a spring: it sticks, slips, sticks",
        f"Exudyn's lugreFrictionTest with this program's friction; {SCIPY}",
        DRAWN_TIMES, stick_slip, _stick_slip,
    ),
    _case(
        "spinning-ball", "a ball that spins falls on a floor and rubs",
        "Cardillo's RotatingBouncingBall to its second impact; impulses of a rigid ball",
        (SPIN_END,), spinning_ball, _spinning_ball,
    ),
    _case(
        "parabola", "a point falls on a hill and slides down",
        f"Cardillo's 2DBallOnParabola with a spring in the place of a plastic impact; {SCIPY}",
        HILL_TIMES, hill, _hill,
    ),
)  # fmt: skip
