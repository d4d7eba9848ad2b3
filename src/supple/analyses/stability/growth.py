"""Growth of small motion: eigenvalues that tell stability, and stiffnesses that pass zero."""

from __future__ import annotations

import numpy as np

from supple.analyses.equilibrium.balance import one_way
from supple.analyses.modes.linear_model import LinearModel
from supple.analyses.modes.mode import Complex

# Of eigenvalues that meet: their rounding is 1e-8. Real parts grow with the root of the distance,
# so that this is 1e-14 in the value.
MEETING = 1e-7


def moving(linear: LinearModel) -> Complex:
    """Eigenvalues but zeros, which belong to motions that nothing holds."""
    values = linear.eigenvalues
    moving: Complex = values[values != 0.0]
    return moving


def growth(linear: LinearModel) -> float:
    """Largest real part of the eigenvalues, 1/s."""
    values = moving(linear)
    return float(np.max(values.real)) if len(values) else 0.0


def grows(linear: LinearModel) -> bool:
    """True if an eigenvalue has a positive real part beyond the rounding of two that meet."""
    values = moving(linear)
    return bool(np.any(values.real > MEETING * np.abs(values)))


def fastest(linear: LinearModel) -> complex:
    """The eigenvalue that grows fastest, with an imaginary part that is not negative."""
    values = moving(linear)
    found = complex(values[np.argmax(values.real)])
    return complex(found.real, abs(found.imag))


def apart(linear: LinearModel, frequency: float) -> float:
    """Square of half the distance of two eigenvalues that meet near a frequency, rad/s.

    Negative while both are on the imaginary axis, positive when they have left it: smooth.
    """
    values = moving(linear)
    order = np.argsort(np.abs(values - 1j * frequency))
    if len(order) < 2:
        return 0.0
    return float((((values[order[0]] - values[order[1]]) / 2.0) ** 2).real)


def nearest(linear: LinearModel, value: complex) -> complex:
    """The eigenvalue that is nearest to a number."""
    values = moving(linear)
    return complex(values[np.argmin(np.abs(values - value))])


def least_stiffness(linear: LinearModel) -> float:
    """A stiffness that passes zero where a motion loses it, in the units of increments."""
    K = linear.stiffness
    if not one_way(K):
        return float(np.linalg.eigvalsh(0.5 * (K + K.T))[0])
    left, values, right = np.linalg.svd(K)
    return float(values[-1] * np.linalg.det(left) * np.linalg.det(right))


def smallest_stiffness(linear: LinearModel) -> float:
    """The stiffness that is nearest to zero, in the units of increments."""
    return float(np.min(np.abs(np.linalg.eigvals(linear.stiffness)), initial=np.inf))
