"""Jonker's rotating shaft: growth rates, and the speed from which on it is unstable.

B. Jonker, A finite element dynamic analysis of spatial mechanisms with flexible links, 1989,
section 5.2. A round shaft of steel on two bearings, of two beam elements, with internal damping of
1.27e6 Pa s (Kelvin and Voigt), turns at a constant speed. Damping that turns along takes energy
from the rotation as soon as the shaft turns faster than it vibrates: the limit is its lowest
frequency, 832.5 rad/s with two elements (829.23 of a beam). No gravity, no rotary inertia, no
foreshortening.

The reference are the same cubic elements in one plane with complex deflections in axes that stand
still, where M z'' + (E_v/E) K (z' - i W z) + K z = 0. Tolerance: 1e-8 of each number.
"""

from __future__ import annotations

import warnings

from supple.bodies.beam import Beam
from supple.bodies.rigid import RigidBody
from supple.cases.case import ModelCase, Quantity
from supple.cases.jonker import ROD, SECTION, STEEL
from supple.constraints import Driver, PointOnLine
from supple.errors import SuppleWarning
from supple.fem.damping import KelvinVoigt
from supple.joints import Fixed, Revolute, Universal
from supple.model import Model

DAMPING = KelvinVoigt(1.27e6)  # Pa s
# rad/s: growth of the fastest motion, 1/s
GROWTH = {0.0: -2.200480206, 800.0: -0.08591685395, 835.0: 0.006594656124, 900.0: 0.1784015268}
LIMIT = 832.505034158  # rad/s
TOLERANCE = 1e-8  # part of each number


def rotating_shaft(parts: int = 2) -> Model:
    """Return the shaft, cut into equal parts in the frames of their chords, with its drive.

    A disc in the bearing turns; a universal joint leaves the end of the shaft free to bend.
    """
    m, length = Model(gravity=(0, 0, 0), name="rotating shaft"), ROD / parts
    disc = m.add(RigidBody("disc", 1.0, inertia=(1e-3, 1e-3, 1e-3)))
    m.add(Revolute("spin", m.ground.at(0), disc.at(0), axis="x"))
    m.add(Driver("drive", "spin", 0.0))
    rods = []
    for k in range(parts):
        rod = Beam(
            f"part{k + 1}",
            length,
            SECTION,
            STEEL,
            elements=1,
            modes=[1, 2, 3, 4],  # bending; nothing stretches or twists it
            reference="chord",
            rotary_inertia=False,
            damping=DAMPING,
        )
        rods.append(m.add(rod))
        if k == 0:
            m.add(Universal("end", disc.at(0), rod.at(0), axes=("y", "z")))
        else:
            m.add(Fixed(f"weld{k}", rods[k - 1].at(length), rod.at(0)))
    m.add(PointOnLine("far", m.ground.at(0), rods[-1].at(length), (1, 0, 0)))
    return m


def inspect(model: Model) -> list[Quantity]:
    """Compare growth rates and the limit."""
    from supple.analyses.stability import stability

    with warnings.catch_warnings():  # near its lowest frequency a shaft would stiffen
        warnings.simplefilter("ignore", SuppleWarning)
        found = stability(model, "spin", list(GROWTH))
    out = [
        Quantity(f"growth at {speed:g} rad/s", float(growth), known, TOLERANCE * abs(known))
        for (speed, known), growth in zip(GROWTH.items(), found.growth, strict=True)
    ]
    limit = float("nan") if found.limit is None else found.limit
    return [*out, Quantity("limit", limit, LIMIT, TOLERANCE * LIMIT)]


CASES = (
    ModelCase(
        name="jonker-shaft",
        title="stability of a rotating shaft with internal damping, two elements",
        source="Jonker 1989, section 5.2; the same elements in axes that stand still",
        build=rotating_shaft,
        inspect=inspect,
    ),
)
