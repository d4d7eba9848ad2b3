"""Section forces of a beam over time, and the stress that belongs to them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Literal

import numpy as np

from supple.fem.beams.section_forces import NAMES
from supple.fem.sections.section_stress import (
    beam_von_mises,
    normal_stress,
    outline_rows,
    stress_rows,
)
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array

Method = Literal["shapes", "balance"]


class SectionForces:
    """Force and moment in a section over time, along the axes x, y, z of the section.

    They are what the part of the beam beyond the section (on the side of +x) exerts on the part
    before it, about the centroid: N is positive in tension, Mz is positive where it bends the beam
    towards +y (it compresses the side +y), My where it bends the beam towards -z.

    Attributes
    ----------
    values : (nt, 6) N, Vy, Vz in N; T, My, Mz in N m
    section : the section there
    method : "shapes" (from the strain of the elastic coordinates), "balance" (from inertia and
        loads beyond the section) or "elements" (from the balance of an element over nodal vectors)
    """

    def __init__(self, values: Array, section: CrossSection, method: str) -> None:
        self.values, self.section, self.method = values, section, method

    @property
    def N(self) -> Array:  # noqa: N802 (symbols of section forces)
        """(nt,) normal force, N."""
        return self.values[:, 0]

    @property
    def Vy(self) -> Array:  # noqa: N802
        """(nt,) shear force along y, N."""
        return self.values[:, 1]

    @property
    def Vz(self) -> Array:  # noqa: N802
        """(nt,) shear force along z, N."""
        return self.values[:, 2]

    @property
    def T(self) -> Array:  # noqa: N802
        """(nt,) torque, N m."""
        return self.values[:, 3]

    @property
    def My(self) -> Array:  # noqa: N802
        """(nt,) bending moment about y, N m."""
        return self.values[:, 4]

    @property
    def Mz(self) -> Array:  # noqa: N802
        """(nt,) bending moment about z, N m."""
        return self.values[:, 5]

    def normal_stress(self, y: float, z: float) -> Array:
        """(nt,) stress along the axis at a point of the section, Pa; y and z (m) are its axes."""
        return np.asarray(self.values @ normal_stress(self.section, y, z))

    def stress(self, y: float, z: float) -> Array:
        """(nt, 3) stresses s_xx, s_xy, s_xz at a point of the section, Pa.

        Of stretching, bending and torsion (see
        `supple.fem.sections.section_stress.torsion_stress`); the shear stresses of Vy and Vz are
        not included.
        """
        return np.asarray(self.values @ stress_rows(self.section, y, z).T)

    def von_mises(self, y: float | None = None, z: float | None = None) -> Array:
        """(nt,) equivalent stress at a point, or without one the largest on the surface, Pa."""
        if y is not None or z is not None:
            return beam_von_mises(self.stress(y or 0.0, z or 0.0))
        points = [beam_von_mises(self.values @ rows.T) for rows in outline_rows(self.section)]
        return np.asarray(np.max(points, axis=0))

    def __repr__(self) -> str:
        peaks = np.abs(self.values).max(axis=0, initial=0.0)
        shown = ", ".join(f"{name} {peak:.3g}" for name, peak in zip(NAMES, peaks, strict=True))
        return f"<SectionForces by {self.method}, {len(self.values)} times; largest {shown}>"


class SectionView:
    """The section of a beam or cable at a station: stress from its section forces."""

    @abstractmethod
    def section_forces(self, *method: Any) -> SectionForces:
        """Force N, Vy, Vz and moment T, My, Mz in the section over time, in its axes."""

    def stress(self, y: float, z: float, method: Method | None = None) -> Array:
        """(nt, 3) stresses s_xx, s_xy, s_xz at the point (y, z) of the section, m in its axes; Pa.

        Of stretching, bending and torsion, see `SectionForces.stress`. ``method`` is that of
        ``section_forces``.
        """
        return self._forces(method).stress(y, z)

    def von_mises(
        self, y: float | None = None, z: float | None = None, method: Method | None = None
    ) -> Array:
        """(nt,) equivalent stress at a point of the section, or the largest on its surface, Pa."""
        return self._forces(method).von_mises(y, z)

    def _forces(self, method: Method | None) -> SectionForces:
        return self.section_forces() if method is None else self.section_forces(method)
