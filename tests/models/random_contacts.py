"""Contacts of random shapes, laws and places, added to any model of rigid bodies, beams and cables.

Each is fitted at the initial state: the surface is put where it has a given gap from the ball, ring
or corners of the other body. Distances of surfaces are written here a second time.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation

import supple as sp
from oracles.solid_distance import separation
from supple.formulations.equations import Equations
from supple.foundation.frames import Body
from supple.loops.assembly import compile_model

Array = NDArray[np.float64]

SURFACES = ("plane", "ball", "bowl", "bar", "cylinder", "tube", "ring", "box", "room")
BALLS = ("Point", "Sphere")
ON_PLANE = ("Point", "Sphere", "Capsule", "Cylinder", "Torus", "Edge", "Cuboid")
ROUND = ("Torus", "Edge", "Cylinder")  # with an axle
FRICTIONS = ("none", "bristle", "static", "two", "turning", "rounded", "rounded two", "rounded all")


def poses_of(model: sp.Model) -> dict[str, tuple[Array, Array]]:
    """Rotation and place of every body at the initial state."""
    eq = Equations(compile_model(model))
    _, states = eq.body_states(0.0, eq.q0, eq.u0)
    poses = {"ground": (np.eye(3), np.zeros(3))}
    for k, name in enumerate(eq.compiled.body_names):
        poses[name] = states.R[0, k], states.p[0, k]
    return poses


def distance(shape: sp.forces.Shape, x: Array) -> Array:
    """Signed distance of places x (..., 3), in the axes of the shape's frame, from a surface."""
    if isinstance(shape, sp.Plane):
        return (x - shape.position) @ shape.normal
    x = x - shape.position
    if isinstance(shape, sp.Sphere):
        d = np.linalg.norm(x, axis=-1) - shape.radius
    elif isinstance(shape, sp.Cuboid):
        over = np.abs(x @ shape.rotation) - 0.5 * shape.size
        d = np.linalg.norm(np.maximum(over, 0.0), axis=-1) + np.minimum(over.max(axis=-1), 0.0)
    else:
        along = x @ shape.axis
        across = np.linalg.norm(x - along[..., None] * shape.axis, axis=-1)
        if isinstance(shape, sp.Torus):
            d = np.hypot(across - shape.radius, along) - shape.section
        elif isinstance(shape, sp.Capsule):
            rest = along - np.clip(along, -0.5 * shape.length, 0.5 * shape.length)
            d = np.hypot(across, rest) - shape.radius
        else:
            over = np.stack([across - shape.radius, np.abs(along) - 0.5 * shape.length], axis=-1)
            d = np.linalg.norm(np.maximum(over, 0.0), axis=-1)
            d = d + np.minimum(over.max(axis=-1), 0.0)
    return -d if getattr(shape, "inside", False) else d


def gap_of(surface: sp.forces.Shape, other: sp.forces.Shape, a, b) -> float:
    """Least distance of both shapes, whose frames have poses a and b (R, p)."""
    R, p = a[0].T @ b[0], a[0].T @ (b[1] - a[1])
    if isinstance(other, (sp.Point, sp.Sphere)):
        return float(distance(surface, p + R @ other.position)) - getattr(other, "radius", 0.0)
    assert isinstance(surface, sp.Plane)
    n = R.T @ surface.normal  # in the other's axes
    if isinstance(other, sp.Cuboid):
        low = -0.5 * np.abs(other.rotation.T @ n) @ other.size
    else:
        along = abs(float(n @ other.axis))
        flat = np.sqrt(max(1.0 - along**2, 0.0))
        if isinstance(other, sp.Capsule):
            low = -0.5 * along * other.length - other.radius
        elif isinstance(other, sp.Torus):
            low = -flat * other.radius - other.section
        else:
            low = -0.5 * along * other.length - flat * other.radius
    return float(distance(surface, p + R @ other.position)) + low


def surface_of(kind: str, frame: sp.Frame | None, rng: np.random.Generator, thin: float):
    """A surface of that kind; ``thin`` is its smallest size, m."""
    axis, r, length = rng.normal(size=3), rng.uniform(0.1, 0.4), rng.uniform(0.2, 0.8)
    place = rng.normal(scale=0.1, size=3)
    if kind == "plane":
        return sp.Plane(frame, axis, place)
    if kind in ("ball", "bowl"):
        radius = rng.uniform(0.6, 1.2) if kind == "bowl" else min(r, 10.0 * thin)
        return sp.Sphere(frame, radius=radius, position=place, inside=kind == "bowl")
    if kind == "bar":
        return sp.Capsule(frame, radius=min(r, thin), length=length, axis=axis, position=place)
    if kind == "cylinder":
        sizes = {"radius": r, "length": min(length, thin)}
        if rng.random() < 0.5:
            sizes = {"radius": min(r, thin), "length": length}
        return sp.Cylinder(frame, **sizes, axis=axis, position=place)
    if kind == "tube":
        sizes = {"radius": rng.uniform(0.6, 1.0), "length": rng.uniform(1.2, 2.0)}
        return sp.Cylinder(frame, **sizes, axis=axis, position=place, inside=True)
    if kind == "ring":
        return sp.Torus(frame, radius=r, section=min(0.3 * r, thin), axis=axis, position=place)
    turn = rng.normal(size=3)
    if kind == "room":
        return sp.Cuboid(frame, rng.uniform(1.2, 2.0, 3), place, turn, inside=True)
    size = rng.uniform(0.2, 0.8, 3)
    size[rng.integers(3)] = thin
    return sp.Cuboid(frame, size, place, turn)


def carried_of(kind: str, frame: sp.Frame, rng: np.random.Generator, bare: bool):
    """What touches a surface; ``bare``: with its middle in the frame."""
    r, length, axis = rng.uniform(0.02, 0.2), rng.uniform(0.1, 0.5), rng.normal(size=3)
    place = np.zeros(3) if bare else rng.normal(scale=0.2, size=3)
    if kind == "Point":
        return sp.Point(frame, place)
    if kind == "Sphere":
        return sp.Sphere(frame, radius=r, position=place)
    if kind == "Cuboid":
        return sp.Cuboid(frame, rng.uniform(0.1, 0.5, 3), place, rng.normal(size=3))
    if kind in ("Torus", "Edge"):
        section = 0.2 * r if kind == "Torus" else 0.0
        return sp.Torus(frame, radius=r, section=section, axis=axis, position=place)
    return getattr(sp, kind)(frame, radius=r, length=length, axis=axis, position=place)


def friction_of(kind: str, rng: np.random.Generator, simple: bool = False):
    """A law of friction; ``simple``: one that needs no axes."""
    if kind == "none":
        return None
    law = sp.RoundedFriction if kind.startswith("rounded") else sp.Friction
    mu, more = float(rng.uniform(0.1, 0.8)), dict[str, object]()
    if "static" in kind or "all" in kind:
        more |= {"static": mu * rng.uniform(1.1, 1.8), "stribeck": rng.uniform(0.05, 0.5)}
    if ("turning" in kind or "all" in kind) and not simple:
        more |= {"rolling": rng.uniform(0, 5e-3), "spinning": rng.uniform(0, 5e-3), "turning": 0.3}
    if law is sp.RoundedFriction:
        more["transition"] = rng.uniform(0.01, 0.1)
    two = ("two" in kind or "all" in kind) and not simple
    return law((mu, mu * rng.uniform(0.4, 2.0)) if two else mu, axis=rng.normal(size=3), **more)


def law_of(rng: np.random.Generator, hard: tuple[float, float] = (5.0, 7.0)) -> sp.HuntCrossley:
    """A law of the push."""
    e, v = rng.choice([1.0, 0.9, 0.6, 0.2]), rng.uniform(0.3, 3.0)
    return sp.HuntCrossley(e, v, 10.0 ** rng.uniform(*hard), rng.choice([1.0, 1.5, 2.0, 1.3]))


def add_contact(
    model: sp.Model,
    rng: np.random.Generator,
    gap: float,
    *,
    name: str = "touch",
    internal: bool = False,
    thin: float = 0.05,
    kinds: tuple[str, str, str] | None = None,
    hard: tuple[float, float] = (5.0, 7.0),
    bodies: tuple[Body, Body] | None = None,
) -> sp.Contact | None:
    """Add a contact with that gap (m) at the start; ``kinds`` of surface, other, friction."""
    poses = poses_of(model)
    every: list[Body] = list(model.bodies.values())
    if not internal:
        every.append(model.ground)
    if bodies is None:
        one, other = (every[i] for i in rng.permutation(len(every))[:2])
    else:
        one, other = bodies
    for _ in range(30):
        surface_kind = str(rng.choice(SURFACES)) if kinds is None else kinds[0]
        where = ON_PLANE if surface_kind == "plane" else BALLS
        kind = str(rng.choice(where)) if kinds is None else kinds[1]
        soft = hasattr(other, "length"), hasattr(one, "length")
        if any(soft) and kind not in BALLS:
            continue
        if soft[1]:
            one, other, soft = other, one, soft[::-1]
        if soft[1]:
            return None  # two flexible bodies: not fitted here
        turn = rng.normal(size=3) if not soft[0] or not isinstance(other, sp.Cable) else None
        at = (rng.uniform(0.0, other.length),) if soft[0] else rng.normal(scale=0.3, size=3)
        frame = other.at(*at, rotation=turn) if turn is not None else other.at(*at)
        carried = carried_of(kind, frame, rng, bare=soft[0])
        drawn = surface_of(surface_kind, None, rng, thin)
        b = pose_of(frame, poses)
        # a frame of the surface that turns anyhow, from which it is moved along a line
        world, way = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix(), unit(rng)

        def at_distance(s: float) -> float:
            return gap_of(drawn, carried, (world, b[1] + s * way), b) - gap  # noqa: B023

        hollow = getattr(drawn, "inside", False)
        ends = (0.0, 3.0) if hollow else (-3.0, 3.0)
        tries = np.linspace(*ends, 61)
        values = [at_distance(s) for s in tries]
        cross = [i for i in range(60) if (values[i] > 0.0) != (values[i + 1] > 0.0)]
        if not cross:
            continue
        i = cross[rng.integers(len(cross))]
        s = brentq(at_distance, tries[i], tries[i + 1], xtol=1e-14)
        R, p = poses[one.name]
        place = R.T @ (b[1] + s * way - p)
        fitted = dataclasses.replace(drawn, frame=sp.Frame(one, place, R.T @ world))
        bare = isinstance(other, sp.Cable)
        rubs = str(rng.choice(FRICTIONS)) if kinds is None else kinds[2]
        friction = friction_of(rubs, rng, simple=bare)
        if surface_kind == "plane" and kind in ROUND and "two" in rubs and rng.random() < 0.5:
            angle = rng.uniform(-np.pi, np.pi)
            friction = dataclasses.replace(friction, axle_angle=angle)
        ends_ = (fitted, carried) if rng.random() < 0.5 else (carried, fitted)
        return model.add(sp.Contact(name, *ends_, law_of(rng, hard), friction))
    return None


SOLIDS = ("Capsule", "Cylinder", "Cuboid", "Torus", "Cone")
TURNING = ("none", "bristle", "rounded", "turning")


def add_solids(
    model: sp.Model, rng: np.random.Generator, gap: float, name: str = "solids"
) -> sp.Contact:
    """Add a contact of two solids of random bodies that are a gap (m) apart at the start."""
    poses = poses_of(model)
    rigid = [body for body in model.bodies.values() if isinstance(body, sp.RigidBody)]
    one, other = (rigid[i] for i in rng.permutation(len(rigid))[:2])
    kinds = ("Cone", "Cone")
    while kinds == ("Cone", "Cone"):
        first, second = rng.choice(SOLIDS, 2)
        kinds = str(first), str(second)
    frame = other.at(*rng.normal(scale=0.3, size=3), rotation=rng.normal(size=3))
    carried, drawn = solid_of(kinds[1], frame, rng), solid_of(kinds[0], None, rng)
    b = pose_of(frame, poses)
    world, way = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix(), unit(rng)
    low, high = 0.0, 3.0
    for _ in range(30):
        s = 0.5 * (low + high)
        apart = separation(drawn, carried, (world, b[1] + s * way), b, search=False) > gap
        low, high = (low, s) if apart else (s, high)
    R, p = poses[one.name]
    place = sp.Frame(one, R.T @ (b[1] + high * way - p), R.T @ world)
    fitted = dataclasses.replace(drawn, frame=place)
    ends = (fitted, carried) if rng.random() < 0.5 else (carried, fitted)
    friction = friction_of(str(rng.choice(TURNING)), rng)
    return model.add(sp.Contact(name, *ends, law_of(rng, (6.0, 7.0)), friction))


def solid_of(kind: str, frame: sp.Frame | None, rng: np.random.Generator):
    """A solid whose edges are round enough for the depths of these laws."""
    r, length, axis = rng.uniform(0.1, 0.3), rng.uniform(0.15, 0.6), rng.normal(size=3)
    if kind == "Cuboid":
        return sp.Cuboid(frame, rng.uniform(0.15, 0.5, 3), rounding=0.03)
    if kind == "Torus":
        return sp.Torus(frame, radius=r, section=0.05, axis=axis)
    more = {"rounding": 0.03} if kind == "Cylinder" else {"tip": 0.02} if kind == "Cone" else {}
    return getattr(sp, kind)(frame, radius=r, length=length, axis=axis, **more)


def unit(rng: np.random.Generator) -> Array:
    """A random direction."""
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def pose_of(frame: sp.Frame, poses: dict[str, tuple[Array, Array]]) -> tuple[Array, Array]:
    """Pose of a frame in the world, of flexible bodies without deformation."""
    R, p = poses[frame.body.name]
    rest = frame.body.rest_pose(frame.position)
    return R @ rest.R @ frame.rotation, p + R @ rest.p


def beside_a_line(rng: np.random.Generator, kind: str) -> sp.Model:
    """A cable, gradient beam or beam that flies with a body, which comes to its axis from the side.

    The line hangs on the body by a free joint, so that the momentum of both is that of one tree.
    """
    m = sp.Model(gravity=(0, 0, 0))
    soft, r = sp.Material(10.0 ** rng.uniform(6, 7), 4e6, 1000.0), 0.01
    more = {"modes": 4} if kind == "Beam" else {"elements": 4}
    rod = m.add(getattr(sp, kind)("rod", 1.0, sp.Circle(2 * r), soft, **more))
    body = m.add(sp.RigidBody("body", 0.2, 0.01 * rng.normal(size=3), (2e-4, 3e-4, 4e-4)))
    turn = rng.normal(size=3)
    m.add(sp.Free("air", m.ground.at(*rng.normal(size=3), rotation=turn), body.at(0)))
    shape = {
        "ball": sp.Sphere(body.at(0), radius=0.1),
        "bar": sp.Capsule(body.at(0), radius=0.05, length=0.3, axis=unit(rng)),
        "cylinder": sp.Cylinder(body.at(0), radius=0.1, length=0.3, axis=unit(rng)),
        "box": sp.Cuboid(body.at(0), size=(0.2, 0.2, 0.2), rotation=rng.normal(size=3)),
    }[str(rng.choice(["ball", "bar", "cylinder", "box"]))]
    # a line in the body's axes, as near as it is to be
    R = Rotation.random(random_state=int(rng.integers(2**31))).as_matrix()
    along = np.linspace(-rng.uniform(0.2, 0.8), 0.0, 201)[:, None]
    axis = (along + np.linspace(0.0, 1.0, 201)[:, None]) * R[:, 0]
    steps = np.linspace(0.0, 0.5, 500)
    away = next(s for s in steps if distance(shape, axis + s * R[:, 2]).min() > r + 0.01)
    start = body.at(*(axis[0] + away * R[:, 2]), rotation=R)
    rates = (*(0.5 * rng.normal(size=3)), 0.3, 0.2, -2.0)
    m.add(sp.Free("flight", start, rod.at(0), initial_rate=rates))
    friction = friction_of(str(rng.choice(FRICTIONS[:6])), rng, simple=True)
    law = sp.HuntCrossley(rng.choice([1.0, 0.7, 0.3]), 2.0, 10.0 ** rng.uniform(6, 7), 1.0)
    ends = (sp.Line(rod, radius=r, points=17), shape)
    m.add(sp.Contact("touch", *(ends if rng.random() < 0.5 else ends[::-1]), law, friction))
    return m
