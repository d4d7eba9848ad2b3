"""Checks of deformations that are too large for the model of a body, or that it does not see.

Rotations, strains and deflections beyond the limits of small ones, and effects of second order that
bodies without stiffening leave out: spin, loads along them, lateral buckling, stretch of a surface.
Reasons of the limits are in `supple.results.monitor.monitor`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from supple.foundation.errors import percent
from supple.results.data.findings import Check, Extreme
from supple.results.flexibility.deformation import states
from supple.results.flexibility.load_effect import LoadEffect, reduced_part

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.fem.base.material import Material
    from supple.foundation.frames import Body
    from supple.results.result import Result

ROTATION, ROTATION_STIFFENED = 0.15, 0.3
STRAIN = 0.01
DEFLECTION = 0.1
SERIOUS = 2.0  # times a limit
SPIN, SERIOUS_SPIN = 0.15, 0.5
LOAD, SERIOUS_LOAD = 0.02, 0.25  # change of deflections, in parts of the largest
# Deflections to the side grow by the square of this, a sixth: as for the normal force in parts.
ASIDE = 0.4
KEPT = 0.05  # of the stretch: a surface that keeps less is developable but for its triangles


class WithMaterials(Protocol):
    """A body that knows what it is made of."""

    @property
    def name(self) -> str:
        """Name of the body."""

    @property
    def materials(self) -> tuple[Material, ...]:
        """Materials that it is made of."""


def rotation(body: FlexibleBody, turned: Extreme, stiffened: bool, limit: float) -> Check:
    """Check of an elastic rotation against the limit of small ones."""
    against = " against the chord of a part" if body.divides else ""
    advice = "use more parts" if body.divides else "divide it into several bodies"
    if body.can_stiffen and not stiffened:
        advice = f"use stiffening='second_order', or {advice}"

    def sentence(value: float, then: str) -> str:
        return (
            f"its elastic rotation{against} reaches {value:.3g} rad, beyond {limit:g} rad {then}, "
            f"where small rotations no longer hold: {advice}"
        )

    return Check(body, "rotation", turned, limit, SERIOUS * limit, sentence)


def element_rotation(body: Body, turned: Extreme, limit: float = ROTATION_STIFFENED) -> Check:
    """Check of the rotation of an element over nodal vectors against what a cubic describes."""

    def sentence(value: float, then: str) -> str:
        return (
            f"an element of it turns by {value:.3g} rad from one end to the other, beyond "
            f"{limit:g} rad {then}, where a cubic describes it no longer: use more elements"
        )

    return Check(body, "rotation", turned, limit, SERIOUS * limit, sentence)


def strain(body: WithMaterials, strained: Extreme | None, sizes_known: bool = True) -> Check:
    """Check of a strain against that of the material's yield stress, or of linear elasticity.

    Without the sizes of sections it is that of an ellipse, of which others have half at least.
    """
    yields = yield_strain(body)
    limit = STRAIN if yields is None else yields
    beyond = "linear elasticity" if yields is None else "the material's yield stress over E"
    reaches, advice = "", "look at its loads, or give it a stronger section"
    serious = SERIOUS * limit
    if not sizes_known:
        reaches = " if its section is a solid ellipse, of which no half_sizes are given"
        advice, serious = f"{advice}, or give half_sizes", 2.0 * serious

    def sentence(value: float, then: str) -> str:
        return (
            f"its strain reaches {value:.3g}{reaches}, beyond {limit:.3g} ({beyond}) {then}: "
            f"{advice}"
        )

    return Check(body, "strain", strained, limit, serious, sentence)


def yield_strain(body: WithMaterials) -> float | None:
    """The smallest yield stress over E of a body's materials, if one has it."""
    yields = (m.yield_stress / m.E for m in body.materials if m.yield_stress is not None)
    return min(yields, default=None)


def deflection(body: FlexibleBody, moved: Extreme | None) -> Check:
    """Check of a deflection against the limit of small ones, where rotations are not known."""

    def sentence(value: float, then: str) -> str:
        return (
            f"its deflection reaches {value:.3g} of its length, beyond {DEFLECTION:g} {then}, "
            "where small rotations no longer hold: divide it into several bodies"
        )

    return Check(body, "deflection", moved, DEFLECTION, SERIOUS * DEFLECTION, sentence)


def spins(body: FlexibleBody, speed: Extreme, lost: Extreme, lowest: float) -> Iterator[Check]:
    """Checks of a spin: the stiffness that it takes, and whether it leaves any."""
    advice = "use stiffening='second_order'" if body.can_stiffen else "divide it into bodies"
    unstable, passed = lost.passes(1.0), speed.passes(SPIN * lowest)
    if unstable is not None:
        k = int(np.argmax(lost.values))
        limit = float(speed.values[k] / np.sqrt(lost.values[k]))

        def stability_sentence(value: float, then: str) -> str:
            return (
                f"its spin reaches {value:.4g} rad/s, beyond {limit:.4g} rad/s {then}, where "
                "without stiffening no bending stiffness is left and deflections can grow without "
                f"bound: {advice}"
            )

        yield Check(body, "stability", speed.largest, limit, limit, stability_sentence, unstable)
    if passed is not None:

        def spin_sentence(ratio: float, then: str) -> str:
            return (
                f"its spin reaches {speed.largest:.4g} rad/s, {ratio:.2g} of its lowest frequency "
                f"and beyond {SPIN:g} of it {then}; without stiffening its bending stiffness is "
                f"wrong by {ratio**2:.0%}: {advice}"
            )

        yield Check(body, "spin", speed.largest / lowest, SPIN, SERIOUS_SPIN, spin_sentence, passed)


def loads(body: FlexibleBody, effect: LoadEffect | None) -> Iterator[Check]:
    """Checks of loads under which a body buckles, or that change its deflections too much."""
    if effect is None:
        return
    advice = "use stiffening='second_order'" if body.can_stiffen else "use a body with stiffening"
    if effect.buckling.passes(1.0) is not None:

        def buckling_sentence(value: float, then: str) -> str:
            return (
                f"its loads reach {value:.3g} times those under which it buckles, {then}, which is "
                f"not seen without stiffening: {advice}"
            )

        yield Check(body, "buckling", effect.buckling, 1.0, 1.0, buckling_sentence)
    else:

        def load_sentence(value: float, then: str) -> str:
            return (
                "tension or pressure by its loads would change its deflections by "
                f"{value:.2g} of the largest, more than {LOAD:g} {then}, which is left out without "
                f"stiffening: {advice}"
            )

        yield Check(body, "load", effect.change, LOAD, SERIOUS_LOAD, load_sentence)
    between = "it stretches as it bends between its supports"
    yield _stretch(body, effect.stretch, between, f"is left out without stiffening: {advice}")


def _stretch(body: Body, value: Extreme, why: str, which: str) -> Check:
    """Check of deflections that become smaller by tension."""

    def sentence(value: float, then: str) -> str:
        return (
            f"{why}, and tension by that would make its deflections {percent(value)} smaller, more "
            f"than {percent(LOAD)} {then}, which {which}"
        )

    return Check(body, "stretch", value, LOAD, SERIOUS_LOAD, sentence)


def lateral(body: FlexibleBody, aside: Extreme | None, count: int) -> Check:
    """Check of bending moments against those under which a beam buckles to the side.

    ``count`` is the number of its elastic coordinates.
    """
    serious = aside is not None and aside.largest > 1.0
    limit = 1.0 if serious else ASIDE
    without = (
        "without twist of second order: use parts with stiffening=SecondOrder(twist=True), or a "
        "section that is less deep"
    )
    if body.second_order_twist:
        without = f"by its {count} elastic coordinates: use {body.refinement}, or parts"

    def sentence(value: float, then: str) -> str:
        return (
            f"its bending moments reach {value:.3g} times those under which it buckles to the "
            f"side, more than {limit:g} {then}, which is not seen {without}"
        )

    return Check(body, "buckling" if serious else "load", aside, limit, 1.0, sentence)


def surface_stretch(result: Result, body: Any) -> Iterator[Check]:
    """Check of a shell whose surface stretches as it bends, because its edges hold it.

    Strains of second order have the membrane energy V x^4 in a deflection of x times the linear
    one, beside its strain energy U x^2, as far as displacements in the surface do not relieve them.
    So it is smaller by the factor x, x + a x^3 = 1 with a = 2 V/U. Neither linear shapes nor
    displacements of second order of the places of a body have that tension: only between several
    interfaces second order sees it.
    """
    record = result.data.compiled.flexible.get(body.name)
    if record is None:
        return
    t, q = states(result, record)
    energies = 0.5 * np.einsum("ka,ab,kb->k", q, record.modal.K, q)
    energies = np.where(np.isfinite(energies) & (energies < 1e100), energies, 0.0)
    k = int(np.argmax(energies)) if len(energies) else 0
    if not energies.max(initial=0.0) > 0.0:
        return
    stretched = record.body.stretch_energies(q[k], record.point_masses)
    if stretched is None or not stretched[1] > KEPT * stretched[0]:
        return
    parts = reduced_part(2.0 * stretched[1] / energies[k] * energies / energies[k])
    why = "its surface stretches as it bends"
    yield _stretch(body, Extreme(t, parts), why, "bodies in a frame leave out: use an ANCFPlate")
