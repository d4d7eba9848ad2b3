"""What a flexible body is made of: elastic material and damping."""

from __future__ import annotations

from dataclasses import dataclass

from supple import validate
from supple.errors import ModelError
from supple.validate import Vector, set_fields


@dataclass(frozen=True, eq=False, init=False)
class Material:
    """A linear elastic material.

    Parameters
    ----------
    E : Pa
        Young's modulus, positive.
    G : Pa
        Shear modulus, positive. An isotropic material has ``G = E / (2 (1 + nu))``.
    density : kg/m3
        Positive.
    name : str, optional
        For messages only.
    """

    E: float
    G: float
    density: float
    name: str

    def __init__(self, E: float, G: float, density: float, name: str = "") -> None:
        if not isinstance(name, str):
            raise ModelError("Material", "name", name, "a text")
        owner = f"Material {name!r}" if name else "Material"
        set_fields(
            self,
            E=validate.positive(owner, "E", E),
            G=validate.positive(owner, "G", G),
            density=validate.positive(owner, "density", density),
            name=name,
        )

    @property
    def poisson(self) -> float:
        """Poisson's ratio E / (2 G) - 1 for shear coefficients, kept within 0 and 1/2.

        A material that is not isotropic may have any ratio of E and G.
        """
        return min(max(0.5 * self.E / self.G - 1.0, 0.0), 0.5)


@dataclass(frozen=True, eq=False, init=False)
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

    stiffness: float
    mass: float

    def __init__(self, stiffness: float = 0.0, mass: float = 0.0) -> None:
        set_fields(
            self,
            stiffness=validate.not_negative("Rayleigh", "stiffness", stiffness),
            mass=validate.not_negative("Rayleigh", "mass", mass),
        )

    def matrix(self, M: Vector, K: Vector) -> Vector:
        """Damping matrix (n, n) of the mass and stiffness matrices (n, n)."""
        return self.stiffness * K + self.mass * M
