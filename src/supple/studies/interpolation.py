"""Histories between output times: Hermite polynomials through values, rates and accelerations.

Linear interpolation has the error h^2 / 8 times the acceleration, which is more than what two runs
differ by.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from supple.foundation.arrays import Array
from supple.results.files.dataset import Track, Variable

# Largest error of the rate of a quintic over that of its value, times the interval: the error goes
# with s^3 (1 - s)^3, s from 0 to 1.
RATE_ERROR = 3.0 * 64.0 / (25.0 * 5.0**0.5)


@dataclass(frozen=True, eq=False)
class Interpolant:
    """A history between its output times, by its derivatives as far as they are known.

    Attributes
    ----------
    name, units : of the quantity
    t : (nt,) s
    derivatives : value, rate, acceleration (nt, n) each; one alone is joined by a quintic spline
    order : which of them is shown: 0 the value, 1 its rate
    turns : the value is a unit quaternion (nt, 4); differences are angles
    """

    name: str
    units: str
    t: Array
    derivatives: tuple[Array, ...]
    order: int = 0
    turns: bool = False

    def at(self, times: Array) -> Array:
        """Return values (k, n) at times inside the run; the stored ones at output times."""
        if len(self.t) == len(times) and np.array_equal(self.t, times):
            return self.derivatives[self.order]
        if len(self.derivatives) == 1:
            found = _spline(self.t, self.derivatives[0], times)
        else:
            found = _hermite(self.t, self.derivatives, times, self.order)
        if self.turns:
            found = found / np.linalg.norm(found, axis=1, keepdims=True)
        return found

    def uncertainty(self) -> float:
        """Return an estimate of the largest error between output times, in ``units``.

        Every second output time is left out and found again from the others; an interpolation of
        order p on half the interval is better by 2^p. The same with three of four left out tells
        whether that is so already: a motion quicker than the output times is not.
        """
        if len(self.t) < 9:
            return float("inf")
        if self.order == 1:  # its error is zero in the middle: take it from that of the value
            interval = float(np.diff(self.t).mean())
            return replace(self, order=0).uncertainty() * RATE_ERROR / interval
        near, far = self._interpolation_error(2), self._interpolation_error(4)
        # a spline would have 6, but not yet near the ends of the run
        order = 4 if len(self.derivatives) == 1 else 2 * len(self.derivatives)
        return near / min(max(far / near, 1.0), 2.0**order) if near > 0.0 else 0.0

    def _interpolation_error(self, stride: int) -> float:
        """Largest error in the middle between every second, fourth ... output time."""
        fewer = tuple(d[::stride] for d in self.derivatives)
        coarse = replace(self, t=self.t[::stride], derivatives=fewer)
        inside = slice(stride // 2, stride * (len(coarse.t) - 1), stride)
        error = difference(coarse.at(self.t[inside]), self.derivatives[0][inside], self.turns)
        return float(np.nanmax(error, initial=0.0))  # a run that failed ends with NaN


def difference(a: Array, b: Array, turns: bool = False) -> Array:
    """(k,) distances of values (k, n): the length of a - b, or the angle (rad) of rotations."""
    if not turns:
        return np.asarray(np.linalg.norm(a - b, axis=1))
    inverse = a * [1.0, -1.0, -1.0, -1.0]
    relative = _product(inverse, b)
    sine, cosine = np.linalg.norm(relative[:, 1:], axis=1), np.abs(relative[:, 0])
    return np.asarray(2.0 * np.arctan2(sine, cosine))


def interpolants(data: Track) -> Iterator[Interpolant]:
    """Yield what two runs can be compared by: coordinates, rates, places, attitudes, energies."""
    for name, v in data.variables.items():
        if v.role in ("coordinate", "elastic") and f"{name}_rate" in data.variables:
            parts = tuple(_columns(data, name + s) for s in ("", "_rate", "_acceleration"))
            rate = data.variables[f"{name}_rate"]
            yield Interpolant(name, v.units, data.t, parts)
            yield Interpolant(rate.name, rate.units, data.t, parts, order=1)
        elif v.role == "coordinate" and name.endswith(".qw"):
            yield from _of_quaternion_joint(data, name.removesuffix(".qw"))
        elif v.role == "position":
            owner = name.removesuffix(".position")
            moves = [f"{owner}.{kind}" for kind in ("position", "velocity", "acceleration")]
            known = tuple(_columns(data, m) for m in moves if m in data.variables)
            yield Interpolant(name, v.units, data.t, known)
        elif v.role == "rotation":
            owner = name.removesuffix(".rotation")
            spin, change = (
                _columns(data, f"{owner}.angular_{kind}") for kind in ("velocity", "acceleration")
            )
            turning = _turning(v.values, spin, change, own=False)
            yield Interpolant(name, "rad", data.t, turning, turns=True)
        elif v.role == "deflection" or (v.role == "energy" and name != "energy.error"):
            yield Interpolant(name, v.units, data.t, (_columns(data, name),))


def _of_quaternion_joint(data: Track, joint: str) -> Iterator[Interpolant]:
    q = np.hstack([_columns(data, f"{joint}.{c}") for c in ("qw", "qx", "qy", "qz")])
    spin = _columns(data, f"{joint}.angular_velocity")
    change = _columns(data, f"{joint}.angular_acceleration")
    turning = _turning(q, spin, change, own=True)
    yield Interpolant(f"{joint}.rotation", "rad", data.t, turning, turns=True)
    yield Interpolant(f"{joint}.angular_velocity", "rad/s", data.t, (spin, change))
    if f"{joint}.x" in data.variables:
        place = np.hstack([_columns(data, f"{joint}.{c}") for c in "xyz"])
        v = _columns(data, f"{joint}.velocity")
        dv = _columns(data, f"{joint}.velocity_rate")
        moves = _rotated(q, v), _rotated(q, dv + np.cross(spin, v))
        yield Interpolant(f"{joint}.position", "m", data.t, (place, *moves))
        yield Interpolant(f"{joint}.velocity", "m/s", data.t, (v, dv))


def _columns(data: Track, name: str) -> Array:
    v: Variable = data.variables[name]
    return v.values.reshape(len(data.t), -1)


def _turning(q: Array, spin: Array, change: Array, own: bool) -> tuple[Array, Array, Array]:
    """Quaternions (nt, 4) with two derivatives; spin in the turned axes (own) or the fixed ones."""
    w, dw = (np.hstack([np.zeros((len(q), 1)), x]) for x in (spin, change))

    def times(x: Array, y: Array) -> Array:
        return 0.5 * (_product(x, y) if own else _product(y, x))

    rate = times(q, w)
    return q, rate, times(rate, w) + times(q, dw)


def _product(a: Array, b: Array) -> Array:
    """Quaternion products (nt, 4)."""
    s, u, r, v = a[:, :1], a[:, 1:], b[:, :1], b[:, 1:]
    dot = np.sum(u * v, axis=1, keepdims=True)
    return np.hstack([s * r - dot, s * v + r * u + np.cross(u, v)])


def _rotated(q: Array, x: Array) -> Array:
    u = q[:, 1:]
    t = 2.0 * np.cross(u, x)
    rotated: Array = x + q[:, :1] * t + np.cross(u, t)
    return rotated


def _hermite(t: Array, derivatives: tuple[Array, ...], times: Array, order: int) -> Array:
    """Cubic (two derivatives given) or quintic (three) polynomials on each interval."""
    k = np.clip(np.searchsorted(t, times, side="right") - 1, 0, len(t) - 2)
    h = (t[k + 1] - t[k])[:, None]
    s = (times - t[k])[:, None] / h
    n = len(derivatives)
    # Taylor coefficients at the left end, then the rest from the conditions at the right end.
    scale = (1.0, 1.0, 0.5)
    c = [scale[j] * h**j * derivatives[j][k] for j in range(n)]
    right = [h**j * derivatives[j][k + 1] for j in range(n)]
    miss = right[0] - sum(c)
    slope = right[1] - sum(j * c[j] for j in range(n))
    if n == 2:
        c += [3.0 * miss - slope, slope - 2.0 * miss]
    else:
        bend = right[2] - 2.0 * c[2]
        c += [
            10.0 * miss - 4.0 * slope + 0.5 * bend,
            -15.0 * miss + 7.0 * slope - bend,
            6.0 * miss - 3.0 * slope + 0.5 * bend,
        ]
    if order == 1:
        c = [j * c[j] / h for j in range(1, len(c))]
    found = np.zeros_like(c[0])
    for coefficient in reversed(c):
        found = found * s + coefficient
    return found


def _spline(t: Array, values: Array, times: Array) -> Array:
    """Quintic spline, of lower degree through few points."""
    from scipy.interpolate import make_interp_spline

    most = min(5, len(t) - 1)
    found: Array = make_interp_spline(t, values, k=most if most % 2 else most - 1)(times)
    return found
