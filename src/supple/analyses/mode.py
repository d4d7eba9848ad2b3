"""Mode: one eigenvalue of small motion and its shape."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from supple.engine.builder import Compiled
from supple.errors import SuppleError, suggestion
from supple.poses import Array

Complex = NDArray[np.complex128]


@dataclass(frozen=True)
class Mode:
    """One eigenvalue with a positive imaginary part, or a real one.

    Attributes
    ----------
    eigenvalue : 1/s; small motion goes as exp(eigenvalue t)
    shape : (nu,) complex, velocities of the model in engine order
    """

    eigenvalue: complex
    shape: Complex
    compiled: Compiled
    q: Array

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
        """Shape (n,) of a joint, as its rates, or of a flexible body's elastic coordinates."""
        c, parts = self.compiled, (self.shape.real, self.shape.imag)
        if name in c.joints:
            real, imaginary = (c.joints[name].to_user(self.q, x)[1] for x in parts)
        elif name in c.flexible:
            real, imaginary = (x[c.flexible[name].u] for x in parts)
        else:
            hint = suggestion(name, [*c.joints, *c.flexible])
            raise SuppleError(f"the mode has no joint or flexible body {name!r}, {hint}")
        shape: Complex = real + 1j * imaginary
        return shape

    def __repr__(self) -> str:
        s = self.eigenvalue
        if s.imag == 0.0:
            return f"<Mode {s.real:.6g} 1/s>"
        return f"<Mode {self.damped_frequency:.6g} Hz, damping {self.damping:.3g}>"
