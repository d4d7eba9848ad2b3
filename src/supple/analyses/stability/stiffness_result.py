"""StiffnessResult: stiffness of a frame along a path of equilibria."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cached_property
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.equilibrium.static_result import StaticResult
from supple.foundation import validate
from supple.foundation.arrays import Array
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.palette import COLOURS, INK
from supple.foundation.poses import quaternions
from supple.foundation.validate import Axis
from supple.results.data.findings import Monitor
from supple.results.plot import PANEL_HEIGHT, TITLE, WIDTH, dress
from supple.results.views.attitude import rotation_vectors

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RIGID = 1e-12  # a compliance of this part of the others is rounding


@dataclass(frozen=True, eq=False)
class Position:
    """One equilibrium.

    Attributes
    ----------
    rest : what `statics` found
    compliance : (n, n) displacements (m, rad) along the directions by unit loads (N, N m)
    place, axes : (3,) m, (3, 3) of the frame, in the world
    frequencies : Hz, ascending, of small motion about it
    stress : Pa, the largest of von Mises in all bodies whose stress is known, or NaN
    monitor : whether flexible bodies are within the assumptions of their models, frequencies too
    """

    rest: StaticResult
    compliance: Array
    place: Array
    axes: Array
    frequencies: Array
    stress: float
    monitor: Monitor


@dataclass(frozen=True, eq=False)
class StiffnessResult:
    """How stiff a model holds a frame, at each of k positions.

    Attributes
    ----------
    over : what changes, "stroke.y"; empty if there is one position only
    values : (k,) its values
    directions : names of the n directions
    positions : what each equilibrium says
    success, message : whether all equilibria were found, and a sentence
    """

    over: str
    values: Array
    directions: tuple[str, ...]
    positions: tuple[Position, ...]
    success: bool
    message: str

    @cached_property
    def compliance(self) -> Array:
        """Displacements (k, n, n) along the first directions by unit loads along the second."""
        n = len(self.directions)
        return np.array([p.compliance for p in self.positions]).reshape(-1, n, n)

    @cached_property
    def matrix(self) -> Array:
        """Stiffness matrices (k, n, n), N/m, N/rad, N m/rad: all other directions are held."""
        unit = 1.0 / np.sqrt(np.maximum(np.diagonal(self.compliance, axis1=1, axis2=2), 1e-300))
        scaled = unit[:, :, None] * self.compliance * unit[:, None, :]
        if np.any(np.linalg.svd(scaled, compute_uv=False)[:, -1] < RIGID):
            raise SuppleError(
                f"stiffness: something along {', '.join(self.directions)} is held without "
                "compliance, expected directions that all give way; see along() and compliance"
            )
        inverse: Array = unit[:, :, None] * np.linalg.inv(scaled) * unit[:, None, :]
        return inverse

    def along(self, direction: str) -> Array:
        """Stiffness (k,) along one direction, N/m or N m/rad, free to move along all others.

        Infinite where nothing gives way.
        """
        if direction not in self.directions:
            hint = suggestion(direction, list(self.directions))
            raise SuppleError(f"the stiffness has no direction {direction!r}, {hint}")
        k = self.directions.index(direction)
        own = self.compliance[:, k, k]
        found: Array = np.divide(1.0, own, out=np.full(len(own), np.inf), where=own != 0.0)
        return found

    @cached_property
    def position(self) -> Array:
        """Places (k, 3) of the frame in the world, m."""
        return np.array([p.place for p in self.positions]).reshape(-1, 3)

    @cached_property
    def rotation(self) -> Array:
        """Rotation vectors (k, 3) of the frame from its first position, rad, world axes."""
        if not self.positions:
            return np.zeros((0, 3))
        axes = np.array([p.axes for p in self.positions])
        return rotation_vectors(quaternions(axes @ axes[0].T))

    @cached_property
    def displacement(self) -> Array:
        """Way (k, 3) of the frame from its first position, m, world axes."""
        return self.position - self.position[:1]

    def parasitic(self, direction: Axis) -> Array:
        """Displacement (k, 3) across a direction, m: what a straight guide would not have.

        ``direction`` is "x", "y", "z" or a vector (3,) along the stroke, in the world.
        """
        line = validate.axis("stiffness", "direction", direction)
        return self.displacement - np.multiply.outer(self.displacement @ line, line)

    @cached_property
    def frequency(self) -> Array:
        """Lowest frequency (k,) of small motion, Hz: with a driver, the first unwanted one."""
        return np.array(
            [p.frequencies[0] if len(p.frequencies) else np.nan for p in self.positions]
        )

    @cached_property
    def stress(self) -> Array:
        """Largest stress (k,) of von Mises, Pa; NaN where none is known."""
        return np.array([p.stress for p in self.positions])

    @property
    def doubts(self) -> list[str]:
        """What the validity monitor finds serious, each sentence once."""
        found = [f.sentence for p in self.positions for f in p.monitor.findings if f.serious]
        return list(dict.fromkeys(found))

    @property
    def verdict(self) -> str:
        """The worst of the validity verdicts of all positions."""
        order = ("valid", "doubtful", "not valid")
        seen = [p.monitor for p in self.positions]
        worst = max(seen, key=lambda m: order.index(m.level), default=None)
        return "nothing computed" if worst is None else worst.verdict

    def plot(self, path: str | Path | None = None) -> Figure:
        """Stiffness, frequency, stress and displacement over the values; saved to ``path``."""
        from matplotlib.figure import Figure

        moved = {axis: self.displacement[:, k] for k, axis in enumerate("xyz")}
        panels: list[tuple[str, dict[str, Array], bool]] = [
            ("stiffness (N/m, N m/rad)", {d: self.along(d) for d in self.directions}, True),
            ("lowest frequency (Hz)", {"": self.frequency}, False),
            ("von Mises (Pa)", {"": self.stress}, False),
            ("displacement (m)", moved, False),
        ]
        shown = [p for p in panels if any(np.any(np.isfinite(y)) for y in p[1].values())]
        figure = Figure(figsize=(WIDTH, PANEL_HEIGHT * len(shown) + 0.8), layout="constrained")
        axes = figure.subplots(len(shown), 1, sharex=True, squeeze=False)[:, 0]
        for ax, (title, lines, logarithmic) in zip(axes, shown, strict=True):
            for (name, y), colour in zip(lines.items(), cycle(COLOURS)):
                ax.plot(self.values, y, color=colour, lw=1.4, marker="o", ms=3, label=name or None)
            ax.set_ylabel(title, color=INK)
            if logarithmic:
                ax.set_yscale("log")
            if len(lines) > 1:
                ax.legend(frameon=False, fontsize=8)
            dress(ax)
        axes[-1].set_xlabel(self.over, color=INK)
        title = "\n".join(textwrap.wrap(self.verdict, TITLE))
        figure.suptitle(title, x=0.01, ha="left", size=10, color=INK)
        save_figure(figure, path)
        return figure

    def __repr__(self) -> str:
        head = f"Stiffness at {len(self.positions)} positions"
        lines = [f"{head} over {self.over}" if self.over else head]
        for name in self.directions:
            k = self.along(name)
            unit = "N m/rad" if name.startswith("r") else "N/m"
            span = f"{k[0]:.6g}" if len(k) == 1 else f"{k[0]:.6g} to {k[-1]:.6g}" if len(k) else "-"
            lines.append(f"  {name:9s} {span} {unit}")
        if len(self.frequency):
            lines.append(f"  lowest frequency {np.nanmin(self.frequency):.6g} Hz")
        lines += [f"  validity  {self.verdict}", f"  message   {self.message}"]
        return "\n".join(lines)
