"""Dormand-Prince of order 8: explicit, for smooth motion without stiffness."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from supple.core import dop853
from supple.core.jit import Entry
from supple.integrators.base import Integrator


@dataclass(frozen=True)
class DormandPrince(Integrator):
    """Explicit Runge-Kutta method of order 8 with error estimates of orders 5 and 3.

    For smooth motion at high accuracy: it solves no equations, and at tight tolerances its steps
    are long. Stiff springs, strong dampers and fast controllers force it to short steps at any
    tolerance; ``Radau`` is the method for these. Options: see ``Integrator``.
    """

    loops: ClassVar[bool] = True

    @property
    def kernel(self) -> Entry:
        """The compiled loop."""
        return dop853.dop853_run

    def own_size(self, nu: int, nz: int, ne: int, nr: int) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        return dop853.own_size(nu, nz, ne)
