"""Shells of flat triangles: bending by DKT, stretching by OPT, six coordinates for each node.

Each node has the displacements u, v, w along the axes x, y, z of the body and the rotations tx,
ty, tz about them. A triangle has axes of its own, e1 and e2 in its plane and e3 its normal; in
these its bending (`bending`) and its stretching (`membrane`) do not know of each other.
The material point at the height z over the middle surface moves by

    (u - z w,x,  v - z w,y,  w)

in the triangle's axes, which carries every rigid motion of small angle exactly. `plate` makes the
mesh of a rectangle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import sqrt
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.component import Nodal, describe_mesh
from supple.fem.base.material import Material
from supple.fem.shells import bending, checks, membrane
from supple.fem.shells.bending import shear_energies
from supple.fem.shells.points import ShellPoint, surface_height
from supple.fem.shells.stress import stress_matrices
from supple.fem.shells.triangles import FROM, MIDSIDES, TO, Triangles, mass_points
from supple.foundation import validate
from supple.foundation.arrays import Array, Booleans, Integers
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError

# Weights of a point add up to one within this.
WEIGHT_TOLERANCE = 1e-9
# A place farther from the shell than this part of the nearest triangle's longest side is not on it.
NEAR = 0.5
CENTRE = np.full(3, 1.0 / 3.0)
PATTERNS: tuple[Pattern, ...] = ("right", "left", "alternate", "centre", "mirror", "cross")


def find(
    mesh: ShellMesh, place: Any, triangle: Any, weights: Any, node: Any
) -> tuple[Integers, Array, Array]:
    """Triangles (m,), weights (m, 3) of their corners and shares (m,) that add up to one.

    Exactly one of place, triangle and node is given. A node belongs to all triangles around it, in
    proportion to their areas.
    """
    given = {"place": place, "triangle": triangle, "node": node}
    names = tuple(name for name, value in given.items() if value is not None)
    if len(names) != 1:
        raise ModelError(mesh.label, "point", names, "one of place, triangle and node")
    if node is not None:
        n = _index(mesh.label, "node", node, len(mesh.nodes))
        around, corner = np.nonzero(mesh.triangles == n)
        areas = mesh.shape.areas[around]
        return around, np.eye(3)[corner], areas / areas.sum()
    if place is not None:
        t, w = _nearest(mesh, place)
    else:
        t = _index(mesh.label, "triangle", triangle, len(mesh.triangles))
        w = _weights(mesh.label, weights)
    return np.array([t]), np.array([w]), np.ones(1)


def _nearest(mesh: ShellMesh, place: Any) -> tuple[int, Array]:
    where = validate.vector(mesh.label, "place", place)
    t, weights, away = mesh.shape.nearest(where)
    corners = mesh.shape.places[t]
    side = float(np.max(np.linalg.norm(corners[TO] - corners[FROM], axis=1)))
    if away > NEAR * side:
        expected = f"a place on the shell, whose nearest point is {away:.3g} m away"
        raise ModelError(mesh.label, "place", where, expected)
    return t, weights


def _weights(owner: str, value: Any) -> Array:
    expected = "3 numbers from 0 to 1 that add up to 1"
    weights = validate.vector(owner, "weights", value, 3, expected)
    if np.any(weights < -WEIGHT_TOLERANCE) or abs(weights.sum() - 1.0) > WEIGHT_TOLERANCE:
        raise ModelError(owner, "weights", weights, expected)
    return weights


def _index(owner: str, field: str, value: Any, count: int) -> int:
    expected = f"a number from 0 to {count - 1}"
    found = validate.integer(owner, field, value, 0, expected)
    if found >= count:
        raise ModelError(owner, field, found, expected)
    return found


@dataclass(eq=False, init=False, repr=False)
class ShellMesh(Nodal):
    """A thin shell or plate of one isotropic material.

    Parameters
    ----------
    nodes : (N, 3) m
        Places in the axes of the body.
    triangles : (t, 3)
        Node numbers from 0. Their order gives the normal by the right-hand rule: it points to the
        top of the shell.
    thickness : m, or (t,) m
        One for all triangles or one for each.
    material : Material
        Isotropic: Poisson's ratio is ``E / (2 G) - 1``.
    rotary_inertia : bool
        Whether the mass is spread over the thickness or lies in the middle surface.
    name : str, optional
        For messages only.
    """

    nodes: Array
    triangles: Integers
    thickness: float | Array
    material: Material
    rotary_inertia: bool
    name: str
    poisson: float = field(init=False)
    label: str = field(init=False)
    node_size: ClassVar[int] = 6

    def __repr__(self) -> str:
        """Show the size of the mesh; its arrays would hide it."""
        return describe_mesh(self, self.label, f"{len(self.triangles)} triangles")

    def __init__(
        self,
        nodes: ArrayLike,
        triangles: ArrayLike,
        thickness: float | ArrayLike,
        material: Material,
        *,
        rotary_inertia: bool = True,
        name: str = "",
    ) -> None:
        if not isinstance(name, str):
            raise ModelError("ShellMesh", "name", name, "a text")
        validate.written("ShellMesh", "name", name)
        self.name = name
        self.label = owner = f"ShellMesh {name!r}" if name else "ShellMesh"
        self.nodes = checks.checked_nodes(owner, nodes)
        self.triangles = checks.checked_triangles(owner, triangles, self.nodes)
        self.thickness = checks.checked_thickness(owner, thickness, len(self.triangles))
        self.poisson = checks.checked_poisson(owner, material)
        self.material = material
        if not isinstance(rotary_inertia, bool):
            raise ModelError(owner, "rotary_inertia", rotary_inertia, "True or False")
        self.rotary_inertia = rotary_inertia
        checks.warn_of_units(owner, self.length, self.thicknesses, material)
        checks.warn_of_flips(owner, self.triangles)

    @cached_property
    def thicknesses(self) -> Array:
        """Thickness (t,) of each triangle, m."""
        return np.broadcast_to(self.thickness, len(self.triangles))

    @cached_property
    def shape(self) -> Triangles:
        """The triangles with their axes and areas."""
        return Triangles.of(self.nodes, self.triangles)

    @cached_property
    def law(self) -> Array:
        """Matrix (3, 3) from plane strains e_xx, e_yy, 2 e_xy to stresses, Pa."""
        nu = self.poisson
        law = np.array([[1.0, nu, 0.0], [nu, 1.0, 0.0], [0.0, 0.0, 0.5 * (1.0 - nu)]])
        return self.material.E / (1.0 - nu**2) * law

    @cached_property
    def stiffness_matrix(self) -> Any:
        """Stiffness matrix (size, size), a sparse csc array."""
        stretch, bend = self.thicknesses, self.thicknesses**3 / 12.0
        blocks = np.zeros((len(self.triangles), 18, 18))
        for weights in MIDSIDES:
            for factor, rows in (
                (stretch, membrane.strains(self.shape, weights, self.poisson)),
                (bend, bending.curvatures(self.shape, weights)),
            ):
                rows = self.shape.to_body(rows)
                part = factor * self.shape.areas / len(MIDSIDES)
                blocks += part[:, None, None] * (rows.transpose(0, 2, 1) @ (self.law @ rows))
        return self._assemble(blocks)

    @cached_property
    def mass_matrix(self) -> Any:
        """Consistent mass matrix (size, size), a sparse csc array."""
        blocks = np.zeros((len(self.triangles), 18, 18))
        for mass, _, rows in self._layers():
            blocks += mass[:, None, None] * (rows.transpose(0, 2, 1) @ rows)
        return self._assemble(blocks)

    def geometric_stiffness(self, displacement: ArrayLike) -> Any:
        """Geometric stiffness (size, size) of the membrane forces of a linear state.

        ``displacement`` (size,) are the nodal coordinates of that state. The energy of its
        membrane forces on the quadratic strain of a further displacement u is
        ``u @ K_G @ u / 2``: tension stiffens.
        """
        expected = f"{self.size} finite numbers, one for each nodal coordinate"
        q = validate.vector(self.label, "displacement", displacement, self.size, expected)
        local, law = q[self.coordinates], self.thicknesses[:, None, None] * self.law
        corners = [membrane.strains(self.shape, w, self.poisson) for w in np.eye(3)]
        forces = [
            np.einsum("tkm,tmn,tn->tk", law, self.shape.to_body(rows), local) for rows in corners
        ]
        return self._assemble(stress_matrices(self.shape, np.stack(forces, axis=1)))

    def material_points(self, basis: ArrayLike) -> tuple[Array, Array, Array]:
        """Body as finitely many mass points, for displacements ``basis @ q`` with basis (size, n).

        Returns mass (k,), place (k, 3) and shape (k, 3, n): a point is at ``place + shape @ q``.
        Sums over the points equal the integrals over the body of everything that is at most
        quadratic in place and displacement.
        """
        local = np.asarray(basis, dtype=np.float64)[self.coordinates]  # (t, 18, n)
        layers = [(mass, place, rows @ local) for mass, place, rows in self._layers()]
        masses, places, shapes = zip(*layers, strict=True)
        return np.concatenate(masses), np.concatenate(places), np.concatenate(shapes)

    def body_loads(self) -> Array:
        """Nodal forces (size, 12) of the body forces rho e_d and rho x_i e_d."""
        own = np.zeros((len(self.triangles), 18, 12))
        for mass, place, rows in self._layers():
            weighted = mass[:, None, None] * rows.transpose(0, 2, 1)  # (t, 18, 3)
            own[:, :, :3] += weighted
            moments = place[:, None, :, None] * weighted[:, :, None]
            own[:, :, 3:] += moments.reshape(len(own), 18, 9)
        loads = np.zeros((self.size, 12))
        np.add.at(loads, self.coordinates, own)
        return loads

    def at(
        self,
        place: ArrayLike | None = None,
        *,
        triangle: int | None = None,
        weights: Sequence[float] = (1 / 3, 1 / 3, 1 / 3),
        node: int | None = None,
    ) -> ShellPoint:
        """Point of the shell, whose displacements, strains and stresses are rows for ``q``.

        Either the point of the middle surface nearest to a place (3,) in m; or a triangle and the
        weights of its corners (its centre if none are given); or a node, where strains are the
        mean over the triangles around it, by area.
        """
        return ShellPoint(self, *find(self, place, triangle, weights, node))

    def strains(self, q: ArrayLike, surface: str = "middle") -> Array:
        """Strains (t, 3) e_xx, e_yy, 2 e_xy in the centres of all triangles, in their axes.

        ``q`` (size,) are the nodal coordinates, ``surface`` is "top", "middle" or "bottom".
        """
        height = surface_height(surface) * self.thicknesses
        rows = membrane.strains(self.shape, CENTRE, self.poisson)
        rows = rows + height[:, None, None] * bending.curvatures(self.shape, CENTRE)
        local = np.asarray(q, dtype=np.float64)[self.coordinates]
        return np.asarray(np.einsum("tkn,tn->tk", self.shape.to_body(rows), local))

    def stresses(self, q: ArrayLike, surface: str = "middle") -> Array:
        """Stresses (t, 3) s_xx, s_yy, s_xy in Pa, where `strains` gives the strains."""
        return self.strains(q, surface) @ self.law

    def shear_energies(self, displacements: ArrayLike) -> Array:
        """Energies (k,) of shear across the thickness, J, which are left out here.

        ``displacements`` (k, size) are nodal coordinates.
        """
        return shear_energies(self, np.asarray(displacements, dtype=np.float64))

    @cached_property
    def coordinates(self) -> Integers:
        """Places (t, 18) of the corner coordinates of each triangle among all."""
        found = 6 * self.triangles[:, :, None] + np.arange(6)
        return found.reshape(len(self.triangles), 18)

    def _layers(self) -> Iterator[tuple[Array, Array, Array]]:
        """Mass (t,), place (t, 3), rows (t, 3, 18) of one mass point in every triangle, in turn."""
        shares, places = mass_points()
        # Two points with the second moment of a uniform thickness: its displacement is linear.
        heights = np.array([-0.5, 0.5]) / sqrt(3.0) if self.rotary_inertia else np.zeros(1)
        whole = self.material.density * self.thicknesses * self.shape.areas / len(heights)
        axes = self.shape.axes
        for share, weights in zip(shares, places, strict=True):
            middle = membrane.displacements(self.shape, weights)
            slopes = bending.slopes(self.shape, weights)
            normal = bending.deflection(self.shape, weights)[:, None]
            for height in heights:
                z = height * self.thicknesses
                rows = np.concatenate([middle - z[:, None, None] * slopes, normal], axis=1)
                rows = axes.transpose(0, 2, 1) @ self.shape.to_body(rows)
                place = np.einsum("i,tij->tj", weights, self.shape.places) + z[:, None] * axes[:, 2]
                yield share * whole, place, rows

    def _assemble(self, blocks: Array) -> Any:
        """Sum of the matrices (t, 18, 18) of all triangles, symmetric to the last bit."""
        from scipy.sparse import coo_array

        rows = np.broadcast_to(self.coordinates[:, :, None], blocks.shape)
        columns = np.broadcast_to(self.coordinates[:, None, :], blocks.shape)
        entries = (blocks.ravel(), (rows.ravel(), columns.ravel()))
        matrix = coo_array(entries, shape=(self.size, self.size)).tocsc()
        return (0.5 * (matrix + matrix.T)).tocsc()


Pattern = Literal["right", "left", "alternate", "centre", "mirror", "cross"]


def plate(
    size_x: float,
    size_y: float,
    nx: int,
    ny: int,
    *,
    thickness: Any,
    material: Material,
    pattern: Pattern = "alternate",
    rotary_inertia: bool = True,
    name: str = "",
) -> ShellMesh:
    """Plate in the plane z = 0, from the origin to (size_x, size_y), top towards +z.

    Parameters
    ----------
    size_x, size_y : m
    nx, ny : int
        Cells along x and y; each is cut into two triangles, by "cross" into four.
    thickness : m, or one for each triangle
    material : Material
    pattern : str
        Diagonals of the cells: "right" all rise along x (/), "left" all fall, "alternate" change
        from cell to cell, "centre" all point to the centre of the plate, "mirror" rise below the
        middle line y = size_y / 2 and fall above it; "cross" cuts by both diagonals.
    rotary_inertia, name
        As in `ShellMesh`.

    Node ``i + (nx + 1) j`` is at (size_x i / nx, size_y j / ny); the centres of "cross" follow.
    """
    from supple.fem.base.mesh_check import MOST_ELEMENTS, owner_label

    owner = owner_label("plate", name)
    lengths = validate.positive(owner, "size_x", size_x), validate.positive(owner, "size_y", size_y)
    expected = "a whole number of cells, 1 or more"
    counts = [validate.integer(owner, n, v, 1, expected) for n, v in (("nx", nx), ("ny", ny))]
    if math.prod(counts) > MOST_ELEMENTS:
        raise ModelError(owner, "nx * ny", math.prod(counts), f"at most {MOST_ELEMENTS} cells")
    validate.choice(owner, "pattern", pattern, PATTERNS)
    x, y = (np.linspace(0.0, size, n + 1) for size, n in zip(lengths, counts, strict=True))
    grid = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    i, j = (c.ravel() for c in np.meshgrid(*(np.arange(n) for n in counts)))
    first = i + (counts[0] + 1) * j
    # Corners of the cells, counterclockwise from below left.
    cells = np.stack([first, first + 1, first + counts[0] + 2, first + counts[0] + 1], axis=1)
    if pattern == "cross":
        middles = len(grid) + np.arange(len(cells))
        grid = np.concatenate([grid, grid[cells].mean(axis=1)])
        triangles = np.concatenate(
            [np.stack([cells[:, k], cells[:, (k + 1) % 4], middles], axis=1) for k in range(4)]
        )
        order = np.arange(4 * len(cells)).reshape(4, -1).T.ravel()  # the four of a cell together
        triangles = triangles[order]
    else:
        triangles = _halves(cells, _rises(pattern, i, j, *counts))
    nodes = np.column_stack([grid, np.zeros(len(grid))])
    return ShellMesh(
        nodes, triangles, thickness, material, rotary_inertia=rotary_inertia, name=name
    )


def _rises(pattern: Pattern, i: Integers, j: Integers, nx: int, ny: int) -> Booleans:
    """True if the diagonal of the cell i, j rises along x."""
    left, below = 2 * i + 1 <= nx, 2 * j + 1 <= ny
    rises: dict[str, Booleans] = {
        "right": i >= 0,
        "left": i < 0,
        "alternate": (i + j) % 2 == 0,
        "centre": left == below,
        "mirror": below,
    }
    return rises[pattern]


def _halves(cells: Integers, rises: Booleans) -> Integers:
    """Two triangles (2 n, 3) of each cell (n, 4), cut along its rising or falling diagonal."""
    rising, falling = cells[:, [0, 1, 2, 0, 2, 3]], cells[:, [0, 1, 3, 1, 2, 3]]
    return np.where(rises[:, None], rising, falling).reshape(-1, 3)
