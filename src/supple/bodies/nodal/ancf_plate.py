"""ANCFPlate: a thin plate or shell without a frame of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.base.flexible import given_point, instance
from supple.bodies.nodal.ancf_body import MATERIAL, MOST_ELEMENTS, damping_times
from supple.bodies.nodal.ancf_drawing import Seen, seen_plate
from supple.bodies.nodal.ancf_nodes import ANCFNodes
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.nodal.ancf_faces import Face, plate_faces
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.fem.nodal.ancf_plate import plate_mesh, shell_mesh
from supple.fem.nodal.ancf_strain import PlateField
from supple.fem.shells.checks import checked_poisson
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError, label
from supple.foundation.frames import Frame
from supple.foundation.poses import Pose
from supple.foundation.validate import read_only, set_fields

ShapeChoice = Callable[[float, float], Any] | Vector | None

SHAPE = (
    "a function of x and y that returns a point (3,) m, or a table of points (k, l, 3) m over "
    "equal steps of x and y, k and l at least 2"
)
# Step of differences of eighth order for gradients, in sizes of the plate.
STEP = 2e-3
HALF = (1.0, 4.0 / 5.0), (2.0, -1.0 / 5.0), (3.0, 4.0 / 105.0), (4.0, -1.0 / 280.0)
DIFFERENCES = (*HALF, *((-step, -factor) for step, factor in HALF))
PIECES, MOST_DRAWN = 4, 4000  # along a side of an element, and of all
ACROSS = 1e-6  # sine of the angle between the gradients of a surface, at least


@dataclass(frozen=True, eq=False, init=False)
class ANCFPlate(ANCFNodes):
    """A thin plate over a rectangle x, y from its origin, flat or curved, for any deflection.

    Parameters
    ----------
    name : str
        Unique in its model.
    size : (2,) m
        Along x and y; with ``shape`` the ranges of its coordinates.
    thickness : m
    material : Material
        Isotropic: G = E / (2 (1 + nu)) with nu at most 1/2.
    elements : (2,) integers
        Equal rectangles along x and along y.
    shape : function of x and y, or (k, l, 3) m, optional
        Points of the middle surface without load, or a surface through some. Its coordinates need
        not be lengths: any smooth quadrilateral is a shape.
    damping : KelvinVoigt or Rayleigh(stiffness=...), optional
        Of stretching and bending; of KelvinVoigt the viscosity beside E counts.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written.

    Its places are nodes, by their coordinates x, y: ``at(0.5, 1.0)``. A frame has the axes of its
    node: x along r_x, z along the normal. Deflections by shear forces are left out, as by
    Kirchhoff. A plate that is curved or damped has a nodal vector more, its normal.
    """

    size: Vector
    thickness: float
    material: Material
    elements: tuple[int, int]
    shape: ShapeChoice
    damping: KelvinVoigt | Rayleigh | None

    def __init__(
        self,
        name: str,
        size: ArrayLike,
        thickness: float,
        material: Material,
        elements: Sequence[int] = (4, 4),
        shape: Callable[[float, float], ArrayLike] | ArrayLike | None = None,
        damping: KelvinVoigt | Rayleigh | None = None,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        set_fields(self, name=validate.name("ANCFPlate", name))
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
        poisson = checked_poisson(owner, instance(owner, "material", material, Material, MATERIAL))
        set_fields(
            self,
            size=sizes,
            thickness=validate.positive(owner, "thickness", thickness),
            material=material,
            elements=(n, m),
            shape=_given_shape(owner, shape),
            damping=damping,
            _time=damping_times(owner, damping, material)[0],
            _poisson=poisson,
        )
        set_fields(self, _rest=self._vectors())

    @property
    def turns(self) -> bool:
        """True: nodes have the axes of r_x and r_y, and the normal."""
        return True

    @property
    def coordinates(self) -> Vector:
        """Coordinates x, y and zero (k, 3) of its nodes."""
        x, y = (np.linspace(0.0, s, n + 1) for s, n in zip(self.size, self.elements, strict=True))
        grid = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1).reshape(-1, 2)
        return np.column_stack([grid, np.zeros(len(grid))])

    def at(
        self, x: float, y: float = 0.0, z: float = 0.0, rotation: ArrayLike | None = None
    ) -> Frame:
        """Return the frame at the node with the coordinates x, y; z is zero.

        ``rotation`` turns the frame's axes relative to those of the node.
        """
        node = self.number(given_point(label(self), x, y, z, "a number"))
        return Frame(self, self.coordinates[node], rotation)

    def rest_pose(self, place: Vector) -> Pose:
        """Place and axes of a node at rest, by its coordinates (3,)."""
        return self.node_pose(self.number(place))

    def node_pose(self, node: int) -> Pose:
        """Place and axes of a node at rest, on the axes of the body."""
        place, first, _, normal = self.__dict__["_rest"][node]
        x, z = (v / np.linalg.norm(v) for v in (first, normal))
        return Pose(np.array([x, np.cross(z, x), z]).T, place)

    def shown_vectors(self, frame: Frame) -> tuple[Indices, Vector]:
        """Numbers (3,) of the vectors of the node of a frame, and rows that give r, r_x, r_y."""
        return self.node(frame) * self.mesh.node_vectors + np.arange(3), np.eye(3)

    def usual_values(self, field: str) -> tuple[tuple[int, int], ...]:
        """Two to sixteen elements along each side."""
        return ((2, 2), (4, 4), (8, 8), (16, 16)) if field == "elements" else ()

    @property
    def cell_kind(self) -> str:
        """Quadrilaterals."""
        return "quad4"

    def _seen(self) -> Seen:
        """Draw its middle surface, each element in several pieces."""
        n, m = self.elements
        pieces = int(np.clip(np.sqrt(MOST_DRAWN / (n * m)), 1, PIECES))
        sizes = float(self.size[0]) / n, float(self.size[1]) / m
        return seen_plate(sizes, self.elements, pieces, self.mesh.node_vectors)

    @property
    def refinement(self) -> str:
        """More elements."""
        return "use more elements; a joint at a single node of a plate asks for very many"

    def lone_energy(self, corners: Vector) -> Vector:
        """Energies (nt,) J along x or y if it has one element there."""
        alone = [axis for axis, count in enumerate(self.elements) if count == 1]
        found = sum((self.field.along(corners, axis) for axis in alone), np.zeros(len(corners)))
        return np.asarray(found)

    def element_turns(self, e: Vector) -> Vector:
        """Largest angles (nt,) rad between the axes of neighbouring nodes."""
        n, m = self.elements
        nodes = e.reshape(len(e), n + 1, m + 1, self.mesh.node_vectors, 3)
        x = nodes[..., 1, :] / np.linalg.norm(nodes[..., 1, :], axis=-1, keepdims=True)
        z = np.cross(x, nodes[..., 2, :])
        z /= np.linalg.norm(z, axis=-1, keepdims=True)
        R = np.stack([x, np.cross(z, x), z], axis=-1)
        largest = np.zeros(len(e))
        for a, b in ((R[:, :-1], R[:, 1:]), (R[:, :, :-1], R[:, :, 1:])):
            # |R1 - R2|^2 = 8 sin^2(angle / 2), exact also for small angles
            apart = np.sqrt(((a - b) ** 2).sum(axis=(-2, -1)) / 8.0)
            angles = 2.0 * np.arcsin(np.fmin(apart, 1.0))
            largest = np.fmax(largest, angles.reshape(len(e), -1).max(axis=1))
        return largest

    def _vectors(self) -> Vector:
        """Place, gradients and normal (nodes, 4, 3) at rest."""
        rest = np.zeros((len(self.coordinates), 4, 3))
        if self.shape is None:
            rest[:, 0], rest[:, 1:] = self.coordinates, np.eye(3)
            return read_only(rest)
        owner, surface = label(self), _surface(label(self), self.shape, self.size)
        for own, (x, y, _) in zip(rest, self.coordinates, strict=True):
            h, k = STEP * self.size
            own[0] = surface(x, y)
            own[1] = sum(f * surface(x + c * h, y) for c, f in DIFFERENCES) / h
            own[2] = sum(f * surface(x, y + c * k) for c, f in DIFFERENCES) / k
            normal = np.cross(own[1], own[2])
            length = float(np.linalg.norm(normal))
            across = float(np.linalg.norm(own[1]) * np.linalg.norm(own[2]))
            if not length > ACROSS * across:
                expected = "a surface whose directions along x and y differ everywhere"
                found = f"one without a normal at x = {x:.4g}, y = {y:.4g}"
                raise ModelError.plain(f"{owner}: shape is {found}, expected {expected}")
            own[3] = normal / length
        return read_only(rest)

    def _made_mesh(self) -> ANCFMesh:
        sizes = float(self.size[0]), float(self.size[1])
        matter, time, rest = (self.thickness, self.material), self.__dict__["_time"], "_rest"
        if self.shape is None and time == 0.0:
            return plate_mesh(sizes, self.elements, *matter, 0.0, label(self))
        return shell_mesh(sizes, self.elements, *matter, self.__dict__[rest], time, label(self))

    def _made_faces(self) -> Iterator[Face]:
        """Make its elements."""
        sizes = float(self.size[0]), float(self.size[1])
        return plate_faces(sizes, self.elements, self.mesh.node_vectors)

    def _made_field(self) -> PlateField:
        sizes = float(self.size[0]), float(self.size[1])
        matter = self.thickness, self.material, self.__dict__["_poisson"]
        return PlateField(self.mesh, sizes, self.elements, *matter)


def _given_shape(owner: str, shape: Any) -> ShapeChoice:
    """Check a shape: a function as it is, a table as read-only numbers."""
    if shape is None or callable(shape):
        function: ShapeChoice = shape
        return function
    table = validate.array(owner, "shape", shape, SHAPE)
    if table.ndim != 3 or table.shape[2] != 3 or min(table.shape[:2]) < 2:
        raise ModelError(owner, "shape", shape, SHAPE)
    return table


def _surface(owner: str, shape: Any, size: Vector) -> Callable[[float, float], Vector]:
    """The function of a shape; it is asked a little beside the rectangle, too."""
    if not callable(shape):
        return _through(shape, size)

    def point(x: float, y: float) -> Vector:
        try:
            value = np.asarray(shape(float(x), float(y)), dtype=float)
        except Exception as problem:  # whatever a function of the user does
            raise ModelError(owner, "shape", shape, f"{SHAPE} ({problem})") from problem
        if value.shape != (3,) or not np.all(np.isfinite(value)):
            raise ModelError(owner, f"shape at x = {x:.6g}, y = {y:.6g}", value, "a point (3,) m")
        return value

    return point


def _through(table: Vector, size: Vector) -> Callable[[float, float], Vector]:
    """The smooth surface through a table of points (k, l, 3) over equal steps."""
    from scipy.interpolate import make_interp_spline

    x, y = (np.linspace(0.0, s, n) for s, n in zip(size, table.shape[:2], strict=True))
    across = make_interp_spline(y, table, k=min(3, len(y) - 1), axis=1)

    def point(at_x: float, at_y: float) -> Vector:
        line = across(at_y, extrapolate=True)
        found = make_interp_spline(x, line, k=min(3, len(x) - 1), axis=0)(at_x, extrapolate=True)
        return np.asarray(found)

    return point
