"""Bodies with the form of a mesh file."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.distances import (
    DistanceGrid,
    distance_grid,
    greatest_error,
    merged,
    open_edges,
    volume,
)
from supple.bodies.shapes.shape import Shape, SurfaceData, TouchingSurface
from supple.bodies.shapes.splines import steepness
from supple.fem.drawn.surface import Surface, moved
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.frames import Frame, expect_frame
from supple.foundation.input_files import path_of
from supple.foundation.poses import EYE, Pose
from supple.foundation.validate import read_only, set_fields

LEAST_CELLS, MOST_CELLS = 16, 128


@dataclass(frozen=True, eq=False, init=False)
class MeshShape(Shape):
    """The triangles of a mesh file (STL, VTK, gmsh ...), for pictures and contact, without mass.

    Balls, wheels, and balls or discs of bars, cylinders and boxes touch it: its surface there is
    that of smooth splines through a grid of distances from its triangles, which must be closed
    then. Edges are rounded by about a cell of the grid; ``grid_error`` says how far both surfaces
    are apart.

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
    frame : Frame, optional
        On the body that carries it.
    cells : int
        Knots of the grid along its longest side, 16 to 128.
    """

    path: str = ""
    scale: float = 1.0
    position: Vector = field(default_factory=lambda: np.zeros(3))
    rotation: Vector = field(default_factory=lambda: EYE)
    cells: int = 64

    def __init__(
        self,
        path: str | Path,
        scale: float = 1.0,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        frame: Frame | None = None,
        cells: int = 64,
    ) -> None:
        from supple.fem.drawn.boundary import mesh_triangles
        from supple.fem.files.mesh_data import read_mesh

        source = path_of("MeshShape", "path", path)
        factor = validate.positive("MeshShape", "scale", scale)
        turn = validate.rotation("MeshShape", "rotation", rotation)
        if frame is not None:
            expect_frame("MeshShape", "frame", frame)
        expected = f"an integer from {LEAST_CELLS} to {MOST_CELLS}"
        knots = validate.integer("MeshShape", "cells", cells, LEAST_CELLS, expected)
        if knots > MOST_CELLS:
            raise ModelError("MeshShape", "cells", cells, expected)
        data = read_mesh(source, factor)
        faces = mesh_triangles(data)
        if not len(faces):
            expected = "a mesh with triangles, quadrilaterals or solid elements"
            raise ModelError.plain(f"{source.name}: it has no surface, expected {expected}")
        used, numbers = np.unique(faces, return_inverse=True)
        drawn = Surface(read_only(data.nodes[used]), numbers.reshape(faces.shape))
        place = validate.vector("MeshShape", "position", position)
        set_fields(self, path=str(path), scale=factor, rotation=turn, _surface=drawn)
        set_fields(self, position=place, frame=frame, cells=knots)

    def surface(self) -> Surface:
        """The triangles of the file."""
        return moved(self.__dict__["_surface"], self.rotation, self.position)

    @cached_property
    def _closed(self) -> Surface:
        """Its triangles, counterclockwise seen from outside, without vertices at the same place."""
        drawn: Surface = self.__dict__["_surface"]
        points, faces = merged(drawn.points, drawn.triangles)
        edges = open_edges(faces)
        if edges:
            what = f"{Path(self.path).name}: {edges} edges do not join two triangles"
            raise ModelError.plain(f"{what}, expected a closed mesh, which has an inside")
        return Surface(points, faces if volume(points, faces) > 0.0 else faces[:, ::-1])

    @cached_property
    def _grid(self) -> DistanceGrid:
        return distance_grid(self._closed.points, self._closed.triangles, self.cells)

    @cached_property
    def grid_error(self) -> float:
        """Largest distance between its triangles and the surface that is touched, m."""
        return greatest_error(self._grid, self._closed.points, self._closed.triangles)

    @property
    def allowed_depth(self) -> float:
        """A tenth of its least size."""
        return 0.1 * float(np.ptp(self._closed.points, axis=0).min())

    @property
    def touching_surface(self) -> TouchingSurface:
        """The surface where the splines of the grid are zero."""
        grid = self._grid
        steep = steepness(grid.splines, np.full(3, grid.step))
        numbers = np.concatenate([grid.origin, [grid.step] * 3, [steep], grid.splines.ravel()])
        data = SurfaceData(grid.shape, numbers)
        return TouchingSurface("grid", (), Pose(self.rotation, self.position), False, data)
