"""Huang's test rig: the two-link arm with springs and dampers in its joints, swinging freely.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
chapter 4. The beam carries 0.604 kg. It starts at rest, turned by 30 or 45 degrees from hanging;
the springs are neutral at shoulder angle 0 and at hanging, which is the elbow angle -pi/2. Gauges
measure the bending strain at the root of the beam: `gauge`.

The reference is an independent Lagrangian (``huang_rig.json`` says how it was computed), and
tolerances are those of `supple.cases.arms.huang_flexible`.

For 30 degrees the thesis reads frequencies of the strain from its figures (section 4.5.2): 1.1,
2.2, 4.0 falling to 3.4, and 5.5 Hz. They are too coarse to be compared here; ``examples/rig.py``
shows what the model gives: 1.15, 2.28, 3.95 falling to 3.36, and 5.15 Hz over the first 5 s.
"""

from __future__ import annotations

from math import pi, radians
from typing import TYPE_CHECKING

from supple.cases.arms import huang, huang_flexible
from supple.cases.case import Case
from supple.forces import JointSpring
from supple.foundation.arrays import Array
from supple.model import Model
from supple.reduction.stiffening import Stiffening

if TYPE_CHECKING:
    from supple.results.result import Result

TIP_MASS = 0.604  # kg
STIFFNESS = 0.1  # N m/rad, of both joints
DAMPING = 0.098  # N m s/rad, of both joints
ALPHA = 2.5e-4  # s, damping of the beam in proportion to stiffness
HANGING = -pi / 2  # rad, of the elbow


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


def _case(degrees: int) -> Case:
    name = f"huang-rig-{degrees}"
    return Case(
        name=name,
        title=f"test rig with a flexible beam, released at {degrees} degrees",
        source="Huang 1998, section 4.5; independent Lagrangian, Runge-Kutta of order 8",
        times=huang.TIMES,
        build=lambda: rig(degrees),
        measure=huang_flexible.measure_arm("huang_rig", name, cyclic=False),
    )


CASES = (_case(30), _case(45))
