"""Section forces of beams and frames as rows of the nodal coordinates: from the strain of shapes.

Rows (6, ...) are N, Vy, Vz (N) and T, My, Mz (N m) in the axes of the section, which ``roll``
turns: what the part beyond a section exerts on the part before it, so that N is positive in
tension, Mz is E I_z v'' and My is -E I_y w''. They are the forces at the end of the element that
deform it so, taken to the section by statics. In a uniform element that is stiffness times strain
at the section; in a tapered one, whose shapes are approximate, it is in balance and the product is
not.
"""

from __future__ import annotations

from math import cos, sin

import numpy as np

from supple.fem.beams.beam import BeamMesh
from supple.fem.beams.element import BeamElement
from supple.fem.beams.frame import FrameMesh
from supple.foundation.arrays import Array

NAMES = ("N", "Vy", "Vz", "T", "My", "Mz")


def beam_section_forces(mesh: BeamMesh, x: float) -> Array:
    """Rows (6, size) of N, Vy, Vz, T, My, Mz at the station x (m) of a beam.

    They jump between elements: an inner node takes the mean of its two sides.
    """

    def rows(number: int, xi: float) -> Array:
        return mesh._spread(number, _element_rows(mesh._pieces[number], xi) @ mesh._turn)

    element, xi = mesh._place(x)
    found = rows(element, xi)
    found[3] += mesh.at(x / mesh.length).torsional * mesh.inner_twist(x)
    if xi == 1.0 and element + 1 < mesh.elements:
        found = 0.5 * (found + rows(element + 1, 0.0))
    # Elements of a round section keep the axes of the body.
    return found if mesh._turns else in_section_axes(found, mesh.roll)


def frame_section_forces(mesh: FrameMesh, member: int, s: float) -> Array:
    """Rows (6, size) of N, Vy, Vz, T, My, Mz at the place s in 0..1 of a member, in its axes."""
    piece, xi = mesh._piece(member, s)
    rows = np.zeros((6, mesh.size))
    rows[:, piece.columns] = _element_rows(piece.element, xi) @ piece.turn
    return rows


def in_section_axes(rows: Array, roll: float) -> Array:
    """Rows (6, n) of forces along the axes of a body in those of a section turned by roll (rad)."""
    if roll == 0.0:
        return rows
    c, s = cos(roll), sin(roll)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])
    return np.vstack([turn @ rows[:3], turn @ rows[3:]])


def _element_rows(element: BeamElement, xi: float) -> Array:
    """Rows (6, size) in the axes of an element, at the place xi in 0..1."""
    rows = element.stiffness[6:12].copy()
    arm = (1.0 - xi) * element.length
    rows[4] -= arm * rows[2]
    rows[5] += arm * rows[1]
    return rows
