"""Recorded: a motion through given values, rates and accelerations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation.validate import Vector, read_only, set_fields
from supple.signals import Piecewise


@dataclass(frozen=True, eq=False, init=False)
class Recorded(Piecewise):
    """Quintic pieces with the given value, rate and acceleration at each of the times (n,), s."""

    times: Vector
    values: Vector
    rates: Vector
    accelerations: Vector

    def __init__(
        self, times: ArrayLike, values: ArrayLike, rates: ArrayLike, accelerations: ArrayLike
    ) -> None:
        set_fields(
            self,
            times=read_only(times),
            values=read_only(values),
            rates=read_only(rates),
            accelerations=read_only(accelerations),
        )

    def pieces(self) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
        """The last piece goes on beyond the last time, so that nothing stops there."""
        t, x, v, a = self.times, self.values, self.rates, self.accelerations
        h = np.diff(t)
        # what value, rate and acceleration at the end of a piece have beyond its first three terms
        dx = (x[1:] - x[:-1] - h * (v[:-1] + 0.5 * h * a[:-1])) / h**3
        dv = (v[1:] - v[:-1] - h * a[:-1]) / h**2
        da = (a[1:] - a[:-1]) / h
        terms = [
            x[:-1],
            v[:-1],
            0.5 * a[:-1],
            10.0 * dx - 4.0 * dv + 0.5 * da,
            (-15.0 * dx + 7.0 * dv - da) / h,
            (6.0 * dx - 3.0 * dv + 0.5 * da) / h**2,
        ]
        breaks = np.append(t[:-1], t[-1] + h[-1])
        return breaks, t[:-1], np.stack(terms, axis=1)
