"""Sentences about rotations, strains and deflections beyond the limits of small deformations.

Reasons of the limits are in `supple.results.monitor.monitor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from supple.foundation.errors import label
from supple.results.data.findings import Finding

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.fem.base.material import Material
    from supple.results.flexibility.deformation import Extreme

ROTATION, ROTATION_STIFFENED = 0.15, 0.3
STRAIN = 0.01
DEFLECTION = 0.1
SERIOUS = 2.0  # times a limit


class WithMaterials(Protocol):
    """A body that knows what it is made of."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def materials(self) -> tuple[Material, ...]:
        """Its materials."""


def of_rotation(
    body: FlexibleBody, turned: Extreme, stiffened: bool, limit: float
) -> Iterator[Finding]:
    """An elastic rotation beyond the limit of small ones."""
    passed = turned.passes(limit)
    if passed is None:
        return
    against = " against the chord of a part" if body.divides else ""
    advice = "use more parts" if body.divides else "divide it into several bodies"
    if body.can_stiffen and not stiffened:
        advice = f"use stiffening='second_order', or {advice}"
    value = turned.largest
    yield Finding(
        body.name,
        "rotation",
        value,
        limit,
        passed,
        not value <= SERIOUS * limit,
        f"{label(body)}: its elastic rotation{against} reaches {value:.3g} rad, beyond {limit:g} "
        f"rad from t = {passed:.4g} s on, where small rotations no longer hold: {advice}",
    )


def of_strain(
    body: WithMaterials, strained: Extreme | None, sizes_known: bool = True
) -> Iterator[Finding]:
    """A strain beyond that of the material's yield stress, or of linear elasticity.

    Without the sizes of sections it is that of an ellipse, of which others have half at least.
    """
    yields = yield_strain(body)
    limit = STRAIN if yields is None else yields
    passed = None if strained is None else strained.passes(limit)
    if passed is None or strained is None:
        return
    value = strained.largest
    beyond = "linear elasticity" if yields is None else "the material's yield stress over E"
    reaches, advice = f"reaches {value:.3g}", "look at its loads, or give it a stronger section"
    serious = SERIOUS * limit
    if not sizes_known:
        reaches += " if its section is a solid ellipse, of which no half_sizes are given"
        advice, serious = f"{advice}, or give half_sizes", 2.0 * serious
    yield Finding(
        body.name,
        "strain",
        value,
        limit,
        passed,
        not value <= serious,
        f"{label(body)}: its strain {reaches}, beyond {limit:.3g} ({beyond}) from "
        f"t = {passed:.4g} s on: {advice}",
    )


def yield_strain(body: WithMaterials) -> float | None:
    """The smallest yield stress over E of a body's materials, if one has it."""
    yields = (m.yield_stress / m.E for m in body.materials if m.yield_stress is not None)
    return min(yields, default=None)


def of_deflection(body: FlexibleBody, moved: Extreme) -> Iterator[Finding]:
    """A deflection beyond the limit of small ones, where rotations are not known."""
    passed = moved.passes(DEFLECTION)
    if passed is None:
        return
    value = moved.largest
    yield Finding(
        body.name,
        "deflection",
        value,
        DEFLECTION,
        passed,
        not value <= SERIOUS * DEFLECTION,
        f"{label(body)}: its deflection reaches {value:.3g} of its length, beyond {DEFLECTION:g} "
        f"from t = {passed:.4g} s on, where small rotations no longer hold: divide it into several "
        "bodies",
    )
