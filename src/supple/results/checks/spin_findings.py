"""Sentences about the spin of a flexible body without stiffening."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from supple.foundation.errors import label
from supple.results.data.findings import Finding
from supple.results.flexibility.deformation import Extreme

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody

SPIN, SERIOUS_SPIN = 0.15, 0.5


def _share(part: float) -> str:
    """An error of the stiffness in words."""
    return f"wrong by {part:.0%}" if part < 1.0 else f"wrong by {part:.2g} times itself"


def of_spin(body: FlexibleBody, speed: Extreme, lost: Extreme, lowest: float) -> Iterator[Finding]:
    """What a spin takes of the stiffness, and whether it leaves any."""
    advice = "use stiffening='second_order'" if body.can_stiffen else "divide it into bodies"
    unstable = lost.passes(1.0)
    if unstable is not None:
        k = int(np.argmax(lost.values))
        threshold = float(speed.values[k] / np.sqrt(lost.values[k]))
        yield Finding(
            body.name,
            "stability",
            speed.largest,
            threshold,
            unstable,
            True,
            f"{label(body)}: its spin reaches {speed.largest:.4g} rad/s, beyond {threshold:.4g} "
            f"rad/s from t = {unstable:.4g} s on, where without stiffening no bending stiffness is "
            f"left and deflections can grow without bound: {advice}",
        )
    passed = speed.passes(SPIN * lowest)
    if passed is not None:
        ratio = speed.largest / lowest
        yield Finding(
            body.name,
            "spin",
            ratio,
            SPIN,
            passed,
            ratio > SERIOUS_SPIN,
            f"{label(body)}: its spin reaches {speed.largest:.4g} rad/s, {ratio:.2g} of its lowest "
            f"frequency and beyond {SPIN:g} of it from t = {passed:.4g} s on; without stiffening "
            f"its bending stiffness is {_share(ratio**2)}: {advice}",
        )
