"""Materials of flexible bodies."""

from __future__ import annotations

from supple.foundation.fields import declared, named, positive


@declared
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

    E: float = positive("Pa")
    G: float = positive("Pa")
    density: float = positive("kg/m3")
    name: str = named(default="")
    yield_stress: float | None = positive("Pa", default=None)

    @property
    def poisson(self) -> float:
        """Poisson's ratio E / (2 G) - 1 for shear coefficients, kept within 0 and 1/2.

        A material that is not isotropic may have any ratio of E and G.
        """
        return min(max(0.5 * self.E / self.G - 1.0, 0.0), 0.5)
