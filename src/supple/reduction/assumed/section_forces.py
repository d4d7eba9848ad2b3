"""Section forces of a beam with assumed shapes, as rows of its amplitudes."""

from __future__ import annotations

import numpy as np
from numpy.polynomial import Polynomial

from supple.fem.beams.section_forces import in_section_axes
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Vector
from supple.reduction.assumed.beam import AssumedBeam

# Second moments of a section with linear sizes are polynomials of this degree.
DEGREE = 4


def assumed_section_forces(beam: AssumedBeam, x: float) -> Vector:
    """Rows (6, n) of N, Vy, Vz, T, My, Mz at the station x (m), in the axes of the section.

    They are the strains of the shapes there times the stiffness of the section; Vy = -Mz' and Vz =
    My' are in balance with the moments.
    """
    s = x / beam.length
    law, strain = beam.at(s, beam.roll), beam.strain(x)
    moments = law.bending @ strain[1:3]
    slopes = law.bending @ beam._fields(x, 3)[1:3] + _change(beam, s) @ strain[1:3]
    rows = np.vstack(
        [
            law.axial * strain[0],
            -slopes,
            law.torsional * strain[3],
            -moments[1],
            moments[0],
        ]
    )
    return in_section_axes(rows, beam.roll)


def _change(beam: AssumedBeam, s: float) -> Vector:
    """Derivative (2, 2) of the bending stiffness by x, N m."""
    if isinstance(beam.section, CrossSection):
        return np.zeros((2, 2))
    stations = beam.section.stations
    k = min(max(int(np.searchsorted(stations, s, side="right")) - 1, 0), len(stations) - 2)
    places = np.linspace(stations[k], stations[k + 1], DEGREE + 1)
    values = np.array([beam.at(float(p), beam.roll).bending for p in places])
    return (
        np.array(
            [
                [Polynomial.fit(places, values[:, i, j], DEGREE).deriv()(s) for j in range(2)]
                for i in range(2)
            ]
        )
        / beam.length
    )
