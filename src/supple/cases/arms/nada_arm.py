"""Nada's rotating arm: a steel strip on a hub, driven by a constant torque from rest.

A. M. Nada, B. A. Hussein, S. M. Megahed and A. A. Shabana, Use of the floating frame of reference
formulation in large deformation analysis, Proceedings of the Institution of Mechanical Engineers,
Part K 224 (2010). The strip is that of `supple.cases.arms.nada`, of two elements; it turns about
the direction of its 40 mm, along which gravity would act, so that it is left out. Modes 1 and 2
bend it in the plane of the motion, mode 9 stretches it: with `Axial` its tension stiffens the
bending, read one way (bending does not act back), as the paper's equations (11) and (12) must be.

The reference is an independent planar computation with the same elements and modes
(``nada_arm.json`` says how). It has no rotary inertia, 7e-7 of the whole; that moves the tip by
6e-8 m and the speed of the hub by 3e-5 rad/s, which the axial vibration of 2164 Hz has a part in.

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
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.beam.beam import Beam
from supple.cases.arms.nada import LENGTH, STEEL, STRIP
from supple.cases.case import Case, Quantity, at_times, explicit, references
from supple.forces import JointEffort, JointSpring
from supple.joints import Fixed, Revolute
from supple.model import Model

if TYPE_CHECKING:
    from supple.reduction.stiffening import Stiffening, StiffeningName
    from supple.results.result import Result

TORQUE = 0.1  # N m
DAMPING = 0.015  # N m s/rad, of the hub's bearing
TIMES = (0.5, 1.0, 2.0, 3.0, 4.0, 5.0)
GRID = tuple(k / 200 for k in range(1, 1001))  # every 5 ms, for the largest deflection
AUDIT = 1e-9  # J


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
    """Return the comparison of tip and hub with a case of ``nada_arm.json``."""

    def measure(result: Result) -> list[Quantity]:
        reference = references("nada_arm")[name]
        tip, speed = result["arm"].at(LENGTH).deflection[:, 1], result["shaft"].rates[:, 0]
        found = at_times("tip", tip, reference["tip"], 1e-5, TIMES)
        found += at_times("hub speed", speed, reference["speed"], 1e-4, TIMES)
        return [*found, Quantity("energy.error", result.energy.record.max_error, 0.0, AUDIT)]

    return measure


def measure_second_order(result: Result) -> list[Quantity]:
    """Compare tip and hub with the exact beam."""
    reference = references("nada_arm")["nada-arm-exact"]
    tip, speed = result["arm"].at(LENGTH).deflection[:, 1], result["shaft"].rates[:, 0]
    found = at_times("tip", tip, reference["tip"], 1e-5, TIMES)
    found += at_times("hub speed", speed[:1], reference["speed"][:1], 5e-3, TIMES[:1])
    found += at_times("hub speed", speed[1:], reference["speed"][1:], 1.5e-3, TIMES[1:])
    return [*found, Quantity("energy.error", result.energy.record.max_error, 0.0, AUDIT)]


def measure_undamped(result: Result) -> list[Quantity]:
    """Compare the angle of the hub and the largest deflection of the tip, on `GRID`."""
    reference = references("nada_arm")["nada-arm-undamped"]
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
