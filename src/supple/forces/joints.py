"""Forces on joint coordinates: springs, friction, stops, given efforts, motors."""

from __future__ import annotations

import math
from typing import Any

from supple.forces.base import ForceElement, JointForce
from supple.forces.laws import Law, LawLike, damper_law, spring_law
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.fields import (
    Given,
    checked,
    declared,
    given,
    not_negative,
    not_zero,
    number,
    positive,
)
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft, Target, check_joint_reference
from supple.signals import Signal, SignalLike, to_signal


@declared
class JointSpring(JointForce):
    """Effort ``-stiffness d - cubic d**3 - damping q'`` with ``d = q - rest`` on a coordinate.

    Units follow the coordinate: N m/rad, N m/rad3 and N m s/rad, or N/m, N/m3 and N s/m; zero or
    positive, but the stiffness may be negative beside a positive cubic term (a buckled spring).

    Parameters
    ----------
    spring : pairs, TableLaw or formula, optional
        A further effort ``-spring(x)`` over ``x = q - rest``: pairs of x and effort (N m or N), or
        a formula such as ``"2e3*x + 5e5*x**3"``. Its energy is zero at x = 0.
    damper : pairs, TableLaw or formula, optional
        A further effort ``-damper(x, v)`` with ``v = q'``: pairs of v and effort, or a formula in x
        and v such as ``"40*v*abs(v)"``. What it takes is counted as dissipated.
    """

    joint: Given[Joint | Shaft | str, str] = given()
    stiffness: float = given("N m/rad or N/m", default=0.0)
    damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    rest: float = number("rad or m", default=0.0)
    coordinate: int | str = given(default=0)
    cubic: float = not_negative("N m/rad3 or N/m3", default=0.0)
    spring: Given[LawLike | None, Law | None] = checked(spring_law, default=None)
    damper: Given[LawLike | None, Law | None] = checked(damper_law, default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        check = validate.number if self.cubic > 0.0 else validate.not_negative
        set_fields(self, stiffness=check(owner, "stiffness", self.stiffness))


def _coordinate(owner: str, field: str, value: Any) -> Target:
    pair = isinstance(value, tuple) and len(value) == 2
    joint, coordinate = value if pair else (value, 0)
    return check_joint_reference(owner, field, joint, coordinate, shafts=True), coordinate


@declared
class CoordinateSpring(ForceElement):
    """A spring and damper between two joint coordinates or shafts.

    With the stretch ``s = first - ratio second - rest`` the effort on the first is
    ``-f = -(stiffness s + damping s')`` and on the second ``ratio f``.

    Parameters
    ----------
    first, second : joint, motor or name
        Or pairs (joint, coordinate) for joints with several coordinates; not the same coordinate.
    stiffness, damping : N m/rad and N m s/rad, or N/m and N s/m
        In units of the first coordinate; zero or positive.
    ratio : float
        Of the second coordinate; not zero. With 1 the spring resists their difference.
    rest : rad or m
    """

    first: Given[Any, Target] = checked(_coordinate)
    second: Given[Any, Target] = checked(_coordinate)
    stiffness: float = not_negative("N m/rad or N/m", default=0.0)
    damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    ratio: float = not_zero(default=1.0)
    rest: float = number("rad or m", default=0.0)

    def _check(self, owner: str) -> None:
        if self.first == self.second:
            raise ModelError(owner, "second", self.second, "another coordinate than the first")

    @property
    def targets(self) -> tuple[Target, ...]:
        """Both coordinates."""
        return self.first, self.second


@declared
class JointFriction(JointForce):
    """Dry and viscous friction of a joint coordinate, rounded near standstill.

    Effort ``-(coulomb + (static - coulomb) exp(-(v/stribeck)**2)) tanh(v/transition) - viscous v``
    for the rate v.

    Parameters
    ----------
    coulomb : N m or N
        Dry friction while sliding.
    viscous : N m s/rad or N s/m
    static : N m or N, optional
        Dry friction near standstill, at least ``coulomb``, which it is by default.
    transition : rad/s or m/s
        Rate at which tanh rounds the jump at standstill; the smaller, the stiffer.
    stribeck : rad/s or m/s, optional
        Rate at which the static part fades; ten times ``transition`` by default.

    A rounded law creeps where real friction sticks: under an effort f below ``coulomb`` the joint
    drifts with about ``transition f/coulomb``.
    """

    joint: Given[Joint | Shaft | str, str] = given()
    coulomb: float = not_negative("N m or N", default=0.0)
    viscous: float = not_negative("N m s/rad or N s/m", default=0.0)
    static: Given[float | None, float] = not_negative("N m or N", default=None)
    transition: float = positive("rad/s or m/s", default=1e-3)
    stribeck: Given[float | None, float] = positive("rad/s or m/s", default=None)
    coordinate: int | str = given(default=0)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        usual = {"static": self.coulomb, "stribeck": 10.0 * self.transition}
        set_fields(self, **{n: x for n, x in usual.items() if getattr(self, n) is None})
        if self.static < self.coulomb:
            expected = f"at least coulomb, which is {self.coulomb!r}"
            raise ModelError(owner, "static", self.static, expected)


@declared
class JointStop(JointForce):
    """Elastic stops that keep a coordinate between ``lower`` and ``upper`` (rad or m).

    Beyond a limit by the depth p it pushes back with ``stiffness p**exponent (1 + damping p')``
    (Hunt and Crossley), never pulling. A bounce at the speed v returns about
    ``1 - 2/3 damping v`` of it while that is near one.

    Parameters
    ----------
    stiffness : N m/rad or N/m (for exponent 1)
    damping : s/rad or s/m
    exponent : float
        1 or more; 1.5 makes the push's slope continuous at the touch.
    """

    joint: Given[Joint | Shaft | str, str] = given()
    lower: float = checked(validate.limit, "rad or m", default=-math.inf)
    upper: float = checked(validate.limit, "rad or m", default=math.inf)
    stiffness: float = positive("N m/rad or N/m", default=0.0)
    damping: float = not_negative("s/rad or s/m", default=0.0)
    exponent: float = number(default=1.0)
    coordinate: int | str = given(default=0)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        low, high = self.lower, self.upper
        if not low < high or not (math.isfinite(low) or math.isfinite(high)):
            expected = f"a finite limit above lower, which is {low!r}"
            raise ModelError(owner, "upper", high, expected)
        if self.exponent < 1.0:
            raise ModelError(owner, "exponent", self.exponent, "1 or more")


@declared
class JointEffort(JointForce):
    """A given effort on a joint coordinate (N m or N): a number, an expression or a signal."""

    joint: Given[Joint | Shaft | str, str] = given()
    effort: Given[SignalLike, Signal] = checked(to_signal, "N m or N")
    coordinate: int | str = given(default=0)

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The effort."""
        return (self.effort,)


@declared
class PID(JointForce):
    """A controller: effort ``kp (target - q) + ki z + kd (target' - q')``, ``z' = target - q``.

    Parameters
    ----------
    target : rad or m
        A number, an expression or a signal.
    kp, kd : N m/rad and N m s/rad, or N/m and N s/m
    ki : float
        In N m/(rad s) or N/(m s).
    limit : N m or N
        The effort saturates at plus and minus this. While it does, the integral is held back:
        ``ki z`` follows what was really applied with the time constant ``tracking``.
    tracking : s, optional
        kp/ki by default, 1 s without kp.
    """

    joint: Given[Joint | Shaft | str, str] = given()
    kp: float = number("N m/rad or N/m", default=0.0)
    ki: float = number("N m/(rad s) or N/(m s)", default=0.0)
    kd: float = number("N m s/rad or N s/m", default=0.0)
    target: Given[SignalLike, Signal] = checked(to_signal, "rad or m", default=0.0)
    coordinate: int | str = given(default=0)
    limit: float = checked(validate.limit, "N m or N", default=math.inf)
    tracking: float | None = positive("s", default=None)

    def _check(self, owner: str) -> None:
        super()._check(owner)
        if self.limit <= 0.0:
            raise ModelError(owner, "limit", self.limit, "a positive effort")

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The target."""
        return (self.target,)

    @property
    def back_calculation(self) -> float:
        """Factor of (applied - wanted effort) in the rate of the integral, 1/(ki tracking)."""
        if self.ki == 0.0 or self.limit == math.inf:
            return 0.0
        tracking = self.tracking or (self.kp / self.ki if self.kp / self.ki > 0.0 else 1.0)
        return 1.0 / (self.ki * tracking)


@declared
class Motor(JointForce, Shaft):
    """The rotor and gear of an actuator on a joint coordinate.

    It has a shaft on which other elements act: ``PID("control", motor, ...)``, ``JointEffort``,
    ``JointFriction`` and so on see the shaft's angle and rate and turn the shaft.

    Parameters
    ----------
    inertia : kg m2 (or kg on a sliding coordinate)
        Of the rotor about its own axis. On the joint it counts ``ratio**2`` times. Gyroscopic
        torques of the rotor are left out.
    ratio : float
        Shaft angle for each unit of the joint coordinate; negative turns the other way.
    damping : N m s/rad
        On the shaft.
    stiffness : N m/rad (or N/m), optional
        Of an elastic gear, seen at the joint: the effort on the joint is
        ``stiffness (shaft/ratio - q) + gear_damping (shaft'/ratio - q')``. The shaft then has an
        angle of its own, which starts with the gear at rest. Without it the gear is rigid.
    gear_damping : N m s/rad
        Of an elastic gear, seen at the joint.
    """

    joint: Given[Joint | str, str] = given()
    inertia: float = not_negative("kg m2 or kg", default=0.0)
    ratio: float = not_zero(default=1.0)
    damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    stiffness: float | None = positive("N m/rad or N/m", default=None)
    gear_damping: float = not_negative("N m s/rad or N s/m", default=0.0)
    coordinate: int | str = given(default=0)

    def _check(self, owner: str) -> None:
        joint: Any = self.joint
        super()._check(owner)
        if isinstance(joint, Shaft):
            raise ModelError(owner, "joint", joint, "a joint or its name, not another motor")
        if self.stiffness is None and self.gear_damping > 0.0:
            expected = "zero for a rigid gear; an elastic one has a stiffness"
            raise ModelError(owner, "gear_damping", self.gear_damping, expected)
        if self.stiffness is not None and self.inertia == 0.0:
            raise ModelError(owner, "inertia", self.inertia, "positive with an elastic gear")
