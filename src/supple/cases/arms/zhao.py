"""Zhao's two links under given torques: rigid, bent by their weight, and flexible.

Zhao, Zhou and Yue on the choice of shape functions for flexible links: two uniform rods with a
mass at the end of each, horizontal and at rest at the start, gravity 9.81 m/s2 along -Y. Torques
``215 sin(2 pi t)^3 + 62`` and ``75 sin(2 pi t)^3 + 15`` N m act in the joints, the second between
the links. The paper's angles are absolute: the second is shoulder plus elbow. The references are in
``zhao.json``.

``zhao-rigid``: an independent computation of the rigid links by Dormand-Prince of order 5. Beside
a run of SciPy at tolerance 3e-14 it errs by up to 1.3e-8 rad, 1.9e-7 rad/s and 8e-9 m.

``zhao-static`` (case 1 of the paper): each rod keeps the deflection of a horizontal cantilever
under its weight and that of the mass at its end: no coordinate is added, and the rod is a rigid
body whose mass lies on the bent line. Joints and end masses stay on the straight one, as in the
paper; the tip is shown with both deflections. The reference integrates the paper's equations,
corrected: m12 lacks the lengths, the potential a factor g, and the labels of the two deflections
(10) are exchanged. It was found with the method of ``zhao-rigid`` and errs as much.

Tolerances of both: angles 1e-6 rad, tip 1e-6 m, rates 1e-6 of the largest listed; energy error over
all steps 1e-9 of the largest kinetic energy.

Flexible links have bending stiffnesses of 1220 and 218 N m2 and bend in the plane; they have no
extension, no rotary inertia and no geometric stiffening. Each link's frame goes through its ends,
the torques act on the sections at the joints. In the paper sines have torques on the chords only;
for odd sines the slopes at both ends differ in sign, and the work of a torque there is not zero:
the reference, an independent Lagrangian in the same coordinates, takes it into account.

With ``zhao-cantilever`` each link's frame is that of its root section, from which the links bend
by more than a tenth of their length: displacements of second order keep their length. Its
reference has no restriction of slopes at all. The second link turns faster than its first
frequency: without them the tip is off by more than a metre.

Tolerances: angles of the chords 1e-6 rad, their rates 1e-5 rad/s, tip 1e-6 m: undamped vibration
of up to 3 kHz is followed for two seconds, and two programs agree on the rates to 2e-6 rad/s.
Energy error over all steps 1e-8 of the largest strain energy. Tip of ``zhao-cantilever`` 2 mm:
deflections reach a tenth of the length, what is of third order in them is missing; it is 0.7 mm.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import PointMass, RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.case import Case, Quantity, at_times, energy_error, explicit, references
from supple.fem.base.material import Material
from supple.fem.sections.sections import Section
from supple.forces import JointEffort
from supple.joints import Revolute
from supple.model import Model
from supple.reduction.assumed.shapes import SineShapes

if TYPE_CHECKING:
    from supple.foundation.arrays import Array, Vector
    from supple.foundation.frames import Body
    from supple.results.result import Result

LENGTH = 0.75  # m, of each link
LINKS = (1.4, 0.62)  # kg
ENDS = (5.5, 0.62)  # kg, at the ends of the links
BENDING = (1220.0, 218.0)  # N m2
TORQUES = ("215*sin(2*pi*t)**3 + 62", "75*sin(2*pi*t)**3 + 15")  # N m
TIMES = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)  # s
GRAVITY = 9.81  # m/s2
POINTS = 6  # of Gauss: squares of the fourth power are exact
# Stiffness along the axis, out of the plane and in twist, against that of bending: so large that
# modes of elements with these deformations come after all modes of bending in the plane.
STIFF = 1e6
# Bending modes in the plane of three elements: two rotations of the ends, two nodes between.
ELEMENTS, BENDING_MODES = 3, 6


def joined(word: str, links: Sequence[Body]) -> Model:
    """Return the model of two links, horizontal and at rest."""
    m = Model(gravity=(0, -GRAVITY, 0), name=f"two links, {word}")
    link1, link2 = (m.add(link) for link in links)
    m.add(PointMass("end1", link1.at(LENGTH), ENDS[0]))
    m.add(PointMass("end2", link2.at(LENGTH), ENDS[1]))
    m.add(Revolute("shoulder", m.ground.at(0), link1.at(0)))
    m.add(Revolute("elbow", link1.at(LENGTH), link2.at(0)))
    for joint, torque in zip(("shoulder", "elbow"), TORQUES, strict=True):
        m.add(JointEffort(f"{joint} motor", joint, torque))
    return m


def two_links() -> Model:
    """Return the two rigid links."""
    return joined("rigid", [_rod(f"link{k}", mass) for k, mass in enumerate(LINKS, start=1)])


def _rod(name: str, mass: float) -> RigidBody:
    across = mass * LENGTH**2 / 12.0
    return RigidBody(name, mass, com=(LENGTH / 2, 0, 0), inertia=(0.0, across, across))


def bent_links() -> Model:
    """Return the two bent links, their straight lines horizontal."""
    data = zip(LINKS, ENDS, BENDING, strict=True)
    return joined("bent", [_bent(f"link{k}", *numbers) for k, numbers in enumerate(data, start=1)])


def _bent(name: str, mass: float, end: float, bending: float) -> RigidBody:
    nodes, weights = np.polynomial.legendre.leggauss(POINTS)
    x = 0.5 * LENGTH * (nodes + 1.0)
    places = np.stack([x, -sag(x, mass, end, bending), np.zeros(POINTS)])
    com = 0.5 * places @ weights
    apart = places - com[:, None]
    moments = 0.5 * mass * (apart * weights) @ apart.T
    return RigidBody(name, mass, com=com, inertia=np.trace(moments) * np.eye(3) - moments)


def sag(x: Vector, mass: float, end: float, bending: float) -> Vector:
    """Deflection (m, downwards positive) at x (m) of a cantilever with a mass at its end."""
    own = mass / LENGTH * x**2 * (x**2 - 4.0 * LENGTH * x + 6.0 * LENGTH**2) / 24.0
    return np.asarray(GRAVITY * (own + end * x**2 * (3.0 * LENGTH - x) / 6.0) / bending)


def flexible_links(modes: Any, elements: int = ELEMENTS, **options: Any) -> Model:
    """Return the two flexible links; ``options`` are fields of the beams."""
    options = {"elements": elements, "modes": modes, "reference": "chord"} | options
    data = enumerate(zip(LINKS, BENDING, strict=True), start=1)
    return joined("flexible", [_flexible(f"link{k}", *numbers, options) for k, numbers in data])


def _flexible(name: str, mass: float, bending: float, options: dict[str, Any]) -> Beam:
    E = 1e9  # Pa; only products with section numbers matter
    second = bending / E
    area = STIFF * second / LENGTH**2
    section = Section(area, I_y=STIFF * second, I_z=second, J=STIFF * second)
    material = Material(E=E, G=E, density=mass / (area * LENGTH))
    return Beam(name, LENGTH, section, material, rotary_inertia=False, **options)


def cantilevers(stiffening: Any = "second_order") -> Model:
    """Return the two links in the frames of their root sections, three modes each."""
    return flexible_links(3, 6, reference="clamped", stiffening=stiffening)


def _absolute(result: Result) -> tuple[list[Array], list[Array]]:
    """Absolute angles (rad) and rates (rad/s) of both links over time."""
    shoulder, elbow = result["shoulder"], result["elbow"]
    angles = [shoulder.angle, shoulder.angle + elbow.angle]
    return angles, [shoulder.angle_rate, shoulder.angle_rate + elbow.angle_rate]


def _compare(name: str, result: Result, x: Array, y: Array) -> list[Quantity]:
    """Compare absolute angles and rates of rigid links, and the tip."""
    (angle1, angle2), (rate1, rate2) = _absolute(result)
    values = {"angle 1": angle1, "angle 2": angle2, "rate 1": rate1, "rate 2": rate2}
    reference = references("zhao")[name]
    fastest = float(np.abs(reference["rate 2"]).max())
    compared: list[Quantity] = []
    for key, value in (values | {"tip x": x, "tip y": y}).items():
        tolerance = 1e-6 * (fastest if key.startswith("rate") else 1.0)
        compared += at_times(key, value, reference[key], tolerance, TIMES)
    return [*compared, energy_error(result, 1e-9)]


def measure_rigid(result: Result) -> list[Quantity]:
    """Compare the rigid links."""
    tip = result["end2"].position
    return _compare("zhao-rigid", result, tip[:, 0], tip[:, 1])


def measure_bent(result: Result) -> list[Quantity]:
    """Compare the bent links."""
    angles, _ = _absolute(result)
    x, y = np.zeros_like(angles[0]), np.zeros_like(angles[0])
    for angle, *link in zip(angles, LINKS, ENDS, BENDING, strict=True):
        down = float(sag(np.array(LENGTH), *link))
        x += LENGTH * np.cos(angle) + down * np.sin(angle)
        y += LENGTH * np.sin(angle) - down * np.cos(angle)
    return _compare("zhao-static", result, x, y)


def measure_chords(name: str, result: Result) -> list[Quantity]:
    """Compare the chords' angles and rates, and the tip."""
    known = references("zhao")[name]
    compared: list[Quantity] = []
    for k in (1, 2):
        chord = result[f"link{k}"]
        # The chord's direction gives its angle up to whole turns.
        target = np.array(known[f"angle {k}"])[: len(result.t)]
        direction = chord.matrix[:, :, 0]
        angle = np.arctan2(direction[:, 1], direction[:, 0])
        angle = angle + 2.0 * np.pi * np.round((target - angle) / (2.0 * np.pi))
        compared += at_times(f"angle {k}", angle, known[f"angle {k}"], 1e-6, TIMES)
        rate = chord.angular_velocity[:, 2]
        compared += at_times(f"rate {k}", rate, known[f"rate {k}"], 1e-5, TIMES)
    return compared + measure_tip(name, 1e-6, result)


def measure_tip(name: str, tolerance: float, result: Result) -> list[Quantity]:
    """Compare the tip."""
    known, tip = references("zhao")[name], result["end2"].position
    compared = at_times("tip x", tip[:, 0], known["tip x"], tolerance, TIMES)
    compared += at_times("tip y", tip[:, 1], known["tip y"], tolerance, TIMES)
    return [*compared, energy_error(result, 1e-8, "max_elastic")]


def _case(name: str, title: str, modes: Any, long: bool = False) -> Case:
    return Case(
        name=name,
        title=f"two links under given torques, {title}",
        source="Zhao, Zhou and Yue; independent Lagrangian in the same coordinates",
        times=TIMES,
        build=lambda: flexible_links(modes),
        measure=partial(measure_chords, name),
        integrator=explicit,
        long=long,
    )


CASES = (
    Case(
        name="zhao-rigid",
        title="two links under given torques, rigid",
        source="Zhao, Zhou and Yue; independent computation, Dormand-Prince of order 5",
        times=TIMES,
        build=two_links,
        measure=measure_rigid,
    ),
    Case(
        name="zhao-static",
        title="two links bent by their weight, under given torques",
        source="Zhao, Zhou and Yue, case 1, corrected; independent integration",
        times=TIMES,
        build=bent_links,
        measure=measure_bent,
    ),
    _case("zhao-one-sine", "one sine each", SineShapes(1, planes=("y",))),
    _case("zhao-three-sines", "three sines each", SineShapes(3, planes=("y",))),
    _case("zhao-elements", "three elements each", BENDING_MODES, long=True),
    Case(
        name="zhao-cantilever",
        title="two links under given torques, three modes of cantilevers of second order",
        source="Zhao, Zhou and Yue; Lagrangian of links that bend by any angle",
        times=TIMES,
        build=cantilevers,
        measure=partial(measure_tip, "zhao-cantilever", 2e-3),
        integrator=explicit,
    ),
)
