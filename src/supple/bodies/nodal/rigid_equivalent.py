"""A gradient body as a rigid one: where it is before it deforms."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import set_fields

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_body import ANCFBody

THICKNESS = 1e-3  # of a body without any, in its size: a rod turns about its axis, too


class StiffBody(RigidBody):
    """A gradient body at rest as a rigid one with its mass; its frames are the same."""

    source: Body

    def __init__(self, body: Body) -> None:
        mesh = cast("ANCFBody", body).mesh
        e = mesh.rest.reshape(-1, 3)
        mass, first = mesh.mass, mesh.weight.ravel() @ e
        second = e.T @ (mesh.mass_matrix @ e)
        size = np.trace(second)
        inertia = (1.0 + THICKNESS**2) * size * np.eye(3) - second
        super().__init__(
            body.name,
            mass,
            first / mass,
            inertia,
            inertia_about="origin",
            position=body.position,
            rotation=body.rotation,
        )
        set_fields(self, source=body)

    def on_part(self, frame: Frame) -> Frame:
        """A place of the gradient body as one of the rigid body."""
        rest = self.source.rest_pose(frame.position)
        return Frame(self, rest.p, rest.R @ frame.rotation)
