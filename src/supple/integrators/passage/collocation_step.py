"""One long step of Gauss' collocation method for a state under constraint rows.

All stages are moved onto the constraints, so that only motion that these allow is left in them; the
iteration for them is a plain one.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from supple.core.run import singular_step as kernels
from supple.core.run import step as st
from supple.formulations.equations import Equations
from supple.foundation.poses import Array

REPEATS = 60  # of the iteration for the stages
SETTLED = 3e-9  # change in the last of them, part of the motion


class Leap(NamedTuple):
    """A step of collocation: polynomials of s from 0 to 1, stages + 1 coefficients each."""

    h: float
    x: Array  # (nu, stages + 1)
    u: Array
    z: Array
    w: Array
    change: float  # in the last iteration, part of the motion


@cache
def gauss(stages: int) -> tuple[Array, Array, Array]:
    """Nodes in [0, 1], Runge-Kutta matrix, and integrals by monomials (stages, stages + 1)."""
    c = 0.5 * (np.polynomial.legendre.leggauss(stages)[0] + 1.0)
    monomials = np.linalg.inv(np.vander(c, stages, increasing=True))  # (power, stage)
    powers = np.arange(1, stages + 1)
    integrals = np.zeros((stages, stages + 1))
    integrals[:, 1:] = (monomials / powers[:, None]).T
    matrix = (c[:, None] ** powers / powers) @ monomials
    return c, matrix, integrals


def collocate(
    equations: Equations, t: float, start: tuple[Array, Array, Array, Array], h: float, stages: int
) -> Leap | None:
    """The step from t to t + h of a state q, u, z, w; None if the iteration does not settle."""
    c, (q, u, z, w) = equations.compiled, start
    nodes, matrix, integrals = gauss(stages)
    n, model = stages, (c.ints, c.reals, equations.work)
    places, scratch, time, first = (
        np.zeros((n + 1, c.nq)),
        np.zeros(c.nu),
        t + h * nodes,
        np.array(q),
    )
    xdot, udot = np.tile(u, (n, 1)), np.zeros((n, c.nu))
    rates = xdot, udot, np.zeros((n, c.nz)), np.zeros((n, len(w)))
    size = max(float(np.max(np.abs(u) / c.scale, initial=0.0)), 1e-300)
    older = old = change = np.inf  # places and velocities are corrected in turn
    for k in range(REPEATS):
        x, v, y = h * matrix @ xdot, u + h * matrix @ udot, z + h * matrix @ rates[2]
        before = xdot.copy(), udot.copy()
        bad = kernels.passage_rates(*model, time, first, x, v, y, places, *rates, scratch)
        if bad != kernels.GOOD or not all(np.all(np.isfinite(r)) for r in rates):
            return None
        steps = np.maximum(np.abs(xdot - before[0]), h * np.abs(udot - before[1]))
        change = float(np.max(steps / c.scale, initial=0.0)) / size
        if change < 1e-15 or (k > 4 and change < SETTLED and change > 0.5 * older):
            break
        if k > 4 and change > max(2.0 * older, 1e-6):
            return None
        older, old = old, change
    if not change < SETTLED:
        return None
    x, v, y, work = (h * (r.T @ integrals) for r in rates)
    v[:, 0], y[:, 0], work[:, 0] = u, z, w
    return Leap(h, x, v, y, work, change)


def value(polynomials: Array, s: float) -> Array:
    """Values of polynomials (n, powers) at s."""
    values: Array = polynomials @ s ** np.arange(polynomials.shape[1])
    return values


def part(polynomials: Array, low: float, high: float) -> Array:
    """Polynomials (n, 8) of s from 0 to 1 that are those of the part from low to high.

    Of nine coefficients the last is left out with a multiple of Chebyshev's polynomial less one,
    which vanishes at both ends.
    """
    n = polynomials.shape[1]
    shift = np.zeros((n, n))
    line = np.polynomial.Polynomial((low, high - low))
    for k in range(n):
        shift[k, : k + 1] = (line**k).coef
    shifted = polynomials @ shift
    if n == st.DEGREE + 1:
        least = np.polynomial.Chebyshev.basis(st.DEGREE, domain=(0.0, 1.0))
        more = least.convert(kind=np.polynomial.Polynomial).coef
        more[0] -= 1.0
        shifted = (shifted - np.outer(shifted[:, -1] / more[-1], more))[:, :-1]
    out = np.zeros((len(polynomials), st.DEGREE))
    out[:, : shifted.shape[1]] = shifted
    return out
