"""Results read back from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from supple.foundation.arrays import Array
from supple.foundation.calls import Spoken
from supple.foundation.check_sums import dataset_sum
from supple.foundation.errors import FileError, ModelError, warn_caller
from supple.foundation.input_files import contained, existing, path_of
from supple.foundation.reports import Report
from supple.results.files.dataset import SUM, Track, Variable, pick, series, table
from supple.results.plot import Compared, plot
from supple.results.result import Result
from supple.results.spectrum import Spectrogram, Spectrum, spectrogram, spectrum

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


# Bytes of data for each byte of a file, at most: no compression of NetCDF-4 does better.
MOST_DENSE = 2000


def load_result(path: str | Path) -> SavedResult:
    """Read a result saved by ``result.save(path)``; `FileError` says why it cannot be read."""
    try:
        return _read(path)
    except ModelError as error:
        raise FileError(str(error)) from error


def _read(path: str | Path) -> SavedResult:
    import xarray as xr

    expected = "a NetCDF-4 file that result.save(path) wrote"
    source = path_of("load_result", "path", path)
    if not source.exists():
        raise FileError(f"there is no file {str(path)!r}, expected {expected}")
    existing(source, expected)
    with contained(source.name, expected):
        with xr.open_dataset(source, engine="h5netcdf") as dataset:
            if dataset.nbytes > MOST_DENSE * source.stat().st_size:
                raise ModelError.plain(
                    f"{source.name}: it declares {dataset.nbytes} bytes of data in a file of "
                    f"{source.stat().st_size}, expected {expected}"
                )
            found = dataset.load()
        if "time" not in found or "verdict" not in found.attrs:
            raise ModelError.plain(f"{source.name}: it holds something else, expected {expected}")
        kept = found.attrs.pop(SUM, None)
        if kept is not None and int(kept) != dataset_sum(found):
            raise ModelError.plain(
                f"{source.name}: it is damaged, its content is not that of its check sum, "
                f"expected {expected}"
            )
        result = SavedResult(found)
    if kept is None:
        warn_caller(
            f"{source.name}: it has no check sum, as files of earlier versions: whether it is "
            "damaged cannot be told"
        )
    return result


class SavedResult(Spoken):
    """A result read from a file: histories and verdicts without the model.

    ``saved["elbow.angle"]`` is the array of a variable (units in ``saved.dataset``).
    """

    has_model: Literal[False] = False

    def __init__(self, dataset: xr.Dataset) -> None:
        self.dataset = dataset
        self.t: Array = dataset["time"].values
        self.success = bool(dataset.attrs["success"])
        self.message: str = dataset.attrs["message"]
        self.verdict: str = dataset.attrs["verdict"]
        self.energy_verdict: str = dataset.attrs.get("energy_verdict", self.verdict)
        self.momentum_verdict: str = dataset.attrs["momentum_verdict"]
        self.validity_verdict: str = dataset.attrs.get("validity_verdict", "")
        self.statistics: dict[str, int | float | str] = json.loads(dataset.attrs["statistics"])
        self.events: list[list[Any]] = json.loads(dataset.attrs["events"])
        self.changes: list[list[Any]] = json.loads(dataset.attrs.get("changes", "[]"))

    def __getitem__(self, name: str) -> Array:
        values: Array = pick(self.dataset, name).values
        return values

    if not TYPE_CHECKING:  # what is missing stays missing for those who check types

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or not hasattr(Result, name):
                raise AttributeError(f"a saved result has no {name!r}")
            raise AttributeError(
                f"a saved result has no {name!r}, for which a model is needed, expected the result "
                "of the run, or of open_run(path) after simulate(..., output_to=path)"
            )

    def __contains__(self, name: object) -> bool:
        return name in self.dataset

    def export(self, path: str | Path, *names: str, every: int = 1) -> Path:
        """Write a table (.csv, .parquet), or VTK files into a folder; `results.files.export`."""
        from supple.results.files.export import export

        return export(self, path, names, every)

    def to_pandas(self) -> pd.DataFrame:
        """All histories as a table: one row for each time, columns ``link2.position.x`` ..."""
        return table(self.dataset)

    def track(self) -> Track:
        """All variables by name, without xarray, as a plot needs them."""
        variables = {
            str(name): Variable(
                str(name),
                v.values,
                str(v.dims[1]) if v.ndim > 1 else "",
                v.attrs["units"],
                v.attrs["frame"],
                v.attrs["role"],
            )
            for name, v in self.dataset.data_vars.items()
        }
        return Track(self.t, variables, dict(self.dataset.attrs))

    def spectrum(self, name: str, window: tuple[float, float] | None = None) -> Spectrum:
        """Frequencies (Hz) and amplitudes of a variable; see `results.spectrum.spectrum`."""
        return spectrum(self.t, *series(self.track(), name), window=window)

    def spectrogram(self, name: str, window: float | None = None) -> Spectrogram:
        """Spectra of parts of the run; see `supple.results.spectrum.spectrogram`."""
        values, label, units = series(self.track(), name)
        return spectrogram(self.t, values, window, label, units)

    def plot(self, *what: str, path: str | Path | None = None, compare: Compared = None) -> Figure:
        """Draw objects, quantities or "energy"; see `supple.results.plot`."""
        return plot(self, *what, path=path, compare=compare)

    def __repr__(self) -> str:
        return self._report.text(9)

    def _repr_html_(self) -> str:
        """Verdicts as a table, for notebooks."""
        return self._report.html()

    @property
    def _report(self) -> Report:
        state = "completed" if self.success else "FAILED"
        start = self.dataset.attrs.get("start", "")
        rows = [
            ("verdict", self.verdict),
            ("energy", self.energy_verdict),
            ("momentum", self.momentum_verdict),
            ("validity", self.validity_verdict),
            ("message", self.message),
            *((("start", start),) if start else ()),
        ]
        return Report(
            f"SavedResult of model '{self.dataset.attrs['model']}': {len(self.t)} output times, "
            f"{len(self.dataset.data_vars)} variables, {state}",
            rows,
            "plain" if self.success else "bad",
        )
