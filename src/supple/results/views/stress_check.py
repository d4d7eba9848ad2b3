"""A second opinion on the largest stress of a beam: the balance of loads beside its shapes.

Shapes multiply curvatures by stiffness. Deflections converge with the fourth power of a wave
length, curvatures with its square: one mode of a cantilever has its deflection under its own weight
within 1 %, and its stress within 11 %. Loads beyond a section less the inertia there need no
curvatures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import SuppleError, percent, warn_caller

if TYPE_CHECKING:
    from supple.results.views.flexible_views import BeamView
    from supple.results.views.stress import LargestStress

LIMIT = 0.05  # part of the stress by which both may differ


def warn_of_shapes(view: BeamView, found: LargestStress) -> LargestStress:
    """Return a stress, and warn if the balance of loads has another largest one at its time.

    It is looked at where the largest stress is, and at both ends.
    """
    k = int(np.argmin(np.abs(view._deformation.t - found.time)))
    balanced = 0.0
    for x in sorted({0.0, float(found.place[0]), view.length}):
        try:
            values = view.at(x).section_forces("balance").von_mises()
        except SuppleError:  # a load that is not known, or a section without sizes
            return found
        balanced = max(balanced, float(values[k]))
    if not np.isfinite(balanced) or abs(balanced - found.value) <= LIMIT * balanced:
        return found
    much = "large" if found.value > balanced else "small"
    warn_caller(
        f"Beam {view.name!r}: its largest stress {found.value:.4g} Pa by its shapes is "
        f"{percent(abs(found.value / balanced - 1.0))} too {much} beside {balanced:.4g} Pa by the "
        "balance of its loads: use more modes or elements, or section_forces('balance')"
    )
    return found
