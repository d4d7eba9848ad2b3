"""A rope that slides over a fixed drum between two weights, and a block and tackle: exact motions.

Over the drum the tensions have the ratio exp(friction angle), so that the weights ``a`` and ``b``
move with ``g (b - a ratio)/(b + a ratio)``. A load on four falls of rope that is lifted by a weight
on the free end moves with a quarter of the weight's acceleration. Both ropes begin with the stretch
that their tension asks for, and tensions are constant but for the mean over the length of the
first rope, as its spans change.
"""

from __future__ import annotations

import math

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.cases.case import Case, Quantity, at_times
from supple.forces import Pulley, Rope
from supple.joints import Prismatic
from supple.model import Model
from supple.results.result import Result

G = 9.81  # m/s2
TIMES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)  # s
STIFFNESS = 1e8  # N, of both ropes
# Capstan: masses kg, coefficient of friction, radius m, speed at the start m/s
LIGHT, HEAVY, FRICTION, RADIUS, SPEED = 2.0, 6.0, 0.25, 0.2, 1.0
RATIO = math.exp(FRICTION * math.pi)
FALL = G * (HEAVY - LIGHT * RATIO) / (HEAVY + LIGHT * RATIO)  # m/s2, of the heavy weight
TENSION = LIGHT * (G + FALL)  # N, of the light one
# Tackle: masses kg, radius m
LOAD, PULL, SHEAVE = 30.0, 9.0, 0.1
DROP = G * (PULL - LOAD / 4.0) / (PULL + LOAD / 16.0)  # m/s2, of the free end
# The strain, tension/stiffness, changes by less than itself: 100 N over 4 m of rope
STRETCH = 4.0 * 100.0 / STIFFNESS


def _weight(model: Model, name: str, mass: float, x: float, z: float, rate: float) -> RigidBody:
    """A body that slides along a vertical."""
    body = model.add(RigidBody(name, mass, (0, 0, 0), 0.01 * np.eye(3)))
    place = model.ground.at(x, 0, 0)
    model.add(Prismatic(f"{name}_slide", place, body.at(0), "z", initial=z, initial_rate=rate))
    return body


def capstan() -> Model:
    """Two weights on a rope that slides over half of a drum."""
    model = Model(gravity=(0, 0, -G), name="capstan")
    light = _weight(model, "light", LIGHT, -RADIUS, -2.0, SPEED)
    heavy = _weight(model, "heavy", HEAVY, RADIUS, -1.0, -SPEED)
    drum = Pulley(model.ground.at(0, 0, 0), RADIUS, "y", friction=FRICTION)
    spans = 2.0 + 0.5 * math.pi * RADIUS, 1.0 + 0.5 * math.pi * RADIUS
    mean = TENSION * (spans[0] + RATIO * spans[1]) / sum(spans)
    path = (light.at(0), drum, heavy.at(0))
    length = sum(spans) / (1.0 + mean / STIFFNESS)
    model.add(Rope("rope", path, STIFFNESS, length, damping=1e4))
    return model


def _capstan(result: Result) -> list[Quantity]:
    t = np.array(TIMES)
    way = SPEED * t + 0.5 * FALL * t**2
    found = []
    for name, start, sign in (("light", -2.0, 1.0), ("heavy", -1.0, -1.0)):
        z = result[name].position[:, 2]
        found += at_times(f"height of the {name} weight", z, start + sign * way, STRETCH, TIMES)
    tension = result["rope"].tension
    ratio = tension[:, 1] / tension[:, 0]
    found += at_times("ratio of the tensions", ratio, np.full(len(t), RATIO), 1e-6, TIMES)
    taken, size = result["rope"].dissipated, TENSION * (RATIO - 1.0)
    found += at_times("energy lost", taken, size * way, size * STRETCH, TIMES)
    return found


def tackle() -> Model:
    """A load on a lower block with two sheaves, a weight on the free end: four falls of rope."""
    model = Model(gravity=(0, 0, -G), name="block and tackle")
    r, top = SHEAVE, model.ground
    load = _weight(model, "load", LOAD, 2.0 * r, -3.0, 0.0)
    end = _weight(model, "end", PULL, 7.0 * r, -1.0, 0.0)
    path = (
        top.at(-r, 0, 0),
        Pulley(load.at(-2.0 * r, 0, 0), r, (0, -1, 0)),
        Pulley(top.at(2.0 * r, 0, 0), r, "y"),
        Pulley(load.at(2.0 * r, 0, 0), r, (0, -1, 0)),
        Pulley(top.at(6.0 * r, 0, 0), r, "y"),
        end.at(0),
    )
    length = 4.0 * 3.0 + 1.0 + 4.0 * math.pi * r
    tension = PULL * (G - DROP)
    model.add(Rope("rope", path, STIFFNESS, length / (1.0 + tension / STIFFNESS)))
    return model


def _tackle(result: Result) -> list[Quantity]:
    t = np.array(TIMES)
    end, load = (result[name].position[:, 2] for name in ("end", "load"))
    found = at_times("height of the free end", end, -1.0 - 0.5 * DROP * t**2, STRETCH, TIMES)
    lifted = -3.0 + 0.125 * DROP * t**2
    found += at_times("height of the load", load, lifted, STRETCH, TIMES)
    wanted = PULL * (G - DROP)
    tension = result["rope"].tension
    found += at_times("first tension", tension[:, 0], [wanted] * len(t), 1e-6 * wanted, TIMES)
    found += at_times("last tension", tension[:, -1], [wanted] * len(t), 1e-6 * wanted, TIMES)
    return found


CASES = (
    Case(
        name="capstan",
        title="two weights on a rope that slides over a fixed drum",
        source="law of the capstan, exact motion with constant acceleration",
        times=TIMES,
        build=capstan,
        measure=_capstan,
    ),
    Case(
        name="block-and-tackle",
        title="a load on four falls of rope and a weight on its free end",
        source="exact motion with constant acceleration",
        times=TIMES,
        build=tackle,
        measure=_tackle,
    ),
)
