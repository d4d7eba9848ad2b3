"""Nada's rotating arm by bodies without a frame: beams of three elements, and a cable.

A. M. Nada, B. A. Hussein, S. M. Megahed and A. A. Shabana, Use of the floating frame of reference
formulation in large deformation analysis, Proceedings of the Institution of Mechanical Engineers,
Part K 224 (2010), compare the arm in a floating frame with elements over nodal vectors. The model
is that of `supple.cases.arms.nada` with its damped joint; the reference is its exact beam,
converged to 3.2e-6 m and 1.6e-3 rad/s. Against it the floating frame with one-way stiffness errs
by 1.3e-4 m, without stiffening by 7e-4 m.

The cable has no sections that could be clamped: two pins hold it, 2 d/3 behind the axis and d/3
before it, d = 0.03 L. They are as flexible as a clamp at the axis but for (d/L)^2 / 3 = 3e-4.

Steps of 0.2 ms by HHT. They lose the axial vibration of 2110 Hz, and nothing else: the method's
damping takes it, 2 % are left after 10 ms, while Newmark's rule with these steps keeps it with 0.7
of its frequency. Radau follows it, in twenty times the time.

Tolerances follow from the error of coarser arms by the order of the elements, with that of the
reference. Tip: 4 collocated elements err by 2.7e-5 m, of which a quarter and 3.2e-6 are 1e-5 m (8
and 16 err by 3.3e-6 and 5e-7: order 3); the cable has the same. 8 elements of the paper err by
3.1e-4 m, of which a quarter and the reference's are 8.2e-5 m. The hub has little inertia and
follows the root: in the first mode of the arm on it, 10 Hz, 1e-5 m of the tip are 4.5e-5 rad of the
hub, which is 2.8e-3 rad/s; with the 2e-3 to which the reference is known at 0.5 s these are 5e-3.
Later the vibration has died to a fifth: 1.5e-3, to which the reference is known. With elements of
the paper a quarter of what 8 of them err by, 5.8e-2, with the reference's: 1.65e-2; later 3e-3.
Energy 1e-6 J of the 0.12 J that the arm has at 1 s: 4e-7 with these steps, 1e-7 with half of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.bodies.nodal.ancf_line import ANCFBeam, Cable
from supple.cases.arms.nada import DAMPING, LENGTH, STEEL, STRIP, TIMES, TORQUE, compare_arm
from supple.cases.case import Case, Quantity
from supple.fem.base.material import Material
from supple.fem.sections.sections import Section
from supple.forces import JointEffort, JointSpring
from supple.joints import Fixed, Revolute, Spherical
from supple.model import Model

if TYPE_CHECKING:
    from supple.integrators.methods.base import Integrator
    from supple.results.result import Result

PINS = 0.03 * LENGTH  # m between the pins of the cable
STEP = 2e-4  # s
LINE = Section(STRIP.area, STRIP.I_z, STRIP.I_z, 2.0 * STRIP.I_z)  # bends alike in both planes
PLAIN = Material(E=STEEL.E, G=STEEL.E / 2.0, density=STEEL.density)  # sections need not contract


def gradient_arm(element: Any = "collocated", elements: int = 8) -> Model:
    """Return the arm at rest, of an element of `ANCFBeam` or as a "cable"."""
    m = Model(gravity=(0, 0, 0), name="rotating arm")
    hub = m.add(RigidBody("hub", 0.515, inertia=(9.9912e-4, 9.9686e-4, 4.9394e-5)))
    m.add(Revolute("shaft", m.ground.at(0), hub.at(0), axis="z"))
    if element == "cable":
        rope = m.add(Cable("arm", LENGTH + 2.0 * PINS / 3.0, LINE, STEEL, elements))
        m.add(Spherical("pin", hub.at(-2.0 * PINS / 3.0), rope.at(0)))
        m.add(Spherical("clamp", hub.at(PINS / 3.0), rope.at(PINS)))
    else:
        steel = PLAIN if element == "continuum" else STEEL
        arm = m.add(ANCFBeam("arm", LENGTH, STRIP, steel, elements, element=element))
        m.add(Fixed("clamp", hub.at(0), arm.at(0)))
    m.add(JointEffort("motor", "shaft", TORQUE))
    m.add(JointSpring("bearing", "shaft", damping=DAMPING))
    return m


def tip(result: Result, end: float = LENGTH) -> Any:
    """Deflection (nt,) of the end of the arm (m) along y in the axes of the hub, m."""
    place, angle = result["arm"].at(end).position, result["shaft"].angle
    return np.cos(angle) * place[:, 1] - np.sin(angle) * place[:, 0]


def measure(element: str) -> Any:
    """Return the comparison of tip and hub with the exact beam."""
    exact = element in ("collocated", "cable")
    at_tip, at_hub = (1e-5, (5e-3, 1.5e-3)) if exact else (8.2e-5, (1.65e-2, 3e-3))
    end = LENGTH + 2.0 * PINS / 3.0 if element == "cable" else LENGTH

    def compare(result: Result) -> list[Quantity]:
        return compare_arm("nada-arm-exact", result, tip(result, end), at_tip, at_hub, 1e-6)

    return compare


def steps() -> Integrator:
    """Return the method of the paper."""
    from supple.integrators.methods.alpha import HHT

    return HHT(alpha=-0.1, step=STEP)


def _case(name: str, words: str, element: str, elements: int, long: bool = False) -> Case:
    return Case(
        name=name,
        title=f"rotating arm of {elements} {words}",
        source="Nada, Hussein, Megahed and Shabana 2010; exact beam, independent computation",
        times=TIMES,
        build=lambda: gradient_arm(element, elements),
        measure=measure(element),
        integrator=steps,
        long=long,
    )


CASES = (
    _case("ancf-arm", "collocated elements over nodal vectors", "collocated", 8),
    _case("ancf-arm-cable", "elements of a cable", "cable", 8),
    _case("ancf-arm-elastic-line", "elements of an elastic line", "elastic_line", 16, long=True),
    _case("ancf-arm-continuum", "elements of a continuum", "continuum", 16, long=True),
)
