"""Huang's test rig with geometric stiffening of its beam, one element.

X. Huang, Dynamics of Deformable Multibody Systems, thesis, University of British Columbia, 1998,
chapter 6: axial force acts on bending (K_ga, `Axial`), and the stretch of the bent axis too (K_gf,
``Axial(quadratic=True)``). The second stiffens by more than half, because an axis of one element
whose u is linear cannot follow the slopes of its deflection: it locks. With the average strain of
the element (`VonKarman`), which it can follow, the answer is close to the first. Bending strain at
the root, 30 degrees, 1e-6: -383 to 273 without stiffening, -375 to 253 with `Axial`, -161 to 92
with the quadratic term, -366 to 238 with the average.

The reference is an independent Lagrangian (``huang_stiffening.json`` says how it was computed), and
tolerances are those of `supple.cases.arms.huang_flexible`; the balance of energy includes what the
model creates.
"""

from __future__ import annotations

from supple.cases.arms import huang, huang_flexible
from supple.cases.arms.huang_rig import rig
from supple.cases.case import Case
from supple.reduction.stiffening import Axial, Stiffening, VonKarman

LAWS: dict[str, tuple[Stiffening, str]] = {
    "axial": (Axial(), "axial force stiffens bending"),
    "axial-foreshortening": (Axial(quadratic=True), "axial force and slopes, which locks"),
    "average-membrane": (VonKarman(), "average membrane strain"),
}


def _case(degrees: int, law: str) -> Case:
    name = f"huang-stiffening-{degrees}-{law}"
    stiffening, words = LAWS[law]
    return Case(
        name=name,
        title=f"test rig at {degrees} degrees, {words}",
        source="Huang 1998, chapter 6; independent Lagrangian, Runge-Kutta of order 8",
        times=huang.TIMES,
        build=lambda: rig(degrees, stiffening),
        measure=huang_flexible.measure_arm("huang_stiffening", name, cyclic=False),
    )


CASES = tuple(_case(degrees, law) for degrees in (30, 45) for law in LAWS)
