"""Spectra of histories: which frequencies a motion contains, and how strongly."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from supple.errors import SuppleError

Array = NDArray[np.float64]

UNEVEN = 1e-9  # of an interval: what rounding may change in equal intervals
FEWEST = 4  # times


class Spectrum(NamedTuple):
    """Amplitudes of a history by frequency.

    Attributes
    ----------
    frequencies : (nf,) Hz, from 0 to half the sampling rate
    amplitudes : (nf, ...) in the units of the history
    """

    frequencies: Array
    amplitudes: Array

    @property
    def peak(self) -> float:
        """Frequency of the largest amplitude, Hz."""
        sizes = self.amplitudes.reshape(len(self.frequencies), -1).max(axis=1)
        return float(self.frequencies[int(np.argmax(sizes))])


def spectrum(t: Array, values: ArrayLike) -> Spectrum:
    """Return the spectrum of values (nt, ...) at equally spaced times t (nt,), s.

    The mean is taken off and a Hann window applied, so that a motion that does not repeat over the
    run leaks little. Amplitudes are scaled to the window: a sine of amplitude 1 far from others
    gives a peak of 1 if its frequency is one of the list, at least 0.85 between two of them.
    Neighbouring frequencies are 1 / (length of the run) apart; a peak is four of them wide.
    """
    x = np.asarray(values, dtype=float)
    if x.ndim == 0 or len(x) != len(t):
        raise SuppleError(f"a spectrum needs one value for each of the {len(t)} times")
    n = len(t)
    if n < FEWEST:
        raise SuppleError(f"a spectrum needs at least {FEWEST} times, the result has {n}")
    step = (t[-1] - t[0]) / (n - 1)
    if np.abs(np.diff(t) - step).max() > UNEVEN * step + 8.0 * np.spacing(np.abs(t).max()):
        raise SuppleError("a spectrum needs equally spaced times: simulate(output=...) makes them")
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / n)
    swing = x - x.mean(axis=0)
    shaped = swing * window.reshape(-1, *[1] * (x.ndim - 1))
    amplitudes = np.abs(np.fft.rfft(shaped, axis=0)) * (2.0 / window.sum())
    amplitudes[0] *= 0.5  # zero has no negative twin, nor has half the sampling rate
    if n % 2 == 0:
        amplitudes[-1] *= 0.5
    return Spectrum(np.fft.rfftfreq(n, step), amplitudes)
