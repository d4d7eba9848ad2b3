"""Thin plates and solids without a frame of their own; their places are their nodes."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple import validate
from supple.bodies.flexible import beam_suspicion, given_point, instance, nearest_place
from supple.bodies.gradient import MATERIAL, GradientBody, damping_times
from supple.errors import ModelError, label
from supple.fem.damping import KelvinVoigt, Rayleigh
from supple.fem.gradient_mesh import GradientMesh, Indices
from supple.fem.gradient_plate import plate_mesh
from supple.fem.gradient_solid import solid_mesh
from supple.fem.material import Material
from supple.fem.shell_checks import checked_poisson
from supple.fem.solid import SolidMesh
from supple.frames import Frame
from supple.poses import EYE, Pose
from supple.validate import Vector, read_only, set_fields

MOST_ELEMENTS = 100_000


class GradientNodes(GradientBody):
    """A body whose frames are at its nodes."""

    material: Material

    @property
    @abstractmethod
    def places(self) -> Vector:
        """Nodes (k, 3) m at rest, on the axes of the body."""

    @abstractmethod
    def _made_mesh(self) -> GradientMesh:
        """Make its elements."""

    @property
    def mesh(self) -> GradientMesh:
        """Its elements, with nodal vectors (nodes, V, 3) at rest on the axes of the body."""
        found: GradientMesh | None = self.__dict__.get("_mesh")
        if found is None:
            found = self._made_mesh()
            set_fields(self, _mesh=found)
        return found

    def shown_vectors(self, frame: Frame) -> tuple[Indices, Vector]:
        """Numbers (V,) of the vectors of the node of a frame, and rows that give r, r_x, r_y."""
        count = self.mesh.node_vectors
        return self.node(frame) * count + np.arange(count), np.eye(count)[:3]

    @property
    def mass(self) -> float:
        """Its mass, kg."""
        return self.mesh.mass

    @property
    def materials(self) -> tuple[Material, ...]:
        """Its material."""
        return (self.material,)

    @property
    def typical_length(self) -> float:
        """Diagonal of the box around it, m."""
        return float(np.linalg.norm(np.ptp(self.places, axis=0)))

    def suspicion(self) -> str | None:
        """A material or sizes in other units than SI."""
        return beam_suspicion(self, self.materials, self.mass)

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the node at (x, y, z) m of the body at rest."""
        node = self._node_at(given_point(label(self), x, y, z, "a number"))
        return Frame(self, self.places[node], rotation)

    def nearest(self, point: Vector) -> Vector:
        """Return the place (3,) m of the node that is nearest to a point."""
        return read_only(self.places[nearest_place(self.places, point).number])

    def node(self, frame: Frame) -> int:
        """Number of the node at which a frame is."""
        return self._node_at(frame.position)

    def node_pose(self, node: int) -> Pose:
        """Place of a node at rest, and the axes of the body."""
        return Pose(EYE, self.places[node])

    def _node_at(self, point: Vector) -> int:
        found = nearest_place(self.places, point)
        if found.away:
            shown = ", ".join(f"{c + 0.0:.6g}" for c in self.places[found.number])
            expected = f"that of a node; the nearest is ({shown})"
            raise ModelError(label(self), "place of a frame", point, expected)
        return found.number


@dataclass(frozen=True, eq=False, init=False)
class GradientPlate(GradientNodes):
    """A thin plate in the plane x, y from its origin, for deflections of any size.

    Parameters
    ----------
    name : str
        Unique in its model.
    size : (2,) m
        Along x and y.
    thickness : m
    material : Material
        Isotropic: G = E / (2 (1 + nu)) with nu at most 1/2.
    elements : (2,) integers
        Equal rectangles along x and along y.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
        It acts on membrane strains, not on bending; of KelvinVoigt the viscosity beside E counts.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its first corner in the world as the model is written.

    It is flat without load. Its frames turn with the gradients of their node.
    """

    size: Vector
    thickness: float
    material: Material
    elements: tuple[int, int]
    damping: KelvinVoigt | Rayleigh | None

    def __init__(
        self,
        name: str,
        size: ArrayLike,
        thickness: float,
        material: Material,
        elements: Sequence[int] = (4, 4),
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("GradientPlate", name))
        self._placed(position, rotation)
        owner = label(self)
        sizes = validate.vector(owner, "size", size, 2, "2 positive numbers")
        if sizes.min() <= 0.0:
            raise ModelError(owner, "size", size, "2 positive numbers")
        counts = f"2 positive integers, at most {MOST_ELEMENTS} elements"
        given = validate.listed(owner, "elements", elements, counts)
        if len(given) != 2:
            raise ModelError(owner, "elements", elements, counts)
        n, m = (validate.integer(owner, "elements", k, 1, counts) for k in given)
        if n * m > MOST_ELEMENTS:
            raise ModelError(owner, "elements", elements, counts)
        checked_poisson(owner, instance(owner, "material", material, Material, MATERIAL))
        set_fields(
            self,
            size=sizes,
            thickness=validate.positive(owner, "thickness", thickness),
            material=material,
            elements=(n, m),
            damping=damping,
            _time=damping_times(owner, damping, material)[0],
        )

    @property
    def turns(self) -> bool:
        """Its nodes have axes: those of r_x and r_y, and the normal."""
        return True

    @property
    def places(self) -> Vector:
        """Nodes (k, 3) m at rest, on the axes of the body."""
        found: Vector = self.mesh.rest[:, 0]
        return found

    def _made_mesh(self) -> GradientMesh:
        sizes = float(self.size[0]), float(self.size[1])
        matter = self.thickness, self.material, self.__dict__["_time"]
        return plate_mesh(sizes, self.elements, *matter, label(self))


@dataclass(frozen=True, eq=False, init=False)
class GradientSolid(GradientNodes):
    """A solid of finite elements for displacements and rotations of any size; strains are small.

    Parameters
    ----------
    name : str
        Unique in its model.
    component : SolidMesh
        Its mesh; the material is that of Saint-Venant and Kirchhoff.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written.

    Its frames have a place and no axes that turn with it.
    """

    component: SolidMesh
    damping: KelvinVoigt | Rayleigh | None

    def __init__(
        self,
        name: str,
        component: SolidMesh,
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("GradientSolid", name))
        self._placed(position, rotation)
        owner, expected = label(self), "a SolidMesh, e.g. block((1, 0.1, 0.1), (8, 1, 1), ...)"
        mesh = instance(owner, "component", component, SolidMesh, expected)
        times = damping_times(owner, damping, mesh.material)
        set_fields(self, component=mesh, damping=damping, _times=times)

    @property
    def material(self) -> Material:  # type: ignore[override]
        """Its material."""
        return self.component.material

    @property
    def turns(self) -> bool:
        """Its nodes have no axes."""
        return False

    @property
    def places(self) -> Vector:
        """Nodes (k, 3) m at rest, on the axes of the body."""
        return self.component.nodes

    def _made_mesh(self) -> GradientMesh:
        return solid_mesh(self.component, self.__dict__["_times"], label(self))
