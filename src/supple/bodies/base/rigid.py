"""Rigid bodies, point masses on them, and the ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from supple.bodies.shapes.shape import (
    Shape,
    given_shape,
    inertia_box,
    shape_surface,
)
from supple.fem.drawn.surface import Surface
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.cached import cached_property
from supple.foundation.errors import ModelError, label
from supple.foundation.fields import checked, declared, named, positive
from supple.foundation.frames import Body, Discretisation, Frame, expect_body_frame
from supple.foundation.validate import read_only, set_fields

# Rounding of the shift between origin and centre of mass must not look like wrong physics.
INERTIA_TOLERANCE = 1e-9
# Data sheets round principal moments; only a clear excess is worth a warning.
TRIANGLE_TOLERANCE = 1e-6
FAR = 100.0  # m: few rigid bodies are larger


@dataclass(frozen=True, eq=False, init=False)
class Ground(Body):
    """The fixed world: the root of every model, with the world's origin and axes."""

    def __init__(self) -> None:
        set_fields(self, name="ground")
        self._placed((0.0, 0.0, 0.0), None)

    @property
    def deforms(self) -> bool:
        """The ground does not deform."""
        return False

    def __repr__(self) -> str:
        """Show the ground without fields: it has none that vary."""
        return "Ground()"


@dataclass(frozen=True, eq=False, init=False)
class RigidBody(Body):
    """A body that does not deform.

    Parameters
    ----------
    name : str
        Unique in its model.
    mass : kg
        Positive.
    com : (3,) m
        Centre of mass in the body's own frame.
    inertia : kg m2
        One number (all three moments), 3 moments, 6 entries xx yy zz xy xz yz of the matrix (the
        off-diagonal ones as they stand in it: minus the integral of x y dm), or the 3x3 matrix;
        in the body's axes. Stored as the matrix.
    inertia_about : "com" or "origin"
        The point that ``inertia`` refers to.
    position, rotation : (3,) m; (3, 3), (4,) or (3,)
        Place and axes of its own frame in the world as the model is written; for `at_world`.
    shape : Cuboid, Cylinder, Sphere or MeshShape, or several, optional
        How it is drawn, in its own axes. Looks only: no mass follows from it. Without one, pictures
        show the box that has its mass and inertia, and bars from there to its joints.
    """

    discretisation: ClassVar[Discretisation] = "rigid"

    mass: float
    com: Vector
    inertia: Vector
    inertia_about: Literal["com", "origin"]
    shape: Shape | tuple[Shape, ...] | None = field(repr=False)

    def __init__(
        self,
        name: str,
        mass: float,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike = 0.0,
        inertia_about: Literal["com", "origin"] = "com",
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        shape: Shape | Sequence[Shape] | None = None,
    ) -> None:
        set_fields(self, name=validate.name("RigidBody", name))
        self._placed(position, rotation)
        owner = label(self)
        set_fields(
            self,
            shape=given_shape(owner, shape),
            mass=validate.positive(owner, "mass", mass),
            com=validate.vector(owner, "com", com),
            inertia=_inertia_matrix(owner, inertia),
            inertia_about=validate.choice(owner, "inertia_about", inertia_about, ("com", "origin")),
        )
        far = math.hypot(*self.com.tolist())
        if not math.isfinite(self.mass * far * far):
            raise ModelError(owner, "com", com, "a place that gives a finite moment of inertia")
        moments = self.principal_moments.tolist()
        if not moments[0] >= 0.0:
            scale = max(np.abs(self.inertia).max(), np.abs(self.parallel_axes).max())
            if moments[0] < -INERTIA_TOLERANCE * scale:
                shown = ", ".join(f"{m:g}" for m in moments)
                expected = "no negative principal moment about the centre of mass"
                raise ModelError(owner, "inertia", inertia, f"{expected} (they are {shown})")

    @property
    def deforms(self) -> bool:
        """A rigid body does not deform."""
        return False

    @cached_property
    def typical_length(self) -> float:
        """Distance of the centre of mass, or the radius of gyration if that is larger, m."""
        entry, com = self.inertia_com.item, self.com
        gyration = (entry(0) + entry(4) + entry(8)) / (2.0 * self.mass)
        return math.sqrt(max(float(com.dot(com)), gyration, 0.0))

    @cached_property
    def parallel_axes(self) -> Vector:
        """Inertia (3, 3) that moving from the centre of mass to the origin adds, kg m2."""
        m, square = self.mass, float(np.dot(self.com, self.com))
        x, y, z = self.com.tolist()  # m (c.c 1 - c c^T), by numbers: quicker for so few
        xy, xz, yz = m * (0.0 - x * y), m * (0.0 - x * z), m * (0.0 - y * z)
        xx, yy, zz = m * (square - x * x), m * (square - y * y), m * (square - z * z)
        return read_only([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    @cached_property
    def inertia_com(self) -> Vector:
        """Inertia matrix (3, 3) about the centre of mass, body axes, kg m2."""
        if self.inertia_about == "com":
            return self.inertia
        return read_only(self.inertia - self.parallel_axes)

    @property
    def inertia_origin(self) -> Vector:
        """Inertia matrix (3, 3) about the body's origin, body axes, kg m2."""
        if self.inertia_about == "origin":
            return self.inertia
        return read_only(self.inertia + self.parallel_axes)

    @cached_property
    def principal_moments(self) -> Vector:
        """The three principal moments about the centre of mass, ascending, kg m2."""
        xx, xy, xz, _, yy, yz, _, _, zz = self.inertia_com.ravel().tolist()
        if xy == xz == yz == 0.0:
            return read_only(sorted((xx, yy, zz)))
        return read_only(np.linalg.eigvalsh(self.inertia_com))

    @property
    def spread_places(self) -> tuple[tuple[float, ...], ...]:
        """The mass centre."""
        return (tuple(self.com.tolist()),)

    def surface(self, point_masses: Sequence[tuple[float, float]] = ()) -> Surface:
        """Surface of its shape, or of the box with its inertia and bars to its joints."""
        if self.shape is not None:
            return shape_surface(self.shape)
        return replace(inertia_box(self.mass, self.inertia_com, self.com), hub=self.com)

    @property
    def triangle_excess(self) -> float:
        """Excess of the largest principal moment over the sum of the others, kg m2.

        Zero for every distribution of mass that can exist; positive when, for example, the
        inertia of a motor was lumped into one moment of the link.
        """
        small, middle, large = self.principal_moments.tolist()
        excess = large - (small + middle)
        if excess <= 0.0:
            return 0.0
        rounding = TRIANGLE_TOLERANCE * large + INERTIA_TOLERANCE * np.abs(self.parallel_axes).max()
        return float(excess) if excess > rounding else 0.0

    def suspicion(self) -> str | None:
        """Principal moments that no distribution of mass has."""
        excess = self.triangle_excess
        if excess == 0.0:
            return None
        small, middle, large = self.principal_moments
        return (
            f"{label(self)}: principal moments of inertia about the centre of mass are "
            f"{small:.4g}, {middle:.4g} and {large:.4g} kg m2, the largest exceeds the sum of the "
            f"others by {excess:.4g} kg m2, which breaks the triangle inequality of real bodies"
        )

    def hint(self) -> str | None:
        """A size of more than a hundred metres."""
        if self.typical_length <= FAR:
            return None
        reach = f"mass and inertia reach {self.typical_length:.3g} m from its origin"
        return f"{label(self)}: {reach}, expected less: lengths in mm?"


@declared
class PointMass:
    """A mass (kg, positive) without rotary inertia, fixed at a frame of a body."""

    name: str = named()
    frame: Frame = checked(expect_body_frame)
    mass: float = positive("kg")

    @property
    def frames(self) -> dict[str, Frame]:
        """The frames it uses, by field."""
        return {"frame": self.frame}


def _inertia_matrix(owner: str, value: Any) -> Vector:
    expected = "a number, 3 moments, 6 entries xx yy zz xy xz yz, or a 3x3 matrix"
    given = validate.array(owner, "inertia", value, expected)
    if given.shape == ():
        return read_only(float(given) * np.eye(3))
    if given.shape == (3,):
        return read_only(np.diag(given))
    if given.shape == (6,):
        xx, yy, zz, xy, xz, yz = given
        return read_only([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if given.shape != (3, 3):
        raise ModelError(owner, "inertia", value, expected)
    if np.abs(given - given.T).max() > INERTIA_TOLERANCE * np.abs(given).max():
        raise ModelError(owner, "inertia", value, "a symmetric matrix")
    return read_only(0.5 * (given + given.T))
