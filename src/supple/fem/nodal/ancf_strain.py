"""Strain of plates and solids over nodal vectors, at the corners of elements and at their nodes.

Plates have six components: membrane strains xx, yy, 2 xy and curvatures xx, yy, 2 xy, so that the
strain at the height z is ``e + z k``; solids Green's strains xx, yy, zz, xy, xz, yz with shear
angles. Components are along axes of the material: of a plate those of its nodes at rest, of a solid
those of the body. Small strains in these axes are those that a gauge on the body measures, however
far it has turned.

Elements disagree about the strain of their common nodes. The mean is better than each of them, and
the energy of the differences, in parts of the energy of all, estimates the error of the mesh
(O. C. Zienkiewicz and J. Z. Zhu, International Journal for Numerical Methods in Engineering 24
(1987) 337-357): of a deflection under its own load it is the relative error. On square plates the
deflection errs by 5 to 10 times as much, since elements of plates do not join smoothly where they
bend, and thin solids by 2 to 3 times; the estimate is taken so many times.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from supple.fem.base.material import Material
from supple.fem.beams.line import gauss
from supple.fem.drawn.boundary import face_points
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_plate import CORNERS, PlateRows, grid_cells, plane_law, plane_turn
from supple.fem.recovery.stress_points import plane_tensor, solid_tensor, von_mises
from supple.fem.shells.bending import REISSNER
from supple.fem.shells.points import SURFACES, plane_von_mises
from supple.fem.solids.matrices import stress_tensors
from supple.foundation.arrays import Array, Booleans, Indices
from supple.foundation.cached import cached_property
from supple.foundation.validate import read_only

if TYPE_CHECKING:
    from scipy import sparse

    from supple.fem.nodal.ancf_solid import SolidVectors
    from supple.fem.solids.solid import SolidMesh


SECOND = ((2, 0), (0, 2), (1, 1))  # derivatives r_xx, r_yy, r_xy
STRAIN_ROUNDING = 1e-12
SOLID, MEMBRANE, BENDING = 2.0, 2.0, 6.0  # errors in units of the estimate
LINEAR_SOLID = 1.0  # the same of linear elements, most of whose energy is wrong where they lock


class StrainField:
    """Strains of a body as functions of its nodal vectors."""

    cells: Indices  # (e, k) nodes of each element
    # (6, 6) energy of the strains, per area of plates (N/m, N m), of solids per volume (Pa)
    law: Array
    factors: Array  # (6, 6) how much larger the errors are than the estimate, as a rule
    sizes: Array  # (e,) areas m2 or volumes m3
    count: int  # number of nodes
    node_rows: sparse.csr_array  # (nodes, n) sparse rows of the places of nodes from nodal vectors
    # rows (s, 6) from strains at a node to those on a side of the body, by its name
    sides: Mapping[str, Array]
    stress_law: Array  # (s, s) from strains on a side to stresses, Pa

    def places(self, e: Array) -> Array:
        """Places (nt, nodes, 3) m from nodal vectors (nt, n, 3)."""
        return np.array([self.node_rows @ x for x in e])

    @abstractmethod
    def at_corners(self, e: Array) -> Array:
        """Strains (nt, elements, k, 6) from nodal vectors (nt, n, 3)."""

    @abstractmethod
    def von_mises(self, stress: Array) -> Array:
        """Equivalent stress (...) of stresses (..., s), Pa."""

    @abstractmethod
    def apart(self, strain: Array) -> Array:
        """Values (..., c) from strains (..., 6) at nodes, see `fem.drawn.surface.Surface`: Pa."""

    @abstractmethod
    def tensors(self, strain: Array) -> Array:
        """Tensors (..., d, d) of strains (..., s) on a side."""

    @cached_property
    def _mean(self) -> sparse.csr_array:
        """Means (nodes, e k) of values at the corners of elements."""
        from scipy import sparse

        at = self.cells.ravel()
        share = 1.0 / np.bincount(at, minlength=self.count)[at]
        places = (at, np.arange(len(at)))
        return sparse.csr_array((share, places), (self.count, len(at)))

    def mean(self, corners: Array) -> Array:
        """Values (nt, nodes, 6) at the nodes, means of those of the elements (nt, e, k, 6)."""
        flat = corners.reshape(len(corners), self.cells.size, -1)
        return np.array([self._mean @ values for values in flat])

    def at_nodes(self, e: Array) -> Array:
        """Strains (nt, nodes, 6) from nodal vectors (nt, n, 3)."""
        return self.mean(self.at_corners(e))

    def stress(self, strain: Array, side: str) -> Array:
        """Stresses (..., s) on a side from strains (..., 6) at nodes, Pa."""
        found: Array = strain @ (self.stress_law @ self.sides[side]).T
        return found

    def largest_von_mises(self, strain: Array) -> Array:
        """Equivalent stress (...) from strains (..., 6) at nodes, the largest of all sides, Pa."""
        every = [self.von_mises(self.stress(strain, side)) for side in self.sides]
        return np.asarray(np.max(every, axis=0))

    def principal(self, strain: Array) -> Array:
        """Largest principal strains (...), either sign, of strains (..., 6) on all sides."""
        every = [
            np.abs(np.linalg.eigvalsh(self.tensors(strain @ rows.T))).max(axis=-1)
            for rows in self.sides.values()
        ]
        return np.asarray(np.max(every, axis=0))

    def energies(self, corners: Array, nodes: Array) -> tuple[Array, Array]:
        """Energies (nt,) J that the mesh misses by an estimate, and that it has.

        From strains (nt, e, k, 6) of elements and their means (nt, nodes, 6).
        """
        apart = corners - nodes[:, self.cells]
        return self._energy(apart, self.factors * self.law), self._energy(corners, self.law)

    def surface_energy(self, corners: Array, free: Booleans) -> Array:
        """Energies (nt,) J of stresses that act on outer faces where nothing does.

        From strains (nt, e, k, 6) of elements; ``free`` (nodes,) says where nothing is attached.
        """
        return np.zeros(len(corners))

    def shear_energy(self, nodes: Array) -> Array:
        """Energies (nt,) J of shear that is left out, from strains (nt, nodes, 6) at nodes."""
        return np.zeros(len(nodes))

    @property
    def least_energy(self) -> float:
        """Energy (J) of strains that are rounding."""
        stiffest = float(np.diag(self.law)[:3].max())
        return 0.5 * STRAIN_ROUNDING**2 * stiffest * float(self.sizes.sum())

    def _energy(self, corners: Array, law: Array) -> Array:
        """Energies (nt,) J of strains (nt, e, k, 6) at corners."""
        share = 0.5 * self.sizes / corners.shape[2]
        return np.asarray(
            np.einsum("teki,ij,tekj,e->t", corners, law, corners, share, optimize=True)
        )

    def along(self, corners: Array, axis: int) -> Array:
        """Energies (nt,) J of normal strains along x or y with the moments that they belong to.

        The moment of a direction in which a plate bends freely vanishes, its curvature does not.
        """
        own = np.linalg.inv(self.law)[np.ix_([axis, 3 + axis], [axis, 3 + axis])]
        loads = np.einsum("teki,ij->tekj", corners, self.law)[..., [axis, 3 + axis]]
        share = 0.5 * self.sizes / corners.shape[2]
        return np.asarray(np.einsum("teki,ij,tekj,e->t", loads, own, loads, share, optimize=True))


class PlateField(StrainField):
    """Strains of a plate or shell; curvatures are at corners, membrane strains come from 2 x 2."""

    def __init__(
        self,
        mesh: ANCFMesh,
        sizes: tuple[float, float],
        elements: tuple[int, int],
        thickness: float,
        material: Material,
        poisson: float,
    ) -> None:
        from scipy import linalg, sparse

        self.cells, self.count = grid_cells(elements), len(mesh.rest)
        self.stress_law = plane_law(material, poisson)
        self.law = linalg.block_diag(
            thickness * self.stress_law, thickness**3 / 12.0 * self.stress_law
        )
        self.factors = np.full((6, 6), MEMBRANE)
        self.factors[3:, 3:] = BENDING
        self.sides = {
            side: np.hstack([np.eye(3), height * thickness * np.eye(3)])
            for side, height in SURFACES.items()
        }
        rows = PlateRows((sizes[0] / elements[0], sizes[1] / elements[1]))
        points = [(x, y) for x, _ in gauss(2) for y, _ in gauss(2)]
        self._slopes = np.array([[rows.row(*p, 1, 0), rows.row(*p, 0, 1)] for p in points])
        self._second = np.array([[rows.row(*p, *d) for d in SECOND] for p in CORNERS])
        inner = np.array([_bilinear(x, y) for x, y in points])
        self._outwards = np.array([_bilinear(x, y) for x, y in CORNERS]) @ np.linalg.inv(inner)
        self._vectors = mesh.node_vectors
        every = np.arange(self.count)
        shape = (self.count, self.count * self._vectors)
        self.node_rows = sparse.csr_array(
            (np.ones(self.count), (every, every * self._vectors)), shape
        )
        flat = mesh.rest.reshape(1, -1, 3)
        own = self._own(flat)[0]
        turns = [[plane_turn(*cell[k + 1 : k + 3]) for k in range(0, 12, 3)] for cell in own]
        self._turn = np.array([[turn for turn, _ in four] for four in turns])
        self.sizes = read_only(
            np.prod(rows.sizes) * np.array([np.mean([area for _, area in four]) for four in turns])
        )
        self._rest = self._measures(flat)
        self._gradients = _centre_gradients(own[:, ::3])
        self._shear = REISSNER * material.G * thickness

    def shear_energy(self, nodes: Array) -> Array:
        """Energies (nt,) J of shear across the thickness, from the balance of moments.

        See `supple.fem.shells.bending`, which has the same for triangles.
        """
        moments = (nodes @ self.law)[:, self.cells, 3:]  # xx, yy, xy
        slope = np.einsum("ekj,teki->teij", self._gradients, moments)
        along, across = slope[..., 0, 0] + slope[..., 2, 1], slope[..., 2, 0] + slope[..., 1, 1]
        return np.asarray(((along**2 + across**2) @ self.sizes) / (2.0 * self._shear))

    def at_corners(self, e: Array) -> Array:
        """Strains (nt, elements, 4, 6) from nodal vectors (nt, n, 3)."""
        changed = (self._measures(e) - self._rest) * np.repeat([0.5, -1.0], 3)
        changed[..., 2] *= 2.0
        changed[..., 5] *= 2.0
        halves = changed.reshape(*changed.shape[:-1], 2, 3)
        found = np.einsum("ekij,teksj->teksi", self._turn, halves)
        strains: Array = found.reshape(changed.shape)
        return strains

    def von_mises(self, stress: Array) -> Array:
        """Equivalent stress (...) of plane stresses (..., 3), Pa."""
        return plane_von_mises(stress)

    def apart(self, strain: Array) -> Array:
        """Six values of the top, then six of the bottom, whose norms are von Mises' stress."""
        found = np.zeros((*strain.shape[:-1], 12))
        for first, side in ((0, "top"), (6, "bottom")):
            s = self.stress(strain, side)
            found[..., first] = s[..., 0] - 0.5 * s[..., 1]
            found[..., first + 1] = np.sqrt(0.75) * s[..., 1]
            found[..., first + 2] = np.sqrt(3.0) * s[..., 2]
        return found

    def tensors(self, strain: Array) -> Array:
        """Tensors (..., 2, 2) of strains (..., 3)."""
        return plane_tensor(strain)

    def _own(self, e: Array) -> Array:
        """Places and gradients (nt, elements, 12, 3) of each element."""
        nodes = e.reshape(len(e), self.count, self._vectors, 3)[:, :, :3]
        found: Array = nodes[:, self.cells].reshape(len(e), len(self.cells), 12, 3)
        return found

    def _measures(self, e: Array) -> Array:
        """Products r_a . r_b and curvatures r_ab . n (nt, elements, 4, 6) at the corners."""
        own = self._own(e)
        r = np.einsum("pak,tekx->tepax", self._slopes, own, optimize=True)
        x, y = r[..., 0, :], r[..., 1, :]
        products = np.stack([(x * x).sum(-1), (y * y).sum(-1), (x * y).sum(-1)], axis=-1)
        corners = np.einsum("kp,tepi->teki", self._outwards, products)
        normal = np.cross(own[:, :, 1::3], own[:, :, 2::3])
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        second = np.einsum("cdk,tekx->tecdx", self._second, own, optimize=True)
        bent = np.einsum("tecdx,tecx->tecd", second, normal)
        return np.concatenate([corners, bent], axis=-1)


class SolidField(StrainField):
    """Green's strains of a solid at the nodes of its elements."""

    def __init__(self, solid: SolidMesh, vectors: SolidVectors) -> None:
        from supple.fem.base.solid_kinds import KINDS, rule, shapes
        from supple.fem.solids.geometry import slopes_in_space

        kind = KINDS[solid.kind]
        self.cells, self.count = np.asarray(solid.cells), len(solid.nodes)
        self.law = self.stress_law = np.asarray(solid.law)
        self.factors = np.full((6, 6), LINEAR_SOLID if kind.degree == 1 else SOLID)
        self.sides = {"": np.eye(6)}
        corners = solid.nodes[solid.cells]
        self._slopes = slopes_in_space(shapes(solid.kind, kind.places)[1], corners)[1]
        at, weights = rule(kind.simplex, kind.stiffness_degree)
        volumes = slopes_in_space(shapes(solid.kind, at)[1], corners)[0]
        self.sizes = read_only(volumes @ weights)
        self.node_rows = vectors.nodes
        self._faces = face_points(solid.kind, self.cells, solid.nodes)
        self._moduli = solid.material.E, solid.material.G

    def at_corners(self, e: Array) -> Array:
        """Strains (nt, elements, k, 6) from nodal vectors (nt, n, 3)."""
        moved = self.places(e)[:, self.cells]
        F = np.einsum("eqna,tenx->teqax", self._slopes, moved, optimize=True)
        pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        found = [(F[..., a, :] * F[..., b, :]).sum(axis=-1) for a, b in pairs]
        return np.stack([*(0.5 * (x - 1.0) for x in found[:3]), *found[3:]], axis=-1)

    def surface_energy(self, corners: Array, free: Booleans) -> Array:
        """Energies (nt,) J of stresses that act on outer faces where nothing does."""
        cell, local, normal = self._faces
        at = np.flatnonzero(free[self.cells[cell, local]])
        cell, local, normal = cell[at], local[at], normal[at]
        stress = stress_tensors(self.stress(corners[:, cell, local], ""))
        traction = np.einsum("tpij,pj->tpi", stress, normal)
        along = np.einsum("tpi,pi->tp", traction, normal) ** 2
        across = (traction**2).sum(axis=-1) - along
        share = 0.5 * self.sizes[cell] / self.cells.shape[1]
        found: Array = (along / self._moduli[0] + across / self._moduli[1]) @ share
        return found

    def von_mises(self, stress: Array) -> Array:
        """Equivalent stress (...) of stresses (..., 6), Pa."""
        return von_mises(stress)

    def apart(self, strain: Array) -> Array:
        """Six values whose norm is the stress of von Mises."""
        s = self.stress(strain, "")
        normal = np.sqrt(0.5) * (s[..., :3] - np.roll(s[..., :3], -1, axis=-1))
        return np.concatenate([normal, np.sqrt(3.0) * s[..., 3:]], axis=-1)

    def tensors(self, strain: Array) -> Array:
        """Tensors (..., 3, 3) of strains (..., 6)."""
        return solid_tensor(strain)


def _centre_gradients(places: Array) -> Array:
    """Gradients (e, 4, 2) 1/m of bilinear fields in the middle of cells (e, 4, 3).

    They are along the axes of each cell: x from its first side to the opposite one.
    """
    signs = np.array([[2.0 * x - 1.0, 2.0 * y - 1.0] for x, y in CORNERS]) / 2.0  # by x and y
    tangents = np.einsum("kj,ekx->ejx", signs, places)
    e1 = tangents[:, 0] / np.linalg.norm(tangents[:, 0], axis=1, keepdims=True)
    rest = tangents[:, 1] - (tangents[:, 1] * e1).sum(axis=1, keepdims=True) * e1
    e2 = rest / np.linalg.norm(rest, axis=1, keepdims=True)
    plane = np.einsum("ejx,aex->eja", tangents, np.stack([e1, e2]))  # (e, by x and y, axis)
    return np.asarray(np.einsum("kj,eaj->eka", signs, np.linalg.inv(plane)))


def _bilinear(x: float, y: float) -> list[float]:
    return [1.0, x, y, x * y]
