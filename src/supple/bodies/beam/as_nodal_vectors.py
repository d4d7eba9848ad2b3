"""A beam in a floating frame, written as one with nodal vectors, and such a one as parts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, PartOptions

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.bodies.nodal.ancf_line import ANCFBeam
    from supple.fem.base.material import Material
    from supple.fem.sections.sections import Profile

# What an `ANCFBeam` is, and a beam in its place must be
SAME: dict[str, Any] = {
    "theory": "euler_bernoulli",
    "rotary_inertia": True,
    "torsion": "saint_venant",
}


def gradient_beam(beam: Beam, elements: int) -> ANCFBeam:
    """The same beam with nodal vectors; what it is not the same for is refused."""
    from supple.bodies.nodal.ancf_line import ANCFBeam

    for field, value in SAME.items():
        found = getattr(beam, field)
        if found != value:
            raise ModelError(label(beam), field, found, f"{value!r} of a beam with nodal vectors")
    return ANCFBeam(*_matter(beam), elements=elements, **_shape(beam))


def cut_beam(beam: ANCFBeam, options: PartOptions) -> Body:
    """The same beam in parts, as many as elements; itself where parts would not be the same.

    Parts leave out deflections by shear forces, as "collocated" elements do; the others lock.
    """
    from supple.bodies.beam.beam import Beam

    if beam.element != "collocated":
        return beam
    return Beam(*_matter(beam), parts=beam.elements, **_shape(beam)).in_parts(options)


def _matter(beam: Beam | ANCFBeam) -> tuple[str, float, Profile, Material]:
    return beam.name, beam.length, beam.section, beam.material


def _shape(beam: Beam | ANCFBeam) -> dict[str, Any]:
    """What both kinds of beams have by the same names."""
    names = ("damping", "roll", "twist", "centre_line", "first_y", "position", "rotation")
    return {name: getattr(beam, name) for name in names}
