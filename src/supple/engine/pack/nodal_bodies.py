"""Bodies without a frame: where they hang, and where they start.

Nodal vectors hang on the ground, so a joint that would lead to such a body is a chord. A chord does
not place its body. So a gradient body starts where it would be if it were rigid: the same model
with rigid bodies in their place says where that is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import numpy as np

from supple.bodies.base.rigid import RigidBody
from supple.engine.base.compiled import RowSets
from supple.engine.base.histories import RunHistory
from supple.forces import Force, Motor
from supple.foundation.arrays import Array
from supple.foundation.frames import Body, Frame
from supple.foundation.validate import set_fields
from supple.graph.topology import FREE, Graph
from supple.modelling.segmentation import used_frames

if TYPE_CHECKING:
    from supple.bodies.nodal.ancf_body import ANCFBody
    from supple.engine.base.compiled import Compiled
    from supple.model import Model

# Axes (3, 3), place (3,) of the origin in the world, and its velocity (6,) [angular; linear]
RigidMotion = tuple[Array, Array, Array]
THICKNESS = 1e-3  # of a rigid body without any, in its size: a rod turns about its axis, too


class StiffBody(RigidBody):
    """A body over nodal vectors at rest as a rigid one with its mass; its frames are the same."""

    source: ANCFBody

    def __init__(self, body: ANCFBody) -> None:
        mesh = body.mesh
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
        """A place of the body over nodal vectors as one of the rigid body."""
        rest = self.source.rest_pose(frame.position)
        return Frame(self, rest.p, rest.R @ frame.rotation)


def frameless(model: Model) -> list[str]:
    """Names of the bodies without a frame."""
    return [name for name, body in model.bodies.items() if body.discretisation == "nodal_vectors"]


def without_frames(model: Model, graph: Graph) -> Graph:
    """The graph in which bodies without a frame hang on the ground by their own coordinates."""
    names = set(frameless(model))
    tree = [FREE + edge.child if edge.child in names else edge.joint for edge in graph.tree]
    edges = [(name, j.A.body.name, j.B.body.name) for name, j in model.joints.items()]
    return Graph.build(list(model.bodies), edges, graph.root, tree=tree)


def stiffened(model: Model) -> Model:
    """The model with rigid bodies for those without a frame, and without forces.

    Bodies in parts have the same parts as in the model: the places of its forces are kept.
    """
    other = type(model)(model.gravity, model.name)
    for item in (model[name] for name in model):
        if isinstance(item, Body):
            body = model.bodies[item.name]
            nodal = body.discretisation == "nodal_vectors"
            other.add(StiffBody(cast("ANCFBody", body)) if nodal else item)
        elif item.name not in model.forces or isinstance(item, Motor):
            other.add(item)
        else:
            for k, frame in enumerate(used_frames(item)):
                of = model.bodies.get(frame.body.name)
                if of is not None and of.divides and of.discretisation != "nodal_vectors":
                    other.add(Force(f"{item.name} {k}", frame, (0.0, 0.0, 0.0)))
    return other


def rigid_motions(
    stiff: Compiled, q: Array | None = None, u: Array | None = None
) -> dict[str, RigidMotion]:
    """Poses and velocities of all bodies with a frame, at the start or at another state."""
    q, u = stiff.q0 if q is None else q, stiff.u0 if u is None else u
    rows = np.zeros(1), q[None], u[None], stiff.z0[None]
    h = RunHistory(RowSets.of(stiff), *rows)
    return {n: (h.R[0, k], h.p[0, k], h.V[0, k]) for k, n in enumerate(stiff.body_names)}
