"""Bodies that roll: discs on planes, the bicycle of the benchmark, balls in and on round ones."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import supple as sp

GRAVITY = 9.81


def disc(
    tilt: float,
    precession: float = 0.0,
    tilting: float = 0.0,
    spin: float = 0.0,
    radius: float = 0.1,
    turned: float = 0.0,
    friction: float | None = None,
) -> sp.Model:
    """A thin disc of 1 kg on z = 0 that rolls; ``tilt`` (rad) is pi/2 upright.

    ``turned`` is the angle of the line of nodes about z, ``precession`` and ``tilting`` the rates
    of both angles, ``spin`` the angular velocity along the axis. It begins over the contact point
    -radius cos(tilt) off the origin.
    """
    m, moment = sp.Model(gravity=(0, 0, -GRAVITY)), radius**2 / 4.0
    body = m.add(sp.RigidBody("disc", 1.0, inertia=(moment, moment, 2.0 * moment)))
    turn = Rotation.from_euler("ZX", [turned, tilt])
    R = turn.as_matrix()
    own = np.array([tilting, precession * np.sin(tilt), spin])
    velocity = np.cross(R @ own, radius * R[:, 1])
    place = (0.0, 0.0, radius * np.sin(tilt))
    m.add(sp.Free(
        "free", m.ground.at(0), body.at(0), initial=(*turn.as_quat()[[3, 0, 1, 2]], *place),
        initial_rate=(*own, *(R.T @ velocity)),
    ))  # fmt: skip
    edge = sp.Torus(body.at(0), radius=radius, section=0.0)
    m.add(sp.Rolling("rolls", sp.Plane(m.ground.at(0)), edge, friction=friction))
    return m


def upright(spin: float, radius: float = 0.1) -> sp.Model:
    """The upright disc on a joint whose last angle is that of its spin, so that no axes turn."""
    m, moment = sp.Model(gravity=(0, 0, -GRAVITY)), radius**2 / 4.0
    body = m.add(sp.RigidBody("disc", 1.0, inertia=(moment, 2.0 * moment, moment)))
    axes = [*(("translate", x) for x in "xyz"), ("rotate", "z"), ("rotate", "x"), ("rotate", "y")]
    rates = (spin * radius, 0, 0, 0, 0, spin)
    m.add(sp.General(
        "ride", m.ground.at(0), body.at(0), axes, initial=(0, 0, radius, 0, 0, 0),
        initial_rate=rates,
    ))  # fmt: skip
    edge = sp.Torus(body.at(0), radius=radius, section=0.0, axis="y")
    m.add(sp.Rolling("rolls", sp.Plane(m.ground.at(0)), edge))
    return m


def steady_spin(tilt: float, precession: float, radius: float = 0.1) -> float:
    """Angular velocity along the axis of a disc whose contact point goes along a circle."""
    s, c, moment = np.sin(tilt), np.cos(tilt), radius**2 / 4.0
    drive = moment * precession**2 * s * c - GRAVITY * radius * c
    return float(drive / ((2.0 * moment + radius**2) * precession * s))


WHEELBASE, TRAIL, STEER = 1.02, 0.08, np.pi / 10
PARTS = {  # mass, place (x, z), Ixx, Iyy, Izz, Ixz about the centre of mass; z is down
    "rear wheel": (2.0, (0.0, -0.3), 0.0603, 0.12, 0.0603, 0.0),
    "frame": (85.0, (0.3, -0.9), 9.2, 11.0, 2.8, 2.4),
    "fork": (4.0, (0.9, -0.7), 0.05892, 0.06, 0.00708, -0.00756),
    "front wheel": (3.0, (WHEELBASE, -0.35), 0.1405, 0.28, 0.1405, 0.0),
}
# Eigenvalues of the benchmark: Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007)
EIGENVALUES = {
    4.6: (-13.29863952, -0.62121273, -0.37796623 + 3.87284192j),
    5.0: (-14.07838969, -0.77534188 + 4.46486771j, -0.32286643),
}
WEAVE, CAPSIZE = 4.292382536341, 6.024262015388  # m/s


def bicycle(speed: float = 5.0, lean: float = 0.0) -> sp.Model:
    """The bicycle of the benchmark, upright and straight; z is down, x forward.

    ``lean`` is a rate, rad/s, of a push to the side.
    """
    m = sp.Model(gravity=(0, 0, GRAVITY))
    bodies = {}
    for name, (mass, _, xx, yy, zz, xz) in PARTS.items():
        inertia = [[xx, 0.0, xz], [0.0, yy, 0.0], [xz, 0.0, zz]]
        bodies[name] = m.add(sp.RigidBody(name, mass, inertia=inertia))
    place = {name: np.array([x, 0.0, z]) for name, (_, (x, z), *_) in PARTS.items()}
    frame, fork = bodies["frame"], bodies["fork"]
    m.add(sp.Free(
        "ride", m.ground.at(0), frame.at(0), initial=(1, 0, 0, 0, *place["frame"]),
        initial_rate=(lean, 0, 0, speed, -lean * place["frame"][2], 0),
    ))  # fmt: skip

    def between(one: str, other: str, where: np.ndarray) -> tuple[sp.Frame, sp.Frame]:
        return (
            bodies[one].at(*(where - place[one])),
            bodies[other].at(*(where - place[other])),
        )

    axis = (np.sin(STEER), 0.0, np.cos(STEER))
    head = np.array([WHEELBASE + TRAIL, 0.0, 0.0]) - 0.9 * np.array(axis)
    m.add(sp.Revolute("steering", *between("frame", "fork", head), axis=axis))
    for name, carrier in (("rear wheel", "frame"), ("front wheel", "fork")):
        radius = -place[name][2]
        ends = between(carrier, name, place[name])
        m.add(sp.Revolute(f"{name} axle", *ends, axis="y", initial_rate=-speed / radius))
        edge = sp.Torus(bodies[name].at(0), radius=radius, section=0.0, axis="y")
        m.add(sp.Rolling(f"{name} rolls", sp.Plane(m.ground.at(0), normal="-z"), edge))
    del fork
    return m


def ball(
    name: str, m: sp.Model, radius: float, place: tuple[float, ...], rate=(0,) * 6
) -> sp.RigidBody:
    """A solid ball of 1 kg that is free."""
    moment = 0.4 * radius**2
    body = m.add(sp.RigidBody(name, 1.0, inertia=(moment, moment, moment)))
    m.add(
        sp.Free(
            f"{name} free",
            m.ground.at(0),
            body.at(0),
            initial=(1, 0, 0, 0, *place),
            initial_rate=rate,
        )
    )
    return body


def ball_in_bowl(angle: float, bowl: float = 0.5, radius: float = 0.1) -> sp.Model:
    """A ball that rolls in a hollow ball about the origin, let go at an angle from the bottom."""
    m, way = sp.Model(gravity=(0, 0, -GRAVITY)), bowl - radius
    place = (way * np.sin(angle), 0.0, -way * np.cos(angle))
    body = ball("ball", m, radius, place)
    hollow = sp.Sphere(m.ground.at(0), radius=bowl, inside=True)
    m.add(sp.Rolling("rolls", hollow, sp.Sphere(body.at(0), radius=radius)))
    return m


def ball_on_ball(angle: float, below: float = 0.5, radius: float = 0.1, friction=None) -> sp.Model:
    """A ball that rolls down from near the top of a fixed one."""
    m, way = sp.Model(gravity=(0, 0, -GRAVITY)), below + radius
    place = (way * np.sin(angle), 0.0, way * np.cos(angle))
    body = ball("ball", m, radius, place)
    hill = sp.Sphere(m.ground.at(0), radius=below)
    m.add(sp.Rolling("rolls", hill, sp.Sphere(body.at(0), radius=radius), friction=friction))
    return m


ROLLING = {
    "disc": lambda: disc(1.1, 2.0, 0.4, -3.0),
    "bicycle": lambda: bicycle(3.0, 0.3),
    "bowl": lambda: ball_in_bowl(0.7),
    "hill": lambda: ball_on_ball(0.4),
}
