"""What the validity monitor says about lateral buckling."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.errors import label
from supple.results.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.flexible import FlexibleBody
    from supple.results.monitor import Finding

# Deflections to the side grow by the square of this, a sixth: as for the normal force in parts.
ASIDE = 0.4


def of_lateral(body: FlexibleBody, aside: Extreme) -> Iterator[Finding]:
    """Bending moments near those, or beyond those, under which a beam buckles to the side."""
    from supple.results.monitor import Finding

    passed, buckled = aside.passes(ASIDE), aside.passes(1.0)
    if passed is None:
        return
    value, serious = aside.largest, buckled is not None
    seen = "without the twist of second order"
    yield Finding(
        body.name,
        "buckling" if serious else "load",
        value,
        1.0 if serious else ASIDE,
        passed if buckled is None else buckled,
        serious,
        f"{label(body)}: its bending moments about its stiff axis reach {value:.3g} times those "
        f"under which it buckles to the side, at t = {passed if buckled is None else buckled:.4g} "
        f"s, which is not seen {seen}: use stiffening=SecondOrder(twist=True), in several bodies "
        "or parts, or a section that is less deep",
    )
