"""A result in three dimensions: a page that plays it, pictures and films."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from supple.foundation import validate
from supple.foundation.atomic_files import check_target, save_figure, write_whole
from supple.foundation.errors import ModelError, SuppleError
from supple.foundation.frames import Frame
from supple.foundation.palette import COLOURS, INK
from supple.results.plot import Panel, asked
from supple.results.summary import grade
from supple.visualization.drawing import chosen_times, draw
from supple.visualization.page import Line, Plot, Take, page
from supple.visualization.picture import check_kind, film, picture
from supple.visualization.scene import Scene, Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.results.result import Result

SHORT, LONG = 2.0, 12.0  # s, of a film whose speed is not given
MOST_PICTURES = 10_000


def page_of(
    result: Result,
    what: Sequence[str] = (),
    frames: int = 300,
    other: Result | None = None,
    paths: Iterable[Any] = (),
) -> str:
    """The text of a page that plays a result, with plots of ``what``; beside another, if given."""
    points = [paths] if isinstance(paths, str | Frame) else _listed(paths)
    take = _take(result, frames, points)
    if other is None:
        still = not what and len(result.t) < 2  # lines of one point are none
        panels = [] if still else asked(result.track(), what)
        return page(take, [_plot(result, panel) for panel in panels])
    second = _take(_expected(other), frames, points)
    names = take.scene.name, second.scene.name
    labels = names if names[0] != names[1] else ("run 1", "run 2")
    return page(
        replace(take, label=labels[0]),
        _compared_plots(result, other, what, labels[1]),
        replace(second, label=labels[1]),
    )


def draw_picture(
    result: Result, t: float | None, path: str | Path | None, magnification: float
) -> Figure:
    """Draw a result at the output time next to t, and write the figure if there is a path."""
    times = np.asarray(result.t)
    when = times[-1] if t is None else validate.number("picture", "t", t, "a time in s")
    size = validate.positive("picture", "magnification", magnification)
    k = int(np.argmin(np.abs(times - when)))
    near = np.unique([max(k - 1, 0), k])  # forces are found at two times or more
    some = result._at(near)
    figure = picture(draw(some), int(np.flatnonzero(near == k)[0]), size)
    return save_figure(figure, path)


def write_film(
    result: Result, path: str | Path, speed: float | None, rate: float, magnification: float
) -> Path:
    """Write a film of a result; return its path."""
    target = check_target(path)
    check_kind(target)
    size = validate.positive("film", "magnification", magnification)
    each = validate.positive("film", "rate", rate)
    span = float(result.t[-1] - result.t[0]) if len(result.t) else 0.0
    if not span > 0.0:
        raise SuppleError("film: the result has no motion, expected two output times or more")
    seconds = min(max(span, SHORT), LONG)
    if speed is not None:
        seconds = span / validate.positive("film", "speed", speed)
    if not seconds * each <= MOST_PICTURES:
        length = f"{seconds:.4g} s with {each:.4g} pictures in each"
        raise SuppleError(f"film: it lasts {length}, expected at most {MOST_PICTURES} pictures")
    scene = draw(result, max(2, round(seconds * each) + 1))
    return write_whole(target, film(scene, target.suffix.lower(), size, seconds, each))


def _expected(other: Any) -> Result:
    if not hasattr(other, "track") or not hasattr(other, "model"):
        what = "the result of a run, which has a model" if hasattr(other, "track") else "a result"
        raise ModelError("pictures", "other", other, what)
    return cast("Result", other)


def _listed(paths: Any) -> Sequence[Any]:
    expected = "a sequence of bodies, point masses or frames, e.g. [link.at(1.0)]"
    return validate.listed("pictures", "paths", paths, expected)


def _take(result: Result, frames: int, paths: Sequence[Any]) -> Take:
    """The scene of a result with paths of points, and its verdict."""
    scene = draw(result, frames, reactions=True)
    return Take(_traced(result, scene, frames, paths), result.verdict, grade(result))


def _traced(result: Result, scene: Scene, frames: int, paths: Sequence[Any]) -> Scene:
    """A scene with the paths of bodies, point masses or frames."""
    which, traces = chosen_times(result.t, frames), []
    for k, point in enumerate(paths):
        name = getattr(point, "name", point)
        places = getattr(result[point], "position", None) if isinstance(name, str) else None
        if not isinstance(places, np.ndarray) or places.shape != (len(result.t), 3):
            expected = "bodies, point masses or frames, e.g. link.at(1.0)"
            raise ModelError("pictures", "paths", name, expected)
        traces.append(Trace(name, places[which], COLOURS[(k + 3) % len(COLOURS)]))
    return replace(scene, traces=traces)


def _plot(result: Result, panel: Panel) -> Plot:
    lines = []
    for k, (label, values) in enumerate(panel.lines):
        total = panel.title == "energy" and label == "total"
        colour = INK if total else COLOURS[3 if panel.limit is not None else k % len(COLOURS)]
        lines.append(Line(label, values, colour, dashed=total))
    return Plot(panel.title, panel.units, result.t, lines, panel.limit)


def _compared_plots(first: Result, second: Result, what: Sequence[str], name: str) -> list[Plot]:
    """Plots of one run, with the lines that another run has too, broken."""
    theirs = {(p.title, p.units): dict(p.lines) for p in asked(second.track(), what)}
    plots = []
    for panel in asked(first.track(), what):
        plot, others = _plot(first, panel), theirs.get((panel.title, panel.units), {})
        more = [
            Line(f"{line.label}, {name}", others[line.label], line.colour, True, second.t)
            for line in plot.lines
            if line.label in others
        ]
        plots.append(replace(plot, lines=[*plot.lines, *more]))
    return plots
