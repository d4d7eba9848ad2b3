"""Huang's manipulator of eight links with two fingers, two of the links flexible, under control.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
section 3.3, tables 3.3 and 3.4. The figure that shows the axes is lost. Here they are chosen so:
links 1 to 4 in a row and the fingers 5-6 and 7-8 at the tip of link 4; joint 1 about the vertical
Y, joint 2 about x, joint 3 sliding along z of link 2, joint 4 with three angles about x, y and z in
turn, joints 5 to 8 about z; link 1 along its x, link 2 along its z, the others along their x. The
thesis calls joint 4 spherical, but gives it three positions and controls each.

Each of the ten joint coordinates has a motor of its own: inertia 2.0, damping 0.5, and a
controller ``100 (target - q) - 30 q'``.

The reference is an independent Lagrangian (``huang_eight_link.json`` says how it was computed).

Tolerances: joint angles 1e-6 rad (the slide in m); elastic translations and rotations 1e-6 of the
largest listed of their kind; rates 1e-6 of the largest listed rate of their kind; nothing below
ten times the error of the reference. Energy error over all steps 1e-9 J.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.arms import huang, huang_flexible
from supple.cases.case import Case, Quantity, at_times, references
from supple.fem.base.damping import Rayleigh
from supple.forces import PID, Motor
from supple.joints import General, Prismatic, Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.results.result import Result

LENGTH = 1.0  # m, of links 1 and 2
SHORT = 0.1  # m, of links 3 to 8
ALPHA = 2.5e-4  # s, damping of the beams in proportion to stiffness
INERTIA, RESISTANCE = 2.0, 0.5  # of a motor
KP, KD = 100.0, 30.0  # of a controller

# Axes of link 2, whose z is along the beam: columns x, y, z in the axes of the beam.
ALONG_Z = ((0, 0, 1), (1, 0, 0), (0, 1, 0))

START = {1: 1.3, 2: 0.4, 3: 0.0, 5: 0.0, 6: 1.0, 7: 0.0, 8: 1.0}
TARGETS: dict[int, tuple[float, ...]] = {
    1: (0.4,),
    2: (0.6,),
    3: (-0.02,),
    4: (0.5, 0.5, 0.5),
    5: (0.3,),
    6: (0.5,),
    7: (0.7,),
    8: (0.4,),
}


def manipulator(gravity: float = huang.G) -> Model:
    """Return the manipulator at rest in its first posture, with gravity (m/s2) along -Y."""
    m = Model(gravity=(0, -gravity, 0), name="eight-link manipulator")
    link1, link2 = m.add(_beam("link1")), m.add(_beam("link2"))
    link3, link4, link5, link6, link7, link8 = (m.add(_short(f"link{k}")) for k in range(3, 9))
    tip2 = link2.at(LENGTH, rotation=ALONG_Z)
    m.add(Revolute("joint1", m.ground.at(0), link1.at(0), "y", START[1]))
    m.add(Revolute("joint2", link1.at(LENGTH), link2.at(0, rotation=ALONG_Z), "x", START[2]))
    m.add(Prismatic("joint3", tip2, link3.at(0), "z", START[3]))
    wrist = link3.at(SHORT), link4.at(0)
    m.add(General("joint4", *wrist, [("rotate", "x"), ("rotate", "y"), ("rotate", "z")]))
    for k, (inner, outer) in enumerate(
        ((link4, link5), (link5, link6), (link4, link7), (link7, link8)), start=5
    ):
        m.add(Revolute(f"joint{k}", inner.at(SHORT), outer.at(0), "z", START[k]))
    for k, targets in TARGETS.items():
        for i, target in enumerate(targets):
            tag = f"{k}{'xyz'[i]}" if len(targets) > 1 else str(k)
            m.add(Motor(f"motor{tag}", f"joint{k}", INERTIA, damping=RESISTANCE, coordinate=i))
            m.add(PID(f"control{tag}", f"motor{tag}", kp=KP, kd=KD, target=target))
    return m


def _beam(name: str) -> Beam:
    return Beam(
        name,
        LENGTH,
        huang_flexible.SECTION,
        huang_flexible.MATERIAL,
        elements=1,
        damping=Rayleigh(stiffness=ALPHA),
        torsion="polar",
    )


def _short(name: str) -> RigidBody:
    inertia = (7.6563e-7, 2.0455e-4, 2.0455e-4)
    return RigidBody(name, 0.06125, (SHORT / 2, 0, 0), inertia, inertia_about="origin")


# Label of the reference: body or joint, and its coordinate. Beams have u v w tx ty tz.
COLUMNS = {
    "th1": ("joint1", 0),
    "th2": ("joint2", 0),
    "tau3": ("joint3", 0),
    **{f"s4{axis}": ("joint4", i) for i, axis in enumerate("xyz")},
    **{f"th{k}": (f"joint{k}", 0) for k in range(5, 9)},
    **{f"L1_{kind}": ("link1", i) for kind, i in huang_flexible.KINDS.items()},
    **{f"L2_{kind}": ("link2", i) for i, kind in enumerate(("z", "x", "y", "rz", "rx", "ry"))},
}


def _kind(label: str) -> str:
    """Kind with a common scale: joints, elastic translations, elastic rotations."""
    owner, place = COLUMNS[label]
    return "joint" if owner.startswith("joint") else "move" if place < 3 else "turn"


def _measure(name: str) -> Callable[[Result], list[Quantity]]:
    def measure(result: Result) -> list[Quantity]:
        reference = references("huang_eight_link")[name]
        labels, least = reference["labels"], 10.0 * reference["error_estimate"]
        found: list[Quantity] = []
        for what in ("coordinates", "rates"):
            table = dict(zip(labels, np.array(reference[what]).T, strict=True))
            largest = {"joint": 0.0, "move": 0.0, "turn": 0.0}
            for label, column in table.items():
                largest[_kind(label)] = max(largest[_kind(label)], float(np.abs(column).max()))
            if what == "coordinates":
                largest["joint"] = 1.0
            for label, column in table.items():
                owner, place = COLUMNS[label]
                values = getattr(result[owner], what)[:, place]
                bound = max(1e-6 * largest[_kind(label)], least)
                shown = label if what == "coordinates" else f"{label} rate"
                found += at_times(shown, values, column, bound, huang.TIMES)
        found.append(Quantity("energy.error", result.energy.record.max_error, 0.0, 1e-9))
        return found

    return measure


def _case(name: str, title: str, gravity: float) -> Case:
    return Case(
        name=name,
        title=title,
        source="Huang 1998, tables 3.3 and 3.4; independent Lagrangian, Radau",
        times=huang.TIMES,
        build=lambda: manipulator(gravity),
        measure=_measure(name),
    )


CASES = (
    _case("huang-eight-link", "manipulator with two flexible links and two fingers", huang.G),
    _case(
        "huang-eight-link-no-gravity",
        "manipulator with two flexible links and two fingers, no gravity",
        0.0,
    ),
)
