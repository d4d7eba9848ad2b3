"""Tilting sections of beams: what their points move of second order about the axis.

A section with the rotation vector t takes a point at r from its centroid to exp(t) r: beside t x r,
which is in the shapes of a beam, by t x (t x r) / 2. Centrifugal forces and the angular momentum of
a spinning body see the moments int rho r_i (t x (t x r))_j / 2 of it: they stiffen a shaft against
tilting and a blade against twist. The fields F r, with the same matrix F for all sections, have
these moments. So there are at most six amplitudes for a straight beam, however many modes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.foundation.arrays import Vector
from supple.foundation.validate import read_only

# A quadratic form that is less, relative to the largest, is none or depends on others.
DEPENDENT = 1e-10


@dataclass(frozen=True, eq=False)
class Tilt:
    """Slaved shapes of tilting sections.

    Attributes
    ----------
    Gamma : (r, n, n)
    fields : (r, 3, 3)
        A point at the place x from its section's centroid moves by ``fields[s] @ x``.
    """

    Gamma: Vector
    fields: Vector

    @classmethod
    def of(cls, mass: Vector, offset: Vector, turned: Vector) -> Tilt:
        """From mass points (k,), their places (k, 3) in sections, and rotations (k, 3, n) of these.

        Everything is in the axes of the body.
        """
        n = turned.shape[2]
        weighted = mass[:, None] * offset
        along = np.einsum("ki,kia->ka", offset, turned)
        moments = np.empty((3, 3, n, n))
        for i, j in np.ndindex(3, 3):
            mixed = (weighted[:, i, None] * turned[:, j]).T @ along
            square = (weighted[:, i] * offset[:, j])[:, None, None] * turned
            squares = square.reshape(-1, n).T @ turned.reshape(-1, n)
            moments[i, j] = 0.5 * (mixed + mixed.T) - squares
        spread = weighted.T @ offset
        forms = np.einsum("ki,ijab->kjab", np.linalg.pinv(spread, DEPENDENT, True), moments)
        size = np.repeat(np.sqrt(np.maximum(np.diag(spread), 0.0)), 3)
        chosen, others = _independent(size[:, None] * forms.reshape(9, n * n))
        fields = np.zeros((len(chosen), 3, 3))
        for s, number in enumerate(chosen):
            for k, factor in enumerate(others[s]):
                if factor != 0.0:  # amplitudes of field k are this many of the chosen ones
                    fields[s, k % 3, k // 3] = factor * size[number] / size[k]
        Gamma = forms.reshape(9, n, n)[chosen]
        return cls(read_only(0.5 * (Gamma + Gamma.swapaxes(1, 2))), read_only(fields))

    def extended(
        self, points: tuple[Vector, Vector, Vector], offset: Vector
    ) -> tuple[Vector, Vector, Vector]:
        """Material points whose shapes (k, 3, m + r) include these; offsets (k, 3) in sections."""
        mass, place, shape = points
        more = np.einsum("sij,kj->kis", self.fields, offset)
        return mass, place, np.concatenate([shape, more], axis=2)


def _independent(forms: Vector) -> tuple[Vector, Vector]:
    """Numbers (r,) of independent rows of (m, k), and factors (r, m) of all rows by these."""
    from scipy.linalg import qr, solve_triangular

    _, R, order = qr(forms.T, mode="economic", pivoting=True)
    size = np.abs(np.diag(R))
    rank = int(np.sum(size > DEPENDENT * size.max(initial=0.0)))
    factors = np.zeros((rank, len(forms)))
    if rank:
        factors[:, order] = solve_triangular(R[:rank, :rank], R[:rank])
        factors[np.abs(factors) < DEPENDENT] = 0.0
    return order[:rank], factors
