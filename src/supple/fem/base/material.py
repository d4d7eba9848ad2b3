"""Materials of flexible bodies."""

from __future__ import annotations

from dataclasses import dataclass

from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields


@dataclass(frozen=True, eq=False, init=False)
class Material:
    """A linear elastic material.

    Parameters
    ----------
    E : Pa
        Young's modulus, positive.
    G : Pa
        Shear modulus, positive. An isotropic material has ``G = E / (2 (1 + nu))``; solids and
        shells refuse others, beams may be of wood or fibres.
    density : kg/m3
        Positive.
    name : str, optional
        For messages only.
    yield_stress : Pa, optional
        For the validity monitor of results only: where the material is no longer elastic.
    """

    E: float
    G: float
    density: float
    name: str
    yield_stress: float | None

    def __init__(
        self,
        E: float,
        G: float,
        density: float,
        name: str = "",
        yield_stress: float | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise ModelError("Material", "name", name, "a text")
        validate.written("Material", "name", name)
        owner = f"Material {name!r}" if name else "Material"
        set_fields(
            self,
            E=validate.positive(owner, "E", E),
            G=validate.positive(owner, "G", G),
            density=validate.positive(owner, "density", density),
            name=name,
            yield_stress=None
            if yield_stress is None
            else validate.positive(owner, "yield_stress", yield_stress),
        )

    @property
    def poisson(self) -> float:
        """Poisson's ratio E / (2 G) - 1 for shear coefficients, kept within 0 and 1/2.

        A material that is not isotropic may have any ratio of E and G.
        """
        return min(max(0.5 * self.E / self.G - 1.0, 0.0), 0.5)
