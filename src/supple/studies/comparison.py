"""compare: how much two runs of the same, or a similar, model differ.

Between output times histories are Hermite polynomials through values, rates and accelerations.
Linear interpolation has the error h^2 / 8 times the acceleration, which is more than what two runs
differ by.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import public
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.palette import COLOURS, INK
from supple.results.files.dataset import Track, Variable, motion_track
from supple.results.plot import DASHES, blank_figure, dress, named
from supple.results.result import Result
from supple.results.saved import SavedResult

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Largest error of the rate of a quintic over that of its value, times the interval: the error goes
# with s^3 (1 - s)^3, s from 0 to 1.
RATE_ERROR = 3.0 * 64.0 / (25.0 * 5.0**0.5)


@dataclass(frozen=True, eq=False)
class Interpolant:
    """A history between its output times, by its derivatives as far as they are known."""

    # name, units: of the quantity
    name: str
    units: str
    t: Array  # (nt,) s
    # value, rate, acceleration (nt, n) each; one alone is joined by a quintic spline
    derivatives: tuple[Array, ...]
    order: int = 0  # which of them is shown: 0 the value, 1 its rate
    turns: bool = False  # the value is a unit quaternion (nt, 4); differences are angles

    def at(self, times: Array) -> Array:
        """Return values (k, n) at times inside the run; the stored ones at output times."""
        if len(self.t) == len(times) and np.array_equal(self.t, times):
            return self.derivatives[self.order]
        if len(self.derivatives) == 1:
            values = _spline(self.t, self.derivatives[0], times)
        else:
            values = _hermite(self.t, self.derivatives, times, self.order)
        if self.turns:
            values = values / np.linalg.norm(values, axis=1, keepdims=True)
        return values

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
    return np.asarray(x + q[:, :1] * t + np.cross(u, t))


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
    value = np.zeros_like(c[0])
    for coefficient in reversed(c):
        value = value * s + coefficient
    return value


def _spline(t: Array, values: Array, times: Array) -> Array:
    """Quintic spline, of lower degree through few points."""
    from scipy.interpolate import make_interp_spline

    most = min(5, len(t) - 1)
    return np.asarray(make_interp_spline(t, values, k=most if most % 2 else most - 1)(times))


MOST = 4  # quantities in one picture
SMALLEST = 1e-16  # of the range: what is drawn for no difference at all
Table = dict[str, Interpolant]
SAME_TIME = 1e-9  # of the common time: output times closer than this are one
ROUNDING = 1e-12  # of the largest value with the same units
AT_REST = 1e-6  # of the largest change of one with the same units: what changes less is at rest
SHOWN = 40  # rows of the printed table


def draw(
    comparison: Comparison,
    names: Sequence[str],
    tolerance: float,
    labels: tuple[str, str],
    path: str | Path | None = None,
) -> Figure:
    """Draw the first few of ``names`` for both runs, with the difference over the range.

    A dotted line is the ``tolerance``.
    """
    chosen = [comparison[name] for name in names[:MOST]]
    count = len(chosen)
    shape: dict[str, Any] = {"squeeze": False, "height_ratios": [1.6, 1.0] * count}
    figure, grid = blank_figure(3.4 * count + 0.4, 2 * count, 1, sharex=True, **shape)
    rows = grid[:, 0]
    tracks = [result.track() for result in comparison.runs]
    for place, d in enumerate(chosen):
        values, residual = rows[2 * place], rows[2 * place + 1]
        for k, (track, label) in enumerate(zip(tracks, labels, strict=True)):
            _histories(values, track, d.name, label, broken=k == 1)
        dress(values, y=named(d.name, d.units))
        parts = np.maximum(d.values / (d.range or 1.0), SMALLEST)
        residual.plot(comparison.t, parts, lw=1.2, color=COLOURS[3], label="difference")
        residual.set_yscale("log")
        if tolerance > 0.0:
            residual.axhline(tolerance, color=COLOURS[2], lw=1.0, ls=":", label="tolerance")
        dress(residual, y="difference / range")
    rows[-1].set_xlabel("time (s)", color=INK)
    rows[-1].set_xlim(comparison.t[0], comparison.t[-1])
    figure.align_ylabels(rows)
    return save_figure(figure, path)


def _histories(ax: Axes, track: Track, name: str, label: str, broken: bool) -> None:
    """Components of one quantity of a run; those of the second run are broken lines on top."""
    source = next(entry for entry in interpolants(track) if entry.name == name)
    columns = source.derivatives[source.order]
    for k, column in enumerate(columns.T):
        colour = INK if broken else COLOURS[k % len(COLOURS)]
        style = {"ls": DASHES[0], "lw": 0.9} if broken else {"lw": 1.6}
        ax.plot(source.t, column, color=colour, label=label if k == 0 else None, **style)


@dataclass(frozen=True, eq=False)
class Difference:
    """Difference of one quantity between two runs."""

    # name, units: of the quantity; rotations are compared by the angle between them, rad
    name: str
    units: str
    # max, at: largest difference, and its time in s; of a vector the length of the difference
    max: float
    at: float
    rms: float  # root of the mean square over time
    # largest value of the quantity, for comparison; of rotations 1 rad. It is at least 1e-12 of the
    # largest quantity with the same units: less is rounding
    size: float
    # estimated error of the values between output times; 0 if both runs have the same ones. A
    # difference below it means nothing.
    interpolation: float
    values: Array  # (nt,) difference at the times of the comparison
    # how much the quantity changes, at least a millionth of the largest change of one with the same
    # units: a coordinate that rests is not judged by its rounding; of rotations 1 rad; of elastic
    # coordinates the largest of their body: they are components of one vector
    range: float = 0.0

    @property
    def of_range(self) -> float:
        """Largest difference over the range; 0 if there is none."""
        return self.max / self.range if self.range > 0.0 else math.inf if self.max > 0.0 else 0.0

    @property
    def relative(self) -> float:
        """Largest difference over the largest value; 0 if both are zero."""
        return self.max / self.size if self.size > 0.0 else float(self.max > 0.0)


@public
@dataclass(frozen=True, eq=False)
class Comparison:
    """Differences of two runs by quantity, ``comparison["elbow.angle"].max``; printed, a table."""

    t: Array  # (nt,) times of the comparison: the output times of both runs where they overlap, s
    differences: dict[str, Difference]  # by name, see `Difference`
    skipped: dict[str, str]  # what could not be compared, and why
    runs: tuple[Result | SavedResult, Result | SavedResult]  # the two results

    @property
    def max(self) -> dict[str, float]:
        """Largest difference of each quantity, in its units."""
        return {name: d.max for name, d in self.differences.items()}

    @property
    def rms(self) -> dict[str, float]:
        """Root of the mean square difference of each quantity, in its units."""
        return {name: d.rms for name, d in self.differences.items()}

    @property
    def worst(self) -> Difference:
        """The quantity with the largest relative difference above what interpolation may cost."""
        return self._ranked()[0]

    @property
    def objects(self) -> list[str]:
        """Names of the objects whose quantities were compared."""
        return list(dict.fromkeys(name.rpartition(".")[0] for name in self.differences))

    def only(self, *names: str) -> Comparison:
        """Some of the differences, by the names of quantities or objects."""
        kept = {name: self.differences[name] for name in _chosen(list(self.differences), names)}
        return Comparison(self.t, kept, {} if names else self.skipped, self.runs)

    def _ranked(self) -> list[Difference]:
        """Largest relative differences first, those that mean nothing last."""
        differences = self.differences.values()
        return sorted(differences, key=lambda d: (d.max < d.interpolation, -d.relative))

    def __getitem__(self, name: str) -> Difference:
        if name not in self.differences:
            known = list(self.differences)
            raise SuppleError(f"the comparison has no {name!r}, {suggestion(name, known)}")
        return self.differences[name]

    def to_pandas(self) -> pd.DataFrame:
        """Return a table with one row for each quantity."""
        import pandas as pd

        columns = ("units", "max", "at", "rms", "size", "relative", "interpolation")
        rows = [[getattr(d, c) for c in columns] for d in self.differences.values()]
        index = pd.Index(list(self.differences), name="quantity")
        return pd.DataFrame(rows, columns=list(columns), index=index)

    def plot(self, *names: str, path: str | Path | None = None) -> Figure:
        """Draw differences over time on a logarithmic axis; by default the six largest, relatively.

        Each is divided by the largest value of its quantity.
        """
        ranked = self._ranked()
        chosen = [self[name] for name in names] if names else ranked[:6]
        figure, ax = blank_figure(3.6)
        top = max((d.relative for d in chosen), default=0.0) or 1.0
        for k, d in enumerate(chosen):
            values = np.maximum(d.values / (d.size or 1.0), 1e-16)
            ax.plot(self.t, values, lw=1.2, color=COLOURS[k % len(COLOURS)], label=d.name)
        ax.set_yscale("log")
        ax.set_ylim(max(1e-7 * top, 1e-16), 3.0 * top)
        ax.set_xlim(self.t[0], self.t[-1])
        dress(ax, "time (s)", "difference / largest value")
        return save_figure(figure, path)

    def plot_runs(
        self,
        *names: str,
        path: str | Path | None = None,
        labels: tuple[str, str] = ("first", "second"),
        tolerance: float = 0.0,
    ) -> Figure:
        """Draw histories of both runs and, below each, their difference over the range.

        Parameters
        ----------
        names : of quantities, at most four; by default the four with the largest differences
        labels : what the two runs are called
        tolerance : part of the range that is marked by a line; none if it is zero
        """
        chosen = [self[name].name for name in names] or [d.name for d in self._ranked()]
        return draw(self, chosen, tolerance, labels, path)

    def __repr__(self) -> str:
        rows = self._ranked()
        width = max(8, *(len(d.name) for d in rows[:SHOWN]))
        lines = [
            f"Comparison of two runs at {len(self.t)} times, {self.t[0]:g} to {self.t[-1]:g} s",
            f"  {'quantity':<{width}}  {'max':>9}  {'at (s)':>8}  {'rms':>9}  {'of':>9}  units",
        ]
        for d in rows[:SHOWN]:
            weak = "  (interpolation)" if d.max < d.interpolation else ""
            lines.append(
                f"  {d.name:<{width}}  {d.max:9.2e}  {d.at:8.4g}  {d.rms:9.2e}  {d.size:9.2e}"
                f"  {d.units}{weak}"
            )
        if len(rows) > SHOWN:
            lines.append(f"  ... {len(rows) - SHOWN} more, see .differences")
        lines += [f"  not compared: {name}, {why}" for name, why in self.skipped.items()]
        return "\n".join(lines)


def compare(first: Result | SavedResult, second: Result | SavedResult, *what: str) -> Comparison:
    """Compare two results of the same or a similar model.

    Joint coordinates and rates, places and attitudes of bodies, elastic coordinates (where a body
    has the same in both), deflections of beam ends and energies are compared by name, at the output
    times of both where the runs overlap. Between output times values come from quintic polynomials
    through values, rates and accelerations.

    Parameters
    ----------
    first, second : results, or files read by `supple.files.load_result`
    what : names of objects ("elbow") or quantities ("elbow.angle"); everything without it
    """
    for result in (first, second):
        if not isinstance(result, (Result, SavedResult)):
            raise SuppleError(f"compare: found {type(result).__name__}, expected two results")
    return compared((first, second), (table_of(first), table_of(second)), what)


def table_of(result: Result | SavedResult) -> Table:
    """Quantities that a result can be compared by, by name."""
    track = motion_track(result) if isinstance(result, Result) else result.track()
    return {c.name: c for c in interpolants(track)}


def compared(
    runs: tuple[Result | SavedResult, Result | SavedResult],
    tables: tuple[Table, Table],
    what: tuple[str, ...] = (),
) -> Comparison:
    """Compare two results by tables of them, as `compare` does."""
    (first, second), (a, b) = runs, tables
    t = _times(first.t, second.t)
    common = [name for name in a if name in b]
    if not common:
        raise SuppleError(
            f"compare: the results have nothing in common, the first has {_objects(a)}, the second "
            f"{_objects(b)}"
        )
    chosen = _chosen(common, what)
    skipped = {} if what else _only_in_one(a, b)
    differences: dict[str, Difference] = {}
    different = _different_bodies(a, b)
    for name in chosen:
        owner = name.rpartition(".")[0]
        if owner in different and _elastic(a[name]):
            skipped.setdefault(owner, "its elastic coordinates are not the same")
            continue
        differences[name] = _difference(a[name], b[name], t)
    groups = {n: _judged_with(n, a) for n in differences}
    size: dict[str, float] = {}
    span: dict[str, float] = {}
    for name, d in differences.items():
        size[d.units] = max(d.size, size.get(d.units, 0.0))
        for group in (d.units, groups[name] + d.units):
            span[group] = max(d.range, span.get(group, 0.0))
    for name, d in differences.items():
        floor = ROUNDING * size[d.units]
        own = span[groups[name] + d.units] if groups[name] else d.range
        moved = max(own, AT_REST * span[d.units], floor)
        differences[name] = replace(d, size=max(d.size, floor), range=moved)
    return Comparison(t, differences, skipped, (first, second))


def _difference(a: Interpolant, b: Interpolant, t: Array) -> Difference:
    x, y = a.at(t), b.at(t)
    values = difference(x, y, a.turns)
    known = np.isfinite(values)
    if not np.any(known):
        raise SuppleError(f"compare: {a.name} is not finite in one of the results")
    values = np.where(known, values, 0.0)
    k = int(np.argmax(values))
    same = np.array_equal(a.t, t) and np.array_equal(b.t, t)
    error = 0.0 if same else a.uncertainty() + b.uncertainty()
    sizes = [np.linalg.norm(v[known], axis=1).max() for v in (x, y)]
    size = 1.0 if a.turns else float(max(sizes))
    rms = float(np.sqrt(np.trapezoid(values**2, t) / (t[-1] - t[0])))
    span = 1.0 if a.turns else max(float(np.linalg.norm(np.ptp(v[known], axis=0))) for v in (x, y))
    largest, at = float(values[k]), float(t[k])
    return Difference(a.name, a.units, largest, at, rms, size, error, values, span)


def _times(a: Array, b: Array) -> Array:
    if len(a) == len(b) and np.array_equal(a, b) and len(a) > 1:
        return a
    spans = [f"{t[0]:g} to {t[-1]:g} s" if len(t) else "no output" for t in (a, b)]
    if min(len(a), len(b)) < 2 or min(a[-1], b[-1]) <= max(a[0], b[0]):
        raise SuppleError(
            f"compare: the results have no stretch of time in common, found {' and '.join(spans)}"
        )
    low, high = max(a[0], b[0]), min(a[-1], b[-1])
    t = np.sort(np.concatenate([a[(a >= low) & (a <= high)], b[(b >= low) & (b <= high)]]))
    apart = np.diff(t) > SAME_TIME * (high - low)
    return np.asarray(t[np.concatenate([[True], apart])])


def _chosen(common: list[str], what: tuple[str, ...]) -> list[str]:
    chosen: list[str] = []
    for item in what:
        own = [n for n in common if n == item or n.rpartition(".")[0] == item]
        if not own:
            objects = list(dict.fromkeys(n.rpartition(".")[0] for n in common))
            raise SuppleError(
                f"compare: the results do not both have {item!r}, "
                f"{suggestion(item, objects + common)}"
            )
        chosen += own
    return list(dict.fromkeys(chosen)) if what else common


def _elastic(interpolant: Interpolant) -> bool:
    """True if a quantity is called like an elastic coordinate, "mode_1", or of a part, "u_1[0]"."""
    name = interpolant.name.rpartition(".")[2].removesuffix("_rate")
    return name.partition("[")[0].rpartition("_")[2].isdigit()


def elastic_rate(name: str, table: Table) -> bool:
    """True if a quantity is the rate of an elastic coordinate of a body."""
    return name.endswith("_rate") and bool(_judged_with(name, table))


def _judged_with(name: str, table: dict[str, Interpolant]) -> str:
    """The body whose elastic coordinates are judged as components of one vector; else nothing."""
    owner = name.rpartition(".")[0]
    body = _elastic(table[name]) and f"{owner}.strain_energy" in table
    return f"{owner}." if body else ""


def _different_bodies(a: dict[str, Interpolant], b: dict[str, Interpolant]) -> set[str]:
    """Beams whose elastic coordinates differ in number or name."""
    own: list[dict[str, set[str]]] = [{}, {}]
    for bodies, table in zip(own, (a, b), strict=True):
        for name, interpolant in table.items():
            if _elastic(interpolant) and f"{name.rpartition('.')[0]}.strain_energy" in table:
                bodies.setdefault(name.rpartition(".")[0], set()).add(name)
    return {body for body in {*own[0], *own[1]} if own[0].get(body) != own[1].get(body)}


def _only_in_one(a: dict[str, Interpolant], b: dict[str, Interpolant]) -> dict[str, str]:
    """Objects that only one of the two results has."""
    objects = [{n.rpartition(".")[0] for n in table} for table in (a, b)]
    only: dict[str, str] = {}
    for k, word in enumerate(("first", "second")):
        only |= {n: f"only in the {word} result" for n in sorted(objects[k] - objects[1 - k]) if n}
    return only


def _objects(table: dict[str, Any]) -> str:
    names = list(dict.fromkeys(n.rpartition(".")[0] for n in table))
    return ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")
