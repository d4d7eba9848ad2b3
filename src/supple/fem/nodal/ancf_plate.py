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

Thin shells: place, gradients r_x, r_y and the normal n at the nodes of a mapped rectangle. The
place is that of `supple.fem.nodal.ancf_plate` over the coordinates x, y of a rectangle, which need
not be lengths: the shape at rest is any smooth surface over it. The normals are nodal vectors of
their own, so that curvatures are products of two vectors also where the shell is curved at rest:

    membrane  e = (r_a . r_b - rest) / 2            at 2 x 2 Gauss points
    bending   k = -(r_ab . n - rest)                at 3 x 3, n between nodes bilinear
    slopes    r_ab . r_c - rest                     at the same, with the stiffness of bending
    normals   r_a . n = 0 and n . n = 1             at the nodes

The last three fix the three components of each normal and nothing else, so that they cannot lock.
Slopes of stretching would have no stiffness of their own but that at 2 x 2 points, and cubics would
bend too easily; a plate has the same stiffness in its constant matrix. Between nodes that turn by
an angle f against each other n is shorter by f^2 / 8. Stresses are those of axes along the surface
at rest; the normals carry the rotary inertia.
"""

from __future__ import annotations

import numpy as np

from supple.fem.base.material import Material
from supple.fem.beams.line import gauss
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_table import ElementTable, StrainPoint, Term
from supple.fem.shells.checks import checked_poisson
from supple.foundation.arrays import Array, Indices

# Powers of x and y of the twelve terms.
POWERS = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2), (3, 0), (2, 1), (1, 2), (0, 3), (3, 1), (1, 3))  # fmt: skip  # noqa: E501
CORNERS = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
MASS_POINTS = 4  # products of two quartics
MEMBRANE = (((0.5, 0, 0),), ((0.5, 1, 1),), ((1.0, 0, 1),))
VECTORS = 4  # of a node: r, r_x, r_y, n
BENDING_POINTS = 3
BENDING: tuple[tuple[Term, ...], ...] = tuple(
    ((factor, a, b),) for b in (3, 4, 5) for factor, a in ((-1.0, 0), (-1.0, 1), (-2.0, 2))
)
NORMAL: tuple[tuple[Term, ...], ...] = (((1.0, 0, 2),), ((1.0, 1, 2),), ((0.5, 2, 2),))
SHEAR = 5.0 / 6.0
# Elements that agree to so many digits are the same: gradients of a surface are differences.
SAME_DIGITS = 10


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


def shell_table(
    sizes: tuple[float, float],
    thickness: float,
    material: Material,
    rest: Array,
    time: float = 0.0,
    owner: str = "plate",
) -> ElementTable:
    """Table of a mapped rectangle with its sizes in x and y, and nodal vectors (16, 3) at rest.

    ``time`` (s) is the viscosity in units of the stiffness, of stretching and of bending.
    """
    from scipy import linalg

    h, rows = thickness, ShellRows(sizes)
    law = plane_law(material, checked_poisson(owner, material))
    points = []

    def add(x: float, y: float, weight: float, bending: bool) -> None:
        along = [rows.row(x, y, 1, 0), rows.row(x, y, 0, 1)]
        first, second = (row @ rest for row in along)
        turn, area = plane_turn(first, second)
        D = area * sizes[0] * sizes[1] * weight * h * (turn.T @ law @ turn)
        shown = along
        if bending:
            D = h**2 / 12.0 * D
            D = linalg.block_diag(D, np.kron(np.linalg.inv(_metric(first, second)), D))
            curved = [rows.row(x, y, *d) for d in ((2, 0), (0, 2), (1, 1))]
            shown = [*curved, rows.normal(x, y), *along]
        points.append(StrainPoint.of(shown, BENDING if bending else MEMBRANE, D, time * D))

    for x, v in gauss(2):
        for y, w in gauss(2):
            add(x, y, v * w, False)
    for x, v in gauss(BENDING_POINTS):
        for y, w in gauss(BENDING_POINTS):
            add(x, y, v * w, True)
    for k, (x, y) in enumerate(CORNERS):
        metric = _metric(rest[VECTORS * k + 1], rest[VECTORS * k + 2])
        share = 0.25 * sizes[0] * sizes[1] * float(np.sqrt(np.linalg.det(metric))) * h
        D = np.zeros((3, 3))
        D[:2, :2] = share * SHEAR * material.G * np.linalg.inv(metric)
        D[2, 2] = share * material.E
        shown = [rows.row(x, y, 1, 0), rows.row(x, y, 0, 1), rows.normal(x, y)]
        points.append(StrainPoint.of(shown, NORMAL, D, time * D))
    return ElementTable.of(4, points, rest, _mass(rows, material.density * h, h, rest))


def shell_mesh(
    sizes: tuple[float, float],
    elements: tuple[int, int],
    thickness: float,
    material: Material,
    rest: Array,
    time: float = 0.0,
    owner: str = "plate",
) -> ANCFMesh:
    """A mapped rectangle, divided into equal rectangles of its coordinates.

    ``rest`` (nodes, 4, 3) are nodal vectors in the order of `plate_mesh`; elements of one shape
    share a table.
    """
    n, m = elements
    own = sizes[0] / n, sizes[1] / m
    known: dict[bytes, ElementTable] = {}
    tables, cells = [], grid_cells(elements)
    unit = float(np.abs(rest[:, 0]).max()) or 1.0
    for cell in cells:
        vectors = rest[cell].reshape(-1, 3)
        shape = vectors.copy()
        shape[::VECTORS] = (shape[::VECTORS] - shape[0]) / unit
        products = shape @ shape.T
        key = (np.round(products / np.diag(products).max(), SAME_DIGITS) + 0.0).tobytes()
        if key not in known:
            known[key] = shell_table(own, thickness, material, vectors, time, owner)
        tables.append(known[key])
    return ANCFMesh.of(rest, cells, tables)


class ShellRows:
    """Rows (16,) of place and normal of an element with its sizes in x and y."""

    def __init__(self, sizes: tuple[float, float]) -> None:
        self.sizes, self._plate = sizes, PlateRows(sizes)

    def row(self, x: float, y: float, dx: int = 0, dy: int = 0) -> Array:
        """A derivative of the place at x, y in 0..1."""
        found = np.zeros((4, VECTORS))
        found[:, :3] = self._plate.row(x, y, dx, dy).reshape(4, 3)
        return found.ravel()

    def normal(self, x: float, y: float) -> Array:
        """The normal between those of the nodes."""
        found = np.zeros((4, VECTORS))
        found[:, 3] = [(1 - x) * (1 - y), x * (1 - y), x * y, (1 - x) * y]
        return found.ravel()


def plane_turn(first: Array, second: Array) -> tuple[Array, float]:
    """Matrix (3, 3) from strains xx, yy, 2 xy by coordinates to those along axes, and the area.

    ``first`` and ``second`` (3,) are the gradients of the surface at rest: the first axis is along
    the first of them. The area is that of a unit of the coordinates.
    """
    a = float(np.linalg.norm(first))
    b = float(first @ second) / a
    c = float(np.linalg.norm(np.cross(first, second))) / a
    # coordinates from lengths along the axes: dx = X, dy = Y
    X, Y = np.array([1.0 / a, 0.0]), np.array([-b / (a * c), 1.0 / c])
    rows = [
        [p[0] * q[0], p[1] * q[1], 0.5 * (p[0] * q[1] + p[1] * q[0])]
        for p, q in ((X, X), (Y, Y), (X, Y))
    ]
    turn = np.array(rows)
    turn[2] *= 2.0
    return turn, a * c


def _metric(first: Array, second: Array) -> Array:
    """Products (2, 2) of two gradients."""
    both = np.array([first, second])
    products: Array = both @ both.T
    return products


def _mass(rows: ShellRows, density: float, thickness: float, rest: Array) -> Array:
    """Mass matrix (16, 16); ``density`` is per area."""
    mass = np.zeros((4 * VECTORS, 4 * VECTORS))
    for x, v in gauss(MASS_POINTS):
        for y, w in gauss(MASS_POINTS):
            area = plane_turn(*(rows.row(x, y, *d) @ rest for d in ((1, 0), (0, 1))))[1]
            own = density * rows.sizes[0] * rows.sizes[1] * v * w * area
            place, normal = rows.row(x, y), rows.normal(x, y)
            mass += own * np.outer(place, place)
            mass += own * thickness**2 / 12.0 * np.outer(normal, normal)
    return mass
