"""Bodies that touch, against closed forms: bounces, friction on a slope, braking, rolling.

Forces of contact act while bodies overlap; closed forms without them hold but for rounding of a run
where they say so: restitution for any stiffness, a brake's way less what its bristle springs back,
the speed of a rolling ball with the arm from its centre to the middle of the overlap.
"""

from __future__ import annotations

import math
from typing import Literal

from supple.bodies.base.rigid import RigidBody
from supple.bodies.shapes.solids import (
    Cuboid,
    Plane,
    Point,
    Sphere,
)
from supple.cases.case import Case, Quantity, at_times, energy_error
from supple.forces import Contact, Friction, HuntCrossley
from supple.forces.contact_laws import ContactFriction
from supple.joints import Free, General, Prismatic
from supple.model import Model
from supple.results.result import Result

G = 9.81  # m/s2
RADIUS, STIFFNESS, STIFF = 0.05, 1e7, 1e6  # m; N/m^1.5 of balls; N/m of blocks and their bristles
RUN = 1e-6  # error of velocities in a run at the tolerance of cases, beside the speeds
# Speeds (m/s) of approach and restitution of balls that hit a floor
BOUNCES = ((0.1, 0.95), (1.0, 0.8), (1.0, 0.5), (10.0, 0.3), (100.0, 0.1))
SLOPE, MU = math.radians(10.0), 0.5
THICK = (0.1, 1e-3, 1e-4)  # m, of walls
# Velocities (m/s) after a ball at 1 m/s has hit two at rest that touch each other: three equal
# masses on springs that only push, of exponent 1 and 1.5, integrated with SciPy's Radau to 1e-12
CRADLE = {1.0: (-0.1302617, 0.1502296, 0.9800321), 1.5: (-0.0709524, 0.0764030, 0.9945493)}


def _ball(model: Model, name: str, place: tuple[float, ...], rate: tuple[float, ...]) -> RigidBody:
    """A ball of 1 kg in the air."""
    body = model.add(RigidBody(name, 1.0, inertia=0.4 * RADIUS**2))
    model.add(Free(f"{name}_air", model.ground.at(*place), body.at(0), initial_rate=rate))
    return body


def restitution() -> Model:
    """Balls of different speeds and restitutions above one floor, without weight."""
    model = Model(gravity=(0, 0, 0), name="restitution")
    floor = Plane(model.ground.at(0))
    for k, (v, e) in enumerate(BOUNCES):
        body = _ball(model, f"ball{k}", (k, 0, RADIUS + 0.01 * v), (0, 0, 0, 0, 0, -v))
        law = HuntCrossley(stiffness=STIFFNESS, restitution=e, speed=v)
        model.add(Contact(f"hit{k}", Sphere(body.at(0), radius=RADIUS), floor, law))
    return model


def _restitution(result: Result) -> list[Quantity]:
    found = []
    for k, (v, e) in enumerate(BOUNCES):
        after = float(result[f"ball{k}"].velocity[-1, 2]) / v
        found.append(Quantity(f"restitution {e:g} at {v:g} m/s", after, e, RUN, 0.2))
        lost = float(result[f"hit{k}"].lost_by_push[-1]) / (0.5 * v**2)
        found.append(Quantity(f"loss with {e:g} at {v:g} m/s", lost, 1.0 - e**2, 2.0 * RUN, 0.2))
    return [*found, energy_error(result, RUN)]


def _block(name: str, friction: ContactFriction, angle: float, v: float) -> Model:
    """A block of 1 kg that does not turn, pressed into a slope by its weight."""
    model = Model(gravity=(G * math.sin(angle), 0, -G * math.cos(angle)), name=name)
    body = model.add(RigidBody("block", 1.0, inertia=0.01))
    rest = model.ground.at(0, 0, -G * math.cos(angle) / STIFF)
    ways: list[tuple[Literal["translate"], str]] = [("translate", axis) for axis in "xyz"]
    model.add(General("ways", rest, body.at(0), ways, initial_rate=(v, 0, 0)))
    law = HuntCrossley(stiffness=STIFF, restitution=0.2, speed=0.1, exponent=1.0)
    pair = Point(body.at(0)), Plane(model.ground.at(0))
    model.add(Contact("sole", *pair, law, friction))
    return model


def slope() -> Model:
    """A block on a slope of 10 degrees that friction holds."""
    return _block("slope", Friction(MU, stiffness=STIFF), SLOPE, 0.0)


SLOPE_TIMES = (1.0, 2.0, 5.0, 10.0)


def _slope(result: Result) -> list[Quantity]:
    x = result["block"].position[:, 0]
    place = G * math.sin(SLOPE) / STIFF
    found = at_times("place", x, [place] * len(SLOPE_TIMES), 1e-9 * place, SLOPE_TIMES)
    creep = float(x[-1] - x[0]) if len(x) == len(SLOPE_TIMES) else math.nan
    found.append(Quantity("way from 1 s on", creep, 0.0, 1e-12, SLOPE_TIMES[-1]))
    return [*found, energy_error(result, RUN)]


def braking() -> Model:
    """A block that slides to rest from 2 m/s."""
    return _block("braking", Friction(MU, stiffness=STIFF), 0.0, 2.0)


def _braking(result: Result) -> list[Quantity]:
    way = 2.0**2 / (2.0 * MU * G) - MU * G / STIFF
    x = float(result["block"].position[-1, 0])
    lost = float(result["sole"].lost_by_friction[-1])
    return [
        Quantity("way", x, way, 1e-8, 1.0),
        Quantity("energy lost", lost, 2.0, 2.0 * RUN, 1.0),
        energy_error(result, RUN),
    ]


DEPTH = (G / STIFFNESS) ** (2.0 / 3.0)  # of a ball at rest


def rolling() -> Model:
    """A ball that slides with 2 m/s, then rolls."""
    model = Model(gravity=(0, 0, -G), name="ball rolls")
    body = _ball(model, "ball", (0, 0, RADIUS - DEPTH), (0, 0, 0, 2.0, 0, 0))
    law = HuntCrossley(stiffness=STIFFNESS, restitution=0.3)
    pair = Sphere(body.at(0), radius=RADIUS), Plane(model.ground.at(0))
    model.add(Contact("heel", *pair, law, Friction(0.3)))
    return model


def _rolling(result: Result) -> list[Quantity]:
    arm = RADIUS - 0.5 * DEPTH
    speed = 2.0 * arm**2 / (0.4 * RADIUS**2 + arm**2)
    ball = result["ball"]
    found = at_times("speed", ball.velocity[:, 0], [speed] * 2, 1e-7, (0.5, 1.0))
    found += at_times("turn", ball.angular_velocity[:, 1], [speed / arm] * 2, 1e-5, (0.5, 1.0))
    return [*found, energy_error(result, RUN)]


def oblique() -> Model:
    """A ball that hits a floor obliquely and slides all the time."""
    model = Model(gravity=(0, 0, 0), name="oblique bounce")
    body = _ball(model, "ball", (0, 0, RADIUS + 0.01), (0, 0, 0, 3.0, 0, -2.0))
    law = HuntCrossley(stiffness=STIFFNESS, restitution=0.8, speed=2.0)
    pair = Sphere(body.at(0), radius=RADIUS), Plane(model.ground.at(0))
    model.add(Contact("heel", *pair, law, Friction(0.1)))
    return model


def _oblique(result: Result) -> list[Quantity]:
    v = result["ball"].velocity[-1]
    return [
        Quantity("speed along the floor", float(v[0]), 3.0 - 0.1 * 1.8 * 2.0, RUN, 0.02),
        Quantity("speed up", float(v[2]), 1.6, 2.0 * RUN, 0.02),
        energy_error(result, RUN),
    ]


def cradle() -> Model:
    """A ball hits two that touch; two such rows, of linear springs and of Hertz's."""
    model = Model(gravity=(0, 0, 0), name="cradle")
    for row, exponent in enumerate(CRADLE):
        balls = []
        for k in range(3):
            body = model.add(RigidBody(f"ball{row}{k}", 1.0, inertia=1e-3))
            place = model.ground.at(2.0 * RADIUS * k - (1e-3 if k == 0 else 0.0), row, 0)
            rate = 1.0 if k == 0 else 0.0
            model.add(Prismatic(f"way{row}{k}", place, body.at(0), "x", 0.0, rate))
            balls.append(Sphere(body.at(0), radius=RADIUS))
        law = HuntCrossley(stiffness=STIFF, exponent=exponent)
        for k in range(2):
            model.add(Contact(f"touch{row}{k}", balls[k], balls[k + 1], law))
    return model


def _cradle(result: Result) -> list[Quantity]:
    found = []
    for row, (exponent, after) in enumerate(CRADLE.items()):
        for k, v in enumerate(after):
            got = float(result[f"ball{row}{k}"].velocity[-1, 0])
            found.append(Quantity(f"ball {k}, exponent {exponent:g}", got, v, 2e-7, 0.1))
    return [*found, energy_error(result, RUN)]


def thin_wall() -> Model:
    """Points at 3 m/s and walls, down to one of 0.1 mm, in the way of steps of half a second."""
    model = Model(gravity=(0, 0, 0), name="thin wall")
    law = HuntCrossley(stiffness=1e13, restitution=0.9, speed=3.0)
    for k, thickness in enumerate(THICK):
        body = _ball(model, f"shot{k}", (-1.5, 3.0 * k, 0), (0, 0, 0, 3.0, 0.01, 0))
        wall = Cuboid(model.ground.at(0, 3.0 * k, 0), (thickness, 2.0, 2.0))
        model.add(Contact(f"wall{k}", Point(body.at(0)), wall, law))
    return model


def _thin_wall(result: Result) -> list[Quantity]:
    found = []
    for k, thickness in enumerate(THICK):
        v = float(result[f"shot{k}"].velocity[-1, 0])
        found.append(Quantity(f"speed after {1e3 * thickness:g} mm", v, -2.7, 3.0 * RUN, 2.0))
    return [*found, energy_error(result, RUN)]


def _case(name, title, source, times, build, measure) -> Case:  # type: ignore[no-untyped-def]
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
        "restitution", "balls that hit a floor", "x (1 + e) = ln((1 + x)/(1 - e x)), closed form",
        (0.2,), restitution, _restitution,
    ),
    _case(
        "slope", "a block that friction holds on a slope", "place f/k of a bristle at rest",
        SLOPE_TIMES, slope, _slope,
    ),
    _case(
        "braking", "a block that slides to rest", "v^2/(2 mu g) - mu N/k",
        (1.0,), braking, _braking,
    ),
    _case(
        "ball-rolls", "a ball that slides, then rolls", "angular momentum about the contact",
        (0.5, 1.0), rolling, _rolling,
    ),
    _case(
        "oblique", "an oblique bounce that slides", "impulses (1 + e) v and mu times that",
        (0.02,), oblique, _oblique,
    ),
    _case(
        "cradle", "a ball that hits two", "three masses on springs that push, integrated to 1e-12",
        (0.1,), cradle, _cradle,
    ),
    _case(
        "thin-wall", "walls down to 0.1 mm", "restitution of the law, closed form",
        (2.0,), thin_wall, _thin_wall,
    ),
)  # fmt: skip
