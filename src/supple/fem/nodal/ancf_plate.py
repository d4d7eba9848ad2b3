"""Thin plates: place and gradients r_x, r_y at the four nodes of a rectangle.

The place is an incomplete quartic of x and y for each component, as the deflection of the
rectangle of Adini, Clough and Melosh (O. N. Dmitrochenko and D. Yu. Pogorelov, Generalization of
plate finite elements for absolute nodal coordinate formulation, Multibody System Dynamics 10 (2003)
17-43; K. Dufva and A. A. Shabana, Analysis of thin plate structures using the absolute nodal
coordinate formulation, Proc. IMechE K 219 (2005) 345-355). Membrane strains are Green's, at 2 x 2
Gauss points.

Curvatures are projections of r_xx, r_xy, r_yy on the normal, which is not a sum of products of
two vectors. But where membrane strains vanish these second derivatives *are* along the normal (the
derivatives of ``r_x . r_x = 1``, ``r_x . r_y = 0``, ``r_y . r_y = 1`` leave no others), so that the
energy of bending is, per area,

    1/2 B (r_xx . r_xx + r_yy . r_yy + 2 nu r_xx . r_yy + 2 (1 - nu) r_xy . r_xy)

with B = E h^3 / (12 (1 - nu^2)): a constant matrix, for rotations of any size. Beside it stand the
second derivatives of membrane displacements, a fraction (h / size of the element)^2 of their
strains; a stretch e changes the bending stiffness by 2 e. The plate is flat at rest.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.material import Material
from supple.fem.beams.line import gauss
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_table import ElementTable, StrainPoint
from supple.fem.shells.checks import checked_poisson
from supple.foundation.arrays import Array, Indices

# Powers of x and y of the twelve terms.
POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3))  # fmt: skip  # noqa: E501
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
MASS_POINTS = 4  # products of two quartics
MEMBRANE = (((0.5, 0, 0),), ((0.5, 1, 1),), ((1.0, 0, 1),))


def plate_table(
    sizes: tuple[float, float],
    thickness: float,
    material: Material,
    time: float = 0.0,
    owner: str = "plate",
) -> ElementTable:
    """Table of a rectangle with its sizes along x and y and its thickness (m).

    ``time`` (s) is the viscosity in units of the stiffness; it acts on membrane strains alone.
    """
    a, b = sizes
    nu, E, h = checked_poisson(owner, material), material.E, thickness
    law, row, points = h * plane_law(material, nu), PlateRows(sizes).row, []
    for x, v in gauss(2):
        for y, w in gauss(2):
            D = a * b * v * w * law
            rows = np.array([row(x, y, 1, 0), row(x, y, 0, 1)])
            points.append(StrainPoint.of(rows, MEMBRANE, D, time * D))
    mass, bending = np.zeros((12, 12)), np.zeros((12, 12))
    B = E * h**3 / (12.0 * (1.0 - nu**2))
    for x, v in gauss(MASS_POINTS):
        for y, w in gauss(MASS_POINTS):
            area = a * b * v * w
            place = row(x, y, 0, 0)
            mass += area * material.density * h * np.outer(place, place)
            xx, yy, xy = row(x, y, 2, 0), row(x, y, 0, 2), row(x, y, 1, 1)
            mixed = np.outer(xx, yy)
            form = np.outer(xx, xx) + np.outer(yy, yy) + nu * (mixed + mixed.T)
            bending += area * B * (form + 2.0 * (1.0 - nu) * np.outer(xy, xy))
    rest = np.zeros((12, 3))
    rest[0::3, :2] = np.array(CORNERS) * sizes
    rest[1::3, 0] = rest[2::3, 1] = 1.0
    return ElementTable.of(4, points, rest, mass, bending)


class PlateRows:
    """Rows (12,) of the place of an element with its sizes in x and y."""

    def __init__(self, sizes: tuple[float, float]) -> None:
        self.sizes = sizes
        slopes = ((0, 0), (1, 0), (0, 1))
        at_nodes = np.array([_terms(x, y, *d) for x, y in CORNERS for d in slopes])
        # in lengths of the element: gradients of node k are by x / a and y / b
        self._shapes = np.linalg.inv(at_nodes) * np.tile([1.0, *sizes], 4)

    def row(self, x: float, y: float, dx: int = 0, dy: int = 0) -> Array:
        """A derivative at x, y in 0..1 of the element, dx times by x and dy times by y."""
        scale = self.sizes[0] ** dx * self.sizes[1] ** dy
        found: Array = _terms(x, y, dx, dy) @ self._shapes / scale
        return found


def plane_law(material: Material, poisson: float) -> Array:
    """Matrix (3, 3) from strains xx, yy, 2 xy to plane stresses, Pa."""
    nu = poisson
    law = np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - nu)]])
    return material.E / (1.0 - nu**2) * law


def plate_mesh(
    sizes: tuple[float, float],
    elements: tuple[int, int],
    thickness: float,
    material: Material,
    time: float = 0.0,
    owner: str = "plate",
) -> ANCFMesh:
    """A rectangle from the origin along x and y, divided into equal rectangles.

    Node ``i (n_y + 1) + j`` is the i-th along x and the j-th along y.
    """
    n, m = elements
    table = plate_table((sizes[0] / n, sizes[1] / m), thickness, material, time, owner)
    rest = np.zeros((n + 1, m + 1, 3, 3))
    rest[..., 0, 0] = np.linspace(0.0, sizes[0], n + 1)[:, None]
    rest[..., 0, 1] = np.linspace(0.0, sizes[1], m + 1)
    rest[..., 1, 0] = rest[..., 2, 1] = 1.0
    return ANCFMesh.of(rest.reshape(-1, 3, 3), grid_cells(elements), [table] * (n * m))


def grid_cells(elements: tuple[int, int]) -> Indices:
    """Nodes (n m, 4) of the rectangles of a grid of n by m, around each."""
    n, m = elements
    first = (np.arange(n)[:, None] * (m + 1) + np.arange(m)).ravel()
    return np.asarray(first[:, None] + [0, m + 1, m + 2, 1], dtype=np.intp)


def _terms(x: float, y: float, dx: int, dy: int) -> Array:
    """Derivatives (12,) of the terms, dx times by x and dy times by y."""
    return np.array([_power(x, p, dx) * _power(y, q, dy) for p, q in POWERS])


def _power(x: float, power: int, derivative: int) -> float:
    """A derivative of a power."""
    if derivative > power:
        return 0.0
    factor = float(np.prod(np.arange(power, power - derivative, -1.0)))
    return factor * x ** (power - derivative)
