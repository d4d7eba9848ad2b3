"""Zhao's two links under given torques, flexible: sines and finite elements in chord frames.

The model is that of `supple.cases.arms.zhao` with links of bending stiffness 1220 and 218 N m2 that
bend in the plane; they have no extension, no rotary inertia and no geometric stiffening. Each
link's frame goes through its ends, the torques act on the sections at the joints. In the paper
sines have torques on the chords only; for odd sines the slopes at both ends differ in sign, and the
work of a torque there is not zero: the reference takes it into account.

The reference (``zhao_flexible.json``) is an independent Lagrangian in the same coordinates.

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

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import PointMass
from supple.bodies.beam.beam import Beam
from supple.cases.arms.zhao import ENDS, LENGTH, LINKS, TIMES, TORQUES
from supple.cases.case import Case, Quantity, at_times, explicit, references
from supple.fem.base.material import Material
from supple.fem.sections.sections import Section
from supple.forces import JointEffort
from supple.joints import Revolute
from supple.model import Model
from supple.reduction.assumed.shapes import SineShapes

if TYPE_CHECKING:
    from supple.results.result import Result

BENDING = (1220.0, 218.0)  # N m2
# Stiffness along the axis, out of the plane and in twist, against that of bending: so large that
# modes of elements with these deformations come after all modes of bending in the plane.
STIFF = 1e6
# Bending modes in the plane of three elements: two rotations of the ends, two nodes between.
ELEMENTS, BENDING_MODES = 3, 6


def flexible_links(modes: Any, elements: int = ELEMENTS, **options: Any) -> Model:
    """Return the two links, horizontal and at rest; ``options`` are fields of the beams."""
    m = Model(gravity=(0, -9.81, 0), name="two links, flexible")
    links = [
        m.add(_link(f"link{k}", mass, bending, modes, elements, options))
        for k, (mass, bending) in enumerate(zip(LINKS, BENDING, strict=True), start=1)
    ]
    for k, (link, mass) in enumerate(zip(links, ENDS, strict=True), start=1):
        m.add(PointMass(f"end{k}", link.at(LENGTH), mass))
    m.add(Revolute("shoulder", m.ground.at(0), links[0].at(0)))
    m.add(Revolute("elbow", links[0].at(LENGTH), links[1].at(0)))
    for joint, torque in zip(("shoulder", "elbow"), TORQUES, strict=True):
        m.add(JointEffort(f"{joint} motor", joint, torque))
    return m


def _link(
    name: str, mass: float, bending: float, modes: Any, elements: int, options: dict[str, Any]
) -> Beam:
    E = 1e9  # Pa; only products with section numbers matter
    second = bending / E
    area = STIFF * second / LENGTH**2
    section = Section(area, I_y=STIFF * second, I_z=second, J=STIFF * second)
    material = Material(E=E, G=E, density=mass / (area * LENGTH))
    return Beam(
        name,
        LENGTH,
        section,
        material,
        elements=elements,
        modes=modes,
        rotary_inertia=False,
        **{"reference": "chord"} | options,
    )


def _measure(name: str) -> Any:
    def measure(result: Result) -> list[Quantity]:
        """Compare the chords' angles and rates, and the tip."""
        known = references("zhao_flexible")[name]
        found: list[Quantity] = []
        for k in (1, 2):
            chord = result[f"link{k}"]
            # The chord's direction gives its angle up to whole turns.
            target = np.array(known[f"angle {k}"])[: len(result.t)]
            direction = chord.matrix[:, :, 0]
            angle = np.arctan2(direction[:, 1], direction[:, 0])
            angle = angle + 2.0 * np.pi * np.round((target - angle) / (2.0 * np.pi))
            found += at_times(f"angle {k}", angle, known[f"angle {k}"], 1e-6, TIMES)
            rate = chord.angular_velocity[:, 2]
            found += at_times(f"rate {k}", rate, known[f"rate {k}"], 1e-5, TIMES)
        for axis, letter in enumerate("xy"):
            tip = result["end2"].position[:, axis]
            found += at_times(f"tip {letter}", tip, known[f"tip {letter}"], 1e-6, TIMES)
        record = result.energy.record
        found.append(Quantity("energy.error", record.max_error, 0.0, 1e-8 * record.max_elastic))
        return found

    return measure


def cantilevers(stiffening: Any = "second_order") -> Model:
    """Return the two links in the frames of their root sections, three modes each."""
    return flexible_links(3, 6, reference="clamped", stiffening=stiffening)


def measure_tip(result: Result) -> list[Quantity]:
    """Compare the tip."""
    known = references("zhao_flexible")["zhao-cantilever"]
    tip = result["end2"].position
    found = at_times("tip x", tip[:, 0], known["tip x"], 2e-3, TIMES)
    found += at_times("tip y", tip[:, 1], known["tip y"], 2e-3, TIMES)
    record = result.energy.record
    found.append(Quantity("energy.error", record.max_error, 0.0, 1e-8 * record.max_elastic))
    return found


def _case(name: str, title: str, modes: Any, long: bool = False) -> Case:
    return Case(
        name=name,
        title=f"two links under given torques, {title}",
        source="Zhao, Zhou and Yue; independent Lagrangian in the same coordinates",
        times=TIMES,
        build=lambda: flexible_links(modes),
        measure=_measure(name),
        integrator=explicit,
        long=long,
    )


CASES = (
    _case("zhao-one-sine", "one sine each", SineShapes(1, planes=("y",))),
    _case("zhao-three-sines", "three sines each", SineShapes(3, planes=("y",))),
    _case("zhao-elements", "three elements each", BENDING_MODES, long=True),
    Case(
        name="zhao-cantilever",
        title="two links under given torques, three modes of cantilevers of second order",
        source="Zhao, Zhou and Yue; Lagrangian of links that bend by any angle",
        times=TIMES,
        build=cantilevers,
        measure=measure_tip,
        integrator=explicit,
    ),
)
