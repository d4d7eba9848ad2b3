"""Every kind of force, constraint and joint at every kind of place: it acts, or is refused.

What acts has the virtual power of its force and torque: its part of the equations is compared with
the velocities of its frames, which come from the kinematics of results. A torque acts only where
some motion of the model turns its frame.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import null_space

import supple as sp
from supple.analyses.base.snapshot_result import velocities
from supple.constraints.base import FrameConstraint
from supple.constraints.kinds import CONSTRAINTS
from supple.engine.pack.builder import build
from supple.forces.kinds import FORCES
from supple.formulations.equations import Equations
from supple.foundation import public_names
from supple.joints.base import Joint
from supple.loops.assembly import assembled
from supple.results.result import Result

SOFT = sp.Material(E=1e7, G=4e6, density=1e3)
SECTION = sp.Rectangle(0.05, 0.04)
PUSH, TWIST = np.array([3.0, -2.0, 5.0]), np.array([0.4, 0.7, -0.3])
TURN = (0.3, -0.2, 0.5)


def block() -> sp.FEComponent:
    return sp.fem.block((0.6, 0.1, 0.1), (2, 1, 1), "hex8", SOFT)


def interfaces() -> list[sp.fem.Interface]:
    nodes, x = block().nodes, block().nodes[:, 0]
    ends = (("foot", x.min()), ("tip", x.max()))
    faces = {name: np.flatnonzero(x == at) for name, at in ends}
    return [sp.fem.Interface(name, nodes[at].mean(axis=0), at) for name, at in faces.items()]


class Place(NamedTuple):
    """A body, where it is held, and where something is attached, the latter with turned axes."""

    body: Any
    foot: Callable[[Any], sp.Frame]
    tip: Callable[[Any], sp.Frame]
    axes: bool = True


def along(body: Any, axes: bool = True) -> Place:
    """A body with an axis, with something at the end of it."""
    if not axes:
        return Place(body, lambda b: b.at(0), lambda b: b.at(0.6), axes)
    return Place(body, lambda b: b.at(0), lambda b: b.at(0.6, rotation=TURN))


def beam(**options: Any) -> sp.Beam:
    return sp.Beam("host", 0.6, SECTION, SOFT, elements=2, **options)


def framed() -> sp.FrameStructure:
    nodes = {"foot": (0, 0, 0), "knee": (0.3, 0, 0), "tip": (0.6, 0.1, 0)}
    legs = [sp.Member(a, b, SECTION, SOFT) for a, b in (("foot", "knee"), ("knee", "tip"))]
    return sp.FrameStructure("host", nodes, legs, clamp_node="foot", modes=4)


def at_interfaces(body: Any) -> Place:
    return Place(body, lambda b: b.at("foot"), lambda b: b.at("tip", rotation=TURN))


PLACES: dict[str, Callable[[], Place]] = {
    "rigid body": lambda: along(sp.RigidBody("host", 1.0, (0.3, 0, 0), (0.02, 0.03, 0.04))),
    "beam": lambda: along(beam(modes=4)),
    "beam in parts": lambda: along(beam(parts=2)),
    "frame structure": lambda: at_interfaces(framed()),
    "mesh": lambda: at_interfaces(sp.MeshBody("host", block(), interfaces(), modes=4)),
    "nodal beam": lambda: along(sp.ANCFBeam("host", 0.6, SECTION, SOFT, elements=2)),
    "continuum beam": lambda: along(
        sp.ANCFBeam("host", 0.6, SECTION, SOFT, elements=2, element="continuum")
    ),
    "cable": lambda: along(sp.Cable("host", 0.6, sp.Circle(0.02), SOFT, elements=2), axes=False),
    "plate": lambda: Place(
        sp.ANCFPlate("host", (0.6, 0.3), 0.02, SOFT, (2, 1)),
        lambda b: b.at(0, 0),
        lambda b: b.at(0.6, 0.3, rotation=TURN),
    ),
    "solid": lambda: at_interfaces(sp.ANCFSolid("host", block(), interfaces())),
}


def model_at(place: Place, hold: bool = True) -> tuple[sp.Model, sp.Frame, sp.RigidBody]:
    """A model of the held body, the frame, and a second body that flies unless it is joined."""
    m = sp.Model(gravity=(0, 0, 0))
    host = m.add(place.body)
    m.add(sp.Spherical("hold", m.ground.at(0), place.foot(host)))
    other = m.add(sp.RigidBody("other", 1.0, (0, 0, 0), (0.02, 0.03, 0.04)))
    if hold:
        m.add(sp.Free("air", m.ground.at(0), other.at(0), (0.9, 0.1, -0.3, 0.2, 0.9, 0.3, 0.4)))
    return m, place.tip(host), other


Wrench = tuple[sp.Frame, np.ndarray, np.ndarray]
NONE = np.zeros(3)


def motion(m: sp.Model) -> tuple[Any, Result]:
    """The compiled model and the velocities of its places at each unit velocity."""
    c = build(m)
    return c, Result(velocities(m, c, c.q0, np.eye(c.nu)))


def effort(m: sp.Model) -> np.ndarray:
    """What acts on the velocities (nu,) at rest."""
    c = build(m)
    eq = Equations(c)
    return -np.asarray(eq.residual(0.0, c.q0, np.zeros(c.nu), np.zeros(c.nu), c.z0))


def refused(m: sp.Model) -> None:
    """A sentence says that a place without axes cannot carry the item; a run is not made."""
    try:
        result = sp.simulate(m, 1e-3)
    except sp.ModelError as error:
        said = str(error)
    else:
        assert not result.success
        said = result.message
    assert "'item'" in said and "axes that turn" in said, said


def power(seen: Result, wrenches: list[Wrench]) -> np.ndarray:
    """Power (nu,) of wrenches on places at unit velocities."""
    found = 0.0
    for frame, force, torque in wrenches:
        point = seen.point(frame)
        found = found + point.velocity @ force + point.angular_velocity @ torque
        if np.any(torque):
            assert np.abs(point.angular_velocity @ torque).max() > 1e-3, "a torque that is lost"
    return np.asarray(found)


def pulled(frame_a: sp.Frame, frame_b: sp.Frame, seen: Result) -> np.ndarray:
    """The way from A to B, which stands for any pair force along it."""
    return np.asarray(seen.point(frame_b).position[0] - seen.point(frame_a).position[0])


def axes(frame: sp.Frame, seen: Result) -> np.ndarray:
    return np.asarray(seen.point(frame).matrix[0])


Made = tuple[Any, Callable[[Result], list[Wrench]]]


def _force(torque: np.ndarray, turning: str) -> Callable[..., Made]:
    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        def wrench(seen: Result) -> list[Wrench]:
            R = np.eye(3) if turning == "world" else axes(tip, seen)
            return [(tip, R @ PUSH, R @ torque)]

        return sp.Force("item", tip, PUSH, torque, axes=turning), wrench

    return make


def _spring(ends: Callable[..., tuple[sp.Frame, sp.Frame]]) -> Callable[..., Made]:
    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))

        def wrench(seen: Result) -> list[Wrench]:
            way = pulled(a, b, seen)
            return [(a, 200.0 * way, NONE), (b, -200.0 * way, NONE)]

        return sp.SpringDamper("item", a, b, 200.0), wrench

    return make


def _cartesian(ends: Callable[..., tuple[sp.Frame, sp.Frame]]) -> Callable[..., Made]:
    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))

        def wrench(seen: Result) -> list[Wrench]:
            force = np.array([200.0, 50.0, 90.0]) * pulled(a, b, seen)
            return [(a, force, NONE), (b, -force, NONE)]

        return sp.CartesianSpring("item", a, b, (200.0, 50.0, 90.0)), wrench

    return make


def _preload(ends: Callable[..., tuple[sp.Frame, sp.Frame]]) -> Callable[..., Made]:
    """A bushing without stiffness: its preload, a force and a torque, in A's axes."""

    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))
        load = (*PUSH, 0, 0, 0)

        def wrench(seen: Result) -> list[Wrench]:
            force = axes(a, seen) @ PUSH
            arm = np.cross(pulled(a, b, seen), force)
            return [(b, force, NONE), (a, -force, -arm)]

        return sp.Bushing("item", a, b, preload=load), wrench

    return make


def _contact(
    ends: Callable[..., tuple[sp.Frame, sp.Frame]], several: bool = False
) -> Callable[..., Made]:
    """Two large balls, which overlap by far, at rest: a push along the line between them."""

    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))

        def wrench(seen: Result) -> list[Wrench]:
            way = pulled(a, b, seen)
            distance = float(np.linalg.norm(way))
            force = 200.0 * (6.0 - distance) * way / distance
            return [(a, -force, NONE), (b, force, NONE)]

        law = sp.HuntCrossley(stiffness=200.0, exponent=1.0)
        balls = [sp.Sphere(end, radius=3.0) for end in (a, b)]
        if several:
            return sp.Contacts("item", balls, law, except_joined=False), wrench
        return sp.Contact("item", *balls, law), wrench

    return make


def _tyre(ends: Callable[..., tuple[sp.Frame, sp.Frame]]) -> Callable[..., Made]:
    """A large wheel, which overlaps with a road by far: a push along the normal at its lowest."""

    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))

        def wrench(seen: Result) -> list[Wrench]:
            n, axle, way = axes(b, seen)[:, 2], axes(a, seen)[:, 0], pulled(b, a, seen)
            across = n - (n @ axle) * axle
            size = float(np.linalg.norm(across))
            depth = 2.0 * size + 1.0 - n @ way
            arm = -2.0 * across / size - (1.0 - 0.5 * depth) * n
            force = 200.0 * depth * n
            return [(a, force, np.cross(arm, force)), (b, -force, -np.cross(way + arm, force))]

        law = sp.LinearTyre(50.0)
        shape = sp.Torus(a, radius=2.0, section=1.0, axis="x")
        return sp.Tyre("item", shape, sp.Plane(b), law, stiffness=200.0), wrench

    return make


def _function(torque: np.ndarray) -> Callable[..., Made]:
    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        item = sp.ForceFunction("item", tip, lambda t, state: (PUSH, torque))
        return item, lambda seen: [(tip, PUSH, torque)]

    return make


def _pair(
    ends: Callable[..., tuple[sp.Frame, sp.Frame]], torque: np.ndarray
) -> Callable[..., Made]:
    def make(tip: sp.Frame, other: sp.RigidBody) -> Made:
        a, b = ends(tip, other.at(0.05, 0.02))

        def wrench(seen: Result) -> list[Wrench]:
            R = axes(a, seen)
            force, twist = R @ PUSH, R @ torque
            arm = np.cross(pulled(a, b, seen), force)
            return [(b, force, twist), (a, -force, -twist - arm)]

        return sp.PairFunction("item", a, b, lambda t, state: (PUSH, torque)), wrench

    return make


def _rope(tip: sp.Frame, other: sp.RigidBody) -> Made:
    """Through an eye at the place, between two points of the other body."""
    path = [other.at(0.05, 0.02), tip, other.at(-0.05, 0.03)]

    def wrench(seen: Result) -> list[Wrench]:
        first, last = (pulled(tip, end, seen) for end in (path[0], path[2]))
        L = np.linalg.norm(first) + np.linalg.norm(last)
        tension = 1e3 * (L - 0.1) / 0.1
        one, two = (tension * w / np.linalg.norm(w) for w in (first, last))
        return [(tip, one + two, NONE), (path[0], -one, NONE), (path[2], -two, NONE)]

    return sp.Rope("item", path, 1e3, 0.1), wrench


def first(tip: sp.Frame, other: sp.Frame) -> tuple[sp.Frame, sp.Frame]:
    return tip, other


def second(tip: sp.Frame, other: sp.Frame) -> tuple[sp.Frame, sp.Frame]:
    return other, tip


POINT_FORCES: dict[str, tuple[type, Callable[..., Made], bool]] = {
    # with a word whether a place without axes may carry it
    "Force": (sp.Force, _force(NONE, "world"), True),
    "Force with a torque": (sp.Force, _force(TWIST, "world"), False),
    "Force of the body": (sp.Force, _force(NONE, "body"), False),
    "SpringDamper at A": (sp.SpringDamper, _spring(first), True),
    "SpringDamper at B": (sp.SpringDamper, _spring(second), True),
    "CartesianSpring at A": (sp.CartesianSpring, _cartesian(first), True),
    "CartesianSpring at B": (sp.CartesianSpring, _cartesian(second), True),
    "Contact at A": (sp.Contact, _contact(first), True),
    "Contact at B": (sp.Contact, _contact(second), True),
    "Contacts": (sp.Contacts, _contact(first, True), True),
    "Tyre as a wheel": (sp.Tyre, _tyre(first), False),
    "Tyre as a road": (sp.Tyre, _tyre(second), False),
    "Bushing at A": (sp.Bushing, _preload(first), False),
    "Bushing at B": (sp.Bushing, _preload(second), False),
    "ForceFunction": (sp.ForceFunction, _function(NONE), True),
    "ForceFunction with a torque": (sp.ForceFunction, _function(TWIST), False),
    "PairFunction at A": (sp.PairFunction, _pair(first, TWIST), False),
    "PairFunction at B": (sp.PairFunction, _pair(second, NONE), True),
    "PairFunction at B with a torque": (sp.PairFunction, _pair(second, TWIST), False),
    "Rope": (sp.Rope, _rope, True),
}


@pytest.mark.parametrize("kind", POINT_FORCES)
@pytest.mark.parametrize("where", PLACES)
def test_a_force_has_its_virtual_power(kind: str, where: str) -> None:
    place = PLACES[where]()
    _, make, anywhere = POINT_FORCES[kind]
    m, tip, other = model_at(place)
    without = effort(m)
    _, seen = motion(m)
    item, wrench = make(tip, other)
    m.add(item)
    if not place.axes and not anywhere:
        refused(m)
        return
    found = effort(m) - without
    expected = power(seen, wrench(seen))
    assert_allclose(found, expected, atol=1e-9 * np.abs(expected).max())
    assert np.abs(expected).max() > 0.1


def _relative(a: sp.Frame, b: sp.Frame, seen: Result) -> np.ndarray:
    """Rates (nu, 6) of place and turn of B as seen from A, in A's axes."""
    A, B = seen.point(a), seen.point(b)
    way, R = B.position[0] - A.position[0], axes(a, seen)
    move = B.velocity - A.velocity - np.cross(A.angular_velocity, way)
    turn = B.angular_velocity - A.angular_velocity
    return np.hstack([move @ R, turn @ R])


def _material(a: sp.Frame, b: sp.Frame, seen: Result) -> np.ndarray:
    """Velocities (nu, 3) of the place of B relative to the body of A there, in B's axes."""
    A, B = seen.point(a), seen.point(b)
    way = B.position[0] - A.position[0]
    move = B.velocity - A.velocity - np.cross(A.angular_velocity, way)
    return np.asarray(move @ axes(b, seen))


Rows = Callable[[sp.Frame, sp.Frame, Result], np.ndarray]


def _along_way(a: sp.Frame, b: sp.Frame, seen: Result) -> np.ndarray:
    move = seen.point(b).velocity - seen.point(a).velocity
    return np.asarray(move @ pulled(a, b, seen))[:, None]


CONSTRAINTS_AT: dict[str, tuple[type, Callable[..., Any], Rows, str]] = {
    # with the fields at which a place without axes may be
    "Distance": (
        sp.Distance, lambda a, b: sp.Distance("item", a, b, 0.9), _along_way, "AB",
    ),
    "PointOnLine": (
        sp.PointOnLine, lambda a, b: sp.PointOnLine("item", a, b, "y"),
        lambda a, b, seen: _relative(a, b, seen)[:, [0, 2]], "B",
    ),
    "PointOnPlane": (
        sp.PointOnPlane, lambda a, b: sp.PointOnPlane("item", a, b, "z"),
        lambda a, b, seen: _relative(a, b, seen)[:, [2]], "B",
    ),
    "Blade": (
        sp.Blade, lambda a, b: sp.Blade("item", a, b, "y"),
        lambda a, b, seen: _material(a, b, seen)[:, [1]], "",
    ),
    "FrameDriver": (
        sp.FrameDriver, lambda a, b: sp.FrameDriver("item", a, b, x=0.1, z="0.2 + t"),
        lambda a, b, seen: _relative(a, b, seen)[:, [0, 2]], "B",
    ),
    "FrameDriver of all": (
        sp.FrameDriver,
        lambda a, b: sp.FrameDriver("item", a, b, x=0.1, y=0.0, z=0.2, axis="y", angle="0.3 + t"),
        _relative, "",
    ),
}  # fmt: skip


def freedoms(m: sp.Model) -> tuple[Any, np.ndarray]:
    """The compiled model and velocities (nu, n) that all its rows allow."""
    c = assembled(build(m))
    G = np.asarray(Equations(c).constraints(0.0, c.q0, np.zeros(c.nu)).G).reshape(-1, c.nu)
    return c, c.scale[:, None] * (null_space(G * c.scale) if len(G) else np.eye(c.nu))


@pytest.mark.parametrize("field", ["A", "B"])
@pytest.mark.parametrize("kind", CONSTRAINTS_AT)
@pytest.mark.parametrize("where", PLACES)
def test_a_constraint_holds_the_motion_that_it_names(kind: str, where: str, field: str) -> None:
    """Motions that its rows allow have none of the relative motion, and all others are left."""
    place = PLACES[where]()
    _, make, rows, anywhere = CONSTRAINTS_AT[kind]
    m, tip, other = model_at(place)
    _, seen = motion(m)
    free = freedoms(m)[1].shape[1]
    ends = (tip, other.at(0.05, 0.02)) if field == "A" else (other.at(0.05, 0.02), tip)
    m.add(make(*ends))
    if not place.axes and field not in anywhere:
        refused(m)
        return
    c, allowed = freedoms(m)
    held = rows(*ends, Result(velocities(m, c, c.q0, allowed.T)))
    assert np.abs(held).max() < 1e-7 * np.abs(rows(*ends, seen)).max()
    assert allowed.shape[1] == free - held.shape[1]


JOINTS_AT: dict[str, tuple[Callable[..., Joint], list[list[float]], bool]] = {
    # with the relative motions that it leaves, along and about A's axes
    "Fixed": (lambda *ends: sp.Fixed("item", *ends), [], False),
    "Revolute": (lambda *ends: sp.Revolute("item", *ends, "y"), [[0, 0, 0, 0, 1, 0]], False),
    "Prismatic": (lambda *ends: sp.Prismatic("item", *ends, "x"), [[1, 0, 0, 0, 0, 0]], False),
    "Cylindrical": (
        lambda *ends: sp.Cylindrical("item", *ends, "z"),
        [[0, 0, 1, 0, 0, 0], [0, 0, 0, 0, 0, 1]],
        False,
    ),
    "Universal": (
        lambda *ends: sp.Universal("item", *ends, ("x", "y")),
        [[0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]],
        False,
    ),
    "Planar": (
        lambda *ends: sp.Planar("item", *ends, "z"),
        [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 0, 0, 1]],
        False,
    ),
    "Spherical": (
        lambda *ends: sp.Spherical("item", *ends), np.eye(6)[3:].tolist(), True,
    ),
    "Free": (lambda *ends: sp.Free("item", *ends), np.eye(6).tolist(), True),
    "General": (
        lambda *ends: sp.General("item", *ends, [("rotate", "x"), ("translate", "z")]),
        [[0, 0, 0, 1, 0, 0], [0, 0, 1, 0, 0, 0]],
        False,
    ),
}  # fmt: skip


@pytest.mark.parametrize("field", ["A", "B"])
@pytest.mark.parametrize("kind", JOINTS_AT)
@pytest.mark.parametrize("where", PLACES)
def test_a_joint_leaves_the_motion_that_it_names(kind: str, where: str, field: str) -> None:
    place = PLACES[where]()
    make, free, anywhere = JOINTS_AT[kind]
    m, tip, other = model_at(place, hold=False)
    ends = (tip, other.at(0.05, 0.02)) if field == "A" else (other.at(0.05, 0.02), tip)
    m.add(make(*ends))
    if not place.axes and not anywhere:
        refused(m)
        return
    _, seen = motion(m)
    found, left = _relative(*ends, seen), np.array(free).reshape(-1, 6)
    if not place.axes:  # the turn of a place without axes is none
        left = left if kind == "Free" else np.eye(6)[3:]
    assert np.linalg.matrix_rank(found, tol=1e-8) == len(left)
    both = np.vstack([found, left])
    assert np.linalg.matrix_rank(both, tol=1e-8) == len(left)


@pytest.mark.parametrize("where", PLACES)
def test_a_line_load_has_its_virtual_power(where: str) -> None:
    place = PLACES[where]()
    m, _, _ = model_at(place)
    if place.body.line is None:
        with pytest.raises(sp.ModelError, match="a station of a beam or cable"):
            sp.DistributedLoad("item", place.foot(place.body), PUSH)
        return
    without = effort(m)
    _, seen = motion(m)
    m.add(sp.DistributedLoad("item", place.body.at(0), PUSH, profile=(1, 3)))
    x, w = np.polynomial.legendre.leggauss(12)
    expected = 0.0
    for a, b in ((0.0, 0.3), (0.3, 0.6)):  # an element ends at 0.3 m
        for station, weight in zip(
            0.5 * (a + b) + 0.5 * (b - a) * x, 0.5 * (b - a) * w, strict=True
        ):
            force = weight * (1.0 + 2.0 * station / 0.6) * PUSH
            expected = expected + seen.point(place.body.at(station)).velocity @ force
    assert_allclose(effort(m) - without, expected, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("where", PLACES)
def test_surface_loads_need_faces(where: str) -> None:
    place = PLACES[where]()
    m, _, _ = model_at(place)
    makes = (lambda f: sp.SurfaceLoad("item", f, PUSH), lambda f: sp.Pressure("item", f, 70.0))
    for make in makes:
        if not place.body.faces:
            with pytest.raises(sp.ModelError, match="a frame on an ANCFPlate or ANCFSolid"):
                make(place.foot(place.body))
        else:
            without = effort(m)
            loaded = m.copy()
            loaded.add(make(place.foot(loaded["host"])))
            assert np.abs(effort(loaded) - without).max() > 1e-3


ON_COORDINATES: dict[type, Callable[[Any], Any]] = {
    sp.JointSpring: lambda to: sp.JointSpring("item", to, 300.0, rest=0.4),
    sp.JointEffort: lambda to: sp.JointEffort("item", to, 5.0),
    sp.PID: lambda to: sp.PID("item", to, kp=300.0, kd=1.0, target=0.4),
    sp.JointFriction: lambda to: sp.JointFriction("item", to, coulomb=5.0),
    sp.JointStop: lambda to: sp.JointStop("item", to, upper=-0.1, stiffness=1e3),
    sp.EffortFunction: lambda to: sp.EffortFunction("item", to, lambda t, q, u: 5.0),
    sp.StateSpaceController: lambda to: sp.StateSpaceController(
        "item", to, sp.ControlLaw([[-50.0, -3.0]]), target=0.4
    ),
    sp.CoordinateSpring: lambda to: sp.CoordinateSpring("item", to, "aside", 300.0, rest=0.4),
}
COORDINATES = ("forwards", "backwards", "slide", "shaft", "station")


def coordinate(kind: str) -> sp.Model:
    """A model with a coordinate "it" of the kind, and another one, "aside"."""
    m = sp.Model(gravity=(0, 0, 0))
    host, other = m.add(sp.RigidBody("host", 1.0)), m.add(sp.RigidBody("other", 1.0))
    m.add(sp.Revolute("aside", m.ground.at(0), host.at(0), "z", 0.1, 0.3))
    ends = host.at(0.3), other.at(0.1)
    if kind == "slide":
        m.add(sp.Prismatic("it", *ends, "x", 0.2, 0.7))
    elif kind == "station":
        wire = m.add(sp.Cable("wire", 0.6, sp.Circle(0.02), SOFT, elements=2))
        m.add(sp.Spherical("hold", host.at(0), wire.at(0)))
        m.add(sp.Free("air", wire.at(0.25), other.at(0), initial_rate=(0, 0, 0, 0.7, 0, 0)))
        m.add(sp.SlidingJoint("it", wire.at(0.25), other.at(0)))
    else:
        about = ends if kind != "backwards" else ends[::-1]
        m.add(sp.Revolute("hinge" if kind == "shaft" else "it", *about, "y", 0.2, 0.7))
    if kind == "shaft":
        m.add(sp.Motor("it", "hinge", 0.02, ratio=5.0))
    return m


@pytest.mark.parametrize("kind", COORDINATES)
@pytest.mark.parametrize("cls", ON_COORDINATES, ids=lambda cls: cls.__name__)
def test_elements_act_on_every_kind_of_coordinate(cls: type, kind: str) -> None:
    """All act along the same direction: that of an effort of one unit."""
    m = coordinate(kind)
    plain, along, acting = (act(m, item) for item in (None, sp.JointEffort, cls))
    unit, found = (along - plain) / 5.0, acting - plain
    if cls is sp.CoordinateSpring:  # it acts on the other coordinate, too
        other = m.joints["aside"].name
        at = build(m).joints[other].u.start
        unit[at] = found[at] = 0.0
    size = found @ unit / (unit @ unit)
    assert abs(size) > 0.5
    assert_allclose(found, size * unit, atol=1e-9 * np.abs(found).max())


def act(m: sp.Model, cls: Any) -> np.ndarray:
    """What acts on the velocities of a moving model with an element on "it"."""
    model = m.copy()
    if cls is not None:
        model.add(ON_COORDINATES[cls]("it"))
    c = assembled(build(model))
    return -np.asarray(Equations(c).residual(0.0, c.q0, c.u0, np.zeros(c.nu), c.z0))


def test_all_kinds_are_tried() -> None:
    """All but a motor, which has inertia, and a controller that acts at its samples only."""
    forces = {cls for cls, *_ in POINT_FORCES.values()}
    assert {cls for cls, kind in FORCES.items() if kind.at_frames} == forces
    rest = {sp.DistributedLoad, sp.SurfaceLoad, sp.Pressure, sp.Motor, sp.SampledController}
    assert set(FORCES) == forces | rest | set(ON_COORDINATES)
    constraints = {cls for cls, *_ in CONSTRAINTS_AT.values()}
    assert {cls for cls in CONSTRAINTS if issubclass(cls, FrameConstraint)} - constraints == {
        sp.SlidingJoint
    }
    ends = sp.RigidBody("a", 1.0).at(0), sp.RigidBody("b", 1.0).at(0)
    public = map(public_names.value, public_names.paths())
    joints = {cls for cls in public if isinstance(cls, type) and issubclass(cls, Joint)}
    assert {type(make(*ends)) for make, *_ in JOINTS_AT.values()} == joints - {Joint}


def test_machine_code_on_a_cable_is_asked_for_its_torque() -> None:
    import ctypes

    reals = ctypes.POINTER(ctypes.c_double)

    def law(torque: float) -> Any:
        @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_double, reals, reals)
        def function(t: float, given: Any, out: Any) -> int:
            out[2], out[4] = 3.0, torque
            return 0

        return function

    for torque in (0.0, 1.0):
        m, tip, _ = model_at(PLACES["cable"]())
        without = effort(m)
        _, seen = motion(m)
        m.add(sp.ForceFunction("item", tip, law(torque)))
        if torque:
            refused(m)
        else:
            expected = power(seen, [(tip, np.array([0, 0, 3.0]), NONE)])
            assert_allclose(effort(m) - without, expected, atol=1e-12)
