"""Formulation: a choice of coordinates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from supple.engine.sparsity.solver_choice import Linear
from supple.formulations.equations import Equations
from supple.foundation.frames import Body
from supple.graph.tree_choice import Tree
from supple.loops.assembly import compile_model

if TYPE_CHECKING:
    from supple.model import Model


def rewritten(model: Model, write: Callable[[Body], Body]) -> Model:
    """A copy of the model with each body as ``write`` returns it."""
    other = model.copy()
    for name in model.bodies:
        body = cast("Body", model[name])
        new = write(body)
        if new is not body:
            other._put(new)
    return other


@dataclass(frozen=True)
class Formulation(ABC):
    """A choice of coordinates, which is a choice of the spanning tree of the model's graph.

    Joints of the tree bring coordinates, joints outside it constraint rows; the equations, forces
    and results are the same.
    """

    @abstractmethod
    def tree(self, model: Model) -> Tree | None:
        """Names of the tree's joints and of free bodies, None for the tree of fewest velocities."""

    def written(self, model: Model) -> Model:
        """The model with its bodies as they are written here; as a rule itself."""
        return model

    def coordinates(self) -> Formulation | None:
        """Coordinates of the model as it is written here; None for joint coordinates."""
        return None

    def way(self) -> Linear | None:
        """Solver of accelerations; as a rule None, chosen by counting."""
        return None

    def equations(self, model: Model) -> Equations:
        """Equations of motion with their own workspace."""
        model = self.written(model)
        return Equations(compile_model(model, tree=self.tree(model), linear=self.way()))
