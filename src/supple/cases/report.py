"""A report about cases: one page with the source, pictures, curves, references and errors of each.

The curve of a run and the numbers that are compared come from one run: output between the times of
a case changes none of its steps.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from supple.cases.case import Case, ModelCase, Quantity
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure, write_whole
from supple.foundation.errors import SuppleError, SuppleWarning
from supple.foundation.palette import COLOURS, INK
from supple.results.plot import PANEL_HEIGHT, blank_figure, dress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.results.result import Result

POINTS = 300  # of a curve
PANELS = 4  # histories that are drawn of a case
ROWS = 12  # of its table
FEW = 60  # times that are drawn one by one
STYLE = """
body{font:15px/1.5 system-ui,sans-serif;color:#333;max-width:64em;margin:2em auto;padding:0 1em}
table{border-collapse:collapse;font-size:13px}
td,th{padding:.2em .8em;border-bottom:1px solid #ddd;text-align:left}
img{max-width:100%}
img[alt=system]{width:26em}
.bad{color:#b5477f;font-weight:bold}
h2{margin-top:2.5em}
"""
OF_CASES = "case", "", "numbers", "error / tolerance", "", ""
OF_NUMBERS = "quantity", "Supple", "reference", "error", "tolerance"


@dataclass(frozen=True)
class Compared:
    """Quantities of a case that are one history, or single numbers of their own."""

    name: str  # without the time
    quantities: tuple[Quantity, ...]  # in the order of their times

    @property
    def worst(self) -> Quantity:
        """The one that takes most of its tolerance."""
        return max(self.quantities, key=share)


def share(quantity: Quantity) -> float:
    """Part of the tolerance that an error takes; infinite if there is no number."""
    if not quantity.error > 0.0:
        return 0.0 if quantity.passed else np.inf
    return quantity.error / quantity.tolerance if quantity.tolerance > 0.0 else np.inf


def grouped(found: Sequence[Quantity]) -> list[Compared]:
    """Quantities by name, times left out."""
    groups: dict[str, list[Quantity]] = {}
    for q in found:
        name = q.name if q.time is None else q.name.removesuffix(f" at {q.time:g} s")
        groups.setdefault(name, []).append(q)
    return [Compared(name, tuple(members)) for name, members in groups.items()]


class Report:
    """A page about cases in a folder, and the pictures beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rows: list[str] = []
        self.sections: list[str] = []
        self.passed = True

    def add(self, case: Case) -> list[Quantity]:
        """Run a case, draw it, and return what was compared."""
        self.folder.mkdir(parents=True, exist_ok=True)
        begin = time.perf_counter()
        result, found = run(case)
        seconds = time.perf_counter() - begin
        groups = grouped(found)
        passed = bool(found) and all(q.passed for q in found)
        self.passed = self.passed and passed
        pictures = []
        for kind, figure in (("system", _system(case, result)), ("curves", curves(groups, result))):
            if figure is not None:
                name = f"{case.name}-{kind}.png"
                save_figure(figure, self.folder / name)
                pictures.append(f'<p><img src="{escape(name)}" alt="{kind}"></p>')
        name, title = escape(case.name), escape(case.title)
        state = "passed" if passed else '<span class="bad">FAILED</span>'
        most = max((share(q) for q in found), default=np.inf)
        self.rows.append(
            f'<tr><td><a href="#{name}">{name}</a></td><td>{title}</td><td>{len(found)}</td>'
            f"<td>{most:.1e}</td><td>{seconds:.2g} s</td><td>{state}</td></tr>"
        )
        text = [f'<h2 id="{name}">{name}: {state}</h2>', f"<p>{title}. {escape(case.source)}.</p>"]
        self.sections.append("\n".join([*text, *pictures, _table(groups)]))
        return found

    def write(self) -> Path:
        """Write the page; return its path."""
        import supple

        page = [
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Cases of Supple</title>',
            f"<style>{STYLE}</style><h1>Cases of Supple {supple.__version__}</h1>",
            "<p>Problems from the literature against independent references. Every number has a "
            "tolerance of its own; the table has the largest part of it that an error takes.</p>",
            f"<table>{_head(OF_CASES)}{''.join(self.rows)}</table>",
            *self.sections,
            "</html>\n",
        ]
        return write_whole(self.folder / "index.html", "\n".join(page).encode("utf-8"))


def run(case: Case) -> tuple[Result | None, list[Quantity]]:
    """The run of a case with output for a curve, None if it has none, and what is compared."""
    from supple.results.result import Result

    if isinstance(case, ModelCase):
        return None, case.run()
    wanted = np.array(case.times)
    every = np.unique(np.concatenate([np.linspace(0.0, wanted[-1], POINTS), wanted]))
    result = case.simulate(output=every)
    kept = np.flatnonzero(np.isin(result.t, wanted))
    return result, case.measure(Result(result.data.at(kept)))


def _system(case: Case, result: Result | None) -> Figure | None:
    """A picture of the system: where a run begins, or of the model alone if nothing is run."""
    from supple.analyses.base.snapshot_result import instant
    from supple.formulations.trees import JointCoordinates
    from supple.results.result import Result
    from supple.state import State

    if result is not None:
        return result.picture(0.0) if len(result.t) else None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SuppleWarning)
        model = case.build()
        try:
            equations = JointCoordinates().equations(model)
        except SuppleError:  # about its graph or its components: it cannot move
            return model.graph().draw() if model.bodies else None
    state = State(0.0, equations.q0, equations.u0, equations.z0)
    return Result(instant(model, equations, state, True, "as written", {})).picture()


def curves(groups: Sequence[Compared], result: Result | None) -> Figure | None:
    """Histories with their references and errors; of single numbers the errors alone."""
    timed = [g for g in groups if g.quantities[0].time is not None and len(g.quantities) > 1]
    chosen = sorted(timed, key=lambda g: -share(g.worst))[:PANELS]
    if not chosen:
        return errors(groups)
    height, widths = PANEL_HEIGHT * len(chosen) + 0.6, [1.6, 1.0]
    shape: dict[str, Any] = {"sharex": True, "squeeze": False, "width_ratios": widths}
    figure, axes = blank_figure(height, len(chosen), 2, **shape)
    known = {} if result is None else result.track().variables
    for (left, right), group in zip(axes, chosen, strict=True):
        t, value, reference, error, tolerance = (
            np.array([getattr(q, field) for q in group.quantities], dtype=float)
            for field in ("time", "value", "reference", "error", "tolerance")
        )
        units = ""
        if group.name in known and not known[group.name].dim and result is not None:
            left.plot(result.t, known[group.name].values, color=COLOURS[0], lw=1.3, label="Supple")
            units = f" ({known[group.name].units})"
        else:  # known at the times of the case only: between few of them nothing is drawn
            left.plot(t, value, "-" if len(t) > FEW else "x", color=COLOURS[0], label="Supple")
        dashes: Any = (0, (4, 3)) if len(t) > FEW else ""
        mark = None if len(t) > FEW else "o"
        left.plot(t, reference, color=INK, label="reference", ls=dashes, marker=mark, mfc="none")
        left.set_ylabel(group.name + units, color=INK, size=8)
        right.plot(t, _seen(error), color=COLOURS[3], lw=1.2, marker=".", label="error")
        right.plot(t, tolerance, color=COLOURS[2], lw=1.0, ls=":", label="tolerance")
        right.set_yscale("log")
        for ax in (left, right):
            dress(ax)
            ax.legend(frameon=False, fontsize=7, loc="best")
    for ax in axes[-1]:
        ax.set_xlabel("time (s)", color=INK)
    return figure


def errors(groups: Sequence[Compared]) -> Figure | None:
    """Error over tolerance of numbers that are no histories."""
    parts = np.array([share(q) for g in groups for q in g.quantities])
    if not np.any(np.isfinite(parts) & (parts > 0.0)):
        return None
    figure, ax = blank_figure(2.8)
    numbers = np.arange(1, len(parts) + 1)
    ax.plot(numbers, _seen(parts), "o", color=COLOURS[3], ms=4, label="numbers")
    ax.axhline(1.0, color=COLOURS[2], lw=1.0, ls=":", label="tolerance")
    ax.set_yscale("log")
    dress(ax, "number in the order of the case", "error / tolerance")
    return figure


def _seen(values: Array) -> Array:
    """Values for a logarithmic axis: zeros are drawn as rounding."""
    return np.maximum(values, 1e-16)


def _table(groups: Sequence[Compared]) -> str:
    """The worst numbers of the groups that come nearest to their tolerance."""
    ranked = sorted(groups, key=lambda g: -share(g.worst))
    rows = [
        f"<tr><td>{escape(q.name)}</td><td>{q.value:.9g}</td><td>{q.reference:.9g}</td>"
        f"<td>{q.error:.1e}</td><td>{q.tolerance:.1e}</td></tr>"
        for q in (g.worst for g in ranked[:ROWS])
    ]
    left = len(ranked) - ROWS
    more = f"<p>{left} more are nearer to their references.</p>" if left > 0 else ""
    return f"<table>{_head(OF_NUMBERS)}{''.join(rows)}</table>{more}"


def _head(titles: Sequence[str]) -> str:
    return f"<tr>{''.join(f'<th>{title}</th>' for title in titles)}</tr>"
