"""DampingFit: damping of bodies that was fitted to the modes of a model, and what results."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from supple.fem.base.damping import Damping, ModalDamping
from supple.foundation.reports import Report
from supple.model import Model

OFF = 0.2  # part of what was asked for
SHOWN = 20  # modes in a table


@dataclass(frozen=True)
class DampedMode:
    """A mode of the model with its damping.

    Attributes
    ----------
    frequency : Hz, without damping
    asked, ratio : parts of critical damping, asked and what results; NaN if nothing was asked
    strain : part of its potential energy that is strain of the bodies that are damped
    moves : the coordinate that moves most
    """

    frequency: float
    asked: float
    ratio: float
    strain: float
    moves: str

    @property
    def off(self) -> float:
        """Relative deviation of the damping ratio from what was asked; NaN if nothing was."""
        if self.asked == 0.0:
            return 0.0 if self.ratio < 1e-9 else np.inf
        return self.ratio / self.asked - 1.0

    @property
    def sentence(self) -> str:
        """How far it is off."""
        by = "more" if self.off > 0.0 else "less"
        size = f"{abs(self.off):.0%} {by}" if np.isfinite(self.off) else by
        return (
            f"the mode at {self.frequency:.4g} Hz ({self.moves}) gets {100 * self.ratio:.3g} % of "
            f"critical damping instead of {100 * self.asked:.3g} %, {size}: kind='modal', ratios "
            "at fewer frequencies, or less damping of what else acts in it"
        )


@dataclass(frozen=True, eq=False)
class DampingFit:
    """Damping of flexible bodies, fitted to ratios of the model's modes.

    Attributes
    ----------
    model : a copy of the model with this damping
    damping : `ModalDamping` or `Rayleigh` by the name of the body
    modes : those of the model that oscillate, with what was asked and what results
    """

    model: Model
    damping: dict[str, Damping]
    modes: tuple[DampedMode, ...]

    @property
    def worst(self) -> DampedMode | None:
        """The mode that is farthest from what was asked; None if nothing was."""
        asked = [mode for mode in self.modes if not np.isnan(mode.asked)]
        return max(asked, key=lambda mode: abs(mode.off), default=None)

    def __str__(self) -> str:
        return self._report.text(12)

    def _repr_html_(self) -> str:
        """Return the report as an HTML table, for notebooks."""
        return self._report.html()

    @property
    def _report(self) -> Report:
        rows = [(name, _words(made)) for name, made in self.damping.items()]
        for mode in self.modes[:SHOWN]:
            asked = "not asked" if np.isnan(mode.asked) else f"asked {100 * mode.asked:.4g} %"
            told = f"damping {100 * mode.ratio:.4g} %, {asked}; {mode.strain:.0%} strain"
            rows.append((f"{mode.frequency:.4g} Hz", f"{told}; {mode.moves}"))
        if len(self.modes) > SHOWN:
            rows.append(("...", f"{len(self.modes)} modes in all"))
        good = self.worst is None or abs(self.worst.off) <= OFF
        title = f"Damping of model '{self.model.name}', fitted to its modes"
        return Report(title, rows, "good" if good else "bad")

    __repr__ = __str__


def _words(made: Damping) -> str:
    if isinstance(made, ModalDamping):
        shown = ", ".join(f"{100 * ratio:.4g}" for ratio in made.ratios[:8])
        return f"ModalDamping, {shown}{', ...' if len(made.ratios) > 8 else ''} % of its own modes"
    stiffness, mass = getattr(made, "stiffness", 0.0), getattr(made, "mass", 0.0)
    return f"Rayleigh(stiffness={stiffness:.6g} s, mass={mass:.6g} 1/s)"
