"""Laws of contact: how hard bodies push each other, and how they rub."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from supple.foundation import validate
from supple.foundation.arrays import Vector
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    Given,
    checked,
    declared,
    not_negative,
    number,
    positive,
    unit_vector,
)
from supple.foundation.validate import Axis

LEAST_RESTITUTION = 1e-3
MINDLIN = 0.8  # stiffness along a surface over that across it: 2 (1 - nu)/(2 - nu), nu 0.3
SETTLING = 1e-3  # damping over stiffness of bristles, s


def _restitution(owner: str, field: str, value: Any) -> float:
    expected = f"a number from {LEAST_RESTITUTION:g} to 1"
    e = validate.number(owner, field, value, expected)
    if not LEAST_RESTITUTION <= e <= 1.0:
        raise ModelError(owner, field, value, expected)
    return e


def damping_of(restitution: float) -> float:
    """Damping a times speed for which N = k p^m (1 + a p') gives back that part of the speed.

    The solution x of ``x (1 + e) = ln((1 + x)/(1 - e x))``, for any mass, stiffness and exponent.
    It lies between (1 - e)/e, where both sides differ most, and 1/e.
    """
    e = restitution
    if e == 1.0:
        return 0.0
    low, high = (1.0 - e) / e, 1.0 / e
    while True:
        x = 0.5 * (low + high)
        if not low < x < high:
            return x
        rest = 1.0 - e * x
        if rest > 0.0 and math.log1p(x) - math.log(rest) < x * (1.0 + e):
            low = x
        else:
            high = x


@declared(init=False)
class ContactLaw:
    """Base of laws of the push N = k p^m (1 + a p') at the depth p, which never pulls.

    With the damping ``a`` that follows from ``restitution`` and ``speed`` a body that hits another
    one with that speed has, without other forces, ``restitution`` times as much of it when they
    part. The factor is nearer to 1 at lower speeds, as that of real bodies.
    """

    restitution: float = checked(_restitution, default=1.0)
    speed: float = positive("m/s", default=1.0)

    @property
    def damping(self) -> float:
        """Damping a, s/m."""
        return damping_of(self.restitution) / self.speed


@declared
class HuntCrossley(ContactLaw):
    """A push k p^m (1 + a p') at the depth p, with stiffness and restitution as numbers.

    Parameters
    ----------
    stiffness : N/m^m
        Of the elastic part, ``stiffness * depth**exponent``.
    restitution : 1
        Part of the speed of approach that is left after a hit, at the given speed.
    speed : m/s
        Speed of approach for which the restitution holds. At a tenth of it a restitution of 0.5
        becomes 0.91, at twice of it 0.32.
    exponent : 1
        1.5 for round bodies (Hertz), 1 for flat ones.
    """

    stiffness: float = positive("N/m^1.5 or N/m or N/m^2", default=None)
    exponent: float = checked(validate.number, default=1.5)

    def _check(self, owner: str) -> None:
        if self.__dict__["stiffness"] is None:
            expected = "a positive number in N/m^1.5"
            raise ModelError.plain(f"{owner}: stiffness is missing, expected {expected}")
        if not 1.0 <= self.exponent <= 5.0:
            raise ModelError(owner, "exponent", self.exponent, "a number from 1 to 5")


@declared
class Hertz(ContactLaw):
    """The push of two elastic balls, or of a ball and a plane, from their materials.

    With ``1/E* = sum (1 - nu^2)/E`` and ``1/R = sum 1/R_i`` the stiffness is ``4/3 E* sqrt(R)``,
    the exponent 1.5.

    Parameters
    ----------
    restitution : 1
        As of `HuntCrossley`.
    speed : m/s
        As of `HuntCrossley`.
    E : Pa
        Young's modulus of both bodies, or of the first.
    nu : 1
        Poisson's ratio of both bodies, or of the first.
    E_other : Pa, optional
        Young's modulus of the second, if it is of another material.
    nu_other : 1, optional
        Poisson's ratio of the second, if it is another one.
    """

    E: float = positive("Pa", default=None)
    nu: float = checked(validate.number, default=0.3)
    E_other: float | None = positive("Pa", default=None)
    nu_other: float | None = checked(validate.number, default=None)

    def _check(self, owner: str) -> None:
        if self.__dict__["E"] is None:
            raise ModelError.plain(f"{owner}: E is missing, expected a positive number in Pa")
        for field in ("nu", "nu_other"):
            value = self.__dict__[field]
            if value is not None and not -1.0 < value <= 0.5:
                raise ModelError(owner, field, value, "a number above -1 and not above 0.5")

    def stiffness(self, curvature: float) -> float:
        """Stiffness, N/m^1.5, for the sum of one over both radii, 1/m."""
        nu = self.nu if self.nu_other is None else self.nu_other
        other = (1.0 - nu**2) / (self.E if self.E_other is None else self.E_other)
        return 4.0 / 3.0 / ((1.0 - self.nu**2) / self.E + other) / math.sqrt(curvature)


def _coefficients(owner: str, field: str, value: Any) -> tuple[float, float]:
    expected = "a positive number, or two: along the axis and across it"
    if isinstance(value, (int, float)):
        value = (value, value)
    along, across = validate.vector(owner, field, value, 2, expected)
    if not (along > 0.0 and across >= 0.0):
        raise ModelError(owner, field, value, expected)
    return float(along), float(across)


@declared(init=False)
class ContactFriction:
    """Base of laws of friction between bodies that touch."""

    mu: Given[float | Sequence[float], tuple[float, float]] = checked(_coefficients)
    static: float | None = positive(default=None)
    stribeck: float = positive("m/s", default=1e-2)
    axis: Given[Axis, Vector] = unit_vector(default="x")
    axle_angle: float | None = number("rad", default=None)
    rolling: float = not_negative("m", default=0.0)
    spinning: float = not_negative("m", default=0.0)
    turning: float = positive("rad/s", default=1e-2)

    def _check(self, owner: str) -> None:
        if self.static is not None and self.static < self.mu[0]:
            expected = f"a number not below mu, {self.mu[0]:g}"
            raise ModelError(owner, "static", self.static, expected)

    @property
    def static_ratio(self) -> float:
        """Static over sliding coefficient."""
        return 1.0 if self.static is None else self.static / self.mu[0]


@declared
class Friction(ContactFriction):
    """Dry friction that truly sticks: below its limit bodies do not creep.

    A short spring with a damper, the bristle, holds bodies that stick; where its force would be
    more than ``mu N`` it slides along with exactly that force.

    Parameters
    ----------
    mu : 1
        Coefficient of friction; two numbers: along ``axis`` and across it.
    static : 1, optional
        Coefficient at rest (along the axis), not below ``mu``: at the sliding speed v the
        coefficient is ``mu + (static - mu) exp(-(v/stribeck)^2)``.
    stribeck : m/s
    axis : (3,) or "x", "y", "z"
        For two coefficients: a direction in the axes of the frame of A's shape.
    axle_angle : rad, optional
        Of a wheel (`Torus` or `Cylinder`) on a `Plane`, in place of ``axis``: the angle about the
        plane's normal from the axis of the wheel to the direction of the first coefficient. It does
        not turn as the wheel spins.
    rolling, spinning : m
        Resistance to rolling and to spinning about the normal: torque over push.
    turning : rad/s
        Rate below which these torques grow in proportion.
    stiffness : N/m, optional
        Of the bristle; 0.8 of the normal stiffness under the weight of the lighter body if it is
        not given.
    damping : N s/m, optional
        Of the bristle; 1e-3 s times its stiffness if it is not given.
    """

    stiffness: float | None = positive("N/m", default=None)
    damping: float | None = positive("N s/m", default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        if tuple(self.mu)[1] == 0.0:  # type: ignore[arg-type]
            expected = "two positive numbers; RoundedFriction takes 0 for a direction that rolls"
            raise ModelError(owner, "mu", self.mu, expected)


@declared
class RoundedFriction(ContactFriction):
    """Friction without a state, rounded where it changes sign: ``mu N v/sqrt(v^2 + transition^2)``.

    It costs fewer steps than `Friction`, but bodies at rest creep at speeds below ``transition``.

    Parameters
    ----------
    mu, static, stribeck, axis, axle_angle, rolling, spinning, turning
        As of `Friction`. Of two coefficients the second may be 0: across the axis there are
        rollers, and sliding there does not count.
    transition : m/s
        Speed of sliding below which friction grows in proportion.
    """

    transition: float = positive("m/s", default=1e-3)
