"""Motion that the output times do not show: faster than half their rate, or between them.

A record of samples cannot tell a vibration of 1003 Hz from one of 3 Hz if there are 100 samples in
a second. The states can: velocities are the rates of what the samples seem to show, or they are
not. By Simpson's rule over two intervals the mean of velocities is the difference of places, up to
half the rate of the samples; what is left over is hidden, and so is what accelerations leave over
beside velocities. Both together tell its amplitude and its frequency:

    w = left over of a / left over of v        amplitude = left over of v / w

Jumps of velocities at impacts leave something over at few instants only, which are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from supple.results.run_finding import RunFinding

if TYPE_CHECKING:
    from supple.results.result import Result

Array = NDArray[np.float64]

FEWEST = 32  # output times of what is read as a history
MOST = 4000  # output times that are looked at
BLOCK = 8  # instants whose median counts
SHARE = 0.1  # of the blocks that must show it
HIDDEN = 0.2  # of all motion of a joint or body, as root mean squares
LOCKED = 1e-6  # of the interval: velocities beside accelerations of whole periods in each interval
FINER = 100.0  # times more output times that are advised at most
LEAST = 1e-5  # of the largest motion in the model, below which nothing is looked at
UNSHOWN = 0.3  # of velocities, left over: half of the rate of outputs leaves 0.47 of them
ROUNDING = 1e-9  # radians, or lengths of the model, that are no motion
SIMPSON = 4.24  # rms of 4 + 2 cos over all phases, which vibrations above the limit leave over


class _Group(NamedTuple):
    """Coordinates that belong together: places in q and u, and whether their zero is arbitrary."""

    name: str
    q: slice
    u: slice
    relative: bool


def output_findings(result: Result) -> Iterator[RunFinding]:
    """The joint or body with the most motion that the output times do not show."""
    worst = max(hidden_motions(result), default=None, key=lambda row: row.share)
    if worst is None or not worst.share > HIDDEN:
        return
    rate = 0.5 / worst.interval
    needed = 10.0 * min(worst.frequency, FINER * rate)
    yield RunFinding(
        worst.name,
        "output",
        worst.share,
        HIDDEN,
        None,
        False,
        f"'{worst.name}' vibrates with about {worst.frequency:.4g} Hz between the output times, "
        f"{worst.share:.0%} of its motion: {2.0 * rate:.3g} outputs in 1 s show at most "
        f"{rate:.3g} Hz, and histories and spectra show another motion; use "
        f"output={1.0 / needed:.1g}",
    )


class Hidden(NamedTuple):
    """Motion of a joint or body that outputs do not show.

    Attributes
    ----------
    share : of its motion, root mean squares
    frequency : Hz
    interval : s between output times
    """

    name: str
    share: float
    frequency: float
    interval: float


def hidden_motions(result: Result) -> list[Hidden]:
    """Hidden motion of all joints and deforming bodies that move enough."""
    data = result.data
    count = len(result.t)
    if count < FEWEST or not data.compiled.nu:
        return []
    part = data if count <= MOST else data.at(np.arange(count - MOST, count))
    t, q, u, a = part.t, np.asarray(part.q), np.asarray(part.u), part.history.a
    if not np.all(np.isfinite(a)):
        return []
    first, second = np.diff(t)[:-1], np.diff(t)[1:]
    even = np.abs(first - second) <= 1e-6 * np.minimum(first, second)
    if np.count_nonzero(even) < FEWEST - 2:
        return []
    step = float(np.median(first[even]))
    groups, scale = _groups(result), data.compiled.scale
    rows: list[tuple[str, float, float, float]] = []  # of each its amplitude, and its motion
    for g in groups:
        x, v, rate = (y / scale[g.u] for y in (q[:, g.q], u[:, g.u], a[:, g.u]))
        fast, faster = (_left_over(*y, first, second, even) for y in ((x, v), (v, rate)))
        w = faster / fast if fast > LOCKED * step * faster else 2.0 * np.pi / step
        amplitude = faster / w**2 if w > np.pi / step else 0.0  # what is slower is shown
        rows.append((g.name, w, amplitude, max(_size(x, g.relative), amplitude)))
    least = max(LEAST * max((row[3] for row in rows), default=0.0), ROUNDING)
    return [
        Hidden(name, amplitude / size, w / (2.0 * np.pi), step)
        for name, w, amplitude, size in rows
        if amplitude > 0.0 and size > least
    ]


def is_hidden(t: Array, x: Array, v: Array) -> bool:
    """True if values x (nt, ...) with rates v move faster than the output times show."""
    count = len(t)
    if count < FEWEST:
        return False
    first, second = np.diff(t)[:-1], np.diff(t)[1:]
    even = np.abs(first - second) <= 1e-6 * np.minimum(first, second)
    if np.count_nonzero(even) < FEWEST - 2:
        return False
    left = _left_over(x.reshape(count, -1), v.reshape(count, -1), first, second, even)
    return left > UNSHOWN * float(np.sqrt(np.mean(np.sum(v.reshape(count, -1) ** 2, axis=1))))


def _left_over(x: Array, v: Array, first: Array, second: Array, even: NDArray[np.bool_]) -> float:
    """Estimated rms of the part of rates v (nt, n) that values x (nt, n) do not show."""
    both = (first + second)[:, None]
    left = v[:-2] + 4.0 * v[1:-1] + v[2:] - 6.0 * (x[2:] - x[:-2]) / both
    size = np.linalg.norm(left[even], axis=1) / SIMPSON
    blocks = size[: len(size) // BLOCK * BLOCK].reshape(-1, BLOCK)
    return float(np.quantile(np.median(blocks, axis=1), 1.0 - SHARE))


def _size(x: Array, relative: bool) -> float:
    """Root mean square of motion (nt, n), about its mean where the zero is arbitrary."""
    away = x - x.mean(axis=0) if relative else x
    return float(np.sqrt(np.mean(np.sum(away * away, axis=1))))


def _groups(result: Result) -> list[_Group]:
    """Joints whose velocities are rates of coordinates, and bodies that deform."""
    c = result.data.compiled
    records = (*c.joints.items(), *c.extra.items())
    found = [_Group(name, r.q, r.u, True) for name, r in records if r.chart.axes]
    found += [_Group(c.owners.get(name, name), b.q, b.u, False) for name, b in c.flexible.items()]
    found += [_Group(c.owners.get(name, name), b.q, b.u, True) for name, b in c.gradient.items()]
    return [g for g in found if g.u.stop > g.u.start]
