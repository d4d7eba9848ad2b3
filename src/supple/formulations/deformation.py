"""DeformationModes: beams and frame structures in parts with deformations as coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from supple.bodies.discretisation import in_segments
from supple.formulations.base import Formulation, rewritten
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.frames import SegmentOptions
from supple.graph.tree_choice import Tree

if TYPE_CHECKING:
    from supple.model import Model

OWNER = "DeformationModes"


@dataclass(frozen=True)
class DeformationModes(Formulation):
    """Joint coordinates with all beams and frame structures cut into parts (SPACAR; Jonker 1989).

    A beam without ``parts`` has as many as ``elements``, whatever its modes and frame of reference;
    its own frame is then its section at the origin. The quadratic term of Jonker's elongation is
    the beam's stiffening "second_order". Members of a `FrameStructure` are cut in the same way, and
    so is an `ANCFBeam` of the usual elements. Rigid bodies, cables and other bodies with nodal
    vectors stay as they are; other flexible bodies cannot be cut and are refused.

    Parameters
    ----------
    elongation, twist : bool
        Off: parts are undeformable in that way and have no coordinate for it.
    mass : "consistent", "undeformed" or "lumped"
        Distributed along a part, exact for its shapes (4.28); the same without all terms linear in
        the deformations (4.29), which is no longer exact in its energy; or at its two ends.
    refinement : int
        So many equal parts take the place of each one: for studies of convergence.
    """

    elongation: bool = True
    twist: bool = True
    mass: Literal["consistent", "undeformed", "lumped"] = "consistent"
    refinement: int = 1

    def __post_init__(self) -> None:
        for field in ("elongation", "twist"):
            if not isinstance(getattr(self, field), bool):
                raise ModelError(OWNER, field, getattr(self, field), "True or False")
        validate.choice(OWNER, "mass", self.mass, ("consistent", "undeformed", "lumped"))
        validate.integer(OWNER, "refinement", self.refinement, 1, "a positive whole number")

    def tree(self, model: Model) -> Tree | None:
        """No choice: the compiler's."""
        return None

    def written(self, model: Model) -> Model:
        """The model with all its beams and frame structures cut."""
        options = SegmentOptions(self.elongation, self.twist, self.mass, self.refinement)
        return rewritten(model, lambda body: in_segments(body, options))
