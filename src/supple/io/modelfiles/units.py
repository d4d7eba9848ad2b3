"""Units: ``12 mm`` is 0.012 m; converted once, where a file is read.

A unit is factors and powers of metre, kilogram, second, radian and cycle. An angle is kept apart,
so that degrees are refused where lengths are expected; it may be left out: N m for N m/rad.
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from functools import cache
from typing import NamedTuple

Powers = tuple[int, int, int, int, int]  # m, kg, s, rad, cycle
LARGEST_POWER = 6
_M, _KG, _S, _RAD = (1, 0, 0, 0, 0), (0, 1, 0, 0, 0), (0, 0, 1, 0, 0), (0, 0, 0, 1, 0)
_NEWTON, _PASCAL = (1, 1, -2, 0, 0), (-1, 1, -2, 0, 0)
_JOULE, _WATT, _RATE = (2, 1, -2, 0, 0), (2, 1, -3, 0, 0), (0, 0, -1, 1, 0)
_TABLE: dict[str, tuple[str | float, Powers]] = {
    "m": ("1.0", _M),
    "km": ("1e3", _M),
    "dm": ("1e-1", _M),
    "cm": ("1e-2", _M),
    "mm": ("1e-3", _M),
    "um": ("1e-6", _M),
    "nm": ("1e-9", _M),
    "in": ("0.0254", _M),
    "ft": ("0.3048", _M),
    "kg": ("1.0", _KG),
    "g": ("1e-3", _KG),
    "mg": ("1e-6", _KG),
    "t": ("1e3", _KG),
    "lb": ("0.45359237", _KG),
    "s": ("1.0", _S),
    "ms": ("1e-3", _S),
    "us": ("1e-6", _S),
    "min": ("60.0", _S),
    "h": ("3600.0", _S),
    "rad": ("1.0", _RAD),
    "mrad": ("1e-3", _RAD),
    "deg": (math.pi / 180.0, _RAD),
    "rev": (2.0 * math.pi, _RAD),
    "rpm": (2.0 * math.pi / 60.0, _RATE),
    "Hz": ("1.0", (0, 0, -1, 0, 1)),
    "kHz": ("1e3", (0, 0, -1, 0, 1)),
    "N": ("1.0", _NEWTON),
    "mN": ("1e-3", _NEWTON),
    "kN": ("1e3", _NEWTON),
    "MN": ("1e6", _NEWTON),
    "lbf": ("4.4482216152605", _NEWTON),
    "Pa": ("1.0", _PASCAL),
    "kPa": ("1e3", _PASCAL),
    "MPa": ("1e6", _PASCAL),
    "GPa": ("1e9", _PASCAL),
    "bar": ("1e5", _PASCAL),
    "psi": ("6894.757293168361", _PASCAL),
    "J": ("1.0", _JOULE),
    "W": ("1.0", _WATT),
    "kW": ("1e3", _WATT),
}
_FACTOR = re.compile(r"([A-Za-z]+)(?:\^|\*\*)?(-?[0-9])?")
_WITH_UNIT = re.compile(
    r"([-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?)\s*([A-Za-z1].*)", re.DOTALL
)


class Unit(NamedTuple):
    """Factor to SI, and powers of m, kg, s, rad and cycle."""

    factor: Fraction
    powers: Powers

    def fits(self, expected: Unit) -> bool:
        """True if it measures the same; an angle may be left out."""
        same = self.powers == expected.powers
        return same or (self.powers[3] == 0 and _without_angle(self) == _without_angle(expected))


def _without_angle(unit: Unit) -> tuple[int, ...]:
    return (*unit.powers[:3], unit.powers[4])


NONE = Unit(Fraction(1), (0, 0, 0, 0, 0))
_UNITS = {name: Unit(Fraction(factor), powers) for name, (factor, powers) in _TABLE.items()}
NAMES = tuple(_UNITS)


@cache
def unit(text: str) -> Unit | None:
    """The unit of a text such as "N m s/rad", "kg/m3", "m/s^2" or "1/s"; None if it is none."""
    if len(text) > 40 or text.strip() == "1":
        return None
    numerator, *denominators = text.replace("·", " ").strip().split("/")
    if len(denominators) > 1:
        return None
    top = _product(numerator)
    bottom: Unit | None = NONE
    if denominators:
        bottom = _product(denominators[0].strip().removeprefix("(").removesuffix(")"))
    if top is None or bottom is None:
        return None
    powers = [a - b for a, b in zip(top.powers, bottom.powers, strict=True)]
    return Unit(top.factor / bottom.factor, (powers[0], powers[1], powers[2], powers[3], powers[4]))


def _product(text: str) -> Unit | None:
    factor, powers = Fraction(1), [0, 0, 0, 0, 0]
    words = re.split(r"(?<!\*)\*(?!\*)|\s+", text.strip())
    if words == ["1"]:
        return NONE
    for word in words:
        found = _FACTOR.fullmatch(word)
        if found is None or found[1] not in _UNITS:
            return None
        one, power = _UNITS[found[1]], int(found[2] or 1)
        if not 0 < abs(power) <= LARGEST_POWER:
            return None
        factor *= one.factor**power
        powers = [p + power * q for p, q in zip(powers, one.powers, strict=True)]
    return Unit(factor, (powers[0], powers[1], powers[2], powers[3], powers[4]))


def split(text: str) -> tuple[float, str] | None:
    """Number and unit of a text such as "12 mm"; None if it does not look like these."""
    found = _WITH_UNIT.fullmatch(text.strip())
    if found is None or unit(found[2]) is None:
        return None
    return float(found[1]), found[2]


def converted(number: float, name: str) -> float:
    """The number in SI units, rounded once."""
    known = unit(name)
    if known is None:
        raise ValueError(f"{name!r} is no unit")
    if not math.isfinite(number):
        return number
    try:
        return float(Fraction(number) * known.factor)
    except OverflowError:
        return math.copysign(math.inf, number)
