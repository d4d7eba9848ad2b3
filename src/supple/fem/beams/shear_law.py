"""Sections with shear coefficients, those of a rectangle where none are known; compliances."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from supple.fem.base.material import Material
from supple.fem.beams.line import Theory
from supple.fem.sections.sections import CrossSection, Profile, Section, TaperedSection
from supple.fem.sections.shear import rectangle
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError


def with_shear(section: Profile, poisson: float) -> Profile:
    """The section, given by its numbers with the shear coefficients of a rectangle."""
    if isinstance(section, TaperedSection):
        found = [_coefficients(s, poisson) for s in section.sections]
        return TaperedSection(*found, stations=section.stations)
    return _coefficients(section, poisson)


def _coefficients(section: CrossSection, poisson: float) -> CrossSection:
    try:
        section.shear_coefficients(poisson)
    except ModelError:
        if isinstance(section, Section):
            return replace(section, shear=(rectangle(poisson),) * 2)
        raise
    return section


def compliance(section: CrossSection, material: Material, theory: Theory) -> Array:
    """Compliances (6,) per length for N, Vy, Vz, T, My, Mz, of what a theory does not have.

    Shear forces have theirs where it leaves shear out; those of the others are always there.
    """
    y, z = section.shear_coefficients(material.poisson)
    area, E, G = section.area, material.E, material.G
    stiffness = [E * area, G * area * y, G * area * z, G * section.J]
    found = 1.0 / np.array([*stiffness, E * section.I_y, E * section.I_z])
    if theory == "timoshenko":
        found[1:3] = 0.0
    return found
