"""Natural frequencies of Nada's flexible arm with one, two and six elements.

A. M. Nada, B. A. Hussein, S. M. Megahed and A. A. Shabana, Use of the floating frame of reference
formulation in large deformation analysis, Proceedings of the Institution of Mechanical Engineers,
Part K 224 (2010), table 2: a steel strip of 600 x 40 x 1 mm, clamped at its origin; six frequencies
for one element, twelve for two and for six.

The reference is an independent finite-element computation. It reproduces the table to 4e-5 with
Poisson's ratio 0.28, the polar moment as torsion constant, rotary inertia and no shear. The polar
moment is far too stiff for such a strip: with Saint-Venant's constant the torsion frequencies are
twenty times lower.

Tolerance: 1e-4 of each frequency, the rounding of the table; against the reference 1e-8.
"""

from __future__ import annotations

from typing import cast

from supple.bodies.beam.beam import Beam
from supple.cases.case import ModelCase, Quantity
from supple.fem.base.material import Material
from supple.fem.sections.sections import Rectangle
from supple.joints import Fixed
from supple.model import Model

LENGTH = 0.6  # m
STRIP = Rectangle(size_y=0.001, size_z=0.04)
STEEL = Material(E=200e9, G=78.125e9, density=7800, name="steel")

# Elements: (reference in Hz, printed in Hz), as many as are printed.
FREQUENCIES: dict[int, tuple[tuple[float, float], ...]] = {
    1: (
        (2.282995728862636, 2.283),
        (22.49349851155564, 22.493),
        (91.23876833103333, 91.239),
        (890.1120142457643, 890.11),
        (1454.0429078239656, 1454.0),
        (2326.4686525183447, 2326.5),
    ),
    2: (
        (2.27329148882734, 2.2733),
        (14.36037931998673, 14.36),
        (48.56909383340945, 48.569),
        (90.85334626667283, 90.853),
        (140.9645219472137, 140.96),
        (570.9250290050788, 570.93),
        (1352.7706775287215, 1352.8),
        (1910.5432835484776, 1910.5),
        (2164.4330840459543, 2164.4),
        (4725.755308966618, 4725.8),
        (5330.781962697124, 5330.8),
        (7561.208494346588, 7561.2),
    ),
    6: (
        (2.272207915201023, 2.2722),
        (14.243060863005818, 14.243),
        (39.94388358641123, 39.944),
        (78.6339580051926, 78.634),
        (90.81022684591164, 90.81),
        (131.0950873039805, 131.1),
        (196.14707027804468, 196.15),
        (302.43879232651204, 302.44),
        (415.4045442901093, 415.4),
        (566.3316590209641, 566.33),
        (567.6368452323678, 567.64),
        (767.7854244701234, 767.79),
    ),
}


def arms() -> Model:
    """Return the three arms, each clamped to the ground."""
    m = Model(gravity=(0, 0, 0), name="arms of one, two and six elements")
    for elements in FREQUENCIES:
        arm = m.add(Beam(f"arm{elements}", LENGTH, STRIP, STEEL, elements, torsion="polar"))
        m.add(Fixed(f"clamp{elements}", m.ground.at(0), arm.at(0)))
    return m


def inspect(model: Model) -> list[Quantity]:
    """Compare the lowest frequencies of each arm."""
    found = []
    for elements, known in FREQUENCIES.items():
        arm = cast("Beam", model.bodies[f"arm{elements}"])
        values = arm.modal().frequencies
        for k, (reference, printed) in enumerate(known):
            name = f"frequency {k + 1} of {elements} elements"
            value = float(values[k])
            found.append(Quantity(name, value, reference, 1e-8 * reference))
            found.append(Quantity(f"{name}, as printed", value, printed, 1e-4 * printed))
    return found


CASES = (
    ModelCase(
        name="nada-frequencies",
        title="frequencies of a strip with one, two and six elements",
        source="Nada, Hussein, Megahed and Shabana 2010, table 2; independent finite elements",
        build=arms,
        inspect=inspect,
    ),
)
