"""Frame structures: beams in space that share nodes, as one finite-element component.

Nodes have six coordinates: displacements u, v, w and rotations tx, ty, tz, along the axes of the
body. The named nodes come first, then those that divide the members.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from supple.fem.base.component import Nodal, describe_mesh
from supple.fem.base.material import Material
from supple.fem.beams.beam import Factors
from supple.fem.beams.element import BeamElement, arm_stiffness, element_geometric_stiffness
from supple.fem.beams.line import BeamLine
from supple.fem.beams.member import Member, Node
from supple.fem.sections.sections import CrossSection
from supple.foundation.arrays import Array, Indices
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError


class Piece(NamedTuple):
    """An element in its place."""

    element: BeamElement
    material: Material
    origin: Array  # (3,) m, its first end
    axes: Array  # (3, 3), maps its axes to those of the body
    nodes: tuple[int, int]  # its two nodes
    turn: Array  # (12, 12), its end coordinates from those of the nodes
    arms: Array  # (2, 3) m, from its nodes to its ends, in the axes of the body

    @property
    def columns(self) -> Indices:
        """Places (12,) of the coordinates of its nodes."""
        return np.concatenate([6 * n + np.arange(6) for n in self.nodes])


@dataclass(frozen=True, eq=False)
class FrameMesh(Nodal):
    """A structure of members.

    Parameters
    ----------
    names : names of the nodes that members connect; numbers if they have none
    places : (len(names), 3) m
    members : Members
    point_masses : ((number of a node, mass kg), ...)
    """

    names: tuple[Node, ...]
    places: Array
    members: tuple[Member, ...]
    point_masses: tuple[tuple[int, float], ...] = ()

    def __repr__(self) -> str:
        """Show the size of the structure; its arrays would hide it."""
        return describe_mesh(self, "", f"{len(self.members)} members")

    node_size = 6

    @cached_property
    def nodes(self) -> Array:
        """Places (nodes, 3) of all nodes, m: the named ones, then the inner ones of each member."""
        inner = [np.linspace(*self.ends(m), m.elements + 1)[1:-1] for m in self.members]
        return np.concatenate([self.places, *inner])

    @cached_property
    def stiffness_matrix(self) -> Any:
        """Stiffness matrix (size, size), sparse."""
        return self.viscous_matrix(lambda E, G: (1.0, 1.0))

    def viscous_matrix(self, factors: Factors) -> Any:
        """Sparse stiffness (size, size), its parts of E and G multiplied by factors of E and G."""
        blocks = []
        for p in self.pieces:
            E, G = factors(p.material.E, p.material.G)
            with_E, with_G = p.element.stiffness_parts
            blocks.append(p.turn.T @ (E * with_E + G * with_G) @ p.turn)
        return self._assembled(blocks)

    def geometric_stiffness(self, displacement: Array) -> Any:
        """Sparse matrix (size, size) of the linear stress under nodal coordinates (size,).

        Half its quadratic form in a further displacement is the work of that stress on strains of
        second order: tension stiffens.
        """
        blocks = []
        for p in self.pieces:
            ends = p.turn @ displacement[p.columns]
            block = p.turn.T @ element_geometric_stiffness(p.element, ends) @ p.turn
            forces = p.element.stiffness @ ends
            for k, arm in enumerate(p.arms):
                if arm.any():
                    own = slice(6 * k + 3, 6 * k + 6)
                    block[own, own] += arm_stiffness(p.axes @ forces[6 * k : 6 * k + 3], arm)
            blocks.append(block)
        return self._assembled(blocks)

    @cached_property
    def mass_matrix(self) -> Any:
        """Consistent mass matrix (size, size), sparse, point masses included."""
        from scipy.sparse import diags_array

        blocks = []
        for p in self.pieces:
            mass, _, shape = p.element.points
            rows = (np.sqrt(mass)[:, None, None] * shape).reshape(-1, 12) @ p.turn
            blocks.append(rows.T @ rows)
        points = np.zeros((len(self.nodes), 6))
        for node, m in self.point_masses:
            points[node, :3] += m
        return (self._assembled(blocks) + diags_array(points.ravel())).tocsc()

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Mass (k,), place (k, 3), shape (k, 3, n) for displacements ``basis @ q``.

        Sums over the points equal the integrals of everything that is at most quadratic in place
        and displacement.
        """
        masses, places, shapes = [], [], []
        for p in self.pieces:
            mass, place, shape = p.element.points
            masses.append(mass)
            places.append(p.origin + place @ p.axes.T)
            moved = shape @ (p.turn @ basis[p.columns])
            shapes.append(np.einsum("ij,kja->kia", p.axes, moved))
        for node, m in self.point_masses:
            masses.append(np.array([m]))
            places.append(self.nodes[None, node])
            shapes.append(basis[None, 6 * node : 6 * node + 3])
        return np.concatenate(masses), np.concatenate(places), np.concatenate(shapes)

    def section_turns(self, basis: Array) -> tuple[Array, Array]:
        """Places (k, 3) in their sections of the material points, rotations (k, 3, n) of these."""
        offsets, turns = [], []
        for p in self.pieces:
            place = p.element.points[1]
            offsets.append(place * [0.0, 1.0, 1.0] @ p.axes.T)
            turned = np.array([p.element.values(xi)[3:] for xi in place[:, 0] / p.element.length])
            turns.append(np.einsum("ij,kja->kia", p.axes, turned @ (p.turn @ basis[p.columns])))
        for node, _ in self.point_masses:
            offsets.append(np.zeros((1, 3)))
            turns.append(basis[None, 6 * node + 3 : 6 * node + 6])
        return np.concatenate(offsets), np.concatenate(turns)

    def motion(self, member: int, s: float) -> Array:
        """Rows (6, size) of displacement and rotation at the place s in 0..1 of a member."""
        piece, xi = self._piece(member, s)
        rows = np.zeros((6, self.size))
        own = piece.element.values(xi) @ piece.turn
        rows[:, piece.columns] = np.kron(np.eye(2), piece.axes) @ own
        return rows

    def strain(self, member: int, s: float) -> Array:
        """Rows (6, size) of the strains at the place s in 0..1 of a member, in its own axes.

        They are u', the curvatures tz' and -ty', the rate of twist, and the shear strains v' - tz
        and w' + ty. The strain along the axis at a point (y, z) of the section is the first less y
        times the second less z times the third.
        """
        piece, xi = self._piece(member, s)
        rows = np.zeros((6, self.size))
        rows[:, piece.columns] = piece.element.strain(xi) @ piece.turn
        return rows

    def stress(self, member: int, s: float, y: float, z: float) -> Array:
        """Row (size,) of the stress along the axis (Pa) at a point (y, z) of a member's section."""
        e, about_z, about_y = self.strain(member, s)[:3]
        return np.asarray(self.members[member].material.E * (e - y * about_z - z * about_y))

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """All elements, member by member."""
        found: list[Piece] = []
        following = len(self.names)
        for m in self.members:
            first, last = self.ends(m)
            axes, n = m.axes(last - first), m.elements
            line = BeamLine(
                section=m.section,
                material=m.material,
                length=float(np.linalg.norm(last - first)),
                theory=m.theory,
                rotary_inertia=m.rotary_inertia,
            )
            inner = range(following, following := following + n - 1)
            chain = [self.number(m.start), *inner, self.number(m.end)]
            element = None
            for e in range(n):
                if element is None or not isinstance(m.section, CrossSection):
                    element = BeamElement.of(line, e / n, (e + 1) / n)
                arms = (
                    m.start_offset if e == 0 else np.zeros(3),
                    m.end_offset if e == n - 1 else np.zeros(3),
                )
                origin = first + (last - first) * e / n
                turn = np.zeros((12, 12))
                for end, arm in enumerate(arms):
                    turn[6 * end : 6 * end + 6, 6 * end : 6 * end + 6] = _end(axes, arm)
                between = chain[e], chain[e + 1]
                found.append(
                    Piece(element, m.material, origin, axes, between, turn, np.array(arms))
                )
        return tuple(found)

    def number(self, node: Node) -> int:
        """Number of a node by its name."""
        return self.names.index(node)

    def ends(self, m: Member) -> tuple[Array, Array]:
        """Places (3,) of both ends of a member's axis, m."""
        start, end = (self.places[self.number(n)] for n in (m.start, m.end))
        return start + m.start_offset, end + m.end_offset

    def _piece(self, member: int, s: float) -> tuple[Piece, float]:
        n = self.members[member].elements
        first = sum(m.elements for m in self.members[:member])
        e = min(int(s * n), n - 1)
        return self.pieces[first + e], s * n - e

    def _assembled(self, blocks: Sequence[Array]) -> Any:
        from scipy.sparse import coo_array

        columns = [p.columns for p in self.pieces]
        i = np.concatenate([np.repeat(c, 12) for c in columns])
        j = np.concatenate([np.tile(c, 12) for c in columns])
        values = np.concatenate([b.ravel() for b in blocks])
        matrix = coo_array((values, (i, j)), shape=(self.size, self.size)).tocsc()
        return (0.5 * (matrix + matrix.T)).tocsc()  # sums of blocks round in any order


def _end(axes: Array, arm: Array) -> Array:
    """Coordinates (6, 6) of an element's end, in its own axes, from those of its node."""
    x, y, z = arm
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])  # arm x
    turn = np.zeros((6, 6))
    turn[:3, :3] = turn[3:, 3:] = axes.T
    turn[:3, 3:] = -axes.T @ cross  # rotation x arm
    return turn


def check_structure(owner: str, mesh: FrameMesh) -> None:
    """Refuse members without length and structures in several parts."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    for k, m in enumerate(mesh.members):
        first, last = mesh.ends(m)
        if not np.linalg.norm(last - first) > 0.0:
            raise ModelError(owner, f"length of member {k}", 0.0, "a positive number")
        m.axes(last - first)
    ends = np.array([[mesh.number(n) for n in (m.start, m.end)] for m in mesh.members])
    n = len(mesh.names)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    parts, labels = connected_components(graph, directed=False)
    if parts > 1:
        apart = mesh.names[int(np.argmax(labels != labels[0]))]
        raise ModelError(owner, "members", apart, f"a node that is connected to {mesh.names[0]!r}")
