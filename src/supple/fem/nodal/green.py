"""Green's strains as products of gradients, and the law of Saint-Venant and Kirchhoff."""

from __future__ import annotations

from supple.fem.base.material import Material
from supple.fem.nodal.ancf_table import Term
from supple.foundation.arrays import Array
from supple.foundation.errors import ModelError

Times = tuple[float, float]

# Strains xx, yy, zz, xy, xz, yz of the rows 0, 1, 2: the gradients r_x, r_y, r_z.
GREEN: tuple[tuple[Term, ...], ...] = (
    ((0.5, 0, 0),),
    ((0.5, 1, 1),),
    ((0.5, 2, 2),),
    ((1.0, 0, 1),),
    ((1.0, 0, 2),),
    ((1.0, 1, 2),),
)


def elastic_laws(owner: str, material: Material, times: Times) -> tuple[Array, Array]:
    """Matrices (6, 6) from strains (Pa) and from their rates (Pa s) to stresses.

    ``times`` (s) are the viscosities beside E and G in units of these.
    """
    from supple.fem.solids.matrices import isotropic_law

    E, G = times
    elastic = isotropic_law(owner, material)
    if E == G:
        return elastic, E * elastic
    if not 0.0 < E * material.E < 3.0 * G * material.G:
        expected = "E and G with 0 < E < 3 G, as of an isotropic material"
        raise ModelError(owner, "damping E, G", (E * material.E, G * material.G), expected)
    viscous = Material(E * material.E, G * material.G, material.density)
    return elastic, isotropic_law(owner, viscous)
