"""Files that show a result in three dimensions: a page that plays it, and glTF for others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple import validate
from supple.looks.drawing import draw
from supple.looks.gltf import glb
from supple.looks.page import Line, Plot, page
from supple.looks.picture import picture
from supple.palette import COLOURS, INK
from supple.results.audit import LEVELS
from supple.results.monitor import VALIDITY
from supple.results.plot import Panel, asked
from supple.writing import save_figure, write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.results.result import Result

GRADES = ("good", "doubtful", "bad")


def write_html(result: Result, path: str | Path, what: Sequence[str], frames: int) -> Path:
    """Write a page that plays a result, with plots of ``what``; return its path."""
    plots = [_plot(result, panel) for panel in asked(result.track(), what)]
    scene = draw(result, frames)
    text = page(scene, result.verdict, _grade(result), plots)
    return write_whole(path, text.encode("utf-8"))


def write_gltf(result: Result, path: str | Path, frames: int) -> Path:
    """Write a result as binary glTF; return its path."""
    return write_whole(path, glb(draw(result, frames)))


def draw_picture(
    result: Result, t: float | None, path: str | Path | None, magnification: float
) -> Figure:
    """Draw a result at the output time next to t, and write the figure if there is a path."""
    from supple.results.result import Result  # what is made of another kind of result

    times = np.asarray(result.t)
    when = times[-1] if t is None else validate.number("picture", "t", t, "a time in s")
    size = validate.positive("picture", "magnification", magnification)
    k = int(np.argmin(np.abs(times - when)))
    near = np.unique([max(k - 1, 0), k])  # forces are found at two times or more
    some = Result(result.data.at(near))
    figure = picture(draw(some), int(np.flatnonzero(near == k)[0]), size)
    save_figure(figure, path)
    return figure


def _grade(result: Result) -> str:
    worst = max(
        LEVELS.index(result.energy.level),
        LEVELS.index(result.momentum.level),
        VALIDITY.index(result.monitor.level),
        0 if result.success else 2,
    )
    return GRADES[worst]


def _plot(result: Result, panel: Panel) -> Plot:
    lines = []
    for k, (label, values) in enumerate(panel.lines):
        total = panel.title == "energy" and label == "total"
        colour = INK if total else COLOURS[3 if panel.limit is not None else k % len(COLOURS)]
        lines.append(Line(label, values, colour, dashed=total))
    return Plot(panel.title, panel.units, result.t, lines, panel.limit)
