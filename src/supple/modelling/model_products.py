"""Products of a model without a run: the doctor's report, pages and pictures."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from supple.foundation import validate
from supple.foundation.reports import Report

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.analyses.doctor.diagnosis import Diagnosis
    from supple.forces.ropes import Drum, Pulley
    from supple.foundation.frames import Frame
    from supple.model import Model
    from supple.visualization.server import Shown


MOST = 40  # rows of the table of a model


def _places(item: Any) -> str:
    """The frames or joints that an item is at."""
    frames = getattr(item, "frames", {})
    joints = () if frames else getattr(item, "targets", ())
    return ", ".join([frame.name for frame in frames.values()] + [name for name, _ in joints])


class ModelProducts:
    """Methods of a model that examine or draw it; what they need is loaded when they are called."""

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def _repr_html_(self) -> str:
        """All items in a table, and a picture where runs begin, for notebooks."""
        from supple.foundation.errors import SuppleError, label

        model = self._model
        items = [model[name] for name in model]
        rows = [(item.name, type(item).__name__, _places(item)) for item in items[:MOST]]
        if len(items) > MOST:
            rows.append((f"... {len(items)} in all", "", ""))
        seen = None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                seen = self.picture()
            except SuppleError as error:  # it is not finished
                rows.append(("not drawn", "", str(error)))
        header = ("name", "kind", "at") if rows else ()
        return Report(f"{label(model)}: {model.counts}", rows, "plain", header).html(seen)

    def rope_length(self, path: Sequence[Frame | Pulley | Drum]) -> float:
        """Length (m) of the path of a `Rope` where the model begins, its arcs on pulleys included.

        ``path`` is that of the rope; its bodies and joints are in the model.
        """
        from supple.analyses.doctor.rope_length import rope_length

        return rope_length(self._model, path)

    def doctor(self, until: float = 1.0) -> Diagnosis:
        """Examine the model: freedom, loops, redundant constraints, start, drivers; print it.

        Drivers are followed until the time ``until`` (s). Raises nothing.
        """
        from supple.analyses.doctor.doctor import diagnose

        validate.positive("doctor", "until", until)
        return diagnose(self._model, until)

    def to_html(self, path: str | Path) -> Path:
        """Write one page that shows the model where runs begin, in a browser; return its path.

        Loops that cannot be closed are shown open.
        """
        from supple.analyses.doctor.model_pictures import page_of
        from supple.foundation.atomic_files import write_whole

        return write_whole(path, page_of(self._model).encode("utf-8"))

    def view(self, browser: bool = True) -> Shown:
        """Show the model where runs begin, in a browser until Ctrl-C; in a notebook, in its cell.

        The page is served to this computer only, at a free port, and opened unless ``browser`` is
        False.
        """
        from supple.analyses.doctor.model_pictures import page_of
        from supple.visualization.server import show

        return show(page_of(self._model), browser)

    def picture(self, path: str | Path | None = None) -> Figure:
        """Draw the model where runs begin by matplotlib, and write the figure if there is a path.

        Loops that cannot be closed are shown open.
        """
        from supple.analyses.doctor.model_pictures import at_start
        from supple.results.pictures import draw_picture

        return draw_picture(at_start(self._model)[0], None, path, 1.0)
