"""Forms that rigid bodies are drawn with: looks only, no mass and no inertia follows from them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.drawn.primitives import cuboid, cylinder, sphere
from supple.fem.drawn.surface import Surface, joined, moved
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    Given,
    checked,
    declared,
    given,
    positive,
    stored,
    unit_vector,
    vector,
)
from supple.foundation.input_files import path_of
from supple.foundation.poses import aligned
from supple.foundation.validate import Axis, read_only, set_fields

SHAPE = "a Cuboid, Cylinder, Sphere or MeshShape, or a sequence of them"


@stored
class Shape(ABC):
    """Base of the forms of rigid bodies; ``position`` (3,) m is in the body's axes."""

    position: Given[ArrayLike, Vector]

    @abstractmethod
    def surface(self) -> Surface:
        """Points and triangles in the body's axes."""


def _sizes(owner: str, field: str, value: Any) -> Vector:
    expected = "3 positive numbers in m"
    sizes = validate.vector(owner, field, value, 3, expected)
    if not np.all(sizes > 0.0):
        raise ModelError(owner, field, value, expected)
    return sizes


@declared
class Cuboid(Shape):
    """A box for pictures; it gives the body no mass.

    Parameters
    ----------
    size : (3,) m
        Whole lengths of its edges along x, y, z.
    position : (3,) m
        Its middle, in the body's axes.
    rotation : (3, 3), (4,) or (3,), optional
        Its axes in those of the body: matrix, quaternion or rotation vector (rad).
    """

    size: Given[ArrayLike, Vector] = checked(_sizes, "m")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))
    rotation: Given[ArrayLike | None, Vector] = given("rad", default=None)

    def _check(self, owner: str) -> None:
        set_fields(self, rotation=validate.rotation(owner, "rotation", self.rotation))

    def surface(self) -> Surface:
        """The six faces."""
        return moved(cuboid(self.size), self.rotation, self.position)


@declared
class Cylinder(Shape):
    """A round bar for pictures; it gives the body no mass.

    Parameters
    ----------
    diameter, length : m
    axis : (3,) or "x", "y", "z"
        Direction of its length, in the body's axes.
    position : (3,) m
        Its middle, in the body's axes.
    """

    diameter: float = positive("m")
    length: float = positive("m")
    axis: Given[Axis, Vector] = unit_vector(default="z")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    def surface(self) -> Surface:
        """The side and both ends."""
        return moved(
            cylinder(0.5 * self.diameter, self.length), aligned(self.axis)[0], self.position
        )


@declared
class Sphere(Shape):
    """A ball for pictures, of a diameter (m) around a position (3,) m; it gives no mass."""

    diameter: float = positive("m")
    position: Given[ArrayLike, Vector] = vector("m", default=(0.0, 0.0, 0.0))

    def surface(self) -> Surface:
        """Triangles of the ball."""
        return moved(sphere(0.5 * self.diameter), np.eye(3), self.position)


@dataclass(frozen=True, eq=False, init=False)
class MeshShape(Shape):
    """The triangles of a mesh file (STL, VTK, gmsh ...) for pictures; they give no mass.

    Parameters
    ----------
    path : str or path
        Read by `read_mesh`: of solid elements the outer faces are taken.
    scale : number
        Takes the file's lengths to metres: 1e-3 for millimetres.
    position : (3,) m
        The file's origin, in the body's axes.
    rotation : (3, 3), (4,) or (3,), optional
        The file's axes in those of the body: matrix, quaternion or rotation vector (rad).
    """

    path: str
    scale: float
    rotation: Vector

    def __init__(
        self,
        path: str | Path,
        scale: float = 1.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
    ) -> None:
        from supple.fem.drawn.boundary import mesh_triangles
        from supple.fem.files.mesh_data import read_mesh

        source = path_of("MeshShape", "path", path)
        factor = validate.positive("MeshShape", "scale", scale)
        turn = validate.rotation("MeshShape", "rotation", rotation)
        data = read_mesh(source, factor)
        faces = mesh_triangles(data)
        if not len(faces):
            expected = "a mesh with triangles, quadrilaterals or solid elements"
            raise ModelError.plain(f"{source.name}: it has no surface, expected {expected}")
        used, numbers = np.unique(faces, return_inverse=True)
        drawn = Surface(read_only(data.nodes[used]), numbers.reshape(faces.shape))
        place = validate.vector("MeshShape", "position", position)
        set_fields(self, path=str(path), scale=factor, rotation=turn, _surface=drawn)
        set_fields(self, position=place)

    def surface(self) -> Surface:
        """The triangles of the file."""
        return moved(self.__dict__["_surface"], self.rotation, self.position)


def given_shape(owner: str, value: Any) -> Shape | tuple[Shape, ...] | None:
    """Return the form of a body, several of them, or None."""
    if value is None or isinstance(value, Shape):
        return value
    several = validate.listed(owner, "shape", value, SHAPE)
    if not several or not all(isinstance(one, Shape) for one in several):
        raise ModelError(owner, "shape", value, SHAPE)
    return tuple(several)


def shape_surface(shape: Shape | Sequence[Shape]) -> Surface:
    """Surface of one or several forms."""
    every = [shape] if isinstance(shape, Shape) else shape
    return joined(one.surface() for one in every)


def inertia_box(mass: float, inertia: Vector, com: Vector) -> Surface:
    """The box of even density that has a mass (kg) and an inertia (3, 3) about its middle.

    Where there is no such box its edge is a small part of the longest one.
    """
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0.0:
        axes = -axes
    squares = 6.0 * (moments.sum() - 2.0 * moments) / mass
    longest = math.sqrt(max(float(squares.max()), 0.0))
    sizes = np.sqrt(np.maximum(squares, (0.06 * longest) ** 2))
    return moved(cuboid(sizes), axes, com)
