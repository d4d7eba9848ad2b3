"""Shear coefficients of sections: the factor of the area that resists a shear force.

G. R. Cowper, The shear coefficient in Timoshenko's beam theory, Journal of Applied Mechanics 33
(1966) 335-340, from the three-dimensional solution of a bent prism. Those of thin walls hold for a
shear force along the height of the section and use sizes of the middle lines.
"""

from __future__ import annotations


def rectangle(poisson: float) -> float:
    """Solid rectangle, for either direction."""
    return 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson)


def ring(hole: float, poisson: float) -> float:
    """Round tube whose inner diameter is ``hole`` times the outer one; 0 for a solid disc."""
    square = (1.0 + hole**2) ** 2
    above = 6.0 * (1.0 + poisson) * square
    return above / ((7.0 + 6.0 * poisson) * square + (20.0 + 12.0 * poisson) * hole**2)


def box(height: float, width: float, web: float, flange: float, poisson: float) -> float:
    """Box of two webs and two flanges; sizes in m."""
    m, n = width * flange / (height * web), width / height
    bending = 10.0 * n**2 * ((3.0 + poisson) * m + 3.0 * m**2)
    return 10.0 * (1.0 + poisson) * (1.0 + 3.0 * m) ** 2 / (_webs(m, poisson) + bending)


def i_section(height: float, width: float, web: float, flange: float, poisson: float) -> float:
    """I of one web and two flanges; sizes in m."""
    m, n = 2.0 * width * flange / (height * web), width / height
    flanges = 30.0 * n**2 * (m + m**2) + 5.0 * poisson * n**2 * (8.0 * m + 9.0 * m**2)
    return 10.0 * (1.0 + poisson) * (1.0 + 3.0 * m) ** 2 / (_webs(m, poisson) + flanges)


def _webs(m: float, poisson: float) -> float:
    one = 12.0 + 72.0 * m + 150.0 * m**2 + 90.0 * m**3
    return one + poisson * (11.0 + 66.0 * m + 135.0 * m**2 + 90.0 * m**3)
