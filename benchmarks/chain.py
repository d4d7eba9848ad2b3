"""The chain of rigid links that the benchmarks share: boxes in a row, revolute axes y, z, y, z ...

Gravity has a component along y, so that the motion from the straight start is spatial.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import supple

LENGTH, WIDTH, MASS = 0.5, 0.05, 1.0  # m, m, kg
GRAVITY = (0.0, -3.0, -9.81)  # m/s2
ALONG = MASS * WIDTH**2 / 6.0  # kg m2, about the link's axis
ACROSS = MASS * (LENGTH**2 + WIDTH**2) / 12.0  # kg m2, about the other two, through the centre


def axis(link: int) -> str:
    """Axis of the joint before a link (counted from 0)."""
    return "yz"[link % 2]


def supple_model(links: int, flexible: bool = False) -> supple.Model:
    """The chain in Supple, straight along x and at rest; flexible links have four modes each."""
    import supple as sp

    model = sp.Model(gravity=GRAVITY, name=f"chain of {links} links")
    soft = sp.Material(2e8, 2e8 / 2.6, 1000.0)
    end = model.ground.at(0)
    for i in range(links):
        name, inertia = f"link{i + 1}", (ALONG, ACROSS, ACROSS)
        if flexible:
            body: sp.bodies.Body = sp.Beam(name, LENGTH, sp.Rectangle(WIDTH, WIDTH), soft, 2, 4)
        else:
            body = sp.RigidBody(name, mass=MASS, com=(LENGTH / 2, 0, 0), inertia=inertia)
        model.add(body)
        model.add(sp.Revolute(f"joint{i + 1}", end, body.at(0), axis=axis(i)))
        end = body.at(LENGTH)
    return model
