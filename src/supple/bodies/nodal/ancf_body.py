"""Base of bodies without a frame: their coordinates are nodal vectors in the world."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

from supple.bodies.base.flexible import damping_choice, strain_damping
from supple.fem.base.damping import KelvinVoigt, Rayleigh
from supple.fem.base.material import Material
from supple.fem.drawn.surface import DrawnMesh
from supple.fem.nodal.ancf_beam import AXES_FROM, SectionAxes
from supple.fem.nodal.ancf_mesh import ANCFMesh
from supple.foundation import validate
from supple.foundation.arrays import Indices, Vector
from supple.foundation.errors import ModelError
from supple.foundation.frames import Body, Discretisation, Frame, ViewName
from supple.foundation.poses import Pose

if TYPE_CHECKING:
    from scipy import sparse

MATERIAL = "a Material(E=..., G=..., density=...)"
MOST_ELEMENTS = 100_000


class ANCFBody(Body):
    """A body whose coordinates are nodal vectors in the world.

    The engine asks for ``mesh`` (nodes, elements, mass: nodal vectors on the axes of the body as
    it is placed by ``position`` and ``rotation``), for the ``node`` of a frame, and for
    ``node_pose``. A node has the axes that Gram and Schmidt make of two of its gradients, those
    that its ``mesh`` names.
    """

    discretisation: ClassVar[Discretisation] = "nodal_vectors"
    view: ClassVar[ViewName] = "vectors"

    @property
    @abstractmethod
    def mesh(self) -> ANCFMesh:
        """Elements, with nodal vectors (nodes, V, d) at rest on the axes of the body."""

    @property
    @abstractmethod
    def turns(self) -> bool:
        """True if its nodes have axes, so that frames on it turn with it."""

    @abstractmethod
    def node(self, frame: Frame) -> int:
        """Number of the node at which a frame is; a place between nodes is refused."""

    @abstractmethod
    def node_pose(self, node: int) -> Pose:
        """Place and axes of a node at rest, on the axes of the body."""

    @abstractmethod
    def shown_vectors(self, frame: Frame) -> tuple[Indices, Vector]:
        """Numbers (K,) of nodal vectors, and rows (n, K) that give r and gradients at a frame."""

    @abstractmethod
    def drawn(self) -> tuple[DrawnMesh, sparse.csr_array]:
        """Mesh at rest for pictures, and rows (p, n) of its points from nodal vectors."""


def damping_times(owner: str, damping: Any, material: Material) -> tuple[float, float]:
    """Viscosities beside E and G in units of these (s), of damping that rates of strain have."""
    damping_choice(owner, damping)
    strain_damping(owner, damping, "with elements over nodal vectors")
    if isinstance(damping, KelvinVoigt):
        return damping.factors(material.E, material.G)
    time = damping.stiffness if isinstance(damping, Rayleigh) else 0.0
    return time, time


def given_axes(owner: str, element: str, axes: Any) -> SectionAxes | None:
    """Check what frames of a beam turn with; None is what its element bends by."""
    if axes is None:
        return None
    chosen: SectionAxes = validate.choice(owner, "axes", axes, tuple(AXES_FROM))
    if chosen == "section" and element != "continuum":
        expected = f"'tangent', because element {element!r} bends where its tangent turns"
        raise ModelError(owner, "axes", axes, expected)
    return chosen
