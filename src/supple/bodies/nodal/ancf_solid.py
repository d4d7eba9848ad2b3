"""ANCFSolid: a solid of finite elements without a frame of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import given_point, instance, nearest_place
from supple.bodies.nodal.ancf_body import damping_times
from supple.bodies.nodal.ancf_drawing import Seen
from supple.bodies.nodal.ancf_nodes import ANCFNodes
from supple.bodies.structure.mesh_checks import checked_interfaces
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.drawn.boundary import outer_faces
from supple.fem.nodal.ancf_faces import Face, solid_faces
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_solid import SolidVectors, solid_mesh
from supple.fem.nodal.ancf_strain import SolidField
from supple.fem.solids.solid import SolidMesh
from supple.fem.ties.interface import Interface
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, label, suggestion
from supple.foundation.frames import Frame
from supple.foundation.poses import EYE, Pose
from supple.foundation.validate import read_only, set_fields


@dataclass(frozen=True, eq=False, init=False)
class ANCFSolid(ANCFNodes):
    """A solid of finite elements for displacements and rotations of any size; strains are small.

    Parameters
    ----------
    name : str
        Unique in its model.
    component : SolidMesh
        Its mesh; the material is that of Saint-Venant and Kirchhoff.
    interfaces : sequence of Interface
        Frames that stand for many nodes, where joints and forces act, with ``kind="rigid"``. Nodes
        of an interface stay in one plane, if they are in one, stretch only as a whole, and do not
        shear.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written.

    The frame of a node has a place and no axes that turn with it; that of an interface has axes.
    """

    component: SolidMesh
    interfaces: tuple[Interface, ...]
    damping: KelvinVoigt | Rayleigh | None

    def __init__(
        self,
        name: str,
        component: SolidMesh,
        interfaces: Sequence[Interface] = (),
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("ANCFSolid", name))
        self._placed(position, rotation)
        owner, expected = label(self), "a SolidMesh, e.g. block((1, 0.1, 0.1), (8, 1, 1), ...)"
        mesh = instance(owner, "component", component, SolidMesh, expected)
        times = damping_times(owner, damping, mesh.material)
        frames = _own_nodes(owner, checked_interfaces(owner, interfaces, mesh), mesh)
        set_fields(
            self,
            component=mesh,
            interfaces=frames,
            damping=damping,
            _times=times,
            _vectors=SolidVectors.of(mesh, frames),
        )

    @property
    def material(self) -> Material:  # type: ignore[override]
        """The material of the body."""
        return self.component.material

    @property
    def turns(self) -> bool:
        """False: nodes have no axes."""
        return False

    @property
    def coordinates(self) -> Vector:
        """Places (k, 3) m of its nodes at rest."""
        return self.component.nodes

    def at(
        self,
        x: Any = None,
        y: float = 0.0,
        z: float = 0.0,
        rotation: ArrayLike | None = None,
        node: int | None = None,
    ) -> Frame:
        """Return the frame at an interface or node: ``at("tip")``, ``at(node=17)``, or by place.

        Where an interface and a node are at one place, it is the interface.
        """
        owner, names = label(self), [i.name for i in self.interfaces]
        if isinstance(x, str):
            if x not in names:
                raise ModelError(owner, "x of at", x, f"an interface; {suggestion(x, names)}")
            return Frame(self, self.interfaces[names.index(x)].place, rotation)
        if node is not None:
            last = len(self.component.nodes) - 1
            number = validate.integer(owner, "node of at", node, 0, f"a node from 0 to {last}")
            if number > last:
                raise ModelError(owner, "node of at", node, f"a node from 0 to {last}")
            return Frame(self, self.component.nodes[number], rotation)
        expected = "the name of an interface, node=..., or the place of a node or interface"
        point = given_point(owner, x, y, z, expected)
        piece = self._piece(point)
        if piece is not None:
            return Frame(self, self.interfaces[piece].place, rotation)
        return Frame(self, self.coordinates[self.number(point)], rotation)

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m of the interface or node that is nearest to a point."""
        places = np.array([*(i.place for i in self.interfaces), *self.coordinates])
        return read_only(places[nearest_place(places, point).number])

    def node(self, frame: Frame) -> int:
        """Number of the first vector of a frame; a node of an interface has none of its own."""
        vectors: SolidVectors = self.__dict__["_vectors"]
        piece = self._piece(frame.position)
        if piece is not None:
            return vectors.pieces[piece]
        number = self.number(frame.position)
        if vectors.first[number] < 0:
            holder = next(i for i in self.interfaces if number in i.nodes)
            expected = f"at({holder.name!r}): node {number} moves with {label(holder)}"
            raise ModelError(label(self), "place of a frame", frame.position, expected)
        return int(vectors.first[number])

    def node_pose(self, node: int) -> Pose:
        """Place of a vector at rest, and the axes of the body."""
        return Pose(EYE, self.mesh.rest[node, 0])

    def shown_vectors(self, frame: Frame) -> tuple[Indices, Vector]:
        """Numbers (K,) of vectors, and rows that give the place, of an interface r, r_x, r_y."""
        vectors: SolidVectors = self.__dict__["_vectors"]
        piece = self._piece(frame.position)
        if piece is not None:
            return vectors.pieces[piece] + np.arange(3), np.eye(3)
        row = vectors.nodes[[self.number(frame.position)]]
        return np.asarray(row.indices, dtype=np.intp), row.data[None]

    @property
    def cell_kind(self) -> str:
        """The kind of its elements."""
        return self.component.kind

    def _seen(self) -> Seen:
        """Outer faces of the body."""
        from scipy import sparse

        mesh = self.component
        faces = outer_faces(mesh.kind, np.asarray(mesh.cells, dtype=np.intp), mesh.nodes)
        used, numbers = np.unique(faces, return_inverse=True)
        nodes = sparse.csr_array(sparse.eye_array(len(mesh.nodes), format="csr")[used])
        return Seen(self.field.node_rows[used], nodes, numbers.reshape(faces.shape))

    @property
    def refinement(self) -> str:
        """Other elements, or more."""
        linear = self.component.kind in ("tet4", "hex8")
        return "use hex20 or tet10, because linear ones lock" if linear else "use more elements"

    def lone_energy(self, corners: Vector) -> Vector:
        """Energies (nt,) J if it has one element."""
        if len(self.component.cells) > 1:
            return np.zeros(len(corners))
        return self.field.energies(corners, self.field.mean(corners))[1]

    def element_turns(self, e: Vector) -> Vector:
        """Zero (nt,): strains tell of elements that are bent too much."""
        return np.zeros(len(e))

    def _touched(self, frame: Frame) -> Indices:
        """A node, or all nodes of an interface."""
        piece = self._piece(frame.position)
        return super()._touched(frame) if piece is None else self.interfaces[piece].nodes

    def _piece(self, point: Vector) -> int | None:
        """Number of the interface at a place, if there is one."""
        if not self.interfaces:
            return None
        places = np.array([*(i.place for i in self.interfaces), *self.coordinates])
        found = nearest_place(places, point)
        return None if found.away or found.number >= len(self.interfaces) else found.number

    def _made_mesh(self) -> ANCFMesh:
        made = self.__dict__["_times"], label(self), self.__dict__["_vectors"]
        return solid_mesh(self.component, *made)

    def _made_faces(self) -> Iterator[Face]:
        """Outer faces of the body."""
        return solid_faces(self.component, self.__dict__["_vectors"])

    def _made_field(self) -> SolidField:
        return SolidField(self.component, self.__dict__["_vectors"])


def _own_nodes(
    owner: str, interfaces: tuple[Interface, ...], mesh: SolidMesh
) -> tuple[Interface, ...]:
    """Refuse interfaces that average, are on a line, or have a node in common."""
    holders: dict[int, Interface] = {}
    for interface in interfaces:
        if interface.kind != "rigid":
            expected = '"rigid", because its nodes get their places from the interface'
            raise ModelError(owner, f"kind of {label(interface)}", interface.kind, expected)
        interface.refuse_line(mesh)
        for node in interface.nodes.tolist():
            if node in holders:
                both = f"{label(holders[node])} and {label(interface)}"
                raise ModelError.plain(
                    f"{owner}: node {node} is in {both}, expected each node in one interface"
                )
            holders[node] = interface
    return interfaces
