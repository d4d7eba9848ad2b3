"""Warp: how the time of a neighbour goes, so that kinks of signals are at the same instants.

Where a parameter moves the breakpoint of a signal, a run and its neighbour differ by a jump between
both breakpoints, and differences at equal times have no sense there. So a neighbour is looked at in
a time t + p w(t) of its own, with w linear between breakpoints. What is beside a state then,
s + w s', is as smooth as the states themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.foundation.errors import ModelError
from supple.foundation.poses import Array
from supple.sensitivities.neighbours import OWNER, Neighbours


@dataclass(frozen=True)
class Warp:
    """Knots (k,) s, the times of these in both neighbours, and the rates (k,) per unit of p."""

    knots: Array
    first: Array
    second: Array
    rates: Array

    @classmethod
    def of(cls, neighbours: Neighbours, name: str, start: float, t_end: float) -> Warp:
        """Of a parameter and its usual displacement, between two times (s)."""
        own = neighbours.here.compiled.breakpoints
        *sides, apart = neighbours.sides(name)
        ends = [side.compiled.breakpoints for side in sides]
        if all(other == own for other in ends):
            knots = np.array([start, t_end])
            return cls(knots, knots, knots, np.zeros(2))
        if any(len(other) != len(own) for other in ends):
            # a value that makes a kink where there is none: all others must be where they were
            if not all(np.any(np.isclose(t, other, rtol=1e-12)) for other in ends for t in own):
                expected = "one that moves no breakpoints of signals while it makes others"
                raise ModelError(OWNER, "parameters", name, expected)
            ends = [own, own]
        order = np.argsort(own)
        inner = [k for k in order if start < own[k] < t_end]
        knots, first, second = (
            np.array([start, *(times[k] for k in inner), t_end]) for times in (own, *ends)
        )
        rates = (first - second) / apart
        return cls(knots, first, second, rates)

    @property
    def moves(self) -> bool:
        """Whether there is anything to do."""
        return bool(np.any(self.rates != 0.0))

    def times(self, t: Array) -> tuple[Array, Array]:
        """Times (n,) of the neighbours at times of the run, on the same side of all knots."""
        if not self.moves:
            return t, t
        found = []
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        for other in (self.first, self.second):
            slope = np.diff(other)[k] / np.diff(self.knots)[k]
            moved = other[k] + slope * (t - self.knots[k])
            found.append(np.clip(moved, other[k], np.nextafter(other[k + 1], -np.inf)))
        return found[0], found[1]

    def at(self, t: Array) -> Array:
        """The shift w (n,) s, per unit of the parameter."""
        return np.interp(t, self.knots, self.rates)

    def stretch(self, t: Array) -> Array:
        """Its rate w' (n,), per unit of the parameter; at a knot, that behind it."""
        k = np.clip(np.searchsorted(self.knots, t, side="right") - 1, 0, len(self.knots) - 2)
        return np.diff(self.rates)[k] / np.diff(self.knots)[k]
