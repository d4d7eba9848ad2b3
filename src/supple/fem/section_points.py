"""Points of a section where stress and strain are evaluated: its outline, and strain gauges."""

from __future__ import annotations

from math import cos, sin

import numpy as np

from supple.errors import ModelError
from supple.fem.material import Material
from supple.fem.section_stress import beam_von_mises, outline, outline_rows
from supple.fem.sections import CrossSection
from supple.fem.stress_points import Array, StressBlock
from supple.validate import Vector, flag, read_only

# Surfaces of a strain gauge: factors of the half sizes along y and z of the section.
SIDES = {"y": (1.0, 0.0), "-y": (-1.0, 0.0), "z": (0.0, 1.0), "-z": (0.0, -1.0)}


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
    a, b = (factor * size for factor, size in zip(SIDES[side], section.half_sizes, strict=True))
    y = a * cos(roll) - b * sin(roll)
    z = a * sin(roll) + b * cos(roll)
    bending = -y * strain[1] - z * strain[2]
    return read_only(bending + strain[0] if axial else bending)


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
