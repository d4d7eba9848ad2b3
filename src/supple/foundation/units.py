"""Numbers that look as if they were given in other units than SI and radians."""

from __future__ import annotations

import math
from collections.abc import Iterable

# Speeds of sound in real materials, from gels and foams to diamond, m/s.
SLOWEST, FASTEST = 10.0, 5e4
# Beyond these it is likely that lengths are in millimetres: 10 000 t, 1 km.
HEAVIEST, LONGEST = 1e7, 1e3
# E / G of fibres along and across which nothing more extreme is known; 2 to 3 if isotropic.
LEAST_RATIO, LARGEST_RATIO = 0.1, 60.0
# Moduli (Pa) and densities (kg/m3) of solids: what a number may mean after a change of units.
MODULI, DENSITIES = (1e5, 2e12), (5.0, 3e4)
# Names of units for a modulus and a density, and their factors to SI.
UNITS = (
    ("E and G in GPa", 1e9, 1.0),
    ("E and G in MPa", 1e6, 1.0),
    ("the density in g/cm3", 1.0, 1e3),
    ("the density in t/mm3", 1.0, 1e12),
    ("N, mm, t and s", 1e6, 1e12),
    ("E and G in GPa and the density in g/cm3", 1e9, 1e3),
    ("E and G in MPa and the density in g/cm3", 1e6, 1e3),
)
# Degrees: angles are given in multiples of the first, and up to the second.
ROUND, MOST = 5.0, 720.0


def in_degrees(angles: Iterable[float]) -> bool:
    """True if angles that should be in rad look like degrees: more than a turn, and all round.

    What is beyond two turns in degrees stands for something far away.
    """
    found = list(angles)
    largest = max(map(abs, found), default=0.0)
    return 2.0 * math.pi < largest <= MOST and all(a % ROUND == 0.0 for a in found)


def degrees_sentence(field: str, angles: Iterable[float]) -> str | None:
    """Sentence about angles (rad) that look wrong; None if none does."""
    found = list(angles)
    if not in_degrees(found):
        return None
    shown, right = (
        ", ".join(f"{x:g}" for x in numbers) for numbers in (found, map(math.radians, found))
    )
    if len(found) > 1:
        shown, right = f"({shown})", f"({right})"
    return f"{field} is {shown} rad, expected {right} if degrees are meant"


def material_sentence(E: float, G: float, density: float) -> str | None:
    """Sentence about a material (Pa, Pa, kg/m3) that looks wrong; None if it does not."""
    speed = math.sqrt(E / density)
    if not SLOWEST <= speed <= FASTEST:
        causes = [
            name
            for name, modulus, mass in UNITS
            if _within(E * modulus, MODULI)
            and _within(density * mass, DENSITIES)
            and SLOWEST <= math.sqrt(E * modulus / (density * mass)) <= FASTEST
        ]
        cause = f": {' or '.join(causes[:2])}?" if causes else ""
        return (
            f"E is {E:g} Pa and the density {density:g} kg/m3, so that waves travel at "
            f"{speed:.3g} m/s, expected {SLOWEST:g} to {FASTEST:g} m/s in SI units{cause}"
        )
    if not LEAST_RATIO <= E / G <= LARGEST_RATIO:
        return f"E is {E:g} Pa and G is {G:g} Pa, expected 2 G to 3 G for E, or not far from it"
    return None


def _within(value: float, limits: tuple[float, float]) -> bool:
    return limits[0] <= value <= limits[1]
