"""Choices of shapes for a component: normal modes, Craig and Bampton, static deflections.

A choice is a value of a body's ``modes``. It returns shapes in nodal coordinates; the reduction
takes out the rigid motion that the body's frame follows, and makes modes of what is left. How to
add one is in CONTRIBUTING.md, "A set of shapes".
"""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, choice, declared, unit_vector, vector
from supple.foundation.validate import Axis
from supple.reduction.modes import Reference
from supple.reduction.problem import Problem

NONE_OR_MORE = "zero or a positive integer"


class ShapeSet(ABC):
    """Shapes of a component that span its elastic coordinates."""

    @abstractmethod
    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Nodal coordinates (size, m) of the shapes; rigid motions may be among them."""


@declared(eq=True)
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

    n: int = checked(validate.integer, least=0, expected=NONE_OR_MORE)
    reference: Reference | None = choice(default=None)

    def check(self, owner: str, problem: Problem) -> None:
        """Refuse more modes than there are."""
        _expect_at_most(owner, self.n, len(problem.kept(self.reference)), "elastic coordinates")

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Modes under the chosen condition."""
        self.check(owner, problem)
        return problem.normal_modes(self.n, self.reference)[1]


def _places(owner: str, field: str, value: Any) -> tuple[Any, ...]:
    expected = "a sequence of different places"
    places = tuple(validate.listed(owner, field, value, expected))
    known = all(isinstance(place, (str, numbers.Real)) for place in places)
    if not places or not known or len(set(places)) < len(places):
        raise ModelError(owner, field, value, expected)
    return places


@declared(eq=True)
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

    interfaces: Given[Sequence[Any], tuple[Any, ...]] = checked(_places)
    n: int = checked(validate.integer, least=0, expected=NONE_OR_MORE)

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


@declared(eq=True)
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

    n: int = checked(validate.integer, least=0, expected=NONE_OR_MORE)

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """Modes in the frame, and at most six shapes for each place and for accelerations."""
        _expect_at_most(owner, self.n, len(problem.kept()), "elastic coordinates")
        inertia = problem.mesh.mass_matrix @ problem.rigid
        loads = np.hstack([inertia, *(rows.T for rows in problem.attached)])
        return np.hstack([problem.normal_modes(self.n)[1], problem.static(loads)])


def _place(owner: str, field: str, value: Any) -> Any:
    named = isinstance(value, str) and value != ""
    if not named and (isinstance(value, bool) or not isinstance(value, numbers.Real)):
        expected = "a station (m) of a beam, or the name of a node or of an interface"
        raise ModelError(owner, field, value, expected)
    return value if named else validate.number(owner, field, value)


@declared
class PointLoadPattern:
    """A load at a place of a body, for `StaticShapes`: force (3,) in N and torque (3,) in N m.

    The place is a station of a beam, the name of a frame's node or of a mesh body's interface; the
    axes are those of the body.
    """

    place: Any = checked(_place)
    force: Given[ArrayLike, Vector] = vector("N", default=(0.0, 0.0, 0.0))
    torque: Given[ArrayLike, Vector] = vector("N m", default=(0.0, 0.0, 0.0))

    def _check(self, owner: str) -> None:
        if not (self.force.any() or self.torque.any()):
            raise ModelError(owner, "force", self.force, "a force or a torque that is not zero")

    def vector(self, problem: Problem) -> Vector:
        """Nodal load (size,)."""
        load = np.concatenate([self.force, self.torque])
        return np.asarray(problem.rows(self.place).T @ load)


@declared
class WeightPattern:
    """Weight of the body in a direction (3,) of its own axes, for `StaticShapes`."""

    direction: Given[Axis, Vector] = unit_vector()

    def vector(self, problem: Problem) -> Vector:
        """Nodal load (size,)."""
        translation: Vector = problem.rigid[:, :3] @ self.direction
        return np.asarray(problem.mesh.mass_matrix @ translation)


LoadPattern = PointLoadPattern | WeightPattern


def _loads(owner: str, field: str, value: Any) -> tuple[LoadPattern, ...]:
    expected = "PointLoads and WeightLoads"
    loads = tuple(validate.listed(owner, field, value, expected))
    if not loads or not all(isinstance(x, LoadPattern) for x in loads):
        raise ModelError(owner, field, value, expected)
    return loads


@declared(eq=True)
class StaticShapes(ShapeSet):
    """Deflections under loads: the body in its frame, bent by each of them.

    Parameters
    ----------
    loads : sequence of PointLoadPattern or WeightPattern
        One shape for each. Only directions matter: amplitudes are the coordinates.
    """

    loads: Given[Sequence[LoadPattern], tuple[LoadPattern, ...]] = checked(_loads)

    def shapes(self, owner: str, problem: Problem) -> Vector:
        """One deflection for each load."""
        return problem.static(np.stack([load.vector(problem) for load in self.loads], axis=1))


def _expect_at_most(owner: str, n: int, available: int, what: str) -> None:
    if n > available:
        raise ModelError(owner, "n of its modes", n, f"at most {available}, the number of {what}")
