"""The validity monitor: whether flexible bodies stay within the assumptions of their models.

Linear shapes describe small rotations and small strains, few modes describe slow deformations, and
without stiffening no force along a beam changes its bending. For each flexible body of a run the
monitor compares what happened with limits, and says in one sentence what was found, what the limit
is, when it was passed and what to do.

The limits:

- Rotation, 0.15 rad. The deflection of a cantilever with a load at its tip, by the exact theory of
  large deflections, is less than the linear one by 0.45 times the square of its tip's rotation: 1 %
  at 0.15 rad. With stiffening the place of the tip along the beam is right to second order as well,
  and 0.3 rad (4 %) is allowed.
- Strain, 0.01: beyond it the difference between strain measures, of the size of its square, reaches
  1 % of it, and few structural materials are elastic. With ``yield_stress`` of the material the
  limit is that stress over E.
- Deflection, 0.1 of the body's length, where rotations are not known: that of a cantilever whose
  tip turns by 0.15 rad.
- Deflection that its elastic coordinates leave out, 2 %: what the whole mesh would do under the
  same loads (`supple.results.flexibility.truncation`); a quarter of what a beam stretches along its
  axis. Where the mesh or the loads are not known, the highest mode that moves has at most 5 % of
  the strain energy.
- Shear of the sections of a beam that leaves it out, 2 % of its deflections under its loads
  (`supple.results.flexibility.shear_share`).
- Deflection that its mesh gets wrong, 2 %, against a finer mesh
  (`supple.results.checks.mesh_error`).
- Spin, 0.15 of the lowest frequency, for bodies without stiffening: its relative square, 2 %, is
  missing in the bending stiffness. A spin counts as far as it throws mass outwards: that of a beam
  about its own axis does not. Where no stiffness is left, at the lowest frequency in the
  plane of rotation, the model diverges.
- Loads, for bodies without stiffening: the stress under the loads on a body would change its
  deflections by at most 2 % of the largest, and stays below that at which the body buckles. The
  change is that of first order, inverse(K) K0 q with the geometric stiffness K0.
- Bending moments, for straight beams without twist of second order: 0.4 of those under which the
  beam buckles to the side (`supple.results.flexibility.lateral_buckling`).

Findings beyond twice a limit are serious and warn at the end of a run: of rotation, strain and
deflection, and spin beyond half of the lowest frequency (a quarter of the stiffness is wrong);
loads beyond a quarter of the deflections, or beyond the buckling load; a quarter of the deflections
left out, by shear, or wrong by the mesh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from supple.foundation.errors import label
from supple.reduction.membranes import feels_loads
from supple.results.checks.damping_findings import of_damping
from supple.results.checks.lateral_findings import of_lateral
from supple.results.checks.load_findings import of_loads
from supple.results.checks.mesh_error import mesh_error, of_mesh
from supple.results.checks.mode_findings import of_modes
from supple.results.checks.shear_findings import of_thickness
from supple.results.checks.spin_findings import of_spin
from supple.results.checks.surface_stretch import of_surface
from supple.results.checks.warping_findings import of_warping
from supple.results.flexibility.deformation import (
    Extreme,
    highest_share,
    lost_stiffness,
    modal_energies,
    movements,
    pulling_spin,
    strains,
)
from supple.results.flexibility.geometric_stiffness import load_effect, sampled
from supple.results.flexibility.lateral_buckling import lateral_buckling
from supple.results.flexibility.shear_share import of_shear, shear_of_places
from supple.results.flexibility.truncation import SAMPLES, Truncation, truncations
from supple.results.monitor.ancf_monitor import watch_gradient
from supple.results.monitor.report import monitor_table, monitor_text
from supple.results.monitor.segmented_monitor import watch_cut
from supple.results.views.views import into

if TYPE_CHECKING:
    from supple.bodies.base.flexible import FlexibleBody
    from supple.engine.base.body_records import FlexRecord, GradientRecord
    from supple.fem.base.material import Material
    from supple.results.result import Result

Array = NDArray[np.float64]

ROTATION, ROTATION_STIFFENED = 0.15, 0.3
STRAIN = 0.01
DEFLECTION = 0.1
SERIOUS = 2.0  # times a limit

VALIDITY = ("valid", "doubtful", "not valid")


class WithMaterials(Protocol):
    """A body that knows what it is made of."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def materials(self) -> tuple[Material, ...]:
        """Its materials."""


@dataclass(frozen=True)
class Finding:
    """Something that leaves the range of a body's assumptions.

    Attributes
    ----------
    body : name of the body
    what : "rotation", "strain", "deflection", "modes", "shear", "mesh", "spin", "stability",
        "load", "stretch", "buckling", "locking", "joint", "boundary layer", "sliding", "warping"
        or "damping"; of linear models "frequency", "frequencies" or "flexibility"
    value, limit : what was found at most, and what is allowed
    time : s, when the limit was passed; None where a whole run is judged
    serious : whether the results cannot be used without a look at it
    sentence : all of it, and what to do
    """

    body: str
    what: str
    value: float
    limit: float
    time: float | None
    serious: bool
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class BodyMonitor:
    """How far a flexible body went over a run.

    Attributes
    ----------
    name : of the body
    rotation : rad, largest elastic rotation of its nodes
    strain : largest principal strain; NaN where it is not known
    deflection : largest elastic displacement, in lengths of the body
    highest_mode : part of the strain energy in the highest mode that moves; NaN if there is one
    left_out : part of its deflections that its elastic coordinates leave out, or an estimate of
        what its mesh misses; NaN if not known
    spin : rad/s, of the body's frame, as far as it pulls: of a beam across its axis
    lowest_frequency : rad/s, of the body in its frame
    lost_stiffness : part of the bending stiffness that the spin takes, 1 if nothing is left; zero
        with stiffening
    buckling : part of the load under which it buckles, as far as its model does not see that: by
        pressure along it without stiffening, of a straight beam to the side by moments without
        twist of second order; NaN if both are seen, or not known
    load_stiffness : largest part of the stiffness of a shape that its loads add or take; NaN with
        stiffening, or if it is not known
    load_change : how much its loads would change its deflections, in parts of the largest; NaN as
        before
    findings : what is beyond a limit
    mesh_error : part of its deflections by which its mesh is too stiff, or, negative, too soft,
        against a finer one; NaN if it is not known
    """

    name: str
    rotation: float
    strain: float
    deflection: float
    highest_mode: float
    left_out: float
    spin: float
    lowest_frequency: float
    lost_stiffness: float
    buckling: float
    load_stiffness: float
    load_change: float
    findings: tuple[Finding, ...]
    mesh_error: float = np.nan


class Monitor:
    """What the validity monitor found: ``print(result.monitor)``.

    Attributes
    ----------
    bodies : `BodyMonitor` by name
    """

    def __init__(self, bodies: Mapping[str, BodyMonitor]) -> None:
        self.bodies = dict(bodies)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything beyond a limit: serious ones first, then by time."""
        found = [f for body in self.bodies.values() for f in body.findings]
        late = np.inf
        return tuple(
            sorted(found, key=lambda f: (not f.serious, late if f.time is None else f.time))
        )

    @property
    def level(self) -> str:
        """``"valid"``, ``"doubtful"`` or ``"not valid"``."""
        if any(f.serious for f in self.findings):
            return VALIDITY[2]
        return VALIDITY[1] if self.findings else VALIDITY[0]

    @property
    def verdict(self) -> str:
        """One line: the level, and the first finding."""
        if not self.bodies:
            return "no flexible bodies"
        if not self.findings:
            return "valid: all flexible bodies stay within the limits of their models"
        more = len(self.findings) - 1
        others = f" (and {more} more, see result.monitor)" if more else ""
        return f"{self.level}: {self.findings[0]}{others}"

    def __getitem__(self, name: str) -> BodyMonitor:
        return self.bodies[name]

    def __str__(self) -> str:
        return monitor_text(self)

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        return monitor_table(self)

    def __repr__(self) -> str:
        return f"<Monitor {self.verdict}>"


def monitor(result: Result, across: bool = False) -> Monitor:
    """Look at all flexible bodies of a result, up to where its run came; see `watch_cut`."""
    records, gradient = result.data.compiled.flexible, result.data.compiled.gradient
    with np.errstate(all="ignore"):  # a run that diverged has numbers of any size
        left_out = truncations(result) if records else {}
        found = {name: watch_gradient(result, vectors) for name, vectors in gradient.items()}
        for name, record in records.items():
            owner = result.data.compiled.bodies[result.data.compiled.owners[name]]
            if owner.body.divides and owner.name not in found:
                found[owner.name] = watch_cut(result, owner, across)
            elif not owner.body.divides and record.modal.n:
                found[name] = _watch(result, record, left_out.get(name))
        return Monitor({name: _with_theory(result, seen) for name, seen in found.items()})


def _with_theory(result: Result, seen: BodyMonitor) -> BodyMonitor:
    """A body's monitor with findings about what the theory of its sections leaves out."""
    record = result.data.compiled.bodies.get(seen.name)
    if record is None:  # a part of a body, which is judged as a whole
        return seen
    body = record.body
    told = (*of_warping(result, body), *of_thickness(result, body), *of_surface(result, body))
    return replace(seen, findings=(*seen.findings, *told)) if told else seen


def states(result: Result, record: FlexRecord | GradientRecord) -> tuple[Array, Array]:
    """Times (nt,) and coordinates (nt, n) of a body, up to where its run came."""
    t, q = result.t, result.q[:, record.q]
    final = result.data.final
    if final is not None and (not len(t) or final.t > t[-1]):  # where a failed run ended
        t, q = np.append(t, final.t), np.vstack([q, final.q[record.q]])
    return t, q


def _watch(result: Result, record: FlexRecord, left_out: Truncation | None) -> BodyMonitor:
    body, masses = record.body, record.point_masses
    t, q = states(result, record)
    moved, turned = movements(body, masses, t, q)
    strained = strains(body, masses, t, q)
    frequencies, energies = modal_energies(record.modal, q)
    share = highest_share(frequencies, energies)
    # membranes without a stretch of the axis leave out what loads along it do
    stiffened = body.stiffened and (record.modal.membranes is None or feels_loads(record.modal))
    frame = result.data.compiled.body_names.index(body.name)
    history = result.data.history
    turning = into(history.R[:, frame], history.V[:, frame, :3])
    spin = pulling_spin(body, record.modal, turning)
    speed = Extreme(result.t, np.linalg.norm(spin, axis=1))
    lost = Extreme(
        result.t, np.zeros(len(spin)) if stiffened else lost_stiffness(record.modal, spin)
    )
    effect = None if stiffened else load_effect(result, record)
    wrong = None if left_out is None else mesh_error(left_out.loaded)
    aside = None if left_out is None else lateral_buckling(result, left_out.loaded)
    shear = 0.0 if left_out is None else left_out.shear
    if body.axis is None:  # perhaps a structure of beams
        shear = shear_of_places([(record, q[sampled(q, SAMPLES)])])
    pressed = None if effect is None else effect.buckling
    buckling = [x.largest for x in (pressed, aside) if x is not None]
    spinning = [] if stiffened else [*of_spin(body, speed, lost, float(frequencies[0]))]
    findings = [
        *_of_rotation(body, turned, stiffened, ROTATION_STIFFENED if stiffened else ROTATION),
        *of_strain(body, strained, body.sizes_known),
        *(_of_deflection(body, moved) if not len(turned.values) else ()),
        *spinning,
        *of_modes(result, body, left_out, share),
        *of_shear(body, shear, moved.largest),
        *of_mesh(result, body, left_out, wrong),
        *(() if effect is None or spinning else of_loads(body, effect)),
        *(() if aside is None else of_lateral(body, aside, record.modal.n)),
        *(of_damping(result.model, record) if len(result.t) > 1 else ()),
    ]
    return BodyMonitor(
        body.name,
        turned.largest,
        np.nan if strained is None else strained.largest,
        moved.largest,
        np.nan if share is None else share,
        np.nan if left_out is None else left_out.largest,
        speed.largest,
        float(frequencies[0]),
        lost.largest,
        max(buckling, default=np.nan),
        np.nan if effect is None else effect.stiffness.largest,
        np.nan if effect is None else effect.change.largest,
        tuple(findings),
        np.nan if wrong is None else wrong.part,
    )


def _of_rotation(
    body: FlexibleBody, turned: Extreme, stiffened: bool, limit: float
) -> Iterator[Finding]:
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


def _of_deflection(body: FlexibleBody, moved: Extreme) -> Iterator[Finding]:
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
