"""Damping of flexible bodies; it acts on elastic rates only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, choice, declared, not_negative
from supple.foundation.validate import read_only


def _ratios(owner: str, field: str, value: Any) -> Vector:
    expected = "a number or numbers that are zero or positive"
    given = np.atleast_1d(validate.array(owner, field, value, expected))
    if given.ndim != 1 or not given.size or given.min() < 0.0:
        raise ModelError(owner, field, value, expected)
    return read_only(given)


@declared
class Rayleigh:
    """Damping in proportion to stiffness and mass; it acts on elastic rates only.

    Parameters
    ----------
    stiffness : s
        Factor of the stiffness matrix, zero or positive (Huang's alpha).
    mass : 1/s
        Factor of the mass matrix of the elastic coordinates, zero or positive.

    A mode of angular frequency w (rad/s) gets the damping ratio ``stiffness w / 2 + mass / (2 w)``.
    """

    stiffness: float = not_negative("s", default=0.0)
    mass: float = not_negative("1/s", default=0.0)

    def matrix(self, M: Vector, K: Vector) -> Vector:
        """Damping matrix (n, n) of the mass and stiffness matrices (n, n)."""
        return self.stiffness * K + self.mass * M


@declared
class ModalDamping:
    """Damping ratios of the body's modes.

    Parameters
    ----------
    ratios : number or sequence of numbers
        Fractions of critical damping, zero or positive: one for all modes, or one for each of the
        lowest; the last holds for all modes above.

    of : "body", optional
        Says that the ratios are meant of the body's own modes, whatever it is joined to. Without it
        analyses tell where modes of the model get ratios that are off by more than a fifth.

    Modes are those of the body in its frame, with the point masses on it. Other bodies that are
    joined to it change the modes of the model and with them the ratios: `fit_damping` has those.
    """

    ratios: Given[float | Sequence[float], Vector] = checked(_ratios)
    of: Literal["body"] | None = choice(default=None)

    def asked(self, M: Vector, K: Vector, moved: Any) -> float:
        """Ratio that is asked of a motion (n,), real or complex: the mean of those of its modes.

        Each counts with its strain energy.
        """
        squares, shapes = own_modes(M, K)
        energies = np.maximum(squares, 0.0) * np.abs(shapes.T @ (M @ moved)) ** 2
        total = float(energies.sum())
        return float(energies @ self.each(len(M))) / total if total > 0.0 else 0.0

    def each(self, count: int) -> Vector:
        """Ratios (count,) of the lowest modes."""
        ratios = np.full(count, self.ratios[-1])
        known = min(count, len(self.ratios))
        ratios[:known] = self.ratios[:known]
        return ratios

    def matrix(self, M: Vector, K: Vector) -> Vector:
        """Damping matrix (n, n) of the mass and stiffness matrices (n, n)."""
        squares, shapes = own_modes(M, K)
        weighted = M @ shapes
        rates = 2.0 * self.each(len(M)) * np.sqrt(np.maximum(squares, 0.0))
        matrix: Vector = (weighted * rates) @ weighted.T
        return 0.5 * (matrix + matrix.T)


def own_modes(M: Vector, K: Vector) -> tuple[Vector, Vector]:
    """Squares of frequencies (n,), ascending, and modes (n, n) of unit modal mass."""
    from scipy.linalg import eigh

    if not len(M):
        return np.zeros(0), np.zeros((0, 0))
    # Scaled to a unit diagonal: coordinates have no common unit.
    scale = 1.0 / np.sqrt(np.diag(M))
    both = np.outer(scale, scale)
    squares, shapes = eigh(both * K, both * M)
    return squares, scale[:, None] * shapes


@declared
class KelvinVoigt:
    """Viscosity of the material: stress = E strain + viscosity times the rate of strain.

    Parameters
    ----------
    E : Pa s
        Viscosity beside Young's modulus, for extension and bending; zero or positive.
    G : Pa s, optional
        Viscosity beside the shear modulus, for twist and shear. By default in proportion to G.
    """

    E: float = not_negative("Pa s")
    G: float | None = not_negative("Pa s", default=None)

    def factors(self, E: float, G: float) -> tuple[float, float]:
        """Times (s) by which a material's stiffness from E and from G is multiplied."""
        return self.E / E, self.E / E if self.G is None else self.G / G

    def nodal_matrix(self, mesh: Any) -> Any:
        """Damping matrix (size, size) of a mesh, dense or sparse as its stiffness is."""
        return mesh.viscous_matrix(self.factors)


Damping = Rayleigh | ModalDamping | KelvinVoigt
