"""Forces on joint coordinates: springs, friction, stops, given efforts, controllers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from supple.forces.base import ForceElement, JointForce
from supple.forces.laws import Law, LawLike, damper_law, spring_law
from supple.foundation import validate
from supple.foundation.errors import ModelError
from supple.foundation.validate import set_fields
from supple.joints import Joint
from supple.joints.interactions import Shaft, Target, check_joint_reference
from supple.signals import Signal, SignalLike, as_signal


@dataclass(frozen=True, eq=False, init=False)
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

    stiffness: float
    damping: float
    rest: float
    cubic: float
    spring: Law | None
    damper: Law | None

    def __init__(
        self,
        name: str,
        joint: Joint | Shaft | str,
        stiffness: float = 0.0,
        damping: float = 0.0,
        rest: float = 0.0,
        coordinate: int | str = 0,
        cubic: float = 0.0,
        spring: LawLike | None = None,
        damper: LawLike | None = None,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        cubic = validate.not_negative(owner, "cubic", cubic)
        check = validate.number if cubic > 0.0 else validate.not_negative
        set_fields(
            self,
            stiffness=check(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            rest=validate.number(owner, "rest", rest),
            cubic=cubic,
            spring=spring_law(owner, "spring", spring),
            damper=damper_law(owner, "damper", damper),
        )


@dataclass(frozen=True, eq=False, init=False)
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

    first: Target
    second: Target
    stiffness: float
    damping: float
    ratio: float
    rest: float

    def __init__(
        self,
        name: str,
        first: Any,
        second: Any,
        stiffness: float = 0.0,
        damping: float = 0.0,
        ratio: float = 1.0,
        rest: float = 0.0,
    ) -> None:
        owner = self._named(name)
        ends = []
        for field, entry in (("first", first), ("second", second)):
            pair = isinstance(entry, tuple) and len(entry) == 2
            joint, coordinate = entry if pair else (entry, 0)
            found = check_joint_reference(owner, field, joint, coordinate, shafts=True)
            ends.append((found, coordinate))
        if ends[0] == ends[1]:
            raise ModelError(owner, "second", ends[1], "another coordinate than the first")
        set_fields(
            self,
            first=ends[0],
            second=ends[1],
            stiffness=validate.not_negative(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            ratio=validate.not_zero(owner, "ratio", ratio),
            rest=validate.number(owner, "rest", rest),
        )

    @property
    def targets(self) -> tuple[Target, ...]:
        """Both coordinates."""
        return self.first, self.second


@dataclass(frozen=True, eq=False, init=False)
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

    coulomb: float
    viscous: float
    static: float
    transition: float
    stribeck: float

    def __init__(
        self,
        name: str,
        joint: Joint | Shaft | str,
        coulomb: float = 0.0,
        viscous: float = 0.0,
        static: float | None = None,
        transition: float = 1e-3,
        stribeck: float | None = None,
        coordinate: int | str = 0,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        coulomb = validate.not_negative(owner, "coulomb", coulomb)
        static = coulomb if static is None else validate.not_negative(owner, "static", static)
        if static < coulomb:
            raise ModelError(owner, "static", static, f"at least coulomb, which is {coulomb!r}")
        transition = validate.positive(owner, "transition", transition)
        set_fields(
            self,
            coulomb=coulomb,
            viscous=validate.not_negative(owner, "viscous", viscous),
            static=static,
            transition=transition,
            stribeck=10.0 * transition
            if stribeck is None
            else validate.positive(owner, "stribeck", stribeck),
        )


@dataclass(frozen=True, eq=False, init=False)
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

    lower: float
    upper: float
    stiffness: float
    damping: float
    exponent: float

    def __init__(
        self,
        name: str,
        joint: Joint | Shaft | str,
        lower: float = -math.inf,
        upper: float = math.inf,
        stiffness: float = 0.0,
        damping: float = 0.0,
        exponent: float = 1.0,
        coordinate: int | str = 0,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        low, high = (validate.limit(owner, f, x) for f, x in (("lower", lower), ("upper", upper)))
        if not low < high or not (math.isfinite(low) or math.isfinite(high)):
            expected = f"a finite limit above lower, which is {low!r}"
            raise ModelError(owner, "upper", high, expected)
        exponent = validate.number(owner, "exponent", exponent)
        if exponent < 1.0:
            raise ModelError(owner, "exponent", exponent, "1 or more")
        set_fields(
            self,
            lower=low,
            upper=high,
            stiffness=validate.positive(owner, "stiffness", stiffness),
            damping=validate.not_negative(owner, "damping", damping),
            exponent=exponent,
        )


@dataclass(frozen=True, eq=False, init=False)
class JointEffort(JointForce):
    """A given effort on a joint coordinate (N m or N): a number, an expression or a signal."""

    effort: Signal

    def __init__(
        self, name: str, joint: Joint | Shaft | str, effort: SignalLike, coordinate: int | str = 0
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        set_fields(self, effort=as_signal(effort, owner, "effort"))

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The effort."""
        return (self.effort,)


@dataclass(frozen=True, eq=False, init=False)
class PID(JointForce):
    """A controller: effort ``kp (target - q) + ki z + kd (target' - q')``, ``z' = target - q``.

    Parameters
    ----------
    target : rad or m
        A number, an expression or a signal.
    kp, ki, kd : N m/rad, N m/(rad s), N m s/rad; or the same with N and m
    limit : N m or N
        The effort saturates at plus and minus this. While it does, the integral is held back:
        ``ki z`` follows what was really applied with the time constant ``tracking``.
    tracking : s, optional
        kp/ki by default, 1 s without kp.
    """

    kp: float
    ki: float
    kd: float
    target: Signal
    limit: float
    tracking: float | None

    def __init__(
        self,
        name: str,
        joint: Joint | Shaft | str,
        kp: float = 0.0,
        ki: float = 0.0,
        kd: float = 0.0,
        target: SignalLike = 0.0,
        coordinate: int | str = 0,
        limit: float = math.inf,
        tracking: float | None = None,
    ) -> None:
        owner = self._act_on(name, joint, coordinate)
        limit = validate.limit(owner, "limit", limit)
        if limit <= 0.0:
            raise ModelError(owner, "limit", limit, "a positive effort")
        set_fields(
            self,
            kp=validate.number(owner, "kp", kp),
            ki=validate.number(owner, "ki", ki),
            kd=validate.number(owner, "kd", kd),
            target=as_signal(target, owner, "target"),
            limit=limit,
            tracking=None if tracking is None else validate.positive(owner, "tracking", tracking),
        )

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
