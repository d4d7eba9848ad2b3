"""Misfit: what residuals of a fit tell about the model, beyond their size.

Errors of measurement are as a rule independent from sample to sample, a run that misses the record
is not: its residuals follow each other. The test is that of Ljung and Box over some lags, which
sees waves of any length. A record's own noise is estimated from how far samples lie beside the
straight line between their neighbours.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from supple.foundation.arrays import Array

FEWEST = 12  # samples that tell whether they follow each other
LAGS = 10
CHANCE = 1e-4  # that independent errors are taken for dependent ones
SMALL = 1e-3  # of a record's deviation: residuals that may be errors of the run itself
GROSS = 0.1  # of a record's deviation: residuals that follow each other and make it no fit
FAR = 0.3  # from which on nothing can be said about how exact the parameters are
BEYOND = 4.0  # deviations of a mean square, from which on it is not chance


class Misfit(NamedTuple):
    """Statistics of the residuals of one record.

    Attributes
    ----------
    name : of the record
    rms : root mean square of the residuals, in the record's unit
    part : of the record's own deviation from its mean
    noise : of the record, estimated from itself, in its unit
    correlation : of neighbouring residuals
    serial : whether residuals follow each other more than independent errors do
    length : number of samples in which one independent error is, at least one
    excess : root mean square in units of the deviations that were given; zero without them
    """

    name: str
    rms: float
    part: float
    noise: float
    correlation: float
    serial: bool
    length: float
    excess: float

    @property
    def is_small(self) -> bool:
        """Residuals are of the size of errors of the run itself."""
        return self.part < SMALL

    @property
    def is_gross(self) -> bool:
        """The run does not follow the record: another minimum may be better."""
        return self.part > GROSS and self.serial

    @property
    def hides(self) -> bool:
        """The run misses so much of the record that no interval can be given."""
        return self.part > FAR and self.serial

    def doubts(self) -> list[str]:
        """Sentences, none if residuals may be errors of the record."""
        if self.excess > 0.0:
            return [
                f"the run misses {self.name!r} by {self.excess:.2g} times the deviation that was "
                "given: another minimum, a model that lacks something, or a deviation too small"
            ]
        if self.is_small or not self.serial:
            return []
        told = (
            f"the run misses {self.name!r} by {self.rms:.2g} rms, {self.part:.0%} of its deviation"
        )
        if self.hides:
            return [
                f"{told}, where its own noise is about {self.noise:.1g}: the search ended in a "
                "local minimum or the model is wrong, and no interval can be given; try other "
                "starts or narrower ranges"
            ]
        return [
            f"{told}, and residuals follow each other (correlation {self.correlation:.2f}; noise "
            f"of the record about {self.noise:.1g}): the model lacks something or errors are not "
            f"independent; intervals are widened {self.length**0.5:.2g} times"
        ]


def misfit(name: str, t: Array, record: Array, left: Array, deviation: float | None) -> Misfit:
    """Look at the residuals ``left`` (m,) of a record (m,) at times (m,), with its deviation."""
    rms = float(np.sqrt(np.mean(left * left)))
    size = float(np.std(record))
    m = len(left)
    part = rms / size if size > 0.0 else np.inf if rms > 0.0 else 0.0
    excess = 0.0
    if deviation is not None and rms**2 > deviation**2 * (1.0 + BEYOND * (2.0 / m) ** 0.5):
        excess = rms / deviation
    correlations = _correlations(left, m - 1)
    first = float(correlations[0]) if len(correlations) else 0.0
    serial = _is_serial(correlations, m)
    length = _length(correlations) if serial else 1.0
    return Misfit(name, rms, part, noise(t, record), first, serial, length, excess)


def noise(t: Array, record: Array) -> float:
    """Standard deviation of the independent errors of a record (m,), estimated from itself."""
    if len(t) < 3:
        return 0.0
    w = (t[2:] - t[1:-1]) / (t[2:] - t[:-2])  # of the sample before
    beside = record[1:-1] - w * record[:-2] - (1.0 - w) * record[2:]
    scale = np.sqrt(1.0 + w * w + (1.0 - w) ** 2)
    return float(np.median(np.abs(beside) / scale) / 0.6745)  # of a normal distribution


def _correlations(left: Array, lags: int) -> Array:
    """Autocorrelations of residuals (m,) from the first lag on."""
    m, square = len(left), float(left @ left)
    if square == 0.0 or m < FEWEST:
        return np.zeros(0)
    spectrum = np.abs(np.fft.rfft(left, 2 * m)) ** 2
    return np.asarray(np.fft.irfft(spectrum)[1 : lags + 1] / square)


def _is_serial(correlations: Array, m: int) -> bool:
    """The test of Ljung and Box."""
    from scipy.stats import chi2

    if not len(correlations):
        return False
    lags = min(LAGS, m // 4)
    k = np.arange(1, lags + 1)
    q = m * (m + 2.0) * float(np.sum(correlations[:lags] ** 2 / (m - k)))
    return bool(chi2.sf(q, lags) < CHANCE)


def _length(correlations: Array) -> float:
    """Sum of the autocorrelations up to the first that is negative, on both sides."""
    ends = np.flatnonzero(correlations < 0.0)
    upto = int(ends[0]) if len(ends) else len(correlations)
    return 1.0 + 2.0 * float(np.sum(correlations[:upto]))
