"""Points of a section where stress and strain are evaluated; strain gauges and rosettes."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, pi, sin, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.material import Material
from supple.fem.recovery.stress_points import StressBlock
from supple.fem.sections.section_stress import beam_von_mises, outline, outline_rows
from supple.fem.sections.sections import CrossSection
from supple.foundation import validate
from supple.foundation.arrays import Array, Vector
from supple.foundation.errors import ModelError
from supple.foundation.validate import flag, read_only

# Surfaces of a strain gauge: factors of the half sizes along y and z of the section.
SIDES = {"y": (1.0, 0.0), "-y": (-1.0, 0.0), "z": (0.0, 1.0), "-z": (0.0, -1.0)}

ROUND = 2.0  # radii of gyration from the axis of a solid ellipse to its surface
DIRECTIONS = "three or more angles (rad), at least three of them different directions"


def gauge_row(
    owner: str,
    field: str,
    section: CrossSection,
    side: str,
    strain: Array,
    axial: bool,
    roll: float = 0.0,
) -> Vector:
    """Row (n,) of the strain u' - y v'' - z w'' at the middle of a side of a section.

    ``strain`` (3 or more, n) are rows of u', v'', w'', in axes against which ``roll`` (rad) turns
    the section. Without ``axial`` it is the part of bending only. A section without sizes is
    refused, by its ``field`` of the ``owner``.
    """
    flag(owner, "axial", axial)
    if section.half_sizes is None:
        raise ModelError(owner, field, None, "2 positive numbers for a strain gauge")
    bending = _bent_row(section.half_sizes, side, strain, roll)
    return read_only(bending + strain[0] if axial else bending)


def _bent_row(sizes: tuple[float, float], side: str, strain: Array, roll: float) -> Array:
    a, b = (factor * size for factor, size in zip(SIDES[side], sizes, strict=True))
    y = a * cos(roll) - b * sin(roll)
    z = a * sin(roll) + b * cos(roll)
    return np.asarray(-y * strain[1] - z * strain[2])


def side_block(
    place: Array, section: CrossSection, material: Material, strain: Array, roll: float, name: str
) -> StressBlock:
    """Strain along the axis in the middles of the four sides of a section at a ``place`` (3,).

    ``strain`` as for `gauge_row`. Where sizes are not known they are those of a solid ellipse with
    the same radii of gyration: a surface is nowhere nearer to the axis than half of that.
    """
    sizes = section.half_sizes
    if sizes is None:
        sizes = ROUND * sqrt(section.I_z / section.area), ROUND * sqrt(section.I_y / section.area)
    rows = np.stack([_bent_row(sizes, side, strain, roll) + strain[0] for side in SIDES])[:, None]
    return StressBlock(
        places=np.tile(place, (len(SIDES), 1)),
        strain=rows,
        stress=material.E * rows,
        von_mises=lambda stress: np.abs(stress[..., 0]),
        strain_tensor=lambda strain: strain[..., None],
        normals=1,
        name=lambda k: f"{name}, side {tuple(SIDES)[k]}",
    )


def section_block(
    places: Array, section: CrossSection, material: Material, forces: Array, name: str
) -> StressBlock:
    """Points of the outline of a section, at ``places`` (m, 3), for ``forces`` (6, n) in it."""
    points = outline(section)
    stress = outline_rows(section) @ forces
    moduli = np.array([material.E, material.G, material.G])
    return StressBlock(
        places=places,
        strain=stress / moduli[:, None],
        stress=stress,
        von_mises=beam_von_mises,
        strain_tensor=_tensor,
        normals=1,
        name=lambda k: f"{name}, (y, z) = ({points[k, 0]:.4g}, {points[k, 1]:.4g}) m",
    )


def _tensor(strain: Array) -> Array:
    """Tensors (..., 3, 3) of the strain along the axis and the shear angles xy, xz of a beam."""
    tensor = np.zeros((*strain.shape[:-1], 3, 3))
    tensor[..., 0, :] = strain * [1.0, 0.5, 0.5]
    tensor[..., :, 0] = tensor[..., 0, :]
    return tensor


def rosette_strain(
    readings: ArrayLike, angles: Sequence[float] = (0.0, pi / 4.0, pi / 2.0)
) -> Array:
    """Plane strain (..., 3) e_xx, e_yy, 2 e_xy from readings (..., k) of gauges at angles (k,).

    Angles are in rad from the axis x of the strain towards y. With more than three gauges it is
    the strain that fits them best.
    """
    at = validate.array("rosette_strain", "angles", angles, DIRECTIONS)
    if at.ndim != 1 or len(at) < 3:
        raise ModelError("rosette_strain", "angles", angles, DIRECTIONS)
    c, s = np.cos(at), np.sin(at)
    rows = np.stack([c * c, s * s, c * s], axis=1)
    if np.linalg.matrix_rank(rows, tol=1e-6) < 3:
        raise ModelError("rosette_strain", "angles", angles, DIRECTIONS)
    given = validate.array("rosette_strain", "readings", readings, "numbers")
    if given.ndim == 0 or given.shape[-1] != len(at):
        expected = f"{len(at)} numbers in the last direction, one for each angle"
        raise ModelError("rosette_strain", "shape of readings", given.shape, expected)
    return np.asarray(given @ np.linalg.pinv(rows).T)


def principal_strains(strain: Any) -> Array:
    """Principal strains and their direction (..., 3) of plane strains (..., 3) e_xx, e_yy, 2 e_xy.

    The last index is: the larger one, the smaller one, and the angle (rad) from x to the direction
    of the larger one, between -pi/2 and pi/2.
    """
    expected = "numbers of the shape (..., 3): e_xx, e_yy, 2 e_xy"
    e = validate.array("principal_strains", "strain", strain, expected)
    if e.ndim == 0 or e.shape[-1] != 3:
        raise ModelError("principal_strains", "strain", strain, expected)
    mean, half = 0.5 * (e[..., 0] + e[..., 1]), 0.5 * (e[..., 0] - e[..., 1])
    radius = np.hypot(half, 0.5 * e[..., 2])
    angle = 0.5 * np.arctan2(0.5 * e[..., 2], half)
    return np.stack([mean + radius, mean - radius, angle], axis=-1)
