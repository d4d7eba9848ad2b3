"""Bricard's mechanism: six rods of a cube's edges, over-constrained and yet movable.

The problem "Bricard's mechanism" of the IFToMM library of multibody benchmarks (M. Gonzalez,
D. Dopico, U. Lugris, J. Cuadrado, Multibody System Dynamics 16, 2006): five uniform rods of 1 m and
1 kg and the ground as the sixth, joined by six revolute joints, each across the two rods it joins;
gravity 9.81 m/s2 along -y, from rest. The rods are slender here. Counting joints gives no degree of
freedom; there is one.

By the threefold symmetry of the cube every second joint has the same angle, a or b, both zero at
the start, and the loop is closed exactly where

    (1 + sin a) (1 + sin b) = 1.

The reference moves along that curve, which has no singular point, by a Runge-Kutta method of order
8. The motion is periodic; the angles come back to zero after 4.98630861 s.
"""

from __future__ import annotations

from supple.cases.linkages.linkage import mechanism, rod
from supple.joints import Revolute
from supple.model import Model

G = 9.81  # m/s2
# Rods in the order of the loop, as they lie at the start; the sixth is the ground, from P5 to P0.
RODS = ((1, 0, 0), (0, -1, 0), (0, 0, 1), (-1, 0, 0), (0, 1, 0))
AXES = ("y", "z", "x", "y", "z", "x")


def bricard() -> Model:
    """Return the mechanism at rest, all body axes along the world's; the joint "P5" closes it."""
    m = Model(gravity=(0, -G, 0), name="Bricard's mechanism")
    last = m.ground.at(0)
    for k, end in enumerate(RODS):
        body = m.add(rod(f"rod{k + 1}", 1.0, end))
        m.add(Revolute(f"P{k}", last, body.at(0), AXES[k]))
        last = body.at(*end)
    m.add(Revolute("P5", last, m.ground.at(0, 0, 1), AXES[5]))
    return m


CASES = (
    mechanism(
        name="bricard",
        title="Bricard's mechanism of five rods, falling from rest",
        source="IFToMM benchmark, Gonzalez et al. 2006, rods slender; exact closure, "
        "Runge-Kutta of order 8",
        build=bricard,
        points={"P2": ("rod2", (0.0, -1.0, 0.0)), "P3": ("rod3", (0.0, 0.0, 1.0))},
    ),
)
