"""Stress in the section of a beam that belongs to its section forces.

A section with the outward normal +x carries the force N, Vy, Vz and the moment T, My, Mz about its
centroid, along its own axes x, y, z: what the part beyond it exerts on the part before it. At a
point (y, z) the stress along the axis is

    s_xx = N / A + My z / I_y - Mz y / I_z

and the shear stresses s_xy, s_xz are those of Saint-Venant's torsion. Shear stresses of the
transverse forces Vy and Vz are not included: in a slender beam they are smaller than those of
bending by the ratio of its height to its length.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from supple.fem.sections.sections import Box, Circle, CrossSection, ISection, Rectangle, Tube
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError

# Terms of the torsion series alternate and fall with n**-2: what is left out is below 1e-7.
LAST_TERM = 2001
# A point this far outside of a section, in its sizes, is on its surface.
ON_SURFACE = 1e-9
# Points on each side of a rectangle, and around a circle: one of them is within 3.75 degrees of the
# largest bending stress, which is then found to 0.22 %.
ON_A_SIDE, AROUND = 9, 48
KNOWN = "a Rectangle, Circle, Tube, Box or ISection, whose stresses are known"


def normal_stress(section: CrossSection, y: float, z: float) -> Array:
    """Row (6,) that maps N, Vy, Vz, T, My, Mz to the stress s_xx (Pa) at the point (y, z), m."""
    row = np.zeros(6)
    row[0], row[4], row[5] = 1.0 / section.area, z / section.I_y, -y / section.I_z
    return row


def stress_rows(section: CrossSection, y: float, z: float) -> Array:
    """Rows (3, 6) that map N, Vy, Vz, T, My, Mz to s_xx, s_xy, s_xz (Pa) at the point (y, z), m."""
    return _rows(section, y, z, torsion_stress(section, y, z))


def _rows(section: CrossSection, y: float, z: float, torsion: Array) -> Array:
    rows = np.zeros((3, 6))
    rows[0] = normal_stress(section, y, z)
    rows[1:, 3] = torsion
    return rows


def torsion_stress(section: CrossSection, y: float, z: float) -> Array:
    """Shear stresses (2,) s_xy, s_xz at the point (y, z) of a section under the torque 1 N m, Pa.

    Circle and Tube: exact. Rectangle: the series of the stress function, exact. Box: Bredt's, the
    mean over the wall. ISection: that of its walls as narrow rectangles, without the peaks in the
    inner corners.
    """
    kind = type(section).__name__
    if type(section) not in _LAWS:
        raise ModelError("Section", "torsion stress", None, f"{KNOWN}, instead of {kind}")
    where = validate.number(kind, "y", y), validate.number(kind, "z", z)
    if not _inside(section, *where):
        raise ModelError(kind, "point (y, z)", where, "a point of the section")
    return _torsion(section, *where)


def _torsion(section: CrossSection, y: float, z: float) -> Array:
    """Shear stresses (2,) of `torsion_stress` at a point that is known to be in the section."""
    return np.array(_LAWS[type(section)](section, y, z)) / section.J


@lru_cache(maxsize=256)
def outline(section: CrossSection) -> Array:
    """Points (k, 2), read-only, on the surface, among which a section's stress is largest."""
    return validate.read_only(_outline(section))


def _outline(section: CrossSection) -> Array:
    if isinstance(section, (Circle, Tube)):
        angle = np.linspace(0.0, 2.0 * math.pi, AROUND, endpoint=False)
        return np.asarray(0.5 * section.diameter * np.stack([np.cos(angle), np.sin(angle)], axis=1))
    if not isinstance(section, (Rectangle, Box, ISection)):
        kind = type(section).__name__
        raise ModelError("Section", "outline", None, f"{KNOWN}, instead of {kind}")
    a, b = 0.5 * section.size_y, 0.5 * section.size_z
    part = np.linspace(-1.0, 1.0, ON_A_SIDE)
    ends = np.array([[s * a, b * t] for s in (-1.0, 1.0) for t in part])
    if isinstance(section, ISection):
        inner, half = a - section.flange, 0.5 * section.web
        under = np.array([[s * inner, b * t] for s in (-1.0, 1.0) for t in (-1.0, 1.0)])
        web = np.array([[inner * t, s * half] for s in (-1.0, 1.0) for t in part])
        return np.concatenate([ends, under, web])
    sides = np.array([[a * t, s * b] for s in (-1.0, 1.0) for t in part[1:-1]])
    return np.concatenate([ends, sides])


@lru_cache(maxsize=256)
def outline_rows(section: CrossSection) -> Array:
    """Rows (k, 3, 6) of `stress_rows` at all points of the `outline`."""
    points = outline(section).tolist()
    return validate.read_only([_rows(section, y, z, _torsion(section, y, z)) for y, z in points])


def beam_von_mises(stress: Array) -> Array:
    """Equivalent stress of von Mises (...) of the stresses (..., 3) s_xx, s_xy, s_xz of a beam."""
    return np.asarray(
        np.sqrt(stress[..., 0] ** 2 + 3.0 * (stress[..., 1] ** 2 + stress[..., 2] ** 2))
    )


def _inside(section: CrossSection, y: float, z: float) -> bool:
    sizes = section.half_sizes
    assert sizes is not None, "only a Section has none"
    slack = ON_SURFACE * max(sizes)
    # Distances from the surface inwards.
    y, z, radius = sizes[0] - abs(y), sizes[1] - abs(z), math.hypot(y, z)
    if isinstance(section, Tube):
        return -slack <= sizes[0] - radius <= section.wall + slack
    if isinstance(section, Circle):
        return radius <= sizes[0] + slack
    if min(y, z) < -slack:
        return False
    if isinstance(section, Box):
        return min(y, z) <= section.wall + slack
    if isinstance(section, ISection):
        return y <= section.flange + slack or z >= sizes[1] - 0.5 * section.web - slack
    return True


def _round(section: Circle | Tube, y: float, z: float) -> tuple[float, float]:
    return -z, y


def _rectangle(section: Rectangle, y: float, z: float) -> tuple[float, float]:
    """Derivatives of the stress function f with f_yy + f_zz = -2: s_xy = f_z, s_xz = -f_y."""
    if section.size_y >= section.size_z:
        along, across = _series(0.5 * section.size_y, 0.5 * section.size_z, y, z)
        return across, -along
    along, across = _series(0.5 * section.size_z, 0.5 * section.size_y, z, y)
    return along, -across


def _series(a: float, b: float, x: float, w: float) -> tuple[float, float]:
    """Derivatives of the stress function along the long half side a and across it, along b."""
    n = np.arange(LAST_TERM, 0, -2)
    wave = 0.5 * math.pi * n / b
    # cosh(wave x) / cosh(wave a) and sinh(wave x) / cosh(wave a), without overflow
    decay = np.exp(wave * (abs(x) - a)) / (1.0 + np.exp(-2.0 * wave * a))
    mirror = np.exp(-2.0 * wave * abs(x))
    cosh, sinh = decay * (1.0 + mirror), math.copysign(1.0, x) * decay * (1.0 - mirror)
    size = 16.0 * b / (math.pi * n) ** 2 * np.where(n % 4 == 1, 1.0, -1.0)
    along = -np.sum(size * sinh * np.cos(wave * w))
    if wave[0] * (a - abs(x)) < 1.0:  # at the short side the terms of -2 w cancel the others
        across = np.sum(size * (cosh - 1.0) * np.sin(wave * w))
    else:
        across = -2.0 * w + np.sum(size * cosh * np.sin(wave * w))
    return float(along), float(across)


def _box(section: Box, y: float, z: float) -> tuple[float, float]:
    """Bredt's shear flow, around the hole from y to z."""
    t = section.wall
    flow = section.J / (2.0 * (section.size_y - t) * (section.size_z - t) * t)
    if 0.5 * section.size_y - abs(y) < 0.5 * section.size_z - abs(z):
        return 0.0, math.copysign(flow, y)
    return -math.copysign(flow, z), 0.0


def _i_section(section: ISection, y: float, z: float) -> tuple[float, float]:
    """Twice the distance from the middle of a wall, along it."""
    if abs(y) >= 0.5 * section.size_y - section.flange * (1.0 + ON_SURFACE):
        middle = math.copysign(0.5 * (section.size_y - section.flange), y)
        return 0.0, 2.0 * (y - middle)
    return -2.0 * z, 0.0


_LAWS: dict[type, Callable[[Any, float, float], tuple[float, float]]] = {
    Circle: _round,
    Tube: _round,
    Rectangle: _rectangle,
    Box: _box,
    ISection: _i_section,
}
