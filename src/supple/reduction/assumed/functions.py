"""Assumed shapes as polynomials and as functions of the user; see `reduction.assumed.shapes`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import Given, checked, declared
from supple.foundation.validate import set_fields
from supple.reduction.assumed.shapes import (
    PLANES,
    AssumedShapes,
    Field,
    Functions,
    Plane,
    planes_of,
)
from supple.reduction.modes import Reference

FRAMES: tuple[Reference, ...] = ("clamped", "chord")
# Degrees of the series that stands for a function of the user, and how small its end must be.
DEGREES, SMALL = (16, 32, 64, 128), 1e-13
# How far a function may be from what its frame asks for, in units of its largest value.
AT_END = 1e-9


@dataclass(frozen=True, eq=False)
class Series(Functions):
    """Polynomials on 0..1, as series of Chebyshev."""

    series: tuple[Chebyshev, ...]

    @property
    def count(self) -> int:  # type: ignore[override]
        """Number of functions."""
        return len(self.series)

    def values(self, s: float, derivative: int = 0) -> Vector:
        """Values (count,) at s, or a derivative with respect to s."""
        return np.array([float(f.deriv(derivative)(s)) for f in self.series])

    @property
    def points(self) -> int:
        """Gauss points for products of two."""
        return max(f.degree() for f in self.series) + 1


class SeriesShapes(AssumedShapes):
    """Assumed shapes that are polynomials, for a frame of their own."""

    reference: Reference

    @property
    def references(self) -> tuple[Reference, ...]:  # type: ignore[override]
        """Frames in which the functions contain no rigid motion."""
        return (self.reference,)

    def load_points(self, order: int) -> int:
        """Gauss points for a load along the beam, where cubics would need ``order``."""
        return order + max(f.points for f in self.fields.values()) // 2


@declared(eq=True)
class PolynomialShapes(SeriesShapes):
    """Polynomials along a beam that suit its frame.

    In a clamped frame ``v = s^2 P_i(s)``, in one through both ends ``v = s (1 - s) P_i(s)``, with
    s = x / L and Legendre's polynomials P_i of degree i - 1 on 0..1, so that many of them stay
    independent. Extension and twist are ``s P_i(s)``.

    Parameters
    ----------
    n : int
        Number of functions in each plane.
    planes : of "y" and "z"
        Axes of the body along which the beam bends; both by default.
    axial, twist : int
        Number of functions for extension and for twist, none by default.
    reference : "clamped" or "chord"
        The frame of the beam.
    """

    reason: ClassVar[str] = "its functions vanish as that frame asks for"

    n: int = checked(validate.count, least=1)
    planes: Given[Sequence[Plane], tuple[Plane, ...]] = checked(planes_of, default=("y", "z"))
    axial: int = checked(validate.count, default=0, least=0)
    twist: int = checked(validate.count, default=0, least=0)
    reference: Reference = checked(validate.choice, default="clamped", options=FRAMES)

    @property
    def fields(self) -> dict[Field, Functions]:
        """Functions of each field."""
        bent = (0.0, 0.0, 1.0) if self.reference == "clamped" else (0.0, 1.0, -1.0)
        found: dict[Field, Functions] = {PLANES[p]: _legendre(self.n, bent) for p in self.planes}
        if self.axial:
            found["u"] = _legendre(self.axial, (0.0, 1.0))
        if self.twist:
            found["tx"] = _legendre(self.twist, (0.0, 1.0))
        return found


@dataclass(frozen=True, init=False)
class UserShapes(SeriesShapes):
    """Functions of the user along a beam.

    Parameters
    ----------
    v, w : sequences of functions of s
        Displacements along y and z for s = x / L from 0 to 1.
    u, tx : sequences of functions of s
        Displacement along x and twist.
    reference : "clamped" or "chord"
        The frame of the beam. A clamped one needs functions that vanish at s = 0, v and w with
        their slopes; one through both ends needs v and w that vanish at both, u and tx at s = 0.

    The functions must be smooth: they are replaced by series of Chebyshev, to rounding, which have
    exact derivatives.
    """

    reason: ClassVar[str] = "they were made for it"

    series: dict[Field, tuple[Chebyshev, ...]]
    reference: Reference

    def __init__(
        self,
        v: Sequence[Callable[[float], float]] = (),
        w: Sequence[Callable[[float], float]] = (),
        u: Sequence[Callable[[float], float]] = (),
        tx: Sequence[Callable[[float], float]] = (),
        reference: Reference = "clamped",
    ) -> None:
        reference = validate.choice("UserShapes", "reference", reference, FRAMES)
        given: dict[Field, Any] = {"u": u, "v": v, "w": w, "tx": tx}
        found: dict[Field, tuple[Chebyshev, ...]] = {}
        for field, functions in given.items():
            listed = validate.listed("UserShapes", field, functions, "a sequence of functions")
            fitted = tuple(_fitted(field, f) for f in listed)
            for k, f in enumerate(fitted):
                _check_ends(f"{field}[{k}]", f, field in ("v", "w"), reference)
            if fitted:
                found[field] = fitted
        if not found:
            raise ModelError("UserShapes", "v", v, "at least one function of v, w, u or tx")
        set_fields(self, series=found, reference=reference)

    @property
    def fields(self) -> dict[Field, Functions]:
        """Functions of each field."""
        return {field: Series(series) for field, series in self.series.items()}

    def __repr__(self) -> str:
        """Numbers of functions instead of the functions."""
        parts = [f"{field}: {len(series)}" for field, series in self.series.items()]
        return f"UserShapes({', '.join(parts)})"


@lru_cache(maxsize=64)  # a beam asks for them at every place
def _legendre(count: int, factor: tuple[float, ...]) -> Series:
    from numpy.polynomial import Legendre

    outer = Polynomial(factor, domain=[0.0, 1.0], window=[0.0, 1.0]).convert(
        kind=Chebyshev, domain=[0.0, 1.0]
    )
    inner = (Legendre.basis(i, domain=[0.0, 1.0]) for i in range(count))
    return Series(tuple(outer * f.convert(kind=Chebyshev, domain=[0.0, 1.0]) for f in inner))


def _fitted(field: str, function: Any) -> Chebyshev:
    expected = "a smooth function of s from 0 to 1 that returns a number"
    for degree in DEGREES:
        try:
            fit = Chebyshev.interpolate(
                lambda s: np.array([float(function(float(x))) for x in s]), degree, [0.0, 1.0]
            )
        except (TypeError, ValueError, ArithmeticError) as problem:
            raise ModelError("UserShapes", field, function, expected) from problem
        size = np.abs(fit.coef)
        if not np.all(np.isfinite(size)):
            break
        if size[-2:].max() <= SMALL * size.max() and size.max() > 0.0:
            return fit.trim(SMALL * size.max())
    raise ModelError("UserShapes", field, function, expected)


def _check_ends(name: str, f: Chebyshev, bends: bool, reference: Reference) -> None:
    largest = float(np.abs(f(np.linspace(0.0, 1.0, 201))).max())
    asked = [("value at s = 0", f(0.0))]
    if bends and reference == "clamped":
        asked.append(("slope at s = 0", f.deriv()(0.0)))
    elif bends:
        asked.append(("value at s = 1", f(1.0)))
    for what, value in asked:
        if abs(value) > AT_END * largest * max(f.degree(), 1) ** 2:
            expected = f"0 with reference {reference!r}"
            raise ModelError("UserShapes", f"{what} of {name}", float(value), expected)
