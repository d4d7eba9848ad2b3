"""Campbell diagram: frequencies over the speed of a rotation, with what the rotation excites.

Frequencies are those of the model's coordinates: of blades and shafts that turn with their joint,
as they themselves see them. Modes are followed from one linear model to the next by their shapes
and eigenvalues, so that lines may cross.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.linear.linear_model import LinearModel
from supple.analyses.linear.mode import Mode
from supple.foundation import validate
from supple.foundation.arrays import Array, Indices
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import SuppleError
from supple.foundation.palette import COLOURS, INK
from supple.results.plot import DASHES, blank_figure, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.stability.stability import Stability

OWNER = "plot_campbell"


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

    tracks: list[_Followed] = []
    where = np.arange(float(len(linear))) if over is None else over
    for k, one in enumerate(linear):
        modes = [mode for mode in one.modes if mode.eigenvalue.imag > 0.0][:most]
        size = float(np.median([abs(mode.eigenvalue) for mode in modes])) if modes else 0.0
        costs = np.array([[min(_apart(t, m, size, where[k])) for m in modes] for t in tracks])
        rows, columns = linear_sum_assignment(costs) if costs.size else ((), ())
        owner = {int(j): tracks[int(i)] for i, j in zip(rows, columns, strict=True)}
        for j, mode in enumerate(modes):
            track = owner.get(j)
            if track is None:
                track = _Followed(value=mode.eigenvalue)
                tracks.append(track)
                value, shape = mode.eigenvalue, _scaled(mode)
            else:
                same, other = _apart(track, mode, size, where[k])
                conjugate = other < same
                value = mode.eigenvalue.conjugate() if conjugate else mode.eigenvalue
                shape = _scaled(mode).conj() if conjugate else _scaled(mode)
                track.slope = (value - track.value) / (where[k] - track.where)
            track.modes[k], track.value, track.shape = mode, value, shape
            track.where = float(where[k])
    return [track.modes for track in tracks]


def _scaled(mode: Mode) -> np.ndarray:
    """The shape in units of increments."""
    return np.asarray(mode.shape / mode.compiled.scale)


def _apart(track: _Followed, mode: Mode, size: float, at: float) -> tuple[float, float]:
    """Differences of a mode, and of its conjugate, from where a track is expected."""
    shape, s = _scaled(mode), track.value + track.slope * (at - track.where)

    def of(y: np.ndarray, r: complex) -> float:
        x = track.shape
        norm = np.vdot(x, x).real * np.vdot(y, y).real
        alike = abs(np.vdot(x, y)) ** 2 / norm if norm > 0.0 else 0.0
        return float(1.0 - alike + 2.0 * abs(s - r) / (abs(s) + abs(r) + size))

    return of(shape, mode.eigenvalue), of(shape.conj(), mode.eigenvalue.conjugate())


def draw(
    stability: Stability,
    orders: Sequence[float],
    path: str | Path | None = None,
    high: float | None = None,
) -> Figure:
    """Draw damped frequencies up to ``high`` (Hz) over the rate (rad/s) of a joint.

    ``orders`` are multiples of the rate that are drawn as lines; where a frequency crosses one, by
    straight lines between the speeds that were computed, a circle marks it. Speeds at which the
    state is not stable are shaded.
    """
    model = stability.linear[0].model
    if stability.over not in model.joints:
        raise SuppleError(
            f"{OWNER}: the values are of {stability.over!r}, expected those of a joint's rate, as "
            "stability(model, joint, rates) computes them"
        )
    return picture(stability, branches(stability.linear, stability.values), (), orders, path, high)


def picture(
    stability: Stability,
    lines: Array,
    names: Sequence[str],
    orders: Sequence[float],
    path: str | Path | None = None,
    high: float | None = None,
) -> Figure:
    """Draw lines (modes, speeds), Hz, with their names if there are any; see `draw`."""
    multiples = [validate.positive(OWNER, "orders", order) for order in _listed(orders)]
    speeds = stability.values
    figure, ax = blank_figure(4.6)
    for k, line in enumerate(lines):
        label = names[k] if names else "modes" if k == 0 else "_modes"
        colour = COLOURS[(k if names else 0) % len(COLOURS)]
        ax.plot(speeds, line, color=colour, lw=1.4, label=label)
    top = 1.08 * float(np.nanmax(lines, initial=0.0)) or 1.0
    for k, order in enumerate(multiples):
        excited = order * np.abs(speeds) / (2.0 * np.pi)
        dashes = DASHES[k % len(DASHES)]
        ax.plot(speeds, excited, color=COLOURS[1], lw=1.0, ls=dashes, label=f"{order:g} x rate")
        for line in lines:
            spots = crossings(speeds, line - excited)
            ax.plot(spots, np.interp(spots, speeds, excited), "o", color=INK, ms=5, mfc="none")
    for first, last in unstable(stability):
        ax.axvspan(first, last, color=COLOURS[3], alpha=0.12, lw=0.0)
    ax.set_xlim(speeds[0], speeds[-1])
    ax.set_ylim(0.0, top if high is None else validate.positive(OWNER, "high", high))
    dress(ax, f"rate of {stability.over} (rad/s)", "frequency (Hz)")
    return save_figure(figure, path)


def _listed(orders: Sequence[float]) -> list[float]:
    return validate.listed(OWNER, "orders", orders, "multiples of the rate, e.g. (1, 2)")


def branches(linear: Sequence[LinearModel], over: Array | None = None) -> Array:
    """Damped frequencies (modes, speeds) of followed modes, Hz; NaN where none oscillates."""
    tracks = mode_tracks(linear, over=over)
    frequencies = np.full((len(tracks), len(linear)), np.nan)
    for row, track in enumerate(tracks):
        for k, mode in track.items():
            frequencies[row, k] = mode.damped_frequency
    return frequencies


def _signs_change(y: Array) -> Indices:
    """Places before which values y (n,) pass zero."""
    with np.errstate(invalid="ignore"):
        return np.flatnonzero((y[:-1] * y[1:] < 0.0) | (y[:-1] == 0.0) & (y[1:] != 0.0))


def crossings(x: Array, y: Array) -> Array:
    """Zeros of the straight lines through values y (n,) at x."""
    k = _signs_change(y)
    return np.asarray(x[k] - y[k] * (x[k + 1] - x[k]) / (y[k + 1] - y[k]))


def bent(x: Array, y: Array) -> Array:
    """Errors (m,) of `crossings` by the curvature of lines; NaN where two values are all there is.

    Parabolas through a third value tell, of two of them that which bends less: the other value may
    lie beyond a corner, as of a whirl that is seen from axes that turn.
    """
    errors = []
    for i, spot in zip(_signs_change(y), crossings(x, y), strict=True):
        slope = (y[i + 1] - y[i]) / (x[i + 1] - x[i])
        beside = [j for j in (i - 1, i + 2) if 0 <= j < len(x) and np.isfinite(y[j])]
        curves = [((y[j] - y[i]) / (x[j] - x[i]) - slope) / (x[j] - x[i + 1]) for j in beside]
        least = min((abs(c) for c in curves), default=np.nan)
        errors.append(abs(least * (spot - x[i]) * (spot - x[i + 1]) / slope))
    return np.array(errors)


def unstable(stability: Stability) -> list[tuple[float, float]]:
    """Stretches of the values in which the state is not stable, by its limits."""
    limits = [limit for limit in stability.limits if limit.kind != "limit point"]  # that is the end
    edges = [float(stability.values[0]), *(limit.value for limit in limits)]
    edges.append(float(stability.values[-1]))
    held = [bool(stability.stable[0]), *(limit.becomes == "stable" for limit in limits)]
    return [(a, b) for a, b, good in zip(edges[:-1], edges[1:], held, strict=True) if not good]
