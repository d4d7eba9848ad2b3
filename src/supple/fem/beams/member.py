"""Member: one straight beam of a frame structure, between two nodes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from supple.fem.base.material import Material
from supple.fem.beams.line import THEORIES, Theory
from supple.fem.sections.sections import CrossSection, Profile, TaperedSection
from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError, describe
from supple.foundation.validate import set_fields

Node = int | str
# Below this sine of the angle to the axis a direction cannot say where the section's y is.
ALONG = 1e-6


@dataclass(frozen=True, eq=False, init=False)
class Member:
    """A straight beam between two nodes of a frame structure.

    Parameters
    ----------
    start, end : name or number of a node
        Its axis x goes from ``start`` to ``end``.
    section : Box, Rectangle, Circle, Tube, ISection, Section or TaperedSection
    material : Material
    elements : int
        Number of equal finite elements.
    y : (3,), optional
        Direction, in the axes of the body, towards which the section's y lies, as far as it is
        normal to the axis. By default it is the body's y, for a member along y the body's -x: as if
        a beam along x had been turned.
    roll : rad
        Turns the section about its axis, from there.
    start_offset, end_offset : (3,) m
        From the node to the end of the axis, in the axes of the body: a rigid arm without mass.
    theory : "euler_bernoulli" or "timoshenko"
    rotary_inertia : bool
        Off: the mass is on the axis.
    """

    start: Node
    end: Node
    section: Profile
    material: Material
    elements: int
    y: Vector | None
    roll: float
    start_offset: Vector
    end_offset: Vector
    theory: Theory
    rotary_inertia: bool

    def __init__(
        self,
        start: Node,
        end: Node,
        section: Profile,
        material: Material,
        elements: int = 1,
        y: ArrayLike | None = None,
        roll: float = 0.0,
        start_offset: ArrayLike = (0.0, 0.0, 0.0),
        end_offset: ArrayLike = (0.0, 0.0, 0.0),
        theory: Theory = "euler_bernoulli",
        rotary_inertia: bool = True,
    ) -> None:
        owner = f"Member {describe(start)}-{describe(end)}"
        if not isinstance(section, (CrossSection, TaperedSection)):
            raise ModelError(owner, "section", section, "a section, e.g. Tube(0.05, 0.003)")
        if not isinstance(material, Material):
            raise ModelError(owner, "material", material, "a Material(E=..., G=..., density=...)")
        if not isinstance(rotary_inertia, bool):
            raise ModelError(owner, "rotary_inertia", rotary_inertia, "True or False")
        for field, node in (("start", start), ("end", end)):
            known = isinstance(node, (str, int, np.integer)) and not isinstance(node, bool)
            if not known or node == "":
                raise ModelError(owner, field, node, "the name or number of a node")
        if start == end:
            raise ModelError(owner, "end", end, "another node than start")
        set_fields(
            self,
            start=start,
            end=end,
            section=section,
            material=material,
            elements=validate.element_count(owner, elements),
            y=None if y is None else validate.axis(owner, "y", y),
            roll=validate.number(owner, "roll", roll),
            start_offset=validate.vector(owner, "start_offset", start_offset),
            end_offset=validate.vector(owner, "end_offset", end_offset),
            theory=validate.choice(owner, "theory", theory, THEORIES),
            rotary_inertia=rotary_inertia,
        )
        if self.theory == "timoshenko":
            for s in (0.0, 1.0):  # a section without shear coefficients is refused here
                self.section.at(s).shear_coefficients(self.material.poisson)

    def axes(self, along: Vector) -> Vector:
        """Axes (3, 3) of the section for an axis along a vector: maps them to those of the body."""
        x = along / np.linalg.norm(along)
        towards: Any = self.y
        if towards is None:
            towards = np.array([0.0, 1.0, 0.0])
            if np.hypot(x[0], x[2]) < ALONG:
                towards = np.array([-1.0 if x[1] > 0.0 else 1.0, 0.0, 0.0])
        y = towards - x * (x @ towards)
        if np.linalg.norm(y) < ALONG:
            owner = f"Member {self.start!r}-{self.end!r}"
            raise ModelError(owner, "y", self.y, "a direction that is not along its axis")
        y = y / np.linalg.norm(y)
        z = np.cross(x, y)
        c, s = np.cos(self.roll), np.sin(self.roll)
        return np.stack([x, c * y + s * z, c * z - s * y], axis=1)
