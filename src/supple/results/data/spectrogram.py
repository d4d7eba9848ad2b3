"""Spectrograms: how the frequencies of a motion change with time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.calls import public
from supple.foundation.errors import SuppleError
from supple.foundation.validate import number
from supple.results.data.spectrum import FEWEST, Spectrum, even, frequencies, transform

if TYPE_CHECKING:
    from matplotlib.figure import Figure


PARTS = 8  # of the run: the usual window
HOPS = 8  # of a window: the usual distance of two spectra
DECADES = 4.0  # of amplitude that a plot shows


@public
class Spectrogram(NamedTuple):
    """Spectra of short parts of a history, one after another.

    Attributes
    ----------
    times : (nw,) middles of the parts, s
    frequencies : (nf,) Hz
    amplitudes : (nw, nf, ...) in the units of the history
    name, units : of the history, for plots; may be empty
    """

    times: Array
    frequencies: Array
    amplitudes: Array
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
        from matplotlib.figure import Figure

        from supple.results.plot import INK, WIDTH, named

        columns = self.amplitudes.reshape(*self.amplitudes.shape[:2], -1)
        high = float(self.frequencies[-1]) if high is None else high
        shown = self.frequencies <= high
        count = columns.shape[2]
        figure = Figure(figsize=(WIDTH, 2.6 * count + 0.8), layout="constrained")
        panels = figure.subplots(count, 1, sharex=True, squeeze=False)[:, 0]
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
        save_figure(figure, path)
        return figure


def spectrogram(
    t: Array,
    values: ArrayLike,
    window: float | None = None,
    name: str = "",
    units: str = "",
) -> Spectrogram:
    """Return spectra of parts of values (nt, ...) at equally spaced times t (nt,), s.

    Each part is ``window`` seconds long (an eighth of the run by default) and is treated as
    `supple.results.data.spectrum.spectrum` does: lines closer than 4 / window cannot be told apart,
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
