"""Base of plates and solids without a frame: their places are their nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from supple.bodies.base.flexible import beam_suspicion, nearest_place
from supple.bodies.nodal.ancf_body import ANCFBody
from supple.bodies.nodal.ancf_drawing import Seen, drawn_nodes, mesh_surface
from supple.fem.base.material import Material
from supple.fem.drawn.surface import DrawnMesh, Surface
from supple.fem.nodal.ancf_faces import Face
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_strain import StrainField
from supple.foundation.arrays import Booleans, Indices, Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame, TouchingPlace, ViewName
from supple.foundation.validate import read_only

if TYPE_CHECKING:
    from scipy import sparse


class ANCFNodes(ANCFBody):
    """A body whose frames are at its nodes."""

    view: ClassVar[ViewName] = "field"
    material: Material

    @property
    @abstractmethod
    def coordinates(self) -> Vector:
        """Arguments (k, 3) of ``at`` for its nodes."""

    @abstractmethod
    def _made_mesh(self) -> ANCFMesh:
        """Make its elements."""

    @abstractmethod
    def _made_field(self) -> StrainField:
        """Make its strains."""

    @abstractmethod
    def _seen(self) -> Seen:
        """Points and triangles that are seen of it."""

    @property
    @abstractmethod
    def cell_kind(self) -> str:
        """Kind of its elements in files for other programs."""

    # what the monitor asks

    @property
    @abstractmethod
    def refinement(self) -> str:
        """Advice if its mesh is too coarse."""

    @abstractmethod
    def lone_energy(self, corners: Vector) -> Vector:
        """Energies (nt,) J along directions with one element, of strains (nt, e, k, 6)."""

    @abstractmethod
    def element_turns(self, e: Vector) -> Vector:
        """Largest angles (nt,) rad between neighbouring nodes, of nodal vectors (nt, n, 3)."""

    def untouched(self, frames: Sequence[Frame]) -> Booleans:
        """Nodes (k,) at which none of some frames is."""
        free = np.ones(self.field.count, dtype=bool)
        for frame in frames:
            free[self._touched(frame)] = False
        return free

    def _touched(self, frame: Frame) -> Indices:
        """Nodes that move with a frame."""
        return np.array([self.number(frame.position)])

    @abstractmethod
    def _made_faces(self) -> Iterator[Face]:
        """Make its faces."""

    @cached_property
    def faces(self) -> tuple[Face, ...]:
        """Faces on which loads can be spread."""
        return tuple(self._made_faces())

    def touching_area(self, nodes: Indices | None) -> tuple[TouchingPlace, ...]:
        """Nodes of its faces, each with equal shares of the faces around it."""
        chosen = None if nodes is None else set(nodes.tolist())
        shares, rest = np.zeros(len(self.coordinates)), self.mesh.rest.reshape(-1, 3)
        for face in self.faces:
            if chosen is None or face.nodes <= chosen:
                own = list(face.nodes)
                shares[own] += float(face.areas(rest).sum()) / len(own)
        return tuple(
            TouchingPlace(read_only(self.coordinates[k]), float(shares[k]))
            for k in np.flatnonzero(shares)
        )

    @cached_property
    def mesh(self) -> ANCFMesh:
        """Elements, with nodal vectors (nodes, V, 3) at rest on the axes of the body."""
        return self._made_mesh()

    @cached_property
    def field(self) -> StrainField:
        """Strains from nodal vectors."""
        return self._made_field()

    @property
    def places(self) -> Vector:
        """Nodes (k, 3) m at rest, on the axes of the body."""
        found: Vector = self.field.places(self.mesh.rest.reshape(1, -1, 3))[0]
        return found

    @property
    def mass(self) -> float:
        """Mass of the body, kg."""
        return self.mesh.mass

    @property
    def materials(self) -> tuple[Material, ...]:
        """The material of the body."""
        return (self.material,)

    @property
    def typical_length(self) -> float:
        """Diagonal of the box around it, m."""
        return float(np.linalg.norm(np.ptp(self.places, axis=0)))

    def suspicion(self) -> str | None:
        """A material or sizes in other units than SI."""
        return beam_suspicion(self, self.materials, self.mass)

    def surface(self, point_masses: Sequence[tuple[float, float]] = ()) -> Surface:
        """Surface of the body."""
        return mesh_surface(self, self._seen())

    def drawn(self) -> tuple[DrawnMesh, sparse.csr_array]:
        """Mesh at rest for pictures, and rows (nodes, n) of its nodes from nodal vectors."""
        return drawn_nodes(self)

    @property
    def shown_places(self) -> tuple[tuple[float, ...], ...]:
        """Arguments of ``at`` for its nodes."""
        return tuple((float(x), float(y), float(z)) for x, y, z in self.coordinates)

    @property
    def telling_place(self) -> tuple[float, ...]:
        """The node that is farthest from the first one."""
        away = np.linalg.norm(self.places - self.places[0], axis=1)
        return self.shown_places[int(np.argmax(away > (1.0 - 1e-9) * away.max()))]

    def nearest(self, point: Vector) -> Vector:
        """Return what ``at`` takes (3,) for the node that is nearest to a point (3,) m."""
        return read_only(self.coordinates[nearest_place(self.places, point).number])

    def number(self, point: Vector) -> int:
        """Number of the node for which ``at`` takes a point (3,); others are refused."""
        found = nearest_place(self.coordinates, point)
        if found.away:
            shown = ", ".join(f"{c + 0.0:.6g}" for c in self.coordinates[found.number])
            expected = f"that of a node; the nearest is ({shown})"
            raise ModelError(label(self), "place of a frame", point, expected)
        return found.number

    def node(self, frame: Frame) -> int:
        """Number of the node of the mesh at which a frame is."""
        return self.number(frame.position)
