"""Sentences about lateral buckling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.foundation.errors import label
from supple.results.data.findings import Finding
from supple.results.flexibility.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody

# Deflections to the side grow by the square of this, a sixth: as for the normal force in parts.
ASIDE = 0.4


def of_lateral(body: FlexibleBody, aside: Extreme, count: int) -> Iterator[Finding]:
    """Bending moments near those, or beyond those, under which a beam buckles to the side.

    ``count`` is the number of its elastic coordinates.
    """
    value = aside.largest
    serious = value > 1.0
    limit = 1.0 if serious else ASIDE
    passed = aside.passes(limit)
    if passed is None:
        return
    without = (
        "without twist of second order: use parts with stiffening=SecondOrder(twist=True), or a "
        "section that is less deep"
    )
    if body.second_order_twist:
        without = f"by its {count} elastic coordinates: use {body.refinement}, or parts"
    yield Finding(
        body.name,
        "buckling" if serious else "load",
        value,
        limit,
        passed,
        serious,
        f"{label(body)}: its bending moments reach {value:.3g} times those under which it buckles "
        f"to the side, more than {limit:g} from t = {passed:.4g} s on, which is not seen {without}",
    )
