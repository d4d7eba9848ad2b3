"""Mode: one eigenvalue of small motion and its shape."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from supple.analyses.base.snapshot_result import velocities
from supple.engine.base.compiled import Compiled
from supple.foundation.arrays import Array, Complex
from supple.foundation.cached import cached_property
from supple.foundation.calls import public
from supple.foundation.errors import SuppleError, suggestion
from supple.foundation.frames import Frame
from supple.results.result import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from supple.model import Model


class Displacement(NamedTuple):
    """Motion of a place in a mode, world axes."""

    translation: Complex  # (3,) complex, m for a shape in rad and m
    rotation: Complex  # (3,) complex, rad: a small rotation vector


@public
@dataclass(frozen=True)
class Mode:
    """One eigenvalue with a positive imaginary part, or a real one."""

    eigenvalue: complex  # 1/s; small motion goes as exp(eigenvalue t)
    shape: Complex  # (nu,) complex, velocities of the model in engine order
    compiled: Compiled
    q: Array
    model: Model

    @property
    def frequency(self) -> float:
        """Magnitude of the eigenvalue, Hz: the frequency without damping."""
        return float(abs(self.eigenvalue)) / (2.0 * np.pi)

    @property
    def damped_frequency(self) -> float:
        """Imaginary part of the eigenvalue, Hz: the frequency that is seen."""
        return float(self.eigenvalue.imag) / (2.0 * np.pi)

    @property
    def damping(self) -> float:
        """Part of the critical damping: 0 undamped, from 1 on no oscillation, negative unstable."""
        size = abs(self.eigenvalue)
        return 0.0 - float(self.eigenvalue.real) / size if size > 0.0 else 0.0

    def of(self, name: str) -> Complex:
        """Shape (n,) of a joint, as its rates, or of a flexible body's elastic coordinates.

        Those of a body in parts follow part by part.
        """
        c, parts = self.compiled, (self.shape.real, self.shape.imag)
        owned = [r for part, r in c.deforming.items() if c.owners[part] == name]
        if name in c.joints:
            real, imaginary = (c.joints[name].to_user(self.q, x)[1] for x in parts)
        elif name in c.deforming:
            real, imaginary = (x[c.deforming[name].u] for x in parts)
        elif owned:
            real, imaginary = (np.concatenate([x[r.u] for r in owned]) for x in parts)
        else:
            hint = suggestion(name, [*c.joints, *c.deforming])
            raise SuppleError(f"the mode has no joint or flexible body {name!r}, {hint}")
        return real + 1j * imaginary

    @cached_property
    def _motion(self) -> Result:
        """The real and the imaginary part of the shape as velocities of two instants."""
        parts = np.stack([self.shape.real, self.shape.imag])
        return Result(velocities(self.model, self.compiled, self.q, parts))

    def at(self, place: Frame | str) -> Displacement:
        """Displacement and rotation of a frame, or of the origin of a body, in world axes.

        They have the size of ``shape``, in which the coordinate that moves most in its own scale
        has 1. Small motion of the place goes as the real part of them times exp(eigenvalue t).
        """
        view = self._motion.point(place) if isinstance(place, Frame) else self._motion.body(place)
        move, turn = view.velocity, view.angular_velocity
        return Displacement(move[0] + 1j * move[1], turn[0] + 1j * turn[1])

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the shape, as `LinearModel.plot_modes` draws several."""
        from supple.analyses.linear.mode_figures import draw_modes

        return draw_modes([self], path)

    @property
    def caption(self) -> str:
        """A few words for pictures: frequency (Hz) and part of the critical damping."""
        if self.rigid:
            return "0 Hz, nothing holds it"
        if self.eigenvalue.imag == 0.0:
            return f"{self.eigenvalue.real:.4g} 1/s"
        return f"{self.damped_frequency:.4g} Hz, damping {self.damping:.2g}"

    @property
    def rigid(self) -> bool:
        """True if nothing holds the motion: its eigenvalue is zero."""
        return self.eigenvalue == 0.0

    def __repr__(self) -> str:
        s = self.eigenvalue
        if self.rigid:
            return "<Mode 0 Hz, nothing holds it>"
        if s.imag == 0.0:
            return f"<Mode {s.real:.6g} 1/s>"
        return f"<Mode {self.damped_frequency:.6g} Hz, damping {self.damping:.3g}>"
