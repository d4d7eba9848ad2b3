"""Nada's steel strip: its natural frequencies, and the arm of it that turns on a hub.

A. M. Nada, B. A. Hussein, S. M. Megahed and A. A. Shabana, Use of the floating frame of reference
formulation in large deformation analysis, Proceedings of the Institution of Mechanical Engineers,
Part K 224 (2010). The strip has 600 x 40 x 1 mm and is clamped at its origin. ``nada.json`` has the
references and says how they were computed.

Frequencies, table 2: six for one element, twelve for two and for six. The reference is an
independent finite-element computation. It reproduces the table to 4e-5 with Poisson's ratio 0.28,
the polar moment as torsion constant, rotary inertia and no shear. The polar moment is far too stiff
for such a strip: with Saint-Venant's constant the torsion frequencies are twenty times lower.
Tolerance: 1e-4 of each frequency, the rounding of the table; against the reference 1e-8.

The arm is the strip of two elements on a hub, driven by a constant torque from rest. It turns about
the direction of its 40 mm, along which gravity would act, so that it is left out. Modes 1 and 2
bend it in the plane of the motion, mode 9 stretches it: with `Axial` its tension stiffens the
bending, read one way (bending does not act back), as the paper's equations (11) and (12) must be.

The reference is an independent planar computation with the same elements and modes. It has no
rotary inertia, 7e-7 of the whole; that moves the tip by 6e-8 m and the speed of the hub by 3e-5
rad/s, which the axial vibration of 2164 Hz has a part in.

``nada-arm-second-order`` has four elements, their four lowest modes of bending and displacements of
second order; it is compared with an exact beam that keeps its length. Tip 1e-5 m; speed of the hub
5e-3 rad/s at 0.5 s, where the exact one is known to 2e-3, 1.5e-3 later. With finer elements and
more modes the tip is off by 2e-5 m at 0.5 s: this is of third order in slopes of 0.05, and goes
away where the arm is cut into two or four bodies (3e-6 and 1e-6 m, as near as the exact one is
known).

Tolerances of the others: tip 1e-5 m, speed of the hub 1e-4 rad/s. Without damping of the joint
vibrations never die, and these small differences grow to some 1e-4 m: there the angle of the hub
is compared within 1e-3 rad and the largest deflection within 1 %. Energy error over all steps 1e-9
J, with what the model creates.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.case import Case, ModelCase, Quantity, at_times, explicit, references
from supple.fem.base.material import Material
from supple.fem.sections.sections import Rectangle
from supple.forces import JointEffort, JointSpring
from supple.joints import Fixed, Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.foundation.arrays import Vector
    from supple.reduction.stiffening import Stiffening, StiffeningName
    from supple.results.result import Result

LENGTH = 0.6  # m
STRIP = Rectangle(size_y=0.001, size_z=0.04)
STEEL = Material(E=200e9, G=78.125e9, density=7800, name="steel")
TORQUE = 0.1  # N m
DAMPING = 0.015  # N m s/rad, of the hub's bearing
TIMES = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
GRID = tuple(k / 200 for k in range(1, 1001))  # every 5 ms, for the largest deflection
AUDIT = 1e-9  # J


def arms() -> Model:
    """Return the three arms, each clamped to the ground."""
    m = Model(gravity=(0, 0, 0), name="arms of one, two and six elements")
    for elements in (1, 2, 6):
        arm = m.add(Beam(f"arm{elements}", LENGTH, STRIP, STEEL, elements, torsion="polar"))
        m.add(Fixed(f"clamp{elements}", m.ground.at(0), arm.at(0)))
    return m


def inspect(model: Model) -> list[Quantity]:
    """Compare the lowest frequencies of each arm."""
    compared = []
    for elements, known in references("nada")["nada-frequencies"].items():
        values = cast("Beam", model.bodies[f"arm{elements}"]).modal().frequencies
        pairs = zip(known["reference"], known["printed"], strict=True)
        for k, (reference, printed) in enumerate(pairs):
            name = f"frequency {k + 1} of {elements} elements"
            value = float(values[k])
            compared.append(Quantity(name, value, reference, 1e-8 * reference))
            compared.append(Quantity(f"{name}, as printed", value, printed, 1e-4 * printed))
    return compared


def nada_arm(
    stiffening: StiffeningName | Stiffening = "axial",
    modes: Any = (1, 2, 9),
    damped: bool = True,
    elements: int = 2,
) -> Model:
    """Return the arm at rest; mode 9 of two elements is the first one that stretches it."""
    m = Model(gravity=(0, 0, 0), name="rotating arm")
    hub = m.add(RigidBody("hub", 0.515, inertia=(9.9912e-4, 9.9686e-4, 4.9394e-5)))
    shapes = {"elements": elements, "modes": modes, "torsion": "polar"}
    arm = m.add(Beam("arm", LENGTH, STRIP, STEEL, **shapes, stiffening=stiffening))
    m.add(Revolute("shaft", m.ground.at(0), hub.at(0), axis="z"))
    m.add(Fixed("clamp", hub.at(0), arm.at(0)))
    m.add(JointEffort("motor", "shaft", TORQUE))
    if damped:
        m.add(JointSpring("bearing", "shaft", damping=DAMPING))
    return m


def measure_arm(name: str) -> Callable[[Result], list[Quantity]]:
    """Return the comparison of tip and hub with a case of ``nada.json``."""

    def measure(result: Result) -> list[Quantity]:
        tip = result["arm"].at(LENGTH).deflection[:, 1]
        return compare_arm(name, result, tip, 1e-5, (1e-4, 1e-4), AUDIT)

    return measure


def measure_second_order(result: Result) -> list[Quantity]:
    """Compare tip and hub with the exact beam."""
    tip = result["arm"].at(LENGTH).deflection[:, 1]
    return compare_arm("nada-arm-exact", result, tip, 1e-5, (5e-3, 1.5e-3), AUDIT)


def compare_arm(
    name: str, result: Result, tip: Vector, at_tip: float, at_hub: tuple[float, float], audit: float
) -> list[Quantity]:
    """Compare tip (m), speed of the hub (rad/s; tolerances at 0.5 s and later) and energy (J)."""
    reference, speed = references("nada")[name], result["shaft"].rates[:, 0]
    compared = at_times("tip", tip, reference["tip"], at_tip, TIMES)
    known, (first, later) = reference["speed"], at_hub
    compared += at_times("hub speed", speed[:1], known[:1], first, TIMES[:1])
    compared += at_times("hub speed", speed[1:], known[1:], later, TIMES[1:])
    return [*compared, Quantity("energy.error", result.energy.record.max_error, 0.0, audit)]


def measure_undamped(result: Result) -> list[Quantity]:
    """Compare the angle of the hub and the largest deflection of the tip, on `GRID`."""
    reference = references("nada")["nada-arm-undamped"]
    angle, tip = result["shaft"].angle, result["arm"].at(LENGTH).deflection[:, 1]
    places = [GRID.index(t) for t in TIMES]
    known = [angle[k] for k in places if k < len(angle)]
    found = at_times("hub angle", known, reference["angle"], 1e-3, TIMES)
    peak, expected = float(tip[np.argmax(np.abs(tip))]), reference["peak"]
    found.append(Quantity("largest deflection", peak, expected, 0.01 * abs(expected), TIMES[-1]))
    return [*found, Quantity("energy.error", result.energy.record.max_error, 0.0, AUDIT)]


def _case(
    name: str,
    title: str,
    stiffening: StiffeningName,
    modes: Any,
    method: Any = explicit,
    long: bool = False,
) -> Case:
    return Case(
        name=name,
        title=f"rotating arm, {title}",
        source="Nada, Hussein, Megahed and Shabana 2010; independent planar computation",
        times=TIMES,
        build=lambda: nada_arm(stiffening, modes),
        measure=measure_arm(name),
        integrator=method,
        long=long,
    )


CASES = (
    ModelCase(
        name="nada-frequencies",
        title="frequencies of a strip with one, two and six elements",
        source="Nada, Hussein, Megahed and Shabana 2010, table 2; independent finite elements",
        build=arms,
        inspect=inspect,
    ),
    _case("nada-arm", "axial stiffness, modes 1, 2 and 9", "axial", (1, 2, 9)),
    _case("nada-arm-nine-modes", "axial stiffness, nine modes", "axial", 9, long=True),
    Case(
        name="nada-arm-second-order",
        title="rotating arm, second order, four modes of bending",
        source="Nada, Hussein, Megahed and Shabana 2010; exact beam, independent computation",
        times=TIMES,
        build=lambda: nada_arm("second_order", (1, 2, 3, 4), elements=4),
        measure=measure_second_order,
    ),
    _case("nada-arm-linear", "no stiffening, modes 1 and 2", "none", (1, 2), None),
    Case(
        name="nada-arm-undamped",
        title="rotating arm without damping, axial stiffness, modes 1, 2 and 9",
        source="Nada, Hussein, Megahed and Shabana 2010; independent planar computation",
        times=GRID,
        build=lambda: nada_arm("axial", (1, 2, 9), damped=False),
        measure=measure_undamped,
        integrator=explicit,
        long=True,
    ),
)
