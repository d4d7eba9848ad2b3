"""A beam in a floating frame, written as one with nodal vectors, and such a one as parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from supple.errors import ModelError, label
from supple.frames import Body, PartOptions

if TYPE_CHECKING:
    from supple.bodies.beam import Beam
    from supple.bodies.gradient import GradientBeam

# What a `GradientBeam` is, and a beam in its place must be
SAME: dict[str, Any] = {
    "theory": "euler_bernoulli",
    "rotary_inertia": True,
    "torsion": "saint_venant",
}


def gradient_beam(beam: Beam, elements: int) -> GradientBeam:
    """The same beam with nodal vectors; what it is not the same for is refused."""
    from supple.bodies.gradient import GradientBeam

    for field, value in SAME.items():
        found = getattr(beam, field)
        if found != value:
            raise ModelError(label(beam), field, found, f"{value!r} of a beam with nodal vectors")
    return GradientBeam(
        beam.name,
        beam.length,
        beam.section,
        beam.material,
        elements=elements,
        damping=cast("Any", beam.damping),
        roll=beam.roll,
        twist=cast("Any", beam.twist),
        centre_line=cast("Any", beam.centre_line),
        first_y=beam.first_y,
        position=beam.position,
        rotation=beam.rotation,
    )


def cut_beam(beam: GradientBeam, options: PartOptions) -> Body:
    """The same beam in parts, as many as elements; itself where parts would not be the same.

    Parts leave out deflections by shear forces, as "collocated" elements do; the others lock.
    """
    from supple.bodies.beam import Beam

    if beam.element != "collocated":
        return beam
    whole = Beam(
        beam.name,
        beam.length,
        beam.section,
        beam.material,
        parts=beam.elements,
        damping=beam.damping,
        roll=beam.roll,
        twist=cast("Any", beam.twist),
        centre_line=cast("Any", beam.centre_line),
        first_y=beam.first_y,
        position=beam.position,
        rotation=beam.rotation,
    )
    return whole.in_parts(options)
