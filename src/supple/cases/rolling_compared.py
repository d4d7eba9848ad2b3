"""Discs and a bicycle that roll in models which Exudyn ships, against its converged numbers.

Exudyn 1.13.6 was run by its trapezoidal rule of index 2 with ever finer steps and a tolerance of
Newton's method of 1e-11. Halving a step moves its numbers by a fourth of the last such change, so
two are extrapolated to a step of zero. What the last halving changes in that is beside the numbers;
tolerances are the errors of runs here, which are larger. Its forces of contact are no references:
they alternate from step to step about the right ones, by 2 per cent of the sideward force of the
coin, however fine the steps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.shapes.solids import Plane, Torus
from supple.cases import rolling
from supple.cases.case import Case, Quantity, energy_error
from supple.constraints import Rolling
from supple.foundation.arrays import Array
from supple.joints import Free
from supple.model import Model
from supple.results.result import Result
from supple.state import State

RUN = 1e-6  # error of a run, of numbers of the size of 1


def _table(
    result: Result,
    name: str,
    values: Array,
    numbers: Sequence[Sequence[float]],
    tolerance: float,
    times: Sequence[float],
) -> list[Quantity]:
    """Components of vectors (nt, 3) beside their references; NaN after the end of a run."""
    known = np.full((len(times), 3), math.nan)
    known[: len(values)] = values
    return [
        Quantity(f"{name} {axis} at {t:g} s", float(value), reference, tolerance, t)
        for t, row, expected in zip(times, known, numbers, strict=True)
        for axis, value, reference in zip("xyz", row, expected, strict=True)
    ]


# ------------------------------------------------------------------------ the coin

COIN_TIMES = (0.1, 0.2, 0.3, 0.4, 0.5)
# Steps of 7.8e-6 and 3.9e-6 s: 4e-13 m, 6e-10 rad/s. The step of its test, 5e-4 s, ends at a point
# of contact of 0.00200411 m, which is 8.4e-7 m away.
COIN_PLACES = (
    (-0.000057423879, 0.001426244349, 0.009892137271),
    (-0.002888843139, -0.000117900026, 0.009681064672),
    (-0.000455139426, -0.001309359718, 0.009971558737),
    (0.000116284166, -0.000608099106, 0.009992884125),
    (0.000082752918, 0.0015817819, 0.009760873843),
)
COIN_POINTS = (
    (0.001407083805, 0.001455183248, 0.0),
    (-0.005307686231, -0.000770728419, 0.0),
    (0.000236636243, -0.00101025642, 0.0),
    (-0.000229550214, -0.000758649584, 0.0),
    (0.002004947021, 0.002596923103, 0.0),
)
COIN_SPINS = (
    (-6.794617004, -2.231541303, 31.295934317),
    (12.472807153, 2.544465733, 31.182057378),
    (-3.46545725, 0.356685914, 31.362898577),
    (0.541220512, 1.4156113, 31.397404787),
    (-8.745871468, -6.522890821, 31.221853492),
)


def _coin(result: Result) -> list[Quantity]:
    body, times = result["disc"], COIN_TIMES
    found = _table(result, "position", body.position, COIN_PLACES, 1e-9, times)
    found += _table(result, "contact", result["rolls"].point, COIN_POINTS, 1e-9, times)
    found += _table(result, "angular velocity", body.angular_velocity, COIN_SPINS, RUN, times)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ a wheel

WHEEL, WHEEL_WIDTH, WHEEL_MASS = 0.2, 0.02, 5000.0 * 0.02 * math.pi * 0.2**2  # m, kg
WHEEL_ACROSS = WHEEL_MASS * (3.0 * WHEEL**2 + WHEEL_WIDTH**2) / 12.0  # kg m2
WHEEL_SPIN = 6.0 * math.pi  # rad/s
# Its test begins to fall aside at 10 rad/s with its centre at rest aside, which does not roll; the
# impulse of the ground leaves this. As written it comes to the same, with an error of first order
WHEEL_FALL = 10.0 / (1.0 + WHEEL_MASS * WHEEL**2 / WHEEL_ACROSS)  # rad/s
WHEEL_TIMES = (0.2, 0.4, 0.6, 0.8, 1.0)
# Steps of 6.2e-5 and 3.1e-5 s: 2e-12 m, 1e-12 m/s and 3e-11 rad/s
WHEEL_PLACES = (
    (1.0692519335, 0.75407543678, 0.19985474216),
    (1.13881534431, 1.5082025616, 0.19958959525),
    (1.20889005238, 2.26234834643, 0.19951677296),
    (1.27950878063, 3.01641750673, 0.19972219629),
    (1.35053745822, 3.7703607604, 0.19996368219),
)
WHEEL_RATES = (
    (0.3927841288, 3.7681520045, 0.0128502782),
    (0.3710312008, 3.7655751858, 0.0105929893),
    (0.3433019797, 3.7668965585, -0.0041572854),
    (0.3182677632, 3.7727861474, -0.0140003809),
    (0.3035724236, 3.7783544385, -0.0073578638),
)
WHEEL_SPINS = (
    (-18.881650362, 1.965750543, 0.71327163),
    (-18.943329584, 1.86316236, 1.197808736),
    (-18.970077183, 1.730301579, 1.299408568),
    (-18.941571962, 1.601547265, 0.985944476),
    (-18.901891124, 1.519369925, 0.356788239),
)


def wheel() -> Model:
    """A wheel that rolls along y and begins to fall aside."""
    model, r = Model(gravity=(0, 0, -9.81), name="wheel"), WHEEL
    inertia = (0.5 * WHEEL_MASS * r**2, WHEEL_ACROSS, WHEEL_ACROSS)
    body = model.add(RigidBody("disc", WHEEL_MASS, inertia=inertia))
    rates: Any = (-WHEEL_SPIN, WHEEL_FALL, 0, r * WHEEL_FALL, r * WHEEL_SPIN, 0)
    model.add(Free("air", model.ground.at(1, 0, r), body.at(0), initial_rate=rates))
    edge = Torus(body.at(0), radius=r, section=0.0, axis="x")
    model.add(Rolling("rolls", Plane(model.ground.at(0)), edge))
    return model


def _wheel(result: Result) -> list[Quantity]:
    body, times = result["disc"], WHEEL_TIMES
    found = _table(result, "position", body.position, WHEEL_PLACES, 1e-8, times)
    found += _table(result, "velocity", body.velocity, WHEEL_RATES, 1e-7, times)
    found += _table(result, "angular velocity", body.angular_velocity, WHEEL_SPINS, RUN, times)
    return [*found, energy_error(result, RUN)]


# ------------------------------------------------------------------------ the bicycle

RIDE_TIMES = (1.0, 2.0, 3.0, 4.0, 5.0)
# Speed (m/s) and rate of lean (rad/s) at the start of manoeuvres 1 and 2 of the benchmark
SLOW, STABLE = (4.0, 0.05), (4.6, 0.5)
# Of the frame and of the front wheel, z up. Steps of 6.2e-4 and 3.1e-4 s: 6e-10 m of the slow ride,
# 4e-9 m of the stable one
SLOW_PLACES = (
    (
        (4.2991451354, -0.0906580965, 0.8999707684),
        (8.2989953088, -0.1227907192, 0.89997273),
        (12.2977329341, -0.2075849057, 0.899963124),
        (16.2965505031, -0.2217680488, 0.899968636),
        (20.2927432518, -0.3128566476, 0.8999877524),
    ),
    (
        (5.0181678679, -0.1284488257, 0.3499907177),
        (9.0184427326, -0.094179929, 0.3499946688),
        (13.0148006775, -0.2727513634, 0.3499960735),
        (17.0132023652, -0.1522456331, 0.3499999738),
        (21.0032977471, -0.4289526071, 0.3499852557),
    ),
)
STABLE_PLACES = (
    (
        (4.8403309847, -0.8394620433, 0.8991905118),
        (9.3738187241, -1.7404834073, 0.8984879912),
        (13.8708142938, -2.8103169663, 0.8997723641),
        (18.3787613674, -3.8317484088, 0.8999927841),
        (22.8755843308, -4.9015942405, 0.8999497401),
    ),
    (
        (5.5229486252, -1.0691260827, 0.3494971132),
        (10.0858009366, -1.8499571623, 0.3490016774),
        (14.5732137094, -2.9686396814, 0.3498179087),
        (19.0751247418, -4.0147121256, 0.3499920547),
        (23.5800002412, -5.0506599337, 0.3499710069),
    ),
)


def ride(model: Model, speed: float, lean: float) -> State:
    """Return the start of the bicycle upright and straight, with a rate of lean about its track."""
    from supple.loops.assembly import assemble

    height = -rolling.PARTS["frame"][1][1]
    rates: dict[str, Any] = {"ride": (lean, 0, 0, speed, lean * height, 0)}
    for wheel in ("rear_wheel", "front_wheel"):
        rates[f"{wheel}_axle"] = speed / rolling.PARTS[wheel][1][1]
    return assemble(model).changed(rates=rates)


def _rides(result: Result, numbers: Any, tolerance: float) -> list[Quantity]:
    found = []
    for body, places in zip(("frame", "front_wheel"), numbers, strict=True):
        up = result[body].position * (1.0, -1.0, -1.0)
        found += _table(result, body, up, places, tolerance, RIDE_TIMES)
    return [*found, energy_error(result, RUN)]


CASES = (
    Case(
        "rolling-exudyn-coin", "a coin on its edge",
        "Exudyn's rollingCoinTest, after Rill and Schaeffer, at ever finer steps",
        COIN_TIMES, rolling.coin, _coin,
    ),
    Case(
        "rolling-exudyn-wheel", "a wheel that begins to fall aside",
        "Exudyn's createRollingDiscTest at ever finer steps",
        WHEEL_TIMES, wheel, _wheel,
    ),
    Case(
        "rolling-exudyn-slow-ride", "the bicycle of the benchmark, too slow to be stable",
        "Exudyn's bicycleIftommBenchmark, manoeuvre 1, at ever finer steps",
        RIDE_TIMES, rolling.bicycle, lambda r: _rides(r, SLOW_PLACES, 1e-8),
        start=lambda model: ride(model, *SLOW),
    ),
    Case(
        "rolling-exudyn-ride", "the bicycle of the benchmark rights itself",
        "Exudyn's bicycleIftommBenchmark, manoeuvre 2, at ever finer steps",
        RIDE_TIMES, rolling.bicycle, lambda r: _rides(r, STABLE_PLACES, 1e-8),
        start=lambda model: ride(model, *STABLE),
    ),
)  # fmt: skip
