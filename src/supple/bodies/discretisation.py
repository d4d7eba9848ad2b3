"""Bodies as the engine computes with them: in segments, or with nodal vectors.

A body of a model is a description. `divided` makes what is computed with from it, once the places
are known that the model uses; `in_segments` and `in_nodal_vectors` are the descriptions that a
formulation asks for in its place.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch
from itertools import pairwise
from typing import Any

from supple.bodies.base.flexible import FlexibleBody
from supple.bodies.base.reduced import NONE, ReducedBody
from supple.bodies.beam.beam import Beam
from supple.bodies.beam.segmented import SegmentedBeam
from supple.bodies.nodal.ancf_line import ANCFBeam
from supple.bodies.structure.frame import FrameStructure
from supple.bodies.structure.segmented_frame import SegmentedFrame
from supple.fem.base.material import Material
from supple.fem.sections.sections import Profile
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Body, Frame, SegmentOptions
from supple.foundation.validate import set_fields
from supple.reduction.assumed.shapes import AssumedShapes

# Properties of an `ANCFBeam` that a beam in its place must have
SAME: dict[str, Any] = {
    "theory": "euler_bernoulli",
    "rotary_inertia": True,
    "torsion": "saint_venant",
}


def divided(body: Body, frames: Iterable[Frame] = ()) -> Body:
    """The body with ends of segments, or nodes, at the frames of it that a model uses."""
    if isinstance(body, Beam):
        return SegmentedBeam.of(body, body.inner_stations(frames))
    if isinstance(body, FrameStructure):
        return SegmentedFrame.of(body)
    return body.divided(frames)


@singledispatch
def in_segments(body: Body, options: SegmentOptions) -> Body:
    """The body in segments, as far as it deforms; what cannot be in segments is refused."""
    return body


@in_segments.register
def _(body: FlexibleBody, options: SegmentOptions) -> Body:
    raise ModelError.plain(
        f"{label(body)} cannot be cut into parts, expected a Beam or FrameStructure of finite "
        "elements, or a rigid body"
    )


@in_segments.register
def _(beam: Beam, options: SegmentOptions) -> Body:
    """As many segments as elements if none are given."""
    if beam.modes == 0:
        return beam
    if isinstance(beam.modes, AssumedShapes):
        return in_segments.dispatch(FlexibleBody)(beam, options)
    if options.mass == "lumped" and not beam.rotary_inertia:
        expected = "True with lumped masses, whose parts turn by the inertia of sections alone"
        raise ModelError(label(beam), "rotary_inertia", False, expected)
    if beam.curved and not (options.elongation and options.twist):
        expected = "True for a curved or twisted beam"
        raise ModelError(label(beam), "elongation and twist", False, expected)
    many, parts = options.refinement, beam.elements if beam.parts is None else beam.parts
    if isinstance(parts, int):
        return _with_parts(beam, many * parts, options, clamp_node=0)
    cells = pairwise((0.0, *parts, beam.length))
    starts = [a + k / many * (b - a) for a, b in cells for k in range(many)]
    return _with_parts(beam, tuple(starts[1:]), options, clamp_node=0)


@in_segments.register
def _(frame: FrameStructure, options: SegmentOptions) -> Body:
    """As many segments of each member as elements if none are given."""
    if frame.modes == 0:
        return frame
    many, parts = options.refinement, frame.parts
    if parts is None:
        parts = tuple(member.elements for member in frame.members)
    parts = tuple(many * n for n in parts) if isinstance(parts, tuple) else many * parts
    return _with_parts(frame, parts, options)


@in_segments.register
def _(beam: ANCFBeam, options: SegmentOptions) -> Body:
    """As many segments as elements; itself where segments would not be the same.

    Segments leave out deflections by shear forces, as "collocated" elements do; the others lock.
    """
    if beam.element != "collocated":
        return beam
    return in_segments(Beam(*_matter(beam), parts=beam.elements, **_shape(beam)), options)


def _with_parts(
    body: Beam | FrameStructure, parts: Any, options: SegmentOptions, **usual: Any
) -> ReducedBody:
    """A body with segments instead of its elastic coordinates; its stiffening stays."""
    usual |= {"modes": "all", "reference": "clamped"}
    word: Any = NONE if body.stiffening is None else body.stiffening
    cut: ReducedBody = replace(body, parts=parts, stiffening=word, **usual)
    set_fields(cut, segment_options=replace(options, refinement=1))
    return cut


@singledispatch
def in_nodal_vectors(body: Body, elements: int) -> Body:
    """The body with nodal vectors, of so many elements; itself if it is rigid or has them."""
    return body


@in_nodal_vectors.register
def _(body: FlexibleBody, elements: int) -> Body:
    raise ModelError.plain(f"{label(body)} has no body of nodal vectors, expected a Beam")


@in_nodal_vectors.register
def _(beam: Beam, elements: int) -> Body:
    """Raise if a property of the beam has no equivalent."""
    if beam.modes == 0:
        return beam
    for field, value in SAME.items():
        own = getattr(beam, field)
        if own != value:
            raise ModelError(label(beam), field, own, f"{value!r} of a beam with nodal vectors")
    return ANCFBeam(*_matter(beam), elements=elements, **_shape(beam))


def _matter(beam: Beam | ANCFBeam) -> tuple[str, float, Profile, Material]:
    return beam.name, beam.length, beam.section, beam.material


def _shape(beam: Beam | ANCFBeam) -> dict[str, Any]:
    """Fields that both kinds of beams have by the same names."""
    names = ("damping", "roll", "twist", "centre_line", "first_y", "position", "rotation")
    return {name: getattr(beam, name) for name in names}
