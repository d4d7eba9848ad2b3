"""Coefficients of Radau IIA of order 5 (Hairer and Wanner II, section IV.8), derived from its matrix A.

Arrays, not tuples: a tuple indexed by a variable becomes a chain of branches when compiled.
"""

from __future__ import annotations

import math

import numpy as np

_S6 = math.sqrt(6.0)
C1, C2 = (4.0 - _S6) / 10.0, (4.0 + _S6) / 10.0
C = np.array([C1, C2, 1.0])
A = np.array(
    [
        [(88 - 7 * _S6) / 360, (296 - 169 * _S6) / 1800, (-2 + 3 * _S6) / 225],
        [(296 + 169 * _S6) / 1800, (88 + 7 * _S6) / 360, (-2 - 3 * _S6) / 225],
        [(16 - _S6) / 36, (16 + _S6) / 36, 1 / 9],
    ]
)
AI = np.linalg.inv(A)

# AI = TT L TI with L = [[GAMMA, 0, 0], [0, ALPHA, BETA], [0, -BETA, ALPHA]], by eigenvectors
_values, _vectors = np.linalg.eig(AI)
_real, _pair = int(np.argmin(abs(_values.imag))), int(np.argmax(_values.imag))
GAMMA = float(_values[_real].real)
ALPHA, BETA = float(_values[_pair].real), float(_values[_pair].imag)
TT = np.column_stack([_vectors[:, _real].real, _vectors[:, _pair].real, _vectors[:, _pair].imag])
TI = np.linalg.inv(TT)

# Weights of the embedded error estimate
EST1, EST2, EST3 = -(13.0 + 7.0 * _S6) / 3.0, (-13.0 + 7.0 * _S6) / 3.0, -1.0 / 3.0

# Rates at 0, c1, c2, 1 -> coefficients of s, s^2, s^3, s^4 of the integral of the cubic through them
CUBIC = np.linalg.inv(np.vander([0.0, C1, C2, 1.0], 4, increasing=True)) / np.arange(1, 5)[:, None]

# Values at c1, c2, 1 -> coefficients of s, s^2, s^3 of the polynomial through them and zero at 0
THROUGH = np.linalg.inv(np.column_stack([C, C**2, C**3]))
