"""Small models of every kind of joint, force element, constraint and signal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import supple as sp
from models.tyre_models import CAR
from supple.joints.base import Joint

BACKWARDS = " crossed from B to A"


def rigid(name: str) -> sp.RigidBody:
    return sp.RigidBody(name, 1.2, (0.1, 0.03, -0.05), np.diag([0.02, 0.03, 0.04]))


def beam(kind=sp.Beam, **options) -> sp.Beam | sp.ANCFBeam:
    material = sp.Material(E=1e7, G=4e6, density=1e3)
    if kind is sp.ANCFBeam:
        return kind("beam", 0.6, sp.Rectangle(0.05, 0.04), material, elements=1)
    settings = {"elements": 1, "modes": 2, "reference": "mean_axis", **options}
    return sp.Beam("beam", 0.6, sp.Rectangle(0.05, 0.04), material, **settings)


def arm() -> sp.Model:
    """An arm on a hinge that is already turning, and a slide with a bob along it."""
    model = sp.Model(gravity=(0, 0, -9.81))
    link, bob = model.add(rigid("link")), model.add(rigid("bob"))
    model.add(sp.Revolute("hinge", model.ground.at(0), link.at(0), "y", 0.3, 2.0))
    model.add(sp.Prismatic("slide", link.at(0.4, 0, 0), bob.at(0), "x", 0.1, 1.5))
    return model


def joined(make: Callable[..., Joint], backwards: bool) -> sp.Model:
    """A body on a hinge, and another one on the joint in question, crossed in either direction."""
    model = sp.Model(gravity=(0, 0, -9.81))
    link, tip = model.add(rigid("link")), model.add(rigid("tip"))
    model.add(sp.Revolute("hinge", model.ground.at(0), link.at(0), "y", 0.3, 2.0))
    ends = link.at(0.4, 0.1, 0, rotation=(0.1, 0.2, 0.3)), tip.at(0.05, 0, 0.02)
    model.add(make("joint", *(ends[::-1] if backwards else ends)))
    return model


def hung_beam(at: float, axis: str = "y", **options) -> sp.Model:
    """A beam hung at one of its ends, with a bob at the other."""
    model = sp.Model(gravity=(0, 0, -9.81))
    strip, bob = model.add(beam(**options)), model.add(rigid("bob"))
    model.add(sp.Revolute("hinge", model.ground.at(0), strip.at(at), axis, 0.3, 2.0))
    model.add(sp.Revolute("end", strip.at(0.6 - at), bob.at(0), axis, -0.2, 1.0))
    return model


def with_item(make: Callable[[sp.Model], object], base: Callable[[], sp.Model] = arm) -> sp.Model:
    model = base()
    model.add(make(model))
    return model


JOINTS: dict[str, Callable[..., Joint]] = {
    "Fixed": lambda *a: sp.Fixed(*a),
    "Revolute": lambda *a: sp.Revolute(*a, axis=(1, 1, 0), initial=0.4, initial_rate=3.0),
    "Prismatic": lambda *a: sp.Prismatic(*a, axis=(0, 1, 1), initial=0.1, initial_rate=2.0),
    "Cylindrical": lambda *a: sp.Cylindrical(*a, initial=(0.1, 0.3), initial_rate=(1.0, 3.0)),
    "Universal": lambda *a: sp.Universal(*a, initial=(0.2, 0.4), initial_rate=(2.0, 3.0)),
    "Planar": lambda *a: sp.Planar(*a, initial=(0.1, 0.2, 0.3), initial_rate=(1.0, -1.0, 3.0)),
    "Spherical": lambda *a: sp.Spherical(*a, (0.2, -0.4, 0.3), (1.0, 3.0, -2.0)),
    "Free": lambda *a: sp.Free(*a, (0.9, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3), (1, 3, -2, 1, 2, -1)),
    "General": lambda *a: sp.General(
        *a, [("rotate", "x"), ("translate", "z")], (0.2, 0.1), (3.0, 1.0)
    ),
}


def tip_force(model: sp.Model, axes: str) -> sp.Force:
    return sp.Force("push", model["bob"].at(0, 0.2), (40, 20, 50), (3, 2, 5), axes=axes)


def pulled(t: float, state: sp.forces.FrameState) -> tuple[np.ndarray, np.ndarray]:
    return -300.0 * state.position - 20.0 * state.velocity, np.zeros(3)


def held(t: float, state: sp.forces.PairState) -> tuple[np.ndarray, np.ndarray]:
    push = -300.0 * state.position - 20.0 * state.velocity
    return push, -4.0 * state.angular_velocity - 9.0 * state.rotation[:, 0]


def rope_path(model: sp.Model) -> list[sp.Frame | sp.Pulley | sp.Drum]:
    """From a drum on the hinge over pulleys on both bodies to the ground, out of their planes."""
    link, bob, ground = model["link"], model["bob"], model.ground
    return [
        sp.Drum(ground.at(0), "hinge", 0.05, "y", "z"),
        sp.Pulley(link.at(0.3, 0.05, 0.3), 0.05, (0.1, 1, 0), friction=0.3),
        sp.Pulley(bob.at(0.3, 0, 0.1), 0.08, (0, -1, 0.2), friction=0.2),
        ground.at(1.2, 0.1, 0.6),
    ]


HILLS = 0.1 * np.sin(np.arange(7))[:, None] * np.cos(0.7 * np.arange(7))
FULL = 400.0 * np.eye(6) + 50.0 * np.ones((6, 6))


def hung_plate() -> sp.Model:
    """A soft plate of one element, which turns about an axis at its corner."""
    model = sp.Model(gravity=(0, 0, -9.81))
    material = sp.Material(E=1e7, G=4e6, density=1e3)
    sheet = model.add(sp.ANCFPlate("sheet", (0.5, 0.3), 0.03, material, (1, 1)))
    model.add(sp.Revolute("hinge", model.ground.at(0), sheet.at(0, 0), "x", 0.3, 2.0))
    return model


FORCE_MODELS: dict[str, tuple[type, Callable[[], sp.Model]]] = {
    "Force": (sp.Force, lambda: with_item(lambda m: tip_force(m, "world"))),
    "Force in body axes": (sp.Force, lambda: with_item(lambda m: tip_force(m, "body"))),
    "SpringDamper": (
        sp.SpringDamper,
        lambda: with_item(
            lambda m: sp.SpringDamper("rope", m.ground.at(0.5, 1), m["bob"].at(0), 900.0, 40.0, 0.2)
        ),
    ),
    "SpringDamper with laws": (
        sp.SpringDamper,
        lambda: with_item(
            lambda m: sp.SpringDamper(
                "rope", m.ground.at(0.5, 1), m["bob"].at(0), length=0.2,
                spring=sp.TableLaw([(0, 0), (0.5, 200), (2, 2e3)], "cubic"),
                damper="(30 + 40*x)*v + 9*v**3",
            )
        ),
    ),
    "Rope": (
        sp.Rope,
        lambda: with_item(
            lambda m: sp.Rope("rope", rope_path(m), 2e3, 1.5, 60.0, transition=3.0)
        ),
    ),
    "CartesianSpring": (
        sp.CartesianSpring,
        lambda: with_item(
            lambda m: sp.CartesianSpring(
                "pad", m["link"].at(0.1, 0.1), m["bob"].at(0), (900, 500, 2e3), (9, 5, 20),
                rest=(0, 0.2, 0),
            )
        ),
    ),
    **{
        f"Contact{words}": (
            sp.Contact,
            lambda friction=friction: with_item(
                lambda m: sp.Contact(
                    "touch",
                    sp.Sphere(m["bob"].at(0.02), radius=0.9),
                    sp.Cuboid(m.ground.at(0, 0, -0.4), (3, 3, 1)),
                    sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0),
                    friction,
                )
            ),
        )
        for words, friction in (
            ("", None),
            (" with friction", sp.Friction(0.3, stiffness=400.0, damping=9.0)),
            (
                " with rounded friction",
                sp.RoundedFriction((0.1, 0.06), 0.15, stribeck=2, rolling=0.01, transition=1),
            ),
        )
    },
    "Contact on heights": (
        sp.Contact,
        lambda: with_item(
            lambda m: sp.Contact(
                "touch",
                sp.Sphere(m["bob"].at(0.02), radius=0.9),
                sp.HeightField(m.ground.at(-3, -3), HILLS, 1.0),
                sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0),
            )
        ),
    ),
    "Contacts": (
        sp.Contacts,
        lambda: with_item(
            lambda m: sp.Contacts(
                "touch",
                [
                    sp.Sphere(m["bob"].at(0.02), radius=0.9),
                    sp.Cuboid(m.ground.at(0, 0, -0.4), (3, 3, 1)),
                    sp.Sphere(m["link"].at(0.1), radius=0.2),
                ],
                sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0),
                sp.RoundedFriction(0.1, transition=1),
                except_joined=False,
            )
        ),
    ),
    **{
        f"Tyre{words}": (
            sp.Tyre,
            lambda law=law, push=push: with_item(
                lambda m: sp.Tyre(
                    "touch",
                    sp.Torus(m["bob"].at(0.02, 0.1), radius=0.7, section=0.2, axis=(0.1, 1, 0.2)),
                    sp.Plane(m.ground.at(0, 0, 0.1)),
                    law,
                    **push,
                )
            ),
        )
        for words, law, push in (
            (
                "",
                sp.LinearTyre(60.0, 90.0, (0.3, 0.5), trail=0.1, settling=0.01),
                {"stiffness": 900.0, "damping": 20.0},
            ),
            (
                " with a brush",
                sp.BrushTyre(90.0, 0.3, 0.3, half_length=0.2, load=900.0, settling=0.02),
                {"push": sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0)},
            ),
        )
    },
    "Tyre by coefficients": (
        sp.Tyre,
        lambda: with_item(
            lambda m: sp.Tyre(
                "touch",
                sp.Torus(m["bob"].at(0.02, 0.1), radius=0.7, section=0.2, axis=(0.1, 1, 0.2)),
                sp.Plane(m.ground.at(0, 0, 0.1)),
                sp.MagicFormula(900.0, CAR, settling=0.02),
                stiffness=900.0,
                damping=20.0,
            )
        ),
    ),
    "Tyre on heights": (
        sp.Tyre,
        lambda: with_item(
            lambda m: sp.Tyre(
                "touch",
                sp.Torus(m["bob"].at(0.02), radius=0.7, section=0.2, axis="y"),
                sp.HeightField(m.ground.at(-3, -3), HILLS, 1.0),
                sp.LinearTyre(60.0, load=900.0, settling=0.01),
                stiffness=900.0,
            )
        ),
    ),
    "Bushing with matrices": (
        sp.Bushing,
        lambda: with_item(
            lambda m: sp.Bushing(
                "pad", m.ground.at(0.4), m["bob"].at(0), FULL, 0.02 * FULL, (9, 20, 5, 4, 2, 1)
            )
        ),
    ),
    "PairFunction": (
        sp.PairFunction,
        lambda: with_item(
            lambda m: sp.PairFunction("magnet", m.ground.at(0.4, 1), m["bob"].at(0), held)
        ),
    ),
    "CoordinateSpring": (
        sp.CoordinateSpring,
        lambda: with_item(
            lambda m: sp.CoordinateSpring("band", "hinge", "slide", 90.0, 2.0, ratio=1.5, rest=0.9)
        ),
    ),
    "JointSpring with laws": (
        sp.JointSpring,
        lambda: with_item(
            lambda m: sp.JointSpring(
                "coil", "slide", spring=[(-1, -9e2), (0.3, 80), (1, 2e3)], damper="20*v + x*v**2"
            )
        ),
    ),
    "Bushing": (
        sp.Bushing,
        lambda: with_item(
            lambda m: sp.Bushing("pad", m.ground.at(0.4), m["bob"].at(0), (400,) * 6, (9,) * 6)
        ),
    ),
    "DistributedLoad": (
        sp.DistributedLoad,
        lambda: with_item(
            lambda m: sp.DistributedLoad("wind", m["beam"].at(0), (40, 90, 70)),
            lambda: hung_beam(0.0),
        ),
    ),
    "DistributedLoad on sections": (
        sp.DistributedLoad,
        lambda: with_item(
            lambda m: sp.DistributedLoad("wind", m["beam"].at(0), (40, 90, 70), axes="section"),
            lambda: hung_beam(0.0),
        ),
    ),
    "SurfaceLoad": (
        sp.SurfaceLoad,
        lambda: with_item(
            lambda m: sp.SurfaceLoad("wind", m["sheet"].at(0, 0), (40, 90, 70)), hung_plate
        ),
    ),
    "Pressure": (
        sp.Pressure,
        lambda: with_item(lambda m: sp.Pressure("wind", m["sheet"].at(0, 0), 70.0), hung_plate),
    ),
    "ForceFunction": (
        sp.ForceFunction,
        lambda: with_item(lambda m: sp.ForceFunction("magnet", m["bob"].at(0), pulled)),
    ),
    "EffortFunction": (
        sp.EffortFunction,
        lambda: with_item(
            lambda m: sp.EffortFunction("law", "hinge", lambda t, q, u: 90.0 * np.cos(q) - 4.0 * u)
        ),
    ),
    "StateSpaceController": (
        sp.StateSpaceController,
        lambda: with_item(
            lambda m: sp.StateSpaceController(
                "law", ["hinge", "slide"], sp.ControlLaw([[-900, 0, -9, 0], [0, -2e3, 50, -20]]),
                target=[1.0, 0.2],
            )
        ),
    ),
    "StateSpaceController with states": (
        sp.StateSpaceController,
        lambda: with_item(
            lambda m: sp.StateSpaceController(
                "law", "slide",
                sp.ControlLaw(
                    [[0, -2e3, 50, -20]], [[-9, 50], [0, 0]], [[300, 0, 1, 0], [0, 9, 0, 1]],
                    [[90, -2e4]], [[0.0], [1e-4]],
                ),
                ["hinge", "slide"], [0.3, -0.1], [20.0], 200.0, initial=[0.1, 0.0],
            )
        ),
    ),
    "SampledController": (
        sp.SampledController,
        lambda: with_item(
            lambda m: sp.SampledController(
                "law", ["hinge", "slide"], sp.ControlLaw([[-900, 0, -9, 0], [0, -2e3, 50, -20]]),
                1.5e-3, delay=5e-4, target=[1.0, 0.2],
            )
        ),
    ),
    "Motor": (
        sp.Motor,
        lambda: with_item(lambda m: sp.Motor("motor", "hinge", 0.02, ratio=5.0, damping=0.3)),
    ),
    "Motor with an elastic gear": (
        sp.Motor,
        lambda: with_item(
            lambda m: sp.Motor(
                "motor", "slide", 0.05, ratio=10.0, damping=20.0, stiffness=9e4, gear_damping=90.0
            )
        ),
    ),
    "JointSpring": (
        sp.JointSpring,
        lambda: with_item(
            lambda m: sp.JointSpring("coil", "slide", 2e3, 60.0, rest=-0.1, cubic=900.0)
        ),
    ),
    "JointEffort": (
        sp.JointEffort,
        lambda: with_item(lambda m: sp.JointEffort("drive", "hinge", 70.0)),
    ),
    "PID": (
        sp.PID,
        lambda: with_item(
            lambda m: sp.PID("control", "hinge", kp=300, ki=9e4, kd=10, target=0.5)
        ),
    ),
    "PID within a limit": (
        sp.PID,
        lambda: with_item(
            lambda m: sp.PID("control", "hinge", kp=300, ki=9e4, kd=10, target=0.5, limit=45.0)
        ),
    ),
    "JointFriction": (
        sp.JointFriction,
        lambda: with_item(
            lambda m: sp.JointFriction("rub", "slide", coulomb=80.0, viscous=4.0)
        ),
    ),
    "JointStop": (
        sp.JointStop,
        lambda: with_item(
            lambda m: sp.JointStop("wall", "slide", lower=-1.0, upper=0.102, stiffness=8e4)
        ),
    ),
}  # fmt: skip


def crossing_lines() -> sp.Model:
    """A beam of nodal vectors that swings on a cable, which it rubs."""
    model = hung_beam(0.0, "z", kind=sp.ANCFBeam)
    soft = sp.Material(E=1e6, G=4e5, density=800.0)
    start = model.ground.at(0.2, -0.3, -0.09, rotation=(0, 0, np.pi / 2))
    cable = model.add(sp.Cable("cable", 0.6, sp.Circle(0.06), soft, elements=1))
    model.add(sp.Free("fly", start, cable.at(0), initial_rate=(0.1, 0.2, 0.3, 0.4, 0.2, 1.0)))
    lines = sp.Line(model["beam"], radius=0.05), sp.Line(cable, radius=0.05)
    law = sp.HuntCrossley(stiffness=9e3, restitution=0.7, speed=2.0)
    model.add(sp.Contact("touch", *lines, law, sp.RoundedFriction(0.1, transition=1.0)))
    return model


BODY_MODELS: dict[str, Callable[[], sp.Model]] = {
    "elastic edges": lambda: hung_beam(0.0),
    "elastic edge inwards": lambda: hung_beam(0.6, reference="clamped"),
    "damping of a body": lambda: hung_beam(0.0, damping=sp.Rayleigh(1.0)),
    "axial stiffening": lambda: hung_beam(0.0, stiffening=sp.reduction.Axial()),
    "edges to nodal vectors": lambda: hung_beam(0.0, "z", kind=sp.ANCFBeam),
    "load along nodal vectors": lambda: with_item(
        lambda m: sp.DistributedLoad("wind", m["beam"].at(0), (40, 90, 70)),
        lambda: hung_beam(0.0, "z", kind=sp.ANCFBeam),
    ),
    "load on sections of nodal vectors": lambda: with_item(
        lambda m: sp.DistributedLoad("wind", m["beam"].at(0), (40, 90, 70), axes="section"),
        lambda: hung_beam(0.0, "z", kind=sp.ANCFBeam),
    ),
    "points of contact between nodal vectors": lambda: with_item(
        lambda m: sp.Contact(
            "touch",
            sp.Line(m["beam"], radius=0.05),
            sp.Plane(m.ground.at(0, 0, -0.04)),
            sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0),
            sp.RoundedFriction(0.1, transition=1.0),
        ),
        lambda: hung_beam(0.0, "z", kind=sp.ANCFBeam),
    ),
    "lines that touch": crossing_lines,
}


def sliding(follows: str = "point") -> sp.Model:
    """A bead that slides along a beam of nodal vectors, which swings."""
    model = sp.Model(gravity=(0, 0, -9.81))
    strip, bead = model.add(beam(sp.ANCFBeam)), model.add(rigid("bead"))
    c, s = np.cos(0.3), np.sin(0.3)
    spin = {"point": (0.5, 0.2), "tangent": (0.5 * c, 0.5 * s), "section": (0.0, 0.0)}[follows]
    rates = (*spin, 2.0, 1.5 * c - 0.6 * s, 1.5 * s + 0.6 * c, 0.0)
    model.add(sp.Revolute("hinge", model.ground.at(0), strip.at(0), "z", 0.3, 2.0))
    model.add(sp.Free("air", model.ground.at(0.3 * c, 0.3 * s), bead.at(0), initial_rate=rates))
    model.add(sp.SlidingJoint("slide", strip.at(0.3), bead.at(0), follows))
    return model


CONSTRAINT_MODELS: dict[str, tuple[type, Callable[[], sp.Model]]] = {
    "Coupling": (
        sp.Coupling,
        lambda: with_item(
            lambda m: sp.Coupling("cam", [("hinge", 1.0), ("slide", -2.0)], value="0.1 + 0.5*t")
        ),
    ),
    "Driver": (
        sp.Driver,
        lambda: with_item(lambda m: sp.Driver("drive", "hinge", sp.Polynomial((0.3, 2.0, 200.0)))),
    ),
    "SpeedDriver": (
        sp.SpeedDriver,
        lambda: with_item(lambda m: sp.SpeedDriver("drive", "hinge", sp.Polynomial((2.0, 400.0)))),
    ),
    "RateCoupling": (
        sp.RateCoupling,
        lambda: with_item(
            lambda m: sp.RateCoupling("mix", [("hinge", 1.0), ("slide", -2.0)], "0.5 + t")
        ),
    ),
    "Blade": (
        sp.Blade,
        lambda: with_item(
            lambda m: sp.Blade("edge", m.ground.at(0), m["tip"].at(0.1), (1, 1, 2)),
            lambda: joined(JOINTS["Spherical"], False),
        ),
    ),
    "Rolling": (
        sp.Rolling,
        lambda: with_item(
            lambda m: sp.Rolling(
                "rolls",
                sp.Plane(m.ground.at(0), normal=(0.1, 1, 2)),
                sp.Torus(m["tip"].at(0.1), radius=0.2, section=0.03, axis=(1, 1, 0)),
                friction=0.5,
            ),
            lambda: joined(JOINTS["Free"], False),
        ),
    ),
    "Gear": (sp.Gear, lambda: with_item(lambda m: sp.Gear("gear", "hinge", "slide", 1.5))),
    "Rack": (sp.Rack, lambda: with_item(lambda m: sp.Rack("rack", "slide", "hinge", 0.6))),
    "Screw": (
        sp.Screw,
        lambda: with_item(
            lambda m: sp.Screw("thread", "joint", 0.5), lambda: joined(JOINTS["Cylindrical"], False)
        ),
    ),
    "Distance": (
        sp.Distance,
        lambda: with_item(
            lambda m: sp.Distance("rod", m.ground.at(0.5, 1), m["bob"].at(0, 0.2), 0.9)
        ),
    ),
    "Distance that changes": (
        sp.Distance,
        lambda: with_item(
            lambda m: sp.Distance("rod", m.ground.at(0.5, 1), m["bob"].at(0, 0.2), "0.9 + 30*t**2")
        ),
    ),
    "PointOnLine": (
        sp.PointOnLine,
        lambda: with_item(
            lambda m: sp.PointOnLine(
                "wire", m.ground.at(0.4, 0.12, -0.1), m["tip"].at(0.15, 0, 0.02), (2, 1, 3)
            ),
            lambda: joined(JOINTS["Spherical"], False),
        ),
    ),
    "SlidingJoint": (sp.SlidingJoint, sliding),
    "SlidingJoint that turns": (sp.SlidingJoint, lambda: sliding("tangent")),
    "PointOnPlane": (
        sp.PointOnPlane,
        lambda: with_item(
            lambda m: sp.PointOnPlane("floor", m.ground.at(0.5), m["tip"].at(0.1), (1, 1, 2)),
            lambda: joined(JOINTS["Spherical"], False),
        ),
    ),
    "FrameDriver": (
        sp.FrameDriver,
        lambda: with_item(
            lambda m: sp.FrameDriver("hand", m.ground.at(0), m["tip"].at(0), z="-0.2 + 99*t**2"),
            lambda: joined(JOINTS["Spherical"], False),
        ),
    ),
    "FrameDriver with an angle": (
        sp.FrameDriver,
        lambda: with_item(
            lambda m: sp.FrameDriver(
                "hand", m.ground.at(0), m["bob"].at(0), x="0.5 + t", y=0.0, z="-0.1 + t",
                axis="y", angle="0.3 + 2*t + 100*t**2",
            ),
            lambda: floating(),
        ),
    ),
}  # fmt: skip


def floating() -> sp.Model:
    model = sp.Model(gravity=(0, 0, -9.81))
    bob = model.add(rigid("bob"))
    start, rate = (1, 0, 0.1, 0, 0.5, 0, -0.1), (0, 2, 0, 1, 0, 1)
    model.add(sp.Free("air", model.ground.at(0), bob.at(0), start, rate))
    return model


SIGNAL_WAVES: dict[str, sp.signals.Signal] = {
    "Constant": sp.Constant(50.0),
    "Polynomial": sp.Polynomial((20.0, 9e3)),
    "Table": sp.Table((0.0, 2e-3, 9e-3), (0.0, 80.0, 20.0)),
    "Table with cubic interpolation": sp.Table((0.0, 2e-3, 9e-3), (0.0, 80.0, 60.0), "cubic"),
    "SmoothStep": sp.SmoothStep(0.0, 4e-3, 0.0, 90.0),
    "Sine": sp.Sine(60.0, 40.0, phase=0.3, offset=10.0),
    "Expression": sp.Expression("50*cos(300*t) + 20"),
    "Combination": sp.Sine(60.0, 40.0) * sp.Polynomial((1.0, 200.0)) + 5.0,
    "ShapedSignal": sp.ShapedSignal(sp.SmoothStep(0.0, 2e-3, 0.0, 60.0), (0.6, 0.4), (0.0, 2e-3)),
}


def pushed(waves: Sequence[sp.signals.Signal]) -> sp.Model:
    """A flying body with a signal in each component of force (N) and torque (N m / 50)."""
    components = [*waves, *[0.0] * (6 - len(waves))]
    turning = [0.02 * wave for wave in components[3:]]
    return with_item(lambda m: sp.Force("push", m["bob"].at(0), components[:3], turning), floating)


def meshing() -> sp.Model:
    """Two gears whose teeth push, a quarter of a degree into each other."""
    model, sizes = sp.Model(), {"module": 0.02, "width": 0.05}
    one, two = (model.add(sp.RigidBody(name, 1.0, inertia=0.01)) for name in ("one", "two"))
    model.add(sp.Revolute("first", model.ground.at(0), one.at(0), "z", initial=0.004))
    model.add(sp.Revolute("second", model.ground.at(0.5, 0, 0), two.at(0), "z"))
    teeth = sp.InvoluteGear(one.at(0), 20, **sizes)
    others = sp.InvoluteGear(two.at(0), 30, phase=np.pi + np.pi / 30, **sizes)
    law = sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0)
    model.add(sp.Contact("mesh", teeth, others, law))
    return model


def standing() -> sp.Model:
    """A cylinder on a box, a little into it."""
    model = sp.Model()
    can = model.add(sp.RigidBody("can", 1.0, inertia=0.01))
    model.add(sp.Free("air", model.ground.at(0, 0, 0.199), can.at(0)))
    shape = sp.Cylinder(can.at(0), radius=0.05, length=0.2)
    table = sp.Cuboid(model.ground.at(0), (1, 1, 0.2))
    model.add(sp.Contact("foot", shape, table, sp.HuntCrossley(stiffness=900.0)))
    return model


def by_cells() -> sp.Model:
    """An arm with balls that overlap with the ground and with each other, for `DormandPrince`."""
    model = arm()
    model.add(
        sp.Contacts(
            "pile",
            [
                sp.Sphere(model["bob"].at(0.02), radius=0.3),
                sp.Cuboid(model.ground.at(0.5, 0, -0.4), (3, 3, 0.3)),
                sp.Sphere(model["link"].at(0.1), radius=0.3),
            ],
            sp.HuntCrossley(stiffness=900.0, restitution=0.7, speed=2.0),
            sp.RoundedFriction(0.1, transition=1),
            except_joined=False,
            cells=True,
        )
    )
    return model


KINDS: dict[str, Callable[[], sp.Model]] = {
    **{f"{name} forwards": lambda make=make: joined(make, False) for name, make in JOINTS.items()},
    **{f"{name}{BACKWARDS}": lambda make=make: joined(make, True) for name, make in JOINTS.items()},
    **BODY_MODELS,
    **{name: make for name, (_, make) in FORCE_MODELS.items()},
    **{name: make for name, (_, make) in CONSTRAINT_MODELS.items()},
    "signals of pieces": lambda: pushed(list(SIGNAL_WAVES.values())[:5]),
    "other signals": lambda: pushed(list(SIGNAL_WAVES.values())[5:]),
}
