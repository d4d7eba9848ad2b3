"""Huang's test rig: the two-link arm with springs and dampers in its joints, swinging freely.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
chapter 4. The beam carries 0.604 kg. It starts at rest, turned by 30 or 45 degrees from hanging;
the springs are neutral at shoulder angle 0 and at hanging, which is the elbow angle -pi/2. Gauges
measure the bending strain at the root of the beam: `gauge`.

The references are independent Lagrangians (``huang_rig.json`` and ``huang_stiffening.json`` say how
they were computed), and tolerances are those of `supple.cases.arms.huang_flexible`.

For 30 degrees the thesis reads frequencies of the strain from its figures (section 4.5.2): 1.1,
2.2, 4.0 falling to 3.4, and 5.5 Hz. They are too coarse to be compared here; ``examples/rig.py``
shows what the model gives: 1.15, 2.28, 3.95 falling to 3.36, and 5.15 Hz over the first 5 s.

Geometric stiffening of the beam, one element, chapter 6: axial force acts on bending (K_ga,
`Axial`), and the stretch of the bent axis too (K_gf, ``Axial(quadratic=True)``). The second
stiffens by more than half, because an axis of one element whose u is linear cannot follow the
slopes of its deflection: it locks. With the average strain of the element (`VonKarman`), which it
can follow, the answer is close to the first. Bending strain at the root, 30 degrees, 1e-6: -383 to
273 without stiffening, -375 to 253 with `Axial`, -161 to 92 with the quadratic term, -366 to 238
with the average. The balance of energy includes what the model creates.
"""

from __future__ import annotations

from math import pi, radians
from typing import TYPE_CHECKING

from supple.cases.arms import huang, huang_flexible
from supple.cases.case import Case
from supple.forces import JointSpring
from supple.foundation.arrays import Array
from supple.model import Model
from supple.reduction.stiffening import Axial, Stiffening, VonKarman

if TYPE_CHECKING:
    from supple.results.result import Result

TIP_MASS = 0.604  # kg
STIFFNESS = 0.1  # N m/rad, of both joints
DAMPING = 0.098  # N m s/rad, of both joints
ALPHA = 2.5e-4  # s, damping of the beam in proportion to stiffness
HANGING = -pi / 2  # rad, of the elbow
LAWS: dict[str, tuple[Stiffening, str]] = {
    "axial": (Axial(), "axial force stiffens bending"),
    "axial-foreshortening": (Axial(quadratic=True), "axial force and slopes, which locks"),
    "average-membrane": (VonKarman(), "average membrane strain"),
}


def rig(degrees: float = 30.0, stiffening: Stiffening = None) -> Model:
    """Return the rig at rest, its beam turned from hanging by an angle."""
    m = huang_flexible.two_link_arm(alpha=ALPHA, name=f"test rig, {degrees:g} degrees")
    m.replace("tip", mass=TIP_MASS)
    m.replace("link2", stiffening=stiffening)
    m.replace("shoulder", initial=0.0)
    m.replace("elbow", initial=HANGING + radians(degrees))
    for joint, rest in (("shoulder", 0.0), ("elbow", HANGING)):
        m.add(JointSpring(f"{joint} bearing", joint, STIFFNESS, DAMPING, rest))
    return m


def gauge(result: Result) -> Array:
    """(nt,) bending strain at the root of the beam on its side z, out of the plane of the elbow."""
    strain: Array = result["link2"].at(0.0).strain("z", axial=False)
    return strain


def _case(degrees: int, law: str = "") -> Case:
    file, part, name = "huang_rig", "section 4.5", f"huang-rig-{degrees}"
    stiffening, words = None, f" with a flexible beam, released at {degrees} degrees"
    if law:
        file, part, name = "huang_stiffening", "chapter 6", f"huang-stiffening-{degrees}-{law}"
        stiffening, words = LAWS[law][0], f" at {degrees} degrees, {LAWS[law][1]}"
    return Case(
        name=name,
        title=f"test rig{words}",
        source=f"Huang 1998, {part}; independent Lagrangian, Runge-Kutta of order 8",
        times=huang.TIMES,
        build=lambda: rig(degrees, stiffening),
        measure=huang_flexible.measure_arm(file, name, cyclic=False),
    )


CASES = (_case(30), _case(45), *(_case(degrees, law) for degrees in (30, 45) for law in LAWS))
