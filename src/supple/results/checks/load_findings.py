"""Sentences about bodies without stiffening whose loads would change their stiffness."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from supple.foundation.errors import label
from supple.results.data.findings import Finding

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.results.flexibility.geometric_stiffness import LoadEffect

LOAD, SERIOUS_LOAD = 0.02, 0.25  # change of deflections, in parts of the largest


def of_loads(body: FlexibleBody, effect: LoadEffect) -> Iterator[Finding]:
    """Loads under which a body buckles, or that change its deflections too much."""
    advice = "use stiffening='second_order'" if body.can_stiffen else "use a body with stiffening"
    buckled, changed = effect.buckling.passes(1.0), effect.change.passes(LOAD)
    stretched = effect.stretch.passes(LOAD)
    if buckled is not None:
        value = effect.buckling.largest
        yield Finding(
            body.name,
            "buckling",
            value,
            1.0,
            buckled,
            True,
            f"{label(body)}: its loads reach {value:.3g} times those under which it buckles, from "
            f"t = {buckled:.4g} s on, which is not seen without stiffening: {advice}",
        )
    elif changed is not None:
        value = effect.change.largest
        yield Finding(
            body.name,
            "load",
            value,
            LOAD,
            changed,
            value > SERIOUS_LOAD,
            f"{label(body)}: tension or pressure by its loads would change its deflections by "
            f"{value:.2g} of the largest, more than {LOAD:g} from t = {changed:.4g} s on, which is "
            f"left out without stiffening: {advice}",
        )
    if stretched is not None:
        value = effect.stretch.largest
        yield Finding(
            body.name,
            "stretch",
            value,
            LOAD,
            stretched,
            value > SERIOUS_LOAD,
            f"{label(body)}: it stretches as it bends between its supports, and tension by that "
            f"would make its deflections {value:.2g} of themselves smaller, more than {LOAD:g} "
            f"from t = {stretched:.4g} s on, which is left out without stiffening: {advice}",
        )
