"""Hidden tones: vibrations of several frequencies that are faster than output times show.

What samples leave over of velocities and of accelerations (n components each) has the covariances

    Cv = sum z z^T        Ca = sum w^2 z z^T        one z for each tone, of the angular frequency w

so that the eigenvalues of Ca against Cv are the squares of the frequencies, and |z| / w are the
amplitudes. Each component may contain all tones. With one component they are taken as one tone,
whose amplitude is then a lower bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

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
    x: Array, v: Array, first: Array, second: Array, even: NDArray[np.bool_]
) -> tuple[Array, float]:
    """Part (k, n) of rates v (nt, n) that values x (nt, n) do not show, and its rms.

    By Simpson's rule at the instants between two ``even`` intervals, first and second.
    """
    both = (first + second)[:, None]
    left = v[:-2] + 4.0 * v[1:-1] + v[2:] - 6.0 * (x[2:] - x[:-2]) / both
    left = left[even] / SIMPSON
    size = np.linalg.norm(left, axis=1)
    blocks = size[: len(size) // BLOCK * BLOCK].reshape(-1, BLOCK)
    return left, float(np.quantile(np.median(blocks, axis=1), 1.0 - SHARE))


def tones(
    x: Array, v: Array, a: Array, first: Array, second: Array, even: NDArray[np.bool_]
) -> Tones:
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
    found = 4.0 + 2.0 * np.cos(turn) - 6.0 * np.sin(turn) / turn
    return np.where(turn < TURNS, found, SIMPSON)


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
