"""Bodies that touch: a bouncing ball, a block that slides to rest, 20 balls on a floor.

Springs push in proportion to the depth; the bouncing ball loses nothing, the others are damped, by
Supple in proportion to the push, by the others in proportion to the speed. Friction is rounded at
1 cm/s. The same models in other programs are in ``peers/``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import supple as sp

GRAVITY = 9.81  # m/s2
MASS, RADIUS = 1.0, 0.05  # kg, m, of each ball
STIFFNESS = 1e5  # N/m, of a floor under a ball, and between balls
MU, TRANSITION = 0.5, 1e-2  # friction, and the speed (m/s) below which it is less
HEIGHT = 0.2  # m, under the bouncing ball
BLOCK = (0.4, 0.4, 0.2)  # m, its sizes
SPEED = 2.0  # m/s, of the block
DAMPING = 120.0  # N s/m, of what is damped in other programs
CORNER = 0.01  # m, radius of corners where a program has no boxes
EVERY = 0.01  # s between output rows


@dataclass(frozen=True)
class Problem:
    """A problem: its name, end (s), and the balls' places and velocities (n, 3), or none."""

    name: str
    t_end: float
    places: np.ndarray
    velocities: np.ndarray
    restitution: float  # at ``speed`` in m/s
    speed: float

    @property
    def damping(self) -> float:
        """Damping (N s/m) that is in proportion to the speed."""
        return DAMPING if self.restitution < 1.0 else 0.0


def twenty() -> Problem:
    """Balls in rows of five, at different heights and speeds, some of which hit others."""
    draw = np.random.default_rng(7)
    rows, columns = np.divmod(np.arange(20), 5)
    places = np.column_stack([0.13 * columns, 0.13 * rows, np.zeros(20)])
    places[:, 2] = RADIUS + draw.uniform(0.01, 0.06, 20)
    velocities = np.column_stack([draw.uniform(-0.3, 0.3, (20, 2)), np.zeros(20)])
    return Problem("20 balls", 0.25, places, velocities, 0.5, 1.0)


def problems() -> dict[str, Problem]:
    """All of them by name."""
    ball = Problem("ball", 1.5, np.array([[0.0, 0.0, RADIUS + HEIGHT]]), np.zeros((1, 3)), 1.0, 1.0)
    block = Problem("block", 0.6, np.zeros((0, 3)), np.zeros((0, 3)), 0.2, 0.1)
    return {p.name: p for p in (ball, block, twenty())}


def sunk() -> float:
    """Depth (m) of the block at rest on its four corners."""
    return MASS * GRAVITY / (4.0 * STIFFNESS)


def block_inertia() -> np.ndarray:
    """Moments of inertia of the block, kg m2."""
    squares = np.square(BLOCK)
    return MASS / 12.0 * (squares.sum() - squares)


def scaled(path: Any) -> np.ndarray:
    """Places of n bodies (nt, 3 n) over the root of n: a row is as long as their mean distance."""
    rows = np.asarray(path, dtype=float)
    return rows / math.sqrt(rows.shape[1] / 3)


def supple_model(problem: Problem, cells: bool = False) -> sp.Model:
    """The problem in Supple; with ``cells`` pairs of balls that are near are found by cells."""
    model = sp.Model(gravity=(0, 0, -GRAVITY), name=problem.name)
    law = sp.HuntCrossley(problem.restitution, problem.speed, STIFFNESS, exponent=1)
    rubs = sp.RoundedFriction(MU, transition=TRANSITION)
    floor = sp.Plane(model.ground.at(0))
    if not len(problem.places):
        body = model.add(sp.RigidBody("body0", MASS, inertia=block_inertia()))
        place = model.ground.at(0, 0, 0.5 * BLOCK[2] - sunk())
        model.add(sp.Free("way0", place, body.at(0), initial_rate=(0, 0, 0, SPEED, 0, 0)))
        model.add(sp.Contact("base", sp.Cuboid(body.at(0), size=BLOCK), floor, law, rubs))
    balls: list[sp.Sphere] = []
    for k, (place, velocity) in enumerate(zip(problem.places, problem.velocities, strict=True)):
        body = model.add(sp.RigidBody(f"body{k}", MASS, inertia=0.4 * MASS * RADIUS**2))
        rate = (0, 0, 0, *velocity)
        model.add(sp.Free(f"way{k}", model.ground.at(*place), body.at(0), initial_rate=rate))
        balls.append(sp.Sphere(body.at(0), radius=RADIUS))
    if balls:
        model.add(sp.Contacts("all", [floor, *balls], law, rubs, cells=cells))
    return model
