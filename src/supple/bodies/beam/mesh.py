"""The mesh of a beam or of a part of one, and the frame in which it is reduced."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from supple.fem.beams.beam import BeamMesh, LumpedBeamMesh, PartMesh
from supple.foundation.frames import PartOptions
from supple.reduction.problem import PartProblem, Problem
from supple.reduction.stiffening import SecondOrder

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam

ALL = PartOptions()


def mesh_type(beam: Beam) -> type[BeamMesh]:
    """The kind of its mesh; a part that twists where it bends has a further shape of twist."""
    if beam.mass_choice == "lumped":  # no section between the ends has inertia
        return LumpedBeamMesh
    second = isinstance(beam.stiffening, SecondOrder) and beam.stiffening.twist
    return PartMesh if beam.is_part and second and _twists(beam) else BeamMesh


def beam_problem(beam: Beam, mesh: BeamMesh, places: Sequence[float] = ()) -> Problem:
    """A mesh in the frame of its beam, to be reduced; something is attached at places (m)."""
    attached = tuple(mesh.motion(x) for x in places)
    place = beam.reference, beam.clamp_node, _twists(beam), beam._node, mesh.motion, attached
    if beam.is_part:
        return PartProblem(mesh, *place, stretch=_options(beam).elongation)
    return Problem(mesh, *place)


def _twists(beam: Beam) -> bool:
    """Whether sections turn about the axis: a line mass gives twist no inertia."""
    return beam.rotary_inertia and _options(beam).twist


def _options(beam: Beam) -> PartOptions:
    found: PartOptions = beam.__dict__.get("_options", ALL)
    return found
