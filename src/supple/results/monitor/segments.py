"""Monitor of a beam, or of a frame structure, that is cut into parts.

Rotations of a part are against its own chord. A part of second order in pure bending errs by
``a^4/120`` of its length where its ends turn by ``a`` against the chord, one without by ``a^2/6``:
less than 0.1 % at 0.5 rad, and 0.4 % at 0.15 rad. Where the section changes much, a notch, a part
bends in one place instead of all along: at most ``a^2/3`` is wrong, 0.15 rad is the limit.

A part is linear in curvature. Two things need more parts than rotations do:

- A normal force bends a part beyond its cubics. In parts of the buckling load of a hinged part a
  pressure of 0.4 leaves about 2 % of that effect out; without stiffening all of it, pull or
  pressure, is left out: 0.02.
- A beam that is held in two places gives way along its axis because it is bent, and a part sees
  less of this (`supple.results.flexibility.part_flexibility`). The flexibility that is left out, of
  the worst load between the two places, is at most 0.05 of what is there. So it does across the
  plane of its bending, where moments twist it: parts without `SecondOrder(twist=True)` follow that
  in the mean. This counts where anything is across that plane, and for small motions about a state;
  there of a free end as well, however small the load across the plane is, since all that it does is
  wrong by as much.

The strain energy of what loads along a part, and its normal force, do beyond its cubics is compared
with that of the beam, 2 %, as for beams that are one body
(`supple.results.flexibility.truncation`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np

from supple.reduction.stiffening import SecondOrder
from supple.results.checks import deformation, sections
from supple.results.data.findings import BodyMonitor, Check, Extreme
from supple.results.flexibility.deformation import modal_energies, movements, states, strains
from supple.results.flexibility.part_flexibility import (
    Missing,
    bends_evenly,
    missing_of_parts,
    shear_of_parts,
)
from supple.results.flexibility.truncation import LIMIT

if TYPE_CHECKING:
    from supple.engine.base.compiled import BodyRecord
    from supple.results.flexibility.part_flexibility import CutBody
    from supple.results.result import Result
    from supple.results.views.flexible_views import PlaceView
    from supple.results.views.views import BodyView

PART_ROTATION = 0.5
FLEXIBILITY, SERIOUS_FLEXIBILITY = 0.05, 0.25
SERIOUS_ENERGY = 0.5
THRUST, PLAIN_THRUST, SERIOUS_THRUST = 0.4, 0.02, 1.0


def watch(
    result: Result, owner: BodyRecord, across: bool = False
) -> tuple[BodyMonitor, list[Check]]:
    """Numbers and checks of a body of parts: the worst of them, and what only all of them show.

    ``across``: whether loads across the plane of bending matter where nothing of the run is across.
    """
    body, flexible = cast("CutBody", owner.body), result.data.compiled.flexible
    records = [flexible[part.name] for beam in body.part_chains for part in beam.part_bodies]
    stiffened, view = body.stiffened, cast("BodyView", result[body.name])
    seen = [(r, *states(result, r)) for r in records]
    turns = [movements(r.body, r.point_masses, t, q)[1] for r, t, q in seen]
    strained = [
        strains(r.body, r.point_masses, t, q - r.modal.rest_coordinates) for r, t, q in seen
    ]
    worst = max((s for s in strained if s is not None), key=_largest, default=None)
    shown = [cast("PlaceView", view.at(*place)) for place in body.shown_places]
    moved = [np.linalg.norm(place.deflection, axis=1) for place in shown]
    deflection = float(np.max(moved, initial=0.0)) / body.typical_length
    spin = view.local.angular_velocity
    if body.axis is not None:
        spin = np.cross(spin, body.axis)
    missing = missing_of_parts(result, body, records, across)
    plain = deformation.ROTATION
    limits = [PART_ROTATION if stiffened and bends_evenly(r) else plain for r in records]
    limit, turned = max(zip(limits, turns, strict=True), key=lambda x: x[1].largest / x[0])
    checks = [
        deformation.rotation(body, turned, stiffened, limit),
        deformation.strain(body, worst, body.sizes_known),
        *_checks(body, len(records), missing),
        sections.beam_shear(body, shear_of_parts(result, records), deflection),
    ]
    numbers = BodyMonitor(
        body.name,
        rotation=max(turns, key=_largest).largest,
        strain=np.nan if worst is None else worst.largest,
        deflection=deflection,
        left_out=np.nan if missing.left_out is None else missing.left_out.largest,
        spin=float(np.linalg.norm(spin, axis=1).max(initial=0.0)),
        lowest_frequency=min(float(modal_energies(r.modal, q)[0][0]) for r, _, q in seen),
    )
    return numbers, checks


def _largest(x: Extreme) -> float:
    return x.largest


def _checks(body: CutBody, count: int, found: Missing) -> Iterator[Check]:
    """Checks of what ``count`` parts leave out."""
    stiffened, number = body.stiffened, f"{count} parts" if count > 1 else "one part"
    thrust = THRUST if stiffened else PLAIN_THRUST
    advice = "use more parts" if stiffened else "use stiffening='second_order', or more parts"
    yield Check(
        body,
        "load",
        found.thrust,
        thrust,
        SERIOUS_THRUST,
        lambda value, then: (
            f"the normal force in one of its {number} reaches {value:.2g} of the force under which "
            f"that part alone buckles, beyond {thrust:g} {then}: {advice}"
        ),
    )
    even = isinstance(body.stiffening, SecondOrder) and not body.stiffening.twist
    more = "use more parts, or stiffening=SecondOrder(twist=True)" if even else "use more parts"

    def left_out(
        word: str, value: Extreme | None, limit: float, serious: float, when: str, what: str
    ) -> Check:
        return Check(
            body,
            word,
            value,
            limit,
            serious,
            lambda value, then: (
                f"{when}with {number} it leaves out {value:.2g} of the {what}, expected at most "
                f"{limit:g}, {then}: {more}"
            ),
        )

    bent, flexible = "bent as it is, ", (FLEXIBILITY, SERIOUS_FLEXIBILITY)
    held = "flexibility between the places where it is held"
    free = "flexibility of a free end across the plane of its bending"
    along = "strain energy under forces and inertia along them"
    yield left_out("parts", found.flexibility, *flexible, bent, held)
    yield left_out("parts", found.aside, *flexible, bent, free)
    yield left_out("modes", found.left_out, LIMIT, SERIOUS_ENERGY, "", along)
