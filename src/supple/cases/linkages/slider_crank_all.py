"""One slider-crank, its rod in four ways: shapes in a frame, parts, a gradient beam, a cable.

Jonker's plane mechanism (`supple.cases.linkages.jonker`) with a rod that may stretch and keeps its
length when it bends. The way of its middle from the line AB over two turns is compared, in units of
the largest, with three sines of second order, whose reference is an independent Lagrangian: within
2 % with four elements. They do not stretch, the others do; so these are compared among themselves,
too: with twice the elements the beam and the cable are nearer to the parts, within 1 %.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from supple.bodies.beam.beam import Beam
from supple.bodies.nodal.ancf_line import ANCFBeam, Cable
from supple.cases.case import ModelCase, Quantity, references
from supple.cases.linkages import jonker
from supple.cases.linkages.jonker import EVERY, ROD, SECTION, SPEED, STEEL, TIMES
from supple.constraints import Driver
from supple.joints import Spherical
from supple.model import Model
from supple.signals import Polynomial

if TYPE_CHECKING:
    from supple.foundation.arrays import Array
    from supple.foundation.frames import Frame

STEP = 4e-5  # s
KINDS: dict[str, Any] = {
    "parts": lambda n: Beam("rod", ROD, SECTION, STEEL, parts=n),
    "beam": lambda n: ANCFBeam("rod", ROD, SECTION, STEEL, n),
    "cable": lambda n: Cable("rod", ROD, SECTION, STEEL, n),
}


def mechanism(kind: str = "beam", elements: int = 4) -> Model:
    """Return the driven slider-crank with a rod of a kind; a cable hangs on ball joints."""

    def add(m: Model) -> tuple[Frame, Frame]:
        rod = m.add(KINDS[kind](elements))
        return rod.at(0), rod.at(ROD)

    written = jonker.slider_crank(rod=add)
    m = Model(gravity=(0, 0, 0), name="slider-crank")
    for item in (written[name] for name in written):
        if kind == "cable" and item.name == "pin A":
            pin = written.joints["pin A"]
            turning = (0.0, 0.0, float(pin.initial_rate[0]))
            item = Spherical("pin A", pin.A, pin.B, initial_rate=turning)
        m.add(item)
    m.add(Driver("drive", m.joints["bearing"], motion=Polynomial((0.0, SPEED))))
    return m


def deflections(kind: str, elements: int, model: Model | None = None) -> Array:
    """Deflections of the middle every 30 degrees of two turns, in lengths of the rod."""
    from supple.analyses.run.simulate import simulate
    from supple.integrators.methods.alpha import GeneralizedAlpha

    given = mechanism(kind, elements) if model is None else model
    output = np.array(TIMES[::EVERY])
    result = simulate(given, TIMES[-1], integrator=GeneralizedAlpha(step=STEP), output=output)
    found: Array = jonker.deflections(result)["vxy"]
    return found


def inspect(model: Model) -> list[Quantity]:
    """Compare the ways with the sines, and with each other."""
    sines = np.array(references("jonker_second_order")["jonker-slider-crank-second-order"]["vxy"])
    size, found = float(np.abs(sines).max()), []
    four = {k: deflections(k, 4, model if k == "beam" else None) for k in KINDS}
    for kind, values in four.items():
        apart = float(np.abs(values - sines).max()) / size
        found.append(Quantity(f"{kind} of four, from the sines", apart, 0.0, 0.02))
    eight = {k: deflections(k, 8) for k in KINDS}
    for kind in ("beam", "cable"):
        near, far = (
            float(np.abs(values[kind] - eight["parts"]).max()) / size for values in (eight, four)
        )
        found.append(Quantity(f"{kind} of eight, from parts", near, 0.0, min(0.01, far)))
    return found


CASES = (
    ModelCase(
        name="slider-crank-all",
        title="one rod as parts, as a beam over nodal vectors and as a cable",
        source="Jonker 1989, section 5.1; independent Lagrangian with sines of second order",
        build=mechanism,
        inspect=inspect,
    ),
)
