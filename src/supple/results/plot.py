"""Plots of a result: one panel for each thing asked for, with units.

Figures are made without pyplot, so nothing needs a screen and no figure stays open behind the
user's back. Saved results are drawn by the same code.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.palette import COLOURS as COLOURS
from supple.foundation.palette import INK as INK
from supple.foundation.validate import text
from supple.results.data.audit import ROUNDING, TRUSTED_BELOW
from supple.results.files.dataset import COMPONENTS, ENERGIES, Track

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from supple.results.result import Result
    from supple.results.saved import SavedResult

AnyResult: TypeAlias = "Result | SavedResult"
Compared: TypeAlias = "AnyResult | Sequence[AnyResult] | Mapping[str, AnyResult] | None"

# What a plot of an object shows: the first of these that it has.
ROLES = (
    *("coordinate", "deflection", "position", "mass centre position", "momentum"),
    *("effort", "load", "energy"),
)
DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (6, 2, 1, 2)))
WIDTH = 8.6  # inches
PANEL_HEIGHT = 2.1
TITLE = 110  # characters in a line of the title
NOTHING = 1e-13  # a panel whose values all stay below is rounding and is drawn as a flat line


@dataclass(frozen=True)
class Panel:
    """Lines that share one vertical axis."""

    title: str
    units: str
    lines: tuple[tuple[str, Array], ...]
    limit: float | None = None  # set for the error panel: drawn on a logarithmic axis


def plot(
    result: Result | SavedResult,
    *what: str,
    path: str | Path | None = None,
    compare: Compared = None,
) -> Figure:
    """Draw objects and quantities of a result over time.

    Parameters
    ----------
    what : names of objects ("elbow": its coordinates, "link2": its position, "motor": its effort),
        of variables of the dataset ("elbow.reaction", "link2@1.02.deflection"), or "energy"
        (energies, and the error on a logarithmic axis). Nothing means all joint coordinates and
        the energy.
    path : file to write, e.g. "run.png" or "run.pdf"; nothing is written without it
    compare : another result, several, or results by a name for the legend
        Drawn in broken lines over the same panels, at their own output times.
    """
    data = result.track()
    panels = asked(data, what)
    others = {name: other.track() for name, other in _compared(compare).items()}
    figure, axes = blank_panels(len(panels))
    drawn = {name: (other.t, asked(other, what)) for name, other in others.items()}
    for k, (ax, panel) in enumerate(zip(axes, panels, strict=True)):
        _draw(ax, data.t, panel)
        for n, (name, (t, theirs)) in enumerate(drawn.items()):
            _overlay(ax, t, panel, theirs[k] if k < len(theirs) else None, (name, DASHES[n % 3]))
        dress(ax)
    axes[-1].set_xlabel("time (s)", color=INK)
    figure.align_ylabels(axes)
    title = [data.attrs["model"], *textwrap.wrap(data.attrs["verdict"], TITLE)]
    figure.suptitle("\n".join(title), x=0.01, ha="left", size=10, color=INK)
    return save_figure(figure, path)


def blank_figure(height: float, *grid: int, **options: Any) -> tuple[Figure, Any]:
    """A figure of the common width, ``height`` inches high, and its axes.

    ``grid`` is the number of rows and columns, ``options`` those of ``subplots``.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    return figure, figure.subplots(*grid, **options)


def blank_panels(count: int, height: float = PANEL_HEIGHT) -> tuple[Figure, list[Axes]]:
    """A figure with panels one below the other, which share the horizontal axis."""
    figure, axes = blank_figure(height * count + 0.8, count, 1, sharex=True, squeeze=False)
    return figure, list(axes[:, 0])


def _compared(others: Compared) -> dict[str, Result | SavedResult]:
    """Results to compare with, by the name that the legend shows."""
    if others is None:
        return {}
    if isinstance(others, Mapping):
        by_name = {str(name): other for name, other in others.items()}
    elif isinstance(others, (list, tuple)):
        by_name = {f"run {k}": other for k, other in enumerate(others, start=2)}
    else:
        by_name = {"run 2": others}  # type: ignore[dict-item]
    for other in by_name.values():
        if not hasattr(other, "track"):
            raise SuppleError(
                f"plot: compare is {other!r}, expected a result, several of them, or names with "
                "results"
            )
    return by_name


def asked(data: Track, what: Sequence[str]) -> list[Panel]:
    """Panels for what is asked for: joint coordinates and energies if that is nothing."""
    return [p for item in what for p in _panels(data, item)] if what else _overview(data)


def _overlay(ax: Axes, t: Array, panel: Panel, other: Panel | None, style: tuple[str, Any]) -> None:
    """Draw the lines of another run that a panel has, in their colours and broken."""
    theirs = {} if other is None or other.title != panel.title else dict(other.lines)
    for line, (label, _) in zip(list(ax.lines), panel.lines, strict=False):
        if label in theirs:
            name, dashes = style
            text = name if len(panel.lines) == 1 else f"{label}, {name}"
            ax.plot(t, theirs[label], color=line.get_color(), lw=1.2, ls=dashes, label=text)


def _overview(data: Track) -> list[Panel]:
    joints = [name for name, v in data.variables.items() if v.role == "coordinate"]
    return [*_by_unit(data, joints, "joints"), *_energy(data)]


def _panels(data: Track, item: str) -> list[Panel]:
    """Panels for one item of a plot call."""
    text("plot", "what", item, "the name of an object or of a quantity")
    if item == "energy":
        return _energy(data)
    if item in data.variables:
        return _by_unit(data, [item], item)
    own = [name for name in data.variables if name.startswith(f"{item}.")]
    for role in ROLES:
        chosen = [name for name in own if data.variables[name].role == role]
        if chosen:
            return _by_unit(data, chosen, item)
    names = list(data.variables)
    objects = list(dict.fromkeys(name.rpartition(".")[0] for name in names))
    raise SuppleError(f"cannot plot {item!r}, {suggestion(item, objects + names)}")


def _by_unit(data: Track, names: Sequence[str], title: str) -> list[Panel]:
    """One panel for each unit: a joint may have angles and displacements."""
    groups: dict[str, list[tuple[str, Array]]] = {}
    for name in names:
        variable = data.variables[name]
        short = name.removeprefix(f"{title}.")
        if not variable.dim:
            groups.setdefault(variable.units, []).append((short, variable.values))
            continue
        labels = COMPONENTS[variable.dim]
        units = variable.units.split(", ")  # a wrench has two
        share = len(labels) // len(units)
        for k, label in enumerate(labels):
            lines = groups.setdefault(units[k // share], [])
            own = label if len(names) == 1 else f"{short} {label}"
            lines.append((own.replace("_", " "), variable.values[:, k]))
    return [_titled(title, units, lines) for units, lines in groups.items()]


def _titled(title: str, units: str, lines: list[tuple[str, Array]]) -> Panel:
    """Name a single line on the axis itself; several have a legend."""
    if len(lines) == 1 and lines[0][0] != title:
        title = f"{title} {lines[0][0]}"
    return Panel(title, units, tuple(lines))


def _energy(data: Track) -> list[Panel]:
    always = ("kinetic", "gravity", "total")
    named = {
        kind: data.variables[f"energy.{kind}"].values
        for kind in ENERGIES[:-1]  # the error has a panel of its own
        if f"energy.{kind}" in data.variables
    }
    if "strain" in named and np.array_equal(named["strain"], named["elastic"]):
        del named["elastic"]  # no springs: it is the same line twice
    lines = tuple((k, v) for k, v in named.items() if k in always or np.any(v != 0.0))
    error = np.abs(data.variables["energy.error"].values)
    # An exact zero has no place on a logarithmic axis; it is drawn at the rounding of the energies.
    floor = ROUNDING * 1e-4 * max(float(np.abs(v).max(initial=0.0)) for v in named.values())
    error = np.maximum(error, floor or np.finfo(float).tiny)
    limit = TRUSTED_BELOW * float(data.attrs["energy_reference"])
    return [
        Panel("energy", "J", lines),
        Panel("energy error", "J", (("|error|", error),), limit=limit),
    ]


def _draw(ax: Axes, t: Array, panel: Panel) -> None:
    for k, (label, values) in enumerate(panel.lines):
        total = panel.title == "energy" and label == "total"
        style: dict[str, Any] = {"color": COLOURS[k % len(COLOURS)], "lw": 1.5}
        if total:
            style = {"color": INK, "lw": 1.2, "ls": (0, (4, 2))}
        elif panel.limit is not None:
            style = {"color": COLOURS[3], "lw": 1.2}
        marker = "." if len(t) < 30 else None
        ax.plot(t, values, label=label, marker=marker, **style)
    if panel.limit is not None:
        ax.set_yscale("log")
        if panel.limit > 0.0:
            ax.axhline(panel.limit, color=COLOURS[2], lw=1.0, ls=":", label="trusted below")
    elif all(float(np.abs(values).max(initial=0.0)) < NOTHING for _, values in panel.lines):
        ax.set_ylim(-1.0, 1.0)
    ax.set_ylabel(named(panel.title, panel.units), color=INK)
    if len(t) > 1:
        ax.set_xlim(t[0], t[-1])


def dress(ax: Axes, x: str = "", y: str = "", title: str = "", legend: bool = True) -> None:
    """Give axes the common look, labels and a title, and several lines a legend beside them."""
    if x:
        ax.set_xlabel(x, color=INK)
    if y:
        ax.set_ylabel(y, color=INK)
    if title:
        ax.set_title(title, loc="left", size=10, color=INK)
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color("#999999")
    ax.tick_params(colors=INK, labelsize=9)
    ax.grid(color="#dddddd", lw=0.6)
    ax.set_axisbelow(True)
    if legend and len(ax.lines) > 1:
        ax.legend(
            loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9, labelcolor=INK
        )


def named(title: str, units: str) -> str:
    """Text of an axis: "deflection (m)"."""
    return f"{title} ({units})" if units not in ("", "1") else title
