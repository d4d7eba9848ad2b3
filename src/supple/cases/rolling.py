"""Bodies that roll, and an edge: constraints that hold velocities alone, against closed forms.

The sleigh has one edge, which does not slip aside; discs and the wheels of the bicycle roll. The
references of the coin are the equations of the disc integrated by DOP853 to 1e-13.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.shapes.solids import Plane, Torus
from supple.cases.case import Case, ModelCase, Quantity, at_times, energy_error
from supple.constraints import Blade, Rolling
from supple.foundation.arrays import Array
from supple.foundation.frames import Frame
from supple.joints import Free, General, Planar, Revolute
from supple.model import Model
from supple.results.result import Result

G = 9.81  # m/s2
RUN = 1e-6  # error of a run at the tolerance of cases, beside its numbers
# The sleigh: mass 1 kg, inertia 0.5 kg m2, mass centre 0.4 m before the edge; it begins to turn
# with the edge at rest and its mass centre at 1.5 m/s times the arm over the radius of gyration
ARM, SPEED, GYRATION = 0.4, 1.5, math.sqrt(0.66)
SLEIGH_TIMES = (0.2, 0.4, 1.0, 2.0)
SLEIGH_END = (-0.78668491, 1.77266406, 0.6295856)  # x, y (m), lateral force (N) at 2 s
TILT, PRECESSION, RADIUS = math.radians(60.0), 8.0, 0.1
COIN = {  # at 0.5 s
    "x of the contact": (0.002004947021, 1e-8),
    "y of the contact": (0.002596923104, 1e-8),
    "tilt": (1.351668371642, 1e-6),
    "normal force": (9.835519807, 1e-4),
}
WHEELBASE, TRAIL, STEER = 1.02, 0.08, math.pi / 10.0
# Mass (kg), place (x, z) of the centre of mass (m, z is down), Ixx, Iyy, Izz, Ixz (kg m2)
PARTS: dict[str, tuple[float, tuple[float, float], float, float, float, float]] = {
    "rear_wheel": (2.0, (0.0, -0.3), 0.0603, 0.12, 0.0603, 0.0),
    "frame": (85.0, (0.3, -0.9), 9.2, 11.0, 2.8, 2.4),
    "fork": (4.0, (0.9, -0.7), 0.05892, 0.06, 0.00708, -0.00756),
    "front_wheel": (3.0, (WHEELBASE, -0.35), 0.1405, 0.28, 0.1405, 0.0),
}
BICYCLE = (-14.07838969, -0.77534188 + 4.46486771j, -0.32286643)  # 1/s, at 5 m/s


def sleigh() -> Model:
    """A body on ice with an edge behind its mass centre."""
    model = Model(gravity=(0, 0, 0), name="sleigh")
    body = model.add(RigidBody("sleigh", 1.0, inertia=(0.3, 0.4, 0.5)))
    turn = SPEED / GYRATION
    start: dict[str, Any] = {"initial": (ARM, 0, 0), "initial_rate": (0, ARM * turn, turn)}
    model.add(Planar("ice", model.ground.at(0), body.at(0), **start))
    model.add(Blade("edge", model.ground.at(0), body.at(-ARM), axis="y"))
    return model


def _sleigh(result: Result) -> list[Quantity]:
    # angle of the sleigh: twice the amplitude of tanh, 2 b/a atan(tanh(c t/2)), c = a V/b^2
    c = ARM * SPEED / GYRATION**2
    t = np.array(SLEIGH_TIMES)
    angle = GYRATION / ARM * 2.0 * np.arctan(np.tanh(0.5 * c * t))
    body = result["sleigh"]
    turned = np.unwrap(np.arctan2(body.matrix[:, 1, 0], body.matrix[:, 0, 0]))
    found = at_times("angle", turned, angle, RUN, SLEIGH_TIMES)
    last = len(body.position) == len(SLEIGH_TIMES)
    values = (*body.position[-1, :2], result["edge"].effort[-1]) if last else (math.nan,) * 3
    for name, value, reference in zip(("x", "y", "lateral force"), values, SLEIGH_END, strict=True):
        found.append(Quantity(f"{name} at 2 s", float(value), reference, RUN, 2.0))
    return [*found, energy_error(result, RUN)]


def _disc(
    name: str, tilt: float, rates: tuple[float, float], radius: float, turned: float = 0.0
) -> Model:
    """A thin disc of 1 kg that rolls on z = 0; ``rates`` are precession and spin along its axis."""
    model, moment = Model(gravity=(0, 0, -G), name=name), radius**2 / 4.0
    body = model.add(RigidBody("disc", 1.0, inertia=(moment, moment, 2.0 * moment)))
    c, s = math.cos(tilt), math.sin(tilt)
    about, node = 0.5 * turned, 0.5 * tilt
    attitude = (
        math.cos(about) * math.cos(node), math.cos(about) * math.sin(node),
        math.sin(about) * math.sin(node), math.sin(about) * math.cos(node),
    )  # fmt: skip
    place = (-radius * c * math.sin(turned), radius * c * math.cos(turned), radius * s)
    own = (0.0, rates[0] * s, rates[1])
    model.add(Free(
        "air", model.ground.at(0), body.at(0), initial=(*attitude, *place),
        initial_rate=(*own, -radius * rates[1], 0.0, 0.0),
    ))  # fmt: skip
    edge = Torus(body.at(0), radius=radius, section=0.0)
    model.add(Rolling("rolls", Plane(model.ground.at(0)), edge))
    return model


def _steady_spin() -> float:
    s, c, moment = math.sin(TILT), math.cos(TILT), RADIUS**2 / 4.0
    drive = moment * PRECESSION**2 * s * c - G * RADIUS * c
    return drive / ((2.0 * moment + RADIUS**2) * PRECESSION * s)


def steady_disc() -> Model:
    """A disc that rolls in a circle, tilted by 60 degrees."""
    return _disc("steady disc", TILT, (PRECESSION, _steady_spin()), RADIUS)


DISC_TIMES = (0.1, 0.2, 0.5, 1.0)


def _steady_disc(result: Result) -> list[Quantity]:
    count, rolls = len(DISC_TIMES), result["rolls"]
    force = np.linalg.norm(rolls.friction_force, axis=1)
    tilt = np.arccos(result["disc"].matrix[:, 2, 2])
    spin = _steady_spin()
    return [
        *at_times("tilt", tilt, [TILT] * count, RUN, DISC_TIMES),
        *at_times(
            "lateral force",
            force,
            [RADIUS * abs(spin) * PRECESSION] * count,
            10.0 * RUN,
            DISC_TIMES,
        ),
        *at_times("normal force", rolls.normal_force, [G] * count, 10.0 * RUN, DISC_TIMES),
        energy_error(result, RUN),
    ]


def coin() -> Model:
    """A coin upright within a degree that spins on its edge."""
    tilt, rate = math.radians(89.0), 10.0 * math.pi
    return _disc("coin", tilt, (rate, rate * math.cos(tilt)), 0.01, -0.5 * math.pi)


COIN_TIMES = (0.05, 0.1, 0.5)


def _coin(result: Result) -> list[Quantity]:
    rolls, ends = result["rolls"], len(result.t) == len(COIN_TIMES)
    tilt = np.arccos(result["disc"].matrix[:, 2, 2])
    values = (*rolls.point[-1, :2], tilt[-1], rolls.normal_force[-1]) if ends else (math.nan,) * 4
    found = [
        Quantity(f"{name} at 0.5 s", float(value), reference, tolerance, 0.5)
        for value, (name, (reference, tolerance)) in zip(values, COIN.items(), strict=True)
    ]
    found += at_times("gap", rolls.gap, [0.0] * len(COIN_TIMES), 1e-12, COIN_TIMES)
    return [*found, energy_error(result, RUN)]


def upright() -> Model:
    """A disc that rolls upright, with its spin as the last angle, so that no axes turn."""
    model, moment, spin = Model(gravity=(0, 0, -G), name="upright disc"), RADIUS**2 / 4.0, 20.0
    body = model.add(RigidBody("disc", 1.0, inertia=(moment, 2.0 * moment, moment)))
    axes: Any = [*(("translate", x) for x in "xyz"), *(("rotate", x) for x in "zxy")]
    start: dict[str, Any] = {"initial": (0, 0, RADIUS, 0, 0, 0)}
    start["initial_rate"] = (spin * RADIUS, 0, 0, 0, 0, spin)
    model.add(General("ride", model.ground.at(0), body.at(0), axes, **start))
    edge = Torus(body.at(0), radius=RADIUS, section=0.0, axis="y")
    model.add(Rolling("rolls", Plane(model.ground.at(0)), edge))
    return model


def _eigenvalues(model: Model) -> Array:
    """Eigenvalues (k,) of small motion about the start, but for zeros, by their real parts."""
    from supple.analyses.linear.linearize import linearize

    linear = linearize(model, "initial")
    return np.asarray(np.sort_complex(linear.eigenvalues[linear.zeros :]))


def _upright(model: Model) -> list[Quantity]:
    spin, moment = 20.0, RADIUS**2 / 4.0
    inertia = 2.0 * moment + RADIUS**2
    square = (2.0 * moment * inertia * spin**2 / moment - G * RADIUS) / (moment + RADIUS**2)
    found = _eigenvalues(model)
    wobble = float(np.max(np.abs(found.imag), initial=0.0))
    growth = float(np.max(np.abs(found.real), initial=math.inf if not len(found) else 0.0))
    return [
        Quantity("wobble", wobble, math.sqrt(square), 1e-8),
        Quantity("growth", growth, 0.0, 1e-8),
    ]


def bicycle() -> Model:
    """The bicycle of the benchmark at 5 m/s, upright and straight; z is down."""
    model, speed = Model(gravity=(0, 0, G), name="bicycle"), 5.0
    bodies = {
        name: model.add(RigidBody(name, mass, inertia=[[xx, 0, xz], [0, yy, 0], [xz, 0, zz]]))
        for name, (mass, _, xx, yy, zz, xz) in PARTS.items()
    }
    place = {name: np.array([x, 0.0, z]) for name, (_, (x, z), *_) in PARTS.items()}

    def both(one: str, other: str, where: Array) -> tuple[Frame, Frame]:
        first, second = (bodies[name].at(*(where - place[name])) for name in (one, other))
        return first, second

    frame = bodies["frame"].at(0)
    start: dict[str, Any] = {"initial": (1, 0, 0, 0, *place["frame"])}
    start["initial_rate"] = (0, 0, 0, speed, 0, 0)
    model.add(Free("ride", model.ground.at(0), frame, **start))
    axis = np.array([math.sin(STEER), 0.0, math.cos(STEER)])
    head = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) - 0.9 * axis
    model.add(Revolute("steering", *both("frame", "fork", head), axis=axis))
    floor = Plane(model.ground.at(0), normal="-z")
    for wheel, carrier in (("rear_wheel", "frame"), ("front_wheel", "fork")):
        radius, ends = -float(place[wheel][2]), both(carrier, wheel, place[wheel])
        model.add(Revolute(f"{wheel}_axle", *ends, axis="y", initial_rate=-speed / radius))
        edge = Torus(bodies[wheel].at(0), radius=radius, section=0.0, axis="y")
        model.add(Rolling(f"{wheel}_rolls", floor, edge))
    return model


def _bicycle(model: Model) -> list[Quantity]:
    found = _eigenvalues(model)
    known = sorted((*BICYCLE, np.conj(BICYCLE[1])), key=lambda z: (np.real(z), np.imag(z)))
    if len(found) != len(known):
        found = np.full(len(known), math.nan, dtype=complex)
    names = ("caster", "weave", "weave, conjugate", "capsize")
    return [
        Quantity(f"{part} part of {name}", float(take(a)), float(take(b)), 1e-7)
        for name, a, b in zip(names, found, known, strict=True)
        for part, take in (("real", np.real), ("imaginary", np.imag))
    ]


CASES = (
    Case(
        "rolling-sleigh", "an edge that does not slip aside",
        "Chaplygin's sleigh, closed form; its way by quadrature",
        SLEIGH_TIMES, sleigh, _sleigh,
    ),
    Case(
        "rolling-steady-disc", "a disc that rolls in a circle", "steady motion, closed form",
        DISC_TIMES, steady_disc, _steady_disc,
    ),
    Case(
        "rolling-coin", "a coin on its edge",
        "the coin of Rill and Schaeffer, equations of the disc integrated to 1e-13",
        COIN_TIMES, coin, _coin,
    ),
    ModelCase(
        name="rolling-upright", title="the wobble of an upright disc",
        source="small motion, closed form", build=upright, inspect=_upright,
    ),
    ModelCase(
        name="rolling-bicycle", title="the bicycle of the benchmark",
        source="Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007) 1955-1982",
        build=bicycle, inspect=_bicycle,
    ),
)  # fmt: skip
