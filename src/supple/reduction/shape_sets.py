"""Choices of shapes for a component: normal modes, Craig and Bampton, static deflections.

A choice is a value of a body's ``modes``. It returns shapes in nodal coordinates; the reduction
takes out the rigid motion that the body's frame follows, and makes modes of what is left. How to
add one is in CONTRIBUTING.md, "A set of shapes".
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import Vector, set_fields
from supple.reduction.modes import REFERENCES, Reference
from supple.reduction.problem import Problem

NONE_OR_MORE = "zero or a positive integer"


class ShapeSet(ABC):
    """Shapes of a component that span its elastic coordinates."""

    @abstractmethod
    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Nodal coordinates (size, m) of the shapes; rigid motions may be among them."""


@dataclass(frozen=True, init=False)
class NormalModes(ShapeSet):
    """The lowest normal modes.

    Parameters
    ----------
    n : int
        Their number.
    reference : "clamped", "chord" or "mean_axis", optional
        How the body is held while it vibrates; like its own frame by default. A body on two hinges
        may have a clamped frame and the modes of ``reference="chord"``.
    """

    n: int
    reference: Reference | None

    def __init__(self, n: int, reference: Reference | None = None) -> None:
        if reference is not None:
            reference = validate.choice("NormalModes", "reference", reference, REFERENCES)
        set_fields(
            self, n=validate.integer("NormalModes", "n", n, 0, NONE_OR_MORE), reference=reference
        )

    def check(self, owner: str, problem: Problem) -> None:
        """Refuse more modes than there are."""
        _expect_at_most(owner, self.n, len(problem.kept(self.reference)), "elastic coordinates")

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Modes under the chosen condition."""
        self.check(owner, problem)
        return problem.normal_modes(self.n, self.reference)[1]


@dataclass(frozen=True, init=False)
class CraigBampton(ShapeSet):
    """Constraint modes of interfaces and normal modes between them.

    Every displacement and rotation of the interfaces is kept exactly, as statics; dynamics between
    them as far as the lowest modes with fixed interfaces describe it. R. R. Craig and M. C. C.
    Bampton, Coupling of substructures for dynamic analyses, AIAA Journal 6 (1968) 1313-1319.

    Parameters
    ----------
    interfaces : sequence of places
        Where joints and forces act: stations of a beam that are nodes, names of a frame's nodes,
        names of a mesh body's interfaces.
    n : int
        Number of modes with fixed interfaces.
    """

    interfaces: tuple[Any, ...]
    n: int

    def __init__(self, interfaces: Sequence[Any], n: int) -> None:
        expected = "a sequence of different places"
        places = tuple(validate.listed("CraigBampton", "interfaces", interfaces, expected))
        known = all(isinstance(place, (str, numbers.Real)) for place in places)
        if not places or not known or len(set(places)) < len(places):
            raise ModelError("CraigBampton", "interfaces", interfaces, expected)
        set_fields(
            self, interfaces=places, n=validate.integer("CraigBampton", "n", n, 0, NONE_OR_MORE)
        )

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Constraint modes, six for each interface, and modes with fixed interfaces."""
        from supple.reduction.eigen import part

        held = np.concatenate([problem.coordinates(place) for place in self.interfaces])
        held = np.intersect1d(held, problem.free)
        inner = np.setdiff1d(problem.free, held)
        _expect_at_most(owner, self.n, len(inner), "coordinates between its interfaces")
        fixed = problem.modes_of(inner, self.n)[1]
        constraint = np.zeros((problem.size, len(held)))
        constraint[held] = np.eye(len(held))
        if len(inner):
            K = problem.mesh.stiffness_matrix
            coupling = part(K, inner, held)
            coupling = coupling if isinstance(coupling, np.ndarray) else coupling.toarray()
            constraint[inner] = -problem.solve(inner, coupling)
        return np.hstack([constraint, fixed])


@dataclass(frozen=True, init=False)
class AttachmentModes(ShapeSet):
    """The lowest normal modes, and static shapes for everything that is attached in the model.

    The shapes are deflections of the body in its frame under a force and a torque along each axis
    at every place where a joint, a constraint or a force acts, and under its own inertia in rigid
    accelerations, its weight among them: statics are exact, however the body is held. What is
    attached is found when the model is compiled; a place need not be a node.

    Parameters
    ----------
    n : int
        Number of normal modes in the body's frame.
    """

    n: int

    def __init__(self, n: int) -> None:
        set_fields(self, n=validate.integer("AttachmentModes", "n", n, 0, NONE_OR_MORE))

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Modes in the frame, and at most six shapes for each place and for accelerations."""
        _expect_at_most(owner, self.n, len(problem.kept()), "elastic coordinates")
        inertia = problem.mesh.mass_matrix @ problem.rigid
        loads = np.hstack([inertia, *(rows.T for rows in problem.attached)])
        return np.hstack([problem.normal_modes(self.n)[1], problem.static(loads)])


@dataclass(frozen=True, eq=False, init=False)
class PointLoadPattern:
    """A load at a place of a body, for `StaticShapes`: force (3,) in N and torque (3,) in N m.

    The place is a station of a beam, the name of a frame's node or of a mesh body's interface; the
    axes are those of the body.
    """

    place: Any
    force: Vector
    torque: Vector

    def __init__(
        self, place: Any, force: ArrayLike = (0.0, 0.0, 0.0), torque: ArrayLike = (0.0, 0.0, 0.0)
    ) -> None:
        named = isinstance(place, str) and place != ""
        if not named and (isinstance(place, bool) or not isinstance(place, numbers.Real)):
            expected = "a station (m) of a beam, or the name of a node or of an interface"
            raise ModelError("PointLoadPattern", "place", place, expected)
        set_fields(
            self,
            place=place if named else validate.number("PointLoadPattern", "place", place),
            force=validate.vector("PointLoadPattern", "force", force),
            torque=validate.vector("PointLoadPattern", "torque", torque),
        )
        if not (self.force.any() or self.torque.any()):
            raise ModelError(
                "PointLoadPattern", "force", force, "a force or a torque that is not zero"
            )

    def vector(self, problem: Problem) -> Vector:
        """Nodal load (size,)."""
        load = np.concatenate([self.force, self.torque])
        return np.asarray(problem.rows(self.place).T @ load)


@dataclass(frozen=True, eq=False, init=False)
class WeightPattern:
    """Weight of the body in a direction (3,) of its own axes, for `StaticShapes`."""

    direction: Vector

    def __init__(self, direction: validate.Axis) -> None:
        set_fields(self, direction=validate.axis("WeightPattern", "direction", direction))

    def vector(self, problem: Problem) -> Vector:
        """Nodal load (size,)."""
        translation: Vector = problem.rigid[:, :3] @ self.direction
        return np.asarray(problem.mesh.mass_matrix @ translation)


@dataclass(frozen=True, init=False)
class StaticShapes(ShapeSet):
    """Deflections under loads: the body in its frame, bent by each of them.

    Parameters
    ----------
    loads : sequence of PointLoadPattern or WeightPattern
        One shape for each. Only directions matter: amplitudes are the coordinates.
    """

    loads: tuple[PointLoadPattern | WeightPattern, ...]

    def __init__(self, loads: Sequence[PointLoadPattern | WeightPattern]) -> None:
        expected = "PointLoads and WeightLoads"
        try:
            given = tuple(loads)
        except TypeError:
            raise ModelError("StaticShapes", "loads", loads, expected) from None
        if not given or not all(isinstance(x, (PointLoadPattern, WeightPattern)) for x in given):
            raise ModelError("StaticShapes", "loads", loads, expected)
        set_fields(self, loads=given)

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """One deflection for each load."""
        return problem.static(np.stack([load.vector(problem) for load in self.loads], axis=1))


def _expect_at_most(owner: str, n: int, available: int, what: str) -> None:
    if n > available:
        raise ModelError(owner, "n of its modes", n, f"at most {available}, the number of {what}")
