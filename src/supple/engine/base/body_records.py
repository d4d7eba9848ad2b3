"""Records of bodies that deform: their places in the engine, and what their coordinates mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import label
from supple.foundation.frames import Body, Frame
from supple.foundation.poses import Pose
from supple.reduction.modal import Attachment, ModalBody

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.fem.nodal.ancf_mesh import ANCFMesh

GRADIENTS = ("r", "r_x", "r_y", "r_z")


class DeformingRecord:
    """A body of the engine that deforms."""

    body: Body

    @property
    def name(self) -> str:
        """Name of the body."""
        return self.body.name

    @property
    def label(self) -> str:
        """Kind and name, for messages."""
        return label(self.body)


@dataclass(frozen=True)
class FlexRecord(DeformingRecord):
    """Record of a flexible body: places and meaning of its elastic coordinates.

    It is a body of the engine, a part of one of the model or all of it; ``index`` counts them.
    ``watched`` has the places that events look at and nothing is attached to, with rows (6, r) of
    their motion by the amplitudes of second order of ``modal``.
    """

    body: FlexibleBody
    index: int
    q: slice
    u: slice
    modal: ModalBody
    point_masses: tuple[tuple[float, float], ...]
    watched: dict[float, Array] = field(default_factory=dict)

    def attachment(self, frame: Frame) -> Attachment:
        """Motion of a frame of the body with the coordinates and amplitudes of ``modal``."""
        where, slaves = self.body.attachment(frame, self.point_masses), self.modal.slaves
        if where.slaved is None or slaves is None or not self.watched:
            return where
        rows = self.watched.get(self.body.station(frame))
        if rows is None:  # the last amplitudes move watched places only
            rows = np.pad(where.slaved, [(0, 0), (0, self.modal.r - where.slaved.shape[1])])
        return replace(where, slaved=rows, Gamma=slaves.Gamma)

    @property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of its elastic coordinates."""
        return self.modal.coordinate_names


@dataclass(frozen=True)
class ANCFRecord(DeformingRecord):
    """Record of a gradient body: places of its nodal vectors in the state, by components.

    ``index`` counts the gradient bodies, ``mesh`` is that of the body as the model uses it;
    ``start`` (3, 3) are the axes of the body and ``origin`` (3,) m its origin at the start, before
    it deforms.
    """

    body: Body
    index: int
    q: slice
    u: slice
    mesh: ANCFMesh
    start: Array
    origin: Array

    @cached_property
    def coordinate_names(self) -> tuple[str, ...]:
        """Names of its coordinates: "node 3 r_x.y"."""
        names, node, behind = [], -1, 0
        for is_place in self.mesh.places.ravel().tolist():
            node, behind = (node + 1, 0) if is_place else (node, behind + 1)
            names += [f"node {node} {GRADIENTS[behind]}.{x}" for x in "xyz"]
        return tuple(names)

    def turns(self, frame: Frame) -> bool:
        """True if a frame of the body has axes that turn with it."""
        return self.mesh.turns(cast("ANCFBody", self.body).node(frame))

    def axes(self, node: int) -> Array:
        """Axes (3, 3) of a node at rest, in those of the body; see ``core/bodies/ancf_edge.py``."""
        if not self.mesh.turns(node):
            return np.eye(3)
        first, second = self.mesh.rest.reshape(-1, 3)[list(self.mesh.gradients(node))]
        x = first / np.linalg.norm(first)
        y = second - (second @ x) * x
        y /= np.linalg.norm(y)
        return np.array([x, y, np.cross(x, y)]).T

    def moved(self, R: Array, p: Array, twist: Array) -> tuple[Array, Array]:
        """Coordinates and rates of the body at rest that moves as a rigid one.

        Its axes are R (3, 3), its origin is at p (3,) m and has the velocity ``twist`` (6,)
        [angular; linear] in world axes.
        """
        q = self.mesh.rest @ R.T
        u = np.cross(twist[:3], q)
        q[self.mesh.places] += p
        u[self.mesh.places] += twist[3:]
        return q.ravel(), u.ravel()

    def pose(self, frame: Frame, node: int) -> Pose:
        """Pose of a frame of the body in the axes of a node, both at rest."""
        rest = self.body.rest_pose(frame.position)
        axes = self.axes(node)
        return Pose(axes.T @ rest.R @ frame.rotation, axes.T @ (rest.p - self.mesh.rest[node, 0]))

