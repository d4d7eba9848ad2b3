"""Solids over nodal places: Green's strains of Saint-Venant and Kirchhoff at points of a volume.

Nodes have places alone. The gradients of the place by the place at rest are rows of the slopes of
the shape functions, whatever the shape of the element is. Strains are small, rotations and
displacements of any size.
"""

from __future__ import annotations

import numpy as np

from supple.fem.gradient_mesh import SAME_DIGITS, GradientMesh
from supple.fem.gradient_table import ElementTable, StrainPoint
from supple.fem.green import GREEN, Array, Times, elastic_laws
from supple.fem.solid import SolidMesh


def solid_mesh(solid: SolidMesh, times: Times = (0.0, 0.0), owner: str = "solid") -> GradientMesh:
    """The mesh of a solid with places as coordinates; elements of one shape share a table.

    ``times`` (s) are the viscosities beside E and G in units of these.
    """
    laws = elastic_laws(owner, solid.material, times)
    known: dict[bytes, ElementTable] = {}
    tables = []
    for cell in solid.cells:
        places = solid.nodes[cell]
        shape = (places - places[0]) / solid.length
        key = (np.round(shape, SAME_DIGITS) + 0.0).tobytes()
        if key not in known:
            known[key] = solid_table(solid, places, laws)
        tables.append(known[key])
    return GradientMesh.of(solid.nodes[:, None, :], solid.cells, tables)


def solid_table(solid: SolidMesh, places: Array, laws: tuple[Array, Array]) -> ElementTable:
    """Table of one element with nodes (k, 3) at rest; ``laws`` of strains and of their rates."""
    from supple.fem.solid_geometry import slopes_in_space
    from supple.fem.solid_kinds import KINDS, rule, shapes
    from supple.fem.solid_matrices import mass_matrices, mass_rule

    kind = KINDS[solid.kind]
    at, weights = rule(kind.simplex, kind.stiffness_degree)
    volumes, slopes = slopes_in_space(shapes(solid.kind, at)[1], places[None])
    points = [
        StrainPoint.of(slope.T, GREEN, weight * volume * laws[0], weight * volume * laws[1])
        for weight, volume, slope in zip(weights, volumes[0], slopes[0], strict=True)
    ]
    mass = mass_matrices(mass_rule(solid.kind, places[None], solid.material.density))[0]
    return ElementTable.of(len(places), points, places, mass)
