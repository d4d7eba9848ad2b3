"""Drawing of beams and structures of beams: their sections moved along their axes."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from supple.bodies.base.flexible import PointMasses
from supple.fem.drawn.surface import Surface, joined, swept
from supple.fem.sections.outlines import Outline, section_outline
from supple.fem.sections.section_stress import stress_rows
from supple.fem.sections.sections import CrossSection, Section, TaperedSection
from supple.foundation.arrays import Vector
from supple.reduction.assumed.shapes import AssumedShapes

if TYPE_CHECKING:
    from supple.bodies.beam.beam import Beam
    from supple.bodies.structure.frame import FrameStructure

# Sections in each element, and in a whole beam at least and at most.
PER_ELEMENT, FEWEST, MOST = 4, 16, 200
SHEAR = np.sqrt(3.0)  # of a shear stress in that of von Mises


def beam_surface(beam: Beam, point_masses: PointMasses) -> Surface:
    """A beam, or a part of one, with its own motion and the exact one of second order."""
    places = [beam.shown(beam.at(x), point_masses) for x in _stations(beam, point_masses)]
    centres = np.array([where.p0 for where in places])
    rows = np.stack([np.vstack([where.Phi, where.Psi]) for where in places])
    outlines = [section_outline(beam.section.at(x / beam.length)) for x in centres[:, 0]]
    axes = np.broadcast_to(_rolled(beam.roll), (len(places), 3, 3))
    sections = [beam.section.at(x / beam.length) for x in centres[:, 0]]
    forces = [beam.section_forces(float(x), point_masses) for x in centres[:, 0]]
    none = np.zeros((len(places), 6, 0))
    stress = _stress(sections, outlines, forces)
    found = swept(centres, axes, outlines, rows, none, stress, beam.material.E)
    if all(where.slaved is None for where in places):
        return found

    def second(q: Vector) -> Vector:
        found = np.zeros((len(q), len(places), 6))
        for number, where in enumerate(places):
            if where.slaved is not None and where.Gamma is not None:
                follow = 0.5 * np.einsum("rtn,tn->tr", q @ where.Gamma, q)
                found[:, number] = follow @ where.slaved.T
        return found

    return replace(found, second=second)


def frame_surface(body: FrameStructure, point_masses: PointMasses) -> Surface:
    """All members of a structure; the motion of second order is that of its slaved shapes."""
    mesh, basis = body.mesh(), body._reduced(point_masses).basis
    modal, shapes = body._slaved(point_masses)
    follow = np.zeros((len(basis), 0)) if shapes is None else np.asarray(shapes)
    pieces = []
    for k, member in enumerate(body.members):
        first, last = mesh.ends(member)
        axes = member.axes(last - first)
        count = min(max(PER_ELEMENT * member.elements, 8), MOST)
        along = np.linspace(0.0, 1.0, count + 1)
        if isinstance(member.section, TaperedSection):
            along = np.union1d(along, member.section.kinks)
        motion = [mesh.motion(k, float(s)) for s in along]
        sections = [member.section.at(float(s)) for s in along]
        outlines = [section_outline(section) for section in sections]
        forces = [body.section_forces(k, float(s), point_masses) for s in along]
        pieces.append(
            swept(
                first + along[:, None] * (last - first),
                np.broadcast_to(axes, (len(along), 3, 3)),
                outlines,
                np.stack([rows @ basis for rows in motion]),
                np.stack([rows @ follow for rows in motion]),
                _stress(sections, outlines, forces),
                member.material.E,
            )
        )
    found = joined(pieces)
    if modal.slaves is None or not follow.shape[1]:
        return found
    return replace(found, Gamma=modal.slaves.Gamma)


def _stress(
    sections: list[CrossSection], outlines: list[Outline], forces: list[Vector]
) -> Vector | None:
    """Rows (s, k, 3, n) at the points of outlines whose norm is the stress of von Mises, Pa.

    None for sections of numbers, whose stress is not known.
    """
    if isinstance(sections[0], Section):
        return None
    known: dict[int, Vector] = {}  # most beams have one section
    found = []
    for section, outline, rows in zip(sections, outlines, forces, strict=True):
        if id(section) not in known:
            points = [stress_rows(section, float(y), float(z)) for y, z in outline.points]
            known[id(section)] = np.array([1.0, SHEAR, SHEAR])[:, None] * np.stack(points)
        found.append(known[id(section)] @ rows)
    return np.stack(found)


def _stations(beam: Beam, point_masses: PointMasses) -> list[float]:
    """Stations (m) at which sections are drawn: even ones, and those where something is."""
    assumed = isinstance(beam.modes, AssumedShapes)
    count = 2 * FEWEST if assumed else PER_ELEMENT * beam.elements
    count = min(max(count, PER_ELEMENT if beam.is_segment else FEWEST), MOST)
    found = [*np.linspace(0.0, beam.length, count + 1), *(float(x) for x, _ in point_masses)]
    if isinstance(beam.section, TaperedSection):
        found += [s * beam.length for s in beam.section.kinks]
    ordered = sorted(min(max(x, 0.0), beam.length) for x in found)
    near = 1e-9 * beam.length
    kept = [x for k, x in enumerate(ordered) if not k or x - ordered[k - 1] > near]
    return [*kept[:-1], beam.length] if beam.length - kept[-1] <= near else kept


def _rolled(roll: float) -> Vector:
    c, s = np.cos(roll), np.sin(roll)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
