"""Coefficients of Radau IIA of order 5 (Hairer and Wanner II, section IV.8), derived from its A."""

from __future__ import annotations

import math

import numpy as np

_s6 = math.sqrt(6.0)
C1, C2 = (4.0 - _s6) / 10.0, (4.0 + _s6) / 10.0
_A = np.array(
    [
        [(88 - 7 * _s6) / 360, (296 - 169 * _s6) / 1800, (-2 + 3 * _s6) / 225],
        [(296 + 169 * _s6) / 1800, (88 + 7 * _s6) / 360, (-2 - 3 * _s6) / 225],
        [(16 - _s6) / 36, (16 + _s6) / 36, 1 / 9],
    ]
)


def _transform():
    """A^-1 = T L T^-1, L = [[g, 0, 0], [0, a, b], [0, -b, a]] by its eigenvectors."""
    inverse = np.linalg.inv(_A)
    values, vectors = np.linalg.eig(inverse)
    real = int(np.argmin(abs(values.imag)))
    pair = int(np.argmax(values.imag))
    t = np.column_stack([vectors[:, real].real, vectors[:, pair].real, vectors[:, pair].imag])
    return inverse, values[real].real, values[pair].real, values[pair].imag, t, np.linalg.inv(t)


_INVERSE, GAMMA, ALPHA, BETA, _T, _TI = _transform()
AI, TT, TI = tuple(map(tuple, _INVERSE.tolist())), tuple(map(tuple, _T.tolist())), tuple(map(tuple, _TI.tolist()))
AA = tuple(map(tuple, _A.tolist()))
E1, E2, E3 = -(13.0 + 7.0 * _s6) / 3.0, (-13.0 + 7.0 * _s6) / 3.0, -1.0 / 3.0
def _rate_cubic():
    """Monomial coefficients of the integral of the cubic through rates at 0, c1, c2, 1."""
    nodes = np.array([0.0, C1, C2, 1.0])
    cubic = np.linalg.inv(np.vander(nodes, 4, increasing=True))  # rates -> coefficients
    return cubic / np.arange(1, 5)[:, None]


CUBIC = tuple(map(tuple, _rate_cubic().tolist()))
# Extrapolation of the collocation polynomial through 0, c1, c2, 1
_NODES = np.array([C1, C2, 1.0])
_through = np.linalg.inv(np.column_stack([_NODES, _NODES**2, _NODES**3]))
THROUGH = tuple(map(tuple, _through.tolist()))
