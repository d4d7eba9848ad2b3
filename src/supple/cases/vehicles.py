"""Cars on tyres against closed forms.

The car with a single track (Riekert and Schunck 1940; Pacejka, Tyre and Vehicle Dynamics, 2012,
chapter 1) has the mass m, the moment of inertia I, axles a before and b behind its centre of mass,
and the cornering stiffnesses C_f and C_r. At the speed V and a small steer angle d it turns with

    r = V d/(L + K V^2)        K = m (b C_r - a C_f)/(L C_f C_r)        L = a + b

and with a C_f > b C_r it is unstable above V^2 = C_f C_r L^2/(m (a C_f - b C_r)).
"""

from __future__ import annotations

import numpy as np

from supple.analyses.linear.linearize import linearize
from supple.bodies.base.rigid import RigidBody
from supple.bodies.shapes.solids import Plane, Torus
from supple.cases.case import Case, ModelCase, Quantity, energy_error
from supple.forces import LinearTyre, Tyre
from supple.joints import Planar, Revolute
from supple.model import Model
from supple.results.result import Result

G = 9.81  # m/s2
MASS, INERTIA = 1500.0, 2500.0  # kg, kg m2 of the whole car
AHEAD, BEHIND = 1.2, 1.5  # m from the centre of mass to the axles
FRONT, REAR, LOOSE = 80e3, 90e3, 50e3  # N/rad; loose: the rear of a car that oversteers
SPEED, STEER = 20.0, 0.02  # m/s, rad
# Small steer angles, from which follows the limit for none
SMALL = (0.004, 0.002)
WHEEL, ROUND, SPIN = 10.0, 0.3, 0.5  # kg, m, kg m2 of one wheel in the place of two
STIFF = 4e5  # N/m
UNDERSTEER = MASS * (BEHIND * REAR - AHEAD * FRONT) / ((AHEAD + BEHIND) * FRONT * REAR)  # s2/m
YAW_RATE = 0.102466793169  # rad/s, SPEED STEER/(L + K SPEED^2)
CRITICAL = 30.425553170227  # m/s, of the loose car


SPEEDS = np.linspace(
    29.5, 31.5, 8
)  # m/s, at which the slowest motion of the loose car is asked for
STEADY = 4.0  # s, in which what is left of the start is 1e-9 of it, at 6/s
# Of the yaw rate: errors of runs at the tolerance of cases, over the smallest steer angle, and
# what is left of the start
RUN = 2e-8


def single_track(
    speed: float = SPEED, steer: float = STEER, rear: float = REAR, relaxation: float = 0.3
) -> Model:
    """A car with one wheel on each axle, which runs straight ahead; its front wheel is steered."""
    model = Model(gravity=(0, 0, -G), name="single track")
    add_car(model, "", speed, steer, rear, relaxation)
    return model


def add_car(
    model: Model, name: str, speed: float, steer: float, rear: float, relaxation: float = 0.3
) -> RigidBody:
    """Add a car with one wheel on each axle, whose parts have names that begin so."""
    length, body = AHEAD + BEHIND, MASS - 2.0 * WHEEL
    places = {"front": AHEAD, "rear": -BEHIND}
    loads = {"front": MASS * G * BEHIND / length, "rear": MASS * G * AHEAD / length}
    own = -sum(WHEEL * x for x in places.values()) / body
    yaw = INERTIA - sum(WHEEL * x**2 + 0.5 * SPIN for x in places.values()) - body * own**2
    chassis = model.add(RigidBody(f"{name}chassis", body, (own, 0, 0), (500.0, 2000.0, yaw)))
    start = model.ground.at(0)
    model.add(Planar(f"{name}way", start, chassis.at(0), initial_rate=(speed, 0, 0)))
    for axle, x in places.items():
        depth = loads[axle] / STIFF
        wheel = model.add(RigidBody(f"{name}{axle}", WHEEL, inertia=(0.5 * SPIN, SPIN, 0.5 * SPIN)))
        turn = (0, 0, steer if axle == "front" else 0.0)
        hub = chassis.at(x, 0, ROUND - depth, rotation=turn)
        rate = speed / (ROUND - 0.5 * depth)  # forces act half way between wheel and road
        model.add(Revolute(f"{name}{axle} axle", hub, wheel.at(0), "y", initial_rate=rate))
        shape = Torus(wheel.at(0), radius=0.8 * ROUND, section=0.2 * ROUND, axis="y")
        law = LinearTyre(FRONT if axle == "front" else rear, relaxation=relaxation)
        tyre = Tyre(f"{name}{axle} tyre", shape, Plane(model.ground.at(0)), law, stiffness=STIFF)
        model.add(tyre)
    return chassis


def steered() -> Model:
    """Three cars that pass through each other, with the reference's steer angle and small ones."""
    model = Model(gravity=(0, 0, -G), name="steered")
    for k, steer in enumerate((STEER, *SMALL)):
        add_car(model, f"car{k} ", SPEED, steer, REAR)
    return model


def _steered(result: Result) -> list[Quantity]:
    rates = [float(result[f"car{k} chassis"].angular_velocity[-1, 2]) for k in range(3)]
    first, second = (STEER * r / d for r, d in zip(rates[1:], SMALL, strict=True))
    limit = (4.0 * second - first) / 3.0
    speed = float(np.linalg.norm(result["car0 chassis"].velocity[-1, :2]))
    expected = speed * STEER / (AHEAD + BEHIND + UNDERSTEER * speed**2)
    return [
        Quantity("yaw rate for small angles", limit, YAW_RATE, RUN, STEADY),
        Quantity("yaw rate, beside its limit", rates[0] / expected, 1.0, STEER**2, STEADY),
        energy_error(result, RUN),
    ]


def loose() -> Model:
    """A car that oversteers, at the speed above which it is unstable."""
    return single_track(CRITICAL, 0.0, LOOSE)


def critical_speed(model: Model) -> float:
    """Speed (m/s) at which the slowest motion of the loose car neither grows nor decays."""
    rates = []
    for speed in SPEEDS:
        found = linearize(single_track(float(speed), 0.0, LOOSE), "initial").eigenvalues.real
        slow = found[np.abs(found) < 1.0]
        rates.append(float(slow[np.abs(slow).argmax()]))
    growth = np.polynomial.Chebyshev.fit(SPEEDS, rates, len(SPEEDS) - 1)
    roots = growth.roots()
    real = roots[np.abs(roots.imag) < 1e-9].real
    return float(real[np.abs(real - SPEEDS.mean()).argmin()])


def _loose(model: Model) -> list[Quantity]:
    return [Quantity("critical speed", critical_speed(model), CRITICAL, 1e-7)]


CASES = (
    Case(
        name="tyre-single-track",
        title="a car with one wheel on each axle that is steered",
        source="V d/(L + K V^2), closed form for small angles",
        times=(0.5, STEADY),
        build=steered,
        measure=_steered,
    ),
    ModelCase(
        name="tyre-critical-speed",
        title="the speed above which a car that oversteers is unstable",
        source="V^2 = C_f C_r L^2/(m (a C_f - b C_r)), closed form",
        build=loose,
        inspect=_loose,
    ),
)
