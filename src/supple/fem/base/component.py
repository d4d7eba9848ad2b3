"""A finite-element component: what every mesh and every imported model offers to a reduction.

Displacements are small and relative to the component's own axes. A node has three coordinates
(u, v, w) or six (u, v, w, tx, ty, tz: displacements, then rotations about x, y, z); those of the
first node come first.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.fem.base.inertia import point_integrals
from supple.foundation.arrays import Array
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError

COORDINATES = ("u", "v", "w", "tx", "ty", "tz")


class Component(Protocol):
    """Nodes, mass, stiffness and material points of a body that deforms little."""

    @property
    def nodes(self) -> Array:
        """Places (N, 3) of the nodes, m."""

    @property
    def node_size(self) -> int:
        """Coordinates for each node: 3 (translations) or 6 (translations, then rotations)."""

    @property
    def size(self) -> int:
        """Number of all coordinates, N times ``node_size``."""

    @property
    def length(self) -> float:
        """A typical length of the body, m."""

    @property
    def mass_matrix(self) -> Any:
        """Symmetric sparse (size, size) mass matrix."""

    @property
    def stiffness_matrix(self) -> Any:
        """Symmetric sparse (size, size) stiffness matrix."""

    def material_points(self, basis: Array) -> tuple[Array, Array, Array]:
        """Mass (k,), place (k, 3), shape (k, 3, n) for displacements ``basis @ q``.

        Sums over the points equal the integrals over the body of everything that is at most
        quadratic in place and displacement.
        """


class Nodal:
    """Base of components with ``node_size`` coordinates at each of their ``nodes``."""

    if TYPE_CHECKING:  # fields of some, properties of others

        @property
        def nodes(self) -> Array:
            """Places (N, 3) of the nodes, m."""

        @property
        def node_size(self) -> int:
            """Coordinates for each node."""

    @property
    def size(self) -> int:
        """Number of nodal coordinates."""
        return self.node_size * len(self.nodes)

    @cached_property
    def length(self) -> float:
        """Diagonal of the box around all nodes, m."""
        return float(np.linalg.norm(np.ptp(self.nodes, axis=0)))


def expect_component(owner: str, value: Any) -> None:
    """Refuse what has no nodes and matrices."""
    parts = ("nodes", "node_size", "size", "mass_matrix", "stiffness_matrix", "material_points")
    if isinstance(value, type) or not all(hasattr(value, part) for part in parts):
        expected = "a component, e.g. a ShellMesh, a SolidMesh or an ImportedComponent"
        raise ModelError(owner, "component", value, expected)


@dataclass(frozen=True)
class MassProperties:
    """Mass, centre of mass and inertia of a component in its own axes."""

    mass: float  # kg
    centre: Array  # (3,) m
    # (3, 3) kg m2 About the centre of mass; products of inertia have the sign of a tensor.
    inertia: Array


def rigid_modes(component: Component) -> Array:
    """Small rigid motions (size, 6): along x, y, z and about x, y, z through the origin."""
    expect_component("rigid_modes", component)
    return rigid_motion(component.nodes, component.node_size)


def rigid_motion(places: Array, node_size: int, about: Array | None = None) -> Array:
    """Coordinates (k * node_size, 6) of nodes at ``places`` (k, 3) moving as one rigid body.

    Columns are unit translations along x, y, z and unit rotations about x, y, z through the point
    ``about`` (3,), the origin if it is not given.
    """
    x, y, z = (places if about is None else places - about).T
    motion = np.zeros((len(places), node_size, 6))
    for axis in range(3):
        motion[:, axis, axis] = 1.0
    # u = rotation x place
    motion[:, 1, 3], motion[:, 2, 3] = -z, y
    motion[:, 0, 4], motion[:, 2, 4] = z, -x
    motion[:, 0, 5], motion[:, 1, 5] = -y, x
    if node_size == 6:
        for axis in range(3):
            motion[:, 3 + axis, 3 + axis] = 1.0
    return motion.reshape(-1, 6)


def mass_properties(component: Component) -> MassProperties:
    """Mass, centre of mass and inertia from the material points."""
    expect_component("mass_properties", component)
    found = point_integrals(component.material_points(np.zeros((component.size, 0))))
    centre = found.s0 / found.mass
    moments = found.E0 - found.mass * np.outer(centre, centre)
    return MassProperties(found.mass, centre, np.trace(moments) * np.eye(3) - moments)


def coordinate_name(component: Component, index: int) -> str:
    """Text such as ``w of node 12``; nodes are counted from 0."""
    node, local = divmod(int(index), component.node_size)
    return f"{COORDINATES[local]} of node {node}"


def describe_mesh(mesh: Any, name: str, parts: str) -> str:
    """A short text of a mesh: its kind and name, numbers of nodes and parts, the box around it."""
    nodes: Array = mesh.nodes
    sizes = np.ptp(nodes, axis=0) if len(nodes) else np.zeros(3)
    box = " x ".join(f"{size:.4g}" for size in sizes)
    called = f" {name!r}" if name else ""
    return f"<{type(mesh).__name__}{called}: {len(nodes)} nodes, {parts}, {box} m>"
