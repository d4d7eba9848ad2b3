"""Motion that the output times do not show: faster than half their rate, or between them.

A record of samples cannot tell a vibration of 1003 Hz from one of 3 Hz if there are 100 samples in
a second. The states can: velocities are the rates of what the samples seem to show, or they are
not. By Simpson's rule over two intervals the mean of velocities is the difference of places, up to
half the rate of the samples; what is left over is hidden, and so is what accelerations leave over
beside velocities. Both together tell its amplitude and its frequency:

    w = left over of a / left over of v        amplitude = left over of v / w

Jumps of velocities at impacts leave something over at few instants only, which are not counted.

Hidden tones: vibrations of several frequencies that are faster than output times show.

What samples leave over of velocities and of accelerations (n components each) has the covariances

    Cv = sum z z^T        Ca = sum w^2 z z^T        one z for each tone, of the angular frequency w

so that the eigenvalues of Ca against Cv are the squares of the frequencies, and |z| / w are the
amplitudes. Each component may contain all tones. With one component they are taken as one tone,
whose amplitude is then a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.foundation.arrays import Array, Booleans
from supple.foundation.errors import warn_caller
from supple.results.data.findings import RunFinding

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from supple.results.result import Result

BLOCK = 8  # instants whose median counts
SHARE = 0.1  # of the blocks that must show it
LOCKED = 1e-6  # of the interval: velocities beside accelerations of whole periods in each interval
SIMPSON = 4.24  # rms of 4 + 2 cos over all phases, which vibrations above the limit leave over
CLIPPED = 3.0  # times what is usual: more is left over at impacts, and counts so much
TURNS = 4.0 * np.pi  # of a tone from one output time to the next, of which the phase is known
MOST_ROWS, MOST_TONES = 400, 40  # instants and directions of many components
RANK = 1e-10  # of the largest eigenvalue of a covariance


class Tones(NamedTuple):
    """Vibration that output times do not show: amplitude (rms), and 1/s of its largest tone."""

    amplitude: float
    w: float


def left_over(
    x: Array, v: Array, first: Array, second: Array, even: Booleans
) -> tuple[Array, float]:
    """Part (k, n) of rates v (nt, n) that values x (nt, n) do not show, and its rms.

    By Simpson's rule at the instants between two ``even`` intervals, first and second.
    """
    both = (first + second)[:, None]
    left = v[:-2] + 4.0 * v[1:-1] + v[2:] - 6.0 * (x[2:] - x[:-2]) / both
    left = left[even] / SIMPSON
    size = np.linalg.norm(left, axis=1)
    blocks = size[: len(size) // BLOCK * BLOCK].reshape(-1, BLOCK)
    return left, _shared(_medians(blocks))


def _medians(blocks: Array) -> Array:
    """Median (k,) of each row (k, BLOCK); `np.median` takes longer for its choices than for it."""
    ranked = np.sort(blocks, axis=1)
    middle = 0.5 * (ranked[:, BLOCK // 2 - 1] + ranked[:, BLOCK // 2])
    return np.where(np.isnan(ranked[:, -1]), np.nan, middle)


def _shared(values: Array) -> float:
    """The value that a part SHARE of values (k,) exceeds, as `np.quantile` interpolates it."""
    ranked = np.sort(values)
    place = (1.0 - SHARE) * (len(ranked) - 1)
    k = int(place)
    low, high = float(ranked[k]), float(ranked[min(k + 1, len(ranked) - 1)])
    if np.isnan(ranked[-1]):
        return float("nan")
    part = place - k
    return high - (high - low) * (1.0 - part) if part >= 0.5 else low + (high - low) * part


def tones(x: Array, v: Array, a: Array, first: Array, second: Array, even: Booleans) -> Tones:
    """Hidden vibration of values x (nt, n) with rates v and their rates a."""
    step = float(np.median(first[even]))
    (slow, fast), (quick, faster) = (
        left_over(*pair, first, second, even) for pair in ((x, v), (v, a))
    )
    if not fast > LOCKED * step * faster:  # the same phase at all output times
        once = 2.0 * np.pi / step
        return Tones(faster / once**2, once)
    if not faster > 0.0:
        return Tones(0.0, np.pi / step)
    weights = np.minimum(_weights(slow, fast), _weights(quick, faster))
    slow, quick = slow * weights, quick * weights
    squares, shapes = _separated(slow, quick)
    w = np.sqrt(np.maximum(squares, 1e-300))
    hidden = w > np.pi / step  # what is slower is shown
    sizes = np.linalg.norm(shapes, axis=0) * SIMPSON / _shown(w * step)
    amplitudes = np.where(hidden, sizes / w, 0.0)
    usual = fast / float(np.sqrt(np.mean(np.sum(slow * slow, axis=1))))
    best = int(np.argmax(amplitudes))
    return Tones(usual * float(np.linalg.norm(amplitudes)), float(w[best]))


def _weights(left: Array, usual: float) -> Array:
    """Factors (k, 1) that make outliers of what is left over (k, n) as small as others."""
    size = np.linalg.norm(left, axis=1, keepdims=True)
    return np.asarray(np.minimum(1.0, CLIPPED * usual / np.maximum(size, 1e-300)))


def _shown(turn: Array) -> Array:
    """Parts of a tone that Simpson's rule leaves over, by its phase from one time to the next.

    Of many turns the phase is not known well enough, and the mean over all of them counts.
    """
    turn = np.maximum(turn, np.pi)
    part = 4.0 + 2.0 * np.cos(turn) - 6.0 * np.sin(turn) / turn
    return np.where(turn < TURNS, part, SIMPSON)


def _separated(slow: Array, quick: Array) -> tuple[Array, Array]:
    """Squares of frequencies (m,) and shapes (n, m) of the tones in two sets of rows (k, n)."""
    if slow.shape[1] > MOST_TONES:
        every = max(1, len(slow) // MOST_ROWS)
        rows = [y[::every] / max(float(np.abs(y).max()), 1e-300) for y in (slow, quick)]
        basis = np.linalg.svd(np.concatenate(rows), full_matrices=False)[2][:MOST_TONES].T
        slow, quick = slow @ basis, quick @ basis
    Cv, Ca = (y.T @ y / len(y) for y in (slow, quick))
    size, axes = np.linalg.eigh(Cv)
    kept = size > RANK * size[-1]
    half = np.sqrt(size[kept]) * axes[:, kept]  # Cv = half half^T
    back = axes[:, kept] / np.sqrt(size[kept])
    squares, turned = np.linalg.eigh(back.T @ Ca @ back)
    return squares, half @ turned


FEWEST = 32  # output times of what is read as a history
MOST = 4000  # output times that are looked at
HIDDEN = 0.2  # of all motion of a joint or body, as root mean squares
FINER = 100.0  # times more output times that are advised at most
LEAST = 1e-5  # of the largest motion in the model, below which nothing is looked at
UNSHOWN = 0.3  # of velocities, left over: half of the rate of outputs leaves 0.47 of them
ROUNDING = 1e-9  # radians, or lengths of the model, that are no motion


class _Group(NamedTuple):
    """Values (nt, n) with their rates and the rates of these; whether their zero is arbitrary."""

    name: str
    x: Array
    v: Array
    a: Array
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
    """Motion of a joint or body that outputs do not show."""

    name: str
    share: float  # of its motion, root mean squares
    frequency: float  # Hz
    interval: float  # s between output times


def hidden_motions(result: Result) -> list[Hidden]:
    """Hidden motion of all joints and deforming bodies that move enough."""
    data = result.data
    count = len(result.t)
    if count < FEWEST or not data.compiled.nu:
        return []
    part = result if count <= MOST else type(result)(data.at(np.arange(count - MOST, count)))
    if not np.all(np.isfinite(part.a)):
        return []
    first, second = np.diff(part.t)[:-1], np.diff(part.t)[1:]
    even = np.abs(first - second) <= 1e-6 * np.minimum(first, second)
    if np.count_nonzero(even) < FEWEST - 2:
        return []
    step = float(np.median(first[even]))
    rows: list[tuple[str, Tones, float]] = []  # of each its hidden vibration, and its motion
    for g in _groups(part):
        hidden = tones(g.x, g.v, g.a, first, second, even)
        rows.append((g.name, hidden, max(_size(g.x, g.relative), hidden.amplitude)))
    least = max(LEAST * max((size for *_, size in rows), default=0.0), ROUNDING)
    return [
        Hidden(name, hidden.amplitude / size, hidden.w / (2.0 * np.pi), step)
        for name, hidden, size in rows
        if hidden.amplitude > 0.0 and size > least
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
    left = left_over(x.reshape(count, -1), v.reshape(count, -1), first, second, even)[1]
    return left > UNSHOWN * float(np.sqrt(np.mean(np.sum(v.reshape(count, -1) ** 2, axis=1))))


def warn_of_hidden_motion(result: Result, what: str | ArrayLike) -> None:
    """Warn, before a spectrum of a variable or array, of motion that output times do not show."""
    sentences = [finding.sentence for finding in output_findings(result)]
    name, _, quantity = what.rpartition(".") if isinstance(what, str) else ("", "", "")
    rate = {"position": "velocity", "velocity": "acceleration"}.get(quantity)
    if rate is not None and not sentences:
        x, v = (result.history(f"{name}.{kind}") for kind in (quantity, rate))
        if is_hidden(result.t, x, v):
            sentences.append(
                f"spectrum: '{name}.{quantity}' moves faster than its output times show, and "
                "its frequencies are not those of the motion: use a smaller output interval"
            )
    for sentence in sentences:
        warn_caller(sentence)


def _size(x: Array, relative: bool) -> float:
    """Root mean square of motion (nt, n), about its mean where the zero is arbitrary."""
    away = x - x.mean(axis=0) if relative else x
    return float(np.sqrt(np.mean(np.sum(away * away, axis=1))))


def _groups(result: Result) -> Iterator[_Group]:
    """Motion of joints and of bodies that deform, in radians and lengths of the model."""
    c = result.data.compiled
    joints = (*c.joints.items(), *c.extra.items())
    parts = [(name, r.q, r.u, True) for name, r in joints if r.chart.axes]
    parts += [(c.owners.get(name, name), b.q, b.u, False) for name, b in c.flexible.items()]
    parts += [(c.owners.get(name, name), b.q, b.u, True) for name, b in c.gradient.items()]
    for name, places, rates, relative in parts:
        if rates.stop > rates.start:
            q, u = np.asarray(result.q)[:, places], np.asarray(result.u)[:, rates]
            x, v, a = (y / c.scale[rates] for y in (q, u, result.a[:, rates]))
            yield _Group(name, x, v, a, relative)
    for name, r in c.joints.items():
        if r.chart.quaternion and name in result.joints:
            yield from _turning(result, name)


def _turning(result: Result, name: str) -> Iterator[_Group]:
    """Rotation matrices of a ball or free joint, less a steady spin.

    The spin is known by its rate, as that of a revolute joint by its angle. With the rate W along
    axes of the body, R exp(-W t) has the rate R (w - W) exp(-W t).
    """
    joint = result.joints[name]
    near, far = result[joint.A], result[joint.B]
    back = near.matrix.transpose(0, 2, 1)

    def turned(M: Array, y: Array) -> Array:
        return np.asarray((M @ y[:, :, None])[:, :, 0])

    R, base = back @ far.matrix, turned(back, near.angular_velocity)
    own = R.transpose(0, 2, 1)
    w = turned(back, far.angular_velocity) - base
    dw = turned(back, far.angular_acceleration - near.angular_acceleration) - np.cross(base, w)
    w, dw = turned(own, w), turned(own, dw)  # along axes of the body
    spin = _spin(result.t, R, w)
    around = _turns(-spin, result.t)
    steady, whole, beside, change = (_crossing(y) for y in (spin, w, w - spin, dw))
    kept = (len(R), 9)
    v = R @ beside @ around
    a = R @ (whole @ beside + change - beside @ steady) @ around
    yield _Group(name, (R @ around).reshape(kept), v.reshape(kept), a.reshape(kept), True)


def _spin(t: Array, R: Array, w: Array) -> Array:
    """Rate (3,) of a steady spin, along axes of the body; zero if it does not tell the attitudes.

    It does where it foretells R from one output time to the next better than rest does.
    """
    spin: Array = w.mean(axis=0)
    moved, foretold = (
        np.sum((R[1:] - R[:-1] @ _turns(rate, np.diff(t))) ** 2) for rate in (0.0 * spin, spin)
    )
    return spin if foretold < 0.5 * moved else 0.0 * spin


def _turns(rate: Array, t: Array) -> Array:
    """Rotations (nt, 3, 3) with a constant rate (3,) for times (nt,)."""
    from scipy.spatial.transform import Rotation

    return np.asarray(Rotation.from_rotvec(rate * t[:, None]).as_matrix())


def _crossing(w: Array) -> Array:
    """Matrices (..., 3, 3) whose products with vectors are cross products with w (..., 3)."""
    return np.asarray(np.cross(w[..., None, :], np.eye(3)).swapaxes(-1, -2))
