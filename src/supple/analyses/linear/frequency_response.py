"""FrequencyResponse: amplitudes and phases of outputs under harmonic inputs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from supple.analyses.modes.mode import Complex
from supple.foundation.atomic_files import save_figure
from supple.foundation.errors import ModelError, suggestion
from supple.foundation.poses import Array

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class FrequencyResponse:
    """Steady motion under harmonic inputs.

    Attributes
    ----------
    frequencies : (nf,) Hz
    values : (nf, no, ni) complex: output for an input of amplitude 1, by its modulus and phase
    inputs, outputs : names
    input_units, output_units : of each
    """

    frequencies: Array
    values: Complex
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    input_units: tuple[str, ...]
    output_units: tuple[str, ...]

    def of(self, output: str | None = None, input: str | None = None) -> Complex:
        """Response (nf,) of one output to one input; a name may be left out if there is one."""
        places = []
        for field, name, names in (
            ("output", output, self.outputs),
            ("input", input, self.inputs),
        ):
            if name is None and len(names) == 1:
                name = names[0]
            if not isinstance(name, str) or name not in names:
                hint = suggestion(name, list(names))
                raise ModelError("frequency response", field, name, f"one of its names, {hint}")
            places.append(names.index(name))
        return np.asarray(self.values[:, places[0], places[1]])

    @property
    def amplitudes(self) -> Array:
        """Moduli (nf, no, ni)."""
        return np.abs(self.values)

    @property
    def phases(self) -> Array:
        """Phases (nf, no, ni), rad, without jumps over the frequencies; negative: it lags."""
        angles = np.angle(self.values)
        angles[angles > (1.0 - 1e-12) * np.pi] = -np.pi  # without damping: half a turn behind
        return np.unwrap(angles, axis=0)

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw amplitudes (logarithmic) and phases (degrees) of all pairs over the frequency."""
        from matplotlib.figure import Figure

        from supple.results.plot import COLOURS, DASHES, INK, WIDTH, dress, named

        figure = Figure(figsize=(WIDTH, 5.2), layout="constrained")
        top, bottom = figure.subplots(2, 1, sharex=True)
        for j, cause in enumerate(self.inputs):
            style = {"ls": "-" if j == 0 else DASHES[(j - 1) % len(DASHES)]}
            for i, effect in enumerate(self.outputs):
                label = effect if len(self.inputs) == 1 else f"{effect} by {cause}"
                style["color"] = COLOURS[i % len(COLOURS)]
                top.plot(self.frequencies, self.amplitudes[:, i, j], label=label, **style)
                phase = np.degrees(self.phases[:, i, j])
                bottom.plot(self.frequencies, phase, **style)
        if np.any(self.amplitudes > 0.0):
            top.set_yscale("log")
        units = {f"{o}/({i})" if i else o for o in self.output_units for i in self.input_units}
        top.set_ylabel(named("amplitude", units.pop() if len(units) == 1 else ""), color=INK)
        bottom.set_ylabel("phase (degrees)", color=INK)
        bottom.set_xlabel("frequency (Hz)", color=INK)
        dress(top)
        dress(bottom, legend=False)
        save_figure(figure, path)
        return figure
