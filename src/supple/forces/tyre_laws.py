"""Laws of tyres: the forces along the road that follow from slip."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from supple.core.contact.magic_formula import MOST, NAMES
from supple.forces.contact_laws import SETTLING
from supple.foundation import validate
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.fields import Given, checked, declared, not_negative, positive

LENGTHS = "a positive number in m, or two: along the heading and across it"


COEFFICIENTS = "a mapping of names to numbers, e.g. {'PCX1': 1.6, 'PDX1': 1.0, ...}"
NEEDED = ("PCX1", "PDX1", "PKX1", "PCY1", "PDY1", "PKY1", "PKY2")
ONE = ("RCX1", "RCY1", "QCZ1")  # that are 1 if they are not given


def _coefficients(owner: str, field: str, value: Any) -> dict[str, float]:
    if not isinstance(value, Mapping):
        raise ModelError(owner, field, value, COEFFICIENTS)
    found, known = dict[str, float](), NAMES[1:]
    for name, number in value.items():
        if name not in known:
            near = suggestion(str(name), list(known))
            raise ModelError(owner, field, name, f"a coefficient that is treated, {near}")
        found[name] = validate.number(owner, f"{field}[{name!r}]", number)
    for name in NEEDED:
        if not found.get(name):
            there = ", ".join(found) or "none"
            raise ModelError(owner, field, there, f"{', '.join(NEEDED)} that are not zero, too")
    for name in ("PCX1", "PCY1"):
        if not 0.0 < found[name] < 2.0:
            raise ModelError(owner, f"{field}['{name}']", found[name], "a number between 0 and 2")
    for name in ("PDX", "PDY", "PKX"):
        first, second = found[f"{name}1"], found.get(f"{name}2", 0.0)
        if not min(first - second, first + MOST * second) > 0.0:
            expected = f"{name}1 + {name}2 (N - load)/load above zero for N from 0 to 4 loads"
            raise ModelError(owner, f"{field}['{name}2']", second, expected)
    if not found["PKY2"] > 0.0:
        raise ModelError(owner, f"{field}['PKY2']", found["PKY2"], "a positive number")
    return found


def _lengths(owner: str, field: str, value: Any) -> tuple[float, float]:
    both = (value, value) if isinstance(value, (int, float)) else value
    along, across = validate.vector(owner, field, both, 2, LENGTHS)
    if not min(along, across) > 0.0:
        raise ModelError(owner, field, value, LENGTHS)
    return float(along), float(across)


@declared(init=False)
class TyreLaw(ABC):
    """Base of laws of the forces of a tyre along the road.

    Between the rim and the patch that touches the road is a spring, by which forces follow slip
    over the relaxation length: ``sigma F' = |V| (F(slip) - F)``. Standing still it is a spring.
    """

    if TYPE_CHECKING:

        @property
        def settling(self) -> Any:
            """Damping of the tyre along the road over its stiffness there, s."""

        @property
        def turning(self) -> Any:
            """Stiffness against turning on the spot, N m/rad."""

    @property
    @abstractmethod
    def slip_stiffness(self) -> tuple[float, float]:
        """Longitudinal and lateral force over small slip, N."""

    @property
    @abstractmethod
    def ways(self) -> tuple[float, float]:
        """Relaxation lengths along the heading and across it, m."""

    @property
    def carcass(self) -> tuple[float, float]:
        """Stiffnesses of the tyre along its heading and across it, N/m."""
        (along, across), (first, second) = self.slip_stiffness, self.ways
        return along / first, across / second


def _missing(owner: str, field: str, unit: str) -> ModelError:
    return ModelError.plain(f"{owner}: {field} is missing, expected a positive number in {unit}")


@declared
class LinearTyre(TyreLaw):
    """Forces in proportion to slip, without a limit: for small slip.

    The lateral force is ``-cornering`` times the tangent of the slip angle, the longitudinal one
    ``longitudinal`` times the longitudinal slip.

    Parameters
    ----------
    cornering : N
        Lateral force over the slip angle (N/rad), positive.
    longitudinal : N, optional
        Longitudinal force over the longitudinal slip; that of ``cornering`` if it is not given.
    relaxation : m
        Way over which forces follow slip; two numbers: along the heading and across it.
    trail : m
        Pneumatic trail, by which the lateral force acts behind the point of contact.
    load : N, optional
        Normal force at which both stiffnesses hold, if they are in proportion to it.
    mu : 1
        Coefficient of friction by which verdicts judge whether slip is small; forces do not know
        it.
    settling : s
        Damping of the tyre along the road over its stiffness there. Forces follow slip over
        ``relaxation + settling |V|``.
    turning : N m
        Stiffness against turning on the spot (N m/rad), without a limit. A wheel that rolls forgets
        its twist over the relaxation length.
    """

    cornering: float = positive("N", default=None)
    longitudinal: float | None = positive("N", default=None)
    relaxation: Given[float | Sequence[float], tuple[float, float]] = checked(
        _lengths, "m", default=0.3
    )
    trail: float = not_negative("m", default=0.0)
    load: float | None = positive("N", default=None)
    mu: float = positive(default=1.0)
    settling: float = not_negative("s", default=SETTLING)
    turning: float = not_negative("N m", default=0.0)

    def _check(self, owner: str) -> None:
        if self.__dict__["cornering"] is None:
            raise _missing(owner, "cornering", "N")

    @property
    def slip_stiffness(self) -> tuple[float, float]:
        """Longitudinal and lateral force over slip, N."""
        along = self.cornering if self.longitudinal is None else self.longitudinal
        return along, self.cornering

    @property
    def ways(self) -> tuple[float, float]:
        """Relaxation lengths along the heading and across it, m."""
        return self.relaxation

    @property
    def linear_slip(self) -> float:
        """Largest ``C slip/(mu N)`` at which a brush has 0.9 of the force C slip.

        A brush has ``C slip (1 - z + z^2/3)`` with ``z = C slip/(3 mu N)``.
        """
        return 3.0 * 0.5 * (3.0 - math.sqrt(9.0 - 1.2))


@declared
class BrushTyre(TyreLaw):
    """A tyre whose tread sticks in front and slides behind, up to friction ``mu N`` in all.

    ``F = mu N (3 z - 3 z^2 + z^3)`` with ``z = C slip/(3 mu N)``, and ``mu N`` from z = 1 on, for
    longitudinal and lateral slip together. Slip is the velocity of sliding over the speed of
    rolling, and the force is opposite to it. A locked wheel rubs with ``mu N``; one at rest sticks.

    Parameters
    ----------
    stiffness : N
        Force over slip at small slip, C.
    mu : 1
        Coefficient of friction.
    relaxation : m
        Way over which forces follow small slip.
    half_length : m
        Half the length of the patch: the pneumatic trail is a third of it at small slip.
    load : N, optional
        Normal force at which the stiffness holds, if it is in proportion to it.
    settling : s
        Damping of the tyre along the road over its stiffness there. Forces follow small slip over
        ``relaxation + settling |V|``.
    turning : N m
        Stiffness against turning on the spot (N m/rad), without a limit. A wheel that rolls forgets
        its twist over the relaxation length.
    """

    stiffness: float = positive("N", default=None)
    mu: float = positive(default=1.0)
    relaxation: float = positive("m", default=0.3)
    half_length: float = not_negative("m", default=0.0)
    load: float | None = positive("N", default=None)
    settling: float = positive("s", default=SETTLING)
    turning: float = not_negative("N m", default=0.0)

    def _check(self, owner: str) -> None:
        if self.__dict__["stiffness"] is None:
            raise _missing(owner, "stiffness", "N")

    @property
    def slip_stiffness(self) -> tuple[float, float]:
        """Longitudinal and lateral force over small slip, N."""
        return self.stiffness, self.stiffness

    @property
    def ways(self) -> tuple[float, float]:
        """Relaxation lengths along the heading and across it, m."""
        return self.relaxation, self.relaxation


@declared
class MagicFormula(TyreLaw):
    """The Magic Formula of Pacejka: measured tyres by coefficients.

    The equations are those of H. B. Pacejka, Tyre and Vehicle Dynamics, 3rd edition 2012, section
    4.3.2, without camber, turn slip and scaling factors; coefficients have the names of tyre
    property files. Slip is practical: over the speed of travel. Signs are those of ISO 8855:
    the lateral force is against the slip angle whatever the sign of ``PKY1``.

    Parameters
    ----------
    load : N
        Nominal normal force, ``FNOMIN``.
    coefficients : mapping of names to numbers
        ``PCX1``, ``PDX1``, ``PKX1``, ``PCY1``, ``PDY1``, ``PKY1``, ``PKY2`` are needed, others are
        zero if they are not given, shape factors ``RCX1``, ``RCY1``, ``QCZ1`` one, and
        ``UNLOADED_RADIUS`` that of the wheel. Without ``RBX1`` and ``RBY1`` longitudinal and
        lateral forces do not know each other, without ``QDZ1`` there is no aligning moment.
    relaxation : m
        Way over which forces follow small slip at that load; two numbers: along the heading and
        across it.
    settling : s
        Damping of the tyre along the road over its stiffness there.
    turning : N m
        Stiffness against turning on the spot (N m/rad), without a limit. A wheel that rolls forgets
        its twist over the relaxation length.
    """

    load: float = positive("N", default=None)
    coefficients: Given[Mapping[str, float], dict[str, float]] = checked(
        _coefficients, default=None
    )
    relaxation: Given[float | Sequence[float], tuple[float, float]] = checked(
        _lengths, "m", default=0.3
    )
    settling: float = positive("s", default=SETTLING)
    turning: float = not_negative("N m", default=0.0)

    def _check(self, owner: str) -> None:
        if self.__dict__["load"] is None:
            raise _missing(owner, "load", "N")
        if self.__dict__["coefficients"] is None:
            raise ModelError.plain(f"{owner}: coefficients is missing, expected {COEFFICIENTS}")

    def numbers(self, radius: float) -> list[float]:
        """All numbers of the kernels for a wheel with a radius (m)."""
        given = {name: 1.0 for name in ONE} | {"UNLOADED_RADIUS": radius}
        given |= dict(self.coefficients) | {"FNOMIN": self.load}
        given["PKY1"] = abs(given["PKY1"])
        return [given.get(name, 0.0) for name in NAMES]

    @property
    def slip_stiffness(self) -> tuple[float, float]:
        """Longitudinal and lateral force over slip at the nominal load and small slip, N."""
        c = self.coefficients
        across = abs(c["PKY1"]) * math.sin(2.0 * math.atan(1.0 / c["PKY2"]))
        return self.load * c["PKX1"], self.load * across

    @property
    def ways(self) -> tuple[float, float]:
        """Relaxation lengths along the heading and across it, m."""
        return self.relaxation
