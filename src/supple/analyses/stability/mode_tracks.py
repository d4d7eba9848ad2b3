"""Modes followed from one linear model to the next, by their shapes and eigenvalues."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from supple.analyses.modes.linear_model import LinearModel
from supple.analyses.modes.mode import Mode
from supple.foundation.arrays import Array


@dataclass
class _Followed:
    """A mode by the number of the linear model, and where it was last.

    ``value`` has the sign of the imaginary part as it was followed: in axes that turn, a whirl at
    the speed of the rotation passes zero, and its conjugate is what a linear model lists then.
    """

    modes: dict[int, Mode] = field(default_factory=dict)
    shape: np.ndarray = field(default_factory=lambda: np.zeros(0, complex))
    value: complex = 0j
    slope: complex = 0j  # change of the value from one model to the next, per unit of ``where``
    where: float = 0.0


def mode_tracks(
    linear: Sequence[LinearModel], most: int | None = None, over: Array | None = None
) -> list[dict[int, Mode]]:
    """Each mode that oscillates, by the number of the linear model in which it was found.

    Of each linear model the lowest ``most`` are looked at, by default all. ``over`` are the values
    (n,) at which they are, by default equally far from each other.

    All modes of two neighbours are paired together, so that the sum of their differences is least:
    those of shapes (0 to 1) and of eigenvalues, which are expected to go on as before.
    """
    from scipy.optimize import linear_sum_assignment

    found: list[_Followed] = []
    where = np.arange(float(len(linear))) if over is None else over
    for k, one in enumerate(linear):
        modes = [mode for mode in one.modes if mode.eigenvalue.imag > 0.0][:most]
        size = float(np.median([abs(mode.eigenvalue) for mode in modes])) if modes else 0.0
        costs = np.array([[min(_apart(t, m, size, where[k])) for m in modes] for t in found])
        rows, columns = linear_sum_assignment(costs) if costs.size else ((), ())
        owner = {int(j): found[int(i)] for i, j in zip(rows, columns, strict=True)}
        for j, mode in enumerate(modes):
            track = owner.get(j)
            if track is None:
                track = _Followed(value=mode.eigenvalue)
                found.append(track)
                value, shape = mode.eigenvalue, _scaled(mode)
            else:
                same, other = _apart(track, mode, size, where[k])
                conjugate = other < same
                value = mode.eigenvalue.conjugate() if conjugate else mode.eigenvalue
                shape = _scaled(mode).conj() if conjugate else _scaled(mode)
                track.slope = (value - track.value) / (where[k] - track.where)
            track.modes[k], track.value, track.shape = mode, value, shape
            track.where = float(where[k])
    return [track.modes for track in found]


def _scaled(mode: Mode) -> np.ndarray:
    """The shape in units of increments."""
    return np.asarray(mode.shape / mode.compiled.scale)


def _apart(track: _Followed, mode: Mode, size: float, at: float) -> tuple[float, float]:
    """How different a mode, and its conjugate, are from where a track is expected."""
    shape, s = _scaled(mode), track.value + track.slope * (at - track.where)

    def of(y: np.ndarray, r: complex) -> float:
        x = track.shape
        norm = np.vdot(x, x).real * np.vdot(y, y).real
        alike = abs(np.vdot(x, y)) ** 2 / norm if norm > 0.0 else 0.0
        return float(1.0 - alike + 2.0 * abs(s - r) / (abs(s) + abs(r) + size))

    return of(shape, mode.eigenvalue), of(shape.conj(), mode.eigenvalue.conjugate())


def values(tracks: Sequence[dict[int, Mode]], count: int) -> Array:
    """Damped frequencies (tracks, count), Hz; NaN where a mode does not oscillate."""
    found = np.full((len(tracks), count), np.nan)
    for row, track in enumerate(tracks):
        for k, mode in track.items():
            found[row, k] = mode.damped_frequency
    return found
