"""Products of a result: files, tables, spectra, plots and pictures."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast, overload

from supple.foundation.errors import SuppleError, warn_caller
from supple.results.data.spectrogram import Spectrogram, spectrogram
from supple.results.data.spectrum import Spectrum, spectrum
from supple.results.files.dataset import series
from supple.results.views.body_views import PlacesView
from supple.results.views.constraint_views import ConstraintView
from supple.results.views.flexible_views import BeamView, FlexibleView
from supple.results.views.force_views import ForceView
from supple.results.views.views import BodyView, JointView, PointView

if TYPE_CHECKING:
    from collections.abc import Iterable

    import pandas as pd
    from matplotlib.figure import Figure
    from numpy.typing import ArrayLike

    from supple.bodies import Beam, FlexibleBody, RigidBody
    from supple.bodies.base.rigid import PointMass
    from supple.constraints import Constraint
    from supple.forces import ForceElement
    from supple.foundation.frames import Body, Frame
    from supple.joints import Joint
    from supple.results.plot import Compared
    from supple.results.result import Result
    from supple.visualization.server import Shown

View = TypeVar("View")


class Lookup(ABC):
    """``result[...]``, and the same with a known type: ``result.joint("elbow")``."""

    @overload
    def __getitem__(self, item: Joint) -> JointView: ...
    @overload
    def __getitem__(self, item: Frame | PointMass) -> PointView: ...
    @overload
    def __getitem__(self, item: Beam) -> BeamView: ...
    @overload
    def __getitem__(self, item: FlexibleBody) -> FlexibleView: ...
    @overload
    def __getitem__(self, item: RigidBody) -> BodyView: ...
    @overload
    def __getitem__(self, item: ForceElement) -> ForceView: ...
    @overload
    def __getitem__(self, item: Constraint) -> ConstraintView: ...
    @overload
    def __getitem__(self, item: Any) -> Any: ...
    def __getitem__(self, item: Any) -> Any:
        """View of a joint, body, point mass, force, constraint or frame, see ``views.py``."""
        return self._view(item)

    @abstractmethod
    def _view(self, item: Any) -> Any:
        """The view of something in a result."""

    def joint(self, joint: str | Joint) -> JointView:
        """Motion and load of a joint."""
        return self._typed(joint, JointView, "a joint")

    def body(self, body: str | Body) -> BodyView:
        """Motion of a body; `beam` and `flexible` know more of those that deform."""
        return self._typed(body, BodyView, "a body")

    def flexible(self, body: str | FlexibleBody) -> FlexibleView:
        """Motion and deformation of a flexible body."""
        return self._typed(body, FlexibleView, "a flexible body")

    def beam(self, beam: str | Beam) -> BeamView:
        """Motion and deformation of a beam."""
        return self._typed(beam, BeamView, "a beam")

    def point(self, point: str | PointMass | Frame) -> PointView:
        """Motion of a point mass or a frame."""
        return self._typed(point, PointView, "a point mass or frame")

    def force(self, force: str | ForceElement) -> ForceView:
        """Load and work of a force element."""
        return self._typed(force, ForceView, "a force element")

    def constraint(self, constraint: str | Constraint) -> ConstraintView:
        """Load and work of a constraint or driver."""
        return self._typed(constraint, ConstraintView, "a constraint")

    def _typed(self, item: Any, kind: type[View], expected: str) -> View:
        view = self._view(item)
        is_body = isinstance(view, (BodyView, PlacesView))
        if not isinstance(view, kind) or (kind is PointView and is_body):
            name = getattr(item, "name", item)
            raise SuppleError(f"{name!r} is a {type(view).__name__}, expected {expected}")
        return view


class Products(Lookup):
    """Methods of a result that write or draw something."""

    @property
    def _result(self) -> Result:
        return cast("Result", self)

    def _repr_html_(self) -> str:
        """The summary as a table and a picture of the last time, for notebooks."""
        from supple.results.summary import summary

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            seen = self.picture() if len(self._result.t) else None
        return summary(self._result).html(seen)

    def save(self, path: str | Path) -> Path:
        """Write the dataset as NetCDF-4; return the path. `supple.files.load_result` reads it.

        Whole or not at all: if that fails (`FileError`), an earlier file is untouched.
        """
        from supple.results.files.dataset import write

        return write(self._result.dataset, path)

    def export(self, path: str | Path, *names: str, every: int = 1) -> Path:
        """Write a table (.csv, .parquet), or VTK files into a folder; `supple.results.export`."""
        from supple.results.export import export

        return export(self._result, path, names, every)

    def to_pandas(self) -> pd.DataFrame:
        """All histories as a table: one row for each time, columns ``link2.position.x`` ..."""
        from supple.results.files.dataset import table

        return table(self._result.dataset)

    def spectrum(
        self, what: str | ArrayLike, window: tuple[float, float] | None = None
    ) -> Spectrum:
        """Frequencies (Hz) and amplitudes of a variable ("elbow.angle") or an array (nt, ...).

        ``window`` (s, s) are the first and last time of the part that is looked at. The output
        times must be equally spaced there; see `supple.results.data.spectrum.spectrum`. Motion
        between the output times, which a spectrum shows at a wrong frequency, is told by a warning.
        """
        self._tell_hidden(what)
        return spectrum(self._result.t, *series(self._result.track(), what), window=window)

    def spectrogram(self, what: str | ArrayLike, window: float | None = None) -> Spectrogram:
        """Spectra of parts of the run, ``window`` s long: how frequencies change with time.

        ``what`` is a variable or an array, as for `spectrum`; see
        `supple.results.data.spectrogram.spectrogram`.
        """
        self._tell_hidden(what)
        values, name, units = series(self._result.track(), what)
        return spectrogram(self._result.t, values, window, name, units)

    def _tell_hidden(self, what: str | ArrayLike) -> None:
        """Warn of motion that the output times do not show."""
        from supple.results.motion.output_findings import is_hidden, output_findings

        found = [f.sentence for f in output_findings(self._result)]
        name, _, quantity = what.rpartition(".") if isinstance(what, str) else ("", "", "")
        rate = {"position": "velocity", "velocity": "acceleration"}.get(quantity)
        if rate is not None and not found:
            t, history = self._result.t, self._result.history
            if is_hidden(t, history(f"{name}.{quantity}"), history(f"{name}.{rate}")):
                found.append(
                    f"spectrum: '{name}.{quantity}' moves faster than its output times show, and "
                    "its frequencies are not those of the motion: use a smaller output interval"
                )
        for sentence in found:
            warn_caller(sentence)

    def plot(self, *what: str, path: str | Path | None = None, compare: Compared = None) -> Figure:
        """Draw objects ("elbow"), variables ("elbow.angle_rate") or "energy".

        ``compare`` adds other results. See `supple.results.plot`.
        """
        from supple.results.plot import plot

        return plot(self._result, *what, path=path, compare=compare)

    def to_html(
        self,
        path: str | Path,
        *what: str,
        frames: int = 300,
        other: Result | None = None,
        paths: Iterable[str | Frame] = (),
    ) -> Path:
        """Write one page that plays the motion in a browser, offline; return its path.

        Parameters
        ----------
        what : what is plotted beside it, as for `plot`
        frames : the largest number of output times that are shown
        other : another run, shown as a ghost or side by side
        paths : bodies, point masses or frames whose paths are drawn
        """
        from supple.results.pictures import write_html

        return write_html(self._result, path, what, frames, other, paths)

    def view(
        self,
        *what: str | Result,
        frames: int = 300,
        other: Result | None = None,
        paths: Iterable[str | Frame] = (),
        browser: bool = True,
    ) -> Shown:
        """Show the motion in a browser until Ctrl-C; in a notebook, in its cell.

        The page is that of `to_html` with the same arguments; a result among ``what`` is the
        ``other`` run. It is served to this computer only, at a free port, and opened unless
        ``browser`` is False.
        """
        from supple.results.pictures import page_of
        from supple.visualization.server import show

        results = [one for one in what if not isinstance(one, str)]
        names = [one for one in what if isinstance(one, str)]
        second = results[0] if results and other is None else other
        if len(results) > (other is None):
            raise SuppleError(f"view: there are {len(results) + 1} other runs, expected one")
        return show(page_of(self._result, names, frames, second, paths), browser)

    def to_gltf(self, path: str | Path, frames: int = 300) -> Path:
        """Write the motion as binary glTF (``.glb``) for Blender and others; return its path.

        Flexible bodies have one morph target for each elastic coordinate.
        """
        from supple.results.pictures import write_gltf

        return write_gltf(self._result, path, frames)

    def film(
        self,
        path: str | Path,
        speed: float | None = None,
        rate: float = 20.0,
        magnification: float = 1.0,
    ) -> Path:
        """Write the motion as a film, a GIF or (with the program ffmpeg) an MP4; return its path.

        Parameters
        ----------
        speed : seconds of the run in a second of the film; by default 1, but the film is not
            shorter than 2 s and not longer than 12 s
        rate : pictures in a second; each shows the nearest output time
        magnification : of deformations, as for `picture`
        """
        from supple.results.pictures import write_film

        return write_film(self._result, path, speed, rate, magnification)

    def picture(
        self, t: float | None = None, path: str | Path | None = None, magnification: float = 1.0
    ) -> Figure:
        """Draw the model at the output time next to t (s; the last by default) by matplotlib.

        Deformations of bodies that are not in parts are magnified.
        """
        from supple.results.pictures import draw_picture

        return draw_picture(self._result, t, path, magnification)
