"""What is made of a result: files, tables, spectra, plots and pictures."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast

from supple.results.dataset import series
from supple.results.lookup import Lookup
from supple.results.spectrogram import Spectrogram, spectrogram
from supple.results.spectrum import Spectrum, spectrum

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from supple.results.plot import Compared
    from supple.results.result import Result


class Products(Lookup):
    """Methods of a result that write or draw something."""

    @property
    def _result(self) -> Result:
        return cast("Result", self)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as NetCDF-4; `supple.load` reads it back. Returns the path.

        Whole or not at all: if that fails (`FileError`), an earlier file is untouched.
        """
        from supple.results.dataset import write

        return write(self._result.dataset, path)

    def export(self, path: str | Path, *names: str, every: int = 1) -> Path:
        """Write a table (.csv, .parquet), or VTK files into a folder; `supple.results.export`."""
        from supple.results.export import export

        return export(self._result, path, names, every)

    def to_pandas(self) -> pd.DataFrame:
        """All histories as a table: one row for each time, columns ``link2.position.x`` ..."""
        from supple.results.dataset import table

        return table(self._result.dataset)

    def spectrum(
        self, what: str | ArrayLike, window: tuple[float, float] | None = None
    ) -> Spectrum:
        """Frequencies (Hz) and amplitudes of a variable ("elbow.angle") or an array (nt, ...).

        ``window`` (s, s) are the first and last time of the part that is looked at. The output
        times must be equally spaced there; see `supple.results.spectrum.spectrum`.
        """
        return spectrum(self._result.t, *series(self._result.track(), what), window=window)

    def spectrogram(self, what: str | ArrayLike, window: float | None = None) -> Spectrogram:
        """Spectra of parts of the run, ``window`` s long: how frequencies change with time.

        ``what`` is a variable or an array, as for `spectrum`; see
        `supple.results.spectrogram.spectrogram`.
        """
        values, name, units = series(self._result.track(), what)
        return spectrogram(self._result.t, values, window, name, units)

    def plot(self, *what: str, path: str | Path | None = None, compare: Compared = None) -> Figure:
        """Draw objects ("elbow"), variables ("elbow.angle_rate") or "energy".

        ``compare`` adds other results. See `supple.results.plot`.
        """
        from supple.results.plot import plot

        return plot(self._result, *what, path=path, compare=compare)

    def to_html(self, path: str | Path, *what: str, frames: int = 300) -> Path:
        """Write one page that plays the motion in a browser, offline; return its path.

        ``what`` is plotted beside it, as for `plot`; ``frames`` is the largest number of output
        times that are shown.
        """
        from supple.results.pictures import write_html

        return write_html(self._result, path, what, frames)

    def to_gltf(self, path: str | Path, frames: int = 300) -> Path:
        """Write the motion as binary glTF (``.glb``) for Blender and others; return its path.

        Flexible bodies have one morph target for each elastic coordinate.
        """
        from supple.results.pictures import write_gltf

        return write_gltf(self._result, path, frames)

    def picture(
        self, t: float | None = None, path: str | Path | None = None, magnification: float = 1.0
    ) -> Figure:
        """Draw the model at the output time next to t (s; the last by default) by matplotlib.

        Deformations of bodies that are not in parts are magnified.
        """
        from supple.results.pictures import draw_picture

        return draw_picture(self._result, t, path, magnification)
