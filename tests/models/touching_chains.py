"""Chains of bodies that touch the floor, each other and their neighbours, with friction."""

from __future__ import annotations

import numpy as np

import supple as sp
from supple.formulations.equations import Equations

LAW = sp.HuntCrossley(stiffness=1e5, restitution=0.3, speed=0.3)
DEEP = 1e-3  # m that all balls overlap the floor


def touching_chain(count: int, driven: bool = False) -> sp.Model:
    """Links on ball joints and hinges, each with a ball on the floor; one joint is controlled."""
    m = sp.Model(gravity=(0.5, 0, -9.81))
    floor, grip = (
        sp.Plane(m.ground.at(0), "z"),
        sp.Friction((0.4, 0.3), axis="x", static=0.5, stribeck=0.1),
    )
    bodies: list[sp.RigidBody] = []
    for k in range(count):
        body = m.add(sp.RigidBody(f"link{k}", 0.1 + 0.02 * k, (0.01, 0, 0.002), (1e-4, 2e-4, 2e-4)))
        if k == 0:
            rate = (0.1, -0.2, 0.3, 0.1, 0.2, 0.0)
            place = m.ground.at(0, 0, 0.03 - DEEP)
            m.add(sp.Free("free", place, body.at(0), initial_rate=rate))
        elif k % 2:
            m.add(sp.Spherical(f"joint{k}", bodies[-1].at(0.05, 0, 0), body.at(-0.05, 0, 0)))
        else:
            joint = sp.Revolute(f"joint{k}", bodies[-1].at(0.05, 0, 0), body.at(-0.05, 0, 0), "z")
            m.add(joint)
        m.add(sp.Contact(f"foot{k}", sp.Sphere(body.at(0), radius=0.03), floor, LAW, grip))
        bodies.append(body)
    near = [sp.Sphere(body.at(0.05, 0.01 * k, 0), radius=0.01) for k, body in enumerate(bodies[:2])]
    m.add(sp.Contact("neighbours", *near, LAW, sp.Friction(0.2)))
    far = [sp.Sphere(body.at(0, 0, 0), radius=0.05 * count) for body in (bodies[0], bodies[-1])]
    m.add(sp.Contact("far", *far, LAW, sp.Friction(0.2)))
    hinge = "joint2"
    m.add(sp.PID("hold", hinge, kp=2.0, ki=30.0, kd=0.1))
    if driven:
        m.add(sp.Driver("drive", hinge, sp.Polynomial((0.0, 0.1))))
    return m


def state_of(equations: Equations, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Coordinates, slow velocities and states of bristles, some of which slide."""
    rng, c = np.random.default_rng(seed), equations.compiled
    z = 10.0 ** rng.uniform(-7, -4, c.nz) * rng.choice((-1.0, 1.0), c.nz)
    return c.q0.copy(), 0.05 * rng.normal(size=c.nu), z
