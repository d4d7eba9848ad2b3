"""Motion of places of a reduced mesh along a line with its elastic coordinates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from supple.foundation.arrays import Vector
from supple.reduction.modal import ModalBody, Reduction


class LineMesh(Protocol):
    """Displacement, rotation and strain along a line, as rows for the nodal coordinates."""

    def motions(self, stations: Iterable[float]) -> Vector:
        """Rows (k, 6, size) of displacement and rotation at stations."""

    def rotation(self, x: float) -> Vector:
        """Rows (3, size) of the rotation at the station x."""

    def strain(self, x: float) -> Vector:
        """Rows (4, size) of the strains at the station x."""

    def shear(self, x: float) -> Vector:
        """Rows (2, size) of the shear strains v' - tz and w' + ty at the station x."""


@dataclass(frozen=True, eq=False)
class MeshField:
    """Motion of places of a reduced mesh; rows (..., n) belong to the elastic coordinates."""

    mesh: LineMesh
    reduction: Reduction

    @property
    def body(self) -> ModalBody:
        """The reduced body that the engine reads."""
        return self.reduction.body

    def motions(self, stations: Iterable[float]) -> Vector:
        """Rows (k, 6, n) of displacement u, v, w and rotation (twist, -w', v') at stations."""
        return self.mesh.motions(stations) @ self.reduction.basis

    def slopes(self, x: float) -> Vector:
        """Rows (2, n) of the slopes v', w' of the axis at the station x."""
        _, ty, tz = self.mesh.rotation(x)
        return np.asarray((self.mesh.shear(x) + np.stack([tz, -ty])) @ self.reduction.basis)

    def strain(self, x: float) -> Vector:
        """Rows (4, n) of u', v'', w'' and the rate of twist at the station x."""
        return self.mesh.strain(x) @ self.reduction.basis
