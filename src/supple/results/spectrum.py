"""Spectra and spectrograms of histories: frequencies that a motion contains, and their changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation.arrays import Array, Booleans
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import public
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.palette import COLOURS, INK
from supple.foundation.validate import number
from supple.results.plot import blank_figure, blank_panels, dress, named

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNEVEN = 1e-9  # of an interval: what rounding may change in equal intervals
FEWEST = 4  # times
NOISE = 1e-12  # of the largest amplitude: what rounding leaves


class Peak(NamedTuple):
    """A line of a spectrum: its frequency in Hz and its amplitude in the units of the history."""

    frequency: float
    amplitude: float


@public
class Spectrum(NamedTuple):
    """Amplitudes of a history by frequency."""

    frequencies: Array  # (nf,) Hz, from 0 to half the sampling rate
    amplitudes: Array  # (nf, ...) in the units of the history
    # name, units: of the history, for plots; may be empty
    name: str = ""
    units: str = ""

    @property
    def peak(self) -> float:
        """Frequency of the largest amplitude, Hz, one of the list; `peaks` is finer."""
        return float(self.frequencies[int(np.argmax(self._sizes()))])

    def peaks(self, n: int = 5, low: float = 0.0, high: float = np.inf) -> list[Peak]:
        """Return the n highest peaks between two frequencies (Hz), in order of frequency.

        A peak is a local maximum. What the window leaks of a line falls from each frequency of the
        list to the next and makes none. Frequency and amplitude are those of the sine that gives
        the two largest values there: a line far from others is found to much less than the distance
        of two frequencies. Of a vector the largest component at each frequency counts.
        """
        sizes = self._sizes()
        step = float(self.frequencies[1] - self.frequencies[0])
        inner = sizes[1:-1]
        tops = 1 + np.flatnonzero((inner > sizes[:-2]) & (inner >= sizes[2:]))
        tops = tops[sizes[tops] > NOISE * float(sizes.max())]
        found = [Peak(step * at, size) for at, size in (_line(sizes, int(k)) for k in tops)]
        inside = [peak for peak in found if low <= peak.frequency <= high]
        return sorted(sorted(inside, key=lambda peak: -peak.amplitude)[:n])

    def plot(
        self, path: str | Path | None = None, high: float | None = None, peaks: int = 5
    ) -> Figure:
        """Draw amplitudes over frequency up to ``high`` (Hz), with the highest peaks marked."""
        figure, ax = blank_figure(3.6)
        high = float(self.frequencies[-1]) if high is None else high
        shown = self.frequencies <= high
        columns = self.amplitudes.reshape(len(self.frequencies), -1)
        for k, column in enumerate(columns.T):
            label = "xyz"[k] if columns.shape[1] == 3 else str(k + 1)
            ax.plot(self.frequencies[shown], column[shown], color=COLOURS[k % 8], label=label)
        largest = float(columns[shown].max(initial=0.0))
        if largest > 0.0:
            ax.set_yscale("log")
            ax.set_ylim(1e-6 * largest, 3.0 * largest)
        for peak in self.peaks(peaks, high=high):
            ax.annotate(
                f"{peak.frequency:.4g}",
                peak,
                xytext=(0, 3),
                textcoords="offset points",
                ha="center",
                size=8,
                color=INK,
            )
        ax.set_xlim(0.0, high)
        title = f"amplitude of {self.name}".removesuffix(" of ")
        dress(ax, "frequency (Hz)", named(title, self.units))
        return save_figure(figure, path)

    def _sizes(self) -> Array:
        return np.asarray(self.amplitudes.reshape(len(self.frequencies), -1).max(axis=1))


def spectrum(
    t: Array,
    values: ArrayLike,
    name: str = "",
    units: str = "",
    window: tuple[float, float] | None = None,
) -> Spectrum:
    """Return the spectrum of values (nt, ...) at equally spaced times t (nt,), s.

    With ``window`` only those from its first to its last time (s) are used.

    The mean is taken off and a Hann window applied, so that a motion that does not repeat over the
    run leaks little. Amplitudes are scaled to the window: a sine of amplitude 1 far from others
    gives a peak of 1 if its frequency is one of the list, at least 0.85 between two of them.
    Neighbouring frequencies are 1 / (length of the run) apart; a peak is four of them wide.
    """
    if window is not None:
        values = np.asarray(values, dtype=float)
        part = _within(t, window)
        if values.ndim and len(values) == len(t):  # others are refused below
            t, values = t[part], values[part]
    x, step = even(t, values, "a spectrum")
    return Spectrum(frequencies(len(x), step), transform(x), name, units)


def _within(t: Array, window: Any) -> Booleans:
    """True of times (nt,) in a window (first, last), s; rounding of its ends does not matter."""
    try:
        first, last = (float(x) for x in window)
    except (TypeError, ValueError):
        first = last = np.nan
    if not first < last:
        raise ModelError("a spectrum", "window", window, "its first and its last time, e.g. (1, 3)")
    if len(t) and not (first < t[-1] and last > t[0]):
        expected = f"times between {t[0]:g} and {t[-1]:g} s"
        raise ModelError("a spectrum", "window", window, expected)
    slack = 1e-9 * (last - first)
    return (t >= first - slack) & (t <= last + slack)


def even(t: Array, values: ArrayLike, what: str) -> tuple[Array, float]:
    """Return values (nt, ...) as an array and the interval (s) of equally spaced times."""
    try:
        x = np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        x = np.empty(())
    if x.ndim == 0 or len(x) != len(t):
        raise SuppleError(f"{what} needs one value for each of the {len(t)} times")
    if not np.all(np.isfinite(x)):  # of a joint that has let go, or where a run failed
        raise SuppleError(f"{what} needs numbers at all times, found values that are no numbers")
    n = len(t)
    if n < FEWEST:
        raise SuppleError(f"{what} needs at least {FEWEST} times, the result has {n}")
    step = float((t[-1] - t[0]) / (n - 1))
    if np.abs(np.diff(t) - step).max() > UNEVEN * step + 8.0 * np.spacing(np.abs(t).max()):
        raise SuppleError(f"{what} needs equally spaced times: simulate(output=...) makes them")
    return x, step


def frequencies(n: int, step: float) -> Array:
    """Frequencies (Hz) of n values that are ``step`` s apart."""
    return np.arange(n // 2 + 1) / (n * step)


def transform(x: Array) -> Array:
    """Amplitudes (nf, ...) of values (n, ...) without their mean, under a Hann window."""
    n = len(x)
    window = 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(n) / n)
    shaped = (x - x.mean(axis=0)) * window.reshape(-1, *[1] * (x.ndim - 1))
    amplitudes: Array = np.abs(np.fft.rfft(shaped, axis=0)) * (2.0 / window.sum())
    amplitudes[0] *= 0.5  # zero has no negative twin, nor has half the sampling rate
    if n % 2 == 0:
        amplitudes[-1] *= 0.5
    return amplitudes


def _line(sizes: Array, k: int) -> tuple[float, float]:
    """Place, in steps of the list, and amplitude of the sine behind a local maximum at k.

    A sine at k + d appears under a Hann window as sinc(d) / (1 - d^2); the two largest values have
    the ratio (1 + d) / (2 - d).
    """
    side = 1 if sizes[k + 1] >= sizes[k - 1] else -1
    ratio = float(sizes[k + side] / sizes[k])
    d = min(max((2.0 * ratio - 1.0) / (1.0 + ratio), 0.0), 0.5)
    return k + side * d, float(sizes[k]) * (1.0 - d * d) / float(np.sinc(d))


PARTS = 8  # of the run: the usual window
HOPS = 8  # of a window: the usual distance of two spectra
DECADES = 4.0  # of amplitude that a plot shows


@public
class Spectrogram(NamedTuple):
    """Spectra of short parts of a history, one after another."""

    times: Array  # (nw,) middles of the parts, s
    frequencies: Array  # (nf,) Hz
    amplitudes: Array  # (nw, nf, ...) in the units of the history
    # name, units: of the history, for plots; may be empty
    name: str = ""
    units: str = ""

    def at(self, time: float) -> Spectrum:
        """Return the spectrum of the part whose middle is nearest to a time (s)."""
        k = int(np.argmin(np.abs(self.times - time)))
        return Spectrum(self.frequencies, self.amplitudes[k], self.name, self.units)

    def ridge(self, low: float = 0.0, high: float = np.inf) -> Array:
        """(nw,) frequency of the highest peak between two frequencies, Hz; NaN where there is none.

        It shows how one line moves: of a mode whose frequency falls, for example.
        """
        highest = [self.at(time).peaks(1, low, high) for time in self.times]
        return np.array([peaks[0].frequency if peaks else np.nan for peaks in highest])

    def plot(self, path: str | Path | None = None, high: float | None = None) -> Figure:
        """Draw amplitudes, by colour, over time and frequency up to ``high`` (Hz)."""
        from matplotlib.colors import LogNorm

        columns = self.amplitudes.reshape(*self.amplitudes.shape[:2], -1)
        high = float(self.frequencies[-1]) if high is None else high
        shown = self.frequencies <= high
        count = columns.shape[2]
        figure, panels = blank_panels(count, 2.6)
        largest = float(columns[:, shown].max(initial=0.0)) or 1.0
        for k, ax in enumerate(panels):
            values = np.maximum(columns[:, shown, k].T, 10.0**-DECADES * largest)
            mesh = ax.pcolormesh(
                self.times,
                self.frequencies[shown],
                values,
                norm=LogNorm(10.0**-DECADES * largest, largest),
                cmap="viridis",
                shading="gouraud",
                rasterized=True,
            )
            part = f" {'xyz'[k]}" if count == 3 else ""
            ax.set_ylabel(f"frequency{part} (Hz)", color=INK)
            ax.tick_params(colors=INK, labelsize=9)
            ax.set_ylim(0.0, high)
        panels[-1].set_xlabel("time (s)", color=INK)
        title = named(f"amplitude of {self.name}".removesuffix(" of "), self.units)
        bar = figure.colorbar(mesh, ax=list(panels))
        bar.set_label(title, color=INK)
        bar.ax.tick_params(colors=INK, labelsize=9)
        return save_figure(figure, path)


def spectrogram(
    t: Array,
    values: ArrayLike,
    window: float | None = None,
    name: str = "",
    units: str = "",
) -> Spectrogram:
    """Return spectra of parts of values (nt, ...) at equally spaced times t (nt,), s.

    Each part is ``window`` seconds long (an eighth of the run by default) and is treated as
    `supple.results.spectrum.spectrum` does: lines closer than 4 / window cannot be told apart,
    changes quicker than the window are smeared. Neighbouring parts are an eighth of the window
    apart.
    """
    x, step = even(t, values, "a spectrogram")
    length = step * len(x)
    wanted = length / PARTS if window is None else number("spectrogram", "window", window)
    n = round(min(max(wanted / step, 0.0), 2.0 * len(x)))
    if not FEWEST <= n <= len(x):
        raise SuppleError(
            f"a spectrogram's window is {wanted:g} s, expected from {FEWEST * step:g} s "
            f"({FEWEST} times) to {length:g} s (the run)"
        )
    first = np.arange(0, len(x) - n + 1, max(n // HOPS, 1))
    amplitudes = np.stack([transform(x[k : k + n]) for k in first])
    middles = t[0] + (first + 0.5 * (n - 1)) * step
    return Spectrogram(middles, frequencies(n, step), amplitudes, name, units)
