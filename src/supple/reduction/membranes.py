"""Membranes: how the slopes of a deflection stretch the axis of a beam, for geometric stiffening.

The strain of an axis is u' + (v'^2 + w'^2)/2. A membrane is this strain at a point, or its average
over an element, as ``a.q + 1/2 sum_p (s_p.q)^2`` of the elastic coordinates q; see `Membranes`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from supple.fem.beams.line import BeamLine
from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only
from supple.reduction.stiffening import Axial, Stiffening, VonKarman

if TYPE_CHECKING:
    from supple.fem.beams.beam import BeamMesh
    from supple.fem.beams.frame import FrameMesh
    from supple.reduction.assumed.beam import AssumedBeam
    from supple.reduction.modal import ModalBody

Law = Literal["axial", "axial_quadratic", "von_karman"]
# Data of an axis at a point: E A times weight and length (N m), the rows of u' (n,) and of
# v', w' (2, n). A cell is an element.
Point = tuple[float, Vector, Vector]
Cell = list[Point]

# Gauss points in an element whose v is a cubic, for its slope squared, and to the fourth power.
SQUARE_POINTS, FOURTH_POINTS = 3, 5
# A coordinate whose extension has less than this share of its strain energy does not stretch.
STRETCHES = 1e-12


@dataclass(frozen=True, eq=False)
class Membranes:
    """Strains ``e = axial @ q + 1/2 sum over p of (slopes @ q)^2`` of m membranes."""

    # "axial", "axial_quadratic" or "von_karman" What they do; see `supple.core.bodies.membrane`.
    law: Law
    # (m,) N m Energies are ``stiffness e^2 / 2``; the part with ``(axial @ q)^2`` is in the body's
    # K.
    stiffness: Vector
    axial: Vector  # (m, n)
    slopes: Vector  # (m, p, n)

    def energy(self, q: Vector) -> Vector:
        """Energy (..., ) in J beside that of K, for elastic coordinates (..., n)."""
        linear = q @ self.axial.T
        quadratic = 0.5 * np.sum(np.einsum("mpa,...a->...mp", self.slopes, q) ** 2, axis=-1)
        if self.law == "axial":
            return np.zeros(q.shape[:-1])
        if self.law == "axial_quadratic":
            linear = 0.0 * linear
        return np.asarray((quadratic * (linear + 0.5 * quadratic)) @ self.stiffness)

    def stretch(self, K: Vector) -> bool:
        """True if a coordinate of the body with the stiffness K (n, n) stretches its axis."""
        share = self.stiffness @ self.axial**2
        return bool(np.any(share > STRETCHES * np.diag(K)))


def feels_loads(body: ModalBody) -> bool:
    """True if loads along a body change its stiffness: membranes need a stretch of its axis."""
    if body.membranes is not None:
        return body.membranes.stretch(body.K)
    return body.slaves is not None


def is_membrane(stiffening: Stiffening) -> bool:
    """True if a stiffening is made of membranes."""
    return isinstance(stiffening, (Axial, VonKarman))


def beam_membranes(mesh: BeamMesh, basis: Vector, stiffening: Stiffening) -> Membranes | None:
    """Membranes of a mesh whose nodal coordinates are ``basis @ q``, basis (size, n)."""
    points = SQUARE_POINTS if _averages(stiffening) else FOURTH_POINTS
    return _membranes(_beam_cells(mesh, basis, points), stiffening, basis.shape[1])


def frame_membranes(mesh: FrameMesh, basis: Vector, stiffening: Stiffening) -> Membranes | None:
    """Membranes of a structure whose nodal coordinates are ``basis @ q``, basis (size, n)."""
    points = SQUARE_POINTS if _averages(stiffening) else FOURTH_POINTS
    return _membranes(_frame_cells(mesh, basis, points), stiffening, basis.shape[1])


def assumed_membranes(beam: AssumedBeam, stiffening: Stiffening) -> Membranes | None:
    """Membranes of assumed shapes; an average is one over the whole beam."""
    points = max(functions.points for functions in beam.shapes.fields.values())
    if stiffening != VonKarman("average"):
        points *= 2  # for products of four shapes
    cell = []
    for s, weight in beam.quadrature(0.0, 1.0, points):
        x = s * beam.length
        turn = beam.rotation(x)
        slopes = np.stack([turn[2], -turn[1]])
        cell.append((weight * beam.length * beam.at(s).axial, beam.strain(x)[0], slopes))
    # Extension changes along the beam: its product with slopes is one of points.
    apart = isinstance(stiffening, Axial)
    return _membranes([cell], stiffening, cell[0][1].size, apart)


def _beam_cells(mesh: BeamMesh, basis: Vector, points: int) -> Iterator[Cell]:
    n = mesh.elements
    for e in range(n):
        cell = []
        for s, weight in mesh.quadrature(e / n, (e + 1) / n, points):
            x = s * mesh.length
            turn, shear = mesh.rotation(x), mesh.shear(x)
            slopes = np.stack([shear[0] + turn[2], shear[1] - turn[1]])
            stiffness = weight * mesh.length * mesh.at(s).axial
            cell.append((stiffness, mesh.strain(x)[0] @ basis, slopes @ basis))
        yield cell


def _frame_cells(mesh: FrameMesh, basis: Vector, points: int) -> Iterator[Cell]:
    pieces = iter(mesh.pieces)
    for member in mesh.members:
        line = BeamLine(section=member.section, material=member.material, length=1.0)
        n = member.elements
        for e in range(n):
            piece = next(pieces)
            own = piece.turn @ basis[piece.columns]
            cell = []
            for s, weight in line.quadrature(e / n, (e + 1) / n, points):
                xi = n * s - e
                turn, strain = piece.element.values(xi), piece.element.strain(xi)
                slopes = np.stack([strain[4] + turn[5], strain[5] - turn[4]])
                stiffness = n * weight * piece.element.length * line.at(s).axial
                cell.append((stiffness, strain[0] @ own, slopes @ own))
            yield cell


def _averages(stiffening: Stiffening) -> bool:
    """True if one membrane stands for an element, in which u' is constant."""
    return stiffening in (VonKarman("average"), Axial())


def _membranes(
    cells: Iterable[Cell], stiffening: Stiffening, n: int, apart: bool = False
) -> Membranes | None:
    """Membranes of all cells, None for a body that does not deform; ``apart``: of each point."""
    if not n:
        return None
    law: Law = "von_karman"
    if isinstance(stiffening, Axial):
        law = "axial_quadratic" if stiffening.quadratic else "axial"
    found: list[Point] = []
    for cell in cells:
        found += [_average(cell)] if _averages(stiffening) and not apart else cell
    most = max(len(slopes) for _, _, slopes in found)
    slopes = np.stack([np.pad(s, ((0, most - len(s)), (0, 0))) for _, _, s in found])
    used = np.any(slopes != 0.0, axis=(0, 2))
    return Membranes(
        law=law,
        stiffness=read_only([k for k, _, _ in found]),
        axial=read_only(np.stack([a for _, a, _ in found])),
        slopes=read_only(slopes[:, used]),
    )


def _average(cell: Cell) -> Point:
    """The average strain of a cell, with the weights of E A.

    These make it the constant strain that is nearest in energy, whose energy is never more.
    """
    stiffness = np.array([k for k, _, _ in cell])
    total = float(stiffness.sum())
    share = stiffness / total
    axial = share @ np.stack([a for _, a, _ in cell])
    slopes = np.concatenate([np.sqrt(w) * s for w, (_, _, s) in zip(share, cell, strict=True)])
    return total, axial, slopes
