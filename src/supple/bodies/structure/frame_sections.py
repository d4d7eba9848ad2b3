"""Places in the members of a frame structure: sides of sections, and section forces."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.flexible import CarryingPlace, PointMasses
from supple.fem.beams.line import gauss
from supple.fem.beams.shear_law import compliance, with_shear
from supple.fem.recovery.section_points import section_block, side_block
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.section_stress import outline
from supple.foundation.arrays import Vector

if TYPE_CHECKING:
    from supple.bodies.structure.frame import FrameStructure

POINTS = 2  # of Gauss in an element, for squares of moments that are linear


def frame_surfaces(frame: FrameStructure, point_masses: PointMasses) -> Iterator[StressBlock]:
    """Points on the surface of all members, at nodes and between them."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        axes = member.axes(last - first)
        for s in np.linspace(0.0, 1.0, 2 * member.elements + 1).tolist():
            section = member.section.at(s)
            forces = frame.section_forces(k, s, point_masses)
            places = first + s * (last - first) + outline(section) @ axes[:, 1:].T
            name = f"member {k}, s = {s:.6g}"
            yield section_block(places, section, member.material, forces, name)


def frame_sides(frame: FrameStructure, basis: Vector) -> Iterator[StressBlock]:
    """Middles of the sides of all sections, at nodes and between them."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        for s in np.linspace(0.0, 1.0, 2 * member.elements + 1).tolist():
            strain, section = mesh.strain(k, s) @ basis, member.section.at(s)
            place, name = first + s * (last - first), f"member {k}, s = {s:.6g}"
            yield side_block(place, section, member.material, strain, 0.0, name)


def frame_places(frame: FrameStructure, point_masses: PointMasses) -> Iterator[CarryingPlace]:
    """Gauss points of all elements."""
    mesh = frame.mesh()
    for k, member in enumerate(frame.members):
        first, last = mesh.ends(member)
        length = float(np.linalg.norm(last - first)) / member.elements
        section = with_shear(member.section, member.material.poisson)
        for element in range(member.elements):
            for xi, weight in gauss(POINTS):
                s = (element + xi) / member.elements
                soft = compliance(section.at(s), member.material, member.theory)
                rows = frame.section_forces(k, s, point_masses)
                yield CarryingPlace(rows, weight * length * soft)
