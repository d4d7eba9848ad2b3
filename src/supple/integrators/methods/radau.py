"""Radau IIA of order 5: the default, for stiff and non-stiff models alike."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from supple.core.linalg import multifrontal as blocks
from supple.core.radau import buffers as radau_views
from supple.core.radau import radau
from supple.engine.base.compiled import Compiled
from supple.engine.sparsity.solver_choice import Linear, newton_name
from supple.foundation.arrays import Array
from supple.integrators.methods.base import Integrator
from supple.integrators.run.newton_places import (
    Places,
    radau_places,
    radau_sizes,
    replaced_pivots,
)
from supple.native.declare import Entry


@dataclass(frozen=True)
class Radau(Integrator):
    """Implicit Runge-Kutta method of order 5, L-stable, with error control.

    Options: see ``Integrator``.
    """

    loops: ClassVar[bool] = True

    @property
    def kernel(self) -> Entry:
        """The compiled loop."""
        return radau.radau_run

    def newton(self, compiled: Compiled) -> Linear:
        """Solver of Newton's matrices."""
        return newton_name(compiled.ints)

    def further_statistics(self, compiled: Compiled, own: Array) -> dict[str, float]:
        """Pivots of Newton's matrices that were replaced; only blocks count them."""
        if self.newton(compiled) != "blocks":
            return {}
        return replaced_pivots(radau_views.OWN_RECORD, radau_sizes(compiled), own)

    def own_size(self, c: Compiled) -> tuple[int, int]:
        """Lengths of the method's own real and integer buffers."""
        return radau_views.own_size(c.sizes, blocks.lengths(c.ints))

    def places(self, c: Compiled) -> Places:
        """Places in its own integers."""
        return radau_places(c)
