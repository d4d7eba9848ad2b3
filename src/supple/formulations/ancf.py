"""ANCF: beams with nodal vectors in the world in the place of floating frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from supple.bodies.discretisation import in_nodal_vectors
from supple.formulations.base import Formulation, rewritten
from supple.formulations.trees import Absolute
from supple.foundation import validate
from supple.graph.tree_choice import Tree

if TYPE_CHECKING:
    from supple.model import Model


@dataclass(frozen=True)
class ANCF(Formulation):
    """Joint coordinates with every `Beam` as an `ANCFBeam`: places and gradients of its nodes.

    Deflections of any size are exact but for the number of elements. Rigid bodies stay as they are;
    flexible bodies that are no beams, beams of Timoshenko and beams without rotary inertia are
    refused.

    Parameters
    ----------
    elements : int
        Of each beam; places that the model uses become nodes too.
    absolute : bool
        Rigid bodies move freely, and joints are constraints, as with `Absolute`; `EnergyScheme`
        needs that.
    """

    elements: int = 8
    absolute: bool = False

    def __post_init__(self) -> None:
        validate.integer("ANCF", "elements", self.elements, 1, "a positive whole number")
        validate.flag("ANCF", "absolute", self.absolute)

    def coordinates(self) -> Formulation | None:
        """Absolute coordinates of the rigid bodies, or None."""
        return Absolute() if self.absolute else None

    def tree(self, model: Model) -> Tree | None:
        """Free bodies with ``absolute``; otherwise the compiler's choice."""
        return Absolute().tree(model) if self.absolute else None

    def written(self, model: Model) -> Model:
        """The model with all its beams written anew."""
        return rewritten(model, lambda body: in_nodal_vectors(body, self.elements))
