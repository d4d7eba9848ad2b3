"""Assumed shapes: functions along a beam that are its elastic coordinates, instead of a mesh.

A set of shapes gives functions to the fields u, v, w (displacements along x, y, z) and tx (twist).
How to add one is in CONTRIBUTING.md, "A set of shapes".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import pi
from typing import Any, ClassVar, Literal

import numpy as np

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared
from supple.reduction.modes import Reference

Field = Literal["u", "v", "w", "tx"]
Plane = Literal["y", "z"]
PLANES: dict[str, Field] = {"y": "v", "z": "w"}


class Functions(ABC):
    """Functions of a place s in 0..1 along a beam."""

    count: int

    @abstractmethod
    def values(self, s: float, derivative: int = 0) -> Vector:
        """Values (count,) at s, or their first or second derivative with respect to s."""

    @property
    @abstractmethod
    def points(self) -> int:
        """Gauss points on 0..1 that integrate a product of any two of them to rounding."""


@dataclass(frozen=True)
class SineFunctions(Functions):
    """``sin((i - shift) pi s)``, i = 1 ... count, with shift 0 or 1/2."""

    count: int
    shift: float = 0.0

    def values(self, s: float, derivative: int = 0) -> Vector:
        """Values (count,) or derivatives; whole waves vanish exactly at both ends."""
        number = np.arange(1, self.count + 1) - self.shift
        sign = np.ones(self.count)
        if self.shift == 0.0 and s > 0.5:  # from the other end: sin(i pi) would be 1e-16
            s = 1.0 - s
            sign[number % 2 == derivative % 2] = -1.0  # (-1)^(i + 1 + derivative)
        wave = np.cos if derivative % 2 else np.sin
        turned = -1.0 if derivative % 4 > 1 else 1.0
        return np.asarray(turned * sign * (number * pi) ** derivative * wave(number * pi * s))

    @property
    def points(self) -> int:
        """Enough for the fastest product.

        On -1..1 it is a wave of the argument a = pi count. The error of m Gauss points is of the
        size of the Bessel function J_2m(a), which falls below rounding for 2 m = 4 count + 32.
        """
        return 2 * self.count + 16


class AssumedShapes(ABC):
    """A set of functions for the fields of a beam, as a value of its ``modes``."""

    references: ClassVar[tuple[Reference, ...]]
    """Frames in which the functions contain no rigid motion."""
    reason: ClassVar[str]
    """Why no other frame suits them, as the end of a sentence."""

    @property
    @abstractmethod
    def fields(self) -> dict[Field, Functions]:
        """Functions of each field that is not zero."""

    @property
    def highest(self) -> int:
        """The largest number of functions of a field."""
        return max(functions.count for functions in self.fields.values())

    def load_points(self, order: int) -> int:
        """Gauss points for a load along the beam, where cubics would need ``order``.

        A function of number i is a wave of the argument pi i / 2 on -1..1; with 1.5 i points more
        than for a smooth load the error is below 1e-12 of it with ``order`` 4.
        """
        return 2 * order + (3 * self.highest + 1) // 2

    def check(self, owner: str, reference: Reference, rotary_inertia: bool) -> None:
        """Refuse a beam (``owner``) that these shapes do not suit."""
        if reference not in self.references:
            expected = " or ".join(repr(r) for r in self.references)
            expected += f" with {self!r}, because {self.reason}"
            raise ModelError(owner, "reference", reference, expected)
        if "tx" in self.fields and not rotary_inertia:
            raise ModelError(
                owner, "rotary_inertia", False, f"True with {self!r}, or twist has no inertia"
            )


def planes_of(owner: str, field: str, given: Any) -> tuple[Plane, ...]:
    """Planes of bending, in order; each may be named once."""
    found = list(np.atleast_1d(given)) if isinstance(given, np.ndarray) else given
    found = list(found) if isinstance(found, Iterable) else [found]
    try:
        known = set(found) <= set(PLANES)
    except TypeError:  # an entry that cannot be in a set
        known = False
    if not found or not known or len(set(found)) < len(found):
        raise ModelError(owner, field, given, "'y', 'z' or both")
    return tuple(sorted(found))


@declared(eq=True)
class SineShapes(AssumedShapes):
    """Sines along a beam whose frame goes through both ends: ``v = sum_i sin(i pi x / L) v_i``.

    These are the exact bending modes of a uniform beam on two pins.

    Parameters
    ----------
    n : int
        Number of sines in each plane.
    planes : of "y" and "z"
        Axes of the body along which the beam bends; both by default.
    axial, twist : int
        Number of functions ``sin((i - 1/2) pi x / L)`` for extension and for twist, none by
        default: then the beam is stiff in these directions.
    """

    references: ClassVar[tuple[Reference, ...]] = ("chord",)
    reason: ClassVar[str] = "sines turn both ends and move neither"

    n: int = checked(validate.count, least=1)
    planes: Given[Sequence[Plane], tuple[Plane, ...]] = checked(planes_of, default=("y", "z"))
    axial: int = checked(validate.count, default=0, least=0)
    twist: int = checked(validate.count, default=0, least=0)

    @property
    def fields(self) -> dict[Field, Functions]:
        """Whole waves for bending, quarter waves for extension and twist."""
        found: dict[Field, Functions] = {PLANES[p]: SineFunctions(self.n) for p in self.planes}
        if self.axial:
            found["u"] = SineFunctions(self.axial, 0.5)
        if self.twist:
            found["tx"] = SineFunctions(self.twist, 0.5)
        return found

    def __repr__(self) -> str:
        """As it is written down, without default values."""
        parts = [str(self.n)]
        if self.planes != tuple(PLANES):
            parts.append(f"planes={self.planes!r}")
        parts += [f"{w}={k}" for w, k in (("axial", self.axial), ("twist", self.twist)) if k]
        return f"SineShapes({', '.join(parts)})"
